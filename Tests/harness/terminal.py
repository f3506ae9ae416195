"""A terminal with a program in it, started as by a shell, and a user who reads and types: it can be suspended and resumed."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import unicodedata

from connection import DEADLINE
from daemon import environment, wait_until
from program import is_idle, process_state

# The role of the shell: a session of its own, the program in the foreground, its exit status reported.
SHELL = """
import os, signal, sys, termios, fcntl
os.setsid()
terminal = os.open(sys.argv[1], os.O_RDWR)
fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
for number in (0, 1): os.dup2(terminal, number)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(terminal, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[2], sys.argv[2:])
os.write(int(os.environ["TELL"]), b"%d\\n" % child)
while True:
    _, status = os.waitpid(child, 0)
    os.write(int(os.environ["TELL"]), b"%d\\n" % status)
    break
"""

CLEAR = "\x1b[2J"
PICTURE_BEGINS = b"\x1b[?2026h"
PICTURE_ENDS = b"\x1b[?2026l"

# A sequence; those that do not move the cursor and do not clear change the appearance only.
SEQUENCE = re.compile(r"\x1b(?:\[([?>]?)([0-9;]*)([A-Za-z])|[78])")

# More than any terminal of the tests, and than a dialog has lines.
ROWS, COLUMNS = 300, 300


class Terminal:
    """Its output is read continuously, as by a terminal; `cells` is what is displayed.

    Messages on standard error are in `log`, or with `shows_errors` also displayed.
    """

    def __init__(self, program, folder, *arguments, size=(120, 40), shows_errors=False, **variables):
        self.master, slave = os.openpty()
        self.slave = slave
        self.resize(*size)
        self.before = termios.tcgetattr(slave)
        self.sent = b""
        self.place = 0
        self.lock = threading.Lock()
        self.modes = set()
        status_reader, status_writer = os.pipe()
        variables = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", **variables}
        self.errors = os.path.join(folder, "terminal.err")
        with open(self.errors, "ab") as errors:
            self.shell = subprocess.Popen(
                [sys.executable, "-c", SHELL, os.ttyname(slave), program, *arguments],
                env=environment(folder, TELL=str(status_writer), **variables),
                stderr=slave if shows_errors else errors,
                pass_fds=[status_writer],
            )
        os.close(status_writer)
        self.status_reader = os.fdopen(status_reader, "rb")
        self.pid = int(self.status_reader.readline())
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        looks = select.poll()
        looks.register(self.master, select.POLLIN)
        while True:
            looks.poll()
            # With the lock held, each byte is either in the terminal or here.
            with self.lock:
                try:
                    self.sent += os.read(self.master, 65536)
                except OSError:
                    return

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.columns, self.rows = columns, rows

    # What the user does

    def type(self, keys):
        os.write(self.master, keys.encode())

    def answer(self, question, text):
        self.expect(question)
        self.type(text + "\n")

    def expect(self, *texts):
        """Waits until one of the texts is written after the previous match; returns the matching text."""

        def is_written():
            has_ended = self.has_ended
            text = self.text
            found = [(place, each) for each in texts if (place := text.find(each, self.place)) >= 0]
            assert found or not has_ended, f"it ended before {texts}: {text[-2000:]}"
            return found

        place, text = min(wait_until(is_written, lambda: f"waiting for {texts}: {self.text[-2000:]}"))
        self.place = place + len(text)
        return text

    def wait_for(self, *texts):
        """Waits until all of the texts are displayed at once."""

        def is_displayed():
            has_ended = self.has_ended
            screen = self.screen
            is_there = all(text in screen for text in texts)
            assert is_there or not has_ended, f"it ended before {texts}:\n{screen}\n{self.log}"
            return is_there

        wait_until(is_displayed, lambda: f"waiting for {texts}:\n{self.screen}\n{self.log}")

    # What was written

    @property
    def text(self):
        """Everything that was sent so far."""
        with self.lock:
            return self.sent.decode("utf-8", "replace")

    @property
    def screen(self):
        """The displayed text, one line per row."""
        return "\n".join("".join(row).rstrip() for row in self.cells())

    @property
    def transcript(self):
        """All lines that were written, as if the terminal had rows for them."""
        return "\n".join("".join(row).rstrip() for row in self.grid()).rstrip("\n")

    @property
    def extent(self):
        """The last column and row that were drawn since the last full redraw."""
        rows = self.grid()
        columns = max(len("".join(row).rstrip()) for row in rows)
        return columns, max(number for number, row in enumerate(rows, 1) if "".join(row).strip())

    def redraws_after(self, action):
        """Performs an action that causes a full redraw and waits for that."""
        before = self.text.count(CLEAR)
        action()
        wait_until(lambda: self.text.count(CLEAR) > before)
        self.wait_until_idle()

    def cells(self):
        return [row[: self.columns] for row in self.grid()[: self.rows]]

    def grid(self):
        rows = [[" "] * COLUMNS for _ in range(ROWS)]
        row = column = place = 0
        text = self.text
        while place < len(text):
            if sequence := SEQUENCE.match(text, place):
                private, numbers, final = sequence.groups()
                place = sequence.end()
                if final == "H":
                    row, column = (int(number or 1) - 1 for number in (numbers or "1;1").split(";"))
                elif final == "J":
                    rows = [[" "] * COLUMNS for _ in range(ROWS)]
                elif private == "?" and final in "hl":
                    (self.modes.add if final == "h" else self.modes.discard)(int(numbers))
                continue
            glyph = text[place]
            place += 1
            if glyph == "\n":
                row, column = row + 1, 0
            elif glyph == "\r":
                column = 0
            elif glyph >= " ":
                rows[row][column] = glyph
                column += 2 if unicodedata.east_asian_width(glyph) in "WF" else 1
        return rows

    def wait_until_idle(self):
        """Waits until the program blocks on input from others and has no timer of its own."""
        wait_until(self.is_idle)

    def is_idle(self):
        # It also blocks if the terminal accepts no more of a frame.
        if not is_idle(self.pid):
            return False
        length = len(self.sent)
        self.drain()
        return length == len(self.sent) and not self.is_within_frame and is_idle(self.pid)

    def drain(self):
        """Waits until its output was read; the kernel may still be about to pass on some of it."""
        wait_until(self.has_nothing_to_read)
        time.sleep(0.01)

    def has_nothing_to_read(self):
        with self.lock:
            return struct.unpack("i", fcntl.ioctl(self.master, termios.FIONREAD, b"\0" * 4))[0] == 0

    @property
    def is_within_frame(self):
        """Whether a frame was begun and not finished."""
        with self.lock:
            return self.sent.rfind(PICTURE_BEGINS) > self.sent.rfind(PICTURE_ENDS)

    @property
    def state(self):
        return process_state(self.pid)

    @property
    def log(self):
        with open(self.errors, encoding="utf-8") as log:
            return log.read()

    @property
    def settings(self):
        return termios.tcgetattr(self.slave)

    @property
    def is_restored(self):
        """Whether nothing of the program is left but its messages."""
        self.cells()
        return self.settings == self.before and not self.modes & {1049, 2026} and self.has_cursor

    @property
    def has_cursor(self):
        return 25 in self.modes

    # Its end

    def kill(self, number):
        os.kill(self.pid, number)

    @property
    def has_ended(self):
        """Whether the program has ended and all that it wrote was read."""
        return self.shell.poll() is not None and self.has_nothing_to_read()

    def wait(self):
        """The exit status of the program; negative for a signal."""
        status = int(self.status_reader.readline())
        self.shell.wait(DEADLINE)
        self.drain()
        return os.waitstatus_to_exitcode(status & ~0x80)

    def close(self):
        if self.shell.poll() is None:
            try:
                self.kill(signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.shell.wait(DEADLINE)
        os.close(self.slave)
        self.reader.join(DEADLINE)
        os.close(self.master)
        self.status_reader.close()
