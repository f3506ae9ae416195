"""`pressured pen` in the desktop's input stack: libinput receives a tablet, and no pointer until the pen has ended."""

import fcntl
import os
import pathlib
import re
import select
import shutil
import signal
import statistics
import struct
import time

import evdev
import pytest

import service
from finger import Fingers
from logins import Terminals, set_locked
from pad import node_named
from waiting import DEADLINE, wait_until

PEN = "pressured pen"
USER = "alice"
FRAMES = 60

# Between two frames of a finger, in seconds.
PAUSE = 0.02

# The longest latency of a frame, in seconds of a clock that counts instructions.
MEDIAN_LIMIT = 0.001


@pytest.fixture
def fingers():
    pad = Fingers()
    yield pad
    pad.unplug()


@pytest.fixture
def may_draw(configure):
    configure("control: { users: [alice] }\n")
    service.run("setfacl", "-m", "u:alice:rw", "/dev/uinput")
    yield
    service.run("setfacl", "-b", "/dev/uinput")


class Log:
    """What a program prints, with marks."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    @property
    def text(self):
        return self.path.read_text(errors="replace") if self.path.exists() else ""

    def wait_for(self, words, after=0):
        try:
            wait_until(lambda: words in self.text[after:])
        except AssertionError:
            raise AssertionError(f"{words!r} is not in {self.text[-600:]}") from None

    @property
    def end(self):
        return len(self.text)


@pytest.fixture
def draw(start, tmp_path, fingers, may_draw):
    """Starts the pen as a user, and waits until it draws."""
    count = iter(range(100))

    def draw(*arguments, user=USER):
        log = Log(tmp_path / f"pen-{next(count)}.log")
        # A slow guest may start it for longer than a client waits.
        service.systemctl("start", service.UNIT)
        runtime = f"/run/pen-{user}"
        pathlib.Path(runtime).mkdir(exist_ok=True)
        service.run("chown", user, runtime)
        with open(log.path, "wb") as file:
            process = start(
                "setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "pressured", "pen", "--aspect", "none",
                *arguments, stdout=file, stderr=file,
                env={"PATH": "/usr/bin", "HOME": f"/home/{user}", "XDG_RUNTIME_DIR": runtime})  # fmt: skip
        log.wait_for("is a pen now")
        wait_until(lambda: node_named(PEN))
        service.run("udevadm", "settle")
        process.log = log
        return process

    return draw


@pytest.fixture
def desktop(start, tmp_path):
    """libinput's events of all devices, as a desktop receives them."""
    log = Log(tmp_path / "libinput.log")
    with open(log.path, "wb") as file:
        start("stdbuf", "-oL", "libinput", "debug-events", stdout=file, stderr=file)
    log.wait_for("DEVICE_ADDED")
    return log


def stroke(fingers, forces, y=30):
    """Draws from left to right with these forces, and lifts the finger."""
    for number, force in enumerate(forces):
        fingers.frame((10 + 80 * number / len(forces), y, force))
        time.sleep(PAUSE)
    fingers.frame()


def ramp():
    return [0.5 + 5.5 * number / (FRAMES - 1) for number in range(FRAMES)]


def tablet(text):
    """The pressures of libinput's tablet events while the tip is down; an event without one repeats the last."""
    pressures, value, is_down = [], 0.0, False
    for line in text.splitlines():
        if "TABLET_TOOL" not in line:
            continue
        found = re.search(r"pressure: ([0-9.]+)", line)
        value = float(found[1]) if found else value
        if "TABLET_TOOL_TIP" in line:
            is_down = "down" in line
        if is_down:
            pressures.append(value)
    return pressures


def test_udev_and_libinput_see_a_tablet_with_the_force_as_pressure(draw, fingers, desktop):
    draw()
    text = service.run("udevadm", "info", "-q", "property", "-n", node_named(PEN)).stdout
    assert "ID_INPUT_TABLET=1" in text and "ID_INPUT_WIDTH_MM=100" in text and "ID_INPUT_HEIGHT_MM=60" in text
    wait_until(lambda: re.search(rf"DEVICE_ADDED.*{PEN}.*cap:T", desktop.text))
    mark = desktop.end
    forces = ramp()
    stroke(fingers, forces)
    desktop.wait_for("proximity-out", mark)
    pressures = tablet(desktop.text[mark:])
    # The first frames are withheld until it is clear that this is not a palm.
    lost = len(forces) - len(pressures)
    assert 0 <= lost <= 4
    assert statistics.correlation(forces[lost:], pressures) > 0.99
    assert min(pressures) < 0.06 and max(pressures) > 0.97


def test_a_palm_beside_draws_nothing(draw, fingers, desktop):
    draw()
    wait_until(lambda: re.search(rf"DEVICE_ADDED.*{PEN}", desktop.text))
    mark = desktop.end
    for force in (1, 3, 5, 5, 5):
        fingers.frame((80, 50, force, 25))
        time.sleep(PAUSE)
    fingers.frame()
    # What follows shows that it would have arrived.
    stroke(fingers, [3] * 10, y=20)
    desktop.wait_for("proximity-out", mark)
    text = desktop.text[mark:]
    assert text.count("proximity-in") == 1 and text.count("TABLET_TOOL_TIP") == 2
    assert all(float(y) < 25 for y in re.findall(r"TABLET_TOOL_TIP\S*\s+\S+\s+[0-9.]+\*?/([0-9.]+)", text))


def moves_the_pointer(fingers, desktop):
    """Whether a moving finger moves the pointer of the desktop; it takes a while after a grab."""
    mark = desktop.end
    stroke(fingers, [1] * 15)
    time.sleep(0.3)
    return "POINTER_MOTION" in desktop.text[mark:]


WAYS_OUT = {
    "SIGTERM": lambda pen, fingers: pen.send_signal(signal.SIGTERM),
    "SIGKILL while drawing": lambda pen, fingers: (
        fingers.frame((50, 30, 2)), time.sleep(0.1), pen.send_signal(signal.SIGKILL), pen.wait(), fingers.frame()),
    "daemon": lambda pen, fingers: service.systemctl("kill", "-s", "KILL", service.UNIT),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS_OUT)
def test_the_pointer_moves_again_after_each_way_out(draw, fingers, desktop, way):
    wait_until(lambda: moves_the_pointer(fingers, desktop), "the pad does not move the pointer")
    pen = draw("--idle", "5")
    assert not moves_the_pointer(fingers, desktop)
    WAYS_OUT[way](pen, fingers)
    pen.wait(60)
    expected = {"SIGKILL while drawing": -9, "daemon": 69}
    assert pen.returncode == expected.get(way, 0), pen.log.text
    wait_until(lambda: node_named(PEN) is None, "the pen is still there")
    wait_until(lambda: moves_the_pointer(fingers, desktop), "the pad does not move the pointer again")


@pytest.fixture
def terminals():
    if shutil.which("login") is None:
        pytest.skip("nobody can log in on a terminal of this guest")
    for user in ("pina", "quinn"):
        service.run("useradd", "-m", "-s", "/bin/sh", user, check=False)
    service.run("setfacl", "-m", "u:pina:rw", "/dev/uinput")
    terminals = Terminals()
    yield terminals
    terminals.end()
    service.run("setfacl", "-b", "/dev/uinput")


def switch(terminals):
    terminals.log_in("quinn", 3)
    terminals.switch_to("quinn")


# How a session ends to be the active and unlocked one, and what the pen logs then.
LEAVING = {"locked": (lambda terminals: set_locked("pina", True), "locked"), "inactive": (switch, "active")}

# The daemon reports the access of a user at the seat, but not that of one who always has it: there the pen has to look itself.
RULES = {
    "seat": "control: { seat: true }\n",
    "named": "access: { users: [pina] }\ncontrol: { users: [pina] }\n",
}
PROFILE = """
until grep -q STATE=active /run/systemd/sessions/$XDG_SESSION_ID; do sleep 0.1; done
pressured pen --aspect none >pen.log 2>&1; echo status $? >>pen.log
"""


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("way", LEAVING)
def test_the_pen_ends_with_its_session(fingers, desktop, configure, terminals, rules, way):
    configure(RULES[rules])
    service.systemctl("start", service.UNIT)
    wait_until(lambda: moves_the_pointer(fingers, desktop), "the pad does not move the pointer")
    log = Log("/home/pina/pen.log")
    # That of the test before.
    log.path.unlink(missing_ok=True)
    terminals.log_in("pina", 2, profile=PROFILE)
    terminals.switch_to("pina")
    log.wait_for("is a pen now")
    assert not moves_the_pointer(fingers, desktop)
    leave, words = LEAVING[way]
    leave(terminals)
    log.wait_for("status 0")
    assert words in log.text
    wait_until(lambda: moves_the_pointer(fingers, desktop), "the pad does not move the pointer again")


def test_two_commands_draw_a_line(fingers, desktop, configure, terminals):
    service.run("setfacl", "-b", "/dev/uinput")
    log = Log("/home/pina/pen.log")
    log.path.unlink(missing_ok=True)
    terminals.log_in("pina", 2)
    terminals.switch_to("pina")
    assert "after the next start" not in service.run("pressured", "pen", "--allow").stdout
    terminals.log_in("pina", 2, profile=PROFILE)
    log.wait_for("is a pen now")
    wait_until(lambda: re.search(rf"DEVICE_ADDED.*{PEN}", desktop.text))
    mark = desktop.end
    stroke(fingers, ramp())
    desktop.wait_for("proximity-out", mark)
    assert max(tablet(desktop.text[mark:])) > 0.9
    service.run("pressured", "pen", "--forbid")
    assert "seat: false" in service.CONFIGURATION.read_text()


@pytest.fixture
def draw_as_root(start, tmp_path):
    """Starts the pen as sudo does, which removes the variables of the session."""

    def draw_as_root():
        service.systemctl("start", service.UNIT)
        log = Log(tmp_path / "root.log")
        with open(log.path, "wb") as file:
            process = start("pressured", "pen", "--aspect", "none", stdout=file, stderr=file, env={"PATH": "/usr/bin"})
        log.wait_for("is a pen now")
        process.log = log
        return process

    return draw_as_root


def test_the_pen_of_root_ends_with_the_session_at_the_pad(fingers, desktop, terminals, draw_as_root):
    wait_until(lambda: moves_the_pointer(fingers, desktop), "the pad does not move the pointer")
    terminals.log_in("pina", 2)
    terminals.switch_to("pina")
    pen = draw_as_root()
    assert not moves_the_pointer(fingers, desktop)
    set_locked("pina", True)
    assert pen.wait(60) == 0 and "locked" in pen.log.text
    wait_until(lambda: moves_the_pointer(fingers, desktop), "the pad does not move the pointer again")


def test_the_latency_of_a_frame(draw, fingers):
    """From the pad's report to the kernel's time of the pen's frame; it is limited where time is that of the processor."""
    draw()
    pen = evdev.InputDevice(node_named(PEN))
    os.set_blocking(pen.fd, False)
    # EVIOCSCLOCKID
    fcntl.ioctl(pen.fd, 0x400445A0, struct.pack("i", time.CLOCK_MONOTONIC))
    delays = []
    for number in range(300):
        events(pen)
        fingers.frame((10 + number * 0.25, 30, 3))
        assert select.select([pen.fd], [], [], DEADLINE)[0], f"there is no frame of the pen after {number}"
        event = wait_until(lambda: next((one for one in events(pen) if one.type == 0), None))
        delays.append(event.timestamp() - fingers.reported)
    fingers.frame()
    # The first frames are those of the pen near the surface.
    delays = sorted(delays[10:])
    median = delays[len(delays) // 2]
    is_counted = os.path.exists("counted")
    pathlib.Path("/out/pen-latency.txt").write_text(
        f"{'counted' if is_counted else 'emulated'} time, {len(delays)} frames, from the pad's report to the pen's: "
        f"median {median * 1e6:.0f} us, 95 % {delays[len(delays) * 95 // 100] * 1e6:.0f} us, maximum {delays[-1] * 1e6:.0f} us\n")
    if is_counted:
        assert median < MEDIAN_LIMIT


def events(device):
    try:
        return list(device.read())
    except BlockingIOError:
        return []
