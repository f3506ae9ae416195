"""What is given back when clients have left."""

import socket

import pytest

from daemon import wait_until
from recording import Recording

CLIENTS = 500
# As much of a line as is kept while its end is still to come.
UNFINISHED = b'{"do":"ping","id":"' + b"x" * 15_000


def resident(daemon):
    """Bytes of memory that belong to the daemon alone."""
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon:"))


def test_what_clients_have_taken_goes_back_when_they_leave(serve, is_sanitized):
    if is_sanitized:
        pytest.skip("AddressSanitizer keeps what is freed")
    # A limit for each user is a part of that for all.
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
    # What came last stays, so that all the rest are holes below it.
    for each in crowd[:-1]:
        each.close()
    wait_until(lambda: resident(daemon) - before < 2 << 20)
    assert stays.ask("ping")["ok"]
    crowd[-1].close()
