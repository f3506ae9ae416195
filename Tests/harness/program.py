"""A program whose output and messages are read continuously."""

import os
import re
import signal
import subprocess
import threading

from waiting import DEADLINE


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
