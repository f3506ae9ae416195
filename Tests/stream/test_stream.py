"""The daemon's stream of a device against that of libevdev, on the same random events and losses."""

import itertools
import json
import os
import pathlib
import subprocess
import threading

import pytest

from built import program  # noqa: F401
from codes import BTN_LEFT, ABS_MT_SLOT, ABS_MT_TRACKING_ID, EV_ABS, EV_KEY, EV_SYN, SYN_REPORT
from daemon import Daemon, wait_until

HERE = pathlib.Path(__file__).parent

# More for a longer run: STREAM_SEEDS=50 STREAM_FRAMES=20000 makes a million frames.
SEEDS = range(1, 1 + int(os.environ.get("STREAM_SEEDS", "40")))
FRAMES = os.environ.get("STREAM_FRAMES", "500")


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The emulated kernel and the reader with libevdev."""
    folder = tmp_path_factory.mktemp("stream")
    flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", "libevdev"], text=True).split()
    compiler = [os.environ.get("CC", "cc"), "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*compiler, "-shared", "-fPIC", "-o", folder / "kernel.so", HERE / "kernel.c", "-ldl"], check=True)
    subprocess.run([*compiler, "-o", folder / "reference", HERE / "reference.c", *flags], check=True)
    return folder


def variables(built, seed):
    """Let a reader open the stream of a seed."""
    return {"LD_PRELOAD": str(built / "kernel.so"), "NODE": "/emulated", "SEED": str(seed), "FRAMES": FRAMES}


def on_stream(built, seed, *command):
    """Runs a reader on the stream of a seed."""
    return subprocess.run(
        command, env=os.environ | variables(built, seed), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        check=False)


def of_libevdev(built, seed):
    """All events, of which the first frame is the state before the others."""
    done = on_stream(built, seed, built / "reference", "/emulated")
    assert done.returncode == 0, done.stderr[-2000:]
    return [tuple(map(int, line.split())) for line in done.stdout.splitlines()]


def of_program(built, seed, program, path):
    """All events, of which the first frame is the state before the others, and whether some were lost."""
    done = on_stream(built, seed, program, "record", "/emulated", "--output", path)
    assert done.returncode == 0 and "the device was removed" in done.stderr, done.stderr[-2000:]
    events = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("E: "):
            stamp, kind, code, value = line.split()[1:5]
            seconds, microseconds = stamp.split(".")
            event = int(seconds) * 1_000_000 + int(microseconds), int(kind, 16), int(code, 16), int(value)
            events.append(event)
    return events, "lost" in done.stderr


def frames(events):
    """The state of all contacts, axes and keys after each frame that changed it, with its time."""
    slots, plain, current, before, result = {}, {}, 0, None, []
    for time, kind, code, value in events:
        if (kind, code) == (EV_ABS, ABS_MT_SLOT):
            current = value
        elif kind == EV_ABS and code > ABS_MT_SLOT:
            slots.setdefault(current, {})[code] = value
        # A recording leaves out a button that was pressed before it began.
        elif kind in (EV_ABS, EV_KEY) and code != BTN_LEFT:
            plain[kind, code] = value
        elif (kind, code) == (EV_SYN, SYN_REPORT):
            contacts = {slot: dict(values) for slot, values in slots.items() if values.get(ABS_MT_TRACKING_ID, -1) >= 0}
            # Whatever was never named is 0.
            state = contacts, {code: value for code, value in plain.items() if value}
            if state != before:
                result.append((time, *state))
            before = (contacts, dict(state[1]))
    return result


def test_the_frames_are_those_of_libevdev(built, program, tmp_path):
    count = losses = 0
    for seed in SEEDS:
        expected = frames(of_libevdev(built, seed))
        events, has_losses = of_program(built, seed, program, tmp_path / f"{seed}.evemu")
        found = frames(events)
        # A recording has an origin of its own, and begins with the initial state, as the other output does.
        assert found[0][1:] == expected[0][1:]
        offset = expected[-1][0] - found[-1][0]
        for index, (one, other) in enumerate(itertools.zip_longest(found[1:], expected[1:])):
            assert one and other and (one[0] + offset, *one[1:]) == other, f"seed {seed}, frame {index}"
        count += len(expected)
        losses += has_losses
    print(f"{count} frames of {len(SEEDS)} devices, {losses} of them with losses")
    assert losses > len(SEEDS) / 2


# So many clients that the daemon reads the device ahead while it writes to them.
CLIENTS = 8
EVENTS = ["contact", "weight", "press", "heaviest", "max_force"]


class Listener(threading.Thread):
    """A client that always reads, so that no line is dropped."""

    def __init__(self, daemon):
        super().__init__(daemon=True)
        self.client = daemon.connect(f"subscribe events={','.join([*EVENTS, 'device'])} max_hz=0")
        self.client.reply()
        self.bytes = bytearray(self.client.buffer)
        self.start()

    def run(self):
        while not self.is_over and (piece := self.client.socket.recv(1 << 20)):
            self.bytes += piece

    @property
    def is_over(self):
        return b'"removed"' in self.bytes[-1000:]


def has_sent_everything(control):
    """Whether no line for a client waits in the daemon."""
    stats = control.ask("stats")
    assert stats["ok"], stats
    return not any(client["waiting"] for client in stats["result"]["clients"])


def events_in(text):
    """The events of a device without its name, and with times relative to the last one."""
    lines = [line for line in map(json.loads, text.splitlines()) if line["event"] in EVENTS]
    first, last = lines[0]["time"], lines[-1]["time"]
    for line in lines:
        del line["device"]
        # The time of the initial state is that of the opening.
        line["time"] = None if line["time"] == first else line["time"] - last
    return lines


@pytest.mark.parametrize("seed", [seed for seed in SEEDS if seed <= 8])
def test_clients_receive_what_is_recorded_also_while_it_is_grabbed(built, program, tmp_path, seed):
    recording = tmp_path / "recording.evemu"
    of_program(built, seed, program, recording)
    replay = subprocess.run([program, "replay", recording], stdout=subprocess.PIPE, text=True, check=True)
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    opened = os.open(gate, os.O_RDWR)
    daemon = Daemon(
        program, str(tmp_path), ["--device", "/emulated"], variables=variables(built, seed) | {"GATE": str(gate)})
    try:
        daemon.start()
        listeners = [Listener(daemon) for _ in range(CLIENTS)]
        control = daemon.connect("subscribe events=")
        control.reply()
        for number in range(int(FRAMES) + 1):
            if listeners[0].is_over:
                break
            os.write(opened, b".")
            # Before it grabs or ungrabs the device, the daemon reads the keys, which removes their events from the queue.
            if number % 5 == 0:
                reply = control.ask(f"grab on={str(number % 2 == 0).lower()}")
                assert reply["ok"] or reply["error"]["code"] in ("busy", "no_device"), reply
            # For a client that does not keep up, newer readings replace older ones, as they should not here.
            wait_until(lambda: has_sent_everything(control))
        for one in listeners:
            one.join()
            assert one.is_over
        expected = events_in(replay.stdout)
        found = events_in(listeners[0].bytes.decode())
        for index, (one, other) in enumerate(itertools.zip_longest(found, expected)):
            assert one == other, f"line {index}"
        assert all(one.bytes == listeners[0].bytes for one in listeners)
        assert daemon.terminate() == 0
    finally:
        daemon.end()
        os.close(opened)
