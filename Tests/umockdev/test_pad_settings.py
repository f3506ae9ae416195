"""`pressured pad`: what it lists, in words and as JSON, what it refuses, and what arrives at the node of a pad.

The node answers as those of usbhid and i2c-hid do; with the kernel's own nodes all this is tested in Tests/vm.
"""

import json
import os
import pathlib
import signal
import subprocess

import pytest

from hidraw import Hidraw, known
from mockpad import DEADLINE, MockPad

PIXART = "0018-093a-4f05-i2cPIXA3854:00"


@pytest.fixture
def pad_verb(run, tmp_path):
    """Runs `pressured pad`, which stores everything below a folder of the test."""
    return lambda *words: run("pad", *words, "--state", str(tmp_path / "state"), "--runtime", str(tmp_path / "run"))


def test_a_pad_is_listed_with_what_it_declares(bed, pad_verb):
    bed.add_hidraw(0, known("pixart-inherited"))
    assert pad_verb() == (0, f"""\
/dev/hidraw0: PIXA3854:00 093A:4F05 ({PIXART})
  click force: as the pad came; it can be 110, 150 or 190 g
  haptic strength: as the pad came; it can be 0 to 100 %
""", "")


def test_a_panel_gets_an_object_for_each_pad(bed, pad_verb):
    bed.add_hidraw(0, known("pixart-inherited"))
    bed.add_hidraw(3, known("pixart-inherited"))
    status, output, _ = pad_verb("--json")
    first, second = map(json.loads, output.splitlines())
    assert status == 0
    assert (first["device"], second["device"]) == (PIXART, f"{PIXART}#2")
    assert first.pop("descriptor") == second["descriptor"]
    assert first == {
        "device": PIXART, "name": "PIXA3854:00 093A:4F05", "node": "/dev/hidraw0", "remarks": [],
        "click_force": {"minimum_grams": 110, "maximum_grams": 190, "steps": 3, "steps_grams": [110, 150, 190]},
        "haptics": {"steps": 101},
    }  # fmt: skip


def test_a_pad_without_settings_is_described(bed, pad_verb):
    bed.add_hidraw(0, b"\x05\x0d\x09\x05\xa1\x01\xc0", identity="0018:00002C2F:00000027", name="Pad")
    bed.add_hidraw(1, b"\x05\x01\x09\x06\xa1\x01\xc0")
    bed.add_hidraw(2, b"\xff" * 100)
    assert pad_verb() == (0, """\
/dev/hidraw0: Pad (0018-2c2f-0027-i2cPIXA3854:00)
  it declares no standard setting of its click, so there is nothing to set
""", "")
    status, output, errors = pad_verb("set", "click-force=light")
    assert (status, output) == (65, "") and "it declares no standard setting of its click" in errors
    assert pad_verb("reset")[0] == 65


def test_without_a_pad_there_is_nothing_to_list(bed, pad_verb):
    status, output, errors = pad_verb()
    assert (status, output) == (66, "") and "no touchpad" in errors


@pytest.mark.parametrize("words, status, message", [
    (["set", "click-force=250"], 65, "click-force=250 is out of range: 110, 150 or 190 g"),
    (["set", "haptics=101"], 65, "haptics=101 is out of range: 0 to 100 %"),
    (["set", "haptics=5", "haptics=6"], 64, "haptics is named twice"),
    (["set", "volume=5"], 64, "is not a setting"),
    (["set"], 64, "name a setting"),
    (["reset", "haptics=5"], 64, "reset has no settings; write set haptics=5"),
    (["list", "set"], 64, "list has no settings; name one of list, set, reset and restore"),
    (["set", "click-force=40%"], 64, "a number of grams, not"),
    (["set", "haptics=5", "--device", "0018-dead-beef"], 66, f"there are {PIXART}"),
    (["--once"], 64, "--once belongs to set"),
    (["set", "haptics=5", "--json"], 64, "--json belongs to the list"),
])
def test_mistakes_are_explained(bed, pad_verb, words, status, message):
    bed.add_hidraw(0, known("pixart-inherited"))
    done, output, errors = pad_verb(*words)
    assert (done, output) == (status, ""), errors
    assert message in errors


FEATURES = {8: b"\x02", 9: b"\x32"}


@pytest.fixture
def plug(bed):
    """A pad with a node; without more it is that of PixArt, which returns the click force 2 of 1 to 3 and half of the strength."""

    def plug(descriptor=known("pixart-inherited"), features=FEATURES, **more):
        bed.add_hidraw(0, descriptor)
        return Hidraw(bed, 0, descriptor, features, **more)

    return plug


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_request_ends_first(bed, plug, program, tmp_path, number):
    pad = plug()
    command = [program, "pad", "set", "click-force=firm", "haptics=40", "--state", tmp_path / "state", "--runtime", tmp_path / "run"]
    write = pad.set

    def interrupt(data):
        process.send_signal(number)
        return write(data)

    pad.set = interrupt
    with subprocess.Popen(command, env={"PATH": os.environ["PATH"], **bed.environment}, stdout=subprocess.DEVNULL) as process:
        assert pad.wait_for_sets(2) == ["08 03", "09 28"]
        assert process.wait(DEADLINE) == 0


@pytest.mark.parametrize("node", [{"identity": (0x18, 0x093A, 0x4811)}, {"features": {}, "swapped": True}])
def test_another_device_of_the_node_is_not_written_to(bed, plug, pad_verb, node):
    """Another product with the same descriptor, and another descriptor."""
    swapped = node.pop("swapped", False)
    pad = plug(**node)
    if swapped:
        pad.descriptor = known("redrix")
    status, output, errors = pad_verb("set", "click-force=firm")
    assert status == 66 and "/dev/hidraw0 belongs to another device by now; nothing was written" in errors
    assert pad.log == []


@pytest.mark.parametrize("descriptor, sentence", [
    (known("pixart-inherited"), "pressured pad sets its click force and haptic strength"),
    (b"\x05\x0d\x09\x05\xa1\x01\xc0", "it declares no standard setting of its click, so there is nothing to set"),
], ids=["both", "none"])
def test_the_lists_of_devices_name_what_can_be_set(bed, run, descriptor, sentence):
    bed.add_hidraw(0, descriptor, instance="0018:093A:4F05.0001")
    pad = MockPad(bed).plug()
    folder = pathlib.Path(f"{bed.root}/sys/class/input/event{pad.number}/device")
    folder.mkdir(parents=True)
    (folder / "device").symlink_to("../../../../devices/0018:093A:4F05.0001")

    def output(*words):
        return run(*words)[1]

    assert output("devices").startswith("/dev/input/event0: ") and f"\n  {sentence}\n" in output("devices")
    assert f"  settings: {sentence}\n" in output("doctor")
    assert json.loads(output("doctor", "--json"))["devices"][0]["pad_settings"] == sentence
