"""The dialog of `pressured calibrate`: complete, and interrupted at each question."""

import os
import shutil
import signal
import subprocess

import pytest
from connection import DEADLINE
from daemon import environment, wait_until
from pad import Pad
from recording import DEVICE, HEADER
from terminalsession import TerminalSession, screen

# A sensor with 2 units per gram and an offset of 5.
WEIGHTS = {20: 45, 50: 105, 100: 205}


@pytest.fixture
def pad(folder):
    pad = Pad(os.path.join(folder, "pad"))
    yield pad
    pad.close()


@pytest.fixture
def daemon(serve, pad, folder, write):
    """A daemon on the pad, which is bare."""
    describe = write(HEADER.format(resolution=0), "describe.evemu")
    state = os.path.join(folder, "state")

    def start(is_stored=True, **settings):
        pad.close()
        store = ["--state", state] if is_stored else []
        daemon = serve(None, "--events", pad.path, "--describe", describe, *store, **settings)
        pad.open()
        return daemon

    return start


@pytest.fixture
def calibrate(program, folder):
    """Starts the program in a terminal."""
    terminals = []

    def calibrate(daemon, *arguments, term="xterm-256color", program=program, **settings):
        terminals.append(
            TerminalSession(
                [program, "calibrate", "--socket", daemon.path, *arguments],
                environment(folder, TERM=term, LANG="C.UTF-8"),
                **settings,
            )
        )
        return terminals[-1]

    yield calibrate
    for terminal in terminals:
        terminal.close()


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


def steps(terminal, pad, weights=WEIGHTS):
    """All actions of the user, one step after another; the last one is the final answer."""
    yield terminal.answer("Take everything off", "")
    for grams, raw in weights.items():
        terminal.expect("in grams?", "weigh?", "Another one?")
        pad.lay(raw)
        terminal.expect(f"reading {shown_fraction(raw)}")
        yield terminal.type(f"{grams}\n")
        terminal.expect(f"{grams} g reads {raw}")
        yield pad.lift()
    yield terminal.answer("Another one?", "done")
    terminal.expect("R²")
    yield terminal.answer("in force?", "yes")


def test_the_complete_dialog(daemon, calibrate, pad, folder):
    daemon = daemon()
    terminal = calibrate(daemon)
    for _ in steps(terminal, pad):
        assert weight_source(daemon) in ("nominal", "calibrated")
    terminal.expect("Done: it is in force from the next touch on, and saved.")
    assert terminal.end() == 0
    assert weight_source(daemon) == "calibrated"
    assert b"grams: 50.0, raw: 105.0" in stored(folder)
    text = terminal.written
    assert "its grams are an estimate so far" in text
    assert "[####" in text, "there is a bar while it measures"
    assert "So far accurate to about ±" in text
    assert "Accurate to about ±" in text and "from 0 to 100 g" in text
    assert "RMSE" in text and "worst residual" in text
    assert "205 |" in text, "the plot has the points"
    assert "another place (assumed)" in text and "minutes under load (assumed)" in text
    assert "pressured calibrate --thorough measures" in text
    assert "more weights in between" not in text, "the line is perfect"
    assert terminal.settings == terminal.before, "the terminal is restored"

    # A second run reports the existing calibration, which can be kept.
    pad.lay(45)
    client = daemon.connect("subscribe events=weight,device")
    pad.lift()
    terminal = calibrate(daemon)
    terminal.expect("already calibrated")
    terminal.answer("Take everything off", "quit")
    assert terminal.end() == 0
    assert "Nothing has changed" in terminal.written
    client.close()


def test_lines_end_between_words_on_a_narrow_terminal(daemon, calibrate, pad):
    daemon = daemon()
    terminal = calibrate(daemon, columns=60)
    for _ in steps(terminal, pad):
        pass
    assert terminal.end() == 0
    lines = screen(terminal.written, rows=200).splitlines()
    assert max(map(len, lines)) <= 60, max(lines, key=len)


def test_a_calibration_that_is_not_stored_is_in_effect_until_the_daemon_ends(daemon, calibrate, pad):
    served = daemon(is_stored=False)
    terminal = calibrate(served)
    for _ in steps(terminal, pad):
        pass
    terminal.expect("until the daemon ends")
    assert terminal.end() == 0
    assert "pressured run --state FOLDER" in terminal.written
    served.wait_for_no_clients()
    assert weight_source(served) == "calibrated"
    served.terminate()
    assert weight_source(daemon(is_stored=False)) == "nominal"


def test_the_thorough_dialog_shows_the_error_by_cause(daemon, calibrate, pad, folder):
    daemon = daemon()
    terminal = calibrate(daemon, "--thorough", "--weights-percent", "0.5")
    terminal.answer("Take everything off", "")
    for grams, raw in WEIGHTS.items():
        terminal.expect("in grams?", "weigh?", "Another one?")
        pad.lay(raw)
        terminal.expect(f"reading {shown_fraction(raw)}")
        terminal.type(f"{grams}\n")
        terminal.expect(f"{grams} g reads {raw}")
        pad.lift()
    terminal.answer("Another one?", "done")
    for question in ["center again", "center again", "top left", "top right", "bottom left", "bottom right"]:
        terminal.expect(question)
        pad.lay(205)
        terminal.type("\n")
        terminal.expect("100 g reads 205")
        pad.lift()
    terminal.answer("for a minute", "skip")
    terminal.answer("on top", "skip")
    terminal.expect("The error at 100 g by cause")
    terminal.expect("another temperature (assumed)")
    assert "another place (assumed)" not in terminal.written
    assert "minutes under load (assumed)" in terminal.written
    assert "--thorough measures" not in terminal.written
    terminal.answer("in force?", "yes")
    terminal.expect("Done: it is in force")
    assert terminal.end() == 0
    assert stored(folder).count(b"condition: corner") == 4
    assert b"tolerance: 0.005" in stored(folder)


FEW = {20: 45, 100: 205}
STEPS_BEFORE_THE_LAST = range(1 + 2 * len(FEW) + 1)


def go(daemon, calibrate, pad, count):
    """Performs the first `count` steps."""
    terminal = calibrate(daemon)
    for number, _ in enumerate(steps(terminal, pad, FEW)):
        if number == count:
            break
    return terminal


def clear(pad, count):
    """Removes the load of a step."""
    if count in (1, 3):
        pad.lift()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL, signal.SIGHUP])
def test_interrupted_at_any_step_it_changes_nothing(daemon, calibrate, pad, folder, how):
    daemon = daemon()
    client = daemon.connect()

    def is_free():
        begun = client.ask({"do": "calibrate", "step": "begin"})
        return begun["ok"] and len(begun["result"]["points"]) <= 1

    for count in STEPS_BEFORE_THE_LAST:
        terminal = go(daemon, calibrate, pad, count)
        if how == signal.SIGINT:
            terminal.type("\x03")
        else:
            terminal.process.send_signal(how)
        assert terminal.end() == -how
        assert terminal.settings == terminal.before
        assert weight_source(daemon) == "nominal"
        assert stored(folder) is None
        clear(pad, count)
        # Another client can begin at once, without any of the measurements.
        wait_until(is_free)
        assert client.ask({"do": "calibrate", "step": "cancel"})["ok"]


def test_an_old_calibration_stays_in_effect(daemon, calibrate, pad, folder):
    daemon = daemon()
    for _ in steps(terminal := calibrate(daemon), pad):
        pass
    assert terminal.end() == 0
    before = stored(folder)
    for count in STEPS_BEFORE_THE_LAST:
        terminal = go(daemon, calibrate, pad, count)
        terminal.process.kill()
        terminal.end()
        assert weight_source(daemon) == "calibrated"
        assert stored(folder) == before
        clear(pad, count)


def test_a_daemon_that_exits_at_any_step_has_changed_nothing(daemon, calibrate, pad, folder):
    for _ in steps(terminal := calibrate(served := daemon()), pad):
        pass
    assert terminal.end() == 0
    before = stored(folder)
    for count in STEPS_BEFORE_THE_LAST:
        how = signal.SIGTERM if count == 2 else signal.SIGKILL
        terminal = go(served, calibrate, pad, count)
        served.process.send_signal(how)
        assert served.process.wait(DEADLINE) in (0, -signal.SIGKILL)
        assert terminal.end() == 69
        assert "the daemon closed the connection" in terminal.written
        assert stored(folder) == before
        served = daemon()
        assert weight_source(served) == "calibrated"


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
    assert terminal.end() == 65
    assert "the input ended" in terminal.written


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
    terminal.answer("in force?", "yes")
    assert terminal.end() == 0
    assert b"grams: 0.0, raw: 80.0" in stored(folder)


def read_until(file, text):
    output = b""
    while text not in output:
        line = file.readline()
        assert line, output
        output += line
    return output


def test_answers_can_come_from_a_script(daemon, program, pad, folder):
    daemon = daemon()
    process = subprocess.Popen(
        [program, "calibrate", "--socket", daemon.path],
        env=environment(folder, TERM="xterm"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    # All answers at once: each weight is measured when it is in place.
    process.stdin.write(b"\n20\n50\n100\ndone\nyes\n")
    process.stdin.close()
    output = read_until(process.stdout, b"that is zero")
    for raw in WEIGHTS.values():
        pad.lay(raw)
        output += read_until(process.stdout, f"reads {raw}".encode())
        pad.lift()
    output += process.stdout.read()
    assert process.wait(DEADLINE) == 0, output
    assert b"\x1b" not in output and b"\r" not in output, "no control sequences"
    assert b"in force from the next touch" in output
    assert weight_source(daemon) == "calibrated"


def test_a_dumb_terminal_gets_lines(daemon, calibrate, pad):
    terminal = calibrate(daemon(), term="dumb")
    for _ in steps_without_reading(terminal, pad):
        pass
    assert terminal.end() == 0
    assert "\x1b" not in terminal.written


def steps_without_reading(terminal, pad):
    """The same without displayed readings."""
    yield terminal.answer("Take everything off", "")
    for grams, raw in WEIGHTS.items():
        terminal.expect("in grams?", "weigh?", "Another one?")
        pad.lay(raw)
        terminal.type(f"{grams}\n")
        terminal.expect(f"{grams} g reads {raw}")
        yield pad.lift()
    yield terminal.answer("Another one?", "done")
    yield terminal.answer("in force?", "yes")


def test_a_missing_daemon_is_reported(program, folder):
    done = subprocess.run(
        [program, "calibrate", "--socket", os.path.join(folder, "nobody")],
        env=environment(folder), stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
        check=False,
    )
    assert done.returncode == 69
    assert b"no pressured answers at" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_missing_control_rights_are_reported(daemon, calibrate, folder, program):
    os.chmod(folder, 0o755)
    daemon = daemon(config='socket: { mode: "0666" }\n')
    # The build directory may not be accessible to other users.
    own = shutil.copy(program, folder)
    terminal = calibrate(daemon, program=own, user="nobody", group="nogroup", extra_groups=[])
    assert terminal.end() == 77
    assert "permitted to root, the daemon's own user" in terminal.written
    # Nothing was asked before that, and the message names the file to change.
    assert "Take everything off" not in terminal.written
    assert "control: { users: [nobody] }" in terminal.written
    assert "no-configuration/config.yaml" in terminal.written
