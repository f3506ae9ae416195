"""`pressured plot` draws recordings and calibrations."""

import os
import pathlib
import shutil
import xml.etree.ElementTree

import pytest

from recording import DEVICE, Recording
from verbs import ROOT

USAGE, BAD_DATA, NO_INPUT, CANNOT_CREATE = 64, 65, 66, 73


@pytest.fixture
def plot(run, folder):
    """The only calibrations are those of the test."""
    return lambda *arguments, **variables: run("plot", *arguments, cwd=folder, **variables)


@pytest.fixture
def picture(folder):
    return pathlib.Path(folder) / "picture.svg"


def press():
    return Recording().touch([20, 90, 150, 220, 90, 10])


def words(path):
    """All text of an SVG image, which must be well-formed XML."""
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]


def assert_refused(result, status, *parts):
    assert (result.status, result.output) == (status, "")
    for part in parts:
        assert part in result.log


def test_the_image_in_the_readme_is_current(plot, picture):
    shown = ROOT / "docs/strokes.svg"
    assert "](docs/strokes.svg)" in (ROOT / "README.md").read_text(encoding="utf-8")
    plot(ROOT / "docs/examples/strokes.evemu", "-o", picture)
    assert picture.read_bytes() == shown.read_bytes(), (
        "draw it again: rm docs/strokes.svg; pressured plot docs/examples/strokes.evemu -o docs/strokes.svg")


def test_files_are_not_overwritten(plot, picture, write):
    picture.write_text("mine")
    recording = write(press())
    assert_refused(plot(recording, "-o", picture), CANNOT_CREATE, f"{picture} exists already; remove it first")
    assert picture.read_text() == "mine"


@pytest.mark.parametrize("arguments, part", [
    (["pad.evemu", "-o", "picture.pdf"], "must end in .svg or .png"),
    (["pad.evemu", "-o", "svg"], "must end in .svg or .png"),
    (["-o", "picture.svg"], "name a recording"),
    (["pad.evemu"], "--output"),
    (["--calibration", "--describe", "pad.evemu", "-o", "picture.svg"], "--describe and --calibration exclude each other"),
])  # fmt: skip
def test_invalid_arguments_are_refused(plot, write, picture, arguments, part):
    write(press())
    assert_refused(plot(*arguments), USAGE, part)
    assert not picture.exists()


def test_missing_and_invalid_files_are_refused(plot, write, picture):
    assert_refused(plot("none.evemu", "-o", picture), NO_INPUT, "none.evemu")
    assert_refused(plot(write("hello\n", "words.txt"), "-o", picture), BAD_DATA, "words.txt")
    untouched = plot(write(Recording().report()), "-o", picture)
    assert_refused(untouched, BAD_DATA, "it contains no touch")
    assert not picture.exists()


def test_the_name_of_a_device_is_escaped(plot, write, picture):
    name = '</text><script>alert("1 & 2")</script>\x1b[31m\x01'
    text = press().text.replace("N: Pad", f"N: {name}")
    assert plot(write(text), "-o", picture).status == 0
    root = xml.etree.ElementTree.parse(picture).getroot()
    assert not [node for node in root.iter() if node.tag.endswith("script")]
    assert any('</text><script>alert("1 & 2")</script>' in text for text in words(picture))


# MARK: PNG


def test_a_png_is_made_by_rsvg_convert(plot, write, folder):
    if shutil.which("rsvg-convert") is None:
        pytest.skip("rsvg-convert is not installed")
    path = pathlib.Path(folder) / "picture.png"
    result = plot(write(press()), "-o", path, TMPDIR=folder)
    assert (result.status, result.log) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert sorted(os.listdir(folder)) == ["pad.evemu", "picture.png"]


def test_a_missing_rsvg_convert_is_reported(plot, write, folder):
    result = plot(write(press()), "-o", "picture.png", PATH=folder, TMPDIR=folder)
    assert_refused(result, CANNOT_CREATE, "picture.png: a PNG needs rsvg-convert", "librsvg2-bin")
    assert os.listdir(folder) == ["pad.evemu"]


# MARK: Calibrations

POINTS = [(0, 2.1), (50, 31.6), (100, 60.8), (200, 121.2)]


def checksum(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


@pytest.fixture
def calibrate(folder):
    """Stores a calibration as `pressured calibrate` does, in a directory that it returns."""

    def calibrate(device=DEVICE, points=POINTS, checks="", ending=""):
        text = f'version: 1\ndevice: "{device}"\naxis: {{ minimum: 0, maximum: 255, resolution: 0 }}\npoints:\n'
        for grams, raw in points:
            text += (f"  - {{ grams: {grams}.0, raw: {raw}, spread: 0.6, count: 100, "
                     f"greatest: {int(raw) + 2} }}\n")  # fmt: skip
        text += checks
        state = pathlib.Path(folder) / "state"
        (state / "calibration").mkdir(parents=True, exist_ok=True)
        (state / "calibration" / f"{device}.yaml").write_text(
            text + f'checksum: "{checksum(text)}"\n' + ending)
        return state

    return calibrate


def test_a_calibrated_device_has_calibrated_grams(plot, write, picture, calibrate):
    recording = write(press())
    assert plot(recording, "-o", picture).status == 0
    assert "≈ grams (an estimate)" in words(picture)
    picture.unlink()
    result = plot(recording, "-o", picture, STATE_DIRECTORY=calibrate())
    assert (result.status, result.log) == (0, "")
    assert any(text.startswith("grams (measured with weights; ±") for text in words(picture))


def test_a_damaged_calibration_is_reported_and_left_alone(plot, write, picture, calibrate):
    state = calibrate(ending="more\n")
    result = plot(write(press()), "-o", picture, STATE_DIRECTORY=state)
    assert result.status == 0 and "checksum" in result.log
    assert "≈ grams (an estimate)" in words(picture)
    assert os.listdir(state / "calibration") == [f"{DEVICE}.yaml"]


def test_a_calibration_is_drawn(plot, picture, calibrate):
    state = calibrate()
    assert plot("--calibration", "-o", picture, STATE_DIRECTORY=state).status == 0
    texts = words(picture)
    assert f"Calibration of {DEVICE}" in texts
    assert {"100 g", "200 g", "residual (g)", "raw value of the sensor"} <= set(texts)
    assert any("linear between the points" in text for text in texts)
    assert "deviation (g)" not in texts
    first = picture.read_bytes()
    picture.unlink()
    assert plot("--calibration", DEVICE, "-o", picture, STATE_DIRECTORY=state).status == 0
    assert picture.read_bytes() == first


def test_checks_are_drawn_in_their_order(plot, picture, calibrate):
    checks = "checks:\n"
    for number, shown in enumerate([100.3, 99.4, 101.0]):
        checks += (f"  - {{ grams: 100.0, shown: {shown}, tolerance: 0.02, place: 0.5, seconds: 4.0, heaviest: 100.0, "
                   f"date: {1_700_000_000 + 86_400 * number} }}\n")  # fmt: skip
    state = calibrate(checks=checks)
    assert plot("--calibration", "-o", picture, STATE_DIRECTORY=state).status == 0
    texts = words(picture)
    assert {"deviation (g)", "checks, the oldest first"} <= set(texts)
    assert [text for text in texts if text and text.startswith("100 g 2023-11-")] == [f"100 g 2023-11-{day}" for day in (14, 15, 16)]


def test_an_ambiguous_calibration_is_refused(plot, picture, calibrate, folder):
    state = pathlib.Path(folder) / "state"
    assert_refused(
        plot("--calibration", "-o", picture, STATE_DIRECTORY=state), NO_INPUT, "no calibration is stored in")
    calibrate()
    calibrate("0018-06cb-0001")
    assert_refused(
        plot("--calibration", "-o", picture, STATE_DIRECTORY=state), USAGE, "name one: 0018-06cb-0001, " + DEVICE)
    assert_refused(
        plot("--calibration", "other", "-o", picture, STATE_DIRECTORY=state), NO_INPUT, "other is not calibrated")
    assert not picture.exists()
    assert plot("--calibration", DEVICE, "-o", picture, STATE_DIRECTORY=state).status == 0
