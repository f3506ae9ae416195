"""Requests that change the daemon need control rights; all other clients may watch."""

from connection import assert_error
from recording import DEVICE, Recording

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
