"""`pressured perform`, with a fake daemon."""

import os

import pytest

from connection import DEADLINE
from fakedaemon import SOCKET


@pytest.fixture
def perform(start, folder):
    return lambda *words, **variables: start("perform", *words, **{"PRESSURED_SOCKET": os.path.join(folder, SOCKET), **variables})


def outcome(process):
    _, log = process.communicate(timeout=DEADLINE)
    return process.returncode, log


def test_it_prints_nothing_if_the_action_was_performed(daemon, perform):
    process = perform('odd "type"\n', "--device", "0018-06cb-cd41")
    client = daemon.accept()
    request = client.request()
    assert request == {"do": "perform", "type": 'odd "type"\n', "device": "0018-06cb-cd41"}
    # The half-close rule: it expects a reply and no stream.
    assert client.has_hung_up()
    client.send({"event": "device"}, {"event": "contact"})
    client.reply(request, {"handled": True})
    assert outcome(process) == (0, "")


@pytest.mark.parametrize("built_in, clients, status", [(True, 0, 0), (False, 1, 0), (False, 0, 69)])
def test_an_action_without_recipients_is_reported(daemon, perform, built_in, clients, status):
    process = perform("local.next")
    client = daemon.accept()
    client.reply(client.request(), {"handled": True, "built_in": built_in, "clients": clients})
    ended, log = outcome(process)
    assert ended == status
    assert ("no client subscribes to local.next" in log) == bool(status)


def test_an_unknown_action_is_reported(daemon, perform):
    process = perform("no.such")
    client = daemon.accept()
    request = client.request()
    assert request == {"do": "perform", "type": "no.such"}
    client.reply(request, {"handled": False})
    status, log = outcome(process)
    assert status == 65
    assert "no.such was not performed: the action is unknown" in log


@pytest.mark.parametrize(
    "code, expected",
    [
        ("not_permitted", 77),
        ("no_device", 66),
        ("busy", 75),
        ("timeout", 75),
        ("failed", 65),
        ("unknown_command", 70),
        ("a_later_one", 70),
    ],
)
def test_each_refusal_has_an_exit_status(daemon, perform, code, expected):
    process = perform("a")
    client = daemon.accept()
    client.refuse(client.request(), code, "the daemon's own words")
    # A timeout is not a refusal.
    refusal = "" if code == "timeout" else "the daemon refuses: "
    assert outcome(process) == (expected, f"pressured: {refusal}the daemon's own words\n")
