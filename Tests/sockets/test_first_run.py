"""`make run` prints instructions for new users at the end, and not above forty kilobytes of output per second."""

import re
import shutil
import signal

import pytest

from daemon import wait_until
from verbs import ROOT


@pytest.mark.skipif(not shutil.which("socat"), reason="not installed: socat")
def test_the_instructions_come_last_and_name_the_program(in_terminal, program, folder):
    script = str(ROOT / "scripts/run")
    terminal = in_terminal(program=script, size=(120, 40), shows_errors=False, PRESSURED_PROGRAM=program, XDG_RUNTIME_DIR=folder)
    wait_until(lambda: "Stop with Ctrl-C." in terminal.text)
    text = terminal.text
    assert f"The program is {program}" in text
    assert f"{program} watch --socket {folder}/pressured.sock" in text
    shown, _, instructions = text.partition("The program is")
    assert 1 <= len(re.findall(r'^{"event"', shown, re.M)) <= 10
    assert "{" not in instructions
    terminal.kill(signal.SIGTERM)
    assert terminal.wait() == 0
