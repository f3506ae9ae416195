"""A device may have any name; every output line is still one line of JSON, and so is every message."""

import pytest

from mockpad import MockPad

NAMES = {
    "newlines": (b"one\ntwo\r\nthree\ttabs", "one\ntwo\r\nthree\ttabs"),
    "other bytes than UTF-8": (b"caf\xe9 \xff\xfe pad", "caf\ufffd \ufffd\ufffd pad"),
    "255 bytes that end in mid-character": (b"x" * 254 + "é".encode(), "x" * 254 + "\ufffd"),
}


@pytest.mark.parametrize("sent, expected", NAMES.values(), ids=NAMES)
def test_a_name_of_any_bytes_results_in_json_lines_and_one_message(sent, expected, bed, start, listed):
    pad = MockPad(bed, name=sent).plug()
    ((node, sentence),) = listed().items()
    assert node == pad.node and sentence.isprintable() and "is read" in sentence
    client = start().connect()
    device, *_ = client.snapshot()
    assert device["name"] == expected
    assert client.ask("devices")["result"][0]["name"] == expected
