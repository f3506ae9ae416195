"""`pressured click` writes the plugin for the pads that are connected."""

import re

import pytest

from mockpad import MockPad


@pytest.fixture
def click(run, tmp_path):
    (tmp_path / "config.yaml").write_text("press: { gram_stages: [{ name: light, press: 130, release: 105 }, "
                                          "{ name: deep, press: 300, release: 250 }] }\n")

    def click(*words, status=0):
        done, output, errors = run("click", *words, "--folder", str(tmp_path / "plugins"), STATE_DIRECTORY=str(tmp_path))
        assert done == status, errors
        return output + errors

    click.file = tmp_path / "plugins/60-pressured-click.lua"
    return click


def checksum(text):
    """FNV-1a, as pressured writes it."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def pads(text):
    return re.findall(r"^  \{ (.*) \},$", text, re.MULTILINE)


def test_the_plugin_has_the_forces_of_the_pad_in_its_own_units(bed, click):
    MockPad(bed, pressure=(0, 4000, 4)).plug()
    assert "60-pressured-click.lua; it takes effect at the next login" in click("set", "deep=back", "force=light")
    (pad,) = pads(click.file.read_text())
    assert pad.endswith("area = false, deep = 1200, force = 440, release = 380")
    assert "bus = 24, vendor = 1739, product = 52545, axis = evdev.ABS_MT_PRESSURE" in pad
    assert "local BUTTON = evdev.BTN_SIDE" in click.file.read_text()


def test_a_force_in_grams_needs_a_pad_that_measures_them(bed, click):
    MockPad(bed, pressure=(0, 255, 0)).plug()
    assert "does not measure grams" in click("set", "deep=middle", "force=100", status=65)
    assert not click.file.exists()
    click("set", "deep=middle")
    (pad,) = pads(click.file.read_text())
    assert "area = true" in pad


def test_grams_of_ones_own_are_within_the_pads_resolution(bed, click):
    MockPad(bed, pressure=(0, 4000, 4)).plug()
    click("set", "deep=nothing", "force=100")
    assert "force = 400, release = 320" in pads(click.file.read_text())[0]


def test_with_a_feel_a_force_click_is_relative_to_learned_clicks(bed, click, tmp_path):
    MockPad(bed, pressure=(0, 4000, 4)).plug()
    (tmp_path / "config.yaml").write_text("press: { feel: medium }\n")
    learned = tmp_path / "learned" / "0018-06cb-cd41.yaml"
    learned.parent.mkdir()
    text = ('version: 1\ndevice: "0018-06cb-cd41"\naxis: { minimum: 0, maximum: 4000, resolution: 4 }\n'
            "clicks: [520, 524, 528, 532, 536]\nclick_strengths: [700, 710.5, 720, 730, 740]\n")
    learned.write_text(text + f'checksum: "{checksum(text)}"\n')
    click("set", "deep=middle")
    (pad,) = pads(click.file.read_text())
    assert "between = 0.47, expected = 1.8, weight = 4, least = 1.3, most = 1.9, first = 2.175, " in pad
    assert pad.endswith("factor = 1, strengths = { 700, 710.5, 720, 730, 740 }")


def test_what_is_set_is_shown_and_removed(bed, click):
    MockPad(bed, pressure=(0, 4000, 4)).plug()
    assert "set: nothing" in click()
    click("set", "deep=middle")
    shown = click()
    assert "pad: Mock Pad: a force click from about 300 g" in shown
    assert "set: deep=middle, in " in shown
    click.file.write_text(click.file.read_text().replace("pressured click ", "pressured click 0.1.", 1))
    assert "set it again: pressured click set deep=middle" in click()
    assert "removed: " in click("off")
    assert not click.file.exists()
    assert "nothing is set" in click("off")


def test_the_file_of_somebody_else_stays(bed, click):
    click.file.parent.mkdir()
    click.file.write_text("-- mine\n")
    assert "nothing is set" in click("off")
    assert click.file.read_text() == "-- mine\n"


@pytest.mark.parametrize("pressure, reason", [(None, "does not report the pressure"), ("no pad", "no touchpad with a button")])
def test_without_a_usable_pad_nothing_is_written(pressure, reason, bed, click):
    if pressure is None:
        MockPad(bed, pressure=None).plug()
    assert reason in click("set", "deep=middle", status=66)
    assert not click.file.exists()


@pytest.mark.parametrize("words", [["set"], ["set", "deep=up"], ["set", "deep=middle", "force=20"], ["off", "deep=middle"], ["set", "force=light"]])
def test_a_wrong_setting_is_refused(words, click):
    click(*words, status=64)
