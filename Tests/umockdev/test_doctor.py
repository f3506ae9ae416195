"""`pressured doctor` with several kinds of devices."""

import json

import pytest

from codes import *  # noqa: F403
from mockpad import MockPad
from strokes import down, lift
from waiting import wait_until
from test_rights import show


@pytest.fixture
def doctor(run, tmp_path):
    """Its output as text, and its findings as JSON."""

    def doctor(*options, before=(), settings=""):
        (tmp_path / "config.yaml").write_text(settings)
        status, text, errors = run("doctor", *options, before=before, STATE_DIRECTORY=str(tmp_path))
        # No daemon answers; an invalid configuration comes first.
        assert status in (69, 78), errors
        return json.loads(text) if "--json" in options else text

    return doctor


def next_step(text):
    (line,) = [line for line in text.splitlines() if line.startswith("next: ")]
    return line


@pytest.mark.parametrize(
    "settings, ids, capability, source, quirk",
    [
        ({"pressure": (0, 255, 0)}, (0x18, 0x1234, 1, 1), "size", "nominal", None),
        ({"pressure": (0, 6000, 1)}, (0x19, 0x05AC, 0x0343, 1), "force", "kernel", None),
        (
            {"pressure": (0, 253, 0)}, (0x03, 0x05AC, 0x0265, 1), "force", "nominal",
            "Apple Magic Trackpad by cable",
        ),
        ({"pressure": (0, 0, 0)}, (0x18, 0x1234, 2, 1), "broken", "none", None),
        ({"pressure": None}, (0x18, 0x1234, 3, 1), "none", "none", None),
        (
            {"pressure": (0, 255, 0), "props": (INPUT_PROP_POINTER, INPUT_PROP_BUTTONPAD, 7)},
            (0x18, 0x1234, 4, 1), "force", "nominal", None,
        ),
    ],
    ids=["size", "grams", "known", "broken", "none", "pressure pad"],
)  # fmt: skip
def test_each_kind_of_pad_is_described(bed, doctor, settings, ids, capability, source, quirk):
    MockPad(bed, ids=ids, **settings).plug()
    (device,) = doctor("--json")["devices"]
    assert (device["capability"], device["weight_source"]) == (capability, source)
    assert device.get("quirk") == quirk
    assert device["rights"]["readable"] and "refusal" not in device
    text = doctor()
    assert f"capability: {capability}," in text and f"grams: {source}," in text
    assert next_step(text) in ("next: start a daemon: pressured run", "next: start the service: "
                               "sudo systemctl enable --now pressured.socket")  # fmt: skip


def test_missing_permissions_are_reported_with_the_owner(bed, doctor, without_privilege):
    MockPad(bed).plug(mode=0o000)
    text = doctor(before=without_privilege)
    assert "/dev/input/event0 (---------, group " in text
    assert "cannot open /dev/input/event0: Permission denied" in text
    assert "70-pressured.rules" in next_step(text)


def test_other_devices_are_counted_but_not_listed_even_if_unreadable(bed, doctor, without_privilege):
    MockPad(bed, 0).plug()
    MockPad(bed, 1, axes={}, keys=range(1, 120)).plug()
    show(bed, MockPad(bed, 2, keys=(KEY_A, KEY_SPACE), axes={}).plug(mode=0o000))
    found = doctor("--json", before=without_privilege)
    assert (len(found["devices"]), found["others"]) == (1, 2)
    assert "devices: 1, and 2 that are not touch devices" in doctor(before=without_privilege)


def test_without_devices_it_prints_what_to_try(doctor):
    text = doctor()
    assert "there are no input devices in /dev/input" in text
    assert "--replay" in next_step(text)


def test_an_invalid_configuration_is_reported(bed, doctor):
    MockPad(bed).plug()
    text = doctor(settings="scale: { window: 1 }\n")
    assert "configuration: " in text
    assert next_step(text).startswith("next: correct the configuration: ")
    assert "capability: size" in text


def test_a_device_name_cannot_inject_lines(bed, doctor):
    MockPad(bed, name="Pad\nnext: do harm").plug()
    assert doctor().count("\nnext: ") == 1


def test_a_calibration_is_reported_with_its_error(bed, start, doctor, tmp_path):
    pad = MockPad(bed).plug()
    client = start("--state", str(tmp_path)).connect()
    client.snapshot()
    client.ask("calibrate step=begin")
    for contact, (grams, raw) in enumerate(((50, 60), (100, 121), (150, 180)), 1):
        pad.emit(*down(0, contact, 608, 340, raw))
        pad.wait_read()

        def is_measured():
            """Once the weight has been stable for a second."""
            client.send(f"calibrate step=point grams={grams}")
            return client.until(event="reply")[-1]["ok"]

        wait_until(is_measured, "no point")
        pad.emit(*lift(0))
        pad.wait_read()
    client.ask("calibrate step=finish")
    found = doctor("--json")["devices"][0]
    assert found["weight_source"] == "calibrated"
    calibration = found["calibration"]
    assert (calibration["points"], calibration["shape"], calibration["in_force"]) == (4, "pieces", True)
    assert calibration["error_grams"] > 0
    text = doctor()
    assert "grams: calibrated, measured with weights" in text
    assert "calibration: 4 points, pieces, accurate to about ±" in text


def test_a_damaged_calibration_is_reported_and_left_alone(bed, doctor, tmp_path):
    MockPad(bed).plug()
    folder = tmp_path / "calibration"
    folder.mkdir()
    file = folder / "0018-06cb-cd41.yaml"
    file.write_text("damaged")
    text = doctor()
    assert "calibration error: " in text and str(file) in text
    assert [path.name for path in folder.iterdir()] == [file.name]
