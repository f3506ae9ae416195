"""Programs that reconnect: the intervals of their attempts, and how often they report the reason."""

import contextlib
import os
import threading
import time

import pytest

from connection import DEADLINE
from fakedaemon import HELLO, SOCKET, FakeDaemonConnection
from test_watch import device, weight

BUSY = {"event": "reply", "id": None, "do": None, "ok": False,
        "error": {"code": "busy", "message": "64 clients are connected, the maximum set by socket.max_clients"}}  # fmt: skip

FORBIDDEN = {"event": "reply", "id": None, "do": None, "ok": False,
             "error": {"code": "not_permitted", "message": "your session is not at a seat"}}  # fmt: skip

# Programs that reconnect.
LASTING = ["watch", "watch --plain", "weigh", "weigh --json"]


@pytest.fixture
def connect(start, folder):
    """Starts a verb with its output in a pipe."""
    return lambda verb: start(*verb.split(), "--socket", os.path.join(folder, SOCKET), TERM="xterm")


def disconnect(daemon, count, *lines):
    """Sends these lines to that many clients, one after another, and disconnects each.

    Returns the times from then to the next connection: those may be longer than the pauses of the program, and never shorter.
    """
    pauses, left = [], None
    for _ in range(count):
        client = FakeDaemonConnection(daemon.socket.accept()[0])
        if left is not None:
            pauses.append(time.monotonic() - left)
        left = time.monotonic()
        with contextlib.suppress(OSError):
            client.send(*lines)
        client.close()
    return pauses


def assert_pauses_grow(pauses):
    """Each is twice as long as the one before; the first connection only asks whether a daemon answers."""
    for number, pause in enumerate(pauses[1:]):
        assert pause > 0.045 * 2**number, pauses


@pytest.mark.parametrize("line", [BUSY, HELLO], ids=["busy", "hello"])
@pytest.mark.parametrize("verb", LASTING)
def test_a_daemon_that_disconnects_is_retried_with_backoff_and_reported_once(daemon, connect, verb, line):
    process = connect(verb)
    assert_pauses_grow(disconnect(daemon, 7, line))
    process.kill()
    output, errors = process.communicate(timeout=DEADLINE)
    # A daemon that replies late is reported for that reason, too.
    assert errors.count("waiting for it") == 1 or line is BUSY and "waiting for it" in errors, errors
    assert errors.count("64 clients are connected") == errors.count("the daemon refuses") == (line is BUSY), errors
    assert "64 clients" not in output


@pytest.mark.parametrize("verb", LASTING)
def test_a_user_who_may_not_connect_does_not_wait(daemon, connect, verb):
    process = connect(verb)
    # The first connection asks only whether a daemon answers.
    daemon.accept_in_silence().close()
    daemon.accept_in_silence().send(FORBIDDEN)
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 77, errors
    assert "the daemon refuses: your session is not at a seat" in errors


def test_a_lost_connection_is_reported_again_after_one_that_lasted(daemon, connect):
    process = connect("watch --plain")
    disconnect(daemon, 5, BUSY)
    client = daemon.accept()
    client.reply(client.request(), {})
    client.send(device(), weight(100))
    # When it has printed this, the connection is established; it counts as one that lasted a second later.
    assert process.stdout.readline()
    time.sleep(1.2)
    client.close()
    daemon.accept()
    process.kill()
    _, errors = process.communicate(timeout=DEADLINE)
    assert errors.count("waiting for it") == 2, errors


@pytest.mark.parametrize("verb", ["weigh --once", "perform local.a", "calibrate"])
def test_one_time_requests_fail_if_the_daemon_is_busy(daemon, connect, verb):
    process = connect(verb)

    def refuse():
        # Until the test ends, and closes the socket.
        with contextlib.suppress(OSError):
            disconnect(daemon, 100, BUSY)

    threading.Thread(target=refuse, daemon=True).start()
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 75
    assert "the daemon refuses: 64 clients are connected" in errors


def test_once_waits_for_an_unresponsive_daemon_no_longer_than_its_timeout(daemon, connect):
    process = connect("weigh --once --timeout 0.5")
    _, errors = process.communicate(timeout=DEADLINE)
    daemon.accept_in_silence()
    assert process.returncode == 75
    assert "the daemon did not reply within 1.5 seconds" in errors
