"""The program, and the clock that it runs by."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "accuracy"))

from simulation import build_clock  # noqa: E402


@pytest.fixture(scope="session")
def program():
    """The real program, as `swift build` leaves it, or the one that $PRESSURED_PROGRAM names."""
    if program := os.environ.get("PRESSURED_PROGRAM"):
        assert os.access(program, os.X_OK), f"PRESSURED_PROGRAM names no program: {program}"
        return os.path.abspath(program)
    build = ["swift", "build", "--show-bin-path"]
    folder = subprocess.run(build, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    program = os.path.join(folder, "pressured")
    assert os.path.exists(program), "build it first: swift build"
    return program


@pytest.fixture(scope="session")
def clock(tmp_path_factory):
    return build_clock(str(tmp_path_factory.mktemp("clock")))
