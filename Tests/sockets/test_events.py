"""A pipe with the records of a device node: `pressured run --events`."""

import os

import pytest
from codes import INPUT_EVENT
from connection import assert_times_never_run_backwards, events_of
from daemon import wait_until
from pad import can_open, now
from program import is_idle
from recording import ABS, DEVICE, HEADER, PRESSURE, SLOT, SYN, TRACKING_ID, X, Y


def record(stamp, kind, code, value):
    return INPUT_EVENT.pack(*divmod(stamp, 1_000_000), kind, code, value)


def frame(stamp, *values):
    """The records of one frame: (code, value) pairs and the report that ends them."""
    return b"".join(record(stamp, ABS, *value) for value in values) + record(stamp, SYN, 0, 0)


def touch(stamp, slot=0, contact=7, pressure=100):
    return frame(
        stamp, (SLOT, slot), (TRACKING_ID, contact), (X, 500), (Y, 300), (PRESSURE, pressure)
    )


@pytest.fixture
def writer(pipe):
    """Opens the pipe for writing, repeatedly if needed; the daemon must already be reading it."""
    open_ends = []

    def writer():
        wait_until(lambda: can_open(pipe))
        end = open(pipe, "wb", buffering=0)
        open_ends.append(end)
        return end

    yield writer
    for end in open_ends:
        end.close()


@pytest.fixture
def client(serve_pipe):
    """A client that receives every frame, of a daemon with an empty configuration."""
    client = serve_pipe(config="").connect("subscribe max_hz=0")
    client.reply()
    return client


def test_the_pipe_is_a_device_whose_records_may_arrive_in_pieces_of_any_size(client, writer):
    end = writer()
    stamp = now()
    for byte in touch(stamp) + frame(stamp + 1, (PRESSURE, 200)):
        end.write(bytes([byte]))
    added = client.line()
    assert (added["event"], added["change"], added["device"]) == ("device", "added", DEVICE)
    began = client.event("contact", phase="began", contact=7)
    assert began["time"] == stamp
    assert client.event("weight", time=stamp)["contacts"][0]["raw"] == 100
    assert client.event("weight", time=stamp + 1)["contacts"][0]["raw"] == 200


def test_closing_the_pipe_cancels_contacts_removes_the_device_and_causes_no_wakeups(serve_pipe, writer):
    daemon = serve_pipe()
    client = daemon.connect("subscribe max_hz=0")
    client.reply()
    end = writer()
    end.write(touch(now()) + record(now(), ABS, PRESSURE, 3)[:11])
    client.event("weight")
    end.close()
    lines = client.until(lambda line: line["event"] == "device")
    assert events_of(lines, "contact")[-1]["phase"] == "cancelled"
    assert lines[-1]["change"] == "removed"
    assert_times_never_run_backwards(lines)
    assert client.ask("devices")["result"] == []
    wait_until(lambda: is_idle(daemon.process.pid))


def test_the_pipe_serves_one_writer_after_another(client, writer):
    lines = []
    for contact in range(5):
        end = writer()
        end.write(touch(now(), slot=contact, contact=contact))
        lines += client.until(lambda line: line["event"] == "weight")
        assert lines[-1]["contacts"][0]["slot"] == contact
        end.close()
        lines += client.until(lambda line: line["event"] == "device")
        assert lines[-1]["change"] == "removed"
    assert_times_never_run_backwards(lines)


def test_events_written_before_the_first_client_are_known(serve_pipe, writer):
    daemon = serve_pipe()
    writer().write(touch(now(), slot=3, contact=40))
    wait_until(lambda: daemon.connect().ask("devices")["result"])
    lines = daemon.connect().until(lambda line: line["event"] == "contact")
    assert lines[1]["change"] == "present"
    assert (lines[2]["contact"], lines[2]["slot"], lines[2]["present"]) == (40, 3, True)


def test_times_of_another_clock_are_moved_to_the_present(client, writer):
    before = now()
    stamp = 1_700_000_000_000_000
    writer().write(touch(stamp) + frame(stamp + 8000, (PRESSURE, 3)))
    lines = client.until(lambda line: line["event"] == "weight")
    lines += client.until(lambda line: line["event"] == "weight")
    readings = events_of(lines, "weight")
    assert before <= readings[0]["time"] <= now()
    assert readings[1]["time"] - readings[0]["time"] == 8000
    assert_times_never_run_backwards(lines)


def test_random_bytes_do_no_harm(serve_pipe, writer):
    daemon = serve_pipe()
    client = daemon.connect("subscribe max_hz=0 events=device")
    client.reply()
    end = writer()
    # A stride that does not divide the size of a record makes every field receive every byte.
    end.write(bytes((i * 37 + i * i // 11) % 256 for i in range(48_001)))
    end.close()
    client.event("device", change="removed")
    assert client.ask("ping")["ok"]


def test_an_endless_frame_is_dropped(client, writer):
    stamp = now()
    flood = b"".join(record(stamp, ABS, TRACKING_ID, i % 2) for i in range(70_000))
    writer().write(flood + frame(stamp) + touch(stamp + 1, contact=9))
    assert client.event("contact")["contact"] == 9


IGNORED = 'devices: [{ match: "*", ignore: true }]\n'


def test_an_ignored_device_is_removed_once_untouched_and_returns(client, writer, reload):
    end = writer()
    end.write(touch(now(), slot=2))
    client.event("weight")
    assert reload(client, IGNORED)["ok"]
    end.write(frame(now(), (PRESSURE, 3)))
    assert client.event("weight")["contacts"][0]["raw"] == 3
    end.write(frame(now(), (TRACKING_ID, -1)))
    lines = client.until(lambda line: line["event"] == "device")
    assert [line["phase"] for line in events_of(lines, "contact")] == ["ended"]
    assert lines[-1]["change"] == "removed"
    # No event is reported for an ignored device, but its slot is not selected again.
    end.write(frame(now(), (SLOT, 4), (TRACKING_ID, 8)) + frame(now(), (TRACKING_ID, -1)))
    assert client.ask("devices")["result"] == []
    assert reload(client, "")["ok"]
    # Not only with the next touch.
    assert len(client.ask("devices")["result"]) == 1
    end.write(frame(now(), (TRACKING_ID, 9), (PRESSURE, 30)))
    began = client.event("contact")
    assert (began["phase"], began["contact"], began["slot"]) == ("began", 9, 4)
    # Bare.
    end.write(frame(now(), (TRACKING_ID, -1)))
    client.event("contact", phase="ended")
    assert reload(client, IGNORED)["ok"]
    assert client.event("device")["change"] == "removed"
    assert client.ask("devices")["result"] == []


def test_a_quirk_added_later_keeps_the_position_in_the_stream(client, writer, reload, write):
    end = writer()
    end.write(touch(now(), slot=3) + frame(now(), (TRACKING_ID, -1)))
    assert client.event("device")["capability"] == "size"
    client.event("contact", phase="ended")
    write("quirks: [{ title: It is one, MatchVendor: 0x06CB, ModelPressurePad: 1 }]\n", "quirks.yaml")
    assert reload(client, "quirks_file: quirks.yaml\n")["ok"]
    assert client.event("device", change="changed")["capability"] == "force"
    end.write(frame(now(), (TRACKING_ID, 9), (PRESSURE, 30)))
    assert client.event("contact")["slot"] == 3


def test_unusable_inputs_are_refused_with_a_message(run, folder, pipe, write):
    def refused(*arguments):
        return run("run", "--socket", os.path.join(folder, "s"), *arguments)

    describe = write(HEADER.format(resolution=0))
    status, _, sentence = refused("--events", pipe)
    assert (status, "--describe" in sentence) == (64, True)
    status, _, sentence = refused("--events", describe, "--describe", describe)
    assert (status, "is not a pipe" in sentence) == (66, True)
    status, _, sentence = refused("--events", pipe, "--describe", folder + "/none")
    assert status == 66
    status, _, sentence = refused(
        "--events", pipe, "--describe", describe, "--replay", describe
    )
    assert (status, "exclude" in sentence) == (64, True)
