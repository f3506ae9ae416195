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


def test_frames_during_slow_writes_arrive_complete(pad, start, connect):
    daemon = start(settings="socket: {client_buffer_kib: 8192}")
    listeners = [connect(daemon) for _ in range(8)]
    for listener in listeners:
        listener.subscribe_to_all()
    # More than is read in one turn: the rest arrives while the first part is written to one client after another.
    daemon.pause()
    sent = [(pad.emit(*down(0, 45, 608, 340, 1)), [1])]
    sent += [(pad.emit(*press(0, 1 + frame % 250)), [1 + frame % 250]) for frame in range(1, 999)]
    sent += [(pad.emit(*lift(0)), [])]
    daemon.resume()
    for listener in listeners:
        assert readings(listener.until(event="contact", phase="ended")) == sent


def test_the_clock_is_chosen_before_anything_is_read(pad, listener):
    pad.emit(*down(0, 45, 608, 340, 51))
    listener.after(pad)
    clock = pad.asked.index(("clock", CLOCK_MONOTONIC))
    assert pad.asked.count(("ioctl", EVIOCSCLOCKID)) == 1
    assert all(kind != "read" for kind, _ in pad.asked[:clock])


def test_a_wakeup_takes_one_read(pad, listener):
    pad.emit(*down(0, 45, 608, 340, 51), *down(1, 46, 304, 170, 51), *down(2, 47, 912, 170, 51))
    listener.after(pad)
    for pressure in range(60, 70):
        pad.asked.clear()
        pad.emit(*press(0, pressure), *press(1, pressure), *press(2, pressure))
        listener.after(pad)
        # Three slots, three pressures and the report; less than there was room for, so that nothing is left.
        assert pad.asked == [("read", 7)]


def test_the_events_of_a_device_do_not_read_others(bed, pad, start, connect):
    silent = MockPad(bed, 1).plug()
    daemon = start(settings="socket: {client_buffer_kib: 8192}")
    listeners = [connect(daemon) for _ in range(8)]
    for listener in listeners:
        listener.subscribe_to_all()
    silent.asked.clear()
    # More than is read in one turn, and written to so many clients that devices are read ahead.
    daemon.pause()
    pad.emit(*down(0, 45, 608, 340, 1))
    for frame in range(1, 999):
        pad.emit(*press(0, 1 + frame % 250))
    pad.emit(*lift(0))
    daemon.resume()
    for listener in listeners:
        listener.until(event="contact", phase="ended")
    assert silent.asked == []


def test_a_node_is_opened_read_only(bed, start, connect):
    pad = MockPad(bed, effects=[FF_RUMBLE]).plug()
    daemon = start()
    connect(daemon).snapshot()
    (flags,) = daemon.open_nodes(pad)
    assert flags & os.O_ACCMODE == os.O_RDONLY
    assert flags & os.O_NONBLOCK and flags & os.O_CLOEXEC
    assert pad.effect_log == []
