"""Requests that change the daemon need control rights; all other clients may watch."""

import json
import os
import subprocess
import sys

import pytest

from connection import assert_error
from recording import DEVICE, Recording

# Each verb that needs control rights, and its reply for a recording.
CONTROLLED = {
    "calibrate step=finish": "failed", "grab on=true": "failed", "grab on=false": "failed", "add_action type=local.lamp title=Lamp": True,
    "remove_action type=local.lamp": True, "reload": True,
}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_each_verb_checks_rights(serve, folder):
    os.chmod(folder, 0o755)
    daemon = serve(
        Recording().pause(1).hold(), config='socket: { mode: "0666" }\ncontrol: { users: [games] }\n'
    )
    ask = (
        "import socket, sys\n"
        "client = socket.socket(socket.AF_UNIX)\n"
        f"client.connect({daemon.path!r})\n"
        f"client.sendall({chr(10).join(CONTROLLED)!r}.encode() + b'\\n')\n"
        "client.shutdown(socket.SHUT_WR)\n"
        "sys.stdout.write(client.makefile().read())\n"
    )
    daemon.connect().event("heaviest")
    for user, codes in [
        ("nobody", ["not_permitted"] * len(CONTROLLED)), ("games", list(CONTROLLED.values())),
    ]:  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", ask], user=user, group="nogroup", extra_groups=[],
            stdout=subprocess.PIPE, text=True, timeout=60, check=True,
        )  # fmt: skip
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        replies = [line for line in lines if line["event"] == "reply"]
        assert [reply["ok"] or reply["error"]["code"] for reply in replies] == codes, user


def test_an_unknown_user_causes_a_warning_in_the_log(serve):
    text = "control: {{ users: [{}] }}\n"
    daemon = serve(Recording().pause(1).hold(), config=text.format("nobody-here"))
    client = daemon.connect()
    assert client.ask("ping")["ok"]
    assert ':1:20: there is no user "nobody-here"' in daemon.log
    with open(daemon.command[daemon.command.index("--config") + 1], "w", encoding="ascii") as file:
        file.write(text.format("none-either"))
    assert client.ask("reload")["result"]["changed"] == ["control.users"]
    assert 'there is no user "none-either"' in daemon.log


def test_a_recording_cannot_be_grabbed(serve):
    client = serve(Recording().pause(1).hold()).connect()
    for on in (True, False):
        reply = client.ask({"do": "grab", "on": on})
        assert_error(reply, "failed")
        assert f"{DEVICE} is not a kernel device" in reply["error"]["message"]
