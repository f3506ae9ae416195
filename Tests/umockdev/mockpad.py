"""A scripted evdev device on libumockdev: it emulates the kernel and records what it is asked.

    emit ──▶ input core, which drops unchanged values ──▶ evdev's queue ──▶ read
                └─▶ slots, axes and keys ──▶ ioctl

The rules are those of drivers/input/{input,input-mt,evdev}.c: only changes are sent, only complete
frames are read, a full queue leaves SYN_DROPPED and the newest event. There is one queue, so there
is one reader at a time. The pty behind the node carries no events: a byte in it only makes the
node readable.
"""

import ctypes
import errno
import os
import select
import struct
import termios
import threading
import time
import tty

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

from codes import *  # noqa: E402, F403
from waiting import DEADLINE  # noqa: E402

ABSINFO = struct.Struct("6i")


def bitmap(numbers, size):
    """Numbers as bits of `size` bytes, the lowest first."""
    return sum(1 << number for number in set(numbers)).to_bytes(size, "little")


def touch_axes(slot_count, pressure=None):
    """The axes of a pad of 101.33 x 56.67 mm that reports tracking ids."""
    x, y = (0, 1216, 12), (0, 680, 12)
    axes = {ABS_X: x, ABS_Y: y, ABS_MT_SLOT: (0, slot_count - 1, 0)}
    axes |= {ABS_MT_POSITION_X: x, ABS_MT_POSITION_Y: y, ABS_MT_TRACKING_ID: (0, 65535, 0)}
    return axes | ({ABS_PRESSURE: pressure, ABS_MT_PRESSURE: pressure} if pressure else {})


class MockPad:
    """A touchpad with five slots and a pressure for each, unless configured otherwise.

    axes: code -> (minimum, maximum, resolution); slots: the initial values of each slot, code -> value;
    values: the initial values of the plain axes.
    """

    def __init__(
        self, bed, number=0, *, name="Mock Pad", ids=(0x18, 0x06CB, 0xCD41, 0x100),
        phys="", uniq="", props=(INPUT_PROP_POINTER, INPUT_PROP_BUTTONPAD), axes=None,
        pressure=(0, 255, 0), slot_count=5, keys=(BTN_LEFT, BTN_TOOL_FINGER, BTN_TOUCH),
        types=(), slots=(), values=None, effects=(),
    ):  # fmt: skip
        self.bed, self.number, self.node = bed, number, f"/dev/input/event{number}"
        self.name = name if isinstance(name, bytes) else name.encode()
        self.ids, self.phys, self.uniq = ids, phys.encode(), uniq.encode()
        self.props, self.keys, self.effects = props, keys, effects
        self.axes = touch_axes(slot_count, pressure) if axes is None else axes
        self.types = {EV_SYN, EV_KEY, *types}
        self.types |= ({EV_ABS} if self.axes else set()) | ({EV_FF} if effects else set())

        # The state of the input core.
        self.slots = [dict(slot) for slot in slots]
        self.slots += [{} for _ in range(slot_count - len(self.slots))]
        self.slot = 0
        self.keys_down = set()
        self.values = dict(values or {})

        # The queue of evdev for the reader, of which the first `whole` events can be read.
        self.queue, self.whole = [], 0
        # Whether the last read has shown that there is no more: it failed, or returned less than there was room for.
        self.is_empty_read = False
        self.clock = CLOCK_REALTIME

        # Records for the tests. `asked` has in order ("read", number of events or the error),
        # ("clock", number) and ("ioctl", number); `before` has callbacks that run before such an answer.
        # `grabs` has 1 for each grab and 0 for each release; `grab_error` is the error of a refused grab.
        self.asked, self.effect_log, self.before = [], [], {}
        self.grabs, self.grab_error = [], None
        self.is_open, self.is_dead, self.is_awake = False, False, False
        self.links = []

        # Guards all this against libumockdev's thread; notified when the reader has done something.
        self.changed = threading.Condition(threading.RLock())

    # Plugging

    @property
    def path(self):
        """The path of the node itself: a link to the pty behind it."""
        return self.bed.root + self.node

    def plug(self, mode=None):
        """Creates the node, with these permissions from the start if given."""
        self.answers = Answers(self)
        self.bed.testbed.attach_ioctl(self.node, self.answers)
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.openings = Openings(os.ttyname(self.slave))
        if mode is not None:
            os.chmod(os.ttyname(self.slave), mode)
        os.symlink(os.ttyname(self.slave), self.path)
        self.bed.pads.append(self)
        return self

    def link(self, name):
        """Creates another path to the node, as udev does after the node itself; returns it."""
        path = f"/dev/input/{name}"
        place = self.bed.root + path
        self.link_answers = Answers(self)
        self.bed.testbed.attach_ioctl(path, self.link_answers)
        os.symlink(os.path.basename(self.node), place)
        self.links.append(path)
        return path

    def unplug(self):
        """Removes the device: reads fail, waiting readers receive a hangup, the node is removed."""
        with self.changed:
            self.is_dead = True
        self.bed.pads.remove(self)
        for path in self.links:
            os.unlink(self.bed.root + path)
            self.bed.testbed.detach_ioctl(path)
        os.unlink(self.path)
        os.close(self.slave)
        os.close(self.master)
        self.openings.close()
        self.bed.testbed.detach_ioctl(self.node)

    def die(self):
        """Makes reads fail as on a removed device, but without a hangup and with the node still present."""
        with self.changed:
            self.is_dead = True
            os.write(self.master, b"\0")

    def chmod(self, mode):
        """Changes the permissions of the node, and notifies watchers of the directory.

        The permissions are those of the pty; watchers are notified about the link, whose time is updated.
        """
        os.chmod(self.path, mode)
        os.utime(self.path, follow_symlinks=False)

    # What the device does

    def emit(self, *events):
        """One frame of (type, code, value), of which the core passes on the changes.

        Returns its time in microseconds on the reader's clock, or None if nothing has changed.
        """
        with self.changed:
            self._notice()
            news = [new for event in events for new in self._change(*event)]
            if not news:
                return None
            now = self._now()
            for event in (*news, (EV_SYN, SYN_REPORT, 0)):
                self._queue(now, *event)
            return now

    def drop(self, *events):
        """A frame that the reader misses because its queue overflows; returns the time of the loss."""
        with self.changed:
            self._notice()
            for event in events:
                self._change(*event)
            now = self._now()
            self._lose(now)
            self._queue(now, EV_SYN, SYN_REPORT, 0)
            return now

    def _now(self):
        return time.clock_gettime_ns(self.clock) // 1000

    def _change(self, kind, code, value):
        """Processes a value as the input core does; returns the resulting events."""
        if kind == EV_ABS and code == ABS_MT_SLOT:
            # A slot is only selected when another value in it changes.
            self.slot = value
            return []
        if kind == EV_ABS and code > ABS_MT_SLOT:
            return self._change_slot(code, value)
        if kind == EV_ABS:
            old, self.values[code] = self.values.get(code, 0), value
        else:
            old = int(code in self.keys_down)
            (self.keys_down.add if value else self.keys_down.discard)(code)
        return [] if value == old else [(kind, code, value)]

    def _change_slot(self, code, value):
        if value == self._slot_value(self.slot, code):
            return []
        self.slots[self.slot][code] = value
        previous, self.values[ABS_MT_SLOT] = self.values.get(ABS_MT_SLOT, 0), self.slot
        return ([] if previous == self.slot else [(EV_ABS, ABS_MT_SLOT, self.slot)]) + [
            (EV_ABS, code, value)
        ]

    def _slot_value(self, slot, code):
        return self.slots[slot].get(code, -1 if code == ABS_MT_TRACKING_ID else 0)

    def _queue(self, now, *event):
        if not self.is_open:
            return
        self.queue.append((now, *event))
        if event[:2] == (EV_SYN, SYN_REPORT):
            self.whole = len(self.queue)
            self._wake()

    def _lose(self, now):
        self.queue, self.whole = [(now, EV_SYN, SYN_DROPPED, 0)], 0

    def _flush(self, kind):
        """Removes the events of a type from the queue, and the reports that are then empty."""
        queue, self.queue, self.whole, count = self.queue, [], 0, 1
        for now, *event in queue:
            is_report = event[:2] == [EV_SYN, SYN_REPORT]
            if event[0] == kind or (is_report and not count):
                continue
            self.queue.append((now, *event))
            count = 0 if is_report else count + 1
            if is_report:
                self.whole = len(self.queue)

    def _wake(self):
        if not self.is_awake:
            self.is_awake = True
            os.write(self.master, b"\0")

    # What the reader does

    def _notice(self):
        """Follows the state of the node: the queue is dropped when the reader closes it."""
        for is_open in self.openings.since():
            self.is_open = is_open
            self.queue, self.whole, self.clock = [], 0, CLOCK_REALTIME

    def read(self, count):
        """At most `count` events of complete frames, as bytes."""
        with self.changed:
            try:
                self.is_empty_read = self.whole < count
                events = self._take(count)
                self.asked.append(("read", len(events)))
            except OSError as error:
                self.asked.append(("read", errno.errorcode[error.errno]))
                raise
            finally:
                self.changed.notify_all()
        stamped = ((*divmod(now, 1_000_000), *event) for now, *event in events)
        return b"".join(INPUT_EVENT.pack(*event) for event in stamped)

    def _take(self, count):
        if self.is_dead:
            raise OSError(errno.ENODEV, "the device is gone")
        taken = min(count, self.whole)
        events, self.queue, self.whole = self.queue[:taken], self.queue[taken:], self.whole - taken
        if not self.whole:
            termios.tcflush(self.slave, termios.TCIFLUSH)
            self.is_awake = False
        if not events:
            raise OSError(errno.EAGAIN, "there is nothing to read")
        return events

    def write(self, written):
        """Records the effects that are played; returns the number of bytes written."""
        with self.changed:
            for *_, kind, code, value in INPUT_EVENT.iter_unpack(written):
                self.effect_log.append(("write", kind, code, value))
        return len(written)

    def ioctl(self, request, argument):
        """The result of an ioctl; raises an OSError as the kernel would."""
        number, size = request & 0xFF, request >> 16 & 0x3FFF
        with self.changed:
            self._notice()
            self.asked.append(("ioctl", number))
            self.before.pop(number, lambda: None)()
            if self.is_dead:
                raise OSError(errno.ENODEV, "the device is gone")
            if request >> 8 & 0xFF != ord("E"):
                raise OSError(errno.ENOTTY, "it is none of evdev's")
            if request >> 30 == READ:
                return self._tell(number, size, argument.resolve(0, size))
            return self._obey(number, size, argument)

    def _tell(self, number, size, buffer):
        def answer(content, result=None):
            content = content[:size]
            buffer.update(0, list(content))
            return len(content) if result is None else result

        if number == EVIOCGVERSION:
            return answer(struct.pack("I", 0x010001), 0)
        if number == EVIOCGID:
            return answer(struct.pack("4H", *self.ids), 0)
        if number in (EVIOCGNAME, EVIOCGPHYS, EVIOCGUNIQ):
            text = {EVIOCGNAME: self.name, EVIOCGPHYS: self.phys, EVIOCGUNIQ: self.uniq}[number]
            if not text and number != EVIOCGNAME:
                raise OSError(errno.ENOENT, "it is not set")
            return answer(text + b"\0")
        if number == EVIOCGPROP:
            return answer(bitmap(self.props, 8))
        if number == EVIOCGMTSLOTS:
            code = struct.unpack("I", bytes(buffer.retrieve())[:4])[0]
            values = [self._slot_value(slot, code) for slot in range(len(self.slots))]
            values = values[: size // 4 - 1]
            buffer.update(4, list(struct.pack(f"{len(values)}i", *values)))
            return 0
        if number == EVIOCGKEY:
            # A reader that receives this state no longer needs the queued events for it.
            self._flush(EV_KEY)
            return answer(bitmap(self.keys_down, 96))
        if number in (EVIOCGLED, EVIOCGSND, EVIOCGSW):
            return answer(bytes(8))
        if number in range(EVIOCGBIT, EVIOCGABS):
            codes = {EV_SYN: self.types, EV_KEY: self.keys, EV_ABS: self.axes, EV_FF: self.effects}
            return answer(bitmap(codes.get(number - EVIOCGBIT, ()), 96))
        if number - EVIOCGABS in self.axes:
            minimum, maximum, resolution = self.axes[number - EVIOCGABS]
            value = self.values.get(number - EVIOCGABS, 0)
            return answer(ABSINFO.pack(value, minimum, maximum, 0, 0, resolution), 0)
        raise OSError(errno.EINVAL, "the device has no such thing")

    def _obey(self, number, size, argument):
        value = struct.unpack("N", bytes(argument.retrieve()))[0]
        if number == EVIOCSCLOCKID:
            self.clock = struct.unpack("i", bytes(argument.resolve(0, 4).retrieve()))[0]
            self.asked.append(("clock", self.clock))
            # Times of two clocks cannot be mixed.
            if self.queue:
                self._lose(self._now())
        elif number == EVIOCSFF and self.effects:
            self.effect_log.append(self._upload(argument.resolve(0, size)))
            self.changed.notify_all()
        elif number == EVIOCRMFF and self.effects:
            self.effect_log.append(("erase", value))
        elif number == EVIOCGRAB:
            if self.grab_error:
                raise OSError(self.grab_error, "grabbed by another program")
            self.grabs.append(value)
            self.changed.notify_all()
        elif number != EVIOCSMASK:
            raise OSError(errno.EINVAL, "the device does no such thing")
        return 0

    def _upload(self, effect):
        kind, number = struct.unpack("Hh", bytes(effect.retrieve())[:4])
        if number == -1:
            number = sum(entry[0] == "upload" for entry in self.effect_log)
            effect.update(2, list(struct.pack("h", number)))
        return ("upload", number, kind)

    # Conditions for the tests to wait for

    def wait_read(self):
        """Waits until all is read, and the reader has found that there is nothing more."""

        def is_read():
            return not self.whole and self.is_empty_read

        with self.changed:
            assert self.changed.wait_for(is_read, DEADLINE), f"{self.node} was never read to the end"

    def wait_until(self, condition, what):
        """Waits for a condition on the requests of the reader."""
        with self.changed:
            assert self.changed.wait_for(condition, DEADLINE), f"{self.node} was never {what}"

    def wait_open(self, is_open):
        """Waits until the node is opened, or closed."""
        while True:
            with self.changed:
                self._notice()
                if self.is_open == is_open:
                    return
            self.openings.wait()


class Openings:
    """Watches a file being opened and closed by others, which umockdev does not report."""

    IN_CLOSE, IN_OPEN, EVENT = 0x18, 0x20, struct.Struct("iIII")

    def __init__(self, path):
        libc = ctypes.CDLL(None)
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        watch = libc.inotify_add_watch(
            self.descriptor, os.fsencode(path), Openings.IN_OPEN | Openings.IN_CLOSE
        )
        assert watch >= 0, f"{path} cannot be watched"

    def close(self):
        os.close(self.descriptor)

    def since(self):
        """True for each opening since the last call, False for each closing."""
        try:
            news = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return []
        masks = [mask for _, mask, _, _ in Openings.EVENT.iter_unpack(news)]
        return [mask & Openings.IN_OPEN != 0 for mask in masks]

    def wait(self):
        assert select.select([self.descriptor], [], [], DEADLINE)[0], "it was neither opened nor closed"


class Answers(UMockdev.IoctlBase):
    """Passes the requests to a node on to its pad; runs in libumockdev's thread."""

    def __init__(self, pad):
        super().__init__()
        self.pad = pad

    def do_handle_ioctl(self, client):
        request, argument = client.get_request(), client.get_arg()
        return complete(client, lambda: self.pad.ioctl(request, argument))

    def do_handle_read(self, client):
        def read():
            buffer = client.get_arg()
            events = self.pad.read(len(bytes(buffer.retrieve())) // INPUT_EVENT.size)
            buffer.update(0, list(events))
            return len(events)

        return complete(client, read)

    def do_handle_write(self, client):
        return complete(client, lambda: self.pad.write(bytes(client.get_arg().retrieve())))


def complete(client, answer):
    """Completes a request with the result of a function, or its OSError."""
    try:
        result = answer()
    except OSError as error:
        client.complete(-1, error.errno)
    else:
        client.complete(result, 0)
    return True
