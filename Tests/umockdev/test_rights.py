"""A node that is not readable at first, as before udev has set its group."""

import os

from codes import BTN_TOOL_PEN, BTN_TOUCH, KEY_A, KEY_SPACE
from mockdaemon import of_kind
from mockpad import MockPad
from strokes import down


def test_a_node_that_becomes_readable_later_is_read_then(bed, start, without_privilege):
    pad = MockPad(bed).plug(mode=0o000)
    daemon = start(before=without_privilege)
    client = daemon.connect()
    assert client.subscribe_to_all() == []
    daemon.wait_logged("cannot open /dev/input/event0: Permission denied")
    # It is tried again, and reported once.
    for _ in range(3):
        pad.chmod(0o000)

    pad.chmod(0o400)
    (added,) = client.until(event="device")
    assert (added["change"], added["node"]) == ("added", pad.node)
    pad.emit(*down(0, 45, 608, 340, 51))
    assert of_kind(client.after(pad), "contact")[0]["contact"] == 45
    assert daemon.log.count("cannot open") == 1


def show(bed, pad):
    """Makes the world-readable sysfs attributes of a device available."""
    folder = f"{bed.root}/sys/class/input/{os.path.basename(pad.node)}/device/capabilities"
    os.makedirs(folder)
    for kind, codes in (("key", pad.keys), ("abs", pad.axes)):
        bits = sum(1 << code for code in codes)
        words = [f"{bits >> shift & (1 << 64) - 1:x}" for shift in reversed(range(0, 768, 64))]
        with open(f"{folder}/{kind}", "w", encoding="ascii") as file:
            print(*words, file=file)


def test_an_unreadable_device_that_is_not_a_touch_device_is_not_reported(bed, start, without_privilege):
    show(bed, MockPad(bed, 0, keys=(KEY_A, KEY_SPACE), axes={}).plug(mode=0o000))
    show(bed, MockPad(bed, 1, keys=(BTN_TOOL_PEN, BTN_TOUCH), axes={}).plug(mode=0o000))
    show(bed, MockPad(bed, 2).plug(mode=0o000))
    show(bed, MockPad(bed, 3, keys=(BTN_TOUCH,), axes={}).plug(mode=0o000))
    daemon = start(before=without_privilege)
    assert daemon.connect().subscribe_to_all() == []
    daemon.wait_logged("no readable touch device found")
    nodes = [f"/dev/input/event{number}" for number in (2, 3)]
    assert [line for line in daemon.log.splitlines() if "cannot open" in line] == [
        f"pressured: cannot open {node}: Permission denied" for node in nodes
    ]
