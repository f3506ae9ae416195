"""Which users receive the events of a seat: the one with the active, unlocked session, and those in the configuration."""

import grp
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import time

import pytest

from connection import DEADLINE, assert_error
from contract import requests
from daemon import Daemon, wait_until
from recording import Recording
from seats import Logins, needs_bus
from test_backlog import stopped
from userconnection import GAMES, NOBODY, UserConnection

ALICE, BOB, CAROL = 4001, 4002, 4003
TARE_BY_PRESS = {"do": "add_action", "type": "local.tare", "title": "Tare", "press": "deep", "fingers": "any"}

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL).returncode != 0,
    reason="only root can become other users and mount",
)

@pytest.fixture(autouse=True)
def bounded():
    """A device with continuous input never lets a missing line time out."""
    def expired(*_):
        raise TimeoutError("the expected line has not come")

    before = signal.signal(signal.SIGALRM, expired)
    signal.alarm(DEADLINE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def logins(folder):
    yield from users(folder, has_bus=False)


@pytest.fixture
def bus_logins(folder):
    yield from users(folder, has_bus=True)


def users(folder, has_bus):
    """Alice's session is active on seat0, and Bob's is not; Carol is not logged in."""
    os.chmod(folder, 0o755)
    logins = Logins(folder, has_bus)
    logins.log_in("a1", ALICE)
    logins.log_in("b1", BOB)
    logins.activate("a1")
    yield logins
    logins.end()


@pytest.fixture
def serve_seat(serve):
    """Starts a daemon on a machine with logins, by default one that plays frames without end."""

    def serve_seat(logins, recording=None, *options, config=None, **settings):
        variables = {"DBUS_SYSTEM_BUS_ADDRESS": logins.bus}
        if recording is None:
            recording, options = stroke(), ("--loop", *options)
        return serve(recording, *options, config=config, variables=variables, wrap=logins.wrap, **settings)

    return serve_seat


def stroke():
    """One finger for two seconds, with 250 frames a second."""
    recording = Recording().pause(1).begin(0, 50).report()
    for step in range(500):
        recording.wait(4).press(0, 20 + step % 200).report()
    return recording


def connect(daemon, user, *requests, groups=()):
    connection = UserConnection(daemon.path, user, *requests, groups=groups)
    daemon.connections.append(connection)
    return connection


def access(client, state):
    """The next change of access, and all lines before it."""
    lines = client.until(lambda line: line["event"] == "access")
    assert lines[-1]["state"] == state and lines[-1]["seat"] == "seat0"
    return lines[:-1], lines[-1]


def served(daemon, user, groups=()):
    """A client that receives events."""
    client = connect(daemon, user, groups=groups)
    client.event("weight")
    return client


def test_the_socket_is_open_to_all_and_the_active_user_is_served(logins, serve_seat):
    daemon = serve_seat(logins)
    assert stat.S_IMODE(os.stat(daemon.path).st_mode) == 0o666
    client = connect(daemon, ALICE)
    assert client.line()["event"] == "hello"
    assert client.line()["event"] == "device"
    client.event("contact", phase="began")
    assert client.ask("devices")["ok"]
    # Without a bus the session alone decides, and the log says so.
    assert "cannot ask systemd-logind over the system bus whether sessions are locked" in daemon.log
    assert daemon.log.count("cannot ask systemd-logind") == 1


@pytest.mark.parametrize("user", [CAROL, NOBODY])
def test_a_user_without_a_session_at_a_seat_is_refused_with_the_reason(logins, serve_seat, user):
    logins.log_in("c1", CAROL, seat=None)
    daemon = serve_seat(logins)
    client = connect(daemon, user)
    lines = client.rest()
    assert len(lines) == 1
    assert_error(lines[0], "not_permitted")
    message = lines[0]["error"]["message"]
    assert f"user {user} has no session at a seat of this machine" in message
    assert "log in at the machine itself" in message
    assert "sudo usermod -aG pressured $USER" in message


@pytest.mark.skipif(not shutil.which("socat"), reason="socat is not installed")
def test_a_program_that_sends_at_once_receives_the_reason(logins, serve_seat):
    """`echo devices | socat` sends before it reads; the refusal must not make it fail."""
    daemon = serve_seat(logins)
    command = ["socat", "-t", "10", "-", f"UNIX-CONNECT:{daemon.path}"]
    for _ in range(20):
        done = subprocess.run(
            command, user="nobody", group="nogroup", extra_groups=[], input=b"devices\n", timeout=60, cwd="/",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        (line,) = done.stdout.splitlines()
        assert "has no session at a seat of this machine" in json.loads(line)["error"]["message"]


def is_closed(client):
    try:
        client.send("ping")
    except BrokenPipeError:
        return True
    return False


def test_refused_connections_are_closed_in_the_end(logins, serve_seat):
    """After a moment, and the oldest at once if there are many."""
    daemon = serve_seat(logins)
    clients = [connect(daemon, CAROL) for _ in range(100)]
    folder = f"/proc/{daemon.process.pid}/fd"
    for client in clients:
        assert len(client.rest()) <= 1
    wait_until(lambda: len(os.listdir(folder)) < 40)
    wait_until(lambda: all(map(is_closed, clients)))


@pytest.mark.parametrize(
    "rules, groups, served",
    [
        ("group: games", [GAMES], True), ("group: games", [], False), ("users: [nobody]", [], True),
        ("group: null", [GAMES], False),
    ],
)  # fmt: skip
def test_the_group_and_names_are_served_without_a_session(logins, serve_seat, rules, groups, served):
    daemon = serve_seat(logins, config=f"access: {{ {rules} }}\n")
    # Served also if no user is at the seat.
    logins.activate(None)
    client = connect(daemon, NOBODY, groups=groups)
    assert (client.line()["event"] == "hello") is served


def test_a_given_mode_decides_alone(logins, serve_seat):
    daemon = serve_seat(logins, config='socket: { mode: "0666" }\n')
    client = connect(daemon, CAROL)
    assert client.line()["event"] == "hello"
    assert client.ask("state")["ok"]


def test_without_a_login_manager_all_is_as_before(serve, folder):
    os.chmod(folder, 0o755)
    daemon = serve(Recording().pause(1).hold())
    assert stat.S_IMODE(os.stat(daemon.path).st_mode) == 0o660
    with pytest.raises(PermissionError):
        UserConnection(daemon.path, ALICE)


def test_a_switch_cancels_contacts_and_a_return_sends_a_snapshot(logins, serve_seat):
    daemon = serve_seat(logins, Recording().pause(1).hold())
    root = daemon.connect()
    root.event("weight")
    alice = connect(daemon, ALICE, "subscribe max_hz=0")
    alice.event("contact", phase="began", present=True)
    bob = connect(daemon, BOB)
    assert [bob.line()["event"] for _ in range(2)] == ["hello", "access"]
    logins.activate("b1")
    before, event = access(alice, "suspended")
    assert event["reason"] == "inactive"
    began = {line["contact"] for line in before if line["event"] == "contact" and line["phase"] == "began"}
    ended = {line["contact"] for line in before if line["event"] == "contact" and line["phase"] == "cancelled"}
    assert len(ended) == 2 and began <= ended
    assert [line for line in before if line["event"] == "weight"][-1]["contacts"] == []
    _, event = access(bob, "resumed")
    assert event["reason"] is None
    assert bob.line()["change"] == "present"
    assert {bob.line()["contact"] for _ in range(2)} == ended
    # The real contacts continue: root receives no event of the switch.
    assert root.ask("state")["result"][0]["contacts"]
    logins.activate("a1")
    access(bob, "suspended")
    _, event = access(alice, "resumed")
    lines = alice.until(lambda line: line["event"] == "contact" and line["contact"] == max(ended))
    assert lines[0]["event"] == "device" and lines[0]["change"] == "present"
    root.send("ping")
    assert all(line.get("phase") != "cancelled" for line in root.until(lambda line: line["event"] == "reply"))


def test_a_suspended_client_learns_nothing_by_requests(logins, serve_seat):
    daemon = serve_seat(logins)
    root = daemon.connect()
    root.event("weight")
    bob = connect(daemon, BOB)
    assert bob.event("access")["reason"] == "inactive"
    told = set()
    for verb, request in requests().items():
        for reply in map(bob.ask, request["examples"]):
            if reply["ok"]:
                told.add(verb)
            else:
                assert_error(reply, "not_permitted")
    assert told == {"help", "ping", "version", "subscribe", "actions"}
    assert bob.ask("subscribe")["ok"]
    logins.activate("b1")
    access(bob, "resumed")
    assert bob.ask("state")["ok"]


def test_a_pending_request_is_refused_at_a_switch(logins, serve_seat):
    daemon = serve_seat(logins)
    alice = connect(daemon, ALICE, "subscribe events=access", {"do": "weigh", "id": 7, "device": "0018-06cb-cd41"})
    alice.event("reply", do="subscribe")
    logins.activate("b1")
    # The load changes with each frame, so that no reading is stable.
    assert_error(alice.event("reply", do="weigh"), "not_permitted")
    alice.event("access", state="suspended")
    assert sorted(client["faults"] for client in daemon.connect().ask("stats")["result"]["clients"]) == [0, 1]


def test_nothing_leaks_in_a_hundred_switches(logins, serve_seat):
    """250 frames a second; each line of a user is compared with the intervals of the user."""
    daemon = serve_seat(logins)
    root = daemon.connect("subscribe max_hz=0")
    root.event("weight")
    users = {"a1": connect(daemon, ALICE, "subscribe max_hz=0"), "b1": connect(daemon, BOB, "subscribe max_hz=0")}
    received = {name: [] for name in users}
    # Without it Bob could be accepted only after the first switch.
    received["b1"] += users["b1"].until(lambda line: line["event"] == "access")
    delays = []
    for _ in range(50):
        for name, other in (("b1", "a1"), ("a1", "b1")):
            logins.activate(name)
            # By the clock of the test: the daemon's own interval could end late.
            done = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
            received[other] += users[other].until(lambda line: line["event"] == "access")
            delays.append(received[other][-1]["time"] - done)
            received[name] += users[name].until(lambda line: line["event"] == "access")
            received[name] += users[name].until(lambda line: line["event"] == "weight" and line["contacts"])
    for name, lines in received.items():
        verdict = leaks(lines, active=name == "a1")
        assert verdict == [], f"{name} received {verdict[:3]}"
        assert sum(line["event"] == "weight" for line in lines) >= 50
    print(f"the old user is suspended at most {max(delays)} us after the switch")
    spans = {name: intervals(lines) for name, lines in received.items()}
    assert len(spans["a1"]) >= 49 and len(spans["b1"]) >= 50
    for begin, end in spans["a1"]:
        assert not any(start < end and begin < stop for start, stop in spans["b1"])


def intervals(lines):
    """The completed intervals in which a client had access, by the times of its events."""
    spans, begin = [], None
    for line in lines:
        if line["event"] == "access":
            if line["state"] == "resumed":
                begin = line["time"]
            elif begin is not None:
                spans.append((begin, line["time"]))
                begin = None
    return spans


def leaks(lines, active):
    """The lines with a time outside of the intervals in which the client had access."""
    since, found = (0 if active else None), []
    for line in lines:
        if line["event"] == "access":
            since = line["time"] if line["state"] == "resumed" else None
        elif line["event"] in ("hello", "reply"):
            continue
        elif since is None or line["time"] < since:
            found.append(line)
    return found


def test_a_session_that_is_being_closed_receives_no_events(logins, serve_seat):
    daemon = serve_seat(logins)
    alice = served(daemon, ALICE)
    logins.close("a1")
    assert access(alice, "suspended")[1]["reason"] == "inactive"
    logins.log_out("a1")
    assert alice.ask("ping")["ok"]
    assert_error(alice.ask("state"), "not_permitted")
    logins.log_in("a2", ALICE)
    logins.activate("a2")
    access(alice, "resumed")


def test_the_kernel_terminal_outweighs_an_outdated_file(folder, serve_seat):
    """A login manager that does not run cannot report that another terminal is active."""
    os.chmod(folder, 0o755)
    logins = Logins(folder, has_bus=False)
    logins.terminal.write_text("tty1\n")
    logins.log_in("a1", ALICE, terminal=1)
    logins.activate("a1")
    daemon = serve_seat(logins)
    alice = served(daemon, ALICE)
    logins.terminal.write_text("tty2\n")
    logins.write()
    assert access(alice, "suspended")[1]["reason"] == "inactive"


def test_a_reload_disconnects_clients_that_it_no_longer_permits(logins, serve_seat, reload):
    daemon = serve_seat(logins, config="access: { group: games }\n")
    alice = served(daemon, ALICE)
    gamer = served(daemon, NOBODY, groups=[GAMES])
    assert reload(daemon.connect(), "access: { seat: false, group: null }\n")["ok"]
    for client in (alice, gamer):
        last = client.rest()[-1]
        assert_error(last, "not_permitted")


def test_the_seat_may_control_only_if_configured(logins, serve_seat):
    daemon = serve_seat(logins)
    alice = served(daemon, ALICE)
    assert_error(alice.ask("reload"), "not_permitted")
    seated = serve_seat(logins, config="control: { seat: true }\n", socket="seated.sock")
    alice, bob = connect(seated, ALICE), connect(seated, BOB)
    alice.event("weight")
    for client, code in ((alice, None), (bob, "not_permitted")):
        reply = client.ask(TARE_BY_PRESS)
        assert reply["ok"] if code is None else reply["error"]["code"] == code
        # The configuration belongs to the whole machine.
        assert_error(client.ask("reload"), "not_permitted")


def deep_presses():
    """A touch with a deep press four times a second."""
    touches = Recording().pause(1)
    for _ in range(8):
        touches.touch([20, 100, 200, 250, 200, 100, 20], milliseconds=20).wait(90)
    return touches


def fires(root, count=4):
    """The actions that so many deep presses have performed."""
    lines = []
    for _ in range(count):
        lines += root.until(lambda line: line["event"] == "press" and line["state"] == "ended")
    return [line["type"] for line in lines if line["event"] == "action"]


def types(client):
    return [action["type"] for action in client.ask("actions")["result"]]


def test_an_action_belongs_to_the_seat_of_the_user_that_added_it(logins, serve_seat):
    """Carol is at another seat than the pad."""
    logins.log_in("c1", CAROL, seat="seat1")
    logins.activate("c1", seat="seat1")
    daemon = serve_seat(logins, deep_presses(), "--loop", config="control: { seat: true }\n")
    root = daemon.connect("subscribe max_hz=0")
    alice, carol = connect(daemon, ALICE), connect(daemon, CAROL)
    assert carol.ask(TARE_BY_PRESS)["ok"]
    root.event("press", state="ended")
    assert fires(root) == []
    assert TARE_BY_PRESS["type"] in types(carol) and TARE_BY_PRESS["type"] not in types(alice)
    for client in (alice, root):
        assert client.ask({"do": "perform", "type": TARE_BY_PRESS["type"]})["result"]["handled"] is False
    assert alice.ask(TARE_BY_PRESS)["ok"]
    root.event("press", state="ended")
    assert set(fires(root)) == {TARE_BY_PRESS["type"]}


@pytest.mark.parametrize("groups", [(), (GAMES,)])
def test_an_action_ends_with_the_presence_of_its_user(logins, serve_seat, groups):
    """Also that of a member of the group, who stays connected and receives all events."""
    config = "control: { seat: true }\naccess: { group: games }\n"
    daemon = serve_seat(logins, deep_presses(), "--loop", config=config)
    root = daemon.connect("subscribe max_hz=0")
    alice, bob = connect(daemon, ALICE, groups=groups), connect(daemon, BOB)
    access(bob, "suspended")
    assert alice.ask(TARE_BY_PRESS)["ok"]
    root.event("action")
    logins.activate("b1")
    access(bob, "resumed")
    assert TARE_BY_PRESS["type"] not in types(bob) + types(alice)
    root.ask("ping")
    root.event("press", state="ended")
    assert fires(root) == []
    assert bob.ask(TARE_BY_PRESS)["ok"]
    logins.activate("a1")
    wait_until(lambda: TARE_BY_PRESS["type"] not in types(root))
    assert alice.ask(TARE_BY_PRESS)["ok"]


def test_a_user_learns_nothing_of_a_touch_that_began_before(logins, serve_seat):
    recording = Recording().pause(1).begin(0, 20).report()
    for pressure in (100, 200, 250, 255, *[60] * 600):
        recording.wait(10).press(0, pressure).report()
        recording.move(0, 100 + pressure)
    daemon = serve_seat(logins, recording.lift(0).report().wait(60_000).report())
    root = daemon.connect("subscribe max_hz=0")
    alice, bob = connect(daemon, ALICE), connect(daemon, BOB, "subscribe max_hz=0")
    access(bob, "suspended")
    press = alice.event("press", stage="deep")
    alice.until(lambda line: line["event"] == "weight" and [contact["raw"] for contact in line["contacts"]] == [60])
    logins.activate("b1")
    _, resumed = access(bob, "resumed")
    lines = bob.until(lambda line: line["event"] == "contact" and line["phase"] == "ended")
    assert [line for line in lines if line["event"] in ("press", "max_force")] == []
    end = lines[-1]
    assert end["time"] - end["duration"] >= resumed["time"]
    assert end["peak_force"] < press["force"]
    # Who has received the beginning receives the end.
    press = [line for line in root.until(lambda line: line == end) if line["event"] == "press"][-1]
    assert press["state"] == "cancelled" and press["time"] <= resumed["time"]


@needs_bus
def test_a_locked_session_receives_no_events_also_after_a_restart_of_the_login_manager(bus_logins, serve_seat):
    daemon = serve_seat(bus_logins)
    alice = served(daemon, ALICE)
    bus_logins.lock("a1")
    assert access(alice, "suspended")[1]["reason"] == "locked"
    bus_logins.lock("b1")
    late = connect(daemon, ALICE)
    assert [late.line()["event"] for _ in range(2)] == ["hello", "access"]
    bus_logins.lock("a1", False)
    access(alice, "resumed")
    access(late, "resumed")
    bus_logins.lock("b1", False)
    # Two more questions, so that the answer to that of b1 has arrived.
    for is_locked, state in ((True, "suspended"), (False, "resumed")):
        bus_logins.lock("a1", is_locked)
        access(alice, state)
    bus_logins.restart()
    # No session was locked: each is locked and unlocked as before.
    bus_logins.lock("a1")
    alice.event("access", state="suspended", reason="locked")
    bus_logins.lock("a1", False)
    access(alice, "resumed")
    assert "does not store whether sessions are locked" not in daemon.log


@needs_bus
@pytest.mark.parametrize("is_active", [True, False])
def test_a_session_stays_locked_after_a_restart_of_the_login_manager(bus_logins, serve_seat, is_active):
    """logind does not store that a session is locked, neither of the active session nor of others."""
    daemon = serve_seat(bus_logins)
    alice = served(daemon, ALICE)
    if not is_active:
        bus_logins.activate("b1")
        assert access(alice, "suspended")[1]["reason"] == "inactive"
    bus_logins.lock("a1")
    if is_active:
        assert access(alice, "suspended")[1]["reason"] == "locked"
    else:
        # The daemon has processed the signals in their order.
        bus_logins.lock("b1")
        bob = connect(daemon, BOB)
        bob.event("access", reason="locked")
    bus_logins.restart()
    wait_until(lambda: "systemd-logind, which does not store whether sessions are locked" in daemon.log)
    bus_logins.activate("a1")
    late = connect(daemon, ALICE)
    assert late.event("access")["reason"] == "locked"
    assert_error(alice.ask("state"), "not_permitted")
    bus_logins.lock("a1")
    assert "session a1 as unlocked after a restart" in daemon.log

    def locks_and_unlocks():
        bus_logins.lock("a1")
        bus_logins.lock("a1", False)
        return alice.ask("state")["ok"]

    # If the daemon asks only after the session is unlocked, it has not noticed that it was locked.
    wait_until(locks_and_unlocks)
    alice.event("weight")


@needs_bus
def test_a_locked_session_receives_events_if_configured(bus_logins, serve_seat):
    bus_logins.lock("a1")
    daemon = serve_seat(bus_logins, config="access: { suspend_when_locked: false }\n")
    served(daemon, ALICE)


@needs_bus
def test_no_user_is_at_a_seat_while_the_login_manager_does_not_run(bus_logins, serve_seat):
    daemon = serve_seat(bus_logins, config="access: { group: games }\n")
    alice = connect(daemon, ALICE)
    gamer = connect(daemon, NOBODY, groups=[GAMES])
    alice.event("weight")
    bus_logins.tell("stop")
    assert access(alice, "suspended")[1]["reason"] == "unavailable"
    gamer.event("weight")
    assert gamer.ask("state")["ok"]
    bus_logins.tell("start")
    access(alice, "resumed")


@needs_bus
def test_a_login_manager_that_does_not_answer_delays_others_for_a_second(bus_logins, serve_seat):
    """Connections wait for its first answer. After a second they are served, those of the seat as suspended."""
    bus_logins.freeze()
    try:
        daemon = serve_seat(bus_logins, config="access: { group: games }\n")
        gamer = connect(daemon, NOBODY, groups=[GAMES])
        alice = connect(daemon, ALICE)
        gamer.event("weight")
        assert [alice.line()["event"] for _ in range(2)] == ["hello", "access"]
        assert_error(alice.ask("state"), "not_permitted")
    finally:
        bus_logins.thaw()
    access(alice, "resumed")
    alice.event("weight")


@needs_bus
def test_a_first_client_gets_its_snapshot_at_once(bus_logins, serve_seat):
    """The answer of the login manager is awaited, so that `socat` need not know of suspensions."""
    daemon = serve_seat(bus_logins)
    alice = connect(daemon, ALICE, "devices")
    lines = alice.until(lambda line: line["event"] == "reply")
    assert [line["event"] for line in lines[:2]] == ["hello", "device"]
    assert lines[-1]["ok"] and not [line for line in lines if line["event"] == "access"]


def test_a_client_that_has_shut_its_side_is_suspended_too(logins, serve_seat):
    """Its requests wait in the daemon; the finger moves to the right all the time."""
    recording = Recording().pause(1500).begin(0, 50, x=100).report()
    for step in range(900):
        recording.wait(4).move(0, 100 + step).press(0, 20 + step % 200).report()
    daemon = serve_seat(logins, recording)
    root = daemon.connect()
    alice = connect(daemon, ALICE)
    bob = connect(daemon, BOB)
    access(bob, "suspended")
    alice.event("contact", phase="began")
    alice.send(*(["weigh timeout_ms=50", "state"] * 80))
    alice.shut()
    alice.reply()
    logins.activate("b1")
    access(bob, "resumed")
    rest = alice.rest()
    replies = [line for line in rest if line["event"] == "reply"]
    begun = next(
        number for number, line in enumerate(replies) if line.get("error", {}).get("code") == "not_permitted"
    )
    assert replies[begun]["do"] in ("weigh", "state")
    for line in replies[begun:]:
        assert_error(line, "not_permitted")
    reached = bob.event("contact")["x_mm"]
    states = [line["result"] for line in replies if line["do"] == "state" and line["ok"]]
    assert all(contact["x_mm"] <= reached for state in states for device in state for contact in device["contacts"])
    # It gets all replies, and nothing else.
    assert len(replies) == 159 and root.ask("ping")["ok"]


@needs_bus
def test_a_refused_answer_is_about_one_session(bus_logins, serve_seat):
    bus_logins.tell("refuse b1")
    daemon = serve_seat(bus_logins)
    alice = served(daemon, ALICE)
    bob = connect(daemon, BOB)
    access(bob, "suspended")
    bus_logins.activate("b1")
    access(bob, "resumed")
    assert daemon.log.count("systemd-logind refuses to report whether sessions are locked") == 1
    assert "cannot ask systemd-logind" not in daemon.log
    bus_logins.tell("stop")
    assert access(bob, "suspended")[1]["reason"] == "unavailable"


def test_a_user_learns_nothing_of_what_others_touched_before(logins, serve_seat):
    logins.activate("b1")
    recording = Recording().pause(2000)
    for pressure in (80, 100):
        recording.begin(0, pressure).report().wait(1500).lift(0).report().wait(300)
    daemon = serve_seat(logins, recording.wait(60_000).report())
    root = daemon.connect()
    alice, bob = connect(daemon, ALICE), connect(daemon, BOB)
    access(alice, "suspended")
    wait_until(lambda: len(root.ask("history")["result"]) >= 2 and root.ask("state")["result"][0]["contacts"] == [])
    assert len(bob.ask("history")["result"]) >= 2
    assert bob.ask("stats")["result"]["devices"][0]["frames"] >= 4
    logins.activate("a1")
    access(alice, "resumed")
    assert alice.ask("history")["result"] == []
    assert alice.ask("state")["result"][0]["scale"]["rate"] is None
    (device,) = alice.ask("stats")["result"]["devices"]
    assert device["frames"] == device["events"] == 0
    # What did not depend on the seat is complete.
    assert len(root.ask("history")["result"]) >= 2
    assert root.ask("stats")["result"]["devices"][0]["frames"] >= 4


def test_a_hold_ends_when_another_user_becomes_active(logins, serve_seat):
    daemon = serve_seat(logins, Recording().pause(1).hold())
    alice, bob = connect(daemon, ALICE), connect(daemon, BOB)
    access(bob, "suspended")
    alice.event("weight")
    assert alice.ask("hold")["ok"]
    assert alice.ask("state")["result"][0]["scale"]["held"]
    logins.activate(None)
    access(alice, "suspended")
    logins.activate("a1")
    access(alice, "resumed")
    assert alice.ask("state")["result"][0]["scale"]["held"]
    logins.activate("b1")
    access(bob, "resumed")
    assert not bob.ask("state")["result"][0]["scale"]["held"]


def test_users_at_other_seats_receive_no_events_and_learn_nothing_by_counters(logins, serve_seat):
    """The recording belongs to seat0; Carol is at another seat."""
    logins.log_in("c1", CAROL, seat="seat1")
    logins.activate("c1", seat="seat1")
    daemon = serve_seat(logins)
    root = daemon.connect()
    alice, carol = connect(daemon, ALICE), connect(daemon, CAROL)
    assert carol.line()["event"] == "hello"
    alice.event("weight")
    counts = carol.ask("stats")["result"]
    assert [counts["daemon"][key] for key in ("wake_ups", "accepted", "refused", "stuck")] == [None] * 4
    assert counts["daemon"]["frames"] == counts["daemon"]["events"] == 0
    assert counts["daemon"]["requests"] == 1 and len(counts["clients"]) == 1
    assert root.ask("stats")["result"]["daemon"]["accepted"] == 3
    assert carol.ask("devices")["result"] == []
    for _ in range(20):
        root.event("weight")
    carol.send("ping")
    assert [line["event"] for line in carol.until(lambda line: line.get("do") == "ping")] == ["reply"]


def test_a_backlog_from_before_the_switch_is_not_delivered_after_it(logins, serve_seat):
    """The daemon is stopped during the switch, and some thousand events come due in this time."""
    recording = Recording().pause(1).begin(0, 50).report()
    for step in range(4000):
        recording.wait(1).move(0, 100 + step % 800).press(0, 20 + step % 200).report()
    daemon = serve_seat(logins, recording, "--loop")
    alice, bob = connect(daemon, ALICE), connect(daemon, BOB, "subscribe max_hz=0")
    alice.event("weight")
    access(bob, "suspended")
    with stopped(daemon):
        logins.activate("b1")
        due = time.monotonic() + 2.5
        wait_until(lambda: time.monotonic() >= due)
    _, resumed = access(bob, "resumed")
    lines = bob.until(lambda line: line["event"] == "weight" and line["time"] > resumed["time"] + 20_000)
    live = [line for line in lines if line["event"] in ("weight", "press", "scale")]
    assert live and all(line["time"] >= resumed["time"] for line in live), live[0]


def test_a_reload_gives_the_socket_other_permissions(logins, serve_seat, reload):
    daemon = serve_seat(logins, config="access: { seat: false, group: games }\n")
    assert stat.S_IMODE(os.stat(daemon.path).st_mode) == 0o660

    def reloaded(text):
        assert reload(daemon.connect(), text)["result"]["needs_restart"] == []
        status = os.stat(daemon.path)
        return grp.getgrgid(status.st_gid).gr_name, stat.S_IMODE(status.st_mode)

    assert reloaded("access: { seat: false, group: staff }\n") == ("staff", 0o660)
    assert reloaded("access: { seat: true, group: staff }\n")[1] == 0o666
    served(daemon, ALICE)
    # It stays open, as the daemon decides.
    assert reloaded("access: { seat: false, group: staff }\n")[1] == 0o666
    assert_error(connect(daemon, ALICE).rest()[-1], "not_permitted")


def test_a_daemon_of_a_user_starts_if_the_user_is_not_in_the_group(program, folder, write):
    """It serves the user."""
    os.chmod(folder, 0o777)
    config = write("access: { group: games }\n", "config.yaml")
    daemon = Daemon(program, folder, ["--replay", write(stroke()), "--config", config])
    daemon.command = ["setpriv", f"--reuid={NOBODY}", "--clear-groups", *daemon.command]
    try:
        daemon.start()
        assert connect(daemon, NOBODY).line()["event"] == "hello"
        assert "Operation not permitted" in daemon.log
    finally:
        daemon.terminate()


def test_the_time_of_a_reading_of_another_user_is_not_told(logins, serve_seat):
    recording = Recording(resolution=1).pause(1).begin(0, 100).report().wait(600_000).lift(0).report()
    daemon = serve_seat(logins, recording)
    alice = connect(daemon, ALICE, "subscribe events=scale")
    assert alice.ask("weigh")["ok"]
    bob = connect(daemon, BOB, "subscribe events=access")
    bob.reply()
    logins.activate("b1")
    resumed = access(bob, "resumed")[1]["time"]
    assert bob.ask("weigh")["result"]["time"] >= resumed


def test_names_are_resolved_at_the_start_and_at_a_reload(logins, serve_seat, folder):
    """Looking names up may take seconds, and any user may connect at any rate."""
    groups = pathlib.Path(folder, "group")
    text = pathlib.Path("/etc/group").read_text(encoding="utf-8")
    groups.write_text(text + "pads:x:61234:\n", encoding="utf-8")
    groups.chmod(0o644)
    wrap = logins.wrap
    logins.wrap = lambda command: wrap(["sh", "-c", f'mount --bind {groups} /etc/group && exec "$@"', "sh", *command])
    daemon = serve_seat(logins, config="access: { group: pads }\nuse: { groups: [pads] }\ncontrol: { groups: [pads] }\n")
    first = connect(daemon, NOBODY, groups=[61234])
    assert first.line()["event"] == "hello"
    groups.write_text(text, encoding="utf-8")
    # A lookup for each client would not find the group.
    assert connect(daemon, NOBODY, groups=[61234]).line()["event"] == "hello"
    member = connect(daemon, NOBODY, "subscribe events=", groups=[61234])
    assert member.reply()["ok"] and member.ask("untare")["ok"]
    assert_error(member.ask("remove_action type=local.none"), "failed")
    groups.write_text(text + "pads:x:61235:\n", encoding="utf-8")
    root = daemon.connect()
    assert root.ask("subscribe events=")["ok"] and root.ask("reload")["ok"]
    assert_error(connect(daemon, NOBODY, groups=[61234]).line(), "not_permitted")
    assert connect(daemon, NOBODY, groups=[61235]).line()["event"] == "hello"


@needs_bus
def test_a_bus_that_does_not_answer_is_logged(bus_logins, serve_seat):
    bus_logins.processes[1].send_signal(signal.SIGSTOP)
    try:
        daemon = serve_seat(bus_logins)
        alice = connect(daemon, ALICE)
        assert access(alice, "suspended")[1]["reason"] == "unavailable"
        wait_until(lambda: "the system bus does not answer" in daemon.log)
        assert_error(alice.ask("state"), "not_permitted")
    finally:
        bus_logins.processes[1].send_signal(signal.SIGCONT)
    access(alice, "resumed")


def test_of_many_connections_that_are_refused_at_once_only_some_get_the_reason(logins, serve_seat):
    daemon = serve_seat(logins)
    with stopped(daemon):
        many = [connect(daemon, CAROL) for _ in range(200)]
        one = connect(daemon, NOBODY)
    lines = [client.line() for client in many]
    assert 64 <= len([line for line in lines if line]) < len(many)
    assert_error(lines[0], "not_permitted")
    assert_error(one.line(), "not_permitted")


@pytest.mark.parametrize("count, is_served", [(1024, True), (1025, False), (65_536, False)])
def test_at_most_1024_supplementary_groups_are_read(logins, serve_seat, count, is_served):
    daemon = serve_seat(logins, config="access: { group: games }\n")
    groups = [GAMES, *range(100_000, 99_999 + count)]
    line = connect(daemon, NOBODY, groups=groups).line()
    assert line["event"] == "hello" if is_served else line["error"]["code"] == "not_permitted"


def test_the_users_of_a_group_leave_places_for_root_and_the_seat(logins, serve_seat):
    """A member with subordinate user IDs is as many users as it likes."""
    daemon = serve_seat(
        logins, config="access: { group: games }\nsocket: { max_clients: 16 }\n")
    for number in range(12):
        assert connect(daemon, 100_000 + number, groups=[GAMES]).line()["event"] == "hello"
    refused = connect(daemon, 100_012, groups=[GAMES]).line()
    assert refused["error"]["code"] == "busy" and refused["error"]["reason"] == "clients"
    # Also a user at the seat who is in the group.
    for user, groups in ((ALICE, [GAMES]), (BOB, [])):
        assert connect(daemon, user, groups=groups).line()["event"] == "hello"
    assert connect(daemon, ALICE).line()["error"]["code"] == "busy"
    for _ in range(2):
        assert daemon.connect().line()["event"] == "hello"
    assert daemon.connect().line()["error"]["code"] == "busy"


@pytest.mark.parametrize(
    "user, state, reason, next_step",
    [
        (ALICE, "seat", "this user's session is the active one on seat0", None),
        (BOB, "suspended", f"that of user {ALICE} is active", "make this user's session the active one"),
        (CAROL, "refused", "this user has no session at a seat", "log in at the machine itself"),
    ],
)
def test_doctor_reports_who_is_served_and_why_not(logins, serve_seat, run, user, state, reason, next_step):
    daemon = serve_seat(logins)
    served(daemon, ALICE)
    become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    found = json.loads(run("doctor", "--json", "--socket", daemon.path, before=logins.wrap(become)).output)
    assert found["access"]["state"] == state and reason in found["access"]["reason"]
    assert found["access"]["seats"] == [{"seat": "seat0", "active_user": ALICE, "has_session": user != CAROL}]
    if next_step:
        assert found["next"].startswith(next_step)
        assert "access is suspended" in found["daemon"]["fault"] or "no session at a seat" in found["daemon"]["fault"]
    else:
        assert len(found["daemon"]["devices"]) == 1


def test_a_load_at_rest_tells_no_user_since_when(logins, serve_seat):
    logins.activate("b1")
    daemon = serve_seat(logins, Recording().pause(1).hold())
    alice, bob = connect(daemon, ALICE), connect(daemon, BOB)
    access(alice, "suspended")
    rested = bob.ask("weigh timeout_ms=20000")["result"]
    logins.activate("a1")
    access(alice, "resumed")
    assert alice.ask("weigh timeout_ms=20000")["result"]["time"] > rested["time"]
