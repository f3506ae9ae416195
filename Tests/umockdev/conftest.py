"""The program under test, and a bed of mocked devices for each test.

umockdev is preloaded into the program only; the tests themselves see the real machine.
"""

import os
import subprocess

import pytest

from built import program  # noqa: F401
from privilege import without_privilege  # noqa: F401
from waiting import DEADLINE

try:
    from bed import Bed
    from mockdaemon import Daemon
    from mockpad import MockPad
except (ImportError, ValueError) as error:
    Bed = None
    reason = f"umockdev or its Python bindings are missing: {error}"


class Missing(pytest.Module):
    """Replaces the tests of a file that cannot be run here."""

    def collect(self):
        yield pytest.Function.from_parent(self, name="all", callobj=lambda: pytest.skip(reason))


def pytest_pycollect_makemodule(module_path, parent):
    return None if Bed else Missing.from_parent(parent, path=module_path)


@pytest.fixture
def bed():
    bed = Bed()
    yield bed
    bed.close()


@pytest.fixture
def pad(bed):
    """The default pad, plugged in."""
    return MockPad(bed).plug()


@pytest.fixture
def start(program, bed, tmp_path):
    """Starts the daemon with options; it is stopped after the test with its clients, and must exit successfully."""
    daemons = []

    def start(*options, **others):
        daemons.append(Daemon(program, bed, tmp_path, *options, **others))
        return daemons[-1]

    yield start
    for daemon in daemons:
        daemon.end()
    assert [daemon.process.returncode for daemon in daemons] == [0] * len(daemons)


@pytest.fixture
def listener(start):
    """A client that receives every frame, of a daemon with the devices plugged in by now."""
    client = start().connect()
    client.present = client.subscribe_to_all()
    return client


@pytest.fixture
def run(program, bed, tmp_path):
    """Runs the program without a daemon, or with that of a socket in the folder; returns its status, output and errors."""
    # Neither a daemon nor the configuration of the user who runs the tests.
    (tmp_path / "config.yaml").write_text("")

    def run(*words, before=(), socket="nobody", **variables):
        done = subprocess.run(
            [*before, program, *words], capture_output=True, text=True, timeout=DEADLINE, cwd=tmp_path,
            env={"PATH": os.environ["PATH"], **bed.environment, "PRESSURED_SOCKET": str(tmp_path / socket),
                 "CONFIGURATION_DIRECTORY": str(tmp_path), **variables})  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def listed(run):
    """The output of `pressured devices`, by node."""

    def listed():
        status, output, errors = run("devices")
        assert status == 0, errors
        # Further sentences about a node are on lines of their own.
        return dict(line.split(": ", 1) for line in output.replace("\n  ", "; ").splitlines())

    return listed
