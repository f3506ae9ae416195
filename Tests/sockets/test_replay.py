"""`pressured replay` with complete, broken and invalid recordings."""

import os
import sys

import pytest

from connection import assert_times_never_run_backwards, events_of, is_event, lines_of
from recording import Recording

BAD_DATA = 65


def whole():
    return Recording().touch([20, 40, 60]).touch([30, 50])


def test_the_greeting_and_the_device_come_first(run, write):
    path = write(whole().begin(0, 9).report())
    status, output, log = run("replay", path)
    assert (status, log) == (0, "")
    lines = lines_of(output.encode())
    assert lines[0]["event"] == "hello" and lines[0]["clock"] == "file"
    assert is_event(lines[1], "device", change="present", time=0)
    assert_times_never_run_backwards(lines)
    assert [line["phase"] for line in events_of(lines, "contact")] == ["began", "ended"] * 2 + ["began", "cancelled"]
    assert run("replay", path).output == output, "two runs are byte-identical"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_failed_write_is_reported(run, write):
    with open("/dev/full", "wb") as full:
        status, _, log = run("replay", write(whole()), stdout=full)
    assert (status, log) == (73, "pressured: cannot write to standard output: No space left on device\n")


def test_frames_before_an_error_are_printed(run, write):
    recording = whole().begin(0, 80).report()
    line = recording.text.count("\n") + 1
    recording.parts.append("E: 9.000000 0003 002f 0010\n")
    path = write(recording)
    status, output, log = run("replay", path)
    assert (status, log.count("\n")) == (BAD_DATA, 1)
    assert log.startswith(f"pressured: {path}:{line}: the slot ")
    lines = lines_of(output.encode())
    assert [line["event"] for line in lines[:2]] == ["hello", "device"]
    assert len([line for line in events_of(lines, "weight") if line["contacts"]]) == 6
    begun = len([line for line in lines if is_event(line, "contact", phase="began")])
    assert begun == len([line for line in lines if line.get("phase") in ("ended", "cancelled")])


KEYBOARD = "# EVEMU 1.2\nN: Keyboard\nI: 0011 0001 0001 ab41\nB: 01 fe ff 00 00 00 00 00 00\nE: 0.000001 0001 001e 1\nE: 0.000001 0000 0000 0\n"


def test_the_refusal_of_a_device_names_the_one_to_read(run, write):
    path = write(KEYBOARD + whole().text)
    assert run("replay", path) == (
        BAD_DATA, "",
        f"pressured: {path}: Keyboard is not read: it has the keys of a keyboard, which pressured never reads; --device 2 reads Pad\n")
    assert run("replay", path, "--device", "2").status == 0
    assert "--device" not in run("replay", write(KEYBOARD)).log


def test_raw_events_with_a_description_have_the_same_output(run, write):
    described = write(whole())
    raw = b"".join(frame for _, frame in whole().frames_since(0))
    result = run("replay", write(raw, "raw"), "--describe", described)
    assert result.status == 0
    assert result.output.replace('/raw"', '/pad.evemu"') == run("replay", described).output


def test_a_closed_output_pipe_ends_it_silently(start, write):
    recording = Recording()
    for _ in range(20):
        recording.touch(range(20, 220))
    process = start("replay", write(recording))
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    # As every filter: by the signal, or with the status of a shell that has caught it.
    process.wait()


# The kernel includes what a process used before the exec, which is this one's.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_file(run, program, folder):
    """Ten million events work as well: set PRESSURED_EVENTS=10000000 to see, with a release build.

    A debug build takes minutes for as many, so that by default there are fewer; the test shows
    that a longer file needs no more memory than a shorter one.
    """
    peaks = []
    total = int(os.environ.get("PRESSURED_EVENTS", "400000"))
    for events in [total // 20, total]:
        path = os.path.join(folder, "long.evemu")
        write_long(path, events)
        status, kibibytes, log = run("-c", MEASURE, program, "replay", path, program=sys.executable, timeout=None)
        assert status == 0, log
        peaks.append(int(kibibytes))
        os.remove(path)
    assert peaks[1] < 64 * 1024
    assert peaks[1] - peaks[0] < 4 * 1024


def write_long(path, events):
    """A finger that rests, on a pad that sends many unused events; 50 events per frame."""
    with open(path, "w", encoding="ascii") as file:
        file.write(Recording().begin(0, 80).report().text)
        noise = "".join(f"E: %s 0004 0004 {number:04d}\n" for number in range(48))
        frame = noise + "E: %s 0003 003a %04d\nE: %s 0000 0000 0000\n"
        for number in range(events // 50):
            seconds, microseconds = divmod((number + 1) * 1000, 1_000_000)
            time = f"{seconds}.{microseconds:06d}"
            file.write(frame % (*[time] * 49, 20 + number % 200, time))
