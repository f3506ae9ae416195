"""Files of an unexpected kind or owner, or without end: none is removed, followed or waited for."""

import os
import signal
import socket
import stat
import subprocess

import pytest

from connection import DEADLINE
from daemon import wait_until
from recording import DEVICE, Recording

USAGE, BAD_DATA, CANNOT_CREATE, BAD_CONFIGURATION = 64, 65, 73, 78


def identity(path):
    status = os.lstat(path)
    return status.st_dev, status.st_ino


# The socket's file and its lock


def test_a_lock_file_of_another_program_is_left_alone(run, write):
    path = write("[[package]]\n", "poetry.lock")
    before = identity(path)
    done = run("run", "--socket", path[: -len(".lock")], "--replay", write(Recording().hold()))
    done.assert_refused(CANNOT_CREATE, path, "--socket")
    assert identity(path) == before
    with open(path, encoding="utf-8") as file:
        assert file.read() == "[[package]]\n"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/null", path)])
def test_a_lock_that_is_not_a_file_is_left_alone(run, folder, write, make):
    make(os.path.join(folder, "x.sock.lock"))
    before = identity(os.path.join(folder, "x.sock.lock"))
    done = run("run", "--socket", f"{folder}/x.sock", "--replay", write(Recording().hold()))
    done.assert_refused(CANNOT_CREATE, "x.sock.lock")
    assert identity(os.path.join(folder, "x.sock.lock")) == before


def test_another_socket_with_the_same_name_stays(serve):
    daemon = serve(Recording().pause(1).hold())
    os.unlink(daemon.path)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(daemon.path)
        other.listen()
        before = identity(daemon.path)
        assert daemon.terminate() == 0
        assert identity(daemon.path) == before
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(daemon.path)


@pytest.mark.parametrize("suffix", ["", ".lock"])
def test_another_file_with_the_same_name_stays(serve, suffix):
    daemon = serve(Recording().pause(1).hold())
    path = daemon.path + suffix
    os.unlink(path)
    with open(path, "w", encoding="utf-8") as file:
        file.write("precious\n")
    assert daemon.terminate() == 0
    with open(path, encoding="utf-8") as file:
        assert file.read() == "precious\n"


# Files that block


@pytest.mark.parametrize("kind", ["pipe", "terminal", "folder"])
def test_a_configuration_that_is_no_longer_a_file_is_refused(serve, folder, kind):
    daemon = serve(Recording().pause(1).hold(), config="always_read: false\n")
    path = os.path.join(folder, "config0.yaml")
    os.unlink(path)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)
    else:
        main, other = os.openpty()
        os.symlink(os.ttyname(other), path)
    count = daemon.log.count("configuration ")
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: daemon.log.count("configuration ") > count)
    assert path in daemon.log and "previous configuration stays in effect" in daemon.log
    assert daemon.connect().ask("ping")["ok"] is True
    assert daemon.terminate() == 0


def test_a_stored_calibration_that_is_a_pipe_does_not_block(serve, folder):
    folder_of = os.path.join(folder, "state", "calibration")
    os.makedirs(folder_of)
    path = os.path.join(folder_of, f"{DEVICE}.yaml")
    os.mkfifo(path)
    daemon = serve(Recording().pause(1).hold(), "--state", os.path.join(folder, "state"))
    client = daemon.connect()
    wait_until(lambda: path in daemon.log)
    assert client.ask("ping")["ok"] is True
    assert daemon.terminate() == 0


@pytest.mark.parametrize("option, status, reason", [
    ("--config", BAD_CONFIGURATION, ""), ("--replay", BAD_DATA, ": only a regular file can be played"),
])
def test_the_daemon_does_not_start_with_a_pipe(run, folder, write, option, status, reason):
    os.mkfifo(f"{folder}/pipe")
    files = {"--replay": write(Recording().hold()), option: f"{folder}/pipe"}
    words = [word for pair in files.items() for word in pair]
    done = run("run", "--socket", f"{folder}/x.sock", *words)
    done.assert_refused(status, f"{folder}/pipe{reason}")


def test_explicit_files_may_be_pipes(run, write):
    path = write(Recording().hold())
    whole = run("replay", path)
    assert whole.status == 0
    for name in ("/dev/stdin", "/proc/self/fd/0"):
        # The name of the recording is the node of the device.
        done = run("replay", name, before=["sh", "-c", f'cat {path} | "$@"', "sh"])
        assert (done.status, done.output) == (0, whole.output.replace(path, name))
    script = f'exec "$@" --describe <(cat {path}) --config <(echo "always_read: false")'
    assert run("replay", path, before=["bash", "-c", script, "bash"]).output == whole.output


# Files that root reads from the directory of a service


@pytest.mark.parametrize("kind", ["file", "folder", "pipe", "terminal", "large"])
def test_only_small_files_are_read_from_a_state_folder(run, folder, write, kind):
    calibration = os.path.join(folder, "state", "calibration")
    elsewhere = os.path.join(folder, "elsewhere")
    os.makedirs(elsewhere)
    os.makedirs(os.path.dirname(calibration))
    if kind == "folder":
        write("version: secret\n", "elsewhere/pad.yaml")
        os.symlink(elsewhere, calibration)
    else:
        os.makedirs(calibration)
        path = os.path.join(calibration, "pad.yaml")
        if kind == "file":
            os.symlink(write("root:$6$secret:19000:0:99999:7:::\n" * 3, "shadow"), path)
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "terminal":
            os.symlink("/dev/tty", path)
        else:
            with open(path, "wb") as file:
                file.truncate(1 << 40)
    done = run("plot", "--calibration", "-o", f"{folder}/x.svg", STATE_DIRECTORY=f"{folder}/state")
    done.assert_refused(BAD_DATA, calibration)
    assert "secret" not in done.log and "elsewhere/pad" not in done.log
    assert not os.path.exists(f"{folder}/x.svg")


def test_the_number_of_names_read_is_limited(run, folder):
    calibration = os.path.join(folder, "state", "calibration")
    os.makedirs(calibration)
    for number in range(1025):
        os.link(os.path.join(calibration, "0.yaml"), os.path.join(calibration, f"{number}.yaml")) if number else open(
            os.path.join(calibration, "0.yaml"), "wb").close()
    done = run("plot", "--calibration", "-o", f"{folder}/x.svg", STATE_DIRECTORY=f"{folder}/state")
    done.assert_refused(BAD_DATA, calibration, "1024")


# The environment of a program


def test_arguments_that_are_not_utf_8_are_refused(run, folder, write):
    # The name that a repaired argument would have.
    write("no recording\n", "caf\ufffd.evemu")
    run("replay", f"{folder}/caf\udce9.evemu").assert_refused(USAGE, "argument 2", "UTF-8", "caf\\xe9.evemu")
    assert run("replay", write(Recording().hold(), "caf\u00e9.evemu")).status == 0


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_closed_standard_descriptors_are_not_reused_for_files(start, folder, write, closed):
    """Otherwise the log would be written to the lock file or to a client."""
    path = f"{folder}/x.sock"
    process = start(
        "run", "--socket", path, "--replay", write(Recording().hold()), before=["bash", "-c", f'exec "$@" {closed}', "bash"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: os.path.exists(path) and stat.S_IMODE(os.lstat(path).st_mode) == 0o660)
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        client.settimeout(DEADLINE)
        assert b'"hello"' in client.recv(65536)
        places = [os.readlink(f"/proc/{process.pid}/fd/{number}") for number in range(3)]
        assert places == ["/dev/null"] * 3
        with open(path + ".lock", "rb") as file:
            assert b"serving" not in file.read()
    process.terminate()
    assert process.wait(DEADLINE) == 0
