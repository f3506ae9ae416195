"""The limits of the unit for memory and descriptors, when clients exhaust them."""

import contextlib
import pathlib
import resource
import socket

import service
from waiting import wait_until

# A line of the maximum length, and one that delays all following ones.
LONGEST = b'{"do":"ping","id":"' + b"x" * 16000 + b'"}\n'
WAITING = b"weigh timeout_ms=60000\n"
SUBSCRIBE_ALL = b"subscribe max_hz=0\n"


def group():
    return pathlib.Path("/sys/fs/cgroup" + service.show("ControlGroup"))


def memory(name):
    return int((group() / f"memory.{name}").read_text())


def kills():
    counts = dict(line.split() for line in (group() / "memory.events").read_text().splitlines())
    return int(counts["oom_kill"])


class ClientGroup:
    """Connections that read nothing and send as much as possible."""

    def __init__(self, count):
        self.sockets = []
        for _ in range(count):
            self.sockets.append(socket.socket(socket.AF_UNIX))
            self.sockets[-1].connect(service.SOCKET)
            self.sockets[-1].setblocking(False)

    def fill(self, text):
        """Sends a text repeatedly until it is no longer accepted; returns the number of bytes sent."""
        total = 0
        for each in self.sockets:
            sent = 0
            # Until it is full, or disconnected.
            with contextlib.suppress(OSError):
                while True:
                    sent += each.send(text[sent % len(text) :])
            total += sent
        return total

    def close(self):
        for each in self.sockets:
            each.close()


def try_connect(connect):
    """A connection that is served, or None: closed ones count until the service has noticed."""
    client = connect()
    return client if client.line()["event"] == "hello" else None


def test_the_maximum_number_of_clients_does_not_exhaust_the_memory(connect, plug):
    """Each has a full buffer that it does not read, and sends as many requests as it can."""
    pad = plug("pad", slots=10)
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, max(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    good = connect("subscribe events=max_force")
    assert good.ask("ping")["ok"]
    process, limit = service.main_pid(), memory("max")
    assert limit == 640 << 20, "the limit is that of the unit"
    clients = ClientGroup(511)
    clients.fill(SUBSCRIBE_ALL)
    pad.stream(10, 100, 600)
    sent = clients.fill(WAITING + LONGEST * 64)
    # It has received everything that was sent once it replies.
    for _ in range(20):
        assert good.ask("ping")["ok"]
    print(f"{sent >> 20} MiB sent; memory at its highest {memory('peak') >> 20} MiB of {limit >> 20}")
    assert memory("peak") < limit
    assert kills() == 0
    assert service.main_pid() == process
    clients.close()
    assert wait_until(lambda: try_connect(connect), "no client is accepted again").ask("ping")["ok"]
