"""Which devices are read, with which capability, and why the others are not."""

import pytest

from codes import *  # noqa: F403
from mockdaemon import of_kind
from mockpad import MockPad, touch_axes
from strokes import down, lift

PLACE = {ABS_X: (0, 1000, 10), ABS_Y: (0, 500, 10)}
MT_PLACE = {ABS_MT_POSITION_X: (0, 1000, 10), ABS_MT_POSITION_Y: (0, 500, 10)}
STICK = (0, 255, 0)

STRANGERS = {
    "keyboard": (
        {"axes": {}, "keys": range(1, 120)},
        "it has the keys of a keyboard, which pressured never reads",
    ),
    "touchpad with letters": (
        {"keys": [BTN_LEFT, BTN_TOUCH, *range(16, 51)]},
        "it has the keys of a keyboard, which pressured never reads",
    ),
    "touchpad with a space bar": (
        {"keys": [BTN_LEFT, BTN_TOUCH, KEY_SPACE]},
        "it has the keys of a keyboard, which pressured never reads",
    ),
    "mouse": (
        {"axes": {}, "keys": [BTN_LEFT], "types": [EV_REL]},
        "it is not a touch device: it has no X and Y axes",
    ),
    "pen tablet": (
        {
            "axes": {**PLACE, ABS_PRESSURE: (0, 8191, 0), ABS_TILT_X: (-60, 60, 0)},
            "keys": [BTN_TOOL_PEN, BTN_TOUCH, BTN_STYLUS],
        },
        "it is a pen tablet (BTN_TOOL_PEN, BTN_STYLUS or ABS_TILT_X), not a touch device",
    ),
    "game pad with numbered axes": (
        {"axes": {code: STICK for code in range(0x3C)}, "keys": [BTN_SOUTH]},
        "its axes only look like slots: it has axis 0x2e beside ABS_MT_SLOT (0x2f), as game pads do",
    ),
    "protocol A": (
        {"axes": {**PLACE, **MT_PLACE, ABS_MT_TOUCH_MAJOR: STICK}},
        "it uses multi-touch protocol A (SYN_MT_REPORT, no slots), which pressured does not support",
    ),
    "accelerometer": (
        {
            "axes": {**PLACE, ABS_Z: (-100, 100, 10)},
            "keys": [],
            "props": [INPUT_PROP_ACCELEROMETER],
        },
        "it is not a touch device: it has neither slots nor BTN_TOUCH",
    ),
    "slots without tracking ids": (
        {"axes": {**PLACE, **MT_PLACE, ABS_MT_SLOT: (0, 4, 0)}},
        "it has slots, but lacks their positions or tracking IDs",
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


@pytest.mark.parametrize("kind", ["keyboard", "pen tablet"])
def test_a_device_that_is_not_a_touch_device_is_closed_again(kind, bed, start, connect):
    pad = other_device(bed, 0, kind)
    daemon = start()
    client = connect(daemon)
    assert client.snapshot() == []
    assert ("ioctl", EVIOCGBIT) in pad.asked
    pad.wait_open(False)
    assert daemon.open_nodes(pad) == []
    assert not any(asked[0] == "read" for asked in pad.asked)


def present(pad, client):
    """The only device of a client's snapshot."""
    (device,) = of_kind(client.subscribe_to_all(), "device")
    assert device["node"] == pad.node
    return device


def test_a_pad_without_pressure_is_read_as_such(bed, start, connect, listed):
    pad = MockPad(bed, pressure=None).plug()
    assert listed()[pad.node].endswith("is read: 5 slots, no pressure")
    client = connect(start())
    device = present(pad, client)
    assert (device["capability"], device["weight_source"]) == ("none", "none")
    assert (device["pressure"], device["effective_maximum"]) == (None, None)

    pad.emit(*down(0, 45, 608, 340))
    lines = client.after(pad)
    (weight,) = of_kind(lines, "weight")
    assert (weight["total_grams"], weight["heaviest"]) == (None, None)
    assert weight["contacts"][0]["raw"] is None
    pad.emit(*lift(0))
    assert of_kind(client.after(pad), "contact")[0]["phase"] == "ended"


def test_a_touchscreen_with_a_home_key_is_read(bed, start, connect):
    pad = MockPad(bed, props=[INPUT_PROP_DIRECT], keys=[BTN_TOUCH, KEY_HOMEPAGE]).plug()
    client = connect(start())
    present(pad, client)
    pad.emit((EV_KEY, KEY_HOMEPAGE, 1))
    assert client.after(pad) == []
    pad.emit(*down(0, 45, 608, 340, 51))
    assert client.after(pad)[0]["phase"] == "began"


def test_a_single_touch_pad_counts_its_contacts(bed, start, connect):
    pad = MockPad(bed, axes={**PLACE, ABS_PRESSURE: (0, 127, 0)}, slot_count=0).plug()
    client = connect(start())
    assert present(pad, client)["slots"] == 1
    for count in range(3):
        pad.emit(
            (EV_ABS, ABS_X, 500 + count), (EV_ABS, ABS_Y, 250), (EV_ABS, ABS_PRESSURE, 30),
            (EV_KEY, BTN_TOUCH, 1),
        )  # fmt: skip
        began, weight, heaviest = client.after(pad)
        assert (began["contact"], began["phase"]) == (count, "began")
        assert (weight["contacts"][0]["raw"], heaviest["contact"]) == (30, count)
        pad.emit((EV_KEY, BTN_TOUCH, 0), (EV_ABS, ABS_PRESSURE, 0))
        ended = client.after(pad)[-1]
        assert (ended["contact"], ended["phase"]) == (count, "ended")


def test_the_contacts_of_a_semi_mt_pad_share_one_sensor(bed, start, connect):
    axes = {**touch_axes(2), ABS_PRESSURE: (0, 255, 0)}
    props = [INPUT_PROP_POINTER, INPUT_PROP_SEMI_MT]
    pad = MockPad(bed, axes=axes, props=props, slot_count=2).plug()
    client = connect(start())
    assert present(pad, client)["per_contact"] is False
    pad.emit(*down(0, 45, 608, 340), (EV_ABS, ABS_PRESSURE, 60))
    (alone,) = of_kind(client.after(pad), "weight")
    assert alone["shared_sensor"] is False
    pad.emit(*down(1, 46, 304, 170), (EV_ABS, ABS_PRESSURE, 102))
    (shared,) = of_kind(client.after(pad), "weight")
    assert (shared["shared_sensor"], shared["total_grams"]) == (True, 154)
    assert [(c["raw"], c["grams"]) for c in shared["contacts"]] == [(102, 77), (102, 77)]
