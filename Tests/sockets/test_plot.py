"""`pressured plot` draws recordings and calibrations."""

import os
import pathlib
import resource
import shutil
import subprocess
import xml.etree.ElementTree

import pytest

from connection import events_of, lines_of
from daemon import environment
from recording import DEVICE, HEADER, Recording

ROOT = pathlib.Path(__file__).resolve().parents[2]
DUMPS = sorted((ROOT / "Tests/PressureKitTests/Recordings").glob("*.evemu"))
USAGE, BAD_DATA, NO_INPUT, CANNOT_CREATE = 64, 65, 66, 73


@pytest.fixture
def plot(program, folder):
    """Runs `pressured plot` and returns the result; the only calibrations are those of the test."""

    def plot(*arguments, **variables):
        return subprocess.run(
            [program, "plot", *map(str, arguments)], env=environment(folder, **variables), cwd=folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
        )  # fmt: skip

    return plot


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
    assert (result.returncode, result.stdout) == (status, "")
    for part in parts:
        assert part in result.stderr


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.stem)
def test_a_recording_always_results_in_the_same_image(plot, picture, dump):
    result = plot(dump, "-o", picture)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    first = picture.read_bytes()
    assert plot(dump, "-o", picture, "--force").returncode == 0
    assert picture.read_bytes() == first
    assert {"heaviest", "time (s)", "force (1 is an average touch)", "x (mm)"} <= set(words(picture))


def test_the_image_in_the_readme_is_current(plot, picture):
    shown = ROOT / "docs/strokes.svg"
    assert "](docs/strokes.svg)" in (ROOT / "README.md").read_text(encoding="utf-8")
    plot(ROOT / "docs/examples/strokes.evemu", "-o", picture)
    assert picture.read_bytes() == shown.read_bytes(), (
        "draw it again: pressured plot docs/examples/strokes.evemu -o docs/strokes.svg --force")


def test_files_are_not_overwritten_unless_forced(plot, picture, write):
    picture.write_text("mine")
    recording = write(press())
    assert_refused(plot(recording, "-o", picture), CANNOT_CREATE, f"{picture} exists already; use --force")
    assert picture.read_text() == "mine"
    assert plot(recording, "-o", picture, "--force").returncode == 0
    assert "heaviest" in words(picture)


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


def test_missing_and_invalid_files_are_refused(plot, write, picture, folder):
    assert_refused(plot("none.evemu", "-o", picture), NO_INPUT, "none.evemu")
    assert_refused(plot(write("hello\n", "words.txt"), "-o", picture), BAD_DATA, "words.txt")
    untouched = plot(write(Recording().report()), "-o", picture)
    assert_refused(untouched, BAD_DATA, "it contains no touch")
    assert not picture.exists()
    there = pathlib.Path(folder) / "nowhere" / "picture.svg"
    assert_refused(plot(write(press()), "-o", there), CANNOT_CREATE, str(there))


def test_the_valid_part_is_drawn_and_then_the_error_reported(plot, write, picture):
    broken = write(press().text + "E: what is this\n")
    assert_refused(plot(broken, "-o", picture), BAD_DATA, broken)
    assert any(text.startswith("1: ") for text in words(picture))


def test_the_name_of_a_device_is_escaped(plot, write, picture):
    name = '</text><script>alert("1 & 2")</script>\x1b[31m\x01'
    text = press().text.replace("N: Pad", f"N: {name}")
    assert plot(write(text), "-o", picture).returncode == 0
    root = xml.etree.ElementTree.parse(picture).getroot()
    assert not [node for node in root.iter() if node.tag.endswith("script")]
    assert any('</text><script>alert("1 & 2")</script>' in text for text in words(picture))


def test_a_peak_of_one_frame_in_a_long_recording_is_visible(plot, write, picture, replay):
    recording = Recording()
    recording.begin(0, 30).report()
    for number in range(20_000):
        recording.wait(10).press(0, 30 + number % 3 if number != 11_111 else 251).report()
    path = write(recording.lift(0).report())
    assert plot(path, "-o", picture).returncode == 0
    (ended,) = [line for line in events_of(lines_of(replay(path).stdout), "contact") if line["phase"] == "ended"]
    assert [text for text in words(picture) if text.startswith(f"1: {ended['peak_force']:.2f} ")]
    assert "100" in words(picture) and "200" in words(picture)  # seconds
    assert picture.stat().st_size < 60_000


def test_a_hundred_contacts_are_drawn(plot, write, picture):
    recording = Recording()
    for number in range(100):
        recording.touch([20 + number, 60 + number], slot=number % 10)
    assert plot(write(recording), "-o", picture).returncode == 0
    assert {"1", "50", "100"} <= set(words(picture))
    assert any("100 contacts" in text for text in words(picture))


def test_a_pad_without_pressure_is_reported(plot, write, picture):
    text = "".join(line for line in HEADER.format(resolution=0).splitlines(True) if "A: 3a" not in line)
    events = "".join(line + "\n" for line in Recording().begin(0, 1).report().text.splitlines()
                     if line.startswith("E:") and " 003a " not in line)
    rest = "".join(f"E: {second}.000000 0003 0035 {500 + second % 2}\nE: {second}.000000 0000 0000 0\n"
                   for second in range(1, 4))  # fmt: skip
    assert plot(write(text + events + rest), "-o", picture).returncode == 0
    assert any("it does not measure pressure" in text for text in words(picture))
    assert any("simulated from the duration of the touch" in text for text in words(picture))
    assert not any("grams" in text for text in words(picture))


# MARK: PNG


def test_a_png_is_made_by_rsvg_convert(plot, write, folder):
    if shutil.which("rsvg-convert") is None:
        pytest.skip("rsvg-convert is not installed")
    path = pathlib.Path(folder) / "picture.png"
    result = plot(write(press()), "-o", path, TMPDIR=folder)
    assert (result.returncode, result.stderr) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert sorted(os.listdir(folder)) == ["pad.evemu", "picture.png"]


def test_a_missing_rsvg_convert_is_reported(plot, write, folder):
    result = plot(write(press()), "-o", "picture.png", PATH=folder, TMPDIR=folder)
    assert_refused(result, CANNOT_CREATE, "picture.png: a PNG needs rsvg-convert", "librsvg2-bin")
    assert os.listdir(folder) == ["pad.evemu"]


def test_no_image_is_left_if_rsvg_convert_makes_none(plot, write, folder):
    program = pathlib.Path(folder) / "rsvg-convert"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    result = plot(write(press()), "-o", "picture.png", PATH=f"{folder}:{os.environ['PATH']}")
    assert_refused(result, CANNOT_CREATE, "picture.png: rsvg-convert wrote no PNG")
    assert not (pathlib.Path(folder) / "picture.png").exists()


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

    def calibrate(device=DEVICE, points=POINTS, ending=""):
        text = f'version: 1\ndevice: "{device}"\naxis: {{ minimum: 0, maximum: 255, resolution: 0 }}\npoints:\n'
        for grams, raw in points:
            text += (f"  - {{ grams: {grams}.0, raw: {raw}, spread: 0.6, count: 100, "
                     f"greatest: {int(raw) + 2} }}\n")  # fmt: skip
        state = pathlib.Path(folder) / "state"
        (state / "calibration").mkdir(parents=True, exist_ok=True)
        (state / "calibration" / f"{device}.yaml").write_text(
            text + f'checksum: "{checksum(text)}"\n' + ending)
        return state

    return calibrate


def test_a_calibrated_device_has_calibrated_grams(plot, write, picture, calibrate):
    recording = write(press())
    assert plot(recording, "-o", picture).returncode == 0
    assert "≈ grams (nominal: an estimate)" in words(picture)
    result = plot(recording, "-o", picture, "--force", STATE_DIRECTORY=calibrate())
    assert (result.returncode, result.stderr) == (0, "")
    assert any(text.startswith("grams (calibrated; ±") for text in words(picture))


def test_a_damaged_calibration_is_reported_and_left_alone(plot, write, picture, calibrate):
    state = calibrate(ending="more\n")
    result = plot(write(press()), "-o", picture, STATE_DIRECTORY=state)
    assert result.returncode == 0 and "checksum" in result.stderr
    assert "≈ grams (nominal: an estimate)" in words(picture)
    assert os.listdir(state / "calibration") == [f"{DEVICE}.yaml"]


def test_a_calibration_is_drawn(plot, picture, calibrate):
    state = calibrate()
    assert plot("--calibration", "-o", picture, STATE_DIRECTORY=state).returncode == 0
    texts = words(picture)
    assert f"Calibration of {DEVICE}" in texts
    assert {"100 g", "200 g", "residual (g)", "raw value of the sensor"} <= set(texts)
    assert any("a straight line" in text for text in texts)
    first = picture.read_bytes()
    assert plot("--calibration", DEVICE, "-o", picture, "--force", STATE_DIRECTORY=state).returncode == 0
    assert picture.read_bytes() == first


def test_a_nonlinear_calibration_is_drawn_in_pieces(plot, picture, calibrate):
    bent = [(0, 2.0), (50, 60.0), (100, 100.0), (150, 128.0), (200, 148.0)]
    assert plot("--calibration", "-o", picture, STATE_DIRECTORY=calibrate(points=bent)).returncode == 0
    assert any("piecewise linear between the points" in text for text in words(picture))


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
    assert plot("--calibration", DEVICE, "-o", picture, STATE_DIRECTORY=state).returncode == 0


def test_a_damaged_calibration_is_not_drawn(plot, picture, calibrate):
    state = calibrate(ending="more\n")
    assert_refused(plot("--calibration", "-o", picture, STATE_DIRECTORY=state), BAD_DATA, "checksum")
    assert not picture.exists()


def cost(plot, recording, picture):
    """The processor time for an image in seconds, whatever else the machine does."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert plot(recording, "-o", picture, "--force").returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def taps(count):
    """That many short contacts, one after another, each at another position."""
    recording = Recording()
    for number in range(count):
        recording.begin(0, 20 + number % 200, x=number * 37 % 1000, y=number * 53 % 600).report().wait(2)
        recording.lift(0).report().wait(1)
    return recording


def test_the_time_for_many_contacts_is_linear(plot, write, picture):
    few, many = (cost(plot, write(taps(count)), picture) for count in (1000, 6000))
    # If each label is compared with every other one, six times as many take thirty-six times as long.
    assert many < 15 * max(few, 0.1), f"{few:.2f} s and {many:.2f} s"


def test_the_time_for_a_long_name_is_linear(plot, write, picture):
    name = write(press().text.replace("N: Pad", "N: " + "w" * 100_000))
    # Cutting it letter by letter and measuring it again each time took minutes.
    assert cost(plot, name, picture) < 5


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_unreadable_calibrations_are_reported(program, folder):
    os.chmod(folder, 0o777)
    state = pathlib.Path(folder) / "state"
    (state / "calibration").mkdir(parents=True)
    os.chmod(state, 0o700)
    # The build directory may not be accessible to other users.
    own = shutil.copy(program, folder)
    result = subprocess.run(
        [own, "plot", "--calibration", "-o", f"{folder}/picture.svg"], env=environment(folder, STATE_DIRECTORY=state),
        capture_output=True, text=True, check=False, user="nobody", group="nogroup", extra_groups=[], cwd=folder,
    )  # fmt: skip
    assert_refused(result, 77, f"no permission to read {state}/calibration", "sudo pressured plot --calibration")
