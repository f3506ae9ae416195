"""Both uses of socat in the manual of the protocol, as documented."""

import json
import shlex
import subprocess

import pytest

from connection import DEADLINE, assert_times_never_run_backwards, events_of, lines_of, parsed
from recording import DEVICE, Recording


@pytest.fixture
def held(serve):
    """A daemon with two fingers down for a long time, and a client that has received them."""
    daemon = serve(Recording().pause(1).hold())
    daemon.connect().event("heaviest")
    return daemon


def shell(command, **settings):
    return subprocess.run(
        ["bash", "-c", command], stdout=subprocess.PIPE, timeout=DEADLINE, **settings
    )


def test_a_stream_needs_no_request(serve):
    daemon = serve(Recording().pause(100).touch([40, 80, 120, 80, 40]))
    with subprocess.Popen(
        ["socat", "-u", f"UNIX-CONNECT:{daemon.path}", "-"], stdout=subprocess.PIPE
    ) as socat:
        lines = []
        while not lines or lines[-1].get("phase") != "ended":
            lines.append(parsed(socat.stdout.readline()))
        daemon.terminate()
        assert socat.wait(DEADLINE) == 0
    assert [line["event"] for line in lines[:5]] == [
        "hello", "device", "contact", "weight", "heaviest",
    ]
    hello, device, began = lines[:3]
    assert list(hello) == ["event", "protocol", "version", "clock", "commands", "events"]
    assert hello["protocol"] == 1
    assert hello["clock"] == "monotonic"
    assert {"help", "ping", "version", "devices", "state", "subscribe"} <= set(hello["commands"])
    assert {"hello", "device", "contact", "weight", "max_force", "heaviest", "missed", "reply"} <= set(
        hello["events"]
    )
    assert list(device) == [
        "event", "time", "device", "change", "name", "node", "slots", "capability", "per_contact",
        "weight_source", "pressure", "effective_maximum", "size_mm", "haptics", "simulated_press",
        "verdict",
    ]
    assert device["change"] == "present"
    assert device["device"] == DEVICE
    assert list(began) == [
        "event", "time", "device", "slot", "contact", "phase", "x", "y", "x_mm", "y_mm",
    ]
    weight = events_of(lines, "weight")[0]
    assert list(weight) == [
        "event", "time", "device", "contacts", "total_grams", "center_x", "center_y", "heaviest",
        "shared_sensor",
    ]
    assert list(weight["contacts"][0]) == [
        "slot", "contact", "phase", "x", "y", "x_mm", "y_mm", "raw", "ratio", "force",
        "maximum_possible_force", "grams", "saturated",
    ]
    ended = lines[-1]
    assert list(ended)[-3:] == ["peak_force", "peak_grams", "duration"]
    assert_times_never_run_backwards(lines)


def test_a_request_is_answered_and_socat_exits(held):
    result = shell(f"echo state | socat - UNIX-CONNECT:{shlex.quote(held.path)}")
    assert result.returncode == 0
    # The scale may become stable just before the request is read.
    lines = [line for line in lines_of(result.stdout) if line["event"] != "scale"]
    assert [line["event"] for line in lines] == ["hello", "device", "contact", "contact", "reply"]
    assert all(list(line).index("present") == 6 for line in lines[2:4])
    assert all(line["phase"] == "began" and line["present"] is True for line in lines[2:4])
    reply = lines[-1]
    assert list(reply) == ["event", "id", "do", "ok", "result"]
    assert (reply["id"], reply["do"], reply["ok"]) == (None, "state", True)
    (state,) = reply["result"]
    assert list(state) == ["device", "contacts", "heaviest", "scale"]
    assert [contact["phase"] for contact in state["contacts"]] == ["stationary"] * 2
    assert state["heaviest"] == state["contacts"][1]["contact"]


def test_the_reply_is_selected_with_jq(held):
    result = shell(
        f"echo state | socat - UNIX-CONNECT:{shlex.quote(held.path)}"
        " | jq -r 'select(.event == \"reply\").result[].heaviest'"
    )
    assert result.stdout == b"2\n"


def test_a_json_request_is_answered_too(held):
    request = json.dumps({"do": "state", "id": 7, "device": DEVICE})
    result = shell(
        f"echo {shlex.quote(request)} | socat - UNIX-CONNECT:{shlex.quote(held.path)}"
    )
    assert result.returncode == 0
    assert lines_of(result.stdout)[-1]["id"] == 7


def test_an_unterminated_last_line_is_a_request_too(held):
    result = shell(f"printf state | socat - UNIX-CONNECT:{shlex.quote(held.path)}")
    assert result.returncode == 0
    assert lines_of(result.stdout)[-1]["do"] == "state"


def test_a_request_ends_by_itself_while_fingers_move(serve):
    recording = Recording()
    for _ in range(50):
        recording.touch(range(20, 220, 2), milliseconds=2)
    daemon = serve(recording, "--loop")
    for _ in range(3):
        result = shell(f"echo ping | socat - UNIX-CONNECT:{shlex.quote(daemon.path)}")
        assert result.returncode == 0
        assert [line["do"] for line in events_of(lines_of(result.stdout), "reply")] == ["ping"]
