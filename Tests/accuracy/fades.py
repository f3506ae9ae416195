"""Loads that rest or change slowly: is a reading that firmware takes away recognized, and is nothing else taken for it?"""

import math
import statistics
from dataclasses import dataclass
from typing import Callable

import trials
from models import Model, base, sensor, uniform
from sensors import Curve, Rig
from simulation import Simulation

# How often the reading is looked at, in seconds.
INTERVAL = 0.5


@dataclass
class Fade:
    name: str
    title: str
    make: Callable
    # The load over time, from the moment at which the hand lets go; None if it rests.
    course: Callable | None = None
    # The time constants with which firmware takes the load away, and the share that it leaves.
    tracking: tuple | None = None
    floor: float = 0.0
    # Seconds for which the load rests before that.
    rests: tuple = (0, 0)
    seconds: float = 120.0
    # Whether the load is tared first.
    is_tared: bool = False
    # Whether a foot of some grams stays on the surface from the calibration on, and counts as zero.
    has_foot: bool = False
    # Whether something is put on the surface at all, and again and again.
    has_load: bool = True
    is_repeated: bool = False
    # Grams by which the zero of a pad that reports when bare wanders in a minute.
    zero_drift: tuple = (0.0, 0.0)


class Drain:
    """A vessel that runs empty through a hole: the level falls as a parabola (Torricelli)."""

    def __init__(self, random):
        self.full = random.uniform(150, 380)
        self.rest = self.full * random.uniform(0.15, 0.6)
        self.time = (self.full - self.rest) / random.uniform(1, 6)
        self.start = random.uniform(3, 10)

    def __call__(self, time):
        part = min(1.0, max(0.0, (time - self.start) / self.time))
        return self.rest + (self.full - self.rest) * (1 - part) ** 2


class Pour:
    """Water that is poured into a glass."""

    def __init__(self, random):
        self.glass, self.full = random.uniform(40, 100), random.uniform(200, 390)
        self.start, self.rate = random.uniform(3, 10), random.uniform(1, 15)

    def __call__(self, time):
        return min(self.full, self.glass + self.rate * max(0.0, time - self.start))


class Marbles:
    """Marbles that are put into a bowl, or taken out of it, one after another."""

    def __init__(self, random, sign=1):
        self.bowl = random.uniform(40, 100)
        self.marble = random.uniform(4, 12)
        self.number = random.randint(10, 25)
        self.first = self.bowl if sign > 0 else self.bowl + self.number * self.marble
        self.sign = sign
        self.times = []
        time = random.uniform(3, 6)
        for _ in range(self.number):
            self.times.append(time)
            time += random.uniform(0.8, 4)

    def __call__(self, time):
        count = sum(at <= time for at in self.times)
        load = self.first + self.sign * self.marble * count
        for at in self.times:
            if 0 <= time - at < 0.3:
                # It bounces, or a finger presses on it.
                load += 2 * self.marble * math.exp(-(time - at) / 0.05)
        return load


class Finger:
    """A finger that presses less and less, with the tremor of a hand."""

    def __init__(self, random):
        self.force, self.rest = random.uniform(100, 350), random.uniform(0.1, 0.5)
        self.constant, self.start = random.uniform(5, 30), random.uniform(1, 5)
        self.waves = [(random.uniform(0.003, 0.012), random.uniform(0.3, 9), random.uniform(0, 6)) for _ in range(6)]

    def __call__(self, time):
        share = self.rest + (1 - self.rest) * math.exp(-max(0.0, time - self.start) / self.constant)
        tremor = sum(size * math.sin(6.2832 * rate * time + phase) for size, rate, phase in self.waves)
        return self.force * (share + tremor * share)


def shared():
    return sensor(contacts="shared", resolution=2, noise=uniform(0.05, 0.5))


FADES = [
    Fade("track-fast", "firmware tracks zero, 5 to 20 s", sensor(), tracking=(5, 20), seconds=90),
    Fade("track", "firmware tracks zero, 20 to 60 s", sensor(), tracking=(20, 60)),
    Fade("track-slow", "firmware tracks zero, 60 to 180 s", sensor(), tracking=(60, 180), seconds=120),
    Fade("track-40", "firmware takes 60 % away and stops, 20 to 60 s", sensor(), tracking=(20, 60), floor=0.4),
    Fade(
        "track-253", "253 levels, 20 to 60 s", sensor(maximum=253, has_timestamp=False), tracking=(20, 60),
    ),
    Fade("track-63", "64 levels, 20 to 60 s", sensor(maximum=63, has_timestamp=False), tracking=(20, 60)),
    Fade("track-noise", "noise 1 g rms, 20 to 60 s", sensor(noise=1.0), tracking=(20, 60)),
    Fade(
        "late-60", "time constant 60 s, after 2 to 60 s of rest", sensor(), tracking=(60, 60), rests=(2, 60), seconds=150,
    ),
    Fade(
        "late-180", "time constant 180 s, after 2 to 60 s of rest", sensor(), tracking=(180, 180), rests=(2, 60), seconds=150,
    ),
    Fade(
        "late-40", "60 % within 20 to 60 s, after 2 to 60 s of rest", sensor(), tracking=(20, 60), floor=0.4, rests=(2, 60),
        seconds=150,
    ),
    Fade("drain", "a vessel runs empty", sensor(), course=Drain),
    Fade("pour", "water is poured", sensor(), course=Pour, seconds=60),
    Fade("marbles-in", "marbles are put in", sensor(), course=Marbles, seconds=60),
    Fade("marbles-out", "marbles are taken out", sensor(), course=lambda random: Marbles(random, -1), seconds=60),
    Fade("finger", "a finger presses less and less", sensor(), course=Finger, seconds=60),
    Fade(
        "creep-up", "creep of 2 to 5 %",
        lambda random: base(random, creep=elements(random.uniform(0.02, 0.05))),
    ),
    Fade(
        "creep-down", "stress relaxation of 2 to 5 %",
        lambda random: base(random, creep=elements(-random.uniform(0.02, 0.05))),
    ),
    Fade("rest", "a load rests for 2 minutes", sensor(noise=uniform(0.05, 0.5))),
    Fade("rest-noise", "a load rests, noise 1 g rms", sensor(noise=1.0), seconds=120),
    Fade("rest-64", "a load rests, 64 levels, noise 1 g rms", sensor(noise=1.0, maximum=63), seconds=120),
    Fade("tared", "a tared load rests", sensor(noise=uniform(0.05, 0.5)), seconds=120, is_tared=True),
    Fade("tared-noise", "a tared load rests, noise 1 g rms", sensor(noise=1.0), seconds=120, is_tared=True),
    Fade("bare", "a pad that reports when bare, nothing on it", shared(), has_load=False, seconds=120),
    Fade("bare-load", "the same, a load is put on and taken off", shared(), is_repeated=True, seconds=120),
    Fade(
        "bare-drift", "the same, its zero wanders by 4 to 10 g a minute", shared(), has_load=False, seconds=120,
        zero_drift=(4, 10),
    ),
    Fade("foot", "a foot stays when the object is taken off", sensor(), has_foot=True, seconds=120),
]

BY_NAME = {fade.name: fade for fade in FADES}


def elements(share):
    return ((share / 1.31, 3.0), (share / 1.31, 30.0))


def trial(program, clock, fade, number):
    model = Model(fade.name, fade.title, fade.make)
    random = trials.seeded(model, "fade", number)
    pad = fade.make(random)
    simulation = Simulation(program, clock, pad.description())
    try:
        rig = Rig(simulation, pad, random)
        person = trials.Person(rig, random, model)
        result = {"model": fade.name, "mode": "quick", "number": number}
        person.rest(2)
        foot = None
        if fade.has_foot:
            foot = rig.put(Curve((0, 0), (0.2, random.uniform(3, 15))))
            person.rest(3)
        outcome = trials.calibrate(person, "quick") if foot is None else calibrate_on(person, foot)
        result["calibration"] = outcome
        if not outcome["ok"]:
            return result
        person.rest(3)
        if foot is None:
            watch_load(person, fade, result)
        else:
            watch_foot(person, fade, foot, result)
        return result
    finally:
        simulation.close()


def calibrate_on(person, foot):
    """The weights one after another on a foot that stays."""
    begun = trials.begin(person)
    if not begun["ok"]:
        return {"ok": False, "why": "begin: " + begun["error"]["message"]}
    steps = trials.Steps(person)
    if not any(point["grams"] == 0 for point in begun["result"]["points"]):
        steps.measure(0)
    for grams in person.model.weights:
        change(person, foot, grams)
        steps.measure(grams)
        change(person, foot, -grams)
    done = person.ask("calibrate", step="finish")
    return {"ok": done["ok"], "why": "" if done["ok"] else "finish: " + done["error"]["message"]}


def change(person, load, grams):
    """Puts something onto what rests already, or takes it off."""
    curve, start, _ = load
    now = person.rig.time - start
    curve.then(now, now + 0.4, curve(now) + grams)
    person.rest(0.4 + trials.REST)


def scale(person):
    state = person.ask("state")["result"]
    return state[0]["scale"]


def watch_load(person, fade, result):
    rig, random = person.rig, person.random
    sensor = rig.sensor
    rig.drifts_from = rig.time
    sensor.zero_drift = random.uniform(*fade.zero_drift)
    if not fade.has_load or fade.is_repeated:
        watch_bare(person, fade, result)
        return
    rests = random.uniform(*fade.rests) if fade.rests[1] else None
    tracking = random.uniform(*fade.tracking) if fade.tracking else None
    sensor.tracking_floor = fade.floor
    if rests is None:
        sensor.tracking = tracking
    course = fade.course(random) if fade.course else None
    grams = course(0.0) if course else random.uniform(80, 380)
    curve, free = person.curve(grams)
    begun = rig.time
    if course:
        ramp = curve

        def curve(time):
            return ramp(time) if time < free else course(time - free)

    rig.put(curve)
    if fade.is_tared:
        person.rest(free + 2)
        person.ask("tare")
    lost = None
    polls = claims = wrong = rezero = flagged = answers = wrong_answers = 0
    ask_at = random.uniform(0.1, 0.9) * fade.seconds
    while rig.time - begun < fade.seconds:
        person.rest(INTERVAL)
        if rests is not None and rig.time - begun - free >= rests:
            sensor.tracking = tracking
        reading = scale(person)
        time = rig.time - begun
        truth = course(max(0.0, time - free)) if course else grams
        if fade.is_tared:
            truth = 0.0
        polls += 1
        rezero += reading["status"] == "rezero_needed"
        flagged += reading["decaying"]
        if reading["decaying"] and lost is None and not fade.is_tared:
            lost = 1 - reading["grams"] / truth if truth else 0.0
            result["flagged_at"] = round(time, 1)
        if reading["status"] in ("stable", "stable_zero") and reading["error_grams"] is not None:
            claims += 1
            wrong += abs(reading["grams"] - truth) > reading["error_grams"] + 1e-6
        if ask_at is not None and time > ask_at:
            ask_at = None
            person.simulation.send({"do": "weigh", "timeout_ms": 1500})
            person.rig.run(2, until=lambda: person.simulation.replies)
            reply = person.simulation.replies.pop(0)
            if reply["ok"]:
                answers += 1
                given = reply["result"]
                wrong_answers += (
                    given["error_grams"] is not None
                    and abs(given["grams"] - truth) > given["error_grams"] + 1e-6
                )
    result.update(
        polls=polls, claims=claims, wrong=wrong, rezero=rezero, flagged=flagged, lost=lost, answers=answers,
        wrong_answers=wrong_answers,
    )


def watch_bare(person, fade, result):
    """A bare surface, or one on which something is put for some seconds."""
    rig, random = person.rig, person.random
    polls = rezero = flagged = 0
    end = rig.time + fade.seconds
    load = None
    change = rig.time + 3
    while rig.time < end:
        person.rest(INTERVAL)
        if fade.is_repeated and rig.time > change:
            change = rig.time + random.uniform(3, 15)
            if load is None:
                load = rig.put(person.curve(random.uniform(40, 380))[0])
            else:
                rig.lift(load)
                load = None
        reading = scale(person)
        polls += 1
        rezero += reading["status"] == "rezero_needed"
        flagged += reading["decaying"]
    result.update(polls=polls, flagged=flagged, rezero=rezero, claims=0, wrong=0, lost=None, answers=0, wrong_answers=0)


def watch_foot(person, fade, foot, result):
    """An object on the foot, then the foot alone again."""
    person.rest(2)
    polls = flagged = rezero = 0
    for _ in range(2):
        grams = person.random.uniform(80, 380)
        change(person, foot, grams)
        person.rest(5)
        change(person, foot, -grams)
        end = person.rig.time + fade.seconds / 2
        while person.rig.time < end:
            person.rest(INTERVAL)
            reading = scale(person)
            polls += 1
            flagged += reading["decaying"]
            rezero += reading["status"] == "rezero_needed"
    result.update(polls=polls, flagged=flagged, rezero=rezero, claims=0, wrong=0, lost=None, answers=0, wrong_answers=0)


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else ""


def figures(results):
    usable = [result for result in results if "polls" in result]
    total = {name: sum(result[name] for result in usable) for name in ("polls", "claims", "wrong", "answers", "wrong_answers")}
    losses = [result["lost"] for result in usable if result["lost"] is not None]
    return {
        "usable": len(usable),
        "flagged": sum(result["flagged"] > 0 for result in usable),
        "early": sum(result["lost"] is not None and result["lost"] < 0.5 for result in usable),
        "rezero": sum(result["rezero"] > 0 for result in usable),
        "loss": statistics.median(losses) if losses else None,
        "failures": [result["error"] for result in results if "error" in result],
        "refusals": sorted({result["calibration"]["why"] for result in results
                            if not result.get("calibration", {"ok": True})["ok"]}),
        **total,
    }


HEAD = """\
| a load that firmware takes away | recognized % | loss when recognized, median % | false errors % | false answers of weigh % |
|---|--:|--:|--:|--:|"""

ALARMS = """\
| a load that firmware does not take away | flagged % | rezero_needed % | false errors % |
|---|--:|--:|--:|"""


def share(values, part, whole):
    return percent(values.get(part, 0), values.get(whole, 0))


def text(results):
    faded, alarms, notes = [HEAD], [ALARMS], []
    for fade in FADES:
        own = [result for result in results if result["model"] == fade.name]
        if not own:
            continue
        values = figures(own)
        wrong = share(values, "wrong", "polls")
        if fade.tracking:
            loss = "" if values["loss"] is None else f"{100 * values['loss']:.0f}"
            cells = [
                fade.title, share(values, "early", "usable"), loss, wrong, share(values, "wrong_answers", "usable"),
            ]
            faded.append("| " + " | ".join(cells) + " |")
        else:
            cells = [
                fade.title, share(values, "flagged", "usable"),
                share(values, "rezero", "usable"), wrong,
            ]
            alarms.append("| " + " | ".join(cells) + " |")
        if values["failures"]:
            notes.append(f"* {fade.title}: {len(values['failures'])} could not be run: {values['failures'][0]}")
        if values["refusals"]:
            reasons = "; ".join(values["refusals"][:3])
            notes.append(f"* {fade.title}: {values['usable']} of {len(own)} could be calibrated; the others: {reasons}")
    parts = ["\n".join(rows) for rows in (faded, alarms) if len(rows) > 1]
    return "\n\n".join(parts + (["\n".join(notes)] if notes else []))
