"""The JavaScript module, without a browser."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(script):
    if shutil.which("node") is None:
        pytest.skip("nodejs is not installed")
    return json.loads(subprocess.check_output(["node", ROOT / "Tests/web" / script], text=True))


@pytest.fixture(scope="module")
def printed():
    return run("mapping.mjs")


def test_the_formulas_are_those_of_pressurekit(printed):
    text = (ROOT / "Tests/PressureKitTests/ForceMappingTests.swift").read_text(encoding="utf-8")
    expected = float(re.search(r"sumOfAll = ([\d.]+)", text)[1])
    assert printed["sum"] == pytest.approx(expected, rel=1e-12)


def test_lines_are_read_in_pieces_up_to_a_limit(printed):
    assert printed["lines"] == ['{"name":"Füße"}', '{"a":1}']
    assert printed["limits"] == [True, False]


def test_force_is_that_of_the_pressed_device_while_it_is_connected():
    force = run("force.mjs")
    # The pressure of a pointer, the force of the mouse, and that of a finger on a touchscreen, of which there is none at first.
    assert force["steps"]["pressed"][:2] == [0.8, 2.5]
    assert force["steps"]["other device"][:2] == [0.8, 2.5]
    assert force["steps"]["lost"][:2] == [0.5, 1]
    # The device with one contact, as the touchscreen has one finger.
    assert force["steps"]["touched"][2] == 0.2
    each = ["webkitmouseforcechanged", "webkitmouseforcedown"]
    assert force["dispatched"] == ["webkitmouseforcewillbegin", *each, "webkitmouseforceup", *each]


def test_a_plot_of_minutes_has_all_extremes_and_few_points():
    plot = run("curves.mjs")
    # 60,000 values: each of two contacts has at most four in each of 500 columns and in that which moves out.
    assert plot["most"] <= 2 * 4 * 502
    assert plot["drawn"] == plot["shown"]
    assert plot["runs"] == 8
    assert plot["isSame"]
