"""Waiting for what is seen to happen, never for a while."""

import time

# Far longer than anything takes, so that only what never comes is missed.
DEADLINE = 60


def wait_until(condition, complaint="it has not happened"):
    """Asks again and again, and gives the first answer that is not empty."""
    end = time.monotonic() + DEADLINE
    while True:
        answer = condition()
        if answer:
            return answer
        assert time.monotonic() < end, complaint
        time.sleep(0.02)
