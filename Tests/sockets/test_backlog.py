"""The listen backlog: many pending connections of one user, or refused ones, do not block other users."""

import contextlib
import os
import resource
import socket

import pytest

from connection import DEADLINE
from daemon import wait_until
from program import process_state
from recording import Recording
from fakedaemon import SOCKET, FakeDaemon
from test_disconnecting import go_on, stop
from verbs import ROOT

TIMED_OUT = 75

BACKLOG = 1024

# More than the former size of the backlog.
MANY = 300

# More than are refused in some turns.
TURNED_AWAY = 600


def quick(path):
    """A connection attempt that does not wait for a slot in the backlog."""
    client = socket.socket(socket.AF_UNIX)
    client.setblocking(False)
    client.connect(path)
    return client


@contextlib.contextmanager
def stopped(daemon):
    stop(daemon)
    try:
        yield
    finally:
        go_on(daemon)


def test_the_unit_has_the_same_backlog():
    assert f"\nBacklog={BACKLOG}\n" in (ROOT / "systemd/pressured.socket").read_text(encoding="utf-8")


def test_no_more_connections_wait_than_are_accepted_soon(serve):
    """A new connection waits for all that are before it."""
    daemon = serve(Recording().pause(1).hold())
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * BACKLOG, limits[1]))
    with contextlib.ExitStack() as clients, stopped(daemon):
        with pytest.raises(BlockingIOError):
            for number in range(2 * BACKLOG):
                clients.enter_context(contextlib.closing(quick(daemon.path)))
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert number <= BACKLOG + 1


def test_refused_connections_use_few_turns(serve):
    """Between two turns of another client, more are refused than would be served, but not all: the steps of its counter show it."""
    daemon = serve(Recording().pause(1).hold(), config="socket: { max_clients: 1 }\n")
    client = daemon.connect("subscribe events=")
    client.reply()
    with stopped(daemon):
        # Each turn handles a few of these.
        client.send(*["stats", "help"] * 40)
        refused = [quick(daemon.path) for _ in range(TURNED_AWAY)]
    counts = [
        reply["result"]["daemon"]["refused"] for reply in (client.reply() for _ in range(80))
        if reply["do"] == "stats"]
    # A daemon may take several turns before that of the client, and never all.
    steps = [after - before for before, after in zip([0] + counts, counts)]
    assert 16 <= max(steps) < TURNED_AWAY
    for other in refused:
        other.close()


@pytest.fixture
def full(folder):
    """A stopped daemon whose backlog is full."""
    daemon = FakeDaemon(os.path.join(folder, SOCKET))
    daemon.socket.listen(0)
    waiting = []
    with pytest.raises(BlockingIOError):
        for _ in range(MANY):
            waiting.append(quick(daemon.path))
    daemon.waiting = waiting
    yield daemon
    for client in waiting:
        client.close()
    daemon.close()


@pytest.fixture
def verb(start, folder):
    return lambda *words: start(*words, "--socket", os.path.join(folder, SOCKET))


def waits_to_connect(process):
    """Whether it has a socket and sleeps, or has exited."""
    folder = f"/proc/{process.pid}"
    if process.poll() is not None:
        return True
    try:
        links = [os.readlink(f"{folder}/fd/{name}") for name in os.listdir(f"{folder}/fd")]
        return process_state(process.pid) == "S" and any(link.startswith("socket:") for link in links)
    except FileNotFoundError:
        return False


def test_a_verb_waits_for_a_slot_in_the_backlog(full, verb):
    process = verb("perform", "local.next")
    wait_until(lambda: waits_to_connect(process))
    assert process.poll() is None, process.stderr.read()
    for _ in full.waiting:
        full.accept()
    client = full.accept()
    client.reply(client.request(), {"handled": True, "built_in": True, "clients": 0})
    _, log = process.communicate(timeout=DEADLINE)
    assert (process.returncode, log) == (0, "")


def test_after_a_timeout_the_daemon_is_reported_as_busy(full, verb):
    process = verb("weigh", "--once", "--timeout", "0.5")
    _, log = process.communicate(timeout=DEADLINE)
    assert process.returncode == TIMED_OUT, log
    sentence = f"the daemon at {full.path} is busy: too many connections wait to be accepted; try again later"
    assert log == f"pressured: {sentence}\n"
