"""The cost of a frame of ten contacts, in numbers that do not depend on the load of the machine."""

import collections
import json
import os
import pathlib
import re
import subprocess

import pytest
from conftest import ROOT, NodeStream, SlowStream, Stream, allocations, library, tool, wait_until

from test_bad_clients import example
from longestlines import LINES
from program import is_idle

FRAMES = 200

# Bytes of output after which devices are read ahead.
READ_AHEAD = 128 << 10

# Instructions of the program itself, from the pipe to one client; raise it only for a good reason. Each limit leaves some 5 %.
MOST_INSTRUCTIONS = 30_300

# The same from a device node instead of the pipe. A slow machine adds up to 300: more timers are due in each frame.
MOST_FROM_A_NODE = 28_600

# The same from the pipe, for frames that the client does not receive because of its rate.
MOST_FOR_NOBODY = 24_700

# Instructions of the program itself for one request with its reply: half a millisecond allows for more.
MOST_FOR_A_REQUEST = 2_500_000

# A large number of actions of a configuration and clients; one more can be added.
CONFIGURED, CLIENTS, EACH = 100, 8, 31
ACTIONS = "".join(f"  - {{ type: local.a{number}, title: {'t' * 100} }}\n" for number in range(CONFIGURED))


def test_a_frame_allocates_nothing(stream, folder):
    path = pathlib.Path(folder, "allocations")
    preloaded = library(folder, ROOT / "Tests/counts/allocations.c")
    one = stream(variables={"LD_PRELOAD": preloaded, "ALLOCATIONS": str(path)})
    one.send(FRAMES)
    before = allocations(path)
    assert before > 0
    one.send(FRAMES)
    assert allocations(path) == before
    one.end()


@pytest.mark.parametrize("clients", [1, 3])
def test_a_frame_takes_one_read_one_write_per_client_and_one_wait(stream, folder, clients):
    def calls(frames):
        trace, one = traced(stream, folder, f"trace-{frames}", clients=clients)
        one.send(frames)
        one.end()
        wait_until(lambda: "+++ exited" in trace.read_text(encoding="ascii"))
        text = trace.read_text(encoding="ascii")
        counts = collections.Counter(re.findall(r"^\d+ +(\w+)\(", text, re.MULTILINE))
        # Newer releases of libsystemd wait with a time in nanoseconds.
        counts["epoll_wait"] += counts.pop("epoll_pwait2", 0)
        # One call asks whether any device has events to read ahead.
        ahead = counts.pop("poll", 0)
        sent = sum(map(int, re.findall(r" sendto\(.* = (\d+)$", text, re.MULTILINE)))
        return counts, ahead, sent

    (difference, ahead, sent), (fewer, less_ahead, less_sent) = calls(2 * FRAMES), calls(FRAMES)
    difference.subtract(fewer)
    # While a load moves, the timer of its scale wakes up now and then, more often on a slow machine, but far less often than
    # frames arrive; one more call per frame would be two hundred.
    now_and_then = FRAMES / 4
    # The device is read ahead after a number of bytes to clients and before a late timer, and then has no events yet.
    assert ahead - less_ahead <= (sent - less_sent) / READ_AHEAD + now_and_then
    assert abs(difference.pop("timerfd_settime", 0)) < now_and_then
    assert difference["sendto"] == clients * FRAMES
    for name in ["read", "epoll_wait"]:
        assert abs(difference[name] - FRAMES) < now_and_then
    assert {name for name, count in difference.items() if count} == {"read", "sendto", "epoll_wait"}


def test_with_many_clients_the_device_is_read_in_between(stream, folder):
    trace, one = traced(stream, folder, "trace", clients=100)
    one.send(5)
    one.end()
    wait_until(lambda: "+++ exited" in trace.read_text(encoding="ascii"))
    written = [0]
    for name, result in re.findall(r"^\d+ +(\w+)\(.* = (-?\d+)\b.*$", trace.read_text(encoding="ascii"), re.MULTILINE):
        written = [*written[:-1], written[-1] + int(result)] if name == "sendto" else [*written, 0]
    assert sum(written) > 5 * 128 * 1024
    assert max(written) <= 136 * 1024


def test_an_idle_daemon_does_not_wake_up(stream):
    one = stream()
    one.send(10)
    # A scale first waits for a stable reading.
    wait_until(lambda: is_idle(one.daemon.process.pid))
    one.end()


def traced(stream, folder, name, **settings):
    """A stream under strace, whose output is written to a file."""
    trace = pathlib.Path(folder, name)
    # -D leaves the daemon the child process of the test, so that it receives the signals.
    return trace, stream(under=[tool("strace"), "-D", "-f", "-o", str(trace)], **settings)


@pytest.mark.parametrize(
    "kind, limit", [(Stream, MOST_INSTRUCTIONS), (NodeStream, MOST_FROM_A_NODE), (SlowStream, MOST_FOR_NOBODY)])
def test_the_instructions_of_a_frame_are_limited(stream, folder, kind, limit):
    def instructions(frames, attempt):
        path = os.path.join(folder, f"callgrind-{frames}-{attempt}")
        count = f"--callgrind-out-file={path}"
        one = stream(kind, under=[tool("valgrind"), "--tool=callgrind", "--compress-strings=no", count])
        one.send(frames)
        one.end()
        return instructions_outside("kernel.so", path)

    # A loaded machine only adds: timers that are due and frames that are read ahead.
    for attempt in range(3):
        each = (instructions(2 * FRAMES, attempt) - instructions(FRAMES, attempt)) / FRAMES
        print(f"{each:.0f} instructions per frame")
        if each < limit:
            break
    assert each < limit


def instructions_outside(library, path):
    """All instructions but those of a library."""
    total, is_counted, is_call = 0, True, False
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("ob="):
            is_counted = not line.endswith(library)
        elif line.startswith("calls="):
            # The next line is what was called.
            is_call = True
        elif line[:1].isdigit() or line[:1] in "+-*" and line:
            total += 0 if is_call or not is_counted else int(line.split()[1])
            is_call = False
    return total


def test_the_instructions_of_each_request_are_limited(stream, folder):
    path = pathlib.Path(folder, "callgrind")
    one = stream(
        under=[tool("valgrind"), "--tool=callgrind", f"--callgrind-out-file={path}"],
        config="use: { requests_per_second: 100000 }\nactions:\n" + ACTIONS)
    # Without a frame there is no device, and most requests would be refused.
    one.send(1)
    for number in range(CLIENTS):
        client = one.daemon.connect("subscribe events=scale,action")
        added = [
            {"do": "add_action", "type": f"lamp.{number}.{index}", "title": "Lamp"} for index in range(EACH)]
        assert all(reply["ok"] for reply in client.ask(*added))
    verbs = one.daemon.connect().event("hello")["commands"]
    requests = {verb: json.dumps(example(verb)).encode() for verb in verbs}
    # The file is loaded again, which only trusted clients may request.
    del requests["reload"]
    requests["perform the last action"] = f"perform type=lamp.{CLIENTS - 1}.{EACH - 1}".encode()
    control = [tool("callgrind_control"), "--dump", str(one.daemon.process.pid)]

    def instructions():
        """The instructions since the last call."""
        before = set(path.parent.glob("callgrind.*"))
        # With the variables of the daemon, as valgrind makes the names of its pipes of the user and the host.
        subprocess.run(control, check=True, stdout=subprocess.DEVNULL, env=one.daemon.environment)
        (dump,) = set(path.parent.glob("callgrind.*")) - before
        return int(re.search(r"^totals: (\d+)", dump.read_text(), re.MULTILINE)[1])

    costs, refused = {}, {}
    for name, line in (requests | LINES).items():
        client = one.daemon.connect("subscribe events=")
        client.reply()
        instructions()
        client.send(line + b"\n")
        reply = client.reply()
        costs[name] = instructions()
        if name in requests and not reply["ok"]:
            refused[name] = reply["error"]["message"]
        client.close()
    for name, count in sorted(costs.items(), key=lambda row: row[1]):
        print(f"{name:40} {count:9}")
    # A refusal is cheaper than the action: this load is too heavy for zero, no pieces were counted before, a pipe cannot be
    # grabbed, and the action of another client cannot be removed.
    assert set(refused) == {"zero", "count", "grab", "remove_action"}, refused
    assert {name: count for name, count in costs.items() if count > MOST_FOR_A_REQUEST} == {}
