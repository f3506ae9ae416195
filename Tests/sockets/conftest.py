"""What all tests of the socket need: the program, a folder for the socket, a daemon, recordings."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from bindings import Binder
from daemon import Daemon, environment
from recording import Recording
from straw import SOCKET, StrawDaemon

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program():
    """The real program, as `swift build` leaves it, or the one that $PRESSURED_PROGRAM names."""
    if program := os.environ.get("PRESSURED_PROGRAM"):
        return os.path.abspath(program)
    folder = subprocess.run(
        ["swift", "build", "--show-bin-path"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.strip()
    program = os.path.join(folder, "pressured")
    assert os.path.exists(program), "build it first: swift build"
    return program


@pytest.fixture(scope="session")
def is_sanitized(program):
    """Whether AddressSanitizer is in the program: it keeps what is freed, to see who uses that."""
    with open(program, "rb") as file:
        return b"__asan_init" in file.read()


@pytest.fixture
def folder():
    """An empty folder with a short name: a socket's path has at most 107 bytes."""
    path = tempfile.mkdtemp(prefix="pressured-")
    yield path
    shutil.rmtree(path)


@pytest.fixture
def write(folder):
    """Writes a file beside the socket and gives its path."""

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
    """Starts a daemon on a recording; what still runs when the test is over is ended."""
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
def replay(program, folder):
    """Runs `pressured replay` and gives what came of it."""

    def replay(*arguments, **settings):
        return subprocess.run(
            [program, "replay", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(folder),
            timeout=120,
            **settings,
        )

    return replay


@pytest.fixture
def straw(folder):
    """Starts a daemon of straw."""
    daemons = []

    def straw():
        daemons.append(StrawDaemon(os.path.join(folder, SOCKET)))
        return daemons[-1]

    yield straw
    for daemon in daemons:
        daemon.close()


@pytest.fixture
def bind(program, folder):
    """Starts `pressured bind`; what still runs when the test is over is ended."""
    binders = []

    def bind(bindings, *arguments, **variables):
        binders.append(Binder(program, folder, bindings, *arguments, **variables))
        return binders[-1]

    yield bind
    for binder in binders:
        assert binder.end() >= 0, f"it was killed by {binder.process.returncode}: {binder.log}"
