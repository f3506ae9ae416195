"""The manual page of the protocol documents the complete schema."""

import json
import re

import pytest

from contract import EVENTS, SCHEMA, VERBS, hold, hold_request
from verbs import ROOT

PAGE = (ROOT / "docs" / "pressured-protocol.7.scd").read_text("utf-8")


def section(title, mark="# "):
    """The text below a title, up to the next one of the same or a higher level."""
    _, _, rest = PAGE.partition(f"\n{mark}{title}\n")
    assert rest, f"the page has no section {title}"
    return re.split(rf"\n#{{1,{len(mark) - 1}}} ", rest)[0]


def fields(definition):
    """The names of all fields in a definition, including nested ones."""
    if isinstance(definition, list):
        return set().union(*map(fields, definition)) if definition else set()
    if not isinstance(definition, dict):
        return set()
    if "$ref" in definition:
        part = SCHEMA
        for key in definition["$ref"].split("/")[1:]:
            part = part[key]
        return fields(part)
    names = set(definition.get("properties", {}))
    parts = [*definition.get("properties", {}).values(), definition.get("items")]
    return names.union(*map(fields, parts))


def names_in(text):
    return set(re.findall(r"\*([a-z0-9_]+)\*", text))


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_is_documented_with_all_its_fields(event):
    text = section(event, "## ")
    definition = SCHEMA["$defs"][event]
    if event in ("hello", "reply", "missed", "access"):
        expected = set(definition["properties"]) - {"event"}
    else:
        expected = fields(definition) - {"event", "time", "device"}
    assert expected <= names_in(text)
    # The values of enumerations in the fields of the event itself.
    for word in {word for part in definition["properties"].values() for word in part.get("enum", ()) if word}:
        assert f"_{word}_" in text, f"{word} is not explained"


@pytest.mark.parametrize("verb", VERBS)
def test_each_request_is_documented_with_its_arguments_and_its_result(verb):
    lines = re.split(r"\n(?=\*)", section("REQUESTS"))
    text = next(line for line in lines if f"*{verb}*" in line.splitlines()[0])
    arguments = set(SCHEMA["$defs"][f"request_{verb}"]["properties"]) - {"do", "id"}
    assert arguments <= names_in(text.splitlines()[0])
    known = names_in(PAGE)
    assert fields(SCHEMA["$defs"][f"result_{verb}"]) <= known


def test_each_error_is_documented():
    codes = set(SCHEMA["$defs"]["error"]["properties"]["code"]["enum"])
    assert codes <= names_in(section("ERRORS"))


def test_the_page_has_no_names_missing_from_the_schema():
    known = fields(SCHEMA["$defs"]["from_daemon"]) | set(EVENTS) | set(VERBS)
    for part in SCHEMA["$defs"].values():
        known |= fields(part)
    listed = set(re.findall(r"^\|?[\[|] +((?:\*[a-z0-9_]+\*(?:, )?)+)$", PAGE, re.MULTILINE))
    names = {name for cell in listed for name in names_in(cell)}
    codes = set(SCHEMA["$defs"]["error"]["properties"]["code"]["enum"])
    assert len(names) > 50
    assert names <= known | codes


def test_the_session_matches_the_schema():
    text = section("A SESSION")
    lines = [line for line in text.splitlines() if "{" in line]
    assert len(lines) > 10
    for line in lines:
        if line.startswith("> "):
            request = json.loads(line[2:])
            if request["do"] in VERBS:
                hold_request(request)
        else:
            hold(json.loads(line))
