"""The service as installed by the package, and its users."""

import pathlib
import subprocess

from waiting import wait_until

UNIT = "pressured.service"
SOCKET = "/run/pressured/pressured.sock"
CONFIGURATION = pathlib.Path("/etc/pressured/config.yaml")
DROP_INS = pathlib.Path("/run/systemd/system/pressured.service.d")


def run(*command, check=True, **settings):
    """Runs a program, and returns its combined output."""
    result = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **settings,
    )  # fmt: skip
    if check:
        assert result.returncode == 0, f"{command}: {result.returncode}\n{result.stdout}"
    return result


def systemctl(*words, check=True):
    return run("systemctl", *words, check=check)


def show(name, unit=UNIT):
    """A property of a unit in systemd."""
    return systemctl("show", "--value", "-p", name, unit).stdout.strip()


def is_active(unit=UNIT):
    return show("ActiveState", unit) == "active"


def main_pid():
    return int(show("MainPID"))


def stop():
    """Stops it, and forgets its failures and starts."""
    result = systemctl("stop", UNIT, check=False)
    if result.returncode != 0:
        assert "not loaded" in result.stdout, result.stdout
        return
    systemctl("reset-failed", UNIT, check=False)


def as_user(user, *command, **settings):
    """Runs a program as a user, with the user's groups."""
    return run("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", *command, **settings)


def socat(user, request):
    """Sends one request with socat."""
    return as_user(user, "socat", "-t", "30", "-", f"UNIX-CONNECT:{SOCKET}", input=request, check=False)


def wait_for_restart(old):
    """Waits until systemd has restarted the service; returns the new process."""
    return wait_until(
        lambda: (new := main_pid()) not in (0, old) and is_active() and new, "it was not restarted"
    )
