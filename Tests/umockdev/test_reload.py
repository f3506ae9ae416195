"""The effect of a new configuration on devices that are open, or will be."""

import os

import pytest

from codes import EV_FF, FF_RUMBLE
from mockdaemon import of_kind
from mockpad import MockPad
from strokes import down, lift

ENABLED = "haptics: { enabled: true }\n"
UPLOAD, ERASE = ("upload", 0, FF_RUMBLE), ("erase", 0)


@pytest.fixture
def rumbling(bed):
    return MockPad(bed, effects=[FF_RUMBLE]).plug()


@pytest.fixture
def serving(start):
    """A daemon, and a client that receives all lines."""
    daemon = start()
    client = daemon.connect()
    client.subscribe_to_all()
    return daemon, client


def access(daemon, pad):
    (flags,) = daemon.open_nodes(pad)
    return flags & os.O_ACCMODE


NAME = "0018-06cb-cd41"


@pytest.mark.parametrize("when", ["at opening", "at a reload"])
@pytest.mark.parametrize("ignored", [NAME, f"{NAME}#2"])
def test_one_of_two_equal_devices_may_be_ignored(bed, start, when, ignored):
    settings = f'devices: [{{ match: "{ignored}", ignore: true }}]\n'
    pads = [MockPad(bed, number).plug() for number in range(2)]
    daemon = start(settings=settings if when == "at opening" else "")
    client = daemon.connect()
    client.subscribe_to_all()
    if when == "at a reload":
        daemon.reload(settings)
        client.until(event="device", change="removed")
    names = [NAME, f"{NAME}#2"]
    (left,) = client.ask("devices")["result"]
    assert left["device"] == names[1 - names.index(ignored)]
    other = pads[names.index(ignored)]
    assert daemon.open_nodes(other) == []
    # A third one does not reuse an ignored name.
    MockPad(bed, 2).plug()
    assert client.until(event="device", change="added")[-1]["device"] == f"{NAME}#3"
    daemon.reload("")
    assert {device["device"] for device in client.ask("devices")["result"]} == {*names, f"{NAME}#3"}
    other.emit(*down(0, 45, 608, 340, 51))
    assert of_kind(client.after(other), "contact")


def test_enabling_haptics_reopens_the_device_for_writing(rumbling, serving):
    daemon, client = serving
    assert access(daemon, rumbling) == os.O_RDONLY
    daemon.reload(ENABLED)
    changed = client.until(event="device")[-1]
    assert (changed["change"], changed["haptics"]) == ("changed", True)
    assert access(daemon, rumbling) == os.O_RDWR
    assert rumbling.effect_log == [UPLOAD]
    rumbling.emit(*down(0, 45, 608, 340, 255))
    assert of_kind(client.after(rumbling), "max_force")
    assert ("write", EV_FF, 0, 1) in rumbling.effect_log


def test_haptics_wait_until_the_device_is_untouched(rumbling, serving):
    daemon, client = serving
    rumbling.emit(*down(0, 45, 608, 340, 51))
    client.after(rumbling)
    daemon.reload(ENABLED)
    assert rumbling.effect_log == []
    rumbling.emit(*lift(0))
    assert client.until(event="device")[-1]["haptics"] is True


def test_haptics_are_changed_and_disabled(bed, start):
    daemon = start(settings=ENABLED)
    rumbling = MockPad(bed, effects=[FF_RUMBLE]).plug()
    rumbling.wait_until(lambda: rumbling.effect_log == [UPLOAD], "given an effect")
    client = daemon.connect()
    client.subscribe_to_all()
    daemon.reload("haptics: { enabled: true, intensity_percent: 10 }\n")
    assert rumbling.effect_log == [UPLOAD, ERASE, ("upload", 1, FF_RUMBLE)]
    daemon.reload("")
    changed = client.until(event="device")[-1]
    assert (changed["change"], changed["haptics"]) == ("changed", False)
    assert rumbling.effect_log[3:] == [("erase", 1)]


def test_devices_are_opened_and_closed_as_needed(pad, start):
    daemon = start()
    assert daemon.open_nodes(pad) == []
    daemon.reload("always_read: true\n")
    daemon.wait_open(pad)
    daemon.reload("")
    pad.wait_open(False)
