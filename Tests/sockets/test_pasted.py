"""`pressured replay` with recordings as people paste them into reports."""

import json
import subprocess

import pytest

import pasted
from contract import hold
from pasted import FORMATS, FORMS, TOUCHES, Text
from recording import Recording
from test_bad_clients import IS_THOROUGH

# Reports in the style of real ones, and what they must give.
REPORTS = json.loads((pasted.FOLDER / "reports.json").read_text(encoding="utf-8"))


@pytest.fixture
def replay(run, write):
    return lambda data: run("replay", write(data, "pasted.txt"))


@pytest.mark.parametrize("name", FORMS)
def test_each_form_gives_the_touches(replay, name):
    """In CI in each format; otherwise in one, as its unit tests read each."""
    for kind in FORMATS if IS_THOROUGH else [FORMATS[list(FORMS).index(name) % len(FORMATS)]]:
        status, output, log = replay(FORMS[name](Text(kind)))
        assert (status, pasted.summary(output)) == (0, TOUCHES), f"{kind}: {log}"


@pytest.mark.parametrize("kind", FORMATS)
def test_an_undisturbed_recording_has_no_remark(replay, kind):
    status, output, log = replay(str(Text(kind)))
    assert (status, log) == (0, "")
    assert pasted.summary(output) == TOUCHES


# A contact whose pressure was reported before the recording begins, and one whose pressure follows.
UNKNOWN = Recording(resolution=1).text + """\
E: 0.000000 0003 0035 0300
E: 0.000000 0000 0000 0000
E: 0.100000 0003 002f 0001
E: 0.100000 0003 0035 0500
E: 0.100000 0003 003a 0050
E: 0.100000 0000 0000 0000
E: 2.300000 0003 002f 0000
E: 2.300000 0003 0039 -001
E: 2.300000 0000 0000 0000
E: 4.400000 0003 002f 0001
E: 4.400000 0003 0039 -001
E: 4.400000 0000 0000 0000
"""


def test_a_pressure_that_is_never_reported_is_null(replay):
    lines = [json.loads(line) for line in replay(UNKNOWN).output.splitlines()]
    for line in lines:
        hold(line)
    states = [line for line in lines if line["event"] == "weight"]
    known = [[contact["raw"] for contact in state["contacts"]] for state in states]
    assert known == [[None, None], [None, 50], [50], []]
    for contact in (contact for state in states for contact in state["contacts"]):
        measured = [contact[key] for key in ("raw", "ratio", "force", "grams")]
        assert measured in ([None] * 4, [50, 0.196, 0.866, 50])
    assert [state["total_grams"] for state in states] == [None, None, 50, 0]
    assert [state["heaviest"] for state in states] == [None, 1, 1, None]
    # The unweighted center, as one of the forces is unknown.
    assert states[1]["center_x"] == 0.4
    ended = [line for line in lines if line["event"] == "contact" and line["phase"] == "ended"]
    assert [(line["peak_force"], line["peak_grams"]) for line in ended] == [(None, None), (0.866, 50)]
    readings = [(line["time"], line["grams"]) for line in lines if line["event"] == "scale"]
    assert {grams for time, grams in readings if time < 2_300_000} == {None}
    assert {grams for time, grams in readings if 2_300_000 <= time < 4_400_000} == {50}


def test_an_unknown_pressure_is_shown_as_a_dash(run, write):
    path = write(UNKNOWN, "unknown.evemu")
    row = next(line for line in run("watch", "--plain", "--replay", path).output.splitlines() if line.split()[1] == "0")
    assert row.split()[2:4] == ["–", "–"]


@pytest.mark.parametrize("key", ["0140", "014b"])
@pytest.mark.parametrize("is_declared", [True, False])
def test_the_pressure_of_a_pen_is_not_that_of_touches(replay, key, is_declared):
    keys = bytearray(96)
    for code in [0x14A, int(key, 16)] if is_declared else [0x14A]:
        keys[code // 8] |= 1 << code % 8
    rows = [f"B: 01 {keys[row:row + 8].hex(' ')}" for row in range(0, 96, 8)]
    axes = ["00 0 44704 0 0 100", "01 0 27940 0 0 100", "18 0 2047 0 0 0", "2f 0 1 0 0 0", "35 0 1000 0 0 0", "36 0 1000 0 0 0",
            "39 0 65535 0 0 0"]
    events = [f"0001 {key} 1", "0003 0018 900", "0000 0000 0", "0003 0039 7", "0003 0035 300", "0003 0036 300", "0000 0000 0"]
    lines = ["N: Tablet", "I: 0003 056a 00bc 0111", *rows, *(f"A: {axis}" for axis in axes), *(f"E: 1.000000 {event}" for event in events)]
    status, output, log = replay("\n".join(lines) + "\n")
    assert status == 0
    assert {each for state in pasted.summary(output)[0] for each in state} == {(0, None)}
    assert ("its keys lack those of the pen" in log) == (not is_declared)


def piped(program, data, *options):
    return subprocess.run([program, "replay", "-", *options], input=data, capture_output=True, check=False, timeout=120)


@pytest.mark.parametrize("name", REPORTS)
def test_reports_give_what_they_contain_also_in_a_pipe(program, name):
    path = pasted.FOLDER / name
    file = subprocess.run([program, "replay", path], capture_output=True, check=False, timeout=60)
    expected = REPORTS[name]
    raw, _ = pasted.summary(file.stdout.decode())
    assert file.returncode == expected["status"], file.stderr
    assert [[list(contact) for contact in state] for state in raw] == expected["raw"]
    for remark in expected["remarks"]:
        assert remark in file.stderr.decode()
    assert file.stderr.count(b"\n") == len(expected["remarks"])
    pipe = piped(program, path.read_bytes())
    assert pipe.returncode == file.returncode
    assert pipe.stdout.replace(b"/dev/stdin", b"FILE") == file.stdout.replace(bytes(path), b"FILE")
    assert pipe.stderr.replace(b"/dev/stdin", b"FILE") == file.stderr.replace(bytes(path), b"FILE")


def test_the_devices_in_a_pipe_are_listed(program):
    result = piped(program, str(Text("getevent")).encode(), "--list")
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.startswith(b"1  ") and b"events" in result.stdout


@pytest.mark.parametrize("option", [[], ["--list"]])
def test_standard_input_is_read_from_its_position(program, tmp_path, option):
    (tmp_path / "file").write_text("E: not an event\n" + str(Text("evemu")))
    with open(tmp_path / "file", "rb", buffering=0) as file:
        file.seek(len("E: not an event\n"))
        result = subprocess.run([program, "replay", "-", *option], stdin=file, capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, b"")


@pytest.mark.parametrize("excess", [0, 1])
def test_what_is_kept_of_a_pipe_is_limited(program, excess):
    start = b"\n".join(line.encode() for line in Text("evemu").lines) + b"\n"
    line = b"#" * 0xFFFF + b"\n"
    size = (64 << 20) + excess
    data = start + line * (size // len(line))
    data = data[:size - 1] + b"\n"
    result = piped(program, data)
    if excess == 0:
        assert result.returncode == 0 and pasted.summary(result.stdout.decode())[0]
    else:
        assert result.returncode == 65 and result.stdout == b""
        assert result.stderr == (
            b"pressured: /dev/stdin: more than 64 MiB of a pipe have to be read before its device is known; "
            b"save the recording as a file\n")


def test_a_described_pipe_of_any_length_is_read(program):
    text = Text("evemu")
    data = str(text).encode() + (b"#" * 0xFFFF + b"\n") * 1025
    assert piped(program, data).returncode == 0
