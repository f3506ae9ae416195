"""The dialog of `pressured calibrate`: complete, and interrupted."""

import itertools
import os
import signal
import subprocess

import pytest

from connection import DEADLINE
from recording import DEVICE

# A sensor with 2 units per gram and an offset of 5.
WEIGHTS = {20: 45, 50: 105, 100: 205}
FEW = {20: 45, 100: 205}


@pytest.fixture
def daemon(serve_pad, folder):
    """Starts a daemon that stores calibrations."""
    return lambda **settings: serve_pad("--state", os.path.join(folder, "state"), **settings)


@pytest.fixture
def calibrate(in_terminal):
    def calibrate(daemon, *options, **settings):
        return in_terminal("calibrate", "--socket", daemon.path, *options, **settings)

    return calibrate


def weight_source(daemon):
    client = daemon.connect()
    source = client.ask("devices")["result"][0]["weight_source"]
    client.close()
    return source


def stored(folder):
    path = os.path.join(folder, "state", "calibration", f"{DEVICE}.yaml")
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def shown_fraction(raw):
    """The fraction of the range, as displayed."""
    return f"{round(round(raw / 255, 3) * 100, 1)} %"


def steps(terminal, pad, weights=WEIGHTS, shows_reading=True):
    """All actions of the user, one step after another; the last one is the final answer."""
    yield terminal.answer("Take everything off", "")
    for grams, raw in weights.items():
        terminal.expect("in grams?", "weigh?", "Another one?")
        pad.lay(raw)
        if shows_reading:
            terminal.expect(f"reading {shown_fraction(raw)}")
        yield terminal.type(f"{grams}\n")
        terminal.expect(f"{grams} g reads {raw}")
        yield pad.lift()
    yield terminal.answer("Another one?", "done")
    terminal.expect("R²")
    yield terminal.answer("Use it?", "yes")
    terminal.answer("Check 1 of 3", "done")


def perform(terminal, pad, count=None, **settings):
    """Performs the first `count` steps, or all."""
    for _ in itertools.islice(steps(terminal, pad, **settings), count):
        pass


def test_the_complete_dialog(daemon, calibrate, pad, folder):
    daemon = daemon()
    terminal = calibrate(daemon)
    for _ in steps(terminal, pad):
        assert weight_source(daemon) in ("nominal", "calibrated")
    assert terminal.wait() == 0
    assert "Done: it is used from the next touch on, and saved." in terminal.text
    assert weight_source(daemon) == "calibrated"
    assert b"grams: 50.0, raw: 105.0" in stored(folder)
    text = terminal.text
    assert "its grams are an estimate so far" in text
    assert "[####" in text, "there is a bar while it measures"
    assert "So far accurate to about ±" in text
    assert "Accurate to about ±" in text and "from 0 to 100 g" in text
    assert "RMSE" in text and "worst residual" in text
    assert "205 |" in text, "the plot has the points"
    assert terminal.settings == terminal.before, "the terminal is restored"

    # A second run reports the existing calibration, which can be kept.
    pad.lay(45)
    client = daemon.connect("subscribe events=weight,device")
    pad.lift()
    terminal = calibrate(daemon)
    terminal.expect("already calibrated")
    terminal.answer("Take everything off", "quit")
    assert terminal.wait() == 0
    assert "Nothing has changed" in terminal.text
    client.close()


def test_a_calibration_that_is_not_stored_is_in_effect_until_the_daemon_ends(serve_pad, calibrate, pad, folder):
    """On a narrow terminal, on which lines end between words."""
    served = serve_pad()
    terminal = calibrate(served, size=(60, 24))
    perform(terminal, pad)
    assert terminal.wait() == 0
    words = " ".join(terminal.text.split())
    assert "until the daemon ends" in words and "To keep it, start the daemon with pressured run --state FOLDER" in words
    lines = terminal.transcript.splitlines()
    assert max(map(len, lines)) <= 60, max(lines, key=len)
    served.wait_for_no_clients()
    assert weight_source(served) == "calibrated"
    served.terminate()
    assert not os.path.exists(os.path.join(folder, "state"))
    assert weight_source(serve_pad()) == "nominal"


def test_checks_end_the_dialog_and_can_be_repeated_later(daemon, calibrate, run, pad, folder):
    daemon = daemon()
    terminal = calibrate(daemon, "--weights-percent", "0.5")
    perform(terminal, pad, 9)
    for number, (raw, grams, shown) in enumerate([(105, "50", "50.0 g, +0.0"), (109, "0.05 kg", "52.0 g, +2.0")], 1):
        terminal.expect(f"Check {number} of 3")
        pad.lay(raw)
        terminal.expect(f"reading {shown_fraction(raw)}")
        terminal.type(f"{grams}\n")
        terminal.expect(f"{shown}; last checks")
        pad.lift()
    terminal.answer("Check 3 of 3", "undo")
    terminal.expect("Taken back; last checks +0.0 today")
    terminal.answer("Check 2 of 3", "quit")
    assert terminal.wait() == 0
    assert "Nothing has changed" not in terminal.text
    assert stored(folder).count(b"shown: ") == 1 and b"tolerance: 0.005" in stored(folder)

    pad.lay(205)
    words = ["calibrate", "--socket", daemon.path, "--check"]
    assert run(*words, "100") == (0, "Measuring …\n100.0 g, +0.0; last checks +0.0 today, +0.0 today\n", "")
    status, output, _ = run(*words, "25")
    assert status == 0 and output.startswith("Measuring …\n100.0 g, +75.0; last checks +75.0 today")
    assert "contradicts the calibration" in output
    assert run(*words, "undo") == (0, "Taken back; last checks +0.0 today, +0.0 today\n", "")
    assert stored(folder).count(b"shown: ") == 2


def test_a_check_needs_a_calibration(daemon, run):
    pad_daemon = daemon()
    status, output, errors = run("calibrate", "--socket", pad_daemon.path, "--check", "50")
    assert (status, output) == (66, "") and "is not calibrated" in errors
    assert run("calibrate", "--check", "a plum")[0] == 64


def test_a_refused_weight_is_dropped(daemon, calibrate, pad, folder):
    terminal = calibrate(daemon())
    perform(terminal, pad, 7)
    terminal.expect("Another one?")
    pad.lay(150)
    terminal.expect(f"reading {shown_fraction(150)}")
    terminal.type("10\n")
    terminal.expect("To remove the last")
    pad.lift()
    terminal.answer("Another one?", "done")
    terminal.expect("Not yet: ")
    terminal.answer("Another one?", "drop")
    terminal.expect("these are left: 20, 50, 100 g")
    terminal.answer("Another one?", "drop 50")
    terminal.expect("these are left: 20, 100 g")
    terminal.answer("Another one?", "drop 50")
    terminal.expect("Not removed: ")
    terminal.answer("Another one?", "done")
    terminal.answer("Use it?", "yes")
    terminal.answer("Check 1 of 3", "")
    assert terminal.wait() == 0
    assert b"grams: 100.0" in stored(folder) and b"grams: 50.0" not in stored(folder)


def test_interrupted_it_changes_nothing(daemon, calibrate, pad, folder):
    daemon = daemon()
    terminal = calibrate(daemon)
    perform(terminal, pad, 6, weights=FEW)
    terminal.type("\x03")
    assert terminal.wait() == -signal.SIGINT
    assert terminal.settings == terminal.before
    assert stored(folder) is None and weight_source(daemon) == "nominal"


def test_a_daemon_that_exits_meanwhile_has_stored_nothing(daemon, calibrate, pad, folder):
    served = daemon()
    terminal = calibrate(served)
    perform(terminal, pad, 6, weights=FEW)
    assert served.terminate() == 0
    assert terminal.wait() == 69
    assert "the daemon closed the connection" in terminal.text
    assert stored(folder) is None
    assert weight_source(daemon()) == "nominal"


def test_refusals_are_explained(daemon, calibrate, pad):
    terminal = calibrate(daemon())
    terminal.answer("Take everything off", "?")
    terminal.expect("1 euro 7.5 g")
    terminal.answer("Take everything off", "")
    terminal.answer("What does it weigh", "a plum")
    terminal.expect("That is not a weight")
    terminal.answer("What does it weigh", "1,000 g")
    terminal.expect("1,000g may be 1000 or 1.000; write the one that it is.")
    terminal.answer("What does it weigh", "?")
    terminal.expect("2 euro 8.5 g")
    terminal.answer("What does it weigh", "done")
    terminal.expect("Not yet: ")
    pad.lay(255)
    terminal.answer("What does it weigh", "0.5 kg")
    terminal.expect("Not measured: with 500 g the sensor is saturated")
    pad.lift()
    pad.lay(45)
    terminal.answer("What does it weigh", "2 x 10")
    terminal.expect("20 g reads 45")
    terminal.answer("What does it weigh", "20")
    terminal.expect("has not changed")
    pad.lift()
    pad.lay(60)
    # Measured again, it shows how well it is repeated.
    terminal.expect("20 g reads 60")
    pad.lift()
    pad.lay(100)
    terminal.answer("Another one?", "50")
    terminal.expect("50 g reads 100")
    terminal.answer("Another one?", "again")
    terminal.expect("Take everything off")
    pad.lift()
    terminal.expect("no contact detected")
    terminal.type("\n")
    terminal.expect("Place the first weight")
    terminal.type("\x04")
    assert terminal.wait() == 65
    assert "the input ended" in terminal.text


def test_the_weight_of_a_glass_can_be_excluded(daemon, calibrate, pad, folder):
    terminal = calibrate(daemon())
    terminal.expect("Take everything off")
    pad.lay(80)
    terminal.expect(f"reading {shown_fraction(80)}")
    terminal.type("\n")
    terminal.answer("Does it stay?", "yes")
    terminal.expect("Zero reads 80")
    for grams, raw in {50: 130, 100: 180}.items():
        terminal.expect("What does it weigh")
        pad.press(raw)
        terminal.type(f"{grams}\n")
        terminal.expect(f"{grams} g reads {raw}")
    terminal.answer("Another one?", "done")
    terminal.answer("Use it?", "yes")
    terminal.answer("Check 1 of 3", "done")
    assert terminal.wait() == 0
    assert b"grams: 0.0, raw: 80.0" in stored(folder)


def read_until(file, text):
    output = ""
    while text not in output:
        line = file.readline()
        assert line, output
        output += line
    return output


def test_answers_can_come_from_a_script(daemon, start, pad):
    daemon = daemon()
    process = start("calibrate", "--socket", daemon.path, stdin=subprocess.PIPE, stderr=subprocess.STDOUT, TERM="xterm")
    # All answers at once: each weight is measured when it is in place.
    process.stdin.write("\n20\n50\n100\ndone\nyes\n")
    process.stdin.close()
    output = read_until(process.stdout, "that is zero")
    for raw in WEIGHTS.values():
        pad.lay(raw)
        output += read_until(process.stdout, f"reads {raw}")
        pad.lift()
    output += process.stdout.read()
    assert process.wait(DEADLINE) == 0, output
    assert "\x1b" not in output and "\r" not in output, "no control sequences"
    assert "used from the next touch" in output
    assert weight_source(daemon) == "calibrated"


def test_a_dumb_terminal_gets_lines(daemon, calibrate, pad):
    terminal = calibrate(daemon(), TERM="dumb")
    perform(terminal, pad, shows_reading=False)
    assert terminal.wait() == 0
    assert "\x1b" not in terminal.text
