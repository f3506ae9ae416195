"""The hidraw node of a pad: its descriptor, its identity, and feature reports byte for byte."""

import errno
import os
import struct
import threading

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

from mockpad import complete  # noqa: E402
from verbs import ROOT  # noqa: E402

DESCRIPTOR_SIZE, DESCRIPTOR, IDENTITY, SET, GET = 1, 2, 3, 6, 7


def known(name):
    """A report descriptor of the fuzz targets."""
    return (ROOT / "Fuzz/corpus/descriptor" / name).read_bytes()


class Hidraw(UMockdev.IoctlBase):
    """Answers the requests to a node; runs in libumockdev's thread.

    features: the reports by their numbers, without these; 0 for those of a pad without numbers.
    """

    def __init__(self, bed, number, descriptor, features, identity=(0x18, 0x093A, 0x4F05)):
        super().__init__()
        self.descriptor, self.features, self.identity = descriptor, dict(features), identity
        # The error of each write, by its index.
        self.errors = {}
        # What has arrived: ("set", the bytes with the number of the report) or ("get", the number).
        self.log = []
        self.changed = threading.Condition()
        self.bed, self.node = bed, f"/dev/hidraw{number}"
        open(bed.root + self.node, "wb").close()
        os.chmod(bed.root + self.node, 0o666)
        bed.testbed.attach_ioctl(self.node, self)

    @property
    def sets(self):
        """The bytes that were written, in hexadecimal."""
        return [data for kind, data in self.log if kind == "set"]

    def wait_for_sets(self, count, seconds=20):
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.sets) >= count, seconds), self.log
        return self.sets

    def do_handle_ioctl(self, client):
        return complete(client, lambda: self.answer(client.get_request(), client.get_arg()))

    def answer(self, request, argument):
        number, size = request & 0xFF, request >> 16 & 0x3FFF
        if request >> 8 & 0xFF != ord("H"):
            raise OSError(errno.ENOTTY, "it is none of hidraw's")
        buffer = argument.resolve(0, size)
        if number == DESCRIPTOR_SIZE:
            buffer.update(0, list(struct.pack("i", len(self.descriptor))))
        elif number == DESCRIPTOR:
            buffer.update(4, list(self.descriptor))
        elif number == IDENTITY:
            buffer.update(0, list(struct.pack("IHH", *self.identity)))
        elif number == SET:
            return self.set(bytes(buffer.retrieve()))
        elif number == GET:
            return self.get(buffer, bytes(buffer.retrieve())[0])
        else:
            raise OSError(errno.EINVAL, "there is no such request")
        return 0

    def set(self, data):
        with self.changed:
            error = self.errors.get(len(self.sets))
            self.log.append(("set", data.hex(" ")))
            self.changed.notify_all()
        if error:
            raise OSError(error, "as the test wants")
        self.features[data[0]] = data[1:]
        return len(data)

    def get(self, buffer, number):
        self.log.append(("get", number))
        if number not in self.features:
            raise OSError(errno.EIO, "there is no such report")
        # usbhid and i2c-hid put the number in front of the data, also a 0.
        answer = bytes([number]) + self.features[number]
        buffer.update(0, list(answer))
        return len(answer)
