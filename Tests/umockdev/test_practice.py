"""`pressured practice`: what gestures on a mocked pad are recognized as, and the recording of them."""

import os
import subprocess

import pytest

from codes import ABS_MT_POSITION_X, ABS_MT_SLOT, BTN_TOUCH, EV_ABS, EV_KEY
from mockpad import DEADLINE, MockPad
from program import Program
from strokes import down, lift, press
from terminal import Terminal

# The first stages begin at 0.3 and 0.37 of 255, those after these touches at 1.375 and 1.75 times the rest.
CLICK, FORCE_CLICK, REST = 84, 220, 56
# Below the default stage, and not below that of a lighter feel.
WEAK_CLICK = 75


class Practice(Program):
    """`pressured practice` with its output in a pipe."""

    def __init__(self, program, bed, folder, *options):
        super().__init__([program, "practice", *options], env=bed.environment | configured(folder) | {"LC_ALL": "C.UTF-8"})


def configured(folder):
    """Variables for a configuration of the service that is empty."""
    (folder / "config.yaml").write_text("")
    return {"CONFIGURATION_DIRECTORY": str(folder)}


@pytest.fixture
def in_terminal(program, bed, tmp_path):
    """Starts `pressured practice` in a terminal."""
    terminals = []

    def in_terminal(*options):
        # The terminal itself is a real one.
        variables = bed.environment | configured(tmp_path)
        mocks = [f"{name}={value}" for name, value in variables.items() if os.environ.get(name) != value]
        command = [*mocks, program, "practice", *map(str, options)]
        terminals.append(Terminal("/usr/bin/env", str(tmp_path), *command, size=(80, 24), shows_errors=True))
        return terminals[-1]

    yield in_terminal
    for terminal in terminals:
        terminal.close()


def push(pad, contact, peak):
    pad.emit(*down(0, contact, 600, 300, REST), (EV_KEY, BTN_TOUCH, 1))
    for value in (peak // 2, peak, peak - 5, peak // 2, REST):
        pad.emit(*press(0, value))
    pad.emit(*lift(0), (EV_KEY, BTN_TOUCH, 0))


def move(pad, slots, peak, contact):
    pad.emit(*(event for slot in slots for event in down(slot, contact + slot, 300 + 200 * slot, 300, REST)))
    pad.emit(*(event for slot in slots for event in press(slot, peak)))
    for step in range(1, 20):
        place = [((EV_ABS, ABS_MT_SLOT, slot), (EV_ABS, ABS_MT_POSITION_X, 300 + 200 * slot + 20 * step)) for slot in slots]
        pad.emit(*(event for pair in place for event in pair))
    pad.emit(*(event for slot in slots for event in lift(slot)))


def perform(pad, practice):
    """One gesture of each kind, each as it is asked for."""
    practice.expect("click, 1 of 1")
    push(pad, 1, CLICK)
    practice.expect("force click, 1 of 1")
    push(pad, 2, FORCE_CLICK)
    practice.expect("drag, 1 of 1")
    move(pad, [0], CLICK, 3)
    practice.expect("scroll, 1 of 1")
    move(pad, [0, 1], REST, 4)
    practice.expect("rest, 1 of 1")
    push(pad, 6, REST)


OUTCOMES = """\
click 1 was recognized as a press
force click 1 was recognized as a force click
drag 1 was recognized as a press
scroll 1 was recognized as nothing
rest 1 was recognized as nothing
"""


def replayed(program, path, *options, remark=""):
    result = subprocess.run(
        [program, "practice", "--times", "1", "--replay", path, *options],
        env=os.environ | {"CONFIGURATION_DIRECTORY": "/dev"}, capture_output=True, text=True, timeout=DEADLINE,
    )  # fmt: skip
    assert result.returncode == 0
    assert remark in result.stderr if remark else result.stderr == ""
    return result.stdout


@pytest.mark.parametrize("ending", ["evemu", "yml"])
def test_gestures_are_recognized_and_the_recording_gives_the_same_results(program, bed, tmp_path, ending):
    pad, path = MockPad(bed).plug(), tmp_path / f"practice.{ending}"
    practice = Practice(program, bed, tmp_path, "--times", 1, "-o", path)
    perform(pad, practice)
    assert practice.wait() == 0
    outcomes = [line for line in practice.printed.splitlines() if "recognized as" in line and "meant" not in line]
    assert outcomes == OUTCOMES.splitlines()
    assert f"{path}: 5 gestures" in practice.printed
    results = practice.printed[practice.printed.index("Recognized as meant"):]
    results = "".join(line for line in results.splitlines(True) if f"{path}: 5 gestures" not in line)
    assert "all, of 5             5" in results
    assert replayed(program, path) == OUTCOMES + results
    assert "# drag 1 was recognized as a press" in path.read_text()


def follow(pad, terminal, click):
    """One gesture of each kind, each as the terminal asks for it."""
    gestures = {
        "Press as for a click": lambda: push(pad, 1, click), "Press clearly harder": lambda: push(pad, 2, FORCE_CLICK),
        "move the finger": lambda: move(pad, [0], CLICK, 3), "Scroll with two fingers": lambda: move(pad, [0, 1], REST, 4),
        "Lay a finger": lambda: push(pad, 6, REST),
    }
    for task, perform in gestures.items():
        terminal.wait_for(task)
        perform()


def test_a_terminal_shows_the_task_and_repeats_a_gesture(program, bed, in_terminal, tmp_path):
    pad, path = MockPad(bed).plug(), tmp_path / "practice.evemu"
    terminal = in_terminal("--times", 1, "-o", path)
    terminal.wait_for("Press as for a click")
    push(pad, 11, REST)
    terminal.wait_for("click 1 was recognized as nothing: wrong")
    terminal.type("r")
    follow(pad, terminal, CLICK)
    terminal.wait_for("Recognized as meant")
    terminal.type("q")
    terminal.expect("\x1b[?1049l")
    terminal.expect("Recognized as meant")
    assert terminal.wait() == 0
    # The repeated gesture is not in the recording, and the values of its slot are.
    assert replayed(program, path).startswith(OUTCOMES)


@pytest.mark.parametrize("answer", ["y", "n", ""])
def test_a_proposal_fits_the_screen_and_is_written_after_a_yes(bed, in_terminal, tmp_path, answer):
    pad = MockPad(bed).plug()
    terminal = in_terminal("--times", 1)
    follow(pad, terminal, WEAK_CLICK)
    terminal.wait_for("and then: sudo systemctl reload pressured.")
    terminal.type("q")
    terminal.expect("To try it, write into ")
    terminal.expect("press:\r\n  feel: ")
    terminal.expect("Write feel: ")
    terminal.type(answer + "\r")
    assert terminal.wait() == 0
    assert f"write into {tmp_path}/config.yaml:" in "".join(terminal.text.split("\r\n"))
    written = (tmp_path / "config.yaml").read_text()
    assert written.startswith("press:\n  feel: ") if answer == "y" else written == ""


def test_what_lies_on_the_pad_at_the_start_is_not_a_gesture(program, bed, tmp_path):
    pad, path = MockPad(bed).plug(), tmp_path / "practice.evemu"
    pad.emit(*down(0, 40, 600, 300, CLICK))
    practice = Practice(program, bed, tmp_path, "--times", 1, "-o", path)
    practice.expect("click, 1 of 1")
    pad.emit(*press(0, FORCE_CLICK))
    pad.emit(*lift(0))
    practice.place = 0
    perform(pad, practice)
    assert practice.wait() == 0
    assert replayed(program, path).startswith(OUTCOMES)


def test_an_unfinished_practice_keeps_what_was_performed(program, bed, tmp_path):
    pad, path = MockPad(bed).plug(), tmp_path / "practice.evemu"
    practice = Practice(program, bed, tmp_path, "--times", 2, "-o", path)
    practice.expect("click, 1 of 2")
    push(pad, 1, CLICK)
    practice.expect("click, 2 of 2")
    assert practice.stop() == 0
    assert "all, of 1             1" in practice.printed and "force click" not in practice.printed
    remark = "has fewer gestures than --times 1 asks for"
    assert "click 1 was recognized as a press\n" in replayed(program, path, remark=remark)


def test_without_a_gesture_there_is_no_file(program, bed, tmp_path):
    MockPad(bed).plug()
    practice = Practice(program, bed, tmp_path, "-o", tmp_path / "practice.evemu")
    practice.expect("click, 1 of 10")
    assert practice.stop() == 0
    assert practice.printed.endswith("No gesture was performed.\n")
    assert not (tmp_path / "practice.evemu").exists()


def test_a_grab_needs_a_bare_pad(program, bed, tmp_path):
    pad = MockPad(bed).plug()
    practice = Practice(program, bed, tmp_path, "--grab")
    practice.expect("click, 1 of 10")
    assert pad.grabs == [1]
    assert practice.stop() == 0
    pad.emit(*down(0, 40, 600, 300, CLICK))
    practice = Practice(program, bed, tmp_path, "--grab")
    assert practice.wait() == 75
    assert "take everything off" in practice.printed


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["-o", "practice.txt"], 64, "must end in .evemu"),
        (["--replay", "x.evemu", "--grab"], 64, "--replay excludes"),
        (["--replay", "missing.evemu"], 66, "missing.evemu"),
        (["-o", "/missing/x.evemu"], 73, "/missing"),
    ],
)
def test_errors(program, bed, tmp_path, options, status, message):
    MockPad(bed).plug()
    practice = Practice(program, bed, tmp_path, *options)
    assert practice.wait() == status
    assert message in practice.printed


def test_a_pad_without_pressure_is_refused(program, bed, tmp_path):
    pad = MockPad(bed, pressure=None).plug()
    practice = Practice(program, bed, tmp_path, pad.node)
    assert practice.wait() == 65
    assert "simulated" in practice.printed
