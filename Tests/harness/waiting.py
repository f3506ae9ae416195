"""Waits for conditions instead of fixed times."""

import time

# Much longer than any operation takes, so that only a missing result times out.
DEADLINE = 180


def wait_until(condition, message="timed out", deadline=DEADLINE):
    """Polls a condition and returns its first true result; the message may be a function that tells what is there instead."""
    end = time.monotonic() + deadline
    while not (answer := condition()):
        assert time.monotonic() < end, message() if callable(message) else message
        time.sleep(0.01)
    return answer
