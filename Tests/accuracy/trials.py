"""What a person does with a device: calibrates it as the documentation describes, weighs things, and checks it."""

import contextlib
import random as randoms

from sensors import Curve, Foot, Rig
from simulation import Simulation

# Seconds that a person leaves a weight alone before measuring it, and tries to have it accepted.
REST = 1.5
PATIENCE = 10

# After how many checks the loads are weighed.
CHECKS = (0, 3, 6)


class Person:
    """A hand that puts things down and lifts them, and known weights, as heavy as they really are."""

    def __init__(self, simulation, model, sensor, random):
        self.simulation, self.model, self.random = simulation, model, random
        self.rig = Rig(simulation, sensor, random)
        self.rest(2)
        common = random.uniform(-1, 1)
        self.truth = {grams: model.weigh_out(random, common, grams) for grams in model.weights}

    def curve(self, grams):
        """A load that is put down: it grows, the hand presses a little, and lets go. Returns when that is, too."""
        ramp = self.random.uniform(0.15, 0.5)
        top = grams * (1 + self.random.uniform(*self.model.overshoot))
        return Curve((0, 0), (ramp, top), (ramp + 0.15, top), (ramp + 0.35, grams)), ramp + 0.35

    def rest(self, seconds):
        self.rig.run(seconds)

    def ask(self, verb, **values):
        return self.simulation.ask({"do": verb, **values})

    def insist(self, **values):
        """Asks to measure until it is accepted, as a person does who is told to wait."""
        end = self.rig.time + PATIENCE
        while not (reply := self.ask("calibrate", **values))["ok"]:
            if self.rig.time >= end or reply["error"]["code"] == "bad_argument":
                return
            self.rest(0.2)

    @property
    def tolerance(self):
        percent = self.model.stated_percent
        return {} if percent is None else {"weights_percent": percent}

    def calibrate(self, measure=None):
        """Measures one weight after another, in the center unless told otherwise. Returns why it is refused, or None."""
        begun = self.ask("calibrate", step="begin", **self.tolerance)
        if not begun["ok"]:
            return "begin: " + begun["error"]["message"]
        if not any(point["grams"] == 0 for point in begun["result"]["points"]):
            self.insist(step="point", grams=0)
        # It takes a moment to reach for the first weight.
        self.rest(1.5)
        for grams in self.model.weights:
            (measure or self.measure)(grams)
        done = self.ask("calibrate", step="finish")
        return None if done["ok"] else "finish: " + done["error"]["message"]

    def measure(self, grams):
        self.put(grams, self.model.calibration_feet(self.random, self.rig.sensor), step="point")

    def check(self):
        """Puts one of the weights where things are weighed."""
        grams = self.random.choice(self.model.weights)
        self.put(grams, self.model.feet(self.random, self.rig.sensor), step="check", **self.tolerance)

    def put(self, grams, feet, **request):
        curve, free = self.curve(self.truth[grams])
        load = self.rig.put(curve, feet)
        self.rest(free + REST)
        self.insist(grams=grams, **request)
        self.rig.lift(load)
        self.rest(1.0)


@contextlib.contextmanager
def prepared(program, clock, model, number):
    """A person with one sensor, and the result of the trial; the same on each machine."""
    random = randoms.Random(f"{model.name} {number}")
    sensor = model.make(random)
    simulation = Simulation(program, clock, sensor.description())
    try:
        yield Person(simulation, model, sensor, random), {"model": model.name, "number": number, "refusal": None}
    finally:
        simulation.close()


def trial(program, clock, model, number):
    """Calibrates one sensor and weighs with it, without and with checks."""
    with prepared(program, clock, model, number) as (person, result):
        result["readings"] = []
        if model.is_calibrated:
            result["refusal"] = person.calibrate()
            if result["refusal"]:
                return result
        for name, draw in model.alter.items():
            setattr(person.rig.sensor, name, draw(person.random))
        person.rest(3)
        done = 0
        for checks in CHECKS if model.is_calibrated and not model.overloads else CHECKS[:1]:
            while done < checks:
                person.check()
                done += 1
            for grams in loads(person.random, model):
                result["readings"].append({"checks": checks, **weigh(person, grams)})
        return result


def loads(random, model):
    """The loads of the readings: two in each quarter of the field, and one below it."""
    first, last = model.weights[0], model.weights[-1]
    if model.overloads:
        return [last * random.uniform(*model.overloads) for _ in range(4)]
    chosen = [first + (last - first) * (index + random.random()) / 8 for index in range(8)]
    chosen.append(first * random.uniform(0.4, 0.9))
    random.shuffle(chosen)
    return chosen


def weigh(person, grams):
    model, random, rig = person.model, person.random, person.rig
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
    person.simulation.send({"do": "weigh", "timeout_ms": 10000})
    rig.run(12, until=lambda: person.simulation.replies)
    reply = person.simulation.replies.pop(0)
    reading = {"truth": round(grams, 4), "grams": None}
    if reply["ok"]:
        result = reply["result"]
        reading.update(
            grams=result["grams"], error=result["error_grams"], repeat=result.get("repeat_grams"),
            seconds=round(result["time"] / 1e6 - (begun + free), 3),
        )
    rig.lift(load)
    if palm is not None:
        rig.lift(palm)
    person.rest(1.0)
    return reading
