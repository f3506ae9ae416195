"""`pressured devices` and `record` for a user without access to the nodes, with and without a daemon."""

import os
import shlex

import pytest

from codes import BTN_TOUCH, KEY_A, KEY_SPACE
from mockpad import MockPad
from test_rights import show


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a daemon that may read more than its client")
def test_unreadable_devices_are_queried_from_the_daemon(bed, start, run, without_privilege):
    MockPad(bed).plug(mode=0o000)
    daemon = start()
    status, output, log = run("devices", before=without_privilege, socket="pressured.sock")
    assert (status, log) == (0, "")
    assert output.splitlines() == [
        f"/dev/input/event0: Mock Pad (0018-06cb-cd41) is read by the daemon at {daemon.path}: 5 slots, "
        "pressure 0 to 255, which is usually the contact area and not force"
    ]


def test_devices_that_the_daemon_cannot_read_are_reported_as_such(bed, start, run, without_privilege):
    MockPad(bed, 0).plug()
    MockPad(bed, 1).plug(mode=0o000)
    show(bed, MockPad(bed, 2, keys=(KEY_A, KEY_SPACE), axes={}).plug(mode=0o000))
    daemon = start(before=without_privilege)
    status, output, log = run("devices", before=without_privilege, socket="pressured.sock")
    assert (status, log) == (0, "")
    first, *others = output.splitlines()
    assert "is read by the daemon at" in first
    assert others == [
        "/dev/input/event1: cannot open /dev/input/event1: Permission denied; nor does the daemon at "
        f"{daemon.path} read it",
        "/dev/input/event2: is not a touch device",
    ]


def test_devices_of_the_daemon_without_a_local_node_are_listed(bed, start, run):
    pad = MockPad(bed).plug()
    recording = os.path.join(os.path.dirname(__file__), "../PressureKitTests/Recordings/two-plums.evemu")
    daemon = start("--replay", recording)
    status, output, log = run("devices", socket="pressured.sock")
    assert (status, log) == (0, "")
    lines = [line for line in output.splitlines() if not line.startswith("  ")]
    assert len(lines) == 2
    assert f"{pad.node}: Mock Pad (0018-06cb-cd41) can be read, but the daemon at" in lines[0]
    assert lines[1].startswith(f"{recording}: ")
    assert f"is read by the daemon at {daemon.path}" in lines[1]


def test_without_a_daemon_it_prints_a_next_step(bed, run, without_privilege):
    MockPad(bed, 0).plug()
    MockPad(bed, 1).plug(mode=0o000)
    status, output, log = run("devices", before=without_privilege)
    lines = output.splitlines()
    assert status == 77
    assert "event0: Mock Pad (0018-06cb-cd41) is read: 5 slots" in lines[0]
    assert lines[1] == "/dev/input/event1: cannot open /dev/input/event1: Permission denied"
    assert log.count("\n") == 1
    assert "no permission to read 1 of 2 input devices, and no daemon answers" in log
    assert "sudo" in log


def test_an_unreadable_keyboard_is_not_reported_as_a_problem(bed, run, without_privilege):
    MockPad(bed, 0).plug()
    show(bed, MockPad(bed, 1, keys=(KEY_A, KEY_SPACE), axes={}).plug(mode=0o000))
    status, output, log = run("devices", before=without_privilege)
    assert (status, log) == (0, "")
    assert output.splitlines()[1] == "/dev/input/event1: is not a touch device"


@pytest.mark.parametrize(
    "node", [(), ("/dev/input/event0",)], ids=["first", "argument"],
)
def test_record_prints_the_exact_command_to_use(bed, run, program, tmp_path, without_privilege, node):
    MockPad(bed).plug(mode=0o000)
    show(bed, MockPad(bed, 1, keys=(BTN_TOUCH, KEY_A), axes={}).plug(mode=0o000))
    path = "my pad's touches.evemu"
    status, output, log = run("record", *node, "--seconds", "3", "-o", path, before=without_privilege)
    assert (status, output) == (77, "")
    first, second = log.splitlines()
    assert "no permission to read /dev/input/event0" in first
    command = second.removeprefix("pressured: run: ")
    assert shlex.split(command) == [
        "sudo", program, "record", *node, "--seconds", "3", "-o", path,
    ]  # fmt: skip
    assert not os.path.exists(tmp_path / path)
