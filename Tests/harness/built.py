"""The program that is tested."""

import os

import pytest

import verbs


@pytest.fixture(scope="session")
def program():
    """The real program, as `swift build` leaves it, or the one that $PRESSURED_PROGRAM names."""
    path = verbs.program()
    assert os.access(path, os.X_OK), f"{path} is no program; build it first: swift build"
    return os.path.abspath(path)
