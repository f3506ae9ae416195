"""Quick actions: listed, performed once each, and acknowledged with the result."""

import configparser
import os
import shlex
import shutil

import pytest

from connection import DEADLINE, assert_error, events_of, is_event
from daemon import ACTIVATE, first_connection
from recording import Recording
from verbs import ROOT

CONFIG = """
actions:
  - { type: local.next, title: Next page, subtitle: "of the score", icon: go-next, user_info: { by: "1" } }
  - { type: local.deep, title: Deep, icon_file: /usr/share/pixmaps/deep.png, on: { press: deep } }
"""

NEXT = {
    "type": "local.next",
    "title": "Next page",
    "subtitle": "of the score",
    "icon": "go-next",
    "icon_file": None,
    "user_info": {"by": "1"},
}


def resting():
    return Recording().pause(1).hold()


def test_actions_are_listed_as_configured(serve):
    client = serve(resting(), config=CONFIG).connect()
    first, second = [each for each in client.ask("actions")["result"] if each["type"].startswith("local.")]
    assert first == {**NEXT, "dynamic": False}
    assert (second["type"], second["icon_file"], second["user_info"]) == (
        "local.deep",
        "/usr/share/pixmaps/deep.png",
        {},
    )


def performed(built_in=False, clients=0):
    return {"handled": True, "built_in": built_in, "clients": clients}


NOT_HANDLED = {"handled": False, "built_in": False, "clients": 0}


def test_a_request_performs_an_action_once_for_all_clients_and_counts_them(serve):
    daemon = serve(resting(), config=CONFIG)
    asking = daemon.connect("subscribe events=action")
    asking.reply()
    assert asking.ask("perform type=local.next")["result"] == performed(clients=0)
    others = listening, _, deaf, _ = [
        daemon.connect(f"subscribe events={events} {more}")
        for events, more in (("action", ""), ("action,press", ""), ("weight", ""), ("action", "devices=0000-0000-0000"))
    ]
    for client in others:
        client.reply()
    assert asking.ask({"do": "perform", "type": "local.next", "id": 1})["result"] == performed(clients=2)
    for client in (listening, deaf):
        client.send("ping")
    lines = listening.until(lambda line: is_event(line, "reply"))
    (action,) = events_of(lines, "action")
    assert {key: action[key] for key in NEXT} == NEXT
    assert action["origin"] == "request"
    assert action["device"] == "0018-06cb-cd41"
    assert list(action)[:3] == ["event", "time", "device"]
    assert not events_of(deaf.until(lambda line: is_event(line, "reply")), "action")
    assert asking.ask("perform type=pressured.tare")["result"] == performed(built_in=True, clients=2)


def test_unknown_actions_are_not_handled(serve):
    client = serve(resting(), config=CONFIG).connect("subscribe events=action")
    client.reply()
    assert client.ask("perform type=local.none")["result"] == NOT_HANDLED
    assert client.ask("perform type=")["result"] == NOT_HANDLED
    assert_error(client.ask("perform"), "bad_argument")
    assert_error(client.ask("perform type=local.next device=0000-0000-0000"), "no_device")
    client.send("ping")
    assert not events_of(client.until(lambda line: is_event(line, "reply")), "action")


def test_built_in_actions_change_the_scale_and_report_the_result(serve):
    config = "actions: [{ type: local.tare, title: Nothing yet }]\n"
    client = serve(resting(), config=config).connect("subscribe events=weight max_hz=0")
    client.reply()
    client.ask("weigh")
    assert client.ask("perform type=local.tare")["result"] == performed(built_in=True)
    (state,) = client.ask("state")["result"]
    assert state["scale"]["tare_grams"] == state["scale"]["gross_grams"] > 0
    assert client.ask("perform type=pressured.untare")["result"] == performed(built_in=True)
    (state,) = client.ask("state")["result"]
    assert state["scale"]["tare_grams"] == 0
    # Two fingers rest on it, far from zero: the action is refused, and the reply reports that.
    assert client.ask("perform type=pressured.zero")["result"] == NOT_HANDLED
    assert client.ask("perform type=pressured.hold")["result"] == performed(built_in=True)
    (state,) = client.ask("state")["result"]
    assert state["scale"]["held"] is True


def test_a_press_performs_the_action_of_its_stage_in_the_same_frame(serve):
    recording = Recording().pause(300).touch([20, 100, 200, 255, 200, 100, 20], milliseconds=10)
    daemon = serve(recording, config=CONFIG)
    client = daemon.connect_early("subscribe events=press,action max_hz=0")
    lines = client.until(lambda line: is_event(line, "press", state="ended"))
    (action,) = events_of(lines, "action")
    assert (action["type"], action["origin"]) == ("local.deep", "press")
    crossing = lines[lines.index(action) - 1]
    assert (crossing["stage"], crossing["time"]) == ("deep", action["time"])


@pytest.mark.skipif(not shutil.which(ACTIVATE), reason=f"{ACTIVATE} is not installed")
def test_the_request_that_activates_the_daemon_is_performed_once(start, program, folder, write):
    """The request is the very first input of the socket."""
    recording, config = write(resting()), write(CONFIG, "config.yaml")
    for number in range(50 if "PRESSURED_THOROUGH" in os.environ else 15):
        path = os.path.join(folder, f"{number}.sock")
        process = start("-l", path, program, "run", "--replay", recording, "--config", config, program=ACTIVATE)
        client = first_connection(path)
        client.send("perform type=local.next")
        lines = client.until(lambda line: is_event(line, "reply", do="perform"))
        assert lines[-1]["result"] == performed()
        # The next client finds it done and not pending again.
        client.send("ping")
        lines += client.until(lambda line: is_event(line, "reply", do="ping"))
        assert len(events_of(lines, "action")) == 1
        client.close()
        process.terminate()
        assert process.wait(DEADLINE) == 0


def test_each_action_of_the_desktop_entry_is_performed_by_the_daemon(serve, run):
    daemon = serve(resting())
    client = daemon.connect("subscribe events=action")
    client.reply()
    client.ask("weigh")
    built_in = {each["type"] for each in client.ask("actions")["result"]}
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str
    entry.read(ROOT / "desktop" / "pressured.desktop", encoding="utf-8")
    # A menu shows it only if nothing hides it.
    assert not {"NoDisplay", "Hidden", "OnlyShowIn", "NotShowIn"} & set(entry["Desktop Entry"])
    # Choosing it shows something.
    assert entry["Desktop Entry"]["Exec"] == "pressured watch" and entry["Desktop Entry"]["Terminal"] == "true"
    names = [name for name in entry["Desktop Entry"]["Actions"].split(";") if name]
    assert [f"Desktop Action {name}" for name in names] == entry.sections()[1:]
    called = set()
    for name in names:
        command, verb, action = shlex.split(entry[f"Desktop Action {name}"]["Exec"])
        assert (command, verb) == ("pressured", "perform")
        called.add(action)
        # With two fingers on it, zero is refused: status 65, as for an action that was not handled.
        assert run(verb, action, "--socket", daemon.path).status == (65 if name == "zero" else 0)
    assert called == built_in
