"""Requests and their replies, well-formed or not. An invalid line only causes an error reply to its sender."""

import pytest

from connection import assert_error, events_of
from contract import EVENTS, SCHEMA, VERBS, SchemaViolation, hold_request
from recording import DEVICE, Recording

LIMIT = 16 * 1024


@pytest.fixture
def daemon(serve):
    return serve(Recording().pause(1).hold())


@pytest.fixture
def client(daemon):
    client = daemon.connect()
    client.event("heaviest")
    return client


def test_devices_lists_the_devices_of_the_greeting(daemon, client):
    (device,) = client.ask("devices")["result"]
    present = daemon.connect().event("device")
    assert device == {key: value for key, value in present.items() if key not in ("event", "time", "change")}


def test_lines_may_be_blank_or_end_with_crlf(client):
    client.send(b" \n\t\r\nping\r\n" + b'{"do":"version","id":1}\r\n')
    assert client.reply()["do"] == "ping"
    assert client.reply()["id"] == 1


def test_the_greeting_lists_the_names_of_the_schema(daemon):
    hello = daemon.connect().event("hello")
    assert hello["events"] == EVENTS
    assert set(hello["commands"]) <= set(VERBS)


def test_a_request_may_arrive_byte_by_byte(client):
    for byte in b'{"do":"ping","id":"slow"}\n':
        client.send(bytes([byte]))
        # The daemon reads in between, and must not treat a part as the complete line.
        assert b"reply" not in client.buffer
    assert client.reply()["id"] == "slow"


def padded(length):
    """A request of that many bytes without its terminator."""
    head, tail = b'{"do":"ping","id":"', b'"}'
    return head + b"x" * (length - len(head) - len(tail)) + tail


def test_a_request_of_exactly_16_kibibytes_is_read(client):
    reply = client.ask(padded(LIMIT) + b"\n")
    assert reply["ok"] is True
    assert len(reply["id"]) == LIMIT - len(padded(0).replace(b"x", b""))


def test_a_longer_request_is_refused_and_the_connection_closed(daemon, client):
    other = daemon.connect()
    client.send(b"ping\n" + padded(LIMIT + 1) + b"\n")
    before, reply = events_of(client.rest(), "reply")
    assert before["ok"] is True
    assert_error(reply, "line_too_long")
    assert other.ask("ping")["ok"] is True


def test_an_endless_line_is_not_read(daemon, client):
    other = daemon.connect()
    try:
        while True:
            client.send(b"x" * (1 << 16))
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert other.ask("ping")["ok"] is True


STRANGE = [
    None, True, False, 0, 1, -1, 7, 0.5, 5.0, 1e12, -1e12, 2**63, 2**63 - 1, 101, 500_000, 1_000_001, "", "1", "true", "begin",
    "point", "weight", "no.action", DEVICE, [], [None], ["weight"], ["strange"], [5], {}, {"strange": 1},
]  # fmt: skip

# Each request with its required arguments only.
LEAST = {
    "add_action": {"type": "local.a", "title": "A"}, "remove_action": {"type": "local.a"},
    "weigh": {"timeout_ms": 0}, "perform": {"type": "no.action"}, "calibrate": {"step": "cancel"}, "grab": {"on": False},
}  # fmt: skip


def variants(verb):
    """A request with every unusual value in every place, with each part left out, and with one too many."""
    least = {"do": verb, **LEAST.get(verb, {})}
    yield least
    yield {**least, "strange": 1}
    if verb != "weigh":
        yield {"do": verb}
    for name in set(SCHEMA["$defs"][f"request_{verb}"]["properties"]) - {"do"}:
        for value in STRANGE:
            # Such a long timeout would block the test.
            if name != "timeout_ms" or value not in (None, 500_000, 1_000_001):
                yield {**least, name: value}
    for value in STRANGE:
        if verb == "calibrate":
            yield {**least, "step": "point", "grams": value}
        if verb == "add_action":
            yield {**least, "press": "deep", "fingers": value, "region": "left", "device": "*"}
            yield {**least, "user_info": {"a": value}}
        if verb == "target":
            yield {**least, "grams": 5, "tolerance": value}


def fits(request):
    try:
        hold_request(request)
    except SchemaViolation:
        return False
    return True


@pytest.mark.parametrize("verb", VERBS)
def test_the_daemon_is_as_strict_as_the_schema(serve, verb):
    client = serve(Recording().pause(1).hold(), "--loop").connect()
    for request in variants(verb):
        reply = client.ask(request)
        is_bad = not reply["ok"] and reply["error"]["code"] == "bad_argument"
        assert is_bad != fits(request), (request, reply)
        assert reply["do"] == verb
