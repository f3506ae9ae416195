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
import struct
from dataclasses import dataclass

ABS, MSC, SYN = 3, 4, 0
SLOT, X, Y, TOOL_TYPE, TRACKING_ID, PRESSURE, TOTAL, TIMESTAMP = 0x2F, 0x35, 0x36, 0x37, 0x39, 0x3A, 0x18, 5

RECORD = struct.Struct("<qqHHi")

WIDTH, HEIGHT = 1000, 600


class Kelvin:
    """Creep: elastic elements in series with dampers, each of which adds a share of the load with its time constant."""

    def __init__(self, elements):
        self.elements = [[share, constant, 0.0] for share, constant in elements]
        self.seconds = None
        self.steps = []

    def update(self, load, seconds):
        if seconds != self.seconds:
            self.seconds = seconds
            self.steps = [1 - math.exp(-seconds / constant) for _, constant, _ in self.elements]
        total = load
        for element, step in zip(self.elements, self.steps):
            element[2] += (load - element[2]) * step
            total += element[0] * element[2]
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
        self.last = None
        self.result = 0.0

    def update(self, load, _):
        if load != self.last:
            self.last = load
            states = self.states
            for index, radius in enumerate(self.radii):
                states[index] = max(load - radius, min(load + radius, states[index]))
            # Bare is bare: what remains without a load is the zero, which firmware takes away.
            self.result = load + self.weight * (sum(states) / len(states) - load) if load > 0 else 0.0
        return self.result


class Cell:
    """What senses one contact; it remembers earlier loads."""

    def __init__(self, sensor):
        self.stages = sensor.stages()
        self.is_used = False

    def update(self, load, seconds):
        for stage in self.stages:
            load = stage.update(load, seconds)
        return load

    def rest(self, seconds):
        """Recovers without a load; one that was never loaded has nothing to recover from."""
        if self.is_used:
            self.update(0.0, seconds)


class Sensor:
    """The properties of one device. Loads are in grams, `gain` in counts per gram."""

    bus, vendor, product = 0x18, 0x06CB, 0xCD41
    # What the device says of its pressure: a force or, like most touchpads, nothing, so that it may be the area of contacts.
    measures = "force"
    rate = 100.0
    maximum = 2000
    full_scale = 700.0
    resolution = 0
    slots = 5
    # Counts at the slightest touch.
    offset = 3.0
    # White noise in grams.
    noise = 0.15
    # (amplitude in grams, frequency in hertz); an acceleration acts on the load: grams for each 100 g.
    hum = ()
    vibration = ()
    creep = ()
    hysteresis = 0.0
    # The share by which a corner is more sensitive than the center, for each of the four.
    corners = (0.0, 0.0, 0.0, 0.0)
    # Degrees, and the part of the pad's own mass that then rests on the sensor.
    tilt = 0.0
    plate = 0.0
    # Shares per kelvin, grams per kelvin, kelvins since the calibration.
    temperature_gain = 0.0
    temperature_zero = 0.0
    warmer = 0.0
    # Grams by which the zero wanders in a minute, from the calibration on.
    zero_drift = 0.0
    dead_zone = 0.0
    # The load in grams above which the reading stays the same, without noise; None if that is the end of the axis.
    clip = None
    knee = None
    exponent = None
    # The share by which one foot or fingertip differs from another.
    foot_spread = 0.0
    # The time constant with which firmware takes a load for its zero, and the share at which it stops.
    tracking = None
    tracking_floor = 0.0
    # The share of a period by which a frame comes early or late, and the share of lost frames.
    jitter = 0.0
    loss = 0.0
    # own: each contact has its force; total: each has the force of all; haptic: own, and their sum as ABS_PRESSURE;
    # shared: one sensor below the whole surface, ABS_PRESSURE, which also reports what it reads while nothing touches.
    contacts = "own"
    # Whether there is a frame if nothing has changed, as those of HID pads with a timestamp.
    has_timestamp = True

    def __init__(self, **values):
        for name, value in values.items():
            if not hasattr(type(self), name):
                raise AttributeError(name)
            setattr(self, name, value)

    @property
    def gain(self):
        return self.maximum / self.full_scale

    @property
    def end(self):
        return self.maximum if self.clip is None else min(self.maximum, round(self.offset + self.gain * self.clip))

    def stages(self):
        """The effects with a memory, of each contact, in their order; each has `update(load, seconds)`."""
        stages = [Kelvin(self.creep)] if self.creep else []
        return stages + ([Play(self.hysteresis, self.full_scale)] if self.hysteresis else [])

    def sensitivity(self, x, y):
        """Bilinear between the corners' values, with the center as it is."""
        u, v = 2 * x - 1, 2 * y - 1
        weight = min(1.0, math.hypot(u, v) / math.sqrt(2)) ** 2
        nw, ne, sw, se = self.corners
        s, t = x, y
        corner = nw * (1 - s) * (1 - t) + ne * s * (1 - t) + sw * (1 - s) * t + se * s * t
        return 1 + weight * corner

    def law(self, load):
        """The reading in grams of a linear sensor of the same sensitivity."""
        if self.dead_zone:
            load = max(0.0, load - self.dead_zone)
        if self.knee:
            at, slope = self.knee
            if load > at:
                load = at + (load - at) * slope
        if self.exponent:
            load = self.full_scale * (max(load, 0.0) / self.full_scale) ** self.exponent
        return load

    def description(self):
        """The device in evemu's format."""
        haptic, is_force = self.contacts == "haptic", self.measures == "force"
        lines = [
            "# EVEMU 1.2",
            "N: Simulated Touchpad",
            f"I: {self.bus:04x} {self.vendor:04x} {self.product:04x} 0100",
            f"P: {'85' if haptic or is_force else '05'} 00 00 00 00 00 00 00",
            "B: 00 1b 00 00 00 00 00 00 00" if not haptic else "B: 00 1b 00 20 00 00 00 00 00",
            "B: 04 20 00 00 00 00 00 00 00",
        ]
        if haptic:
            lines += ["B: 15 00 00 00 00 00 00 00 00", "B: 15 00 80 00 00 00 00 00 00"]
        if haptic or self.contacts == "shared":
            lines.append(f"A: 18 0 {self.maximum} 0 0 {self.resolution}")
        lines += [
            f"A: 2f 0 {self.slots - 1} 0 0 0",
            f"A: 35 0 {WIDTH} 0 0 10",
            f"A: 36 0 {HEIGHT} 0 0 10",
            "A: 37 0 2 0 0 0",
            "A: 39 0 65535 0 0 0",
        ]
        if self.contacts != "shared":
            lines.append(f"A: 3a 0 {self.maximum} 0 0 {self.resolution}")
        return "\n".join(lines) + "\n"


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

    # The seconds that are simulated at once, and those after which `until` is asked.
    STEP = 0.2
    FINE_STEP = 0.1

    def __init__(self, simulation, sensor, random):
        self.simulation, self.sensor, self.random = simulation, sensor, random
        self.cells = [Cell(sensor) for _ in range(sensor.slots)]
        self.time = self.origin = simulation.seconds + 0.001
        self.ticks = 0
        self.drifts_from = self.time
        self.last_time = self.time
        self.sent = {}
        self.slot = 0
        self.contact = 0
        self.on = []
        self.phase = random.uniform(0, 6.28)
        self.tracked = [0.0] * sensor.slots
        self.send([])

    @staticmethod
    def records(time, events):
        microseconds = round(time * 1e6)
        seconds, rest = divmod(microseconds, 1_000_000)
        return b"".join([RECORD.pack(seconds, rest, *event) for event in events])

    # What is on the surface.

    def put(self, curve, feet=(Foot(),)):
        """Something begins to touch the surface now; the curve's time starts here."""
        self.on.append((curve, self.time, [[foot, None] for foot in feet]))
        return self.on[-1]

    def lift(self, load, seconds=0.2):
        """A hand takes it away."""
        if load not in self.on:
            return
        curve, start, _ = load
        now = self.time - start
        curve.knots = [(now, curve(now)), (now + seconds, 0.0)]
        self.run(seconds)
        self.remove(load)

    def remove(self, load):
        self.on.remove(load)
        events = []
        for _, contact in load[2]:
            if contact is not None:
                events += [*self.select(contact), (ABS, TRACKING_ID, -1)]
                self.sent.pop(contact, None)
        if self.sensor.contacts == "haptic":
            events += self.total()
        self.send(events)

    def send(self, events):
        self.simulation.write(self.records(self.time, [*events, (SYN, 0, 0)]))
        self.simulation.advance(self.time)

    # Frames.

    def select(self, slot):
        if slot == self.slot:
            return []
        self.slot = slot
        return [(ABS, SLOT, slot)]

    def total(self):
        # The kernel adds the slots' values and does not clamp the sum to the range of the axis.
        return [(ABS, TOTAL, sum(self.sent.values()))]

    def disturbance(self, time, load):
        """What shakes the building or the cable, in grams."""
        extra = 0.0
        for amplitude, frequency in self.sensor.hum:
            extra += amplitude * math.sin(6.2831853 * frequency * time + self.phase)
        for amplitude, frequency in self.sensor.vibration:
            beat = 0.6 + 0.4 * math.sin(0.9 * time + self.phase)
            extra += amplitude * beat * load / 100 * math.sin(6.2831853 * frequency * time)
        return extra

    def clean(self, force, foot, slot, seconds):
        """The reading of one contact without noise, in grams of a linear sensor."""
        sensor = self.sensor
        load = force * foot.factor
        if sensor.tilt or sensor.plate:
            load = load * math.cos(math.radians(sensor.tilt)) + sensor.plate * math.sin(math.radians(sensor.tilt))
        if any(sensor.corners):
            load *= sensor.sensitivity(foot.x, foot.y)
        cell = self.cells[slot]
        if cell.stages:
            cell.is_used = True
            load = cell.update(load, seconds)
        load = sensor.law(load)
        if sensor.zero_drift:
            load += sensor.zero_drift * (self.time - self.drifts_from) / 60
        if sensor.warmer:
            load = load * (1 + sensor.temperature_gain * sensor.warmer) + sensor.temperature_zero * sensor.warmer
        return load

    def counts(self, force, foot, slot, seconds):
        """The reading of one contact."""
        sensor = self.sensor
        raw = sensor.offset + sensor.gain * self.clean(force, foot, slot, seconds)
        if sensor.noise:
            raw += self.random.gauss(0.0, sensor.noise * sensor.gain)
        if sensor.tracking:
            goal = raw * (1 - sensor.tracking_floor)
            self.tracked[slot] += (goal - self.tracked[slot]) * (1 - math.exp(-seconds / sensor.tracking))
            raw -= self.tracked[slot]
        return min(sensor.end, max(0, round(raw)))

    def touch(self, time):
        """What touches the surface, as pairs of a slot and a foot with their force, and the events of what begins to."""
        events, active = [], []
        for curve, start, contacts in self.on:
            load = max(0.0, curve(time - start))
            if self.sensor.contacts != "shared":
                load = max(0.0, load + self.disturbance(time, load)) if load > 0 else 0.0
            for pair in contacts:
                foot, slot = pair
                if slot is None:
                    used = {other for _, _, others in self.on for _, other in others if other is not None}
                    slot = pair[1] = next(number for number in range(self.sensor.slots) if number not in used)
                    self.contact += 1
                    self.tracked[slot], self.sent[slot] = 0.0, None
                    events += [*self.select(slot), (ABS, TRACKING_ID, self.contact & 0xFFFF)]
                    events += [(ABS, X, round(foot.x * WIDTH)), (ABS, Y, round(foot.y * HEIGHT))]
                    if self.sensor.contacts != "shared":
                        events.append((ABS, TOOL_TYPE, 2 if foot.is_palm else 0))
                active.append((slot, load * foot.share, foot))
        return events, active

    def values(self, active, seconds):
        """What each slot reads; of a shared sensor, which also reads while nothing touches, there is one without a slot."""
        if self.sensor.contacts in ("shared", "total"):
            # One sensor below all contacts: the place is that of the first.
            foot = active[0][2] if active else Foot()
            whole = self.counts(sum(force for _, force, _ in active), foot, 0, seconds)
            return [(None, whole)] if self.sensor.contacts == "shared" else [(slot, whole) for slot, _, _ in active]
        return [(slot, self.counts(force, foot, slot, seconds)) for slot, force, foot in active]

    def frame(self, time, seconds):
        events, active = self.touch(time)
        values, changed = self.values(active, seconds), False
        for slot, value in values:
            if self.sent.get(slot) != value:
                events += [(ABS, TOTAL, value)] if slot is None else [*self.select(slot), (ABS, PRESSURE, value)]
                self.sent[slot] = value
                changed = True
        if changed and self.sensor.contacts == "haptic":
            events += self.total()
        # Cells without a contact recover.
        used = {slot for slot, _ in values}
        for slot, cell in enumerate(self.cells):
            if slot not in used and active:
                cell.rest(seconds)
        if self.sensor.has_timestamp:
            events.append((MSC, TIMESTAMP, round(time * 1e6) & 0x7FFFFFFF))
        elif not events:
            return b""
        return self.records(time, [*events, (SYN, 0, 0)])

    def frames(self, stop, period):
        """The frames up to this time."""
        sensor, parts = self.sensor, []
        while True:
            time = self.origin + (self.ticks + 1) * period
            if sensor.jitter:
                wobble = ((self.ticks * 2654435761) % 4096 / 2048 - 1) * sensor.jitter
                time += wobble * period
            if time > stop:
                return parts
            self.ticks += 1
            if sensor.loss and self.random.random() < sensor.loss:
                continue
            parts.append(self.frame(time, round(time - self.last_time, 6)))
            self.last_time = time

    def run(self, seconds, until=None):
        """Lets time pass, at most until `until` returns true, which is asked after each step."""
        sensor, end = self.sensor, self.time + seconds
        period = 1 / sensor.rate
        step = self.STEP if until is None else self.FINE_STEP
        while self.time < end - 1e-9:
            # No event is later than the daemon's clock when it is read, and no timer fires after a later event.
            stop = min(self.time + step, end)
            if self.on or sensor.contacts == "shared":
                if self.time < self.simulation.timer / 1e9 < stop:
                    stop = self.simulation.timer / 1e9
                parts = self.frames(stop, period)
                data = b"".join(parts)
                if data:
                    self.simulation.write(data)
            else:
                for cell in self.cells:
                    cell.rest(stop - self.time)
                self.last_time = stop
                self.ticks = math.floor((stop - self.origin) / period)
            self.simulation.advance(stop)
            self.time = stop
            if until is not None and until():
                return True
        return False
