"""Runs the real `pressured bind`."""

import json
import os
import signal
import subprocess

from connection import DEADLINE
from daemon import environment, wait_until
from fakedaemon import SOCKET
from program import children


class Binder:
    """The real `pressured bind` in a directory of its own, which is its home."""

    def __init__(self, program, folder, bindings, *arguments, wrap=list, **variables):
        self.folder = folder
        self.file = os.path.join(folder, ".config", "pressured", "bindings.yaml")
        os.makedirs(os.path.dirname(self.file), exist_ok=True)
        self.write(bindings)
        self.log_path = os.path.join(folder, "bind.log")
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                wrap([program, "bind", *arguments]),
                env=environment(folder, PRESSURED_SOCKET=os.path.join(folder, SOCKET), **variables),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # Descriptors left open and signals ignored by the tests must not reach a command.
                close_fds=False,
                preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
            )

    def write(self, bindings):
        """Writes the bindings; JSON is YAML too."""
        text = bindings if isinstance(bindings, str) else json.dumps(bindings)
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)

    @property
    def log(self):
        with open(self.log_path, encoding="utf-8") as log:
            return log.read()

    def wait_for_log(self, text, times=1):
        wait_until(lambda: self.log.count(text) >= times)

    def signal(self, number):
        self.process.send_signal(number)

    def children(self):
        """Its commands that have not exited or have not been reaped."""
        return children(self.process.pid)

    def end(self):
        """Terminates it and returns its exit status."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        return self.process.wait(DEADLINE)
