"""What a frame of ten contacts costs, in numbers that no other program on the machine can change."""

import collections
import os
import pathlib
import re
import struct
import subprocess
import time

import pytest
from conftest import tool, wait_until

FRAMES = 200

# Instructions of the program itself, from the pipe to one client; raise it only for a reason.
MOST_INSTRUCTIONS = 36_000


def test_a_frame_allocates_nothing(stream, folder):
    library = os.path.join(folder, "allocations.so")
    source = pathlib.Path(__file__).with_name("allocations.c")
    subprocess.run([tool("cc"), "-O2", "-shared", "-fPIC", "-o", library, source], check=True)

    path = pathlib.Path(folder, "allocations")

    def allocations():
        return struct.unpack("L", path.read_bytes())[0]

    one = stream(variables={"LD_PRELOAD": library, "ALLOCATIONS": str(path)})
    one.send(FRAMES)
    before = allocations()
    assert before > 0
    one.send(FRAMES)
    assert allocations() == before
    one.end()


@pytest.mark.parametrize("clients", [1, 3])
def test_a_frame_is_one_read_one_write_for_each_client_and_one_wait(stream, folder, clients):
    def calls(frames):
        trace, one = traced(stream, folder, f"trace-{frames}", clients=clients)
        one.send(frames)
        one.end()
        wait_until(lambda: "+++ exited" in trace.read_text(encoding="ascii"))
        return collections.Counter(names(trace))

    difference = calls(2 * FRAMES)
    difference.subtract(calls(FRAMES))
    # While a load moves, its scale's timer wakes now and then, far less often than there are frames;
    # one call more in each frame would be two hundred.
    now_and_then = FRAMES / 20
    assert abs(difference.pop("timerfd_settime", 0)) < now_and_then
    assert difference["sendto"] == clients * FRAMES
    for name in ["read", "epoll_wait"]:
        assert abs(difference[name] - FRAMES) < now_and_then
    assert {name for name, count in difference.items() if count} == {"read", "sendto", "epoll_wait"}


def test_among_many_clients_the_device_is_looked_after(stream, folder):
    trace, one = traced(stream, folder, "trace", clients=100)
    one.send(5)
    one.end()
    wait_until(lambda: "+++ exited" in trace.read_text(encoding="ascii"))
    written = [0]
    for name, result in re.findall(r"^\d+ +(\w+)\(.* = (-?\d+)\b.*$", trace.read_text(encoding="ascii"), re.MULTILINE):
        written = [*written[:-1], written[-1] + int(result)] if name == "sendto" else [*written, 0]
    assert sum(written) > 5 * 128 * 1024
    assert max(written) <= 136 * 1024


def test_silence_costs_nothing(stream, folder):
    trace, one = traced(stream, folder, "trace")
    one.send(10)

    def is_silent():
        before = names(trace)
        time.sleep(3)
        return names(trace) == before

    # A scale wants to know that it rests; after that, whoever wakes at all within seconds never sleeps.
    wait_until(is_silent)
    one.end()


def traced(stream, folder, name, **settings):
    """A stream under strace, whose output goes to a file."""
    trace = pathlib.Path(folder, name)
    # -D leaves the daemon the child of the test, so that it gets the signals.
    return trace, stream(under=[tool("strace"), "-D", "-f", "-o", str(trace)], **settings)


def names(trace):
    return re.findall(r"^\d+ +(\w+)\(", trace.read_text(encoding="ascii"), re.MULTILINE)


def test_a_frame_takes_no_more_instructions_than_it_needs(stream, folder):
    def instructions(frames):
        path = os.path.join(folder, f"callgrind-{frames}")
        one = stream(
            under=[tool("valgrind"), "--tool=callgrind", f"--callgrind-out-file={path}"]
        )
        one.send(frames)
        one.end()
        return int(re.search(r"^totals: (\d+)", pathlib.Path(path).read_text(), re.MULTILINE)[1])

    each = (instructions(2 * FRAMES) - instructions(FRAMES)) / FRAMES
    assert each < MOST_INSTRUCTIONS
