"""External failures: the daemon is killed, its disk is full, it has no descriptors left."""

import os
import resource
import subprocess

import pytest

from connection import DEADLINE, assert_error, assert_times_never_run_backwards, events_of, is_event
from daemon import wait_until
from recording import DEVICE, Recording
from test_calibrate import lay_all, step, weight_source


def load():
    """Two fingers of which one taps, for ever, with a thousand frames per second."""
    recording = Recording().pause(1)
    for _ in range(50):
        recording.touch([20, 120, 220, 120, 20], milliseconds=1)
    return recording


def assert_contacts_begin_before_they_end(lines):
    down = []
    for line in events_of(lines, "contact"):
        if line["phase"] == "began":
            assert line["contact"] not in down
            down.append(line["contact"])
        else:
            down.remove(line["contact"])


# MARK: - Killed


def test_killed_under_load_it_restarts_and_serves_clients_that_reconnect(serve):
    clients_before = []
    for _ in range(3):
        daemon = serve(load(), "--loop")
        clients = [daemon.connect("subscribe max_hz=0") for _ in range(8)]
        lines = [client.until(lambda line: is_event(line, "contact", phase="ended")) for client in clients]
        for client in clients_before:
            # Complete lines, then the end; the last line may be cut, as the daemon was killed.
            assert_times_never_run_backwards(client.whole_lines())
        for received in lines:
            assert_times_never_run_backwards(received)
            assert_contacts_begin_before_they_end(received)
        daemon.process.kill()
        daemon.process.wait(DEADLINE)
        clients_before = clients
        # The listening socket is closed, and its file does not block the next daemon.
        assert os.path.exists(daemon.path)
    assert serve(load()).connect().ask("ping")["ok"]


def test_killed_right_after_its_reply_it_has_stored_the_calibration(serve_pad, pad, folder):
    state = os.path.join(folder, "state")
    daemon = serve_pad("--state", state)
    client = daemon.connect()
    lay_all(client, pad)
    assert step(client, "finish")["ok"]
    daemon.process.kill()
    daemon.process.wait(DEADLINE)
    assert weight_source(serve_pad("--state", state).connect()) == "calibrated"


# MARK: - A full disk


@pytest.fixture
def small_disk(folder):
    """A file system with space for a few pages; needs root."""
    path = os.path.join(folder, "state")
    os.mkdir(path)
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", path], stderr=subprocess.PIPE, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"mounting is not possible here: {mounted.stderr.strip()}")
    yield path
    subprocess.run(["umount", path], check=True)


def fill(path):
    """Fills the remaining space of a disk."""
    with open(path, "wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 4096):
                pass
        except OSError:
            pass
    return path


def test_a_full_disk_prevents_a_new_calibration_and_keeps_the_old_one(serve_pad, pad, small_disk):
    daemon = serve_pad("--state", small_disk)
    client = daemon.connect()
    lay_all(client, pad)
    assert step(client, "finish")["ok"]
    client.close()
    daemon.wait_for_no_clients()
    stored = os.path.join(small_disk, "calibration", f"{DEVICE}.yaml")
    with open(stored, "rb") as file:
        old = file.read()

    filler = fill(os.path.join(small_disk, "filler"))
    client = daemon.connect()
    lay_all(client, pad)
    reply = step(client, "finish")
    assert_error(reply, "failed")
    assert "No space left on device" in reply["error"]["message"]
    assert "stays in effect" in reply["error"]["message"]
    with open(stored, "rb") as file:
        assert file.read() == old
    assert os.listdir(os.path.dirname(stored)) == [os.path.basename(stored)]
    assert weight_source(client) == "calibrated"

    # The measurements are still there once there is space.
    os.unlink(filler)
    assert step(client, "finish")["ok"]


def test_a_full_disk_does_not_prevent_serving(serve_pad, pad, small_disk):
    fill(os.path.join(small_disk, "filler"))
    client = serve_pad("--state", small_disk).connect()
    pad.lay(45)
    assert client.event("contact", phase="began")
    assert weight_source(client) == "nominal"


# MARK: - No descriptors left

FEW = 32


def limited(daemon):
    """The same daemon, which may have few descriptors from now on."""
    resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (FEW, FEW))
    return daemon


def greeted(clients):
    """The clients that were accepted so far."""
    inside = []
    for client in clients:
        client.socket.settimeout(0)
        try:
            if client.line()["event"] == "hello":
                inside.append(client)
        except BlockingIOError:
            pass
        client.socket.settimeout(DEADLINE)
    return inside


def descriptors(daemon):
    return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))


def test_without_descriptors_new_connections_wait(serve):
    daemon = limited(serve(load(), "--loop"))
    first = daemon.connect("subscribe events=contact")
    first.event("contact")
    others = [daemon.connect() for _ in range(2 * FEW)]
    wait_until(lambda: descriptors(daemon) == FEW and "cannot accept a connection" in daemon.log)
    # Accepted clients are served as before.
    lines = first.until(lambda line: is_event(line, "contact", phase="ended"))
    assert_times_never_run_backwards(lines)
    assert first.ask("ping")["ok"]
    inside = greeted(others)
    assert 0 < len(inside) < FEW
    # Each client that disconnects makes space for one that waits, until all were accepted.
    waiting = [client for client in others if client not in inside]
    for client in inside:
        client.close()
    while waiting:
        assert waiting[0].event("hello")
        waiting.pop(0).close()
    assert first.ask("ping")["ok"]
    # The log reports this occasionally, and not for each attempt.
    assert daemon.log.count("cannot accept a connection") <= 2 + 2 * FEW


def test_without_descriptors_a_calibration_is_not_lost(serve_pad, pad, folder):
    daemon = limited(serve_pad("--state", os.path.join(folder, "state")))
    client = daemon.connect()
    lay_all(client, pad)
    others = [daemon.connect() for _ in range(FEW)]
    wait_until(lambda: descriptors(daemon) == FEW)
    reply = step(client, "finish")
    assert_error(reply, "failed")
    assert "Too many open files" in reply["error"]["message"]
    for other in others:
        other.close()
    wait_until(lambda: step(client, "finish")["ok"])
    assert client.event("device", change="changed")["weight_source"] == "calibrated"
