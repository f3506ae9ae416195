"""Real recordings, which are stored elsewhere, compared with an independent interpretation of them.

`PRESSURED_CORPUS` names their directory. Next to a recording, `*.expected.ndjson` has one object per frame:
the contacts that are down with their pressures, and those that began or ended.
"""

import glob
import json
import os

import pytest

from connection import assert_times_never_run_backwards, events_of, lines_of

CORPUS = os.environ.get("PRESSURED_CORPUS", "")

pytestmark = pytest.mark.skipif(not CORPUS, reason="PRESSURED_CORPUS does not name a directory with recordings")

EXPECTED = sorted(glob.glob(os.path.join(CORPUS, "*", "*.expected.ndjson"))) if CORPUS else []
RECORDINGS = [os.path.relpath(path, CORPUS).removesuffix(".expected.ndjson") for path in EXPECTED]

# Recordings with a common property; the names are those of the collection.
SEMI_MT = ["evemu/synaptics-ps2.semi-mt-one-pressure.evemu"]
SINGLE_TOUCH = ["evemu/synaptics-single-touch.events"]
DROPPED = ["evemu/atmel-pixel.drumroll.syn-dropped.evemu"]


def description(name):
    """The description of "a.what.events" is in "a.desc"."""
    if not name.endswith(".events"):
        return []
    folder, file = os.path.split(name)
    (path,) = [
        path
        for path in glob.glob(os.path.join(CORPUS, folder, "*.desc"))
        if file.startswith(os.path.basename(path).removesuffix("desc"))
    ]
    return ["--describe", path]


def expected_frames(name):
    with open(os.path.join(CORPUS, f"{name}.expected.ndjson"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def replayed(replay, name, *options):
    result = replay(os.path.join(CORPUS, name), *description(name), *options)
    assert result.returncode == 0, result.stderr
    lines = lines_of(result.stdout)
    assert_times_never_run_backwards(lines)
    return lines


def distinct(states):
    """Drops states that equal the previous one; no contact is down at first."""
    kept = [()]
    for state in states:
        if state != kept[-1]:
            kept.append(state)
    return kept


def stated(contacts, slot, contact, raw):
    return tuple((each[slot], each[contact], each[raw] or 0) for each in contacts)


def reported_states(lines):
    """The contacts that are down after each frame, as far as reported."""
    return [stated(line["contacts"], "slot", "contact", "raw") for line in events_of(lines, "weight")]


def expected_states(frames):
    return [stated(frame["contacts"], "slot", "id", "pressure") for frame in frames]


def without_end(frames, states):
    """The end of the recording cancels the remaining contacts, which is not in any frame."""
    return states + [()] if frames[-1]["contacts"] else states


def contacts_alone(states):
    return [tuple((slot, contact) for slot, contact, _ in state) for state in states]


def pressures_alone(states):
    return [tuple((slot, raw) for slot, _, raw in state) for state in states]


def test_the_collection_exists():
    assert len(RECORDINGS) >= 14
    assert set(SEMI_MT + SINGLE_TOUCH + DROPPED) <= set(RECORDINGS)


@pytest.mark.parametrize("name", [name for name in RECORDINGS if name not in DROPPED])
def test_states_match_the_expected_ones(replay, name):
    frames = expected_frames(name)
    reported = reported_states(replayed(replay, name))
    expected = without_end(frames, expected_states(frames))
    if name in SEMI_MT:
        reported, expected = contacts_alone(reported), contacts_alone(expected)
    if name in SINGLE_TOUCH:
        reported, expected = pressures_alone(reported), pressures_alone(expected)
    assert len(distinct(expected)) > 2 or name.startswith("evtest/two-finger-tap")
    assert distinct(reported) == distinct(expected)


@pytest.mark.parametrize("name", [name for name in RECORDINGS if name not in SINGLE_TOUCH + DROPPED])
def test_contacts_begin_and_end_in_the_expected_order(replay, name):
    frames = expected_frames(name)
    expected = []
    for frame in frames:
        # Within a frame beginnings are reported first and endings last, each in the order of the slots.
        expected += [("began", *pair) for pair in sorted(frame["began"])]
        expected += [("ended", *pair) for pair in sorted(frame["ended"])]
    expected += [("cancelled", each["slot"], each["id"]) for each in frames[-1]["contacts"]]
    lines = events_of(replayed(replay, name), "contact")
    assert within_frames(
        [(line["phase"], line["slot"], line["contact"]) for line in lines]
    ) == within_frames(expected)


def within_frames(changes):
    """Neighbors of the same kind may be swapped: the order of their slots is not an order in time."""
    groups = []
    for change in changes:
        if not groups or groups[-1][0] != change[0]:
            groups.append((change[0], []))
        groups[-1][1].append(change[1:])
    return [(kind, sorted(members)) for kind, members in groups]


@pytest.mark.parametrize("name", DROPPED)
def test_after_lost_events_the_state_is_right_once_the_surface_is_empty(replay, name):
    frames = expected_frames(name)
    lost = next(number for number, frame in enumerate(frames) if frame.get("dropped"))
    empty = next(number for number in range(lost, len(frames)) if not frames[number]["contacts"])
    lines = events_of(replayed(replay, name), "weight")
    # Up to the loss, and from the next empty surface on.
    before = expected_states(frames[:lost])
    after = without_end(frames, expected_states(frames[empty:]))
    reported = [(line["time"], state) for line, state in zip(lines, reported_states(lines))]
    assert distinct(s for t, s in reported if t < frames[lost]["usec"]) == distinct(before)
    assert distinct(s for t, s in reported if t > frames[empty]["usec"]) == distinct(after)
    assert len(distinct(before)) > 100


def rebased(lines):
    """Without the device node, and with times relative to the first event of the device."""
    origin = lines[1]["time"]
    return [
        {key: value - origin if key == "time" else value for key, value in line.items() if key != "node"}
        for line in lines
    ]


def test_the_atmel_pad_is_the_same_in_two_formats(replay):
    yaml = rebased(replayed(replay, "libinput/atmel-pixel.drumroll.yml"))
    evtest = rebased(replayed(replay, "evtest/atmel-pixel.drumroll.evtest"))
    assert len(yaml) > 700
    assert yaml == evtest


def test_the_cypress_pad_is_the_same_in_three_formats(replay):
    name = "cypress-ps2.two-finger-press"
    evemu = os.path.join(CORPUS, "evemu", f"{name}.evemu")
    yaml, evemu_lines, raw = [
        rebased(replayed(replay, *arguments))
        for arguments in [
            [f"libinput/{name}.yml"],
            [f"evemu/{name}.evemu"],
            [f"raw/{name}.input_event64", "--describe", evemu],
        ]
    ]
    assert len(yaml) > 40
    # Its description lists BTN_RIGHT in place of BTN_LEFT, so that the pad does not click.
    for line in (*yaml, *evemu_lines, *raw):
        line.pop("clicked", None)
    assert yaml == evemu_lines
    assert raw == evemu_lines


@pytest.mark.parametrize(
    "name, reason",
    [
        ("bcm5974.protocol-a-no-pressure.evemu", "protocol A"),
        ("sony-ps3-gamepad.head.evemu", "only look like slots"),
        ("wacom-intuos4.pen.events", "pen"),
    ],
)
def test_other_devices_are_refused_with_the_right_reason(replay, name, reason):
    name = f"refuse/{name}"
    result = replay(os.path.join(CORPUS, name), *description(name))
    assert result.returncode == 65
    assert result.stdout == b""
    sentence = result.stderr.decode()
    assert sentence.count("\n") == 1
    assert "is not read" in sentence
    assert reason in sentence


def test_all_refused_recordings_are_covered():
    names = {os.path.basename(path) for path in glob.glob(os.path.join(CORPUS, "refuse", "*"))}
    assert {name for name in names if not name.endswith(".desc")} == {
        "bcm5974.protocol-a-no-pressure.evemu", "sony-ps3-gamepad.head.evemu", "wacom-intuos4.pen.events",
    }


def test_a_missing_description_is_reported(replay):
    path = os.path.join(CORPUS, "evemu", "nexus10.game-no-description.evemu")
    result = replay(path)
    assert result.returncode == 0
    first, second = result.stderr.decode().splitlines()
    assert "no device description" in first
    assert second.endswith(":1636: the last frame has no SYN_REPORT, so it is not read")
    assert lines_of(result.stdout)[1]["capability"] == "size"


@pytest.mark.parametrize("name", RECORDINGS)
def test_two_runs_are_byte_identical(replay, name):
    path = os.path.join(CORPUS, name)
    assert replay(path, *description(name)).stdout == replay(path, *description(name)).stdout
