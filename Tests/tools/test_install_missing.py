"""The script that installs packages does so on request only, and enables no service."""

import os
import pathlib
import re
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/install-missing"
FAKES = ["swift", "dpkg-query", "apt-get", "id", "sudo"]


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
        logged = f'echo {name} "$@" >>{log}\n' if name == "apt-get" else ""
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


def test_the_packages_are_those_of_the_table_for_people():
    table = (SCRIPT.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for purpose, target in (("build", "build"), ("check", "check"), ("test", "test")):
        wanted = re.search(rf"^debian_{purpose}=\(([^)]*)\)", SCRIPT.read_text(encoding="utf-8"), re.M)[1].split()
        row = next(line for line in table.splitlines() if line.startswith(f"| `make {target}`"))
        assert row.split("|")[-2].removeprefix(" also").split() == wanted
