"""A release build of the daemon that is sent one frame at a time: each after the line of the previous one has arrived.

The cost of a frame is the difference between a run of some frames and a run of twice as many.
"""

import array
import fcntl
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

import pytest

from built import folder  # noqa: F401
from daemon import Daemon, wait_until
from recording import ABS, HEADER, PRESSURE, SLOT, SYN, TRACKING_ID, X, Y

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Some cases are those of the sockets.
sys.path.append(str(ROOT / "Tests/sockets"))

CONTACTS = 10


@pytest.fixture(scope="session")
def program():
    """The program with all optimizations: a debug build would be counted with its overhead."""
    build = subprocess.run([ROOT / "scripts/build-release"], check=True, text=True, stdout=subprocess.PIPE)
    folder = build.stdout.strip()
    path = os.path.join(tempfile.mkdtemp(prefix="pressured-"), "pressured")
    # Valgrind cannot read the debug information of newer compilers.
    subprocess.run(["strip", "-g", "-o", path, os.path.join(folder, "pressured")], check=True)
    yield path
    shutil.rmtree(os.path.dirname(path))


class Stream:
    """A daemon on a pipe, its clients, and the writer."""

    # The rate that the clients request; 0 for each frame.
    rate = "0"

    def __init__(self, program, folder, clients=1, under=(), variables=None, config=None):
        pipe = os.path.join(folder, "pad")
        describe = os.path.join(folder, "describe.evemu")
        os.mkfifo(pipe)
        with open(describe, "w", encoding="ascii") as file:
            file.write(HEADER.format(resolution=0))
        arguments = ["--events", pipe, "--describe", describe]
        if config is not None:
            path = os.path.join(folder, "config.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(config)
            arguments += ["--config", path]
        self.serve(program, folder, arguments, clients, under, variables)
        self.writer = open(pipe, "wb", buffering=0)
        self.frames = 0

    def serve(self, program, folder, arguments, clients=1, under=(), variables=None):
        self.daemon = Daemon(program, folder, arguments, variables=variables)
        self.daemon.command = [*under, *self.daemon.command]
        self.daemon.start()
        request = f"subscribe events=weight max_hz={self.rate}"
        self.clients = [self.daemon.connect(request) for _ in range(clients)]
        for client in self.clients:
            client.reply()

    def send(self, frames):
        """Sends frames in which all contacts move, and waits for the line of each frame at each client."""
        for _ in range(frames):
            stamp = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
            self.writer.write(self.frame(stamp))
            for client in self.clients:
                assert client.event("weight")["time"] == stamp
            self.frames += 1

    def frame(self, stamp):
        # Values keep their length, so that the memory reaches its maximum with the first frame.
        values = []
        for slot in range(CONTACTS):
            values.append((SLOT, slot))
            if self.frames == 0:
                values.append((TRACKING_ID, 40 + slot))
            values.append((X, 111 + (self.frames + slot) % 777))
            values.append((Y, 111 + (self.frames + slot) % 444))
            values.append((PRESSURE, 111 + (self.frames + slot) % 99))
        records = [(ABS, *value) for value in values] + [(SYN, 0, 0)]
        seconds, microseconds = divmod(stamp, 1_000_000)
        return b"".join(struct.pack("<qqHHi", seconds, microseconds, *one) for one in records)

    def end(self):
        self.close()
        for client in self.clients:
            client.close()
        self.daemon.wait_for_no_clients()
        assert self.daemon.terminate() == 0

    def close(self):
        self.writer.close()


class SlowStream(Stream):
    """A stream whose clients receive only the first reading; the next one is due after twenty minutes."""

    rate = "0.001"

    def send(self, frames):
        for _ in range(frames):
            self.writer.write(self.frame(time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000))
            self.frames += 1
            wait_until(self.is_read)

    def is_read(self):
        unread = array.array("i", [0])
        fcntl.ioctl(self.writer, termios.FIONREAD, unread)
        return unread[0] == 0


class NodeStream(Stream):
    """A daemon on an emulated evdev node, whose frames arrive one at a time."""

    def __init__(self, program, folder, under=()):
        gate = os.path.join(folder, "gate")
        os.mkfifo(gate)
        self.writer = os.open(gate, os.O_RDWR)
        variables = {
            "LD_PRELOAD": library(folder, ROOT / "Tests/stream/kernel.c"), "NODE": "/emulated", "GATE": gate,
            "CONTACTS": str(CONTACTS), "SEED": "1", "FRAMES": "1000000"}  # fmt: skip
        self.serve(program, folder, ["--device", "/emulated"], under=under, variables=variables)

    def send(self, frames):
        for _ in range(frames):
            os.write(self.writer, b".")
            for client in self.clients:
                client.event("weight")

    def close(self):
        os.close(self.writer)


@pytest.fixture
def stream(program, folder):
    """Creates streams, each in a directory of its own; programs that still run are stopped after the test."""
    streams = []

    def stream(kind=Stream, **settings):
        place = os.path.join(folder, str(len(streams)))
        os.mkdir(place)
        streams.append(kind(program, place, **settings))
        return streams[-1]

    yield stream
    for one in streams:
        one.daemon.end()


def library(folder, source):
    """The path of a library that is preloaded, made of a C file with its name."""
    path = os.path.join(folder, f"{source.stem}.so")
    subprocess.run([tool("cc"), "-O2", "-shared", "-fPIC", "-o", path, source], check=True)
    return path


def allocations(path):
    """The number that the library made of allocations.c has written."""
    return struct.unpack("L", path.read_bytes())[0]


def tool(name):
    """The path of a program that the test requires."""
    return shutil.which(name) or pytest.skip(f"{name} is not installed")
