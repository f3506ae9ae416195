"""The simulated sensors have the properties that their names state."""

import random
import struct

import pytest
from models import creep
from sensors import ABS, PRESSURE, Curve, Foot, Kelvin, Play, Rig, Sensor


class Records:
    """Takes the place of the daemon and keeps what is written to it."""

    def __init__(self):
        self.seconds = 1000.0
        self.timer = 1 << 62
        self.data = b""

    def write(self, data):
        self.data += data

    def advance(self, seconds):
        self.seconds = seconds

    def pressures(self):
        return [value for _, _, kind, code, value in struct.iter_unpack("<qqHHi", self.data) if (kind, code) == (ABS, PRESSURE)]


def rest(seconds=5.0, **values):
    records = Records()
    rig = Rig(records, Sensor(**values), random.Random(1))
    load = rig.put(Curve((0, 0), (0.2, 100)), [Foot()])
    rig.run(seconds)
    return records, rig, load


def test_creep_is_what_is_added_between_two_seconds_and_a_minute():
    kelvin = Kelvin(creep(0.05, 0.05)(random.Random(1)))
    readings = [kelvin.update(100, 0.01) for _ in range(6000)]
    assert readings[5999] - readings[199] == pytest.approx(5, abs=0.05)


def test_hysteresis_is_the_gap_in_the_middle():
    play = Play(0.05, 500)
    up = [play.update(load, 0) for load in range(501)]
    down = [play.update(load, 0) for load in range(500, -1, -1)]
    assert down[250] - up[250] == pytest.approx(0.05 * 500, rel=0.02)
    assert down[500] == up[0] == 0


def test_firmware_that_tracks_zero_takes_a_load_away():
    records, _, _ = rest(60.0, tracking=10.0, noise=0.0, offset=0.0)
    values = records.pressures()
    assert max(values) > 0.9 * 100 * 2000 / 700
    assert values[-1] < 5
