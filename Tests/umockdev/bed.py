"""A /dev of our own."""

import contextlib
import os

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402


class Bed:
    """A /dev of our own, for the programs that are started with its environment."""

    def __init__(self):
        self.testbed = UMockdev.Testbed.new()
        self.root = self.testbed.get_root_dir()
        self.folder = f"{self.root}/dev/input"
        self.pads = []
        # Without it, programs would see the host's own devices.
        os.makedirs(self.folder)

    @property
    def environment(self):
        """What a program needs in order to see it."""
        return {"LD_PRELOAD": "libumockdev-preload.so.0", "UMOCKDEV_DIR": self.root}

    @contextlib.contextmanager
    def folder_can_be_opened(self):
        """While this holds, /dev/input can be opened, as sd-event does to watch it, but no node.

        umockdev asks of everything below /dev who answers its ioctls, and is put out by a folder.
        """
        answers, hidden = f"{self.root}/ioctl/dev", f"{self.root}/ioctl/hidden"
        if os.path.exists(answers):
            os.rename(answers, hidden)
        try:
            yield
        finally:
            if os.path.exists(hidden):
                os.rename(hidden, answers)

    def hide_folder(self):
        """Takes /dev/input away, also where the host has one that would show through."""
        os.rmdir(self.folder)
        if os.path.lexists("/dev/input"):
            os.symlink("input", self.folder)

    def show_folder(self):
        """Makes /dev/input, as the kernel does with the first device."""
        if os.path.islink(self.folder):
            os.unlink(self.folder)
        os.mkdir(self.folder)

    def close(self):
        for pad in list(self.pads):
            pad.unplug()
        # With the last one who knows it, the testbed removes its folder.
        self.testbed = None
