"""A pad on which a test places weights: records of a device node, written to a pipe."""

import os
import time

from codes import INPUT_EVENT
from daemon import wait_until
from recording import ABS, PRESSURE, SLOT, SYN, TRACKING_ID, X, Y


def now():
    """The current time in microseconds of CLOCK_MONOTONIC."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000


def can_open(pipe):
    """Whether a pipe is read, so that opening it does not block."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


class Pad:
    """A contact that begins and ends, with the pressure that a sensor would report for it."""

    def __init__(self, path):
        self.path = path
        self.pipe = None
        self.contact = 0

    def open(self):
        """Opens the pipe, which the daemon must already be reading."""
        wait_until(lambda: can_open(self.path))
        self.pipe = open(self.path, "wb", buffering=0)
        self.write()

    def write(self, *values):
        stamp = divmod(now(), 1_000_000)
        records = [(ABS, *value) for value in values] + [(SYN, 0, 0)]
        self.pipe.write(b"".join(INPUT_EVENT.pack(*stamp, *record) for record in records))

    def lay(self, raw):
        """Places a load for which the sensor reports this value."""
        self.contact += 1
        self.write(
            (SLOT, 0), (TRACKING_ID, self.contact), (X, 500), (Y, 300), (PRESSURE, raw)
        )

    def press(self, raw):
        self.write((PRESSURE, raw))

    def lift(self):
        self.write((TRACKING_ID, -1))

    def close(self):
        if self.pipe is not None:
            self.pipe.close()
