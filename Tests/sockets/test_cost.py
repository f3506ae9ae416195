"""No line is expensive: the processor time of the daemon, relative to that of a short line."""

import os

import pytest

from recording import Recording
from longestlines import LIMIT, LINES


# The number of times a long line is sent.
TIMES = 20

# A short line takes some 10 to 20 us, with system calls and reply, and none may take more than 0.5 ms in a
# release build; this is a debug build, in which loops over bytes are slower by another factor.
RELEASE_RATIO = 50


@pytest.fixture
def daemon(serve):
    return serve(Recording().pause(1).hold())


def cpu(daemon):
    """Processor time of the daemon in seconds."""
    with open(f"/proc/{daemon.process.pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e9


def cost(daemon, line, times):
    """The processor time of a line and its reply in seconds."""
    client = daemon.connect("subscribe events=")
    client.reply()
    begun = cpu(daemon)
    for _ in range(times):
        client.send(line + b"\n")
        client.reply()
    taken = cpu(daemon) - begun
    client.close()
    return taken / times


def test_the_most_expensive_lines_are_cheap(daemon):
    short = cost(daemon, b"ping", 400)
    costs = {name: cost(daemon, line, TIMES) for name, line in LINES.items()}
    for name, seconds in costs.items():
        print(f"{name:32} {seconds * 1e6:10.1f} us {seconds / short:8.1f} x")
    assert all(len(line) <= LIMIT for line in LINES.values())
    limit = RELEASE_RATIO * float(os.environ.get("PRESSURED_COST_FACTOR", "10"))
    expensive = {name: round(seconds / short) for name, seconds in costs.items() if seconds > limit * short}
    assert expensive == {}, f"a short line takes {short * 1e6:.1f} us"
