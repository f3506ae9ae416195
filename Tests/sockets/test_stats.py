"""The counters of the daemon match what has happened."""

from contract import SCHEMA
from daemon import wait_until
from recording import DEVICE, Recording

DAEMON_KEYS, DEVICE_KEYS, CLIENT_KEYS = (
    list(SCHEMA["$defs"][f"{part}_counts"]["properties"]) for part in ("daemon", "device", "client")
)


def stats(client):
    return client.ask("stats")["result"]


def of(result, you=True):
    (one,) = [client for client in result["clients"] if client["you"] is you]
    return one


def touched():
    """Twenty-two frames after a second, and then nothing for an hour."""
    return Recording().pause(1000).touch(range(20, 40)).wait(3_600_000).report()


def test_all_counters_exist(serve):
    daemon = serve(touched())
    first, second = daemon.connect(), daemon.connect()
    first.ask("ping")
    result = stats(second)
    assert list(result) == ["daemon", "devices", "clients"]
    assert list(result["daemon"]) == DAEMON_KEYS
    assert [list(device) for device in result["devices"]] == [DEVICE_KEYS]
    assert [list(client) for client in result["clients"]] == [CLIENT_KEYS] * 2
    assert [client["you"] for client in result["clients"]] == [False, True]
    assert result["daemon"]["accepted"] == 2 and result["daemon"]["wake_ups"] > 0
    assert result["daemon"]["uptime"] >= of(result, False)["uptime"] >= of(result)["uptime"] >= 0


def test_frames_and_lines_are_counted(serve):
    client = serve(touched()).connect()
    client.ask("subscribe max_hz=0")
    received = client.until(lambda line: line.get("contacts") == [])
    received += client.until(lambda line: line["event"] == "contact")
    result = stats(client)
    device, you = result["devices"][0], of(result)
    assert device["device"] == DEVICE
    # The pause, twenty frames, and the lift.
    assert (device["frames"], device["dropped"]) == (22, 0)
    assert device["events"] == result["daemon"]["events"] > 22
    # The lines of two replies and a greeting; timed events of the scale may have been sent since.
    assert device["lines"] >= len(received) - 1
    assert you["lines"] >= len(received) + 3
    assert (you["requests"], you["faults"], you["missed"], you["waiting"]) == (2, 0, 0, 0)
    assert result["daemon"]["lines"] == you["lines"]
    assert you["bytes"] == result["daemon"]["bytes"] > device["bytes"] > 0


def test_bytes_and_lines_are_those_received_by_a_client(serve):
    client = serve(Recording().pause(3_600_000).report()).connect("subscribe events=", "ping", "no")
    lines, size = 0, 0
    while lines < 5:
        size += len(client.raw_line())
        lines += 1
    you = of(stats(client))
    assert (you["lines"], you["bytes"]) == (lines, size)
    assert (you["requests"], you["faults"]) == (4, 1)


def test_rate_limited_readings_are_not_missed(serve):
    client = serve(touched()).connect()
    client.ask("subscribe events=weight max_hz=1")
    client.until(lambda line: line.get("contacts") == [])
    you = of(stats(client))
    assert you["replaced"] == 19
    assert you["missed"] == 0


def test_disconnected_clients_stay_in_the_totals(serve):
    daemon = serve(touched())
    client = daemon.connect()
    client.ask("ping", "ping")
    client.close()
    daemon.wait_for_no_clients()
    result = stats(daemon.connect())
    assert result["daemon"]["requests"] == 3 and result["daemon"]["accepted"] == 2
    assert len(result["clients"]) == 1
    assert result["daemon"]["lines"] > of(result)["lines"]


def test_refused_and_disconnected_clients_are_counted(serve_pad, pad):
    daemon = serve_pad(config="socket: { client_buffer_kib: 4, max_clients: 2 }\n")
    stalled, other = (daemon.connect("subscribe events=") for _ in range(2))
    stalled.reply()
    other.reply()
    daemon.connect().rest()
    # Not earlier: it would make space for the client that is to be refused.
    stalled.send("subscribe events=contact")

    def is_stuck():
        for _ in range(400):
            pad.lay(60)
            pad.lift()
        return stats(other)["daemon"]["stuck"] == 1

    wait_until(is_stuck)
    result = stats(other)["daemon"]
    assert (result["accepted"], result["refused"]) == (2, 1)
    assert result["missed"] >= 1
    # It is notified before its connection is closed.
    assert stalled.whole_lines()[-1]["event"] in ("contact", "missed")
