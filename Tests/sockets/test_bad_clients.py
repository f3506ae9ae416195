"""Bad clients do not affect the others: each request there is, sent at the maximum rate and size.

The requests are those of the greeting, with the arguments of the schema, so that new ones are included
automatically; outside of CI it is a sample, unless PRESSURED_THOROUGH is set. That no line of a client that reads is lost
beside bad ones is tested by Tests/soak.
"""

import bisect
import contextlib
import fcntl
import json
import os
import struct
import subprocess
import termios
import threading
import time

import pytest

from contract import SCHEMA, requests
from daemon import wait_until
from test_events import PRESSURE, SLOT, TRACKING_ID, X, Y, frame
from longestlines import LIMIT

RATE = 240
IS_THOROUGH = "PRESSURED_THOROUGH" in os.environ or os.environ.get("CI", "") not in ("", "0", "false")

# For each request.
FRAMES = 60 if IS_THOROUGH else 30
PINGS = FRAMES // 10

# With this total number of connections, two users have a quarter each for their bad clients.
CLIENTS = 200
QUARTER = CLIENTS // 4

# A debug build is slower by a factor, and so is one with sanitizers.
FACTOR = float(os.environ.get("PRESSURED_COST_FACTOR", "2"))

# Processor time in seconds that the daemon may use from another client's ping to its reply. Its use before the test
# has its own turn counts as well; the worst of the pings must be below this.
PING_LIMIT = 0.05 * FACTOR

# The kernel queues this many events of a pad for a reader. A frame is lost if these wait while the daemon uses more
# processor time than they take to arrive; a daemon that is not scheduled does not lose any in this test.
QUEUE = 1024
EVENT = 24
QUEUE_LIMIT = QUEUE / 41 / RATE * FACTOR

# Bytes by which the daemon may grow under any of these: the queue of each connection (a buffer and a quarter, and
# requests) and of all.
MEMORY_LIMIT = 2 * QUARTER * (320 + 20) * 1024 + (16 << 20)

# The sockets of the daemon without bad clients.
LISTENING_AND_OWN = 2

ACTION = "local.long"
CONFIG = f"""
socket: {{ mode: "0666", max_clients: {CLIENTS} }}
actions:
  - {{ type: {ACTION}, title: Long, user_info: {{ text: "{"x" * 2000}" }} }}
"""

# The users of the bad clients, so that others wait neither for one after the other nor for all of their connections.
USERS = {"nobody": 65534, "daemon": 1}
CONTROL = f"control: {{ users: [{', '.join(USERS)}] }}\n"

CONTROLLED_VERBS = {verb for verb, request in requests().items() if request["permission"] == "control"}

# The daemon takes one to three seconds of processor time for what was sent of each request. The sample has long replies, events for
# all clients, and with control rights changes of what others see.
SAMPLE = {"stats", "perform", "remove_action"}

# Requests that are never granted here, each with the reason; all others must be, at least once.
REFUSED = {
    "weigh": "it waits longer than a round for a stable reading",
    "zero": "the pad is pressed",
    "calibrate": "the pad is pressed",
    "count": "no pieces were counted before",
    "grab": "a pipe cannot be grabbed",
}

# Sends the forms of one request on many connections, repeatedly; half of the connections of each form never read.
# Prints the number of its connections, and after SIGTERM the number of granted requests.
BAD = r"""
import selectors, signal, socket, sys
path, most = sys.argv[1], int(sys.argv[2])
forms = [form.strip() + b"\n" for form in sys.stdin.buffer.read().split(b"\n\n")]
forms = [form * max(1, 65536 // len(form)) for form in forms]
granted = 0
def finish(*_):
    print(granted, flush=True)
    sys.exit()
signal.signal(signal.SIGTERM, finish)
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
# Actions have one name only, so that each client adds its own.
lines = [forms[number // 2 % len(forms)].replace(b"local.own000", b"local.own%03d" % number) for number in range(most)]
sent = dict.fromkeys(clients, 0)
for number, client in enumerate(clients):
    looks.register(client, selectors.EVENT_WRITE | (selectors.EVENT_READ if number % 2 else 0), number)
while True:
    for key, events in looks.select():
        client = key.fileobj
        many = lines[key.data]
        try:
            if events & selectors.EVENT_READ:
                data = client.recv(1 << 20)
                if not data:
                    raise ConnectionResetError
                granted += data.count(b'"ok":true')
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


def example(verb, name=ACTION):
    """A request with its required arguments, as the schema describes them; `name` is the value of strings."""
    definition = SCHEMA["$defs"][f"request_{verb}"]
    request = {"do": verb}
    for key in definition["required"]:
        if key == "do":
            continue
        part = definition["properties"][key]
        if "enum" in part:
            request[key] = part["enum"][0]
        elif "boolean" in part["type"]:
            request[key] = True
        elif "number" in part["type"] or "integer" in part["type"]:
            request[key] = max(1, part.get("minimum", 1))
        else:
            request[key] = name
    return request


def forms(verb, has_control):
    """The shortest and the longest form of the request, separated by an empty line.

    A client can only add an action that does not exist, and only remove one that it has added.
    """
    changes = "add_action", "remove_action"
    verbs = changes if has_control and verb in changes else [verb]
    texts = []
    for length in (0, LIMIT):
        text = ""
        for each in verbs:
            request = example(each, name="local.own000") if has_control and each in changes else example(each)
            if length:
                request["id"] = "x" * (length - len(json.dumps({**request, "id": ""})))
            text += json.dumps(request) + "\n"
        texts.append(text)
    return "\n".join(texts)


def touches(number):
    """A frame of ten contacts; every tenth frame lifts them all, so that there are lossless events."""
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


class Memory(threading.Thread):
    """The peak private memory of the daemon."""

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


class Pad:
    """Writes frames into the daemon's pipe, and measures how long they wait there."""

    def __init__(self, daemon, pipe):
        self.daemon, self.pipe = daemon, pipe
        self.ends, self.taken, self.written, self.lost = [], [], 0, 0

    def write(self, number):
        data = touches(number)
        # It blocks if there is no space.
        os.write(self.pipe, data)
        self.written += len(data)
        self.ends.append(self.written)
        self.taken.append(cpu(self.daemon))
        unread = struct.unpack("i", fcntl.ioctl(self.pipe, termios.FIONREAD, b"\0" * 4))[0]
        oldest = bisect.bisect_right(self.ends, self.written - unread)
        if oldest < len(self.taken):
            wait = self.taken[-1] - self.taken[oldest]
            self.lost += unread > QUEUE * EVENT and wait > QUEUE_LIMIT


@contextlib.contextmanager
def at_once():
    """If permitted, nothing else runs before the tests once they are woken."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


@pytest.fixture(params=["", CONTROL], ids=["read-and-use", "control"])
def pad(request, serve_pipe, folder, pipe):
    """A daemon with a pipe in place of a device; the bad clients have the rights of the parameter."""
    os.chmod(folder, 0o755)
    daemon = serve_pipe(config=CONFIG + request.param)
    pad = Pad(daemon, os.open(pipe, os.O_WRONLY))
    # Slightly more than the kernel's queue: with the usual 64 KiB all frames of a round would fit, read or not.
    fcntl.fcntl(pad.pipe, fcntl.F_SETPIPE_SZ, 32 << 10)
    # What needs no control rights is the same with them.
    pad.is_for_all = not request.param
    # The user of the daemon has all rights.
    pad.has_control = bool(request.param) or os.geteuid() != 0
    yield pad
    os.close(pad.pipe)


def attacked(pad, lines):
    """Plays the pad while bad clients send lines.

    Returns the duration of each ping, and the numbers of connections of the bad clients and of granted requests.
    """
    daemon = pad.daemon
    is_root = os.geteuid() == 0
    users = USERS.values() if is_root else [os.geteuid()] * 2
    bad = []
    try:
        for user in users:
            credentials = {"user": user, "group": user, "extra_groups": []} if is_root else {}
            # One more than the limit.
            most = QUARTER + is_root
            bad.append(subprocess.Popen(
                ["/usr/bin/python3", "-c", BAD, daemon.path, str(most)], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **credentials))
            bad[-1].stdin.write(lines.encode())
            bad[-1].stdin.close()
        connections = [int(process.stdout.readline()) for process in bad]
        pinger = daemon.connect("subscribe events=")
        pinger.reply()
        pings = []
        pad.lost = 0
        for number in range(FRAMES):
            pad.write(number)
            time.sleep(1 / RATE)
            if number % (FRAMES // PINGS) == FRAMES // PINGS - 1:
                with at_once():
                    before = cpu(daemon)
                    assert pinger.ask("ping")["ok"]
                    pings.append(cpu(daemon) - before)
        pinger.close()
        for process in bad:
            process.terminate()
        return pings, connections, sum(int(process.stdout.read() or 0) for process in bad)
    finally:
        for process in bad:
            process.kill()
            process.wait()
            process.stdout.close()


def test_no_request_of_a_bad_client_affects_the_others(pad, is_sanitized):
    daemon = pad.daemon
    client = daemon.connect("subscribe events=")
    verbs = client.event("hello")["commands"]
    client.reply()
    memory = Memory(daemon)
    pad.write(9)
    start = memory.now()
    memory.start()
    table = []
    assert SAMPLE <= set(verbs)
    asked = verbs if IS_THOROUGH else [verb for verb in verbs if verb in SAMPLE and (verb in CONTROLLED_VERBS) != pad.is_for_all]
    for verb in asked:
        # The requests of the bad clients sent before they were killed are performed, then their connections are closed.
        wait_until(lambda: len(daemon.sockets) == LISTENING_AND_OWN)
        memory.most = 0
        pings, connections, granted = attacked(pad, forms(verb, pad.has_control))
        table.append((verb, connections, pings, pad.lost, memory.most - start, granted))
    memory.is_over = True
    memory.join()
    assert [row for row in table if row[1] != [QUARTER] * 2] == []
    if os.geteuid() == 0:
        # Only other users have turns of their own.
        assert [row for row in table if max(row[2]) > PING_LIMIT] == []
    assert [row for row in table if row[3] > 0] == []
    # With AddressSanitizer the daemon grows by the memory that it has freed.
    assert is_sanitized or [row for row in table if row[4] > MEMORY_LIMIT] == []
    needs_control = {} if pad.has_control else CONTROLLED_VERBS
    assert [row for row in table if not row[5] and row[0] not in {*REFUSED, *needs_control}] == []
