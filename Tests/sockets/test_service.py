"""What a service manager relies on: a socket that is handed over, and word that all is ready."""

import os
import shutil
import socket
import subprocess
import time

import pytest

from connection import DEADLINE, Connection
from daemon import environment, first_connection, wait_until
from recording import Recording


def test_it_serves_a_socket_that_it_is_handed(program, folder, write):
    tool = shutil.which("systemd-socket-activate")
    if tool is None:
        pytest.skip("systemd-socket-activate is not installed")
    path = os.path.join(folder, "handed.sock")
    recording = write(Recording().pause(1).hold())
    log = os.path.join(folder, "log")
    with open(log, "wb") as errors, subprocess.Popen(
        [tool, "-l", path, program, "run", "--replay", recording],
        env=environment(folder),
        stderr=errors,
    ) as process:
        try:
            # It is this connection that starts the daemon.
            client = first_connection(path)
            assert [line["event"] for line in client.until(lambda line: line["event"] == "heaviest")][
                :3
            ] == ["hello", "device", "contact"]
            assert Connection(path).until(lambda line: line["event"] == "contact")[-1]["present"] is True
            process.terminate()
            assert process.wait(DEADLINE) == 0
            # The socket is not the daemon's to remove: the next connection starts it again.
            assert os.path.exists(path)
            assert not os.path.exists(path + ".lock")
            client.rest()
        finally:
            process.kill()
    with open(log, encoding="utf-8") as file:
        assert f"serving {path}" in file.read()


def test_it_says_when_it_is_ready_and_when_it_ends(folder, serve):
    notify = os.path.join(folder, "notify.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.settimeout(DEADLINE)
        manager.bind(notify)
        daemon = serve(Recording().pause(1).hold(), variables={"NOTIFY_SOCKET": notify})
        lines = manager.recv(4096).decode().splitlines()
        assert "READY=1" in lines
        assert f"STATUS=Serving {daemon.path}" in lines
        assert daemon.connect().ask("ping")["ok"] is True
        assert daemon.terminate() == 0
        assert "STOPPING=1" in manager.recv(4096).decode().splitlines()


def test_its_log_bears_levels_where_the_journal_reads_it(serve):
    daemon = serve(Recording().pause(1).hold(), variables={"JOURNAL_STREAM": "8:1"})
    wait_until(lambda: daemon.log)
    assert daemon.log == f"<6>serving {daemon.path}\n"


def test_with_nobody_there_it_sleeps(serve):
    daemon = serve(Recording().pause(1).touch(range(20, 220), milliseconds=1), "--loop")
    client = daemon.connect()
    client.event("weight")
    client.close()
    daemon.wait_for_nobody()
    status = f"/proc/{daemon.process.pid}/status"

    def wakeups():
        with open(status, encoding="utf-8") as file:
            return [line for line in file if line.startswith("voluntary_ctxt_switches")]

    def sleeps():
        before = wakeups()
        time.sleep(0.2)
        return wakeups() == before

    # It may take a moment until it sleeps; from then on nothing wakes it.
    wait_until(sleeps)


def test_a_log_that_nobody_reads_does_not_matter(program, folder, write):
    path = os.path.join(folder, "pressured.sock")
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(
        [program, "run", "--socket", path, "--replay", write(Recording().pause(1).hold())],
        env=environment(folder), stderr=writer,
    ) as process:
        os.close(writer)
        wait_until(lambda: os.path.exists(path) and os.stat(path).st_mode & 0o600)
        try:
            assert Connection(path).ask("ping")["ok"] is True
        finally:
            process.terminate()
        assert process.wait(DEADLINE) == 0
