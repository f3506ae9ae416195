"""A client that closes its connection: what it asked for before that is still done, all of it."""

import os
import signal
import socket

import pytest

from connection import Connection, is_event
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
    """Nothing is read from now on, so that all that is sent lies in the socket when it is closed."""
    daemon.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, daemon.process.pid, os.WSTOPPED | os.WNOWAIT)


def go_on(daemon):
    daemon.process.send_signal(signal.SIGCONT)


def greeted(daemon):
    """A connection that was accepted; what it is told next finds nobody."""
    client = Connection(daemon.path)
    client.event("device", change="present")
    stop(daemon)
    return client


def unread(daemon):
    """One that closes with something unread, which is a reset."""
    client = Connection(daemon.path, "help")
    assert client.socket.recv(1, socket.MSG_PEEK)
    stop(daemon)
    return client


def waiting(daemon):
    """One that is closed before it is accepted: not even the snapshot finds anybody."""
    stop(daemon)
    return Connection(daemon.path)


def is_done(watcher, request):
    return watcher.until(lambda line: is_event(line, "scale") and line.get("request") == request)[-1]


@pytest.mark.parametrize("connect", [greeted, unread, waiting])
@pytest.mark.parametrize("before", [
    ["ping"],
    ["ping"] * 100,
    # More than is read at once, and than the answers that may wait; less than the inbox holds.
    ["help"] * 3000,
    # What only waits for an answer holds up nothing.
    ["weigh timeout_ms=60000"],
    ["nonsense", "", "subscribe max_hz=0", "state"],
])
def test_the_last_request_is_done(daemon, watcher, connect, before):
    client = connect(daemon)
    client.send(*before, "hold")
    client.close()
    go_on(daemon)
    assert is_done(watcher, "hold")["held"]
    daemon.connect().ask("ping")


@pytest.mark.parametrize("connect", [greeted, unread, waiting])
def test_a_hold_is_released_by_who_asked_for_that(daemon, watcher, connect):
    client = connect(daemon)
    client.send("hold", "release", "tare")
    client.close()
    go_on(daemon)
    assert is_done(watcher, "hold")["held"]
    assert not is_done(watcher, "release")["held"]
    assert not is_done(watcher, "tare")["held"]


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


def test_who_reads_no_more_may_still_ask(daemon, watcher):
    client = Connection(daemon.path)
    client.event("device", change="present")
    client.socket.shutdown(socket.SHUT_RD)
    client.send("ping", "ping", "hold")
    assert is_done(watcher, "hold")["held"]
    client.send("release")
    assert not is_done(watcher, "release")["held"]
    client.close()


def test_its_connection_ends(daemon, watcher):
    for connect in (greeted, unread, waiting):
        for requests in ([], [b"half"], ["ping"] * 9000, [b"x" * 100_000], ["weigh timeout_ms=60000"]):
            client = connect(daemon)
            client.send(*requests)
            client.close()
            go_on(daemon)
            while len(watcher.ask("stats")["result"]["clients"]) > 1:
                pass
    watcher.close()
    daemon.wait_for_nobody()
