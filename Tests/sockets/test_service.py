"""Integration with a service manager: a socket that is passed on, and notifications of the state."""

import fcntl
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import termios
import time

import pytest

from connection import DEADLINE, Connection
from daemon import ACTIVATE, environment, first_connection, wait_until
from recording import Recording
from verbs import ROOT


# Runs a program with a descriptor as from a service manager: LISTEN_PID must be that of the process itself.
WITH_DESCRIPTORS = ["sh", "-c", 'export LISTEN_PID=$$; exec "$0" "$@"']


class Manager:
    """The notifications that a service manager receives."""

    def __init__(self, path):
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.settimeout(DEADLINE)
        self.socket.bind(path)

    def lines(self):
        """The lines of the next notification."""
        return self.socket.recv(4096).decode().splitlines()


@pytest.fixture
def manager(folder):
    manager = Manager(os.path.join(folder, "notify.sock"))
    yield manager
    manager.socket.close()


@pytest.mark.skipif(not shutil.which(ACTIVATE), reason=f"{ACTIVATE} is not installed")
def test_it_serves_a_socket_of_the_service_manager(start, program, folder, write):
    path = os.path.join(folder, "handed.sock")
    process = start("-l", path, program, "run", "--replay", write(Recording().pause(1).hold()), program=ACTIVATE)
    # This connection activates the daemon.
    client = first_connection(path)
    lines = client.until(lambda line: line["event"] == "heaviest")
    assert [line["event"] for line in lines[:3]] == ["hello", "device", "contact"]
    assert Connection(path).until(lambda line: line["event"] == "contact")[-1]["present"] is True
    process.terminate()
    assert process.wait(DEADLINE) == 0
    # The daemon must not remove the socket: the next connection activates it again.
    assert os.path.exists(path)
    assert not os.path.exists(path + ".lock")
    client.rest()
    assert f"serving {path}" in process.stderr.read()


@pytest.mark.parametrize("hears", ["a connection", "a signal"])
def test_an_invalid_configuration_is_told_and_can_be_corrected(start, folder, write, manager, hears):
    """The socket of the service manager stays, as its process does: nothing has to be started again."""
    path = os.path.join(folder, "passed.sock")
    config = pathlib.Path(folder, "config.yaml")
    config.write_text("press: { feel: mediun }\n")
    wrong = f"{config}:1:16: feel must be one of light, medium, firm, fixed or null, not \"mediun\""
    with listening(folder, "passed.sock") as one:
        process = start(
            "run", "--replay", write(Recording().pause(1).hold()), "--config", config, before=WITH_DESCRIPTORS,
            LISTEN_FDS="1", NOTIFY_SOCKET=manager.path, close_fds=False, preexec_fn=lambda: os.dup2(one.fileno(), 3))
        assert manager.lines() == ["READY=1", f"STATUS=Serving no client: {wrong}"]
        for _ in range(100):
            (line,) = Connection(path, "ping").rest()
            assert line["error"]["code"] == "failed"
            assert line["error"]["message"] == f"{wrong}; no client is served until the configuration is corrected"
        config.write_text("press: { feel: medium }\n")
        if hears == "a signal":
            process.send_signal(signal.SIGHUP)
            assert f"STATUS=Serving {path}" in "\n".join(manager.lines())
        assert Connection(path).line()["event"] == "hello"
        process.terminate()
        assert process.wait(DEADLINE) == 0
        # The error is logged once.
        log = process.stderr.read()
        assert log.count(wrong) == 1 and f"serving {path}" in log


@pytest.mark.parametrize("kind", ["file", "datagram", "connected", "two"])
def test_an_unusable_passed_descriptor_is_reported(run, folder, write, kind):
    things = {
        "file": lambda: [open(os.devnull, "rb")],
        "datagram": lambda: [socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)],
        "connected": lambda: [socket.socketpair()[0]],
        "two": lambda: [listening(folder, name) for name in "ab"],
    }[kind]()

    def hand_over():
        # From descriptor 3 on, and from the highest one first, so that none is overwritten.
        for number, descriptor in enumerate([os.dup(thing.fileno()) for thing in things]):
            os.dup2(descriptor, 3 + number)

    status, _, log = run(
        "run", "--replay", write(Recording().pause(1).hold()), before=WITH_DESCRIPTORS, LISTEN_FDS=str(len(things)),
        close_fds=False, preexec_fn=hand_over)
    assert status == 78
    what = "one of the 2 descriptors" if kind == "two" else "the descriptor"
    assert f"{what} from the service manager is not a listening Unix stream socket" in log


def listening(folder, name):
    one = socket.socket(socket.AF_UNIX)
    one.bind(os.path.join(folder, name))
    one.listen()
    return one


def test_it_notifies_readiness_and_exit(serve, manager):
    daemon = serve(Recording().pause(1).hold(), variables={"NOTIFY_SOCKET": manager.path})
    serving = f"STATUS=Serving {daemon.path}; devices: "
    assert manager.lines() == ["READY=1", serving + "closed; clients: 0"]
    first, second = daemon.connect(), daemon.connect()
    assert first.ask("ping")["ok"] and second.ask("ping")["ok"]
    assert last(manager, serving + "1 open; clients: 2")
    second.close()
    assert last(manager, serving + "1 open; clients: 1")
    first.close()
    assert last(manager, serving + "closed; clients: 0")
    assert daemon.connect().ask("ping")["ok"]
    assert last(manager, serving + "1 open; clients: 1")
    assert daemon.terminate() == 0
    assert manager.lines() == ["STOPPING=1"]


def last(manager, status):
    """Whether the status is eventually reported; intermediate ones may be left out."""
    while (lines := manager.lines()) != [status]:
        assert len(lines) == 1 and lines[0].startswith("STATUS="), lines
    return True


def test_it_notifies_a_reload(folder, serve, write, manager):
    daemon = serve(Recording().pause(1).hold(), config="", variables={"NOTIFY_SOCKET": manager.path})
    assert "READY=1" in manager.lines()
    for settings, sentence in [
        ("always_read: true\n", "the configuration was reloaded: always_read"),
        ("always_read: 5\n", "config0.yaml:1:14: always_read must be true or false, not 5"),
        ("always_read: true\n", "the configuration was reloaded: no changes"),
    ]:
        write(settings, "config0.yaml")
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        daemon.process.send_signal(signal.SIGHUP)
        reloading = manager.lines()
        while reloading[0] != "RELOADING=1":
            reloading = manager.lines()
        assert reloading[1].startswith("MONOTONIC_USEC=")
        assert before <= int(reloading[1].split("=")[1])
        # The configuration was read by then, and with always_read the device is open.
        status = f"STATUS=Serving {daemon.path}; devices: 1 open; clients: 0"
        if "5" in settings:
            status += f"; the last reload failed: {folder}/{sentence}"
        assert manager.lines() == ["READY=1", status]
        wait_until(lambda: sentence in daemon.log)
    assert "the previous configuration stays in effect" in daemon.log


def reload_as_systemd_does(program, main_pid, variables):
    """Runs the commands of the unit's ExecReload= one after another, up to the first that fails."""
    lines = (ROOT / "systemd/pressured.service").read_text(encoding="ascii").splitlines()
    commands = [line.removeprefix("ExecReload=").lstrip("+") for line in lines if line.startswith("ExecReload=")]
    assert commands[-1] == "/bin/sh -c 'kill -HUP $MAINPID'"
    for command in commands:
        command = command.replace("/usr/bin/pressured", program).replace("%E", variables["XDG_CONFIG_HOME"])
        done = subprocess.run(
            shlex.split(command), env={**variables, "MAINPID": str(main_pid)}, capture_output=True, text=True,
            timeout=DEADLINE,
        )  # fmt: skip
        if done.returncode != 0:
            break
    return done.returncode, done.stderr


def test_systemctl_reload_fails_if_the_file_is_invalid(program, folder, serve, write):
    os.mkdir(os.path.join(folder, "etc"))
    path = write("", "etc/config.yaml")
    variables = environment(
        folder, CONFIGURATION_DIRECTORY=os.path.join(folder, "etc"), XDG_CONFIG_HOME=folder)
    daemon = serve(Recording().pause(3_600_000).report(), variables=variables)
    write("always_read: true\nscale: { windw_ms: 3 }\n", "etc/config.yaml")
    status, log = reload_as_systemd_does(program, daemon.process.pid, variables)
    assert (status, log.count("\n")) == (78, 1)
    assert f'{path}:2:10: unknown key "windw_ms"' in log
    write("always_read: true\n", "etc/config.yaml")
    assert reload_as_systemd_does(program, daemon.process.pid, variables) == (0, "")
    wait_until(lambda: "the configuration was reloaded: always_read" in daemon.log)
    # The invalid file was not loaded.
    assert "windw_ms" not in daemon.log


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_before_readiness_exits_in_order(run, folder, write, name):
    path = os.path.join(folder, "early.sock")
    # A signal may arrive as soon as the socket exists: here it is sent while the socket is created.
    before = ["strace", "-qq", "-o", os.devnull, "-e", "trace=listen", "-e", f"inject=listen:signal={name}"]
    # LeakSanitizer does not work under strace in a sanitized build.
    status, _, log = run(
        "run", "--socket", path, "--replay", write(Recording().pause(1).hold()), before=before, ASAN_OPTIONS="detect_leaks=0")
    if "ptrace" in log:
        pytest.skip(f"strace is not permitted here: {log}")
    assert status == 0, log
    assert not os.path.exists(path)
    assert not os.path.exists(path + ".lock")


def test_a_closed_terminal_ends_it(start, folder, write):
    path = os.path.join(folder, "pressured.sock")
    master, terminal = os.openpty()
    process = start(
        "run", "--socket", path, "--replay", write(Recording().pause(1).hold()), stdin=terminal, stdout=terminal,
        stderr=terminal, start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(terminal)
    wait_until(lambda: os.path.exists(path) and os.stat(path).st_mode & 0o600)
    process.send_signal(signal.SIGHUP)
    assert Connection(path).ask("ping")["ok"] is True
    os.close(master)
    assert process.wait(DEADLINE) == 0
    assert not os.path.exists(path)


def test_the_log_has_levels_for_the_journal(serve):
    daemon = serve(Recording().pause(1).hold(), variables={"JOURNAL_STREAM": "8:1"})
    wait_until(lambda: daemon.log)
    assert daemon.log == f"<6>serving {daemon.path}\n"


def test_a_log_without_a_reader_does_no_harm(start, folder, write):
    path = os.path.join(folder, "pressured.sock")
    reader, writer = os.pipe()
    os.close(reader)
    process = start("run", "--socket", path, "--replay", write(Recording().pause(1).hold()), stderr=writer)
    os.close(writer)
    wait_until(lambda: os.path.exists(path) and os.stat(path).st_mode & 0o600)
    assert Connection(path).ask("ping")["ok"] is True
    process.terminate()
    assert process.wait(DEADLINE) == 0


@pytest.mark.parametrize("is_service", [False, True])
def test_a_service_cannot_execute_other_programs(folder, serve, manager, is_service):
    """The first thing an intruder would do: at startup and at run time."""
    compiler = shutil.which("clang") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("a C compiler is not installed")
    library = os.path.join(folder, "become.so")
    source = os.path.join(os.path.dirname(__file__), "become.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    # With AddressSanitizer the program requires its library to be loaded first.
    variables = {"LD_PRELOAD": library, "ASAN_OPTIONS": "verify_asan_link_order=0"}
    if is_service:
        variables["NOTIFY_SOCKET"] = manager.path
    daemon = serve(Recording().pause(1).hold(), variables=variables)
    if is_service:
        assert "READY=1" in manager.lines()
    assert daemon.connect().ask("ping")["ok"]
    daemon.process.send_signal(signal.SIGUSR1)
    if not is_service:
        assert daemon.process.wait(DEADLINE) == 0
        assert "another program runs\n" in daemon.log
        return
    wait_until(lambda: "refused\n" in daemon.log)
    assert daemon.connect().ask("ping")["ok"]
    assert daemon.terminate() == 0
