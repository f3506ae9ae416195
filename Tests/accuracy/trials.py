"""What a person does with a device: calibrates it as the documentation describes, and weighs things."""

import random as randoms

from sensors import Curve, Foot, Rig
from simulation import Simulation

# Seconds that a person leaves a weight alone before measuring it, and tries to have it accepted.
REST = 1.5
PATIENCE = 10

# Where a thorough calibration puts a weight beside the center.
CORNERS = ((0.15, 0.15), (0.85, 0.15), (0.15, 0.85), (0.85, 0.85))


class Person:
    """A hand that puts things down and lifts them."""

    def __init__(self, rig, random, model):
        self.rig, self.random, self.model = rig, random, model
        self.simulation = rig.simulation

    def curve(self, grams):
        """A load that is put down: it grows, the hand presses a little, and lets go. Returns when that is, too."""
        ramp = self.random.uniform(0.15, 0.5)
        top = grams * (1 + self.random.uniform(*self.model.overshoot))
        return Curve((0, 0), (ramp, top), (ramp + 0.15, top), (ramp + 0.35, grams)), ramp + 0.35

    def rest(self, seconds):
        self.rig.run(seconds)

    def ask(self, verb, **values):
        return self.simulation.ask({"do": verb, **values})


class Result(dict):
    """What became of one sensor, as JSON."""


def seeded(model, mode, number):
    """The generator of one sensor: the same on each machine."""
    return randoms.Random(f"{model.name} {mode} {number}")


def trial(program, clock, model, mode, number):
    """Calibrates one sensor and weighs with it."""
    random = seeded(model, mode, number)
    sensor = model.make(random)
    simulation = Simulation(program, clock, sensor.description())
    try:
        person = Person(Rig(simulation, sensor, random), random, model)
        result = Result(model=model.name, mode=mode, number=number, readings=[])
        person.rest(2)
        if model.is_calibrated:
            result["calibration"] = calibrate(person, mode)
            if not result["calibration"]["ok"]:
                return result
        model.alter(random, sensor)
        person.rest(3)
        for load, kind in loads(random, model):
            result["readings"] += weigh(person, load, kind)
        return result
    finally:
        simulation.close()


def loads(random, model):
    """The loads of the readings: two in each quarter of the field, one below it and one above."""
    first, last = model.weights[0], model.weights[-1]
    if model.overloads:
        return [(last * random.uniform(*model.overloads), "over") for _ in range(4)]
    steps = [first + (last - first) * (index + random.random()) / 8 for index in range(8)]
    chosen = [(grams, "field") for grams in steps]
    chosen += [(first * random.uniform(0.4, 0.9), "below"), (last * random.uniform(1.05, 1.2), "above")]
    random.shuffle(chosen)
    return chosen


# Calibrating.


def begin(person):
    """Measures the empty surface, and states how exact the weights are, which older programs do not ask."""
    percent = person.model.stated_percent
    if percent is not None:
        begun = person.ask("calibrate", step="begin", weights_percent=percent)
        if begun["ok"] or begun["error"]["code"] != "bad_argument":
            return begun
    return person.ask("calibrate", step="begin")


def calibrate(person, mode):
    steps = Steps(person)
    begun = begin(person)
    if not begun["ok"]:
        return {"ok": False, "why": "begin: " + begun["error"]["message"]}
    if not any(point["grams"] == 0 for point in begun["result"]["points"]):
        steps.measure(0)
    # It takes a moment to reach for the first weight.
    person.rest(1.5)
    steps.quick()
    if mode == "thorough":
        steps.thorough()
    done = person.ask("calibrate", step="finish")
    if not done["ok"]:
        return {"ok": False, "why": "finish: " + done["error"]["message"], "refused": steps.refused}
    fit = done["result"]["fit"]
    return {"ok": True, "fit": fit, "refused": steps.refused, "seconds": steps.seconds}


class Steps:
    """The weights one after another, each on a bare surface."""

    def __init__(self, person):
        self.person = person
        self.refused = []
        self.common = person.random.uniform(-1, 1)
        self.truth = {
            grams: person.model.weigh_out(person.random, self.common, grams) for grams in person.model.weights
        }
        self.start = person.rig.time

    @property
    def seconds(self):
        return self.person.rig.time - self.start

    def quick(self):
        for grams in self.person.model.weights:
            self.point(grams)

    def thorough(self):
        """What one weight in the center at once cannot show: repeatability, place, time, and descending loads."""
        weights = self.person.model.weights
        middle = weights[len(weights) // 2]
        for _ in range(2):
            self.point(middle)
        for x, y in CORNERS:
            self.point(middle, [Foot(x=x, y=y)], condition="corner")
        self.point(middle, wait=60, condition="minute")
        self.descend(weights[-1], middle)

    def descend(self, heavier, grams):
        """A part of a heavier load is taken off, so that a known weight remains."""
        person = self.person
        curve, free = person.curve(self.truth[heavier])
        load = person.rig.put(curve, person.model.calibration_feet(person.random, person.rig.sensor))
        person.rest(free + REST)
        now = person.rig.time - load[1]
        curve.then(now, now + 0.3, self.truth[grams])
        person.rest(0.3 + REST)
        self.measure(grams, condition="descending")
        person.rig.lift(load)
        person.rest(1.0)

    def point(self, grams, feet=None, wait=0.0, **values):
        """Puts a weight down, has it measured, and takes it away."""
        person, model = self.person, self.person.model
        curve, free = person.curve(self.truth[grams])
        feet = feet or model.calibration_feet(person.random, person.rig.sensor)
        load = person.rig.put(curve, feet)
        person.rest(free + max(REST, wait))
        self.measure(grams, **values)
        person.rig.lift(load)
        person.rest(1.0)

    def measure(self, grams, **values):
        person = self.person
        end = person.rig.time + PATIENCE
        while True:
            reply = person.ask("calibrate", step="point", grams=grams, **values)
            if reply["ok"]:
                return
            message = reply["error"]["message"]
            if person.rig.time >= end or reply["error"]["code"] == "bad_argument":
                self.refused.append([grams, message])
                return
            person.rest(0.2)


# Weighing.


def weigh(person, grams, kind):
    model, random = person.model, person.random
    rig, simulation = person.rig, person.simulation
    feet = model.feet(random, rig.sensor)
    is_late = model.wait and random.random() < 0.5
    comes_down = model.descends and random.random() < 0.5
    palm = None
    if model.palm:
        palm = rig.put(Curve((0, 0), (0.2, model.palm)), [Foot(x=0.2, y=0.9, is_palm=True)])
        person.rest(0.5)
    start = grams + random.uniform(0.3, 1.0) * (model.weights[-1] * 1.1 - grams) if comes_down else grams
    curve, free = person.curve(max(start, grams))
    load = rig.put(curve, feet)
    begun = rig.time
    if comes_down:
        person.rest(2.0)
        now = rig.time - begun
        curve.then(now, now + 0.3, grams)
        free = now + 0.3
        person.rest(0.3)
    if is_late:
        person.rest(free + model.wait)
        free = rig.time - begun
    simulation.send({"do": "weigh", "timeout_ms": 10000})
    rig.run(12, until=lambda: simulation.replies)
    reply = simulation.replies.pop(0)
    reading = {
        "truth": round(grams, 4), "kind": kind,
        "case": "late" if is_late else "down" if comes_down else "",
    }
    if reply["ok"]:
        result = reply["result"]
        reading.update(
            grams=result["grams"], error=result["error_grams"], status=result["status"],
            seconds=round(result["time"] / 1e6 - (begun + free), 3), decaying=result["decaying"],
        )
    else:
        state = person.ask("state")["result"]
        scale = state[0]["scale"] if state else {}
        reading.update(failed=reply["error"]["message"], status=scale.get("status"), grams=None, error=None)
    rig.lift(load)
    if palm is not None:
        rig.lift(palm)
    person.rest(1.0)
    return [reading]
