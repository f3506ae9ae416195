"""The programs with a malicious daemon."""

import json

import pytest

from fakedaemon import press
from test_watch import device, reply, weight

EVIL = "\x1b]0;owned\x07\x9b31m\u202ekcab"


def contact(**fields):
    return {**weight(10)["contacts"][0], **fields}


def control_characters(text):
    """Control characters for terminals, and characters that change the direction of text."""
    return [glyph for glyph in text if glyph in "\x1b\x07\x9b\u202e"]


def test_names_are_printed_without_control_characters(daemon, start):
    process = start("watch", "--plain", "--socket", daemon.path)
    client = daemon.accept_after_question()
    client.send(device(EVIL), reply("subscribe", {}), weight(10, EVIL))
    process.stdout.readline()
    line = process.stdout.readline()
    assert "kcab" in line
    assert control_characters(line) == []


@pytest.mark.parametrize("arguments", [["weigh"], ["weigh", "--json"]])
def test_weigh_prints_no_control_characters_in_names(daemon, start, arguments):
    process = start(*arguments, "--socket", daemon.path)
    client = daemon.accept_after_question()
    client.send(device("other"), reply("subscribe", {}))
    # Not everything that JSON may contain unescaped is harmless: the name is unchanged but for necessary escapes.
    named = json.dumps({**device(EVIL), "name": "Pad"}, ensure_ascii=False)
    scale = ('{"event":"scale","time":1,"device":%s,"status":"stable","grams":77,"gross_grams":77,"tare_grams":0,'
             '"error_grams":null,"rate":0,"held":false,"decaying":false,"target":null}')  # fmt: skip
    client.socket.sendall(f"{named}\n{scale % json.dumps(EVIL, ensure_ascii=False)}\n".encode())
    line = process.stdout.readline()
    assert "kcab" in line
    assert control_characters(line) == []


HUGE = 1e300


@pytest.mark.parametrize(
    "lines",
    [
        [{**weight(10), "contacts": [contact(x=HUGE, y=-HUGE, ratio=HUGE, grams=HUGE)]}],
        [{**weight(10), "contacts": [contact(x=1.7e308, y=1.7e308, grams=1.7e308)], "total_grams": HUGE}],
        [{**device(), "change": "changed", "size_mm": [1e300, 1e-300]}, weight(10)],
        [{**device(), "change": "changed", "slots": -7}, weight(10)],
        [{**weight(10), "contacts": [contact(contact=number, x=number % 7 / 7) for number in range(5000)]}],
        [device(f"pad {number}") for number in range(2000)],
    ],
    ids=["far", "farther", "size", "slots", "contacts", "devices"],
)
def test_impossible_numbers_are_tolerated(daemon, in_terminal, lines):
    screen = in_terminal("watch", shows_errors=False, PRESSURED_SOCKET=daemon.path)
    client = daemon.accept_after_question()
    client.send(device(), reply("subscribe", {}), reply("state", []), *lines)
    huge = {"x": HUGE, "y": HUGE, "progress": HUGE, "force": HUGE, "ratio": -HUGE, "grams": HUGE}
    client.send(press("started", **huge, time=2**63 - 1), press("ended", **huge, time=-(2**63)))
    client.send(reply("tare", error={"code": "failed", "message": "still there"}))
    screen.wait_for("still there", "Pad")
    screen.type("q")
    assert screen.wait() == 0
