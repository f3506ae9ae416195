"""`pressured record`: the file contains the events of the pad, and nothing else."""

import ctypes
import json
import os
import re
import resource
import signal
import subprocess

import pytest

from codes import (
    ABS_MT_PRESSURE,
    BTN_LEFT,
    BTN_STYLUS,
    BTN_TOOL_FINGER,
    BTN_TOUCH,
    EV_ABS,
    EV_KEY,
    EVIOCGMTSLOTS,
    KEY_A,
    KEY_HOMEPAGE,
)
from mockpad import DEADLINE, MockPad, touch_axes
from program import Program
from strokes import down, lift, press, resting

ENDINGS = ["evemu", "yml"]
SAME = ("contact", "weight", "max_force", "heaviest", "press", "action")


class SteadyPad(MockPad):
    """A pad whose frames have timestamps 10 ms apart, however busy the machine is.

    They are in the future, so that no timer of the daemon expires by the clock between two of them.
    """

    stamp = None

    def _now(self):
        self.stamp = super()._now() + 60_000_000 if self.stamp is None else self.stamp + 10_000
        return self.stamp


class Recorder(Program):
    def __init__(self, program, bed, folder, *options, **settings):
        (folder / "config.yaml").write_text("")
        super().__init__([program, "record", *options], env={**bed.environment, "CONFIGURATION_DIRECTORY": str(folder)}, **settings)

    def wait_recording(self):
        """Waits for the message that it records: the device is open and watched then."""
        self.expect("recording /dev")
        return self


@pytest.fixture
def record(program, bed, tmp_path):
    """Starts `pressured record`; processes that still run are stopped after the test."""
    recorders = []

    def record(*options, **settings):
        recorders.append(Recorder(program, bed, tmp_path, *options, **settings))
        return recorders[-1]

    yield record
    for recorder in recorders:
        recorder.end()


def replayed(program, path):
    result = subprocess.run(
        [program, "replay", "--config", "/dev/null", path], capture_output=True, timeout=DEADLINE
    )
    assert (result.returncode, result.stderr) == (0, b"")
    return [json.loads(line) for line in result.stdout.splitlines()]


def play(pad):
    """Three fingers, a hard press, a loss in which one ends and another begins, a press to the maximum."""
    pad.emit(*down(0, 45, 608, 340, 51), *down(1, 46, 304, 170, 60), (EV_KEY, BTN_TOUCH, 1))
    for pressure in range(60, 240, 5):
        pad.emit(*press(1, pressure))
    pad.emit((EV_KEY, BTN_LEFT, 1))
    # A loss also drops the unread events.
    pad.wait_read()
    before = len(pad.asked)
    pad.drop(*lift(0), *press(1, 200), *down(2, 47, 912, 170, 20))
    # Of a frame that is emitted during these requests some axes would be seen. The reader reads again after the last request.
    pad.wait_until(
        lambda: ("ioctl", EVIOCGMTSLOTS) in pad.asked[before:] and pad.asked[-1][0] == "read", "asked what was lost")
    pad.emit((EV_KEY, BTN_LEFT, 0), *press(2, 255))
    pad.emit(*lift(1), *press(2, 90))
    return pad.emit(*lift(2), (EV_KEY, BTN_TOUCH, 0))


def compared(lines):
    """The lines that do not depend on the current clock, with times relative to the first contact."""
    lines = [line for line in lines if line["event"] in SAME]
    start = next(line["time"] for line in lines if line["event"] == "contact")
    return [line | {"time": line["time"] - start} for line in lines]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_recording_has_the_events_of_the_live_daemon(program, bed, start, record, tmp_path, ending):
    pad = SteadyPad(bed).plug()
    client = start().connect()
    client.subscribe_to_all()
    play(pad)
    live = compared(client.after(pad))
    client.close()
    pad.wait_open(False)
    pad.unplug()

    pad, path = SteadyPad(bed).plug(), tmp_path / f"pad.{ending}"
    recorder = record("-o", path).wait_recording()
    play(pad)
    pad.wait_read()
    assert recorder.stop(signal.SIGINT) == 0
    assert "events were lost once" in recorder.printed
    assert "# SYN_DROPPED" in path.read_text()
    assert compared(replayed(program, path)) == live
    kinds = {line["event"] for line in live}
    assert kinds >= {"contact", "weight", "max_force", "heaviest", "press"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_existing_contacts_are_in_the_recording(program, bed, record, tmp_path, ending):
    pad = MockPad(bed, slots=[resting(-1, 5, 5, 33), resting(77, 608, 340, 51)]).plug()
    path = tmp_path / f"pad.{ending}"
    recorder = record("-o", path).wait_recording()
    pad.emit(*down(0, 78, 10, 10))
    pad.wait_read()
    assert recorder.stop(signal.SIGTERM) == 0
    lines = replayed(program, path)
    begun = [line for line in lines if line.get("phase") == "began" and line["event"] == "contact"]
    assert [line["contact"] for line in begun] == [77, 78]
    # The slot had this pressure before, so no event contains it.
    weights = [line for line in lines if line["event"] == "weight" and line["contacts"]]
    assert [c["raw"] for c in weights[-1]["contacts"]] == [33, 51]


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_keys_are_recorded(bed, record, tmp_path, ending):
    """A touchscreen has keys as well, and this one has others that no touch device should have."""
    keys = (BTN_LEFT, BTN_TOOL_FINGER, BTN_TOUCH, BTN_STYLUS, KEY_HOMEPAGE)
    pad, path = MockPad(bed, keys=keys, uniq="serial-4711", phys="usb-9").plug(), tmp_path / f"pad.{ending}"
    recorder = record("-o", path).wait_recording()
    pad.emit(*down(0, 45, 608, 340, 51), (EV_KEY, KEY_HOMEPAGE, 1))
    pad.emit((EV_KEY, KEY_HOMEPAGE, 0))
    pad.emit((EV_KEY, BTN_STYLUS, 1))
    pad.emit(*press(0, 52))
    pad.wait_read()
    assert recorder.stop(signal.SIGHUP) == 0
    text = path.read_text()
    assert "KEY_" not in text and "BTN_STYLUS" not in text
    assert "4711" not in text and "usb-9" not in text
    assert text.endswith("----------\n")
    # A frame with only a key would reveal when it was pressed.
    assert f"{path}: 2 frames in" in recorder.printed
    assert text.count("SYN_REPORT") == 3


def test_a_keyboard_is_not_recorded(bed, record, tmp_path):
    keys = (KEY_A, BTN_LEFT, BTN_TOOL_FINGER, BTN_TOUCH)
    MockPad(bed, keys=keys).plug()
    recorder = record("/dev/input/event0", "-o", tmp_path / "pad.evemu")
    assert recorder.wait() == 65
    assert "keyboard" in recorder.printed and not (tmp_path / "pad.evemu").exists()


@pytest.fixture
def evemu():
    """The library with which evemu reads files; its programs require a device."""
    try:
        library = ctypes.CDLL("libevemu.so.3")
    except OSError:
        pytest.skip("libevemu is not installed (package evemu-tools)")
    library.evemu_new.restype = ctypes.c_void_p
    for name in ("evemu_read", "evemu_write"):
        getattr(library, name).argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.evemu_delete.argtypes = [ctypes.c_void_p]
    library.evemu_read_event.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    return library


def test_evemu_reads_the_file(bed, record, tmp_path, evemu):
    pad, path = MockPad(bed).plug(), tmp_path / "pad.evemu"
    recorder = record("-o", path).wait_recording()
    play(pad)
    pad.wait_read()
    assert recorder.stop(signal.SIGINT) == 0

    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    libc.fclose.argtypes = [ctypes.c_void_p]
    device, again = evemu.evemu_new(None), tmp_path / "again.evemu"
    file = libc.fopen(os.fsencode(path), b"r")
    assert evemu.evemu_read(device, file) > 0
    event, count = ctypes.create_string_buffer(24), 0
    while evemu.evemu_read_event(file, event) > 0:
        count += 1
    libc.fclose(file)
    copy = libc.fopen(os.fsencode(again), b"w")
    assert evemu.evemu_write(device, copy) == 0
    libc.fclose(copy)
    evemu.evemu_delete(device)

    lines = path.read_text().splitlines()
    assert count == len([line for line in lines if line.startswith("E:")]) > 40
    kept = [line for line in again.read_text().splitlines() if re.match("[NIPA]:", line)]
    assert kept == [line for line in lines if re.match("[NIPA]:", line)]


def test_a_recording_without_touches_is_one_with_a_hint(program, pad, record, tmp_path):
    path = tmp_path / "pad.yml"
    recorder = record("-o", path, "--seconds", "0.05")
    assert recorder.wait() == 75
    assert "nothing touched /dev/input/event0; pressured devices lists the other devices" in recorder.printed
    assert [line["event"] for line in replayed(program, path)] == ["hello", "device"]


def test_a_removed_device_ends_it_successfully(bed, record, tmp_path):
    pad, path = MockPad(bed).plug(), tmp_path / "pad.evemu"
    recorder = record("-o", path).wait_recording()
    pad.emit(*down(0, 45, 608, 340, 51))
    pad.wait_read()
    pad.die()
    assert recorder.wait() == 0
    assert "the device was removed; 1 frame in" in recorder.printed


def test_the_first_device_with_pressure_is_recorded_unless_one_is_named(bed, record, tmp_path):
    plain = MockPad(bed, 3, name="Plain", axes=touch_axes(5)).plug()
    assert record("-o", tmp_path / "Feeling.evemu", "--seconds", "0.05").wait() == 66
    assert not (tmp_path / "Feeling.evemu").exists()
    MockPad(bed, 4, name="Feeling").plug()
    for words, name in ([], "Feeling"), ([plain.node], "Plain"):
        path = tmp_path / f"{name}.evemu"
        assert record(*words, "-o", path, "--seconds", "0.05").wait() == 75
        assert f"N: {name}\n" in path.read_text()


def test_no_file_is_overwritten(pad, record, tmp_path):
    path = tmp_path / "pad.evemu"
    path.write_text("mine\n" * 1000)
    recorder = record("-o", path)
    assert recorder.wait() == 73
    assert "exists already; remove it first" in recorder.printed and path.read_text() == "mine\n" * 1000


@pytest.mark.parametrize(
    "arguments, status",
    [
        (["-o", "pad.csv"], 64),
        (["-o", "pad.evemu", "--seconds", "0"], 64),
        (["-o", "pad.evemu", "--seconds", "nan"], 64),
        (["/dev/input/event9", "-o", "pad.evemu"], 66),
        (["-o", "no/such/folder/pad.evemu"], 73),
    ],
)
def test_errors_are_reported(pad, record, tmp_path, arguments, status):
    recorder = record(*arguments, cwd=tmp_path)
    assert recorder.wait() == status
    assert recorder.printed.strip()
    assert not list(tmp_path.glob("**/pad*"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_size_limit_leaves_complete_frames(program, pad, record, tmp_path, ending):
    path = tmp_path / f"pad.{ending}"
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_001, 10_001))  # noqa: E731
    recorder = record("-o", path, preexec_fn=limit).wait_recording()
    for number in range(100_000):
        if recorder.process.poll() is not None:
            break
        pad.emit((EV_ABS, ABS_MT_PRESSURE, 1 + number % 200))
    assert recorder.wait() == 73
    assert f"cannot write {path} completely" in recorder.printed
    assert path.stat().st_size <= 10_001
    kept = int(re.search(r"it contains (\d+) frames", recorder.printed)[1])
    text = path.read_text()
    assert text.endswith("----------\n")
    # One more is the initial state.
    assert text.count("SYN_REPORT") == kept + 1 > 10
    assert replayed(program, path)
