"""A client with control rights adds quick actions, which are removed with its connection."""

import pytest

from connection import assert_error
from daemon import wait_until
from recording import Recording

LAMP = {"do": "add_action", "type": "lamp.toggle", "title": "Lamp"}
MOST_PER_CLIENT, MOST_OF_CLIENTS = 32, 256


@pytest.fixture
def daemon(serve):
    return serve(Recording().pause(1).hold())


def types(client):
    return [action["type"] for action in client.ask("actions")["result"]]


def added(number):
    return {**LAMP, "type": f"lamp.{number}"}


def test_an_action_exists_as_long_as_its_client(daemon):
    client, other = daemon.connect(), daemon.connect()
    before = other.ask("actions")["result"]
    lamp = {
        "type": "lamp.toggle", "title": "Lamp", "subtitle": "On or off", "icon": "lamp", "icon_file": "/lamp.png",
        "user_info": {"room": "Küche", "empty": ""},
    }  # fmt: skip
    result = client.ask({"do": "add_action", **lamp})["result"]
    assert result == {**lamp, "dynamic": True}
    actions = other.ask("actions")["result"]
    assert actions[0] == result and actions[1:] == before
    assert other.ask("perform type=lamp.toggle")["result"]["handled"] is True
    event = client.event("action")
    assert (event["type"], event["title"], event["origin"]) == ("lamp.toggle", "Lamp", "request")
    client.close()
    wait_until(lambda: other.ask("actions")["result"] == before)


def test_an_action_is_removed_by_the_client_that_added_it(daemon):
    client, other = daemon.connect(), daemon.connect()
    client.ask(LAMP)
    assert_error(other.ask("remove_action type=lamp.toggle"), "failed")
    assert "lamp.toggle" in types(other)
    assert client.ask("remove_action type=lamp.toggle")["result"] == {}
    assert "lamp.toggle" not in types(other)
    assert_error(client.ask("remove_action type=lamp.toggle"), "failed")
    assert_error(client.ask("remove_action type=pressured.tare"), "failed")
    assert client.ask(LAMP)["ok"]


def test_types_are_unique(serve):
    daemon = serve(
        Recording().pause(1).hold(), config="actions: [{ type: local.mine, title: Mine }]\n")
    client, other = daemon.connect(), daemon.connect()
    assert client.ask(LAMP)["ok"]
    for asker in (client, other):
        for taken in ("lamp.toggle", "local.mine", "pressured.tare"):
            reply = asker.ask({**LAMP, "type": taken})
            assert_error(reply, "failed")
            assert taken in reply["error"]["message"]


def test_it_is_performed_by_a_press_from_the_next_touch_on(serve):
    touches = Recording().pause(1)
    for _ in range(4):
        touches.touch([20, 100, 200, 250, 200, 100, 20], milliseconds=20)
    client = serve(touches, "--loop").connect()
    assert client.ask({**LAMP, "press": "deep", "fingers": "any"})["ok"]
    assert client.ask({**LAMP, "type": "lamp.two", "press": "deep", "fingers": 2})["ok"]
    for _ in range(3):
        lines = client.until(lambda line: line["event"] == "action")
        assert (lines[-1]["type"], lines[-1]["origin"]) == ("lamp.toggle", "press")
    client.ask("remove_action type=lamp.toggle")
    # The current touch keeps the rules that applied when it began.
    client.event("contact", phase="ended")
    client.event("contact", phase="began")
    lines = client.until(lambda line: line["event"] == "contact" and line["phase"] == "ended")
    assert not [line for line in lines if line["event"] == "action"]


def test_unknown_stages_and_regions_are_refused(daemon):
    client = daemon.connect()
    reply = client.ask({**LAMP, "press": "deeper"})
    assert_error(reply, "failed")
    assert "light, deep" in reply["error"]["message"]
    assert_error(client.ask({**LAMP, "press": "deep", "region": "left"}), "failed")
    assert_error(client.ask({**LAMP, "fingers": 2}), "bad_argument")
    assert "lamp.toggle" not in types(client)


def test_a_client_has_a_limit_of_actions(daemon):
    client, other = daemon.connect(), daemon.connect()
    for number in range(MOST_PER_CLIENT):
        assert client.ask(added(number))["ok"]
    assert_error(client.ask(added("more")), "failed")
    assert other.ask(added("other"))["ok"]
    client.ask("remove_action type=lamp.0")
    assert client.ask(added("more"))["ok"]


def test_all_clients_share_a_limit_of_actions(daemon):
    for number in range(MOST_OF_CLIENTS // MOST_PER_CLIENT):
        replies = daemon.connect().ask(*(added(f"{number}.{index}") for index in range(MOST_PER_CLIENT)))
        assert all(reply["ok"] for reply in replies)
    last = daemon.connect()
    assert_error(last.ask(added("more")), "failed")
    assert len(types(last)) == MOST_OF_CLIENTS + 5


@pytest.mark.parametrize("name, longest", [("title", 256), ("icon_file", 4096)])
def test_texts_have_a_maximum_length(daemon, name, longest):
    client = daemon.connect()
    # Characters are counted, not bytes; a long path must still fit into a request.
    letter = "ä" if longest < 1000 else "a"
    for text, is_right in ((letter * longest, True), (letter * (longest + 1), False), ("", False), ("a\n", False)):
        assert client.ask({**LAMP, name: text})["ok"] is is_right, text
        client.ask("remove_action type=lamp.toggle")


def test_infos_have_a_maximum_number_and_length(daemon):
    client = daemon.connect()
    for number, (info, is_right) in enumerate((
        ({str(index): "" for index in range(16)}, True), ({str(index): "" for index in range(17)}, False),
        ({"a": "x" * 1024}, True), ({"a": "x" * 1025}, False), ({"k" * 128: "x"}, True), ({"k" * 129: "x"}, False),
        ({"": "x"}, False), ({"a": 1}, False), (["a"], False),
    )):  # fmt: skip
        reply = client.ask({**added(number), "user_info": info})
        assert reply["ok"] is is_right, (info, reply)


def test_a_reload_keeps_them_and_the_file_comes_first(serve, reload):
    daemon = serve(Recording().pause(1).hold(), config="always_read: true\n")
    client = daemon.connect()
    client.ask(LAMP, added("two"))
    assert reload(client, "actions: [{ type: lamp.toggle, title: Of the file }]\n")["ok"]
    actions = client.ask("actions")["result"]
    assert [(action["title"], action["dynamic"]) for action in actions[:2]] == [
        ("Of the file", False), ("Lamp", True),
    ]
    assert actions[1]["type"] == "lamp.two"
