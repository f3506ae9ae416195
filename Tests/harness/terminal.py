"""A terminal with a program in it, started as by a shell: it can be suspended and resumed."""

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
SEQUENCE = re.compile(r"\x1b\[([?>]?)([0-9;]*)([A-Za-z])")


class Terminal:
    """Its output is read continuously, as by a terminal; `cells` is what is displayed."""

    def __init__(self, program, folder, *arguments, size=(120, 40), **variables):
        self.master, slave = os.openpty()
        self.slave = slave
        self.resize(*size)
        self.settings = termios.tcgetattr(slave)
        self.sent = b""
        self.lock = threading.Lock()
        self.modes = set()
        status_reader, status_writer = os.pipe()
        variables = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", **variables}
        self.errors = os.path.join(folder, "terminal.err")
        with open(self.errors, "ab") as errors:
            self.shell = subprocess.Popen(
                [sys.executable, "-c", SHELL, os.ttyname(slave), program, *arguments],
                env=environment(folder, TELL=str(status_writer), **variables),
                stderr=errors,
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

    def press(self, keys):
        os.write(self.master, keys.encode())

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
        rows = [[" "] * 300 for _ in range(100)]
        row = column = place = 0
        text = self.text
        while place < len(text):
            sequence = SEQUENCE.match(text, place)
            if sequence:
                private, numbers, final = sequence.groups()
                place = sequence.end()
                if final == "H":
                    row, column = (int(number) - 1 for number in numbers.split(";"))
                elif final == "J":
                    rows = [[" "] * 300 for _ in range(100)]
                elif private == "?" and final in "hl":
                    (self.modes.add if final == "h" else self.modes.discard)(int(numbers))
                continue
            glyph = text[place]
            place += 1
            if glyph == "\n":
                row, column = row + 1, 0
            elif glyph >= " ":
                rows[row][column] = glyph
                column += 2 if unicodedata.east_asian_width(glyph) in "WF" else 1
        return rows

    def wait_for(self, *texts):
        """Waits until all of the texts are displayed."""
        end = time.monotonic() + DEADLINE
        while not all(text in (screen := self.screen) for text in texts):
            assert time.monotonic() < end, f"timed out waiting for {texts}:\n{screen}\n{self.log}"
            time.sleep(0.02)

    def wait_until_idle(self):
        """Waits until the program blocks on input from others and has no timer of its own."""
        wait_until(self.is_idle)

    def is_idle(self):
        # It also blocks if the terminal accepts no more of a frame.
        if self.state != "S" or self.has_timer:
            return False
        length = len(self.sent)
        self.drain()
        return length == len(self.sent) and not self.is_within_frame and self.state == "S" and not self.has_timer

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
    def has_timer(self):
        folder = f"/proc/{self.pid}/fdinfo"
        for number in os.listdir(folder):
            with open(f"{folder}/{number}", encoding="ascii") as file:
                value = re.search(r"it_value: \((\d+), (\d+)\)", file.read())
            if value and value.groups() != ("0", "0"):
                return True
        return False

    @property
    def state(self):
        """The process state, one letter of the kernel's: T is stopped."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]

    @property
    def log(self):
        with open(self.errors, encoding="utf-8") as log:
            return log.read()

    def kill(self, number):
        os.kill(self.pid, number)

    @property
    def is_restored(self):
        """Whether nothing of the program is left but its messages."""
        self.cells()
        return termios.tcgetattr(self.slave) == self.settings and not self.modes & {1049, 2026} and self.has_cursor

    @property
    def has_cursor(self):
        return 25 in self.modes

    def wait(self):
        """The exit status of the program; negative for a signal."""
        status = int(self.status_reader.readline())
        self.shell.wait(DEADLINE)
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
