"""The real daemon in simulated time: a device that is a pipe, and one client.

The daemon runs with `clock.c`, in lockstep with the test: `advance` returns when it has handled all that was written and
all timers up to that time. The results depend neither on the machine nor on its load.
"""

import fcntl
import json
import os
import pathlib
import shutil
import signal
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

    def __init__(self, program, clock, description, config=None):
        self.folder = tempfile.mkdtemp(prefix="pressured-")
        self.buffer = b""
        self.replies = []
        self.is_waiting = False
        self.client = self.pipe = None
        try:
            self.start(program, clock, description, config)
        except BaseException:
            self.close()
            raise

    def start(self, program, clock, description, config):
        path = self.path("pressured.sock")
        os.mkfifo(self.path("pad"))
        pathlib.Path(self.path("pad.evemu")).write_text(description, encoding="ascii")
        pathlib.Path(self.path("config.yaml")).write_text(config or "{}\n", encoding="ascii")
        command = [program, "run", "--socket", path, "--events", self.path("pad")]
        command += ["--describe", self.path("pad.evemu"), "--state", self.path("state")]
        command += ["--config", self.path("config.yaml")]
        self.control, theirs = socket.socketpair()
        self.control.settimeout(DEADLINE)
        variables = {
            "PATH": os.environ["PATH"],
            "HOME": self.folder,
            "LD_PRELOAD": clock,
            "PRESSURED_CLOCK": str(theirs.fileno()),
        }
        with theirs, open(self.path("log"), "wb") as log:
            self.process = subprocess.Popen(
                command, env=variables, stdin=subprocess.DEVNULL, stderr=log, pass_fds=[theirs.fileno()]
            )
        self.now = START
        self.wait()
        self.pipe = os.open(self.path("pad"), os.O_WRONLY)
        os.set_blocking(self.pipe, False)
        try:
            fcntl.fcntl(self.pipe, fcntl.F_SETPIPE_SZ, 1 << 20)
        except OSError:
            pass  # An unprivileged user has a limit; a step of 100 ms fits into the default.
        self.client = socket.socket(socket.AF_UNIX)
        self.client.connect(path)
        self.client.setblocking(False)
        self.ask({"do": "subscribe", "events": []})

    def path(self, name):
        return os.path.join(self.folder, name)

    @property
    def log(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as log:
            return log.read()

    @property
    def seconds(self):
        return self.now / 1e9

    def wait(self):
        """Waits until the daemon is idle."""
        data = self.control.recv(8, socket.MSG_WAITALL)
        if len(data) != 8:
            raise RuntimeError(f"the daemon ended: {self.log}")
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
        if self.is_waiting:
            self.receive()

    def write(self, data):
        """Writes input events; call `advance` next."""
        if os.write(self.pipe, data) != len(data):
            raise RuntimeError("the pipe is full: write shorter steps")

    def receive(self):
        while True:
            try:
                data = self.client.recv(1 << 20)
            except BlockingIOError:
                break
            if not data:
                raise RuntimeError(f"the daemon closed the connection: {self.log}")
            self.buffer += data
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in map(json.loads, lines):
            if line["event"] == "reply":
                self.replies.append(line)
                self.is_waiting = False

    def send(self, request):
        self.is_waiting = True
        self.client.sendall(json.dumps(request).encode() + b"\n")

    def ask(self, request):
        """The reply to a request that is answered at once; otherwise time passes until it is."""
        self.send(request)
        self.step(self.now)
        self.receive()
        end = self.now + 5_000_000_000
        while not self.replies:
            if self.now >= end:
                raise RuntimeError(f"no reply to {request}: {self.log}")
            self.advance(self.seconds + 0.02)
        return self.replies.pop(0)

    def close(self):
        if self.client is not None:
            self.client.close()
        if self.pipe is not None:
            os.close(self.pipe)
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.control.close()
        shutil.rmtree(self.folder, ignore_errors=True)
