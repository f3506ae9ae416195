"""What is installed, as `make build` makes it; the program is the one that Tests/counts has built."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def product():
    """The folder with the program, its manual and completions."""
    build = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "pressured"]
    for command in (build, ["scripts/finish"]):
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return ROOT / ".build/product"
