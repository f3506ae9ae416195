"""Touch devices created in the guest's kernel, which treats them like real ones."""

import contextlib
import errno
import fcntl
import glob
import itertools
import os
import pathlib
import select
import struct
import subprocess
import threading
import time

from evdev import ecodes as e

from waiting import wait_until

PADS = pathlib.Path("/task/Tests/pads")


class Pad:
    """A device that is plugged in until `unplug`; meanwhile a thread answers the kernel."""

    def __init__(self, name, descriptor):
        self.name, self.descriptor = name, descriptor
        self.is_plugged = True
        self.threads = []
        self.start(self.answer)
        wait_until(lambda: self.node, f"{name} has got no node")

    def start(self, body, *arguments):
        """Runs a method in a thread, which ends with the device at the latest."""
        self.threads.append(threading.Thread(target=body, args=arguments, daemon=True))
        self.threads[-1].start()
        return self.threads[-1]

    def answer(self):
        while self.is_plugged:
            if select.select([self.descriptor], [], [], 0.2)[0]:
                self.answer_kernel(os.read(self.descriptor, self.EVENT_SIZE))

    def each(self, count, pause=0):
        """The numbers below a count, at constant intervals in seconds, until the device is unplugged."""
        begun = time.monotonic()
        for number in itertools.takewhile(lambda _: self.is_plugged, range(count)):
            yield number
            if pause:
                time.sleep(max(begun + (number + 1) * pause - time.monotonic(), 0))

    @property
    def node(self):
        return node_named(self.name) or node_of_hid(self.name)

    @property
    def folder(self):
        """The sysfs directory of the input device of the node."""
        return pathlib.Path("/sys/class/input", os.path.basename(self.node), "device").resolve()

    def unplug(self):
        """Ends it at any point; the kernel removes the device. A second call has no effect."""
        if self.is_plugged:
            self.is_plugged = False
            for thread in self.threads:
                thread.join()
            os.close(self.descriptor)


class UinputPad(Pad):
    """A touchpad with pressure, whose surface may click. With haptics, `effects` lists what it would upload, play and erase."""

    PRODUCT = 0xCD41
    WIDTH, HEIGHT, PER_MILLIMETER = 1216, 680, 12
    MOST, PER_GRAM = 253, 0
    # Further axes: code, maximum and resolution.
    MORE = []
    # By the number of fingers; the last one is for all larger numbers.
    TOOLS = [e.BTN_TOOL_FINGER, e.BTN_TOOL_DOUBLETAP, e.BTN_TOOL_TRIPLETAP, e.BTN_TOOL_QUADTAP, e.BTN_TOOL_QUINTTAP]
    EVENT = struct.Struct("llHHi")
    EVENT_SIZE = EVENT.size
    # Requests of linux/uinput.h.
    CREATE, SETUP, ABS_SETUP, SET_PHYS = 0x5501, 0x405C5503, 0x401C5504, 0x4008556C
    SET_EVBIT, SET_KEYBIT, SET_FFBIT, SET_PROPBIT = 0x40045564, 0x40045565, 0x4004556B, 0x4004556E
    BEGIN_UPLOAD, END_UPLOAD, BEGIN_ERASE, END_ERASE = 0xC06855C8, 0x406855C9, 0xC00C55CA, 0x400C55CB

    def __init__(self, name="pad", slots=5, haptics=False, clicks=True):
        pad = os.open("/dev/uinput", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        bits = [(self.SET_EVBIT, e.EV_KEY), (self.SET_EVBIT, e.EV_ABS)]
        bits += [(self.SET_KEYBIT, key) for key in (e.BTN_LEFT, e.BTN_TOUCH, *self.TOOLS)]
        bits += [(self.SET_PROPBIT, e.INPUT_PROP_POINTER)] + [(self.SET_PROPBIT, e.INPUT_PROP_BUTTONPAD)] * clicks
        bits += [(self.SET_EVBIT, e.EV_FF), (self.SET_FFBIT, e.FF_RUMBLE)] if haptics else []
        for request, bit in bits:
            fcntl.ioctl(pad, request, bit)
        places = [(code, self.WIDTH, self.PER_MILLIMETER) for code in (e.ABS_X, e.ABS_MT_POSITION_X)]
        places += [(code, self.HEIGHT, self.PER_MILLIMETER) for code in (e.ABS_Y, e.ABS_MT_POSITION_Y)]
        others = [(e.ABS_MT_SLOT, slots - 1, 0), (e.ABS_MT_TRACKING_ID, 65535, 0), (e.ABS_MT_PRESSURE, self.MOST, self.PER_GRAM)]
        for code, maximum, resolution in [*places, *others, *self.MORE]:
            fcntl.ioctl(pad, self.ABS_SETUP, struct.pack("H2x6i", code, 0, 0, maximum, 0, 0, resolution))
        fcntl.ioctl(pad, self.SET_PHYS, name.encode() + b"\0")
        identity = e.BUS_I2C, 0x06CB, self.PRODUCT, 0x100
        fcntl.ioctl(pad, self.SETUP, struct.pack("4H80sI", *identity, name.encode(), 16 if haptics else 0))
        fcntl.ioctl(pad, self.CREATE)
        self.effects = []
        self.down = self.tracking = self.step = 0
        super().__init__(name, pad)

    def packed(self, *events):
        """The bytes of a complete frame."""
        return b"".join(self.EVENT.pack(0, 0, *event) for event in [*events, (e.EV_SYN, e.SYN_REPORT, 0)])

    def report(self, *events):
        """Writes a complete frame to the kernel at once."""
        os.write(self.descriptor, self.packed(*events))

    def fingers(self, places, pressure):
        """The events that put fingers down, if they are not, and press each."""
        events = []
        if len(places) != self.down:
            for slot in range(self.down, len(places)):
                self.tracking += 1
                events += [(e.EV_ABS, e.ABS_MT_SLOT, slot), (e.EV_ABS, e.ABS_MT_TRACKING_ID, self.tracking)]
            tool = self.TOOLS[min(len(places), len(self.TOOLS)) - 1]
            events += [(e.EV_KEY, e.BTN_TOUCH, 1), (e.EV_KEY, tool, 1)]
            self.down = len(places)
        for slot, (x, y) in enumerate(places):
            events += [(e.EV_ABS, e.ABS_MT_SLOT, slot), (e.EV_ABS, e.ABS_MT_POSITION_X, x), (e.EV_ABS, e.ABS_MT_POSITION_Y, y),
                       (e.EV_ABS, e.ABS_MT_PRESSURE, pressure)]
        return events

    def press(self, pressure):
        """Sets the pressure of one finger, which is put down before if necessary."""
        self.report(*self.fingers([(self.WIDTH // 2, self.HEIGHT // 2)], pressure))

    def moved(self, contacts):
        """The bytes of the next frame of fingers that move, harder from frame to frame."""
        places = [((60 * slot + self.step) % self.WIDTH, (300 + self.step) % self.HEIGHT) for slot in range(contacts)]
        self.step += 1
        return self.packed(*self.fingers(places, 1 + (self.step - 1) % (self.MOST - 1)))

    def frames(self, count, pause=0):
        """One finger that moves."""
        frames = [self.moved(1) for _ in range(count)]
        for number in self.each(count, pause):
            os.write(self.descriptor, frames[number])

    def stream(self, contacts, hertz, count):
        """Many fingers; a frame has four events for each and a report; then all are lifted. At 0 Hz they follow without pauses."""
        frames = (self.moved(contacts) for _ in range(count))
        if not hertz:
            frames = iter(list(frames))
        for _ in self.each(count, 1 / hertz if hertz else 0):
            os.write(self.descriptor, next(frames))
        self.lift()

    def rest(self, pressure, count, has_ended=lambda: False):
        """A load at rest, until it has ended: frames at 100 Hz, with a constant pressure within one unit."""
        for number in itertools.takewhile(lambda _: not has_ended(), self.each(count, 0.01)):
            self.press(pressure + number % 2)

    def lift(self):
        """Lifts all fingers."""
        events = []
        for slot in range(self.down):
            events += [(e.EV_ABS, e.ABS_MT_SLOT, slot), (e.EV_ABS, e.ABS_MT_PRESSURE, 0), (e.EV_ABS, e.ABS_MT_TRACKING_ID, -1)]
        self.down = 0
        self.report(*events, *((e.EV_KEY, key, 0) for key in [e.BTN_TOUCH, *self.TOOLS]))

    def answer_kernel(self, record):
        """The upload of an effect has to be begun and ended."""
        _, _, kind, code, value = self.EVENT.unpack_from(record)
        if (kind, code) == (e.EV_UINPUT, e.UI_FF_UPLOAD):
            self.accept("upload", self.BEGIN_UPLOAD, self.END_UPLOAD, struct.pack("I100x", value))
        elif (kind, code) == (e.EV_UINPUT, e.UI_FF_ERASE):
            self.accept("erase", self.BEGIN_ERASE, self.END_ERASE, struct.pack("I8x", value))
        elif kind == e.EV_FF:
            self.effects.append("play" if value else "stop")

    def accept(self, what, begin, end, request):
        request = bytearray(request)
        fcntl.ioctl(self.descriptor, begin, request)
        self.effects.append(what)
        fcntl.ioctl(self.descriptor, end, request)


class HidPad(Pad):
    """A HID device that plays a text of hid-recorder, so that the kernel's own driver creates the input device.

    It is identified by a unique ID, as drivers change the name. Comments in the text such as "# F: LENGTH BYTES" are the answers to
    requests for features.
    """

    EVENT_SIZE = 8192
    OUTPUT, GET, GET_REPLY, CREATE, INPUT, SET, SET_REPLY = 6, 9, 10, 11, 12, 13, 14

    def __init__(self, unique, text):
        lines = [line.split(": ", 1) for line in text.splitlines() if ": " in line]

        def values(tag, words=1):
            """The bytes of lines with this tag, after their length and what precedes it."""
            return [bytes.fromhex("".join(value.split()[words:])) for key, value in lines if key == tag]

        named = dict(lines)
        (description,), self.reports, self.features = values("R"), values("E", 2), values("# F")
        self.original = self.features[:]
        self.next = 0
        # The requests for features, byte for byte, and the numbers of the reports that the host has written.
        self.requests, self.written = [], set()
        bus, vendor, product = (int(word, 16) for word in named["I"].split())
        descriptor = os.open("/dev/uhid", os.O_RDWR | os.O_CLOEXEC)
        created = struct.pack("<I128s64s64sHHIIII", self.CREATE, named["N"].encode()[:127], b"", unique.encode()[:63],
                              len(description), bus, vendor, product, 0, 0)
        os.write(descriptor, created + description)
        super().__init__(unique, descriptor)

    def play(self, report):
        os.write(self.descriptor, struct.pack("<IH", self.INPUT, len(report)) + report)

    def frames(self, count, pause=0):
        """The next reports of the text, after the last but one from the beginning."""
        for _ in self.each(count, pause):
            self.play(self.reports[self.next])
            self.next = (self.next + 1) % (len(self.reports) - 1)

    def lift(self):
        """The last report of the text."""
        self.play(self.reports[-1])
        self.next = 0

    def forget(self):
        """The features are those of the text again, as after a loss of power."""
        self.features = self.original[:]

    def answer_kernel(self, event):
        kind, number, report, _, size = struct.unpack_from("<IIBBH", event)
        known = next((index for index, feature in enumerate(self.features) if feature[0] == report), None)
        if kind == self.GET:
            self.requests.append(("get", bytes([report])))
            feature = b"" if known is None else self.features[known]
            error = errno.EIO if known is None else 0
            os.write(self.descriptor, struct.pack("<IIHH", self.GET_REPLY, number, error, len(feature)) + feature)
        elif kind == self.SET:
            data = event[12 : 12 + size]
            self.requests.append(("set", data))
            if known is not None:
                self.features[known] = data
            self.written.add(report)
            os.write(self.descriptor, struct.pack("<IIH", self.SET_REPLY, number, 0))
        elif kind == self.OUTPUT:
            self.written.add(event[4])


def recorded_pad(file):
    """A pad of Tests/pads."""
    return HidPad(file, (PADS / file).read_text()) if file.endswith(".hid") else EvemuPad(file)


class EvemuPad:
    """A device of Tests/pads without a HID descriptor, created by evemu."""

    def __init__(self, file):
        lines = (PADS / file).read_text().splitlines(keepends=True)
        self.name = next(line[3:].strip() for line in lines if line.startswith("N: "))
        self.reports = []
        frame = []
        for line in lines:
            if line.startswith("E: "):
                frame.append(line)
            if line.endswith(" 0000 0000 0\n"):
                self.reports.append(frame)
                frame = []
        self.process = subprocess.Popen(
            ["evemu-device", PADS / file], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        wait_until(lambda: self.node, f"{self.name} has got no node")

    @property
    def node(self):
        return node_named(self.name)

    def play(self, frames):
        """Plays frames with the pauses of the file."""
        text = "".join(line for frame in frames for line in frame)
        subprocess.run(["evemu-play", self.node], input=text, text=True, check=True)

    def frames(self, count, _=0):
        """Plays frames from the beginning."""
        self.play(self.reports[:count])

    def lift(self):
        self.play(self.reports[-1:])

    def unplug(self):
        self.process.terminate()
        self.process.wait()


def node_named(name):
    """The path of the node of an input device, or None if there is none with this name."""
    return node_of(lambda device: (device / "name").read_text().strip() == name)


def node_of_hid(unique):
    """The path of the node of the HID device with this unique ID, once its own driver has replaced hid-generic."""
    return node_of(lambda device: (device / "uniq").read_text().strip() == unique
                   and (device / "device/driver").resolve().name != "hid-generic")  # fmt: skip


def node_of(is_wanted):
    """The path of the node of the first device whose folder in sysfs is wanted, or None."""
    for folder in glob.glob("/sys/class/input/event*"):
        # A driver that is replaced removes the device while it is read.
        with contextlib.suppress(OSError):
            if is_wanted(pathlib.Path(folder, "device")):
                return f"/dev/input/{os.path.basename(folder)}"
    return None
