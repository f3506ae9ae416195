"""Ten sensors of some models: whether stated errors cover, and what is taken for what. `run` measures all models."""

import fades
import pytest
from built import program  # noqa: F401
from models import BY_NAME
from simulation import build_clock
from table import figures, shares
from trials import trial

SENSORS = 10


@pytest.fixture(scope="session")
def clock(tmp_path_factory):
    return build_clock(str(tmp_path_factory.mktemp("clock")))


def measured(program, clock, name):
    return [trial(program, clock, BY_NAME[name], number) for number in range(SENSORS)]


@pytest.mark.parametrize(
    "name", ["base", "hysteresis", "creep", "corners-5", "haptic-palm", "total-2", "levels-64-noise", "noise-1", "feet-4"],
)
def test_errors_cover_and_shrink_with_checks(program, clock, name):
    results = measured(program, clock, name)
    before, after = figures(BY_NAME[name], results, 0), figures(BY_NAME[name], results, 6)
    assert before["refused"] == 0, [result["refusal"] for result in results]
    assert before["coverage"] >= BY_NAME[name].goal, before
    assert after["coverage"] >= 90, after
    assert before["unstated"] <= 5 and before["stable"] >= 95 and before["early"] == 0, before


def test_the_error_of_a_good_pad_is_small(program, clock):
    model, results = BY_NAME["base"], measured(program, clock, "base")
    errors = [figures(model, results, checks)["error"] for checks in (0, 3, 6)]
    assert errors[0] <= 6 and errors[1] <= 4 and errors[2] <= 3, errors
    assert figures(model, results)["repeat"] <= 0.5


def test_the_area_of_a_contact_is_an_estimate_until_a_check(program, clock):
    model, results = BY_NAME["size-other"], measured(program, clock, "size-other")
    assert figures(model, results, 0)["unstated"] == 100
    assert figures(model, results, 6)["unstated"] == 0


@pytest.mark.parametrize("name", ["kernel-1", "kernel-4"])
def test_the_units_of_the_kernel_have_the_error_of_their_rounding(program, clock, name):
    values = figures(BY_NAME[name], measured(program, clock, name))
    assert values["unstated"] == 0 and values["coverage"] >= 95, values


@pytest.mark.parametrize("name", ["saturated", "saturated-2", "saturated-haptic", "clipped"])
def test_a_saturated_contact_has_no_stable_reading(program, clock, name):
    assert figures(BY_NAME[name], measured(program, clock, name))["stable"] <= 2


def test_the_same_sensor_gives_the_same_readings(program, clock):
    first, second = (trial(program, clock, BY_NAME["base"], 3) for _ in range(2))
    assert first == second


def faded(program, clock, name):
    results = [fades.trial(program, clock, fades.BY_NAME[name], number) for number in range(SENSORS)]
    assert not any(result["refusal"] for result in results)
    return shares(results)


@pytest.mark.parametrize("name", ["zeroed", "zeroed-noise", "track-fast", "track", "track-40"])
def test_the_error_covers_what_firmware_takes_away(program, clock, name):
    values = faded(program, clock, name)
    assert values["wrong"] <= 5 and values["decaying"] > 20, values


@pytest.mark.parametrize("name", ["sand", "bites", "rocking", "swing", "evaporation", "tared", "pour", "foot", "bare-load"])
def test_nothing_else_is_taken_for_it(program, clock, name):
    values = faded(program, clock, name)
    assert values["decaying"] == values["rezero"] == 0 and values["wrong"] <= 2, values


def test_a_zero_that_wanders_is_recognized(program, clock):
    assert faded(program, clock, "bare-drift")["rezero"] > 20
