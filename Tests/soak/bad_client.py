"""A misbehaving client that prints "ready" when it has connected, and runs until SIGTERM; then it prints how often it has connected.

usage: bad_client.py SOCKET unread|slow|garbage|brief
  unread    subscribes to every frame and reads nothing
  slow      subscribes to every frame and reads a byte at a time
  garbage   sends random bytes, and lines that are too long
  brief     connects and disconnects a thousand times per second
"""

import random
import signal
import socket
import sys
import time


def read_nothing(client):
    # With unread bytes, only a write detects the end of the connection; an empty line is not a request.
    while client.send(b"\n"):
        time.sleep(0.01)


def read_slowly(client):
    while client.recv(1):
        time.sleep(0.0001)


def send_garbage(client):
    client.setblocking(False)
    while True:
        kinds = [b"x" * 4096, bytes(random.choice([random.randrange(256), *b'{}[]":,=\n']) for _ in range(512))]
        try:
            client.send(random.choice(kinds))
            if not client.recv(1 << 16):
                return
        except BlockingIOError:
            time.sleep(0.005)


def leave(client):
    client.close()
    time.sleep(0.001)


def over(*_):
    sys.exit(f"{kind} {connections}")


path, kind = sys.argv[1:]
act = {"unread": read_nothing, "slow": read_slowly, "garbage": send_garbage, "brief": leave}[kind]
connections = 0
signal.signal(signal.SIGTERM, over)
while True:
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            connections += 1
            if connections == 1:
                print("ready", flush=True)
            if kind in ("unread", "slow"):
                client.send(b"subscribe max_hz=0\n")
            act(client)
    except OSError:
        time.sleep(0.001)
