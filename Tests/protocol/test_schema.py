"""The schema itself: it is valid for its draft, it accepts the lines of the daemon, and it rejects errors."""

import copy
import json
import re

import pytest

import contract
from contract import EVENTS, SCHEMA, STRICT, VERBS, SchemaViolation, hold
from verbs import ROOT

jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed")

# Those that expect whole lines, not only some fields of them.
SCENARIOS = [
    path for path in sorted((ROOT / "Tests" / "PressureKitTests" / "Scenarios").rglob("*.scenario"))
    if not re.search(r"^(only|without) .*:", path.read_text("utf-8"), re.M)]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "docs/pressured-protocol.7.scd"]


def lines_in(paths):
    """All lines of the protocol in some texts, without those that are shortened for readers."""
    for path in paths:
        for text in path.read_text("utf-8").splitlines():
            if re.match(r'\{"event":', text) and "…" not in text:
                yield json.loads(text)


# Not in any of them.
RARE = [
    {"event": "missed", "count": 3},
    {"event": "access", "time": 7, "seat": "seat0", "state": "suspended", "reason": "locked"},
]


def examples():
    """A line of each event and of each reply, with as many fields as possible."""
    fullest = {}
    for line in [*lines_in(SCENARIOS + PAGES), *RARE]:
        kind = (line["event"], line.get("do"), line.get("ok"), line.get("phase"))
        if len(json.dumps(line)) > len(json.dumps(fullest.get(kind, ""))):
            fullest[kind] = line
    return list(fullest.values())


def places(value, path=()):
    """The path to each value in a line, except that of the line itself."""
    parts = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for key, part in parts:
        yield (*path, key)
        if isinstance(part, (dict, list)):
            yield from places(part, (*path, key))


def altered(line, path, change):
    """A copy of a line in which the value at a path was changed."""
    line = copy.deepcopy(line)
    holder = line
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return line


def rename(holder, key):
    holder[f"{key}s"] = holder.pop(key)


def drop(holder, key):
    del holder[key]


def put(value):
    def change(holder, key):
        holder[key] = copy.deepcopy(value)

    return change


STRANGE = [None, True, -1, 7, 0.5, 1e12, "", "strange", [], [None], {}, {"strange": 1}]


def mutants(line):
    """Lines with errors that someone who has misread the page might send."""
    for path in places(line):
        changes = [put(value) for value in STRANGE] + [drop]
        if isinstance(path[-1], str):
            changes.append(rename)
        yield from (altered(line, path, change) for change in changes)


def fits(line):
    try:
        hold(line)
    except SchemaViolation:
        return False
    return True


def test_the_schema_is_valid_for_its_draft():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def assert_in_order(lines):
    for line in lines:
        hold(line)
        fields = list(SCHEMA["$defs"][line["event"]]["properties"])
        assert list(line) == [name for name in fields if name in line]


@pytest.mark.parametrize("path", SCENARIOS + PAGES, ids=lambda path: path.name)
def test_the_lines_of_scenarios_and_pages_match_the_schema_in_its_order(path):
    assert_in_order(lines_in([path]))


def test_rare_lines_match_the_schema_in_its_order():
    assert_in_order(RARE)


def test_there_is_a_line_of_each_event_to_modify():
    assert {line["event"] for line in examples()} == set(EVENTS)


@pytest.mark.parametrize("line", examples(), ids=lambda line: "-".join(
    str(line[key]) for key in ("event", "do", "ok", "phase") if key in line))
def test_a_renamed_field_is_detected(line):
    for path in places(line):
        # Fields passed on to clients that perform an action may have any name, and so may unused ones.
        if "user_info" in path[:-1] or not isinstance(path[-1], str):
            continue
        broken = altered(line, path, rename)
        assert not fits(broken), f"{path} was renamed without an error"


def test_a_value_of_another_type_is_detected():
    line = next(line for line in examples() if line["event"] == "weight")
    for name, value in [
        ("time", 0.5), ("time", -1), ("device", "event5"), ("total_grams", "12"), ("center_x", 1.5),
        ("shared_sensor", 0), ("contacts", None),
    ]:  # fmt: skip
        assert fits(line) and not fits({**line, name: value}), name


def test_an_unknown_event_or_request_is_detected():
    with pytest.raises(SchemaViolation):
        hold({"event": "gravity", "time": 1, "device": "0018-06cb-cd41"})
    with pytest.raises(SchemaViolation):
        contract.hold_request({"do": "gravity"})


def test_the_compiled_schema_equals_the_reference_implementation():
    """The compiled validator is fast, jsonschema is the reference; they must agree."""
    lines = 0
    for line in examples():
        schema = {"$ref": f"#/$defs/{line['event']}", "$defs": STRICT["$defs"]}
        referee = jsonschema.Draft202012Validator(schema)
        for candidate in [line, *mutants(line)]:
            if candidate.get("event") == line["event"]:
                assert fits(candidate) == referee.is_valid(candidate), candidate
                lines += 1
    assert lines > 1000


def test_the_complete_schema_accepts_the_lines_of_its_parts():
    referee = jsonschema.Draft202012Validator(STRICT)
    for line in examples():
        assert referee.is_valid(line), line
        broken = {**line, "strange": 1}
        # A line that need not be of a known event may still be one.
        assert not referee.is_valid(broken), broken


def test_clients_must_accept_additions_by_a_later_daemon():
    referee = jsonschema.Draft202012Validator(SCHEMA)
    for line in examples():
        assert referee.is_valid({**line, "later": {"any": "thing"}})
    assert referee.is_valid({"event": "later", "any": "thing"})
    assert not referee.is_valid({"event": "hello"})


@pytest.mark.parametrize("verb", VERBS)
def test_each_request_and_its_result_are_part_of_the_complete_schema(verb):
    referee = jsonschema.Draft202012Validator(STRICT)
    assert not referee.is_valid({"do": verb, "id": []})
    reply = {"event": "reply", "id": 1, "do": verb, "ok": True}
    assert not referee.is_valid(reply), "a reply without its result"
    assert not fits({**reply, "result": [[["strange"]]]})
