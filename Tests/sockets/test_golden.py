"""Compatibility of protocol 1: a session recorded with the first version, replayed with the current daemon."""

import json
import pathlib

import pytest

from transcript import ProtocolMismatch, play, session

FOLDER = pathlib.Path(__file__).parent / "golden"
TEXT = (FOLDER / "protocol-1.session").read_text("utf-8")


def test_the_session_of_protocol_1_is_unchanged(serve):
    connection = serve(str(FOLDER / "pad.evemu")).connect()
    play(TEXT, connection)


class FakeConnection:
    """Sends what a session expects, or a modified version of it."""

    def __init__(self, lines):
        self.lines = iter(lines)

    def send(self, request):
        pass

    def line(self):
        return next(self.lines, None)


def recorded_lines():
    return [json.loads(rest) for mark, rest in session(TEXT) if mark == "<"]


def number(event, **fields):
    """The index of the first line of an event with these fields."""
    return next(
        index
        for index, line in enumerate(recorded_lines())
        if line["event"] == event and fields.items() <= line.items()
    )


def test_the_same_session_at_another_time_matches():
    lines = [{**line, "time": line["time"] + 77} if "time" in line else line for line in recorded_lines()]
    play(TEXT, FakeConnection(lines))


def test_a_later_daemon_may_add_lines_and_fields():
    lines = [{**line, "later": [1]} for line in recorded_lines()]
    lines[0]["commands"].insert(1, "later")
    lines[0]["version"] = "7.0"
    for contact in lines[number("weight")]["contacts"]:
        contact["later"] = {"any": "thing"}
    lines.insert(5, {"event": "later", "time": 1, "device": "0018-06cb-cd41"})
    play(TEXT, FakeConnection(lines))


def without(line, name):
    return {key: value for key, value in line.items() if key != name}


def renamed(line, name):
    return {("was" if key == name else key): value for key, value in line.items()}


CHANGES = {
    "a field is gone": lambda line: without(line, "total_grams"),
    "a field has another name": lambda line: renamed(line, "shared_sensor"),
    "a number is another": lambda line: {**line, "total_grams": 77.1},
    "a number is a text": lambda line: {**line, "total_grams": "77"},
    "a truth is a number": lambda line: {**line, "shared_sensor": 0},
    "nothing is something": lambda line: {**line, "heaviest": None},
    "a list is longer": lambda line: {**line, "contacts": line["contacts"] * 2},
    "something within is gone": lambda line: {
        **line, "contacts": [without(line["contacts"][0], "raw")],
    },
    "event is not first": lambda line: {"time": line["time"], **line},
    "it is early": lambda line: {**line, "time": line["time"] - 1},
    "it has no time": lambda line: without(line, "time"),
    "it is something else": lambda line: {**line, "event": "heaviest"},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_change_is_detected(change):
    lines = recorded_lines()
    index = number("weight")
    lines[index] = change(lines[index])
    with pytest.raises(ProtocolMismatch):
        play(TEXT, FakeConnection(lines))


def test_a_missing_line_is_detected():
    for index in range(len(recorded_lines())):
        lines = recorded_lines()
        del lines[index]
        with pytest.raises(ProtocolMismatch):
            play(TEXT, FakeConnection(lines))


def test_an_additional_line_is_detected():
    lines = recorded_lines()
    lines.insert(number("press"), lines[number("press")])
    with pytest.raises(ProtocolMismatch):
        play(TEXT, FakeConnection(lines))


def test_another_order_is_detected():
    lines = recorded_lines()
    index = number("press")
    lines[index], lines[index + 1] = lines[index + 1], lines[index]
    with pytest.raises(ProtocolMismatch):
        play(TEXT, FakeConnection(lines))


def test_a_name_missing_from_hello_is_detected():
    lines = recorded_lines()
    lines[0]["events"].remove("scale")
    with pytest.raises(ProtocolMismatch):
        play(TEXT, FakeConnection(lines))


def test_a_new_refusal_is_detected():
    lines = recorded_lines()
    index = number("reply", do="state")
    fault = {"code": "failed", "message": "no"}
    lines[index] = {**without(lines[index], "result"), "ok": False, "error": fault}
    with pytest.raises(ProtocolMismatch):
        play(TEXT, FakeConnection(lines))
