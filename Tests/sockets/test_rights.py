"""The rights of another user at the other end of a real socket, verb by verb."""

import json
import os
import subprocess

import pytest

from connection import assert_error
from recording import Recording

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

# Requests for all users that may connect.
FREE = {
    "help": ["help"], "ping": ["ping"], "version": ["version"], "devices": ["devices"], "state": ["state"],
    "subscribe": ["subscribe events="], "weigh": ["weigh timeout_ms=1"], "tare": ["tare"], "untare": ["untare"],
    "zero": ["zero"], "hold": ["hold"], "release": ["release"], "target": ["target grams=5 tolerance=1"],
    "count": ["count"], "history": ["history"], "actions": ["actions"], "perform": ["perform type=local.none"],
    "stats": ["stats"],
}

# Requests that change the daemon, in each of their forms.
CONTROLLED = {
    "calibrate": [
        "calibrate step=begin", "calibrate step=point grams=20", "calibrate step=finish", "calibrate step=cancel",
    ],
    "grab": ["grab on=true", "grab on=false"],
    "reload": ["reload"],
    "add_action": ["add_action type=games.jump title=Jump"],
    "remove_action": ["remove_action type=games.jump"],
}

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
    """A daemon that accepts all users; `commands` are all its verbs."""
    os.chmod(folder, 0o755)
    daemon = serve(Recording().pause(1).hold(), config='socket: { mode: "0666" }\ncontrol: { groups: [games] }\n')
    client = daemon.connect()
    daemon.commands = client.line()["commands"]
    client.event("heaviest")
    return daemon


def forms(daemon, table):
    """Every form of the verbs in a table that this daemon supports."""
    return [form for verb in daemon.commands for form in table.get(verb, [])]


def ask(daemon, requests, groups=()):
    """Sends requests as another user; returns the reply to each."""
    done = subprocess.run(
        ["/usr/bin/python3", "-c", ASK, daemon.path], user="nobody", group="nogroup", extra_groups=groups,
        input="".join(f"{request}\n" for request in requests), stdout=subprocess.PIPE, text=True, timeout=60,
        check=True,
    )
    replies = [line for line in map(json.loads, done.stdout.splitlines()) if line["event"] == "reply"]
    assert [reply["do"] for reply in replies] == [request.split()[0] for request in requests]
    return replies


def codes(replies):
    return [None if reply["ok"] else reply["error"]["code"] for reply in replies]


def test_the_rights_of_each_verb_are_listed(daemon):
    unknown = [verb for verb in daemon.commands if (verb in FREE) == (verb in CONTROLLED)]
    assert unknown == [], "list it in this file with the rights that it needs"


def test_changing_the_daemon_needs_the_right_to_control(daemon):
    requests = forms(daemon, CONTROLLED)
    assert len(requests) >= 4
    for reply in ask(daemon, requests):
        assert_error(reply, "not_permitted")


def test_all_users_may_watch_and_weigh(daemon):
    assert "not_permitted" not in codes(ask(daemon, forms(daemon, FREE)))


def test_members_of_a_configured_group_may_change_it(daemon):
    assert "not_permitted" not in codes(ask(daemon, forms(daemon, CONTROLLED), groups=["games"]))
