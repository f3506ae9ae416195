"""Every directive of the service's sandbox, tested by an attempt to do what it forbids.

Each attempt runs twice as a service: without any sandbox, and in the service's own unit in place of the program. A directive
without an attempt is a failure.

Most attempts are made in a container, with the processor of this machine: in the guest they take minutes, as systemd prepares
the mounts of 100 services. The guest makes those that need its devices or its kernel, nearly all in one process, or all of them
with `Tests/vm/run -a`.
"""

import errno
import os
import pathlib
import re
import shutil
import socket
import subprocess

import pytest

import service
from pad import UinputPad, recorded_pad

UNITS = pathlib.Path("/run/systemd/system")
RESULTS = pathlib.Path("/run/guest/attempts")
PROGRAM = pathlib.Path("/task/attempts")

# What each directive forbids, by the name of the attempt and what it tries.
DIRECTIVES = {
    "User": ("keyboard", "read the keyboard"),
    "DevicePolicy": ("other_device", "open /dev/uinput"),
    "DeviceAllow": ("write_to_pad", "open the pad for writing"),
    "PrivateNetwork": ("network", "reach a name in the machine's network"),
    "RestrictAddressFamilies": ("address_family", "make an internet socket"),
    "IPAddressDeny": ("packet", "send a packet to 127.0.0.1"),
    "CapabilityBoundingSet": ("others_file", "read a file of another user, as root"),
    "NoNewPrivileges": ("gain_privileges", "run a set-uid program"),
    "RestrictSUIDSGID": ("set_uid_file", "make a set-uid file"),
    "RestrictNamespaces": ("namespaces", "unshare the mounts"),
    "ProtectSystem": ("system_file", "write below /usr"),
    "ProtectHome": ("home", "read a letter in /home/alice"),
    "PrivateTmp": ("temporary", "read a letter in /tmp"),
    "RemoveIPC": ("leave_memory_behind", "leave shared memory behind"),
    "NoExecPaths": ("run_own_file", "run a program that it has written"),
    "ProtectProc": ("other_process", "look at process 1"),
    "ProcSubset": ("kernel_files", "read /proc/uptime"),
    "TasksMax": ("many_processes", "make 150 processes"),
    "LockPersonality": ("change_personality", "become a 32-bit person"),
    "RestrictRealtime": ("realtime", "ask for real time"),
    "ProtectClock": ("clock_set", "set the clock"),
    "ProtectHostname": ("host_name", "name the machine"),
    "ProtectControlGroups": ("control_group", "make a control group"),
    "ProtectKernelLogs": ("kernel_log", "read the kernel's log"),
    "ProtectKernelModules": ("kernel_module", "load a kernel module"),
    "ProtectKernelTunables": ("tunable", "open a kernel setting for writing"),
    "MemoryDenyWriteExecute": ("writable_code", "map memory to write and run"),
    "MemoryMax": ("much_memory", "use 700 MB"),
    "SystemCallArchitectures": ("foreign_call", "make a 32-bit system call"),
    "SystemCallFilter": ("trace", "be traced"),
    "UMask": ("readable_file", "make a file that others can read"),
}
# Without a sandbox these are not made as root, to which they prove nothing.
ORDINARY = {"gain_privileges", "leave_memory_behind", "other_process"}
# Actions that the whole unit must forbid, by any of its directives.
MORE = {
    # What is next to the report descriptor and the attributes of the pad, which it reads in /sys.
    "inhibit": "turn the pad off in /sys",
    "raw_device": "read the pad's hidraw node",
    "change_root": "change the root folder",
    "priority": "change its priority",
    "swap": "turn swapping off",
    "restart": "change what Ctrl-Alt-Del does",
    "mount_something": "mount a file system",
    "run_program": "run a program of the system",
    "run_temporary_file": "run a program in /tmp",
    "run_other_temporary_file": "run a program in /var/tmp",
    "run_shared_memory": "run a program in /dev/shm",
    # What is next to the files, the terminal and the bus that tell the service which user is at a seat.
    "seat_file": "write logind's file of a seat",
    "new_session_file": "add a session to logind's",
    "inhibitors": "add a file to logind's inhibitors",
    "terminal": "open a virtual terminal",
    "screen": "read the screen of a virtual terminal",
    "manager_socket": "connect to systemd's private socket",
}
# Those that a container refuses by itself, or that its kernel would do to the whole machine.
OF_MACHINE = {
    "keyboard", "other_device", "write_to_pad", "inhibit", "raw_device", "terminal", "screen", "kernel_log", "kernel_module", "tunable",
    "control_group", "many_processes", "much_memory", "packet", "clock_set", "swap", "restart",
}
# These neither change nor end their process, which makes one after another; each of the others has a process of its own.
SHARED = OF_MACHINE - {"much_memory"} | {"other_pad"}
HAS_DEVICES = os.path.exists("/dev/uinput")


def is_tried_here(attempt):
    return os.path.exists("/task/all") or (attempt in OF_MACHINE) == HAS_DEVICES


# Not part of the sandbox: directives about the kind and life cycle of the service.
LIFE = {
    "Type", "ExecStart", "ExecReload", "WatchdogSec", "Restart", "RestartSec", "RestartPreventExitStatus",
    "StateDirectory", "ConfigurationDirectory", "LogRateLimitIntervalSec", "OOMPolicy",
}  # fmt: skip
# Without effect by themselves; tested with another directive.
TOGETHER = {"Group": "User", "ExecPaths": "NoExecPaths", "SystemCallErrorNumber": "SystemCallFilter"}
TRIED = [attempt for attempt in [*(attempt for attempt, _ in DIRECTIVES.values()), *MORE] if is_tried_here(attempt)]
# How the sandbox ends a process, in systemd's terms and in those of the table.
DEATHS = {("oom-kill", "9"): "killed for memory", ("signal", "31"): "killed for the call"}
GONE = "gone afterwards"


def directives():
    """The directives of the unit below [Service], by their keys."""
    lines, section = {}, None
    for line in pathlib.Path("/lib/systemd/system/pressured.service").read_text().splitlines():
        if line.startswith("["):
            section = line
        elif section == "[Service]" and "=" in line and not line.startswith("#"):
            lines.setdefault(line.split("=")[0], []).append(line)
    return lines


UNIT = directives()


def write_unit(name, *lines):
    text = "\n".join(["[Service]", "Type=oneshot", *lines, ""])
    (UNITS / name).write_text(text)


def write_units():
    whole = [line for key, lines in UNIT.items() if key not in LIFE - {"StateDirectory"} for line in lines]
    for group in groups(TRIED):
        write_unit(f"bare-{group}.service", *["User=nobody"] * (group in ORDINARY), *running("bare", group))
        write_unit(f"whole-{group}.service", *whole, *running("whole", group, is_bound=True))


def group_of(attempt):
    """The last part of the name of the unit that makes an attempt."""
    return "shared" if attempt in SHARED else attempt


def groups(attempts):
    return sorted({group_of(attempt) for attempt in attempts})


def running(how, group, is_bound=False, tried=TRIED):
    """The lines of a unit that makes the attempts of a group, in place of the program if it is bound there."""
    program = "/usr/bin/pressured" if is_bound else PROGRAM
    return [
        *[f"BindReadOnlyPaths={PROGRAM}:{program}"] * is_bound,
        f"ExecStart={program} {how} {' '.join(attempt for attempt in tried if group_of(attempt) == group)}",
        f"StandardOutput=append:{RESULTS / how}-{group}",
    ]


def lay_out(pad=None, hid=None):
    """Creates everything that the attempts use; a container has no devices."""
    def letter(path, mode):
        path.parent.mkdir(exist_ok=True)
        path.write_text("Dear reader\n")
        path.chmod(mode)

    letter(pathlib.Path("/home/alice/letter"), 0o644)
    letter(pathlib.Path("/tmp/letter"), 0o644)
    letter(pathlib.Path("/var/lib/guest/letter"), 0o600)
    shutil.chown("/var/lib/guest/letter", "alice")
    program = pathlib.Path("/usr/lib/guest/who-am-i")
    program.parent.mkdir(exist_ok=True)
    shutil.copy(PROGRAM, program)
    program.chmod(0o4755)
    RESULTS.mkdir(exist_ok=True)
    if pad is None:
        return
    (raw,) = (hid.folder / "device/hidraw").iterdir()
    links = {
        "pad": pad.node,
        "inhibited": pad.folder / "inhibited",
        "hidraw": f"/dev/{raw.name}",
        "keyboard": "/dev/input/by-path/platform-i8042-serio-0-event-kbd",
        "module.ko": next(pathlib.Path("/usr/lib/modules").rglob("overlay.ko")),
    }
    for name, target in links.items():
        link = pathlib.Path("/run/guest", name)
        link.unlink(missing_ok=True)
        link.symlink_to(target)


def outcome(how, attempt):
    """The output of an attempt, or how it ended."""
    left = pathlib.Path(f"/dev/shm/left-behind-{how}")
    group = group_of(attempt)
    file = RESULTS / f"{how}-{group}"
    lines = file.read_text().splitlines() if file.exists() else []
    words = next((line.split() for line in lines if line.startswith(f"{attempt} ")), [])
    if len(words) > 1:
        return GONE if attempt == "leave_memory_behind" and words[-1] == "allowed" and not left.exists() else words[-1]
    unit = f"{how}-{group}.service"
    end = service.show("Result", unit), service.show("ExecMainStatus", unit)
    # Only the attempt that ends a process has printed its name, and nothing else.
    return DEATHS.get(end, f"ended: {end}") if words else f"not made: {end}"


def is_refused(outcome):
    """An error or a signal caused by the sandbox; a service that could not even start does not count."""
    return outcome in DEATHS.values() or outcome == GONE or hasattr(errno, outcome)


@pytest.fixture(scope="module")
def outcomes():
    """The outcomes of all attempts: without a sandbox, and in the whole unit."""
    pads = [UinputPad(), recorded_pad("synthetic.hid")] if HAS_DEVICES else []
    if pads:
        service.run("udevadm", "settle")
    lay_out(*pads)
    write_units()
    service.systemctl("daemon-reload")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0guest")
    listener.listen()
    found = {}
    for how in ("bare", "whole"):
        start([f"{how}-{group}.service" for group in groups(TRIED)])
        for attempt in TRIED:
            found[how, attempt] = outcome(how, attempt)
    listener.close()
    for pad in pads:
        pad.unplug()
    service.systemctl("reset-failed")
    return found


def start(units):
    """Attempts that affect others run alone.

    Those that use much memory are last. The one that leaves memory behind is first: systemd removes the memory when the last
    unit of the user ends, and sometimes keeps it if a hundred units of that user end at once.
    """
    first = [unit for unit in units if "leave_memory_behind" in unit]
    greedy = [unit for unit in units if "much_memory" in unit]
    for part in (first, [unit for unit in units if unit not in first + greedy], greedy):
        if part:
            service.systemctl("start", *part, check=False)


def test_each_directive_has_an_attempt():
    wanted = {key for key in UNIT if key not in LIFE and key not in TOGETHER}
    assert wanted - set(DIRECTIVES) == set()
    assert OF_MACHINE <= {*(attempt for attempt, _ in DIRECTIVES.values()), *MORE}


@pytest.mark.parametrize("attempt", TRIED)
def test_the_unit_forbids_the_attempt(outcomes, attempt):
    assert outcomes["bare", attempt] == "allowed", "the attempt proves nothing"
    assert is_refused(outcomes["whole", attempt])


@pytest.mark.skipif("trace" not in TRIED, reason="it is tried in a container")
def test_a_forbidden_call_fails_and_does_not_kill(outcomes):
    assert outcomes["whole", "trace"] == "EPERM"


@pytest.mark.skipif(HAS_DEVICES, reason="it is tried in a container")
def test_the_user_of_the_service_may_not_command_the_login_manager():
    """It asks over the bus whether sessions are locked."""
    call = ["busctl", "call", "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "LockSessions"]
    assert subprocess.run(call, check=False).returncode == 0
    refused = subprocess.run(call, user="_pressured", check=False, stderr=subprocess.PIPE, text=True)
    assert refused.returncode != 0 and re.search("denied|authentication", refused.stderr), refused.stderr
