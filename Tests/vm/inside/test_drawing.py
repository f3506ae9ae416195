"""`pressured pen` in programs: what a Wayland client receives, and what a drawing program saves."""

import gzip
import math
import os
import pathlib
import re
import shutil
import subprocess
import time

import evdev
import pytest
from evdev import ecodes as e

from finger import correlation
from test_pen import Log, draw, fingers, may_draw  # noqa: F401
from waiting import DEADLINE, wait_until

FRAMES = 120
PAUSE = 0.03
RUNTIME = "/run/desktop"
CONFIGURATION = """
output * resolution 1280x720
default_border none
for_window [app_id=".*"] fullscreen enable
"""
# Larger than the window, so that the stroke is on paper.
PAGE = """<?xml version="1.0" standalone="no"?>
<xournal creator="test" fileversion="4"><title>test</title><page width="2000" height="1400">
<background type="solid" color="#ffffffff" style="plain"/><layer/></page></xournal>
"""
OUT = pathlib.Path("/out")

pytestmark = pytest.mark.skipif(shutil.which("sway") is None, reason="this guest has no compositor")


@pytest.fixture
def desktop(start, tmp_path):
    """A compositor without a screen that reads real input devices; returns the environment of its clients."""
    shutil.rmtree(RUNTIME, ignore_errors=True)
    os.mkdir(RUNTIME, 0o700)
    variables = {"PATH": "/usr/bin:/usr/sbin", "HOME": "/root", "LC_ALL": "C.UTF-8", "XDG_RUNTIME_DIR": RUNTIME}
    configuration = tmp_path / "sway"
    configuration.write_text(CONFIGURATION)
    log = open(OUT / "sway.log", "wb")
    start("seatd", env={**variables, "SEATD_VTBOUND": "0"}, stdout=log, stderr=log)
    wait_until(lambda: os.path.exists("/run/seatd.sock"))
    backend = {"WLR_BACKENDS": "headless,libinput", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1"}
    start(
        "sway", "-c", configuration, env={**variables, **backend, "LIBSEAT_BACKEND": "seatd"}, stdout=log, stderr=log)
    wait_until(lambda: os.path.exists(f"{RUNTIME}/wayland-1"), "sway does not start")
    [control] = wait_until(lambda: list(pathlib.Path(RUNTIME).glob("sway-ipc.*")))
    return {**variables, "WAYLAND_DISPLAY": "wayland-1", "SWAYSOCK": str(control), "GDK_BACKEND": "wayland"}


def swaymsg(desktop, what):
    return subprocess.run(["swaymsg", "-t", what], env=desktop, capture_output=True, text=True, check=False).stdout


def forces():
    return [2.6 - 2.0 * math.cos(6 * math.pi * number / FRAMES) for number in range(FRAMES)]


def wave(fingers):
    """A wavy stroke from left to right, three times heavier and lighter."""
    for number, force in enumerate(forces()):
        fingers.frame((15 + 70 * number / FRAMES, 34 + 10 * math.sin(4 * math.pi * number / FRAMES), force))
        time.sleep(PAUSE)
    fingers.frame()


def best(values):
    """The correlation with the forces at the delay of a few frames at which it is greatest."""
    expected = forces()
    delays = range(max(len(expected) - len(values) + 1, 1))
    return max(correlation(expected[delay : delay + len(values)], values) for delay in delays)


def test_a_wayland_client_receives_the_force_as_pressure(desktop, draw, fingers, start):  # noqa: F811
    log = Log(OUT / "wev.log")
    with open(log.path, "wb") as file:
        start("stdbuf", "-oL", "wev", env=desktop, stdout=file, stderr=file)
    wait_until(lambda: "wev" in swaymsg(desktop, "get_tree"), "wev has no window")
    draw()
    wait_until(lambda: "tablet_tool" in swaymsg(desktop, "get_inputs"), "sway has no tablet")
    wave(fingers)
    log.wait_for("proximity_out")
    pressures = [float(each) for each in re.findall(r"pressure: \d+ \(([0-9.]+)\)", log.text)]
    # The first one is that of the pen near the surface, the last one that of the lifted tip.
    pressures = [each for each in pressures if each > 0]
    result = best(pressures)
    (OUT / "wev.txt").write_text(
        f"zwp_tablet_v2: {len(pressures)} pressures for {FRAMES} frames, {min(pressures)} to {max(pressures)}, "
        f"correlation with the force {result:.5f}\n")
    assert len(pressures) > FRAMES - 8 and result > 0.99


def test_the_widths_of_a_saved_stroke_follow_the_force(desktop, draw, fingers, start, tmp_path):  # noqa: F811
    file = tmp_path / "drawing.xopp"
    with gzip.open(file, "wt") as page:
        page.write(PAGE)
    log = open(OUT / "xournal.log", "wb")
    keyboard = evdev.UInput({e.EV_KEY: [e.KEY_LEFTCTRL, e.KEY_S, e.KEY_A, e.KEY_ENTER]}, name="test keyboard")
    start("xournalpp", file, env=desktop, stdout=log, stderr=log)
    # It is a large program, and the machine is emulated.
    wait_until(lambda: "xournal" in swaymsg(desktop, "get_tree"), "Xournal++ has no window", 6 * DEADLINE)
    draw()
    wait_until(lambda: "tablet_tool" in swaymsg(desktop, "get_inputs"), "sway has no tablet")

    def is_drawn():
        """Whether the program has drawn its window: it may take long to begin."""
        for _ in range(2):
            wave(fingers)
        for key, value in ((e.KEY_LEFTCTRL, 1), (e.KEY_S, 1), (e.KEY_S, 0), (e.KEY_LEFTCTRL, 0)):
            keyboard.write(e.EV_KEY, key, value)
            keyboard.syn()
            time.sleep(0.1)
        time.sleep(2)
        return strokes(file)

    time.sleep(10)
    found = wait_until(is_drawn, "Xournal++ has not saved a stroke", 3 * DEADLINE)
    subprocess.run(["grim", OUT / "drawing.png"], env=desktop, check=False)
    shutil.copy(file, OUT / "drawing.xopp")
    # The first number is the width of the pen; each of the others is that of a segment.
    widths = found[-1][1:]
    result = best(widths)
    (OUT / "xournal.txt").write_text(
        f"Xournal++: {len(found)} strokes; in the last {len(widths)} widths for {FRAMES} frames, {min(widths)} to {max(widths)}, "
        f"correlation with the force {result:.5f}\n")
    assert len(widths) > FRAMES - 8 and result > 0.99


def strokes(file):
    """The widths of each saved stroke."""
    with gzip.open(file, "rt") as page:
        text = page.read()
    return [[float(word) for word in each.split()] for each in re.findall(r'<stroke[^>]* width="([^"]*)"', text)]
