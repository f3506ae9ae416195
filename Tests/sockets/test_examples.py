"""Every published example works with the real daemon, and every configuration and binding on a page is valid."""

import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess

import pytest
import yaml

from connection import DEADLINE, events_of, lines_of
from daemon import wait_until
from fakedaemon import press
from recording import DEVICE, Recording
from verbs import ROOT, build_folder

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


def test_the_osc_example_sends_nothing_that_is_unknown(fake_daemon):
    daemon = fake_daemon()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(DEADLINE)
        command = ["/usr/bin/python3", EXAMPLES / "osc.py", "127.0.0.1", str(receiver.getsockname()[1]), daemon.path]
        with subprocess.Popen(command) as sender:
            client = daemon.accept()
            client.request()
            for ratio, x in (None, 0.5), (0.5, None), (0.5, 0.25):
                client.send({"event": "weight", "device": DEVICE, "contacts": [{"slot": 0, "ratio": ratio, "x": x, "y": 0.5}]})
            # It lifts, which is a force of 0.
            client.send({"event": "contact", "device": DEVICE, "slot": 0, "phase": "ended", "x": 0.25, "y": 0.5})
            client.close()
            assert sender.wait(DEADLINE) == 0
        assert [struct.unpack(">3f", receiver.recv(1000)[-12:]) for _ in range(2)] == [(0.5, 0.25, 0.5), (0, 0.25, 0.5)]


# The modules that each example is linked with: the library that it names in its manifest, and what that is built on.
KIT = ["PressureKit"]
CLIENT = [*KIT, "PressureProtocol", "PressureSystem", "PressureClient"]


def swift_example(name, libraries, folder):
    """Compiles it with the libraries that are built already; Tests/builds builds it as a package of its own, in minutes."""
    built = build_folder()
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
    assert done.stdout.splitlines() == ["started at light", *["changed at deep"] * 2, "maximumReached at deep", "ended at deep"]


# Debian installs daemons here, which is not on every path.
PATH = f"{os.environ['PATH']}:/usr/sbin"


@pytest.fixture
def broker(folder):
    """The port of a real mosquitto."""
    if not (shutil.which("mosquitto", path=PATH) and shutil.which("mosquitto_sub")):
        pytest.skip("not installed: mosquitto")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    configuration = os.path.join(folder, "mosquitto.conf")
    with open(configuration, "w") as file:
        file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    process = subprocess.Popen([shutil.which("mosquitto", path=PATH), "-c", configuration], stderr=subprocess.DEVNULL)

    def answers():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    wait_until(answers)
    yield str(port)
    process.terminate()
    process.wait(DEADLINE)


@needs("socat")
def test_an_mqtt_broker_receives_every_line(touched, broker):
    at = ["-h", "127.0.0.1", "-p", broker]
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


# The files that a page shows, each with its page and its first line.
SHOWN = [
    (page.name, text.start(), text[1])
    for page in sorted((ROOT / "docs").glob("*.md")) for text in re.finditer(r"^```yaml\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)]


@pytest.mark.parametrize("page, place, text", SHOWN, ids=[f"{page}-{place}" for page, place, _ in SHOWN])
def test_each_file_that_a_page_shows_is_valid(run, write, page, place, text):
    """A warning, such as a binding for a stage that does not exist, is a failure as well."""
    path = write(text, "shown.yaml")
    options = ["--bindings", path] if "bindings" in yaml.safe_load(text) else [path]
    status, _, log = run("check", *options)
    # A user, a region or an action of an example need not exist here.
    elsewhere = re.compile("no effect until it exists|no configuration has an? (action|region)")
    warnings = [line for line in log.splitlines() if not elsewhere.search(line)]
    assert (status, warnings) == (0, []), log


# Programs of the desktop: each records how it is called, and `wl-paste` prints a word.
STAND_INS = ["xdg-open", "wl-paste", "swaymsg", "wpctl"]


@pytest.fixture
def desktop(folder):
    """The path with stand-ins for programs of the desktop, and a function that returns their calls."""
    programs, calls = pathlib.Path(folder, "programs"), pathlib.Path(folder, "calls")
    programs.mkdir()
    for name in STAND_INS:
        path = programs / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>{calls}\n' + ("printf word\n" if name == "wl-paste" else ""))
        path.chmod(0o755)
    return f"{programs}:{os.environ['PATH']}", lambda: calls.read_text().splitlines() if calls.exists() else []


LOOK_UP = ["wl-paste --primary --no-newline", "xdg-open https://en.wiktionary.org/wiki/word"]

# For each binding of docs/recipes.md, by the number of its fingers: the calls of two presses; a key has none.
CALLS = {1: ["swaymsg seat - cursor press button1", "swaymsg seat - cursor release button1"], 2: 2 * LOOK_UP, 3: []}
RECIPES = [text for page, _, text in SHOWN if page == "recipes.md"]


def entries(text):
    """The bindings of a file; for PyYAML the key `on` is a truth value otherwise."""
    return yaml.load(text, yaml.BaseLoader)["bindings"]


def test_each_recipe_with_a_binding_is_tested():
    assert sorted(int(entries(text)[0]["on"].get("fingers", 1)) for text in RECIPES) == sorted(CALLS)


@pytest.mark.parametrize("text", RECIPES, ids=range(len(RECIPES)))
def test_the_binding_of_a_recipe_fires_for_its_press(fake_daemon, bind, folder, desktop, text):
    path, calls = desktop
    (binding,) = entries(text)
    fingers = int(binding["on"].get("fingers", 1))
    expected = CALLS[fingers]
    daemon = fake_daemon()
    binder = bind(text, "--explain", PATH=path, XDG_RUNTIME_DIR=folder)
    client = daemon.accept_subscriber()
    client.send(press("started", "deep", fingers=fingers + 1), press("ended", "deep", fingers=fingers + 1))
    for count in (1, 2):
        client.send(*(press(state, stage, fingers=fingers) for state, stage in
                      (("started", "light"), ("changed", "deep"), ("ended", "deep"))))
        # One command may not overtake the other.
        wait_until(lambda: len(calls()) >= count * len(expected) // 2 and not binder.children())
    key = binding.get("press_key")
    wait_until(lambda: binder.log.count("binding 1 fires") + binder.log.count(f"it would press {key}, but cannot create") == 2)
    assert calls() == expected
    assert binder.log.count(f"it is for {fingers} finger") == 1


@needs("socat", "jq")
@pytest.mark.parametrize("script, presses, expected", [
    ("push-to-talk.sh", [([1, 1, 1], (0.2, 0.71, 0.3)), ([1, 1, 1], (0.3, 0.8, 0.3))],
     [f"set-mute @DEFAULT_AUDIO_SOURCE@ {mute}" for mute in (1, 0, 1, 0, 1, 1)]),
    # The last one starts with one finger.
    ("volume.sh", [([2, 2, 2], (0.2, 0.71, 0.3)), ([2, 2, 2], (0.3, 0.8, 0.3)), ([1, 2], (0.2, 0.4))],
     [f"set-volume @DEFAULT_AUDIO_SINK@ {percent}%" for percent in (20, 71, 30, 80, 40)]),
])
def test_a_script_follows_presses(fake_daemon, desktop, script, presses, expected):
    path, calls = desktop
    daemon = fake_daemon()
    with subprocess.Popen(["sh", EXAMPLES / script, daemon.path], env={"PATH": path}) as example:
        client = daemon.accept()
        for fingers, ratios in presses:
            client.send(*(press(state, "deep" if ratio > 0.7 else "light", ratio=ratio, fingers=count)
                          for state, ratio, count in zip(("started", "changed", "changed"), ratios, fingers)))
            client.send(press("ended", ratio=0.1, fingers=fingers[-1]))
        # Neither simulated presses nor those of other fingers set a volume.
        client.send(press("started", ratio=0.9, fingers=3), press("started", ratio=0.9, fingers=2, simulated=True))
        client.close()
        assert example.wait(DEADLINE) == 0
    assert calls() == [f"wpctl {words}" for words in expected]


@needs("socat", "jq")
def test_the_log_of_a_study_has_a_row_for_each_reading_of_a_contact(output_of, touched):
    header, *rows = [line.split(",") for line in output_of([EXAMPLES / "csv.sh", touched.path], 4)]
    assert header == "time_us,device,contact,phase,x_mm,y_mm,force,grams".split(",")
    assert rows[1][1:] == [f'"{DEVICE}"', "1", '"moved"', "10", "30", "1.333", "77"], rows
