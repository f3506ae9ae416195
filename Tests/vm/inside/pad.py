"""Touch devices created in the guest's kernel, which treats them like real ones."""

import glob
import os
import pathlib
import select
import subprocess

from waiting import DEADLINE, wait_until

TASK = pathlib.Path("/task")


class Pad:
    """A plugged-in device that is controlled by commands."""

    def __init__(self, name, *command):
        self.name = name
        self.printed = []
        self.heard = b""
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        wait_until(lambda: self.node, f"{name} has got no node")

    @classmethod
    def uinput(cls, name, slots=5, haptics=False):
        more = ["haptics"] if haptics else []
        return cls(name, TASK / "pad", name, str(slots), *more)

    @classmethod
    def hid(cls, file="synthetic.hid"):
        """A HID device of Tests/pads, identified by the unique ID, as drivers change the name."""
        return cls(file, TASK / "hidpad", TASK / "Tests/pads" / file, file)

    @property
    def node(self):
        return node_named(self.name) or node_of_hid(self.name)

    @property
    def folder(self):
        """The sysfs directory of the input device of the node."""
        return pathlib.Path("/sys/class/input", os.path.basename(self.node), "device").resolve()

    def send_command(self, command):
        """Sends a command and returns immediately."""
        self.process.stdin.write(command.encode() + b"\n")

    def wait_for_line(self, last):
        """Waits for an output line; earlier output is kept."""
        while True:
            line, end, rest = self.heard.partition(b"\n")
            if end:
                self.heard = rest
                self.printed.append(line.decode())
                if self.printed[-1].startswith(last):
                    return self.printed[-1]
                continue
            ready, _, _ = select.select([self.process.stdout], [], [], DEADLINE)
            assert ready, f"{self.name} has not printed {last}, but {self.printed[-5:]}"
            piece = os.read(self.process.stdout.fileno(), 4096)
            assert piece, f"{self.name} has exited after {self.printed[-5:]}"
            self.heard += piece

    def do(self, command):
        """Sends a command and waits until it is completed."""
        self.send_command(command)
        self.wait_for_line("done")

    def unplug(self):
        """Ends it at any point; the kernel removes the device."""
        self.process.terminate()
        self.process.wait()


class RecordedPad:
    """A device of Tests/pads without a HID descriptor, created by evemu."""

    def __init__(self, file):
        lines = (TASK / "Tests/pads" / file).read_text().splitlines(keepends=True)
        self.name = next(line[3:].strip() for line in lines if line.startswith("N: "))
        self.frames = []
        frame = []
        for line in lines:
            if line.startswith("E: "):
                frame.append(line)
            if line.endswith(" 0000 0000 0\n"):
                self.frames.append(frame)
                frame = []
        self.process = subprocess.Popen(
            ["evemu-device", TASK / "Tests/pads" / file], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        wait_until(lambda: self.node, f"{self.name} has got no node")

    @property
    def node(self):
        return node_named(self.name)

    def do(self, command):
        """Plays `frames COUNT` from the beginning, or `lift`, with the pauses of the file."""
        word, *count = command.split()
        frames = self.frames[-1:] if word == "lift" else self.frames[: int(count[0])]
        text = "".join(line for frame in frames for line in frame)
        subprocess.run(["evemu-play", self.node], input=text, text=True, check=True)

    def unplug(self):
        self.process.terminate()
        self.process.wait()


def node_named(name):
    """The path of the node of an input device, or None if there is none with this name."""
    for folder in glob.glob("/sys/class/input/event*"):
        try:
            if pathlib.Path(folder, "device/name").read_text().strip() == name:
                return f"/dev/input/{os.path.basename(folder)}"
        # A driver that is replaced removes the device while it is read.
        except OSError:
            pass
    return None


def node_of_hid(unique):
    """The path of the node of the HID device with this unique ID, once its own driver has replaced hid-generic."""
    for folder in glob.glob("/sys/class/input/event*"):
        try:
            if pathlib.Path(folder, "device/uniq").read_text().strip() != unique:
                continue
            if pathlib.Path(folder, "device/device/driver").resolve().name != "hid-generic":
                return f"/dev/input/{os.path.basename(folder)}"
        # A driver that is replaced removes the device while it is read.
        except OSError:
            pass
    return None
