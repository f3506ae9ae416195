"""The path of the socket, its permissions, and existing files at that path."""

import os
import signal
import socket
import stat
import subprocess

import pytest

from connection import DEADLINE
from recording import Recording

USAGE, CANNOT_CREATE = 64, 73


@pytest.fixture
def refused(run, write):
    """Runs a daemon that cannot start."""
    recording = write(Recording().hold())
    return lambda *options: run("run", "--replay", recording, *options)


def test_a_running_daemon_keeps_its_socket(serve, refused):
    daemon = serve(Recording().pause(1).hold())
    client = daemon.connect()
    refused("--socket", daemon.path).assert_refused(CANNOT_CREATE, daemon.path, "another pressured", "--socket")
    assert client.ask("ping")["ok"] is True
    assert daemon.connect().ask("ping")["ok"] is True


def test_another_listening_program_keeps_its_socket(folder, refused):
    path = os.path.join(folder, "other.sock")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(path)
        other.listen()
        refused("--socket", path).assert_refused(CANNOT_CREATE, path)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)


def test_a_file_that_is_not_a_socket_is_left_alone(write, refused):
    path = write("precious\n", "diary.txt")
    refused("--socket", path).assert_refused(CANNOT_CREATE, path, "not a socket")
    with open(path, encoding="utf-8") as file:
        assert file.read() == "precious\n"
    assert not os.path.exists(path + ".lock")


@pytest.mark.parametrize("mode", ["0660", "0600", "0666"])
def test_the_mode_is_that_of_the_configuration(serve, mode):
    config = None if mode == "0660" else f'socket: {{ mode: "{mode}" }}\n'
    daemon = serve(Recording().pause(1).hold(), config=config)
    status = os.lstat(daemon.path)
    assert stat.S_ISSOCK(status.st_mode)
    assert stat.S_IMODE(status.st_mode) == int(mode, 8)


def test_a_client_with_the_same_options_as_the_daemon_finds_it(start, folder, write):
    """By one rule, in one order: option, variable, configuration, session; only the daemon may be given a configuration."""
    recording = write(Recording().pause(3_600_000).report())
    chosen = {name: os.path.join(folder, f"{name}.sock") for name in ["config", "service", "variable", "option"]}
    settings = os.path.join(folder, "settings")
    os.mkdir(settings)
    write(f"socket: {{ path: {chosen['service']} }}\n", "settings/config.yaml")
    config = ["--config", write(f"socket: {{ path: {chosen['config']} }}\n", "config.yaml")]
    service = {"CONFIGURATION_DIRECTORY": settings, "XDG_RUNTIME_DIR": folder}
    variable = {**service, "PRESSURED_SOCKET": chosen["variable"]}
    for options, variables, expected in [
        ([], service, chosen["service"]),
        (config, service, chosen["config"]),
        ([], variable, chosen["variable"]),
        (config, variable, chosen["variable"]),
        (["--socket", chosen["option"], *config], variable, chosen["option"]),
        ([], {"XDG_RUNTIME_DIR": folder}, os.path.join(folder, "pressured.sock")),
    ]:
        process = start("run", "--replay", recording, *options, **variables)
        assert process.stderr.readline() == f"pressured: serving {expected}\n"
        # Clients have no --config.
        watch = start("watch", *(["--socket", expected] if options else []), **variables)
        assert watch.stdout.readline().startswith('{"event":"hello"'), (options, variables)
        watch.kill()
        process.terminate()
        assert process.wait(DEADLINE) == 0


def test_without_a_runtime_folder_the_socket_of_a_session_is_at_home(program, start, run, folder, write):
    ordinary = {}
    if os.geteuid() == 0:
        ordinary = {"user": 65534, "group": 65534, "extra_groups": []}
        os.chown(folder, 65534, 65534)
        try:
            subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, **ordinary)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("no other user may run the program here")
    recording = write(Recording().pause(3_600_000).report())
    os.chmod(recording, 0o644)
    process = start("run", "--replay", recording, **ordinary)
    path = os.path.join(folder, ".cache/pressured/pressured.sock")
    assert process.stderr.readline() == f"pressured: serving {path}\n"
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    status, _, log = run("perform", "pressured.none", **ordinary)
    assert status == 65, log
    process.terminate()
    assert process.wait(DEADLINE) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_when_terminated_it_removes_its_socket(serve, number):
    daemon = serve(Recording().pause(1).hold())
    client = daemon.connect()
    client.event("heaviest")
    daemon.process.send_signal(number)
    assert daemon.process.wait(DEADLINE) == 0
    assert not os.path.exists(daemon.path)
    assert not os.path.exists(daemon.path + ".lock")
    client.rest()


def test_a_path_has_at_most_107_bytes(folder, serve, refused):
    longest = 107 - len(folder) - 1
    daemon = serve(Recording().pause(1).hold(), socket="s" * longest)
    assert daemon.connect().ask("ping")["ok"] is True
    refused("--socket", os.path.join(folder, "s" * (longest + 1))).assert_refused(USAGE, "107")


@pytest.mark.parametrize(
    "options",
    [["--speed", "0"], ["--speed", "-1"], ["--speed", "nan"], ["--device", "/dev/null"], ["--nonsense"]],
    ids=" ".join,
)
def test_a_wrong_command_line_is_reported(refused, options):
    status, output, text = refused(*options)
    assert (status, output) == (USAGE, "")
    assert options[0] in text


def test_an_unusable_recording_is_reported_before_there_is_a_socket(run, folder, write):
    path = os.path.join(folder, "x.sock")
    for recording, expected in [
        (os.path.join(folder, "nowhere.evemu"), 66),
        (write("no recording\n", "text"), 65),
        (write("", "empty"), 65),
    ]:
        run("run", "--socket", path, "--replay", recording).assert_refused(expected, recording)
        assert not os.path.exists(path)
