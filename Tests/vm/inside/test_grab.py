"""Exclusive access to a grabbed pad."""

import pytest

from waiting import wait_until


@pytest.fixture
def other_reader(start, tmp_path):
    """Another reader of a node; returns the number of touches that it has received."""

    def other_reader(node):
        output = tmp_path / "evtest"
        with open(output, "wb") as file:
            start("stdbuf", "-oL", "evtest", node, stdout=file)
        wait_until(lambda: b"Testing ..." in output.read_bytes(), "evtest does not read")
        return lambda: output.read_bytes().count(b"(BTN_TOUCH), value 1")

    return other_reader


def test_while_a_pad_is_grabbed_no_other_reader_receives_a_touch(plug, connect, other_reader):
    pad = plug("pad")
    client = connect()
    if "grab" not in client.event("hello")["commands"]:
        pytest.skip("this service does not support grab")
    seen = other_reader(pad.node)

    def touch():
        pad.do("press 100")
        client.event("contact", phase="began")
        pad.do("lift")
        client.event("contact", phase="ended")

    touch()
    wait_until(lambda: seen() == 1, "the other reader saw nothing before the grab")
    reply = client.ask("grab on=true")
    assert reply["ok"], reply
    touch()
    assert client.ask("grab on=false")["ok"]
    touch()
    # If it had received the second touch, that would have arrived before the third.
    wait_until(lambda: seen() > 1)
    assert seen() == 2
