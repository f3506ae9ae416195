"""The simulated sensors have the properties that their names state."""

import random
import struct

import pytest
from models import creep
from sensors import ABS, MSC, PRESSURE, Curve, Foot, Kelvin, Play, Rig, Sensor


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

    def times(self):
        return [s + us / 1e6 for s, us, kind, _, _ in struct.iter_unpack("<qqHHi", self.data) if kind == MSC]


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


def test_the_center_is_as_it_is_and_a_corner_as_stated():
    sensor = Sensor(corners=(0.1, -0.1, 0.05, 0))
    assert sensor.sensitivity(0.5, 0.5) == 1
    assert sensor.sensitivity(0, 0) == pytest.approx(1.1)
    assert sensor.sensitivity(1, 0) == pytest.approx(0.9)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"creep": ((0.05, 3.0),)},
        {"exponent": 0.66, "offset": 20.0, "has_timestamp": False},
        {"hum": ((2.0, 50.1),), "vibration": ((1.0, 7.0),)},
        {"tracking": 20.0, "hysteresis": 0.03},
    ],
)
def test_the_short_way_gives_the_same_events(monkeypatch, values):
    short, _, _ = rest(**values)
    monkeypatch.setattr(Rig, "is_plain", False)
    long, _, _ = rest(**values)
    assert short.pressures() == long.pressures()
    assert short.data == long.data


def test_frames_come_at_the_rate_of_the_sensor():
    records, _, _ = rest(rate=60.0)
    assert len(records.times()) == pytest.approx(300, abs=1)
    records, _, _ = rest(rate=60.0, jitter=0.4, loss=0.1)
    times = records.times()
    assert len(times) == pytest.approx(270, abs=20)
    assert all(later > earlier for earlier, later in zip(times, times[1:]))


def test_noise_has_the_stated_size():
    records, _, _ = rest(20.0, noise=1.0, offset=0.0, maximum=7000, full_scale=700.0)
    values = records.pressures()[100:]
    mean = sum(values) / len(values)
    assert mean == pytest.approx(1000, abs=2)
    assert (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5 == pytest.approx(10, rel=0.1)


def test_firmware_that_tracks_zero_takes_a_load_away():
    records, _, _ = rest(60.0, tracking=10.0, noise=0.0, offset=0.0)
    values = records.pressures()
    assert max(values) > 0.9 * 100 * 2000 / 700
    assert values[-1] < 5
