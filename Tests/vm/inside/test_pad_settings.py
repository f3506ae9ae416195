"""Settings of the pad: what arrives at the pad byte for byte, when, and at whose request."""

import json
import pathlib
import shutil
import time

import pytest

import service
from logins import Terminals, set_locked
from settingspad import SettingsPad
from waiting import wait_until

SAVED = pathlib.Path("/var/lib/pressured-pad")


def pad_command(*words, user=None, check=True):
    words = ("pressured", "pad", *words)
    done = service.as_user(user, *words, check=False) if user else service.run(*words, check=False)
    if check:
        assert done.returncode == 0, done.stdout
    return done


def state(*words):
    """The objects of all pads, by their names."""
    lines = pad_command("--json", *words).stdout.splitlines()
    return {entry["name"]: entry for entry in map(json.loads, lines)}


@pytest.fixture
def plug_in():
    """Plugs pads in, without anything saved before."""
    pads = []
    if SAVED.exists():
        for path in SAVED.iterdir():
            path.unlink()

    def plug_in(name="first", serves=True):
        pads.append(SettingsPad(name))
        return pads[-1].wait_for_service() if serves else pads[-1]

    yield plug_in
    for pad in pads:
        pad.unplug()
    wait_until(lambda: not list(pathlib.Path("/run/pressured/pad").glob("*")), "a socket remains")


def test_what_arrives_is_what_was_set(plug_in):
    pad = plug_in()
    assert pad.log == [], "nothing is asked or written without a request"
    node = f"/dev/{pad.hidraw}"
    for user, may in (("alice", False), ("_pressured", False), ("_pressured-pad", True)):
        assert (service.as_user(user, "sh", "-c", f"exec 3<>{node}", check=False).returncode == 0) is may, user
    done = pad_command("set", "click-force=firm", "haptics=40")
    assert pad.sets == ["08 03", "09 28"]
    assert "confirm" not in done.stdout
    assert "click force: 150 g (medium), as the pad came" in pad_command("reset").stdout
    assert pad.sets == ["08 02", "09 32"]


def test_a_saved_setting_is_sent_at_boot(plug_in):
    """The pad is there before udev, as at boot, and what is in /run is not."""
    pad = plug_in()
    pad_command("set", "click-force=firm")
    pad.unplug()
    wait_until(lambda: not service.is_active(pad.unit), "its service remains")
    udev = ["systemd-udevd-kernel.socket", "systemd-udevd-control.socket", "systemd-udevd.service"]
    sockets = [unit for unit in udev if service.show("LoadState", unit) == "loaded"]
    service.systemctl("stop", *reversed(sockets))
    shutil.rmtree("/run/pressured-pad", ignore_errors=True)
    try:
        again = plug_in("second", serves=False)
        assert again.log == []
    finally:
        service.systemctl("start", *sockets)
    service.systemctl("restart", "systemd-udev-trigger.service")
    again.wait_for_service()
    wait_until(lambda: state()["second"]["click_force"].get("level") == "firm", "nothing was sent")
    assert again.sets == ["08 03"]


def test_a_node_that_another_driver_replaces_is_no_failure(plug_in):
    """As at boot: the general driver makes a node, and the module that udev loads takes the pad over and makes another."""
    service.run("modprobe", "-r", "hid_multitouch")
    since = f"--since=@{time.time():.3f}"
    pad = plug_in()
    pad_command("set", "click-force=firm")
    journal = service.run("journalctl", "--no-pager", "-o", "cat", since).stdout
    assert "hid-generic" in journal and "hid-multitouch" in journal, "the driver was not replaced"
    assert "Dependency failed" not in journal
    assert not service.run("systemctl", "list-units", "--failed", "--plain", "--no-legend", "pressured-pad*").stdout
    pad.unplug()
    wait_until(lambda: not service.is_active(pad.unit), "its service remains")


def test_a_saved_setting_is_sent_after_a_suspend(plug_in):
    """A real suspend of all devices, which the kernel ends after a second."""
    pad = plug_in()
    pad_command("set", "click-force=firm", "haptics=40")
    pad.forget()
    assert pad.sets == ["08 03", "09 28"]
    pathlib.Path("/sys/module/suspend/parameters/pm_test_delay").write_text("1")
    pathlib.Path("/sys/power/pm_test").write_text("devices")
    service.systemctl("start", "suspend.target")
    assert "PM: suspend debug: Waiting for 1 second" in service.run("dmesg").stdout, "the system was not suspended"
    sent = []
    wait_until(lambda: sent.extend(pad.sets) or len(sent) >= 2, "nothing was sent")
    assert sent == ["08 03", "09 28"]
    assert service.show("Result", "pressured-pad-resume.service") == "success", "it has not asked for it"


@pytest.mark.skipif(shutil.which("login") is None, reason="nobody can log in on a terminal of this guest")
def test_the_person_at_the_seat_is_served_and_a_stranger_is_not(plug_in):
    pad = plug_in()
    service.run("useradd", "-m", "-s", "/bin/sh", "anna", check=False)
    terminals = Terminals()
    try:
        refused = pad_command("set", "click-force=light", user="bob", check=False)
        assert refused.returncode == 77 and "has no session on seat0" in refused.stdout
        terminals.log_in("anna", 2)
        terminals.switch_to("anna")
        assert pad.log == []
        pad_command("set", "click-force=light", user="anna")
        assert pad.sets == ["08 01"]
        assert pad_command("set", "haptics=1", user="bob", check=False).returncode == 77
        set_locked("anna", True)
        locked = pad_command("set", "haptics=1", user="anna", check=False)
        assert locked.returncode == 77 and "the session is locked" in locked.stdout
        assert pad.log == []
        set_locked("anna", False)
        wait_until(lambda: pad_command("set", "haptics=1", user="anna", check=False).returncode == 0, "she is not served")
        assert pad.sets == ["09 01"]
    finally:
        terminals.end()
