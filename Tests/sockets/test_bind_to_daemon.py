"""`pressured bind` and `pressured perform` with the real daemon, which plays a recording of two plums and a hand."""

import os
import pathlib

import pytest

from daemon import wait_until
from fakedaemon import SOCKET

ROOT = pathlib.Path(__file__).resolve().parents[2]

CONFIGURATION = """
actions:
  - { type: desktop.screenshot, title: Take a picture, on: { press: deep, fingers: any } }
  - { type: desktop.other, title: Something else }
"""


@pytest.fixture
def daemon(serve):
    """Serves the recording, in which one press of two fingers enters the stage deep once."""
    recording = ROOT / "Tests/PressureKitTests/Recordings/two-plums.evemu"
    return serve(str(recording), "--speed", "20", config=CONFIGURATION, socket=SOCKET)


def output(folder):
    path = os.path.join(folder, "ran")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return sorted(file.read().splitlines())


def test_a_recorded_press_runs_its_binding_once(daemon, bind, folder):
    command = ["sh", "-c", 'echo "$PRESSURED_EVENT $PRESSURED_STAGE$PRESSURED_ACTION" >> ran']
    bind(
        {
            "bindings": [
                {"on": {"press": "deep", "fingers": "any"}, "run": command},
                {"on": {"press": "deep", "fingers": 1}, "run": command},
                {"on": {"action": "desktop.screenshot"}, "run": command},
                {"on": {"press": "light", "fingers": 2}, "run": command},
            ]
        }
    )
    expected = ["action desktop.screenshot", "press deep", "press light"]
    wait_until(lambda: len(output(folder)) >= len(expected))
    assert output(folder) == expected


def test_a_performed_action_runs_its_binding_once(run, daemon, bind, folder):
    words = ["sh", "-c", "echo $PRESSURED_ORIGIN >> ran"]
    binder = bind({"bindings": [{"on": {"action": "desktop.other"}, "run": words}]})
    binder.wait_for_log("listening to")
    assert run("perform", "desktop.other", "--socket", daemon.path).status == 0
    assert run("perform", "desktop.othr", "--socket", daemon.path).status == 65
    wait_until(lambda: output(folder))
    wait_until(lambda: not binder.children())
    assert output(folder) == ["request"]
