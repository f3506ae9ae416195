"""The help of each verb has an example, which works unchanged.

A line that begins with "Example: " is typed into a shell, in a directory with touchpad.evemu, pad.evemu
and docs, while a daemon serves a recording of a load at rest. A line "and then: " below it is
typed into another shell while the first command runs.
"""

import contextlib
import re
import shutil

import pytest

from hidraw import known
from mockdaemon import Client
from mockpad import MockPad
from stage import DUMP, Stage
from verbs import examples, help_of, verbs

# The output that shows that a command works which runs until Ctrl-C; any other must exit by itself with 0.
# Add a new verb here if it runs until Ctrl-C.
LASTING = {
    "run": r"serving (\S+)",
    "bind": r"listening to",
    "calibrate": r"Take everything off",
    "record": r"recording /dev",
    "practice": r"click, 1 of",
    "watch": r'"hello"',
    "web": r"http://127\.0\.0\.1:",
    "socat": r'"hello"',
}

# Verbs that do not use an existing daemon.
ALONE = ["run"]

# Verbs that terminate by a signal with its status: one may be blocked by its reader, one restores the terminal.
SIGNALED = ["watch", "calibrate"]

# Programs of others in examples; ssh and systemctl are replaced by the stage.
BORROWED = ["jq", "socat"]

# A scale that is stable sooner than with the default settings, to save time.
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
def stage(program, bed, start, tmp_path, request):
    """An environment with a daemon and a load at rest, unless the verb is a daemon itself."""
    MockPad(bed).plug()
    bed.add_hidraw(0, known("pixart-inherited"))
    stage = Stage(program, bed, tmp_path)
    if request.getfixturevalue("verb") in ALONE:
        return stage
    head = "".join(line for line in DUMP.open() if not line.startswith("E:"))
    (tmp_path / "resting.evemu").write_text(head + RESTING)
    client = start("--replay", str(tmp_path / "resting.evemu"), settings=SETTINGS).connect()
    client.until(event="scale", status="stable")
    return stage


def key(command):
    """The key of a command in `LASTING`: its verb, or the program."""
    verb = re.search(r"\bpressured (\w+)", command)
    return verb[1] if verb else command.split()[0]


def test_the_verbs_are_found():
    assert {"run", "devices", "replay", "perform", "bind", "record"} <= set(verbs())


@pytest.mark.parametrize("verb", verbs())
def test_each_verb_has_an_example(verb):
    (first, *_), *_ = examples(verb) or [[""]]
    assert re.search(rf"\bpressured {verb}\b", first), help_of(verb)


@pytest.mark.parametrize("verb", verbs())
def test_an_example_fits_into_a_terminal_of_80_columns(verb):
    assert examples(verb, columns=80) == examples(verb, columns=1000)


@pytest.mark.parametrize("verb, commands", EXAMPLES)
def test_an_example_works(bed, stage, verb, commands):
    missing = [name for name in BORROWED if name in " ".join(commands) and not shutil.which(name)]
    if missing:
        pytest.skip(f"{missing[0]} is not installed, which the example uses")
    if verb == "pen" and "--test" not in commands[0]:
        pytest.skip("a pen needs a pad that can be grabbed, and the stage has a recording; the guest tests it")
    with contextlib.ExitStack() as stack:
        for command in commands:
            follow(command, bed, stage, stack)


def follow(command, bed, stage, stack):
    """Types a command, and waits until it has exited successfully, or works and is stopped with the others."""
    folder = bed.folder_can_be_opened() if key(command) == "run" else contextlib.nullcontext()
    with folder:
        typed = stage.type(command)
        stack.callback(typed.end)
        if key(command) not in LASTING:
            assert typed.wait() == 0, f"{command}: {typed.printed}"
            return
        found = typed.expect(LASTING[key(command)])
    stack.callback(interrupt, typed, command)
    if key(command) == "run":
        # A daemon reads its devices while a client is connected.
        stack.callback(Client(found[1]).close)


def interrupt(typed, command):
    status = typed.interrupt()
    # A recording in which nothing was touched.
    assert status == (75 if key(command) == "record" else 0) or key(command) in BORROWED + SIGNALED, f"{command}: {status}, {typed.printed}"
