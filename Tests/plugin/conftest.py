"""Skips the tests without Lua, and names the program to compare with."""

import os
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items):
    if shutil.which("lua5.4") is None:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="lua5.4 is not installed"))


@pytest.fixture(scope="session")
def program():
    return os.environ.get("PRESSURED_PROGRAM", str(ROOT / ".build/debug/pressured"))
