"""Uncertainty of the pressure axis: it is reported with each value, and no estimate passes for a weight."""

import pathlib

import pytest

from connection import events_of, lines_of
from recording import Recording

DUMPS = pathlib.Path(__file__).parents[1] / "PressureKitTests" / "Recordings"

AXES = """\
# EVEMU 1.2
N: {name}
I: {identity} 0100
P: 05 00 00 00 00 00 00 00
B: 00 0b 00 00 00 00 00 00 00
A: 2f 0 4 0 0 0
A: 35 0 1000 0 0 10
A: 36 0 600 0 0 10
A: 39 0 65535 0 0 0
A: 3a {pressure}
"""


def pad(pressure, identity="0018 1234 5678", name="Pad"):
    """A recording of a pad other than the default one."""
    recording = Recording()
    recording.parts = [AXES.format(name=name, identity=identity, pressure=pressure)]
    return recording


@pytest.fixture
def lines(replay, write):
    def lines(recording):
        path = recording if isinstance(recording, pathlib.Path) else write(recording)
        result = replay(str(path))
        assert result.returncode == 0, result.stderr
        return lines_of(result.stdout)

    return lines


def heaviest_reading(lines):
    return max(events_of(lines, "weight"), key=lambda line: line["total_grams"])


def test_a_pad_with_a_resolution_reads_grams_without_calibration(lines):
    output = lines(DUMPS / "true-force.evemu")
    device = output[1]
    assert device["pressure"] == {"minimum": 0, "maximum": 6000, "resolution": 1}
    assert (device["capability"], device["weight_source"]) == ("force", "kernel")
    for reading in events_of(output, "weight"):
        for contact in reading["contacts"]:
            assert contact["grams"] == contact["raw"]
    assert heaviest_reading(output)["total_grams"] > 100


def test_a_pad_of_unknown_units_reports_an_estimate(lines):
    """0 to 253 without a resolution, as on the Magic Trackpad, on a pad without a quirk."""
    output = lines(pad("0 253 0 0 0").touch([50, 200, 50]))
    assert (output[1]["capability"], output[1]["weight_source"]) == ("size", "nominal")
    assert all(line["error_grams"] is None for line in events_of(output, "scale"))


@pytest.mark.parametrize("identity", ["0003 05ac 0265", "0005 004c 0324"])
def test_a_pad_known_to_measure_force_still_reports_an_estimate(lines, identity):
    output = lines(pad("0 253 0 0 0", identity).touch([50, 200, 50]))
    assert (output[1]["capability"], output[1]["weight_source"]) == ("force", "nominal")
    assert heaviest_reading(output)["total_grams"] == pytest.approx(200 / 253 * 385, abs=0.05)


def test_an_axis_without_a_range_is_broken(lines):
    output = lines(pad("0 0 0 0 0").touch([50, 200, 50]))
    assert (output[1]["capability"], output[1]["weight_source"]) == ("broken", "none")
    assert all(line["total_grams"] is None for line in events_of(output, "weight"))


def test_an_axis_that_stays_at_its_minimum_is_reported_as_broken(lines):
    recording = pad("0 255 0 0 0")
    for _ in range(6):
        recording.touch([0, 0, 0])
    (changed,) = [line for line in lines(recording)[2:] if line["event"] == "device"]
    assert (changed["change"], changed["capability"]) == ("changed", "broken")


def test_an_axis_that_uses_little_of_its_declared_range_is_noticed(serve):
    """A real Elantech pad declares 0 to 255 and reports 1 to 16."""
    recording = pad("0 255 0 0 0").pause(100)
    for number in range(20):
        recording.touch([1, 7 + number % 10, 1], milliseconds=2)
    daemon = serve(recording, "--speed", "4")
    daemon.connect().until(lambda line: line["event"] == "contact" and line["contact"] == 20
                           and line["phase"] == "ended")  # fmt: skip
    daemon.terminate()
    assert "no touch has exceeded 16 of the declared range 0 to 255" in daemon.log
    assert "effective_maximum: 16" in daemon.log


QUIRK = """
quirks:
  - { title: mine, MatchVendor: 0x1234, MatchProduct: 0x5678, ModelPressurePad: 1, AttrEffectiveMaximum: 190 }
"""


def test_a_quirks_file_of_the_user_corrects_a_device(replay, write):
    write(QUIRK, "quirks.yaml")
    configuration = write("quirks_file: quirks.yaml\n", "config.yaml")
    recording = write(pad("0 253 0 0 0").touch([50, 200, 50]))
    result = replay(recording, "--config", configuration)
    device = lines_of(result.stdout)[1]
    assert (device["capability"], device["effective_maximum"]) == ("force", 190)
