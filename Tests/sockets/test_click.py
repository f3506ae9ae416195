"""`pressured click --try` prints what each click of a recording would become."""

import re

from verbs import ROOT


def test_each_click_of_a_recording_is_judged(run, folder):
    recording = ROOT / "docs/examples/force-click.evemu"
    status, output, log = run(
        "click", "--try", "--replay", recording, XDG_RUNTIME_DIR=folder, CONFIGURATION_DIRECTORY=folder)
    assert status == 0, log
    lines = output.splitlines()
    assert len(lines) == 2
    assert all(re.fullmatch(r"a force click: its force came \d+ ms after the click", line) for line in lines)


def test_trying_excludes_actions(run):
    assert run("click", "--try", "off").status == 64
    assert run("click", "--replay", "x").status == 64
