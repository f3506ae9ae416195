"""The program under test, and a bed of mocked devices for each test.

umockdev is preloaded into the program only; the tests themselves see the real machine.
"""

import os

import pytest

import verbs
from privilege import without_privilege  # noqa: F401

try:
    from bed import Bed
    from mockdaemon import Daemon, devices
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


@pytest.fixture(scope="session")
def program():
    """`$PRESSURED`, or the last build of `swift build`."""
    path = verbs.program()
    if not os.access(path, os.X_OK):
        pytest.fail(f"{path} does not exist; build it with: swift build")
    return path


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
    """Starts the daemon with options; it is stopped after the test, and must exit successfully."""
    daemons = []

    def start(*options, **others):
        daemons.append(Daemon(program, bed, tmp_path, *options, **others))
        return daemons[-1]

    yield start
    for daemon in daemons:
        daemon.end()
    assert [daemon.process.returncode for daemon in daemons] == [0] * len(daemons)


@pytest.fixture
def connect():
    """Connects clients to a daemon; they are disconnected after the test."""
    return lambda daemon: daemon.connect()


@pytest.fixture
def listener(start, connect):
    """A client that receives every frame, of a daemon with the devices plugged in by now."""
    client = connect(start())
    client.present = client.subscribe_to_all()
    return client


@pytest.fixture
def listed(program, bed, tmp_path):
    """The output of `pressured devices`."""
    return lambda: devices(program, bed, tmp_path)
