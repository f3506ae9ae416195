"""The simulated sensors have the properties that their names state."""

import random

import pytest
from models import creep
from sensors import Kelvin, Play


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
