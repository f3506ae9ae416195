"""The daemon's requests, its help, the schema and the manual page list the same: the schema is authoritative."""

import pathlib
import re

import pytest

from contract import EVENTS, SCHEMA, VERBS
from recording import Recording

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "pressured-protocol.7.scd").read_text("utf-8")
REQUESTS = PAGE.partition("\n# REQUESTS\n")[2].partition("\n# ")[0]

# The counters of each part of the reply to `stats`.
COUNTS = {"daemon": "daemon_counts", "devices": "device_counts", "clients": "client_counts"}


def in_schema(verb):
    """The optional and required arguments of a request."""
    definition = SCHEMA["$defs"][f"request_{verb}"]
    return set(definition["properties"]) - {"do", "id"}, set(definition["required"]) - {"do"}


def in_help(text):
    """The same for all verbs of the help text, in its order; required arguments are those of all forms of a verb."""
    found = {}
    for line in text.splitlines():
        if line.startswith(" "):
            continue
        words = line.partition("  ")[0].split()
        given = {word.strip("[]").partition("=")[0] for word in words[1:] if "=" in word}
        needed = {word.partition("=")[0] for word in words[1:] if "=" in word and word[0] != "["}
        known, always = found.get(words[0], (set(), needed))
        found[words[0]] = (known | given, always & needed)
    return found


def in_page():
    """The same for all headings of the requests in the manual page."""
    found = {}
    for line in re.findall(r"^\*[a-z_]+\*.*$", REQUESTS, re.M):
        if re.search(r"[^\]*]$", line):
            # It is a sentence.
            continue
        verbs, arguments = re.match(r"((?:\*[a-z_]+\*(?:, )?)+)(.*)$", line).groups()
        given = set(re.findall(r"\*([a-z_]+)\*", arguments))
        needed = given - set(re.findall(r"\[\*([a-z_]+)\*\]", arguments))
        for verb in re.findall(r"[a-z_]+", verbs):
            assert verb not in found, f"{verb} is described twice"
            found[verb] = (given, needed)
    return found


@pytest.fixture
def client(serve):
    return serve(Recording().pause(1).hold()).connect()


def test_the_greeting_lists_all_requests_and_events(client):
    hello = client.event("hello")
    assert hello["commands"] == VERBS
    assert hello["events"] == EVENTS


def test_the_help_text_lists_all_requests_with_their_arguments(client):
    found = in_help(client.ask("help")["result"])
    assert list(found) == VERBS
    assert found == {verb: in_schema(verb) for verb in VERBS}


def test_the_page_lists_all_requests_with_their_arguments():
    assert in_page() == {verb: in_schema(verb) for verb in VERBS}


def test_the_schema_has_all_requests_and_results():
    for kind in ("request", "result"):
        known = [name.removeprefix(f"{kind}_") for name in SCHEMA["$defs"] if name.startswith(f"{kind}_")]
        assert sorted(set(known) - {"id"}) == sorted(VERBS)


@pytest.mark.parametrize("part", COUNTS)
def test_counters_match_schema_and_page(client, part):
    definition = SCHEMA["$defs"][COUNTS[part]]
    assert definition["required"] == list(definition["properties"])
    answer = client.ask("stats")["result"]
    assert list(answer) == list(COUNTS)
    answered = answer[part] if part == "daemon" else answer[part][0]
    assert list(answered) == list(definition["properties"])
    (text,) = re.findall(rf"^\t_{part}_: (.*(?:\n\t(?!_).+)*)", REQUESTS, re.M)
    assert re.findall(r"\*([a-z_]+)\*", text) == list(definition["properties"])
