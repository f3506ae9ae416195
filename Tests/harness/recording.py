"""Generated recordings in evemu's format."""

from codes import INPUT_EVENT

ABS, SYN = 3, 0
SLOT, X, Y, TRACKING_ID, PRESSURE = 0x2F, 0x35, 0x36, 0x39, 0x3A

HEADER = """\
# EVEMU 1.2
N: Pad
I: 0018 06cb cd41 0100
P: 05 00 00 00 00 00 00 00
B: 00 0b 00 00 00 00 00 00 00
A: 2f 0 9 0 0 0
A: 35 0 1000 0 0 10
A: 36 0 600 0 0 10
A: 39 0 65535 0 0 0
A: 3a 0 255 0 0 {resolution}
"""

DEVICE = "0018-06cb-cd41"


class Recording:
    """Frames in order; each method that adds frames returns the recording itself."""

    def __init__(self, resolution=0):
        self.parts = [HEADER.format(resolution=resolution)]
        self.time = 0
        self.slot = 0
        self.next_id = 1
        self.down = {}
        self.frames = 0

    @property
    def text(self):
        return "".join(self.parts)

    def frames_since(self, start):
        """The frames as a device node reports them, each with its time from the beginning of the recording.

        The recording begins at `start`, in microseconds of CLOCK_MONOTONIC.
        """
        records, frames = [], []
        for part in self.parts[1:]:
            _, stamp, kind, code, value = part.split()
            time = int(stamp.replace(".", ""))
            seconds = divmod(start + time, 1_000_000)
            records.append(INPUT_EVENT.pack(*seconds, int(kind, 16), int(code, 16), int(value)))
            if int(kind, 16) == SYN:
                frames.append((time, b"".join(records)))
                records = []
        return frames

    def event(self, kind, code, value):
        seconds, microseconds = divmod(self.time, 1_000_000)
        self.parts.append(f"E: {seconds}.{microseconds:06d} {kind:04x} {code:04x} {value:04d}\n")
        return self

    def wait(self, milliseconds):
        self.time += int(milliseconds * 1000)
        return self

    def pause(self, milliseconds):
        """An empty frame and then nothing for a while: time for a first client to send its requests."""
        return self.report().wait(milliseconds)

    def select(self, slot):
        if slot != self.slot:
            self.event(ABS, SLOT, slot)
            self.slot = slot
        return self

    def begin(self, slot, pressure, x=None, y=300):
        self.select(slot)
        self.event(ABS, TRACKING_ID, self.next_id)
        self.event(ABS, X, 100 + 80 * slot if x is None else x).event(ABS, Y, y)
        self.down[slot] = self.next_id
        self.next_id += 1
        return self.press(slot, pressure)

    def press(self, slot, pressure):
        return self.select(slot).event(ABS, PRESSURE, pressure)

    def move(self, slot, x):
        return self.select(slot).event(ABS, X, x)

    def lift(self, slot):
        del self.down[slot]
        return self.select(slot).event(ABS, TRACKING_ID, -1)

    def report(self):
        self.frames += 1
        return self.event(SYN, 0, 0)

    def touch(self, pressures, milliseconds=10, slot=0):
        """A complete touch of one finger: down, one frame for each pressure, and up."""
        for number, pressure in enumerate(pressures):
            if number == 0:
                self.begin(slot, pressure)
            else:
                self.press(slot, pressure)
            self.report().wait(milliseconds)
        return self.lift(slot).report().wait(milliseconds)

    def hold(self):
        """Two fingers, one heavier than the other, that stay down for a quarter of an hour."""
        self.begin(0, 60).begin(1, 90).report()
        self.wait(900_000)
        return self.lift(0).lift(1).report()
