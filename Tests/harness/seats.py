"""A stand-in for systemd-logind: its files below /run/systemd, and its name and objects on a bus.

The daemon reads them through libsystemd, in a mount namespace of its own. The files have the fields of logind 252, and
are replaced atomically as logind does. Tests with the real logind are in Tests/vm.
"""

import pathlib
import shutil
import signal
import subprocess

import pytest

# A bus with a login manager; it answers in the order of the lines on its input.
MANAGER = r"""
import sys, threading
from gi.repository import Gio, GLib
xml = '<node><interface name="org.freedesktop.login1.Session"><property name="LockedHint" type="b" access="read"/></interface></node>'
interface = Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0]
denied = Gio.DBusNodeInfo.new_for_xml('<node><interface name="org.freedesktop.DBus.Properties"><method name="Get">'
    '<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/>'
    '</method></interface></node>').interfaces[0]
locked = {}
bus = Gio.DBusConnection.new_for_address_sync(
    sys.argv[1], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
def path(session):
    return "/org/freedesktop/login1/session/" + session
def add(session):
    locked[session] = False
    bus.register_object(path(session), interface, None, lambda *call: GLib.Variant("b", locked[session]), None)
def lock(session, value):
    locked[session] = value == "1"
    bus.emit_signal(None, path(session), "org.freedesktop.DBus.Properties", "PropertiesChanged", GLib.Variant(
        "(sa{sv}as)", ("org.freedesktop.login1.Session", {"LockedHint": GLib.Variant("b", locked[session])}, [])))
def refuse(session):
    error = "org.freedesktop.DBus.Error.AccessDenied"
    bus.register_object(path(session), denied, lambda *call: call[6].return_dbus_error(error, "denied"), None, None)
def forget():
    for session in locked:
        locked[session] = False
def name(verb, *more):
    bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", verb,
                  GLib.Variant("(s" + "u" * len(more) + ")", ("org.freedesktop.login1", *more)), None, 0, -1, None)
VERBS = {"add": add, "lock": lock, "refuse": refuse, "forget": forget, "start": lambda: name("RequestName", 0), "stop": lambda: name("ReleaseName")}
def do(line):
    verb, *words = line.split()
    VERBS[verb](*words)
    bus.flush_sync()
    print("done", flush=True)
def read():
    for line in sys.stdin:
        GLib.idle_add(do, line)
    GLib.idle_add(loop.quit)
loop = GLib.MainLoop()
print("ready", flush=True)
threading.Thread(target=read, daemon=True).start()
loop.run()
"""

# Any user may connect, as to the bus of a system.
BUS = """<busconfig>
<type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<policy context="default">
<allow user="*"/><allow own="*"/><allow send_destination="*"/>
<allow receive_requested_reply="true"/><allow receive_type="signal"/><allow receive_type="method_call"/>
</policy>
</busconfig>"""


needs_bus = pytest.mark.skipif(
    not shutil.which("dbus-daemon")
    or subprocess.run(["/usr/bin/python3", "-c", "import gi"], stderr=subprocess.DEVNULL).returncode != 0,
    reason="dbus-daemon or python3-gi is not installed",
)


class Logins:
    """Who is logged in. `bus` is the address of the system bus for the daemon."""

    def __init__(self, folder, has_bus=True):
        self.folder = pathlib.Path(folder, "login")
        self.terminal = pathlib.Path(folder, "active")
        self.sessions = {}
        self.active = {}
        self.processes = []
        for name in ("seats", "sessions", "users", "machines"):
            (self.folder / name).mkdir(parents=True)
        self.bus = "unix:path=/nonexistent"
        self.manager = None
        self.is_frozen = False
        if has_bus:
            self.start_bus()

    def start_bus(self):
        rules = self.folder.with_name("bus.conf")
        rules.write_text(BUS)
        bus = subprocess.Popen(
            ["dbus-daemon", f"--config-file={rules}", "--nofork", "--print-address=1"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.bus = bus.stdout.readline().strip()
        self.manager = subprocess.Popen(
            ["/usr/bin/python3", "-c", MANAGER, self.bus],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.processes = [self.manager, bus]
        assert self.manager.stdout.readline() == "ready\n"
        self.tell("start")

    def tell(self, line):
        """Has the login manager do something, and waits until it is done."""
        if self.manager:
            self.manager.stdin.write(f"{line}\n")
            self.manager.stdin.flush()
            assert self.manager.stdout.readline() == "done\n"

    def log_in(self, session, user, seat="seat0", terminal=None):
        self.sessions[session] = {"user": user, "seat": seat, "terminal": terminal, "state": "online"}
        if not self.is_frozen:
            self.tell(f"add {session}")
        self.write()

    def log_out(self, session):
        del self.sessions[session]
        self.active = {seat: active for seat, active in self.active.items() if active != session}
        self.write()
        (self.folder / "sessions" / session).unlink()

    def activate(self, session, seat="seat0"):
        """Makes a session the active one of a seat, or none."""
        self.active[seat] = session
        self.write()

    def close(self, session):
        """The leader of the session has exited; other processes still run in it."""
        self.sessions[session]["state"] = "closing"
        self.write()

    def lock(self, session, value=True):
        self.tell(f"lock {session} {value:d}")

    def restart(self):
        """Restarts the login manager, which forgets which sessions are locked."""
        for line in ("stop", "forget", "start"):
            self.tell(line)

    def freeze(self):
        """From now on it does not answer, also about sessions that begin later."""
        self.is_frozen = True
        self.manager.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.is_frozen = False
        self.manager.send_signal(signal.SIGCONT)

    def write(self):
        for name, session in self.sessions.items():
            active = self.active.get(session["seat"]) == name
            state = session["state"] if session["state"] == "closing" or not active else "active"
            fields = {"UID": session["user"], "ACTIVE": int(active), "STATE": state, "REMOTE": 0}
            if session["seat"]:
                fields["SEAT"] = session["seat"]
            if session["terminal"]:
                fields["VTNR"] = session["terminal"]
            self.replace(self.folder / "sessions" / name, fields)
        for seat in {"seat0", *(session["seat"] for session in self.sessions.values())} - {None}:
            there = [name for name, session in self.sessions.items() if session["seat"] == seat]
            fields = {"IS_SEAT0": int(seat == "seat0"), "CAN_MULTI_SESSION": 1}
            if active := self.active.get(seat):
                fields |= {"ACTIVE": active, "ACTIVE_UID": self.sessions[active]["user"]}
            fields["SESSIONS"] = " ".join(there)
            fields["UIDS"] = " ".join(str(self.sessions[name]["user"]) for name in there)
            self.replace(self.folder / "seats" / seat, fields)

    @staticmethod
    def replace(path, fields):
        new = path.with_name(f".#{path.name}")
        new.write_text("".join(f"{key}={value}\n" for key, value in fields.items()))
        new.rename(path)

    def wrap(self, command):
        """A command line that runs a program on a machine with these logins."""
        mounts = f"mkdir -p /run/systemd && mount --bind {self.folder} /run/systemd"
        if self.terminal.exists():
            mounts += f" && mount --bind {self.terminal} /sys/class/tty/tty0/active"
        return ["unshare", "--mount", "sh", "-c", f'{mounts} && exec "$@"', "sh", *command]

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream:
                    stream.close()
