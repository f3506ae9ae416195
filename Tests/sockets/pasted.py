"""Recordings as people paste them into reports: the same touches in each text format, and what happens to them on the way.

A cell, a form and a format, is "read" (the touches are those of the undisturbed recording), "refused" (a sentence that gives the true reason, and the
line), or a fault: "FALSE" (another reason) or "EMPTY" (status 0, but not the touches).
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile
import textwrap

# Reports in the style of real ones.
FOLDER = pathlib.Path(__file__).with_name("reports")

ABS, KEY, SYN = 3, 1, 0
NAMES = {
    (ABS, 0x2F): "ABS_MT_SLOT", (ABS, 0x35): "ABS_MT_POSITION_X", (ABS, 0x36): "ABS_MT_POSITION_Y",
    (ABS, 0x39): "ABS_MT_TRACKING_ID", (ABS, 0x3A): "ABS_MT_PRESSURE", (KEY, 0x14A): "BTN_TOUCH",
    (SYN, 0): "SYN_REPORT", (SYN, 3): "SYN_DROPPED",
}
TYPES = {ABS: "EV_ABS", KEY: "EV_KEY", SYN: "EV_SYN"}
AXES = {0x2F: (0, 4, 0), 0x35: (0, 1000, 10), 0x36: (0, 600, 10), 0x39: (0, 65535, 0), 0x3A: (0, 255, 0)}
FORMATS = ["evtest", "evemu", "libinput", "getevent", "python-evdev"]


def touches():
    """Two fingers that press in turn: (microseconds, type, code, value)."""
    events, time = [], 1_000_000

    def frame(*pairs):
        nonlocal time
        events.extend((time, *pair) for pair in [*pairs, (SYN, 0, 0)])
        time += 12_345

    frame((ABS, 0x39, 71), (ABS, 0x35, 300), (ABS, 0x36, 250), (ABS, 0x3A, 40), (KEY, 0x14A, 1))
    frame((ABS, 0x3A, 62), (ABS, 0x35, 304))
    frame((ABS, 0x2F, 1), (ABS, 0x39, 72), (ABS, 0x35, 700), (ABS, 0x36, 260), (ABS, 0x3A, 90))
    frame((ABS, 0x3A, 111), (ABS, 0x36, 262))
    frame((ABS, 0x2F, 0), (ABS, 0x3A, 77), (ABS, 0x36, 251))
    frame((ABS, 0x39, -1))
    frame((ABS, 0x2F, 1), (ABS, 0x3A, 128))
    frame((ABS, 0x39, -1), (KEY, 0x14A, 0))
    return events


class Text:
    """A recording in one format: lines of the description and lines of the events."""

    def __init__(self, form, events, axes=None):
        self.form, self.axes = form, AXES if axes is None else axes
        write = getattr(self, form.replace("-", "_"))
        self.header, self.lines = write(events)

    def __str__(self):
        return "\n".join([*self.header, *self.lines]) + "\n"

    def evemu(self, events):
        header = ["# EVEMU 1.3", "# Kernel: 6.1", "# Input device name: \"Pad\"", "# Input device ID: bus 0x18 vendor 0x6cb product 0xcd41 version 0x100",
                  "N: Pad", "I: 0018 06cb cd41 0100", "P: 05 00 00 00 00 00 00 00", "B: 00 0b 00 00 00 00 00 00 00"]
        header += ["B: 01 " + " ".join("04" if byte == 41 else "00" for byte in range(row, row + 8)) for row in range(0, 96, 8)]
        header += [f"A: {code:02x} {low} {high} 0 0 {resolution}" for code, (low, high, resolution) in self.axes.items()]
        lines = []
        for time, kind, code, value in events:
            name = NAMES[kind, code]
            comment = f"------------ {name} ({value}) ----------" if kind == SYN else f"{TYPES[kind]} / {name:20s} {value}"
            lines.append(f"E: {time // 1_000_000}.{time % 1_000_000:06d} {kind:04x} {code:04x} {value:04d}\t# {comment}")
        return header, lines

    def evtest(self, events):
        header = ["Input driver version is 1.0.1", "Input device ID: bus 0x18 vendor 0x6cb product 0xcd41 version 0x100",
                  "Input device name: \"Pad\"", "Supported events:", "  Event type 0 (EV_SYN)", "  Event type 1 (EV_KEY)",
                  "    Event code 330 (BTN_TOUCH)", "  Event type 3 (EV_ABS)"]
        for code, (low, high, resolution) in self.axes.items():
            header += [f"    Event code {code} ({NAMES[ABS, code]})", "      Value      0", f"      Min   {low:6d}", f"      Max   {high:6d}"]
            header += [f"      Resolution {resolution:7d}"] if resolution else []
        header += ["Properties:", "  Property type 0 (INPUT_PROP_POINTER)", "  Property type 2 (INPUT_PROP_BUTTONPAD)",
                   "Testing ... (interrupt to exit)"]
        lines = []
        for time, kind, code, value in events:
            head = f"Event: time {time // 1_000_000}.{time % 1_000_000:06d}, "
            if (kind, code) == (SYN, 3):
                lines.append(head + ">>>>>>>>>>>>>> SYN_DROPPED <<<<<<<<<<<<")
            elif kind == SYN:
                lines.append(head + "-------------- SYN_REPORT ------------")
            else:
                lines.append(head + f"type {kind} ({TYPES[kind]}), code {code} ({NAMES[kind, code]}), value {value}")
        return header, lines

    def libinput(self, events):
        header = ["# libinput record", "version: 1", "ndevices: 1", "libinput:", "  version: \"1.26.0\"", "  git: \"unknown\"",
                  "system:", "  os: \"debian:13\"", "  kernel: \"6.12\"", "devices:", "- node: /dev/input/event5", "  evdev:",
                  "    # Name: Pad", "    name: \"Pad\"", "    id: [24, 1739, 52545, 256]", "    codes:", "      0: [0] # EV_SYN",
                  "      1: [330] # EV_KEY", f"      3: {list(self.axes)} # EV_ABS", "    absinfo:"]
        header += [f"      {code}: [{low}, {high}, 0, 0, {resolution}]" for code, (low, high, resolution) in self.axes.items()]
        header += ["    properties: [0, 2]", "  hid: [", "    0x05, 0x0d, 0x09, 0x05", "  ]", "  udev:", "    properties:",
                   "    - ID_INPUT=1", "    - ID_INPUT_TOUCHPAD=1", "  quirks:", "  events:", "  # Current time is 12:34:56"]
        lines, is_new = [], True
        for time, kind, code, value in events:
            if is_new:
                lines.append("  - evdev:")
            is_new = kind == SYN
            name = NAMES[kind, code]
            comment = f"------------ {name} ({value}) ---------- +12ms" if kind == SYN else f"{TYPES[kind]} / {name:20s} {value:6d}"
            lines.append(f"    - [{time // 1_000_000:3d}, {time % 1_000_000:6d}, {kind:3d}, {code:3d}, {value:7d}] # {comment}")
        return header, lines

    def getevent(self, events):
        header = ["add device 1: /dev/input/event2", "  bus:      0018", "  vendor    06cb", "  product   cd41", "  version   0100",
                  "  name:     \"Pad\"", "  location: \"\"", "  id:       \"\"", "  version:  1.0.1", "  events:",
                  "    KEY (0001): BTN_TOUCH"]
        for number, (code, (low, high, resolution)) in enumerate(self.axes.items()):
            label = "    ABS (0003): " if number == 0 else " " * 16
            header.append(f"{label}{NAMES[ABS, code]:21s} : value 0, min {low}, max {high}, fuzz 0, flat 0, resolution {resolution}")
        header += ["  input props:", "    INPUT_PROP_POINTER", "    INPUT_PROP_BUTTONPAD"]
        lines = []
        for time, kind, code, value in events:
            shown = {0: "UP", 1: "DOWN"}[value] if kind == KEY else f"{value & 0xffffffff:08x}"
            lines.append(f"[{time // 1_000_000:8d}.{time % 1_000_000:06d}] /dev/input/event2: "
                         f"{TYPES[kind]:12s} {NAMES[kind, code]:20s} {shown:20s}".rstrip())
        return header, lines

    def python_evdev(self, events):
        header = ["Device name: Pad", "Device info: device /dev/input/event5, name \"Pad\", phys \"\"", "Repeat settings: none", "",
                  "Device capabilities:", "  Type EV_KEY 1:", "    Code BTN_TOUCH 330", "", "  Type EV_ABS 3:"]
        for code, (low, high, resolution) in self.axes.items():
            header += [f"    Code {NAMES[ABS, code]} {code}:", f"      value 0, min {low}, max {high}, fuzz 0, flat 0, res {resolution}"]
        header += ["", "Listening for events (press ctrl-c to exit) ..."]
        lines = []
        for time, kind, code, value in events:
            stamp = f"{time / 1e6:<16}"
            if (kind, code) == (SYN, 3):
                lines.append(f"time {stamp} !!!!!!!!! SYN_DROPPED !!!!!!!!")
            elif kind == SYN:
                lines.append(f"time {stamp} --------- SYN_REPORT --------")
            else:
                lines.append(f"time {stamp} type {kind} ({TYPES[kind]}), code {code:<4} ({NAMES[kind, code]}), value {value}")
        return header, lines


# MARK: - What happens to them

PROSE = ["Hi all,", "", "my touchpad does not feel heavy presses since the last update.", "Here is what it reports:", ""]
THANKS = ["", "Any idea? Press: see above.", "-- ", "Peter"]
COMMAND = {
    "evtest": "sudo evtest /dev/input/event5", "evemu": "sudo evemu-record /dev/input/event5", "libinput": "sudo libinput record",
    "getevent": "adb shell getevent -lt", "python-evdev": "python3 -m evdev.evtest",
}
MENU = ["No device specified, trying to scan all of /dev/input/event*", "Available devices:", "/dev/input/event0:\tLid Switch",
        "/dev/input/event1:\tPower Button", "/dev/input/event5:\tPad", "Select the device event number [0-5]: 5"]
FORMS = {}

# The cell that a form must have in each format; the default is "read".
EXPECTED = collections.defaultdict(lambda: "read")
# What the sentence of a refusal must contain.
REASONS = {}


def form(name, **expected):
    def add(function):
        FORMS[name] = function
        for key, value in expected.items():
            for kind in FORMATS if key == "all" else [key]:
                EXPECTED[name, kind], REASONS[name, kind] = "refused", value
        return function
    return add


def each_line(text, change):
    return "\n".join(change(line) for line in str(text).splitlines()) + "\n"


def around(before, text, after=()):
    return "\n".join([*before, str(text).rstrip("\n"), *after]) + "\n"


def between(text, noise, every=7):
    lines = []
    for number, line in enumerate(text.lines):
        lines += [noise] if number and number % every == 0 else []
        lines.append(line)
    return "\n".join([*text.header, *lines]) + "\n"


def simple(name, change):
    FORMS[name] = change


simple("undisturbed", str)
simple("quoted", lambda text: each_line(text, lambda line: f"> {line}"))
simple("quoted twice", lambda text: each_line(text, lambda line: f">> {line}"))
simple("quoted, trailing blanks cut", lambda text: each_line(text, lambda line: f"> {line}".rstrip()))
simple("indented", lambda text: each_line(text, lambda line: f"    {line}"))
simple("list marker", lambda text: each_line(text, lambda line: f"* {line}"))
simple("table bar", lambda text: each_line(text, lambda line: f"| {line}"))
simple("fenced", lambda text: around(["```"], text, ["```"]))
simple("fenced in prose", lambda text: around([*PROSE, "```text"], text, ["```", *THANKS]))
simple("quoted and fenced", lambda text: each_line(around(["```"], text, ["```"]), lambda line: f"> {line}"))
simple("<pre>", lambda text: around(["<pre>"], text, ["</pre>"]))
simple("prose before", lambda text: around(PROSE, text))
simple("prose after", lambda text: around([], text, THANKS))
simple("prompt before", lambda text: around([f"peter@laptop:~$ {COMMAND[text.form]}", "[sudo] password for peter: ", "Recording to 'stdout'."], text))
simple("prompt after", lambda text: around([], text, ["^C", "peter@laptop:~$ "]))
simple("device menu before", lambda text: around(MENU, text))
simple("empty lines", lambda text: each_line(text, lambda line: f"{line}\n"))
simple("CR LF", lambda text: str(text).replace("\n", "\r\n"))
simple("trailing blanks", lambda text: each_line(text, lambda line: f"{line}   \t"))
simple("UTF-8 with BOM", lambda text: b"\xef\xbb\xbf" + str(text).encode())
simple("UTF-16 LE", lambda text: b"\xff\xfe" + str(text).encode("utf-16-le"))
simple("UTF-16 BE", lambda text: b"\xfe\xff" + str(text).encode("utf-16-be"))
simple("colored", lambda text: each_line(text, lambda line: f"\x1b[1;32m{line[:9]}\x1b[0m{line[9:]}\x1b[K"))
simple("dmesg prefix", lambda text: "".join(f"[{number:5d}.{number * 37 % 1000:06d}] {line}\n" for number, line in enumerate(str(text).splitlines())))
simple("syslog prefix", lambda text: "".join(f"Nov 12 10:11:{number % 60:02d} laptop recorder[812]: {line}\n" for number, line in enumerate(str(text).splitlines())))
simple("ISO time prefix", lambda text: "".join(f"2025-11-12T10:11:{number % 60:02d}.123456+01:00 {line}\n" for number, line in enumerate(str(text).splitlines())))
simple("grep -n prefix", lambda text: "".join(f"{number}:{line}\n" for number, line in enumerate(str(text).splitlines(), 1)))
simple("noise between events", lambda text: between(text, "usb 1-3: reset high-speed USB device"))
simple("header lost", lambda text: "\n".join(text.lines) + "\n")
simple("header lost, prose before", lambda text: around(PROSE, "\n".join(text.lines)))
simple("header cut at its start", lambda text: "\n".join([*text.header[len(text.header) * 2 // 3:], *text.lines]) + "\n")
simple("header cut at its end", lambda text: "\n".join([*text.header[:len(text.header) // 3], *text.lines]) + "\n")


@form("header cut by grep MT")
def cut_by_grep(text):
    return "\n".join([*(line for line in text.header if "MT_" in line), *text.lines]) + "\n"


@form("X never changes")
def without_x(text):
    events = [event for event in touches() if event[1:3] != (ABS, 0x35)]
    return "\n".join(Text(text.form, events).lines) + "\n"


@form("mid-touch: no IDs, no slots")
def mid_touch(text):
    one_slot = touches()[6:9]
    events = [event for event in one_slot if event[1:3] not in ((ABS, 0x39), (ABS, 0x2F))]
    events += [(time + 50_000, kind, code, value + 30 if code == 0x3A else value) for time, kind, code, value in events]
    return "\n".join(Text(text.form, events).lines) + "\n"


@form("mid-touch with a header")
def mid_touch_with_header(text):
    events = [event for event in touches()[6:9] if event[1:3] not in ((ABS, 0x39), (ABS, 0x2F))]
    events += [(time + 50_000, kind, code, value + 30 if code == 0x3A else value) for time, kind, code, value in events]
    return "\n".join([*text.header, *Text(text.form, events).lines]) + "\n"


@form("wrapped at 72")
def wrapped(text):
    lines = []
    for line in text.lines:
        lines += textwrap.wrap(line, 60 if text.form == "evtest" else 72, break_long_words=False, subsequent_indent="") or [""]
    return "\n".join([*text.header, *lines]) + "\n"


@form("two header lines run together")
def run_together(text):
    header = list(text.header)
    for number, line in enumerate(header):
        if re.match(r"\s*(Min|A: 35|vendor|value 0)", line) and text.form != "libinput":
            header[number] = header[number] + " " + header[number + 1].strip()
            del header[number + 1]
            break
    return "\n".join([*header, *text.lines]) + "\n"


@form("two events run together")
def events_run_together(text):
    lines = list(text.lines)
    if text.form != "libinput":
        first = lines[3].split("\t")[0]
        lines[3:5] = [first + " " + lines[4].split("\t")[0]]
    return "\n".join([*text.header, *lines]) + "\n"


@form("cut in the last event", all=r":\d+: (the last line is incomplete|.*)")
def cut_in_last(text):
    return str(text).rstrip("\n")[:-(30 if text.form == "evtest" else 60 if text.form == "evemu" else 70 if text.form == "libinput" else 12)]


@form("an event is broken", all=r":\d+: ")
def broken(text):
    lines = list(text.lines)
    # Digits of a number, in an event with a pressure.
    place = next(number for number, line in enumerate(lines) if "PRESSURE" in line and number > 6)
    lines[place] = {
        "evtest": lambda line: re.sub(r"value \d+", "value 1z", line),
        "evemu": lambda line: line.replace(" 0003 ", " 0q03 "),
        "libinput": lambda line: line.replace(" 58,", " 5q8,"),
        "getevent": lambda line: re.sub(r"[0-9a-f]{8}$", "000000zz", line),
        "python-evdev": lambda line: re.sub(r"value \d+", "value 1z", line),
    }[text.form](lines[place])
    return "\n".join([*text.header, *lines]) + "\n"


@form("description and other text only", all=r":\d+: |no touch|no event")
def description_only(text):
    return "\n".join([*text.header, *(["  events:"] if text.form == "nothing" else []), "Nothing happens when I press.", "Really nothing."]) + "\n"


def in_protocol_a(text, *frames):
    """The frames of a device that lists all contacts in each: (tracking ID or None, X, Y, pressure)."""
    NAMES[SYN, 2] = "SYN_MT_REPORT"
    named = any(contact[0] is not None for frame in frames for contact in frame)
    events, time = [], 1_000_000
    for frame in frames:
        for contact in frame or [()]:
            values = [(ABS, code, value) for code, value in zip((0x39, 0x35, 0x36, 0x3A), contact) if value is not None]
            events += [(time, *value) for value in [*values, (SYN, 2, 0)]]
        events.append((time, SYN, 0, 0))
        time += 12_345
    axes = {code: axis for code, axis in AXES.items() if code != 0x2F and (named or code != 0x39)}
    other = Text(text.form, events, axes)
    lines = list(other.lines)
    if text.form in ("evtest", "python-evdev"):
        bars = ("++++++++++++++ SYN_MT_REPORT ++++++++++++", "+++++++++ SYN_MT_REPORT ++++++++")[text.form == "python-evdev"]
        lines = [re.sub(r"[-+>!]+ SYN_REPORT.*|type 0 .*", bars, line) if event[1:3] == (SYN, 2) else line
                 for event, line in zip(events, lines)]
    if text.form == "libinput":
        # A frame is one item, which SYN_MT_REPORT does not end.
        lines, ends = [], True
        for event, line in zip(events, [line for line in other.lines if "evdev:" not in line]):
            lines += ["  - evdev:"] if ends else []
            lines.append(line)
            ends = event[1:3] == (SYN, 0)
    return "\n".join([*other.header, *lines]) + "\n"


@form("protocol A, one contact")
def protocol_a_of_one(text):
    return in_protocol_a(text, [(None, 300, 250, 62)], [(None, 310, 250, 92)], [])


@form("protocol A, tracking IDs")
def protocol_a_with_ids(text):
    return in_protocol_a(
        text, [(4, 300, 250, 40)], [(4, 304, 250, 62), (5, 700, 260, 90)], [(5, 700, 262, 111), (4, 304, 251, 77)],
        [(5, 700, 262, 128)], [])


@form("protocol A, contacts without IDs", all="protocol A without tracking IDs")
def protocol_a_without_ids(text):
    return in_protocol_a(text, [(None, 300, 250, 40)], [(None, 304, 250, 62), (None, 700, 260, 90)], [])


# MARK: - What replay does with them

def summary(output):
    """The raw pressures of each frame, and what begins and ends."""
    states, phases = [], []
    for line in output.decode().splitlines():
        event = json.loads(line)
        if event["event"] == "weight":
            state = tuple((each["slot"], each["raw"]) for each in event["contacts"])
            if not states or states[-1] != state:
                states.append(state)
        elif event["event"] == "contact":
            phases.append((event["slot"], event["phase"]))
    return states, phases


# A fragment in which two frames press: without the end of its only contact.
FRAGMENT = ([((0, 62),), ((0, 92),), ()], [(0, "began"), (0, "cancelled")])

# One contact after the other, and two of which the order changes and the first ends first.
PROTOCOL_A = {
    "protocol A, one contact": ([((0, 62),), ((0, 92),), ()], [(0, "began"), (0, "ended")]),
    "protocol A, tracking IDs": (
        [((0, 40),), ((0, 62), (1, 90)), ((0, 77), (1, 111)), ((1, 128),), ()],
        [(0, "began"), (1, "began"), (0, "ended"), (1, "ended")]),
}


def replay(program, data):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pasted.txt")
        with open(path, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        result = subprocess.run([program, "replay", path], capture_output=True, timeout=60, check=False)
        result.stderr = result.stderr.replace(folder.encode() + b"/", b"")
    return result


def cell(program, name, kind, clean):
    text = Text(kind, touches())
    result = replay(program, FORMS[name](text))
    states, phases = summary(result.stdout)
    sentence = result.stderr.decode(errors="replace")
    expected = FRAGMENT if name.startswith("mid-touch") else PROTOCOL_A.get(name, clean)
    if result.returncode == 0:
        return ("read" if (states, phases) == expected else "EMPTY"), sentence
    reason = REASONS.get((name, kind))
    is_true = result.returncode == 65 and reason and re.search(reason, sentence)
    return ("refused" if is_true else "FALSE"), sentence


def clean_summary(program):
    results = [summary(replay(program, str(Text(kind, touches()))).stdout) for kind in FORMATS]
    return max(results, key=lambda result: len(result[0]))
