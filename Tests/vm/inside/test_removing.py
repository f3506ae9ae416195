"""The state after the package is removed. These are the last tests of a boot, as nothing works after them."""

import os
import pathlib

import pytest

import service
from pad import UinputPad

STATE = pathlib.Path("/var/lib/pressured")


@pytest.fixture
def pad():
    """A pad, if devices can be created."""
    pad = UinputPad() if os.path.exists("/dev/uinput") else None
    yield pad
    if pad:
        pad.unplug()


def test_removing_stops_all_and_keeps_calibrations(connect, pad):
    client = connect()
    client.event("hello")
    learned = STATE / "kept"
    learned.write_text("by a later installation\n")
    service.CONFIGURATION.parent.mkdir(exist_ok=True)
    service.CONFIGURATION.write_text("always_read: true\n")
    result = service.run("dpkg", "-r", "pressured")
    client.rest()
    assert not service.is_active("pressured.socket") and not service.is_active()
    assert not pathlib.Path(service.SOCKET).exists()
    assert not pathlib.Path("/usr/bin/pressured").exists()
    if pad:
        # An unknown owner would be shown as a number: only known ones may appear.
        entries = service.run("getfacl", "-cp", pad.node).stdout.split()
        assert [entry for entry in entries if "::" not in entry and entry[:4] != "mask"] == []
    assert learned.exists() and service.CONFIGURATION.exists()
    assert "warning" not in result.stdout, result.stdout


def test_purging_leaves_nothing():
    result = service.run("dpkg", "-P", "pressured")
    assert "warning" not in result.stdout, result.stdout
    assert not STATE.exists() and not service.CONFIGURATION.parent.exists()
    left = service.run("find", "/etc", "/var", "/usr", "/lib/systemd/", "-name", "*pressured*").stdout.split()
    assert left == [], left
    failed = service.systemctl("--failed", "--plain", "--no-legend").stdout
    assert failed == ""
