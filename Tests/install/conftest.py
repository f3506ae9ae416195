"""The installable files, as made by `make build`; the program is the one built by Tests/counts."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def product():
    """The directory with the program, its manual pages and completions."""
    for command in ("scripts/build-release", "scripts/finish"):
        subprocess.run([ROOT / command], check=True, stdout=subprocess.DEVNULL)
    return ROOT / ".build/product"
