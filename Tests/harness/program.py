"""A program whose output and messages are read continuously, and what the kernel states about a process."""

import os
import re
import signal
import subprocess
import threading

from waiting import DEADLINE


def has_timer(pid):
    """Whether a timer of the process runs."""
    folder = f"/proc/{pid}/fdinfo"
    for number in os.listdir(folder):
        with open(f"{folder}/{number}", encoding="ascii") as file:
            value = re.search(r"it_value: \((\d+), (\d+)\)", file.read())
        if value and value.groups() != ("0", "0"):
            return True
    return False


def children(pid):
    """The processes that it has started, and that have not been reaped."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(number) for number in file.read().split()]


def process_state(pid):
    """The state of a process, one letter of the kernel's: S is asleep, T is stopped."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0]


def is_idle(pid):
    """Whether the process wakes up only for input from others: it sleeps, and no timer of its own runs."""
    return process_state(pid) == "S" and not has_timer(pid) and process_state(pid) == "S"


class Program:
    def __init__(self, command, **settings):
        settings = {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT, **settings}
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, **settings)
        self.printed, self.place, self.is_silent = "", 0, False
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        with self.process.stdout as stream:
            while piece := os.read(stream.fileno(), 1 << 16):
                with self.changed:
                    self.printed += piece.decode("utf-8", "replace")
                    self.changed.notify_all()
        with self.changed:
            self.is_silent = True
            self.changed.notify_all()

    def expect(self, words):
        """Waits until words, a regular expression, are printed after the previous match; returns the match."""
        pattern = re.compile(words)
        with self.changed:
            self.changed.wait_for(lambda: self.is_silent or pattern.search(self.printed, self.place), DEADLINE)
            found = pattern.search(self.printed, self.place)
        assert found, f"not printed: {words!r}: {self.printed[-2000:]}"
        self.place = found.end()
        return found

    def wait(self):
        """Waits for it to exit by itself; returns the status."""
        status = self.process.wait(DEADLINE)
        self.reader.join()
        return status

    def stop(self, number=signal.SIGTERM):
        """Sends a signal; returns the exit status."""
        self.process.send_signal(number)
        return self.wait()

    def end(self):
        """Leaves nothing running in any case."""
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
