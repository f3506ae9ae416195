"""Some clients are bad, the others are unharmed: each request there is, as fast and as large as it can be sent.

The requests are those that the daemon names in its greeting, with the arguments that the schema asks for, so
that a new one joins by itself. `pytest -s` prints a table of what each has cost the others.
"""

import json
import os
import selectors
import struct
import subprocess
import threading
import time

import pytest

from contract import SCHEMA
from recording import HEADER
from test_events import PRESSURE, SLOT, TRACKING_ID, X, Y, frame
from worst import LIMIT

GOOD = 12
FRAMES = 60
PINGS = 5
CLIENTS = 64

# Seconds of a processor that the daemon may take from a good client's ping to its answer. What it takes until the
# tests have their own turn counts as well; the worst of the pings is held to it. A build for debugging is slower by a factor.
PING_LIMIT = 0.05 * float(os.environ.get("PRESSURED_COST_FACTOR", "2"))

# Bytes by which the daemon may grow under any of it: what may wait for each of the bad connections (a buffer and
# a quarter) and for the requests of all.
MEMORY_LIMIT = CLIENTS * (320 + 20) * 1024 + (16 << 20)

ACTION = "local.long"
CONFIG = f"""
socket: {{ mode: "0666", max_clients: {CLIENTS} }}
actions:
  - {{ type: {ACTION}, title: Long, user_info: {{ text: "{"x" * 2000}" }} }}
"""

# Sends one request on many connections, over and over; every second connection never reads. It says how many
# connections it has, and goes on until it is killed.
BAD = r"""
import selectors, socket, sys
path, most = sys.argv[1], int(sys.argv[2])
line = sys.stdin.buffer.read()
many = line * max(1, 65536 // len(line))
clients = []
for _ in range(most):
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    if b'"busy"' in client.recv(4096):
        break
    client.setblocking(False)
    clients.append(client)
print(len(clients), flush=True)
looks = selectors.DefaultSelector()
sent = dict.fromkeys(clients, 0)
for number, client in enumerate(clients):
    looks.register(client, selectors.EVENT_WRITE | (selectors.EVENT_READ if number % 2 else 0), number)
while True:
    for key, events in looks.select():
        client = key.fileobj
        try:
            if events & selectors.EVENT_READ and not client.recv(1 << 20):
                raise ConnectionResetError
            if events & selectors.EVENT_WRITE:
                sent[client] = (sent[client] + client.send(many[sent[client]:])) % len(many)
        except BlockingIOError:
            pass
        except OSError:
            # It was let go: it comes again.
            looks.unregister(client)
            client.close()
            client = socket.socket(socket.AF_UNIX)
            client.connect(path)
            client.setblocking(False)
            sent[client] = 0
            looks.register(client, selectors.EVENT_WRITE | (selectors.EVENT_READ if key.data % 2 else 0), key.data)
"""


def example(verb):
    """A request with the arguments that it must have, as the schema describes them."""
    definition = SCHEMA["$defs"][f"request_{verb}"]
    request = {"do": verb}
    for name in definition["required"]:
        if name == "do":
            continue
        part = definition["properties"][name]
        if "enum" in part:
            request[name] = part["enum"][0]
        elif "boolean" in part["type"]:
            request[name] = True
        elif "number" in part["type"] or "integer" in part["type"]:
            request[name] = max(1, part.get("minimum", 1))
        else:
            request[name] = ACTION
    return request


def forms(verb):
    """The request as short and as long as it may be."""
    request = example(verb)
    empty = json.dumps({**request, "id": ""})
    return {"short": json.dumps(request), "long": json.dumps({**request, "id": "x" * (LIMIT - len(empty))})}


def touches(number):
    """A frame of ten contacts; every tenth lifts them all, so that there are happenings."""
    if number % 10 == 9:
        return frame(0, *[value for slot in range(10) for value in ((SLOT, slot), (TRACKING_ID, -1))])
    begins = number % 10 == 0
    values = []
    for slot in range(10):
        values.append((SLOT, slot))
        if begins:
            values.append((TRACKING_ID, number * 10 + slot + 1))
        values += [(X, 50 * slot + number % 10), (Y, 300), (PRESSURE, 20 + slot + 5 * (number % 7))]
    return frame(0, *values)


class Readers(threading.Thread):
    """Good clients, which read whatever comes, and count what must not be lost."""

    def __init__(self, daemon):
        super().__init__(daemon=True)
        self.clients = [daemon.connect("subscribe max_hz=0") for _ in range(GOOD)]
        self.ended, self.missed = 0, 0
        self.begun = [0] * GOOD
        self.is_over = False
        for client in self.clients:
            client.reply()
        self.rest = [client.buffer for client in self.clients]

    def run(self):
        looks = selectors.DefaultSelector()
        for number, client in enumerate(self.clients):
            looks.register(client.socket, selectors.EVENT_READ, number)
        while not self.is_over:
            for key, _ in looks.select(0.1):
                piece = key.fileobj.recv(1 << 18)
                if not piece:
                    self.ended += 1
                    looks.unregister(key.fileobj)
                    continue
                *lines, self.rest[key.data] = (self.rest[key.data] + piece).split(b"\n")
                for line in lines:
                    self.begun[key.data] += b'"phase":"began"' in line and line.startswith(b'{"event":"contact"')
                    self.missed += line.startswith(b'{"event":"missed"')


class Memory(threading.Thread):
    """The most memory of its own that the daemon had."""

    def __init__(self, daemon):
        super().__init__(daemon=True)
        self.path = f"/proc/{daemon.process.pid}/statm"
        self.most, self.is_over = 0, False

    def now(self):
        with open(self.path, encoding="ascii") as file:
            _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * os.sysconf("SC_PAGESIZE")

    def run(self):
        while not self.is_over:
            self.most = max(self.most, self.now())
            time.sleep(0.01)


def cpu(daemon):
    with open(f"/proc/{daemon.process.pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e9


@pytest.fixture
def pad(serve, folder, write):
    """A daemon with good clients, and a pipe of the size that the kernel's queue of a device has."""
    os.chmod(folder, 0o755)
    pipe = os.path.join(folder, "pad")
    os.mkfifo(pipe)
    daemon = serve(
        None, "--events", pipe, "--describe", write(HEADER.format(resolution=0), "describe.evemu"), config=CONFIG)
    daemon.pipe = os.open(pipe, os.O_WRONLY)
    yield daemon
    os.close(daemon.pipe)


def attacked(daemon, readers, line):
    """Plays the pad while a bad client sends a line; gives what each ping took and how many connections there were."""
    # Two users, so that others wait neither for one after the other nor for all of their connections.
    users = [65534, 1] if os.geteuid() == 0 else [os.geteuid()]
    bad = []
    try:
        for user in users:
            who = {"user": user, "group": user, "extra_groups": []} if os.geteuid() == 0 else {}
            most = (CLIENTS - GOOD - 8) // len(users)
            bad.append(subprocess.Popen(
                ["/usr/bin/python3", "-c", BAD, daemon.path, str(most)], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **who))
            bad[-1].stdin.write(line.encode() + b"\n")
            bad[-1].stdin.close()
        connections = sum(int(process.stdout.readline()) for process in bad)
        pinger = daemon.connect("subscribe events=")
        pinger.reply()
        pings = []
        for number in range(FRAMES):
            # It waits where there is no room, so that a slow machine loses nothing here that it would not lose anyway.
            os.write(daemon.pipe, touches(number))
            time.sleep(1 / 240)
            if number % (FRAMES // PINGS) == FRAMES // PINGS - 1:
                before = cpu(daemon)
                assert pinger.ask("ping")["ok"]
                pings.append(cpu(daemon) - before)
        pinger.close()
        return pings, connections
    finally:
        for process in bad:
            process.kill()
            process.wait()
            process.stdout.close()


def test_whatever_one_client_sends_the_others_are_unharmed(pad, is_sanitized):
    verbs = pad.connect().event("hello")["commands"]
    readers, memory = Readers(pad), Memory(pad)
    os.write(pad.pipe, touches(9))
    start = memory.now()
    readers.start()
    memory.start()
    table, told = [], 0
    for verb in verbs:
        for size, line in forms(verb).items():
            memory.most = 0
            pings, connections = attacked(pad, readers, line)
            told += FRAMES
            table.append((verb, size, connections, pings, memory.most - start))
    # What the last frames said arrives, too.
    last = pad.connect("subscribe events=")
    last.reply()
    expected = told  # ten contacts begin in every tenth frame
    end = time.monotonic() + 60
    while min(readers.begun) < expected and time.monotonic() < end:
        time.sleep(0.01)
    stats = last.ask("stats")["result"]["daemon"]
    readers.is_over = memory.is_over = True
    readers.join()
    memory.join()
    lost = stats["dropped"] + sum(expected - count for count in readers.begun)
    print(f"\ngood clients let go: {readers.ended}; happenings and frames lost: {lost}")
    print(f"{'request':10} {'size':6} {'connections':>11} {'best ping':>10} {'worst ping':>11} {'memory':>8}")
    print(f"{'':10} {'':6} {'':11} {'CPU ms':>10} {'CPU ms':>11} {'MiB':>8}")
    for verb, size, connections, pings, grown in table:
        best, worst = min(pings) * 1e3, max(pings) * 1e3
        print(f"{verb:10} {size:6} {connections:11} {best:10.2f} {worst:11.2f} {grown / (1 << 20):8.1f}")
    assert readers.ended == 0
    assert stats["dropped"] == 0
    assert set(readers.begun) == {expected}
    assert [row for row in table if max(row[3]) > PING_LIMIT] == []
    # With AddressSanitizer the daemon grows by what it has freed.
    assert is_sanitized or [row for row in table if row[4] > MEMORY_LIMIT] == []
