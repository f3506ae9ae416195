"""Synthetic hands on synthetic touchpads, written as evemu recordings.

A hand has a strength, a tremor, a speed and habits; a pad has a sensor. Nothing here knows how presses are recognized: what a gesture
is meant to be is decided before its forces are drawn. Forces are in grams, lengths in millimeters, times in seconds. The figures are
assumptions, chosen from published thresholds of force pads; they are listed in docs/development/feel.md.
"""

import dataclasses
import math
import random

WIDTH, HEIGHT = 100.0, 62.0


@dataclasses.dataclass(frozen=True)
class Ranges:
    """How far hands differ. Rules are chosen with `TRAINING`, and measured with `WIDER`, too, which is used for nothing else."""

    # The interval of frames, the tremor of a hand (fraction of the force, hertz) and its usual peak of a force click.
    frame: tuple = (0.008, 0.008)
    tremor: tuple = (0.01, 0.04)
    hertz: tuple = (7, 12)
    force_click: tuple = (560, 560)
    # The usual peak of a click as a multiple of the force at which the pad clicks.
    click: tuple = (1.45, 1.45)
    # The pause between the two presses of a double force click.
    double: tuple = (0.025, 0.105)
    # Drags: peak, speed, the part of the force that remains, the time within which it follows, the probability of a pause.
    drag: tuple = (230, 230)
    drag_speed: tuple = (60, 170)
    sag: tuple = (0.45, 0.8)
    reflex: tuple = (0.12, 0.12)
    drag_pause: float = 0.0
    # The speed of a finger that points on after a press.
    pointing: tuple = (40, 120)
    scroll: tuple = (20, 70)
    # The time after which firmware recognizes a palm.
    palm: tuple = (0.008, 0.05)


TRAINING = Ranges()
WIDER = Ranges(
    frame=(0.006, 0.016), tremor=(0.005, 0.06), hertz=(5, 12), force_click=(500, 620), click=(1.3, 1.6), double=(0.02, 0.25),
    drag=(215, 280), drag_speed=(20, 300), sag=(0.4, 0.9), reflex=(0.06, 0.2), drag_pause=0.4, pointing=(15, 250),
    scroll=(12, 150), palm=(0.008, 0.2))

# The pads click by themselves at this force, and release their button below the other one.
CLICK, UNCLICK = 130.0, 105.0

INTENTS = ["click", "force click", "double force click", "drag while pressed", "press, then point", "scroll", "rest",
           "type with palm"]


class Pad:
    """A sensor: how it reports a force, and what else it tells."""

    def __init__(self, name, identity, properties, axes, raw, palm_tool, shape):
        self.name, self.identity, self.properties = name, identity, properties
        self.axes, self.raw, self.palm_tool, self.shape = axes, raw, palm_tool, shape

    def header(self):
        lines = ["# EVEMU 1.3", f"N: {self.name}", f"I: {self.identity}"]
        lines.append(f"P: {self.properties:02x} 00 00 00 00 00 00 00")
        keys = bytearray(96)
        for code in (0x110, 0x145, 0x14A, 0x14D):
            keys[code // 8] |= 1 << code % 8
        lines += [f"B: 01 {keys[at:at + 8].hex(' ')}" for at in range(0, 96, 8)]
        bits = bytearray(8)
        for code in self.axes:
            bits[code // 8] |= 1 << code % 8
        lines.append(f"B: 03 {bits.hex(' ')}")
        return lines + [f"A: {code:02x} {low} {high} 0 0 {unit}" for code, (low, high, unit) in sorted(self.axes.items())]


def axes(pressure, **more):
    common = {0x2F: (0, 4, 0), 0x35: (0, 3200, 32), 0x36: (0, 1984, 32), 0x39: (0, 65535, 0), 0x3A: pressure}
    return common | more.get("others", {})


def of_area(force, finger):
    """Contact area grows with about the square root of the force, and with the size of the finger."""
    return 255 * finger * math.sqrt(max(force, 0) / 700)


TOOL, SHAPE = {0x37: (0, 2, 0)}, {0x30: (0, 1023, 0), 0x31: (0, 1023, 0)}
PADS = [
    # Force in grams, four units each; the firmware recognizes palms.
    Pad("grams 0..4095", "0018 04f3 323b 0100", 0x85, axes((0, 4095, 4), others=TOOL | SHAPE),
        lambda force, finger: 4 * force, True, True),
    # Force without a unit, which a click reaches at 69; palms are not recognized.
    Pad("force 0..253", "0003 05ac 0265 0100", 0x05, axes((0, 253, 0), others=SHAPE),
        lambda force, finger: 69 / CLICK * force, False, True),
    # Contact area; the firmware recognizes palms.
    Pad("area 0..255", "0018 06cb cd41 0100", 0x05, axes((0, 255, 0), others=TOOL), of_area, True, False),
]


class Hand:
    def __init__(self, seed, ranges):
        self.random = random.Random(seed)
        self.ranges = ranges
        draw = self.random
        self.strength = draw.lognormvariate(0, 0.06)
        self.finger = draw.gauss(1, 0.06)
        self.tremor = draw.uniform(*ranges.tremor)
        self.tremor_hertz = draw.uniform(*ranges.hertz)
        self.speed = draw.uniform(0.7, 1.5)
        # Every fifth hand keeps its weight on the pad.
        self.rest = draw.uniform(90, 170) if draw.random() < 0.2 else draw.uniform(15, 60)
        # Every other hand rests its thumb at the lower edge.
        self.has_thumb = draw.random() < 0.5
        self.frame = draw.uniform(*ranges.frame)
        self.click = CLICK * draw.uniform(*ranges.click)
        self.force_click = draw.uniform(*ranges.force_click)


class Recording:
    """Contacts over time, as events of a pad, with what was intended when."""

    def __init__(self, pad, hand):
        self.pad, self.hand, self.now = pad, hand, 1.0
        self.lines, self.intents = pad.header(), []
        self.last, self.slot, self.next_id, self.is_down = {}, 0, 1, False

    def event(self, kind, code, value):
        seconds, micros = divmod(round(self.now * 1e6), 1_000_000)
        self.lines.append(f"E: {seconds}.{micros:06d} {kind:04x} {code:04x} {value:04d}")

    def put(self, slot, code, value):
        if self.last.get((slot, code)) != value:
            if self.slot != slot:
                self.slot = slot
                self.event(3, 0x2F, slot)
            self.last[slot, code] = value
            self.event(3, code, value)

    def frame(self, contacts):
        """Sends contacts, by slot: (x, y, force, kind), where the kind is finger, thumb, palm or flagged palm."""
        before = len(self.lines)
        for slot in range(5):
            if slot not in contacts:
                self.put(slot, 0x39, -1) if self.last.get((slot, 0x39), -1) >= 0 else None
                continue
            if self.last.get((slot, 0x39), -1) < 0:
                self.put(slot, 0x39, self.next_id)
                self.next_id += 1
            self.contact(slot, *contacts[slot])
        forces = [force for _, _, force, kind in contacts.values() if "palm" not in kind]
        total = max(forces, default=0)
        is_down = total >= (UNCLICK if self.is_down else CLICK)
        if is_down != self.is_down:
            self.is_down = is_down
            self.event(1, 0x110, int(is_down))
        if len(self.lines) > before:
            self.event(0, 0, 0)
        self.now += self.hand.frame + self.hand.random.uniform(-0.0005, 0.0005)

    def contact(self, slot, x, y, force, kind):
        draw, pad = self.hand.random, self.pad
        self.put(slot, 0x35, min(max(round((x + draw.gauss(0, 0.03)) * 32), 0), 3200))
        self.put(slot, 0x36, min(max(round((y + draw.gauss(0, 0.03)) * 32), 0), 1984))
        size = {"finger": 1.0, "thumb": 1.4}.get(kind, 2.5) * self.hand.finger
        high = pad.axes[0x3A][1]
        self.put(slot, 0x3A, min(max(round(pad.raw(force, size) + draw.gauss(0, high / 500)), 0), high))
        if pad.palm_tool:
            self.put(slot, 0x37, 2 if kind == "flagged palm" else 0)
        if pad.shape:
            major = (9 * size + force / 150) * 10
            self.put(slot, 0x30, round(major))
            self.put(slot, 0x31, round(major * {"finger": 0.87, "thumb": 0.62}.get(kind, 0.7)))

    def pause(self, seconds):
        self.frame({})
        self.now += seconds


def ease(part):
    """From 0 to 1 with minimum jerk."""
    part = min(max(part, 0), 1)
    return part**3 * (10 - 15 * part + 6 * part**2)


def push(hand, peak, hold, rest_before, rest_after, overshoot=None):
    """The forces of one push, frame by frame: rise, overshoot, hold with tremor, and lift."""
    draw = hand.random
    rise, fall = draw.uniform(0.06, 0.14) / hand.speed, draw.uniform(0.06, 0.15) / hand.speed
    level = peak / (1 + (draw.uniform(0.02, 0.2) if overshoot is None else overshoot))
    phase = draw.uniform(0, 6.3)
    forces, time = [], 0.0
    while time < rise + hold + fall:
        if time < rise:
            force = rest_before + (peak - rest_before) * ease(time / rise)
        elif time < rise + hold:
            force = level + (peak - level) * math.exp(-(time - rise) / 0.04)
        else:
            start = level if hold > 0.1 else peak
            force = start + (rest_after - start) * ease((time - rise - hold) / fall)
        forces.append(max(force * (1 + hand.tremor * math.sin(6.283 * hand.tremor_hertz * time + phase)), 1))
        time += hand.frame
    return forces


def play(recording, forces, x, y, others):
    for force in forces:
        # The center of a fingertip that presses rolls.
        recording.frame({0: (x, y + force / 700, force, "finger")} | others())


def resting_thumb(hand):
    x, force = hand.random.uniform(25, 75), hand.random.uniform(20, 70)
    return lambda: {4: (x, HEIGHT - 6, force * (1 + 0.05 * hand.random.gauss(0, 1)), "thumb")}


def pressing(recording, intent):
    """Click, force click, double force click: a finger rests, pushes, and is lifted or stays."""
    hand = recording.hand
    draw = hand.random
    others = resting_thumb(hand) if hand.has_thumb and draw.random() < 0.5 else dict
    # One in ten pushes is near an edge.
    x, y = (draw.choice([0.5, 99.5]), draw.uniform(3, 40)) if draw.random() < 0.1 else (draw.uniform(15, 85), draw.uniform(8, 40))
    rest = hand.rest if draw.random() < 0.7 else 5
    play(recording, [rest] * draw.randrange(1, 40), x, y, others)
    for _ in range(2 if intent.startswith("double") else 1):
        if intent == "click":
            peak, hold = hand.click * draw.lognormvariate(0, 0.13) * hand.strength, draw.uniform(0, 0.12)
        elif draw.random() < 0.1:
            # A slow squeeze.
            peak, hold = hand.force_click * draw.lognormvariate(0, 0.08) * hand.strength, draw.uniform(0.6, 1.5)
        else:
            peak, hold = hand.force_click * draw.lognormvariate(0, 0.08) * hand.strength, draw.uniform(0.02, 0.25)
        after = hand.rest if draw.random() < 0.7 else 5
        play(recording, push(hand, peak, hold, rest, after), x, y, others)
        rest = after
        if intent.startswith("double"):
            play(recording, [rest] * round(draw.uniform(*hand.ranges.double) / hand.frame), x, y, others)
    # A hand that stays heavy trembles on.
    for _ in range(draw.randrange(0, 60)):
        play(recording, [rest * (1 + hand.tremor * draw.gauss(0, 1))], x, y, others)


def moving(recording, x, y, angle, speed, seconds, forces, pause=0.0):
    """A finger moves to and fro along a line, and may stop halfway; `forces` gives its force at each time."""
    frame = recording.hand.frame
    distance, time = 0.0, 0.0
    while time < seconds + pause:
        # The way is that of two motions, of which each begins and ends gently.
        pace = 1.0
        if pause > 0:
            half, rest = seconds / 2, seconds / 2 + pause
            pace = ease((half - time) / 0.06) if time < half else ease((time - rest) / 0.06)
        distance += speed * pace * ease(time / 0.06) * ease((seconds + pause - time) / 0.06) * frame
        way = abs((distance + 20) % 40 - 20)
        recording.frame({0: (x + way * math.cos(angle), y + way * math.sin(angle) * 0.6, forces(time), "finger")})
        time += frame


def dragging(recording):
    hand = recording.hand
    draw, ranges = hand.random, hand.ranges
    x, y, angle = draw.uniform(35, 65), draw.uniform(18, 40), draw.uniform(0, 6.283)
    peak = draw.uniform(*ranges.drag) * draw.lognormvariate(0, 0.1) * hand.strength
    play(recording, push(hand, peak, 0.15, 10, peak * 0.9)[:-6], x, y, dict)
    began = recording.now
    # Friction and attention take force from a finger that moves.
    sag, speed, seconds = draw.uniform(*ranges.sag), draw.uniform(*ranges.drag_speed), draw.uniform(0.15, 0.5)
    reflex, phase = draw.uniform(*ranges.reflex), draw.uniform(0, 6.3)
    pause = draw.uniform(0.1, 0.5) if draw.random() < ranges.drag_pause else 0.0

    def force(time):
        # The force follows within the time of a reflex.
        part = 1 - (1 - sag) * ease(time / reflex) * ease((seconds + pause + 0.06 - time) / reflex)
        return peak * 0.9 * part * (1 + 2 * hand.tremor * math.sin(6.283 * hand.tremor_hertz * time + phase))

    moving(recording, x, y, angle, speed, seconds, force, pause)
    ended = recording.now
    play(recording, push(hand, peak * 0.9, 0.0, peak * 0.9, 5)[8:], x, y, dict)
    return began, ended


def pointing(recording):
    """A press that the finger ends without leaving the surface, to point at something else."""
    hand = recording.hand
    draw, ranges = hand.random, hand.ranges
    x, y, angle = draw.uniform(35, 65), draw.uniform(18, 40), draw.uniform(0, 6.283)
    peak = draw.uniform(*ranges.drag) * draw.lognormvariate(0, 0.1) * hand.strength
    rest = draw.uniform(15, 60)
    pressed = push(hand, peak, draw.uniform(0.0, 0.2), 10, rest)
    play(recording, pressed, x, y, dict)
    released = recording.now
    phase = draw.uniform(0, 6.3)
    moving(recording, x, y, angle, draw.uniform(*ranges.pointing), draw.uniform(0.3, 1.0),
           lambda time: rest * (1 + 2 * hand.tremor * math.sin(6.283 * hand.tremor_hertz * time + phase)))
    return released, recording.now


def scrolling(recording):
    hand = recording.hand
    draw = hand.random
    x, y, speed = draw.uniform(30, 60), draw.uniform(10, 25), draw.uniform(*hand.ranges.scroll)
    seconds, after = draw.uniform(0.3, 0.7), draw.uniform(0.0, 0.35)
    # Four scrolls in ten lean in, and stay so after they stop.
    lean = draw.uniform(150, 420) if draw.random() < 0.4 else 50
    forces = [draw.uniform(20, 60), draw.uniform(20, 60)]
    time, way = 0.0, 0.0
    while time < seconds + after:
        way += speed * hand.frame * ease(time / 0.05) * ease((seconds - time) / 0.05)
        contacts = {}
        for slot in (0, 1):
            force = forces[slot] + max(lean - forces[slot], 0) * ease((time - 0.1) / max(seconds - 0.1, 0.1))
            contacts[slot] = (x + 18 * slot, y + way, force * (1 + hand.tremor * draw.gauss(0, 1)), "finger")
        recording.frame(contacts)
        time += hand.frame


def resting(recording):
    hand = recording.hand
    draw = hand.random
    others = resting_thumb(hand) if hand.has_thumb else dict
    x, y, force = draw.uniform(15, 85), draw.uniform(8, 40), hand.rest
    for _ in range(round(draw.uniform(0.5, 2) / hand.frame)):
        force = max(force + draw.gauss(0, 1) + (hand.rest - force) * 0.02, 3)
        recording.frame({0: (x, y, force, "finger")} | others())


def typing(recording):
    """Palms touch the lower corners; firmware that recognizes them needs some time."""
    hand = recording.hand
    draw = hand.random
    for _ in range(draw.randrange(1, 4)):
        slot, x, y = draw.randrange(2), draw.choice([6, 94]), draw.uniform(50, 61)
        peak, seconds, known = draw.uniform(40, 260), draw.uniform(0.1, 1.0), draw.uniform(*hand.ranges.palm)
        growth, time = draw.uniform(0.08, 0.2), 0.0
        while time < seconds:
            kind = "flagged palm" if time >= known else "palm"
            recording.frame({slot: (x, y, max(peak * ease((time + hand.frame) / growth), 2), kind)})
            time += hand.frame
        recording.pause(draw.uniform(0.02, 0.3))


def record(pad, seed, repeats, ranges):
    """A recording of all gestures, and for each what was intended: (intent, begin, end, motion), times in microseconds."""
    hand = Hand(seed, ranges)
    recording = Recording(pad, hand)
    # The pad learns its click from these, which are not counted.
    for _ in range(12):
        pressing(recording, "click")
        recording.pause(0.6)
    for _ in range(repeats):
        for intent in INTENTS:
            begin, motion = recording.now, None
            if intent == "drag while pressed":
                motion = dragging(recording)
            elif intent == "press, then point":
                motion = pointing(recording)
            elif intent == "scroll":
                scrolling(recording)
            elif intent == "rest":
                resting(recording)
            elif intent == "type with palm":
                typing(recording)
            else:
                pressing(recording, intent)
            recording.pause(0.6)
            micros = motion and tuple(round(time * 1e6) for time in motion)
            recording.intents.append((intent, round(begin * 1e6) - 1, round(recording.now * 1e6) - 1, micros))
    return "\n".join(recording.lines) + "\n", recording.intents
