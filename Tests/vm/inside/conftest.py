"""Fixtures for all tests in the guest: pads, clients, settings, and the journal of failed tests."""

import os
import shutil
import subprocess
import time

import pytest

import service
from connection import Connection
from pad import UinputPad, recorded_pad

BEGUN = pytest.StashKey[float]()


@pytest.fixture(autouse=True)
def calm(request):
    """Each test begins with a stopped service, except for those that share one preparation."""
    request.node.stash[BEGUN] = time.time()
    if not {"outcomes", "laboratory"} & set(request.fixturenames):
        service.stop()


def pytest_collection_modifyitems(config, items):
    """A container cannot create devices: tests that need one are deselected."""
    if os.path.exists("/dev/uinput"):
        return
    needy = {"plug", "plug_in", "laboratory", "calibrated", "home"}
    chosen = [item for item in items if not needy & set(item.fixturenames)]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        report.sections.append(("journal", journal_since(item.stash.get(BEGUN, 0))))


def pytest_runtest_logreport(report):
    """Prints failures at once: a guest that hangs later would never print them."""
    if report.failed:
        print(f"\n{report.nodeid}, {report.when}\n{report.longreprtext}")
        for title, text in report.sections:
            print(f"--- {title}\n{text}")


def journal_since(time):
    """The messages of the service, those of systemd about it, and those of the kernel."""
    whose = ["_TRANSPORT=kernel", "+", "_SYSTEMD_UNIT=systemd-logind.service", "+", f"_SYSTEMD_UNIT={service.UNIT}", "+", f"UNIT={service.UNIT}"]
    pads = [f"pressured-pad@hidraw{number}.{kind}" for number in range(4) for kind in ("service", "socket")]
    for unit in [*pads, "pressured-pad-resume.service"]:
        whose += ["+", f"_SYSTEMD_UNIT={unit}", "+", f"UNIT={unit}"]
    command = ["journalctl", "--no-pager", "-o", "short-monotonic", f"--since=@{time:.3f}", *whose]
    return service.run(*command, check=False).stdout


@pytest.fixture
def plug():
    """Plugs pads in, also those of Tests/pads; they are unplugged after the test."""
    pads = []

    def plug(name="pad", **settings):
        pads.append(recorded_pad(name) if name.endswith(".hid") else UinputPad(name, **settings))
        return pads[-1]

    yield plug
    for pad in pads:
        pad.unplug()


@pytest.fixture
def connect():
    """Connects to the socket of the service as root; connections are closed after the test."""
    connections = []

    def connect(*requests):
        connections.append(Connection(service.SOCKET, *requests))
        return connections[-1]

    yield connect
    for connection in connections:
        connection.close()


@pytest.fixture
def start():
    """Starts programs; those that still run are killed after the test."""
    processes = []

    def start(*command, **settings):
        processes.append(subprocess.Popen([str(word) for word in command], **settings))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def configure():
    """Sets the configuration and drop-ins of the service for one test."""

    def configure(text=None, drop_in=None):
        if text is not None:
            service.CONFIGURATION.parent.mkdir(exist_ok=True)
            service.CONFIGURATION.write_text(text)
        if drop_in is not None:
            service.DROP_INS.mkdir(parents=True, exist_ok=True)
            (service.DROP_INS / "test.conf").write_text(drop_in)
            service.systemctl("daemon-reload")

    yield configure
    service.CONFIGURATION.unlink(missing_ok=True)
    if service.DROP_INS.exists():
        shutil.rmtree(service.DROP_INS)
        service.systemctl("daemon-reload")
    service.stop()

