"""Memory is returned when clients disconnect."""

import socket

import pytest

from daemon import wait_until
from recording import Recording

CLIENTS = 500
# The part of an incomplete line that is kept until its end arrives.
UNFINISHED = b'{"do":"ping","id":"' + b"x" * 15_000


def resident(daemon):
    """The private memory of the daemon in bytes."""
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon:"))


def test_memory_of_clients_is_returned_when_they_disconnect(serve, is_sanitized):
    if is_sanitized:
        pytest.skip("AddressSanitizer keeps what is freed")
    # A limit per user is a part of the limit for all.
    daemon = serve(Recording().pause(1).hold(), config="socket: { max_clients: 4096 }\n")
    stays = daemon.connect("subscribe events=")
    assert stays.reply()["ok"]
    before = resident(daemon)
    crowd = []
    for _ in range(CLIENTS):
        crowd.append(socket.socket(socket.AF_UNIX))
        crowd[-1].connect(daemon.path)
        crowd[-1].sendall(UNFINISHED)
    wait_until(lambda: resident(daemon) - before > CLIENTS * len(UNFINISHED) * 0.9)
    # The last allocation stays, so that all the rest are holes below it.
    for each in crowd[:-1]:
        each.close()
    wait_until(lambda: resident(daemon) - before < 2 << 20)
    assert stays.ask("ping")["ok"]
    crowd[-1].close()
