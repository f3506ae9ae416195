"""Loads that rest or change: does an error miss, is a load that vanishes recognized, and is nothing else taken for it?"""

import math
from dataclasses import dataclass
from typing import Callable

from models import Model, creep, sensor, uniform
from sensors import Curve
from trials import REST, prepared

# How often the reading is looked at, in seconds.
INTERVAL = 0.5


@dataclass
class Fade(Model):
    # What happens on the surface: a generator for a person, which yields the true load at the end of the next interval, or None
    # if that does not matter, whenever the reading is looked at.
    scene: Callable | None = None
    seconds: float = 120.0


def sand(random):
    """Sand runs out of a vessel at a constant rate (Beverloo), from the beginning or later."""
    full, vessel = random.uniform(200, 380), random.uniform(20, 80)
    rate, start = random.uniform(2, 15), random.choice((0, random.uniform(1, 10)))
    return lambda time: max(vessel, full - rate * max(0.0, time - start))


def pour(random):
    glass, full = random.uniform(40, 100), random.uniform(200, 390)
    start, rate = random.uniform(3, 10), random.uniform(1, 15)
    return lambda time: min(full, glass + rate * max(0.0, time - start))


def marbles(random):
    """They are taken out one after another; each time a hand presses."""
    full, each, times = random.uniform(250, 380), random.uniform(4, 12), [random.uniform(3, 6)]
    while len(times) < 15:
        times.append(times[-1] + random.uniform(0.8, 4))

    def course(time):
        past = [time - at for at in times if at <= time]
        return full - each * len(past) + sum(2 * each * math.exp(-age / 0.05) for age in past if age < 0.3)

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


def constant(random):
    grams = random.uniform(80, 380)
    return lambda time: grams


def resting(course=constant, tracking=None, after=(0, 0), floor=0.0, is_tared=False):
    """A load that is put down once. Firmware takes it away with time constants of `tracking` after some seconds, but a share."""

    def scene(person):
        rig, random = person.rig, person.random
        start, seconds = random.uniform(*after), random.uniform(*tracking) if tracking else None
        load = course(random)
        ramp, free = person.curve(load(0.0))
        free_at = rig.time + free
        rig.put(lambda time: ramp(time) if time < free else load(time - free))
        tared = 0.0
        if is_tared:
            person.rest(free + 2)
            person.ask("tare")
            tared = load(2.0)
        while True:
            if seconds and rig.time - free_at >= start:
                rig.sensor.tracking, rig.sensor.tracking_floor = seconds, floor
            yield load(max(0.0, rig.time + INTERVAL - free_at)) - tared

    return scene


def coming_and_going(person):
    load, change = None, 0.0
    while True:
        if person.rig.time > change:
            change = person.rig.time + person.random.uniform(3, 15)
            if load is None:
                load = person.rig.put(person.curve(person.random.uniform(40, 380))[0])
            else:
                person.rig.lift(load)
                load = None
        yield None


def wandering(person):
    """The zero wanders by 4 to 10 g a minute, and nothing is put down."""
    person.rig.drifts_from, person.rig.sensor.zero_drift = person.rig.time, person.random.uniform(4, 10)
    while True:
        yield None


def on_a_foot(person):
    """Calibrates with a foot that stays, puts an object on it and takes that off again."""
    foot = person.rig.put(Curve((0, 0), (0.2, person.random.uniform(3, 15))))
    person.rest(3)

    def change(grams):
        now = person.rig.time - foot[1]
        foot[0].then(now, now + 0.4, foot[0](now) + grams)
        person.rest(0.4 + REST)

    def measure(grams):
        change(grams)
        person.insist(step="point", grams=grams)
        change(-grams)

    refusal = person.calibrate(measure)
    assert refusal is None, refusal
    while True:
        grams = person.random.uniform(80, 380)
        change(grams)
        person.rest(5)
        change(-grams)
        for _ in range(120):
            yield None


zeroed = resting(tracking=(0.05, 0.3), after=(3, 40))

FADES = [
    Fade("zeroed", "firmware zeroes itself after 3 to 40 s", sensor(), scene=zeroed, seconds=60),
    Fade("zeroed-noise", "the same, noise 1 g rms", sensor(noise=1.0), scene=zeroed, seconds=60),
    Fade("track-fast", "firmware tracks zero, 5 to 20 s", sensor(), scene=resting(tracking=(5, 20)), seconds=90),
    Fade("track", "firmware tracks zero, 20 to 60 s", sensor(), scene=resting(tracking=(20, 60))),
    Fade("track-40", "firmware takes 60 % away, 20 to 60 s", sensor(), scene=resting(tracking=(20, 60), floor=0.4)),
    Fade("late-60", "60 s, after 2 to 60 s of rest", sensor(), scene=resting(tracking=(60, 60), after=(2, 60)), seconds=150),
    Fade("sand", "sand runs out", sensor(), scene=resting(sand), seconds=60),
    Fade("bites", "bites", sensor(), scene=resting(bites), seconds=60),
    Fade("rocking", "a surface that rocks slowly", sensor(), scene=resting(wave(0.1, 0.1, 0.4)), seconds=60),
    Fade("swing", "a load that swings", sensor(), scene=resting(wave(0.04, 0.5, 3)), seconds=60),
    Fade(
        "evaporation", "a tared cup evaporates, 0.1 to 0.5 g a minute", sensor(),
        scene=resting(evaporation, is_tared=True), seconds=600,
    ),
    Fade("pour", "water is poured", sensor(), scene=resting(pour), seconds=60),
    Fade("marbles-out", "marbles are taken out", sensor(), scene=resting(marbles), seconds=60),
    Fade("creep-up", "creep of 2 to 5 %", sensor(creep=creep(0.02, 0.05)), scene=resting()),
    Fade("creep-down", "stress relaxation of 2 to 5 %", sensor(creep=creep(-0.05, -0.02)), scene=resting()),
    Fade("tared", "a tared load rests", sensor(noise=uniform(0.05, 0.5)), scene=resting(is_tared=True)),
    Fade("bare-load", "a pad that reports when bare, a load comes and goes", shared(), scene=coming_and_going),
    Fade("bare-drift", "the same without a load, its zero wanders by 4 to 10 g a minute", shared(), scene=wandering),
    Fade("foot", "a foot stays when the object is taken off", sensor(), scene=on_a_foot, is_calibrated=False),
]

BY_NAME = {fade.name: fade for fade in FADES}


def trial(program, clock, fade, number):
    """Notes how often the scale shows what."""
    with prepared(program, clock, fade, number) as (person, result):
        result.update(polls=0, decaying=0, rezero=0, wrong=0)
        if fade.is_calibrated:
            result["refusal"] = person.calibrate()
            person.rest(3)
        end = person.rig.time + fade.seconds
        for truth in fade.scene(person) if not result["refusal"] else ():
            person.rest(INTERVAL)
            scale = person.ask("state")["result"][0]["scale"]
            result["polls"] += 1
            result["decaying"] += scale["decaying"]
            result["rezero"] += scale["status"] == "rezero_needed"
            if truth is not None and scale["status"].startswith("stable") and scale["error_grams"] is not None:
                result["wrong"] += abs(scale["grams"] - truth) > scale["error_grams"] + 1e-6
            if person.rig.time >= end:
                break
        return result
