"""`make run` prints instructions for new users at the end, and not above forty kilobytes of output per second."""

import pathlib
import re
import shutil
import signal

import pytest

from daemon import wait_until
from terminal import Terminal

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not shutil.which("socat"), reason="not installed: socat")
def test_the_instructions_come_last_and_name_the_program(program, folder):
    terminal = Terminal(str(ROOT / "scripts/run"), folder, PRESSURED_PROGRAM=program, XDG_RUNTIME_DIR=folder)
    try:
        wait_until(lambda: "Stop with Ctrl-C." in terminal.text)
        text = terminal.text
        assert f"The program is {program}" in text
        assert f"{program} watch --socket {folder}/pressured.sock" in text
        shown, _, instructions = text.partition("The program is")
        assert 1 <= len(re.findall(r'^{"event"', shown, re.M)) <= 10
        assert "{" not in instructions
        terminal.kill(signal.SIGTERM)
        assert terminal.wait() == 0
    finally:
        terminal.close()
