"""Runs in the guest: how often a reader wakes up and how many instructions it takes per second, by what a finger does.

Both decide how long a battery lasts. The instructions include those of the kernel.
"""

import os
import pathlib
import re
import subprocess
import time

from measure import LINE_LENGTH, READERS, SOCKET, Reader, Run, cpu, wait_for_rest
from pad import UinputPad
from waiting import wait_until

SECONDS, HERTZ = 10, 100
PRESSURE = 60


def wakeups(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.M)[1])


def per_second(pid, act):
    """Wake-ups and thousands of instructions per second while something happens for ten seconds."""
    before = wakeups(pid), cpu(pid)
    act()
    return [(now - then) / SECONDS for now, then in zip((wakeups(pid), cpu(pid)), before)]


def text(figures):
    woken, instructions = figures
    return f"{woken:.1f}, {instructions / 1000:.0f} k"


def moving(pad):
    return lambda: pad.frames(SECONDS * HERTZ, 1 / HERTZ)


def with_client(reader):
    run = Run(reader, contacts=1)
    pid = run.process.pid
    moves = per_second(pid, moving(run.pad))
    # The driver reports each change of a unit, as sensors do under a finger at rest.
    trembles = per_second(pid, lambda: run.pad.rest(PRESSURE, SECONDS * HERTZ))
    wait_for_rest(pid)
    rests = per_second(pid, lambda: time.sleep(SECONDS))
    if run.listener:
        run.listener.kill()
    run.end()
    return moves, trembles, rests


def without_client(reader):
    """A daemon that nobody listens to."""
    pathlib.Path(SOCKET).unlink(missing_ok=True)
    pad = UinputPad("bench", slots=1)
    daemon = subprocess.Popen(reader.words(pad.node), stderr=subprocess.DEVNULL)
    wait_until(lambda: os.path.exists(SOCKET), "the daemon did not create its socket")
    wait_for_rest(daemon.pid)
    figures = per_second(daemon.pid, moving(pad))
    daemon.terminate()
    daemon.wait()
    pad.unplug()
    return figures


def main():
    rows = [
        f"| reader, wake-ups and instructions per second | a finger moves, {HERTZ} Hz "
        f"| it rests, and its pressure changes by a unit, {HERTZ} Hz | it rests, and nothing changes | no client |",
        "|---|---|---|---|---|",
    ]
    for reader in (READERS[0], READERS[2], READERS[-1]):
        # The length of a line of pressured with one contact.
        command = [LINE_LENGTH // 10 if word == LINE_LENGTH else word for word in reader.command]
        one = Reader(reader.name, command, reader.lacks, reader.frame, reader.clients)
        figures = [text(pair) for pair in with_client(one)]
        figures.append(text(without_client(one)) if reader is READERS[-1] else "–")
        rows.append(f"| {reader.name} | {' | '.join(figures)} |")
        print(rows[-1], flush=True)
    pathlib.Path("/out/energy.md").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
