"""Waits for conditions instead of fixed times."""

import time

# Much longer than any operation takes, so that only a missing result times out.
DEADLINE = 180


def wait_until(condition, message="timed out", deadline=DEADLINE):
    """Polls a condition and returns its first true result."""
    end = time.monotonic() + deadline
    while True:
        answer = condition()
        if answer:
            return answer
        assert time.monotonic() < end, message
        time.sleep(0.02)
