"""A touchpad that measures force, with fingers that follow the program of a test."""

import time

import evdev
from evdev import ecodes as e

from pad import node_named
from waiting import wait_until

# In millimeters.
WIDTH, HEIGHT = 100, 60
UNITS = 20

# Units per gram, and grams of an average touch.
PER_GRAM = 4
TOUCH = 57.75


class Fingers:
    """Each finger is a position in millimeters and a force, as a multiple of an average touch."""

    def __init__(self, name="finger pad"):
        def axis(maximum, resolution=0):
            return evdev.AbsInfo(0, 0, maximum, 0, 0, resolution)

        position = [(code, axis(size * UNITS, UNITS)) for code, size in
                    ((e.ABS_X, WIDTH), (e.ABS_Y, HEIGHT), (e.ABS_MT_POSITION_X, WIDTH), (e.ABS_MT_POSITION_Y, HEIGHT))]
        events = {
            e.EV_KEY: [e.BTN_LEFT, e.BTN_TOUCH, e.BTN_TOOL_FINGER, e.BTN_TOOL_DOUBLETAP, e.BTN_TOOL_TRIPLETAP,
                       e.BTN_TOOL_QUADTAP, e.BTN_TOOL_QUINTTAP],
            e.EV_ABS: [*position, (e.ABS_MT_SLOT, axis(4)), (e.ABS_MT_TRACKING_ID, axis(65535)),
                       (e.ABS_MT_PRESSURE, axis(4000, PER_GRAM)), (e.ABS_MT_TOUCH_MAJOR, axis(60 * UNITS, UNITS)),
                       (e.ABS_MT_TOOL_TYPE, axis(2))],
        }  # fmt: skip
        self.device = evdev.UInput(
            events, name=name, vendor=0x06CB, product=0xCD42, version=1, bustype=e.BUS_I2C,
            input_props=[e.INPUT_PROP_POINTER, e.INPUT_PROP_BUTTONPAD])  # fmt: skip
        self.node = wait_until(lambda: node_named(name), "the pad has got no node")
        self.down = {}
        self.tracking = 0
        # When the last frame was reported, by the monotonic clock; the kernel's time of it is later.
        self.reported = None

    def frame(self, *fingers):
        """Reports fingers as (x, y, force) or (x, y, force, length); those that are not given are lifted."""
        write = self.device.write
        for slot in range(5):
            if slot < len(fingers):
                x, y, force, length = (*fingers[slot], 8)[:4]
                write(e.EV_ABS, e.ABS_MT_SLOT, slot)
                if slot not in self.down:
                    self.tracking += 1
                    self.down[slot] = self.tracking
                    write(e.EV_ABS, e.ABS_MT_TRACKING_ID, self.tracking)
                write(e.EV_ABS, e.ABS_MT_POSITION_X, round(x * UNITS))
                write(e.EV_ABS, e.ABS_MT_POSITION_Y, round(y * UNITS))
                write(e.EV_ABS, e.ABS_MT_PRESSURE, round(force * TOUCH * PER_GRAM))
                write(e.EV_ABS, e.ABS_MT_TOUCH_MAJOR, round(length * UNITS))
            elif slot in self.down:
                del self.down[slot]
                write(e.EV_ABS, e.ABS_MT_SLOT, slot)
                write(e.EV_ABS, e.ABS_MT_TRACKING_ID, -1)
        if fingers:
            write(e.EV_ABS, e.ABS_X, round(fingers[0][0] * UNITS))
            write(e.EV_ABS, e.ABS_Y, round(fingers[0][1] * UNITS))
        write(e.EV_KEY, e.BTN_TOUCH, 1 if fingers else 0)
        tools = [e.BTN_TOOL_FINGER, e.BTN_TOOL_DOUBLETAP, e.BTN_TOOL_TRIPLETAP, e.BTN_TOOL_QUADTAP, e.BTN_TOOL_QUINTTAP]
        for number, tool in enumerate(tools, 1):
            write(e.EV_KEY, tool, 1 if len(fingers) == number else 0)
        self.reported = time.monotonic()
        self.device.syn()

    def unplug(self):
        self.device.close()


def correlation(first, second):
    """Pearson's coefficient of two series."""
    assert len(first) == len(second) > 2
    means = sum(first) / len(first), sum(second) / len(second)
    pairs = [(a - means[0], b - means[1]) for a, b in zip(first, second)]
    products = [sum(values) for values in zip(*((a * b, a * a, b * b) for a, b in pairs))]
    return products[0] / (products[1] * products[2]) ** 0.5
