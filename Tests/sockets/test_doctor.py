"""`pressured doctor` with a daemon that runs, is missing, or does not respond."""

import json
import os
import shutil
import socket
import time

import pytest

from recording import DEVICE, Recording


@pytest.fixture
def doctor(run):
    def doctor(path, *options, **variables):
        place = ["--socket", path] if path else []
        status, output, log = run("doctor", *place, "--json", *options, **variables)
        found = json.loads(output)
        assert status == found["status"], log
        return found

    return doctor


def test_without_a_daemon_it_lists_the_paths_it_tried(doctor, folder):
    found = doctor(f"{folder}/nobody")
    assert "path" not in found["daemon"]
    assert f"{folder}/nobody (No such file or directory)" in found["daemon"]["fault"]
    assert found["machine"]["kernel"] == os.uname().release
    assert found["machine"]["user_id"] == os.geteuid()


SHOWN = """\
Result=service-start-limit-hit
Id=pressured.socket
LoadState=loaded
ActiveState=failed
SubState=failed
UnitFileState=enabled

Result=exit-code
ExecMainStatus=78
Id=pressured.service
LoadState=loaded
ActiveState=failed
SubState=failed
UnitFileState=enabled
"""

RESTART = (
    "sudo systemctl reset-failed pressured.socket pressured.service && sudo systemctl restart pressured.socket"
)


@pytest.fixture
def systemctl(folder):
    """Creates a systemctl that runs a script; returns the $PATH that contains it."""

    def systemctl(script):
        os.mkdir(f"{folder}/bin")
        with open(f"{folder}/bin/systemctl", "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(file.name, 0o755)
        return f"{folder}/bin:{os.environ['PATH']}"

    return systemctl


def test_a_failed_service_is_not_advised_to_be_started(doctor, folder, systemctl):
    path = systemctl(f"cat <<'END'\n{SHOWN}END")
    found = doctor(f"{folder}/nobody", PATH=path)
    assert [(each["unit"], each["state"]) for each in found["units"]] == [
        ("pressured.socket", "failed"), ("pressured.service", "failed")
    ]  # fmt: skip
    assert (found["units"][1]["result"], found["units"][1]["status"]) == ("exit-code", 78)
    assert found["next"] == (
        "the service has failed; read its log: sudo journalctl -e -u pressured; then: " + RESTART
    )


def test_a_typo_that_prevents_the_service_from_starting_is_named(doctor, folder, write, systemctl):
    os.mkdir(f"{folder}/etc")
    service = write("scale:\n  windw_ms: 1\n", "etc/config.yaml")
    path = systemctl(f"cat <<'END'\n{SHOWN}END")
    found = doctor(f"{folder}/nobody", PATH=path, CONFIGURATION_DIRECTORY=f"{folder}/etc")
    fault = f'{service}:2:3: unknown key "windw_ms"; did you mean "window_ms"?'
    assert found["configuration_faults"] == [fault]
    assert found["next"] == f"correct the configuration: {fault}; then: {RESTART}"


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="setpriv is not installed")
def test_a_users_own_configuration_is_checked_beside_that_of_the_service(doctor, folder, write):
    os.chmod(folder, 0o755)
    os.makedirs(f"{folder}/own/pressured")
    own = write("scale:\n  windw_ms: 1\n", "own/pressured/config.yaml")
    user = ["env", "--unset=CONFIGURATION_DIRECTORY"]
    if os.geteuid() == 0:
        user += ["setpriv", "--reuid=65534", "--clear-groups"]
    faults = doctor(f"{folder}/nobody", before=user, XDG_CONFIG_HOME=f"{folder}/own")["configuration_faults"]
    assert f'{own}:2:3: unknown key "windw_ms"; did you mean "window_ms"?' in faults


@pytest.mark.parametrize(
    "script",
    ["exit 1", "echo nonsense", "echo Id=pressured.socket; echo LoadState=not-found", "yes", "exec sleep 600"],
    ids=["refuses", "nonsense", "not installed", "endless", "hangs"],
)
def test_a_useless_systemctl_does_not_block(doctor, folder, systemctl, script):
    found = doctor(f"{folder}/nobody", PATH=systemctl(script))
    assert found["units"] == []
    assert "reset-failed" not in found["next"]


def test_a_running_daemon_is_queried_for_its_devices(doctor, serve):
    daemon = serve(Recording().pause(1).hold())
    found = doctor(daemon.path)["daemon"]
    assert (found["path"], found["forbidden"]) == (daemon.path, False)
    assert found["version"]
    (device,) = found["devices"]
    assert (device["device"], device["weight_source"]) == (DEVICE, "nominal")
    assert device["capability"] == "size"


@pytest.mark.skipif(os.path.exists("/dev/input"), reason="existing devices come first")
def test_devices_that_only_the_daemon_can_read_are_described_by_it(doctor, serve):
    daemon = serve(Recording().pause(1).hold())
    found = doctor(daemon.path)
    (device,) = found["devices"]
    assert device["device"] == "0018-06cb-cd41" and device["verdict"]["measures"] == "area"
    assert found["next"] == f"see what {device['node']} contains, which this daemon plays: pressured watch --socket {daemon.path}"
    without = doctor(None, PRESSURED_SOCKET=daemon.path)
    assert without["next"].endswith(": pressured watch")


def test_an_unresponsive_daemon_does_not_block(doctor, folder):
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"{folder}/silent")
        silent.listen()
        found = doctor(f"{folder}/silent")
    assert found["daemon"]["fault"] == "the daemon did not reply within 5 seconds"


@pytest.fixture
def sensor(serve_pad, start):
    """Starts `pressured doctor --sensor` beside a daemon that reads the pad: what ten seconds of its values show."""
    daemon = serve_pad()
    return lambda *arguments: start("doctor", "--sensor", "--socket", daemon.path, *arguments)


def test_noise_step_and_rate_are_measured(sensor, pad):
    process = sensor("--json")
    pad.lay(100)
    index = 0
    while process.poll() is None:
        # Two units more or less, every 20 ms.
        pad.press(100 + 2 * (index % 2))
        index += 1
        time.sleep(0.02)
    found = json.loads(process.stdout.read())
    assert process.returncode == 0
    assert found["smallest_step"] == 2
    # The square root of 2 if frames come at equal intervals, which a busy machine does not promise; nor does it promise a rate.
    assert 1 < found["noise"] < 2
    assert 0 < found["frames_per_second"] <= 60
    assert not found["saturated"]
    assert found["contacts"] == 1 and "contacts_share_sensor" not in found
    assert abs(found["drift_per_minute"]) < 20


def test_an_untouched_sensor_is_reported(sensor):
    process = sensor()
    output, log = process.communicate(timeout=60)
    assert (process.returncode, output) == (75, "")
    assert "nothing touched it; put a weight or a finger on it" in log
