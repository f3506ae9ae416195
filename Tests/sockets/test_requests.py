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


def as_words(request):
    def word(value):
        return ",".join(value) if isinstance(value, list) else value

    return " ".join([request["do"], *(f"{key}={word(value)}" for key, value in request.items() if key != "do")])


@pytest.mark.parametrize("form", [dict, as_words], ids=["json", "words"])
class TestVerbs:
    def ask(self, client, form, **request):
        reply = client.ask(form(request))
        assert list(reply) == ["event", "id", "do", "ok", "result"]
        assert reply["do"] == request["do"]
        assert reply["ok"] is True
        return reply["result"]

    def test_help_is_a_text_that_names_every_command(self, client, form):
        text = self.ask(client, form, do="help")
        for command in ["help", "ping", "version", "devices", "state", "subscribe"]:
            assert f"\n{command} " in f"\n{text}"

    def test_ping_has_an_empty_result(self, client, form):
        assert self.ask(client, form, do="ping") == {}

    def test_version_reports_program_and_protocol(self, client, form):
        versions = self.ask(client, form, do="version")
        assert versions["protocol"] == 1
        assert versions["version"]

    def test_devices_lists_the_devices_of_the_greeting(self, daemon, client, form):
        (device,) = self.ask(client, form, do="devices")
        present = daemon.connect().event("device")
        for key in ["event", "time", "change"]:
            del present[key]
        assert device == present

    def test_state_lists_the_contacts(self, client, form):
        (state,) = self.ask(client, form, do="state")
        assert state["device"] == DEVICE
        assert [contact["raw"] for contact in state["contacts"]] == [60, 90]

    def test_state_of_one_device(self, client, form):
        assert len(self.ask(client, form, do="state", device=DEVICE)) == 1

    def test_subscribe_returns_the_subscription_in_effect(self, client, form):
        result = self.ask(client, form, do="subscribe", max_hz=10)
        assert result["max_hz"] == 10
        assert result["min_change_grams"] == 0
        assert "weight" in result["events"]

    def test_state_of_an_unknown_device_is_refused(self, client, form):
        reply = client.ask(form({"do": "state", "device": "0000-0000-0000"}))
        assert_error(reply, "no_device")

    def test_an_unknown_verb_is_refused(self, client, form):
        reply = client.ask(form({"do": "nonsense"}))
        assert_error(reply, "unknown_command")
        assert reply["do"] == "nonsense"
        assert "nonsense" in reply["error"]["message"]

    def test_an_unknown_argument_is_refused(self, client, form):
        reply = client.ask(form({"do": "subscribe", "max_hertz": 10}))
        assert_error(reply, "bad_argument")
        assert "max_hertz" in reply["error"]["message"]

def test_the_greeting_lists_the_names_of_the_schema(daemon):
    hello = daemon.connect().event("hello")
    assert hello["events"] == EVENTS
    assert set(hello["commands"]) <= set(VERBS)


def test_typed_lists_are_split_at_commas(client):
    result = client.ask("subscribe events=weight,heaviest max_hz=10 min_change_grams=2.5")["result"]
    assert result == {
        "events": ["weight", "heaviest"], "devices": None, "max_hz": 10, "min_change_grams": 2.5,
    }


@pytest.mark.parametrize("rate", [1e-3, 1e-13, 1e-300, 5e-324, 100_000], ids=str)
def test_no_rate_is_too_small_or_too_large(serve, rate):
    daemon = serve(Recording().pause(1).touch(range(20, 60), milliseconds=2), "--loop")
    client = daemon.connect({"do": "subscribe", "max_hz": rate})
    assert client.reply()["ok"] is True
    for _ in range(2):
        client.event("contact", phase="ended")
    assert client.ask("ping")["ok"] is True


@pytest.mark.parametrize(
    "given",
    [0, 7, -3, 1.5, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), 1e19, "", "seven", "ä\"\\\n\u0001\U0001f590", None],
    ids=repr,
)
def test_the_id_is_returned_unchanged(client, given):
    reply = client.ask({"do": "ping", "id": given})
    assert reply["ok"] is True
    assert reply["id"] == given
    assert isinstance(reply["id"], type(given))


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"{}{}",
        b'{"do":"ping"',
        b'{"do":"ping"} more',
        b"{'do':'ping'}",
        b'{"do":nan}',
        b'{"do":"\xff\xfe"}',
        b'{"do":"ping\x00"',
        b'{"a":' * 2000,
        b"{" + b"[" * 10_000,
        b'{"do":"ping","x":' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
    ids=lambda line: repr(line[:20]),
)
def test_invalid_json_is_refused(client, line):
    reply = client.ask(line + b"\n")
    assert_error(reply, "bad_json")
    assert (reply["id"], reply["do"]) == (None, None)
    assert client.ask("ping")["ok"] is True


@pytest.mark.parametrize(
    "line",
    [b"\x00", b"\xff\xfe\xfd", b"GET / HTTP/1.1", b"[1,2]", b"\"ping\"", b"=", b",", b"a=b=c", bytes(range(1, 10)),
     bytes(byte for byte in range(128, 256))],
    ids=repr,
)
def test_garbage_is_refused_or_skipped(client, line):
    client.send(line + b"\n", {"do": "ping", "id": "after"})
    replies = events_of(client.until(lambda line: line.get("id") == "after"), "reply")
    assert len(replies) <= 2
    for reply in replies[:-1]:
        assert reply["ok"] is False


def test_blank_lines_are_skipped(client):
    client.send("", "   ", "\t", "\r", "ping")
    assert client.reply()["do"] == "ping"


def test_lines_may_end_with_crlf(client):
    client.send(b"ping\r\n" + b'{"do":"version","id":1}\r\n')
    assert client.reply()["ok"] is True
    assert client.reply()["id"] == 1


def test_space_around_a_request_is_ignored(client):
    assert client.ask('   {"do":"ping","id":3}  ')["id"] == 3
    assert client.ask("\t ping \t id=3")["id"] == "3"


def test_requests_in_one_packet_are_answered_in_order(client):
    replies = client.ask(*[{"do": "ping", "id": number} for number in range(500)])
    assert [reply["id"] for reply in replies] == list(range(500))


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
    client.send(padded(LIMIT + 1) + b"\n")
    (*_, reply) = client.rest()
    assert_error(reply, "line_too_long")
    assert other.ask("ping")["ok"] is True


def test_an_unterminated_line_is_refused_before_it_ends(daemon, client):
    other = daemon.connect()
    try:
        for _ in range(64):
            client.send(b"x" * LIMIT)
    except (BrokenPipeError, ConnectionResetError):
        pass
    replies = events_of(client.rest(), "reply")
    assert [reply["error"]["code"] for reply in replies] == ["line_too_long"]
    assert other.ask("ping")["ok"] is True


def test_a_very_long_line_is_read_before_the_connection_is_closed(daemon, client):
    # All at once, like a file: nothing is read before all is sent.
    client.send(b"x" * 900_000)
    lines = []
    while line := client.socket.recv(1 << 16):
        lines.append(line)
    *_, last = b"".join([client.buffer, *lines]).splitlines()
    assert b'"code":"line_too_long"' in last
    # It was closed in order, and not reset.
    assert client.socket.recv(1) == b""


def test_an_endless_line_is_not_read(daemon, client):
    other = daemon.connect()
    try:
        while True:
            client.send(b"x" * (1 << 16))
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert other.ask("ping")["ok"] is True


def test_requests_before_a_line_that_is_too_long_are_answered(client):
    client.send(b"ping\n" + b"x" * (LIMIT + 1))
    replies = events_of(client.rest(), "reply")
    assert [reply["ok"] for reply in replies] == [True, False]


def test_a_disconnect_within_a_request_does_not_affect_others(daemon, client):
    for _ in range(20):
        daemon.connect(b'{"do":"state"').close()
        daemon.connect("state", "state").close()
    assert client.ask("ping")["ok"] is True


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
