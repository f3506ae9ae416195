"""Programs that reconnect: the intervals of their attempts, and how often they report the reason."""

import os
import subprocess
import threading
import time

import pytest

from connection import DEADLINE
from daemon import environment
from fakedaemon import HELLO, SOCKET, FakeDaemonConnection

BUSY = {"event": "reply", "id": None, "do": None, "ok": False,
        "error": {"code": "busy", "message": "64 clients are connected, the maximum set by socket.max_clients"}}  # fmt: skip

FORBIDDEN = {"event": "reply", "id": None, "do": None, "ok": False,
             "error": {"code": "not_permitted", "message": "your session is not at a seat"}}  # fmt: skip

# Programs that reconnect, and the requests with which each connection begins.
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
    """Sends these lines to each client and disconnects it; returns the time of each connection."""
    times = []
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        daemon.socket.settimeout(left)
        try:
            client = FakeDaemonConnection(daemon.socket.accept()[0])
        except TimeoutError:
            break
        except OSError:
            # The test ended, and closed the socket.
            return times
        times.append(time.monotonic())
        try:
            client.send(*lines)
        except OSError:
            pass
        client.close()
    daemon.socket.settimeout(DEADLINE)
    return times


def output_of(process):
    process.kill()
    output, errors = process.communicate(timeout=DEADLINE)
    return output.decode(), errors.decode()


@pytest.mark.parametrize("verb", LASTING)
def test_a_busy_daemon_is_retried_with_backoff_and_reported_once(fake_daemon, start, verb):
    daemon = fake_daemon()
    process = start(verb)
    # With pauses of 50 ms, 100 ms and so on there are six attempts in the first two seconds and a bit.
    times = attempts(daemon, 2.5, BUSY)
    assert 3 <= len(times) <= 9, f"{len(times)} attempts"
    output, errors = output_of(process)
    assert errors.count("64 clients are connected") == 1, errors
    assert "the daemon refuses" in errors and "waiting for it" in errors
    assert "64 clients" not in output


@pytest.mark.parametrize("verb", LASTING)
def test_a_user_who_may_not_connect_does_not_wait(fake_daemon, start, verb):
    daemon = fake_daemon()
    process = start(verb)
    # The first connection asks only whether a daemon answers.
    daemon.accept_in_silence().close()
    daemon.accept_in_silence().send(FORBIDDEN)
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 77, errors
    assert b"the daemon refuses: your session is not at a seat" in errors


@pytest.mark.parametrize("verb", LASTING)
def test_a_daemon_that_greets_and_disconnects_is_retried_with_backoff(fake_daemon, start, verb):
    daemon = fake_daemon()
    process = start(verb)
    times = attempts(daemon, 2.5, HELLO)
    assert 3 <= len(times) <= 9, f"{len(times)} attempts"
    _, errors = output_of(process)
    assert errors.count("waiting for it") == 1, errors


def test_the_pause_is_short_again_after_a_connection_that_lasted(fake_daemon, start):
    daemon = fake_daemon()
    process = start("watch --plain")
    attempts(daemon, 2.5, BUSY)
    client = daemon.accept()
    request = client.request()
    client.reply(request, {})
    # It lasts longer than a second, so that it counts as established.
    time.sleep(1.2)
    client.close()
    start_of_pause = time.monotonic()
    daemon.accept()
    assert time.monotonic() - start_of_pause < 1
    _, errors = output_of(process)
    assert errors.count("waiting for it") == 2, errors


@pytest.mark.parametrize("verb", ["weigh --once", "perform local.a", "calibrate"])
def test_one_time_requests_fail_if_the_daemon_is_busy(fake_daemon, start, verb):
    daemon = fake_daemon()
    process = start(verb)
    refusing = threading.Thread(target=attempts, args=(daemon, DEADLINE, BUSY), daemon=True)
    refusing.start()
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 75
    assert "the daemon refuses: 64 clients are connected" in errors.decode()


def test_once_waits_for_an_unresponsive_daemon_no_longer_than_its_timeout(fake_daemon, start):
    daemon = fake_daemon()
    begin = time.monotonic()
    process = start("weigh --once --timeout 0.5")
    _, errors = process.communicate(timeout=DEADLINE)
    elapsed = time.monotonic() - begin
    daemon.accept_in_silence()
    assert process.returncode == 75
    assert "the daemon did not reply within 1.5 seconds" in errors.decode()
    assert elapsed < 5, f"{elapsed:.1f} s"


def test_a_recording_in_a_pipe_ends_with_the_pipe(program, folder, write):
    from recording import Recording

    path = write(Recording().touch([60] * 20))
    for arguments in ([], ["--plain"]):
        done = subprocess.run(
            [program, "watch", "--replay", path, *arguments], env=environment(folder),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"24 %" in done.stdout if arguments else b'"phase":"ended"' in done.stdout


def test_a_broken_recording_is_reported_at_its_end(program, folder, write):
    from recording import Recording

    path = write(Recording().touch([60] * 20).text + "E: what is this\n")
    done = subprocess.run(
        [program, "watch", "--replay", path], env=environment(folder), stdin=subprocess.DEVNULL,
        capture_output=True, timeout=DEADLINE, check=False,
    )  # fmt: skip
    assert done.returncode == 65
    assert path.encode() in done.stderr and b'"phase":"ended"' in done.stdout
