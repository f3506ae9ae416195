"""The program, and the clock that it runs by."""

import pytest

from built import program  # noqa: F401
from simulation import build_clock


@pytest.fixture(scope="session")
def clock(tmp_path_factory):
    return build_clock(str(tmp_path_factory.mktemp("clock")))
