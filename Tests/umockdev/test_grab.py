"""Exclusive access to a device; other readers never see a part of a touch."""

import errno
import subprocess

import pytest

from codes import (
    ABS_PRESSURE, ABS_X, ABS_Y, BTN_LEFT, BTN_TOUCH, EV_ABS, EV_KEY, EVIOCGKEY, EVIOCGRAB,
)  # fmt: skip
from mockdaemon import of_kind
from mockpad import MockPad
from strokes import down, lift, press

BUSY_SURFACE = "0018-06cb-cd41 is touched or its button is held; release it and try again"


def grab(client, on=True):
    return client.ask(f"grab on={str(on).lower()}")["result"]["grabbed"]


def wait_ungrabbed(pad):
    pad.wait_until(lambda: pad.grabs == [1, 0], "given back")


def test_a_grab_begins_and_ends_on_request(pad, listener):
    assert listener.ask("grab on=true")["result"] == {"device": "0018-06cb-cd41", "grabbed": True}
    assert pad.grabs == [1]
    assert grab(listener) is True
    pad.emit(*down(0, 45, 608, 340, 51))
    assert of_kind(listener.after(pad), "contact")
    pad.emit(*lift(0))
    listener.after(pad)
    assert grab(listener, False) is False
    assert grab(listener, False) is False
    assert pad.grabs == [1, 0]
    assert grab(listener) is True
    assert pad.grabs == [1, 0, 1]


@pytest.mark.parametrize("begin, end", [
    (down(0, 45, 608, 340, 51), lift(0)),
    ([(EV_KEY, BTN_LEFT, 1)], [(EV_KEY, BTN_LEFT, 0)]),
], ids=["touch", "click"])
def test_it_does_not_begin_during_a_touch_or_a_click(pad, listener, begin, end):
    pad.emit(*begin)
    listener.after(pad)
    assert listener.refused("grab on=true") == ("busy", BUSY_SURFACE)
    assert grab(listener, False) is False
    assert pad.grabs == []
    pad.emit(*end)
    listener.after(pad)
    assert grab(listener) is True


def test_it_is_undone_if_a_touch_began_at_the_same_moment(pad, listener):
    pad.before[EVIOCGRAB] = lambda: pad.emit(*down(0, 45, 608, 340, 51))
    assert listener.refused("grab on=true") == ("busy", BUSY_SURFACE)
    assert pad.grabs == [1, 0]


SINGLE = {ABS_X: (0, 1216, 12), ABS_Y: (0, 680, 12), ABS_PRESSURE: (0, 255, 0)}


def test_a_touch_that_begins_during_the_request_is_reported(bed, start):
    """The kernel removes key events from the queue of a reader that queries the pressed keys; on such a pad they are the
    only sign of a touch."""
    pad = MockPad(bed, axes=SINGLE, slot_count=0).plug()
    client = start().connect()
    client.subscribe_to_all()
    for number in range(2):
        touch = [(EV_KEY, BTN_TOUCH, 1), (EV_ABS, ABS_X, 300 + number), (EV_ABS, ABS_PRESSURE, 50 + number)]
        pad.before[EVIOCGKEY] = lambda: pad.emit(*touch)
        assert client.refused("grab on=true")[0] == "busy"
        assert client.until(event="contact")[-1]["phase"] == "began"
        pad.emit((EV_KEY, BTN_TOUCH, 0), (EV_ABS, ABS_PRESSURE, 0))
        assert client.until(event="contact")[-1]["phase"] == "ended"
    (device,) = client.ask("stats")["result"]["devices"]
    assert device["dropped"] == 0
    assert grab(client) is True


@pytest.mark.parametrize("buttons", [[], [(EV_KEY, BTN_LEFT, 1)]], ids=["touch", "click"])
def test_it_ends_no_earlier_than_the_current_touch(pad, listener, buttons):
    grab(listener)
    pad.emit(*down(0, 45, 608, 340, 51), *buttons)
    listener.after(pad)
    assert grab(listener, False) is True
    pad.emit(*press(0, 60))
    listener.after(pad)
    assert pad.grabs == [1]
    pad.emit(*lift(0))
    if buttons:
        listener.after(pad)
        assert pad.grabs == [1]
        pad.emit((EV_KEY, BTN_LEFT, 0))
    wait_ungrabbed(pad)
    assert grab(listener, False) is False


def test_it_ends_with_its_client(pad, start):
    daemon = start()
    first, second = daemon.connect(), daemon.connect()
    grab(first)
    assert second.refused("grab on=true") == ("busy", "another client has grabbed 0018-06cb-cd41")
    assert second.refused("grab on=false")[0] == "busy"
    first.close()
    wait_ungrabbed(pad)
    assert grab(second) is True


def test_it_outlives_the_last_client_while_the_surface_is_touched(pad, start):
    daemon = start()
    first = daemon.connect()
    grab(first)
    pad.emit(*down(0, 45, 608, 340, 51))
    first.subscribe_to_all()
    first.after(pad)
    first.close()
    pad.emit(*press(0, 60))
    pad.wait_read()
    assert pad.grabs == [1] and daemon.open_nodes(pad)
    pad.emit(*lift(0))
    wait_ungrabbed(pad)
    pad.wait_open(False)

    second = daemon.connect()
    assert grab(second) is True


def test_it_ends_with_its_device(bed, pad, listener):
    grab(listener)
    pad.emit(*down(0, 45, 608, 340, 51))
    pad.unplug()
    listener.until(event="device", change="removed")
    assert listener.refused("grab on=true")[0] == "no_device"
    again = MockPad(bed, 1).plug()
    listener.until(event="device", change="added")
    again.emit(*down(0, 45, 608, 340, 51))
    listener.after(again)
    assert again.grabs == []


def test_a_device_grabbed_by_another_program_is_refused(pad, listener):
    pad.grab_error = errno.EBUSY
    assert listener.refused("grab on=true") == ("busy", "another program has grabbed 0018-06cb-cd41")
    pad.grab_error = errno.EINVAL
    code, sentence = listener.refused("grab on=true")
    assert (code, sentence) == ("failed", f"cannot grab {pad.node}: Invalid argument")
    pad.grab_error = None
    assert grab(listener) is True


def test_the_device_must_be_named_if_there_are_several(bed, pad, listener):
    other = MockPad(bed, 1, uniq="b").plug()
    listener.until(event="device", change="added")
    assert listener.refused("grab on=true")[0] == "no_device"
    assert listener.ask("grab on=true device=0018-06cb-cd41-b")["result"]["grabbed"] is True
    assert (pad.grabs, other.grabs) == ([], [1])


def test_weigh_may_grab(pad, start, program):
    """`pressured weigh --grab` grabs the pad before it weighs, and releases it when it exits."""
    weigh = subprocess.Popen(
        [program, "weigh", "--grab", "--json", "--socket", start().path],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        pad.wait_until(lambda: pad.grabs == [1], "taken")
    finally:
        weigh.kill()
        weigh.communicate()
    wait_ungrabbed(pad)
