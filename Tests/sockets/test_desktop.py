"""The actions of the desktop entry exist in the daemon."""

import configparser
import shlex

from recording import Recording
from verbs import ROOT


def test_each_action_of_the_desktop_entry_is_performed_by_the_daemon(serve, run):
    daemon = serve(Recording().pause(1).hold())
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
