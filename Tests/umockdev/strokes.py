"""Touches on a pad, as events for `MockPad.emit`."""

from codes import (
    ABS_MT_POSITION_X,
    ABS_MT_POSITION_Y,
    ABS_MT_PRESSURE,
    ABS_MT_SLOT,
    ABS_MT_TRACKING_ID,
    EV_ABS,
)


def down(slot, contact, x, y, pressure=None):
    """A contact begins in a slot."""
    events = [
        (EV_ABS, ABS_MT_SLOT, slot),
        (EV_ABS, ABS_MT_TRACKING_ID, contact),
        (EV_ABS, ABS_MT_POSITION_X, x),
        (EV_ABS, ABS_MT_POSITION_Y, y),
    ]
    return events + ([] if pressure is None else [(EV_ABS, ABS_MT_PRESSURE, pressure)])


def press(slot, pressure):
    """The pressure of the contact in a slot changes."""
    return [(EV_ABS, ABS_MT_SLOT, slot), (EV_ABS, ABS_MT_PRESSURE, pressure)]


def lift(slot):
    """The contact in a slot is lifted; its values stay, as the kernel does not reset them."""
    return [(EV_ABS, ABS_MT_SLOT, slot), (EV_ABS, ABS_MT_TRACKING_ID, -1)]


def resting(contact, x, y, pressure=0):
    """The values of a slot with a contact, or with id -1 of a former contact."""
    return {
        ABS_MT_TRACKING_ID: contact,
        ABS_MT_POSITION_X: x,
        ABS_MT_POSITION_Y: y,
        ABS_MT_PRESSURE: pressure,
    }
