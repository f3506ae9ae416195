"""Pads are plugged in and unplugged while the daemon runs."""

import os

import pytest

from mockdaemon import of_kind
from mockpad import MockPad
from strokes import down, press


def test_a_second_pad_is_added_while_the_first_is_read(bed, pad, listener):
    pad.emit(*down(0, 45, 608, 340, 51))
    listener.until(event="heaviest", contact=45)

    other = MockPad(bed, 1).plug()
    (added,) = listener.until(event="device")
    assert (added["change"], added["node"]) == ("added", "/dev/input/event1")
    assert added["device"] == listener.present[0]["device"] + "#2"

    stamp = other.emit(*down(2, 7, 304, 170, 85))
    lines = listener.after(other)
    assert [line["event"] for line in lines] == ["contact", "weight", "press", "heaviest"]
    assert all((line["device"], line["time"]) == (added["device"], stamp) for line in lines)
    assert lines[0]["contact"] == 7


def test_a_pad_unplugged_during_a_touch_cancels_its_contacts(bed, pad, listener):
    other = MockPad(bed, 1).plug()
    added = listener.until(event="device", change="added")[-1]
    other.emit(*down(0, 9, 608, 340, 20))
    listener.until(event="heaviest", device=added["device"])
    pad.emit(*down(0, 45, 608, 340, 51), *down(1, 46, 304, 170, 102))
    listener.until(event="heaviest", contact=46)

    pad.unplug()
    lines = listener.until(event="device")
    assert {line["device"] for line in lines} == {listener.present[0]["device"]}
    assert [line["event"] for line in lines] == [
        "weight", "press", "heaviest", "contact", "contact", "device",
    ]  # fmt: skip
    weight, pressed, heaviest, *ended, removed = lines
    assert (pressed["contact"], pressed["state"]) == (46, "cancelled")
    assert (weight["contacts"], weight["heaviest"]) == ([], None)
    assert (heaviest["contact"], heaviest["previous"]) == (None, 46)
    assert [(line["contact"], line["phase"]) for line in ended] == [
        (45, "cancelled"), (46, "cancelled"),
    ]  # fmt: skip
    assert removed["change"] == "removed"
    times = [line["time"] for line in lines]
    assert times == sorted(times)

    (left,) = listener.ask("devices")["result"]
    assert left["device"] == added["device"]
    other.emit(*press(0, 30))
    assert of_kind(listener.after(other), "weight")[0]["contacts"][0]["raw"] == 30


def test_a_pad_that_is_plugged_in_again_keeps_its_name(bed, pad, listener):
    name = listener.present[0]["device"]
    for _ in range(3):
        pad.unplug()
        pad = MockPad(bed).plug()
        removed, added = listener.until(event="device", change="added")[-2:]
        assert (removed["change"], removed["device"], added["device"]) == ("removed", name, name)
        pad.emit(*down(0, 45, 608, 340, 51))
        assert of_kind(listener.after(pad), "contact")[0]["phase"] == "began"


def test_a_pad_replaced_while_the_daemon_is_busy_is_reopened(bed, pad, start):
    daemon = start()
    client = daemon.connect()
    client.subscribe_to_all()
    daemon.pause()
    pad.unplug()
    other = MockPad(bed, name="Other Pad").plug()
    daemon.resume()
    removed, added = client.until(event="device", change="added")
    assert (removed["name"], added["name"]) == ("Mock Pad", "Other Pad")
    other.wait_open(True)


PLACE = "pad-by-place"


def test_a_pad_specified_by_path_is_found_there_again(bed, start):
    pad = MockPad(bed).plug()
    daemon = start("--device", pad.link(PLACE))
    client = daemon.connect()
    device, *_ = client.subscribe_to_all()
    assert device["node"] == f"/dev/input/{PLACE}"
    for number in (1, 0):
        other = MockPad(bed, 5 + number, name="Another").plug()
        pad.unplug()
        assert client.until(event="device")[-1]["change"] == "removed"
        pad = MockPad(bed, number).plug()
        # The node exists before its link.
        settle(client)
        pad.link(PLACE)
        assert client.until(event="device")[-1]["change"] == "added"
        pad.emit(*down(0, 45, 608, 340, 51))
        assert of_kind(client.after(pad), "contact")[0]["phase"] == "began"
        other.wait_open(False)
    assert len(client.ask("devices")["result"]) == 1


def test_a_pad_whose_reads_fail_is_removed_even_without_a_hangup(pad, listener):
    pad.emit(*down(0, 45, 608, 340, 51))
    listener.until(event="heaviest", contact=45)
    pad.die()
    *_, ended, removed = listener.until(event="device")
    assert (ended["phase"], removed["change"]) == ("cancelled", "removed")
    assert pad.asked[-1] == ("read", "ENODEV")
    pad.wait_open(False)
    assert listener.ask("devices")["result"] == []


def test_other_kinds_of_nodes_are_ignored(bed, start):
    # Another node for the same device, and names that only have the same prefix.
    for name in ("mouse0", "js0", "event", "eventually", "event1x", "by-path"):
        os.mkfifo(f"{bed.folder}/{name}")
    daemon = start()
    client = daemon.connect()
    assert client.snapshot() == []
    os.mkfifo(f"{bed.folder}/mouse1")
    MockPad(bed, 12).plug()
    (added,) = client.until(event="device")
    assert added["node"] == "/dev/input/event12"
    assert "mouse1" not in daemon.log


def test_dev_input_may_disappear_and_reappear(bed, pad, start):
    client = start().connect()
    client.snapshot()
    for _ in range(2):
        pad.unplug()
        client.until(event="device", change="removed")
        with bed.folder_can_be_opened():
            bed.hide_folder()
            settle(client)
            bed.show_folder()
            settle(client)
        pad = MockPad(bed).plug()
        (added,) = client.until(event="device")
        assert added["change"] == "added"


def settle(client):
    """Lets the event loop run once: earlier input is processed when the last reply arrives."""
    for _ in range(3):
        client.ask("ping")


def test_a_pad_added_during_an_inotify_overflow_is_noticed(bed, start):
    with open("/proc/sys/fs/inotify/max_queued_events", encoding="ascii") as file:
        room = int(file.read())
    if room > 100_000:
        pytest.skip(f"the inotify queue has {room} entries, too many to fill")
    daemon = start()
    client = daemon.connect()
    client.snapshot()
    daemon.pause()
    for number in range(room + 1):
        path = f"{bed.folder}/other{number}"
        os.close(os.open(path, os.O_CREAT))
        os.unlink(path)
    # There is no inotify event for this.
    pad = MockPad(bed).plug()
    daemon.resume()
    assert client.until(event="device")[-1]["change"] == "added"
    pad.emit(*down(0, 45, 608, 340, 51))
    assert of_kind(client.after(pad), "contact")
