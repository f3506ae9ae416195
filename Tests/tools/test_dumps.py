"""The recordings of the tests and the documentation are what `Tests/dumps/make-dumps.py` writes."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_recordings_are_the_output_of_the_script(tmp_path):
    subprocess.run([sys.executable, ROOT / "Tests/dumps/make-dumps.py", tmp_path], check=True)
    kept = [*(ROOT / "Tests/PressureKitTests/Recordings").iterdir(), *(ROOT / "docs/examples").glob("*.evemu")]
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert {path.name: path.read_bytes() for path in kept} == written
