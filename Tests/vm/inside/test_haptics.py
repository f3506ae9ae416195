"""What a finger feels, on a device that the kernel itself asks to play it."""

import pathlib
import shutil

import pytest

import service

EXAMPLES = pathlib.Path("/usr/share/doc/pressured/examples")
RULES = pathlib.Path("/etc/udev/rules.d/69-pressured-haptics.rules")


@pytest.fixture
def feeling(configure):
    """A service that has been allowed to write to pads, as the page on haptics says."""
    shutil.copy(EXAMPLES / RULES.name, RULES)
    service.run("udevadm", "control", "--reload")
    configure("haptics: { enabled: true }\n", (EXAMPLES / "haptics.conf").read_text())
    yield
    RULES.unlink()
    service.run("udevadm", "control", "--reload")


def test_a_press_to_the_full_is_uploaded_once_played_once_and_erased(feeling, plug, connect):
    # Somebody waits for it, so it is opened as soon as it may be read, and must be writable by then.
    client = connect()
    pad = plug("pad", haptics=True)
    client.event("device", haptics=True)
    pad.hear("upload")
    for pressure in (100, 253, 250, 253):
        pad.tell(f"press {pressure}")
    client.event("max_force", state="reached")
    pad.hear("play")
    pad.do("lift")
    client.event("contact", phase="ended")
    service.stop()
    pad.hear("erase")
    said = [line.split()[0] for line in pad.said]
    assert [said.count(word) for word in ("upload", "play", "erase")] == [1, 1, 1], pad.said


def test_a_pad_that_plays_nothing_is_not_opened_for_writing(feeling, plug, connect):
    pad = plug("pad")
    service.run("udevadm", "settle")
    entries = service.run("getfacl", "-cp", pad.node).stdout
    assert "_pressured:r--" in entries
    client = connect()
    assert client.event("device")["haptics"] is False
