"""The service of a pad: the attempts of test_sandbox.py within its whole unit.

That the unit contains every line of the daemon's sandbox is tested in Tests/units.
"""

import pathlib
import socket

import pytest

import service
import test_sandbox as daemon
from pad import UinputPad
from settingspad import SettingsPad

UNIT = pathlib.Path("/lib/systemd/system/pressured-pad@.service")
RESUME = pathlib.Path("/lib/systemd/system/pressured-pad-resume.service")
TRIED = [*daemon.TRIED, "other_pad"] if daemon.HAS_DEVICES else daemon.TRIED
# Directives about the life of the service.
LIFE = daemon.LIFE | {"RuntimeDirectory", "RuntimeDirectoryPreserve", "TimeoutStartSec"}


def unit_lines(node, unit=UNIT):
    """The lines of the sandbox for a node."""
    lines = unit.read_text().partition("[Service]\n")[2].partition("\n[")[0].splitlines()
    return [line.replace("%i", node) for line in lines
            if "=" in line and not line.startswith("#") and line.split("=")[0] not in LIFE - {"StateDirectory"}]  # fmt: skip


def lay_out():
    """Two pads with settings, and a device of another kind; nothing in a container."""
    if not daemon.HAS_DEVICES:
        daemon.lay_out()
        return []
    pads = [SettingsPad(name).wait_for_service() for name in ("own", "other")]
    pads.append(UinputPad())
    service.run("udevadm", "settle")
    # What is written to is the other pad's node; the daemon's attempt reads it.
    daemon.lay_out(pads[2], pads[1])
    link = pathlib.Path("/run/guest/other-pad")
    link.unlink(missing_ok=True)
    link.symlink_to(f"/dev/{pads[1].hidraw}")
    return pads


@pytest.fixture(scope="module")
def outcomes():
    """The outcomes of the attempts within the unit of one of two pads, which a container does not have."""
    pads = lay_out()
    node = pads[0].hidraw if pads else "hidraw0"
    lines = unit_lines(node)
    devices = [line for line in lines if line.startswith("Device")]
    for how, sandbox in (("settings", lines), ("resume", unit_lines(node, RESUME))):
        for group in daemon.groups(TRIED):
            daemon.write_unit(f"{how}-{group}.service", *sandbox, *daemon.running(how, group, is_bound=True, tried=TRIED))
    # As root, so that only the line about devices can refuse it.
    for how, sandbox in (("devices", devices), ("root", [])):
        daemon.write_unit(f"{how}-shared.service", *sandbox, *daemon.running(how, "shared", tried=["other_pad"]))
    service.systemctl("daemon-reload")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0guest")
    listener.listen()
    for how in ("settings", "resume"):
        daemon.start([f"{how}-{group}.service" for group in daemon.groups(TRIED)])
    found = {(how, attempt): daemon.outcome(how, attempt) for how in ("settings", "resume") for attempt in TRIED}
    if pads:
        daemon.start(["devices-shared.service", "root-shared.service"])
        found |= {(how, "other_pad"): daemon.outcome(how, "other_pad") for how in ("devices", "root")}
    listener.close()
    for pad in pads:
        pad.unplug()
    service.systemctl("reset-failed")
    return found


@pytest.mark.parametrize("attempt", TRIED)
@pytest.mark.parametrize("how", ["settings", "resume"])
def test_the_unit_forbids(outcomes, how, attempt):
    outcome = outcomes[how, attempt]
    assert daemon.is_refused(outcome), outcome


@pytest.mark.skipif("other_pad" not in TRIED, reason="a container has no pads")
def test_only_the_node_of_the_pad_is_allowed(outcomes):
    assert outcomes["root", "other_pad"] == "allowed"
    assert outcomes["devices", "other_pad"] == "EPERM"
