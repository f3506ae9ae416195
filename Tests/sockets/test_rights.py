"""The rights of another user at the other end of a real socket, verb by verb."""

import os

import pytest

from connection import assert_error
from contract import requests
from recording import Recording
from userconnection import GAMES, NOBODY, UserConnection

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


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
    client = UserConnection(daemon.path, NOBODY, *requests, groups=groups)
    daemon.connections.append(client)
    return [client.reply() for _ in requests]


def codes(replies):
    return [None if reply["ok"] else reply["error"]["code"] for reply in replies]


def test_changing_the_daemon_needs_the_right_to_control(daemon):
    for reply in ask(daemon, examples("control")):
        assert_error(reply, "not_permitted")


def test_all_users_may_watch_and_weigh(daemon):
    assert "not_permitted" not in codes(ask(daemon, examples("read", "use")))


def test_members_of_a_configured_group_may_change_it(daemon):
    assert "not_permitted" not in codes(ask(daemon, examples("control"), groups=[GAMES]))
