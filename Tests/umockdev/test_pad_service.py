"""The service of a pad without systemd: what it sends by itself, and how it treats its clients."""

import errno
import json
import os
import signal
import socket
import subprocess

import pytest

from hidraw import Hidraw, known
from mockpad import DEADLINE

PIXART = known("pixart-inherited")
# The first argument is the program; a passed socket has the number 3.
WITH_SOCKET = 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&0'


class Service:
    """`pressured pad serve`, with a socket and a notification socket of the test."""

    def __init__(self, program, bed, folder, node):
        self.path, notify = str(folder / "socket"), str(folder / "notify")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(128)
        self.notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notifications.settimeout(DEADLINE)
        self.notifications.bind(notify)
        self.log = open(folder / "log", "w+", encoding="utf-8")
        command = ["sh", "-c", WITH_SOCKET, "sh", program, "pad", "serve", node, "--state", folder / "state", "--runtime", folder / "run"]
        variables = {"PATH": os.environ["PATH"], "NOTIFY_SOCKET": notify, "CONFIGURATION_DIRECTORY": str(folder), **bed.environment}
        self.process = None
        self.start = lambda: setattr(self, "process", subprocess.Popen(
            [str(word) for word in command], stdin=self.listener, stderr=self.log, env=variables))  # fmt: skip

    def wait_until_ready(self):
        assert self.notifications.recv(4096).startswith(b"READY=1")
        return self

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(DEADLINE)
        client.connect(self.path)
        return client

    def ask(self, line):
        """The reply to a line, which is sent without a line end if it has none."""
        client = self.connect()
        client.sendall(line)
        return reply(client)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(DEADLINE) if self.process else None


def reply(client):
    text = b""
    while not text.endswith(b"\n"):
        piece = client.recv(4096)
        if not piece:
            break
        text += piece
    return json.loads(text)


@pytest.fixture
def pad(bed):
    bed.add_hidraw(0, PIXART, instance="0018:093A:4F05.0001")
    return Hidraw(bed, 0, PIXART, {8: b"\x02", 9: b"\x32"})


@pytest.fixture
def service(program, bed, tmp_path):
    services = []

    def service(node="hidraw0", starts=True):
        services.append(Service(program, bed, tmp_path, node))
        if starts:
            services[-1].start()
            services[-1].wait_until_ready()
        return services[-1]

    yield service
    for each in services:
        each.stop()


@pytest.fixture
def saved(run, tmp_path, pad):
    """The click force 190 g is saved, and was sent to another device."""
    folders = "--state", str(tmp_path / "state"), "--runtime", str(tmp_path / "before")
    assert run("pad", "set", "click-force=firm", *folders)[0] == 0
    assert pad.sets == ["08 03"]
    pad.log.clear()
    pad.features[8] = b"\x02"


def test_what_is_saved_is_sent_before_it_is_ready(saved, pad, service):
    own = service()
    assert pad.sets == ["08 03"]
    assert own.stop() == 0


def test_a_pad_that_refuses_after_a_suspend_is_asked_again(saved, pad, service):
    own = service()
    pad.errors = {1: errno.EPIPE}
    refused = own.ask(b"restore\n")
    assert refused["error"]["code"] == "pad_error" and "Broken pipe" in refused["error"]["message"]
    assert pad.wait_for_sets(3) == ["08 03"] * 3
    # Now there is nothing to do: the next request is the next one that arrives.
    assert own.ask(b"set haptics=40 once\n")["ok"]
    assert pad.sets[3:] == ["09 28"]


def test_a_stopped_service_ends_a_request_first(pad, service):
    """A signal between two writes does not leave one of them."""
    own = service()
    arrived = pad.set

    def stop_at_first(data):
        if not pad.sets:
            own.process.send_signal(signal.SIGTERM)
        return arrived(data)

    pad.set = stop_at_first
    assert own.ask(b"set click-force=firm haptics=40\n")["ok"]
    assert pad.sets == ["08 03", "09 28"]
    assert own.process.wait(DEADLINE) == 0


def test_a_node_that_is_no_pad_is_no_failure(service, bed):
    """A service that ends before it is ready has failed for systemd, whatever its status is."""
    own = service("hidraw7", starts=False)
    waiting = own.connect()
    own.start()
    own.wait_until_ready()
    assert reply(waiting)["error"] == {"code": "no_pad", "message": "hidraw7 is not the node of a pad that can be set"}
    assert own.process.wait(DEADLINE) == 0


def test_a_client_without_a_request_is_disconnected(pad, service):
    own = service()
    silent, unfinished = own.connect(), own.connect()
    unfinished.sendall(b"set hap")
    for client in silent, unfinished:
        assert reply(client)["error"] == {"code": "no_answer", "message": "no request came within 5 seconds"}


def test_the_number_of_clients_of_a_user_is_limited(pad, service):
    own = service()
    clients = [own.connect() for _ in range(5)]
    refused = reply(clients[4])
    assert refused["error"]["code"] == "busy"
