"""Access to touch devices by real sessions: only the user whose session is active on the seat receives events."""

import json
import os
import pathlib
import pwd
import shutil
import signal
import time

import pytest

import service
from logins import MANAGER, Remote, Terminals, active_user, kill_all, lines_of, sessions, set_locked, shown
from userconnection import UserConnection
from waiting import wait_until

GATE = pathlib.Path("/run/guest/gate")
RULES = pathlib.Path("/run/udev/rules.d/72-second-seat.rules")


@pytest.fixture(scope="module", autouse=True)
def users():
    for user in ("anna", "boris", "rita", "zoe"):
        service.run("useradd", "-m", "-s", "/bin/sh", user, check=False)


@pytest.fixture(scope="module")
def terminals():
    """Sessions stay for the next test: to begin one takes ten seconds of a slow guest."""
    terminals = Terminals()
    yield terminals
    terminals.end()


@pytest.fixture
def remote():
    remote = Remote("rita")
    yield remote
    remote.end()


@pytest.fixture
def join():
    """Connects as a user; connections are closed after the test."""
    connections = []

    def join(user, *requests):
        connections.append(UserConnection(service.SOCKET, pwd.getpwnam(user).pw_uid, *requests))
        return connections[-1]

    yield join
    for connection in connections:
        connection.close()


def access(client, state, reason=None):
    """All lines up to the next change of access."""
    lines = client.until(lambda line: line["event"] == "access")
    assert lines[-1]["state"] == state and lines[-1]["reason"] == reason, lines[-1]
    return lines


def watch_all(join, user):
    """A client of the user at the seat that gets every frame. On a slow machine the daemon learns only then that the session is active."""
    client = join(user, "subscribe max_hz=0")
    client.event("reply")
    wait_until(lambda: client.ask("state")["ok"], "the user at the seat is not served")
    return client


def anna_at_the_seat(terminals, join):
    """Her client, which gets every frame; another user is on another terminal."""
    for user, number in (("anna", 2), ("boris", 3)):
        terminals.log_in(user, number)
    terminals.switch_to("anna")
    return watch_all(join, "anna")


def test_socat_works_at_once_for_the_user_at_the_seat(plug, terminals):
    """In the login shell itself, right after the installation: without a group."""
    plug("pad")
    request = (
        "until grep -q STATE=active /run/systemd/sessions/$XDG_SESSION_ID; do sleep 0.1; done\n"
        f"echo devices | socat -t 30 - UNIX-CONNECT:{service.SOCKET} >received 2>&1; echo done >>received\n"
    )
    received = pathlib.Path(pwd.getpwnam("anna").pw_dir, "received")
    terminals.log_in("anna", 2, profile=request)
    terminals.switch_to("anna")
    wait_until(lambda: received.exists() and received.read_text().endswith("done\n"), "socat has not ended")
    assert active_user() == "anna" and "pressured" not in service.run("id", "-nG", "anna").stdout
    lines = lines_of(received.read_text().removesuffix("done\n"))
    assert lines[0]["event"] == "hello"
    assert lines[-1]["ok"] and lines[-1]["result"][0]["name"] == "pad"


def test_a_remote_session_without_a_seat_is_refused_with_the_reason(plug, terminals, remote):
    plug("pad")
    command = f"echo devices | socat -t 30 - UNIX-CONNECT:{service.SOCKET}; loginctl list-sessions --no-legend"
    result = remote.run(command)
    line, _, listed = result.stdout.partition("\n")
    assert "rita" in listed and "seat0" not in listed.split("rita")[1].split("\n")[0]
    error = json.loads(line)["error"]
    assert error["code"] == "not_permitted"
    assert error["message"] == (
        f"user {pwd.getpwnam('rita').pw_uid} has no session at a seat of this machine; log in at the machine itself, "
        "not over the network, or join the group pressured and log in again: sudo usermod -aG pressured $USER"
    )
    # The same remote session is served while its user is at the seat, too.
    terminals.log_in("rita", 4)
    terminals.switch_to("rita")
    served = lines_of(remote.run(f"echo devices | socat -t 30 - UNIX-CONNECT:{service.SOCKET}").stdout)
    assert served[-1]["ok"] and served[-1]["result"][0]["name"] == "pad"


def test_a_switch_before_the_read_is_noticed_before_the_delivery(plug, terminals, join, configure):
    """The daemon was woken by a frame of the old user, and reads those of the new one with it."""
    library = pathlib.Path("/usr/lib/gate.so")
    shutil.copy("/task/gate.so", library)
    configure(drop_in=f"[Service]\nWatchdogSec=0\nEnvironment=LD_PRELOAD={library}\n")
    pad = plug("pad")
    anna = anna_at_the_seat(terminals, join)
    pad.press(20)
    lines = anna.until(lambda line: line["event"] == "weight" and line["contacts"])
    os.mkfifo(GATE)
    pad.press(30)
    with open(wait_until(writer_of_gate, "the daemon does not read"), "wb"):
        GATE.unlink()
        service.run("chvt", terminals.numbers["boris"])
        switched = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        # More than one read returns.
        pad.frames(100)
    lines += access(anna, "suspended", "inactive")
    last = [line for line in lines if line["event"] == "weight" and line["contacts"]][-1]
    assert last["time"] < switched
    end = [line for line in lines if line["event"] == "contact"][-1]
    assert (end["phase"], end["x"], end["y"]) == ("cancelled", last["center_x"], last["center_y"])


def test_a_switch_and_a_return_while_the_daemon_is_busy_are_noticed(plug, terminals, join):
    """The terminal is the same before and after: only the kernel's notification tells."""
    pad = plug("pad")
    anna = anna_at_the_seat(terminals, join)
    process = service.main_pid()
    os.kill(process, signal.SIGSTOP)
    try:
        for user in ("boris", "anna"):
            terminals.switch_to(user)
            if user == "boris":
                pad.press(150)
                pad.lift()
    finally:
        os.kill(process, signal.SIGCONT)
    lines = access(anna, "suspended", "inactive") + access(anna, "resumed")
    anna.send("ping")
    lines += anna.until(lambda line: line["event"] == "reply" and line["do"] == "ping")
    assert {line["event"] for line in lines} <= {"access", "device", "reply", "scale"}
    pad.press(20)
    anna.event("weight")


def writer_of_gate():
    """The descriptor, or None until the daemon waits at the gate."""
    try:
        return os.open(GATE, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


def test_only_the_group_is_served_while_logind_is_stopped(plug, terminals, join, connect):
    pad = plug("pad")
    anna = anna_at_the_seat(terminals, join)
    boris = join("boris")
    boris.event("access")
    service.systemctl("mask", "--runtime", MANAGER)
    try:
        service.systemctl("stop", MANAGER)
        access(anna, "suspended", "unavailable")
        service.run("chvt", 3)
        pad.frames(50)
        assert "\"ok\":true" in service.socat("alice", "state\n").stdout
    finally:
        service.systemctl("unmask", "--runtime", MANAGER)
    service.systemctl("start", MANAGER)
    lines = access(boris, "resumed")
    assert [line["event"] for line in lines] == ["access"]
    anna.send("ping")
    assert [line["event"] for line in anna.until(lambda line: line["event"] == "reply")] == ["reply"]


def test_a_session_stays_locked_after_a_restart_of_logind(plug, terminals, join):
    """logind does not store that a session is locked; at the restart another is active."""
    pad = plug("pad")
    anna = anna_at_the_seat(terminals, join)
    set_locked("anna", True)
    access(anna, "suspended", "locked")
    terminals.switch_to("boris")
    service.systemctl("reset-failed", MANAGER, check=False)
    service.systemctl("restart", MANAGER)
    wait_until(lambda: active_user() == "boris", "logind has lost its sessions")
    assert shown("anna")["LockedHint"] == "no"
    terminals.switch_to("anna")
    boris = join("boris")
    boris.event("access")
    wait_until(lambda: "does not store whether sessions are locked" in journal(), "the daemon has not asked again")
    pad.frames(50)
    anna.send("state")
    lines = anna.until(lambda line: line["event"] == "reply")
    assert lines[-1]["error"]["code"] == "not_permitted"
    assert {line["event"] for line in lines} <= {"access", "reply"}
    assert all(line["state"] == "suspended" for line in lines[:-1])

    def locks_and_unlocks():
        set_locked("anna", True)
        set_locked("anna", False)
        return anna.ask("state")["ok"]

    # If the daemon asks only after the session is unlocked, it has not noticed that it was locked.
    wait_until(locks_and_unlocks, "anna is not served again")
    pad.frames(5)
    anna.event("weight")


def journal():
    """The log of the service since its start."""
    since = f"_SYSTEMD_INVOCATION_ID={service.show('InvocationID')}"
    return service.run("journalctl", "--no-pager", "-o", "cat", since, check=False).stdout


def test_a_connection_that_outlives_the_session_receives_no_events(plug, terminals, join):
    """A process stays behind, so that the session is being closed for as long as it runs."""
    pad = plug("pad")
    terminals.log_in("anna", 2, profile="setsid sleep 3600 </dev/null >/dev/null 2>&1 &\n")
    terminals.switch_to("anna")
    client = watch_all(join, "anna")
    # The session exists before its shell has executed the profile.
    wait_until(lambda: service.run("pgrep", "-u", "anna", "-x", "sleep", check=False).stdout, "no process stays behind")
    terminals.end_getty("anna")
    access(client, "suspended", "inactive")
    pad.frames(50)
    client.send("state")
    assert client.event("reply")["error"]["code"] == "not_permitted"
    assert shown("anna")["State"] == "closing"
    kill_all("anna")
    wait_until(lambda: "anna" not in sessions())
    terminals.log_in("anna", 2)
    terminals.switch_to("anna")
    access(client, "resumed")


def test_users_receive_the_events_of_their_own_seat(plug, terminals, join):
    RULES.parent.mkdir(parents=True, exist_ok=True)
    RULES.write_text(
        'SUBSYSTEM=="input", ATTRS{name}=="second pad", TAG+="seat", TAG+="master-of-seat", ENV{ID_SEAT}="seat1"\n'
    )
    service.run("udevadm", "control", "--reload")
    unit = "second-seat.service"
    try:
        first, second = plug("pad"), plug("second pad")
        wait_until(lambda: "seat1" in service.run("loginctl", "list-seats").stdout, "there is no second seat")
        terminals.log_in("anna", 2)
        terminals.switch_to("anna")
        service.run(
            "systemd-run", f"--unit={unit}", "-p", "User=zoe", "-p", "PAMName=login", "-E", "XDG_SEAT=seat1",
            "-E", "XDG_SESSION_TYPE=x11", "-E", "XDG_SESSION_CLASS=user", "sleep", "3600",
        )  # fmt: skip
        wait_until(lambda: active_user("seat1") == "zoe", "zoe is not at the second seat")
        anna, zoe = join("anna", "subscribe max_hz=0"), join("zoe", "subscribe max_hz=0")
        for client, name in ((anna, "pad"), (zoe, "second pad")):
            client.event("reply", do="subscribe")
            # On a slow machine logind may not have answered yet.
            listed = wait_until(lambda: (reply := client.ask("devices"))["ok"] and reply, f"{name} is not listed")
            assert [device["name"] for device in listed["result"]] == [name]
        first.frames(20)
        second.frames(30)
        for client, count in ((anna, 20), (zoe, 30)):
            client.send("ping")
            lines = client.until(lambda line: line["event"] == "reply" and line["do"] == "ping")
            weights = [line for line in lines if line["event"] == "weight"]
            assert len(weights) == count and len({line["device"] for line in weights}) == 1
    finally:
        service.systemctl("stop", unit, check=False)
        RULES.unlink()
        service.run("udevadm", "control", "--reload")
