"""Each verb's help has an example, which works as it stands there.

A line that begins with "Example: " is typed into a shell, in a folder with touchpad.evemu, pad.evemu
and docs, where a daemon serves a recording of something at rest. A line "and then: " below it is
typed into another while the first goes on.
"""

import contextlib
import re
import shutil

import pytest

from daemon import Client
from mockpad import MockPad
from stage import DUMP, Stage
from verbs import examples, help_of, verbs

# What says that a command works which goes on until Ctrl-C; any other has to end by itself, with 0.
# A verb that is new belongs here if it goes on.
LASTING = {
    "run": r"serving (\S+)",
    "bind": r"listening to",
    "calibrate": r"Take everything off",
    "record": r"recording /dev",
    "watch": r'"hello"',
    "socat": r'"hello"',
}

# Verbs that have nothing to do with a daemon that is there already.
ALONE = ["run"]

# Verbs that a signal ends as it ends others: one may be waiting for who reads, one leaves the terminal as it is.
SIGNALED = ["watch", "calibrate"]

# Programs of others in examples; ssh and systemctl are the stage's own.
BORROWED = ["jq", "socat"]

# A scale that is sooner at rest than the usual one, so that nobody waits for it here.
SETTINGS = "scale: { window_ms: 200, filter_ms: 20 }\n"

RESTING = """\
E: 0.000001 0003 002f 0000
E: 0.000001 0003 0039 0001
E: 0.000001 0003 0035 0500
E: 0.000001 0003 0036 0300
E: 0.000001 0003 003a 0051
E: 0.000001 0000 0000 0000
E: 900.000000 0003 0039 -001
E: 900.000000 0000 0000 0000
"""

EXAMPLES = [
    pytest.param(verb, commands, id=f"{verb}-{number}")
    for verb in verbs()
    for number, commands in enumerate(examples(verb))
]


@pytest.fixture
def stage(program, bed, start, connect, tmp_path, request):
    """Where a daemon serves something that lies at rest, unless the verb is one itself."""
    MockPad(bed).plug()
    stage = Stage(program, bed, tmp_path)
    if request.getfixturevalue("verb") in ALONE:
        return stage
    head = "".join(line for line in DUMP.open() if not line.startswith("E:"))
    (tmp_path / "resting.evemu").write_text(head + RESTING)
    client = connect(start("--replay", str(tmp_path / "resting.evemu"), settings=SETTINGS))
    client.until(event="scale", status="stable")
    return stage


def key(command):
    """By what `LASTING` knows a command: its verb, or the program."""
    verb = re.search(r"\bpressured (\w+)", command)
    return verb[1] if verb else command.split()[0]


def test_the_verbs_are_found():
    assert {"run", "devices", "replay", "perform", "bind", "record"} <= set(verbs())


@pytest.mark.parametrize("verb", verbs())
def test_each_verb_has_an_example_of_its_own(verb):
    (first, *_), *_ = examples(verb) or [[""]]
    assert re.search(rf"\bpressured {verb}\b", first), help_of(verb)


@pytest.mark.parametrize("verb", verbs())
def test_an_example_can_be_copied_from_a_terminal_of_80_columns(verb):
    assert examples(verb, columns=80) == examples(verb, columns=1000)


@pytest.mark.parametrize("verb, commands", EXAMPLES)
def test_an_example_works(bed, stage, verb, commands):
    missing = [name for name in BORROWED if name in " ".join(commands) and not shutil.which(name)]
    if missing:
        pytest.skip(f"{missing[0]} is not installed, which the example uses")
    with contextlib.ExitStack() as stack:
        for command in commands:
            follow(command, bed, stage, stack)


def follow(command, bed, stage, stack):
    """Types a command, and waits until it has ended well, or works and is ended with the others."""
    folder = bed.folder_can_be_opened() if key(command) == "run" else contextlib.nullcontext()
    with folder:
        typed = stage.type(command)
        stack.callback(typed.end)
        if key(command) not in LASTING:
            assert typed.wait() == 0, f"{command}: {typed.said}"
            return
        found = typed.wait_said(LASTING[key(command)])
    stack.callback(interrupt, typed, command)
    if key(command) == "run":
        # A daemon reads while somebody listens.
        stack.callback(Client(found[1]).close)


def interrupt(typed, command):
    status = typed.interrupt()
    assert status == 0 or key(command) in BORROWED + SIGNALED, f"{command}: {status}, {typed.said}"
