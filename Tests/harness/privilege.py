"""Programs to which the permissions of files apply."""

import os
import shutil

import pytest


@pytest.fixture
def without_privilege():
    """A command prefix with which file permissions apply, even if the tests run as root."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root may open all files, and setpriv is not installed")
    taken = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={taken}", f"--inh-caps={taken}"]
