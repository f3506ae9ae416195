"""A touchpad that measures force, with fingers that follow the program of a test."""

import time

from evdev import ecodes as e

from pad import UinputPad

# Grams of an average touch.
TOUCH = 57.75


class Fingers(UinputPad):
    """Each finger is a position in millimeters and a force, as a multiple of an average touch."""

    PRODUCT = 0xCD42
    # 100 by 60 mm.
    WIDTH, HEIGHT, PER_MILLIMETER = 2000, 1200, 20
    MOST, PER_GRAM = 4000, 4
    MORE = [(e.ABS_MT_TOUCH_MAJOR, 1200, 20), (e.ABS_MT_TOOL_TYPE, 2, 0)]

    def __init__(self, name="finger pad"):
        super().__init__(name)
        self.tracked = {}
        # When the last frame was reported, by the monotonic clock; the kernel's time of it is later.
        self.reported = None

    def frame(self, *fingers):
        """Reports fingers as (x, y, force) or (x, y, force, length); those that are not given are lifted."""
        events = []
        for slot in range(5):
            if slot < len(fingers):
                x, y, force, length = (*fingers[slot], 8)[:4]
                x, y, length = (round(value * self.PER_MILLIMETER) for value in (x, y, length))
                events += [(e.EV_ABS, e.ABS_MT_SLOT, slot), (e.EV_ABS, e.ABS_MT_TRACKING_ID, self.tracking_of(slot)),
                           (e.EV_ABS, e.ABS_MT_POSITION_X, x), (e.EV_ABS, e.ABS_MT_POSITION_Y, y),
                           (e.EV_ABS, e.ABS_MT_PRESSURE, round(force * TOUCH * self.PER_GRAM)), (e.EV_ABS, e.ABS_MT_TOUCH_MAJOR, length)]
                if slot == 0:
                    events += [(e.EV_ABS, e.ABS_X, x), (e.EV_ABS, e.ABS_Y, y)]
            elif self.tracked.pop(slot, None):
                events += [(e.EV_ABS, e.ABS_MT_SLOT, slot), (e.EV_ABS, e.ABS_MT_TRACKING_ID, -1)]
        events += [(e.EV_KEY, e.BTN_TOUCH, int(bool(fingers)))]
        events += [(e.EV_KEY, tool, int(len(fingers) == number)) for number, tool in enumerate(self.TOOLS, 1)]
        self.reported = time.monotonic()
        self.report(*events)

    def tracking_of(self, slot):
        if slot not in self.tracked:
            self.tracking += 1
            self.tracked[slot] = self.tracking
        return self.tracked[slot]
