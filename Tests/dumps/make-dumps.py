#!/usr/bin/env python3
"""Writes the long recordings of the tests, in evemu's format 1.3.

    make-dumps.py [FOLDER]      default: Tests/PressureKitTests/Recordings

Real presses are not reproducible, so these recordings are simulated: each contact follows a curve of
grams through a few points, a sensor converts grams to units of its axis, and a kernel emits only the
changes, as the real one does. Seeds are fixed and only + - * / are used on fractions, so that every
machine writes the same bytes; a test compares them with the committed files.
"""

import pathlib
import random
import sys

# Types and codes of linux/input-event-codes.h.
EV_SYN, EV_KEY, EV_ABS = 0x00, 0x01, 0x03
SYN_REPORT = 0x00
BTN_LEFT, BTN_TOUCH = 0x110, 0x14A
BTN_TOOL = {1: 0x145, 2: 0x14D, 3: 0x14E, 4: 0x14F, 5: 0x148}
ABS_X, ABS_Y, ABS_PRESSURE = 0x00, 0x01, 0x18
ABS_MT_SLOT, ABS_MT_X, ABS_MT_Y, ABS_MT_ID, ABS_MT_PRESSURE = 0x2F, 0x35, 0x36, 0x39, 0x3A
INPUT_PROP_POINTER, INPUT_PROP_DIRECT, INPUT_PROP_BUTTONPAD, INPUT_PROP_PRESSUREPAD = 0, 1, 2, 7

KEY_BYTES = 96  # KEY_CNT / 8
ROW = 8  # bytes of a bitmap in one line


class Axis:
    """A range in units, and units per millimeter (for a pressure per gram), or 0."""

    def __init__(self, minimum, maximum, resolution=0):
        self.minimum, self.maximum, self.resolution = minimum, maximum, resolution

    def at(self, millimeters):
        """The value at a distance in millimeters from the lower end."""
        return round(self.minimum + millimeters * self.resolution)


class Device:
    """The description of a device."""

    def __init__(self, name, numbers, properties, slots, x, y, pressure, keys):
        self.name, self.numbers, self.properties, self.keys = name, numbers, properties, keys
        self.x, self.y, self.pressure = x, y, pressure
        self.axes = {
            ABS_X: x,
            ABS_Y: y,
            ABS_PRESSURE: pressure,
            ABS_MT_SLOT: Axis(0, slots - 1),
            ABS_MT_X: x,
            ABS_MT_Y: y,
            ABS_MT_ID: Axis(0, 65535),
            ABS_MT_PRESSURE: pressure,
        }

    def header(self):
        """The lines before the first event."""
        yield "# EVEMU 1.3"
        yield "# Written by Tests/dumps/make-dumps.py; no device was pressed."
        yield f"N: {self.name}"
        yield "I: %04x %04x %04x %04x" % self.numbers
        yield from rows("P:", bitmap(self.properties, ROW))
        types = {EV_SYN, EV_KEY, EV_ABS}
        for kind, bits, size in (
            (EV_SYN, types, ROW),
            (EV_KEY, self.keys, KEY_BYTES),
            (EV_ABS, self.axes, ROW),
        ):
            yield from rows("B: %02x" % kind, bitmap(bits, size))
        for code, axis in sorted(self.axes.items()):
            yield "A: %02x %d %d 0 0 %d" % (code, axis.minimum, axis.maximum, axis.resolution)


def bitmap(bits, size):
    """Bytes with these bits set."""
    array = bytearray(size)
    for bit in bits:
        array[bit // 8] |= 1 << bit % 8
    return array


def rows(word, array):
    """A bitmap in lines of eight bytes."""
    for start in range(0, len(array), ROW):
        yield " ".join([word, *("%02x" % byte for byte in array[start : start + ROW])])


class Kernel:
    """Emits the changes in the kernel's order, and emulates a pointer by the oldest contact."""

    def __init__(self, device):
        self.device = device
        self.lines = list(device.header())
        self.slot = 0
        self.last_emitted = {}
        self.ids = {}
        self.next_id = 40
        self.frame = []

    def report(self, microseconds, places, buttons):
        """One frame: {slot: (x, y, pressure)} of the contacts that are down, and the states of the buttons."""
        for slot in sorted(self.ids.keys() | places.keys()):
            self.say_slot(slot, places.get(slot))
        for code, state in {**self.keys(len(self.ids)), **buttons}.items():
            self.say(EV_KEY, code, state)
        if self.ids:
            oldest = min(self.ids, key=self.ids.get)
            for code, value in zip((ABS_X, ABS_Y, ABS_PRESSURE), places[oldest]):
                self.say(EV_ABS, code, value)
        else:
            self.say(EV_ABS, ABS_PRESSURE, 0)
        if self.frame:
            self.write(microseconds)

    def say_slot(self, slot, place):
        if place is None:
            del self.ids[slot]
            return self.say_in(slot, ABS_MT_ID, -1)
        if slot not in self.ids:
            self.ids[slot] = self.next_id
            self.next_id += 1
        values = zip((ABS_MT_ID, ABS_MT_X, ABS_MT_Y, ABS_MT_PRESSURE), (self.ids[slot], *place))
        for code, value in values:
            self.say_in(slot, code, value)

    def say_in(self, slot, code, value):
        if self.last_emitted.get((slot, code), -1 if code == ABS_MT_ID else 0) == value:
            return
        if slot != self.slot:
            self.slot = slot
            self.frame.append((EV_ABS, ABS_MT_SLOT, slot))
        self.last_emitted[slot, code] = value
        self.frame.append((EV_ABS, code, value))

    def keys(self, count):
        states = {BTN_TOUCH: int(count > 0)}
        states.update({code: int(count == fingers) for fingers, code in BTN_TOOL.items()})
        return {code: state for code, state in states.items() if code in self.device.keys}

    def say(self, kind, code, value):
        if self.last_emitted.get((kind, code, "emulated"), 0) != value:
            self.last_emitted[kind, code, "emulated"] = value
            self.frame.append((kind, code, value))

    def write(self, microseconds):
        for kind, code, value in [*self.frame, (EV_SYN, SYN_REPORT, 0)]:
            seconds, rest = divmod(microseconds, 1_000_000)
            self.lines.append("E: %d.%06d %04x %04x %04d" % (seconds, rest, kind, code, value))
        self.frame.clear()


class Curve:
    """A smooth curve through points of (seconds, value), constant before the first and after the last."""

    def __init__(self, *points):
        self.points = points

    def at(self, seconds):
        if seconds <= self.points[0][0]:
            return self.points[0][1]
        for (start, low), (end, high) in zip(self.points, self.points[1:]):
            if seconds < end:
                part = (seconds - start) / (end - start)
                return low + (high - low) * part * part * (3 - 2 * part)
        return self.points[-1][1]


class Noise:
    """Smooth noise with an amplitude of about 1."""

    def __init__(self, source, inertia):
        self.source, self.inertia, self.value = source, inertia, 0.0

    def step(self):
        push = self.source.random() + self.source.random() - 1
        self.value = self.value * self.inertia + push * (1 - self.inertia) * 2.5
        return self.value


class Contact:
    """A load: its position, its force, and the part of the force that is a hand's."""

    def __init__(self, slot, x, y, grams, own=0.0, slide=(0.0, 0.0)):
        self.slot, self.x, self.y, self.grams, self.own, self.slide = slot, x, y, grams, own, slide
        self.is_down = False

    def bring(self, source):
        """Sets the seeds of its noise."""
        self.tremor, self.hum = Noise(source, 0.9), Noise(source, 0.5)
        self.wander = (Noise(source, 0.97), Noise(source, 0.97))

    def place(self, seconds, device, units_per_gram):
        """Its (x, y, pressure) in units, or None while it does not touch."""
        tremor, hum = self.tremor.step(), self.hum.step()
        wander = [noise.step() for noise in self.wander]
        grams = self.grams.at(seconds)
        # The tremor of a hand is proportional to its force; a resting object has none.
        by_hand = max(grams - self.own, 0)
        units = grams * units_per_gram
        units += by_hand * units_per_gram * 0.012 * tremor
        units += 0.12 * hum if grams > 0 else 0
        # The threshold to begin is above that to end (hysteresis), so that a contact does not flicker.
        self.is_down = grams > (2 if self.is_down else 4)
        if not self.is_down:
            return None
        pressure = device.pressure
        # It moves under pressure: a plum rolls, a fingertip flattens.
        lean = by_hand / 300
        x = self.x + lean * self.slide[0] + 0.12 * wander[0]
        y = self.y + lean * self.slide[1] + 0.12 * wander[1]
        units = min(max(round(units), max(pressure.minimum, 1)), pressure.maximum)
        return device.x.at(x), device.y.at(y), units


class Stroke(Contact):
    """A finger that moves: its position follows curves, too."""

    def __init__(self, slot, x, y, grams):
        super().__init__(slot, x.at(0), y.at(0), grams, slide=(0.2, 0.4))
        self.way = (x, y)

    def place(self, seconds, device, units_per_gram):
        self.x, self.y = (curve.at(seconds) for curve in self.way)
        return super().place(seconds, device, units_per_gram)


def record(device, contacts, seconds, hertz, units_per_gram, click=None, seed=1):
    """The lines of a recording; click is the pair of total grams at which a clickpad is pressed and released."""
    source = random.Random(seed)
    kernel = Kernel(device)
    for contact in contacts:
        contact.bring(source)
    is_clicked = False
    for number in range(int(seconds * hertz)):
        now = number / hertz
        places = {}
        for contact in contacts:
            place = contact.place(now, device, units_per_gram)
            if place is not None:
                places[contact.slot] = place
        if click:
            total = sum(contact.grams.at(now) for contact in contacts if contact.is_down)
            is_clicked = total > click[1 if is_clicked else 0]
        # An interrupt is handled slightly late, never early.
        late = int(source.random() * 180)
        buttons = {BTN_LEFT: int(is_clicked)} if click else {}
        kernel.report(number * 1_000_000 // hertz + late + 1, places, buttons)
    return kernel.lines


TOUCHPAD = Device(
    "Example Touchpad",
    (0x0018, 0x06CB, 0xCD41, 0x0100),
    {INPUT_PROP_POINTER, INPUT_PROP_BUTTONPAD},
    slots=5,
    x=Axis(0, 1216, 12),
    y=Axis(0, 680, 12),
    pressure=Axis(0, 255),
    keys={BTN_LEFT, BTN_TOUCH, *BTN_TOOL.values()},
)


def two_plums():
    """A plum of 62 g, another of 45 g, and a hand that presses the lighter one harder."""
    heavy, light = 62, 45
    heavier = Contact(
        0,
        34.0,
        30.5,
        # Placed with some force, pressed together with the other, pressed once more, picked up.
        Curve(
            (0.40, 0), (0.62, 78), (0.85, heavy), (4.30, heavy), (5.10, 165), (5.90, 150),
            (6.60, 96), (7.60, 84), (8.70, 110), (9.40, heavy), (11.05, heavy), (11.35, 0),
        ),
        own=heavy,
        slide=(-0.9, 0.5),
    )
    lighter = Contact(
        1,
        67.5,
        27.0,
        # The sensor saturates at 385 g; the hand presses up to 450 g.
        Curve(
            (2.20, 0), (2.40, 58), (2.65, light), (4.40, light), (5.30, 228), (6.10, 246),
            (7.00, 352), (7.60, 450), (8.05, 435), (8.80, 180), (9.45, light), (10.20, light),
            (10.45, 0),
        ),
        own=light,
        slide=(1.1, 0.7),
    )
    return record(
        TOUCHPAD, [heavier, lighter], seconds=12, hertz=5, units_per_gram=255 / 385,
        click=(320, 240), seed=62,
    )


def ten_fingers():
    """Ten fingers touch a screen, press in a wave from left to right, and lift."""
    device = Device(
        "Example Touchscreen",
        (0x0018, 0x27C6, 0x0111, 0x0100),
        {INPUT_PROP_DIRECT},
        slots=10,
        x=Axis(0, 2170, 10),
        y=Axis(0, 1360, 10),
        pressure=Axis(0, 255),
        keys={BTN_TOUCH},
    )
    # From the left little finger to the right one, in millimeters, with two hands at rest.
    places = [
        (22, 62), (40, 41), (60, 34), (80, 42), (97, 88),
        (121, 89), (138, 43), (158, 35), (178, 42), (196, 64),
    ]
    # The force of each, and its position in the order of touching: no two fingers touch at the same time.
    strength = [140, 190, 250, 280, 400, 395, 300, 260, 200, 150]
    turns = [7, 4, 1, 0, 3, 2, 5, 6, 8, 9]
    fingers = []
    for finger, ((x, y), most, turn) in enumerate(zip(places, strength, turns)):
        down, wave, up = 0.30 + 0.085 * turn, 2.0 + 0.28 * finger, 6.0 + 0.07 * ((turn * 3) % 10)
        rest = 34 + 3 * ((finger * 7) % 5)
        grams = Curve(
            (down, 0), (down + 0.12, rest + 9), (down + 0.40, rest), (wave - 0.45, rest),
            (wave, most), (wave + 0.55, rest), (up, rest), (up + 0.16, 0),
        )
        fingers.append(Contact(turn, x, y, grams, slide=(0.4, 0.9)))
    return record(
        device, fingers, seconds=7.2, hertz=3, units_per_gram=255 / 385, seed=10
    )


def true_force():
    """A weight of 200 g on a pad calibrated in grams, and a finger next to it that presses up to 620 g."""
    device = Device(
        "Example Pressure Pad",
        (0x0019, 0x05AC, 0x0343, 0x0100),
        {INPUT_PROP_POINTER, INPUT_PROP_BUTTONPAD, INPUT_PROP_PRESSUREPAD},
        slots=5,
        x=Axis(-7456, 7976, 97),
        y=Axis(-9283, 163, 96),
        pressure=Axis(0, 6000, 1),
        keys={BTN_LEFT, BTN_TOUCH, *BTN_TOOL.values()},
    )
    weight = Contact(
        0,
        52.0,
        45.0,
        Curve((0.50, 0), (2.10, 204), (2.50, 200), (9.20, 200), (10.10, 0)),
        own=200,
    )
    finger = Contact(
        1,
        118.0,
        58.0,
        Curve(
            (4.00, 0), (4.15, 46), (4.70, 60), (6.20, 620), (6.90, 604), (7.70, 120), (7.95, 0)
        ),
        slide=(0.3, 0.6),
    )
    return record(
        device, [weight, finger], seconds=10.5, hertz=4, units_per_gram=1,
        click=(420, 330), seed=200,
    )


def force_click():
    """One finger that rests, presses hard twice as for a force click, and lifts."""
    finger = Contact(
        0,
        52.0,
        31.0,
        Curve(
            (0.50, 0), (0.62, 48), (0.80, 40), (1.10, 40), (1.45, 310), (1.60, 300), (1.95, 42),
            (2.40, 42), (2.75, 330), (2.95, 315), (3.30, 40), (3.60, 40), (3.75, 0),
        ),
        slide=(0.3, 0.5),
    )
    return record(
        TOUCHPAD, [finger], seconds=4.5, hertz=100, units_per_gram=255 / 385, click=(150, 110), seed=31
    )


def strokes():
    """A finger that draws an arc, harder in its middle, and one that crosses it and presses to the maximum."""
    arc = Stroke(
        0,
        Curve((0.40, 10), (1.60, 32), (2.80, 66), (4.00, 90)),
        Curve((0.40, 46), (1.60, 18), (2.20, 11), (2.80, 14), (4.00, 42)),
        Curve((0.30, 0), (0.45, 60), (0.90, 70), (2.10, 262), (2.60, 240), (3.60, 48), (4.10, 40), (4.25, 0)),
    )
    crossing = Stroke(
        1,
        Curve((1.20, 86), (2.40, 58), (3.40, 36), (4.40, 30)),
        Curve((1.20, 10), (2.40, 30), (3.40, 46), (4.40, 44)),
        Curve((1.10, 0), (1.25, 50), (2.20, 60), (3.40, 210), (4.10, 330), (4.60, 440), (4.90, 420), (5.30, 0)),
    )
    return record(
        TOUCHPAD, [arc, crossing], seconds=5.6, hertz=125, units_per_gram=255 / 385, click=(520, 300), seed=11
    )


def main():
    tests = pathlib.Path(__file__).resolve().parent.parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else tests / "PressureKitTests/Recordings"
    examples = folder if len(sys.argv) > 1 else tests.parent / "docs/examples"
    for make in (two_plums, ten_fingers, true_force, force_click, strokes):
        # Examples for users are shipped with the program.
        place = examples if make in (force_click, strokes) else folder
        path = place / (make.__name__.replace("_", "-") + ".evemu")
        path.write_bytes(("\n".join(make()) + "\n").encode())


if __name__ == "__main__":
    main()
