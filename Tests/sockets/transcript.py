"""A session as text, and the rules by which a later daemon may add to it.

    # A comment.
    > what the client sends
    < what the daemon sends
    ~

Requests are sent once all lines above them have arrived. Up to `~` times are those of the recording, with the
recorded differences; below it requests interleave, and times only must not run backwards.

Protocol 1 only grows. So a later daemon may have more fields in an object, more names in the
lists of hello, and events with names that the session does not have; everything else stays the same.
"""

import json

# Texts for people, and values that differ between machines and versions.
FREE = {"version", "message", "node"}

# Lists that may grow; existing elements keep their order.
GROWING = {"commands", "events"}


class ProtocolMismatch(AssertionError):
    """A difference from protocol 1."""


def session(text):
    """The markers and the contents of the lines of a session."""
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            yield line[0], line[2:]


def known_events(text):
    return {json.loads(rest)["event"] for mark, rest in session(text) if mark == "<"}


def compare(old, new, path=""):
    """Raises if a value has changed, except for permitted additions."""
    name = path.rpartition(".")[2]
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                raise ProtocolMismatch(f"{path}.{key} is gone")
            compare(value, new[key], f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        if name in GROWING:
            new = [part for part in new if part in old]
        if len(old) != len(new):
            raise ProtocolMismatch(f"{path} has {len(new)} parts and had {len(old)}")
        for index, (left, right) in enumerate(zip(old, new)):
            compare(left, right, f"{path}[{index}]")
    elif name in FREE and type(old) is type(new):
        pass
    elif type(old) is not type(new) or old != new:
        # 77 and 77.0 are the same number in JSON.
        if not (is_number(old) and is_number(new) and old == new):
            raise ProtocolMismatch(f"{path} is {new!r} and was {old!r}")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class SessionFollower:
    """Compares lines with a session, one by one."""

    def __init__(self, text):
        self.known = known_events(text)
        self.offset = None
        self.latest = None
        self.is_timed = True

    def is_news(self, line):
        """Whether a line is of an event that only a later daemon has."""
        return line["event"] not in self.known

    def follow(self, expected, output):
        """Compares a received line with the one that the session expects."""
        expected, output = dict(expected), dict(output)
        if list(output)[0] != "event":
            raise ProtocolMismatch(f"event is not first in {output}")
        old, new = expected.pop("time", None), output.get("time")
        if (old is None) != (new is None):
            raise ProtocolMismatch(f"time has come or gone in {output}")
        if old is not None:
            self.follow_time(old, new)
        if expected.get("do") == "help" and isinstance(output.get("result"), str):
            # A text for people, which lists every new request.
            expected["result"] = output["result"]
        if "result" in expected:
            forget_times(expected["result"])
        compare(expected, output, expected["event"])

    def follow_time(self, old, new):
        if self.latest is not None and new < self.latest:
            raise ProtocolMismatch(f"time runs backwards from {self.latest} to {new}")
        self.latest = new
        if not self.is_timed:
            return
        if self.offset is None:
            self.offset = new - old
        if new - old != self.offset:
            raise ProtocolMismatch(f"time is {new - self.offset} and was {old}")


def forget_times(result):
    """Readings in replies have the time of the request."""
    for part in result if isinstance(result, list) else [result]:
        if isinstance(part, dict):
            part.pop("time", None)


def play(text, connection):
    """Runs a session with a daemon, and raises if a reply differs."""
    follower = SessionFollower(text)
    for mark, rest in session(text):
        if mark == ">":
            connection.send(rest)
        elif mark == "~":
            follower.is_timed = False
        else:
            output = connection.line()
            while output is not None and follower.is_news(output):
                output = connection.line()
            if output is None:
                raise ProtocolMismatch(f"the connection has ended before {rest}")
            follower.follow(json.loads(rest), output)
