"""Haptic feedback when a press reaches the maximum: once, and again only after a release."""

import errno
import os
import pathlib
import struct

import pytest

from codes import EV_FF, FF_RUMBLE
from mockdaemon import of_kind
from mockpad import MockPad
from strokes import down, lift, press

FF_HAPTIC, FF_PERIODIC = 0x4F, 0x51
CLICK = 0x1003
ENABLED = "haptics: { enabled: true }\n"

UPLOAD, PLAY, ERASE = ("upload", 0, FF_HAPTIC), ("write", EV_FF, 0, 1), ("erase", 0)


class HapticPad(MockPad):
    """Records the uploaded bytes, refuses configured requests, and has a settable clock."""

    def __init__(self, bed, number=0, effects=(FF_HAPTIC,), **rest):
        super().__init__(bed, number, effects=effects, **rest)
        self.uploads, self.moment = [], None
        self.upload_error = self.play_error = None

    def _upload(self, effect):
        if self.upload_error:
            raise OSError(self.upload_error, "the effect is not taken")
        self.uploads.append(bytes(effect.retrieve()))
        self.changed.notify_all()
        return super()._upload(effect)

    def write(self, written):
        with self.changed:
            taken = super().write(written)
            self.changed.notify_all()
        if self.play_error:
            raise OSError(self.play_error, "the effect is not played")
        return taken

    def _now(self):
        return super()._now() if self.moment is None else self.moment

    def plays(self):
        return self.effect_log.count(PLAY)


@pytest.fixture
def haptic_daemon(bed, start):
    """A daemon with haptics, pads that are plugged in then, and a client that receives every frame."""

    def haptic_daemon(*pads, settings=ENABLED, **options):
        daemon = start(settings=settings, **options)
        client = daemon.connect()
        client.subscribe_to_all()
        for pad in pads:
            pad.plug()
            client.until(event="device", change="added", node=pad.node)
        return daemon, client

    return haptic_daemon


def reached(lines):
    return [line for line in of_kind(lines, "max_force") if line["state"] == "reached"]


def errors(daemon, words):
    return [line for line in daemon.log.splitlines() if words in line]


def press_to_the_maximum(pad, client, times):
    """Presses that many times, with a release after each; returns the resulting lines."""
    pad.emit(*down(0, 45, 608, 340, 10))
    lines = client.after(pad)
    for _ in range(times):
        for pressure in (255, 10):
            pad.emit(*press(0, pressure))
            lines += client.after(pad)
    pad.emit(*lift(0))
    return lines + client.after(pad)


# Once, and again after a release


def test_two_presses_without_a_release_play_one_effect(bed, haptic_daemon):
    pad = HapticPad(bed)
    daemon, client = haptic_daemon(pad)
    pad.emit(*down(0, 45, 608, 340, 200))
    lines = client.after(pad)
    for pressure in (255, 250, 255):
        pad.emit(*press(0, pressure))
        lines += client.after(pad)
    assert len(reached(lines)) == 1
    assert pad.effect_log == [UPLOAD, PLAY]
    assert daemon.terminate() == 0
    assert pad.effect_log == [UPLOAD, PLAY, ERASE]


def test_configured_stages_play_an_effect(bed, haptic_daemon):
    pad = HapticPad(bed)
    _, client = haptic_daemon(pad, settings="haptics: { enabled: true, stages: [light, deep] }\n")
    plays = []
    for events in (down(0, 45, 608, 340, 10), *(press(0, raw) for raw in (85, 150, 85, 150, 255, 250, 10, 85))):
        pad.emit(*events)
        client.after(pad)
        plays.append(pad.plays())
    # Light, deep, none on the way down, deep again, the maximum, none on the way down, light again.
    assert plays == [0, 1, 2, 2, 3, 4, 4, 4, 5]


# Uploaded effects


def test_a_haptic_pad_clicks(bed, haptic_daemon):
    pad = HapticPad(bed, effects=[FF_RUMBLE, FF_HAPTIC])
    _, client = haptic_daemon(pad)
    assert [line["haptics"] for line in client.ask("devices")["result"]] == [True]
    (effect,) = pad.uploads
    head = struct.pack("<Hh6H", FF_HAPTIC, -1, 0, 0, 0, 0, 0, 0)
    assert effect == head + struct.pack("<HHBxHHH", CLICK, 0, 0, 60, 0, 0) + bytes(20)


def test_a_pad_with_other_effects_plays_nothing(bed, haptic_daemon):
    pad = HapticPad(bed, effects=[FF_PERIODIC])
    daemon, client = haptic_daemon(pad)
    assert len(reached(press_to_the_maximum(pad, client, 1))) == 1
    assert [line["haptics"] for line in client.ask("devices")["result"]] == [False]
    assert pad.effect_log == []
    assert not errors(daemon, "cannot")


# Only if enabled


@pytest.mark.parametrize("settings", ["", "always_read: true", "haptics: { enabled: false }"])
def test_a_pad_is_not_written_to_unless_haptics_are_enabled(bed, haptic_daemon, settings):
    pad = HapticPad(bed)
    daemon, client = haptic_daemon(pad, settings=settings)
    press_to_the_maximum(pad, client, 1)
    assert [line["haptics"] for line in client.ask("devices")["result"]] == [False]
    (flags,) = daemon.open_nodes(pad)
    assert flags & os.O_ACCMODE == os.O_RDONLY
    assert pad.effect_log == []


def test_with_haptics_a_pad_is_open_without_clients(bed, start):
    daemon = start(settings=ENABLED)
    pad = HapticPad(bed).plug()
    pad.wait_until(lambda: pad.uploads, "given an effect")
    (flags,) = daemon.open_nodes(pad)
    assert flags & os.O_ACCMODE == os.O_RDWR
    assert flags & os.O_NONBLOCK and flags & os.O_CLOEXEC

    pad.emit(*down(0, 45, 608, 340, 255))
    pad.wait_until(lambda: pad.plays() == 1, "felt")

    client = daemon.connect()
    assert of_kind(client.snapshot(), "contact")[0]["contact"] == 45
    client.close()
    pad.emit(*press(0, 10))
    pad.emit(*press(0, 255))
    pad.wait_until(lambda: pad.plays() == 2, "felt again")
    assert daemon.terminate() == 0
    assert pad.effect_log == [UPLOAD, PLAY, PLAY, ERASE]


def test_a_recording_plays_nothing(bed, start):
    pad = HapticPad(bed).plug()
    recordings = pathlib.Path(__file__).parents[1] / "PressureKitTests" / "Recordings"
    client = start("--replay", str(recordings / "two-plums.evemu"), settings=ENABLED).connect()
    client.until(event="contact")
    assert client.ask("devices")["result"][0]["haptics"] is False
    assert pad.asked == [] and pad.effect_log == []


def test_the_limit_is_one_for_all_pads(bed, haptic_daemon):
    pads = [HapticPad(bed, number, uniq=f"pad{number}") for number in range(3)]
    _, client = haptic_daemon(*pads)
    # In the future, so that no deadline of the daemon advances an engine in between.
    begin = pads[0]._now() + 60_000_000
    for turn in range(4):
        for pad in pads:
            pad.moment = begin + turn * 1000
            pad.emit(*down(0, 45, 608, 340, 255))
            assert len(reached(client.after(pad))) == 1
            pad.emit(*lift(0))
            client.after(pad)
    assert [pad.plays() for pad in pads] == [4, 3, 3]


# Errors


@pytest.mark.parametrize("error", [errno.EINVAL, errno.ENOSPC])
def test_a_pad_that_refuses_the_effect_is_still_read(bed, haptic_daemon, error):
    pad = HapticPad(bed)
    pad.upload_error = error
    daemon, client = haptic_daemon(pad)
    daemon.wait_logged(f"cannot upload a haptic effect to {pad.node}: {os.strerror(error)}")
    assert len(reached(press_to_the_maximum(pad, client, 2))) == 2
    assert [line["haptics"] for line in client.ask("devices")["result"]] == [False]
    assert daemon.terminate() == 0
    assert pad.effect_log == []
    assert len(errors(daemon, "upload a haptic effect")) == 1


def test_a_pad_without_write_permission_is_still_read(bed, start, without_privilege):
    pads = pad, dumb = HapticPad(bed), HapticPad(bed, 1, effects=[])
    for each in pads:
        each.plug(mode=0o400)
    daemon = start(settings=ENABLED, before=without_privilege)
    for each in pads:
        # If the daemon was faster than the bed.
        each.chmod(0o400)
        daemon.wait_open(each)
    client = daemon.connect()
    assert {line["haptics"] for line in of_kind(client.subscribe_to_all(), "device")} == {False}
    for each in pads:
        (flags,) = daemon.open_nodes(each)
        assert flags & os.O_ACCMODE == os.O_RDONLY
    daemon.wait_logged(f"cannot open {pad.node} for writing: Permission denied")
    assert len(reached(press_to_the_maximum(pad, client, 1))) == 1
    assert pad.effect_log == []
    # The pad without effects loses no events.
    assert len(errors(daemon, "for writing")) == 1


def test_a_pad_removed_with_its_effect_is_not_an_error(bed, haptic_daemon):
    pad = HapticPad(bed)
    daemon, client = haptic_daemon(pad)
    press_to_the_maximum(pad, client, 1)
    pad.unplug()
    client.until(event="device", change="removed")

    again = HapticPad(bed, 1).plug()
    assert client.until(event="device", change="added")[-1]["haptics"] is True
    press_to_the_maximum(again, client, 1)
    assert again.effect_log == [UPLOAD, PLAY]
    assert not errors(daemon, "cannot")
