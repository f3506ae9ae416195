"""`pressured watch`: in a terminal, and with its output in a pipe."""

import json
import os
import signal
import subprocess
import time

import pytest

from connection import DEADLINE
from daemon import wait_until
from program import children
from recording import DEVICE, Recording
from fakedaemon import SOCKET

# The text of the screen when two plums are on the pad.
PLUMS = ["24 %", "91 g", "35 %", "136 g", "Pad", "≈ 226.5 g"]

FRAME = "\x1b[?2026h"


@pytest.fixture
def watch(in_terminal, folder):
    """Starts `pressured watch` in a terminal."""

    def watch(*arguments, socket="pressured.sock", **settings):
        if "--replay" not in arguments:
            settings.setdefault("PRESSURED_SOCKET", os.path.join(folder, socket))
        return in_terminal("watch", *arguments, **{"size": (120, 40), "shows_errors": False, **settings})

    return watch


@pytest.fixture
def piped(start, folder):
    """Starts `pressured watch` with its output in a pipe."""
    return lambda *words, **variables: start("watch", *words, **{"PRESSURED_SOCKET": f"{folder}/pressured.sock", **variables})


def device(name=DEVICE, change="present"):
    return {
        "event": "device", "time": 1, "device": name, "change": change, "name": "Pad", "node": "n",
        "slots": 5, "capability": "size", "per_contact": True, "weight_source": "nominal",
        "pressure": {"minimum": 0, "maximum": 255, "resolution": 0}, "effective_maximum": 255,
        "size_mm": [100, 60], "haptics": False, "simulated_press": False,
    }  # fmt: skip


def weight(grams, name=DEVICE):
    contact = {
        "slot": 0, "contact": 7, "phase": "moved", "x": 0.5, "y": 0.5, "raw": 1, "ratio": grams / 385,
        "force": 1, "maximum_possible_force": 6.667, "grams": grams, "saturated": False,
    }  # fmt: skip
    return {
        "event": "weight", "time": 2, "device": name, "contacts": [contact], "total_grams": grams,
        "center_x": 0.5, "center_y": 0.5, "heaviest": 7, "shared_sensor": False,
    }  # fmt: skip


def reply(verb, result=None, error=None):
    line = {"event": "reply", "id": None, "do": verb, "ok": error is None}
    return {**line, "result": result} if error is None else {**line, "error": error}


@pytest.fixture
def shown(fake_daemon, watch):
    """A terminal that shows the lines sent by a fake daemon, and the connection of that daemon."""
    daemon = fake_daemon()

    def shown(*lines, **settings):
        terminal = watch(socket=SOCKET, **settings)
        client = daemon.accept_after_question()
        assert [client.request()["do"] for _ in range(2)] == ["subscribe", "state"]
        client.send(device(), reply("subscribe", {}), reply("state", []), *lines)
        terminal.wait_for("Pad", "? keys")
        return terminal, client

    return shown


# In a terminal


def test_contacts_are_shown_and_the_terminal_is_restored(serve, watch):
    serve(Recording().hold())
    terminal = watch()
    terminal.wait_for(*PLUMS)
    assert {1049} <= terminal.modes and not terminal.has_cursor
    assert not terminal.is_restored
    terminal.type("q")
    assert terminal.wait() == 0
    wait_until(lambda: terminal.is_restored)


@pytest.mark.parametrize("number, status", [
    (signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGSEGV, -signal.SIGSEGV), (signal.SIGTRAP, -signal.SIGTRAP),
])
def test_a_signal_restores_the_terminal_and_a_crash_remains_one(shown, number, status):
    # A sanitized program would handle that signal as a bad memory access.
    terminal, _ = shown(SWIFT_BACKTRACE="enable=no", ASAN_OPTIONS="handle_segv=0")
    terminal.kill(number)
    assert terminal.wait() == status
    wait_until(lambda: terminal.is_restored)


def test_nothing_is_sent_and_no_timer_runs_while_nothing_changes(shown):
    terminal, client = shown(weight(100))
    terminal.wait_for("100 g")
    terminal.wait_until_idle()
    length = len(terminal.sent)
    # An unchanged frame is not sent again: of all these lines only the last one changes it.
    same = [{**weight(100), "time": number} for number in range(3, 203)]
    client.send(*same, reply("tare", error={"code": "failed", "message": "no more"}))
    terminal.wait_for("no more")
    terminal.wait_until_idle()
    news = terminal.sent[length:].decode()
    assert news.count(FRAME) == 1
    assert len(news) < 200, news


def test_there_are_at_most_sixty_frames_a_second_and_the_last_is_current(shown):
    terminal, client = shown()
    terminal.wait_until_idle()
    before = terminal.text.count(FRAME)
    start = time.monotonic()
    for number in range(3000):
        client.send(weight(50 + number % 300))
    client.send(weight(381))
    terminal.wait_for("381 g")
    elapsed = time.monotonic() - start
    assert terminal.text.count(FRAME) - before <= elapsed * 60 + 2


def test_it_follows_the_size_of_the_terminal(shown):
    terminal, _ = shown(weight(100))
    for size in [(80, 24), (40, 12), (200, 60)]:
        terminal.redraws_after(lambda: terminal.resize(*size))
        terminal.wait_for("100 g", "? keys")
        columns, rows = terminal.extent
        assert columns <= size[0] and rows == size[1]
    terminal.redraws_after(lambda: terminal.resize(20, 5))
    terminal.wait_for("too small")
    terminal.redraws_after(lambda: terminal.resize(120, 40))
    terminal.wait_for("100 g")


def test_it_can_be_suspended_and_resumed(shown):
    terminal, client = shown(weight(100))
    terminal.wait_for("100 g")
    terminal.type("\x1a")
    wait_until(lambda: terminal.state == "T")
    wait_until(lambda: terminal.is_restored)
    client.send(weight(200))
    terminal.resize(80, 24)
    terminal.kill(signal.SIGCONT)
    terminal.wait_for("200 g")
    assert 1049 in terminal.modes
    terminal.type("q")
    assert terminal.wait() == 0
    wait_until(lambda: terminal.is_restored)


def test_it_reconnects_after_the_daemon_was_killed(serve, watch):
    daemon = serve(Recording().hold())
    terminal = watch()
    terminal.wait_for(*PLUMS)
    daemon.process.kill()
    daemon.process.wait()
    terminal.wait_for("waiting for a daemon")
    assert "226.5 g" not in terminal.screen
    serve(Recording().hold())
    terminal.wait_for(*PLUMS)
    assert "waiting" not in terminal.screen


def test_keys_send_requests(shown):
    terminal, client = shown(weight(100))
    for key, verb in [("t", "tare"), ("u", "untare"), ("z", "zero"), ("h", "hold")]:
        terminal.type(key)
        assert client.request() == {"do": verb, "device": DEVICE}
    client.send(reply("zero", error={"code": "failed", "message": "12 g are too far from zero"}))
    terminal.wait_for("12 g are too far from zero")
    terminal.type("?")
    terminal.wait_for("tare: set the present load", "inner ring")
    terminal.type("\x1b")
    terminal.wait_for("100 g")
    wait_until(lambda: "inner ring" not in terminal.screen)


@pytest.mark.parametrize("arguments, variables", [([], {"TERM": "dumb"}), (["--plain"], {})])
def test_a_dumb_terminal_shows_a_table(serve, watch, arguments, variables):
    # The first reading is never dropped by the rate limit; any of those that follow may be.
    serve(Recording().pause(300).touch([60] * 50 + [90] * 50))
    terminal = watch(*arguments, **variables)
    terminal.wait_for("contact", "grams", "24 %", DEVICE)
    assert "\x1b" not in terminal.text
    terminal.type("\x03")
    assert terminal.wait() == -signal.SIGINT


# In a pipe


def test_in_a_pipe_the_lines_are_those_of_the_daemon(serve, piped):
    daemon = serve(Recording().hold())
    process = piped()
    lines = [json.loads(process.stdout.readline()) for _ in range(2)]
    assert [line["event"] for line in lines] == ["hello", "device"]
    assert daemon.connect().line() == lines[0]


@pytest.mark.parametrize("is_daemon_over", [False, True])
@pytest.mark.parametrize("arguments", [[], ["--plain"]])
def test_it_ends_with_the_reader_of_the_pipe_though_nothing_happens(
    daemon, piped, folder, arguments, is_daemon_over
):
    process = piped(*arguments, PRESSURED_SOCKET=os.path.join(folder, SOCKET))
    daemon.accept_after_question()
    process.stdout.readline()
    if is_daemon_over:
        daemon.close()
        assert "waiting for it" in process.stderr.readline()
    process.stdout.close()
    assert process.wait(DEADLINE) == 0


# With a daemon of its own


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_recording_is_printed_and_nothing_is_left(folder, write, piped, number):
    run = os.path.join(folder, "run")
    os.mkdir(run)
    process = piped("--replay", write(Recording().pause(100).touch([60] * 20)), "--loop", XDG_RUNTIME_DIR=run)
    seen = set()
    while not {"hello", "device", "contact", "weight", "heaviest"} <= seen:
        seen.add(json.loads(process.stdout.readline())["event"])
    (private_daemon,) = children(process.pid)
    assert len(os.listdir(run)) == 1
    assert os.stat(os.path.join(run, os.listdir(run)[0])).st_mode & 0o777 == 0o700
    process.send_signal(number)
    assert process.wait(DEADLINE) == -number
    wait_until(lambda: not os.path.exists(f"/proc/{private_daemon}"))
    assert os.listdir(run) == []


def test_a_recording_that_ends_at_once_is_printed(write, piped, run):
    """It begins with the first connection, so that must be the one whose lines are printed."""
    process = piped("--replay", write(Recording().touch([60, 90, 60], milliseconds=0)), PRESSURED_SOCKET="")
    output, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, errors
    lines = [json.loads(line) for line in output.splitlines()]
    assert [line["phase"] for line in lines if line["event"] == "contact"] == ["began", "ended"]
    assert lines[-1]["change"] == "removed"
    status, output, errors = run("watch", "--replay", write(Recording().touch([60] * 20)), "--plain")
    assert (status, errors) == (0, "") and "24 %" in output


def test_a_recording_is_drawn(folder, write, watch):
    run = os.path.join(folder, "run")
    os.mkdir(run)
    terminal = watch("--replay", write(Recording().hold()), XDG_RUNTIME_DIR=run)
    terminal.wait_for(*PLUMS, "recording /")
    terminal.type("q")
    assert terminal.wait() == 0
    wait_until(lambda: terminal.is_restored)
    assert os.listdir(run) == []


def test_the_end_of_the_recording_is_reported_when_the_terminal_has_space(write, watch):
    terminal = watch("--replay", write(Recording().hold()))
    terminal.wait_for(*PLUMS)
    (private_daemon,) = children(terminal.pid)
    os.kill(private_daemon, signal.SIGKILL)
    assert terminal.wait() == 70
    wait_until(lambda: terminal.is_restored)
    assert "the private daemon was killed by signal 9" in terminal.log


@pytest.mark.parametrize(
    "arguments, status, sentence",
    [
        (["--replay", "/nowhere/pad.evemu"], 66, "/nowhere/pad.evemu"),
        (["--replay", "/dev/null"], 65, "/dev/null"),
        (["--loop"], 64, "--loop belongs to --replay"),
    ],
)
def test_errors_are_reported(folder, piped, arguments, status, sentence):
    process = piped(*arguments, XDG_RUNTIME_DIR=folder, PRESSURED_SOCKET="")
    output, errors = process.communicate(timeout=DEADLINE)
    assert (process.returncode, output) == (status, "")
    assert sentence in errors
    assert [name for name in os.listdir(folder) if name.startswith("pressured-")] == []


@pytest.fixture
def preload(folder):
    """Compiles a function that replaces one of the C library."""

    def preload(text):
        library = os.path.join(folder, "preload.so")
        head = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <sys/socket.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", library, "-", "-ldl"], input=head + text, text=True, check=True)
        return library

    return preload


def test_the_error_of_a_private_daemon_that_exits_early_is_reported(folder, piped, preload):
    # The program connects only when its child has exited.
    library = preload("""
        int connect(int file, const struct sockaddr *address, socklen_t length) {
          siginfo_t info;
          waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
          return ((int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "connect"))(file, address, length);
        }""")
    process = piped("--replay", "/dev/null", XDG_RUNTIME_DIR=folder, LD_PRELOAD=library, ASAN_OPTIONS="verify_asan_link_order=0")
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 65, errors
    assert "is not a recognized recording" in errors


def test_a_terminal_that_accepts_few_bytes_is_restored_after_a_crash(shown, preload):
    library = preload("""
        ssize_t write(int file, const void *bytes, size_t count) {
          return ((ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write"))(file, bytes, count < 5 || !isatty(file) ? count : 5);
        }""")
    terminal, _ = shown(
        SWIFT_BACKTRACE="enable=no", LD_PRELOAD=library, ASAN_OPTIONS="handle_segv=0:verify_asan_link_order=0")
    terminal.kill(signal.SIGSEGV)
    assert terminal.wait() == -signal.SIGSEGV
    wait_until(lambda: terminal.is_restored)
