"""A session as text, and the rules by which a later daemon may say more than it did.

    # A remark.
    > what the client sends
    < what the daemon says
    ~

Requests go out once everything above them has come. Up to `~` times are the recording's, and as far
from each other as they were; below it requests have come between, and times only never run backwards.

Protocol 1 is only ever added to. So a later daemon may have more fields in an object, more names in the
lists of hello, and events of names that the session does not know; everything else stays as it was.
"""

import json

# For people, or another one on each machine and in each version.
FREE = {"version", "message", "node"}

# Lists that grow, in which what was there keeps its order.
GROWING = {"commands", "events"}


class Broken(AssertionError):
    """Something is not as protocol 1 has it."""


def session(text):
    """The marks and the rests of a session's lines."""
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            yield line[0], line[2:]


def known_events(text):
    return {json.loads(rest)["event"] for mark, rest in session(text) if mark == "<"}


def compare(old, new, path=""):
    """Raises where a value is not what it was, but for what a later daemon may add."""
    name = path.rpartition(".")[2]
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                raise Broken(f"{path}.{key} is gone")
            compare(value, new[key], f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        if name in GROWING:
            new = [part for part in new if part in old]
        if len(old) != len(new):
            raise Broken(f"{path} has {len(new)} parts and had {len(old)}")
        for index, (left, right) in enumerate(zip(old, new)):
            compare(left, right, f"{path}[{index}]")
    elif name in FREE and type(old) is type(new):
        pass
    elif type(old) is not type(new) or old != new:
        # 77 and 77.0 are one number to a reader of JSON.
        if not (is_number(old) and is_number(new) and old == new):
            raise Broken(f"{path} is {new!r} and was {old!r}")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Follower:
    """Follows a session line by line."""

    def __init__(self, text):
        self.known = known_events(text)
        self.offset = None
        self.latest = None
        self.is_timed = True

    def is_news(self, line):
        """Whether a line is of an event that only a later daemon has."""
        return line["event"] not in self.known

    def follow(self, expected, said):
        """Holds what was said against what the session expects in its place."""
        expected, said = dict(expected), dict(said)
        if list(said)[0] != "event":
            raise Broken(f"event is not first in {said}")
        old, new = expected.pop("time", None), said.get("time")
        if (old is None) != (new is None):
            raise Broken(f"time has come or gone in {said}")
        if old is not None:
            self.follow_time(old, new)
        if expected.get("do") == "help" and isinstance(said.get("result"), str):
            # A text for people, which names every new request.
            expected["result"] = said["result"]
        if "result" in expected:
            forget_times(expected["result"])
        compare(expected, said, expected["event"])

    def follow_time(self, old, new):
        if self.latest is not None and new < self.latest:
            raise Broken(f"time runs backwards from {self.latest} to {new}")
        self.latest = new
        if not self.is_timed:
            return
        if self.offset is None:
            self.offset = new - old
        if new - old != self.offset:
            raise Broken(f"time is {new - self.offset} and was {old}")


def forget_times(result):
    """Readings in answers are of the moment at which they were asked for."""
    for part in result if isinstance(result, list) else [result]:
        if isinstance(part, dict):
            part.pop("time", None)


def play(text, connection):
    """Plays a session with a daemon, and raises where it answers otherwise than it did."""
    follower = Follower(text)
    for mark, rest in session(text):
        if mark == ">":
            connection.send(rest)
        elif mark == "~":
            follower.is_timed = False
        else:
            said = connection.line()
            while said is not None and follower.is_news(said):
                said = connection.line()
            if said is None:
                raise Broken(f"the connection has ended before {rest}")
            follower.follow(json.loads(rest), said)
