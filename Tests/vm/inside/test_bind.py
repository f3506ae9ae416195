"""A hard press becomes a key event that another program reads, after the steps that the documentation names."""

import pathlib
import pwd

import pytest

import service
from logins import Terminals
from pad import node_named
from waiting import wait_until

SET_UP = "pressured bind --init middle-click >set-up 2>&1; echo ended >>set-up\n"


@pytest.fixture
def terminals():
    service.run("useradd", "-m", "-s", "/bin/sh", "berta", check=False)
    terminals = Terminals()
    yield terminals
    terminals.end()
    service.run("pressured", "bind", "--forbid-keys")


def test_two_commands_make_a_hard_press_a_middle_click(plug, terminals, start, tmp_path):
    pad = plug("pad")
    service.run("pressured", "bind", "--allow-keys")
    printed = pathlib.Path(pwd.getpwnam("berta").pw_dir, "set-up")
    terminals.log_in("berta", 6)
    terminals.switch_to("berta")
    terminals.log_in("berta", 6, profile=SET_UP)
    wait_until(lambda: printed.exists() and "ended\n" in printed.read_text(), "the set-up has not ended")
    assert "Done: a hard press is a middle-click." in printed.read_text(), printed.read_text()
    node = wait_until(lambda: node_named("pressured bind"), "bind has made no device")
    output = tmp_path / "evtest"
    with open(output, "wb") as file:
        start("stdbuf", "-oL", "evtest", node, stdout=file)
    wait_until(lambda: b"Testing ..." in output.read_bytes())

    def press():
        """Presses hard, and returns whether the button went down and up; bind may not be connected yet."""
        for pressure in (50, 120, 200):
            pad.press(pressure)
        pad.lift()
        lines = output.read_bytes()
        return b"(BTN_MIDDLE), value 1" in lines and b"(BTN_MIDDLE), value 0" in lines

    wait_until(press, "the button was not pressed")
