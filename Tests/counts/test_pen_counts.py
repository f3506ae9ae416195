"""The cost of a frame of a pen, from the daemon's line to the device, in numbers that do not depend on the load."""

import collections
import os
import pathlib
import re
import subprocess

import pytest
from conftest import ROOT, allocations, library, tool, wait_until

from fakedaemon import SOCKET, FakeDaemon
from codes import INPUT_EVENT
from test_pen import PEN, X, Pen, contact, weight

FRAMES = 200

# The events of a frame: three axes, three keys and the report.
FRAME_SIZE = 7 * INPUT_EVENT.size

# A stroke has this many frames; then the fingers are lifted.
STROKE = 50


def one_finger(number):
    return [contact(x=10 + number % 700 / 10, force=1 + number % 50 / 10)]


def whole_hand(number):
    """A finger of known length, whose tip is delayed, one that presses the button now and then, and a palm."""
    if number % STROKE == STROKE - 1:
        return []
    stroke = 3 * (number // STROKE)
    return [
        contact(stroke + 1, x=10 + number % 700 / 10, force=1 + number % 50 / 10, major_mm=8.25),
        contact(stroke + 2, x=80, force=1 + number % 5, major_mm=9, minor_mm=7.5, angle=-12),
        contact(stroke + 3, x=95, y=55, force=4, major_mm=31.5),
    ]


class Strokes:
    """A pen in a folder, which draws one frame at a time."""

    def __init__(self, program, folder, more="", *arguments, **variables):
        self.daemon = FakeDaemon(os.path.join(folder, SOCKET))
        uinput = library(folder, ROOT / "Tests/sockets/uinput.c")
        self.pen = Pen(program, folder, self.daemon, f"{uinput}{more}", "--aspect", "none", *arguments, **variables)
        self.client = self.pen.begin()
        self.number = 0

    def draw(self, frames, contacts=one_finger):
        for number in range(self.number, self.number + frames):
            touches = contacts(number)
            self.client.send(weight(*touches))
            expected = (X, round(touches[0]["x_mm"] * 200)) if touches else (PEN, 0)
            wait_until(lambda: expected in self.last_events())
        self.number += frames

    def last_events(self):
        """The events of the last frame that was written, as pairs of a code and a value."""
        with open(self.pen.events_path, "rb") as file:
            file.seek(-min(FRAME_SIZE, os.path.getsize(self.pen.events_path)), os.SEEK_END)
            return [((kind, code), value) for *_, kind, code, value in INPUT_EVENT.iter_unpack(file.read())]

    def end(self):
        self.pen.process.terminate()
        assert self.pen.wait() == 0
        self.daemon.close()


# Heap allocations of the decoder for each frame. With as many, one finger costs 20 µs of the 7 ms between two frames of a
# touchpad, and ten cost 130 µs.
MOST_ALLOCATIONS = {one_finger: 80, whole_hand: 180}


@pytest.mark.parametrize("contacts", MOST_ALLOCATIONS)
def test_the_allocations_of_a_frame_of_a_pen_are_limited(program, folder, contacts):
    path = pathlib.Path(folder, "allocations")
    counter = library(folder, ROOT / "Tests/counts/allocations.c")
    one = Strokes(program, folder, f" {counter}", "--button", ALLOCATIONS=str(path))

    one.draw(FRAMES, contacts)
    before = allocations(path)
    assert before > 0
    one.draw(FRAMES, contacts)
    each = (allocations(path) - before) / FRAMES
    print(f"{each:.1f} allocations per frame")
    assert each <= MOST_ALLOCATIONS[contacts]
    one.end()


def test_a_frame_of_a_pen_takes_one_read_one_write_and_one_wait(program, folder):
    def calls(frames):
        place = pathlib.Path(folder, str(frames))
        place.mkdir()
        trace = place / "trace"
        one = Strokes(program, str(place))
        with subprocess.Popen([tool("strace"), "-f", "-p", str(one.pen.process.pid), "-o", trace], stderr=subprocess.PIPE) as tracer:
            assert b"attached" in tracer.stderr.readline()
            one.draw(frames)
            one.end()
            tracer.wait()
        return collections.Counter(re.findall(r"^\d+ +(\w+)\(", trace.read_text(encoding="ascii"), re.M))

    difference = calls(2 * FRAMES)
    difference.subtract(calls(FRAMES))
    # The loop may find the end of a frame in one wait more or less.
    now_and_then = FRAMES / 20
    for name in ("recvfrom", "write", "epoll_wait"):
        assert abs(difference.pop(name) - FRAMES) < now_and_then
    assert all(abs(count) < now_and_then for count in difference.values())
