"""SYN_DROPPED: the state is resynchronized."""

from mockdaemon import of_kind
from mockpad import MockPad
from strokes import down, lift, press


def state(client):
    (state,) = client.ask("state")["result"]
    return [(c["slot"], c["contact"], c["raw"]) for c in state["contacts"]]


def test_losses_are_counted(pad, listener):
    def dropped():
        result = listener.ask("stats")["result"]
        assert result["daemon"]["dropped"] == result["devices"][0]["dropped"]
        return result["devices"][0]["dropped"]

    pad.emit(*down(0, 45, 608, 340, 51))
    listener.after(pad)
    assert dropped() == 0
    pad.drop(*press(0, 99))
    listener.after(pad)
    pad.drop(*lift(0))
    listener.after(pad)
    assert dropped() == 2
    pad.unplug()
    listener.until(event="device", change="removed")
    assert listener.ask("stats")["result"]["daemon"]["dropped"] == 2


def test_a_queue_overflow_is_handled(bed, start, connect):
    pad = MockPad(bed, room=64).plug()
    daemon = start()
    client = connect(daemon)
    client.subscribe_to_all()
    pad.emit(*down(0, 45, 608, 340, 1), *down(1, 46, 304, 170, 102))
    client.after(pad)

    daemon.pause()
    for pressure in range(2, 200):
        pad.emit(*press(0, pressure))
    pad.emit(*lift(1))
    pad.emit(*down(1, 47, 304, 170, 103))
    for pressure in range(200, 240):
        pad.emit(*press(0, pressure))
    daemon.resume()
    lines = client.after(pad)
    assert [(line["contact"], line["phase"]) for line in of_kind(lines, "contact")] == [
        (46, "ended"), (47, "began"),
    ]  # fmt: skip
    assert state(client) == [(0, 45, 239), (1, 47, 103)]
    assert pad.emit(*press(0, 240))
    client.after(pad)
    assert state(client) == [(0, 45, 240), (1, 47, 103)]
