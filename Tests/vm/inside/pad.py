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
    def hid(cls):
        return cls("Synthetic HID Pad Touchpad", TASK / "hidpad")

    @property
    def node(self):
        return node_named(self.name)

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


def node_named(name):
    """The path of the node of an input device, or None if there is none with this name."""
    for folder in glob.glob("/sys/class/input/event*"):
        try:
            if pathlib.Path(folder, "device/name").read_text().strip() == name:
                return f"/dev/input/{os.path.basename(folder)}"
        except FileNotFoundError:
            pass
    return None
