"""`pressured click --try` prints what each click of a recording would become."""

import os
import pathlib
import re
import subprocess

from connection import DEADLINE

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_each_click_of_a_recording_is_judged(program, folder):
    recording = ROOT / "docs/examples/force-click.evemu"
    done = subprocess.run([program, "click", "--try", "--replay", recording], capture_output=True, text=True, timeout=DEADLINE,
                          env={**os.environ, "XDG_RUNTIME_DIR": folder, "CONFIGURATION_DIRECTORY": folder})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(re.fullmatch(r"a force click: its force came \d+ ms after the click", line) for line in lines)


def test_trying_excludes_actions(program):
    done = subprocess.run([program, "click", "--try", "off"], capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == 64
    done = subprocess.run([program, "click", "--replay", "x"], capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == 64
