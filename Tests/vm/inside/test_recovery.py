"""A service that hangs, crashes or is upgraded."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import service
from connection import Connection, events_of
from pad import UinputPad

# A sensor with about two units per gram.
WEIGHTS = {20: 40, 50: 100}


def calibrate(client, pad):
    """Places known weights on the pad, as a user does with a spoon."""
    # udev may not have given the service its permission yet.
    client.event("device")
    assert client.ask("calibrate step=begin")["ok"]
    for grams, raw in WEIGHTS.items():
        granted = threading.Event()
        resting = pad.start(pad.rest, raw, 6000, granted.is_set)
        client.event("contact", phase="began")
        while not (reply := client.ask(f"calibrate step=point grams={grams}"))["ok"]:
            assert "leave it at rest" in reply["error"]["message"], reply
        granted.set()
        resting.join()
        pad.lift()
        client.event("contact", phase="ended")
    reply = client.ask("calibrate step=finish")
    assert reply["ok"], reply


def weight_source(client):
    return client.ask("devices")["result"][0]["weight_source"]


@pytest.fixture(scope="module")
def calibrated():
    """A pad that was calibrated; the calibration is removed after the tests."""
    pad = UinputPad()
    client = Connection(service.SOCKET)
    calibrate(client, pad)
    client.close()
    yield pad
    pad.unplug()
    service.stop()
    service.run("sh", "-c", "rm -rf /var/lib/pressured/*")


def test_a_service_that_hangs_is_restarted_by_the_watchdog(connect, configure):
    assert service.run("systemctl", "show", "--value", "-p", "WatchdogUSec", service.UNIT).stdout.strip() == "2min"
    configure(drop_in="[Service]\nWatchdogSec=5\n")
    client = connect()
    client.event("hello")
    process = service.main_pid()
    os.kill(process, signal.SIGSTOP)
    service.wait_for_restart(process)
    # The connection ends.
    client.rest()
    connect().event("hello")
    journal = service.run("journalctl", "-u", service.UNIT, "--no-pager").stdout
    assert "Watchdog timeout" in journal


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_crash_loses_no_calibration(connect, calibrated, number):
    client = connect()
    assert weight_source(client) == "calibrated"
    process = service.main_pid()
    os.kill(process, number)
    client.rest()
    service.wait_for_restart(process)
    assert weight_source(connect()) == "calibrated"


def package_version():
    return service.run("dpkg-query", "-W", "-f", "${Version}", "pressured").stdout


def test_an_upgrade_under_load_notifies_clients_and_keeps_calibrations(connect, calibrated):
    clients = [connect("subscribe events=contact,weight,device max_hz=20") for _ in range(8)]
    old_version, process = package_version(), service.main_pid()
    calibrated.start(calibrated.stream, 1, 100, 100_000)
    for client in clients:
        client.event("weight")
    # A client that does not read while the service shuts down cannot be notified.
    with ThreadPoolExecutor(len(clients)) as readers:
        read = [readers.submit(client.whole_lines) for client in clients]
        service.run("dpkg", "-i", "/task/next.deb")
    assert package_version() != old_version
    for lines in read:
        # The contact that was down is cancelled, and nothing follows.
        contacts = events_of(lines.result(), "contact")
        assert [line["phase"] for line in contacts] == ["cancelled"]
    again = [connect("subscribe events=weight max_hz=0") for _ in clients]
    for client in again:
        client.event("weight")
    assert service.main_pid() not in (0, process)
    assert weight_source(connect()) == "calibrated"
    assert service.is_active("pressured.socket")
