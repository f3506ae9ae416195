"""`pressured weigh`: in a terminal, with its output in a pipe, and once."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess

import pytest
from connection import DEADLINE
from daemon import environment, wait_until
from recording import DEVICE


@pytest.fixture
def weigh(program, folder):
    """Starts the program with its output in a pipe."""
    processes = []

    def weigh(daemon, *arguments, program=program, **settings):
        processes.append(
            subprocess.Popen(
                [program, "weigh", "--socket", daemon.path, *arguments],
                env=environment(folder, TERM="xterm"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                **settings,
            )
        )
        return processes[-1]

    yield weigh
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def weigh_in_terminal(in_terminal):
    return lambda daemon, **settings: in_terminal("weigh", "--socket", daemon.path, **settings)


def outcome(process):
    output, errors = process.communicate(timeout=DEADLINE)
    return process.returncode, output.decode(), errors.decode()


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, strict=True))


def test_once_prints_one_stable_reading(serve_pad, weigh, pad):
    daemon = serve_pad()
    process = weigh(daemon, "--once")
    hint = "pressured: nothing is on the scale: waiting at most 10 s for a load at rest\n"
    assert process.stderr.readline().decode() == hint
    pad.lay(51)
    assert outcome(process) == (0, "≈ 77.0 g\n", "")
    assert outcome(weigh(daemon, "--once")) == (0, "≈ 77.0 g\n", "")
    assert outcome(weigh(daemon, "--once", "--unit", "kg"))[1] == "≈ 0.0770 kg\n"
    assert outcome(weigh(daemon, "--once", "--unit", "N", "--device", DEVICE))[1] == "≈ 0.755 N\n"
    reading = json.loads(outcome(weigh(daemon, "--once", "--json"))[1])
    assert (reading["device"], reading["status"], reading["grams"]) == (DEVICE, "stable", 77)


def test_true_grams_have_the_error_of_a_rounded_resolution(serve_pad, weigh, pad):
    daemon = serve_pad(resolution=1)
    pad.lay(51)
    # One unit per gram may be anything from half a unit on.
    assert outcome(weigh(daemon, "--once"))[1] == "51.0 g ± 51.2\n"


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


def test_waiting_for_a_missing_device_is_reported(serve_pad, weigh):
    process = weigh(serve_pad(), "--device", "nobody")
    assert process.stderr.readline().decode() == "pressured: nobody is not connected; waiting for it\n"


@pytest.mark.parametrize("is_daemon_over", [False, True])
def test_it_ends_with_the_reader_of_the_pipe_though_nothing_happens(serve_pad, weigh, is_daemon_over):
    daemon = serve_pad()
    process = weigh(daemon)
    assert process.stdout.readline() == "≈ 0.0 g  zero\n".encode()
    if is_daemon_over:
        daemon.terminate()
        assert b"waiting for it" in process.stderr.readline()
    process.stdout.close()
    assert process.wait(DEADLINE) == 0


def test_a_pipe_receives_lines(serve_pad, weigh, pad):
    daemon = serve_pad()
    process = weigh(daemon, "--target", "77", "--tolerance", "1")
    assert process.stdout.readline().decode() == "≈ 0.0 g  zero, target 77.0 ± 1.0 g: ≈ 77.0 g to go\n"
    pad.lay(51)
    lines = []
    while not lines or "stable" not in lines[-1]:
        lines.append(process.stdout.readline().decode())
    assert lines[-1] == "≈ 77.0 g  stable, target 77.0 ± 1.0 g: reached\n"
    assert len(set(lines)) == len(lines), "duplicate lines"
    pad.press(255)
    while not lines[-1].startswith("≈ 385.0+ g  over the maximum"):
        lines.append(process.stdout.readline().decode())
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
    assert "target" not in weigh(daemon).stdout.readline().decode()


def test_the_log_has_the_same_readings_as_the_daemon(serve_pad, weigh, pad, folder):
    daemon = serve_pad(config="scale: { range_grams: 10 }\n")
    path = os.path.join(folder, "log.csv")
    process = weigh(daemon, "--log", path)
    client = daemon.connect()

    def rests(count, grams):
        scales = [state["scale"] for state in client.ask("state")["result"]]
        seen = [(scale["status"], scale["grams"]) for scale in scales]
        return seen == [("stable", grams)] and len(client.ask("history")["result"]) == count

    # After 77 g, 81.5 g is not a new reading within 10 g; 116.3 g is.
    for raw, grams, count in [(51, 77, 1), (54, 81.5, 1), (77, 116.3, 2)]:
        pad.lay(raw) if raw == 51 else pad.press(raw)
        wait_until(lambda: rests(count, grams))
    wait_until(lambda: os.path.exists(path) and len(rows(path)) == 3)
    counted = [reading["grams"] for reading in client.ask("history")["result"]]
    process.kill()
    assert [float(row[3]) for row in rows(path)[1:]] == counted


def test_a_failure_leaves_the_log_unchanged(program, folder, serve_pad, weigh):
    path = os.path.join(folder, "log.csv")
    command = [program, "weigh", "--once", "--socket", os.path.join(folder, "nobody"), "--log", path]
    assert subprocess.run(command, env=environment(folder), capture_output=True, check=False).returncode == 69
    assert not os.path.exists(path)
    # The same with a daemon, but without a scale.
    assert outcome(weigh(serve_pad(), "--once", "--timeout", "0.2", "--log", path))[0] == 75
    assert not os.path.exists(path)


def test_a_load_that_is_already_in_place_is_reported(serve_pad, weigh, pad):
    daemon = serve_pad()
    pad.lay(51)
    assert outcome(weigh(daemon, "--once"))[1] == "≈ 77.0 g\n"
    # It is at rest, so the device sends no more events.
    assert weigh(daemon).stdout.readline().decode() == "≈ 77.0 g  stable\n"


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
        "weight source",
    ]
    assert [row[1:] for row in readings] == [
        [DEVICE, "stable", weight, weight, "0.000", "", "nominal"] for weight in ("2.716", "5.432")
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


@pytest.mark.parametrize(
    "arguments",
    [
        ["--unit", "stone"], ["--timeout", "0"], ["--timeout", "nan"],
        ["--json", "--unit", "oz"], ["--tolerance", "1"], ["--target", "heavy"],
    ],
)
def test_invalid_options_are_refused(program, folder, arguments):
    done = subprocess.run(
        [program, "weigh", *arguments], env=environment(folder), capture_output=True, check=False
    )
    assert done.returncode == 64


def test_a_missing_daemon_is_reported(program, folder):
    done = subprocess.run(
        [program, "weigh", "--once", "--socket", os.path.join(folder, "nobody")],
        env=environment(folder), capture_output=True, check=False,
    )
    assert done.returncode == 69
    assert b"no pressured answers at" in done.stderr


def test_piped_events_cannot_be_grabbed(serve_pad, weigh, pad):
    daemon = serve_pad()
    for arguments in ["--once"], []:
        status, _, errors = outcome(weigh(daemon, "--grab", *arguments))
        assert status == 65
        assert "no other program receives its touches" in errors


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_grab_needs_the_right_to_control(serve_pad, weigh, pad, folder, program):
    os.chmod(folder, 0o755)
    daemon = serve_pad(config='socket: { mode: "0666" }\n')
    someone = {"user": "nobody", "group": "nogroup", "extra_groups": []}
    # The build directory may not be accessible to other users.
    own = shutil.copy(program, folder)
    assert outcome(weigh(daemon, "--grab", program=own, **someone))[0] == 77
    pad.lay(51)
    assert outcome(weigh(daemon, "--once", program=own, **someone))[1] == "≈ 77.0 g\n"


def test_weighing_continues_with_a_restarted_daemon(serve_pad, weigh, pad, serve):
    served = serve_pad()
    process = weigh(served, "--unit", "oz")
    assert process.stdout.readline().decode() == "≈ 0.000 oz  zero\n"
    served.terminate()
    assert b"waiting for it" in process.stderr.readline()


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


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_terminal_is_restored(serve_pad, weigh_in_terminal, how):
    session = weigh_in_terminal(serve_pad())
    session.wait_for("zero")
    session.kill(how)
    session.wait()
    assert session.settings == session.before
    assert session.text.rstrip().endswith("\x1b[?1049l")


def test_no_color_is_respected(serve_pad, weigh_in_terminal, pad):
    daemon = serve_pad()
    session = weigh_in_terminal(daemon, TERM="dumb")
    session.expect("≈ 0.0 g  zero")
    session.type("\x03")
    session.wait()
    assert "\x1b" not in session.text


def test_a_small_terminal_has_small_digits(serve_pad, weigh_in_terminal, pad):
    session = weigh_in_terminal(serve_pad(), size=(30, 8))
    session.wait_for("zero")
    pad.lay(51)
    session.wait_for("≈ 77.0 g")
    session.type("q")
    assert session.wait() == 0
