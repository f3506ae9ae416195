"""Sensors as physics and data sheets describe them, from the load on the surface to the events of the device node.

Nothing here is taken from the program. A load passes through these effects, each of which may be absent:

    hand and vibration -> tilt -> place -> creep -> hysteresis -> law -> temperature -> noise -> counts -> firmware

Sources of the magnitudes:

* Interlink Electronics, FSR 400 series data sheet: repeatability +-2 %, hysteresis +10 % on average, drift below 5 % per
  decade of time, -5 to +10 % in cold and heat.
* Tekscan, FlexiForce user manual, rev. G: linearity +-3 %, repeatability +-2.5 %, hysteresis below 4.5 %, drift below 5 %
  per decade, 0.36 % per kelvin; creep and hysteresis as separate effects.
* Paredes-Madrid et al., "Experimental characterization, modeling and compensation of hysteresis in force sensing
  resistors", DYNA 85 (205), 2018: hysteresis as a superposition of operators with a memory (Preisach). The play operators
  below are the superposition of Prandtl and Ishlinskii, a special case.
* Tang et al., "Effect of contacting surface on the performance of thin-film force and pressure sensors", Sensors 20 (23),
  2020: the reading depends on the hardness of what touches the sensor, and on time.
* Hertz's theory of contact: the area under an elastic sphere grows with the 2/3 power of the force.
* El-Molla et al., Journal of Sensors 2016, 1736169: an elastomer below a capacitive sensor recovers within some 15 s.
* OIML R 76-1:2006: which influences a scale is tested for (A.4 to A.6: eccentricity, discrimination, repeatability, creep,
  zero return, tilting, temperature).
"""

import math
from dataclasses import dataclass

from codes import EV_ABS as ABS
from codes import EV_SYN, INPUT_EVENT

EV_MSC = 4
SLOT, X, Y, TOOL_TYPE, TRACKING_ID, PRESSURE, TOTAL, TIMESTAMP = 0x2F, 0x35, 0x36, 0x37, 0x39, 0x3A, 0x18, 5

WIDTH, HEIGHT = 1000, 600


class Kelvin:
    """Creep: elastic elements in series with dampers, each of which adds a share of the load with its time constant."""

    def __init__(self, elements):
        self.elements = [[share, constant, 0.0] for share, constant in elements]

    def update(self, load, seconds):
        total = load
        for element in self.elements:
            share, constant, state = element
            element[2] = state + (load - state) * (1 - math.exp(-seconds / constant))
            total += share * element[2]
        return total


class Play:
    """Hysteresis: play operators of several widths. After a cycle to the full scale, the descending branch is higher by
    the given share of the full scale in the middle."""

    def __init__(self, share, full_scale):
        self.radii = [full_scale * part for part in (0.01, 0.03, 0.08, 0.2)]
        middle = full_scale / 2
        gap = sum(min(2 * radius, full_scale - middle) for radius in self.radii) / len(self.radii)
        self.weight = share * full_scale / gap
        self.states = [0.0] * len(self.radii)

    def update(self, load, _):
        self.states = [max(load - radius, min(load + radius, state)) for radius, state in zip(self.radii, self.states)]
        # Bare is bare: what remains without a load is the zero, which firmware takes away.
        return load + self.weight * (sum(self.states) / len(self.states) - load) if load > 0 else 0.0


@dataclass
class Sensor:
    """The properties of one device. Loads are in grams, `gain` in counts per gram."""

    bus: int = 0x18
    vendor: int = 0x06CB
    product: int = 0xCD41
    # What the device says of its pressure: a force or, like most touchpads, nothing, so that it may be the area of contacts.
    measures: str = "force"
    rate: float = 100.0
    maximum: int = 2000
    full_scale: float = 700.0
    resolution: int = 0
    slots: int = 5
    # Counts at the slightest touch.
    offset: float = 3.0
    # White noise in grams.
    noise: float = 0.15
    # (amplitude in grams, frequency in hertz); an acceleration acts on the load: grams for each 100 g.
    hum: tuple = (0.0, 0.0)
    vibration: tuple = (0.0, 0.0)
    creep: tuple = ()
    hysteresis: float = 0.0
    # The share by which a corner is more sensitive than the center, for each of the four.
    corners: tuple = (0.0, 0.0, 0.0, 0.0)
    # Degrees, and the part of the pad's own mass that then rests on the sensor.
    tilt: float = 0.0
    plate: float = 0.0
    # Shares per kelvin, grams per kelvin, kelvins since the calibration.
    temperature_gain: float = 0.0
    temperature_zero: float = 0.0
    warmer: float = 0.0
    # Grams by which the zero wanders in a minute, from the calibration on.
    zero_drift: float = 0.0
    dead_zone: float = 0.0
    # The load in grams above which the reading stays the same, without noise; None if that is the end of the axis.
    clip: float | None = None
    knee: tuple = (math.inf, 1.0)
    exponent: float | None = None
    # The time constant with which firmware takes a load for its zero, and the share at which it stops.
    tracking: float | None = None
    tracking_floor: float = 0.0
    # The share of a period by which a frame comes early or late, and the share of lost frames.
    jitter: float = 0.0
    loss: float = 0.0
    # own: each contact has its force; total: each has the force of all; haptic: own, and their sum as ABS_PRESSURE;
    # shared: one sensor below the whole surface, ABS_PRESSURE, which also reports what it reads while nothing touches.
    contacts: str = "own"
    # Whether there is a frame if nothing has changed, as those of HID pads with a timestamp.
    has_timestamp: bool = True

    @property
    def gain(self):
        return self.maximum / self.full_scale

    @property
    def end(self):
        return self.maximum if self.clip is None else min(self.maximum, round(self.offset + self.gain * self.clip))

    def cell(self):
        """What senses one contact: effects that remember earlier loads, in their order; each has `update(load, seconds)`."""
        stages = [Kelvin(self.creep)] if self.creep else []
        return stages + ([Play(self.hysteresis, self.full_scale)] if self.hysteresis else [])

    def sensitivity(self, x, y):
        """Bilinear between the corners' values, with the center as it is."""
        u, v = 2 * x - 1, 2 * y - 1
        weight = min(1.0, math.hypot(u, v) / math.sqrt(2)) ** 2
        nw, ne, sw, se = self.corners
        return 1 + weight * (nw * (1 - x) * (1 - y) + ne * x * (1 - y) + sw * (1 - x) * y + se * x * y)

    def law(self, load):
        """The reading in grams of a linear sensor of the same sensitivity."""
        load = max(0.0, load - self.dead_zone)
        at, slope = self.knee
        if load > at:
            load = at + (load - at) * slope
        if self.exponent:
            load = self.full_scale * (load / self.full_scale) ** self.exponent
        return load

    def description(self):
        """The device in evemu's format."""
        haptic, force = self.contacts == "haptic", self.measures == "force"
        axes = {0x2F: (self.slots - 1, 0), X: (WIDTH, 10), Y: (HEIGHT, 10), TOOL_TYPE: (2, 0), TRACKING_ID: (65535, 0)}
        if haptic or self.contacts == "shared":
            axes[TOTAL] = self.maximum, self.resolution
        if self.contacts != "shared":
            axes[PRESSURE] = self.maximum, self.resolution
        # Bits of kinds of events; a haptic pad has simple effects.
        bits = ["00 1b 00 20" if haptic else "00 1b 00 00", "04 20 00 00", *(["15 00 00 00", "15 00 80 00"] if haptic else [])]
        return "\n".join([
            "# EVEMU 1.2",
            "N: Simulated Touchpad",
            f"I: {self.bus:04x} {self.vendor:04x} {self.product:04x} 0100",
            f"P: {'85' if haptic or force else '05'} 00 00 00 00 00 00 00",
            *[f"B: {first} 00 00 00 00 00" for first in bits],
            *[f"A: {code:02x} 0 {maximum} 0 0 {resolution}" for code, (maximum, resolution) in sorted(axes.items())],
            "",
        ])


@dataclass
class Foot:
    """Where an object touches the surface: its share of the load, its place, and how it differs from other feet."""

    share: float = 1.0
    x: float = 0.5
    y: float = 0.5
    factor: float = 1.0
    is_palm: bool = False


class Curve:
    """A load in grams over time: knots that are connected by smooth transitions, constant after the last one."""

    def __init__(self, *knots):
        self.knots = list(knots)

    def __call__(self, time):
        knots = self.knots
        if time <= knots[0][0]:
            return knots[0][1]
        for (start, before), (end, after) in zip(knots, knots[1:]):
            if time < end:
                return before + (after - before) * (0.5 - 0.5 * math.cos(math.pi * (time - start) / (end - start)))
        return knots[-1][1]

    def then(self, start, end, load):
        """Rests until one time and changes until another."""
        self.knots += [(start, self.knots[-1][1]), (end, load)]
        return self


class Rig:
    """A sensor in front of the daemon: loads rest on it while time passes."""

    # The seconds that are simulated at once.
    STEP = 0.1

    def __init__(self, simulation, sensor, random):
        self.simulation, self.sensor, self.random = simulation, sensor, random
        self.cells = [sensor.cell() for _ in range(sensor.slots)]
        self.tracked = [0.0] * sensor.slots
        self.time = self.origin = self.last_time = self.drifts_from = simulation.seconds + 0.001
        self.ticks = self.slot = self.contact = 0
        # What was sent for each slot, the events of the next frame, and the loads.
        self.sent, self.pending, self.on = {}, [], []
        self.phase = random.uniform(0, 6.28)
        self.send([])

    # What is on the surface.

    def put(self, curve, feet=(Foot(),)):
        """Something begins to touch the surface now; the curve's time starts here."""
        load = (curve, self.time, [])
        self.on.append(load)
        for foot in feet:
            used = {slot for _, _, contacts in self.on for _, slot in contacts}
            slot = next(number for number in range(self.sensor.slots) if number not in used)
            load[2].append((foot, slot))
            self.contact += 1
            self.tracked[slot], self.sent[slot] = 0.0, None
            self.pending += [*self.select(slot), (ABS, TRACKING_ID, self.contact & 0xFFFF)]
            self.pending += [(ABS, X, round(foot.x * WIDTH)), (ABS, Y, round(foot.y * HEIGHT))]
            if self.sensor.contacts != "shared":
                self.pending.append((ABS, TOOL_TYPE, 2 if foot.is_palm else 0))
        return load

    def lift(self, load, seconds=0.2):
        """A hand takes it away."""
        curve, start, contacts = load
        now = self.time - start
        curve.knots = [(now, curve(now)), (now + seconds, 0.0)]
        self.run(seconds)
        self.on.remove(load)
        events = []
        for _, slot in contacts:
            events += [*self.select(slot), (ABS, TRACKING_ID, -1)]
            del self.sent[slot]
        self.send(events + self.total())

    # Frames.

    def report(self, time, events):
        stamp = divmod(round(time * 1e6), 1_000_000)
        return b"".join([INPUT_EVENT.pack(*stamp, *event) for event in [*events, (EV_SYN, 0, 0)]])

    def send(self, events):
        self.simulation.write(self.report(self.time, events))
        self.simulation.advance(self.time)

    def select(self, slot):
        if slot == self.slot:
            return []
        self.slot = slot
        return [(ABS, SLOT, slot)]

    def total(self):
        # The kernel adds the slots' values and does not clamp the sum to the range of the axis.
        return [(ABS, TOTAL, sum(self.sent.values()))] if self.sensor.contacts == "haptic" else []

    def disturbance(self, time, load):
        """What shakes the building or the cable, in grams."""
        amplitude, frequency = self.sensor.hum
        extra = amplitude * math.sin(2 * math.pi * frequency * time + self.phase)
        amplitude, frequency = self.sensor.vibration
        beat = 0.6 + 0.4 * math.sin(0.9 * time + self.phase)
        return extra + amplitude * beat * load / 100 * math.sin(2 * math.pi * frequency * time)

    def counts(self, force, foot, slot, seconds):
        """The reading of one contact."""
        sensor = self.sensor
        load = force * foot.factor
        if sensor.tilt or sensor.plate:
            load = load * math.cos(math.radians(sensor.tilt)) + sensor.plate * math.sin(math.radians(sensor.tilt))
        if any(sensor.corners):
            load *= sensor.sensitivity(foot.x, foot.y)
        for stage in self.cells[slot]:
            load = stage.update(load, seconds)
        load = sensor.law(load) + sensor.zero_drift * (self.time - self.drifts_from) / 60
        load = load * (1 + sensor.temperature_gain * sensor.warmer) + sensor.temperature_zero * sensor.warmer
        raw = sensor.offset + sensor.gain * load
        if sensor.noise:
            raw += self.random.gauss(0.0, sensor.noise * sensor.gain)
        if sensor.tracking:
            goal = raw * (1 - sensor.tracking_floor)
            self.tracked[slot] += (goal - self.tracked[slot]) * (1 - math.exp(-seconds / sensor.tracking))
            raw -= self.tracked[slot]
        return min(sensor.end, max(0, round(raw)))

    def touching(self, time):
        """The slots that touch the surface, with the force and the foot of each."""
        for curve, start, contacts in self.on:
            load = max(0.0, curve(time - start))
            if load > 0 and self.sensor.contacts != "shared":
                load = max(0.0, load + self.disturbance(time, load))
            for foot, slot in contacts:
                yield slot, load * foot.share, foot

    def values(self, active, seconds):
        """What each slot reads; of a shared sensor, which also reads while nothing touches, there is one without a slot."""
        if self.sensor.contacts in ("shared", "total"):
            # One sensor below all contacts: the place is that of the first.
            foot = active[0][2] if active else Foot()
            whole = self.counts(sum(force for _, force, _ in active), foot, 0, seconds)
            return [(None, whole)] if self.sensor.contacts == "shared" else [(slot, whole) for slot, _, _ in active]
        return [(slot, self.counts(force, foot, slot, seconds)) for slot, force, foot in active]

    def recover(self, seconds, used=()):
        """Cells without a contact recover."""
        for slot, cell in enumerate(self.cells):
            load = 0.0
            for stage in cell if slot not in used else ():
                load = stage.update(load, seconds)

    def frame(self, time, seconds):
        active = list(self.touching(time))
        events, self.pending = self.pending, []
        changed = [(slot, value) for slot, value in self.values(active, seconds) if self.sent.get(slot) != value]
        self.sent.update(changed)
        for slot, value in changed:
            events += [(ABS, TOTAL, value)] if slot is None else [*self.select(slot), (ABS, PRESSURE, value)]
        if changed:
            events += self.total()
        if active:
            self.recover(seconds, [slot for slot, _, _ in active])
        if self.sensor.has_timestamp:
            events.append((EV_MSC, TIMESTAMP, round(time * 1e6) & 0x7FFFFFFF))
        return self.report(time, events) if events else b""

    def frames(self, stop):
        """The frames up to this time."""
        sensor, parts = self.sensor, []
        while True:
            wobble = ((self.ticks * 2654435761) % 4096 / 2048 - 1) * sensor.jitter
            time = self.origin + (self.ticks + 1 + wobble) / sensor.rate
            if time > stop:
                return b"".join(parts)
            self.ticks += 1
            if not sensor.loss or self.random.random() >= sensor.loss:
                parts.append(self.frame(time, round(time - self.last_time, 6)))
                self.last_time = time

    def run(self, seconds, until=None):
        """Lets time pass, at most until `until` returns true, which is asked after each step."""
        end = self.time + seconds
        while self.time < end - 1e-9:
            # No event is later than the daemon's clock when it is read, and no timer fires after a later event.
            stop = min(self.time + self.STEP, end)
            if self.on or self.sensor.contacts == "shared":
                if self.time < self.simulation.timer / 1e9 < stop:
                    stop = self.simulation.timer / 1e9
                self.simulation.write(self.frames(stop))
            else:
                self.recover(stop - self.time)
                self.last_time = stop
                self.ticks = math.floor((stop - self.origin) * self.sensor.rate)
            self.simulation.advance(stop)
            self.time = stop
            if until is not None and until():
                return
