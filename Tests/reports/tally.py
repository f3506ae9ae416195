"""Counts the tests in a report in JUnit's XML, and tells why those failed that did.

    tally.py REPORT    the first line: passed, failed, skipped; then the failures, each with the end of its report
"""

import re
import sys
import xml.etree.ElementTree as tree

# As much as says why, for as many as anybody reads; the others are only named.
LINES = 40
FAILURES = 8

# Failures quote what they have met; not all of it may stand in XML, in no writing.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REFERENCE = re.compile("&#(?:([0-9]+)|x([0-9A-Fa-f]+));")


def readable(content):
    """The text of a report, with a mark for each character that XML does not have."""

    def held(reference):
        number = int(reference[1]) if reference[1] else int(reference[2], 16)
        return "\ufffd" if number > 0x10FFFF or FORBIDDEN.match(chr(number)) else reference[0]

    text = FORBIDDEN.sub("\ufffd", content.decode("utf-8", "replace"))
    return REFERENCE.sub(held, text)


def reason(part):
    """The end of what a failure says of itself."""
    lines = (part.text or part.get("message") or "").strip().splitlines()
    left = len(lines) - LINES
    return [f"({left} lines before)"] * (left > 0) + lines[-LINES:]


def tally(content):
    """How many passed, failed and were skipped; and the name and the reasons of each that failed."""
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


def main(path):
    with open(path, "rb") as file:
        passed, skipped, failures = tally(file.read())
    print(passed, len(failures), skipped)
    for number, (name, lines) in enumerate(failures):
        print(name)
        for line in lines if number < FAILURES else []:
            print(f"    {line}")


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")
    main(sys.argv[1])
