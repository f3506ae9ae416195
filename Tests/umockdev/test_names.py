"""A device may have any name; every output line is still one line of JSON, and so is every message."""

import pytest

from mockdaemon import of_kind
from mockpad import MockPad
from strokes import down

NAMES = {
    "quotes": (b'A "Pad" \\ of mine', 'A "Pad" \\ of mine'),
    "newlines": (b"one\ntwo\r\nthree\ttabs", "one\ntwo\r\nthree\ttabs"),
    "control characters": (b"\x01\x1b[31mred\x7f", "\x01\x1b[31mred\x7f"),
    "other bytes than UTF-8": (b"caf\xe9 \xff\xfe pad", "caf\ufffd \ufffd\ufffd pad"),
    "other alphabets": ("Тачпад 触摸板".encode(), "Тачпад 触摸板"),
    "255 bytes": (b"x" * 255, "x" * 255),
    "255 bytes that end in mid-character": (b"x" * 254 + "é".encode(), "x" * 254 + "\ufffd"),
    "nothing": (b"", ""),
}


@pytest.mark.parametrize("kind", NAMES)
def test_a_name_of_any_bytes_results_in_json_lines(kind, bed, start, connect):
    sent, expected = NAMES[kind]
    MockPad(bed, name=sent).plug()
    client = connect(start())
    device, *_ = client.snapshot()
    assert device["name"] == expected
    assert client.ask("devices")[0][0]["name"] == expected


@pytest.mark.parametrize("kind", NAMES)
def test_a_name_of_any_bytes_results_in_one_message(kind, bed, listed):
    pad = MockPad(bed, name=NAMES[kind][0]).plug()
    (sentence,) = listed().values()
    assert list(listed()) == [pad.node]
    assert sentence.isprintable() and "is read" in sentence


def test_a_unique_name_of_any_bytes_results_in_a_safe_id(bed, start, connect):
    pad = MockPad(bed, uniq='a "b"\n#2 c=ü/d.e:f').plug()
    client = connect(start())
    device, *_ = client.subscribe_to_all()
    assert device["device"] == "0018-06cb-cd41-ab2c/d.e:f"
    pad.emit(*down(0, 45, 608, 340, 51))
    (began,) = of_kind(client.after(pad), "contact")
    assert began["device"] == device["device"]


def test_without_a_unique_name_the_physical_path_is_used(bed, start, connect):
    MockPad(bed, phys="usb-0000:00:14.0-5/input1").plug()
    device, *_ = connect(start()).snapshot()
    assert device["device"] == "0018-06cb-cd41-usb0000:00:14.05/input1"
