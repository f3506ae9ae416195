"""Many clients at once, some of which never read. Slow clients never block others."""

import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from connection import DEADLINE, assert_error, assert_times_never_run_backwards, events_of, is_event, lines_of
from daemon import wait_until
from pad import Pad, now
from recording import HEADER, Recording

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


# All events that follow directly from frames: how long a load has to rest does not depend on the speed.
EVENTS = "device,contact,weight,max_force,heaviest,press"


def timeless(lines):
    """The lines of EVENTS without their times."""
    lines = events_of(lines, *EVENTS.split(","))
    return [{k: v for k, v in line.items() if k not in ("time", "duration")} for line in lines]


class PlayedPad:
    """A recording whose frames are written on demand, so that no client has to keep up."""

    def __init__(self, recording, folder, serve, replay, write):
        path = os.path.join(folder, "pad")
        self.expected = lines_of(
            replay(write(recording, "expected.evemu"), "--config", write(ROOMY, "expected.yaml")).stdout)[2:]
        self.expected = events_of(self.expected, *EVENTS.split(","))
        self.pad = Pad(path)
        self.daemon = serve(
            None, "--events", path, "--describe", write(HEADER.format(resolution=0), "describe.evemu"),
            config=ROOMY,
        )  # fmt: skip
        self.recording = recording

    def clients(self, count):
        """That many clients that receive every frame and have received the device."""
        request = f"subscribe events={EVENTS} max_hz=0"
        clients = [self.daemon.connect(request) for _ in range(count)]
        for client in clients:
            client.reply()
        self.pad.open()
        for client in clients:
            client.event("device", change="added")
        return clients

    def play(self, at_once=50):
        """Writes that many frames at a time and yields the number of lines they have produced so far."""
        frames = self.recording.frames_since(now())
        for first in range(0, len(frames), at_once):
            some = frames[first : first + at_once]
            self.pad.pipe.write(b"".join(frame for _, frame in some))
            yield sum(line["time"] <= some[-1][0] for line in self.expected)


@pytest.fixture
def played(folder, serve, replay, write):
    """Serves a recording whose frames are written on demand."""
    pads = []

    def played(recording):
        pads.append(PlayedPad(recording, folder, serve, replay, write))
        return pads[-1]

    yield played
    for pad in pads:
        pad.pad.close()


def is_end(line):
    return is_event(line, "weight", contacts=[])


def live(lines):
    """The lines of the device after the greeting."""
    return [line for line in lines if line["event"] not in ("hello", "device", "reply", "missed")]


def test_clients_that_never_read_do_not_affect_others(played):
    played = played(ten_fingers(1500))
    reading, *stalled = played.clients(4)
    lines = []
    for count in played.play():
        lines += [reading.line() for _ in range(count - len(lines))]
    expected = timeless(played.expected)
    assert timeless(lines) == expected
    # Clients that did not read have missed readings, but no lossless events, and the order is kept.
    for client in stalled:
        lines = client.until(is_end)
        # The missed lines are reported once there is space, at the latest before the next reply.
        client.send("ping")
        lines += client.until(lambda line: line["event"] == "reply")
        missed = sum(line["count"] for line in events_of(lines, "missed"))
        assert missed > 0
        assert_times_never_run_backwards(lines)
        lossless_events = ("contact", "heaviest", "max_force")
        received = events_of(timeless(live(lines)), *lossless_events)
        assert received == events_of(expected, *lossless_events)[: len(received)]
        assert len(live(lines)) + missed == len(expected)


def test_slow_clients_receive_the_final_lines(serve):
    daemon = serve(ten_fingers(600), "--speed", str(4 * SPEED), config=ROOMY)
    slow = daemon.connect("subscribe max_hz=0")
    quick = daemon.connect()
    quick.until(is_end)
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


def test_clients_that_never_read_lossless_events_are_notified_and_disconnected(serve):
    recording = Recording().pause(1)
    for _ in range(400):
        recording.touch([50, 60], milliseconds=1)
    daemon = serve(recording, "--loop", "--speed", "4", config="socket: { client_buffer_kib: 4 }\n")
    stalled = daemon.connect("subscribe events=contact")
    other = daemon.connect("subscribe events=")
    # The listening socket and the other client are left.
    wait_until(lambda: other.ask("ping")["ok"] and len(daemon.sockets) == 2)
    *_, last = stalled.whole_lines()
    assert last["event"] in ("contact", "missed")
    assert other.ask("ping")["ok"] is True


def test_clients_that_never_read_their_replies_do_not_affect_others(serve):
    daemon = serve(Recording().pause(1).hold())
    deaf = daemon.connect()
    deaf.socket.setblocking(False)
    other = daemon.connect()
    asked = 0
    try:
        while asked < 100_000:
            asked += deaf.socket.send(b"help\n" * 100) // 5
    except (BlockingIOError, BrokenPipeError, ConnectionResetError):
        pass
    assert asked > 100
    assert other.ask("ping")["ok"] is True


def test_clients_connect_and_disconnect_while_fingers_move(serve):
    daemon = serve(Recording().pause(1).touch(range(20, 220), milliseconds=1), "--loop")
    stays = daemon.connect("subscribe max_hz=0")
    for number in range(100):
        client = daemon.connect()
        if number % 3 == 0:
            client.event("device", change="present")
        if number % 3 == 1:
            client.socket.shutdown(socket.SHUT_RDWR)
        client.close()
    assert stays.ask("ping")["ok"] is True


def test_a_client_above_the_limit_is_notified_and_disconnected(serve):
    daemon = serve(Recording().pause(1).hold(), config="socket: { max_clients: 2 }\n")
    first, second = daemon.connect(), daemon.connect()
    second.event("hello")
    third = daemon.connect()
    (refusal,) = third.rest()
    assert_error(refusal, "busy")
    assert (refusal["id"], refusal["do"]) == (None, None)
    second.close()
    first.ask("ping")
    fourth = daemon.connect()
    assert fourth.line()["event"] in ("hello", "reply")
    assert first.ask("ping")["ok"] is True
