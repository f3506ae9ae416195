"""A response curve changes when stages are reached, but not the measured values."""

import json

import pytest

from recording import Recording

CURVE = "press: { curve: [{ ratio: 0.5, output: 0.2 }, { ratio: 0.8, output: 0.8 }] }\n"


def curved(ratio):
    points = [(0, 0), (0.5, 0.2), (0.8, 0.8), (1, 1)]
    for (x, y), (x2, y2) in zip(points, points[1:]):
        if ratio <= x2:
            return y + (ratio - x) / (x2 - x) * (y2 - y)


@pytest.fixture
def lines(replay, write):
    recording = write(Recording().touch(range(5, 256, 5)))

    def lines(config):
        done = replay(recording, "--config", write(config, "config.yaml"))
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return lines


def first(lines, stage):
    return next(line for line in lines if line["event"] == "press" and line["stage"] == stage)


def test_stages_are_reached_by_the_curve(lines):
    straight, bent = lines(""), lines(CURVE)
    assert first(straight, "light")["ratio"] == pytest.approx(0.3, abs=0.02)
    assert first(bent, "light")["ratio"] == pytest.approx(0.55, abs=0.02)
    assert first(bent, "deep")["ratio"] == pytest.approx(0.75, abs=0.02)
    for line in bent:
        if line["event"] == "press" and line["stage"] == "deep" and line["transition"] >= 0:
            assert line["transition"] == pytest.approx((curved(line["ratio"]) - 0.7) / 0.3, abs=0.005)


def test_measured_values_are_unchanged(lines):
    def measured(lines):
        return [line for line in lines if line["event"] not in ("hello", "press")]

    assert measured(lines(CURVE)) == measured(lines(""))


def test_a_curve_can_be_set_for_one_device(lines):
    other = lines('devices: [{ match: "*", ' + CURVE.strip() + " }]\n")
    assert other == lines(CURVE)


@pytest.mark.parametrize(
    "points, place, words",
    [
        ("{ ratio: 0.5, output: 0.5 }, { ratio: 0.5, output: 0.6 }", "1:56", "ratio (0.5) must be above 0.5 and below 1"),
        ("{ ratio: 0.5, output: 0.5 }, { ratio: 0.6, output: 0.4 }", "1:69", "output (0.4) must be from 0.5 to 1"),
        ("{ ratio: 1.5, output: 0.5 }", "1:27", "ratio must be a number from 0 to 1, not 1.5"),
        ("{ ratio: 0.5 }", "1:18", '"output" is missing'),
        (", ".join(f"{{ ratio: 0.{n}, output: 0.5 }}" for n in range(11, 28)), None, "at most 16 points"),
    ],
)
def test_an_invalid_curve_is_refused(replay, write, points, place, words):
    config = write(f"press: {{ curve: [{points}] }}\n", "config.yaml")
    done = replay(write(Recording().touch([20])), "--config", config)
    assert done.returncode == 78
    assert words.encode() in done.stderr and (place is None or f":{place}:".encode() in done.stderr)
