"""Lines of the socket, held against the protocol's schema.

Ours are held against a strict reading of it: what a stranger has to put up with, a field that the
schema does not know, is a mistake of ours.
"""

import json
import pathlib

import fastjsonschema

SCHEMA = json.loads(
    (pathlib.Path(__file__).parents[2] / "docs" / "protocol.schema.json").read_text("utf-8")
)
EVENTS = SCHEMA["$defs"]["event_name"]["enum"]
VERBS = SCHEMA["$defs"]["from_client"]["properties"]["do"]["enum"]


def strict(schema):
    """The same schema, in which no object has fields that are not named.

    An object that says itself what else it may have is left as it is.
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


def compiled(definition):
    """A function that raises where a value does not keep to a definition of the strict schema.

    Compiled, as thousands of lines are read; the draft that fastjsonschema knows and the one that the
    schema is of mean the same by the words that are used, which test_schema.py shows.
    """
    defs = STRICT["$defs"]
    return fastjsonschema.compile({"$ref": f"#/$defs/{definition}", "$defs": defs})


CHECKS = {}


class BrokenContract(AssertionError):
    """A line that the protocol does not know."""


def check(definition, line):
    if definition not in CHECKS:
        CHECKS[definition] = compiled(definition)
    try:
        CHECKS[definition](line)
    except fastjsonschema.JsonSchemaException as error:
        raise BrokenContract(f"{error.message.replace('data', definition, 1)} in {line}") from None


def hold(line):
    """Holds a line of the daemon's against the schema."""
    if line.get("event") not in EVENTS:
        raise BrokenContract(f"the protocol knows no such event: {line}")
    check(line["event"], line)


def hold_request(request):
    """Holds a request of ours against the schema."""
    if request.get("do") not in VERBS:
        raise BrokenContract(f"the protocol knows no such request: {request}")
    check(f"request_{request['do']}", request)
