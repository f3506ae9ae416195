"""The figures of many sensors, and the table of them."""

import statistics

import fades
from trials import CHECKS


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, round(share * (len(values) - 1)))] if values else None


def percent(part, whole):
    return 100 * part / whole if whole else None


def is_covered(reading):
    return abs(reading["grams"] - reading["truth"]) <= reading["error"] + 1e-6


def figures(model, results, checks=0):
    """The figures of one model after a number of checks."""
    failures = [result["error"] for result in results if "error" in result]
    results = [result for result in results if "error" not in result]
    readings = [reading for result in results for reading in result["readings"] if reading["checks"] == checks]
    stable = [reading for reading in readings if reading["grams"] is not None and reading["kind"] != "over"]
    stated = [reading for reading in stable if reading["error"] is not None]
    over = [reading for reading in readings if reading["kind"] == "over"]
    middle = [reading for reading in stated if 0.3 <= reading["truth"] / model.weights[-1] <= 0.7]
    refusals = [result["refusal"] for result in results if result.get("refusal")]
    return {
        "failures": failures,
        "refused": percent(len(refusals), len(results)),
        "refusals": sorted(set(refusals)),
        "coverage": percent(sum(map(is_covered, stated)), len(stated)),
        "unstated": percent(len(stable) - len(stated), len(stable)),
        "error": statistics.median(reading["error"] for reading in middle) if middle else None,
        "repeat": statistics.median(reading["repeat"] or 0 for reading in middle) if middle else None,
        "true": quantile([abs(reading["grams"] - reading["truth"]) for reading in middle], 0.95),
        "early": percent(sum(reading["seconds"] < 0 for reading in stable), len(stable)),
        "never": percent(sum(reading["grams"] is None for reading in readings), len(readings)),
        "over": percent(sum(reading["grams"] is not None for reading in over), len(over)),
    }


def number(value, digits=0, good=True):
    if value is None:
        return ""
    return f"{value:.{digits}f}" if good else f"**{value:.{digits}f}**"


HEAD = """\
| device | covered % without a check, after 3, after 6 | error g | true g | repeat g | no error % | never % | refused % |
|---|--:|--:|--:|--:|--:|--:|--:|"""


def text(models, faded, results):
    lines, notes = [], []
    for model in models:
        own = [result for result in results if result["model"] == model.name]
        if not own:
            continue
        values = [figures(model, own, checks) for checks in CHECKS]
        first = values[0]
        if first["failures"]:
            notes.append(f"* {model.title}: {len(first['failures'])} could not be run: {first['failures'][0]}")
        if first["refusals"]:
            notes.append(f"* {model.title}: {'; '.join(first['refusals'][:3])}")
        if model.overloads:
            notes.append(f"* {model.title}: {number(first['over'], 1)} % read as stable")
            continue

        def series(name, digits, good=lambda checks, value: True):
            return ", ".join(
                number(each[name], digits, good(checks, each[name]))
                for checks, each in zip(CHECKS, values) if each[name] is not None
            )

        cells = [
            model.title, series("coverage", 1, lambda checks, value: value >= (95 if checks else model.goal)),
            series("error", 1), number(first["true"], 2), number(first["repeat"], 2),
            number(first["unstated"]), number(first["never"], 1, not model.must_rest or (first["never"] or 0) <= 5),
            number(first["refused"]),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    parts = [f"{len({result['number'] for result in results})} sensors of each device."]
    parts += ["\n".join([HEAD, *lines])] if lines else []
    parts += [part for part in (fades.text(faded, results), "\n".join(notes)) if part]
    return "\n\n".join(parts)
