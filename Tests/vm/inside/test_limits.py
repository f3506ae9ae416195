"""The unit's own limits, of memory and of descriptors, reached by those who may connect."""

import pathlib
import resource
import socket

import service
from waiting import wait_until

# A line as long as a request may be, and one that makes all that follow it wait.
LONGEST = b'{"do":"ping","id":"' + b"x" * 16000 + b'"}\n'
WAITING = b"weigh timeout_ms=60000\n"
HEARS_ALL = b"subscribe max_hz=0\n"


def group():
    return pathlib.Path("/sys/fs/cgroup" + service.show("ControlGroup"))


def memory(name):
    return int((group() / f"memory.{name}").read_text())


def kills():
    counts = dict(line.split() for line in (group() / "memory.events").read_text().splitlines())
    return int(counts["oom_kill"])


class Crowd:
    """Connections that take nothing and send all that they can."""

    def __init__(self, count):
        self.sockets = []
        for _ in range(count):
            self.sockets.append(socket.socket(socket.AF_UNIX))
            self.sockets[-1].connect(service.SOCKET)
            self.sockets[-1].setblocking(False)

    def fill(self, text):
        """Sends a text again and again, to where nobody takes any more; gives how many bytes went."""
        return sum(self._fill(each, text) for each in self.sockets)

    @staticmethod
    def _fill(each, text):
        sent = 0
        try:
            while True:
                count = each.send(text[sent % len(text) :])
                sent += count
        except OSError:
            # Full, or hung up on.
            return sent

    def close(self):
        for each in self.sockets:
            each.close()


def allow_descriptors(count):
    hard = max(count, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


def let_in(connect):
    """A connection that is served, or None: those that were closed count until the service has learned of it."""
    client = connect()
    return client if client.line()["event"] == "hello" else None


def test_as_many_as_may_connect_do_not_fill_the_memory(connect, plug):
    """Each has its buffer full of what it does not read, and asks for as much as it can."""
    pad = plug("pad", slots=10)
    allow_descriptors(4096)
    good = connect("subscribe events=max_force")
    assert good.ask("ping")["ok"]
    process, limit = service.main_pid(), memory("max")
    assert limit == 640 << 20, "it is the unit's"
    crowd = Crowd(511)
    crowd.fill(HEARS_ALL)
    pad.tell("stream 10 100 600")
    pad.hear("done")
    sent = crowd.fill(WAITING + LONGEST * 64)
    # It has seen all that was sent once it answers.
    for _ in range(20):
        assert good.ask("ping")["ok"]
    print(f"{sent >> 20} MiB sent; memory at its highest {memory('peak') >> 20} MiB of {limit >> 20}")
    assert memory("peak") < limit
    assert kills() == 0
    assert service.main_pid() == process
    crowd.close()
    assert wait_until(lambda: let_in(connect), "nobody is let in again").ask("ping")["ok"]


def test_a_service_that_has_reached_its_memory_is_started_anew(connect, plug, configure):
    """Where a person has set the limit too low, the kernel ends it, and the next who connects is served."""
    configure("socket: { client_buffer_kib: 4096 }\n", "[Service]\nMemoryMax=32M\nMemorySwapMax=0\n[Unit]\nStartLimitBurst=100\n")
    pad = plug("pad", slots=10)
    assert connect().ask("ping")["ok"]
    process = service.main_pid()
    crowd = Crowd(100)
    crowd.fill(HEARS_ALL)
    pad.tell("stream 10 240 1000000")
    wait_until(lambda: service.main_pid() not in (0, process), "it never reached its limit")
    crowd.close()
    pad.unplug()
    again = connect()
    again.event("hello")
    assert again.ask("ping")["ok"]
    assert service.is_active("pressured.socket")
    journal = service.run("journalctl", "-u", service.UNIT, "--no-pager").stdout
    assert "oom" in journal.lower()


def test_as_many_as_there_are_descriptors_for_are_served(connect, configure):
    """The unit has systemd's usual 1024; a person has allowed more clients than that."""
    configure("socket: { max_clients: 8192 }\n")
    allow_descriptors(4096)
    good = connect("subscribe events=")
    assert good.ask("ping")["ok"]
    process = service.main_pid()
    limits = pathlib.Path(f"/proc/{process}/limits").read_text()
    assert next(line for line in limits.splitlines() if line.startswith("Max open files")).split()[3] == "1024"
    crowd = Crowd(1100)
    open_files = pathlib.Path(f"/proc/{process}/fd")
    wait_until(lambda: len(list(open_files.iterdir())) == 1024, "they were never all taken")
    assert good.ask("ping")["ok"]
    assert service.main_pid() == process
    last = crowd.sockets.pop()
    crowd.close()
    # It was in the queue of the socket, and is let in once there is room.
    last.settimeout(60)
    assert b'"hello"' in last.recv(65536)
    last.close()
    assert connect().ask("ping")["ok"]
    assert service.main_pid() == process
