"""A user who reads and types in a terminal that runs one program."""

import fcntl
import os
import re
import pty
import select
import struct
import subprocess
import termios
import time

from connection import DEADLINE


# Sequences that move the cursor or clear; all others only change the appearance.
SEQUENCE = re.compile(r"\x1b(?:\[([?>]?)([0-9;]*)([A-Za-z])|([78]))|\r|\n|[^\x1b\r\n]")


def screen(text, rows=40, columns=132):
    """The lines that a terminal displays after a text."""
    cells = [[" "] * columns for _ in range(rows)]
    row = column = 0
    for match in SEQUENCE.finditer(text):
        _, numbers, final, _ = match.groups()
        if final == "H":
            row, column = [int(number or 1) - 1 for number in (numbers or "1;1").split(";")]
        elif final == "J":
            cells = [[" "] * columns for _ in range(rows)]
        elif match[0] == "\r":
            column = 0
        elif match[0] == "\n":
            row = min(row + 1, rows - 1)
        elif match[0][0] != "\x1b" and row < rows and column < columns:
            cells[row][column] = match[0]
            column += 1
    return "\n".join("".join(line).rstrip() for line in cells)


class TerminalSession:
    def __init__(self, command, environment, rows=24, columns=80, **settings):
        self.master, slave = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            **settings,
        )
        self.slave = slave
        self.written = ""
        self.place = 0

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def settings(self):
        return termios.tcgetattr(self.slave)

    def read(self, seconds):
        """Reads the output of a period; false if there is none."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            piece = os.read(self.master, 1 << 16)
        except OSError:
            return False
        self.written += piece.decode("utf-8", "replace")
        return bool(piece)

    def expect(self, *texts):
        """Waits until one of the texts is written after the previous match; returns the matching text."""
        end = time.monotonic() + DEADLINE
        while True:
            found = [(self.written.find(text, self.place), text) for text in texts]
            found = [(place, text) for place, text in found if place >= 0]
            if found:
                place, text = min(found)
                self.place = place + len(text)
                return text
            assert time.monotonic() < end, f"timed out waiting for {texts}: {self.written[-2000:]}"
            if not self.read(1) and self.process.poll() is not None and not self.read(0.1):
                raise AssertionError(
                    f"it ended with {self.process.returncode} before {texts}: {self.written[-2000:]}"
                )

    def see(self, text):
        """Waits until the terminal displays a text."""
        end = time.monotonic() + DEADLINE
        while text not in screen(self.written):
            assert time.monotonic() < end, f"timed out waiting for {text}: {screen(self.written)}"
            self.read(1)

    def type(self, text):
        os.write(self.master, text.encode())

    def answer(self, question, text):
        self.expect(question)
        self.type(text + "\n")

    def end(self):
        """Waits for the program to exit, and returns its status."""
        end = time.monotonic() + DEADLINE
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it does not exit: {self.written[-2000:]}"
            self.read(0.05)
        while self.read(0.05):
            pass
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)
