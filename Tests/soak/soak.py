#!/usr/bin/python3
"""Ten fingers a thousand times a second, many good clients, and bad ones beside them.

    Tests/soak/soak.py [--seconds N] [--clients N] [--buffer KIB] [--program PATH]

Each good client asks for every frame, and must hear each happening once and in its order: contacts, presses,
the crown, full force. What they heard is compared among them, with the rules of the protocol, and byte for
byte with what `pressured replay` says of the same stream. No more of it may ever wait than has room in a
device's queue, which would overflow then, and the memory must stay as it was after the first minute. By default
ten minutes and 256 clients of a release build; the status is 1 where anything was otherwise.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BOTHERS = ["deaf", "slow", "garbage", "fleeting"]

DESCRIPTION = """\
# EVEMU 1.2
N: Soak
I: 0018 06cb cd41 0100
P: 05 00 00 00 00 00 00 00
B: 00 0b 00 00 00 00 00 00 00
A: 2f 0 9 0 0 0
A: 35 0 1000 0 0 10
A: 36 0 600 0 0 10
A: 39 0 2147483647 0 0 0
A: 3a 0 255 0 0 0
"""

HEARD = ["clients", "readings", "happenings", "begun", "ended", "started", "over", "crossings", "crowns", "missed", "digest"]
PRESSED = ["start", "contacts", "full", "waiting", "late"]


def compile_tools(folder):
    for source in HERE.glob("*.c"):
        subprocess.run(
            ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", pathlib.Path(folder, source.stem), source], check=True)


class Soak:
    """One stream through one daemon."""

    def __init__(self, program, frames, clients, hertz=1000, bothers=BOTHERS, config=""):
        self.program, self.frames, self.clients, self.hertz, self.bothers = program, frames, clients, hertz, bothers
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pressured-"))
        self.pipe, self.socket, self.description = (self.folder / name for name in ("pipe", "socket", "pad.evemu"))
        self.config = self.folder / "config.yaml"
        os.mkfifo(self.pipe)
        self.description.write_text(DESCRIPTION)
        self.config.write_text(config)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        self.series = []
        compile_tools(self.folder)

    def start(self, *command, **settings):
        return subprocess.Popen([str(word) for word in command], env=self.environment, text=True, **settings)

    def play(self, look=None, every=5):
        """Plays the stream; `look` is called with the daemon and the seconds so far."""
        with contextlib.ExitStack() as stack:
            log = stack.enter_context(open(self.folder / "log", "w"))
            daemon = self.start(
                self.program, "run", "--socket", self.socket, "--config", self.config, "--events", self.pipe,
                "--describe", self.description, stderr=log)
            stack.callback(end, daemon)
            while not self.socket.exists():
                assert daemon.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.01)
            hear = self.start(self.folder / "hear", self.socket, self.clients, stdout=subprocess.PIPE)
            assert hear.stdout.readline() == "ready\n"
            bothers = [
                self.start(self.folder / "bother", self.socket, kind, stdout=subprocess.PIPE) for kind in self.bothers]
            for bother in bothers:
                stack.callback(end, bother)
            begun = time.monotonic()
            press = self.start(
                self.folder / "press", self.pipe, self.hertz, self.frames, 0, stderr=subprocess.PIPE)
            while hear.poll() is None:
                assert daemon.poll() is None, f"the daemon has ended: {(self.folder / 'log').read_text()}"
                if look:
                    look(daemon, time.monotonic() - begun)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    hear.wait(every)
            self.seconds = time.monotonic() - begun
            # Where all listeners are gone there is nothing more to be shown.
            press.send_signal(signal.SIGINT)
            self.cpu = cpu(daemon)
            self.pressed = dict(zip(PRESSED, map(int, press.communicate()[1].split())))
            self.said, self.heard = self.sum_of(hear)
            self.bothered = [line.split() for line in map(end, bothers)]
            daemon.send_signal(signal.SIGTERM)
            self.status = daemon.wait()
            self.log = (self.folder / "log").read_text()

    def replaying(self):
        """The same stream, made again with the stamps that it had, and read by `pressured replay`."""
        press = self.start(
            self.folder / "press", "-", 0, self.frames, self.pressed["start"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        replay = self.start(
            self.program, "replay", "--describe", self.description, "--config", self.config, "/dev/stdin",
            stdin=press.stdout, stdout=subprocess.PIPE)
        return press, replay

    def replay(self):
        """What the same stream is to be heard as."""
        press, replay = self.replaying()
        hear = self.start(self.folder / "hear", "-", 1, stdin=replay.stdout, stdout=subprocess.PIPE)
        said, heard = self.sum_of(hear)
        assert (press.wait(), replay.wait(), hear.wait()) == (0, 0, 0), said
        return heard

    def replayed(self):
        """The lines themselves."""
        _, replay = self.replaying()
        return replay.communicate()[0]

    def heard_of(self, lines):
        """The status of a listener to whom lines are read, and what it says."""
        done = subprocess.run([self.folder / "hear", "-", "1"], input=lines, stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout

    @staticmethod
    def sum_of(hear):
        """The words of a listener, of which the last line is its sum."""
        *said, last = hear.communicate()[0].splitlines()
        return said, dict(zip(HEARD, last.split()))

    def close(self):
        shutil.rmtree(self.folder)


def end(process):
    """Ends a program, and gives what it has printed."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    said = process.stdout.read() if process.stdout and not process.stdout.closed else ""
    process.wait()
    return said


def cpu(process):
    """Seconds of the processor that a program has had."""
    return int(pathlib.Path(f"/proc/{process.pid}/schedstat").read_text().split()[0]) / 1e9


def memory(process):
    """Kilobytes that a program holds, and that are its own."""
    rows = pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
    sizes = {row.split()[0]: int(row.split()[1]) for row in rows[1:]}
    return sizes["Rss:"], sizes["Pss:"]


def happenings(heard):
    """All that does not depend on how fast somebody read."""
    return {key: value for key, value in heard.items() if key not in ("clients", "readings", "missed")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--clients", type=int, default=256)
    parser.add_argument("--buffer", type=int, default=256, help="KiB that may wait for a client")
    parser.add_argument("--program", help="by default a release build, which is made first")
    arguments = parser.parse_args()
    program = arguments.program
    if not program:
        build = ["swift", "build", "-c", "release"]
        subprocess.run([*build, "--product", "pressured"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        program = subprocess.check_output([*build, "--show-bin-path"], cwd=ROOT, text=True).strip() + "/pressured"
    soak = Soak(program, arguments.seconds * 1000, arguments.clients,
        config=f"socket: {{ client_buffer_kib: {arguments.buffer} }}\n")
    series = []
    print("| second | RSS kB | PSS kB | CPU s | load of the machine |\n|---|---|---|---|---|", flush=True)

    def look(daemon, second):
        series.append((second, *memory(daemon)))
        if len(series) % 6 == 1:
            print(f"| {second:.0f} | {series[-1][1]} | {series[-1][2]} | {cpu(daemon):.0f} | {os.getloadavg()[0]:.1f} |", flush=True)

    soak.play(look)
    expected = soak.replay() if not soak.said else {"digest": "not asked, as the clients differ"}
    # What bad clients make it keep goes up and down; what is kept for good only goes up.
    warm = [row[1] for row in series if row[0] >= 60] or [series[-1][1]]
    half = (len(warm) + 1) // 2
    early, late = max(warm[:half]), max(warm[half:], default=0)
    checks = {
        "all clients have heard the same, and no rule is broken": not soak.said,
        "they have heard what replay says, byte for byte": happenings(soak.heard) == happenings(expected),
        "each contact has begun and ended once":
            int(soak.heard["begun"]) == int(soak.heard["ended"]) == soak.pressed["contacts"],
        "the device's queue would never have run over": soak.pressed["full"] == 0,
        "memory is flat after the first minute": late <= early * 1.1,
        "the daemon ended well": soak.status == 0,
    }
    print(f"\n{soak.seconds:.0f} s, {soak.cpu:.0f} s of the processor for the daemon")
    print("heard by each client:", ", ".join(f"{key} {value}" for key, value in happenings(soak.heard).items()))
    asked = arguments.clients * soak.frames
    print(f"readings heard by all: {int(soak.heard['readings']):,} of {asked:,}; missed and said so: {soak.heard['missed']}")
    print(f"most frames that waited: {soak.pressed['waiting']}; without room in a device's queue: {soak.pressed['full']}; "
          f"the writer itself was late by {soak.pressed['late'] / 1000:.1f} ms at most")
    print(f"memory after the first minute: {min(warm)} to {max(warm)} kB, at most {early} kB in its first half and {late} kB after")
    for kind, count, closed in soak.bothered:
        print(f"{kind}: {count} times, its connection was closed {closed} times")
    print(*soak.said, sep="\n")
    for check, holds in checks.items():
        print(f"{'held  ' if holds else 'BROKEN'}  {check}")
    soak.close()
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
