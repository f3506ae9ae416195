"""Haptic effects on a device to which the kernel itself forwards them."""

import pathlib
import shutil

import pytest

import service
from waiting import wait_until

EXAMPLES = pathlib.Path("/usr/share/doc/pressured/examples")
RULES = pathlib.Path("/etc/udev/rules.d/69-pressured-haptics.rules")


@pytest.fixture
def haptic_service(configure):
    """A service that is permitted to write to pads, as documented in the manual."""
    shutil.copy(EXAMPLES / RULES.name, RULES)
    service.run("udevadm", "control", "--reload")
    configure("haptics: { enabled: true }\n", (EXAMPLES / "haptics.conf").read_text())
    yield
    RULES.unlink()
    service.run("udevadm", "control", "--reload")


def test_a_press_to_the_maximum_is_uploaded_once_played_once_and_erased(haptic_service, plug, connect):
    # A client is connected, so the pad is opened as soon as it is readable, and must be writable by then.
    client = connect()
    pad = plug("pad", haptics=True)
    client.event("device", haptics=True)
    wait_until(lambda: pad.effects, "no effect is uploaded")
    for pressure in (100, 253, 250, 253):
        pad.press(pressure)
    client.event("max_force", state="reached")
    wait_until(lambda: "play" in pad.effects, "the effect is not played")
    pad.lift()
    client.event("contact", phase="ended")
    service.stop()
    wait_until(lambda: "erase" in pad.effects, "the effect is not erased")
    assert [effect for effect in pad.effects if effect != "stop"] == ["upload", "play", "erase"]


def test_a_pad_without_effects_is_not_opened_for_writing(haptic_service, plug, connect):
    pad = plug("pad")
    service.run("udevadm", "settle")
    entries = service.run("getfacl", "-cp", pad.node).stdout
    assert "_pressured:r--" in entries
    client = connect()
    assert client.event("device")["haptics"] is False
