"""Bindings are rate-limited, as other users may perform actions; nothing runs in an inactive session."""

import os

import pytest

from daemon import wait_until
from seats import Logins, needs_bus
from test_bind import DONE, action, wait_until_processed, lines, on_action

SAY = on_action("say", "sh", "-c", "echo ran >> ran")


def test_a_binding_has_a_rate_limit(fake_daemon, bind, folder):
    daemon = fake_daemon()
    binder = bind({"max_per_second": 1, "max_running": 100, "bindings": [SAY, DONE]})
    client = daemon.accept_subscriber()
    client.send(*[action("say")] * 1000)
    wait_until_processed(binder, client, folder)
    # Two at once, and one more for each second that has passed.
    assert 2 <= len(lines(folder)) < 100
    assert binder.log.count("binding 1 of") == 1
    assert "the limit max_per_second (1) is exceeded" in binder.log


def test_all_bindings_share_a_rate_limit(fake_daemon, bind, folder):
    daemon = fake_daemon()
    many = [on_action("say", "sh", "-c", "echo ran >> ran") for _ in range(50)]
    binder = bind({"max_per_second": 1, "max_running": 100, "bindings": many})
    client = daemon.accept_subscriber()
    client.send(*[action("say")] * 20)
    binder.wait_for_log("the limit max_per_second (1) is exceeded")
    wait_until(lambda: len(lines(folder)) >= 8)
    wait_until(lambda: not binder.children())
    assert len(lines(folder)) < 50


@needs_bus
@pytest.mark.parametrize("state, reason", [("active auto 0", "the session is not active"), ("lock auto 1", "the session is locked")])
def test_nothing_runs_in_an_inactive_session(fake_daemon, bind, folder, state, reason):
    logins = Logins(folder)
    try:
        logins.tell("add auto")
        binder = bind({"bindings": [SAY, DONE]}, DBUS_SYSTEM_BUS_ADDRESS=logins.bus)
        client = fake_daemon().accept_subscriber()
        logins.tell(state)
        client.send(action("say"))
        binder.wait_for_log(f"binding 1 of {binder.file} is skipped: {reason}")
        logins.tell("active auto 1")
        logins.tell("lock auto 0")
        wait_until_processed(binder, client, folder)
        assert lines(folder) == []
        client.send(action("say"))
        wait_until(lambda: lines(folder) == ["ran"])
        assert binder.log.count(reason) == 1
    finally:
        logins.end()


def test_everything_runs_if_the_session_is_unknown(fake_daemon, bind, folder):
    daemon = fake_daemon()
    bind({"bindings": [SAY]}, DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={os.path.join(folder, 'nothing')}")
    client = daemon.accept_subscriber()
    client.send(action("say"))
    wait_until(lambda: lines(folder) == ["ran"])
