"""Calibrating by requests: step by step, interrupted at any step, and stored or not."""

import os
import re
import time

import pytest

from connection import assert_error
from daemon import wait_until
from recording import DEVICE

# A sensor with 2 units per gram and an offset of 5.
WEIGHTS = {20: 45, 50: 105, 100: 205}


@pytest.fixture
def state(folder):
    return os.path.join(folder, "state")


def step(client, name, **more):
    return client.ask({"do": "calibrate", "step": name, **more})


def lay_all(client, pad):
    # Readings are not needed, and each line is validated.
    assert client.ask("subscribe events=contact,device")["ok"]
    assert step(client, "begin")["ok"]
    for grams, raw in WEIGHTS.items():
        reply = lay(client, pad, grams, raw)
    return reply["result"]


def lay(client, pad, grams, raw):
    """Puts one weight on the pad, and repeats the request until it was in place for long enough."""
    pad.lay(raw)

    def measured():
        reply = step(client, "point", grams=grams)
        return reply if reply["ok"] or "leave it at rest" not in reply["error"]["message"] else None

    reply = wait_until(measured)
    assert reply["ok"], reply
    pad.lift()
    return reply


def weight_source(client):
    return client.ask("devices")["result"][0]["weight_source"]


def test_a_bare_pad_and_three_weights_make_a_calibration(serve_pad, pad, state):
    daemon = serve_pad("--state", state)
    client = daemon.connect()
    result = lay_all(client, pad)
    assert list(result) == ["device", "points", "checks", "fit", "refusal"]
    assert result["device"] == DEVICE
    assert [point["grams"] for point in result["points"]] == [0, 20, 50, 100]
    assert [point["raw"] for point in result["points"]] == [0, 45, 105, 205]
    fit = result["fit"]
    assert list(fit) == [
        "shape", "error_grams", "worst_grams", "worst_at_grams", "rmse_grams", "r2", "line", "budget_at_grams",
        "budget",
    ]
    # A pad that reports 5 units at the slightest contact sends nothing when bare: that zero is not measured.
    assert [point["assumed"] for point in result["points"]] == [True, False, False, False]
    assert [round(raw) for _, raw in fit["line"]] == [5, 45, 105, 205]
    assert fit["shape"] == "pieces"
    assert 0 < fit["error_grams"] < 10
    assert fit["budget_at_grams"] == 100
    assert all(part["grams"] >= 0 for part in fit["budget"])
    assert weight_source(client) == "nominal"

    done = step(client, "finish")
    assert done["ok"] and done["result"] == {**result, "stored": True}
    changed = client.event("device", change="changed")
    assert changed["weight_source"] == "calibrated"
    assert weight_source(client) == "calibrated"
    client.close()

    # It applies to later clients, on the same pad, and to the next daemon.
    daemon.wait_for_no_clients()
    for later in [daemon, None]:
        if later is None:
            daemon.terminate()
            later = serve_pad("--state", state)
        client = later.connect()
        assert client.event("device")["weight_source"] == "calibrated"
        pad.lay(45)
        assert client.event("weight", heaviest=pad.contact)["total_grams"] == 20
        pad.lift()
        client.close()
        later.wait_for_no_clients()


def test_an_unfinished_calibration_changes_nothing(serve_pad, pad, state):
    daemon = serve_pad("--state", state)
    watcher = daemon.connect()
    client = daemon.connect()
    lay_all(client, pad)
    assert_error(step(watcher, "begin"), "busy")
    assert_error(step(watcher, "cancel"), "busy")
    client.close()
    # The daemon may not have noticed yet.
    reply = wait_until(lambda: (reply := step(watcher, "begin"))["ok"] and reply)
    assert [point["grams"] for point in reply["result"]["points"]] == [0]
    assert step(watcher, "cancel")["result"] == {}
    assert_error(step(watcher, "finish"), "failed")
    assert weight_source(watcher) == "nominal"
    assert not os.path.exists(state)


def calibrated(client, pad):
    lay_all(client, pad)
    result = step(client, "finish")["result"]
    assert client.event("device", change="changed")["weight_source"] == "calibrated"
    return result


def check(client, pad, grams, raw, **more):
    """Puts a known weight on a pad that is calibrated or being so, and compares the two."""
    pad.lay(raw)

    def checked():
        reply = step(client, "check", grams=grams, **more)
        return reply if reply["ok"] or not re.search("in motion|at rest", reply["error"]["message"]) else None

    reply = wait_until(checked)
    pad.lift()
    return reply["result"]


def test_checks_make_the_error_smaller_and_are_stored(serve_pad, pad, state):
    daemon = serve_pad("--state", state)
    client = daemon.connect()
    assert_error(step(client, "check", grams=50), "failed")
    fit = calibrated(client, pad)["fit"]
    results = [check(client, pad, 50, 105, weights_percent=0.5) for _ in range(3)]
    for number, result in enumerate(results, 1):
        assert result["stored"] and not result["contradicted"] and len(result["checks"]) == number
    assert results[-1]["fit"]["error_grams"] < fit["error_grams"]
    last = results[-1]["checks"][-1]
    assert (last["grams"], last["shown"], last["deviation"], last["weights_percent"]) == (50, 50, 0, 0.5)
    assert abs(last["date"] - time.time()) < 3600
    # A tripled weight contradicts the calibration; it can be taken back.
    wrong = check(client, pad, 30, 205)
    assert wrong["contradicted"] and wrong["fit"]["error_grams"] > results[-1]["fit"]["error_grams"]
    back = step(client, "drop")
    assert back["result"] == {key: value for key, value in results[-1].items() if key != "contradicted"}
    client.close()
    daemon.terminate()
    client = serve_pad("--state", state).connect()
    assert check(client, pad, 50, 105)["checks"][:3] == back["result"]["checks"]
    for _ in range(4):
        assert step(client, "drop")["ok"]
    assert_error(step(client, "drop"), "failed")


def test_a_calibration_in_progress_can_be_checked(serve_pad, pad, state):
    client = serve_pad("--state", state).connect()
    lay_all(client, pad)
    reply = check(client, pad, 50, 105)
    assert [c["grams"] for c in reply["checks"]] == [50] and not reply["contradicted"] and "stored" not in reply
    assert step(client, "drop")["result"]["checks"] == []
    assert weight_source(client) == "nominal"
