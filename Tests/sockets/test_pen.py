"""`pressured pen`, with a fake daemon and an emulated /dev/uinput."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

from codes import INPUT_EVENT
from connection import DEADLINE
from daemon import environment, wait_until
from fakedaemon import SOCKET
from recording import Recording

SOURCE = pathlib.Path(__file__).with_name("uinput.c")
SYN, KEY, ABS = 0, 1, 3
X, Y, PRESSURE = (ABS, 0), (ABS, 1), (ABS, 24)
PEN, TIP, BUTTON = (KEY, 0x140), (KEY, 0x14A), (KEY, 0x14B)
ID = "0018-06cb-cd41"
LIGHTEST, ONSET, MAXIMUM = 656, 3278, 65535


def device(**fields):
    """A pad in the reply to `devices`."""
    return {
        "device": ID, "name": "Pad", "node": "/dev/input/event5", "slots": 5, "capability": "force", "per_contact": True,
        "weight_source": "kernel", "pressure": {"minimum": 0, "maximum": 4000, "resolution": 4}, "effective_maximum": 2000,
        "size_mm": [100, 60], "haptics": False, "simulated_press": False, **fields,
    }  # fmt: skip


def contact(number=1, x=50.0, y=30.0, force=1.0, **fields):
    """A contact with as many decimals as the daemon writes; longer numbers are left to the slower decoder."""
    return {
        "slot": number, "contact": number, "phase": "moved", "x": round(x / 100, 4), "y": round(y / 60, 4),
        "x_mm": round(x, 2), "y_mm": round(y, 2), "raw": 1, "ratio": 0.5, "force": round(force, 3),
        "maximum_possible_force": 8.658, "grams": round(force * 57.75, 1), "saturated": False, **fields,
    }  # fmt: skip


def weight(*contacts):
    return {
        "event": "weight", "time": 1, "device": ID, "contacts": list(contacts), "total_grams": 0, "center_x": None,
        "center_y": None, "heaviest": None, "shared_sensor": False,
    }  # fmt: skip


@pytest.fixture(scope="session")
def uinput(tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("cc is not installed")
    library = tmp_path_factory.mktemp("uinput") / "uinput.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    return library


class Pen:
    """The real `pressured pen`, a fake daemon, and what it has written to its device."""

    def __init__(self, program, folder, daemon, library, *arguments, **variables):
        self.daemon = daemon
        self.events_path = os.path.join(folder, "events")
        self.log_path = os.path.join(folder, "pen.log")
        variables = {"LD_PRELOAD": str(library), "UINPUT_EVENTS": self.events_path, "XDG_RUNTIME_DIR": folder, **variables}
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [program, "pen", *arguments],
                env=environment(folder, PRESSURED_SOCKET=os.path.join(folder, SOCKET), **variables),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

    def answer(self, devices):
        """Answers its request for the devices."""
        asked = self.daemon.accept_after_question()
        asked.reply(asked.request(), devices)

    def serve(self, devices=None):
        """Answers its requests up to the subscription; returns the connection of the session."""
        self.answer([device()] if devices is None else devices)
        self.client = self.daemon.accept()
        request = self.client.request()
        assert request == {"do": "subscribe", "devices": [ID], "events": ["device", "weight", "access"], "max_hz": 0}
        self.client.reply(request, {})
        return self.client

    def begin(self, devices=None):
        """Grants the grab as well."""
        client = self.serve(devices)
        request = client.request()
        assert request == {"do": "grab", "device": ID, "on": True}
        client.reply(request, {"device": ID, "grabbed": True})
        wait_until(lambda: "is a pen now" in self.log)
        return client

    @property
    def log(self):
        return pathlib.Path(self.log_path).read_text(encoding="utf-8")

    @property
    def frames(self):
        """The frames that it has written, each as the values of its events."""
        if not os.path.exists(self.events_path):
            return []
        frames, frame = [], {}
        for *_, kind, code, value in INPUT_EVENT.iter_unpack(pathlib.Path(self.events_path).read_bytes()):
            if kind == SYN:
                frames.append(frame)
                frame = {}
            else:
                frame[kind, code] = value
        return frames

    def draw(self, *frames):
        """Sends frames, and returns what the pen does after them."""
        before = len(self.frames)
        for contacts in frames:
            self.client.send(weight(*contacts))
        wait_until(lambda: len(self.frames) > before)
        return self.frames[-1]

    def wait_for_frames(self, count):
        wait_until(lambda: len(self.frames) >= count)
        return self.frames

    def wait(self):
        return self.process.wait(DEADLINE)


@pytest.fixture
def pen(program, folder, fake_daemon, uinput):
    # It looks for a daemon once, so that the daemon must listen before.
    pens, daemon = [], fake_daemon()

    def pen(*arguments, **variables):
        pens.append(Pen(program, folder, daemon, uinput, *arguments, **variables))
        return pens[-1]

    yield pen
    for one in pens:
        if one.process.poll() is None:
            one.process.kill()
        one.process.wait()


def test_a_finger_becomes_a_stroke(pen):
    one = pen("--aspect", "none")
    client = one.begin()
    client.send(
        weight(contact(force=0.2, x=0, y=0)), weight(contact(force=0.4, x=25)), weight(contact(force=6, x=100, y=60)), weight()
    )
    frames = one.wait_for_frames(5)
    assert [(each[PEN], each[TIP], each[PRESSURE]) for each in frames] == [
        (1, 0, 0), (1, 1, ONSET), (1, 1, MAXIMUM), (1, 0, 0), (0, 0, 0)]  # fmt: skip
    assert [(each[X], each[Y]) for each in frames[:3]] == [(0, 0), (5000, 6000), (20_000, 12_000)]


def test_options_change_the_stroke(pen):
    one = pen("--aspect", "1:1", "--rotate", "180", "--curve", "100,0,100,0", "--tip", "1", "--full", "2", "--button")
    client = one.begin()
    client.send(weight(contact(force=0.9, x=20, y=0)), weight(contact(force=1.5, x=20, y=0), contact(2, force=5)))
    frames = one.wait_for_frames(2)
    assert (frames[0][X], frames[0][Y], frames[0][TIP]) == (12_000, 12_000, 0)
    assert frames[1][TIP] == 1 and frames[1][BUTTON] == 1
    client.send(weight(contact(force=1.5, x=20, y=0)))
    # The curve gives an eighth of the pressure in the middle, and less than the half in any case.
    last = one.wait_for_frames(3)[-1]
    assert LIGHTEST < last[PRESSURE] < MAXIMUM / 4 and last[BUTTON] == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP])
def test_a_signal_ends_it_and_takes_the_pen_away(pen, number):
    one = pen()
    client = one.begin()
    one.draw([contact(force=2)])
    one.process.send_signal(number)
    assert one.wait() == 0
    assert one.frames[-1][PEN] == one.frames[-1][TIP] == 0
    assert client.has_hung_up()


def test_five_fingers_for_a_second_end_it(pen):
    one = pen()
    client = one.begin()
    client.send(weight(*[contact(number, x=number * 10) for number in range(1, 6)]))
    begun = time.monotonic()
    assert one.wait() == 0
    assert time.monotonic() - begun > 0.9
    assert "fingers were held" in one.log


def test_without_a_touch_it_ends_after_some_time(pen):
    one = pen("--idle", "0.01")
    one.begin()
    assert one.wait() == 0
    assert "nothing touched the pad for 0.01 minutes" in one.log


LOCKED = {"event": "access", "time": 1, "seat": "seat0", "state": "suspended", "reason": "locked"}


def test_it_ends_when_access_is_suspended(pen):
    one = pen()
    client = one.begin()
    client.send({**LOCKED, "seat": "seat1"})
    one.draw([contact()])
    client.send(LOCKED)
    assert one.wait() == 0
    assert "the session is locked" in one.log


def test_without_access_at_the_start_it_fails(pen):
    one = pen()
    client = one.serve()
    client.send(LOCKED)
    assert one.wait() == 75
    assert "no pen now" in one.log and "the session is locked" in one.log


@pytest.mark.parametrize(("more", "status", "reason"), [
    (None, 69, "the daemon closed the connection"),
    ({}, 66, f"{ID} was removed"),
    ({"stopping": True}, 69, "the daemon has stopped"),
])  # fmt: skip
def test_it_ends_when_the_pad_is_removed_or_the_daemon_ends(pen, more, status, reason):
    one = pen()
    client = one.begin()
    if more is None:
        client.close()
    else:
        client.send({"event": "device", "time": 1, "change": "removed", **device(), **more})
    assert one.wait() == status
    assert reason in one.log


def test_toggle_ends_the_pen_in_use(pen, run, folder, uinput):
    one = pen("--toggle")
    one.begin()
    other = run("pen", XDG_RUNTIME_DIR=folder, LD_PRELOAD=str(uinput), UINPUT_EVENTS="/dev/null")
    assert other.status == 75
    assert f"a pen is in use already, process {one.process.pid}" in other.log
    assert run("pen", "--toggle", XDG_RUNTIME_DIR=folder).status == 0
    assert one.wait() == 0


def test_a_killed_pen_leaves_no_lock(pen):
    one = pen()
    client = one.begin()
    one.process.kill()
    assert client.has_hung_up()
    pen().begin()


def refuse_grab(client, code, reason=None):
    request = client.request()
    error = {"code": code, "reason": reason, "message": f"the daemon's reason: {code}"}
    client.send({"event": "reply", "id": None, "do": "grab", "ok": False, "error": error})
    return request


def test_a_pad_that_is_touched_is_waited_for(pen):
    one = pen()
    client = one.serve()
    request = refuse_grab(client, "busy", "touched")
    wait_until(lambda: "take your fingers off the pad" in one.log)
    client.send(weight(contact()), weight())
    assert client.request() == request
    client.reply(request, {"device": ID, "grabbed": True})
    one.draw([contact(2)])
    # The touch before the grab has drawn nothing.
    assert [each[PEN] for each in one.frames] == [1, 1]


def test_a_request_that_was_too_early_is_repeated(pen):
    one = pen()
    client = one.serve()
    request = refuse_grab(client, "too_fast")
    assert client.request() == request
    client.reply(request, {"device": ID, "grabbed": True})
    wait_until(lambda: "is a pen now" in one.log)
    assert "take your fingers off" not in one.log


@pytest.mark.parametrize("code, reason, is_moving", [("busy", "in_use", False), ("not_permitted", None, True)])
def test_the_test_works_without_a_grab(pen, code, reason, is_moving):
    one = pen("--test", "--aspect", "none")
    client = one.serve()
    refuse_grab(client, code, reason)
    client.send(weight(contact(force=0.2)))
    wait_until(lambda: "hover 50 50 0" in one.log)
    assert f"the daemon's reason: {code}" in one.log
    assert ("the pad also moves the pointer" in one.log) == is_moving


@pytest.mark.parametrize(
    "code, reason, status, words",
    [
        ("not_permitted", None, 77, "sudo pressured pen --allow"),
        ("busy", "in_use", 75, "the daemon's reason"),
        ("failed", None, 65, "the daemon's reason"),
    ],
)
def test_a_refused_grab_is_explained(pen, code, reason, status, words):
    one = pen()
    refuse_grab(one.serve(), code, reason)
    assert one.wait() == status
    assert words in one.log


@pytest.mark.parametrize(
    "arguments, devices, status, words",
    [
        ([], [], 66, "no device measures pressure; the daemon reads no device"),
        ([], [device(capability="none")], 66, "no device measures pressure"),
        ([], [device(), device(device="other", name="Other")], 64, f"choose one with --device: {ID} (Pad), other (Other)"),
        (["--device", "gone"], [device()], 66, f'there is no device "gone"; {ID} (Pad)'),
        (["--device", ID], [device(capability="broken")], 65, "does not measure pressure"),
        (["--button"], [device(per_contact=False)], 65, "one force for all fingers"),
        (["--area", "200x50"], [device()], 64, "does not fit"),
        (["--area", "20x20"], [device(size_mm=None)], 65, "does not report its size"),
        (["--speed", "2"], [device()], 64, "--speed needs --relative"),
    ],
)
def test_a_pad_that_cannot_be_used_is_explained(pen, arguments, devices, status, words):
    one = pen(*arguments)
    one.answer(devices)
    assert one.wait() == status
    assert words in one.log


def test_a_pad_that_measures_area_is_used_and_says_so(pen):
    one = pen()
    one.begin([device(capability="size")])
    assert f"{ID} measures the area of the finger, not its force" in one.log


def test_without_uinput_it_explains_how_to_get_it(run, folder):
    if os.path.exists("/dev/uinput"):
        pytest.skip("this machine has /dev/uinput")
    status, _, log = run("pen", XDG_RUNTIME_DIR=folder)
    assert status == 77
    assert "sudo pressured pen --allow" in log and "pressured pen --test" in log


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--rotate", "45"], "--rotate is 0, 90, 180 or 270"),
        (["--curve", "hard"], "--curve is soft, linear, firm"),
        (["--area", "5"], "--area is a size in millimeters"),
        (["--aspect", "wide"], "--aspect is a shape"),
        (["--speed", "0"], "--speed must be"),
        (["--idle", "0"], "--idle must be"),
        (["--tip", "2", "--full", "1"], "--full must be above --tip"),
        (["--relative", "--area", "50x50"], "--relative and --area exclude"),
        (["--test", "--toggle"], "exclude each other"),
        (["--replay", "x"], "--replay belongs to --test"),
        (["--test", "--replay", "x", "--idle", "1"], "excludes --socket and --idle"),
    ],
)
def test_invalid_options_are_refused(run, arguments, words):
    status, _, log = run("pen", *arguments)
    assert status == 64
    assert words in log


def test_the_test_shows_what_a_program_would_get(run, write):
    stroke = Recording(resolution=1).touch([5, 20, 60, 120, 200, 250, 200, 60, 20, 5], milliseconds=20)
    status, output, log = run("pen", "--test", "--replay", write(stroke), "--aspect", "none")
    assert status == 0, log
    rows = [line.split() for line in output.splitlines()]
    assert {row[0] for row in rows} == {"hover", "tip", "away"} and rows[-1][0] == "away"
    pressures = [float(row[3]) for row in rows if row[0] == "tip"]
    assert min(pressures) < 0.05 and max(pressures) > 0.5


def test_the_test_of_a_recording_that_ends_at_once_is_no_failure(run, write):
    recording = write(Recording(resolution=1).touch([5, 120, 250, 5], milliseconds=0))
    status, _, log = run("pen", "--test", "--replay", recording, "--aspect", "none")
    assert status == 0, log
    assert "is shown as a pen would draw with it" in log


def test_the_doctor_knows_whether_a_pen_is_possible(run, folder, serve, uinput):
    def doctor(path, **variables):
        return json.loads(run("doctor", "--json", "--socket", path, **variables).output)["pen"]

    assert doctor(os.path.join(folder, "none"))["state"] == "needs a pad"
    daemon = serve(Recording().hold())
    assert doctor(daemon.path, LD_PRELOAD=str(uinput), UINPUT_EVENTS="/dev/null") == {
        "state": "possible",
        "detail": "pressured pen draws with the area of a finger, as the pad does not measure its force",
    }
    if not os.path.exists("/dev/uinput"):
        found = doctor(daemon.path)
        assert found["state"] == "needs uinput" and "sudo pressured pen --allow" in found["detail"]


def test_the_test_draws_in_a_terminal(in_terminal):
    recording = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/strokes.evemu"
    terminal = in_terminal("pen", "--test", "--replay", str(recording), "--aspect", "none", size=(100, 30), TERM="vt100", COLORTERM="", LC_ALL="C")
    terminal.wait_for("is shown as a pen would draw with it; to end it, press Ctrl-C")
    # What is drawn stays; the pressure passes too fast for a slow machine.
    terminal.wait_for("####")

    def is_cleared():
        """While the recording is played, further strokes appear."""
        terminal.type("c")
        terminal.drain()
        return "#" not in terminal.screen

    wait_until(is_cleared)
    terminal.type("q")
    assert terminal.wait() == 0
