"""`pressured replay` with recordings as people paste them into reports; pasted.py prints the same as a table."""

import json

import pytest

import pasted
from pasted import EXPECTED, FORMATS, FORMS, Text, cell, touches

# Ten reports, written in the style of real ones, and what they must give.
REPORTS = json.loads((pasted.FOLDER / "reports.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def clean(program):
    states, phases = pasted.clean_summary(program)
    assert len(states) == 8 and [phase for _, phase in phases].count("ended") == 2
    return states, phases


def test_there_are_enough_forms():
    assert len(FORMS) >= 40 and len(FORMATS) == 5


@pytest.mark.parametrize("name", FORMS)
def test_no_form_is_refused_falsely_or_gives_nothing(program, clean, name):
    for kind in FORMATS:
        found, sentence = cell(program, name, kind, clean)
        assert found == EXPECTED[name, kind], f"{kind}: {sentence}"


@pytest.mark.parametrize("kind", FORMATS)
def test_an_undisturbed_recording_has_no_remark(program, kind):
    result = pasted.replay(program, str(Text(kind, touches())))
    assert (result.returncode, result.stderr) == (0, b"")


@pytest.mark.parametrize("kind", FORMATS)
def test_a_remark_names_the_first_line_that_was_skipped(program, kind):
    text = Text(kind, touches())
    sentence = pasted.replay(program, pasted.around(["Hello,", "it fails."], text)).stderr.decode()
    assert sentence == (
        "pressured: pasted.txt:1: skipped 2 lines that are not part of the recording, the first is \"Hello,\"\n")


@pytest.mark.parametrize("kind", FORMATS)
def test_frames_before_a_broken_event_are_printed(program, kind):
    states, _ = pasted.summary(pasted.replay(program, FORMS["an event is broken"](Text(kind, touches()))).stdout)
    assert states[0] == ((0, 40),) and len(states) > 1


def test_a_range_that_is_inferred_has_no_maximum(program):
    text = "\n".join(Text("evtest", touches()).lines) + "\n"
    lines = [json.loads(line) for line in pasted.replay(program, text).stdout.splitlines()]
    assert not [line for line in lines if line["event"] == "max_force"]
    contacts = [contact for line in lines if line["event"] == "weight" for contact in line["contacts"]]
    assert max(contact["ratio"] for contact in contacts) == 1
    assert not any(contact["saturated"] for contact in contacts)


def test_a_position_that_is_never_reported_is_null(program):
    text = FORMS["X never changes"](Text("evtest", touches()))
    lines = [json.loads(line) for line in pasted.replay(program, text).stdout.splitlines()]
    contacts = [line for line in lines if line["event"] == "contact"]
    assert {line["x"] for line in contacts} == {None}
    assert None not in {line["y"] for line in contacts}


@pytest.mark.parametrize("name", REPORTS)
def test_reports_give_what_they_contain(program, name):
    result = pasted.replay(program, (pasted.FOLDER / name).read_bytes())
    expected = REPORTS[name]
    raw, _ = pasted.summary(result.stdout)
    assert result.returncode == expected["status"], result.stderr
    assert [[list(contact) for contact in state] for state in raw] == expected["raw"]
    for remark in expected["remarks"]:
        assert remark in result.stderr.decode()
    assert result.stderr.count(b"\n") == len(expected["remarks"])
