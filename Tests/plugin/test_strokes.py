"""What the plugin makes of the clicks of the hands of Tests/feel, and whether it decides as PressureKit.

$PLUGIN_SEEDS is the number of seeds of each hand, held-out ones; without it each hand has one of the training.
"""

import collections
import json
import math
import os
import statistics
import subprocess
import sys

import pytest

import plugin

sys.path.append(str(plugin.HERE.parent / "feel"))
import people  # noqa: E402  (found by the line above)

SEEDS = int(os.environ.get("PLUGIN_SEEDS", "0"))
SESSIONS = ([(hand, people.JUDGING_SEED + seed) for seed in range(SEEDS) for hand in people.HANDS] if SEEDS
            else [(hand, 1) for hand in people.HANDS])

# Those of ForceClickRule.
AREA = {"area": "true", "between": 0.6, "expected": 1.25, "weight": 2, "least": 1.06, "most": 1.27, "first": 1.23, "factor": 1}
GRAMS = {"area": "false", "between": 0.47, "expected": 1.8, "weight": 4, "least": 1.3, "most": 1.9, "first": 2.175, "factor": 1}
NUMBERS = {"grams": GRAMS, "area": AREA, "coarse": AREA}

# At least, and at most, for both: force clicks recognized, clicks taken for one, both in percent; the median delay of
# clicks of at most 0.2 s, and of drags, in ms.
LIMITS = {"grams": (60, 2, 40, 60), "area": (20, 3, 40, 60), "coarse": (10, 2, 40, 60)}

# The longest delay of a click, in ms.
LATEST = 80

# A light click has less grams, where the pad clicks at 130.
LIGHT = 165

# The longest interval of a double click of GNOME and GTK, in microseconds.
DOUBLE = 400_000


class Strokes:
    """The clicks of all sessions on one pad: (session, gesture, whether it is to be a force click, click)."""

    def __init__(self, pad, folder):
        self.pad, self.texts, self.clicks = pad, [], []
        streams, self.records = [], []
        for hand, seed in SESSIONS:
            text, records = people.stroke_set(pad, hand, seed)
            self.texts.append(text)
            self.records.append(records)
            streams.append(plugin.frames(text))
        bus, vendor, product, _ = (int(word, 16) for word in people.PADS[pad].ident.split())
        path = folder / "plugin.lua"
        path.write_text(plugin.numbered(bus=bus, vendor=vendor, product=product, **NUMBERS[pad]), encoding="utf-8")
        outputs = plugin.run(path, [plugin.script(*stream) for stream in streams], strip=pad == "grams")
        for at, (stream, output) in enumerate(zip(streams, outputs)):
            for click in plugin.clicks(stream[2], output):
                record = next((one for one in self.records[at] if one["start"] <= click.down <= one["end"] + 60_000), None)
                press = pressing(record, click.down)
                self.clicks.append((at, record, bool(press and press["deep"]), click))

    def of(self, is_force_click, *kinds, below=math.inf):
        """The clicks that the person meant, after those from which the pad learns, and with less grams than these."""
        return [click for _, record, forceful, click in self.clicks if record and record["kind"] != "warm-up" and forceful == is_force_click
                and record["meant"] != "secondary press" and (record["meant"] == "drag") == ("drag" in kinds)
                and (below == math.inf or (pressing(record, click.down) or {"peak_g": below})["peak_g"] < below)]


def pressing(record, down):
    return next((one for one in reversed(record["presses"]) if one["begins"] <= down <= one["lets_go"] + 30_000), None) if record else None


def is_short(click):
    return click.up - click.down <= 200_000


@pytest.fixture(name="strokes", scope="module", params=people.PADS)
def _strokes(request, tmp_path_factory):
    return Strokes(request.param, tmp_path_factory.mktemp("strokes"))


def delays(clicks):
    return [(click.pressed(plugin.LEFT)[0] - click.down) / 1000 for click in clicks if click.pressed(plugin.LEFT)]


def middle(clicks):
    return 100 * sum(bool(click.pressed(plugin.MIDDLE)) for click in clicks) / len(clicks)


def test_each_click_is_one_press_and_one_release(strokes):
    assert len(strokes.clicks) > 60 * len(SESSIONS)
    for _, _, _, click in strokes.clicks:
        names = [(button, value) for _, button, value in click.outputs]
        assert names in [[(plugin.LEFT, 1), (plugin.LEFT, 0)], [(plugin.MIDDLE, 1), (plugin.MIDDLE, 0)]]


def test_the_figures_are_those_of_the_page(strokes):
    forceful, clicks, drags = strokes.of(True), strokes.of(False), strokes.of(False, "drag")
    short, light = sorted(delays(filter(is_short, clicks))), delays(filter(is_short, strokes.of(False, below=LIGHT)))
    found = (middle(forceful), middle(clicks), statistics.median(short), statistics.median(delays(drags)))
    counts = {"clicks": len(strokes.clicks), "force clicks": len(forceful), "plain": len(clicks), "short": len(short), "drags": len(drags)}
    by_hand = {hand: round(middle([click for at, record, deep, click in strokes.clicks if deep and SESSIONS[at][0] == hand]))
               for hand in dict(SESSIONS)}
    print(strokes.pad, [round(value, 1) for value in found], counts, by_hand)
    print("  delays of 95 %", short[len(short) * 95 // 100], "at most", short[-1], "drags taken for one", round(middle(drags), 1),
          "light clicks", len(light), light and (statistics.median(light), sum(delay <= 10 for delay in light) / len(light)))
    assert found[0] >= LIMITS[strokes.pad][0]
    assert all(value <= limit for value, limit in list(zip(found, LIMITS[strokes.pad]))[1:])
    assert max(delays([click for *_, click in strokes.clicks])) <= LATEST


def test_a_double_click_stays_one(strokes):
    pairs = collections.defaultdict(list)
    for at, record, _, click in strokes.clicks:
        if record and record["kind"] == "double click" and click.pressed(plugin.LEFT):
            pairs[at, record["start"]].append(click)
    intervals = [(pair[1].down - pair[0].down, pair[1].pressed(plugin.LEFT)[0] - pair[0].pressed(plugin.LEFT)[0])
                 for pair in pairs.values() if len(pair) == 2]
    doubles = [seen for pads, seen in intervals if pads <= DOUBLE]
    print(strokes.pad, len(doubles), "double clicks,", sum(seen > DOUBLE for seen in doubles), "lost; moved by at most",
          max(abs(seen - pads) for pads, seen in intervals) / 1000, "ms")
    assert len(doubles) > len(SESSIONS)
    assert max(doubles) <= DOUBLE


def test_differences_from_the_engine_have_a_reason(strokes, program, tmp_path):
    """The engine has no button to withhold, so that it knows a force click at any time; the plugin must decide before."""
    reasons = collections.Counter()
    for at, text in enumerate(strokes.texts):
        path = tmp_path / "strokes.evemu"
        path.write_text(text, encoding="ascii")
        output = subprocess.run([program, "replay", path], capture_output=True, text=True, check=True).stdout
        lines = [json.loads(line) for line in output.splitlines() if '"event":"press"' in line[:20]]
        reasons.update(reason(click, lines, strokes.pad != "grams") for number, _, _, click in strokes.clicks if number == at)
    print(strokes.pad, dict(reasons))
    unknown = reasons.pop("unknown", 0)
    assert unknown <= UNKNOWN * sum(reasons.values())


# Its force at rest follows each frame, and that of the engine every third, so that the two learn from other clicks of two fingers.
UNKNOWN = 0.01


def reason(click, lines, is_area):
    """Why the two decide differently about a click; "the same" if they do not."""
    mine = [line for line in lines if click.down <= line["time"] <= click.up]
    deep = [line["time"] for line in mine if line.get("entered") == "deep"]
    chosen, left = click.pressed(plugin.MIDDLE), click.pressed(plugin.LEFT)
    if bool(deep) == bool(chosen):
        return "the same"
    if deep and left[0] <= deep[0]:
        return "the force came after the click was let go"
    if deep and mine[0]["fingers"] > 1:
        return "two fingers press"
    if deep and left[0] - click.down == 1000 * LATEST:
        return "the force had come, but not clearly when the time was over"
    if deep and left[0] > deep[0]:
        return "the force had come, but fell again, or the finger moved"
    if chosen and chosen[0] - click.down == 1000 * LATEST:
        return "the force rose to it when the time was over"
    return "a great area, but not for long enough" if chosen and is_area else "unknown"
