"""SYN_DROPPED: the state is resynchronized."""

from codes import ABS_PRESSURE, ABS_X, ABS_Y, BTN_TOUCH, EV_ABS, EV_KEY
from mockdaemon import of_kind
from mockpad import MockPad
from strokes import down, lift, press


def state(client):
    ((state,), _) = client.ask("state")
    return [(c["slot"], c["contact"], c["raw"]) for c in state["contacts"]]


def test_one_contact_ends_and_another_begins_in_a_loss(pad, listener):
    pad.emit(*down(0, 45, 608, 340, 51), *down(1, 46, 304, 170, 102))
    listener.after(pad)
    pad.drop(*lift(0), *press(1, 110), *down(2, 47, 912, 170, 20))
    lines = listener.after(pad)
    assert [(line["contact"], line["phase"]) for line in of_kind(lines, "contact")] == [
        (45, "ended"), (47, "began"),
    ]  # fmt: skip
    assert state(listener) == [(1, 46, 110), (2, 47, 20)]

    pad.emit(*press(2, 21))
    (reading,) = of_kind(listener.after(pad), "weight")
    assert [contact["raw"] for contact in reading["contacts"]] == [110, 21]


def test_a_contact_replaced_in_its_slot_ends_in_a_loss(pad, listener):
    pad.emit(*down(0, 45, 608, 340, 51))
    listener.after(pad)
    pad.drop(*lift(0), *down(0, 46, 304, 170, 51))
    lines = of_kind(listener.after(pad), "contact")
    assert [(line["contact"], line["phase"]) for line in lines] == [(45, "ended"), (46, "began")]
    assert (lines[1]["x"], lines[1]["y"]) == (0.25, 0.25)
    assert state(listener) == [(0, 46, 51)]


def test_a_pressure_that_changes_in_a_loss_is_known_afterwards(pad, listener):
    pad.emit(*down(0, 45, 608, 340, 51))
    listener.after(pad)
    pad.drop(*press(0, 99))
    lines = listener.after(pad)
    assert of_kind(lines, "contact") == []
    assert of_kind(lines, "weight")[-1]["contacts"][0]["raw"] == 99
    assert state(listener) == [(0, 45, 99)]


def test_a_contact_begins_with_a_value_that_changed_in_a_loss(pad, listener):
    pad.emit(*down(0, 45, 608, 340, 51))
    listener.after(pad)
    pad.drop(*press(0, 99), *lift(0))
    listener.after(pad)
    # The pressure is that of the contact before, so that the kernel does not send it again.
    pad.emit(*down(0, 46, 304, 170, 99))
    lines = listener.after(pad)
    assert [contact["raw"] for contact in of_kind(lines, "weight")[-1]["contacts"]] == [99]


def test_a_loss_without_changes_causes_no_events(pad, listener):
    pad.emit(*down(0, 45, 608, 340, 51))
    listener.after(pad)
    pad.drop()
    assert listener.after(pad) == []
    pad.emit(*press(0, 52))
    assert [line["event"] for line in listener.after(pad)] == ["weight"]


def test_losses_are_counted(pad, listener):
    def dropped():
        result = listener.ask("stats")[0]
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
    assert listener.ask("stats")[0]["daemon"]["dropped"] == 2


def test_a_loss_leaves_no_contact_that_was_lifted_in_it(pad, listener):
    pad.emit(*down(0, 45, 608, 340, 51), *down(4, 46, 304, 170, 102))
    listener.after(pad)
    pad.drop(*lift(0), *lift(4))
    lines = listener.after(pad)
    assert {line["phase"] for line in of_kind(lines, "contact")} == {"ended"}
    assert of_kind(lines, "heaviest")[-1]["contact"] is None
    assert state(listener) == []


def test_consecutive_losses_are_handled(pad, listener):
    for contact in range(20):
        pad.drop(*down(contact % 5, contact, 100 + contact, 100, 50 + contact))
        listener.after(pad)
        assert (contact % 5, contact, 50 + contact) in state(listener)
        pad.drop(*lift(contact % 5))
        listener.after(pad)
        assert state(listener) == []


def test_times_do_not_run_backwards_over_a_loss(pad, listener):
    stamps = [pad.emit(*down(0, 45, 608, 340, 51))]
    listener.after(pad)
    stamps.append(pad.drop(*press(0, 60)))
    first = listener.after(pad)
    stamps.append(pad.emit(*press(0, 61)))
    times = [line["time"] for line in first + listener.after(pad)]
    assert times == stamps[1:]


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


def test_a_single_touch_pad_handles_a_loss(bed, start, connect):
    axes = {ABS_X: (0, 1000, 10), ABS_Y: (0, 500, 10), ABS_PRESSURE: (0, 127, 0)}
    pad = MockPad(bed, axes=axes, slot_count=0).plug()
    client = connect(start())
    client.subscribe_to_all()
    pad.emit((EV_KEY, BTN_TOUCH, 1), (EV_ABS, ABS_X, 500), (EV_ABS, ABS_PRESSURE, 30))
    client.after(pad)
    pad.drop((EV_ABS, ABS_PRESSURE, 40))
    client.after(pad)
    assert state(client) == [(0, 0, 40)]
    pad.drop((EV_KEY, BTN_TOUCH, 0), (EV_ABS, ABS_PRESSURE, 0))
    assert of_kind(client.after(pad), "contact")[-1]["phase"] == "ended"
    assert state(client) == []
