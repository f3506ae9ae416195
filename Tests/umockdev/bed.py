"""A mocked /dev."""

import contextlib
import os

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402


class Bed:
    """A mocked /dev for the programs that are started with its environment."""

    def __init__(self):
        self.testbed = UMockdev.Testbed.new()
        self.root = self.testbed.get_root_dir()
        self.folder = f"{self.root}/dev/input"
        self.pads = []
        # Without it, programs would see the devices of the host.
        os.makedirs(self.folder)

    @property
    def environment(self):
        """The environment in which a program uses it."""
        # What is learned of a pad must not reach the next test.
        state = f"{self.root}/state"
        return {"LD_PRELOAD": "libumockdev-preload.so.0", "UMOCKDEV_DIR": self.root, "STATE_DIRECTORY": state}

    @contextlib.contextmanager
    def folder_can_be_opened(self):
        """In this context, /dev/input can be opened, as sd-event does to watch it, but no node.

        umockdev looks for the ioctl handler of everything below /dev, and fails for a directory.
        """
        answers, hidden = f"{self.root}/ioctl/dev", f"{self.root}/ioctl/hidden"
        if os.path.exists(answers):
            os.rename(answers, hidden)
        try:
            yield
        finally:
            if os.path.exists(hidden):
                os.rename(hidden, answers)

    def add_hidraw(self, number, descriptor, identity="0018:0000093A:00004F05", name="PIXA3854:00 093A:4F05",
                   instance=None):
        """Adds the hidraw node of a HID device, as far as sysfs has it."""
        device = f"{self.root}/sys/devices/{instance or number}"
        folder = f"{self.root}/sys/class/hidraw/hidraw{number}"
        os.makedirs(device)
        os.makedirs(folder)
        os.symlink(f"../../../devices/{instance or number}", f"{folder}/device")
        folder = device
        with open(f"{folder}/report_descriptor", "wb") as file:
            file.write(descriptor)
        with open(f"{folder}/uevent", "w", encoding="utf-8") as file:
            file.write(f"DRIVER=hid-multitouch\nHID_ID={identity}\nHID_NAME={name}\nHID_PHYS=i2c-PIXA3854:00\nHID_UNIQ=\n")

    def hide_folder(self):
        """Removes /dev/input, also if the host has one that would be visible instead."""
        os.rmdir(self.folder)
        if os.path.lexists("/dev/input"):
            os.symlink("input", self.folder)

    def show_folder(self):
        """Creates /dev/input, as the kernel does with the first device."""
        if os.path.islink(self.folder):
            os.unlink(self.folder)
        os.mkdir(self.folder)

    def close(self):
        for pad in list(self.pads):
            pad.unplug()
        # The testbed removes its directory with its last reference.
        self.testbed = None
