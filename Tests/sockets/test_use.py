"""Requests that change the readings of others: rights, verb by verb, rate limits, and the origin in events."""

import os
import time

import pytest

from connection import assert_error, is_event, parsed
from contract import requests
from daemon import wait_until
from test_actions import resting
from userconnection import GAMES, NOBODY, UserConnection

SLOW = "use: { requests_per_second: 1 }\n"
ACTIONS = "actions: [ { type: local.next, title: Next } ]\n"


def refused(reply):
    """Whether a reply refuses a request because of the limit."""
    if reply["ok"]:
        return False
    error = reply["error"]
    assert error["code"] == "too_fast"
    assert 0 < error["retry_after_ms"] <= 1000
    assert str(error["retry_after_ms"]) in error["message"]
    return True


def test_after_a_burst_all_connections_of_a_user_are_limited(serve):
    daemon = serve(resting(), config=SLOW + ACTIONS)
    one, other = daemon.connect(), daemon.connect()
    begun = time.monotonic()
    replies = one.ask(*["perform type=local.next"] * 4)
    assert not any(map(refused, replies))
    requests = ("perform type=local.next", "tare", "hold", "target grams=5", "count sample=2", "weigh")
    replies = [other.ask(request) for request in requests * 3]
    # A busy machine may take long enough for the next requests to be due.
    assert sum(not refused(reply) for reply in replies) <= time.monotonic() - begun
    wait_until(lambda: one.ask("hold")["ok"])


def test_reading_is_not_limited(serve):
    client = serve(resting(), config=SLOW).connect()
    client.ask(*["hold"] * 4)
    for request in ("ping", "state", "devices", "actions", "stats", "history", "target", "help"):
        assert client.ask(request)["ok"], request


def test_events_contain_the_origin_of_a_request(serve):
    daemon = serve(resting(), config=ACTIONS)
    watcher = daemon.connect("subscribe events=scale,action")
    watcher.reply()
    client = daemon.connect()
    assert client.ask("hold")["ok"]
    held = watcher.until(lambda line: is_event(line, "scale", held=True))[-1]
    assert (held["user"], held["request"]) == (os.geteuid(), "hold")
    client.ask("perform type=pressured.release")
    free = watcher.until(lambda line: is_event(line, "scale", held=False))[-1]
    assert (free["user"], free["request"]) == (os.geteuid(), "perform")
    action = watcher.event("action")
    assert (action["user"], action["request"]) == (os.geteuid(), "perform")


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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
class TestOtherUsers:
    @pytest.fixture
    def daemon(self, serve, folder):
        def start(use):
            os.chmod(folder, 0o755)
            daemon = serve(resting(), config=f'socket: {{ mode: "0666", max_clients: 8 }}\n{use}')
            daemon.connect().event("heaviest")
            return daemon
        return start

    def test_all_users_may_watch_and_weigh_by_default(self, daemon):
        served = daemon("")
        assert "not_permitted" not in codes(ask(served, examples("read", "use")))
        assert codes(ask(served, ["hold", "release"])) == [None, None]

    def test_changing_the_daemon_needs_the_right_to_control(self, daemon):
        served = daemon("control: { groups: [games] }\n")
        control = examples("control")
        replies = ask(served, control + examples("read", "use"))
        for reply in replies[: len(control)]:
            assert_error(reply, "not_permitted")
        assert control and "not_permitted" not in codes(replies[len(control):])
        assert "not_permitted" not in codes(ask(served, examples("control"), groups=[GAMES]))

    def test_other_users_may_only_read_if_users_are_configured(self, daemon):
        served = daemon("use: { groups: [games] }\n")
        using = ["hold", "weigh timeout_ms=1", "perform type=pressured.tare", "target grams=4", "count sample=1"]
        reading = ["state", "target", "history", "actions", "ping"]
        replies = codes(ask(served, using + reading))
        assert replies == ["not_permitted"] * len(using) + [None] * len(reading)
        assert codes(ask(served, ["hold"], groups=[GAMES])) == [None]

    def test_the_right_to_control_includes_the_right_to_use(self, daemon):
        served = daemon("use: { users: [root] }\ncontrol: { groups: [games] }\n")
        assert codes(ask(served, ["hold"])) == ["not_permitted"]
        assert codes(ask(served, ["hold"], groups=[GAMES])) == [None]

    def test_one_user_has_a_quarter_of_all_connections(self, daemon):
        served = daemon("")
        many = [UserConnection(served.path, NOBODY) for _ in range(5)]
        served.connections += many
        lines = [client.line() for client in many]
        assert [line["event"] for line in lines[:2]] == ["hello"] * 2
        assert [line["error"]["reason"] for line in lines[2:]] == ["clients"] * 3
        # Root has the remaining ones.
        assert all(served.connect().event("hello") for _ in range(4))


def test_a_long_list_is_continued(serve):
    actions = "".join(f"  - {{ type: local.a{number}, title: {'t' * 100} }}\n" for number in range(3000))
    client = serve(resting(), config="actions:\n" + actions).connect()
    types, start, answers = [], 0, 0
    while start is not None:
        client.send({"do": "actions", "from": start})
        raw = client.raw_line()
        while not raw.startswith(b'{"event":"reply"'):
            raw = client.raw_line()
        assert len(raw) < 140_000
        reply = parsed(raw)
        types += [action["type"] for action in reply["result"]]
        start = reply.get("next")
        answers += 1
    assert answers > 3
    assert types[:3000] == [f"local.a{number}" for number in range(3000)]
    assert len(types) == 3005
    assert client.ask({"do": "actions", "from": 4000})["result"] == []


def test_the_clients_in_stats_are_continued_by_their_numbers(serve):
    client = serve(resting()).connect()
    result = client.ask("stats")["result"]
    (you,) = result["clients"]
    assert client.ask(f"stats from={you['client']}")["result"]["clients"][0]["client"] == you["client"]
    assert client.ask(f"stats from={you['client'] + 1}")["result"]["clients"] == []
