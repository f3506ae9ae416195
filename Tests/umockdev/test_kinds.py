"""Devices that are not read, and why."""

import pytest

from codes import *  # noqa: F403
from mockpad import MockPad

STRANGERS = {
    "keyboard": ({"axes": {}, "keys": range(1, 120)}, "it has the keys of a keyboard, which pressured never reads"),
    "pen tablet": (
        {"axes": {ABS_X: (0, 1000, 10), ABS_Y: (0, 500, 10), ABS_TILT_X: (-60, 60, 0)}, "keys": [BTN_TOOL_PEN, BTN_TOUCH]},
        "it is a pen tablet (BTN_TOOL_PEN, BTN_STYLUS or ABS_TILT_X), not a touch device",
    ),
}


def other_device(bed, number, kind):
    return MockPad(bed, number, name=kind, slot_count=0, **STRANGERS[kind][0]).plug()


def test_devices_reports_why_each_device_is_not_read(bed, listed):
    for number, kind in enumerate(STRANGERS):
        other_device(bed, number, kind)
    assert listed() == {
        f"/dev/input/event{number}": f"{kind} is not read: {reason}"
        for number, (kind, (_, reason)) in enumerate(STRANGERS.items())
    }


@pytest.mark.parametrize("kind", STRANGERS)
def test_a_device_that_is_not_a_touch_device_is_closed_again(kind, bed, start):
    pad = other_device(bed, 0, kind)
    daemon = start()
    client = daemon.connect()
    assert client.snapshot() == []
    assert ("ioctl", EVIOCGBIT) in pad.asked
    pad.wait_open(False)
    assert daemon.open_nodes(pad) == []
    assert not any(asked[0] == "read" for asked in pad.asked)
