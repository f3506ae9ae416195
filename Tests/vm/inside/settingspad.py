"""Pads with settings of their own click, as HID devices of the kernel; what arrives at them is known byte for byte."""

import contextlib
import pathlib
import re

import service
from pad import PADS, HidPad
from waiting import wait_until

# The reports of settings have lower numbers than those by which the drivers configure a pad.
FIRST_OF_DRIVERS = 0x40


class SettingsPad(HidPad):
    """A pad whose click force is 2 of 1 to 3, and whose haptic strength is 50 of 0 to 100; and its service."""

    def __init__(self, name="first"):
        super().__init__(name, re.sub("^N: .*", f"N: {name}", (PADS / "pixart-inherited.hid").read_text(), flags=re.M))
        self.unit = f"pressured-pad@{self.hidraw}.service"

    @property
    def hidraw(self):
        """The name of its hidraw node, once its own driver has replaced hid-generic."""
        def found():
            for folder in pathlib.Path("/sys/class/hidraw").glob("hidraw*"):
                # A driver that is replaced removes the node while it is read.
                with contextlib.suppress(OSError):
                    text = (folder / "device/uevent").read_text()
                    if f"HID_UNIQ={self.name}\n" in text and "DRIVER=hid-multitouch" in text:
                        return folder.name
            return None

        return wait_until(found, f"{self.name} has no hidraw node")

    @property
    def log(self):
        """The requests for settings since the last time; those of the drivers do not count."""
        taken, self.requests = self.requests, []
        return [f"{what} {data.hex(' ')}" for what, data in taken if data[0] < FIRST_OF_DRIVERS]

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
