"""`pressured doctor` and the daemon: one that is there, one that is not, one that is silent."""

import json
import os
import socket
import subprocess

import pytest

from connection import DEADLINE
from daemon import environment
from recording import DEVICE, Recording


@pytest.fixture
def doctor(program, folder):
    def doctor(path, *options):
        command = [program, "doctor", "--socket", path, "--json", *options]
        result = subprocess.run(
            command, env=environment(folder), capture_output=True, timeout=DEADLINE
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return doctor


def test_without_a_daemon_it_says_where_it_has_looked(doctor, folder):
    found = doctor(f"{folder}/nobody")
    assert "path" not in found["daemon"]
    assert f"{folder}/nobody (No such file or directory)" in found["daemon"]["fault"]
    assert found["machine"]["kernel"] == os.uname().release
    assert found["machine"]["user_id"] == os.geteuid()


def test_a_daemon_that_answers_is_asked_what_it_reads(doctor, serve):
    daemon = serve(Recording().pause(1).hold())
    found = doctor(daemon.path)["daemon"]
    assert (found["path"], found["forbidden"]) == (daemon.path, False)
    assert found["version"]
    (device,) = found["devices"]
    assert (device["device"], device["weight_source"]) == (DEVICE, "nominal")
    assert device["capability"] == "size"


@pytest.mark.skipif(os.path.exists("/dev/input"), reason="the devices that are there come first")
def test_what_only_the_daemon_reads_is_watched_through_it(doctor, serve):
    daemon = serve(Recording().pause(1).hold())
    assert doctor(daemon.path)["next"].endswith(f"pressured watch --socket {daemon.path}")


def test_a_daemon_that_is_silent_keeps_nobody(doctor, folder):
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"{folder}/silent")
        silent.listen()
        found = doctor(f"{folder}/silent")
    assert found["daemon"]["fault"] == "the daemon has not answered within 5 seconds"


def test_there_is_always_a_next_step(doctor, folder):
    assert doctor(f"{folder}/nobody")["next"]
