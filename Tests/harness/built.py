"""The program that is tested."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


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
