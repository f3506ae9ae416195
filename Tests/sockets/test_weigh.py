"""`pressured weigh`: at a terminal, through a pipe, and once."""

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
from pad import Pad
from recording import DEVICE, HEADER
from typist import Typist


@pytest.fixture
def pad(folder):
    pad = Pad(os.path.join(folder, "pad"))
    yield pad
    pad.close()


@pytest.fixture
def daemon(serve, pad, write):
    """A daemon on the pad, which is bare."""

    def start(resolution=0, **settings):
        describe = write(HEADER.format(resolution=resolution), "describe.evemu")
        daemon = serve(None, "--events", pad.path, "--describe", describe, **settings)
        pad.open()
        return daemon

    return start


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
def sit(program, folder):
    """Starts the program at a terminal."""
    typists = []

    def sit(daemon, *arguments, term="xterm-256color", **settings):
        typists.append(
            Typist(
                [program, "weigh", "--socket", daemon.path, *arguments],
                environment(folder, TERM=term, LC_ALL="C.UTF-8"),
                **settings,
            )
        )
        return typists[-1]

    yield sit
    for typist in typists:
        typist.close()


def outcome(process):
    output, errors = process.communicate(timeout=DEADLINE)
    return process.returncode, output.decode(), errors.decode()


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, strict=True))


def test_once_is_one_stable_reading(daemon, weigh, pad):
    daemon = daemon()
    process = weigh(daemon, "--once")
    pad.lay(51)
    assert outcome(process) == (0, "≈ 77.0 g\n", "")
    assert outcome(weigh(daemon, "--once", "--unit", "kg"))[1] == "≈ 0.0770 kg\n"
    assert outcome(weigh(daemon, "--once", "--unit", "N", "--device", DEVICE))[1] == "≈ 0.755 N\n"
    reading = json.loads(outcome(weigh(daemon, "--once", "--json"))[1])
    assert (reading["device"], reading["status"], reading["grams"]) == (DEVICE, "stable", 77)


def test_true_grams_are_no_estimate(daemon, weigh, pad):
    daemon = daemon(resolution=1)
    pad.lay(51)
    assert outcome(weigh(daemon, "--once"))[1] == "51.0 g\n"


def test_none_in_time_is_75(daemon, weigh):
    daemon = daemon()
    status, output, errors = outcome(weigh(daemon, "--once", "--timeout", "0.2"))
    assert (status, output) == (75, "")
    assert errors == "pressured: no stable reading came within 200 ms; the scale is stable_zero\n"
    status, _, errors = outcome(weigh(daemon, "--timeout", "0.2"))
    assert status == 75
    assert "no stable reading came within 0.2 s" in errors


def test_a_device_that_is_not_there_is_waited_for_aloud(daemon, weigh):
    process = weigh(daemon(), "--device", "nobody")
    assert process.stderr.readline().decode() == "pressured: nobody is not there; waiting for it\n"


def test_a_pipe_gets_lines(daemon, weigh, pad):
    daemon = daemon()
    process = weigh(daemon, "--target", "77", "--tolerance", "1")
    assert process.stdout.readline().decode() == "≈ 0.0 g  zero, target 77.0 ± 1.0 g: ≈ 77.0 g to go\n"
    pad.lay(51)
    lines = []
    while not lines or "stable" not in lines[-1]:
        lines.append(process.stdout.readline().decode())
    assert lines[-1] == "≈ 77.0 g  stable, target 77.0 ± 1.0 g: reached\n"
    assert len(set(lines)) == len(lines), "no line comes twice"
    pad.press(255)
    while not lines[-1].startswith("≈ 385.0+ g  more than it can say"):
        lines.append(process.stdout.readline().decode())
    assert not any("\x1b" in line for line in lines)
    process.stdout.close()
    pad.lift()
    assert process.wait(DEADLINE) in (0, -signal.SIGPIPE), "it ends when nobody reads"


def test_programs_get_the_daemons_lines(daemon, weigh, pad):
    daemon = daemon()
    process = weigh(daemon, "--json")
    pad.lay(51)
    while (line := json.loads(process.stdout.readline()))["status"] != "stable":
        assert line["event"] == "scale"
    assert line["grams"] == 77
    # It rests there now: a program that comes later is told of it at once, in an object of the same fields.
    resting = json.loads(weigh(daemon, "--json").stdout.readline())
    once = json.loads(outcome(weigh(daemon, "--once", "--json"))[1])
    assert list(resting) == list(once) == list(line)
    assert (resting["event"], resting["device"], resting["grams"]) == ("scale", DEVICE, 77)
    assert once == {**resting, "time": once["time"]}


def test_a_target_is_nobody_elses(daemon, weigh, pad):
    daemon = daemon()
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


def test_the_log_counts_as_the_daemon_does(daemon, weigh, pad, folder):
    daemon = daemon(config="scale: { range_grams: 10 }\n")
    path = os.path.join(folder, "log.csv")
    process = weigh(daemon, "--log", path)
    client = daemon.connect()

    def rests(count, grams):
        scales = [state["scale"] for state in client.ask("state")["result"]]
        seen = [(scale["status"], scale["grams"]) for scale in scales]
        return seen == [("stable", grams)] and len(client.ask("history")["result"]) == count

    # After 77 g, 81.5 g are no reading of their own within 10 g; 116.3 g are.
    for raw, grams, count in [(51, 77, 1), (54, 81.5, 1), (77, 116.3, 2)]:
        pad.lay(raw) if raw == 51 else pad.press(raw)
        wait_until(lambda: rests(count, grams))
    wait_until(lambda: os.path.exists(path) and len(rows(path)) == 3)
    counted = [reading["grams"] for reading in client.ask("history")["result"]]
    process.kill()
    assert [float(row[3]) for row in rows(path)[1:]] == counted


def test_what_fails_leaves_the_log_as_it_was(program, folder, daemon, weigh):
    path = os.path.join(folder, "log.csv")
    command = [program, "weigh", "--once", "--socket", os.path.join(folder, "nobody"), "--log", path]
    for arguments in ([], ["--force"]):
        if arguments:
            with open(path, "w", encoding="utf-8") as file:
                file.write("precious")
        done = subprocess.run([*command, *arguments], env=environment(folder), capture_output=True, check=False)
        assert done.returncode == 69
        assert os.path.exists(path) == bool(arguments)
    # With a daemon, but nothing to weigh, it is the same.
    assert outcome(weigh(daemon(), "--once", "--timeout", "0.2", "--log", path, "--force"))[0] == 75
    with open(path, encoding="utf-8") as file:
        assert file.read() == "precious"


def test_a_thing_that_lies_there_already_is_said(daemon, weigh, pad):
    daemon = daemon()
    pad.lay(51)
    assert outcome(weigh(daemon, "--once"))[1] == "≈ 77.0 g\n"
    # It lies still, so the device has nothing more to say.
    assert weigh(daemon).stdout.readline().decode() == "≈ 77.0 g  stable\n"


def test_the_log_is_for_spreadsheets(daemon, weigh, pad, folder):
    daemon = daemon()
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

    # What is there stays, unless somebody says otherwise.
    status, _, errors = outcome(weigh(daemon, "--once", "--log", path))
    assert status == 73
    assert f"{path} exists already; use --force to overwrite it" in errors
    with open(path, "rb") as file:
        assert file.read() == content
    pad.lay(51)
    assert outcome(weigh(daemon, "--once", "--log", path, "--force"))[0] == 0
    assert [row[3] for row in rows(path)] == ["net (g)", "77.0"]


def test_a_log_that_cannot_be_written_ends_it(daemon, weigh, pad):
    daemon = daemon()
    status, _, errors = outcome(weigh(daemon, "--log", "/nowhere/log.csv"))
    assert (status, "cannot create /nowhere/log.csv" in errors) == (73, True)
    if os.path.exists("/dev/full"):
        pad.lay(51)
        status, _, errors = outcome(weigh(daemon, "--log", "/dev/full", "--force"))
        assert (status, "No space left" in errors) == (73, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--unit", "stone"], ["--timeout", "0"], ["--timeout", "nan"], ["--force"],
        ["--json", "--unit", "oz"], ["--tolerance", "1"], ["--target", "heavy"],
    ],
)
def test_what_cannot_be_meant_is_refused(program, folder, arguments):
    done = subprocess.run(
        [program, "weigh", *arguments], env=environment(folder), capture_output=True, check=False
    )
    assert done.returncode == 64


def test_without_a_daemon_it_says_so(program, folder):
    done = subprocess.run(
        [program, "weigh", "--once", "--socket", os.path.join(folder, "nobody")],
        env=environment(folder), capture_output=True, check=False,
    )
    assert done.returncode == 69
    assert b"no pressured answers at" in done.stderr


def test_what_is_piped_in_cannot_be_grabbed(daemon, weigh, pad):
    daemon = daemon()
    for arguments in ["--once"], []:
        status, _, errors = outcome(weigh(daemon, "--grab", *arguments))
        assert status == 65
        assert "no other program receives its touches" in errors


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_who_has_no_control_cannot_grab(daemon, weigh, pad, folder, program):
    os.chmod(folder, 0o755)
    daemon = daemon(config='socket: { mode: "0666" }\n')
    someone = {"user": "nobody", "group": "nogroup", "extra_groups": []}
    # Where the program was built nobody else may come.
    own = shutil.copy(program, folder)
    assert outcome(weigh(daemon, "--grab", program=own, **someone))[0] == 77
    pad.lay(51)
    assert outcome(weigh(daemon, "--once", program=own, **someone))[1] == "≈ 77.0 g\n"


def test_a_daemon_that_comes_again_goes_on_weighing(daemon, weigh, pad, serve):
    served = daemon()
    process = weigh(served, "--unit", "oz")
    assert process.stdout.readline().decode() == "≈ 0.000 oz  zero\n"
    served.terminate()
    assert b"waiting for it" in process.stderr.readline()


# MARK: at a terminal


def test_digits_are_large_and_keys_weigh(daemon, sit, pad):
    typist = sit(daemon())
    typist.see("zero")
    pad.lay(51)
    typist.see("stable")
    assert "██████" in typist.written
    typist.type("t")
    typist.see("tare ≈ 77.0 g")
    typist.type("u")
    typist.see("tare 0.0 g")
    typist.type("h")
    typist.see("held")
    typist.type("h")
    typist.see("stable")
    typist.type("n")
    typist.see("gross ≈ 0.0770 kg")
    typist.type("z")
    typist.see("try tare")
    typist.type("q")
    assert typist.end() == 0
    assert typist.settings == typist.before
    assert typist.written.rstrip().endswith("\x1b[?1049l"), "the screen is as it was"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_terminal_is_left_as_it_was(daemon, sit, how):
    typist = sit(daemon())
    typist.see("zero")
    typist.process.send_signal(how)
    typist.end()
    assert typist.settings == typist.before
    assert typist.written.rstrip().endswith("\x1b[?1049l")


def test_without_colors_there_are_none(daemon, sit, pad, program, folder):
    daemon = daemon()
    typist = sit(daemon, term="dumb")
    typist.expect("≈ 0.0 g  zero")
    typist.type("\x03")
    typist.end()
    assert "\x1b" not in typist.written


def test_a_small_terminal_has_small_digits(daemon, sit, pad):
    typist = sit(daemon(), rows=8, columns=30)
    typist.see("zero")
    pad.lay(51)
    typist.see("≈ 77.0 g")
    typist.type("q")
    assert typist.end() == 0
