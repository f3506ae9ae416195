"""Validates lines of the socket against the schema of the protocol.

Lines of the daemon are validated strictly: an unknown field, which other clients must ignore, is an error in
the daemon.
"""

import functools
import json
import pathlib

import fastjsonschema

SCHEMA = json.loads(
    (pathlib.Path(__file__).parents[2] / "docs" / "protocol.schema.json").read_text("utf-8")
)
EVENTS = SCHEMA["$defs"]["event_name"]["enum"]
VERBS = SCHEMA["$defs"]["from_client"]["properties"]["do"]["enum"]


def requests():
    """The `permission` and the `examples` of each of the program's requests, by their verbs."""
    return json.loads(pathlib.Path(__file__).with_name("requests.json").read_text("utf-8"))


def strict(schema):
    """The same schema without additional fields in objects.

    Objects that specify their additional fields themselves are unchanged.
    """
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(part) for key, part in schema.items()}
    if isinstance(closed.get("properties"), dict) and "object" in closed.get("type", ()):
        closed.setdefault("additionalProperties", False)
    return closed


STRICT = strict(SCHEMA)


@functools.cache
def compiled(definition):
    """A function that raises if a value does not match a definition of the strict schema.

    It is compiled, as thousands of lines are validated; fastjsonschema supports another draft than that of the
    schema, but the keywords in use mean the same in both, which test_schema.py verifies.
    """
    defs = STRICT["$defs"]
    return fastjsonschema.compile({"$ref": f"#/$defs/{definition}", "$defs": defs})


class SchemaViolation(AssertionError):
    """A line that does not match the protocol."""


def check(definition, line):
    try:
        compiled(definition)(line)
    except fastjsonschema.JsonSchemaException as error:
        raise SchemaViolation(f"{error.message.replace('data', definition, 1)} in {line}") from None


def hold(line):
    """Validates a line of the daemon."""
    if line.get("event") not in EVENTS:
        raise SchemaViolation(f"the protocol knows no such event: {line}")
    check(line["event"], line)


def hold_request(request):
    """Validates a request of the tests."""
    if request.get("do") not in VERBS:
        raise SchemaViolation(f"the protocol knows no such request: {request}")
    check(f"request_{request['do']}", request)
