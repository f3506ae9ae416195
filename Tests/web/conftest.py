"""The program and a directory for its sockets."""

import shutil
import tempfile

import pytest

from built import program  # noqa: F401


@pytest.fixture
def folder():
    path = tempfile.mkdtemp(prefix="pressured-")
    yield path
    shutil.rmtree(path)
