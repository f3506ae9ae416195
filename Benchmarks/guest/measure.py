"""Runs in the guest: the cost of the same stream for one reader after the other.

The guest counts one instruction as one nanosecond, so that CPU time is a count of instructions, including
those of the kernel.
"""

import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, "/task")

from pad import UinputPad
from waiting import wait_until

CONTACTS, WARM, FRAMES = 10, 100, 400
SOCKET = "/run/bench.sock"
OUTPUT = pathlib.Path("/run/bench.out")
# The length of a line of pressured with ten contacts.
LINE_LENGTH = 2006


@dataclasses.dataclass
class Reader:
    """A program that reads a touchpad."""

    name: str
    command: list
    lacks: str
    frame: str = None  # text that it prints once per frame
    clients: int = 0

    def words(self, node):
        return [str(word).format(node=node) for word in self.command]


LINES = ["stdbuf", "-oL"]
READERS = [
    Reader("bare C, read and write", ["/task/floor", SOCKET, "{node}", LINE_LENGTH],
           "parsing", clients=1),
    Reader("evtest", [*LINES, "evtest", "{node}"],
           "contacts, units; it prints text for people", "SYN_REPORT"),
    Reader("libinput debug-events",
           [*LINES, "/usr/libexec/libinput/libinput-debug-events", "--device", "{node}"],
           "pressure; contacts of touchpads"),
    Reader("libinput record", ["/usr/libexec/libinput/libinput-record", "{node}"],
           "contacts; it writes raw events for bug reports", "SYN_REPORT"),
    Reader("C with libevdev, JSON", ["/task/frames", "{node}"],
           "several clients, units, hotplug, weights, presses", '{"time"'),
    Reader("python-evdev, JSON", ["python3", "/task/frames.py", "{node}"],
           "as C with libevdev, and detection of dropped events", '{"time"'),
    Reader("pressured, one client",
           ["/task/pressured", "run", "--socket", SOCKET, "--device", "{node}", "--state", "/run/bench"],
           "", clients=1),
]  # fmt: skip


def cpu(pid):
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def memory(pid):
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return tuple(int(re.search(rf"^{name}: +(\d+)", text, re.M)[1]) for name in ("Rss", "Pss"))


def wait_for_rest(pid):
    """Waits until a process has been idle for a while, in guest time."""
    before = -1
    while (now := cpu(pid)) != before:
        before = now
        time.sleep(0.1)


def reads(process, node):
    """Whether a process has opened a node."""
    folder = f"/proc/{process.pid}/fd"
    return any(link(f"{folder}/{name}") == node for name in os.listdir(folder))


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return None


class Run:
    """One reader of one touchpad, and its clients."""

    def __init__(self, reader, contacts=CONTACTS):
        self.reader = reader
        self.contacts = contacts
        self.pad = UinputPad("bench", slots=contacts)
        OUTPUT.unlink(missing_ok=True)
        pathlib.Path(SOCKET).unlink(missing_ok=True)
        # Output goes to a pipe, as in use; the cost of the process at its other end is not counted.
        self.sink = subprocess.Popen(["sh", "-c", f"cat > {OUTPUT}"], stdin=subprocess.PIPE)
        self.process = subprocess.Popen(
            reader.words(self.pad.node), stdout=self.sink.stdin, stderr=subprocess.DEVNULL
        )
        self.sink.stdin.close()
        self.listener = None
        if reader.clients:
            wait_until(lambda: os.path.exists(SOCKET), f"{reader.name} did not create its socket")
            self.listener = subprocess.Popen(
                ["/task/listen", SOCKET, str(reader.clients), "1000000"], stdout=subprocess.PIPE, text=True
            )
            assert self.listener.stdout.readline() == "ready\n"
        wait_until(lambda: reads(self.process, self.pad.node), f"{reader.name} did not open the device")
        wait_for_rest(self.process.pid)

    def stream(self, frames, hertz):
        self.pad.stream(self.contacts, hertz, frames)
        wait_for_rest(self.process.pid)

    def measure(self, hertz):
        self.stream(WARM, 250)
        before = cpu(self.process.pid)
        self.stream(FRAMES, hertz)
        cost = cpu(self.process.pid) - before
        return cost, *memory(self.process.pid)

    def seen(self):
        """The number of frames delivered, of both streams and their two lifts; None if unknown."""
        if self.listener:
            return int(self.listener.communicate()[0].split()[0])
        if not self.reader.frame:
            return None
        return OUTPUT.read_text(errors="replace").count(self.reader.frame)

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.pad.unplug()
        self.sink.wait()


def measure(reader, hertz):
    """The cost per delivered frame, memory in KB, and the number of lost frames."""
    run = Run(reader)
    cost, rss, pss = run.measure(hertz)
    if not run.listener:
        run.end()
    seen = run.seen()
    if run.listener:
        run.end()
    lost = None if seen is None else WARM + FRAMES + 2 - seen
    return cost / (FRAMES - (lost or 0)), rss, pss, "–" if lost is None else str(lost)


def system_calls(reader):
    """System calls per frame, counted by strace."""
    run = Run(reader)
    run.stream(WARM, 250)
    report = pathlib.Path("/run/bench.strace")
    report.unlink(missing_ok=True)
    tracer = subprocess.Popen(["strace", "-c", "-o", report, "-p", str(run.process.pid)],
                              stderr=subprocess.PIPE, text=True)  # fmt: skip
    tracer.stderr.readline()
    run.stream(FRAMES, 50)
    tracer.send_signal(2)
    tracer.wait()
    if run.listener:
        run.listener.kill()
    run.end()
    rows = re.findall(r"^ +[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$", report.read_text(), re.M)
    calls = {name: int(count) / FRAMES for count, name in rows if name != "total"}
    return ", ".join(f"{count:.2f} {name}" for name, count in calls.items() if count > 0.05)


def main():
    rounds = int(os.environ.get("ROUNDS", "1"))
    rows = [
        "| reader | instructions per frame, paced | flat out | memory | frames lost of 502, paced | flat out "
        "| missing |",
        "|---|---|---|---|---|---|---|",
    ]
    for reader in READERS:
        paced = [measure(reader, 250) for _ in range(rounds)]
        flat = [measure(reader, 0) for _ in range(rounds)]
        costs = [" ".join(f"{cost / 1000:.1f} k" for cost, *_ in runs) for runs in (paced, flat)]
        losses = [" ".join(lost for *_, lost in runs) for runs in (paced, flat)]
        _, rss, pss, _ = paced[-1]
        row = f"| {reader.name} | {costs[0]} | {costs[1]} | {rss / 1024:.1f}, {pss / 1024:.1f} MB "
        rows.append(row + f"| {losses[0]} | {losses[1]} | {reader.lacks} |")
        print(rows[-1], flush=True)
    for reader in (READERS[0], READERS[4], READERS[6]):
        line = f"{reader.name}: {system_calls(reader)} per frame"
        rows += ["", line]
        print(line, flush=True)
    pathlib.Path("/out/peers.md").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
