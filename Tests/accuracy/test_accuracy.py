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

# The model, how it is calibrated, and the coverage of its stated errors in percent.
GOALS = [
    ("base", "quick", 90),
    ("hysteresis", "quick", 90),
    ("hysteresis", "thorough", 95),
    ("creep", "quick", 90),
    ("creep", "thorough", 95),
    ("corners-10", "thorough", 95),
    ("haptic-palm", "quick", 90),
    ("total-2", "quick", 90),
    ("levels-65536", "quick", 90),
    ("levels-64-noise", "quick", 90),
    ("noise-1", "quick", 90),
]


def measured(program, clock, name, mode):
    return figures([trial(program, clock, BY_NAME[name], mode, number) for number in range(SENSORS)])


@pytest.mark.parametrize("name,mode,coverage", GOALS)
def test_errors_that_are_stated_cover(program, clock, name, mode, coverage):
    values = measured(program, clock, name, mode)
    assert values["calibrated"] == 100, values["refusals"]
    assert values["coverage"] >= coverage, values
    assert values["unstated"] <= 5, values
    assert values["never"] <= 5, values
    assert values["early"] == 0, values


@pytest.mark.parametrize("name", ["feet-2", "feet-4", "haptic-2"])
def test_errors_of_several_contacts_cover(program, clock, name):
    """A contact that carries less than the lightest weight has no error, and then the sum has none either."""
    values = measured(program, clock, name, "quick")
    assert values["coverage"] >= 90, values
    assert values["unstated"] < 60, values


@pytest.mark.parametrize("name", ["kernel-1", "kernel-4"])
def test_the_units_of_the_kernel_have_the_error_of_their_rounding(program, clock, name):
    values = measured(program, clock, name, "quick")
    assert values["unstated"] == 0, values
    assert values["coverage"] >= 95, values


@pytest.mark.parametrize("name", ["saturated", "saturated-2", "saturated-haptic"])
def test_a_saturated_contact_has_no_stable_reading(program, clock, name):
    assert measured(program, clock, name, "quick")["over"] == 0


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


def faded(program, clock, name):
    values = fades.figures([fades.trial(program, clock, fades.BY_NAME[name], number) for number in range(SENSORS)])
    assert values["usable"] == SENSORS, values
    return values


@pytest.mark.parametrize("name", ["track", "track-40", "track-63", "track-noise"])
def test_a_load_that_firmware_takes_away_is_recognized(program, clock, name):
    values = faded(program, clock, name)
    assert values["early"] == SENSORS, values
    assert values["loss"] < 0.25, values
    assert values["wrong_answers"] == 0, values


@pytest.mark.parametrize("name", ["rest", "tared", "pour", "marbles-in", "foot", "bare-load"])
def test_nothing_else_is_taken_for_it(program, clock, name):
    values = faded(program, clock, name)
    assert values["flagged"] == 0
    assert values["rezero"] == 0


@pytest.mark.parametrize("name", ["drain", "marbles-out", "finger"])
def test_a_load_that_becomes_less_is_seldom_taken_for_it(program, clock, name):
    assert faded(program, clock, name)["flagged"] <= 0.2 * SENSORS


def test_a_zero_that_wanders_is_recognized(program, clock):
    assert faded(program, clock, "bare-drift")["rezero"] == SENSORS
