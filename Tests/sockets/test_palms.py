"""Contacts other than fingers: palms, hovering objects, and resting thumbs."""

import pytest

from connection import events_of, lines_of
from recording import ABS, KEY, Recording

TOOL, DISTANCE, MAJOR = 0x37, 0x3B, 0x30
FINGER, DOUBLETAP = 0x145, 0x14D
PALM = 2

CONFIG = """\
press: { fingers: 1 }
actions: [{ type: local.next, title: Next, on: { press: light } }]
"""


def pad(has_pressure=True):
    """A pad that reports palms, distances and the length of contacts, at 10 units per millimeter."""
    recording = Recording()
    axes = "A: 30 0 1000 0 0 10\nA: 37 0 15 0 0 0\nA: 3b 0 255 0 0 0\n"
    recording.parts[0] += axes
    if not has_pressure:
        recording.parts[0] = recording.parts[0].replace("A: 3a 0 255 0 0 0\n", "")
        recording.press = lambda slot, pressure: recording.select(slot)
    return recording


def beside(recording, what):
    """A contact in slot 0 that stays and is not a finger; the kernel counts it as a finger."""
    recording.begin(0, 40)
    kind, value = {"palm": (TOOL, PALM), "hovering": (DISTANCE, 5), "thumb": (MAJOR, 251)}[what]
    recording.event(ABS, kind, value).event(KEY, FINGER, 1).report().wait(10)
    recording.event(KEY, FINGER, 0).event(KEY, DOUBLETAP, 1)
    if what != "palm":
        recording.select(1).event(ABS, kind, 0)
    return recording


@pytest.fixture
def received(replay, write):
    """The events of a recording that have one of these names."""

    def received(recording, *names, config=CONFIG):
        result = replay(write(recording), "--config", write(config, "c.yaml"))
        assert result.returncode == 0, result.stderr
        return events_of(lines_of(result.stdout), *names)

    return received


@pytest.mark.parametrize("what", ["palm", "hovering", "thumb"])
def test_a_press_of_one_finger_starts_beside_other_contacts(received, what):
    recording = beside(pad(), what).touch([40, 160, 160, 40], slot=1)
    events = received(recording, "press", "action")
    assert [line.get("state", "action") for line in events] == ["started", "action", "ended"]
    assert {line["fingers"] for line in events_of(events, "press")} == {1}


def test_a_second_finger_still_counts_beside_a_palm(received):
    recording = beside(pad(), "palm").begin(1, 40).begin(2, 40).report().wait(10)
    recording.press(1, 160).report().wait(100)
    # A pad of area that reports palms has no press of a contact before.
    recording.press(2, 41).report()
    assert received(recording, "press", "action") == []
    presses = received(recording, "press", config="press: { fingers: 2 }\n")
    assert [(line["state"], line["fingers"]) for line in presses] == [("started", 2), ("cancelled", 2)]


@pytest.mark.parametrize("what", ["palm", "hovering", "thumb"])
def test_a_simulated_press_is_held_by_a_finger_alone(received, what):
    recording = beside(pad(has_pressure=False), what).report().wait(1000)
    assert received(recording, "press") == []
    recording.begin(1, 0).report().wait(1000).lift(1).report()
    presses = received(recording, "press")
    assert {line["slot"] for line in presses} == {1}
    assert {"started", "fixed", "ended"} <= {line["state"] for line in presses}


def test_a_finger_that_hovers_ends_its_simulated_press_and_may_begin_another(received):
    recording = pad(has_pressure=False)
    for distance in (0, 3, 0):
        if distance == 0 and not recording.down:
            recording.begin(0, 0)
        recording.event(ABS, DISTANCE, distance).report().wait(700)
    states = [line["state"] for line in received(recording.lift(0).report(), "press")]
    assert [state for state in states if state != "changed"] == ["started", "fixed", "ended"] * 2


def test_a_finger_that_hovers_ends_its_press(received):
    recording = pad().begin(0, 160).event(ABS, DISTANCE, 0).report().wait(10)
    recording.event(ABS, DISTANCE, 4).report().wait(10).lift(0).report()
    presses = received(recording, "press")
    assert [(line["state"], line["fingers"]) for line in presses] == [("started", 1), ("ended", 1)]


@pytest.mark.parametrize("what", ["palm", "hovering", "thumb"])
def test_no_number_of_other_contacts_breaks_a_pad(received, what):
    recording = pad()
    for _ in range(8):
        beside(recording, what).press(0, 0).report().wait(10).lift(0).event(ABS, TOOL, 0).report()
    fingers = pad()
    for _ in range(8):
        fingers.touch([0])
    assert [line["capability"] for line in received(fingers, "device")] == ["size", "broken"]
    text = recording.text.replace(" 003a 0040", " 003a 0000")
    assert [line["capability"] for line in received(text, "device")] == ["size"]


def test_a_hovering_contact_does_not_lie_on_the_scale(received):
    recording = pad().begin(0, 200).event(ABS, DISTANCE, 5).report().wait(3000).lift(0).report()
    assert {line["status"] for line in received(recording, "scale")} <= {"stable_zero"}


def test_a_contact_within_one_frame_has_its_own_values(received):
    recording = pad().begin(0, 51, x=200).lift(0).begin(0, 204, x=800).report().wait(10)
    of_first = [line for line in received(recording, "contact") if line["contact"] == 1]
    assert [(line["phase"], line["x"]) for line in of_first] == [("began", 0.2), ("ended", 0.2)]
    assert of_first[1]["peak_grams"] == 77
