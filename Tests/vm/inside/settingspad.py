"""Pads with settings of their own click, as HID devices of the kernel; what arrives at them is known byte for byte."""

import pathlib

import service
from pad import TASK, Pad
from waiting import wait_until

FOLDER = pathlib.Path("/run/guest/pads")
# The reports of settings have lower numbers than those by which the drivers configure a pad.
FIRST_OF_DRIVERS = 0x40


def item(tag, value=None):
    """A short item of the smallest size."""
    if value is None:
        return bytes([tag])
    for size, code in ((1, 1), (2, 2), (4, 3)):
        if -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1:
            return bytes([tag | code]) + value.to_bytes(size, "little", signed=True)
    raise ValueError(value)


def items(*pairs):
    return b"".join(item(*pair) for pair in pairs)


PAGE, USAGE, BEGIN, END, REPORT = 0x04, 0x08, 0xA0, 0xC0, 0x84
MINIMUM, MAXIMUM, LEAST, MOST, UNIT, SIZE, COUNT = 0x14, 0x24, 0x34, 0x44, 0x64, 0x74, 0x94
INPUT, FEATURE = 0x80, 0xB0


def field(usage, minimum, maximum, size=8, kind=FEATURE):
    return items((USAGE, usage), (MINIMUM, minimum), (MAXIMUM, maximum), (SIZE, size), (COUNT, 1), (kind, 2))


def force(report=8, values=(1, 3), grams=(110, 190), size=8):
    """Button Press Threshold."""
    number = items((REPORT, report)) if report else b""
    return items((PAGE, 0x0D)) + number + items((LEAST, grams[0]), (MOST, grams[1]), (UNIT, 0x0101 if any(grams) else 0)) + (
        field(0xB0, *values, size) + items((LEAST, 0), (MOST, 0), (UNIT, 0)))


def strength(report=9, values=(0, 100), physical=(0, 0), size=8):
    """Intensity of the pad's own feedback."""
    number = items((REPORT, report)) if report else b""
    return items((PAGE, 0x0E), (USAGE, 1), (BEGIN, 2)) + number + items((LEAST, physical[0]), (MOST, physical[1])) + (
        field(0x23, *values, size) + items((LEAST, 0), (MOST, 0), (END,)))


def touchpad(settings):
    """The descriptor of a touchpad of one finger with these settings."""
    finger = items((PAGE, 0x0D), (USAGE, 0x22), (BEGIN, 2)) + field(0x42, 0, 1, 1, INPUT) + field(0x47, 0, 1, 1, INPUT)
    finger += field(0x51, 0, 15, 6, INPUT) + items((PAGE, 1), (LEAST, 0), (MOST, 1000), (UNIT, 0x11))
    finger += field(0x30, 0, 2000, 16, INPUT) + field(0x31, 0, 1200, 16, INPUT) + items((MOST, 0), (UNIT, 0), (END,))
    rest = items((PAGE, 0x0D)) + field(0x54, 0, 15, 8, INPUT) + items((PAGE, 9)) + field(1, 0, 1, 8, INPUT)
    rest += items((PAGE, 0x0D), (REPORT, 0x42)) + field(0x55, 0, 15)
    return items((PAGE, 0x0D), (USAGE, 5), (BEGIN, 1), (REPORT, 1)) + finger + rest + settings + items((END,))


class SettingsPad(Pad):
    """A pad, and its service."""

    def __init__(self, name, settings, features, identity="18 093a 4f05"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        descriptor = touchpad(settings)
        lines = ["D: 0", f"R: {len(descriptor)} {descriptor.hex(' ')}", f"N: {name}", f"I: {identity}", "# F: 2 42 05"]
        lines += [f"# F: {len(feature)} {feature.hex(' ')}" for feature in map(bytes, features)]
        lines += ["E: 000000.000000 8 01 03 64 00 64 00 01 00", "E: 000000.008000 8 01 00 00 00 00 00 00 00"]
        (FOLDER / name).write_text("\n".join(lines) + "\n")
        super().__init__(name, TASK / "hidpad", FOLDER / name, name)
        self.unit = f"pressured-pad@{self.hidraw}.service"

    @property
    def hidraw(self):
        """The name of its hidraw node, once its own driver has replaced hid-generic."""
        def found():
            for folder in pathlib.Path("/sys/class/hidraw").glob("hidraw*"):
                text = (folder / "device/uevent").read_text() if (folder / "device/uevent").exists() else ""
                if f"HID_UNIQ={self.name}\n" in text and "DRIVER=hid-multitouch" in text:
                    return folder.name
            return None

        return wait_until(found, f"{self.name} has no hidraw node")

    @property
    def log(self):
        """The requests for settings since the last time; those of the drivers do not count."""
        self.send_command("log")
        line = self.wait_for_line("log").removeprefix("log").strip()
        entries = [entry.strip() for entry in line.split(",")] if line else []
        return [entry for entry in entries if int(entry.split()[1], 16) < FIRST_OF_DRIVERS]

    @property
    def sets(self):
        """The bytes that were written since the last time."""
        return [entry.removeprefix("set ") for entry in self.log if entry.startswith("set")]

    def wait_for_service(self):
        """Waits until what is saved was sent, or nothing is."""
        device = pathlib.Path(f"/sys/class/hidraw/{self.hidraw}/device").resolve().name
        record = pathlib.Path(f"/run/pressured-pad/{self.hidraw}/pad.json")
        wait_until(lambda: record.exists() and f'"{device}"' in record.read_text(), "no service has begun")
        wait_until(lambda: pathlib.Path(f"/run/pressured/pad/{self.hidraw}").exists(), "no socket")
        wait_until(lambda: service.show("SubState", self.unit) in ("running", "dead"), "the service has not begun")
        return self
