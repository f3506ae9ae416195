"""Pads as the kernel's own drivers present them: their axes, what the service makes of them, and the grams of known input.

All pads of Tests/pads are plugged in at once, and each plays its file.
"""

import os
from typing import NamedTuple

import evdev
import pytest

import service
from connection import Connection
from pad import recorded_pad
from waiting import wait_until

LINUX = tuple(int(part) for part in os.uname().release.split(".")[:2])
# Since these releases the kernel states units per gram, and marks pressure pads by their type.
STATES_GRAMS = LINUX >= (6, 18)
MARKS_PRESSURE_PADS = LINUX >= (7, 0)
POINTER, BUTTON_PAD, PRESSURE_PAD = 0, 2, 7


class Expected(NamedTuple):
    """What is known of a pad."""

    maximum: int | None
    # Units per gram on a kernel that states them.
    resolution: int
    # Whether it declares the type pressure pad.
    is_pressure_pad: bool
    # Raw values of the first frames, and their total grams.
    raws: list
    grams: list
    # The verdict, and where grams come from.
    measures: str
    weight_source: str
    # Part of one of the reasons.
    reason: str = ""


PADS = {
    "redrix.hid": Expected(
        4095, 4, True, [[400], [800], [1200], [400, 800]], [100, 200, 300, 300], "force", "descriptor",
        "the report descriptor declares grams",
    ),
    # Captured: two contacts of 381 g each, of a pad that is pressed with 381 g.
    "surface-laptop-studio.hid": Expected(
        2000, 1, True, [[381, 381], [380, 380], [370, 370]], [381, 380, 370], "total", "descriptor",
        "each contact carries the total, by a quirk",
    ),
    "pixart-inherited.hid": Expected(
        2601, 0, False, [[5], [40], [150], [600], [1004]], [0.7, 5.9, 22.2, 88.8, 148.6], "force", "nominal",
        "the pressure range is inherited from Y, so it is not used",
    ),
    "goodix-no-mass.hid": Expected(
        2000, 0, True, [[100], [500], [1000]], [19.3, 96.3, 192.5], "force", "nominal", "so it is not used",
    ),
    "sensel-silent.hid": Expected(
        None, 0, True, [[None]] * 3, [None] * 3, "none", "none", "a haptic pad whose driver does not report pressure",
    ),
    "dyne.hid": Expected(
        4095, 0, True, [[500], [1000], [3000]], [50, 100, 300], "force", "descriptor",
        "the report descriptor declares a unit of force",
    ),
    "magic-trackpad-2.hid": Expected(
        253, 0, False, [[60], [120], [250], [192, 192], [196, 188]], [91.3, 182.6, 380.4, 584.3, 584.3], "shares",
        "nominal", "the contacts share a total, by a quirk",
    ),
    "redrix.evemu": Expected(
        4095, 4, True, [[400], [800], [400, 800], [400, 1200]], [100, 200, 300, 400], "force", "kernel",
        "the kernel reports 4 units per gram",
    ),
    "apple-mtp.evemu": Expected(
        6000, 1, False, [[50], [120], [300], [120, 300]], [50, 120, 300, 420], "force", "kernel",
        "the kernel reports 1 unit per gram",
    ),
}  # fmt: skip
# The reports by which the kernel's drivers select touches.
OF_DRIVERS = {0x44, 0x45, 0xF1}


class Findings(NamedTuple):
    """What was found of a pad."""

    axes: dict
    properties: set
    effects: list
    device: dict
    frames: list
    written: set


@pytest.fixture(scope="module")
def laboratory():
    """The findings of all pads."""
    service.stop()
    pads = {name: recorded_pad(name) for name in PADS}
    service.run("udevadm", "settle")
    client = Connection(service.SOCKET, "subscribe events=weight max_hz=0")
    client.event("reply")
    wait_until(lambda: len(client.ask("devices")["result"]) == len(pads), "not all pads are read")
    for verb in ("devices", "doctor"):
        service.run("pressured", verb, check=False)
    findings = {name: found(client, name, pad) for name, pad in pads.items()}
    client.close()
    for pad in pads.values():
        pad.unplug()
    return findings


def found(client, name, pad):
    """Plays the first frames of a pad."""
    node = evdev.InputDevice(pad.node)
    capabilities = node.capabilities()
    properties = set(node.input_props())
    node.close()
    device = description(client, pad)["device"]
    count = len(PADS[name].raws)
    pad.frames(count, 0.004)
    pad.lift()
    frames = readings(client, device, count)
    written = pad.written if name.endswith(".hid") else set()
    axes = dict(capabilities.get(evdev.ecodes.EV_ABS, []))
    effects = capabilities.get(evdev.ecodes.EV_FF, [])
    return Findings(axes, properties, effects, description(client, pad), frames, written)


def description(client, pad):
    """What the service states about a pad."""
    (device,) = [line for line in client.ask("devices")["result"] if line["node"] == pad.node]
    return device


def readings(client, device, count):
    """The frames with contacts, up to the one without any. The kernel lifts fingers that do not move for 100 ms, so there
    may be more of those than were played."""
    lines = []
    while len(lines) < count or lines[-1]["contacts"]:
        line = client.event("weight", device=device)
        if line["contacts"] or len(lines) >= count:
            lines.append(line)
    return lines[:-1]


@pytest.mark.parametrize("name", PADS)
def test_the_kernel_presents_the_axes_of_the_pad(laboratory, name):
    expected, pad = PADS[name], laboratory[name]
    axis = pad.axes.get(evdev.ecodes.ABS_MT_PRESSURE)
    if expected.maximum is None:
        assert axis is None
    else:
        # Both kinds of device state it on any kernel if no driver computes it.
        states_grams = STATES_GRAMS or name.endswith(".evemu")
        assert (axis.min, axis.max) == (0, expected.maximum)
        assert axis.resolution == (expected.resolution if states_grams else 0)
    if name.endswith(".hid"):
        assert (PRESSURE_PAD in pad.properties) == (expected.is_pressure_pad and MARKS_PRESSURE_PADS)
    assert {POINTER, BUTTON_PAD} <= pad.properties


@pytest.mark.parametrize("name", PADS)
def test_grams_of_known_input_and_the_verdict_do_not_depend_on_the_kernel(laboratory, name):
    expected, pad = PADS[name], laboratory[name]
    assert [[contact["raw"] for contact in line["contacts"]] for line in pad.frames] == expected.raws
    assert [line["total_grams"] for line in pad.frames] == expected.grams
    assert pad.device["weight_source"] == expected.weight_source
    verdict = pad.device["verdict"]
    assert verdict["measures"] == expected.measures
    assert any(expected.reason in reason for reason in verdict["reasons"]), verdict["reasons"]


def test_two_contacts_that_carry_the_total_weigh_it_once(laboratory):
    first = laboratory["surface-laptop-studio.hid"].frames[0]
    assert first["shared_sensor"] is True
    # What both carry is the weight on the pad, of which each has a half.
    halves = [contact["grams"] for contact in first["contacts"]]
    assert halves[0] == halves[1] and abs(sum(halves) - first["total_grams"]) <= 0.1


def test_haptics_of_the_host_are_those_of_the_kernel(laboratory):
    effects = laboratory["redrix.hid"].effects
    if not effects:
        pytest.skip("this kernel is built without HID_HAPTIC, so its driver offers no effects")
    assert 0x4F in effects


@pytest.mark.parametrize("name", [name for name in PADS if name.endswith(".hid")])
def test_only_the_kernel_has_written_to_the_pad(laboratory, name):
    """The driver selects touches; the daemon, `devices` and `doctor` write nothing."""
    assert laboratory[name].written <= OF_DRIVERS
