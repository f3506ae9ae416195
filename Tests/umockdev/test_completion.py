"""Completion in bash, zsh and fish, with a real tab key."""

import shutil
import subprocess

import pytest

from bed import Bed
from mockpad import MockPad, touch_axes
from shells import SHELLS, Shell
from stage import Stage
from verbs import program, verbs

SETTINGS = "actions:\n  - { type: desktop.screenshot, title: Screenshot }\n"

# A line as typed and after a tab; next to x.yml there is x.csv, next to evtest.txt evtest.csv.
LINES = [
    ("record -o touch", "record -o touchpad.evemu"),
    ("record -o x.", "record -o x.yml"),
    ("practice --replay touch", "practice --replay touchpad.evemu"),
    ("replay touch", "replay touchpad.evemu"),
    ("replay evtest.", "replay evtest.txt"),
    ("replay --describe touch", "replay --describe touchpad.evemu"),
    ("run --replay touch", "run --replay touchpad.evemu"),
    ("run --config conf", "run --config config.yaml"),
    ("run --state sta", "run --state state/"),
    ("bind --bindings conf", "bind --bindings config.yaml"),
    ("check conf", "check config.yaml"),
    ("perform desk", "perform desktop.screenshot"),
    ("perform pressured.un", "perform pressured.untare"),
    ("record /dev/input/ev", "record /dev/input/event4"),
    ("practice /dev/input/ev", "practice /dev/input/event4"),
    ("run --device /dev/input/ev", "run --device /dev/input/event4"),
]


@pytest.fixture(scope="module")
def bed():
    """One device with pressure and one without."""
    bed = Bed()
    MockPad(bed, 3, name="Plain", axes=touch_axes(5), pressure=None).plug()
    MockPad(bed, 4).plug()
    yield bed
    bed.close()


@pytest.fixture(scope="module", params=SHELLS)
def shell(request, bed, tmp_path_factory):
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed, so its completion was not tried")
    folder = tmp_path_factory.mktemp(request.param)
    stage = Stage(program(), bed, folder)
    (folder / "pad.evemu").unlink()
    (folder / "config.yaml").write_text(SETTINGS)
    (folder / "state").mkdir()
    for name in ("x.yml", "x.csv", "evtest.txt", "evtest.csv"):
        (folder / name).touch()
    shell = Shell(request.param, folder, stage.environment)
    yield shell
    shell.close()


def start_of(word, words):
    """The shortest prefix that distinguishes a word; empty if another word begins with all of it."""
    others = [other for other in words if other != word]
    starts = (word[:length] for length in range(1, len(word)))
    return next((s for s in starts if not any(other.startswith(s) for other in others)), None)


def test_the_script_for_zsh_names_its_command():
    """compinit finds it by this line."""
    command = [program(), "--generate-completion-script", "zsh"]
    script = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    assert script.splitlines()[0] == "#compdef pressured"


def test_each_verb_is_completed(shell):
    for verb in verbs():
        if typed := start_of(verb, [*verbs(), "help"]):
            assert shell.completed(f"pressured {typed}") == f"pressured {verb}", shell.shown[-2000:]


@pytest.mark.parametrize("typed, completed", LINES)
def test_the_value_of_an_option_is_completed(shell, typed, completed):
    assert shell.completed(f"pressured {typed}") == f"pressured {completed}", shell.shown[-2000:]
