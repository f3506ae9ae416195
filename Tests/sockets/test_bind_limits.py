"""Bindings are rate-limited, as other users may perform actions; nothing runs in an inactive session."""

import os

import pytest

from daemon import wait_until
from seats import Logins, needs_bus
from test_bind import DONE, action, wait_until_processed, lines, on_action

SAY = on_action("say", "sh", "-c", "echo ran >> ran")


def test_a_binding_has_a_rate_limit(daemon, bind, folder):
    binder = bind({"max_per_second": 1, "max_running": 100, "bindings": [SAY, DONE]})
    client = daemon.accept_subscriber()
    client.send(*[action("say")] * 1000)
    wait_until_processed(binder, client, folder)
    # Two at once, and one more for each second that has passed.
    assert 2 <= len(lines(folder)) < 100
    assert binder.log.count("binding 1 of") == 1
    assert "the limit max_per_second (1) is exceeded" in binder.log


def test_all_bindings_share_a_rate_limit(daemon, bind, folder):
    binder = bind({"max_per_second": 1, "max_running": 100, "bindings": [SAY] * 50})
    client = daemon.accept_subscriber()
    client.send(*[action("say")] * 20)
    binder.wait_for_log("the limit max_per_second (1) is exceeded")
    wait_until(lambda: len(lines(folder)) >= 8)
    wait_until(lambda: not binder.children())
    assert len(lines(folder)) < 50


@needs_bus
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
@pytest.mark.parametrize("is_locked, reason", [(False, "the session is not active"), (True, "the session is locked")])
def test_nothing_runs_in_an_inactive_session(fake_daemon, bind, folder, is_locked, reason):
    logins = Logins(folder)
    try:
        logins.log_in("auto", os.geteuid())
        logins.activate("auto")
        binder = bind({"max_per_second": 100, "max_running": 1000, "bindings": [SAY, DONE]}, wrap=logins.wrap, DBUS_SYSTEM_BUS_ADDRESS=logins.bus)
        client = fake_daemon().accept_subscriber()
        client.send(action("say"))
        wait_until(lambda: lines(folder) == ["ran"])
        logins.lock("auto") if is_locked else logins.activate(None)
        # The change arrives by another way than the events.
        wait_until(lambda: client.send(action("done")) or f"binding 2 of {binder.file} is skipped: {reason}" in binder.log)
        client.send(action("say"))
        # Unread bytes would be handled after the change.
        wait_until(lambda: not client.unread())
        logins.lock("auto", False) if is_locked else logins.activate("auto")
        wait_until(lambda: not binder.children())
        done = lines(folder, "done")
        wait_until(lambda: client.send(action("done")) or lines(folder, "done") != done)
        wait_until(lambda: not binder.children())
        assert lines(folder) == ["ran"]
        client.send(action("say"))
        wait_until(lambda: lines(folder) == ["ran", "ran"])
        assert binder.log.count(reason) == 1
    finally:
        logins.end()


@needs_bus
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_everything_runs_without_a_session_or_a_bus(fake_daemon, bind, folder):
    logins = Logins(folder, has_bus=False)
    try:
        logins.write()
        bind({"bindings": [SAY]}, wrap=logins.wrap, DBUS_SYSTEM_BUS_ADDRESS=logins.bus)
        client = fake_daemon().accept_subscriber()
        client.send(action("say"))
        wait_until(lambda: lines(folder) == ["ran"])
    finally:
        logins.end()
