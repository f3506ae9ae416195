"""What a person does with a device: calibrates it as the documentation describes, weighs things, and checks it."""

import random as randoms

from sensors import Curve, Foot, Rig
from simulation import Simulation

# Seconds that a person leaves a weight alone before measuring it, and tries to have it accepted.
REST = 1.5
PATIENCE = 10

# After how many checks the loads are weighed.
CHECKS = (0, 3, 6)


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

    def insist(self, verb, **values):
        """Asks until it is accepted, as a person does who is told to wait. Returns the reason if it is not."""
        end = self.rig.time + PATIENCE
        while True:
            reply = self.ask(verb, **values)
            if reply["ok"]:
                return None
            if self.rig.time >= end or reply["error"]["code"] == "bad_argument":
                return reply["error"]["message"]
            self.rest(0.2)


def seeded(name, number):
    """The generator of one sensor: the same on each machine."""
    return randoms.Random(f"{name} {number}")


def trial(program, clock, model, number):
    """Calibrates one sensor and weighs with it, without and with checks."""
    random = seeded(model.name, number)
    sensor = model.make(random)
    simulation = Simulation(program, clock, sensor.description())
    try:
        person = Person(Rig(simulation, sensor, random), random, model)
        result = {"model": model.name, "number": number, "readings": []}
        person.rest(2)
        weights = Weights(person)
        if model.is_calibrated:
            result["refusal"] = weights.calibrate()
            if result["refusal"]:
                return result
        model.alter(random, sensor)
        person.rest(3)
        done = 0
        for checks in CHECKS if model.is_calibrated and not model.overloads else CHECKS[:1]:
            while done < checks:
                weights.check()
                done += 1
            for load, kind in loads(random, model):
                result["readings"].append({"checks": checks, **weigh(person, load, kind)})
        return result
    finally:
        simulation.close()


def loads(random, model):
    """The loads of the readings: two in each quarter of the field, and one below it."""
    first, last = model.weights[0], model.weights[-1]
    if model.overloads:
        return [(last * random.uniform(*model.overloads), "over") for _ in range(4)]
    steps = [first + (last - first) * (index + random.random()) / 8 for index in range(8)]
    chosen = [(grams, "field") for grams in steps] + [(first * random.uniform(0.4, 0.9), "below")]
    random.shuffle(chosen)
    return chosen


class Weights:
    """The known weights, as heavy as they really are."""

    def __init__(self, person):
        self.person = person
        common = person.random.uniform(-1, 1)
        self.truth = {grams: person.model.weigh_out(person.random, common, grams) for grams in person.model.weights}

    def begin(self):
        percent = self.person.model.stated_percent
        return self.person.ask("calibrate", step="begin", **({"weights_percent": percent} if percent is not None else {}))

    def calibrate(self):
        """Measures one weight after another in the center. Returns why it is refused, or None."""
        person = self.person
        begun = self.begin()
        if not begun["ok"]:
            return "begin: " + begun["error"]["message"]
        if not any(point["grams"] == 0 for point in begun["result"]["points"]):
            person.insist("calibrate", step="point", grams=0)
        # It takes a moment to reach for the first weight.
        person.rest(1.5)
        for grams in person.model.weights:
            feet = person.model.calibration_feet(person.random, person.rig.sensor)
            self.put(grams, feet, lambda: person.insist("calibrate", step="point", grams=grams))
        done = person.ask("calibrate", step="finish")
        return None if done["ok"] else "finish: " + done["error"]["message"]

    def check(self):
        """Puts one of the weights where things are weighed."""
        person, percent = self.person, self.person.model.stated_percent
        grams = person.random.choice(person.model.weights)
        more = {"weights_percent": percent} if percent is not None else {}
        feet = person.model.feet(person.random, person.rig.sensor)
        self.put(grams, feet, lambda: person.insist("calibrate", step="check", grams=grams, **more))

    def put(self, grams, feet, measure):
        person = self.person
        curve, free = person.curve(self.truth[grams])
        load = person.rig.put(curve, feet)
        person.rest(free + REST)
        measure()
        person.rig.lift(load)
        person.rest(1.0)


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
    start = grams + random.uniform(0.3, 1.0) * (model.weights[-1] - grams) if comes_down else grams
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
    reading = {"truth": round(grams, 4), "kind": kind, "case": "late" if is_late else "down" if comes_down else ""}
    if reply["ok"]:
        result = reply["result"]
        reading.update(
            grams=result["grams"], error=result["error_grams"], repeat=result.get("repeat_grams"),
            seconds=round(result["time"] / 1e6 - (begun + free), 3),
        )
    else:
        reading.update(failed=reply["error"]["message"], grams=None, error=None)
    rig.lift(load)
    if palm is not None:
        rig.lift(palm)
    person.rest(1.0)
    return reading
