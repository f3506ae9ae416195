"""The output of `pressured record` is accepted by libinput and other readers."""

import subprocess

import pytest

import service
from pad import node_named
from waiting import DEADLINE, wait_until

PRESSURES = list(range(10, 110, 10))


@pytest.fixture
def recording(plug, start, tmp_path):
    """A touch of ten frames and its end, recorded from a real node; returns the file."""
    pad = plug("pad")
    file = tmp_path / "touch.yml"
    recorder = start("pressured", "record", pad.node, "-o", file, stderr=subprocess.PIPE)
    opened = f"readlink /proc/{recorder.pid}/fd/*"
    wait_until(lambda: pad.node in service.run("sh", "-c", opened, check=False).stdout.split())
    for pressure in PRESSURES:
        pad.press(pressure)
    pad.lift()
    # The initial state, ten frames and the end.
    wait_until(lambda: file.exists() and file.read_text().count("SYN_REPORT") == 12, "frames are missing")
    pad.unplug()
    assert recorder.wait(DEADLINE) == 0, recorder.stderr.read()
    return file


def test_libinput_replays_a_recording_frame_by_frame(recording, start, tmp_path):
    output = tmp_path / "evtest"
    replay = start(
        "python3", "/usr/libexec/libinput/libinput-replay", recording,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    node = wait_until(lambda: node_named("pad"), "libinput has made no device")
    with open(output, "wb") as file:
        start("stdbuf", "-oL", "evtest", node, stdout=file)
    wait_until(lambda: b"Testing ..." in output.read_bytes())
    # It waits for the Enter key.
    replay.stdin.write(b"\n")
    replay.stdin.flush()
    wait_until(lambda: b"(BTN_TOUCH), value 0" in output.read_bytes(), "nothing was played")
    pressures = [
        int(line.rsplit(b" ", 1)[1]) for line in output.read_bytes().splitlines()
        if b"(ABS_MT_PRESSURE), value" in line
    ]  # fmt: skip
    assert pressures[: len(PRESSURES)] == PRESSURES
