"""An environment in which the commands of the help can be typed unchanged."""

import os
import re
import signal
import stat
import subprocess

from mockpad import DEADLINE, INPUT_EVENT
from program import Program
from verbs import ROOT

DUMP = ROOT / "Tests/PressureKitTests/Recordings/two-plums.evemu"

PREPARED = r"E: (\d+)\.(\d+) (\w+) (\w+) (-?\d+)"


class Stage:
    """Has `pressured` on its path, which uses the devices of a bed, and the files that the examples name."""

    def __init__(self, program, bed, folder):
        self.folder = folder
        (folder / "bin").mkdir()
        (folder / "docs").symlink_to(ROOT / "docs")
        for name in ("touchpad.evemu", "pad.evemu"):
            (folder / name).write_bytes(DUMP.read_bytes())
        (folder / "bindings.yaml").write_bytes((ROOT / "docs/examples/bindings.yaml").read_bytes())
        variables = " ".join(f"{name}={value}" for name, value in bed.environment.items())
        self._add_program("pressured", f'{variables} exec {program} "$@"')
        (folder / "events").write_bytes(raw(DUMP.read_text()))
        # Another machine, and the events of its pad until it is unplugged.
        condition = '[ "$*" = "other cat /dev/input/event5" ]'
        self._add_program("ssh", f"{condition} && exec cat {folder}/events")
        # The user who runs the tests has all rights here already.
        self._add_program("sudo", 'exec "$@"')
        # The service is the daemon of the test, which replies once it has reloaded its configuration.
        condition = '[ "$*" = "try-reload-or-restart pressured" ]'
        ask = f"socat -t {DEADLINE} - UNIX-CONNECT:{folder}/pressured.sock"
        done = """grep '"do":"reload","ok":true'"""
        self._add_program("systemctl", f"{condition} && echo reload | {ask} | {done}")

    def _add_program(self, name, body):
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    @property
    def environment(self):
        """Sockets and configurations are looked for in the directory of the daemon."""
        folder = str(self.folder)
        return {
            "PATH": f"{folder}/bin:{os.environ['PATH']}",
            "HOME": folder,
            "XDG_RUNTIME_DIR": folder,
            "CONFIGURATION_DIRECTORY": folder,
        }

    def type(self, command):
        """Starts a command as typed into a shell."""
        return Typed(self, command.replace("/run/user/1000", str(self.folder)))


class Typed(Program):
    """A command in a shell of its own."""

    def __init__(self, stage, command):
        super().__init__(["bash", "-o", "pipefail", "-c", command], cwd=stage.folder, env=stage.environment, stdin=subprocess.PIPE,
                         start_new_session=True)

    def interrupt(self):
        """Types Ctrl-C; returns the exit status."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.wait()

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def raw(dump):
    """The events of a recording as a node reports them, limited in time."""
    return b"".join(
        INPUT_EVENT.pack(int(seconds), int(fraction), int(kind, 16), int(code, 16), int(value))
        for seconds, fraction, kind, code, value in re.findall(PREPARED, dump)[:500]
    )
