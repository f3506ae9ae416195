"""Weighing by request: each device is a scale."""

import pytest

from connection import assert_error, events_of
from recording import DEVICE, Recording

# A scale that is stable sooner than with the default settings, to save time.
CONFIG = "scale: { window_ms: 200, filter_ms: 20 }\n"

# 51 of 255 are 77 g, 60 g more are 137 g, to 0.1.
PLUM, TWO_PLUMS = 51, 91


def resting(pressure=PLUM, after=1):
    """A load that is placed and stays for a quarter of an hour."""
    return Recording().pause(after).begin(0, pressure).report().wait(900_000).lift(0).report()


def empty():
    return Recording().pause(900_000).touch([PLUM])


@pytest.fixture
def scale(serve):
    """Starts a daemon with a load on its scale."""
    return lambda recording=None, *options: serve(recording or resting(), *options, config=CONFIG)


@pytest.fixture
def client(scale):
    """A client that is connected while a plum is at rest."""
    client = scale().connect()
    client.event("scale", status="stable")
    return client


def result(reply):
    assert reply["ok"], reply
    return reply["result"]


def test_a_stable_reading_is_sent_at_any_rate_limit(scale):
    client = scale().connect("subscribe events=scale max_hz=0.01")
    assert client.event("scale", status="stable")["grams"] == 77


def test_weigh_waits_for_the_next_stable_reading(scale):
    client = scale(resting(after=300)).connect("subscribe events=", "weigh")
    assert client.reply()["do"] == "subscribe"
    reading = result(client.reply())
    assert list(reading) == [
        "time", "device", "status", "grams", "gross_grams", "tare_grams", "error_grams", "repeat_grams", "rate", "held", "decaying",
        "target",
    ]  # fmt: skip
    assert (reading["device"], reading["status"], reading["grams"]) == (DEVICE, "stable", 77)
    # It still rests.
    assert result(client.ask("weigh timeout_ms=0"))["grams"] == 77


def test_later_requests_of_the_same_client_wait_and_no_others(scale):
    daemon = scale(empty())
    patient, other = daemon.connect(), daemon.connect()
    patient.send("weigh timeout_ms=400", "ping", "nonsense", "weigh timeout_ms=1", "version")
    assert result(other.ask("ping")) == {}
    assert result(other.ask("state"))[0]["scale"]["status"] == "stable_zero"
    replies = [patient.reply() for _ in range(5)]
    assert [reply["do"] for reply in replies] == ["weigh", "ping", "nonsense", "weigh", "version"]


def test_a_removed_device_ends_the_wait(scale):
    """A daemon that exits removes its devices."""
    daemon = scale(empty())
    client = daemon.connect("ping", "weigh")
    client.reply()
    assert daemon.terminate() == 0
    assert_error(client.reply(), "no_device")


# A slow filter, so that a premature reply is far off.
SLOW = "scale: { window_ms: 600, filter_ms: 400 }\n"


@pytest.fixture
def alone(serve):
    """Sends one request to a daemon whose device is not open, and returns the result."""

    def alone(request, pressure=PLUM, after=1):
        daemon = serve(resting(pressure, after), config=SLOW)
        client = daemon.connect(request)
        client.shut()
        (reply,) = events_of(client.rest(), "reply")
        daemon.wait_for_no_clients()
        return daemon, reply

    return alone


@pytest.mark.parametrize("after", [0.1, 60])
@pytest.mark.parametrize("request_, field, value", [("tare", "tare_grams", 77), ("hold", "grams", 77)])
def test_a_request_that_opens_the_device_waits_for_a_full_filter(alone, request_, field, value, after):
    _, reply = alone(request_, after=after)
    assert result(reply)[field] == value


@pytest.mark.parametrize("after", [0.1, 60])
def test_a_sample_that_opens_the_device_waits_for_rest(alone, after):
    daemon, reply = alone("count sample=10", after=after)
    assert (result(reply)["pieces"], result(reply)["piece_grams"]) == (10, 7.7)
    assert result(daemon.connect().ask("count"))["pieces"] == 10


def test_a_sample_of_a_load_that_never_rests_is_refused(serve):
    """The wait is bounded by the time that a load may take to come to rest, of which this one has many."""
    recording = Recording().pause(1).touch([60, 120] * 1000)
    client = serve(recording, "--loop", config=CONFIG).connect("count sample=10")
    reply = client.reply()
    assert_error(reply, "failed")
    assert "in motion" in reply["error"]["message"]


def test_a_request_that_changes_the_scale_is_an_event_for_others(scale):
    daemon = scale()
    listener, other = daemon.connect(), daemon.connect()
    listener.event("scale", status="stable")
    other.ask("tare")
    assert listener.event("scale", status="stable_zero")["tare_grams"] == 77


def test_weigh_returns_a_held_reading(scale):
    """A plum comes to rest, and after a second another one next to it."""
    recording = Recording().pause(1).begin(0, PLUM).report().wait(1000)
    client = scale(recording.press(0, TWO_PLUMS).report().wait(900_000).lift(0).report()).connect()
    client.event("scale", status="stable", grams=77)
    assert result(client.ask("count sample=10"))["pieces"] == 10
    assert result(client.ask("hold"))["held"] is True
    client.event("weight", total_grams=137.4)
    reading = result(client.ask("weigh timeout_ms=0"))
    assert (reading["grams"], reading["status"], reading["held"]) == (77, "stable", True)
    client.ask("release")
    reading = result(client.ask("weigh"))
    assert (reading["grams"], reading["held"]) == (137.4, False)


def test_a_device_is_named_or_is_the_only_one(client):
    assert result(client.ask(f"weigh device={DEVICE}"))["grams"] == 77
    for verb in ["weigh", "tare", "untare", "zero", "hold", "release", "target", "count", "history"]:
        assert_error(client.ask(f"{verb} device=nobody"), "no_device")
