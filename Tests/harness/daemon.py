"""The real daemon, started on a socket of its own."""

import os
import signal
import stat
import subprocess

from connection import DEADLINE, Connection
from waiting import wait_until

# The program that listens on a socket and starts another one with its first connection.
ACTIVATE = "systemd-socket-activate"

# The flags of a listening socket in /proc/net/unix.
LISTENING = "00010000"


def environment(folder, **more):
    """Variables of the environment in which the tests run must not affect the program."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": folder,
        "CONFIGURATION_DIRECTORY": os.path.join(folder, "no-configuration"),
        # Root's would be that of the service, where other tests would find what was learned.
        "STATE_DIRECTORY": os.path.join(folder, "state"),
        **more,
    }


class Daemon:
    def __init__(self, program, folder, arguments, socket="pressured.sock", variables=None, wrap=list):
        self.path = os.path.join(folder, socket)
        self.command = wrap([program, "run", "--socket", self.path, *arguments])
        self.environment = environment(folder, **(variables or {}))
        self.log_path = os.path.join(folder, f"{socket}.log")
        self.process = None
        self.connections = []

    def start(self):
        """Starts it and waits until it listens, without connecting."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdin=subprocess.DEVNULL, stderr=log
            )
        wait_until(lambda: self.is_listening or self.process.poll() is not None)
        assert self.is_listening, f"the daemon did not start: {self.log}"
        return self

    @property
    def is_listening(self):
        """A recording begins with the first connection, so this must not open one.

        The daemon listens before it sets the permissions, until which only root may connect.
        """
        return any(row[3] == LISTENING for row in self.sockets) and stat.S_IMODE(os.stat(self.path).st_mode) != 0

    @property
    def sockets(self):
        """The rows of /proc/net/unix for the daemon's socket: the listening socket and one per connection."""
        with open("/proc/net/unix", encoding="utf-8", errors="replace") as table:
            return [row for row in map(str.split, table) if row[7:] == [self.path]]

    def connect(self, *requests):
        connection = Connection(self.path, *requests)
        self.connections.append(connection)
        return connection

    def connect_early(self, *requests):
        """Connects as the first client, whose requests are read before the first frame of the recording.

        The recording must begin with a pause. If that was too short on a busy machine, the recording is
        played again from its beginning, as for each first client.
        """
        while True:
            client = self.connect(*requests)
            received = client.until(lambda line: line["event"] == "reply")
            if not any(line["event"] in ("contact", "weight") for line in received):
                return client
            client.close()
            self.wait_for_no_clients()

    def wait_for_no_clients(self):
        """Waits until the daemon, too, has closed all connections, and its device with the last one."""
        wait_until(lambda: all(row[3] == LISTENING for row in self.sockets))

    @property
    def log(self):
        with open(self.log_path, encoding="utf-8") as log:
            return log.read()

    @property
    def has_crashed(self):
        return self.process is not None and self.process.returncode not in (0, -signal.SIGKILL)

    def terminate(self):
        """Terminates it and returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(DEADLINE)

    def end(self):
        for connection in self.connections:
            connection.close()
        if self.process is not None and self.process.poll() is None:
            try:
                self.terminate()
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise


def first_connection(path):
    """Connects as soon as the socket is in the listening state: its file exists slightly earlier."""

    def connected():
        try:
            return Connection(path)
        except (FileNotFoundError, ConnectionRefusedError):
            return None

    return wait_until(connected)
