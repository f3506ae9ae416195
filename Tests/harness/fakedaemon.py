"""A fake daemon for programs that connect to the daemon: it sends what a test specifies."""

import fcntl
import json
import os
import socket
import sys
import termios

from connection import DEADLINE
from contract import hold_request

# The path of its socket within the directory of the test.
SOCKET = "s"

HELLO = {
    "event": "hello",
    "protocol": 1,
    "version": "0.1.0",
    "clock": "monotonic",
    "commands": [],
    "events": [],
}


class FakeDaemon:
    """Listens in place of the daemon; each accepted connection is one client."""

    def __init__(self, path):
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE)
        self.socket.bind(path)
        self.socket.listen()
        self.clients = []

    def accept(self):
        """The next client, after the greeting was sent."""
        client = self.accept_in_silence()
        client.send(HELLO)
        return client

    def accept_after_question(self):
        """The client after a connection that only asks whether a daemon runs."""
        self.accept_in_silence().close()
        return self.accept()

    def accept_in_silence(self):
        """The next client, without sending anything."""
        client = FakeDaemonConnection(self.socket.accept()[0])
        self.clients.append(client)
        return client

    def accept_subscriber(self):
        """The next client, whose subscribe request is checked and granted."""
        client = self.accept()
        request = client.request()
        assert request == {"do": "subscribe", "events": ["press", "action"]}
        client.reply(request, {"events": request["events"], "devices": None})
        return client

    def close(self):
        for client in self.clients:
            client.close()
        self.socket.close()
        if os.path.exists(self.path):
            os.unlink(self.path)


class Request(dict):
    """The members of a request without its ID, which clients choose."""

    def __init__(self, request):
        super().__init__(request)
        self.id = self.pop("id", None)


class FakeDaemonConnection:
    def __init__(self, connection):
        self.socket = connection
        self.socket.settimeout(DEADLINE)
        self.buffer = b""

    def send(self, *lines):
        """Sends lines in one packet."""
        texts = [json.dumps(line, separators=(",", ":")) + "\n" for line in lines]
        self.socket.sendall("".join(texts).encode())

    def reply(self, request, result):
        self.send({"event": "reply", "id": request.id, "do": request["do"], "ok": True, "result": result})

    def refuse(self, request, code, message):
        error = {"code": code, "message": message}
        self.send({"event": "reply", "id": request.id, "do": request["do"], "ok": False, "error": error})

    def request(self):
        while b"\n" not in self.buffer:
            piece = self.socket.recv(1 << 16)
            assert piece, "the client disconnected without a request"
            self.buffer += piece
        line, _, self.buffer = self.buffer.partition(b"\n")
        request = json.loads(line)
        hold_request(request)
        return Request(request)

    def unread(self):
        """How many bytes the client has not read yet."""
        return int.from_bytes(fcntl.ioctl(self.socket, termios.TIOCOUTQ, bytes(4)), sys.byteorder)

    def has_hung_up(self):
        return self.socket.recv(1) == b""

    def close(self):
        self.socket.close()


def press(state, stage="light", contact=1, device="0018-06cb-cd41", **fields):
    """A press line in the daemon's format."""
    return {
        "event": "press",
        "time": 7,
        "device": device,
        "state": state,
        "contact": contact,
        "slot": 0,
        "x": 0.5,
        "y": 0.25,
        "fingers": 1,
        "stage": stage,
        "progress": 0,
        "transition": 0,
        "force": 4.667,
        "ratio": 0.7,
        "grams": 277,
        "simulated": False,
        "target": None,
        "target_x": None,
        "target_y": None,
        **fields,
    }


def action(type, **fields):
    """An action line in the daemon's format."""
    return {
        "event": "action",
        "time": 7,
        "device": None,
        "type": type,
        "title": "Title",
        "subtitle": None,
        "icon": None,
        "icon_file": None,
        "user_info": {},
        "origin": "request",
        **fields,
    }
