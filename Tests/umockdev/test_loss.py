"""SYN_DROPPED: that the state is right afterwards is tested in Tests/stream."""

from strokes import down, lift, press


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
