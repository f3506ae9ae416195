"""The figures of many sensors, and the tables of them."""

import statistics

from fades import Fade
from trials import CHECKS


def percent(part, whole):
    return 100 * part / whole if whole else None


def figures(model, results, checks=0):
    """The figures of one model after a number of checks."""
    readings = [reading for result in results for reading in result["readings"] if reading["checks"] == checks]
    stable = [reading for reading in readings if reading["grams"] is not None]
    stated = [reading for reading in stable if reading["error"] is not None]
    covered = [reading for reading in stated if abs(reading["grams"] - reading["truth"]) <= reading["error"] + 1e-6]
    middle = [reading for reading in stated if 0.3 <= reading["truth"] / model.weights[-1] <= 0.7]
    true = sorted(abs(reading["grams"] - reading["truth"]) for reading in middle)
    refusals = [result["refusal"] for result in results if result["refusal"]]
    return {
        "refused": percent(len(refusals), len(results)),
        "coverage": percent(len(covered), len(stated)),
        "unstated": percent(len(stable) - len(stated), len(stable)),
        "error": statistics.median(reading["error"] for reading in middle) if middle else None,
        "repeat": statistics.median(reading["repeat"] or 0 for reading in middle) if middle else None,
        "true": true[round(0.95 * (len(true) - 1))] if true else None,
        "early": percent(sum(reading["seconds"] < 0 for reading in stable), len(stable)),
        "stable": percent(len(stable), len(readings)),
    }


def shares(results):
    """The shares of the time in which a load that changes is shown in a way, in percent."""
    polls = sum(result["polls"] for result in results)
    return {name: percent(sum(result[name] for result in results), polls) for name in ("wrong", "decaying", "rezero")}


def number(value, digits=0, good=True):
    if value is None:
        return ""
    return f"{value:.{digits}f}" if good else f"**{value:.{digits}f}**"


HEAD = """\
| device | covered % without a check, after 3, after 6 | error g | true g | repeat g | no error % | never % | refused % |
|---|--:|--:|--:|--:|--:|--:|--:|"""

FADE_HEAD = """\
| a load that changes | stable, and the error misses, % of the time | decaying | rezero_needed |
|---|--:|--:|--:|"""


def row(model, results):
    values = [figures(model, results, checks) for checks in CHECKS]
    first = values[0]

    def series(name, digits, good=lambda checks, value: True):
        pairs = [(checks, each[name]) for checks, each in zip(CHECKS, values) if each[name] is not None]
        return ", ".join(number(value, digits, good(checks, value)) for checks, value in pairs)

    never = 100 - (first["stable"] or 0)
    return [
        model.title, series("coverage", 1, lambda checks, value: value >= (95 if checks else model.goal)),
        series("error", 1), number(first["true"], 2), number(first["repeat"], 2), number(first["unstated"]),
        number(never, 1, not model.must_rest or never <= 5), number(first["refused"]),
    ]


def text(models, results):
    """Two tables, and notes of what is in neither."""
    rows, faded, notes = [HEAD], [FADE_HEAD], []
    for model in models:
        own = [result for result in results if result["model"] == model.name]
        failed = [result["error"] for result in own if "error" in result]
        refused = {result["refusal"] for result in own if result.get("refusal")}
        notes += [f"* {model.title}: {len(failed)} could not be run: {failed[0]}"] if failed else []
        notes += [f"* {model.title}: {reason}" for reason in sorted(refused)]
        own = [result for result in own if "error" not in result]
        if not own:
            continue
        if isinstance(model, Fade):
            cells = [number(value, 1) for value in shares([result for result in own if not result["refusal"]]).values()]
            faded.append("| " + " | ".join([model.title, *cells]) + " |")
        elif model.overloads:
            notes.append(f"* {model.title}: {number(figures(model, own)['stable'], 1)} % read as stable")
        else:
            rows.append("| " + " | ".join(row(model, own)) + " |")
    parts = [f"{len({result['number'] for result in results})} sensors of each device."]
    parts += ["\n".join(lines) for lines in (rows, faded) if len(lines) > 1]
    return "\n\n".join([*parts, "\n".join(notes)]).rstrip()
