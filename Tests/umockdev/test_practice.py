"""`pressured practice`: what gestures on a mocked pad are recognized as, and the recording of them."""

import os
import pty
import select
import subprocess
import time

import pytest

from codes import ABS_MT_POSITION_X, ABS_MT_SLOT, BTN_LEFT, BTN_TOOL_FINGER, BTN_TOUCH, EV_ABS, EV_KEY, KEY_HOMEPAGE
from mockpad import DEADLINE, MockPad
from strokes import down, lift, press

# The default stages begin at 0.3 and 0.7 of 255.
CLICK, FORCE_CLICK, REST = 100, 220, 30
# Below the default stage, and not below that of a lighter feel.
WEAK_CLICK = 71


class Practice:
    """`pressured practice` on a terminal or a pipe."""

    def __init__(self, program, bed, folder, *options, terminal=False):
        (folder / "config.yaml").write_text("")
        master, slave = pty.openpty() if terminal else os.pipe()
        self.output, self.text, self.place = master, "", 0
        command = [program, "practice", "--config", folder / "config.yaml", *map(str, options)]
        self.process = subprocess.Popen(
            command, env=bed.environment | {"TERM": "xterm", "LC_ALL": "C.UTF-8"}, stdin=slave if terminal else subprocess.DEVNULL,
            stdout=slave, stderr=subprocess.STDOUT,
        )  # fmt: skip
        os.close(slave)

    def expect(self, text):
        """Waits until a text is written after the previous match."""
        end = time.monotonic() + DEADLINE
        while (found := self.text.find(text, self.place)) < 0:
            assert time.monotonic() < end, f"timed out waiting for {text}: {self.text[-2000:]}"
            assert self.read(), f"it ended before {text}: {self.text[-2000:]}"
        self.place = found + len(text)

    def see(self, text):
        """Waits until the screen shows a text: Ctrl-L redraws all of it."""
        end = time.monotonic() + DEADLINE
        while text not in self.text[self.place :]:
            assert time.monotonic() < end, f"timed out waiting for {text}: {self.text[-2000:]}"
            os.write(self.output, b"\x0c")
            assert self.read()
        self.place = len(self.text)

    def read(self):
        if not select.select([self.output], [], [], 1)[0]:
            return True
        try:
            piece = os.read(self.output, 1 << 16)
        except OSError:
            return False
        self.text += piece.decode("utf-8", "replace")
        return bool(piece)

    def end(self):
        while self.read():
            assert self.process.poll() is None or select.select([self.output], [], [], 0)[0] or not self.read()
        os.close(self.output)
        return self.process.wait(DEADLINE)


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
        [program, "practice", "--config", "/dev/null", "--times", "1", "--replay", path, *options],
        capture_output=True, text=True, timeout=DEADLINE,
    )  # fmt: skip
    assert result.returncode == 0
    assert remark in result.stderr if remark else result.stderr == ""
    return result.stdout


@pytest.mark.parametrize("ending", ["evemu", "yml"])
def test_gestures_are_recognized_and_the_recording_gives_the_same_results(program, bed, tmp_path, ending):
    pad, path = MockPad(bed).plug(), tmp_path / f"practice.{ending}"
    practice = Practice(program, bed, tmp_path, "--times", 1, "-o", path)
    perform(pad, practice)
    assert practice.end() == 0
    outcomes = [line for line in practice.text.splitlines() if "recognized as" in line and "meant" not in line]
    assert outcomes == OUTCOMES.splitlines()
    assert f"{path}: 5 gestures" in practice.text
    results = practice.text[practice.text.index("Recognized as meant"):]
    results = "".join(line for line in results.splitlines(True) if f"{path}: 5 gestures" not in line)
    assert "all, of 5             5" in results
    assert replayed(program, path) == OUTCOMES + results
    assert "# drag 1 was recognized as a press" in path.read_text()


def test_a_terminal_shows_the_task_and_repeats_a_gesture(program, bed, tmp_path):
    pad, path = MockPad(bed).plug(), tmp_path / "practice.evemu"
    practice = Practice(program, bed, tmp_path, "--times", 1, "-o", path, terminal=True)
    practice.see("Press as for a click")
    push(pad, 11, REST)
    practice.see("click 1 was recognized as nothing: wrong")
    os.write(practice.output, b"r")
    practice.see("Press as for a click")
    push(pad, 1, CLICK)
    practice.see("Press clearly harder")
    push(pad, 2, FORCE_CLICK)
    practice.see("move the finger")
    move(pad, [0], CLICK, 3)
    practice.see("Scroll with two fingers")
    move(pad, [0, 1], REST, 4)
    practice.see("Lay a finger")
    push(pad, 6, REST)
    practice.see("Recognized as meant")
    os.write(practice.output, b"q")
    practice.expect("\x1b[?1049l")
    practice.expect("Recognized as meant")
    assert practice.end() == 0
    # The repeated gesture is not in the recording, and the values of its slot are.
    assert replayed(program, path).startswith(OUTCOMES)


def test_a_proposal_names_the_file_and_fits_the_screen(program, bed, tmp_path):
    pad = MockPad(bed).plug()
    practice = Practice(program, bed, tmp_path, "--times", 1, terminal=True)
    practice.see("Press as for a click")
    push(pad, 1, WEAK_CLICK)
    practice.see("Press clearly harder")
    push(pad, 2, FORCE_CLICK)
    practice.see("move the finger")
    move(pad, [0], CLICK, 3)
    practice.see("Scroll with two fingers")
    move(pad, [0, 1], REST, 4)
    practice.see("Lay a finger")
    push(pad, 6, REST)
    practice.see("and then: sudo systemctl reload pressured")
    os.write(practice.output, b"q")
    practice.expect("To try it, write into ")
    practice.expect("press:\r\n  feel: ")
    assert practice.end() == 0
    assert f"write into {tmp_path}/config.yaml:" in "".join(practice.text.split("\r\n"))


def test_what_lies_on_the_pad_at_the_start_is_not_a_gesture(program, bed, tmp_path):
    pad, path = MockPad(bed).plug(), tmp_path / "practice.evemu"
    pad.emit(*down(0, 40, 600, 300, CLICK))
    practice = Practice(program, bed, tmp_path, "--times", 1, "-o", path)
    practice.expect("click, 1 of 1")
    pad.emit(*press(0, FORCE_CLICK))
    pad.emit(*lift(0))
    practice.place = 0
    perform(pad, practice)
    assert practice.end() == 0
    assert replayed(program, path).startswith(OUTCOMES)


def test_an_unfinished_practice_keeps_what_was_performed(program, bed, tmp_path):
    pad, path = MockPad(bed).plug(), tmp_path / "practice.evemu"
    practice = Practice(program, bed, tmp_path, "--times", 2, "-o", path)
    practice.expect("click, 1 of 2")
    push(pad, 1, CLICK)
    practice.expect("click, 2 of 2")
    practice.process.terminate()
    assert practice.end() == 0
    assert "all, of 1             1" in practice.text and "force click" not in practice.text
    remark = "has fewer gestures than --times 1 asks for"
    assert "click 1 was recognized as a press\n" in replayed(program, path, remark=remark)


def test_an_existing_file_is_kept(program, bed, tmp_path):
    path = tmp_path / "practice.evemu"
    path.write_text("mine")
    MockPad(bed).plug()
    practice = Practice(program, bed, tmp_path, "-o", path)
    assert practice.end() == 73
    assert "exists already" in practice.text
    assert path.read_text() == "mine"


def test_a_recording_of_more_gestures_is_remarked_on(program, bed, tmp_path):
    pad, path = MockPad(bed).plug(), tmp_path / "practice.evemu"
    practice = Practice(program, bed, tmp_path, "--times", 2, "-o", path)
    for number in range(6):
        practice.expect("click, 2 of 2" if number == 1 else "of 2")
        push(pad, 10 + number, CLICK)
    practice.expect("of 2")
    practice.process.terminate()
    assert practice.end() == 0
    assert "click 1" in replayed(program, path, remark="has more gestures than --times 1 asks for")


def test_frames_of_keys_are_not_in_the_recording(program, bed, tmp_path):
    pad, path = MockPad(bed, keys=(BTN_LEFT, BTN_TOOL_FINGER, BTN_TOUCH, KEY_HOMEPAGE)).plug(), tmp_path / "practice.evemu"
    practice = Practice(program, bed, tmp_path, "--times", 1, "-o", path)
    practice.expect("click, 1 of 1")
    pad.emit(*down(0, 1, 600, 300, REST), (EV_KEY, KEY_HOMEPAGE, 1))
    pad.emit((EV_KEY, KEY_HOMEPAGE, 0))
    pad.emit(*press(0, CLICK))
    pad.emit((EV_KEY, KEY_HOMEPAGE, 1))
    pad.emit(*lift(0))
    practice.expect("force click, 1 of 1")
    practice.process.terminate()
    assert practice.end() == 0
    kinds = [line.split()[2:4] for line in path.read_text().splitlines() if line.startswith("E:")]
    assert ["0001", f"{KEY_HOMEPAGE:04x}"] not in kinds
    # A frame without events would reveal when a key was pressed.
    assert not any(kind == next_kind == ["0000", "0000"] for kind, next_kind in zip(kinds, kinds[1:]))


def test_without_a_gesture_there_is_no_file(program, bed, tmp_path):
    MockPad(bed).plug()
    practice = Practice(program, bed, tmp_path, "-o", tmp_path / "practice.evemu")
    practice.expect("click, 1 of 10")
    practice.process.terminate()
    assert practice.end() == 0
    assert practice.text.endswith("No gesture was performed.\n")
    assert not (tmp_path / "practice.evemu").exists()


def test_a_grab_needs_a_bare_pad(program, bed, tmp_path):
    pad = MockPad(bed).plug()
    practice = Practice(program, bed, tmp_path, "--grab")
    practice.expect("click, 1 of 10")
    assert pad.grabs == [1]
    practice.process.terminate()
    assert practice.end() == 0
    pad.emit(*down(0, 40, 600, 300, CLICK))
    practice = Practice(program, bed, tmp_path, "--grab")
    assert practice.end() == 75
    assert "take everything off" in practice.text


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--times", "0"], 64, "--times must be from 1 to 50, not 0"),
        (["--times", "51"], 64, "--times must be from 1 to 50, not 51"),
        (["-o", "practice.txt"], 64, "must end in .evemu"),
        (["--replay", "x.evemu", "--grab"], 64, "--replay excludes"),
        (["--replay", "missing.evemu"], 66, "missing.evemu"),
        (["/dev/input/event7"], 66, "/dev/input/event7"),
        (["-o", "/missing/x.evemu"], 73, "/missing"),
    ],
)
def test_errors(program, bed, tmp_path, options, status, message):
    MockPad(bed).plug()
    practice = Practice(program, bed, tmp_path, *options)
    assert practice.end() == status
    assert message in practice.text


def test_a_pad_without_pressure_is_refused(program, bed, tmp_path):
    pad = MockPad(bed, pressure=None).plug()
    practice = Practice(program, bed, tmp_path, pad.node)
    assert practice.end() == 65
    assert "simulated" in practice.text
