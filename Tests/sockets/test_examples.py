"""Every published example works with the real daemon."""

import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess

import pytest

from connection import DEADLINE, events_of, lines_of
from daemon import wait_until
from recording import DEVICE, Recording

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"


def needs(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@pytest.fixture
def touched(serve):
    """Two fingers, of which the second becomes heavier; both are lifted in the end."""
    recording = Recording().pause(500).begin(0, 3).report().wait(100).press(0, 51).report().wait(300)
    recording.begin(1, 6).report().wait(100).press(1, 102).report()
    recording.wait(300).lift(1).report().wait(300).lift(0).report()
    return serve(recording)


@pytest.fixture
def output_of(touched):
    """The output of an example; the daemon is stopped once the example has printed enough."""

    def output_of(command, count, **variables):
        environment = {"PATH": os.environ["PATH"], **variables}
        with subprocess.Popen(
            list(map(str, command)), env=environment, stdout=subprocess.PIPE, text=True
        ) as example:
            lines = [example.stdout.readline().rstrip("\n") for _ in range(count)]
            touched.terminate()
            assert example.wait(DEADLINE) == 0
            return lines + example.stdout.read().splitlines()

    return output_of


@needs("socat", "jq")
def test_the_shell_example_follows_the_heaviest_contact(output_of, touched):
    lines = output_of([EXAMPLES / "heaviest.sh", touched.path], 5)
    # Each load is followed to what it settles at.
    assert lines == ["1 with ≈ 4.5 g", "1 with ≈ 77 g", "2 with ≈ 154 g", "1 with ≈ 77 g", "none"]


@needs("socat", "jq")
def test_the_shell_example_weighs(serve):
    daemon = serve(Recording().pause(1).begin(0, 51).report().wait(900_000).lift(0).report())
    command = [EXAMPLES / "weigh.sh", daemon.path]
    result = subprocess.run(command, capture_output=True, timeout=DEADLINE)
    assert (result.returncode, result.stdout) == (0, b"77\n")


def test_the_python_example_marks_an_estimate(output_of, touched):
    lines = output_of(["/usr/bin/python3", EXAMPLES / "totals.py", touched.path], 6)
    assert lines == [f"{DEVICE}: ≈ {grams} g" for grams in (4.5, 77, 86.1, 231, 77, 0)]


def test_the_osc_example_sends_the_force(touched):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(DEADLINE)
        command = ["/usr/bin/python3", EXAMPLES / "osc.py", "127.0.0.1", str(receiver.getsockname()[1]), touched.path]
        with subprocess.Popen(command) as sender:
            try:
                while True:
                    address, _, rest = receiver.recv(1000).partition(b"\0")
                    assert address.decode().rpartition("/")[0] == f"/pressured/{DEVICE}"
                    words, _, numbers = rest.lstrip(b"\0").partition(b"\0")
                    assert words == b",fff"
                    if struct.unpack(">3f", numbers[-12:])[0] > 0.19:
                        break
            finally:
                sender.kill()


# The modules that each example is linked with: the library that it names in its manifest, and what that is built on.
KIT = ["PressureKit"]
CLIENT = [*KIT, "PressureProtocol", "PressureSystem", "PressureClient"]


def swift_example(name, libraries, folder):
    """Compiles it with the libraries that are built already; Tests/builds builds it as a package of its own, in minutes."""
    shown = subprocess.run(["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    built = pathlib.Path(shown.stdout.strip())
    # Not those of files that were there once.
    objects = [built / f"{library}.build/{path.name}.o" for library in libraries for path in (ROOT / "Sources" / library).rglob("*.swift")]
    assert all(path.exists() for path in objects), "build the libraries first: swift build"
    # Of another package: what is not public does not exist for it.
    command = ["swiftc", "-swift-version", "6", "-package-name", "stranger", "-I", built / "Modules", "-I", ROOT / "Sources/CLinux",
               EXAMPLES / "swift" / name / "Sources" / name / "main.swift", *objects, "-lm", "-o", f"{folder}/{name}"]
    subprocess.run(command, check=True, timeout=20 * DEADLINE)
    return f"{folder}/{name}"


def test_the_swift_example_receives_events(output_of, touched, folder):
    lines = output_of([swift_example("heaviest", CLIENT, folder), touched.path], 5)
    assert lines == ["≈ 4.5 g", "≈ 77.0 g", "≈ 154.0 g", "≈ 77.0 g", "none"]


def test_the_swift_example_uses_the_engine_without_a_daemon(folder):
    done = subprocess.run([swift_example("press", KIT, folder)], check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout.splitlines() == ["started at light", "changed at deep", "maximumReached at deep", "ended at deep"]


class Broker:
    """A real mosquitto on a port of its own."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        configuration = os.path.join(folder, "mosquitto.conf")
        with open(configuration, "w") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n")
        self.process = subprocess.Popen(
            [shutil.which("mosquitto", path=PATH), "-c", configuration], stderr=subprocess.DEVNULL
        )
        wait_until(self.answers)

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", int(self.port))) == 0

    def end(self):
        self.process.terminate()
        self.process.wait(DEADLINE)


# Debian installs daemons here, which is not on every path.
PATH = f"{os.environ['PATH']}:/usr/sbin"


@pytest.fixture
def broker(folder):
    if not (shutil.which("mosquitto", path=PATH) and shutil.which("mosquitto_sub")):
        pytest.skip("not installed: mosquitto")
    broker = Broker(folder)
    yield broker
    broker.end()


@needs("socat")
def test_an_mqtt_broker_receives_every_line(touched, broker):
    at = ["-h", "127.0.0.1", "-p", broker.port]
    with subprocess.Popen(
        ["stdbuf", "-oL", "mosquitto_sub", "-d", *at, "-t", "pressured/+"], stdout=subprocess.PIPE
    ) as listener:
        while b"Subscribed" not in listener.stdout.readline():
            pass
        with subprocess.Popen(
            [EXAMPLES / "mqtt.sh", *at], env={**os.environ, "PRESSURED_SOCKET": touched.path}
        ) as bridge:
            received = []
            while not received or json.loads(received[-1]).get("contact") != 1 or b"ended" not in received[-1]:
                line = listener.stdout.readline()
                # Debug output of mosquitto is interleaved with the messages.
                if line.startswith(b"{"):
                    received.append(line)
            touched.terminate()
            assert bridge.wait(DEADLINE) == 0
        listener.terminate()
    lines = lines_of(b"".join(received))
    assert lines[0]["event"] == "hello"
    assert [line["contact"] for line in events_of(lines, "heaviest")] == [1, 2, 1, None]
