"""A hard press becomes a key event that another program reads."""

import pytest

import service
from pad import node_named
from waiting import wait_until

BINDINGS = """
bindings:
  - { on: { press: deep, fingers: any }, press_key: BTN_MIDDLE }
"""


@pytest.fixture
def may_press_keys():
    service.run("setfacl", "-m", "u:alice:rw", "/dev/uinput")
    yield
    service.run("setfacl", "-b", "/dev/uinput")


def test_a_deep_press_is_a_middle_click_of_the_new_device(
    may_press_keys, plug, start, tmp_path
):
    pad = plug("pad")
    bindings = tmp_path / "bindings.yaml"
    bindings.write_text(BINDINGS)
    for path in [bindings, *bindings.parents]:
        path.chmod(0o755)
    start(
        "setpriv", "--reuid=alice", "--regid=alice", "--init-groups",
        "pressured", "bind", "--bindings", bindings, env={"PATH": "/usr/bin", "HOME": "/home/alice"},
    )  # fmt: skip
    node = wait_until(lambda: node_named("pressured bind"), "bind has made no device")
    output = tmp_path / "evtest"
    with open(output, "wb") as file:
        start("stdbuf", "-oL", "evtest", node, stdout=file)
    wait_until(lambda: b"Testing ..." in output.read_bytes())

    def press():
        """Presses hard, and returns whether the button went down and up; bind may not be connected yet."""
        for pressure in (50, 120, 200):
            pad.do(f"press {pressure}")
        pad.do("lift")
        lines = output.read_bytes()
        return b"(BTN_MIDDLE), value 1" in lines and b"(BTN_MIDDLE), value 0" in lines

    wait_until(press, "the button was not pressed")
