"""The protocol only grows: what a client of version 0.1 sends and reads is still there.

`protocol-0.1.json` has the fields of that version's schema by their paths, each with its types and words. Lines of its daemon are in
`protocol-0.1.session`, which tests of the client read.
"""

import json
import pathlib

import pytest

from contract import SCHEMA

FROZEN = json.loads(pathlib.Path(__file__).with_name("protocol-0.1.json").read_text("utf-8"))

# The types of values in a schema's words.
NAMES = {bool: "boolean", int: "integer", str: "string", type(None): "null"}


def parts(definition, schema):
    """The alternatives of a definition, without references."""
    if "$ref" in definition:
        target = schema
        for key in definition["$ref"].split("/")[1:]:
            target = target[key]
        yield from parts(target, schema)
    for each in definition.get("anyOf", []):
        yield from parts(each, schema)
    yield definition


def fields(definition, schema, path=""):
    """(path, type or word) for each value within a definition."""
    for part in parts(definition, schema):
        types = part.get("type", [])
        yield from ((path, name) for name in ([types] if isinstance(types, str) else types))
        for value in [part["const"]] if "const" in part else part.get("enum", []):
            yield path, NAMES[type(value)]
            if isinstance(value, str):
                yield path, value
        for name, inner in part.get("properties", {}).items():
            yield from fields(inner, schema, f"{path}.{name}" if path else name)
        if isinstance(part.get("items"), dict):
            yield from fields(part["items"], schema, f"{path}[]")


def lost(name, schema):
    """What a definition had in 0.1 and does not have in a schema."""
    now = set(fields(schema["$defs"].get(name, {}), schema))
    return [(path, what) for path, whats in FROZEN[name]["fields"].items() for what in whats if (path, what) not in now]


@pytest.mark.parametrize("name", FROZEN)
def test_what_was_there_is_still_there(name):
    assert lost(name, SCHEMA) == []
    if name.startswith("request_"):
        assert set(SCHEMA["$defs"][name].get("required", [])) <= set(FROZEN[name]["required"])


def test_a_renamed_field_is_noticed():
    contact = SCHEMA["$defs"]["contact"]
    renamed = {"force_at_peak" if name == "peak_force" else name: part for name, part in contact["properties"].items()}
    schema = {"$defs": {**SCHEMA["$defs"], "contact": {**contact, "properties": renamed}}}
    assert {path for path, _ in lost("contact", schema)} == {"peak_force"}
