"""The real program with a bed of mocked devices, and its clients."""

import os
import signal

import daemon
from connection import Connection
from waiting import wait_until


class Daemon(daemon.Daemon):
    """`pressured run` as a child process, ready for connections."""

    def __init__(self, program, bed, folder, *options, settings="", before=()):
        # The configuration of the user who runs the tests must not be read.
        self.configuration = folder / "config.yaml"
        self.configuration.write_text(settings)
        super().__init__(program, str(folder), ["--config", str(self.configuration), *options], variables=bed.environment,
                         wrap=lambda command: [*before, *command])
        # A daemon that was started before has the same log.
        previous = len(self.log) if os.path.exists(self.log_path) else 0
        with bed.folder_can_be_opened():
            self.start()
            self.wait_logged("serving", previous)

    def wait_logged(self, words, start=0):
        """Waits for a message on standard error, after the first `start` characters."""
        wait_until(lambda: words in self.log[start:] or self.process.poll() is not None)
        assert words in self.log[start:], self.log

    def connect(self):
        self.connections.append(Client(self.path))
        return self.connections[-1]

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
                    with open(f"{process}/fdinfo/{number}", encoding="ascii") as lines:
                        flags.append(next(int(line.split()[1], 8) for line in lines if line.startswith("flags:")))
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


class Client(Connection):
    """A client that has read the greeting."""

    def __init__(self, path):
        super().__init__(path)
        self.event("hello")

    def lines_before_reply(self, request):
        """The lines that were sent before the reply to a request, which is granted."""
        self.send(request)
        *before, reply = self.until(event="reply")
        assert reply["ok"], reply
        return before

    def refused(self, request):
        """The code and the message of an error reply."""
        error = self.ask(request)["error"]
        return error["code"], error["message"]

    def snapshot(self):
        """The snapshot for this client; earlier events are not part of it."""
        return self.lines_before_reply("ping")

    def subscribe_to_all(self):
        """Subscribes to every frame, except for the events of the scale, which has its own timers."""
        return self.lines_before_reply("subscribe max_hz=0 events=device,contact,weight,max_force,heaviest,press,action")

    def after(self, pad):
        """The lines for everything the pad has done: all of them, as the reader has emptied the queue."""
        pad.wait_read()
        return self.lines_before_reply("ping")


def of_kind(lines, event):
    return [line for line in lines if line["event"] == event]
