"""Touch devices that the guest's kernel makes, and does not know from real ones."""

import glob
import os
import pathlib
import select
import subprocess

from waiting import DEADLINE, wait_until

TASK = pathlib.Path("/task")


class Pad:
    """One that was plugged in, and does what it is told."""

    def __init__(self, name, *command):
        self.name = name
        self.said = []
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
        """Where the kernel shows the input device of the node."""
        return pathlib.Path("/sys/class/input", os.path.basename(self.node), "device").resolve()

    def tell(self, order):
        """Gives an order, and comes back while it is being done."""
        self.process.stdin.write(order.encode() + b"\n")

    def hear(self, last):
        """Waits until it says something; what it says before is kept."""
        while True:
            line, end, rest = self.heard.partition(b"\n")
            if end:
                self.heard = rest
                self.said.append(line.decode())
                if self.said[-1].startswith(last):
                    return self.said[-1]
                continue
            ready, _, _ = select.select([self.process.stdout], [], [], DEADLINE)
            assert ready, f"{self.name} has not said {last}, but {self.said[-5:]}"
            piece = os.read(self.process.stdout.fileno(), 4096)
            assert piece, f"{self.name} has ended after {self.said[-5:]}"
            self.heard += piece

    def do(self, order):
        """Gives an order, and comes back when it is done."""
        self.tell(order)
        self.hear("done")

    def unplug(self):
        """Ends it in the middle of whatever it does; the kernel takes the device away."""
        self.process.terminate()
        self.process.wait()


def node_named(name):
    """The path of the node of an input device, or None where there is none of this name."""
    for folder in glob.glob("/sys/class/input/event*"):
        try:
            if pathlib.Path(folder, "device/name").read_text().strip() == name:
                return f"/dev/input/{os.path.basename(folder)}"
        except FileNotFoundError:
            pass
    return None
