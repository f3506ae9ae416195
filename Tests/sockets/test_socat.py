"""Both uses of socat in the manual of the protocol, as documented."""

import dataclasses
import shlex
import subprocess

import pytest

from connection import DEADLINE, assert_times_never_run_backwards, events_of, lines_of, parsed
from recording import DEVICE, Recording


def shell(command, **settings):
    return subprocess.run(
        ["bash", "-c", command], stdout=subprocess.PIPE, timeout=DEADLINE, **settings
    )


def test_a_stream_needs_no_request(serve):
    daemon = serve(Recording().pause(100).touch([40, 80, 120, 80, 40]))
    with subprocess.Popen(
        ["socat", "-u", f"UNIX-CONNECT:{daemon.path}", "-"], stdout=subprocess.PIPE
    ) as socat:
        lines = []
        while not lines or lines[-1].get("phase") != "ended":
            lines.append(parsed(socat.stdout.readline()))
        daemon.terminate()
        assert socat.wait(DEADLINE) == 0
    assert [line["event"] for line in lines[:5]] == [
        "hello", "device", "contact", "weight", "heaviest",
    ]
    hello, device = lines[:2]
    assert (hello["protocol"], hello["clock"]) == (1, "monotonic")
    assert (device["device"], device["change"]) == (DEVICE, "present")
    assert_times_never_run_backwards(lines)


def test_a_request_is_answered_and_socat_exits(serve):
    daemon = serve(Recording().pause(1).hold())
    daemon.connect().event("heaviest")
    result = shell(f"echo state | socat - UNIX-CONNECT:{shlex.quote(daemon.path)}")
    assert result.returncode == 0
    # The scale may become stable just before the request is read.
    lines = [line for line in lines_of(result.stdout) if line["event"] != "scale"]
    assert [line["event"] for line in lines] == [
        "hello", "device", "contact", "contact", "weight", "press", "heaviest", "reply",
    ]
    assert all(line["phase"] == "began" and line["present"] is True for line in lines[2:4])
    reply = lines[-1]
    assert (reply["id"], reply["do"], reply["ok"]) == (None, "state", True)
    (state,) = reply["result"]
    assert [contact["phase"] for contact in state["contacts"]] == ["stationary"] * 2
    assert state["heaviest"] == state["contacts"][1]["contact"]
    # The reply is selected with jq.
    result = shell(
        f"echo state | socat - UNIX-CONNECT:{shlex.quote(daemon.path)}"
        " | jq -r 'select(.event == \"reply\").result[].heaviest'"
    )
    assert result.stdout == b"2\n"


def test_a_request_ends_by_itself_while_fingers_move(serve):
    recording = Recording()
    for _ in range(50):
        recording.touch(range(20, 220, 2), milliseconds=2)
    daemon = serve(recording, "--loop")
    for _ in range(3):
        result = shell(f"echo ping | socat - UNIX-CONNECT:{shlex.quote(daemon.path)}")
        assert result.returncode == 0
        assert [line["do"] for line in events_of(lines_of(result.stdout), "reply")] == ["ping"]


@dataclasses.dataclass
class Shot:
    """A request, what its reply has, what is sent before it, and a request after it with what that returns."""

    request: str
    result: object = None
    error: tuple = None
    before: tuple = ()
    after: tuple = None
    timeout: float = 30


def SCALE(**fields):  # noqa: N802  (a row of the table)
    return ("state", lambda state: fields == {key: state[0]["scale"][key] for key in fields})


TARGET = {"grams": 55, "tolerance": 9, "within": True}
NOT_BEGUN = ("failed", "begin")
NOT_GRABBED = ("failed", f"{DEVICE} is not a kernel device")

# What each request of `help` does if its client is the only one and leaves at once, with 60 g at rest on the pad. A request may have others before it, and the state may be read after it; each
# of them is sent by a client of its own, while the device is closed between two.
ALONE = {
    "help": [Shot("help", lambda text: "reload" in text)],
    "ping": [Shot("ping", {})],
    "version": [Shot("version", lambda result: result["protocol"] == 1)],
    "devices": [Shot("devices", lambda devices: [device["device"] for device in devices] == [DEVICE])],
    "state": [Shot("state", lambda state: state[0]["contacts"][0]["grams"] == state[0]["scale"]["grams"] == 60)],
    "subscribe": [
        Shot("subscribe events=scale max_hz=7", lambda result: result["events"] == ["scale"], timeout=0.5,
             after=("subscribe", lambda result: len(result["events"]) > 5 and result["max_hz"] == 100)),
    ],
    "weigh": [
        Shot("weigh", {"status": "stable", "grams": 60}, after=("history", lambda past: past[-1]["grams"] == 60)),
        Shot("weigh timeout_ms=0", error=("timeout", "no stable reading")),
        Shot("weigh timeout_ms=0", {"grams": 60, "held": True}, before=["hold"]),
    ],
    "tare": [Shot("tare", {"grams": 0, "tare_grams": 60}, after=SCALE(grams=0, tare_grams=60))],
    "untare": [Shot("untare", {"tare_grams": 0}, before=["tare"], after=SCALE(grams=60, tare_grams=0))],
    "zero": [Shot("zero", error=("failed", "try tare"), after=SCALE(gross_grams=60))],
    "hold": [Shot("hold", {"grams": 60, "held": True}, after=SCALE(grams=60, held=True))],
    "release": [Shot("release", {"held": False}, before=["hold"], after=SCALE(held=False))],
    "target": [
        Shot("target grams=55 tolerance=9", TARGET, after=("target", TARGET)),
        Shot("target", None),
        Shot("target grams=0", None, before=["target grams=55"], after=("target", None)),
    ],
    "count": [
        Shot("count sample=3", {"pieces": 3, "piece_grams": 20}, after=("count", {"pieces": 3})),
        Shot("count", error=("failed", "sample=10")),
    ],
    "history": [Shot("history last=1", lambda past: [reading["grams"] for reading in past] == [60], before=["weigh"])],
    "actions": [
        Shot("actions", lambda list: len(list) == 5 and not any(action["dynamic"] for action in list)),
    ],
    "perform": [Shot("perform type=pressured.hold", {"handled": True, "built_in": True, "clients": 0}, after=SCALE(held=True))],
    "stats": [Shot("stats", lambda result: len(result["clients"]) == len(result["devices"]) == 1)],
    "calibrate": [
        Shot("calibrate step=begin", lambda result: result["fit"] is None, after=("calibrate step=finish", NOT_BEGUN)),
        Shot("calibrate step=point grams=100", error=NOT_BEGUN),
        Shot("calibrate step=finish", error=NOT_BEGUN),
    ],
    "grab": [
        Shot("grab on=true", error=NOT_GRABBED),
        Shot("grab on=false", error=NOT_GRABBED),
    ],
    "add_action": [
        Shot("add_action type=lamp title=Lamp press=deep", {"type": "lamp", "dynamic": True},
             after=("actions", lambda list: len(list) == 5)),
    ],
    "remove_action": [
        Shot("remove_action type=lamp", error=("failed", "has not added"), before=["add_action type=lamp title=Lamp"]),
    ],
    "reload": [Shot("reload", {"changed": [], "needs_restart": []})],
}  # fmt: skip


@pytest.fixture
def alone(serve):
    """A daemon without clients, with 60 g at rest on its pad as soon as there is one."""
    recording = Recording(resolution=1).pause(1).begin(0, 60).report().wait(900_000).lift(0).report()
    return serve(recording, config="scale: { window_ms: 100, filter_ms: 20 }\n")


def one_shot(daemon, request, timeout=30):
    """The reply to a request that `echo` sends through socat."""
    path = shlex.quote(daemon.path)
    result = shell(f"echo {shlex.quote(request)} | socat -t {timeout} - UNIX-CONNECT:{path}")
    (reply,) = events_of(lines_of(result.stdout), "reply")
    daemon.wait_for_no_clients()
    return reply


def is_as_expected(reply, result, error):
    """Whether a reply has a result, of which a dictionary names some fields, or an error with a part of its message."""
    if error:
        return not reply["ok"] and reply["error"]["code"] == error[0] and error[1] in reply["error"]["message"]
    if not reply["ok"]:
        return False
    if callable(result):
        return result(reply["result"])
    if isinstance(result, dict):
        return result == {key: reply["result"][key] for key in result}
    return reply["result"] == result


def test_each_request_of_help_alone_is_in_the_table(alone):
    text = one_shot(alone, "help")["result"]
    verbs = [line.split()[0] for line in text.splitlines() if line[0] != " "]
    assert len(verbs) > 20 and verbs == list(ALONE)


@pytest.mark.parametrize("shot", [shot for shots in ALONE.values() for shot in shots], ids=lambda shot: shot.request)
def test_a_request_of_a_client_that_is_alone_does_what_the_page_states(alone, shot):
    for request in shot.before:
        assert one_shot(alone, request)["ok"], request
    reply = one_shot(alone, shot.request, shot.timeout)
    assert is_as_expected(reply, shot.result, shot.error), reply
    if shot.after:
        request, expected = shot.after
        error = expected if isinstance(expected, tuple) else None
        later = one_shot(alone, request, 0.5 if request == "subscribe" else 30)
        assert is_as_expected(later, expected, error), later
