"""Synthetic hands on touchpads: recordings of pressing people whose intentions are known.

`stroke_set(pad, hand, seed)` returns an evemu recording and the list of its gestures. For each gesture the intention is
drawn first, then the force in grams at the finger (1 N = 102 g); a model of the pad makes events of it. A record: kind,
meant, start, end (us since the first event); presses (deep, peak_g = force reached, begins, reaches_depth = first frame
at 85 % of the lesser of the aim and the planned peak, or None, lets_go).
Seeds from 200000 on are for judging: every range of HANDS is then wider, low / 1.15 to high * 1.15 (a range that
touches or spans zero: by 7.5 % of its width at either end). A guest on the pad (HANDS) belongs to no record.

Numbers from studies (a: abstract read; m: from memory of the study, not read again)
a Asakawa, Crocker, Schmaltz, Jindrich 2017, Fingertip forces and completion time for ... touchscreen gestures: tap 0.50
  (SD 0.09) N, 133 (83) ms; slides 0.79-1.18 N with friction, 421 (181) ms -> tap, scroll, touch
a Rempel et al. 1997, The effect of keyboard keyswitch make force ...: force +40 % for a make force of 1.02 in place of
  0.47 N, so peak ~ make ** 0.43 -> usual_click. m Armstrong et al. 1994, Investigation of applied forces in
  alphanumeric keyboard work: peaks of 2.5-3.9 times the make force, with that law 1.4-2.2 times 130 g -> click
a Smits-Engelsman et al. 2004, Force levels in uni- and bimanual isometric tasks ...: signal to noise triples from 5 to
  12 years, +60 % to adults; the old are like children of 9-10 -> cv, waver. a Sosnoff et al. 2007, Does muscular
  weakness account ...: so at 6, 8, 10. a Inui, Katsura 2002, Development of force ...: youngest slower -> child
a Imrhan, Loo 1989, Trends in finger pinch strength ...: women 69 % of men -> light to average. a Pang, Tan, Durlach
  1991, Manual discrimination of force ...: just noticeable 7 % -> "clearly harder": 1.25 * (a click + 1 SD) at least
a J. Showa Med. Assoc. 50(1) p. 28: tremor at 11.32 - 0.042 * age Hz. a Wade et al. 1982, A normative study of postural
  tremor of the hand: 6-7 Hz. a Novak, Newell 2017, Physiological tremor (8-12 Hz component) in isometric force
  control: grows with the force -> tremor, tremor_hz
m Stewart 2010, Wilson 2010-11, McLachlan 2014: comfortable to 3-4 N -> force. m Dzidek et al. 2017, Contact mechanics
  of the human finger pad: area ~ force ** (1/3 ... 2/3), 40 mm^2 at 0.1 N -> area_of. a synaptics(4): finger from 25-30
Assumed, no number found: force clicks of each kind of hand (given by the commission), their times, the mix of absolute
and relative wish, two_stage, bounce, sway, tilt, palms, rests, creep, noise of the pads, lever of the hinge.
"""
import bisect, math, random
JUDGING_SEED, JUDGING_WIDTH = 200000, 1.15

# What a person is like: ranges from which the person's own values are drawn, log-uniform where positive.
AVERAGE = {
    "touch": (20, 45), "click": (170, 245),                 # g, a pointing finger; median click where 130 g are needed
    "ratio": (1.8, 2.8), "force": (350, 600),               # force click as wished: times a click; in g
    "click_cv": (0.10, 0.20), "force_cv": (0.08, 0.18),     # spread from one press to the next
    "rise": (60, 130), "hold": (25, 110), "fall": (50, 120), "deep_rise": (140, 320), "deep_hold": (80, 350),   # ms
    "two_stage": (0.05, 0.50), "bounce": (0.02, 0.10),      # share that pauses at the click; fall back after the peak
    "tremor": (0.006, 0.020), "tremor_hz": (8, 12),         # amplitude as a share of the force
    "waver": (0.02, 0.05), "speed": (60, 160),              # slow unsteadiness (SD, share of the force); mm/s
    "size": (0.85, 1.15), "softness": (0.75, 1.35),         # area at saturation, force at which it saturates; relative
    "exponent": (0.42, 0.58), "creep": (0.02, 0.10),        # area ~ force ** exponent; growth in a rest
    "outside": (0, 0), "tilt": (0, 0),                      # contact off the pad (share); gain from top to bottom
    "sway": (0, 0), "sway_hz": (0.10, 0.50), "guest": (0, 0),   # g, slow sway of the force; chance of another finger
}
HANDS = {
    "average": {}, "guest": {"guest": (0.4, 0.8)}, "edge": {"outside": (0.35, 0.75)},
    "light": {"touch": (10, 22), "click": (146, 175), "ratio": (1.6, 2.4), "force": (250, 400), "size": (0.75, 1.0)},
    "heavy": {"touch": (35, 65), "click": (235, 360), "ratio": (1.8, 2.6), "force": (500, 900), "size": (1.0, 1.3)},
    "child": {"touch": (12, 30), "click": (145, 195), "ratio": (1.35, 1.9), "force": (200, 350),
              "click_cv": (0.16, 0.30), "force_cv": (0.16, 0.30), "rise": (80, 190), "deep_rise": (160, 450),
              "waver": (0.05, 0.12), "tremor": (0.01, 0.03), "tremor_hz": (8, 11), "size": (0.55, 0.80)},
    "old": {"touch": (20, 60), "click": (165, 260), "ratio": (1.5, 2.5), "force": (280, 520),
            "click_cv": (0.15, 0.28), "force_cv": (0.15, 0.28), "rise": (100, 240), "hold": (60, 260),
            "fall": (80, 220), "deep_rise": (220, 520), "deep_hold": (120, 600), "waver": (0.04, 0.10),
            "tremor": (0.025, 0.080), "tremor_hz": (5.5, 8.0), "speed": (35, 90), "softness": (0.6, 1.1)},
    "thumb": {"touch": (25, 55), "click": (180, 290), "ratio": (1.7, 2.6), "force": (380, 750), "size": (1.2, 1.5)},
    "nails": {"touch": (12, 35), "click": (155, 230), "force": (280, 520), "size": (0.40, 0.65)},
    "lap": {"sway": (8, 30), "waver": (0.03, 0.08)}, "tilted": {"tilt": (-0.25, 0.25), "size": (0.75, 1.2)},
    "gradual": {"rise": (150, 380), "deep_rise": (300, 800), "deep_hold": (100, 500), "two_stage": (0.02, 0.2)},
    "sudden": {"click": (180, 290), "click_cv": (0.14, 0.24), "rise": (35, 70), "hold": (10, 50), "fall": (30, 70),
               "deep_rise": (60, 120), "deep_hold": (30, 150), "two_stage": (0.01, 0.05), "bounce": (0.08, 0.22)},
}
X, Y, PRESSURE, SLOT, MAJOR, MT_X, MT_Y, TOOL, ID, MT_PRESSURE = 0, 1, 24, 47, 48, 53, 54, 55, 57, 58
SYN, KEY, ABS, LEFT, TOUCH, TOOLS = 0, 1, 3, 0x110, 0x14a, {1: 0x145, 2: 0x14d, 3: 0x14e, 4: 0x14f, 5: 0x148}

class Pad:
    """A touchpad: its size (mm), units a mm, frame period (ms), range, units a gram, and the force of its click."""
    def __init__(self, name, ident, size, resolution, period, top, grams=0, make=60.0, release=42.0, hinge=1.0):
        self.name, self.ident, (self.width, self.height), self.resolution = name, ident, size, resolution
        self.period, self.top, self.grams = period, top, grams
        self.make, self.release, self.hinge = make, release, hinge
    def lever(self, y):
        """How much of a force at y (mm from the top) works on the switch: all at the bottom, `hinge` at the top."""
        return self.hinge + (1 - self.hinge) * y / self.height
    def clip(self, x, y, margin=2):
        return min(max(x, margin), self.width - margin), min(max(y, margin), self.height - margin)
    def axes(self):
        x, y = ((round(mm * self.resolution), self.resolution) for mm in (self.width, self.height))
        z, rest = (self.top, self.grams), {TOOL: (2, 0)} if self.grams else {MAJOR: x}
        return {X: x, Y: y, PRESSURE: z, SLOT: (4, 0), MT_X: x, MT_Y: y, ID: (65535, 0), MT_PRESSURE: z, **rest}
    def description(self):
        lines = ["# EVEMU 1.3", "N: " + self.name, "I: " + self.ident, "P: 05 00 00 00 00 00 00 00"]
        bits = {SYN: {SYN, KEY, ABS}, KEY: {LEFT, TOUCH, *TOOLS.values()}, ABS: set(self.axes())}
        for kind, rows in ((0, 1), (1, 12), (2, 1), (3, 1), (4, 1), (5, 1), (17, 1), (18, 1), (20, 1), (21, 2)):
            mask = sum(1 << bit for bit in bits.get(kind, ())).to_bytes(8 * rows, "little")
            lines += ["B: %02x %s" % (kind, mask[8 * row:8 * row + 8].hex(" ")) for row in range(rows)]
        return lines + ["A: %02x 0 %d 0 0 %d" % (code, *value) for code, value in sorted(self.axes().items())]

PADS = {
    "grams": Pad("Synthetic Force Touchpad", "0018 0000 0001 0100", (130, 80), 12, 8.0, 2000, 1, 130.0, 105.0),
    "area": Pad("Synthetic Area TouchPad", "0011 0000 0002 0100", (102, 62), 40, 10.0, 255, hinge=0.30),
    "coarse": Pad("Synthetic Coarse TouchPad", "0018 0000 0003 0100", (98, 55), 20, 12.5, 31, hinge=0.35),
}

def waves(rng, low, high):
    """A smooth random function of time (ms) with mean 0 and standard deviation 1, of frequencies low to high (Hz)."""
    parts = [(rng.uniform(low, high) * 2 * math.pi / 1000, rng.uniform(0, 2 * math.pi)) for _ in range(3)]
    return lambda t: sum(math.sin(w * t + phase) for w, phase in parts) * math.sqrt(2 / 3)

def curve(points, t):
    """Minimum-jerk interpolation between points (time, value ...); returns the values."""
    i = min(max(bisect.bisect_right(points, t, key=lambda point: point[0]), 1), len(points) - 1)
    a, b = points[i - 1], points[i]
    s = min(max((t - a[0]) / (b[0] - a[0]), 0), 1)
    s = s * s * s * (10 + s * (6 * s - 15))
    return tuple(u + (v - u) * s for u, v in zip(a[1:], b[1:]))

class Person:
    """One person on one pad."""
    def __init__(self, hand, pad, rng, wide):
        self.hand, self.pad, self.rng = hand, pad, rng
        for name, (low, high) in {**AVERAGE, **HANDS[hand]}.items():
            if low > 0:
                setattr(self, name, math.exp(rng.uniform(math.log(low / wide), math.log(high * wide))))
            else:
                setattr(self, name, rng.uniform(*(x + (x - (low + high) / 2) * (wide - 1) for x in (low, high))))
        # slow drift of the force; gain of a pad that measures grams; offset by the sway
        self.mood, self.gain, self.offset = 1.0, rng.uniform(0.95, 1.05), rng.uniform(-0.7, 0.7)
        self.sway_wave = waves(rng, self.sway_hz * 0.6, self.sway_hz * 1.4)
        usual = self.usual_click(pad.make)                  # the wish: between the absolute and the relative one
        self.deep = max(self.force ** (2 / 3) * (usual * self.ratio) ** (1 / 3), 1.25 * usual * math.exp(self.click_cv))
    def usual_click(self, make):
        """Median peak of a click where the switch needs `make` grams."""
        return max(self.click * (make / 130) ** 0.43, 1.12 * make)
    def spread(self, cv):
        return math.exp(self.rng.gauss(0, cv))
    def click_peak(self, make):
        peak = self.usual_click(make) * self.mood * self.spread(self.click_cv)
        return max(peak, make * self.rng.uniform(1.08, 1.30) + self.sway)
    def spot(self, role):           # a place (mm) where this person puts a finger
        kind = self.hand if role == "finger" and self.hand in ("thumb", "edge") else role
        low, high, top, bottom = {"palm": (0.0, 0.1, 0.45, 1.0), "guest": (0.08, 0.3, 0.65, 0.95), "edge": (
            0.005, 0.03, 0.3, 0.8), "thumb": (0.35, 0.6, 0.82, 0.95), "finger": (0.38, 0.72, 0.3, 0.8)}[kind]
        x, y = self.rng.uniform(low, high) * self.pad.width, self.rng.uniform(top, bottom) * self.pad.height
        return self.pad.width - x if kind in ("palm", "edge") and self.rng.random() < 0.5 else x, y

class Gesture:
    """What a person meant, and the contacts with which it was done."""
    def __init__(self, kind, meant, start):
        self.kind, self.meant, self.start, self.finish = kind, meant, start, None
        self.fingers, self.presses = [], []
    def record(self, origin):
        us = lambda t: None if t is None else max(0, round((t - origin) * 1000))
        presses = [{"deep": p["deep"], "peak_g": round(p["peak"]), "begins": us(p["begins"]),
                    "reaches_depth": us(p["reached"]), "lets_go": us(p["lets_go"])} for p in self.presses]
        start, end = us(min(f.landed for f in self.fingers)), us(max(f.lifted for f in self.fingers))
        return {"kind": self.kind, "meant": self.meant, "start": start, "end": end, "presses": presses}

class Finger:
    """A contact: its force and path over time. The methods append to both and move `now` (ms) on."""
    def __init__(self, person, gesture, start, role="finger", spot=None, level=None):
        rng = person.rng
        self.person, self.gesture, self.role, self.land, self.now, self.end = person, gesture, role, start, start, None
        spot = spot or person.spot(role)
        self.path, self.forces = [(start, *spot), (start + 1, *spot)], [(start, 1.0)]
        off = {"finger": min(person.outside * person.spread(0.1), 0.85), "palm": rng.uniform(0.2, 0.6)}
        self.outside = off.get(role, 0)                     # share that is off the pad at its very edge
        self.level = min(level or person.touch * person.mood * person.spread(0.2), 0.5 * self.needed())
        self.to(self.level, rng.uniform(20, 60))
        self.waver, self.shake = waves(rng, 0.4, 2.5), waves(rng, person.tremor_hz * 0.95, person.tremor_hz * 1.05)
        self.split = waves(rng, 0.3, 3.0)                   # error of the pad in telling contacts apart
        self.angle = person.spread(0.06) * {"thumb": 1.35, "guest": 1.25}.get(role, 1.0)
        self.roll = rng.uniform(0.1, 0.7)                   # mm that the contact moves in a press of 400 g
        self.palm_after = rng.uniform(30, 180) if role == "palm" and rng.random() < 0.8 else None
        self.value = self.slot = self.id = self.landed = self.lifted = None
        gesture.fingers.append(self)
    def visible(self, x):           # share of the contact on the pad: less within 6 mm of the left and right edges
        return 1 - self.outside * max(0, 1 - min(x, self.person.pad.width - x) / 6)
    def gain_at(self, x, y):
        p = self.person
        return p.gain * (0.8 + 0.2 * self.visible(x)) * (1 + p.tilt * (y / p.pad.height - 0.5)) if p.pad.grams else 1.0
    def needed(self):               # force with which this finger alone makes the pad click
        _, x, y = self.path[-1]
        return self.person.pad.make / (self.person.pad.lever(y) * self.gain_at(x, y))
    def to(self, grams, ms):
        self.now += ms
        self.forces.append((self.now, grams))
    def stay(self, low, high):
        self.to(self.forces[-1][1], self.person.rng.uniform(low, high))
    def move(self, dx, dy, ms, unsteady):
        _, x, y = self.path[-1]
        level, steps = self.forces[-1][1], max(1, round(ms / 120))
        self.path += [(self.now, x, y), (self.now + ms, *self.person.pad.clip(x + dx, y + dy))]
        for _ in range(steps):
            self.to(level * self.person.spread(unsteady), ms / steps)
    def wander(self, ms, speed, unsteady):
        angle, reach = self.person.rng.uniform(0, 2 * math.pi), ms / 1000 * speed
        self.move(reach * math.cos(angle), reach * math.sin(angle), ms, unsteady)
    def press(self, deep=False, click=None, rise=None, hold=None):
        """Press down; `click` is the peak of an ordinary click, if it is settled already."""
        p, rng, make = self.person, self.person.rng, self.needed()
        click = click or p.click_peak(make)
        aim = max(p.deep * p.mood * p.spread(p.force_cv * 0.8), 1.15 * p.usual_click(make)) if deep else click
        peak = aim * p.spread(p.force_cv * 0.6) if deep else aim
        self.gesture.presses.append({"finger": self, "deep": deep, "begins": self.now, "lets_go": None,
                                     "passes": 0.85 * min(aim, peak), "peak": 0.0, "reached": None})
        rise = rise or p.spread(0.2) * (p.deep_rise if deep else p.rise)
        if deep and rng.random() < p.two_stage and click < 0.75 * peak:
            self.to(click * rng.uniform(0.85, 1.0), p.rise * p.spread(0.2))
            self.stay(40, 220)
            rise *= 0.7
        hold = hold or p.spread(0.35) * (p.deep_hold if deep else p.hold)
        self.to(peak, rise)
        self.to(peak * (1 - p.bounce * rng.uniform(0.3, 1.2)), 0.4 * hold)
        self.stay(0.6 * hold, 0.6 * hold)
    def let_go(self, fall=None):
        p, rng, press = self.person, self.person.rng, self.gesture.presses[-1]
        if press["deep"] and rng.random() < 0.12:           # some let go of a force click slowly
            fall = rng.uniform(300, 900)
        press["lets_go"] = self.now
        self.to(self.level * rng.uniform(0.5, 1.1), (fall or p.fall) * p.spread(0.2))
    def lift(self, low=15, high=50):
        self.to(1.0, self.person.rng.uniform(low, high))
        self.end = self.now
    def force(self, t):
        p, grams = self.person, curve(self.forces, t)[0]
        return max(0.3, grams * (1 + p.waver * self.waver(t)) + (grams + 15) * p.tremor * self.shake(t))
    def place(self, t, force=0):
        x, y = curve(self.path, t)
        return self.person.pad.clip(x, y + self.roll * force / 400, 0)

# The kinds of gesture: each function appends fingers to the gesture g of person p.
def one_finger(p, g, deep=False, times=1, start=None, fall=None, point=False, hold=None):
    rng, f = p.rng, Finger(p, g, start or g.start)
    for _ in range(rng.randint(1, 3) if point else 0):
        f.wander(rng.uniform(150, 600), p.speed, 0.1)
    if rng.random() < 0.75:
        f.stay(40, 400)
    for turn in range(times):
        if turn and rng.random() < 0.25:                    # some lift the finger between the two
            f.lift()
            f = Finger(p, g, f.now + rng.uniform(50, 140), "finger", f.path[-1][1:])
        elif turn:
            f.stay(*((65, 260) if deep else (40, 160)))
        f.press(deep, hold=hold and hold * rng.uniform(0.5, 1.5))
        f.let_go(fall and fall * rng.uniform(0.5, 1.5))
    f.stay(1, 300)
    f.lift()

def two_finger_click(p, g):
    rng, pad, first = p.rng, p.pad, Finger(p, g, g.start)
    share, wait, rise = rng.uniform(0.35, 0.65), rng.uniform(150, 400), p.rise * p.spread(0.2)
    _, x, y = first.path[0]
    place = pad.clip(x + rng.uniform(16, 24) * (1 if x < pad.width / 2 else -1), y + rng.uniform(-8, 8))
    second = Finger(p, g, g.start + rng.uniform(0, 50), "finger", place)
    peak = p.click_peak(max(first.needed(), second.needed()))
    for f, part in ((first, share), (second, 1 - share)):
        f.to(f.level * 0.8, g.start + wait + rng.uniform(0, 20) - f.now)
        f.press(click=peak * part, rise=rise, hold=p.hold)
        f.let_go()
        f.lift(15, 80)

def drag(p, g, ms, pace, unsteady):
    rng, f = p.rng, Finger(p, g, g.start)
    f.stay(30, 250)
    f.press()
    f.to(max(f.needed() * rng.uniform(0.95, 1.25), f.forces[-1][1] * rng.uniform(0.65, 1.0)), rng.uniform(60, 150))
    for _ in range(rng.randint(1, 3)):
        f.wander(rng.uniform(*ms), p.speed * rng.uniform(*pace), unsteady)
    f.stay(20, 200)
    f.let_go()
    f.lift()

def scroll(p, g):
    rng, (x, y) = p.rng, p.spot("finger")
    way, ms, level = rng.choice([1, -1]) * rng.uniform(10, 35), rng.uniform(200, 700), p.touch * p.spread(0.2)
    for side in (0, 1):
        f = Finger(p, g, g.start + side * rng.uniform(0, 40), "finger", p.pad.clip(x + side * 20, y), 0.25 * p.pad.make)
        f.to(min(level * p.spread(0.15), 0.35 * p.pad.make), rng.uniform(10, 60))
        f.move(rng.uniform(-2, 2), way, ms, 0.1)
        f.lift()

def lean(p, g, grams=None, most=(0.5, 0.5), times=(2, 5), ms=(200, 800), cv=0.06, role="finger"):
    """Rest on the pad with a force of `grams`, at most a share of what makes the pad click, that changes some times."""
    rng = p.rng
    count = rng.randint(1, 2) if role == "palm" else 1
    for _ in range(count):
        f = Finger(p, g, g.start + rng.uniform(0, 300), role, level=10 if grams else None)
        weight = min(rng.uniform(*grams) * p.mood if grams else f.level, f.needed() * rng.uniform(*most) / count)
        for _ in range(rng.randint(*times)):
            f.to(weight * p.spread(cv), rng.uniform(*ms))
        f.lift()

def beside(p, g, role, deep=False):
    """A click or a force click while a thumb or a palm rests on the pad."""
    other = Finger(p, g, g.start, role, level=min(p.rng.uniform(10, 50), 0.35 * p.pad.make))
    one_finger(p, g, deep, start=g.start + p.rng.uniform(150, 700))
    other.to(other.level * p.spread(0.15), g.fingers[-1].end - other.now + p.rng.uniform(20, 600))
    other.lift()

KINDS = {   # kind: (how many in a session, what the person means, how it is done, with what)
    "click": (7, "press", one_finger, {}), "double click": (4, "two presses", one_finger, {"times": 2}),
    "point then press": (4, "press", one_finger, {"point": True}),
    "press and hold": (2, "press", one_finger, {"hold": 900}), "slow release": (3, "press", one_finger, {"fall": 800}),
    "click beside thumb": (3, "press", beside, {"role": "thumb"}),
    "click beside palm": (3, "press", beside, {"role": "palm"}),
    "force click": (9, "force click", one_finger, {"deep": True}), "scroll": (3, "scroll", scroll, {}),
    "double force click": (4, "two force clicks", one_finger, {"deep": True, "times": 2}),
    "point then force click": (3, "force click", one_finger, {"deep": True, "point": True}),
    "force click beside thumb": (2, "force click", beside, {"role": "thumb", "deep": True}),
    "two-finger click": (4, "secondary press", two_finger_click, {}), "resting finger": (2, "nothing", lean, {}),
    "fast drag": (2, "drag", drag, {"ms": (130, 350), "pace": (1.5, 2.5), "unsteady": 0.10}),
    "slow drag": (2, "drag", drag, {"ms": (500, 1400), "pace": (0.2, 0.5), "unsteady": 0.06}),
    "tap": (3, "tap", lean, {"grams": (33, 70), "most": (0.8, 0.8), "times": (1, 1), "ms": (20, 110)}),
    "resting heavily": (2, "nothing", lean, {"grams": (50, 160), "most": (0.45, 0.95)}),
    "typing": (2, "nothing", lean, {"role": "palm", "grams": (15, 90), "times": (5, 18), "ms": (70, 180), "cv": 0.2}),
}

class Recorder:
    """Turns contacts into kernel events: multitouch type B with pointer emulation, changes only."""
    def __init__(self, pad):
        self.pad, self.lines, self.slot, self.next_id, self.slots = pad, [], 0, 1, [None] * 5
        self.state, self.frame, self.button, self.origin = {}, [], False, None
    def set(self, kind, code, value, slot=None):
        """Note an event, unless the value is what was sent last (for this slot)."""
        if self.state.get((kind, code, slot), -1 if code == ID else 0) != value:
            if slot is not None and slot != self.slot:
                self.frame.append((ABS, SLOT, slot))
                self.slot = slot
            self.frame.append((kind, code, value))
            self.state[kind, code, slot] = value
    def send(self, t, values):
        """One frame: `values` maps each finger on the pad to its axes."""
        gone = [f for f in self.slots if f and f not in values]
        for f in gone:
            self.set(ABS, ID, -1, f.slot)
            f.lifted = t
        for f, axes in values.items():
            if f.id is None:
                f.slot, f.id, f.landed, self.next_id = self.slots.index(None), self.next_id, t, self.next_id + 1
                self.slots[f.slot] = f
                self.set(ABS, ID, f.id, f.slot)
            for code, value in axes.items():
                self.set(ABS, code, value, f.slot)
        for f in gone:
            self.slots[f.slot] = None
        keys = {LEFT: self.button, TOUCH: bool(values), **{code: n == len(values) for n, code in TOOLS.items()}}
        for code, value in keys.items():
            self.set(KEY, code, int(value))
        oldest = values[min(values, key=lambda f: f.id)] if values else {MT_PRESSURE: 0}
        for code, source in ((X, MT_X), (Y, MT_Y), (PRESSURE, MT_PRESSURE)):
            if source in oldest:
                self.set(ABS, code, oldest[source])
        if self.frame:
            self.origin = t if self.origin is None else self.origin
            time = divmod(round((t - self.origin) * 1000) + 1, 1000000)     # evemu-record begins at 0.000001
            self.lines += ["E: %d.%06d %04x %04x %04d" % (*time, *event) for event in [*self.frame, (SYN, 0, 0)]]
            self.frame = []

def area_of(person, f, force, x, age):
    """Contact area in mm^2."""
    limit, knee = (700, 60) if f.role == "palm" else (188, 133)
    part = 1 - math.exp(-(force / (knee * person.softness)) ** person.exponent)
    return limit * person.size * f.angle * part * f.visible(x) * (1 + person.creep * (1 - math.exp(-age / 600)))

def sense(person, f, t, force, alone):
    """Move the filtered reading of a contact on by one frame; return the axes that the pad reports."""
    pad, noise, (x, y) = person.pad, person.rng.gauss(0, 1), f.place(t, force)
    if pad.grams:
        target = force * f.gain_at(x, y) * (1 if alone else 1 + 0.05 * f.split(t)) + 1.2 * noise
    else:
        target = area_of(person, f, force, x, t - f.land)
    f.value = target * 0.6 if f.value is None else 0.4 * f.value + 0.6 * target
    level = f.value if pad.grams else max((f.value / 1.5 + 0.8 * noise) * (pad.top + 1) / 256, 1)   # 1.5 mm^2 a unit
    more = ({TOOL: 2 if f.palm_after and t > f.land + f.palm_after else 0} if pad.grams else
            {MAJOR: round(2 * math.sqrt(max(f.value, 4) / math.pi) * pad.resolution)})
    return {MT_X: round(x * pad.resolution), MT_Y: round(y * pad.resolution),
            MT_PRESSURE: min(max(round(level), 0), pad.top), **more}

def play(person, pad, fingers, gestures):
    """Run all contacts through the pad, frame by frame; returns the recorder."""
    recorder, waiting = Recorder(pad), sorted(fingers, key=lambda f: f.land, reverse=True)
    active, t = [], 0.0
    while waiting or active:
        if not active:                                      # nothing on the pad: on to the next contact
            t += max(0, math.ceil((waiting[-1].land - t) / pad.period)) * pad.period
        while waiting and waiting[-1].land <= t:
            active.append(waiting.pop())
        active = [f for f in active if f.end > t]
        now = t + person.rng.gauss(0, 0.15)
        gesture = next((g for g in gestures if now <= g.finish), gestures[-1])
        total = sum(f.force(t) for f in active)
        pull = max(1 + person.sway * (person.offset + person.sway_wave(t)) / max(total, 40), 0.2)
        values, load = {}, 0.0
        for f in active:
            force = f.force(t) * pull
            values[f] = sense(person, f, t, force, len(active) == 1)
            load += f.value if pad.grams else force * pad.lever(f.place(t)[1])
            for press in gesture.presses:
                if press["finger"] is f and press["begins"] <= t <= press["lets_go"] + pad.period:
                    press["peak"] = max(press["peak"], force)
                    if press["reached"] is None and force >= press["passes"]:
                        press["reached"] = max(now, press["begins"])
        recorder.button = load >= (pad.release if recorder.button else pad.make)
        recorder.send(now, values)
        t += pad.period
    return recorder

def stroke_set(pad, hand, seed, gestures=None, warm_up=20):
    """One session of one person: (text of the evemu recording, list of gesture records). `warm_up` ordinary clicks come
    first, then the kinds of gesture in the list `gestures`, or each kind as often as KINDS says, shuffled."""
    rng, device = random.Random("%s/%s/%s" % (pad, hand, seed)), PADS[pad]
    person = Person(hand, device, rng, JUDGING_WIDTH if seed >= JUDGING_SEED else 1.0)
    kinds = [kind for kind, (count, *_) in KINDS.items() for _ in range(count)]
    rng.shuffle(kinds)
    kinds = ["warm-up"] * warm_up + list(kinds if gestures is None else gestures)
    t, done, fingers, guest = 0.0, [], [], None
    for kind in kinds:
        if guest is None and rng.random() < person.guest:
            guest = Finger(person, Gesture("guest", "nothing", t), t, "guest", level=rng.uniform(10, 0.3 * device.make))
            fingers.append(guest)
        person.mood = min(max(person.mood * person.spread(0.02), 0.85), 1.18)
        _, meant, perform, how = KINDS["click" if kind == "warm-up" else kind]
        gesture = Gesture(kind, meant, t + rng.uniform(400, 2000))
        perform(person, gesture, **how)
        t = gesture.finish = max(f.end for f in gesture.fingers) + 60
        done.append(gesture)
        fingers += gesture.fingers
        if guest:
            guest.to(guest.level * person.spread(0.15), t - guest.now)
            if rng.random() < 0.3 or len(done) == len(kinds):
                guest = guest.lift()
    recorder = play(person, device, fingers, done)
    records = [gesture.record(recorder.origin) for gesture in done]
    return "\n".join(device.description() + recorder.lines) + "\n", records
