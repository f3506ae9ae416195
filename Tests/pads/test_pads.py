"""The pads of the tests and the table of the documentation are what their sources state."""

import importlib.util
import pathlib
import subprocess

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def made():
    """The files by their generator."""
    specification = importlib.util.spec_from_file_location("make_pads", HERE / "make-pads.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return dict(module.pads())


def test_the_files_are_those_of_the_generator():
    texts = made()
    assert {path.name: path.read_text() for path in HERE.glob("*.hid")} | {
        path.name: path.read_text() for path in HERE.glob("*.evemu")
    } == texts, "run Tests/pads/make-pads.py"


def test_the_documentation_and_the_quirks_are_those_of_the_database():
    result = subprocess.run([ROOT / "scripts/pads", "--check"], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_file_that_is_not_up_to_date_is_reported(tmp_path):
    for name in ("scripts/pads", "quirks/pads.yaml", "docs/hardware.md", "Sources/PressureSettings/ShippedQuirks.swift"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "Tests/pads").mkdir(parents=True)
    for path in [*HERE.glob("*.hid"), *HERE.glob("*.evemu")]:
        (tmp_path / "Tests/pads" / path.name).touch()
    script = tmp_path / "scripts/pads"
    script.chmod(0o755)
    data = tmp_path / "quirks/pads.yaml"
    data.write_text(data.read_text().replace("164 g", "165 g"))
    result = subprocess.run([script, "--check"], capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr == "docs/hardware.md is not up to date; run scripts/pads\n"
    assert subprocess.run([script]).returncode == 0
    assert "165 g" in (tmp_path / "docs/hardware.md").read_text()


def test_every_quirk_of_the_database_is_one_line():
    """The generator copies lines, so that the program contains them as they were written."""
    entries = yaml.safe_load((ROOT / "quirks/pads.yaml").read_text())["pads"]
    count = sum(len(entry.get("quirk", [])) for entry in entries)
    text = (ROOT / "Sources/PressureSettings/ShippedQuirks.swift").read_text()
    assert text.count("- { title: ") == count


def test_the_captured_frame_has_two_contacts_of_381():
    lines = (HERE / "surface-laptop-studio.hid").read_text().splitlines()
    report = bytes.fromhex(next(line for line in lines if line.startswith("E: ")).split(" ", 3)[3])
    assert [int.from_bytes(report[start : start + 2], "little") for start in (6, 13)] == [381, 381]
