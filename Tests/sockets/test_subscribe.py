"""The lines that a client receives after it has subscribed."""

from connection import assert_times_never_run_backwards, events_of, is_event, lines_of
from recording import DEVICE, Recording

# The pause of a recording for the requests of its first client, in milliseconds.
PAUSE = 300


def test_the_last_reading_of_a_resting_finger_is_sent(serve):
    recording = Recording().pause(PAUSE).begin(0, 1).report()
    for number in range(100):
        recording.wait(2).press(0, 2 + number).report()
    recording.wait(900_000).lift(0).report()
    daemon = serve(recording)
    for options in ["", " max_hz=2", " max_hz=50", " max_hz=0", " max_hz=2 events=weight"]:
        client = daemon.connect_early("subscribe" + options)
        lines = client.until(lambda line: line["event"] == "weight" and line["contacts"][0]["raw"] == 101)
        assert_times_never_run_backwards(lines)
        client.close()
        daemon.wait_for_no_clients()


def test_a_second_subscription_replaces_the_first_and_sends_no_snapshot(serve):
    daemon = serve(Recording().pause(1).touch(range(20, 220), milliseconds=2), "--loop")
    client = daemon.connect("subscribe events=weight max_hz=50")
    client.reply()
    client.event("weight")
    result = client.ask("subscribe events=contact")["result"]
    assert result == {"events": ["contact"], "devices": None, "max_hz": 100, "min_change_grams": 0}
    lines = client.until(phase="ended") + client.until(phase="ended")
    assert {line["event"] for line in lines} == {"contact"}
    assert not any("present" in line for line in lines)


def test_an_empty_list_unsubscribes_all_events(serve):
    daemon = serve(Recording().pause(1).touch(range(20, 220), milliseconds=2), "--loop")
    silent = daemon.connect()
    silent.event("weight")
    assert silent.ask("subscribe events=")["result"]["events"] == []
    other = daemon.connect()
    for _ in range(2):
        other.event("contact", phase="ended")
    silent.send("ping")
    assert silent.line()["event"] == "reply"


def test_devices_not_subscribed_to_are_not_received(serve):
    daemon = serve(Recording().pause(1).touch(range(20, 220), milliseconds=2), "--loop")
    deaf = daemon.connect()
    assert deaf.ask({"do": "subscribe", "devices": ["0003-0000-0000"]})["result"]["devices"] == ["0003-0000-0000"]
    hearing = daemon.connect(f"subscribe devices=0003-0000-0000,{DEVICE}")
    for _ in range(2):
        hearing.event("contact", phase="ended")
    deaf.send("ping")
    assert deaf.line()["event"] == "reply"
    deaf.send({"do": "subscribe", "devices": [DEVICE]})
    deaf.event("weight")


def test_small_changes_are_left_out(serve, run, write):
    recording = Recording().pause(PAUSE).begin(0, 50).report()
    for step in range(200):
        recording.wait(3).press(0, 50 + (step * step) % 23).report()
    recording.wait(3).lift(0).report()
    expected = []
    for line in events_of(lines_of(run("replay", write(recording, "expected.evemu")).output.encode()), "weight"):
        total, last = line["total_grams"], expected[-1]["total_grams"] if expected else None
        is_news = not line["contacts"] or any(c["phase"] == "began" for c in line["contacts"])
        if is_news or abs(total - last) >= 10:
            expected.append(line)
    assert 20 < len(expected) < 190
    client = serve(recording).connect_early("subscribe events=weight max_hz=0 min_change_grams=10")
    lines = client.until(lambda line: is_event(line, "weight", contacts=[]))
    # The recorded times are others.
    assert [{**line, "time": 0} for line in events_of(lines, "weight")] == [{**line, "time": 0} for line in expected]
