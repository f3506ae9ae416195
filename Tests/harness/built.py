"""The program that is tested, and a directory for its sockets."""

import os
import shutil
import tempfile

import pytest

import verbs


@pytest.fixture(scope="session")
def program():
    """The real program, as `swift build` leaves it, or the one that $PRESSURED_PROGRAM names."""
    path = verbs.program()
    assert os.access(path, os.X_OK), f"{path} is no program; build it first: swift build"
    return os.path.abspath(path)


@pytest.fixture
def folder():
    """An empty directory with a short name: the path of a socket has at most 107 bytes."""
    path = tempfile.mkdtemp(prefix="pressured-")
    yield path
    shutil.rmtree(path)
