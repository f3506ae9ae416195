"""Waits for conditions instead of fixed times."""

import os
import time

# The shortest time between two polls, in seconds.
PAUSE = 0.01

# Much longer than any operation takes, so that only a missing result times out.
DEADLINE = 180


def wait_until(condition, message="timed out", deadline=DEADLINE):
    """Polls a condition and returns its first true result; the message may be a function that tells what is there instead."""
    end = time.monotonic() + deadline
    used = cpu_time()
    while not (answer := condition()):
        assert time.monotonic() < end, message() if callable(message) else message
        # Most of the processor is left to what is waited for, also if the condition runs programs.
        time.sleep(min(max(PAUSE, 2 * (cpu_time() - used)), 1))
        used = cpu_time()
    return answer


def cpu_time():
    """The seconds of CPU time of this process and of the programs that it has run."""
    return sum(os.times()[:4])
