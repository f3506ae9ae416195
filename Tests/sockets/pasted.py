"""Recordings as people paste them into reports: the same touches in each text format, and what happens to them on the way."""

import json
import pathlib
import re
import textwrap

# Reports in the style of real ones.
FOLDER = pathlib.Path(__file__).with_name("reports")

ABS, KEY, SYN = 3, 1, 0
NAMES = {
    (ABS, 0x2F): "ABS_MT_SLOT", (ABS, 0x35): "ABS_MT_POSITION_X", (ABS, 0x36): "ABS_MT_POSITION_Y",
    (ABS, 0x39): "ABS_MT_TRACKING_ID", (ABS, 0x3A): "ABS_MT_PRESSURE", (KEY, 0x14A): "BTN_TOUCH",
    (SYN, 0): "SYN_REPORT",
}
TYPES = {ABS: "EV_ABS", KEY: "EV_KEY", SYN: "EV_SYN"}
AXES = {0x2F: (0, 4, 0), 0x35: (0, 1000, 10), 0x36: (0, 600, 10), 0x39: (0, 65535, 0), 0x3A: (0, 255, 0)}
FORMATS = ["evtest", "evemu", "libinput", "getevent", "python-evdev"]


def touches():
    """Two fingers that press in turn, as in TOUCHES: (microseconds, type, code, value)."""
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


# The raw pressures of each frame, and what begins and ends.
TOUCHES = (
    [((0, 40),), ((0, 62),), ((0, 62), (1, 90)), ((0, 62), (1, 111)), ((0, 77), (1, 111)), ((1, 111),), ((1, 128),), ()],
    [(0, "began"), (1, "began"), (0, "ended"), (1, "ended")],
)


class Text:
    """A recording in one format: lines of the description and lines of the events."""

    def __init__(self, form):
        self.form = form
        write = getattr(self, form.replace("-", "_"))
        self.header, self.lines = write(touches())

    def __str__(self):
        return "\n".join([*self.header, *self.lines]) + "\n"

    def evemu(self, events):
        header = ["# EVEMU 1.3", "# Kernel: 6.1", "# Input device name: \"Pad\"", "# Input device ID: bus 0x18 vendor 0x6cb product 0xcd41 version 0x100",
                  "N: Pad", "I: 0018 06cb cd41 0100", "P: 05 00 00 00 00 00 00 00", "B: 00 0b 00 00 00 00 00 00 00"]
        header += ["B: 01 " + " ".join("04" if byte == 41 else "00" for byte in range(row, row + 8)) for row in range(0, 96, 8)]
        header += [f"A: {code:02x} {low} {high} 0 0 {resolution}" for code, (low, high, resolution) in AXES.items()]
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
        for code, (low, high, resolution) in AXES.items():
            header += [f"    Event code {code} ({NAMES[ABS, code]})", "      Value      0", f"      Min   {low:6d}", f"      Max   {high:6d}"]
            header += [f"      Resolution {resolution:7d}"] if resolution else []
        header += ["Properties:", "  Property type 0 (INPUT_PROP_POINTER)", "  Property type 2 (INPUT_PROP_BUTTONPAD)",
                   "Testing ... (interrupt to exit)"]
        lines = []
        for time, kind, code, value in events:
            head = f"Event: time {time // 1_000_000}.{time % 1_000_000:06d}, "
            if kind == SYN:
                lines.append(head + "-------------- SYN_REPORT ------------")
            else:
                lines.append(head + f"type {kind} ({TYPES[kind]}), code {code} ({NAMES[kind, code]}), value {value}")
        return header, lines

    def libinput(self, events):
        header = ["# libinput record", "version: 1", "ndevices: 1", "libinput:", "  version: \"1.26.0\"", "  git: \"unknown\"",
                  "system:", "  os: \"debian:13\"", "  kernel: \"6.12\"", "devices:", "- node: /dev/input/event5", "  evdev:",
                  "    # Name: Pad", "    name: \"Pad\"", "    id: [24, 1739, 52545, 256]", "    codes:", "      0: [0] # EV_SYN",
                  "      1: [330] # EV_KEY", f"      3: {list(AXES)} # EV_ABS", "    absinfo:"]
        header += [f"      {code}: [{low}, {high}, 0, 0, {resolution}]" for code, (low, high, resolution) in AXES.items()]
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
        for number, (code, (low, high, resolution)) in enumerate(AXES.items()):
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
        for code, (low, high, resolution) in AXES.items():
            header += [f"    Code {NAMES[ABS, code]} {code}:", f"      value 0, min {low}, max {high}, fuzz 0, flat 0, res {resolution}"]
        header += ["", "Listening for events (press ctrl-c to exit) ..."]
        lines = []
        for time, kind, code, value in events:
            stamp = f"{time / 1e6:<16}"
            if kind == SYN:
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


def wrapped(text):
    lines = []
    for line in text.lines:
        lines += textwrap.wrap(line, 60 if text.form == "evtest" else 72, break_long_words=False, subsequent_indent="") or [""]
    return "\n".join([*text.header, *lines]) + "\n"


def run_together(text):
    header = list(text.header)
    for number, line in enumerate(header):
        if re.match(r"\s*(Min|A: 35|vendor|value 0)", line) and text.form != "libinput":
            header[number] = header[number] + " " + header[number + 1].strip()
            del header[number + 1]
            break
    return "\n".join([*header, *text.lines]) + "\n"


def events_run_together(text):
    lines = list(text.lines)
    if text.form != "libinput":
        first = lines[3].split("\t")[0]
        lines[3:5] = [first + " " + lines[4].split("\t")[0]]
    return "\n".join([*text.header, *lines]) + "\n"


FORMS = {
    "quoted": lambda text: each_line(text, lambda line: f"> {line}"),
    "quoted twice": lambda text: each_line(text, lambda line: f">> {line}"),
    "quoted, trailing blanks cut": lambda text: each_line(text, lambda line: f"> {line}".rstrip()),
    "indented": lambda text: each_line(text, lambda line: f"    {line}"),
    "list marker": lambda text: each_line(text, lambda line: f"* {line}"),
    "table bar": lambda text: each_line(text, lambda line: f"| {line}"),
    "fenced": lambda text: around(["```"], text, ["```"]),
    "fenced in prose": lambda text: around([*PROSE, "```text"], text, ["```", *THANKS]),
    "quoted and fenced": lambda text: each_line(around(["```"], text, ["```"]), lambda line: f"> {line}"),
    "<pre>": lambda text: around(["<pre>"], text, ["</pre>"]),
    "prose before": lambda text: around(PROSE, text),
    "prose after": lambda text: around([], text, THANKS),
    "prompt before": lambda text: around([f"peter@laptop:~$ {COMMAND[text.form]}", "[sudo] password for peter: ", "Recording to 'stdout'."], text),
    "prompt after": lambda text: around([], text, ["^C", "peter@laptop:~$ "]),
    "device menu before": lambda text: around(MENU, text),
    "empty lines": lambda text: each_line(text, lambda line: f"{line}\n"),
    "CR LF": lambda text: str(text).replace("\n", "\r\n"),
    "trailing blanks": lambda text: each_line(text, lambda line: f"{line}   \t"),
    "UTF-8 with BOM": lambda text: b"\xef\xbb\xbf" + str(text).encode(),
    "colored": lambda text: each_line(text, lambda line: f"\x1b[1;32m{line[:9]}\x1b[0m{line[9:]}\x1b[K"),
    "dmesg prefix": lambda text: "".join(f"[{number:5d}.{number * 37 % 1000:06d}] {line}\n" for number, line in enumerate(str(text).splitlines())),
    "syslog prefix": lambda text: "".join(f"Nov 12 10:11:{number % 60:02d} laptop recorder[812]: {line}\n" for number, line in enumerate(str(text).splitlines())),
    "ISO time prefix": lambda text: "".join(f"2025-11-12T10:11:{number % 60:02d}.123456+01:00 {line}\n" for number, line in enumerate(str(text).splitlines())),
    "grep -n prefix": lambda text: "".join(f"{number}:{line}\n" for number, line in enumerate(str(text).splitlines(), 1)),
    "noise between events": lambda text: between(text, "usb 1-3: reset high-speed USB device"),
    "header lost": lambda text: "\n".join(text.lines) + "\n",
    "header lost, prose before": lambda text: around(PROSE, "\n".join(text.lines)),
    "header cut at its start": lambda text: "\n".join([*text.header[len(text.header) * 2 // 3:], *text.lines]) + "\n",
    "header cut at its end": lambda text: "\n".join([*text.header[:len(text.header) // 3], *text.lines]) + "\n",
    "header cut by grep MT": lambda text: "\n".join([*(line for line in text.header if "MT_" in line), *text.lines]) + "\n",
    "wrapped at 72": wrapped,
    "two header lines run together": run_together,
    "two events run together": events_run_together,
}


# MARK: - What replay does with them

def summary(output):
    """The raw pressures of each frame, and what begins and ends."""
    states, phases = [], []
    for line in output.splitlines():
        event = json.loads(line)
        if event["event"] == "weight":
            state = tuple((each["slot"], each["raw"]) for each in event["contacts"])
            if not states or states[-1] != state:
                states.append(state)
        elif event["event"] == "contact":
            phases.append((event["slot"], event["phase"]))
    return states, phases
