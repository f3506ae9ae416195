"""A client that closes its connection: all of its previous requests are still performed."""

import os
import signal
import socket

import pytest

from connection import Connection, is_event
from daemon import wait_until
from recording import Recording


@pytest.fixture
def daemon(serve):
    return serve(Recording().pause(1).hold())


@pytest.fixture
def watcher(daemon):
    client = daemon.connect("subscribe events=scale")
    client.reply()
    return client


def stop(daemon):
    """Stops the daemon, so that everything that is sent is still in the socket when it is closed."""
    daemon.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, daemon.process.pid, os.WSTOPPED | os.WNOWAIT)


def go_on(daemon):
    daemon.process.send_signal(signal.SIGCONT)


def greeted(daemon):
    """A connection that was accepted; further lines to it cannot be delivered."""
    client = Connection(daemon.path)
    client.event("device", change="present")
    stop(daemon)
    return client


def unread(daemon):
    """A connection closed with unread data, which is a reset."""
    client = Connection(daemon.path, "help")
    assert client.socket.recv(1, socket.MSG_PEEK)
    stop(daemon)
    return client


def waiting(daemon):
    """A connection that is closed before it is accepted: not even the snapshot can be delivered."""
    stop(daemon)
    return Connection(daemon.path)


def is_done(watcher, request):
    return watcher.until(lambda line: is_event(line, "scale") and line.get("request") == request)[-1]


@pytest.mark.parametrize("connect", [greeted, unread, waiting])
@pytest.mark.parametrize("before", [
    ["ping"] * 100,
    # More than is read at once, and than the replies that may be queued; less than the input buffer holds.
    ["help"] * 3000,
    # Requests that wait for a reply do not block others.
    ["weigh timeout_ms=60000"],
    ["nonsense", "", "subscribe max_hz=0", "state"],
])
def test_the_last_requests_are_performed(daemon, watcher, connect, before):
    client = connect(daemon)
    client.send(*before, "hold", "release", "tare")
    client.close()
    go_on(daemon)
    assert is_done(watcher, "hold")["held"]
    assert not is_done(watcher, "release")["held"]
    assert not is_done(watcher, "tare")["held"]
    daemon.connect().ask("ping")


def test_while_another_client_has_the_turn(daemon, watcher):
    other = daemon.connect("subscribe events=")
    other.reply()
    client = greeted(daemon)
    other.send(*["ping"] * 2000)
    client.send("ping", "hold", "ping", "release")
    client.close()
    go_on(daemon)
    assert is_done(watcher, "hold")["held"]
    assert not is_done(watcher, "release")["held"]


def test_a_client_that_no_longer_reads_may_still_send_requests(daemon, watcher):
    client = Connection(daemon.path)
    client.event("device", change="present")
    client.socket.shutdown(socket.SHUT_RD)
    client.send("ping", "ping", "hold")
    assert is_done(watcher, "hold")["held"]
    client.send("release")
    assert not is_done(watcher, "release")["held"]
    client.close()


def test_its_connection_is_closed(daemon, watcher):
    for connect in (greeted, unread, waiting):
        for requests in ([], [b"half"], ["ping"] * 9000, [b"x" * 100_000], ["weigh timeout_ms=60000"]):
            client = connect(daemon)
            client.send(*requests)
            client.close()
            go_on(daemon)
            wait_until(lambda: len(watcher.ask("stats")["result"]["clients"]) == 1)
    watcher.close()
    daemon.wait_for_no_clients()
