"""Settings of the pad: what arrives at the pad byte for byte, when, and at whose request."""

import json
import pathlib
import shutil
import time

import pytest

import service
from logins import Terminals, set_locked
from settingspad import SettingsPad, force, strength, vendor
from waiting import wait_until

SAVED = pathlib.Path("/var/lib/pressured-pad")
BOTH = force() + strength()
# As hidpad returns them: the click force 2 of 1 to 3, and half of the strength.
FEATURES = [[8, 2], [9, 50]]
OUT = pathlib.Path("/out/pad.txt")

# Clients of the socket, as other users run them.
MANY = """
import socket, sys
for number in range(40):
    client = socket.socket(socket.AF_UNIX)
    client.connect(sys.argv[1])
    client.sendall(b"set haptics=%d once\\n" % number)
    print(client.makefile().readline(), end="")
"""
SEVERAL = """
import socket, sys
clients = [socket.socket(socket.AF_UNIX) for _ in range(5)]
for client in clients:
    client.connect(sys.argv[1])
print(clients[4].makefile().readline(), end="")
"""


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


def keep(title, text):
    """Output for people."""
    with OUT.open("a") as file:
        file.write(f"== {title}\n{text}\n")


@pytest.fixture
def plug_in():
    """Plugs pads in, without anything saved before."""
    pads = []
    if SAVED.exists():
        for path in SAVED.iterdir():
            path.unlink()

    def plug_in(name="first", settings=BOTH, features=FEATURES, serves=True, **more):
        pads.append(SettingsPad(name, settings, features, **more))
        return pads[-1].wait_for_service() if serves else pads[-1]

    yield plug_in
    for pad in pads:
        pad.unplug()
    wait_until(lambda: not list(pathlib.Path("/run/pressured/pad").glob("*")), "a socket remains")


def test_what_arrives_is_what_was_set(plug_in):
    pad = plug_in()
    assert pad.log == [], "nothing is asked or written without a request"
    done = pad_command("set", "click-force=firm", "haptics=40")
    assert pad.sets == ["08 03", "09 28"]
    assert "confirm" not in done.stdout
    assert "click force: 150 g (medium), as the pad came" in pad_command("reset").stdout
    assert pad.sets == ["08 02", "09 32"]


def test_a_pad_that_stalls_stops_nobody(plug_in):
    pad = plug_in()
    pad.do("stall 1")
    begin = time.monotonic()
    done = pad_command("set", "click-force=firm", "haptics=10", check=False)
    keep(f"a pad that stalls, after {time.monotonic() - begin:.1f} s", done.stdout)
    assert done.returncode == 75 and "did not answer within" in done.stdout
    assert pad.sets == ["08 03", "09 0a"]
    # It is still there.
    pad_command("set", "click-force=light")
    assert pad.sets == ["08 01"]


def test_a_pad_that_vanishes_between_two_writes_is_gone(plug_in):
    pad = plug_in()
    pad.do("vanish 1")
    done = pad_command("set", "click-force=firm", "haptics=10", check=False)
    keep("a pad that vanishes", done.stdout)
    assert done.returncode == 66 and "was not set: the pad is gone" in done.stdout
    wait_until(lambda: not service.is_active(pad.unit), "its service remains")
    assert service.show("Result", pad.unit) == "success"
    assert not list(SAVED.glob("*")), "what was not set is not saved"


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
        time.sleep(1)
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
    pad.do("forget")
    assert pad.sets == ["08 03", "09 28"]
    pathlib.Path("/sys/module/suspend/parameters/pm_test_delay").write_text("1")
    pathlib.Path("/sys/power/pm_test").write_text("devices")
    service.systemctl("start", "suspend.target")
    assert "PM: suspend debug: Waiting for 1 second" in service.run("dmesg").stdout, "the system was not suspended"
    sent = []
    wait_until(lambda: sent.extend(pad.sets) or len(sent) >= 2, "nothing was sent")
    assert sent == ["08 03", "09 28"]
    assert service.show("Result", "pressured-pad-resume.service") == "success", "it has not asked for it"


def test_a_vendor_protocol_is_never_written_to(plug_in):
    pad = plug_in(settings=vendor(), features=[[0x0E, 1]], serves=False, identity="18 2c2f 0027")
    service.run("udevadm", "settle")
    done = pad_command()
    keep("a pad with a vendor protocol alone", done.stdout)
    assert "it declares no standard setting of its click" in done.stdout
    assert "this Sensel has a vendor protocol that is not written to" in done.stdout
    assert pad_command("set", "click-force=light", check=False).returncode == 65
    assert pad_command("reset", check=False).returncode == 65
    assert not service.is_active(pad.unit) and service.show("ActiveEnterTimestamp", pad.unit) == ""
    pressured = service.run("getfacl", "-cp", f"/dev/{pad.hidraw}").stdout
    assert "_pressured" not in pressured
    assert pad.log == []


@pytest.mark.skipif(shutil.which("login") is None, reason="nobody can log in on a terminal of this guest")
def test_the_person_at_the_seat_is_served_and_a_stranger_is_not(plug_in):
    pad = plug_in()
    service.run("useradd", "-m", "-s", "/bin/sh", "anna", check=False)
    terminals = Terminals()
    try:
        refused = pad_command("set", "click-force=light", user="bob", check=False)
        keep("a user without a session", refused.stdout)
        assert refused.returncode == 77 and "has no session on seat0" in refused.stdout
        terminals.log_in("anna", 2)
        terminals.switch_to("anna")
        assert pad.log == []
        done = pad_command("set", "click-force=light", user="anna")
        keep("the user at the machine", done.stdout)
        assert pad.sets == ["08 01"]
        assert pad_command("set", "haptics=1", user="bob", check=False).returncode == 77
        set_locked("anna", True)
        locked = pad_command("set", "haptics=1", user="anna", check=False)
        assert locked.returncode == 77 and "the session is locked" in locked.stdout
        assert pad.log == []
        set_locked("anna", False)
        wait_until(lambda: pad_command("set", "haptics=1", user="anna", check=False).returncode == 0, "she is not served")
        assert pad.sets == ["09 01"]
        # Connections of one user do not keep others out.
        refused = service.as_user("anna", "python3", "-c", SEVERAL, f"/run/pressured/pad/{pad.hidraw}").stdout
        assert json.loads(refused)["error"]["code"] == "busy"
        pad_command("set", "haptics=2")
        assert pad.sets == ["09 02"]
    finally:
        terminals.end()


def test_a_damaged_configuration_serves_root_alone(plug_in, configure):
    """It may have refused the user at the seat."""
    configure("control: { users: [bob] }\naccess: { seat: perhaps }\n")
    pad = plug_in()
    service.systemctl("stop", pad.unit)
    refused = pad_command("set", "haptics=30", user="bob", check=False)
    assert refused.returncode == 77 and "access.seat is off" in refused.stdout
    pad_command("set", "haptics=30")
    assert pad.sets == ["09 1e"]


def test_the_rate_of_requests_is_limited(plug_in, configure):
    """A pad may keep its settings in a memory that wears out."""
    configure("control: { users: [bob] }\n")
    pad = plug_in()
    service.systemctl("stop", pad.unit)
    lines = service.as_user("bob", "python3", "-c", MANY, f"/run/pressured/pad/{pad.hidraw}").stdout.splitlines()
    replies = [json.loads(line) for line in lines]
    accepted = [reply for reply in replies if reply["ok"]]
    assert len(replies) == 40 and 10 <= len(accepted) < 40
    assert {reply["error"]["code"] for reply in replies if not reply["ok"]} == {"busy"}
    assert len(pad.sets) == len(accepted)
    # What the service does itself is not limited.
    service.systemctl("start", "pressured-pad-resume.service")


def test_the_configuration_may_name_others(plug_in, configure):
    configure("control: { users: [bob] }\n")
    pad = plug_in()
    service.systemctl("stop", pad.unit)
    pad_command("set", "haptics=30", user="bob")
    assert pad.sets == ["09 1e"]


def test_nobody_else_can_write_to_the_node(plug_in):
    pad = plug_in()
    node = f"/dev/{pad.hidraw}"
    for user, may in (("alice", 1), ("_pressured", 1), ("_pressured-pad", 0)):
        assert service.as_user(user, "sh", "-c", f"exec 3<>{node}", check=False).returncode == (0 if may == 0 else 2), user
    assert "g:_pressured-pad:rw" in service.run("getfacl", "-cp", node).stdout.replace("group:", "g:").replace("rw-", "rw")


def test_the_listing_opens_no_device(plug_in):
    pad = plug_in()
    text = service.as_user("alice", "strace", "-f", "-e", "trace=open,openat", "pressured", "pad", "--json").stdout
    assert "sys/class/hidraw" in text and "/dev/hidraw" not in [word.strip('",') for line in text.splitlines()
                                                                 if "openat" in line for word in line.split()]  # fmt: skip
    assert pad.log == []


def test_the_service_ends_when_idle_and_forgets_nothing(plug_in):
    pad = plug_in()
    pad_command("set", "click-force=firm", "--once")
    assert pad.sets == ["08 03"]
    wait_until(lambda: not service.is_active(pad.unit), "it has not ended")
    assert service.is_active(pad.unit.replace("service", "socket"))
    pad_command("set", "haptics=7")
    # The click force is not sent again, and still known.
    assert pad.sets == ["09 07"]
    assert state()["first"]["click_force"]["level"] == "firm"
