"""Real sessions of systemd-logind: on virtual terminals, on a second seat, and over ssh."""

import json
import pathlib
import pwd
import subprocess

import service
from waiting import wait_until

UNITS = pathlib.Path("/run/systemd/system")
STATE = pathlib.Path("/run/systemd")
MANAGER = "systemd-logind.service"


def stored(path):
    """The values of a file of logind; none if it has just been removed."""
    try:
        return dict(pair.partition("=")[::2] for pair in path.read_text().splitlines() if "=" in pair)
    except FileNotFoundError:
        return {}


def sessions():
    """The sessions by their users, with what logind stores of them.

    These are read again and again until something has happened; each run of loginctl would take a second of a slow guest.
    """
    found = {}
    for path in STATE.glob("sessions/*"):
        if not path.suffix and (values := stored(path)):
            found[values.get("USER")] = {**values, "Id": path.name}
    return found


def shown(user):
    """The properties of the user's session that loginctl shows."""
    text = service.run("loginctl", "show-session", sessions()[user]["Id"]).stdout
    return dict(pair.partition("=")[::2] for pair in text.splitlines())


# A unit for all terminals, so that a login does not reload all units, which takes seconds of a slow guest.
TERMINAL = """[Service]
EnvironmentFile=/run/guest/%I
ExecStart=
ExecStart=-/sbin/agetty --autologin ${LOGIN} --noclear %I linux
Restart=no
"""


class Terminals:
    """Users that have logged in on virtual terminals with agetty and login, each on one of its own.

    Their sessions have no systemd of the user, which takes seconds to start, unless that is asked for.
    """

    def __init__(self, has_user_managers=False):
        self.numbers = {}
        self.has_user_managers = has_user_managers
        drop_in = UNITS / "getty@.service.d/test.conf"
        if not drop_in.exists():
            drop_in.parent.mkdir(parents=True)
            drop_in.write_text(TERMINAL)
            service.systemctl("daemon-reload")
        service.run("systemctl", "start", "systemd-user-sessions.service", MANAGER)

    def log_in(self, user, number, profile=""):
        """Logs a user in, unless there is a session; with a profile, which the login shell executes, always."""
        if user in self.numbers:
            if not profile:
                return
            self.log_out(user)
        account = pwd.getpwnam(user)
        pathlib.Path(account.pw_dir, ".profile").write_text(profile)
        pathlib.Path(f"/run/guest/tty{number}").write_text(f"LOGIN={user}\n")
        manager = UNITS / f"user@{account.pw_uid}.service"
        if not self.has_user_managers and not manager.is_symlink():
            manager.symlink_to("/dev/null")
        service.systemctl("start", f"getty@tty{number}.service")
        self.numbers[user] = number
        # logind that is stopped while it opens a session never learns that this has ended.
        wait_until(lambda: sessions().get(user, {}).get("STATE") in ("online", "active"), f"{user} has no session")

    def switch_to(self, user):
        """Switches to the terminal of a user, and waits until the session is active."""
        service.run("chvt", self.numbers[user])
        wait_until(lambda: active_user() == user, f"{user} is not active")

    def end_getty(self, user):
        """Ends the terminal; processes that have left it keep the session."""
        service.systemctl("stop", f"getty@tty{self.numbers.pop(user)}.service")

    def log_out(self, *users):
        for user in users:
            self.end_getty(user)
            kill_all(user)
        wait_until(lambda: not set(users) & sessions().keys(), "sessions remain")

    def end(self):
        self.log_out(*self.numbers)


def kill_all(user):
    """logind does not stop a session twice, so one that is being closed lasts as long as its processes."""
    service.run("pkill", "-KILL", "-u", user, check=False)


def active_user(seat="seat0"):
    """The user of the active session; nobody while that is being opened."""
    number = stored(STATE / "seats" / seat).get("ACTIVE")
    return next(
        (name for name, session in sessions().items() if session["Id"] == number and session.get("STATE") == "active"), None)


def set_locked(user, value):
    """As the lock screen of a desktop does; sessions have the number or the encoded name as their path."""
    number = sessions()[user]["Id"]
    path = service.run(
        "busctl", "call", "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
        "GetSession", "s", number,
    ).stdout.split('"')[1]  # fmt: skip
    service.run(
        "busctl", "call", "org.freedesktop.login1", path, "org.freedesktop.login1.Session", "SetLockedHint", "b",
        "true" if value else "false",
    )  # fmt: skip


class Remote:
    """An ssh server on the loopback interface, and the key of one user."""

    def __init__(self, user):
        self.user = user
        home = pathlib.Path(pwd.getpwnam(user).pw_dir)
        self.key = pathlib.Path("/run/guest/key")
        service.run("ssh-keygen", "-A")
        if not self.key.exists():
            service.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key)
        (home / ".ssh").mkdir(exist_ok=True)
        (home / ".ssh/authorized_keys").write_text(self.key.with_suffix(".pub").read_text())
        service.run("chown", "-R", f"{user}:{user}", home / ".ssh")
        # A password that no one knows: login by key requires an account that is not locked.
        service.run("usermod", "-p", "*", user)
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        self.server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e"], stderr=subprocess.DEVNULL)

    def run(self, command, **settings):
        return wait_until(lambda: self.attempt(command, **settings), "ssh does not connect")

    def attempt(self, command, **settings):
        result = subprocess.run(
            ["ssh", "-q", "-i", self.key, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
             "-o", "BatchMode=yes", f"{self.user}@127.0.0.1", command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **settings,
        )  # fmt: skip
        return None if result.returncode == 255 else result

    def end(self):
        self.server.terminate()
        self.server.wait()


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]
