"""The rights of another user at the other end of a real socket, verb by verb."""

import json
import os
import subprocess

import pytest

from connection import assert_error
from contract import requests
from recording import Recording

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

# Runs as another user, who can neither read this directory nor import from it.
ASK = r"""
import socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
requests = sys.stdin.buffer.read()
client.sendall(requests)
lines, left = client.makefile(), requests.count(b"\n")
while left and (line := lines.readline()):
    sys.stdout.write(line)
    left -= line.startswith('{"event":"reply"')
"""


@pytest.fixture
def daemon(serve, folder):
    """A daemon that accepts all users."""
    os.chmod(folder, 0o755)
    daemon = serve(Recording().pause(1).hold(), config='socket: { mode: "0666" }\ncontrol: { groups: [games] }\n')
    daemon.connect().event("heaviest")
    return daemon


def examples(*levels):
    """The examples of all requests that need one of these permissions."""
    return [example for request in requests().values() if request["permission"] in levels for example in request["examples"]]


def ask(daemon, requests, groups=()):
    """Sends requests as another user; returns the reply to each."""
    done = subprocess.run(
        ["/usr/bin/python3", "-c", ASK, daemon.path], user="nobody", group="nogroup", extra_groups=groups,
        input="".join(f"{request}\n" for request in requests), stdout=subprocess.PIPE, text=True, timeout=60,
        check=True,
    )
    replies = [line for line in map(json.loads, done.stdout.splitlines()) if line["event"] == "reply"]
    assert len(replies) == len(requests)
    return replies


def codes(replies):
    return [None if reply["ok"] else reply["error"]["code"] for reply in replies]


def test_changing_the_daemon_needs_the_right_to_control(daemon):
    for reply in ask(daemon, examples("control")):
        assert_error(reply, "not_permitted")


def test_all_users_may_watch_and_weigh(daemon):
    assert "not_permitted" not in codes(ask(daemon, examples("read", "use")))


def test_members_of_a_configured_group_may_change_it(daemon):
    assert "not_permitted" not in codes(ask(daemon, examples("control"), groups=["games"]))
