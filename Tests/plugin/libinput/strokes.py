"""Strokes on mocked pads, whose clicks a real libinput with the plugin reports. Runs in the system that `run` makes, under umockdev-wrapper."""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

sys.path[:0] = ["/tests/plugin", "/tests/umockdev", "/tests/harness"]

import mockpad  # noqa: E402  (found by the line above)
import plugin  # noqa: E402
from bed import Bed  # noqa: E402
from codes import *  # noqa: E402, F403

LEFT, MIDDLE = (272, "Pad Touchpad"), (274, "Pad Mouse")
CLICK = [700 * min((index + 1) / 10, 1) for index in range(20)]
FORCE_CLICK = [2400 * min((index + 1) / 10, 1) for index in range(20)]
# The kind of pad: its pressure axis, and whether it has the property of a pressure pad.
KINDS = {"pressure pad": ((0, 4000, 0), True), "grams": ((0, 4000, 4), False), "area": ((0, 255, 0), False)}


class Mouse(mockpad.MockPad):
    def _tell(self, number, size, buffer):
        if number != EVIOCGBIT + 2:
            return super()._tell(number, size, buffer)
        content = mockpad.bitmap({0, 1}, 8)[:size]
        buffer.update(0, list(content))
        return len(content)


def plug(bed, pad, kind):
    """Adds a device for libudev, which libinput asks; umockdev resolves some of its paths without /sys."""
    number, name = pad.number, os.path.basename(pad.node)
    parent = bed.testbed.add_device("input", f"input{number}", None, [], ["NAME", pad.name.decode()])
    dev = f"13:{64 + number}"
    properties = ["ID_INPUT", "1", f"ID_INPUT_{kind}", "1", "DEVNAME", pad.node, "MAJOR", "13", "MINOR", dev[3:]]
    bed.testbed.add_device("input", name, parent, ["dev", dev], properties)
    if os.path.lexists(pad.path):
        os.unlink(pad.path)
    for folder in ("dev/char", "run/udev/data"):
        os.makedirs(f"{bed.root}/{folder}", exist_ok=True)
    os.symlink(f"../../devices/input{number}/{name}", f"{bed.root}/dev/char/{dev}")
    pathlib.Path(f"{bed.root}/run/udev/data/c{dev}").write_text(f"I:1\nE:ID_INPUT=1\nE:ID_INPUT_{kind}=1\nV:1\n", encoding="utf-8")
    shutil.copytree(f"{bed.root}/sys/devices/input{number}", f"{bed.root}/devices/input{number}", symlinks=True)
    pad.plug()


class Trial:
    def __init__(self, kind, has_pointer=True, has_plugin=True, tool=()):
        self.axis, is_pressure_pad = KINDS[kind]
        bed = self.bed = Bed()
        properties = (INPUT_PROP_POINTER, INPUT_PROP_BUTTONPAD) + ((7,) if is_pressure_pad else ())
        self.pad = mockpad.MockPad(bed, 0, name="Pad Touchpad", pressure=self.axis, props=properties)
        plug(bed, self.pad, "TOUCHPAD")
        nodes = [self.pad.node]
        if has_pointer:
            mouse = Mouse(bed, 1, name="Pad Mouse", axes={}, keys=(272, 273), types=(2,), props=())
            plug(bed, mouse, "MOUSE")
            nodes.append(mouse.node)
        folder = pathlib.Path(bed.root) / "plugins"
        folder.mkdir()
        deep = 1200 if kind != "area" else 140
        text = plugin.numbered(bus=0x18, vendor=0x6CB, product=0xCD41, area=str(kind == "area").lower(), deep=deep)
        if has_plugin:
            (folder / "60-pressured-click.lua").write_text(text, encoding="utf-8")
        environment = {**os.environ, **bed.environment, "SYSTEMD_DEVICE_VERIFY_SYSFS": "0"}
        self.judge = self.start(folder, nodes, environment, tool)
        self.lines, self.errors = [], []
        for source, lines in ((self.judge.stdout, self.lines), (self.judge.stderr, self.errors)):
            threading.Thread(target=lambda source=source, lines=lines: lines.extend(source), daemon=True).start()

    def start(self, folder, nodes, environment, tool):
        judge = subprocess.Popen([*tool, "/judge", folder, *nodes], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        assert judge.stdout.readline() == "ready\n"
        return judge

    def parse(self, line):
        """The button of a line, the device and whether it is pressed; None for another line."""
        button, value, name = line.split(maxsplit=2)
        return int(button), name.strip(), int(value)

    def frame(self, force, *events):
        self.pad.emit((EV_ABS, ABS_MT_PRESSURE, int(force * self.axis[1] / 4000)), *events)

    def switch(self, byte):
        """Suspends the pad, or resumes it."""
        self.judge.stdin.write(byte)
        self.judge.stdin.flush()
        time.sleep(0.3)

    def check_suspension(self, frames):
        """The pad is suspended while it is pressed; what it had pressed is released, and the next click is one."""
        before = len(self.lines)
        for index, force in enumerate(FORCE_CLICK[:frames]):
            self.frame(force, *[(EV_ABS, ABS_MT_TRACKING_ID, 50), (EV_KEY, BTN_TOUCH, 1), (EV_KEY, BTN_TOOL_FINGER, 1)][: 3 * (index == 0)],
                       *[(EV_KEY, BTN_LEFT, 1)][: index == 3])
            time.sleep(0.008)
        self.switch("0")
        self.pad.emit((EV_KEY, BTN_LEFT, 0), (EV_ABS, ABS_MT_TRACKING_ID, -1), (EV_KEY, BTN_TOUCH, 0), (EV_KEY, BTN_TOOL_FINGER, 0))
        self.switch("1")
        self.clicks([100] * 20, None)
        counts = collections.Counter()
        for button, _, value in map(self.parse, self.lines[before:]):
            counts[button] += 2 * value - 1
            assert counts[button] in (0, 1), self.lines[before:]
        assert not any(counts.values()), self.lines[before:]
        self.check(CLICK, 7, LEFT)

    def clicks(self, forces, down, ends_with_touch=False):
        """The buttons that libinput reports for a stroke; nothing if this machine was too busy to send it in time."""
        before, errors, last, gap = len(self.lines), len(self.errors), time.monotonic(), 0
        for index, force in enumerate(forces):
            contact = [(EV_ABS, ABS_MT_TRACKING_ID, 100 + before)] if index == 0 else []
            self.pad.emit(*contact, (EV_ABS, ABS_MT_POSITION_X, 500), (EV_ABS, ABS_MT_POSITION_Y, 300 + index % 2),
                          (EV_ABS, ABS_MT_PRESSURE, int(force * self.axis[1] / 4000)), (EV_KEY, BTN_TOUCH, 1), (EV_KEY, BTN_TOOL_FINGER, 1),
                          *([(EV_KEY, BTN_LEFT, 1)] if index == down else []),
                          *([(EV_KEY, BTN_LEFT, 0)] if index == len(forces) - 1 and not ends_with_touch else []))
            time.sleep(0.008)
            gap, last = max(gap, time.monotonic() - last), time.monotonic()
        self.pad.emit((EV_KEY, BTN_LEFT, 0), (EV_ABS, ABS_MT_TRACKING_ID, -1), (EV_KEY, BTN_TOUCH, 0), (EV_KEY, BTN_TOOL_FINGER, 0))
        time.sleep(0.5)
        found = [event for event in map(self.parse, self.lines[before:]) if event]
        return found if gap < 0.02 and not self.is_late(errors) else None

    def is_late(self, errors):
        """Whether libinput says that it got events too late; other errors fail."""
        assert all("too slow" in line for line in self.errors[errors:]), self.errors
        return len(self.errors) > errors

    def check(self, forces, down, button, **options):
        tries = (self.clicks(forces, down, **options) for _ in range(100))
        found, wanted = next(found for found in tries if found is not None), [(*button, 1), (*button, 0)]
        assert found == wanted, (self.axis, found, wanted)

    def close(self):
        self.judge.kill()
        self.bed.close()


def cost(has_plugin):
    """The instructions of libinput for a frame in which a finger moves and its force changes."""
    counts = []
    for frames in (200, 1200):
        tool = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=/cost")
        trial = Trial("grams", has_plugin=has_plugin, tool=tool)
        trial.pad.emit((EV_ABS, ABS_MT_TRACKING_ID, 50), (EV_KEY, BTN_TOUCH, 1), (EV_KEY, BTN_TOOL_FINGER, 1))
        for index in range(frames):
            trial.pad.emit((EV_ABS, ABS_MT_POSITION_X, 300 + index % 500), (EV_ABS, ABS_MT_POSITION_Y, 300 + index % 7),
                           (EV_ABS, ABS_MT_PRESSURE, 200 + index % 50))
            while trial.pad.queue:
                time.sleep(0.001)
        trial.judge.stdin.close()
        trial.judge.wait(60)
        counts.append(int(re.search(r"Collected : (\d+)", pathlib.Path("/cost").read_text(encoding="utf-8"))[1]))
        trial.bed.close()
    return (counts[1] - counts[0]) // 1000


def main():
    for kind in KINDS:
        trial = Trial(kind)
        for _ in range(5):
            trial.check(CLICK, 7, LEFT)
            trial.check(FORCE_CLICK, 3, MIDDLE)
            trial.check(CLICK[:10], 8, LEFT, ends_with_touch=True)
        for frames in () if kind == "area" else (4, 12):
            trial.check_suspension(frames)
        trial.close()
    trial = Trial("grams", has_pointer=False)
    trial.check(FORCE_CLICK, 3, LEFT)
    trial.close()
    print("5 clicks, force clicks and short clicks on each of 3 pads, suspensions of 2, and a force click without a pointer")
    print("instructions of a frame without and with the plugin:", *(cost(has_plugin) for has_plugin in (False, True)))


if __name__ == "__main__":
    main()
