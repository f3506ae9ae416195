"""When a client shuts down its sending side: after a request it receives the replies and nothing more."""

import pytest

from connection import events_of
from recording import Recording


@pytest.fixture
def daemon(serve):
    """A finger presses continuously, so that a stream that goes on is visible."""
    return serve(Recording().pause(1).touch(range(20, 220), milliseconds=1), "--loop")


def assert_stream_continues(client):
    client.event("weight")
    client.event("contact", phase="ended")
    client.event("contact", phase="began")


def answers(client):
    """The replies up to the end of the connection, which the daemon must close."""
    return events_of(client.rest(), "reply")


def test_after_a_request_the_reply_is_sent_and_the_connection_closed(daemon):
    client = daemon.connect("ping")
    client.shut()
    assert [reply["do"] for reply in answers(client)] == ["ping"]


def test_after_subscribe_among_other_requests_the_stream_continues(daemon):
    client = daemon.connect("ping", "subscribe", "version")
    client.shut()
    assert [client.reply()["do"] for _ in range(3)] == ["ping", "subscribe", "version"]
    assert_stream_continues(client)


def test_without_a_request_the_stream_continues(daemon):
    client = daemon.connect()
    client.shut()
    assert_stream_continues(client)


def test_all_replies_are_sent_in_order_before_the_end(daemon):
    client = daemon.connect(*[{"do": "ping", "id": number} for number in range(1000)])
    client.shut()
    assert [reply["id"] for reply in answers(client)] == list(range(1000))


def test_an_unterminated_last_line_is_a_request(daemon):
    client = daemon.connect(b"version\nping")
    client.shut()
    assert [reply["do"] for reply in answers(client)] == ["version", "ping"]
