"""No line costs much: in the daemon's processor time, as a multiple of what a short line costs."""

import os

import pytest

from recording import Recording
from worst import LIMIT, LINES


# How often a long line is sent.
TIMES = 50

# A short line costs some 10 to 20 us, system calls and answer included, and none may cost over 0.5 ms in a
# release build; it is built for debugging here, where loops over bytes are slower by another factor.
RELEASE_RATIO = 50


@pytest.fixture
def daemon(serve):
    return serve(Recording().pause(1).hold())


def cpu(daemon):
    """Seconds of a processor that the daemon has taken."""
    with open(f"/proc/{daemon.process.pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e9


def cost(daemon, line, times):
    """What a line costs, with its answer, in seconds of a processor."""
    client = daemon.connect("subscribe events=")
    client.reply()
    begun = cpu(daemon)
    for _ in range(times):
        client.send(line + b"\n")
        client.reply()
    taken = cpu(daemon) - begun
    client.close()
    return taken / times


def test_the_dearest_lines_cost_little(daemon):
    short = cost(daemon, b"ping", 1000)
    costs = {name: cost(daemon, line, TIMES) for name, line in LINES.items()}
    for name, seconds in costs.items():
        print(f"{name:32} {seconds * 1e6:10.1f} us {seconds / short:8.1f} x")
    assert all(len(line) <= LIMIT for line in LINES.values())
    limit = RELEASE_RATIO * float(os.environ.get("PRESSURED_COST_FACTOR", "10"))
    dear = {name: round(seconds / short) for name, seconds in costs.items() if seconds > limit * short}
    assert dear == {}, f"a short line costs {short * 1e6:.1f} us"
