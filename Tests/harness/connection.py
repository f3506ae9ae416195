"""A client of the socket."""

import json
import socket

from contract import hold, hold_request
from waiting import DEADLINE


class Disconnected(AssertionError):
    """The connection ended before what was expected."""


class Connection:
    """Sends and receives lines. Each line that is received is validated against the protocol, and so is
    each request that is granted."""

    def __init__(self, path, *requests):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE)
        self.socket.connect(path)
        self.buffer = b""
        self.send(*requests)

    def send(self, *requests):
        """Sends requests in one packet: dictionaries as JSON, strings as lines, bytes unchanged."""
        if requests:
            self.socket.sendall(b"".join(encoded(request) for request in requests))

    def shut(self):
        """Shuts down the sending side."""
        self.socket.shutdown(socket.SHUT_WR)

    def close(self):
        self.socket.close()

    def raw_line(self):
        """The next line including its terminator, or b"" at the end of the connection."""
        while b"\n" not in self.buffer:
            try:
                piece = self.socket.recv(1 << 20)
            except ConnectionResetError:
                piece = b""
            if not piece:
                if self.buffer:
                    raise Disconnected(f"incomplete line: {self.buffer!r}")
                return b""
            self.buffer += piece
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line + b"\n"

    def line(self):
        """The next line, or None at the end of the connection."""
        raw = self.raw_line()
        return parsed(raw) if raw else None

    def until(self, condition=None, **fields):
        """All lines up to and including the first one that satisfies the condition, or has these fields."""
        condition = condition or (lambda line: has(line, fields))
        lines = []
        while not lines or not condition(lines[-1]):
            line = self.line()
            if line is None:
                raise Disconnected(f"the connection ended after {lines[-1:]}")
            lines.append(line)
        return lines

    def event(self, name, **fields):
        """The next line of an event with these fields; other lines are skipped."""
        return self.until(lambda line: is_event(line, name, **fields))[-1]

    def reply(self):
        return self.event("reply")

    def ask(self, *requests):
        """Sends requests and returns the reply to each."""
        self.send(*requests)
        replies = [self.reply() for _ in requests]
        for request, reply in zip(requests, replies):
            if isinstance(request, dict) and reply["ok"]:
                hold_request(request)
        return replies[0] if len(replies) == 1 else replies

    def rest(self):
        """All lines up to the end of the connection."""
        lines = []
        while (line := self.line()) is not None:
            lines.append(line)
        return lines

    def whole_lines(self):
        """All lines up to the end of a connection that may have been cut within the last line."""
        pieces = [self.buffer]
        try:
            while piece := self.socket.recv(1 << 20):
                pieces.append(piece)
        except ConnectionResetError:
            pass
        self.buffer = b""
        return [parsed(line) for line in b"".join(pieces).split(b"\n")[:-1]]


def encoded(request):
    if isinstance(request, dict):
        request = json.dumps(request)
    return request if isinstance(request, bytes) else request.encode() + b"\n"


def parsed(raw):
    """Parses a line and checks it against the rules for all lines."""
    line = json.loads(raw.decode("utf-8"), parse_constant=not_json)
    head = list(line)[:3]
    if line["event"] in ("hello", "reply", "missed", "access"):
        assert head[0] == "event"
    else:
        assert head == ["event", "time", "device"], raw
    hold(line)
    return line


def not_json(text):
    raise AssertionError(f"{text} is not JSON")


def is_event(line, name, **fields):
    return line["event"] == name and all(line.get(key) == value for key, value in fields.items())


def has(line, fields):
    """Whether a line has these fields with these values."""
    return all(name in line and line[name] == value for name, value in fields.items())


def lines_of(output):
    """The lines in the output of a program."""
    assert output == b"" or output.endswith(b"\n"), "the last line is not terminated"
    return [parsed(line) for line in output.splitlines()]


def events_of(lines, *names):
    return [line for line in lines if line["event"] in names]


def assert_times_never_run_backwards(lines):
    latest = {}
    for line in lines:
        if "time" in line:
            assert line["time"] >= latest.get(line["device"], 0), line
            latest[line["device"]] = line["time"]


def assert_error(reply, code):
    """An error reply of the protocol, with a message for people."""
    assert list(reply) == ["event", "id", "do", "ok", "error"]
    assert reply["ok"] is False
    assert list(reply["error"]) == ["code", "message", *(["reason"] if code == "busy" else [])]
    assert reply["error"]["code"] == code
    assert reply["error"]["message"]
