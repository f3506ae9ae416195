"""A pad on which a test lays weights: what a device node would give, written to a pipe."""

import os
import struct
import time

from daemon import wait_until
from recording import ABS, PRESSURE, SLOT, SYN, TRACKING_ID, X, Y


def now():
    """The present in microseconds of CLOCK_MONOTONIC."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000


class Pad:
    """A contact that comes and goes, and a pressure that a sensor would say of it."""

    def __init__(self, path):
        self.path = path
        os.mkfifo(path)
        self.pipe = None
        self.contact = 0

    def open(self):
        """Opens the pipe; the daemon must read it by then."""
        wait_until(self.can_open)
        self.pipe = open(self.path, "wb", buffering=0)
        self.write()

    def can_open(self):
        try:
            os.close(os.open(self.path, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return False
        return True

    def write(self, *values):
        stamp = divmod(now(), 1_000_000)
        records = [(ABS, *value) for value in values] + [(SYN, 0, 0)]
        self.pipe.write(b"".join(struct.pack("<qqHHi", *stamp, *record) for record in records))

    def lay(self, raw):
        """Lays something on that the sensor says this of."""
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
