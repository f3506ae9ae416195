"""The script that installs packages does so on request only, and enables no service."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/install-missing"
FAKES = ["swift", "dpkg-query", "apt-get", "systemctl", "id", "sudo"]


@pytest.fixture
def install(tmp_path):
    """Runs the script with fake programs, whose calls are in a log; returns its result and the calls."""
    tools = tmp_path / "tools"
    tools.mkdir()
    log = tmp_path / "log"
    scripts = {
        "dpkg-query": f'case " $(cat {tmp_path}/installed) " in *" $4 "*) echo installed ;; *) exit 1 ;; esac',
        "id": 'echo "${FAKE_UID:-0}"',
        "sudo": '"$@"',
    }
    for name in FAKES:
        logged = f'echo {name} "$@" >>{log}\n' if name in ("apt-get", "systemctl") else ""
        (tools / name).write_text(f"#!/bin/sh\n{logged}{scripts.get(name, '')}\n")
        (tools / name).chmod(0o755)

    def install(*purposes, installed="", **variables):
        (tmp_path / "installed").write_text(installed)
        log.write_text("")
        environment = {"PATH": f"{tools}:{os.environ['PATH']}", **variables}
        result = subprocess.run([SCRIPT, *purposes], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        return result, log.read_text().splitlines()

    return install


BUILD = subprocess.run([SCRIPT, "--list", "build"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def test_nothing_is_installed_if_nothing_is_missing(install):
    result, calls = install("build", installed=BUILD)
    assert (result.returncode, result.stdout, calls) == (0, "", [])


@pytest.mark.parametrize("user", ["0", "1000"])
def test_missing_packages_are_named_with_their_purpose_and_not_installed(install, user):
    result, calls = install("build", installed=BUILD.replace("scdoc", ""), FAKE_UID=user)
    assert (result.returncode, calls) == (69, [])
    assert result.stdout.splitlines() == ["missing to build and to try it: scdoc", "to install them: make deps FOR='build'"]


@pytest.mark.parametrize("user", ["0", "1000"])
def test_they_are_installed_on_request(install, user):
    result, calls = install("--install", "build", installed=BUILD.replace("scdoc", ""), FAKE_UID=user)
    assert result.returncode == 0
    assert calls == ["apt-get install -y -qq --no-install-recommends scdoc"]


def test_only_one_target_installs():
    makefile = (SCRIPT.parents[1] / "Makefile").read_text(encoding="utf-8")
    assert re.findall(r"^(\w+):\n\t@scripts/install-missing --install", makefile, re.M) == ["deps"]
    assert makefile.count("--install ") == 1


def test_no_service_of_a_test_need_is_started_or_enabled(install):
    result, calls = install("--install", "test")
    assert result.returncode == 0
    verbs = [call.split()[:2] for call in calls]
    assert verbs == [["systemctl", "mask"], ["apt-get", "install"], ["systemctl", "disable"], ["systemctl", "unmask"]]
    assert all("mosquitto.service" in call for call in calls if call.startswith("systemctl"))


def test_an_installed_broker_is_left_alone(install):
    _, calls = install("--install", "test", installed="mosquitto")
    assert [call.split()[0] for call in calls] == ["apt-get"]


def test_without_apt_everything_that_is_missing_is_named_at_once(tmp_path):
    """Also what only the end of a build needs."""
    for name in ("bash", "env", "cat", "sed", "xargs", "echo"):
        (tmp_path / name).symlink_to(shutil.which(name))
    (tmp_path / "swift").symlink_to("/bin/true")
    result = subprocess.run([SCRIPT, "build"], env={"PATH": str(tmp_path)}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False)
    assert result.returncode == 69
    missing = result.stdout.splitlines()[0]
    for name in ("pkg-config", "socat", "scdoc", "nm", "readelf", "strip"):
        assert f" {name}" in missing
    commands = [line for line in result.stdout.splitlines() if line.startswith("  sudo ")]
    assert commands and all("binutils" in line and " python" in line for line in commands)


def test_the_packages_are_those_of_the_table_for_people():
    table = (SCRIPT.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for purpose, target in (("build", "build"), ("check", "check"), ("test", "test")):
        wanted = re.search(rf"^debian_{purpose}=\(([^)]*)\)", SCRIPT.read_text(encoding="utf-8"), re.M)[1].split()
        row = next(line for line in table.splitlines() if line.startswith(f"| `make {target}`"))
        assert row.split("|")[-2].removeprefix(" also").split() == wanted
