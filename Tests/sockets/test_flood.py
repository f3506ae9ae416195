"""A continuous stream faster than it can be processed: clients still have their turns."""

import subprocess
import time

import pytest

from connection import DEADLINE, Disconnected, assert_error
from test_events import PRESSURE, SLOT, TRACKING_ID, X, Y, frame

# Writes its input repeatedly until the reader closes the pipe.
FLOOD = """
import os, sys
frames = sys.stdin.buffer.read()
pipe = os.open(sys.argv[1], os.O_WRONLY)
try:
    while True:
        os.write(pipe, frames)
except BrokenPipeError:
    pass
"""


def frames():
    """Ten fingers that go down and up; a timestamp of 0 means the current time."""
    down = [value for slot in range(10) for value in (
        (SLOT, slot), (TRACKING_ID, slot), (X, 50 * slot), (Y, 300), (PRESSURE, 100 + slot))]
    moved = [value for slot in range(10) for value in ((SLOT, slot), (X, 50 * slot + 7), (PRESSURE, 20 + slot))]
    up = [value for slot in range(10) for value in ((SLOT, slot), (TRACKING_ID, -1))]
    return frame(0, *down) + frame(0, *moved) + frame(0, *up)


@pytest.fixture
def flooded(serve_pipe, pipe):
    """A daemon whose pipe is always full."""
    daemon = serve_pipe()
    # Clients that do not read make each frame expensive, so that the pipe fills faster than it is emptied.
    for _ in range(48):
        daemon.connect("subscribe events=weight max_hz=0").reply()
    reader = daemon.connect("subscribe events=contact max_hz=0")
    flood = subprocess.Popen(["/usr/bin/python3", "-c", FLOOD, pipe], stdin=subprocess.PIPE)
    flood.stdin.write(frames() * 100)
    flood.stdin.close()
    reader.event("contact")
    reader.close()
    yield daemon
    flood.kill()
    flood.wait()


def connected(daemon, request):
    """A client whose subscription was granted.

    Until then it receives all events. If they fill its buffer before the scheduler lets it send its request, it is disconnected and
    connects again, as `docs/clients.md` specifies."""
    end = time.monotonic() + DEADLINE
    while True:
        client = daemon.connect()
        try:
            assert client.ask(request)["ok"]
            return client
        except (Disconnected, BrokenPipeError):
            assert time.monotonic() < end
            client.close()


def test_requests_are_answered(flooded):
    for _ in range(8):
        client = connected(flooded, "subscribe events=")
        assert client.ask("ping")["ok"]
        client.close()


def test_timers_fire(flooded):
    client = connected(flooded, "subscribe events=weight max_hz=2")
    # The load moves all the time; the readings are held for half a second.
    assert_error(client.ask("weigh timeout_ms=300"), "timeout")
    for _ in range(3):
        client.event("weight")


def test_it_exits_on_sigterm(flooded):
    assert flooded.terminate() == 0
