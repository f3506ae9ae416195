"""The program and a directory for its sockets."""

import os
import shutil
import tempfile

import pytest


@pytest.fixture(scope="session")
def program():
    return os.path.abspath(os.environ["PRESSURED_PROGRAM"])


@pytest.fixture
def folder():
    path = tempfile.mkdtemp(prefix="pressured-")
    yield path
    shutil.rmtree(path)
