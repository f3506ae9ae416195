"""The figures of many sensors, and the table of them."""

import statistics

import fades
from models import BY_NAME, MODELS


def quantile(values, share):
    values = sorted(values)
    if not values:
        return None
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def percent(part, whole):
    return 100 * part / whole if whole else None


def figures(results):
    """The figures of one model in one mode."""
    failures = [result["error"] for result in results if "error" in result]
    results = [result for result in results if "error" not in result]
    calibrated = [result for result in results if result.get("calibration", {"ok": True})["ok"]]
    readings = [reading for result in calibrated for reading in result["readings"]]
    model = BY_NAME[results[0]["model"]] if results else None
    inside = [reading for reading in readings if reading["kind"] == "field"]
    stable = [reading for reading in inside if reading["grams"] is not None]
    stated = [reading for reading in stable if reading["error"] is not None]
    outside = [reading for reading in readings if reading["kind"] in ("below", "above")]
    outside_stated = [reading for reading in outside if reading["error"] is not None]
    over = [reading for reading in readings if reading["kind"] == "over"]
    heaviest = model.weights[-1] if model else 0
    middle = [reading for reading in stated if 0.3 <= reading["truth"] / heaviest <= 0.7]
    error = statistics.median(reading["error"] for reading in middle) if middle else None
    true = quantile([abs(reading["grams"] - reading["truth"]) for reading in middle], 0.95)
    cases = {}
    for case in sorted({reading["case"] for reading in stated}):
        of = [reading for reading in stated if reading["case"] == case]
        cases[case or "plain"] = percent(sum(map(is_covered, of)), len(of))
    return {
        "sensors": len(results),
        "failures": failures,
        "calibrated": percent(len(calibrated), len(results)),
        "refusals": sorted({result["calibration"]["why"] for result in results
                            if "calibration" in result and not result["calibration"]["ok"]}),
        "coverage": percent(sum(map(is_covered, stated)), len(stated)),
        "cases": cases if len(cases) > 1 else {},
        "unstated": percent(len(stable) - len(stated), len(stable)),
        "outside": percent(sum(map(is_covered, outside_stated)), len(outside_stated)),
        "error": error,
        "true": true,
        "ratio": error / true if error is not None and true else None,
        "seconds": statistics.median(r["seconds"] for r in stable) if stable else None,
        "early": percent(sum(reading["seconds"] < 0 for reading in stable), len(stable)),
        "never": percent(len(inside) - len(stable), len(inside)),
        "decaying": percent(sum(bool(r.get("decaying")) for r in stable), len(stable)),
        "over": percent(sum(reading["grams"] is not None for reading in over), len(over)),
    }


def is_covered(reading):
    return abs(reading["grams"] - reading["truth"]) <= reading["error"] + 1e-6


def number(value, digits=0, good=True):
    if value is None:
        return ""
    return f"{value:.{digits}f}" if good else f"**{value:.{digits}f}**"


HEAD = """\
| device | calibrated | covered % | outside % | no error % | error g | true g | ratio | s to stable | never % |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"""


def is_good(model, mode, values):
    """Which figures reach the goals: coverage, ratio, never stable."""
    coverage, ratio, never = values["coverage"], values["ratio"], values["never"]
    goal = 95 if mode == "thorough" and model.is_visible else 90
    return (
        coverage is None or round(coverage, 1) >= goal,
        ratio is None or round(ratio, 1) <= 3,
        never is None or not model.must_rest or round(never, 1) <= 5,
    )


def text(results):
    lines = [HEAD]
    notes = []
    for model in MODELS:
        for mode in ("quick", "thorough"):
            own = [result for result in results if result["model"] == model.name and result["mode"] == mode]
            if not own:
                continue
            values = figures(own)
            label = mode if model.is_calibrated else "never"
            notes += remarks(model, label, values)
            if model.overloads:
                continue
            good = is_good(model, mode, values)
            cells = [
                model.title, label, number(values["coverage"], 1, good[0]),
                number(values["outside"], 1), number(values["unstated"]), number(values["error"], 2),
                number(values["true"], 2), number(values["ratio"], 1, good[1]), number(values["seconds"], 1),
                number(values["never"], 1, good[2]),
            ]
            lines.append("| " + " | ".join(cells) + " |")
    parts = [f"{len({result['number'] for result in results})} sensors of each device."]
    parts += ["\n".join(lines)] if len(lines) > 1 else []
    faded = fades.text(results)
    if faded:
        parts.append(faded)
    if notes:
        parts.append("\n".join(notes))
    return "\n\n".join(parts)


def remarks(model, mode, values):
    name = f"* {model.title}, {mode}"
    if values["failures"]:
        yield f"{name}: {len(values['failures'])} could not be run: {values['failures'][0]}"
    if values["calibrated"] is not None and values["calibrated"] < 100:
        yield f"{name}: {values['calibrated']:.0f} % could be calibrated; the others: {'; '.join(values['refusals'][:3])}"
    if values["cases"]:
        cases = ", ".join(f"{case} {share:.1f} %" for case, share in values["cases"].items())
        yield f"{name}: coverage {cases}"
    if values["early"]:
        yield f"{name}: {values['early']:.1f} % of the readings were taken while the hand was on the load"
    if values["over"] is not None:
        yield f"{name}: {values['over']:.1f} % of the loads beyond the end of the sensor read as stable"
    if values["decaying"]:
        yield f"{name}: {values['decaying']:.1f} % of the readings were `decaying`"
