"""`pressured weigh`: in a terminal, with its output in a pipe, and once."""

import csv
import json
import os
import re
import signal

import pytest
from connection import DEADLINE
from daemon import wait_until
from recording import DEVICE
from test_calibrate import lay


@pytest.fixture
def weigh(start):
    """Starts the program with its output in a pipe."""
    return lambda daemon, *arguments, **settings: start("weigh", "--socket", daemon.path, *arguments, TERM="xterm", **settings)


@pytest.fixture
def weigh_in_terminal(in_terminal):
    return lambda daemon, **settings: in_terminal("weigh", "--socket", daemon.path, **settings)


def outcome(process):
    output, errors = process.communicate(timeout=DEADLINE)
    return process.returncode, output, errors


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, strict=True))


def test_once_prints_one_stable_reading(serve_pad, weigh, pad):
    daemon = serve_pad()
    process = weigh(daemon, "--once")
    hint = "pressured: nothing is on the scale: waiting at most 10 s for a load at rest\n"
    assert process.stderr.readline() == hint
    pad.lay(51)
    assert outcome(process) == (0, "≈ 77.0 g\n", "")
    assert outcome(weigh(daemon, "--once")) == (0, "≈ 77.0 g\n", "")
    assert outcome(weigh(daemon, "--once", "--unit", "kg"))[1] == "≈ 0.0770 kg\n"
    assert outcome(weigh(daemon, "--once", "--unit", "N", "--device", DEVICE))[1] == "≈ 0.755 N\n"
    reading = json.loads(outcome(weigh(daemon, "--once", "--json"))[1])
    assert (reading["device"], reading["status"], reading["grams"]) == (DEVICE, "stable", 77)


def test_a_timeout_has_status_75(serve_pad, weigh):
    daemon = serve_pad()
    status, output, errors = outcome(weigh(daemon, "--once", "--timeout", "0.2"))
    assert (status, output) == (75, "")
    hint, failure = errors.splitlines()
    assert hint == "pressured: nothing is on the scale: waiting at most 0.2 s for a load at rest"
    assert failure == "pressured: no stable reading came within 200 ms; the scale is stable_zero: nothing heavier than zero_grams is on it"
    status, _, errors = outcome(weigh(daemon, "--timeout", "0.2"))
    assert status == 75
    assert "no stable reading came within 0.2 s" in errors


@pytest.mark.parametrize("is_daemon_over", [False, True])
def test_it_ends_with_the_reader_of_the_pipe_though_nothing_happens(serve_pad, weigh, is_daemon_over):
    daemon = serve_pad()
    process = weigh(daemon)
    assert process.stdout.readline() == "≈ 0.0 g  zero\n"
    if is_daemon_over:
        daemon.terminate()
        assert "waiting for it" in process.stderr.readline()
    process.stdout.close()
    assert process.wait(DEADLINE) == 0


def test_a_pipe_receives_lines(serve_pad, weigh, pad):
    daemon = serve_pad()
    process = weigh(daemon, "--target", "77", "--tolerance", "1")
    assert process.stdout.readline() == "≈ 0.0 g  zero, target 77.0 ± 1.0 g: ≈ 77.0 g to go\n"
    pad.lay(51)
    lines = []
    while not lines or "stable" not in lines[-1]:
        lines.append(process.stdout.readline())
        assert lines[-1], lines
    assert lines[-1] == "≈ 77.0 g  stable, target 77.0 ± 1.0 g: reached\n"
    assert len(set(lines)) == len(lines), "duplicate lines"
    pad.press(255)
    while not lines[-1].startswith("≈ 385.0+ g  over the maximum"):
        lines.append(process.stdout.readline())
        assert lines[-1], lines
    assert not any("\x1b" in line for line in lines)
    process.stdout.close()
    pad.lift()
    assert process.wait(DEADLINE) in (0, -signal.SIGPIPE), "it exits when the pipe is closed"


def test_json_output_has_the_lines_of_the_daemon(serve_pad, weigh, pad):
    daemon = serve_pad()
    process = weigh(daemon, "--json")
    pad.lay(51)
    while (line := json.loads(process.stdout.readline()))["status"] != "stable":
        assert line["event"] == "scale"
    assert line["grams"] == 77
    # It is at rest now: a later program receives it at once, in an object with the same fields.
    resting = json.loads(weigh(daemon, "--json").stdout.readline())
    once = json.loads(outcome(weigh(daemon, "--once", "--json"))[1])
    assert list(resting) == list(once) == list(line)
    assert (resting["event"], resting["device"], resting["grams"]) == ("scale", DEVICE, 77)
    assert once == {**resting, "time": once["time"]}


def test_a_target_whose_comma_has_two_readings_is_refused(serve_pad, weigh):
    status, _, errors = outcome(weigh(serve_pad(), "--target", "1,000 g"))
    assert (status, errors.splitlines()[0]) == (64, "Error: 1,000 g may be 1000 or 1.000; write the one that it is")


def test_a_target_does_not_affect_other_clients(serve_pad, weigh, pad):
    daemon = serve_pad()
    pad.lay(51)
    process = weigh(daemon, "--json", "--target", "78", "--tolerance", "1.5")
    aim = {"grams": 78, "tolerance": 1.5}
    while (line := json.loads(process.stdout.readline()))["status"] != "stable":
        assert line["target"] == {**aim, "within": line["grams"] >= 76.5}
    assert line["target"] == {**aim, "within": True}
    once = json.loads(outcome(weigh(daemon, "--once", "--json", "--target", "78", "--tolerance", "1.5"))[1])
    assert once["target"] == {**aim, "within": True}
    assert daemon.connect().ask("target")["result"] is None
    assert "target" not in weigh(daemon).stdout.readline()


def test_a_failure_leaves_the_log_unchanged(run, folder, serve_pad, weigh):
    path = os.path.join(folder, "log.csv")
    assert run("weigh", "--once", "--socket", os.path.join(folder, "nobody"), "--log", path).status == 69
    assert not os.path.exists(path)
    # The same with a daemon, but without a scale.
    assert outcome(weigh(serve_pad(), "--once", "--timeout", "0.2", "--log", path))[0] == 75
    assert not os.path.exists(path)


def test_the_log_is_csv(serve_pad, weigh, pad, folder):
    daemon = serve_pad()
    path = os.path.join(folder, "log.csv")
    process = weigh(daemon, "--log", path, "--unit", "oz")
    for raw in [51, 102]:
        pad.lay(raw)
        wait_until(lambda: os.path.exists(path) and len(rows(path)) == (2 if raw == 51 else 3))
        pad.lift()
    process.kill()
    with open(path, "rb") as file:
        content = file.read()
    assert content.count(b"\r\n") == content.count(b"\n") == 3
    header, *readings = rows(path)
    assert header == [
        "time (UTC)", "device", "status", "net (oz)", "gross (oz)", "tare (oz)", "error (oz)",
        "weight source", "repeat (oz)",
    ]
    assert [row[1:] for row in readings] == [
        [DEVICE, "stable", weight, weight, "0.000", "", "nominal", ""] for weight in ("2.716", "5.432")
    ]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row[0]) for row in readings)

    # Existing lines are kept.
    status, _, errors = outcome(weigh(daemon, "--once", "--log", path))
    assert status == 73
    assert f"{path} exists already; remove it first" in errors
    with open(path, "rb") as file:
        assert file.read() == content


def test_an_unwritable_log_ends_it(serve_pad, weigh):
    status, _, errors = outcome(weigh(serve_pad(), "--log", "/nowhere/log.csv"))
    assert (status, "cannot create /nowhere/log.csv" in errors) == (73, True)


# MARK: in a terminal


def test_digits_are_large_and_keys_send_requests(serve_pad, weigh_in_terminal, pad):
    session = weigh_in_terminal(serve_pad())
    session.wait_for("zero")
    pad.lay(51)
    session.wait_for("  stable\n")
    assert "██████" in session.text
    session.type("t")
    session.wait_for("tare ≈ 77.0 g")
    session.type("u")
    session.wait_for("tare 0.0 g")
    session.type("h")
    session.wait_for("held")
    session.type("h")
    session.wait_for("  stable\n")
    session.type("n")
    session.wait_for("gross ≈ 0.0770 kg")
    session.type("z")
    session.wait_for("try tare")
    session.type("q")
    assert session.wait() == 0
    assert session.settings == session.before
    assert session.text.rstrip().endswith("\x1b[?1049l"), "the screen is restored"


def test_a_key_checks_the_calibration(serve_pad, weigh_in_terminal, pad):
    daemon = serve_pad()
    client = daemon.connect()
    assert client.ask("calibrate step=begin")["ok"]
    for grams, raw in {20: 45, 100: 205}.items():
        lay(client, pad, grams, raw)
    assert client.ask("calibrate step=finish")["ok"]
    assert client.event("device", change="changed")["weight_source"] == "calibrated"
    session = weigh_in_terminal(daemon)
    session.wait_for("zero")
    pad.lay(105)
    session.wait_for("  stable\n", "absolute ±")
    session.type("c")
    session.wait_for("What does it weigh? (a weight, undo, or Esc) _")
    session.type("512\x7f\x7f0t\x7f\r")
    session.wait_for("50.0 g, +0.0; last checks +0.0 today")
    session.type("cundo\r")
    session.wait_for("Taken back; no checks")
    session.type("ca plum\r")
    session.wait_for("That is not a weight")
    session.type("c5")
    session.wait_for("Esc) 5_")
    session.type("\x1b")
    wait_until(lambda: "Esc)" not in session.screen)
    session.type("q")
    assert session.wait() == 0


def test_the_terminal_is_restored(serve_pad, weigh_in_terminal):
    session = weigh_in_terminal(serve_pad())
    session.wait_for("zero")
    session.kill(signal.SIGTERM)
    session.wait()
    assert session.settings == session.before
    assert session.text.rstrip().endswith("\x1b[?1049l")
