"""Runs the libinput plugin on recordings in Lua, and tells what became of each click."""

import dataclasses
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
TEMPLATE = HERE.parents[1] / "Sources/PressureDesktop/Click/force-click.lua"
LEFT, MIDDLE = "1:272", "1:274"


def numbered(**numbers):
    """The plugin with other numbers than `pressured click set` writes."""
    pad = ", ".join(f"{key} = {value}" for key, value in numbers.items())
    text = TEMPLATE.read_text(encoding="utf-8")
    return text.replace("local PADS = {}", f"local PADS = {{ {{ {pad}, axis = evdev.ABS_MT_PRESSURE }} }}")


@dataclasses.dataclass
class Click:
    """A click of the pad: when its button went down and up, and what libinput got of it: (time, button, value)."""
    down: int
    up: int
    outputs: list

    def pressed(self, button):
        return [time for time, name, value in self.outputs if name == button and value == 1]


def frames(evemu):
    """The device of a recording, and its frames: (time, [(type, code, value)])."""
    identity, axis, found, events, tools = None, None, [], [], ""
    for line in evemu.splitlines():
        words = line.split()
        if words[:1] == ["I:"]:
            identity = words[1:4]
        elif words[:2] == ["A:", "3a"]:
            axis = (words[2], words[3], words[6])
        elif words[:2] == ["A:", "37"]:
            tools = "tools"
        elif words[:1] == ["E:"]:
            seconds, micros = words[1].split(".")
            kind, code, value = int(words[2], 16), int(words[3], 16), int(words[4])
            if kind:
                events.append((kind, code, value))
            else:
                found.append((int(seconds) * 1_000_000 + int(micros), events))
                events = []
    return identity, (*axis, tools), found


def script(identity, axis, stream, mouse=True):
    """The input of the stand-in."""
    lines = ["begin", f"pad {' '.join(identity)} {' '.join(axis)}"] + ([f"mouse {' '.join(identity)}"] if mouse else [])
    for time, events in stream:
        lines.append(f"frame {time} " + " ".join(f"{kind}:{code}:{value}" for kind, code, value in events))
    return lines + [f"wait {stream[-1][0] + 1_000_000}"]


def run(plugin, scripts, strip=False, timeout=600):
    """What libinput gets of each script: lists of (device, time, [event])."""
    command = ["lua5.4", str(HERE / "standin.lua"), str(plugin)] + (["--strip"] if strip else [])
    text = "\n".join(line for lines in scripts for line in lines) + "\n"
    output = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout, check=True).stdout
    found = []
    for line in output.splitlines():
        if line == "begin":
            found.append([])
        else:
            device, time, events = line.split("\t")
            found[-1].append((device, int(time), [tuple(map(int, event.split(":"))) for event in events.split()]))
    return found


def buttons(output):
    """The button events that libinput gets: (time, button, value)."""
    return [(time, f"{kind}:{code}", value) for _, time, events in output for kind, code, value in events if kind == 1 and 0x110 <= code <= 0x117]


def clicks(stream, output):
    """The pad's own clicks, each with what became of it until the next one."""
    found = []
    for time, events in stream:
        for kind, code, value in events:
            if (kind, code, value) == (1, 0x110, 1):
                found.append(Click(time, stream[-1][0], []))
            elif (kind, code, value) == (1, 0x110, 0):
                found[-1].up = time
    events, at = buttons(output), -1
    for event in events:
        while at + 1 < len(found) and found[at + 1].down <= event[0]:
            at += 1
        found[at].outputs.append(event)
    return found
