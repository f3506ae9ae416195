"""A hard press becomes a key event that another program reads, after the steps that the program itself names."""

import os
import pathlib
import pwd
import re
import shlex
import stat

import pytest
from evdev import ecodes as e

import service
from logins import Terminals
from pad import node_named
from waiting import wait_until

# In the login shell, whenever the test opens the pipe. The answers: a middle click, and a pulse if that is asked.
SET_UP = """
while read -r line <begin; do
  printf '1\\ny\\n' | pressured bind --init >set-up 2>&1; echo ended >>set-up
done
"""


@pytest.fixture(scope="module")
def home():
    """The home of a user who is at the seat, and whose login shell sets up what a hard press does when asked to."""
    service.run("useradd", "-m", "-s", "/bin/sh", "berta", check=False)
    home = pathlib.Path(pwd.getpwnam("berta").pw_dir)
    os.mkfifo(home / "begin")
    terminals = Terminals(has_user_managers=True)
    terminals.log_in("berta", 6, profile=SET_UP)
    terminals.switch_to("berta")
    yield home
    terminals.end()


@pytest.fixture
def forbidden():
    """Nothing is allowed before the test, nor after it."""
    yield forbid()
    forbid()
    service.systemctl("disable", service.UNIT)


def forbid():
    service.run("pressured", "bind", "--forbid")
    assert stat.filemode(os.stat("/dev/uinput").st_mode) == "crw-------"


def touch(pad, force, clicks):
    """A click of the pad, or a touch if it does not click; the force grows after the click."""
    pad.rest(50, 5)
    if clicks:
        pad.report((e.EV_KEY, e.BTN_LEFT, 1))
    pad.rest(55, 5)
    pad.rest(force, 20)
    if clicks:
        pad.report((e.EV_KEY, e.BTN_LEFT, 0))
    pad.lift()


KINDS = {
    "a haptic pad": {"haptics": True},
    "a pad of area that clicks": {},
    "a pad that does not click": {"clicks": False},
}


@pytest.mark.parametrize("kind", KINDS)
def test_three_steps_make_a_hard_press_a_middle_click(plug, home, forbidden, configure, start, tmp_path, kind):
    settings = KINDS[kind]
    pad = plug("pad", **settings)
    service.run("udevadm", "settle")
    printed = home / "set-up"
    printed.unlink(missing_ok=True)
    (home / "begin").write_text("now\n")
    wait_until(lambda: printed.exists() and "ended\n" in printed.read_text(), "the set-up has not ended")
    text = printed.read_text()
    assert "Then a hard press is a middle-click." in text, text
    assert ("no pulse at a hard press" in text) != ("haptics" in settings), text
    (command,) = re.findall("sudo (pressured .+)", text)
    assert ("--allow-pulses" in command) == ("haptics" in settings), text
    assert "after the next start" not in service.run(*shlex.split(command)).stdout

    clicks = settings.get("clicks", True)

    def press_hard():
        # Where the pad clicks, an area of 150 would be that of a palm, by the usual clicks of 60.
        for force in (60, 60, 90 if clicks else 150):
            touch(pad, force, clicks)

    def make_device():
        press_hard()
        return node_named("pressured bind")

    node = wait_until(make_device, "bind has made no device")
    output = tmp_path / "evtest"
    with open(output, "wb") as file:
        start("stdbuf", "-oL", "evtest", node, stdout=file)
    wait_until(lambda: b"Testing ..." in output.read_bytes())

    def is_pressed():
        """Whether the button goes down and up; bind may not be connected yet."""
        press_hard()
        lines = output.read_bytes()
        return b"(BTN_MIDDLE), value 1" in lines and b"(BTN_MIDDLE), value 0" in lines

    wait_until(is_pressed, "the button was not pressed")
    if "haptics" in settings:
        wait_until(lambda: press_hard() or "play" in pad.effects, "no pulse was played")


def test_what_another_rule_permits_is_kept(home, forbidden):
    other = pathlib.Path("/etc/udev/rules.d/71-other.rules")
    service.run("pressured", "bind", "--allow-keys")
    other.write_text(pathlib.Path("/etc/udev/rules.d/70-pressured-uinput.rules").read_text())
    try:
        assert "another rule of udev" in service.run("pressured", "bind", "--forbid").stdout
        assert f"user:{home.name}:rw-" in service.run("getfacl", "-cp", "/dev/uinput").stdout.split()
    finally:
        other.unlink()
