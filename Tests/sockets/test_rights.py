"""Over a real socket, with another user at its other end: who may do what, verb by verb."""

import json
import os
import subprocess

import pytest

from connection import assert_fault
from recording import Recording

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")

# What anybody may ask who may connect at all.
FREE = {
    "help": ["help"], "ping": ["ping"], "version": ["version"], "devices": ["devices"], "state": ["state"],
    "subscribe": ["subscribe events="], "weigh": ["weigh timeout_ms=1"], "tare": ["tare"], "untare": ["untare"],
    "zero": ["zero"], "hold": ["hold"], "release": ["release"], "target": ["target grams=5 tolerance=1"],
    "count": ["count"], "history": ["history"], "actions": ["actions"], "perform": ["perform type=local.none"],
    "stats": ["stats"],
}

# What changes the daemon, in each of its forms.
CONTROLLED = {
    "calibrate": [
        "calibrate step=begin", "calibrate step=point grams=20", "calibrate step=finish", "calibrate step=cancel",
    ],
    "grab": ["grab on=true", "grab on=false"],
    "reload": ["reload"],
    "add_action": ["add_action type=games.jump title=Jump"],
    "remove_action": ["remove_action type=games.jump"],
}

# Run as another user, who can neither read this folder nor import from it.
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
    """A daemon that anybody may connect to; `commands` are all its verbs."""
    os.chmod(folder, 0o755)
    daemon = serve(Recording().pause(1).hold(), config='socket: { mode: "0666" }\ncontrol: { groups: [games] }\n')
    client = daemon.connect()
    daemon.commands = client.line()["commands"]
    client.event("heaviest")
    return daemon


def forms(daemon, table):
    """Every form of the verbs in a table that this daemon knows."""
    return [form for verb in daemon.commands for form in table.get(verb, [])]


def ask(daemon, requests, groups=()):
    """Asks as somebody else; gives an answer for each request."""
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


def test_whether_a_verb_needs_rights_is_known_of_each(daemon):
    unknown = [verb for verb in daemon.commands if (verb in FREE) == (verb in CONTROLLED)]
    assert unknown == [], "say in this file whether anybody may do it"


def test_a_stranger_may_do_nothing_that_changes_the_daemon(daemon):
    requests = forms(daemon, CONTROLLED)
    assert len(requests) >= 4
    for reply in ask(daemon, requests):
        assert_fault(reply, "not_permitted")


def test_a_stranger_may_watch_and_weigh(daemon):
    assert "not_permitted" not in codes(ask(daemon, forms(daemon, FREE)))


def test_who_is_in_a_group_that_is_named_may_change_it(daemon):
    assert "not_permitted" not in codes(ask(daemon, forms(daemon, CONTROLLED), groups=["games"]))
