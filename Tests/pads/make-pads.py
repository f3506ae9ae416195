#!/usr/bin/env python3
"""Writes the pads of the tests: report descriptors and frames of touches, in the formats of hid-recorder and evemu.

usage: make-pads.py FOLDER

A .hid file is a HID device for Tests/vm/inside/pad.py, hid-replay and the tests of the descriptor reader: R: is the report
descriptor, N: and I: the name and identity, each E: an input report. Answers to requests for features, which
hid-recorder does not record, are in comments: `# F: LENGTH BYTES`, the report ID first.

The descriptors are not copies of captured ones. Each declares what its source states about the pad, in the usual
form of a Windows touchpad, so that the kernel and the descriptor reader see the same fields, units and ranges.
"""

import pathlib
import sys

# Short items: their names, and the tag with the bits of the size cleared.
TAGS = {
    "Usage Page": 0x04, "Usage": 0x08, "Usage Minimum": 0x18, "Usage Maximum": 0x28, "Collection": 0xA0,
    "End Collection": 0xC0, "Report ID": 0x84, "Logical Minimum": 0x14, "Logical Maximum": 0x24,
    "Physical Minimum": 0x34, "Physical Maximum": 0x44, "Unit Exponent": 0x54, "Unit": 0x64, "Report Size": 0x74,
    "Report Count": 0x94, "Input": 0x80, "Output": 0x90, "Feature": 0xB0,
}  # fmt: skip
SIGNED = {"Logical Minimum", "Logical Maximum", "Physical Minimum", "Physical Maximum"}
DATA, CONSTANT = 2, 3
APPLICATION, LOGICAL, PHYSICAL = 1, 2, 0
DESKTOP, BUTTON, ORDINAL, DIGITIZER, HAPTICS = 0x01, 0x09, 0x0A, 0x0D, 0x0E
# Units of the SI linear system, by their nibbles: centimeters, grams, g cm/s^2 (dyn).
NONE, CENTIMETER, SECOND, GRAM, DYNE = 0, 0x11, 0x1001, 0x0101, 0xE111
# A frame every eight milliseconds.
PERIOD = 8000


def item(name, value=None):
    """The bytes of a short item in the smallest size that holds the value."""
    tag = TAGS[name]
    if value is None:
        return bytes([tag])
    for size, code in ((1, 1), (2, 2), (4, 3)):
        top = 1 << 8 * size
        if -(top >> 1) <= value < (top >> 1 if name in SIGNED else top):
            data = (value % top).to_bytes(size, "little")
            return bytes([tag | code]) + data
    raise ValueError(f"{name} {value} does not fit")


class Descriptor:
    """Collects items."""

    def __init__(self):
        self.bytes = b""

    def add(self, **values):
        for key, value in values.items():
            self.one(key.replace("_", " ").title().replace("Id", "ID"), value)
        return self

    def one(self, name, value=None):
        self.bytes += item(name, value)

    def field(self, usages, size, kind="input", flags=DATA, **values):
        """A main item with one field for each usage."""
        self.add(**values)
        for usage in usages:
            self.one("Usage", usage)
        self.add(report_size=size, report_count=max(len(usages), 1))
        self.one(kind.title(), flags)

    def padding(self, size, kind="input"):
        self.add(report_size=size, report_count=1)
        self.one(kind.title(), CONSTANT)

    def open(self, usage, kind, page=None):
        if page is not None:
            self.add(usage_page=page)
        self.add(usage=usage, collection=kind)

    def close(self):
        self.one("End Collection")


class Pad:
    """A Windows touchpad with five fingers."""

    FINGERS = 5

    def __init__(self, name, identity, about, x, y, pressure=None, pad_type=1, settings=True, haptics=False,
                 size=False, surface=False, certified=True):  # fmt: skip
        """x, y: (logical maximum, physical maximum in 0.01 mm); pressure: a function that adds the items before the usage
        Tip Pressure; size: Width and Height; surface: the report layout of the Surface Laptop Studio."""
        self.name, self.identity, self.about = name, identity, about
        self.has_pressure, self.size, self.surface = pressure is not None, size, surface
        self.report_id = 4 if surface else 1
        self.frames = []
        self.features = []
        d = self.descriptor = Descriptor()
        d.open(0x05, APPLICATION, DIGITIZER)
        d.add(report_id=self.report_id)
        for _ in range(self.FINGERS):
            self.add_finger(x, y, pressure)
        d.add(usage_page=DIGITIZER, unit_exponent=0x0C, unit=SECOND, physical_maximum=0xFFFF, logical_maximum=0xFFFF)
        d.field([0x56], 16)
        d.add(physical_maximum=0, unit_exponent=0, unit=NONE)
        d.field([0x54], 8, logical_maximum=self.FINGERS)
        d.add(usage_page=BUTTON)
        d.field([1], 1, logical_maximum=1)
        d.padding(7)
        if surface:
            d.add(usage_page=0xFF01)
            d.field([1, 2], 8, logical_maximum=0xFF)
            d.field([3], 16, logical_maximum=0xFFFF)
        # The maximum number of contacts, and the type: 0 with a hinge, 1 pressure pad.
        d.add(usage_page=DIGITIZER, report_id=0x42)
        d.field([0x55, 0x59], 4, "feature", logical_maximum=15)
        self.features.append(bytes([0x42, pad_type << 4 | self.FINGERS]))
        if certified:
            # By its presence the kernel detects a Windows touchpad, whose fingers it lifts if they do not move for 100 ms.
            d.add(usage_page=0xFF00, report_id=0x43, usage=0xC5, logical_maximum=0xFF, report_size=8, report_count=256)
            d.one("Feature", DATA)
            self.features.append(bytes([0x43]) + bytes(256))
        if settings:
            self.add_settings()
        if haptics:
            self.add_haptics()
        d.close()
        self.add_configuration()

    def add_finger(self, x, y, pressure):
        d = self.descriptor
        d.open(0x22, LOGICAL, DIGITIZER)
        d.field([0x47, 0x42], 1, logical_minimum=0, logical_maximum=1)
        if self.surface:
            d.field([0x51], 3, logical_maximum=7)
            d.padding(3)
        else:
            d.padding(2)
            d.field([0x51], 4, logical_maximum=15)
        d.add(usage_page=DESKTOP, physical_minimum=0, unit_exponent=0x0D, unit=CENTIMETER)
        d.field([0x30], 16, logical_maximum=x[0], physical_maximum=x[1])
        d.field([0x31], 16, logical_maximum=y[0], physical_maximum=y[1])
        d.add(usage_page=DIGITIZER)
        if pressure:
            pressure(d)
            d.field([0x30], 16)
        d.add(physical_maximum=0, unit_exponent=0, unit=NONE)
        if self.size:
            d.field([0x48, 0x49], 16, logical_maximum=4095)
        d.close()

    def add_settings(self):
        """The force of the pad's own click in three steps, and the intensity of its feedback in percent."""
        d = self.descriptor
        d.add(usage_page=DIGITIZER, report_id=8)
        d.field([0xB0], 8, "feature", logical_minimum=1, logical_maximum=3, physical_minimum=110, physical_maximum=190,
                unit=GRAM)  # fmt: skip
        d.add(logical_minimum=0, physical_minimum=0, physical_maximum=0, unit=NONE)
        d.open(0x01, LOGICAL, HAPTICS)
        d.add(report_id=9)
        d.field([0x23], 8, "feature", logical_maximum=100)
        d.close()
        self.features += [bytes([8, 2]), bytes([9, 50])]

    def add_haptics(self):
        """A haptic device that the host can trigger: its waveforms are a click, a press and a release."""
        d = self.descriptor
        d.open(0x01, LOGICAL, HAPTICS)
        d.add(report_id=10)
        for usage, maximum in ((0x10, 0x7FFF), (0x11, 0x7FFF)):
            d.open(usage, LOGICAL, HAPTICS)
            d.add(usage_page=ORDINAL, usage_minimum=3, usage_maximum=5, logical_maximum=maximum, report_size=16,
                  report_count=3)  # fmt: skip
            d.one("Feature", DATA)
            d.close()
        d.add(usage_page=HAPTICS)
        d.field([0x20], 8, "feature", logical_maximum=5)
        d.add(report_id=11)
        d.field([0x23], 8, "output", logical_maximum=100)
        d.field([0x24], 8, "output", logical_maximum=10)
        d.field([0x25], 16, "output", logical_maximum=1000)
        d.field([0x21], 8, "output", logical_maximum=5)
        d.close()
        waveforms = b"".join(number.to_bytes(2, "little") for number in (0x1003, 0x1006, 0x1007, 5, 5, 5))
        self.features.append(bytes([10]) + waveforms + bytes([3]))

    def add_configuration(self):
        """How the host selects touches instead of mouse movements."""
        d = self.descriptor
        d.open(0x0E, APPLICATION, DIGITIZER)
        d.add(report_id=0x44)
        d.open(0x22, LOGICAL)
        d.field([0x52], 8, "feature", logical_minimum=0, logical_maximum=10)
        d.close()
        d.add(report_id=0x45)
        d.open(0x22, PHYSICAL)
        d.field([0x57, 0x58], 1, "feature", logical_maximum=1)
        d.padding(6, "feature")
        d.close()
        d.close()
        self.features += [bytes([0x44, 3]), bytes([0x45, 3])]

    def frame(self, *fingers, button=0, lifted=()):
        """A report: (x, y, pressure) of each finger that is down, and the numbers of those that are lifted."""
        touches = [(number, finger, True) for number, finger in enumerate(fingers) if number not in lifted]
        touches += [(number, (0, 0, 0), False) for number in lifted]
        report = bytearray([self.report_id])
        for number, (x, y, pressure), is_down in touches + [(0, (0, 0, 0), None)] * (self.FINGERS - len(touches)):
            flags = 0 if is_down is None else 3 if is_down else 1
            report.append(flags | number << (2 if self.surface else 4))
            report += x.to_bytes(2, "little") + y.to_bytes(2, "little")
            if self.has_pressure:
                report += pressure.to_bytes(2, "little")
            if self.size:
                report += (400 if is_down else 0).to_bytes(2, "little") * 2
        time = len(self.frames) * PERIOD // 100 & 0xFFFF
        report += time.to_bytes(2, "little") + bytes([len(touches), button])
        if self.surface:
            report += bytes(4)
        self.frames.append(bytes(report))

    def play(self, rows, places):
        """A frame for each row of pressures, the fingers at these places; then all are lifted."""
        for step, row in enumerate(rows):
            self.frame(*[(x + step, y, pressure) for (x, y), pressure in zip(places, row)])
        self.frame(lifted=range(max(map(len, rows))))


class MagicTrackpad:
    """A mouse in its descriptor; its driver enables touches and decodes them itself."""

    def __init__(self, name, identity, about):
        self.name, self.identity, self.about = name, identity, about
        self.frames, self.features = [], []
        d = self.descriptor = Descriptor()
        d.open(0x02, APPLICATION, DESKTOP)
        d.open(0x01, PHYSICAL)
        d.add(report_id=2, usage_page=BUTTON, usage_minimum=1, usage_maximum=2)
        d.add(logical_minimum=0, logical_maximum=1, report_size=1, report_count=2)
        d.one("Input", DATA)
        d.padding(6)
        d.add(usage_page=DESKTOP)
        d.field([0x30, 0x31], 8, flags=6, logical_minimum=-127, logical_maximum=127)
        d.close()
        d.close()

    def frame(self, *fingers, lifted=()):
        report = bytearray([0x31, 0, *(len(self.frames) * 8 & 0xFFFF).to_bytes(2, "little")])
        touches = [(number, finger, 0x80) for number, finger in enumerate(fingers)]
        touches += [(number, (0, 0, 0), 0) for number in lifted]
        for number, (x, y, pressure), state in touches:
            position = (x & 0x1FFF) | (-y & 0x1FFF) << 13
            position |= state << 24
            # Two bytes of its outline, the size, the pressure, and the number with the orientation.
            report += position.to_bytes(4, "little") + bytes([60, 50, 40, pressure, 4 << 5 | number])
        self.frames.append(bytes(report))

    play = Pad.play


def hid_text(pad):
    """The file of hid-recorder."""
    lines = [f"# {line}" for line in pad.about.strip().splitlines()]
    raw = pad.descriptor.bytes
    lines += ["D: 0", f"R: {len(raw)} {raw.hex(' ')}", f"N: {pad.name}"]
    lines.append(f"I: {pad.identity[0]:x} {pad.identity[1]:04x} {pad.identity[2]:04x}")
    lines += [f"# F: {len(feature)} {feature.hex(' ')}" for feature in pad.features]
    for number, report in enumerate(pad.frames):
        time = number * PERIOD
        lines.append(f"E: {time // 1000000:06}.{time % 1000000:06} {len(report)} {report.hex(' ')}")
    return "\n".join(lines) + "\n"


# MARK: - Devices without a descriptor

EV_SYN, EV_KEY, EV_ABS, EV_FF = 0, 1, 3, 0x15
SLOT, MAJOR, MINOR, X, Y, TRACKING, PRESSURE = 0x2F, 0x30, 0x31, 0x35, 0x36, 0x39, 0x3A
KEYS = (0x110, 0x145, 0x148, 0x14A, 0x14D, 0x14E, 0x14F)


def evemu_text(name, identity, about, axes, properties, effects, rows, places):
    """The file of evemu-record: a device by its axes (code: maximum, resolution), and a frame for each row of pressures."""
    lines = ["# EVEMU 1.3", *[f"# {line}" for line in about.strip().splitlines()], f"N: {name}"]
    lines += [f"I: {' '.join(f'{number:04x}' for number in identity)}", f"P: {bits(properties, 8)}"]
    lines += [f"B: {0:02x} {bits([EV_SYN, EV_KEY, EV_ABS] + [EV_FF] * bool(effects), 8)}"]
    lines += bit_lines(EV_KEY, KEYS, 96) + bit_lines(EV_ABS, axes, 8)
    if effects:
        lines += bit_lines(EV_FF, effects, 16)
    for code, (maximum, resolution) in sorted(axes.items()):
        lines.append(f"A: {code:02x} 0 {maximum} 0 0 {resolution}")
    time, fingers = 0, max(map(len, rows))

    def event(kind, code, value):
        lines.append(f"E: {time // 1000000}.{time % 1000000:06} {kind:04x} {code:04x} {value}")

    for step, row in enumerate(rows):
        down = len(rows[step - 1]) if step else 0
        for slot, ((x, y), pressure) in enumerate(zip(places, row)):
            event(EV_ABS, SLOT, slot)
            if slot >= down:
                event(EV_ABS, TRACKING, slot + 1)
            for code, value in ((X, x + step), (Y, y), (PRESSURE, pressure)):
                event(EV_ABS, code, value)
        if step == 0:
            event(EV_KEY, 0x14A, 1)
        if 0x18 in axes:
            event(EV_ABS, 0x18, sum(row))
        event(EV_SYN, 0, 0)
        time += PERIOD
    for slot in range(fingers):
        event(EV_ABS, SLOT, slot)
        event(EV_ABS, PRESSURE, 0)
        event(EV_ABS, TRACKING, -1)
    if 0x18 in axes:
        event(EV_ABS, 0x18, 0)
    event(EV_KEY, 0x14A, 0)
    event(EV_SYN, 0, 0)
    return "\n".join(lines) + "\n"


def bits(codes, size):
    """A bitmap in bytes."""
    number = sum(1 << code for code in set(codes))
    return number.to_bytes(size, "little").hex(" ")


def bit_lines(kind, codes, size):
    data = bytes.fromhex(bits(codes, size))
    return [f"B: {kind:02x} {data[start : start + 8].hex(' ')}" for start in range(0, size, 8)]


# MARK: - The pads


def grams(logical, physical, exponent=0):
    return lambda d: d.add(
        unit=GRAM, unit_exponent=exponent & 15, logical_maximum=logical, physical_maximum=physical
    )


ONE, TWO = [(1000, 800)], [(1000, 800), (1900, 900)]


def pads():
    pad = Pad(
        "ELAN 04F3:323B", (0x18, 0x04F3, 0x323B),
        """
ELAN "Redrix", HP Elite Dragonfly Chromebook. The descriptor yields the axes that were captured: chromium,
ui/events/ozone/evdev/event_device_test_util.cc. Frames: one finger of 100 to 300 g, then two of 100 and 200 g.
""",
        x=(3630, 11344), y=(2346, 7568), pressure=grams(4095, 102375, -2), size=True, haptics=True,
    )  # fmt: skip
    pad.play([(400,), (800,), (1200,), (400, 800), (400, 800)], TWO)
    yield "redrix.hid", hid_text(pad)

    pad = Pad(
        "Microsoft Surface 045E:09AF", (0x19, 0x045E, 0x09AF),
        """
Surface Laptop Studio (1). The report has the layout of the captured one: linux-surface issue 596. The first frame is that
captured one: two contacts, each with the pad's total of 381 g. The others follow it.
""",
        x=(1237, 12370), y=(831, 8310), pressure=grams(2000, 2000), settings=False, surface=True,
    )  # fmt: skip
    pad.frames.append(bytes.fromhex(
        "04 03 d0 02 cf 02 7d 01 07 71 03 9b 01 7d 01" + " 00" * 21 + " 13 93 02 01 7d 01 63 1f"
    ))  # fmt: skip
    pad.play([(total, total) for total in (380, 370, 350, 330, 300, 260, 230, 200, 180, 150, 120, 100)],
             [(720, 719), (881, 411)])  # fmt: skip
    yield "surface-laptop-studio.hid", hid_text(pad)

    pad = Pad(
        "ASCP1D80:00 093A:4F05", (0x18, 0x093A, 0x4F05),
        """
PixArt in the ASUS ExpertBook Ultra B9406CAA. Tip Pressure has no Logical Maximum, so it inherits that of Y, 2601:
github.com/burakgon/asus-expertbook-linux, patches/upstream/README.md. Frames: 5 to 150 as in normal use, and the peak of
about 1000.
""",
        x=(3931, 13100), y=(2601, 8670), pressure=lambda d: None, pad_type=0,
    )  # fmt: skip
    pad.play([(5,), (40,), (150,), (600,), (1004,)], ONE)
    yield "pixart-inherited.hid", hid_text(pad)

    pad = Pad(
        "GXTP5100:00 27C6:01E9", (0x18, 0x27C6, 0x01E9),
        """
Goodix GT7868Q in ThinkBooks of 2024 and later. Tip Pressure has a range of its own, 0 to 2000, and inherits the
centimeters of Y as its unit.
""",
        x=(3456, 13500), y=(2304, 9000), pressure=lambda d: d.add(logical_maximum=2000), settings=False,
    )  # fmt: skip
    pad.play([(100,), (500,), (1000,)], ONE)
    yield "goodix-no-mass.hid", hid_text(pad)

    pad = Pad(
        "SNSL0028:00 2C2F:0028", (0x18, 0x2C2F, 0x0028),
        """
Sensel in ThinkPads such as the X1 Carbon of generation 12. It clicks by itself, with a force and an intensity that can be
set, and has no Tip Pressure in its report.
""",
        x=(2400, 12000), y=(1200, 6000),
    )  # fmt: skip
    pad.play([(0,), (0,), (0,)], ONE)
    yield "sensel-silent.hid", hid_text(pad)

    pad = Pad(
        "Force in dyn", (0x18, 0x1D6B, 0x7E58),
        """
Made up: a pad that states its force as the HID specification requires, in g cm/s^2, 4016 x 10^2 dyn = 409.5 g for 4095.
Linux takes this unit for the newton. Frames: one finger of 50 to 300 g.
""",
        x=(2400, 12000), y=(1200, 6000),
        pressure=lambda d: d.add(unit=DYNE, unit_exponent=2, logical_maximum=4095, physical_maximum=4016),
    )  # fmt: skip
    pad.play([(500,), (1000,), (3000,)], ONE)
    yield "dyne.hid", hid_text(pad)

    pad = Pad(
        "Synthetic HID Pad", (0x18, 0x06CB, 0x7E57),
        """
Made up: a pad with a pressure axis without unit. One finger, harder from frame to frame.
""",
        x=(1216, 10130), y=(680, 5660), pressure=lambda d: d.add(unit=NONE, logical_maximum=255, physical_maximum=0),
        settings=False, certified=False,
    )  # fmt: skip
    pad.play([(pressure,) for pressure in range(1, 251)], [(300, 300)])
    yield "synthetic.hid", hid_text(pad)

    pad = MagicTrackpad(
        "Magic Trackpad 2", (0x05, 0x004C, 0x0265),
        """
Apple Magic Trackpad 2 by Bluetooth, for the kernel's hid-magicmouse. Pressures are shares of a total: two equal fingers
measured 192 each, one alone above 250. Frames: one finger, two equal ones, then one that presses ever harder while the sum
stays.
""",
    )  # fmt: skip
    shares = [(192 + 4 * step, 192 - 4 * step) for step in range(15)]
    pad.play([(60,), (120,), (250,), *shares], [(-1000, 500), (1200, 600)])
    yield "magic-trackpad-2.hid", hid_text(pad)

    yield "redrix.evemu", evemu_text(
        "ELAN 04F3:323B captured", (0x18, 0x04F3, 0x323B, 0x100),
        """
ELAN "Redrix" with exactly the captured axes, properties and effects, as the kernel's haptic driver creates it: chromium,
ui/events/ozone/evdev/event_device_test_util.cc. ABS_PRESSURE is the sum of the contacts.
""",
        {0x00: (3630, 32), 0x01: (2346, 31), 0x18: (4095, 4), SLOT: (4, 0), MAJOR: (4095, 0), MINOR: (4095, 0),
         X: (3630, 32), Y: (2346, 31), TRACKING: (65535, 0), PRESSURE: (4095, 4)},
        (0, 2, 7), (0x4F,),
        [(400,), (800,), (400, 800), (400, 1200)], TWO,
    )  # fmt: skip
    yield "apple-mtp.evemu", evemu_text(
        "Apple MTP multi-touch", (0x19, 0x05AC, 0x0343, 0x100),
        """
Apple MTP under Asahi Linux, by the axes of its hid-magicmouse, whose unit "seems to be ~grams"; mainline has no driver for
it. The ranges of X and Y are from keymapper issue 188, moved to begin at 0.
""",
        {SLOT: (15, 0), X: (15432, 97), Y: (9446, 96), TRACKING: (65535, 0), PRESSURE: (6000, 1)},
        (0, 2), (),
        [(50,), (120,), (300,), (120, 300)], TWO,
    )  # fmt: skip


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make-pads.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    for name, text in pads():
        (folder / name).write_text(text)


if __name__ == "__main__":
    main()
