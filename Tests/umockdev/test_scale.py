"""Weighing on real devices, which a request itself may open."""

import functools
import json
import socket
import subprocess

import pytest

from mockdaemon import of_kind
from mockpad import DEADLINE, MockPad
from strokes import resting

# A pad with a resolution of 10 units per gram, with 154 g on it.
GRAMS = (0, 6000, 10)
LOADED = [resting(45, 608, 340, 1540)]
SCALES = "device=0018-06cb-cd41, device=0018-06cb-cd42"


def screen(bed, number=1, **others):
    """A touchscreen next to the pad, without pressure unless configured otherwise."""
    return MockPad(
        bed, number, ids=(0x18, 0x06CB, 0xCD42, 0x100), **{"pressure": None, "name": "Screen", **others}
    ).plug()


def alone(daemon, request):
    """The reply to the only request of a client, which then disconnects."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(DEADLINE)
        connection.connect(daemon.path)
        connection.sendall(request.encode() + b"\n")
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile("rb") as stream:
            lines = [json.loads(line) for line in stream]
    (reply,) = of_kind(lines, "reply")
    return reply


@pytest.fixture
def run(run):
    """Runs a verb that queries the daemon; returns its status, its output and its errors."""
    return functools.partial(run, socket="pressured.sock")


def test_a_tare_by_one_command_applies_to_the_next(bed, start, run):
    MockPad(bed, pressure=GRAMS, slots=LOADED).plug()
    daemon = start()
    assert alone(daemon, "state")["result"][0]["scale"]["grams"] == 154
    assert run("perform", "pressured.tare") == (0, "", "")
    status, text, _ = run("weigh", "--once")
    assert status == 0 and text.startswith("0.0 g ±")


@pytest.mark.parametrize("verb", ["weigh timeout_ms=9000", "tare", "target", "hold", "history"])
@pytest.mark.parametrize("pad_number", [0, 2])
def test_the_only_device_that_can_weigh_need_not_be_named(bed, start, verb, pad_number):
    MockPad(bed, pad_number, pressure=GRAMS, slots=LOADED).plug()
    screen(bed)
    reply = alone(start(), verb)
    assert reply["ok"], reply


def test_verbs_and_desktop_actions_select_the_only_device_that_can_weigh(program, bed, start, run):
    screen(bed, number=0)
    MockPad(bed, 1, pressure=GRAMS, slots=LOADED).plug()
    daemon = start()
    for options in [], ["--target", "100", "--timeout", "9"]:
        assert run("weigh", "--once", *options) == (0, "154.0 g ±0.2 (absolute ±14)\n", "")
    for action in ["tare", "untare", "hold", "release"]:
        assert run("perform", f"pressured.{action}") == (0, "", "")
    command = ["timeout", "30", program, "weigh", "--socket", daemon.path]
    with subprocess.Popen(command, env=bed.environment, stdout=subprocess.PIPE, text=True) as weigh:
        printed = []
        while not printed or not printed[-1].endswith("  stable\n"):
            printed.append(weigh.stdout.readline())
            assert printed[-1] and len(printed) < 40, printed
        weigh.kill()
    assert not any("no reading" in line or "0018" in line for line in printed), printed


def test_a_device_must_be_named_if_several_can_weigh(bed, start, run):
    MockPad(bed, pressure=GRAMS, slots=LOADED).plug()
    screen(bed, pressure=(0, 255, 0))
    client = start().connect()
    for verb in ["weigh", "tare", "target", "count", "history", "perform type=pressured.tare"]:
        code, message = client.refused(verb)
        assert (code, message) == ("no_device", f"2 devices can weigh; name one: {SCALES}")
    assert client.ask("tare device=0018-06cb-cd41")["result"]["tare_grams"] == 154
    status, _, errors = run("weigh", "--once")
    assert status != 0 and SCALES.replace("device=", "--device ") in errors


def test_all_devices_are_listed_if_none_can_weigh(bed, start):
    MockPad(bed, pressure=None).plug()
    screen(bed)
    code, message = start().connect().refused("tare")
    assert (code, message) == ("no_device", f"none of the 2 devices can weigh; name one: {SCALES}")


def test_the_list_of_devices_is_limited(bed, start):
    for number in range(18):
        MockPad(bed, number, uniq=f"pad{number:02}").plug()
    _, message = start().connect().refused("tare")
    assert message.startswith("18 devices can weigh; name one: device=0018-06cb-cd41-pad")
    assert message.count("device=") == 16 and message.endswith(", 2 more")


def test_a_device_that_cannot_weigh_causes_an_event_for_all_clients(bed, start):
    MockPad(bed, pressure=None).plug()
    first = start().connect()
    assert [line["status"] for line in of_kind(first.snapshot(), "scale")] == ["fault"]
    screen(bed)
    assert first.until(event="scale")[-1] | {"time": 0} == {
        "event": "scale", "time": 0, "device": "0018-06cb-cd42", "status": "fault", "grams": None,
        "gross_grams": None, "tare_grams": 0, "error_grams": None, "repeat_grams": None, "rate": None, "held": False,
        "decaying": False, "target": None,
    }  # fmt: skip
