"""The schema of the protocol, the parts of its manual page and the words of its fuzz target.

They are made from `docs/protocol.yaml`, the lines of the daemon, and from what `scripts/generator` prints: the requests.
"""

import json
import re

import yaml


class Protocol:
    """The events, objects, types, requests and errors, with their types parsed."""

    def __init__(self, text, requests):
        document = yaml.safe_load(text)
        self.groups = document["groups"]
        self.types = {name: (parsed(notation), meaning) for name, (notation, meaning) in document["types"].items()}
        self.types["event_name"] = ({"kind": "word", "words": list(document["events"])}, "the name of an event")
        self.events = {name: self.shape(name, entry) for name, entry in document["events"].items()}
        self.objects = {name: self.shape(name, entry) for name, entry in document["objects"].items()}
        self.errors = document["errors"]
        self.requests = requests
        if [request["verb"] for request in requests] != list(document["requests"]):
            raise SystemExit("docs/protocol.yaml has other requests than the program")
        for request in requests:
            entry = document["requests"][request["verb"]]
            request |= entry | {"result": parsed(entry["result"])}
            for argument in request["arguments"]:
                argument["type"] = parsed(argument["type"])

    def shape(self, name, entry):
        return entry | {"name": name, "fields": self.fields(entry["fields"])}

    def fields(self, entries):
        found = []
        for name, entry in entries.items():
            if name.startswith("+"):
                found += self.fields(self.groups[name[1:]])
                continue
            notation, meaning = entry if isinstance(entry, list) else (entry, "")
            if re.search(r"(^| )null", meaning) and self.types.get(notation, [parsed(notation)])[0]["kind"] not in ("null", "any"):
                raise SystemExit(f"docs/protocol.yaml: {name} cannot be null")
            found.append(
                {"name": name.rstrip("?"), "type": parsed(notation), "summary": meaning, "isOptional": name.endswith("?")})
        return found

    def base(self, kind):
        """A type without null and without a name."""
        if kind["kind"] == "null":
            return self.base(kind["of"])
        return self.base(self.types[kind["name"]][0]) if kind.get("name") in self.types else kind

    def fields_of(self, kind):
        """The fields of an object, or of the objects in a list."""
        kind = self.base(kind)
        if kind["kind"] == "list":
            return self.fields_of(kind["of"])
        return self.objects[kind["name"]]["fields"] if kind["kind"] == "name" else []


def parsed(notation):
    """A type: `integer 0..3`, `word a b`, `null TYPE`, `list 1..2 TYPE`, `either TYPE or TYPE`, or the name of a type or an object."""
    kind, _, rest = notation.partition(" ")
    if kind == "count":
        return {"kind": "integer", "minimum": 0, "maximum": None}
    if kind in ("integer", "number"):
        least, _, most = rest.partition("..")
        return {"kind": kind, "minimum": number(least), "maximum": number(most)}
    if kind == "word":
        return {"kind": kind, "words": rest.split()}
    if kind == "list":
        found = re.match(r"(\d+)\.\.(\d+) (.*)", rest)
        least, most, element = found.groups() if found else (None, None, rest)
        return {"kind": kind, "minItems": number(least), "maxItems": number(most), "of": parsed(element)}
    if kind == "null":
        return {"kind": kind, "of": parsed(rest)}
    if kind == "either":
        return {"kind": kind, "of": [parsed(one) for one in rest.split(" or ")]}
    if kind in ("boolean", "true", "any", "number64"):
        return {"kind": kind}
    if kind == "text":
        return {"kind": kind, "limits": text_limits(rest)}
    if kind == "texts":
        count, key, value = rest.split() if rest else ("", "", "")
        return {"kind": kind, "count": number(count), "keys": text_limits(key), "values": text_limits(value)}
    return {"kind": "name", "name": kind}


def number(text):
    return json.loads(text) if text else None


def text_limits(limit):
    """The keywords of `filled`, `/PATTERN/`, or a number of characters, with `0..` if it may be empty."""
    if limit.startswith("/"):
        return {"pattern": limit.strip("/")}
    if limit in ("", "filled"):
        return {"minLength": 1} if limit else {}
    least = {} if limit.startswith("0..") else {"minLength": 1}
    return least | {"maxLength": number(limit.removeprefix("0.."))} | {"pattern": r"^[^\u0000-\u001f\u007f]*$"}


def without_markup(text):
    # Underlined words begin and end beside other characters than letters.
    return re.sub(r"\\(.)|\*|(?<![A-Za-z0-9_])_|_(?![A-Za-z0-9_])", lambda found: found[1] or "", text)


def capitalized(text):
    return text[:1].upper() + text[1:]


def sentence(text):
    return capitalized(without_markup(text)) + "."


# The schema


def reference(name):
    return {"$ref": f"#/$defs/{name}"}


def choice(field, value, schema, needs=None):
    """The schema that applies if a field has a value."""
    return {"if": {"required": [needs or field], "properties": {field: {"const": value}}}, "then": schema}


def bounded(kind, **bounds):
    return {"type": kind} | {name: bound for name, bound in bounds.items() if bound is not None}


def or_null(keywords):
    """The keywords of a type that may also be null."""
    if "anyOf" in keywords:
        return {"anyOf": keywords["anyOf"] + [{"type": "null"}]}
    if "type" not in keywords:
        return {"anyOf": [keywords, {"type": "null"}]}
    more = {"type": [keywords["type"], "null"]}
    if "enum" in keywords:
        more["enum"] = keywords["enum"] + [None]
    return keywords | more


class Schema:
    """The definitions: a type with a name is written once."""

    def __init__(self, protocol):
        self.protocol = protocol
        self.verbs = [request["verb"] for request in protocol.requests]
        self.definitions = {}

    def whole(self):
        events = list(self.protocol.events)
        for event in self.protocol.events.values():
            self.define(event, {"event": {"const": event["name"]}})
        for request in self.protocol.requests:
            self.definitions[f"request_{request['verb']}"] = self.request(request)
            self.definitions[f"result_{request['verb']}"] = self.type(request["result"])
        lines = {
            "from_daemon": {
                "description": "A line from the daemon. Events with other names come from later daemons; ignore them.",
                "type": "object",
                "additionalProperties": True,
                "required": ["event"],
                "properties": {"event": {"description": "The event's name, the first key of the line.", "type": "string"}},
                "allOf": [choice("event", event, reference(event)) for event in events],
            },
            "from_client": {
                "description": "A line to the daemon, in JSON.",
                "type": "object",
                "additionalProperties": True,
                "required": ["do"],
                "properties": {"do": {"description": "The verb.", "enum": self.verbs}},
                "allOf": [choice("do", verb, reference(f"request_{verb}")) for verb in self.verbs],
            },
        }
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "pressured, protocol 1",
            "description": "Both directions of the socket, one JSON object per line; pressured-protocol(7) describes the semantics. "
            "Clients must ignore fields and events that they do not know: later versions only add fields, events and requests.",
            "$comment": "Generated by scripts/generate.",
            "anyOf": [reference(name) for name in lines],
            "$defs": lines | self.definitions,
        }

    def define(self, shape, first=None):
        """Adds the definition of an event or an object before those of its fields."""
        if shape["name"] in self.definitions:
            return
        self.definitions[shape["name"]] = None
        first = first or {}
        fields = shape["fields"]
        schema = {
            "description": sentence(shape["is"]),
            "type": "object",
            "required": [*first, *(field["name"] for field in fields if not field["isOptional"])],
            "properties": first | {field["name"]: self.type(field["type"], field["summary"]) for field in fields},
        }
        if shape["name"] == "reply":
            schema["allOf"] = self.results()
        self.definitions[shape["name"]] = schema | shape.get("conditions", {})

    def results(self):
        """Which result each successful reply has."""
        success = {
            "if": {"properties": {"ok": {"const": True}}},
            "then": {"required": ["result"]},
            "else": {"required": ["error"]},
        }
        return [success] + [
            choice("do", verb, {"properties": {"result": reference(f"result_{verb}")}}, needs="result") for verb in self.verbs
        ]

    def request(self, request):
        properties = {"do": {"const": request["verb"]}, "id": self.type(parsed("request_id"))}
        required, conditions = ["do"], []
        for argument in request["arguments"]:
            meaning = argument["summary"]
            meaning += f", in {argument['unit']}" if argument["unit"] else ""
            meaning += f"; {argument['default']} if omitted" if argument["default"] else ""
            kind = argument["type"]
            if argument["required"] is True:
                required.append(argument["name"])
            else:
                kind = {"kind": "null", "of": kind}
            properties[argument["name"]] = self.type(kind, meaning)
            conditions += rules(argument)
        if "conditions" in request:
            conditions.append(request["conditions"])
        schema = {"description": sentence(request["summary"]), "type": "object", "required": required, "properties": properties}
        return schema | ({"allOf": conditions} if conditions else {})

    def type(self, kind, summary=""):
        """The schema of a type, with the meaning of a field."""
        return ({"description": sentence(summary)} if summary else {}) | self.keywords(kind)

    def keywords(self, kind):
        name = kind["kind"]
        if name == "name":
            self.named(kind["name"])
            return reference(kind["name"])
        if name == "word" and kind["words"] == list(self.protocol.events):
            return self.keywords(parsed("event_name"))
        if name == "list":
            return bounded("array", minItems=kind["minItems"] or None, maxItems=kind["maxItems"]) | {"items": self.type(kind["of"])}
        if name == "texts":
            return (
                bounded("object", maxProperties=kind["count"])
                | ({"propertyNames": kind["keys"]} if kind["keys"] else {})
                | {"additionalProperties": {"type": "string"} | kind["values"]}
            )
        if name in ("integer", "number"):
            return bounded(name, minimum=kind["minimum"], maximum=kind["maximum"])
        if name == "either":
            return {"anyOf": [self.type(one) for one in kind["of"]]}
        if name == "null":
            return or_null(self.keywords(kind["of"]))
        if name == "text":
            return {"type": "string"} | kind["limits"]
        if name == "word":
            return {"type": "string", "enum": kind["words"]}
        return {
            "any": {},
            "boolean": {"type": "boolean"},
            "true": {"const": True},
            "number64": bounded("number", minimum=-(2**63), maximum=2**64 - 1),
        }[name]

    def named(self, name):
        """Adds the definition of a type or an object."""
        if name in self.protocol.objects:
            self.define(self.protocol.objects[name])
        elif name not in self.definitions:
            kind, meaning = self.protocol.types[name]
            # The words of an enumeration are defined once, by its name.
            keywords = bounded("string", enum=kind["words"]) if kind["kind"] == "word" else self.keywords(kind)
            self.definitions[name] = {"description": sentence(meaning)} | keywords


def rules(argument):
    """When an argument must and may be given."""

    def given(name, schema):
        return {"required": [name], "properties": {name: schema}}

    null = {"type": "null"}
    if argument["only"]:
        other, *words = argument["only"]
        valid = {"enum": words} if words else {"not": null}
        yield {"if": given(other, valid), "else": {"properties": {argument["name"]: null}}}
    if isinstance(argument["required"], list):
        other, word = argument["required"]
        yield {"if": given(other, {"enum": [word]}), "then": given(argument["name"], {"not": null})}


# The manual page, in scdoc


def rows(pairs):
    return "".join(
        f"|[ {first}\n:< {second}\n" if index == 0 else f"|  {first}\n:  {second}\n" for index, (first, second) in enumerate(pairs))


def fields(protocol, name):
    """The table with the fields of an event, or of an object that one contains."""
    shape = protocol.events.get(name) or protocol.objects[name]
    found = []
    for field in shape["fields"]:
        # The time and the device are those of all events.
        if name in protocol.events and name != "access" and field["name"] in ("time", "device") and not field["summary"]:
            continue
        text = field["summary"] or "see above"
        # Neighbors that the page describes elsewhere have one row.
        if text == "see above" and found and found[-1][1] == text:
            found[-1][0] += f", *{field['name']}*"
        else:
            found.append([f"*{field['name']}*", text])
    return rows(found) + "\n"


def names(requests):
    return ", ".join(f"*{request['verb']}*" + (f" with *{request['with']}*" if request["with"] else "") for request in requests)


def needing(protocol, permission):
    return names(request for request in protocol.requests if request["permission"] == permission)


def permissions(protocol):
    """The requests by the permission that they need, and those of suspended clients."""
    suspended = names(request for request in protocol.requests if request["suspended"])
    levels = [(f"_{permission}_", needing(protocol, permission)) for permission in ("read", "use", "control")]
    return rows([*levels, ("while suspended", suspended)]) + "\n"


def use(protocol):
    return f"These requests need permission to use the scale and the actions: {needing(protocol, 'use')}.\n"


def errors(protocol):
    return rows((f"*{code}*", meaning) for code, meaning in protocol.errors.items()) + "\n"


def requests(protocol, *verbs):
    """The entries of requests."""
    known = {request["verb"]: entry(protocol, request) for request in protocol.requests}
    return "\n".join(known[verb] for verb in verbs) + "\n"


def entry(protocol, request):
    """The form, what the request does, its arguments and its result."""
    text = f"*{request['verb']}*"
    for argument in request["arguments"]:
        text += f" *{argument['name']}*" if argument["required"] is True else f" [*{argument['name']}*]"
    text += f"\n\t{capitalized(request['summary'])}."
    result = protocol.fields_of(request["result"])
    returns = request.get("returns") or ("" if result else "{}")
    text += f" Returns {returns}.\n" if returns else "\n"
    for argument in request["arguments"]:
        # The device and the start of a list are those of all requests.
        if argument["name"] == "from" or argument["name"] == "device" and not argument["only"]:
            continue
        meaning = f"{capitalized(argument['summary'])}. " if argument["summary"] else ""
        unit = f" {argument['unit']}" if argument["unit"] else ""
        default = f" [{argument['default']}]" if argument["default"] else ""
        text += f"\n\t*{argument['name']}*\n\t\t{meaning}{capitalized(argument['expected'])}{unit}.{default}\n"
    if returns:
        return text
    kind = "a list of objects" if protocol.base(request["result"])["kind"] == "list" else "an object"
    null = ", or null" if request["result"]["kind"] == "null" else ""
    return text + f"\n\tReturns {kind}{null}, with these fields:\n" + listed(protocol, result, "\t")


def listed(protocol, items, indent):
    """The fields of a result, with those of objects in it."""
    text = ""
    for field in items:
        meaning = field["summary"] or protocol.types[field["type"]["name"]][1]
        text += f"\n{indent}*{field['name']}*\n{indent}\t{capitalized(meaning)}.\n"
        # Contacts and readings are events as well.
        if field["name"] not in ("contacts", "scale"):
            text += listed(protocol, protocol.fields_of(field["type"]), indent + "\t")
    return text


# The dictionary of the fuzz target of requests


def words_of(kind):
    """The words of enumerations."""
    if kind["kind"] == "word":
        return kind["words"]
    inner = kind["of"] if kind["kind"] == "either" else [kind["of"]] if kind["kind"] == "list" else []
    return [word for one in inner for word in words_of(one)]


def words(protocol):
    """A word in quotes on each line."""
    arguments = [argument for request in protocol.requests for argument in request["arguments"]]
    keys = sorted({argument["name"] for argument in arguments})
    values = sorted({word for argument in arguments for word in words_of(argument["type"])})
    syntax = [
        '"do"', '"id"', "id=", "null", "true", "false", "1e999", "-0", "1e-5", "nan", "inf", "0x1p4", "9223372036854775807",
        r"\u0000", r"\ud83d", '{"do":"', '"}', "[", "]", ",", ":",
    ]
    verbs = [request["verb"] for request in protocol.requests]
    lines = verbs + [form for key in keys for form in (f'"{key}"', f"{key}=")] + values + syntax
    escaped = [re.sub(r'(["\\])', r"\\\1", word) for word in lines] + [r"\x0a"]
    return "".join(f'"{word}"\n' for word in escaped)
