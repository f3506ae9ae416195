"""The simulated devices: what is wrong with each, and how it is weighed with.

A model draws its values for each sensor from the given generator, so that a hundred sensors are a hundred devices.
"""

from dataclasses import dataclass, field
from typing import Callable

from sensors import Foot, Sensor

# Grams; the heaviest is what people weigh at most.
TWO = (40, 400)
FIVE = (40, 100, 200, 300, 400)
TEN = (20, 40, 70, 100, 150, 200, 250, 300, 350, 400)


@dataclass
class Model:
    name: str
    # What the table calls it.
    title: str
    # Draws a sensor in the state in which it is calibrated.
    make: Callable
    # Properties of the sensor that change between the calibration and the readings.
    alter: dict = field(default_factory=dict)
    # Where the object touches, for a reading.
    feet: Callable = lambda random, sensor: [Foot()]
    # Where a weight touches during the calibration.
    calibration_feet: Callable = lambda random, sensor: [Foot()]
    weights: tuple = FIVE
    # What a weight of this many grams really weighs; `common` is drawn once for each sensor.
    weigh_out: Callable = lambda random, common, grams: grams
    # How much more than the weight the hand presses while it lets go, as a share.
    overshoot: tuple = (0.0, 0.3)
    # Seconds after which half of the readings are taken, instead of at once.
    wait: float = 0.0
    # Whether half of the readings come down from a heavier load.
    descends: bool = False
    # By how many percent the weights may be wrong, as the person states it; None for what the program assumes of coins.
    stated_percent: float | None = 0.1
    # The coverage in percent that is expected without a check; less outside the conditions of the calibration.
    goal: float = 93
    is_calibrated: bool = True
    # A palm of so many grams beside the load, if not 0.
    palm: float = 0.0
    # Whether it must come to rest: noise is at most 1 g rms.
    must_rest: bool = True
    # Loads beyond the end of the sensor instead, as multiples of the heaviest weight.
    overloads: tuple = ()


def base(random, **values):
    """A good force pad: linear, with a gain, an offset at touch and a noise of its own."""
    given = {
        "measures": "force",
        "full_scale": random.uniform(550, 900),
        "offset": random.uniform(0, 6),
        "noise": random.uniform(0.08, 0.2),
    }
    return Sensor(**{**given, **values})


def sensor(**values):
    """A base sensor; values that are functions are drawn."""

    def make(random):
        drawn = {name: value(random) if callable(value) else value for name, value in values.items()}
        return base(random, **drawn)

    return make


def uniform(low, high):
    return lambda random: random.uniform(low, high)


def either_sign(low, high):
    return lambda random: random.choice((-1, 1)) * random.uniform(low, high)


def wave(grams, hertz):
    return lambda random: (grams(random), hertz(random))


def anywhere(random, _):
    return [Foot(x=random.uniform(0.05, 0.95), y=random.uniform(0.05, 0.95))]


def near_corners(share):
    return lambda random: tuple(either_sign(0.5, 1)(random) * share for _ in range(4))


def on_feet(count):
    """An object on several feet, of which none carries less than a third of an equal share."""

    def feet(random, _):
        shares = [random.uniform(1, 3) for _ in range(count)]
        total = sum(shares)
        places = [(0.3, 0.3), (0.7, 0.7), (0.7, 0.3), (0.3, 0.7)]
        return [Foot(share / total, *place) for share, place in zip(shares, places)]

    return feet


def unequal(random, _):
    return [Foot(0.8, 0.3, 0.3), Foot(0.2, 0.7, 0.7)]


def fresh_foot(spread):
    """Each placement deforms the foot differently."""
    return lambda random, _: [Foot(factor=random.lognormvariate(0, spread))]


def creep(low, high):
    """`share` of the load is added between 2 s and 60 s after it was put down."""

    def draw(random):
        share = random.uniform(low, high) / 1.31
        return ((share, 3.0), (share, 30.0))

    return draw


def kernel(resolution, maximum, low, high):
    """A pad of which the kernel states the units per gram, rounded."""

    def make(random):
        return base(random, resolution=resolution, offset=0.0, maximum=maximum, full_scale=maximum / random.uniform(low, high))

    return make


MODELS = [
    Model("base", "good sensor, five weights", sensor()),
    Model("two", "two weights", sensor(), weights=TWO),
    Model("ten", "ten weights", sensor(), weights=TEN),
    Model("hysteresis", "hysteresis 1 to 5 % of full scale", sensor(hysteresis=uniform(0.01, 0.05)), descends=True),
    Model("creep", "creep 2 to 5 % in a minute", sensor(creep=creep(0.02, 0.05)), wait=60),
    Model("relaxation", "stress relaxation, -2 to -5 % in a minute", sensor(creep=creep(-0.05, -0.02)), wait=60),
    Model("corners-5", "corners up to 5 % off, weighed anywhere", sensor(corners=near_corners(0.05)), feet=anywhere),
    Model("tilt", "tilted by up to 10 degrees after the calibration", sensor(plate=uniform(0, 20)), alter={"tilt": uniform(0, 10)}),
    Model("dead-zone", "dead zone of 5 to 20 g", sensor(dead_zone=uniform(5, 20))),
    Model(
        "knee", "knee: from 120 to 300 g on, 0.5 to 0.8 of the slope",
        sensor(knee=lambda random: (random.uniform(120, 300), random.uniform(0.5, 0.8))),
    ),
    Model("size", "contact area of an elastic foot", sensor(exponent=uniform(0.6, 0.72), measures="area")),
    Model(
        "size-foot", "contact area, the foot deforms differently by 3 %", sensor(exponent=uniform(0.6, 0.72), measures="area"),
        feet=fresh_foot(0.03), calibration_feet=fresh_foot(0.03),
    ),
    Model(
        "size-other", "contact area, weighed with another foot", sensor(exponent=uniform(0.6, 0.72), measures="area"),
        feet=lambda random, pad: [Foot(factor=0.8)],
    ),
    Model(
        "repeat", "2 % from placement to placement", sensor(), feet=fresh_foot(0.02),
        calibration_feet=fresh_foot(0.02),
    ),
    Model(
        "warm", "10 K warmer, 0.1 to 0.4 % and 0.1 g per kelvin",
        sensor(temperature_gain=either_sign(0.001, 0.004), temperature_zero=uniform(-0.1, 0.1)), goal=0,
        alter={"warmer": lambda random: 10.0},
    ),
    Model("levels-64", "64 levels", sensor(maximum=63, has_timestamp=False)),
    Model("levels-64-noise", "64 levels, noise 1 g rms", sensor(maximum=63, noise=1.0, has_timestamp=False)),
    Model("levels-253", "253 levels", sensor(maximum=253, has_timestamp=False)),
    Model("noise-1", "noise 1 g rms", sensor(noise=1.0)),
    Model(
        "hum", "mains hum of 1 to 3 g", sensor(hum=wave(uniform(1, 3), uniform(49.8, 50.2)), rate=90.0),
    ),
    Model(
        "hum-slow", "mains hum of 1 to 3 g that the rate turns into 0.05 to 0.5 Hz",
        sensor(hum=wave(uniform(1, 3), uniform(60.05, 60.5)), rate=60.0), must_rest=False,
    ),
    Model(
        "vibration", "vibration, 0.5 to 1.5 g for each 100 g at 4 to 12 Hz",
        sensor(vibration=wave(uniform(0.5, 1.5), uniform(4, 12))),
    ),
    Model("overshoot", "the hand presses 1 to 2 times the weight", sensor(), overshoot=(1.0, 2.0)),
    Model(
        "weights-each", "weights wrong by up to 2 %, each by itself", sensor(),
        weigh_out=lambda random, common, grams: grams * (1 + random.uniform(-0.02, 0.02)), stated_percent=None,
    ),
    Model(
        "weights-alike", "weights wrong by up to 2 %, all alike", sensor(),
        weigh_out=lambda random, common, grams: grams * (1 + 0.02 * common), stated_percent=None,
    ),
    Model("feet-2", "two feet, each contact with an offset of 10 counts", sensor(offset=10.0), feet=on_feet(2)),
    Model("feet-3", "three feet", sensor(offset=10.0), feet=on_feet(3)),
    Model("feet-4", "four feet", sensor(offset=10.0), feet=on_feet(4)),
    Model(
        "haptic-2", "haptic pad with a total, offset 20, two contacts", sensor(offset=20.0, contacts="haptic"),
        feet=on_feet(2),
    ),
    Model(
        "haptic-palm", "haptic pad, a palm of 40 g beside the load", sensor(offset=20.0, contacts="haptic"), palm=40,
    ),
    Model(
        "total-2", "every contact carries the total, two contacts, unknown pad", sensor(contacts="total"),
        feet=on_feet(2), calibration_feet=on_feet(1),
    ),
    Model(
        "total-quirk", "the same on 045e:09af",
        sensor(contacts="total", vendor=0x045E, product=0x09AF, maximum=2000, full_scale=2000.0, offset=0.0),
        feet=on_feet(2), calibration_feet=on_feet(1),
    ),
    Model("jitter", "jitter of 40 %, 5 % of the frames lost", sensor(jitter=0.4, loss=0.05)),
    Model("rate-1000", "1000 Hz", sensor(rate=1000.0)),
    Model("kernel-1", "the kernel's units, 0.6 to 1.4 a gram, never calibrated", kernel(1, 2000, 0.6, 1.4), is_calibrated=False),
    Model("kernel-4", "the kernel's units, 3.5 to 4.5 a gram, never calibrated", kernel(4, 4095, 3.55, 4.45), is_calibrated=False),
    Model(
        "saturated", "loads beyond the end of the sensor", sensor(full_scale=uniform(410, 440)), overloads=(1.2, 1.5),
    ),
    Model(
        "clipped", "loads beyond the end of an amplifier", sensor(maximum=2000, clip=uniform(405, 440)),
        overloads=(1.2, 1.5),
    ),
    Model(
        "saturated-2", "two contacts, one of them beyond its end", sensor(full_scale=uniform(410, 440)), feet=unequal,
        overloads=(1.45, 1.8),
    ),
    Model(
        "saturated-haptic", "the same on a haptic pad with a total",
        sensor(full_scale=uniform(410, 440), contacts="haptic"), feet=unequal, overloads=(1.45, 1.8),
    ),
]

BY_NAME = {model.name: model for model in MODELS}
