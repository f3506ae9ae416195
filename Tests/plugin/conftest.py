"""Skips the tests without Lua, and names the program to compare with."""

import shutil

import pytest

from built import program  # noqa: F401


def pytest_collection_modifyitems(items):
    if shutil.which("lua5.4") is None:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="lua5.4 is not installed"))
