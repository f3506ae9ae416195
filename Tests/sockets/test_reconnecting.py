"""What connects again and again: how soon it does, and how often it says why."""

import os
import subprocess
import threading
import time

import pytest

from connection import DEADLINE
from daemon import environment
from straw import HELLO, SOCKET, StrawClient

BUSY = {"event": "reply", "id": None, "do": None, "ok": False,
        "error": {"code": "busy", "message": "64 clients are connected, the maximum set by socket.max_clients"}}  # fmt: skip

# What connects again, and the requests that each connection begins with.
LASTING = {"watch": 0, "watch --plain": 1, "weigh": 2, "weigh --json": 2}


@pytest.fixture
def start(program, folder):
    """Starts a verb with its output in a pipe."""
    processes = []

    def start(verb, *arguments):
        processes.append(
            subprocess.Popen(
                [program, *verb.split(), "--socket", os.path.join(folder, SOCKET), *arguments],
                env=environment(folder, TERM="xterm"), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        )
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def attempts(daemon, seconds, *lines):
    """Says these lines to each client and hangs up; gives when each one came."""
    times = []
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        daemon.socket.settimeout(left)
        try:
            client = StrawClient(daemon.socket.accept()[0])
        except TimeoutError:
            break
        times.append(time.monotonic())
        try:
            client.send(*lines)
        except OSError:
            pass
        client.close()
    daemon.socket.settimeout(DEADLINE)
    return times


def said(process):
    process.kill()
    output, errors = process.communicate(timeout=DEADLINE)
    return output.decode(), errors.decode()


@pytest.mark.parametrize("verb", LASTING)
def test_a_daemon_that_is_busy_is_asked_ever_more_rarely_and_that_is_said_once(straw, start, verb):
    daemon = straw()
    process = start(verb)
    # After pauses of 50 ms, 100 ms and so on there are six attempts in the first two seconds and a bit.
    times = attempts(daemon, 2.5, BUSY)
    assert 3 <= len(times) <= 9, f"{len(times)} attempts"
    output, errors = said(process)
    assert errors.count("64 clients are connected") == 1, errors
    assert "the daemon refuses" in errors and "waiting for it" in errors
    assert "64 clients" not in output


@pytest.mark.parametrize("verb", LASTING)
def test_a_daemon_that_greets_and_ends_is_asked_ever_more_rarely(straw, start, verb):
    daemon = straw()
    process = start(verb)
    times = attempts(daemon, 2.5, HELLO)
    assert 3 <= len(times) <= 9, f"{len(times)} attempts"
    _, errors = said(process)
    assert errors.count("waiting for it") == 1, errors


def test_the_pause_is_short_again_after_a_connection_that_lasted(straw, start):
    daemon = straw()
    process = start("watch --plain")
    attempts(daemon, 2.5, BUSY)
    client = daemon.accept()
    request = client.request()
    client.reply(request, {})
    # It lasts for longer than a second, which is what makes it one that was accepted for good.
    time.sleep(1.2)
    client.close()
    start_of_pause = time.monotonic()
    daemon.accept()
    assert time.monotonic() - start_of_pause < 1
    _, errors = said(process)
    assert errors.count("waiting for it") == 2, errors


@pytest.mark.parametrize("verb", ["weigh --once", "perform local.a", "calibrate"])
def test_what_asks_once_ends_where_the_daemon_is_busy(straw, start, verb):
    daemon = straw()
    process = start(verb)
    refusing = threading.Thread(target=attempts, args=(daemon, DEADLINE, BUSY), daemon=True)
    refusing.start()
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 75
    assert "the daemon refuses: 64 clients are connected" in errors.decode()


def test_once_waits_no_longer_for_a_mute_daemon_than_it_was_told(straw, start):
    daemon = straw()
    begin = time.monotonic()
    process = start("weigh --once --timeout 0.5")
    _, errors = process.communicate(timeout=DEADLINE)
    elapsed = time.monotonic() - begin
    daemon.accept_in_silence()
    assert process.returncode == 75
    assert "the daemon did not reply within 1.5 seconds" in errors.decode()
    assert elapsed < 5, f"{elapsed:.1f} s"


def test_a_recording_in_a_pipe_is_over_when_it_ends(program, folder, write):
    from recording import Recording

    path = write(Recording().touch([60] * 20))
    for arguments in ([], ["--plain"]):
        done = subprocess.run(
            [program, "watch", "--replay", path, *arguments], env=environment(folder),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"24 %" in done.stdout if arguments else b'"phase":"ended"' in done.stdout


def test_a_recording_that_is_broken_says_so_at_its_end(program, folder, write):
    from recording import Recording

    path = write(Recording().touch([60] * 20).text + "E: what is this\n")
    done = subprocess.run(
        [program, "watch", "--replay", path], env=environment(folder), stdin=subprocess.DEVNULL,
        capture_output=True, timeout=DEADLINE, check=False,
    )  # fmt: skip
    assert done.returncode == 65
    assert path.encode() in done.stderr and b'"phase":"ended"' in done.stdout
