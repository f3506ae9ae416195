"""Protocol 1 stays what it is: a session of its first days, played with the daemon of today."""

import json
import pathlib

import pytest

from transcript import Broken, play, session

FOLDER = pathlib.Path(__file__).parent / "golden"
TEXT = (FOLDER / "protocol-1.session").read_text("utf-8")


def test_the_session_of_protocol_1_still_goes_as_it_did(serve):
    connection = serve(str(FOLDER / "pad.evemu")).connect()
    play(TEXT, connection)


class Parrot:
    """Says what a session expects, or something a little different."""

    def __init__(self, lines):
        self.lines = iter(lines)

    def send(self, request):
        pass

    def line(self):
        return next(self.lines, None)


def said():
    return [json.loads(rest) for mark, rest in session(TEXT) if mark == "<"]


def number(event, **fields):
    """Where the first line of an event is that has these fields."""
    return next(
        index
        for index, line in enumerate(said())
        if line["event"] == event and fields.items() <= line.items()
    )


def test_the_same_at_another_time_is_the_same():
    lines = [{**line, "time": line["time"] + 77} if "time" in line else line for line in said()]
    play(TEXT, Parrot(lines))


def test_a_later_daemon_may_say_more():
    lines = [{**line, "later": [1]} for line in said()]
    lines[0]["commands"].insert(1, "later")
    lines[0]["version"] = "7.0"
    for contact in lines[number("weight")]["contacts"]:
        contact["later"] = {"any": "thing"}
    lines.insert(5, {"event": "later", "time": 1, "device": "0018-06cb-cd41"})
    play(TEXT, Parrot(lines))


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
def test_a_change_is_noticed(change):
    lines = said()
    index = number("weight")
    lines[index] = change(lines[index])
    with pytest.raises(Broken):
        play(TEXT, Parrot(lines))


def test_a_line_that_is_missing_is_noticed():
    for index in range(len(said())):
        lines = said()
        del lines[index]
        with pytest.raises(Broken):
            play(TEXT, Parrot(lines))


def test_a_line_too_many_is_noticed():
    lines = said()
    lines.insert(number("press"), lines[number("press")])
    with pytest.raises(Broken):
        play(TEXT, Parrot(lines))


def test_another_order_is_noticed():
    lines = said()
    index = number("press")
    lines[index], lines[index + 1] = lines[index + 1], lines[index]
    with pytest.raises(Broken):
        play(TEXT, Parrot(lines))


def test_a_name_that_is_gone_from_hello_is_noticed():
    lines = said()
    lines[0]["events"].remove("scale")
    with pytest.raises(Broken):
        play(TEXT, Parrot(lines))


def test_a_refusal_of_what_was_granted_is_noticed():
    lines = said()
    index = number("reply", do="state")
    fault = {"code": "failed", "message": "no"}
    lines[index] = {**without(lines[index], "result"), "ok": False, "error": fault}
    with pytest.raises(Broken):
        play(TEXT, Parrot(lines))
