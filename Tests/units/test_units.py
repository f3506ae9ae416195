"""Checks of the units by systemd's own tools, without a running systemd."""

import os
import pathlib
import shutil
import subprocess

import pytest

UNITS = pathlib.Path(__file__).resolve().parents[2] / "systemd"
SYSTEM_UNITS = ["pressured.service", "pressured.socket"]
# Instances of the templates, with the name of a node.
PAD_UNITS = ["pressured-pad@hidraw0.service", "pressured-pad@hidraw0.socket", "pressured-pad-resume.service"]

# The exposure of the service in tenths: at most 1.0, with and without the settings for haptics.
MOST_EXPOSED = "10"


def run(*command, **variables):
    if shutil.which(command[0], path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
        pytest.skip(f"{command[0]} is not installed")
    return subprocess.run(
        command, check=False, text=True, env={**os.environ, **variables},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )


@pytest.fixture
def system(tmp_path):
    """A root with systemd's own units and ours, and with the programs that ours use."""
    theirs = [each for each in ("/usr/lib", "/lib") if os.path.isfile(f"{each}/systemd/system/sysinit.target")]
    if not theirs:
        pytest.skip("systemd is not installed")
    if os.geteuid() != 0 and not os.path.isdir("/run/systemd"):
        pytest.skip("systemd does not run here, and only root can make the folder that its tools need")
    shutil.copytree(f"{theirs[0]}/systemd/system", tmp_path / "usr/lib/systemd/system", symlinks=True)
    for link in ("lib", "bin"):
        (tmp_path / link).symlink_to(f"usr/{link}")
    (tmp_path / "usr/bin").mkdir()
    for program in ("pressured", "sh"):
        (tmp_path / "usr/bin" / program).touch(0o755)
    for unit in [*SYSTEM_UNITS, *(unit.replace("hidraw0", "") for unit in PAD_UNITS)]:
        shutil.copy(UNITS / unit, tmp_path / "usr/lib/systemd/system")
    return tmp_path


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can create files of root")


def add_haptics(system):
    folder = system / "etc/systemd/system/pressured.service.d"
    folder.mkdir(parents=True)
    shutil.copy(UNITS / "haptics/haptics.conf", folder)


def verify(system, *units):
    return run(
        "systemd-analyze", "verify", f"--root={system}", "--recursive-errors=yes", "--man=no", *units)


@pytest.mark.parametrize(
    "units, has_haptics", [(SYSTEM_UNITS, False), (SYSTEM_UNITS, True), (PAD_UNITS, False)], ids=["system", "haptics", "pads"])
def test_systemd_verifies_the_units(system, units, has_haptics):
    if has_haptics:
        add_haptics(system)
    done = verify(system, *units)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("path, command", [("systemd/pressured-bind.service", "bind"), ("docs/examples/touches.service", "web --kiosk")])
def test_systemd_verifies_the_user_units(tmp_path, path, command):
    # User units are not looked up in another root, so the program has to be at another path.
    unit = tmp_path / pathlib.Path(path).name
    text = (UNITS.parent / path).read_text(encoding="ascii")
    assert f"ExecStart=/usr/bin/pressured {command}\n" in text
    unit.write_text(text.replace("/usr/bin/pressured", "/bin/sh"), encoding="ascii")
    done = run(
        "systemd-analyze", "--user", "verify", "--recursive-errors=yes", "--man=no", str(unit),
        XDG_RUNTIME_DIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("line", ["ProtectHom=yes", "ProtectHome=mostly", "ExecStartPre=/usr/bin/gone"])
def test_errors_would_be_detected(system, line):
    with open(system / "usr/lib/systemd/system/pressured.service", "a", encoding="ascii") as file:
        file.write(f"[Service]\n{line}\n")
    assert verify(system, *SYSTEM_UNITS).returncode != 0


@pytest.mark.parametrize("unit, has_haptics", [
    ("pressured.service", False), ("pressured.service", True), *((unit, False) for unit in PAD_UNITS if unit.endswith(".service")),
])
def test_the_exposure_is_low(system, unit, has_haptics):
    if has_haptics:
        add_haptics(system)
    done = run("systemd-analyze", "security", f"--root={system}", "--offline=true", f"--threshold={MOST_EXPOSED}", unit)
    assert done.returncode == 0, done.stdout


def directives(name):
    """The lines of a unit below [Service], without comments."""
    text = (UNITS / name).read_text(encoding="ascii").partition("[Service]\n")[2].partition("\n[")[0]
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_the_service_of_a_pad_has_the_sandbox_of_the_daemon():
    """All lines of it, with another user, device and folder, and no more system calls."""
    own, daemon = directives("pressured-pad@.service"), directives("pressured.service")
    life = ("ExecReload", "WatchdogSec", "Restart", "RestartPreventExitStatus", "ExecStart")
    differing = ("User", "Group", "StateDirectory", "DeviceAllow", "NoExecPaths", "MemoryMax", "SystemCallFilter")
    missing = [line for line in daemon if line not in own and not line.startswith(tuple(f"{key}=" for key in life + differing))]
    assert missing == []
    calls, others = ({name for line in lines if line.startswith("SystemCallFilter=") for name in line.partition("=")[2].split()}
                     for lines in (own, daemon))  # fmt: skip
    assert calls and calls <= others
    assert "DeviceAllow=/dev/%i rw" in own and not [line for line in own if "char-" in line]


@needs_root
def test_clients_and_the_service_have_different_groups(tmp_path):
    """A common group would let every client read the devices."""
    (tmp_path / "etc").mkdir()
    done = run("systemd-sysusers", f"--root={tmp_path}", str(UNITS / "pressured.sysusers"))
    assert done.returncode == 0, done.stdout

    def lines(name):
        text = (tmp_path / "etc" / name).read_text(encoding="ascii")
        return {line.split(":")[0]: line.split(":") for line in text.splitlines()}

    groups, users = lines("group"), lines("passwd")
    assert set(groups) == {"pressured", "_pressured", "_pressured-pad"}
    assert set(users) == {"_pressured", "_pressured-pad"}
    assert users["_pressured-pad"][3] == groups["_pressured-pad"][2] != groups["_pressured"][2]
    assert users["_pressured"][3] == groups["_pressured"][2]
    assert groups["pressured"][3] == groups["_pressured"][3] == ""
    assert users["_pressured"][6].endswith("nologin")
    assert "SocketGroup=pressured\n" in (UNITS / "pressured.socket").read_text(encoding="ascii")
    service = (UNITS / "pressured.service").read_text(encoding="ascii")
    assert "User=_pressured\nGroup=_pressured\n" in service
    assert "SupplementaryGroups=" not in service


@needs_root
def test_the_directories_belong_to_root(tmp_path):
    done = run(
        "systemd-tmpfiles", f"--root={tmp_path}", "--create", str(UNITS / "pressured.tmpfiles"))
    assert done.returncode == 0, done.stdout
    for folder in ("run/pressured", "etc/pressured"):
        status = (tmp_path / folder).stat()
        assert (status.st_mode & 0o7777, status.st_uid) == (0o755, 0), folder
