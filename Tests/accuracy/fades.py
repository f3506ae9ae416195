"""Loads that rest or change: does an error miss, is a load that vanishes recognized, and is nothing else taken for it?"""

import math
from dataclasses import dataclass
from typing import Callable

import trials
from models import Model, base, creep, sensor, uniform
from sensors import Curve, Rig
from simulation import Simulation

# How often the reading is looked at, in seconds.
INTERVAL = 0.5


@dataclass
class Fade:
    name: str
    title: str
    make: Callable = sensor()
    # The load over time, from the moment at which the hand lets go; None if it rests.
    course: Callable | None = None
    # The time constants with which firmware takes the load away, the share that it leaves, and when it begins.
    tracking: tuple | None = None
    floor: float = 0.0
    rests: tuple = (0, 0)
    seconds: float = 120.0
    is_tared: bool = False
    # Whether a foot of some grams stays on the surface from the calibration on, and counts as zero.
    has_foot: bool = False
    # Whether something is put on the surface at all, and again and again.
    has_load: bool = True
    is_repeated: bool = False
    # Grams by which the zero of a pad that reports when bare wanders in a minute.
    zero_drift: tuple = (0.0, 0.0)


def sand(random):
    """Sand runs out of a vessel at a constant rate (Beverloo), from the beginning or later."""
    full, vessel = random.uniform(200, 380), random.uniform(20, 80)
    rate, start = random.uniform(2, 15), random.choice((0, random.uniform(1, 10)))
    return lambda time: max(vessel, full - rate * max(0.0, time - start))


def pour(random):
    glass, full = random.uniform(40, 100), random.uniform(200, 390)
    start, rate = random.uniform(3, 10), random.uniform(1, 15)
    return lambda time: min(full, glass + rate * max(0.0, time - start))


def steps(random, first, change, number):
    """Things are put in or taken out one after another; each time a hand presses, or they bounce."""
    times = [random.uniform(3, 6)]
    while len(times) < number:
        times.append(times[-1] + random.uniform(0.8, 4))

    def course(time):
        past = [time - at for at in times if at <= time]
        return first + change * len(past) + sum(2 * abs(change) * math.exp(-age / 0.05) for age in past if age < 0.3)

    return course


def bites(random):
    """Parts are taken off without a tremor."""
    full, part = random.uniform(150, 380), random.uniform(0.05, 0.25)
    period = random.uniform(4, 12)
    return lambda time: full * (1 - part) ** int(time / period)


def wave(share, low, high):
    """A load that swings, or a surface that rocks."""

    def draw(random):
        grams, size, phase = random.uniform(80, 350), share * random.uniform(0.3, 1), random.uniform(0, 6)
        speed = 2 * math.pi * random.uniform(low, high)
        return lambda time: grams * (1 + size * math.sin(speed * time + phase))

    return draw


def evaporation(random):
    grams, rate = random.uniform(100, 350), random.uniform(0.1, 0.5)
    return lambda time: grams - rate * time / 60


def shared():
    return sensor(contacts="shared", resolution=2, noise=uniform(0.05, 0.5))


FADES = [
    Fade("zeroed", "firmware zeroes itself after 3 to 40 s", tracking=(0.05, 0.3), rests=(3, 40), seconds=60),
    Fade("zeroed-noise", "the same, noise 1 g rms", sensor(noise=1.0), tracking=(0.05, 0.3), rests=(3, 40), seconds=60),
    Fade("track-fast", "firmware tracks zero, 5 to 20 s", tracking=(5, 20), seconds=90),
    Fade("track", "firmware tracks zero, 20 to 60 s", tracking=(20, 60)),
    Fade("track-40", "firmware takes 60 % away, 20 to 60 s", tracking=(20, 60), floor=0.4),
    Fade("late-60", "60 s, after 2 to 60 s of rest", tracking=(60, 60), rests=(2, 60), seconds=150),
    Fade("sand", "sand runs out", course=sand, seconds=60),
    Fade("bites", "bites", course=bites, seconds=60),
    Fade("rocking", "a surface that rocks slowly", course=wave(0.1, 0.1, 0.4), seconds=60),
    Fade("swing", "a load that swings", course=wave(0.04, 0.5, 3), seconds=60),
    Fade("evaporation", "a tared cup evaporates, 0.1 to 0.5 g a minute", course=evaporation, is_tared=True, seconds=600),
    Fade("pour", "water is poured", course=pour, seconds=60),
    Fade(
        "marbles-out", "marbles are taken out", seconds=60,
        course=lambda random: steps(random, random.uniform(250, 380), -random.uniform(4, 12), 15),
    ),
    Fade("creep-up", "creep of 2 to 5 %", lambda random: base(random, creep=creep(0.02, 0.05)(random))),
    Fade("creep-down", "stress relaxation of 2 to 5 %", lambda random: base(random, creep=creep(-0.05, -0.02)(random))),
    Fade("tared", "a tared load rests", sensor(noise=uniform(0.05, 0.5)), is_tared=True),
    Fade("bare-load", "a pad that reports when bare, a load comes and goes", shared(), is_repeated=True),
    Fade("bare-drift", "the same without a load, its zero wanders by 4 to 10 g a minute", shared(), has_load=False, zero_drift=(4, 10)),
    Fade("foot", "a foot stays when the object is taken off", has_foot=True),
]

BY_NAME = {fade.name: fade for fade in FADES}


def trial(program, clock, fade, number):
    random = trials.seeded(fade.name, number)
    pad = fade.make(random)
    simulation = Simulation(program, clock, pad.description())
    try:
        person = trials.Person(Rig(simulation, pad, random), random, Model(fade.name, fade.title, fade.make))
        result = {"model": fade.name, "number": number, "polls": 0, "decaying": 0, "rezero": 0, "wrong": 0, "caught": 0}
        person.rest(2)
        if fade.has_foot:
            watch_foot(person, fade, result)
            return result
        result["refusal"] = trials.Weights(person).calibrate()
        if not result["refusal"]:
            person.rest(3)
            person.rig.drifts_from, pad.zero_drift = person.rig.time, random.uniform(*fade.zero_drift)
            (watch_load if fade.has_load and not fade.is_repeated else watch_bare)(person, fade, result)
        return result
    finally:
        simulation.close()


def look(person, result, truth=None):
    """Notes what the scale shows."""
    scale = person.ask("state")["result"][0]["scale"]
    result["polls"] += 1
    result["decaying"] += scale["decaying"]
    result["rezero"] += scale["status"] == "rezero_needed"
    if truth is not None and scale["status"].startswith("stable") and scale["error_grams"] is not None:
        result["wrong"] += abs(scale["grams"] - truth) > scale["error_grams"] + 1e-6


def watch_load(person, fade, result):
    rig, random = person.rig, person.random
    rests = random.uniform(*fade.rests)
    tracking = random.uniform(*fade.tracking) if fade.tracking else None
    course = fade.course(random) if fade.course else None
    grams = course(0.0) if course else random.uniform(80, 380)
    ramp, free = person.curve(grams)
    begun = rig.time
    rig.put((lambda time: ramp(time) if time < free else course(time - free)) if course else ramp)
    tared = 0.0
    if fade.is_tared:
        person.rest(free + 2)
        person.ask("tare")
        tared = course(2.0) if course else grams
    while rig.time - begun < fade.seconds:
        if tracking and rig.time - begun - free >= rests:
            rig.sensor.tracking, rig.sensor.tracking_floor = tracking, fade.floor
        person.rest(INTERVAL)
        time = rig.time - begun - free
        look(person, result, (course(max(0.0, time)) if course else grams) - tared)


def watch_bare(person, fade, result):
    """A bare surface, or one on which something is put for some seconds."""
    rig, random = person.rig, person.random
    end, change, load = rig.time + fade.seconds, rig.time + 3, None
    while rig.time < end:
        person.rest(INTERVAL)
        if fade.is_repeated and rig.time > change:
            change = rig.time + random.uniform(3, 15)
            if load is None:
                load = rig.put(person.curve(random.uniform(40, 380))[0])
            else:
                rig.lift(load)
                load = None
        look(person, result)


def watch_foot(person, fade, result):
    """Calibrates with a foot that stays, puts an object on it and takes that off again."""
    foot = person.rig.put(Curve((0, 0), (0.2, person.random.uniform(3, 15))))
    person.rest(3)
    weights = trials.Weights(person)
    weights.begin()
    weights.person.insist("calibrate", step="point", grams=0)
    for grams in person.model.weights:
        change(person, foot, grams)
        person.insist("calibrate", step="point", grams=grams)
        change(person, foot, -grams)
    result["refusal"] = None if person.ask("calibrate", step="finish")["ok"] else "finish"
    for _ in range(2):
        grams = person.random.uniform(80, 380)
        change(person, foot, grams)
        person.rest(5)
        change(person, foot, -grams)
        for _ in range(round(fade.seconds / 2 / INTERVAL)):
            person.rest(INTERVAL)
            look(person, result)


def change(person, load, grams):
    """Puts something onto what rests already, or takes it off."""
    now = person.rig.time - load[1]
    load[0].then(now, now + 0.4, load[0](now) + grams)
    person.rest(0.4 + trials.REST)


def figures(results):
    """The shares of the time, in percent."""
    usable = [result for result in results if "polls" in result and not result["refusal"]]
    polls = sum(result["polls"] for result in usable)
    shares = {name: 100 * sum(result[name] for result in usable) / max(polls, 1) for name in ("wrong", "decaying", "rezero")}
    return {"usable": len(usable), "failures": [result["error"] for result in results if "error" in result], **shares}


HEAD = """\
| a load that changes | stable, and the error misses, % of the time | decaying | rezero_needed |
|---|--:|--:|--:|"""


def text(faded, results):
    lines = [HEAD]
    for fade in faded:
        own = [result for result in results if result["model"] == fade.name]
        if own:
            values = figures(own)
            cells = [f"{values[name]:.1f}" for name in ("wrong", "decaying", "rezero")]
            lines.append("| " + " | ".join([fade.title, *cells]) + " |")
            lines += [f"| {len(values['failures'])} could not be run: {values['failures'][0]} |"] if values["failures"] else []
    return "\n".join(lines) if len(lines) > 1 else ""
