#!/usr/bin/python3
"""Ten fingers at a thousand frames per second, many good clients, and bad ones beside them.

    Tests/soak/soak.py [--seconds N] [--clients N] [--buffer KIB] [--program PATH]

Each good client subscribes to every frame, and must receive each lossless event once and in order: contacts,
presses, the heaviest contact, the maximum force. The received lines are compared byte by byte between the clients, and
with the output of `pressured replay` for the same stream. The queue of a device must
never overflow, and the memory must not grow after the first minute. By default it runs for ten minutes with 256
clients of a release build; the status is 1 if a check fails.
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
BAD_CLIENTS = ["unread", "slow", "garbage", "brief"]

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

RECEIVED = ["readings", "missed", "lossless", "begun", "ended", "started", "over", "digest"]
GENERATED = ["contacts", "overflows", "waiting", "late"]


def compile_tools(folder):
    for source in HERE.glob("*.c"):
        subprocess.run(
            ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", pathlib.Path(folder, source.stem), source], check=True)


# Presses without the rules that depend on times: a stall of the machine moves those of the stream. All fingers of the stream
# move at once, in which no press would begin.
WITHOUT_RULES = (
    "press: { rules: none }\n")


class Soak:
    """One stream processed by one daemon."""

    def __init__(self, program, frames, clients, hertz=1000, config=""):
        self.program, self.frames, self.clients, self.hertz = program, frames, clients, hertz
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pressured-"))
        self.pipe, self.socket, self.description = (self.folder / name for name in ("pipe", "socket", "pad.evemu"))
        self.times = self.folder / "times"
        self.config = self.folder / "config.yaml"
        os.mkfifo(self.pipe)
        self.description.write_text(DESCRIPTION)
        self.config.write_text(config)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        compile_tools(self.folder)

    def start(self, *command, **settings):
        return subprocess.Popen([str(word) for word in command], env=self.environment, text=True, **settings)

    def play(self, sample=None, every=5):
        """Plays the stream; `sample` is called with the daemon and the elapsed seconds."""
        with contextlib.ExitStack() as stack:
            log = stack.enter_context(open(self.folder / "log", "w"))
            daemon = self.start(
                self.program, "run", "--socket", self.socket, "--config", self.config, "--events", self.pipe,
                "--describe", self.description, stderr=log)
            stack.callback(end, daemon)
            # It listens before others may connect.
            while not (self.socket.exists() and self.socket.stat().st_mode & 0o600):
                assert daemon.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.01)
            good = self.start(self.folder / "good_clients", self.socket, self.clients, stdout=subprocess.PIPE)
            assert good.stdout.readline() == "ready\n"
            bad_clients = [
                self.start(sys.executable, HERE / "bad_client.py", self.socket, kind, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for kind in BAD_CLIENTS]
            for bad_client in bad_clients:
                stack.callback(end, bad_client)
            for bad_client in bad_clients:
                assert bad_client.stdout.readline() == "ready\n"
            begun = time.monotonic()
            generator = self.start(
                self.folder / "generator", self.pipe, self.hertz, self.frames, self.times, stderr=subprocess.PIPE)
            while good.poll() is None:
                assert daemon.poll() is None, f"the daemon has exited: {(self.folder / 'log').read_text()}"
                if sample:
                    sample(daemon, time.monotonic() - begun)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    good.wait(every)
            self.seconds = time.monotonic() - begun
            # All good clients have exited, so the test is over.
            generator.send_signal(signal.SIGINT)
            self.cpu = cpu(daemon)
            self.generated = dict(zip(GENERATED, map(int, generator.communicate()[1].split())))
            self.violations, self.received = self.result_of(good)
            self.bad_results = dict(end(client).split() for client in bad_clients)
            daemon.send_signal(signal.SIGTERM)
            self.status = daemon.wait()
            self.log = (self.folder / "log").read_text()

    def replayed(self):
        """The output of `pressured replay` for the same stream with the same timestamps."""
        generator = self.start(
            self.folder / "generator", "-", 0, self.frames, self.times, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        return self.start(
            self.program, "replay", "--describe", self.description, "--config", self.config, "/dev/stdin",
            stdin=generator.stdout, stdout=subprocess.PIPE)

    def replay(self):
        """The expected result for the stream."""
        return self.result_of(self.start(
            self.folder / "good_clients", "-", 1, stdin=self.replayed().stdout, stdout=subprocess.PIPE))[1]

    def counted(self, lines):
        """The counts of a good client that receives the given lines."""
        return self.result_of(self.start(
            self.folder / "good_clients", "-", 1, stdin=subprocess.PIPE, stdout=subprocess.PIPE), lines)[1]

    @staticmethod
    def result_of(good, lines=None):
        """The differences and the counts in the output of the good clients."""
        *violations, last = good.communicate(lines)[0].splitlines()
        return violations, dict(zip(RECEIVED, last.split()))

    def close(self):
        shutil.rmtree(self.folder)


def end(process):
    """Terminates a program, and returns its output."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    output = process.stderr.read() if process.stderr and not process.stderr.closed else ""
    process.wait()
    return output


def cpu(process):
    """The processor time of a program in seconds."""
    return int(pathlib.Path(f"/proc/{process.pid}/schedstat").read_text().split()[0]) / 1e9


def memory(process):
    """The RSS and PSS of a program in kilobytes."""
    rows = pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
    sizes = {row.split()[0]: int(row.split()[1]) for row in rows[1:]}
    return sizes["Rss:"], sizes["Pss:"]


def lossless_events(received):
    """The counts that do not depend on how fast the clients read."""
    return {key: value for key, value in received.items() if key not in ("readings", "missed")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--clients", type=int, default=256)
    parser.add_argument("--buffer", type=int, default=256, help="buffer of a client in KiB")
    parser.add_argument("--program", help="default: a release build, which is built first")
    arguments = parser.parse_args()
    program = arguments.program
    if not program:
        program = subprocess.check_output([ROOT / "scripts/build-release"], text=True).strip() + "/pressured"
    soak = Soak(program, arguments.seconds * 1000, arguments.clients,
        config=f"socket: {{ client_buffer_kib: {arguments.buffer} }}\n{WITHOUT_RULES}")
    series = []
    print("| second | RSS kB | PSS kB | CPU s | load average |\n|---|---|---|---|---|", flush=True)

    def sample(daemon, second):
        series.append((second, *memory(daemon)))
        if len(series) % 6 == 1:
            print(f"| {second:.0f} | {series[-1][1]} | {series[-1][2]} | {cpu(daemon):.0f} | {os.getloadavg()[0]:.1f} |", flush=True)

    soak.play(sample)
    expected = soak.replay() if not soak.violations else {"digest": "not compared, as the clients differ"}
    # The memory of buffers varies with clients that read slowly, or with a machine that stalls; leaked memory only grows.
    warm = [row[1] for row in series if row[0] >= 60] or [series[-1][1]]
    half, third = (len(warm) + 1) // 2, len(warm) // 3
    early, late = max(warm[:half]), min(warm[-third:], default=0)
    checks = {
        "all clients have received the same": not soak.violations,
        "their lossless events equal those of replay": lossless_events(soak.received) == lossless_events(expected),
        "each contact has begun and ended once":
            int(soak.received["begun"]) == int(soak.received["ended"]) == soak.generated["contacts"],
        "the queue of the device would never have overflowed": soak.generated["overflows"] == 0,
        "memory does not grow after the first minute": late <= early * 1.1,
        "the daemon exited with status 0": soak.status == 0,
    }
    print(f"\n{soak.seconds:.0f} s, {soak.cpu:.0f} s of processor time for the daemon")
    print("received by each client:", ", ".join(f"{key} {value}" for key, value in lossless_events(soak.received).items()))
    requested = arguments.clients * soak.frames
    print(f"readings received by all: {int(soak.received['readings']):,} of {requested:,}; reported as missed: {soak.received['missed']}")
    print(f"maximum of queued frames: {soak.generated['waiting']}; overflows of the queue of a device: {soak.generated['overflows']}; "
          f"maximum delay of the generator: {soak.generated['late'] / 1000:.1f} ms")
    print(f"memory after the first minute: {min(warm)} to {max(warm)} kB, at most {early} kB in the first half, at least {late} kB in the last third")
    for kind, count in soak.bad_results.items():
        print(f"{kind}: connected {count} times")
    print(*soak.violations, sep="\n")
    for check, holds in checks.items():
        print(f"{'passed' if holds else 'FAILED'}  {check}")
    soak.close()
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
