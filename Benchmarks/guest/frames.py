"""The same as frames.c with python-evdev and json. usage: frames.py NODE"""

import json
import sys

import evdev
from evdev import ecodes

NAMES = {
    ecodes.ABS_MT_TRACKING_ID: "contact",
    ecodes.ABS_MT_POSITION_X: "x",
    ecodes.ABS_MT_POSITION_Y: "y",
    ecodes.ABS_MT_PRESSURE: "pressure",
}

slots, slot = {}, 0
for event in evdev.InputDevice(sys.argv[1]).read_loop():
    if event.type == ecodes.EV_ABS:
        if event.code == ecodes.ABS_MT_SLOT:
            slot = event.value
        elif event.code == ecodes.ABS_MT_TRACKING_ID and event.value < 0:
            slots.pop(slot, None)
        elif event.code in NAMES:
            slots.setdefault(slot, {"slot": slot})[NAMES[event.code]] = event.value
    elif event.type == ecodes.EV_SYN and event.code == ecodes.SYN_REPORT:
        time = event.sec * 1000000 + event.usec
        print(json.dumps({"time": time, "contacts": list(slots.values())}), flush=True)
