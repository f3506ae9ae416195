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


def replayed(run, name):
    status, output, log = run("replay", os.path.join(CORPUS, name), *description(name))
    assert status == 0, log
    lines = lines_of(output.encode())
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


def without(place, states):
    """The states without the contacts or the pressures."""
    return [tuple(each[:place] + each[place + 1 :] for each in state) for state in states]


def test_the_collection_exists():
    assert len(RECORDINGS) >= 14
    assert set(SEMI_MT + SINGLE_TOUCH + DROPPED) <= set(RECORDINGS)


@pytest.mark.parametrize("name", [name for name in RECORDINGS if name not in DROPPED])
def test_states_match_the_expected_ones(run, name):
    frames = expected_frames(name)
    reported = reported_states(replayed(run, name))
    expected = without_end(frames, expected_states(frames))
    if name in SEMI_MT:
        reported, expected = without(2, reported), without(2, expected)
    if name in SINGLE_TOUCH:
        reported, expected = without(1, reported), without(1, expected)
    assert len(distinct(expected)) > 2 or name.startswith("evtest/two-finger-tap")
    assert distinct(reported) == distinct(expected)


@pytest.mark.parametrize("name", [name for name in RECORDINGS if name not in SINGLE_TOUCH + DROPPED])
def test_contacts_begin_and_end_in_the_expected_order(run, name):
    frames = expected_frames(name)
    expected = []
    for frame in frames:
        # Within a frame beginnings are reported first and endings last, each in the order of the slots.
        expected += [("began", *pair) for pair in sorted(frame["began"])]
        expected += [("ended", *pair) for pair in sorted(frame["ended"])]
    expected += [("cancelled", each["slot"], each["id"]) for each in frames[-1]["contacts"]]
    lines = events_of(replayed(run, name), "contact")
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
def test_after_lost_events_the_state_is_right_once_the_surface_is_empty(run, name):
    frames = expected_frames(name)
    lost = next(number for number, frame in enumerate(frames) if frame.get("dropped"))
    empty = next(number for number in range(lost, len(frames)) if not frames[number]["contacts"])
    lines = events_of(replayed(run, name), "weight")
    # Up to the loss, and from the next empty surface on.
    before = expected_states(frames[:lost])
    after = without_end(frames, expected_states(frames[empty:]))
    reported = [(line["time"], state) for line, state in zip(lines, reported_states(lines))]
    assert distinct(s for t, s in reported if t < frames[lost]["usec"]) == distinct(before)
    assert distinct(s for t, s in reported if t > frames[empty]["usec"]) == distinct(after)
    assert len(distinct(before)) > 100
