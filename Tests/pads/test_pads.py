"""The pads of the tests and the table of the documentation are what their sources state."""

import json
import os
import pathlib
import re
import subprocess

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENTRIES = yaml.safe_load((ROOT / "quirks/pads.yaml").read_text())["pads"]


def test_the_documentation_and_the_quirks_are_those_of_the_database():
    result = subprocess.run([ROOT / "scripts/pads", "--check"], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_file_that_is_not_up_to_date_is_reported(tmp_path):
    for name in ("scripts/pads", "Tests/pads/make-pads.py", "quirks/pads.yaml", "docs/hardware.md", "Sources/PressureSettings/ShippedQuirks.swift"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    script = tmp_path / "scripts/pads"
    script.chmod(0o755)
    data = tmp_path / "quirks/pads.yaml"
    data.write_text(data.read_text().replace("164 g", "165 g"))
    result = subprocess.run([script, "--check"], capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr == "docs/hardware.md is not up to date; run scripts/pads\n"
    assert subprocess.run([script]).returncode == 0
    assert "165 g" in (tmp_path / "docs/hardware.md").read_text()


@pytest.mark.parametrize("change, message", [
    (("measures: nothing, pads: [Sensel of ThinkPads]", "measures: force, pads: [Sensel of ThinkPads]"), "its pads report something else"),
    (("pads: [Sensel of ThinkPads]", "pads: [Sensel]"), "unknown [], nothing, ['Sensel']"),
    (("Framework Laptop 16, measures: unknown", "Framework Laptop 16, measures: force"), "needs a pad or a source"),
])
def test_a_machine_measures_what_its_pads_report(tmp_path, change, message):
    for name in ("scripts/pads", "Tests/pads/make-pads.py", "quirks/pads.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text().replace(*change))
    result = subprocess.run(["/usr/bin/python3", tmp_path / "scripts/pads", "--check"], capture_output=True, text=True)
    assert result.returncode == 1 and message in result.stderr


def test_every_quirk_of_the_database_is_one_line():
    """The generator copies lines, so that the program contains them as they were written."""
    count = sum(len(entry.get("quirk", [])) for entry in ENTRIES)
    text = (ROOT / "Sources/PressureSettings/ShippedQuirks.swift").read_text()
    assert text.count("- { title: ") == count


def identities(entry):
    """Bus, vendor and product of each ID; what an ID leaves open is any."""
    for text in map(str, entry["ids"]):
        if "name" in text:
            continue
        first, _, last = text.replace("*", "0003").partition(" to ")
        bus, vendor, product = (*first.split(":"), "0000")[:3]
        for number in range(int(product, 16), int(last or product, 16) + 1):
            yield bus, vendor, f"{number:04x}"


def needs_machine(entry):
    """Whether its quirks apply on some machines only, which a recording does not name."""
    quirks = entry.get("quirk", [])
    return bool(quirks) and all("MatchDMIModalias" in quirk for quirk in quirks)


def name(entry):
    return next((quirk["MatchName"] for quirk in entry.get("quirk", []) if "MatchName" in quirk), "Pad").replace("*", "")


def replayed(folder, bus, vendor, product, pressure, name="Pad", keys=()):
    """The verdict on a pad with this axis: its maximum and its units per gram, or None."""
    row = bytearray(96)
    for code in (0x14A, 0x145, *keys):
        row[code // 8] |= 1 << code % 8
    axes = {0x2F: (4, 0), 0x35: (1216, 12), 0x36: (680, 12), 0x39: (65535, 0), **({0x3A: pressure} if pressure else {})}
    lines = ["# EVEMU 1.3", f"N: {name}", f"I: {bus} {vendor} {product} 0100", f"B: 01 {row.hex(' ')}",
             *(f"A: {code:02x} 0 {maximum} 0 0 {resolution}" for code, (maximum, resolution) in axes.items())]  # fmt: skip
    (folder / "pad.evemu").write_text("\n".join([*lines, "E: 1.0 0000 0000 0\n"]))
    result = subprocess.run([os.environ["PRESSURED_PROGRAM"], "replay", folder / "pad.evemu"], capture_output=True, text=True, check=True)
    devices = [json.loads(line) for line in result.stdout.splitlines() if '"event":"device"' in line]
    return devices[0]["verdict"]


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry["reports"] != "palms"], ids=lambda entry: entry["name"])
def test_what_is_known_of_a_pad_decides(entry, tmp_path):
    units = re.search(r"(\d+) units? per gram", entry["axis"])
    maximum = re.search(r"0 to (\d+)", entry["axis"])
    axis = (int(maximum[1]) if maximum else 255, int(units[1]) if units else 0)
    for identity in identities(entry):
        verdict = replayed(tmp_path, *identity, None if entry["reports"] == "nothing" else axis, name(entry))
        if needs_machine(entry):
            assert verdict["measures"] == "area", identity
            continue
        assert verdict["measures"] == {"nothing": "none"}.get(entry["reports"], entry["reports"]), identity
        assert verdict["certainty"] in ("stated" if units else "inferred", None), identity
        if "that of Y" in entry["axis"] and identity[2] in entry["axis"]:
            assert (verdict["range"], verdict["range_source"]) == (None, "inherited")


@pytest.mark.parametrize(
    "identity, axis, measures, certainty",
    [
        # Nothing is known of the vendor, the product, or the bus.
        (("0018", "1234", "5678"), (255, 0), "area", "assumed"),
        (("0018", "05ac", "0265"), (253, 0), "area", "assumed"),
        (("0003", "1cb6", "6652"), (255, 0), "area", "assumed"),
        (("0018", "093a", "4f06"), (2601, 0), "area", "assumed"),
        # A program states its unit.
        (("0006", "1234", "5678"), (4000, 4), "force", "assumed"),
        (("0018", "1234", "5678"), (4000, 4), "force", "stated"),
        # Two values tell only that something touches.
        (("0018", "1234", "5678"), (1, 0), "broken", None),
        (("0018", "1234", "5678"), (2, 0), "area", "assumed"),
    ],
)
def test_of_other_pads_no_more_is_claimed(tmp_path, identity, axis, measures, certainty):
    verdict = replayed(tmp_path, *identity, axis)
    assert (verdict["measures"], verdict["certainty"]) == (measures, certainty)
