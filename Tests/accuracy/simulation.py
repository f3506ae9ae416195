"""The real daemon in simulated time: a device that is a pipe, and one client.

The daemon runs with `clock.c`, in lockstep with the test: `advance` returns when it has handled all that was written and
all timers up to that time. The results depend neither on the machine nor on its load.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]

# The time at which `clock.c` starts, in nanoseconds.
START = 1000 * 1_000_000_000

# How many seconds a daemon may be busy with one step.
DEADLINE = 60


def build_clock(folder):
    """Compiles the clock and returns its path."""
    path = os.path.join(folder, "clock.so")
    source = str(FOLDER / "clock.c")
    command = [os.environ.get("CC", "cc"), "-O2", "-Wall", "-shared", "-fPIC", "-o", path, source, "-ldl"]
    subprocess.run(command, check=True)
    return path


class Simulation:
    """A daemon that reads a device from a pipe."""

    def __init__(self, program, clock, description):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pressured-"))
        self.buffer = b""
        self.replies = []
        self.client = socket.socket(socket.AF_UNIX)
        self.control, theirs = socket.socketpair()
        self.control.settimeout(DEADLINE)
        os.mkfifo(self.folder / "pad")
        (self.folder / "pad.evemu").write_text(description, encoding="ascii")
        (self.folder / "config.yaml").write_text("{}\n", encoding="ascii")
        path = str(self.folder / "pressured.sock")
        command = [program, "run", "--socket", path, "--events", self.folder / "pad"]
        command += ["--describe", self.folder / "pad.evemu", "--state", self.folder / "state"]
        command += ["--config", self.folder / "config.yaml"]
        variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "LD_PRELOAD": clock,
            "PRESSURED_CLOCK": str(theirs.fileno()),
        }
        with theirs, open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                command, env=variables, stdin=subprocess.DEVNULL, stderr=log, pass_fds=[theirs.fileno()]
            )
        self.now = START
        self.wait()
        self.pipe = open(self.folder / "pad", "wb", buffering=0)
        os.set_blocking(self.pipe.fileno(), False)
        with contextlib.suppress(OSError):
            # An unprivileged user has a limit; a step of 100 ms fits into the default.
            fcntl.fcntl(self.pipe, fcntl.F_SETPIPE_SZ, 1 << 20)
        self.client.connect(path)
        self.client.setblocking(False)
        self.ask({"do": "subscribe", "events": []})

    def failure(self, what):
        return RuntimeError(f"{what}: {(self.folder / 'log').read_text(encoding='utf-8', errors='replace')}")

    @property
    def seconds(self):
        return self.now / 1e9

    def wait(self):
        """Waits until the daemon is idle."""
        data = self.control.recv(8, socket.MSG_WAITALL)
        if len(data) != 8:
            raise self.failure("the daemon ended")
        (self.timer,) = struct.unpack("<q", data)

    def step(self, time):
        self.now = max(self.now, time)
        self.control.sendall(struct.pack("<q", self.now))
        self.wait()

    def advance(self, seconds):
        """Lets time pass up to this time since the boot of the simulated machine, timer by timer."""
        end = round(seconds * 1e9)
        while self.now < self.timer < end:
            self.step(self.timer)
        self.step(end)
        self.receive()

    def write(self, data):
        """Writes input events; call `advance` next."""
        if self.pipe.write(data) != len(data):
            raise RuntimeError("the pipe is full: write shorter steps")

    def receive(self):
        with contextlib.suppress(BlockingIOError):
            while data := self.client.recv(1 << 20):
                self.buffer += data
            raise self.failure("the daemon closed the connection")
        *lines, self.buffer = self.buffer.split(b"\n")
        self.replies += [line for line in map(json.loads, lines) if line["event"] == "reply"]

    def send(self, request):
        self.client.sendall(json.dumps(request).encode() + b"\n")

    def ask(self, request):
        """The reply to a request that is answered at once; otherwise time passes until it is."""
        self.send(request)
        end = self.seconds + 5
        self.advance(self.seconds)
        while not self.replies:
            if self.seconds >= end:
                raise self.failure(f"no reply to {request}")
            self.advance(self.seconds + 0.02)
        return self.replies.pop(0)

    def close(self):
        self.client.close()
        self.process.kill()
        self.process.wait()
        self.pipe.close()
        self.control.close()
        shutil.rmtree(self.folder, ignore_errors=True)
