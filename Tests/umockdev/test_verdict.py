"""What `devices` and `doctor` state about a pad by its report descriptor, and that nothing is written to any device."""

import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from hidraw import known
from mockpad import MockPad
from program import Program
from strokes import down, lift, press
from waiting import wait_until


def describe(bed, pad, descriptor):
    """Puts a report descriptor where sysfs has it."""
    folder = pathlib.Path(f"{bed.root}/sys/class/input/event{pad.number}/device/device")
    folder.mkdir(parents=True)
    (folder / "report_descriptor").write_bytes(descriptor)


def surface(bed):
    pad = MockPad(bed, ids=(0x19, 0x045E, 0x09AF, 1), pressure=(0, 2000, 0)).plug()
    describe(bed, pad, known("surface-laptop-studio"))
    return pad


def test_a_descriptor_states_grams_where_the_kernel_does_not(bed, run):
    surface(bed)
    status, output, _ = run("devices")
    assert status == 0
    assert "pressure 0 to 2000, force in grams, one value for all contacts\n  " in output
    assert "the report descriptor declares grams: 1 unit per gram, which this kernel does not report" in output


def test_clients_receive_the_verdict(bed, start):
    surface(bed)
    daemon = start()
    (device,) = daemon.connect().ask("devices")["result"]
    assert (device["weight_source"], device["per_contact"]) == ("descriptor", False)
    assert device["verdict"]["measures"] == "total"
    assert device["verdict"]["certainty"] == "stated"


def test_the_range_of_use_is_kept_across_starts_without_waiting_for_the_disk(bed, start, tmp_path):
    # With this library the daemon crashes instead of waiting for the disk.
    library = tmp_path / "fsync.so"
    text = "#include <stdlib.h>\nint fsync(int file) { (void)file, abort(); }\n"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", library, "-"], input=text, text=True, check=True)
    pad = MockPad(bed, ids=(0x18, 0x093A, 0x4F05, 1), pressure=(0, 2601, 0)).plug()
    describe(bed, pad, known("pixart-inherited"))
    daemon = start(before=["env", f"LD_PRELOAD=libumockdev-preload.so.0 {library}"])
    client = daemon.connect()
    client.subscribe_to_all()
    for number in range(21):
        for frame in down(0, number + 1, 500, 300, 100 + number), press(0, 450), lift(0):
            pad.emit(*frame)
    client.until(event="device", effective_maximum=450)
    client.close()
    assert daemon.terminate() == 0
    (device,) = start().connect().ask("devices")["result"]
    assert device["effective_maximum"] == 450 and device["verdict"]["range_source"] == "use"


@pytest.fixture
def report(program, bed, tmp_path):
    """Runs `doctor --report`, and interrupts it when it records."""
    programs = []

    def report(*options, before=()):
        programs.append(Program(
            [*before, program, "doctor", "--report", "pad.evemu", *options], cwd=tmp_path,
            env={"PATH": os.environ["PATH"], **bed.environment, "PRESSURED_SOCKET": str(tmp_path / "nobody"),
                 "CONFIGURATION_DIRECTORY": str(tmp_path)}))  # fmt: skip
        programs[-1].expect("recording /dev")
        programs[-1].stop(signal.SIGINT)
        return (tmp_path / "pad.evemu").read_text()

    yield report
    for one in programs:
        one.end()


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize("verb", ["devices", "doctor", "report"])
def test_nothing_is_written_to_any_device(bed, run, report, tmp_path, verb):
    surface(bed)
    log = tmp_path / "calls"
    calls = "trace=open,openat,openat2,creat,ioctl"
    # With -D the program is the child process, which receives the signals; the log is complete when strace has closed it.
    before = ["strace", "-D", "-f", "-s", "300", "-e", calls, "-o", str(log)]
    if verb == "report":
        report("--device", "/dev/input/event0", before=before)
    else:
        run(verb, before=before)
    wait_until(lambda: "+++ exited" in log.read_text())
    text = log.read_text()
    opened = re.findall(r'open(?:at|at2)?\([^"]*"([^"]+)", ([A-Z_|]+)', text)
    assert any(path.endswith("report_descriptor") for path, _ in opened), "the descriptor was read"
    assert any("/dev/input/event0" in path or "/dev/pts" in path for path, _ in opened), "the pad was opened"
    for path, flags in opened:
        if "/dev/hidraw" in path or "/dev/uhid" in path:
            pytest.fail(f"opens {path}")
        is_device = "/dev/input" in path or "/dev/pts" in path or "/sys/" in path
        assert not is_device or flags.startswith("O_RDONLY"), f"{path} is opened with {flags}"
    assert not re.search(r"EVIOCSFF|EVIOCSABS|EVIOCGRAB|HIDIOCS|UI_", text)


def test_a_report_identifies_nobody(bed, report):
    pad = MockPad(
        bed, name="Anna's Trackpad", ids=(0x05, 0x004C, 0x0265, 1), pressure=(0, 253, 0), uniq="00:11:22:33:44:55",
        phys="aa:bb:cc:dd:ee:ff",
    ).plug()  # fmt: skip
    describe(bed, pad, known("magic-trackpad-2"))
    text = report()
    for private in "Anna", "00:11:22", "aa:bb", os.uname().nodename:
        assert private not in text
    assert f"# R: {len(known('magic-trackpad-2'))} " in text
    assert "A: 3a 0 253 0 0 0" in text


@pytest.fixture
def libinput(tmp_path):
    """Installs a libinput that knows some keys and lists some quirks; returns the path for programs."""

    def install(keys=(), quirks=()):
        folder = tmp_path / "programs"
        folder.mkdir(exist_ok=True)
        listed = "".join(f"echo '{line}'\n" for line in quirks)
        known = "|".join(["Match.*", r"\[.*", *keys])
        (folder / "libinput").write_text(
            f'''#!/bin/sh
case "$1 $2" in
"--version ") echo 1.99.0;;
"quirks list") :; {listed};;
"quirks validate") ! grep -Evq '^({known})' "${{3#--data-dir=}}"/*.quirks;;
esac
''')  # fmt: skip
        (folder / "libinput").chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    return install


def recording(path, peaks=(), ids="0018 1234 0001 0100", maximum=255):
    lines = ["# EVEMU 1.3", "N: Pad", f"I: {ids}", "B: 01 " + "00 " * 8]
    lines += ["A: 2f 0 1 0 0 0", "A: 35 0 1000 0 0 10", "A: 36 0 600 0 0 10", "A: 39 0 65535 0 0 0", f"A: 3a 0 {maximum} 0 0 0"]
    time = 0
    for number, peak in enumerate(peaks):
        for values in [(0x39, number), (0x35, 100 + number), (0x36, 50), (0x3A, peak)], [(0x3A, peak // 2)], [(0x39, -1)]:
            time += 10
            lines += [f"E: 0.{time * 1000:06} 0003 {code:04x} {value}" for code, value in values]
            lines.append(f"E: 0.{time * 1000:06} 0000 0000 0")
    path.write_text("\n".join(lines) + "\n")


def test_quirks_for_libinput_are_proposed_as_a_difference(bed, run, tmp_path):
    recording(tmp_path / "touches.evemu", [40, 60, 80, 100, 120])
    status, output, errors = run("doctor", "--libinput", "touches.evemu")
    assert status == 0, errors
    assert "+AttrPressureRange=20:16" in output
    assert "+AttrPalmPressureThreshold=150" in output
    assert "+MatchVendor=0x1234" in output
    if os.path.exists("/etc/libinput/local-overrides.quirks") or not shutil.which("patch"):
        return
    folder = tmp_path / "root"
    (folder / "etc" / "libinput").mkdir(parents=True)
    for options in [], ["-R"]:
        patched = subprocess.run(["patch", "-p1", "-d", str(folder), *options], input=output, text=True, capture_output=True)
        assert patched.returncode == 0, patched.stdout
        file = folder / "etc/libinput/local-overrides.quirks"
        assert file.exists() == (not options)
    recording(tmp_path / "none.evemu")
    status, _, errors = run("doctor", "--libinput", "none.evemu")
    assert status == 65 and "record at least 5, light and hard ones" in errors


def test_a_palm_threshold_below_the_default_is_not_proposed(bed, run, tmp_path):
    recording(tmp_path / "light.evemu", [20, 30, 40, 45, 50])
    status, output, errors = run("doctor", "--libinput", "light.evemu")
    assert status == 0, errors
    assert "+AttrPressureRange=10:8" in output and "AttrPalmPressureThreshold" not in output


@pytest.mark.parametrize("peaks", [[40, 41, 42, 43, 45], [1] * 6])
def test_touches_that_are_too_similar_show_no_thresholds(bed, run, tmp_path, peaks):
    recording(tmp_path / "equal.evemu", peaks)
    status, _, errors = run("doctor", "--libinput", "equal.evemu")
    assert status == 65 and ("too similar" in errors or "no usable pressure" in errors)


@pytest.mark.parametrize(
    "keys, entry",
    [
        (["AttrPressureRange=", "AttrInputProp="], "AttrInputProp=+INPUT_PROP_PRESSUREPAD"),
        (["AttrPressureRange=", "ModelPressurePad="], "ModelPressurePad=1"),
        (["AttrPressureRange=", "AttrEventCode="], "AttrEventCode=-ABS_MT_PRESSURE;-ABS_PRESSURE"),
        (["AttrPressureRange=", "AttrEventCodeDisable="], "AttrEventCodeDisable=ABS_MT_PRESSURE;ABS_PRESSURE"),
        (["AttrPressureRange="], None),
    ],
)
def test_only_keys_that_libinput_knows_are_proposed(bed, run, tmp_path, libinput, keys, entry):
    recording(tmp_path / "pad.evemu", ids="0018 27c6 01e9 0100", maximum=2000)
    status, output, errors = run("doctor", "--libinput", "pad.evemu", PATH=libinput(keys))
    if entry:
        assert status == 0, errors
        assert [line for line in output.splitlines() if line.startswith(("+Attr", "+Model"))] == [f"+{entry}"]
    else:
        assert status == 73 and output == ""
        assert "this libinput (1.99.0) does not know pressure pads" in errors
    assert not list(pathlib.Path("/tmp").glob("pressured-quirks.*"))


@pytest.mark.parametrize(
    "quirk, reason",
    [
        ("AttrTouchSizeRange=20:10", "a quirk makes it use the size of touches"),
        ("AttrInputProp=+INPUT_PROP_PRESSUREPAD;", "it is a pressure pad there already"),
        ("AttrEventCodeDisable=ABS_MT_PRESSURE;", "a quirk removes its pressure"),
    ],
)
def test_nothing_is_proposed_for_a_connected_pad_whose_quirks_suffice(bed, run, tmp_path, libinput, quirk, reason):
    recording(tmp_path / "pad.evemu", ids="0005 004c 0265 0100", maximum=253)
    MockPad(bed, ids=(0x05, 0x004C, 0x0265, 1)).plug()
    folder = pathlib.Path(f"{bed.root}/sys/class/input/event0/device")
    (folder / "id").mkdir(parents=True)
    for name, text in {"id/bustype": "0005", "id/vendor": "004c", "id/product": "0265", "name": "Pad"}.items():
        (folder / name).write_text(f"{text}\n")
    status, output, errors = run(
        "doctor", "--libinput", "pad.evemu", PATH=libinput(["Attr", "Model"], quirks=[quirk]))
    assert (status, output) == (0, "")
    assert f"nothing to propose: libinput does not use the pressure of Pad, as {reason}" in errors


@pytest.mark.parametrize("quirks, is_dead", [([], True), (["AttrEventCodeDisable=ABS_MT_PRESSURE;ABS_PRESSURE;"], False)])
def test_doctor_states_that_a_pad_is_dead_on_the_desktop(bed, run, start, libinput, quirks, is_dead):
    describe(bed, MockPad(bed, ids=(0x18, 0x04F3, 0x323B, 1), pressure=(0, 4095, 0)).plug(), known("redrix"))
    daemon = start()
    status, output, _ = run("doctor", socket=os.path.basename(daemon.path), PATH=libinput(quirks=quirks))
    assert status == (65 if is_dead else 0)
    assert ("is a palm above 130, so the pad is dead on the desktop; no quirks" in output) == is_dead
    assert ("pressured doctor --libinput touches.evemu" in output.splitlines()[-1]) == is_dead


@pytest.mark.parametrize(
    "quirk, expected",
    [
        ("AttrPressureRange=10:8", "a touch begins at 10, ends at 8"),
        ("AttrEventCode=-ABS_MT_PRESSURE;-ABS_PRESSURE;", "does not use its pressure, as a quirk removes its pressure"),
        ("AttrEventCodeDisable=ABS_MT_PRESSURE;ABS_PRESSURE;", "does not use its pressure, as a quirk removes its pressure"),
        ("AttrTouchSizeRange=150:130", "as a quirk makes it use the size of touches"),
        ("AttrInputPropEnable=INPUT_PROP_PRESSUREPAD;", "a pressure pad for libinput"),
        ("AttrInputProp=+INPUT_PROP_PRESSUREPAD;", "a pressure pad for libinput"),
    ],
)
def test_doctor_applies_the_quirks_of_libinput(bed, run, libinput, quirk, expected):
    MockPad(bed).plug()
    _, output, _ = run("doctor", PATH=libinput(quirks=[quirk]))
    assert f"quirks {quirk}" in output
    assert expected in output
    assert ("not a pressure pad for libinput" in output) == ("PressureRange" in quirk)
