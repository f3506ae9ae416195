"""`pressured bind`, with real commands and a fake daemon."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess

import pytest

from connection import DEADLINE
from daemon import wait_until
from fakedaemon import action, press


def on_press(stage, *words, **conditions):
    return {"on": {"press": stage, **conditions}, "run": list(words)}


def on_action(type, *words):
    return {"on": {"action": type}, "run": list(words)}


def append(path):
    """A command that appends a line to a file."""
    return ["sh", "-c", f'echo "$PRESSURED_STAGE$PRESSURED_ACTION" >> {path}']


def lines(folder, name="ran"):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def wait_until_processed(binder, client, folder):
    """An action that writes to a file of its own is processed after everything that was sent before it."""
    client.send(action("done"))
    wait_until(lambda: lines(folder, "done"))
    wait_until(lambda: not binder.children())
    os.unlink(os.path.join(folder, "done"))


DONE = on_action("done", "sh", "-c", "echo done >> done")


def test_a_finger_that_rests_triggers_only_what_is_bound_to_simulated_presses(daemon, bind, folder):
    binder = bind(
        {
            "bindings": [
                on_press("deep", "sh", "-c", "echo force >> ran"),
                on_press("deep", "sh", "-c", "echo any >> ran", simulated=True),
                DONE,
            ]
        },
        "--explain",
    )
    client = daemon.accept_subscriber()
    client.send(press("started", simulated=True), press("changed", "deep", simulated=True))
    wait_until_processed(binder, client, folder)
    assert lines(folder) == ["any"]
    assert "binding 1 does not fire: the press is simulated" in binder.log
    client.send(press("started", "deep", contact=2))
    wait_until_processed(binder, client, folder)
    assert sorted(lines(folder)) == ["any", "any", "force"]


def test_the_event_is_in_the_environment(daemon, bind, folder):
    binder = bind(
        {
            "bindings": [
                on_press("deep", "sh", "-c", "env -0 > press", simulated=True),
                on_action("a", "sh", "-c", "env -0 > action"),
                DONE,
            ]
        },
        PRESSURED_STAGE="stale",
        PRESSURED_TARGET="stale",
        KEPT="as it was\nwith a second line",
    )
    client = daemon.accept_subscriber()
    line = press("started", "deep", contact=45, x=0.3355, simulated=True)
    client.send(line, action("a", device="pad", title="A title\n$(touch x)"))
    wait_until_processed(binder, client, folder)

    def variables(name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return dict(entry.split("=", 1) for entry in file.read().split("\0") if entry)

    pressed = variables("press")
    assert json.loads(pressed.pop("PRESSURED_JSON")) == line
    assert pressed["KEPT"] == "as it was\nwith a second line"
    assert {name: value for name, value in pressed.items() if name.startswith("PRESSURED_")} == {
        "PRESSURED_SOCKET": daemon.path,
        "PRESSURED_EVENT": "press",
        "PRESSURED_TIME": "7",
        "PRESSURED_DEVICE": "0018-06cb-cd41",
        "PRESSURED_CONTACT": "45",
        "PRESSURED_STATE": "started",
        "PRESSURED_STAGE": "deep",
        "PRESSURED_FINGERS": "1",
        "PRESSURED_X": "0.3355",
        "PRESSURED_Y": "0.25",
        "PRESSURED_FORCE": "4.667",
        "PRESSURED_RATIO": "0.7",
        "PRESSURED_GRAMS": "277",
        "PRESSURED_SIMULATED": "true",
    }
    performed = variables("action")
    assert performed["PRESSURED_EVENT"] == "action"
    assert performed["PRESSURED_ACTION"] == "a"
    assert performed["PRESSURED_DEVICE"] == "pad"
    assert performed["PRESSURED_TITLE"] == "A title\n$(touch x)"
    assert performed["PRESSURED_ORIGIN"] == "request"
    assert "PRESSURED_STAGE" not in performed


def test_a_command_gets_its_arguments_and_inherits_no_descriptors_or_signal_settings(daemon, bind, folder):
    # No shell interprets them.
    words = ["$(touch x); *", "a b", "", "`touch x`", "'\"", "| touch x", "&"]
    script = """
import json, os, signal, sys
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
ignored = int(status["SigIgn"], 16)
opened = [name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")]
json.dump({
    "arguments": sys.argv[1:],
    "descriptors": sorted(int(name) for name in opened),
    "input": os.readlink("/proc/self/fd/0"),
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    # Those above 31 are the C library's own.
    "ignored": [number for number in range(1, 32) if ignored >> (number - 1) & 1],
    "leads": os.getpgrp() == os.getpid(),
    "folder": os.getcwd(),
}, open("found", "w"))
"""
    extra = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(extra, True)
    binder = bind({"bindings": [on_action("a", "python3", "-c", script, *words), DONE]})
    os.close(extra)
    client = daemon.accept_subscriber()
    client.send(action("a"))
    wait_until_processed(binder, client, folder)
    with open(os.path.join(folder, "found"), encoding="utf-8") as file:
        found = json.load(file)
    assert found == {
        "arguments": words,
        "descriptors": [0, 1, 2],
        "input": "/dev/null",
        "blocked": [],
        # Python ignores these by default.
        "ignored": [signal.SIGPIPE, signal.SIGXFSZ],
        "leads": True,
        "folder": os.path.realpath(folder),
    }
    assert not os.path.exists(os.path.join(folder, "x"))


def test_a_missing_command_is_reported_once_and_others_still_run(daemon, bind, folder):
    missing = on_press("deep", "/nonexistent/program")
    binder = bind({"bindings": [missing, on_press("deep", *append("ran")), DONE]})
    client = daemon.accept_subscriber()
    for contact in range(3):
        client.send(press("started", "deep", contact=contact))
    wait_until_processed(binder, client, folder)
    assert lines(folder) == ["deep"] * 3
    assert binder.log.count("cannot run /nonexistent/program: No such file or directory") == 1
    assert f"(binding 1 of {binder.file})" in binder.log


def test_a_hanging_command_occupies_only_one_slot(daemon, bind, folder):
    binder = bind({"max_running": 2, "bindings": [on_action("hang", "sleep", 1000), DONE]})
    client = daemon.accept_subscriber()
    client.send(action("hang"))
    wait_until(lambda: len(binder.children()) == 1)
    (child,) = binder.children()
    for _ in range(3):
        client.send(action("done"))
        wait_until(lambda: lines(folder, "done"))
        wait_until(lambda: binder.children() == [child])
        os.unlink(os.path.join(folder, "done"))
    assert binder.end() == 0
    # It belongs to the user and continues to run.
    os.kill(child, signal.SIGKILL)


def test_fifty_presses_at_once_start_no_more_than_the_limit(daemon, bind, folder):
    os.mkfifo(os.path.join(folder, "gate"))
    wait = ["sh", "-c", "echo $PRESSURED_CONTACT >> ran; read line < gate"]
    binder = bind({"max_running": 5, "bindings": [on_press("light", *wait), DONE]})
    client = daemon.accept_subscriber()
    client.send(*(press("started", contact=contact) for contact in range(50)))
    binder.wait_for_log("max_running (5) commands are running: no more are started")
    wait_until(lambda: len(lines(folder)) == 5)
    client.send({"event": "a later one"}, press("ended", contact=0))
    assert len(binder.children()) == 5
    # The gate opens, the five commands exit, and the number of skipped ones is logged.
    gate = os.open(os.path.join(folder, "gate"), os.O_RDWR)
    os.write(gate, b"go\n" * 5)
    binder.wait_for_log("commands not started because max_running (5) were running: 45")
    wait_until(lambda: not binder.children())
    os.close(gate)
    wait_until_processed(binder, client, folder)
    assert sorted(int(line) for line in lines(folder)) == [0, 1, 2, 3, 4]
    assert binder.log.count("no more are started") == 1
    assert binder.log.count("commands not started because") == 1


def test_it_waits_for_a_daemon_and_reports_that_once(fake_daemon, bind, folder):
    binder = bind({"bindings": [on_press("deep", *append("ran")), DONE]})
    binder.wait_for_log("no pressured answers at")
    # Several attempts fall into this time and are not logged.
    try:
        binder.process.wait(0.5)
    except subprocess.TimeoutExpired:
        pass
    daemon = fake_daemon()
    client = daemon.accept_subscriber()
    client.send(press("started", "deep"))
    wait_until_processed(binder, client, folder)
    assert lines(folder) == ["deep"]
    assert binder.log.count("no pressured answers at") == 1
    assert "waiting for it" in binder.log


def test_a_silent_daemon_is_given_up(daemon, bind, folder):
    binder = bind({"bindings": [on_press("deep", *append("ran")), DONE]})
    silent = daemon.accept_in_silence()
    silent.request()
    binder.wait_for_log("the daemon did not reply within 10 seconds; waiting for it")
    assert silent.has_hung_up()
    client = daemon.accept_subscriber()
    client.send(press("started", "deep"))
    wait_until_processed(binder, client, folder)
    assert lines(folder) == ["deep"]


def test_it_reconnects_to_a_restarted_daemon(fake_daemon, bind, folder):
    daemon = fake_daemon()
    binder = bind({"bindings": [on_press("deep", *append("ran")), DONE]})
    daemon.accept_subscriber().send(press("started", "light"))
    binder.wait_for_log("listening to")
    daemon.close()
    binder.wait_for_log("the daemon closed the connection; waiting for it")
    client = fake_daemon().accept_subscriber()
    # The state of the press that began before is unknown; it must not trigger anything.
    client.send(press("changed", "deep"), press("started", "deep", contact=2))
    wait_until_processed(binder, client, folder)
    assert lines(folder) == ["deep"]
    assert binder.log.count("waiting for it") == 1


def test_an_unreadable_line_is_skipped(daemon, bind, folder):
    binder = bind({"bindings": [on_press("deep", *append("ran")), DONE]})
    client = daemon.accept_subscriber()
    client.socket.sendall(b"\n[]\n{\nnonsense\xff\x00\n" + b'{"event":"press"}\n' + b'{"event":7}\n')
    client.send({"event": "weather", "is": "fine"}, {"event": "rainbow", "long": "x" * 300_000})
    client.send(press("melted", "deep"), press("started", "deep", contact=2, later=[1, {}]))
    wait_until_processed(binder, client, folder)
    assert lines(folder) == ["deep"]


def test_an_endless_line_closes_the_connection(daemon, bind):
    binder = bind({"bindings": []})
    client = daemon.accept_subscriber()
    try:
        client.socket.sendall(b"x" * (3 << 20))
    except (BrokenPipeError, ConnectionResetError):
        pass
    binder.wait_for_log("a line of over 1 MiB came, so this is not pressured's socket")
    daemon.accept_subscriber()


def test_an_action_too_long_for_the_environment_still_runs(daemon, bind, folder):
    words = ["sh", "-c", "echo ${PRESSURED_JSON:-none} > json"]
    binder = bind({"bindings": [on_action("a", *words), DONE]})
    client = daemon.accept_subscriber()
    client.send(action("a", user_info={"x": "y" * 200_000}))
    wait_until_processed(binder, client, folder)
    assert lines(folder, "json") == ["none"]


def test_bindings_are_reloaded_on_sighup(daemon, bind, folder):
    binder = bind({"bindings": [on_press("deep", "sh", "-c", "echo old >> ran"), DONE]})
    client = daemon.accept_subscriber()
    binder.write("bindings: [{ on: { pres: deep }, run: [x] }]")
    binder.signal(signal.SIGHUP)
    binder.wait_for_log("the previous bindings stay in effect")
    assert f'{binder.file}:1:20: unknown key "pres"; did you mean "press"?' in binder.log
    client.send(press("started", "deep"))
    wait_until_processed(binder, client, folder)
    binder.write({"bindings": [on_press("deep", "sh", "-c", "echo new >> ran"), DONE]})
    binder.signal(signal.SIGHUP)
    binder.wait_for_log("active bindings: 2", times=2)
    # The press continues and does not fire again.
    client.send(press("changed", "deep"), press("started", "deep", contact=2))
    wait_until_processed(binder, client, folder)
    assert lines(folder) == ["old", "new"]


def test_keys_that_cannot_be_pressed_do_not_affect_others(daemon, bind, folder):
    middle = {"on": {"press": "deep"}, "press_key": "BTN_MIDDLE"}
    binder = bind({"bindings": [middle, on_press("deep", *append("ran")), DONE]}, "--explain")
    client = daemon.accept_subscriber()
    client.send(press("started", "deep"), press("ended", "deep"), press("started", "deep"))
    wait_until_processed(binder, client, folder)
    assert lines(folder) == ["deep", "deep"]
    assert binder.log.count("binding 2 fires") == 2
    if os.access("/dev/uinput", os.W_OK):
        assert binder.log.count("binding 1 fires") == 2
    else:
        assert binder.log.count("so no binding presses a key") == 1
        assert binder.log.count("binding 1 does not fire: it would press BTN_MIDDLE, but cannot create a virtual input device through /dev/uinput") == 2


def test_a_bus_that_does_not_answer_delays_neither_commands_nor_signals(fake_daemon, bind, folder):
    path = os.path.join(folder, "bus.sock")
    with socket.socket(socket.AF_UNIX) as bus:
        bus.bind(path)
        bus.listen()
        daemon = fake_daemon()
        binder = bind({"bindings": [on_press("deep", *append("ran")), DONE]}, DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={path}")
        client = daemon.accept_subscriber()
        for _ in range(3):
            client.send(press("started"), press("changed", "deep"), press("ended", "deep"))
        wait_until_processed(binder, client, folder)
        binder.signal(signal.SIGTERM)
        assert binder.process.wait(DEADLINE) == 0


def init(program, folder, *words, stdin=""):
    """`bind --init` of a user without a user manager; returns it with the file."""
    variables = {"PATH": "/usr/bin:/bin", "HOME": folder, "XDG_RUNTIME_DIR": folder}
    done = subprocess.run([program, "bind", "--init", *words], env=variables, input=stdin, capture_output=True, text=True, timeout=DEADLINE)
    path = pathlib.Path(folder, ".config/pressured/bindings.yaml")
    return done, path.read_text(encoding="utf-8") if path.exists() else None


@pytest.mark.parametrize("words, stdin, key", [(["middle-click"], "", "BTN_MIDDLE"), ([], "3\n", "BTN_SIDE"), ([], "forward\n", "BTN_EXTRA")])
def test_a_hard_press_is_set_up_in_one_step(program, folder, words, stdin, key):
    done, text = init(program, folder, *words, stdin=stdin)
    assert done.returncode == 0 and f"press_key: {key}" in text, done
    assert "a daemon that serves you" in done.stderr
    # Another effect replaces what was written.
    done, text = init(program, folder, "right-click")
    assert done.returncode == 0 and "press_key: BTN_RIGHT" in text


def test_bindings_are_never_overwritten(program, folder):
    path = pathlib.Path(folder, ".config/pressured/bindings.yaml")
    path.parent.mkdir(parents=True)
    path.write_text("bindings: [{ on: { press: deep }, run: [true] }]", encoding="utf-8")
    done, text = init(program, folder, "middle-click")
    assert done.returncode == 73 and "has other bindings" in done.stderr and "run: [true]" in text


@pytest.mark.parametrize("words, stdin", [(["dance"], ""), ([], ""), ([], "9\n")])
def test_an_unknown_effect_writes_nothing(program, folder, words, stdin):
    done, text = init(program, folder, *words, stdin=stdin)
    assert done.returncode == 64 and "middle-click, right-click, back, forward" in done.stderr and text is None


def test_a_permission_is_not_given_and_revoked_at_once(program):
    done = subprocess.run([program, "bind", "--forbid", "--allow-keys"], capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 64 and "--forbid revokes both" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="setpriv is not installed")
@pytest.mark.parametrize("words", ["bind --allow-keys", "bind --forbid", "bind --allow-pulses", "pen --allow", "pen --forbid"])
def test_only_root_permits(program, words):
    before = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    done = subprocess.run([*before, program, *words.split()], capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == 77 and f"sudo pressured {words}" in done.stderr
