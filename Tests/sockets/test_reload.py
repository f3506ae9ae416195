"""A new configuration without a restart; an invalid one leaves the old one in effect."""

import os

import pytest

from connection import assert_error
from daemon import wait_until
from recording import Recording

NOTHING = {"changed": [], "needs_restart": []}


@pytest.fixture
def bare():
    """A pad that is not touched for an hour."""
    return Recording().pause(3_600_000).report()


def test_changes_are_named_by_their_keys(serve, bare, reload):
    daemon = serve(bare, config="always_read: true\n")
    client = daemon.connect()
    # The same values in another notation.
    assert reload(client, "always_read: true\npress: { hold_ms: 300 }\nregions: []\n")["result"] == NOTHING
    settings = """
socket: { mode: "0600", max_clients: 3 }
press: { hold_ms: 500, stages: [{ name: soft, press: 0.2, release: 0.1 }] }
regions: [{ name: left, x: 0, y: 0, width: 0.5, height: 1 }]
"""
    assert reload(client, settings)["result"] == {
        "changed": [
            "socket.mode", "socket.max_clients", "always_read", "press.feel", "press.stages", "press.hold_ms",
            "regions",
        ],
        "needs_restart": ["socket.mode"],
    }  # fmt: skip
    assert "socket.mode: takes effect only after a restart" in daemon.log
    assert client.ask("reload")["result"] == NOTHING


def test_an_invalid_file_is_refused_with_the_location(serve, bare, reload, folder):
    daemon = serve(bare, config="actions: [{ type: local.a, title: A }]\n")
    client = daemon.connect()
    path = os.path.join(folder, "config0.yaml")
    reply = reload(client, "scale:\n  range_gram: 5\nalways_read: maybe\n")
    assert_error(reply, "failed")
    sentence = reply["error"]["message"]
    assert f'{path}:2:3: unknown key "range_gram"; did you mean "range_grams"?' in sentence
    assert f"{path}:3:14: always_read must be true or false" in sentence
    assert sentence.endswith("; the previous configuration stays in effect")
    # The log contains the same as the reply.
    for fault in sentence.split("; the prev")[0].split(f"; {path}"):
        assert fault in daemon.log
    assert daemon.log.endswith("the previous configuration stays in effect\n")
    assert client.ask("actions")["result"][0]["type"] == "local.a"

    assert_error(reload(client, "\n".join(f"key{n}: 1" for n in range(9))), "failed")
    os.remove(path)
    reply = client.ask("reload")
    assert_error(reply, "failed")
    assert f"{path}: there is no such file" in reply["error"]["message"]

    assert reload(client, "")["result"]["changed"] == ["actions"]
    assert all(action["type"] != "local.a" for action in client.ask("actions")["result"])


def test_an_optional_file_may_appear_and_disappear(serve, bare, folder, write):
    directory = os.path.join(folder, "settings")
    os.mkdir(directory)
    client = serve(bare, variables={"CONFIGURATION_DIRECTORY": directory}).connect()
    assert client.ask("reload")["result"] == NOTHING
    path = write("always_read: true\n", "settings/config.yaml")
    assert client.ask("reload")["result"]["changed"] == ["always_read"]
    os.remove(path)
    assert client.ask("reload")["result"]["changed"] == ["always_read"]


def test_a_client_above_the_current_limit_is_notified_and_disconnected(serve, bare, reload):
    daemon = serve(bare, config="")
    first, second = daemon.connect(), daemon.connect()
    assert second.ask("ping")["ok"]
    assert reload(first, "socket: { max_clients: 1 }\n")["ok"]
    assert second.ask("ping")["ok"]
    (refusal,) = daemon.connect().rest()
    assert_error(refusal, "busy")
    assert (refusal["id"], refusal["do"]) == (None, None)
    assert reload(first, "socket: { max_clients: 2 }\n")["ok"]
    assert_error(daemon.connect().line(), "busy")
    second.close()
    wait_until(lambda: (daemon.connect().line() or {}).get("event") == "hello")


def test_an_unknown_user_causes_a_warning_in_the_log(serve, bare, reload):
    text = "control: {{ users: [{}] }}\n"
    daemon = serve(bare, config=text.format("nobody-here"))
    client = daemon.connect()
    assert client.ask("ping")["ok"]
    assert ':1:20: there is no user "nobody-here"' in daemon.log
    assert reload(client, text.format("none-either"))["result"]["changed"] == ["control.users"]
    assert 'there is no user "none-either"' in daemon.log
