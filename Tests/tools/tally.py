"""Counts the tests in a JUnit XML report, with the reasons of failures."""

import re
import xml.etree.ElementTree as tree

# The number of lines of a reason, and of failures that have reasons; the others are only named.
LINES = 40
FAILURES = 8

# Failures quote arbitrary data, some of which XML cannot represent even with escapes.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REFERENCE = re.compile("&#(?:([0-9]+)|x([0-9A-Fa-f]+));")


def readable(content):
    """The text of a report, with a replacement for each character that is invalid in XML."""

    def held(reference):
        number = int(reference[1]) if reference[1] else int(reference[2], 16)
        return "\ufffd" if number > 0x10FFFF or FORBIDDEN.match(chr(number)) else reference[0]

    text = FORBIDDEN.sub("\ufffd", content.decode("utf-8", "replace"))
    return REFERENCE.sub(held, text)


def reason(part):
    """The end of the report of a failure."""
    lines = (part.text or part.get("message") or "").strip().splitlines()
    left = len(lines) - LINES
    return [f"({left} lines before)"] * (left > 0) + lines[-LINES:]


def tally(content):
    """The numbers of passed, failed and skipped tests; and the name and the reasons of each failure."""
    passed = skipped = 0
    failures = []
    for test in tree.fromstring(readable(content)).iter("testcase"):
        broken = [part for part in test if part.tag in ("failure", "error")]
        if broken:
            name = ".".join(filter(None, (test.get("classname"), test.get("name"))))
            failures.append((name, [line for part in broken for line in reason(part)]))
        elif any(part.tag == "skipped" for part in test):
            skipped += 1
        else:
            passed += 1
    return passed, skipped, failures


def times(content):
    """The seconds, the class and the name of each test that ran."""
    return [(float(test.get("time") or 0), test.get("classname") or "", test.get("name") or "")
            for test in tree.fromstring(readable(content)).iter("testcase")]


def reason_lines(failures):
    """The name of each failure, and the reasons of the first ones."""
    for number, (name, lines) in enumerate(failures):
        yield name
        for line in lines if number < FAILURES else []:
            yield f"    {line}"
