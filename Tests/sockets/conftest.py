"""Fixtures for all tests of the socket: the program, a directory for the socket, a daemon, recordings."""

import os
import subprocess
import typing

import pytest

from bindings import Binder
from built import folder, program  # noqa: F401
from connection import DEADLINE
from daemon import Daemon, environment
from pad import Pad
from privilege import without_privilege  # noqa: F401
from recording import HEADER, Recording
from fakedaemon import SOCKET, FakeDaemon
from terminal import Terminal


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("longest") is None)


@pytest.fixture(scope="session")
def is_sanitized(program):
    """Whether the program is built with AddressSanitizer, which delays the reuse of freed memory."""
    with open(program, "rb") as file:
        return b"__asan_init" in file.read()


@pytest.fixture
def write(folder):
    """Writes a file next to the socket and returns its path."""

    def write(content, name="pad.evemu"):
        path = os.path.join(folder, name)
        if isinstance(content, Recording):
            content = content.text
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def serve(program, folder, write):
    """Starts a daemon that serves a recording; daemons that still run are stopped after the test."""
    daemons = []

    def serve(recording=None, *options, config=None, **settings):
        arguments = list(options)
        if config is not None:
            arguments += ["--config", write(config, f"config{len(daemons)}.yaml")]
        if recording is not None:
            if isinstance(recording, Recording):
                recording = write(recording, f"pad{len(daemons)}.evemu")
            arguments += ["--replay", recording]
        daemon = Daemon(program, folder, arguments, **settings)
        daemons.append(daemon)
        return daemon.start()

    yield serve
    for daemon in daemons:
        daemon.end()
    for daemon in daemons:
        assert not daemon.has_crashed, f"the daemon was killed by {daemon.process.returncode}: {daemon.log}"


@pytest.fixture
def reload(write):
    """Changes the configuration of the first daemon; returns the reply to a client."""

    def reload(client, settings):
        write(settings, "config0.yaml")
        return client.ask("reload")

    return reload


@pytest.fixture
def pipe(folder):
    """A pipe in place of a node."""
    path = os.path.join(folder, "pad")
    os.mkfifo(path)
    return path


@pytest.fixture
def serve_pipe(serve, pipe, write):
    """Starts a daemon on the pipe."""
    describe = write(HEADER.format(resolution=0), "describe.evemu")
    return lambda *options, **settings: serve(None, "--events", pipe, "--describe", describe, *options, **settings)


@pytest.fixture
def pad(pipe):
    """A pad on which the test places weights."""
    pad = Pad(pipe)
    yield pad
    pad.close()


@pytest.fixture
def serve_pad(serve_pipe, pad):
    """Starts a daemon on the pad, which is bare."""

    def serve_pad(*options, **settings):
        pad.close()
        daemon = serve_pipe(*options, **settings)
        pad.open()
        return daemon

    return serve_pad


@pytest.fixture
def in_terminal(program, folder):
    """Starts a verb in a terminal."""
    terminals = []

    def in_terminal(*words, program=program, size=(80, 24), shows_errors=True, **variables):
        terminals.append(Terminal(program, folder, *words, size=size, shows_errors=shows_errors, **variables))
        return terminals[-1]

    yield in_terminal
    for terminal in terminals:
        terminal.close()


class Result(typing.NamedTuple):
    """How a program has ended: its exit status, its output and its messages."""

    status: int
    output: str
    log: str

    def assert_refused(self, status, *parts):
        """It has printed one sentence, which contains these parts."""
        assert (self.status, self.output) == (status, ""), self.log
        assert self.log.startswith("pressured: ") and self.log.count("\n") == 1
        for part in parts:
            assert part in self.log


@pytest.fixture
def start(program, folder):
    """Starts the program with its output in pipes; those that still run are killed after the test.

    Settings in capitals are variables of its environment; `before` is a command that starts it.
    """
    processes = []

    def start(*words, before=(), program=program, **settings):
        variables = {name: settings.pop(name) for name in list(settings) if name.isupper()}
        for stream, default in (("stdin", subprocess.DEVNULL), ("stdout", subprocess.PIPE), ("stderr", subprocess.PIPE)):
            settings.setdefault(stream, default)
        processes.append(subprocess.Popen(
            [*before, program, *map(str, words)], env=environment(folder, **variables), encoding="utf-8", **settings))
        return processes[-1]

    yield start
    for process in processes:
        with process:
            process.kill()


@pytest.fixture
def run(start):
    """Runs the program to its end."""

    def run(*words, timeout=DEADLINE, **settings):
        process = start(*words, **settings)
        output, log = process.communicate(timeout=timeout)
        return Result(process.returncode, output, log)

    return run


@pytest.fixture
def fake_daemon(folder):
    """Starts a fake daemon."""
    daemons = []

    def fake_daemon():
        daemons.append(FakeDaemon(os.path.join(folder, SOCKET)))
        return daemons[-1]

    yield fake_daemon
    for daemon in daemons:
        daemon.close()


@pytest.fixture
def daemon(fake_daemon):
    """A fake daemon; in files that test the daemon itself it is a real one."""
    return fake_daemon()


@pytest.fixture
def bind(program, folder):
    """Starts `pressured bind`; processes that still run are stopped after the test."""
    binders = []

    def bind(bindings, *arguments, **variables):
        binders.append(Binder(program, folder, bindings, *arguments, **variables))
        return binders[-1]

    yield bind
    for binder in binders:
        assert binder.end() >= 0, f"it was killed by {binder.process.returncode}: {binder.log}"
