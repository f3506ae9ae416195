"""Ten sensors of some models: whether stated errors cover, and what is taken for what.

`Tests/accuracy/run` measures all models; docs/development/accuracy.md has its table.
"""

import fades
import pytest
from models import BY_NAME
from sensors import Curve, Rig
from simulation import Simulation
from table import figures
from trials import seeded, trial

SENSORS = 10

# Model, mode, coverage of the stated errors in percent, and how many times the true 95th percentile the error may be.
GOALS = [
    ("base", "quick", 95, None),
    ("knee", "quick", 90, None),
    ("overshoot", "quick", 95, None),
    ("jitter", "quick", 95, None),
]


@pytest.mark.parametrize("name,mode,coverage,ratio", GOALS)
def test_errors_that_are_stated_cover(program, clock, name, mode, coverage, ratio):
    model = BY_NAME[name]
    values = figures([trial(program, clock, model, mode, number) for number in range(SENSORS)])
    assert not values["failures"]
    assert values["calibrated"] == 100, values["refusals"]
    assert values["coverage"] >= coverage, values
    assert values["never"] <= 5, values
    if ratio is not None:
        assert values["ratio"] <= ratio, values


def test_the_same_sensor_gives_the_same_readings(program, clock):
    first, second = (trial(program, clock, BY_NAME["base"], "quick", 3) for _ in range(2))
    assert first == second


def test_a_minute_of_rest_passes_at_once(program, clock):
    model = BY_NAME["base"]
    random = seeded(model, "clock", 0)
    sensor = model.make(random)
    simulation = Simulation(program, clock, sensor.description())
    try:
        rig = Rig(simulation, sensor, random)
        rig.run(60)
        load = rig.put(Curve((0, 0), (0.2, 100)))
        rig.run(1)
        (device,) = simulation.ask({"do": "stats"})["result"]["devices"]
        assert device["uptime"] >= 61_000_000
        assert device["frames"] == 1 + 100
        rig.lift(load)
        assert simulation.ask({"do": "state"})["result"][0]["contacts"] == []
    finally:
        simulation.close()


@pytest.mark.parametrize("name", ["rest", "tared", "pour", "marbles-out"])
def test_loads_that_rest_or_change_are_not_called_decaying(program, clock, name):
    values = fades.figures([fades.trial(program, clock, fades.BY_NAME[name], number) for number in range(SENSORS)])
    assert values["usable"] == SENSORS
    assert values["flagged"] == 0
    assert values["rezero"] == 0
