"""The summary at the end of a test run: the number of failures, and their reasons."""

import pytest

from tally import reason_lines, tally


def summarized(*tests):
    """The summary of a report with the given tests, as lines."""
    content = b'<?xml version="1.0" encoding="UTF-8"?><testsuites><testsuite errors="0" failures="7">' + b"".join(tests)
    passed, skipped, failures = tally(content + b"</testsuite></testsuites>")
    return [f"{passed} {len(failures)} {skipped}", *reason_lines(failures)]


def test_tests_are_counted_and_not_their_issues():
    failed = b'<testcase classname="a" name="b"><failure message="m"/><failure message="n"/></testcase>'
    lines = summarized(b'<testcase name="x"/>', failed, b'<testcase name="y"><skipped/></testcase>', b'<testcase name="z"/>')
    assert lines == ["2 1 1", "a.b", "    m", "    n"]


@pytest.mark.parametrize("bad", [b"\x1b[31mred", b"\0", b"&#27;", b"&#0;", b"&#x1B;", b"&#xFFFE;", b"&#1114112;", b"\xff"])
def test_characters_invalid_in_xml_are_counted_all_the_same(bad):
    lines = summarized(b'<testcase name="a"><failure message="got ' + bad + b' &#8594; &#10;end"/></testcase>')
    assert lines[:2] == ["0 1 0", "a"]
    assert "got \ufffd" in lines[2] and "\u2192" in lines[2]
    assert lines[3] == "    end"
