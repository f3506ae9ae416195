"""A stream that never pauses, faster than it can be read: whoever else wants something has a turn, too."""

import os
import subprocess

import pytest

from connection import is_event
from recording import HEADER
from test_events import PRESSURE, SLOT, TRACKING_ID, X, Y, frame

# Writes its input again and again, until nobody reads it any more.
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
    """Ten fingers that go and come; a stamp of 0 is now."""
    down = [value for slot in range(10) for value in (
        (SLOT, slot), (TRACKING_ID, slot), (X, 50 * slot), (Y, 300), (PRESSURE, 100 + slot))]
    moved = [value for slot in range(10) for value in ((SLOT, slot), (X, 50 * slot + 7), (PRESSURE, 20 + slot))]
    up = [value for slot in range(10) for value in ((SLOT, slot), (TRACKING_ID, -1))]
    return frame(0, *down) + frame(0, *moved) + frame(0, *up)


@pytest.fixture
def flooded(serve, folder, write):
    """A daemon whose pipe is always full."""
    pipe = os.path.join(folder, "pad")
    os.mkfifo(pipe)
    daemon = serve(None, "--events", pipe, "--describe", write(HEADER.format(resolution=0), "describe.evemu"))
    # Those who read nothing make each frame dear, so that the pipe is full again before it is empty.
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


def test_who_asks_is_answered(flooded):
    for _ in range(20):
        client = flooded.connect("subscribe events=")
        assert client.reply()["ok"]
        assert client.ask("ping")["ok"]
        client.close()


def test_who_has_not_kept_up_is_sent_the_rest(flooded):
    slow = flooded.connect("subscribe events=weight max_hz=0")
    slow.reply()
    # Nobody reads until the socket is full and lines wait.
    quick = flooded.connect("subscribe events=contact")
    for _ in range(8000):
        quick.line()
    # What is told only once there is room again shows that what waited has gone out.
    assert slow.until(lambda line: is_event(line, "missed"))


def test_it_ends_when_it_is_told_to(flooded):
    assert flooded.terminate() == 0
