"""The summary at the end of a test run: the number of failures, and their reasons."""

import pathlib
import subprocess
import sys

import pytest


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
