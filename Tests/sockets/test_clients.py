"""Many clients at once, some of which never read. Slow clients never block others; memory is returned when clients disconnect."""

import signal
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from connection import DEADLINE, events_of, is_event
from daemon import wait_until
from recording import Recording

SPEED = 50

# More than the output for all frames that are written before any client reads; and presses without the rules that depend
# on times, as frames are written faster than their times tell.
ROOMY = """\
socket: { client_buffer_kib: 1024 }
press: { rules: none }
"""


def ten_fingers(frames):
    """More than ten times the size of any buffer."""
    recording = Recording().pause(300 * SPEED)
    for slot in range(10):
        recording.begin(slot, 20 + slot)
    recording.report()
    for number in range(1, frames):
        recording.wait(100)
        for slot in range(10):
            recording.press(slot, 20 + (number * 7 + slot * 31) % 230)
        if number % 50 == 0:
            recording.lift(number // 50 % 10)
        if number % 50 == 5 and len(recording.down) < 10:
            recording.begin(next(slot for slot in range(10) if slot not in recording.down), 99)
        recording.report()
    recording.wait(100)
    for slot in list(recording.down):
        recording.lift(slot)
    return recording.report()


def test_slow_clients_receive_the_final_lines(serve):
    daemon = serve(ten_fingers(600), "--speed", str(4 * SPEED), config=ROOMY)
    slow = daemon.connect("subscribe max_hz=0")
    quick = daemon.connect()
    quick.until(lambda line: is_event(line, "weight", contacts=[]))
    waiting = [client["waiting"] for client in quick.ask("stats")["result"]["clients"] if not client["you"]]
    # Far more than a socket accepts at once.
    assert waiting[0] > 512 * 1024
    # The slow client begins to read at the moment in which the daemon is terminated.
    daemon.process.send_signal(signal.SIGSTOP)
    daemon.process.send_signal(signal.SIGTERM)
    with ThreadPoolExecutor() as pool:
        received = pool.submit(slow.whole_lines)
        daemon.process.send_signal(signal.SIGCONT)
        lines = received.result(DEADLINE)
    assert is_event(events_of(lines, "device")[-1], "device", change="removed")
    assert daemon.process.wait(DEADLINE) == 0


CLIENTS = 500
# The part of an incomplete line that is kept until its end arrives.
UNFINISHED = b'{"do":"ping","id":"' + b"x" * 15_000


def resident(daemon):
    """The private memory of the daemon in bytes."""
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon:"))


def test_memory_of_clients_is_returned_when_they_disconnect(serve, is_sanitized):
    if is_sanitized:
        pytest.skip("AddressSanitizer keeps what is freed")
    # A limit per user is a part of the limit for all.
    daemon = serve(Recording().pause(1).hold(), config="socket: { max_clients: 4096 }\n")
    stays = daemon.connect("subscribe events=")
    assert stays.reply()["ok"]
    before = resident(daemon)
    crowd = []
    for _ in range(CLIENTS):
        crowd.append(socket.socket(socket.AF_UNIX))
        crowd[-1].connect(daemon.path)
        crowd[-1].sendall(UNFINISHED)
    wait_until(lambda: resident(daemon) - before > CLIENTS * len(UNFINISHED) * 0.9)
    # The last allocation stays, so that all the rest are holes below it.
    for each in crowd[:-1]:
        each.close()
    wait_until(lambda: resident(daemon) - before < 2 << 20)
    assert stays.ask("ping")["ok"]
    crowd[-1].close()
