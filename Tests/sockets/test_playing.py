"""A recording served as a device: from the first client on, round by round, to its end."""

import time

import pytest

from connection import assert_times_never_run_backwards, events_of, is_event
from daemon import wait_until
from recording import Recording


def began(line):
    return is_event(line, "contact", phase="began")


def test_the_snapshot_has_the_values_of_a_resting_load(serve):
    """One finger at the maximum, one that presses lightly, at rest: nothing moves any more, so nothing else is sent."""
    recording = Recording().pause(1).begin(0, 100).begin(1, 255).report()
    config = "scale: { window_ms: 50, filter_ms: 10 }\npress: { fingers: any }\n"
    daemon = serve(recording.wait(900_000).lift(0).lift(1).report(), config=config)
    early = daemon.connect()
    sent = early.until(lambda line: line.get("status") in ("stable", "over_weight") and line["rate"] == 0 and line["grams"])
    state = early.ask("state")["result"][0]
    late = daemon.connect("ping").until(lambda line: line["event"] == "reply")
    assert [line["event"] for line in late] == [
        "hello", "device", "contact", "contact", "weight", "max_force", "press", "press", "heaviest", "scale", "reply",
    ]
    snapshot = late[2:-1]
    assert [line.get("present") for line in snapshot] == [True, True, None, True, True, True, None, None]
    assert len({line["time"] for line in late[1:-1]}) == 1

    def latest(name, **fields):
        return [line for line in sent if is_event(line, name, **fields)][-1]

    def values(line):
        return {key: value for key, value in line.items() if key not in ("time", "present", "state", "entered")}

    weight = snapshot[2]
    assert weight["contacts"] == state["contacts"]
    assert weight["total_grams"] == latest("weight")["total_grams"] > 0
    assert values(snapshot[3]) == values(latest("max_force"))
    for press in snapshot[4:6]:
        assert press["state"] == "started" and "entered" not in press
        assert values(press) == values(latest("press", contact=press["contact"]))
    assert snapshot[5]["stage"] == "deep"
    assert values(snapshot[6]) == {**values(latest("heaviest")), "previous": None}
    reading = values(snapshot[7])
    assert {key: reading[key] for key in state["scale"]} == state["scale"]


def test_after_the_last_client_has_left_it_restarts_from_its_beginning(serve):
    recording = Recording().pause(1).touch([20, 30]).touch([40, 50]).begin(0, 60).report()
    daemon = serve(recording.wait(900_000).lift(0).report())
    last = 0
    for _ in range(3):
        client = daemon.connect()
        lines = client.until(lambda line: began(line) and line["contact"] == 3)
        assert [line["contact"] for line in lines if began(line)] == [1, 2, 3]
        assert not any("present" in line for line in lines)
        # Its times are the current ones, not those of the first round.
        assert lines[1]["time"] >= last
        last = lines[-1]["time"]
        client.close()
        daemon.wait_for_no_clients()


def test_the_times_are_those_of_the_monotonic_clock(serve):
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    daemon = serve(Recording().wait(5e9).touch([20, 30]))
    lines = daemon.connect().until(lambda line: is_event(line, "contact", phase="ended"))
    after = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    for line in lines[1:]:
        assert before <= line["time"] <= after


@pytest.mark.parametrize("speed", ["1", "10", "0.5"])
def test_the_speed_is_a_multiple_of_the_recorded_one(serve, speed):
    daemon = serve(Recording().pause(1).touch([20, 30, 40, 50], milliseconds=20), "--speed", speed)
    lines = daemon.connect().until(lambda line: is_event(line, "contact", phase="ended"))
    assert lines[-1]["duration"] == int(80_000 / float(speed))


def test_in_a_loop_contacts_are_cancelled_between_rounds(serve):
    recording = Recording().pause(1).begin(0, 40).begin(1, 80).report().wait(20)
    daemon = serve(recording.press(0, 41).report(), "--loop")
    client = daemon.connect("subscribe max_hz=0 events=contact,weight,heaviest")
    client.event("contact", phase="cancelled", slot=1)
    client.event("contact", phase="cancelled", slot=1)
    lines = []
    for _ in range(3):
        lines += client.until(lambda line: is_event(line, "contact", phase="cancelled", slot=1))
    assert_times_never_run_backwards(lines)
    phases = [(line["slot"], line["phase"]) for line in events_of(lines, "contact")]
    assert phases == [(0, "began"), (1, "began"), (0, "cancelled"), (1, "cancelled")] * 3
    lines = events_of(lines, "weight", "heaviest", "contact")
    for index, line in enumerate(lines):
        if is_event(line, "contact", phase="cancelled", slot=0):
            assert is_event(lines[index - 2], "weight", contacts=[])
            assert is_event(lines[index - 1], "heaviest", contact=None)


def test_at_the_end_contacts_are_cancelled_and_the_daemon_keeps_serving(serve):
    daemon = serve(Recording().pause(300).begin(0, 40).report().wait(20).press(0, 50).report())
    client = daemon.connect_early("subscribe max_hz=0")
    lines = client.until(lambda line: is_event(line, "contact", phase="cancelled"))
    assert is_event(lines[-3], "weight", contacts=[])
    assert client.ask("state")["result"][0]["contacts"] == []
    late = daemon.connect("ping")
    assert [line["event"] for line in late.until(lambda line: line["event"] == "reply")] == [
        "hello", "device", "scale", "reply",
    ]
    assert daemon.process.poll() is None


def test_an_error_in_the_recording_ends_it_and_not_the_daemon(serve):
    recording = Recording().pause(1).begin(0, 40).report().wait(20)
    recording.parts.append("E: this is no event\n")
    daemon = serve(recording)
    client = daemon.connect()
    client.event("contact", phase="cancelled")
    assert client.ask("ping")["ok"] is True
    wait_until(lambda: "the time is not a number" in daemon.log)


def test_when_the_daemon_exits_contacts_are_cancelled_and_the_device_removed(serve):
    daemon = serve(Recording().pause(1).hold())
    # The first reading is followed by another before its rate limit permits it: it is delayed.
    clients = [daemon.connect(*requests) for requests in [[], ["subscribe max_hz=0"], ["subscribe max_hz=1"]]]
    for client in clients[:1]:
        client.event("heaviest")
    for client in clients[1:]:
        client.reply()
    assert daemon.terminate() == 0
    for client in clients:
        lines = client.rest()
        assert_times_never_run_backwards(lines)
        assert [line["phase"] for line in events_of(lines, "contact")][-2:] == ["cancelled"] * 2
        assert events_of(lines, "weight")[-1]["contacts"] == []
        assert is_event(lines[-1], "device", change="removed", stopping=True)


def test_an_axis_that_uses_little_of_its_declared_range_is_logged(serve):
    """A real Elantech pad declares 0 to 255 and reports 1 to 16."""
    recording = Recording().pause(1)
    for number in range(20):
        recording.touch([1, 7 + number % 10, 1], milliseconds=2)
    daemon = serve(recording, "--speed", "4")
    daemon.connect().event("contact", contact=20, phase="ended")
    assert daemon.terminate() == 0
    assert "no touch has exceeded 16 of the declared range 0 to 255" in daemon.log
    assert "effective_maximum: 16" in daemon.log
