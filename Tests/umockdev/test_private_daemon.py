"""`pressured watch` without a running daemon: it reads the devices itself, or reports why it cannot."""

import os

import pytest

from codes import KEY_SPACE
from mockpad import MockPad


@pytest.fixture
def watch(run, tmp_path):
    """Runs it with its output in a pipe and no daemon; returns its status and its messages."""

    def watch(before=()):
        status, output, errors = run("watch", before=["env", "-u", "PRESSURED_SOCKET", *before], XDG_RUNTIME_DIR=str(tmp_path))
        assert (output, os.listdir(tmp_path)) == ("", ["config.yaml"])
        return status, errors

    return watch


@pytest.mark.parametrize("has_keyboard, reason", [
    (False, "there are no input devices in /dev/input"), (True, "none of the 1 input devices is a supported touch device"),
])
def test_missing_devices_are_reported(bed, watch, has_keyboard, reason):
    if has_keyboard:
        MockPad(bed, axes={}, keys=[KEY_SPACE]).plug()
    status, sentence = watch()
    assert status == 66
    assert f"no daemon answers, and {reason}" in sentence


def test_missing_permissions_are_reported_with_the_service(bed, watch, without_privilege):
    MockPad(bed).plug(mode=0o000)
    status, sentence = watch(without_privilege)
    assert status == 77
    assert "you have no permission to read /dev/input/event0" in sentence
    assert "systemctl enable --now pressured.socket" in sentence
    assert "join" not in sentence
