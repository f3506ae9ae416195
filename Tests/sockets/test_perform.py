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


def test_it_prints_nothing_if_the_action_was_performed(fake_daemon, perform):
    daemon = fake_daemon()
    process = perform("local.tare")
    client = daemon.accept()
    request = client.request()
    assert request == {"do": "perform", "type": "local.tare"}
    # The half-close rule: it expects a reply and no stream.
    assert client.has_hung_up()
    client.send({"event": "device"}, {"event": "contact"})
    client.reply(request, {"handled": True})
    assert outcome(process) == (0, "")


def test_replies_to_other_requests_are_ignored(fake_daemon, perform):
    daemon = fake_daemon()
    process = perform("local.tare")
    client = daemon.accept()
    request = client.request()
    reply = {"event": "reply", "do": "perform", "ok": True, "result": {"handled": False}}
    client.send({**reply, "id": request.id + 1}, {**reply, "id": "other"}, {**reply, "id": None})
    client.reply(request, {"handled": True})
    assert outcome(process) == (0, "")


def test_it_sends_the_device(fake_daemon, perform):
    daemon = fake_daemon()
    process = perform('odd "type"\n', "--device", "0018-06cb-cd41")
    client = daemon.accept()
    request = client.request()
    assert request == {"do": "perform", "type": 'odd "type"\n', "device": "0018-06cb-cd41"}
    client.reply(request, {"handled": True})
    assert outcome(process) == (0, "")


@pytest.mark.parametrize("built_in, clients, status", [(True, 0, 0), (False, 1, 0), (False, 0, 69)])
def test_an_action_without_recipients_is_reported(fake_daemon, perform, built_in, clients, status):
    daemon = fake_daemon()
    process = perform("local.next")
    client = daemon.accept()
    client.reply(client.request(), {"handled": True, "built_in": built_in, "clients": clients})
    ended, log = outcome(process)
    assert ended == status
    assert ("no client subscribes to local.next" in log) == bool(status)


def test_an_unknown_action_is_reported(fake_daemon, perform):
    daemon = fake_daemon()
    process = perform("no.such")
    client = daemon.accept()
    client.reply(client.request(), {"handled": False})
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
def test_each_refusal_has_an_exit_status(fake_daemon, perform, code, expected):
    daemon = fake_daemon()
    process = perform("a")
    client = daemon.accept()
    client.refuse(client.request(), code, "the daemon's own words")
    # A timeout is not a refusal.
    refusal = "" if code == "timeout" else "the daemon refuses: "
    assert outcome(process) == (expected, f"pressured: {refusal}the daemon's own words\n")


def test_without_a_daemon_it_lists_the_paths_it_tried(perform, folder):
    status, log = outcome(perform("a"))
    assert status == 69
    assert f"no pressured answers at {folder}/s (No such file or directory)" in log
    status, log = outcome(perform("a", PRESSURED_SOCKET="", XDG_RUNTIME_DIR=folder))
    if not os.path.exists("/run/pressured/pressured.sock"):
        assert status == 69
        assert f"at {folder}/pressured.sock (" in log and "or /run/pressured/pressured.sock (" in log
    status, log = outcome(perform("a", "--socket", f"{folder}/{'x' * 107}"))
    assert status == 69
    assert "(File name too long)" in log


def test_an_unresponsive_daemon_times_out_after_ten_seconds(fake_daemon, perform):
    daemon = fake_daemon()
    process = perform("a")
    client = daemon.accept()
    client.request()
    status, log = outcome(process)
    assert status == 75
    assert "the daemon did not reply within 10 seconds" in log
