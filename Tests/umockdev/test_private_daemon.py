"""`pressured watch` without a running daemon: it reads the devices itself, or reports why it cannot."""

import os
import subprocess

import pytest

from codes import KEY_SPACE
from mockpad import DEADLINE, MockPad


@pytest.fixture
def watch(program, bed, tmp_path):
    """Runs it with its output in a pipe and no daemon; returns its status and its messages."""

    def watch(before=()):
        result = subprocess.run(
            [*before, program, "watch"],
            env={**bed.environment, "XDG_RUNTIME_DIR": str(tmp_path)},
            capture_output=True, timeout=DEADLINE,
        )  # fmt: skip
        assert result.stdout == b""
        assert os.listdir(tmp_path) == []
        return result.returncode, result.stderr.decode()

    return watch


def test_missing_devices_are_reported(watch):
    status, sentence = watch()
    assert status == 66
    assert "no daemon answers, and there are no input devices in /dev/input" in sentence


def test_missing_touch_devices_are_reported(bed, watch):
    MockPad(bed, axes={}, keys=[KEY_SPACE]).plug()
    status, sentence = watch()
    assert status == 66
    assert "none of the 1 input devices is a supported touch device" in sentence


def test_missing_permissions_are_reported_with_the_service(bed, watch, without_privilege):
    MockPad(bed).plug(mode=0o000)
    status, sentence = watch(without_privilege)
    assert status == 77
    assert "you have no permission to read /dev/input/event0" in sentence
    assert "systemctl enable --now pressured.socket" in sentence
    assert "join" not in sentence
