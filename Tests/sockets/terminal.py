"""A terminal with a program in it, as a shell would have started it: it can be stopped and go on."""

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

# The shell's part: a session of its own, the program in the foreground, and its end told with its status.
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
    """What it shows is read all the time, as a terminal does; `cells` is what a person sees."""

    def __init__(self, program, folder, *arguments, size=(120, 40), **variables):
        self.master, slave = os.openpty()
        self.slave = slave
        self.resize(*size)
        self.settings = termios.tcgetattr(slave)
        self.sent = b""
        self.lock = threading.Lock()
        self.modes = set()
        told, tell = os.pipe()
        variables = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", **variables}
        self.errors = os.path.join(folder, "terminal.err")
        with open(self.errors, "ab") as errors:
            self.shell = subprocess.Popen(
                [sys.executable, "-c", SHELL, os.ttyname(slave), program, *arguments],
                env=environment(folder, TELL=str(tell), **variables),
                stderr=errors,
                pass_fds=[tell],
            )
        os.close(tell)
        self.told = os.fdopen(told, "rb")
        self.pid = int(self.told.readline())
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        looks = select.poll()
        looks.register(self.master, select.POLLIN)
        while True:
            looks.poll()
            # Whoever has the lock finds each byte in the terminal or here.
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
        """All that was ever sent."""
        with self.lock:
            return self.sent.decode("utf-8", "replace")

    @property
    def screen(self):
        """What is seen, a line for each row."""
        return "\n".join("".join(row).rstrip() for row in self.cells())

    @property
    def extent(self):
        """The last column and row that something was drawn in since all was drawn anew."""
        rows = self.grid()
        columns = max(len("".join(row).rstrip()) for row in rows)
        return columns, max(number for number, row in enumerate(rows, 1) if "".join(row).strip())

    def draws_anew(self, deed):
        """Does something after which the picture is sent whole, and waits for that."""
        before = self.text.count(CLEAR)
        deed()
        wait_until(lambda: self.text.count(CLEAR) > before)
        self.wait_for_rest()

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
        """Waits until all of them are seen."""
        end = time.monotonic() + DEADLINE
        while not all(text in (screen := self.screen) for text in texts):
            assert time.monotonic() < end, f"waited in vain for {texts}:\n{screen}\n{self.log}"
            time.sleep(0.02)

    def wait_for_rest(self):
        """Waits until the program waits for what others say, and no clock of its own runs."""
        wait_until(self.has_come_to_rest)

    def has_come_to_rest(self):
        # It waits, too, where the terminal takes no more of a picture.
        if self.state != "S" or self.has_timer:
            return False
        length = len(self.sent)
        self.drain()
        return length == len(self.sent) and not self.is_within_picture and self.state == "S" and not self.has_timer

    def drain(self):
        """Waits until what it has sent was read; the kernel may still be about to pass on some of it."""
        wait_until(self.has_nothing_to_read)
        time.sleep(0.01)

    def has_nothing_to_read(self):
        with self.lock:
            return struct.unpack("i", fcntl.ioctl(self.master, termios.FIONREAD, b"\0" * 4))[0] == 0

    @property
    def is_within_picture(self):
        """Whether a picture has begun that has not ended."""
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
        """One letter of the kernel's: T is stopped."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]

    @property
    def log(self):
        with open(self.errors, encoding="utf-8") as log:
            return log.read()

    def kill(self, number):
        os.kill(self.pid, number)

    @property
    def is_as_it_was(self):
        """Whether nothing of the program is left but its words."""
        self.cells()
        return termios.tcgetattr(self.slave) == self.settings and not self.modes & {1049, 2026} and self.has_cursor

    @property
    def has_cursor(self):
        return 25 in self.modes

    def wait(self):
        """The status that the program ends with; negative for a signal."""
        status = int(self.told.readline())
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
        self.told.close()
