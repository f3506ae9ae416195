"""The summary at the end of a test run: the number of failures, and their reasons."""

import pathlib
import subprocess
import sys

import pytest

from tally import FAILURES, LINES

TALLY = pathlib.Path(__file__).with_name("tally.py")


@pytest.fixture
def summarized(tmp_path):
    """Writes a report with the given tests, and returns the summary."""

    def summarized(*tests):
        report = tmp_path / "report.xml"
        content = b"".join(each if isinstance(each, bytes) else each.encode() for each in tests)
        report.write_bytes(b'<?xml version="1.0" encoding="UTF-8"?><testsuites><testsuite errors="0" failures="7">'
                           + content + b"</testsuite></testsuites>")
        run = subprocess.run([sys.executable, TALLY, report], check=True, stdout=subprocess.PIPE)
        return run.stdout.decode().splitlines()

    return summarized


def test_tests_are_counted_and_not_their_issues(summarized):
    failed = '<testcase classname="a" name="b"><failure message="m"/><failure message="n"/></testcase>'
    lines = summarized('<testcase name="x"/>', failed, '<testcase name="y"><skipped/></testcase>', '<testcase name="z"/>')
    assert lines == ["2 1 1", "a.b", "    m", "    n"]


def test_the_end_of_a_long_report_is_printed(summarized):
    text = "\n".join(f"line {number}" for number in range(100))
    lines = summarized(f'<testcase name="a"><failure message="short">{text}</failure></testcase>')
    assert lines[:3] == ["0 1 0", "a", f"    ({100 - LINES} lines before)"]
    assert lines[3:] == [f"    line {number}" for number in range(100 - LINES, 100)]


def test_after_many_failures_the_others_are_only_named(summarized):
    lines = summarized(*(f'<testcase name="t{number}"><error message="why"/></testcase>' for number in range(FAILURES + 2)))
    assert lines[0] == f"0 {FAILURES + 2} 0"
    assert lines[-3:] == ["    why", f"t{FAILURES}", f"t{FAILURES + 1}"]


@pytest.mark.parametrize("bad", [b"\x1b[31mred", b"\0", b"&#27;", b"&#0;", b"&#x1B;", b"&#xFFFE;", b"&#1114112;", b"\xff"])
def test_characters_invalid_in_xml_are_counted_all_the_same(summarized, bad):
    lines = summarized(b'<testcase name="a"><failure message="got ' + bad + b' &#8594; &#10;end"/></testcase>')
    assert lines[:2] == ["0 1 0", "a"]
    assert "got \ufffd" in lines[2] and "\u2192" in lines[2]
    assert lines[3] == "    end"


def test_an_incomplete_report_is_an_error(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite><testcase name="a"/>')
    run = subprocess.run([sys.executable, TALLY, report], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.returncode != 0
    assert run.stdout == b""
