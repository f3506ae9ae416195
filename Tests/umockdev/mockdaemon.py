"""The real program with a bed of mocked devices, and its clients."""

import os
import signal
import subprocess
import threading

from connection import Connection
from waiting import DEADLINE, wait_until


class Daemon:
    """`pressured run` as a child process, ready for connections."""

    def __init__(self, program, bed, folder, *options, settings="", before=()):
        self.socket = str(folder / "pressured.sock")
        # The configuration of the user who runs the tests must not be read.
        self.configuration = configuration = folder / "config.yaml"
        configuration.write_text(settings)
        self.changed = threading.Condition()
        self.log = []
        with bed.folder_can_be_opened():
            self.process = subprocess.Popen(
                [*before, program, "run", "--socket", self.socket]
                + ["--config", str(configuration), *options],
                env=bed.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            )  # fmt: skip
            self.reader = threading.Thread(target=self._listen, daemon=True)
            self.reader.start()
            try:
                self.wait_logged("serving")
            except AssertionError:
                self.process.kill()
                raise

    def _listen(self):
        with self.process.stderr as stderr:
            for line in stderr:
                self._receive(line.decode())
        self._receive(None)

    def _receive(self, line):
        with self.changed:
            self.log.append(line)
            self.changed.notify_all()

    def wait_logged(self, words, start=0):
        """Waits for a message on standard error, after the first `start` ones."""

        def is_logged():
            return any(line is None or words in line for line in self.log[start:])

        with self.changed:
            self.changed.wait_for(is_logged, DEADLINE)
            assert any(line and words in line for line in self.log[start:]), self.log

    def connect(self):
        return Client(self.socket)

    def reload(self, settings):
        """Changes the configuration and notifies the daemon as a service manager does."""
        previous = len(self.log)
        self.configuration.write_text(settings)
        self.process.send_signal(signal.SIGHUP)
        self.wait_logged("was reloaded", previous)

    def open_nodes(self, pad):
        """The flags of each descriptor that the daemon has open for the pty of a pad."""
        process = f"/proc/{self.process.pid}"
        flags = []
        for number in os.listdir(f"{process}/fd"):
            try:
                if os.readlink(f"{process}/fd/{number}") == os.readlink(pad.path):
                    flags.append(flags_of(f"{process}/fdinfo/{number}"))
            except FileNotFoundError:
                # It was closed in the meantime.
                continue
        return flags

    def wait_open(self, pad):
        """Waits until the daemon has a pad open, even if it opened it before this call."""
        wait_until(lambda: self.open_nodes(pad), f"{pad.node} was never opened")

    def pause(self):
        """Stops it, as an overloaded machine would; returns when it is stopped."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitpid(self.process.pid, os.WUNTRACED)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        """Terminates it; returns its exit status."""
        self.process.terminate()
        self.resume()
        try:
            return self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self.reader.join()


class Client(Connection):
    """A client that has read the greeting; its requests are lines."""

    def __init__(self, path):
        super().__init__(path)
        self.greeting = self.until(event="hello")

    def ask(self, line):
        """The result of a request, and the lines before its reply."""
        self.send(line)
        *before, reply = self.until(event="reply")
        assert reply["ok"], reply
        return reply["result"], before

    def refused(self, line):
        """The code and the message of an error reply."""
        self.send(line)
        reply = self.reply()
        assert not reply["ok"], reply
        return reply["error"]["code"], reply["error"]["message"]

    def snapshot(self):
        """The snapshot for this client; earlier events are not part of it."""
        return self.ask("ping")[1]

    def subscribe_to_all(self):
        """Subscribes to every frame, except for the events of the scale, which has its own timers."""
        events = "device,contact,weight,max_force,heaviest,press,action"
        return self.ask(f"subscribe max_hz=0 events={events}")[1]

    def after(self, pad):
        """The lines for everything the pad has done: all of them, as the reader has emptied the queue."""
        pad.wait_read()
        return self.ask("ping")[1]


def of_kind(lines, event):
    return [line for line in lines if line["event"] == event]


def devices(program, bed, folder):
    """The output of `pressured devices`, by node."""
    (folder / "config.yaml").write_text("")
    result = subprocess.run(
        [program, "devices"],
        # Another daemon may run on this machine.
        env={**bed.environment, "PRESSURED_SOCKET": str(folder / "nobody"), "CONFIGURATION_DIRECTORY": str(folder)}, capture_output=True, timeout=DEADLINE,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    # Further sentences about a node are on lines of their own.
    return dict(line.split(": ", 1) for line in result.stdout.decode().replace("\n  ", "; ").splitlines())


def flags_of(path):
    with open(path) as lines:
        return next(int(line.split()[1], 8) for line in lines if line.startswith("flags:"))
