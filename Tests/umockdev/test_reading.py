"""The events of a node arrive at the client."""

import os
import time

from codes import CLOCK_MONOTONIC, EVIOCSCLOCKID, FF_RUMBLE
from mockdaemon import of_kind
from mockpad import MockPad
from strokes import down, lift, press


def readings(lines):
    """Time and raw pressures of each reading."""
    return [
        (line["time"], [contact["raw"] for contact in line["contacts"]])
        for line in of_kind(lines, "weight")
    ]


def test_200_frames_arrive_complete_and_unchanged(pad, listener):
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    sent = [(pad.emit(*down(0, 45, 608, 340, 1)), [1])]
    sent += [(pad.emit(*press(0, pressure)), [pressure]) for pressure in range(2, 200)]
    sent += [(pad.emit(*lift(0)), [])]
    end = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000

    lines = listener.until(event="contact", phase="ended")
    assert len(sent) == 200
    assert readings(lines) == sent
    assert begin <= sent[0][0] and sent[-1][0] <= end
    assert lines[0]["phase"] == "began" and lines[-1]["duration"] == sent[-1][0] - sent[0][0]
    assert (lines[0]["x_mm"], lines[0]["y_mm"]) == (50.67, 28.33)


def test_the_clock_is_chosen_before_anything_is_read(pad, listener):
    pad.emit(*down(0, 45, 608, 340, 51))
    listener.after(pad)
    clock = pad.asked.index(("clock", CLOCK_MONOTONIC))
    assert pad.asked.count(("ioctl", EVIOCSCLOCKID)) == 1
    assert all(kind != "read" for kind, _ in pad.asked[:clock])


def test_a_node_is_opened_read_only(bed, start):
    pad = MockPad(bed, effects=[FF_RUMBLE]).plug()
    daemon = start()
    daemon.connect().snapshot()
    (flags,) = daemon.open_nodes(pad)
    assert flags & os.O_ACCMODE == os.O_RDONLY
    assert flags & os.O_NONBLOCK and flags & os.O_CLOEXEC
    assert pad.effect_log == []
