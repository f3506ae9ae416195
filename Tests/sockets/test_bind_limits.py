"""Bindings are rate-limited, as other users may perform actions; nothing runs in an inactive session."""

import os
import shutil
import subprocess

import pytest

from daemon import wait_until
from test_bind import DONE, action, wait_until_processed, lines, on_action

SAY = on_action("say", "sh", "-c", "echo ran >> ran")

# A bus with a logind that has one session; each line on its input sets its two properties.
LOGIND = r"""
import sys, threading
from gi.repository import Gio, GLib
xml = '<node><interface name="org.freedesktop.login1.Session"><property name="Active" type="b" access="read"/>' \
      '<property name="LockedHint" type="b" access="read"/></interface></node>'
state = {"Active": True, "LockedHint": False}
bus = Gio.DBusConnection.new_for_address_sync(
    sys.argv[1], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
bus.register_object(
    "/org/freedesktop/login1/session/auto", Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0], None,
    lambda connection, sender, path, interface, name: GLib.Variant("b", state[name]), None)
def set(line):
    state["Active"], state["LockedHint"] = (word == "1" for word in line.split())
    print("set", flush=True)
def read():
    for line in sys.stdin:
        GLib.idle_add(set, line)
    GLib.idle_add(loop.quit)
loop = GLib.MainLoop()
Gio.bus_own_name_on_connection(
    bus, "org.freedesktop.login1", 0, lambda *_: print("ready", flush=True), None)
threading.Thread(target=read, daemon=True).start()
loop.run()
"""


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


@pytest.fixture
def session():
    """A system bus on which the state of the session can be set."""
    if not shutil.which("dbus-daemon") or subprocess.run(["/usr/bin/python3", "-c", "import gi"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("dbus-daemon or python3-gi is not installed")
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE, text=True)
    address = bus.stdout.readline().strip()
    logind = subprocess.Popen(
        ["/usr/bin/python3", "-c", LOGIND, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert logind.stdout.readline() == "ready\n"

    def state(active, locked):
        logind.stdin.write(f"{active:d} {locked:d}\n")
        logind.stdin.flush()
        assert logind.stdout.readline() == "set\n"

    state.address = address
    yield state
    for process in (logind, bus):
        process.kill()
        process.wait()
    logind.stdin.close()
    logind.stdout.close()
    bus.stdout.close()


@pytest.mark.parametrize("active, locked, reason", [
    (False, False, "the session is not active"), (True, True, "the session is locked")])
def test_nothing_runs_in_an_inactive_session(fake_daemon, bind, folder, session, active, locked, reason):
    daemon = fake_daemon()
    binder = bind({"bindings": [SAY, DONE]}, DBUS_SYSTEM_BUS_ADDRESS=session.address)
    client = daemon.accept_subscriber()
    session(active, locked)
    client.send(action("say"))
    binder.wait_for_log(f"binding 1 of {binder.file} is skipped: {reason}")
    session(True, False)
    wait_until_processed(binder, client, folder)
    assert lines(folder) == []
    client.send(action("say"))
    wait_until(lambda: lines(folder) == ["ran"])
    assert binder.log.count(reason) == 1


def test_everything_runs_if_the_session_is_unknown(fake_daemon, bind, folder):
    daemon = fake_daemon()
    bind({"bindings": [SAY]}, DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={os.path.join(folder, 'nothing')}")
    client = daemon.accept_subscriber()
    client.send(action("say"))
    wait_until(lambda: lines(folder) == ["ran"])
