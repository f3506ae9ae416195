"""Devices that are added, removed and revoked, with a real kernel and a real udev."""

import ctypes
import fcntl
import os
import pathlib

import service
from connection import events_of

EVERYTHING = "subscribe events=device,contact,weight max_hz=0"
# _IOW('E', 0x91, int) of linux/input.h
EVIOCREVOKE = 0x40044591
# Few enough for the kernel's buffer, so that the reading speed does not matter.
BURST = 10


def subscribe_to_all(connect):
    """A client that subscribes to all events, after its request was granted."""
    client = connect(EVERYTHING)
    client.event("reply")
    return client


def readings(client, pad, count):
    """Makes the pad send that many frames, a few at a time; returns the reading of each."""
    raws = []
    for _ in range(count // BURST):
        pad.frames(BURST, 0.004)
        for _ in range(BURST):
            line = client.event("weight")
            raws.append([contact["raw"] for contact in line["contacts"]])
    return raws


def touch(client, pad, pressure=100):
    pad.press(pressure)
    return client.event("contact", phase="began")


def test_a_pad_of_hid_multitouch_is_read_to_the_last_frame(connect, plug):
    client = subscribe_to_all(connect)
    pad = plug("synthetic.hid")
    assert client.event("device", change="added")["name"] == "Synthetic HID Pad Touchpad"
    assert readings(client, pad, 100) == [[raw] for raw in range(1, 101)]
    pad.lift()
    client.event("contact", phase="ended")


def opens(user, node, manner="<"):
    return service.as_user(user, "sh", "-c", f"exec 3{manner}{node}", check=False).returncode == 0


def test_the_service_may_read_the_pad_and_nothing_else(plug):
    pad = plug("pad")
    service.run("udevadm", "settle")
    keyboard = "/dev/input/by-path/platform-i8042-serio-0-event-kbd"
    assert opens("root", keyboard)
    assert opens("_pressured", pad.node)
    assert not opens("_pressured", pad.node, "<>")
    assert not opens("_pressured", keyboard)
    assert not opens("alice", pad.node)
    # Nodes keep their group, and only touch devices have an entry.
    for path in sorted(pathlib.Path("/dev/input").glob("*")):
        if path.is_dir():
            continue
        entries = service.run("getfacl", "-cp", path).stdout
        assert path.group() == "input"
        assert ("_pressured:r--" in entries) == (str(path) == pad.node), f"{path}\n{entries}"


def test_a_node_that_becomes_readable_late_is_read(connect, plug):
    client = subscribe_to_all(connect)
    service.run("udevadm", "control", "--stop-exec-queue")
    try:
        pad = plug("pad")
        assert not opens("_pressured", pad.node)
        assert client.ask("devices")["result"] == []
    finally:
        service.run("udevadm", "control", "--start-exec-queue")
    assert client.event("device", change="added")["node"] == pad.node
    touch(client, pad)


def stolen_descriptor(process, node):
    """The service's own descriptor of a node, as a session manager would hold it."""
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    for name in os.listdir(f"/proc/{process}/fd"):
        if os.readlink(f"/proc/{process}/fd/{name}") == node:
            holder = syscall(434, process, 0)
            return syscall(438, holder, int(name), 0)
    raise AssertionError(f"{node} is not open")


def test_a_revoked_device_cancels_its_contacts(connect, plug):
    pad = plug("pad")
    client = subscribe_to_all(connect)
    touch(client, pad)
    descriptor = stolen_descriptor(service.main_pid(), pad.node)
    fcntl.ioctl(descriptor, EVIOCREVOKE, 0)
    os.close(descriptor)
    lines = client.until(lambda line: line.get("change") == "removed")
    assert [line["phase"] for line in events_of(lines, "contact")] == ["cancelled"]
    assert service.is_active()


def test_contacts_end_when_the_kernel_silences_the_device(connect, plug):
    pad = plug("pad")
    client = subscribe_to_all(connect)
    touch(client, pad)
    (pad.folder / "inhibited").write_text("1")
    pad.press(120)
    (pad.folder / "inhibited").write_text("0")
    pad.lift()
    # Whether the kernel or the finger ends the contact, it ends once.
    ended = client.event("contact", phase="ended")
    assert ended["peak_force"] > 0
    touch(client, pad, 50)
    pad.lift()
    assert client.event("contact", phase="ended")["contact"] != ended["contact"]


def test_a_touch_during_a_suspend_ends_once_and_reading_continues(connect, plug):
    pad = plug("pad")
    client = subscribe_to_all(connect)
    process = service.main_pid()
    contact = touch(client, pad)["contact"]
    # Freezes all processes and suspends all devices; the kernel wakes up after a second.
    for name, word in (("module/suspend/parameters/pm_test_delay", "1"), ("power/pm_test", "devices"), ("power/state", "freeze")):
        pathlib.Path("/sys", name).write_text(word)
    pad.lift()
    assert client.event("contact", phase="ended")["contact"] == contact
    assert readings(client, pad, 50) == [[raw] for raw in range(1, 51)]
    assert service.main_pid() == process
    log = service.run("dmesg").stdout
    assert "PM: suspend debug: Waiting for 1 second" in log, "the system was not suspended"


def test_a_queue_overflow_leaves_no_contact_down(connect, plug):
    """The kernel drops the events that the stopped service does not read; libevdev then queries the state."""
    pad = plug("pad")
    client = subscribe_to_all(connect)
    process = service.main_pid()
    touch(client, pad)
    os.kill(process, 19)
    pad.frames(500)
    pad.lift()
    os.kill(process, 18)
    ended = client.event("contact", phase="ended")
    assert ended["peak_force"] > 0
    assert client.ask("state")["result"][0]["contacts"] == []
    touch(client, pad)
