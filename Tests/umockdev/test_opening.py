"""The state of a pad when it is opened, and when it is opened and closed."""

from codes import ABS_MT_SLOT, CLOCK_MONOTONIC, EVIOCGMTSLOTS, EVIOCSCLOCKID
from mockdaemon import of_kind
from mockpad import MockPad
from strokes import down, lift, press, resting


def test_existing_contacts_are_in_the_snapshot(bed, start):
    slots = [resting(45, 608, 340, 51), resting(-1, 10, 20, 0), resting(46, 304, 170, 102)]
    MockPad(bed, slots=slots, values={ABS_MT_SLOT: 2}).plug()
    client = start().connect()
    device, first, second, *_ = client.snapshot()
    assert (device["event"], device["change"]) == ("device", "present")
    for line, slot, contact, x in ((first, 0, 45, 0.5), (second, 2, 46, 0.25)):
        assert (line["phase"], line["present"]) == ("began", True)
        assert (line["slot"], line["contact"], line["x"]) == (slot, contact, x)

    (state,) = client.ask("state")["result"]
    assert [contact["raw"] for contact in state["contacts"]] == [51, 102]
    assert state["heaviest"] == 46


def test_a_contact_that_begins_while_the_pad_is_opened_is_not_lost(bed, start):
    pad = MockPad(bed).plug()
    # After the values of some slots were queried and before the clock is set.
    pad.before[EVIOCGMTSLOTS] = lambda: pad.emit(*down(0, 45, 608, 340, 51))
    pad.before[EVIOCSCLOCKID] = lambda: pad.emit(*press(0, 60), *down(1, 46, 304, 340, 70))
    client = start().connect()
    client.subscribe_to_all()
    pad.emit(*press(0, 61))
    client.after(pad)
    (state,) = client.ask("state")["result"]
    assert [(c["contact"], c["raw"]) for c in state["contacts"]] == [(45, 61), (46, 70)]


def test_a_pad_is_open_only_while_a_client_is_connected(pad, start):
    daemon = start()
    assert pad.asked == [] and daemon.open_nodes(pad) == []

    first, second = daemon.connect(), daemon.connect()
    first.snapshot()
    second.snapshot()
    assert len(daemon.open_nodes(pad)) == 1

    first.close()
    assert second.ask("devices")["result"] != []
    assert len(daemon.open_nodes(pad)) == 1
    second.close()
    pad.wait_open(False)
    assert daemon.open_nodes(pad) == []

    pad.asked.clear()
    third = daemon.connect()
    third.subscribe_to_all()
    assert ("clock", CLOCK_MONOTONIC) in pad.asked
    pad.emit(*down(0, 45, 608, 340, 51))
    assert of_kind(third.after(pad), "contact")[0]["contact"] == 45
    third.close()


def test_events_without_clients_are_not_reported(pad, start):
    daemon = start()
    first = daemon.connect()
    first.subscribe_to_all()
    pad.emit(*down(0, 45, 608, 340, 51))
    first.after(pad)
    first.close()
    pad.wait_open(False)
    pad.emit(*lift(0), *down(1, 46, 304, 340, 80))

    second = daemon.connect()
    present = of_kind(second.snapshot(), "contact")
    assert [(line["slot"], line["contact"]) for line in present] == [(1, 46)]
    second.close()
