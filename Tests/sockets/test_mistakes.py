"""Mistyped, misplaced and inaccessible arguments: each has its own message and status."""

import os

import pytest

from daemon import wait_until
from recording import Recording

EXAMPLES = os.path.join(os.path.dirname(__file__), "../../docs/examples")


@pytest.mark.parametrize(
    "words, advice",
    [
        (["rnu"], '"rnu"; did you mean "run"?'),
        (["help", "wach"], '"wach"; did you mean "watch"?'),
        (["wach", "--plain"], '"wach"; did you mean "watch"?'),
        (["frobnicate"], '"frobnicate"; there are run, devices, watch, '),
        (["help", "frobnicate"], '"frobnicate"; there are run, devices, watch, '),
        ([""], '""; there are run'),
    ],
    ids=" ".join,
)
def test_an_unknown_verb_is_reported_with_the_nearest(run, words, advice):
    status, out, log = run(*words)
    assert (status, out, log.count("\n")) == (64, "", 1)
    assert log.startswith(f"pressured: unknown verb {advice}")


def test_a_missing_folder_is_named(run, folder, write):
    recording = write(Recording().hold())
    gone = os.path.join(folder, "gone")
    for words, name in [
        (["run", "--replay", recording, "--socket", f"{gone}/a.sock"], "a.sock"),
        (["plot", recording, "-o", f"{gone}/a.svg"], "a.svg"),
    ]:
        status, _, log = run(*words)
        assert status == 73, words
        assert f"{gone}/{name}" in log and f"as the folder {gone} does not exist: " in log


def test_unreadable_files_are_reported_as_permission_errors(run, write, without_privilege):
    recording = write(Recording().hold())
    path = write("", "a.yaml")
    os.chmod(path, 0)
    for words in [
        ["check", path],
        ["check", "--bindings", path],
        ["bind", "--bindings", path],
        ["config", "--config", path],
        ["replay", path],
        ["plot", path, "-o", f"{path}.svg"],
        ["run", "--replay", path],
    ]:
        status, _, log = run(*words, before=without_privilege)
        assert (status, log.count("\n")) == (77, 1), words
        assert path in log and "try again with sudo" in log


@pytest.mark.parametrize(
    "words, successor",
    [
        (["record", "--device=/dev/input/event0"], "the node alone"),
        (["pen", "--test", "--left-handed"], "--rotate 180"),
        (["plot", "--weigh"], "--calibration"),
        (["bind", "--config", "x"], "--socket"),
        (["bind", "--forbid-keys"], "--forbid"),
        (["watch", "--config=x"], "--socket, or the configuration in its usual place"),
        (["record", "--frames", "3"], "--seconds, or Ctrl-C"),
        (["plot", "--force"], "another file"),
        (["devices", "--pressure"], "devices"),
        (["calibrate", "--thorough"], "--check WEIGHT"),
    ],
)
def test_an_option_that_was_removed_names_its_successor(run, words, successor):
    status, out, log = run(*words)
    assert (status, out) == (64, "") and log.count("\n") == 1
    assert f"{words[0]} has no --" in log and f"; use {successor}" in log


@pytest.mark.parametrize("words", [["weigh", "--once"], ["weigh"], ["watch"], ["pen", "--test"], ["doctor", "--sensor"]], ids=" ".join)
def test_a_daemon_that_is_named_is_not_replaced(run, folder, words):
    path = os.path.join(folder, "none")
    by_option, by_variable = run(*words, "--socket", path), run(*words, PRESSURED_SOCKET=path)
    assert by_option == by_variable
    assert by_option[0] == 69 and path in by_option[2]


def test_an_error_names_the_options_of_the_program(daemon, start):
    process = start("weigh", "--once", "--socket", daemon.path)
    client = daemon.accept_after_question()
    client.reply(client.request(), {})
    client.refuse(client.request(), "no_device", "2 devices can weigh; name one: device=a, device=b")
    _, log = process.communicate(timeout=60)
    assert process.returncode == 66
    assert log.endswith("2 devices can weigh; name one: --device a, --device b\n")


def test_a_node_that_does_not_exist_is_named_at_once(serve):
    daemon = serve(None, "--device", "/dev/typo")
    assert "cannot open /dev/typo: No such file or directory; it is served once that has changed" in daemon.log


def test_a_mistyped_or_refused_action(run, serve):
    actions = "actions: [{ type: local.lamp, title: Lamp }]\n"
    path = serve(Recording().pause(1).hold(), config=actions).path
    status, _, log = run("perform", "local.lmap", "--socket", path)
    assert status == 65
    assert log == "pressured: local.lmap was not performed: there is no such action; did you mean \"local.lamp\"?\n"
    status, _, log = run("perform", "something.else.altogether", "--socket", path)
    assert status == 65 and "there is no such action; there are " in log and "local.lamp" in log
    # A scale with a heavy load is not zeroed.
    status, _, log = run("perform", "pressured.zero", "--socket", path)
    assert status == 65 and "there is no such action" not in log and "the scale has no suitable reading" in log


def test_bindings_for_unknown_stages_regions_and_actions_are_reported(run, write):
    config = write(
        "press: { stages: [{ name: soft, press: 0.2, release: 0.1 }], gram_stages: [] }\n"
        "regions: [{ name: left, x: 0, y: 0, width: 0.5, height: 1 }]\n", "a.yaml")  # fmt: skip
    bindings = write(
        "bindings:\n"
        "  - { on: { press: soft, region: left }, run: [ls] }\n"
        "  - { on: { press: sotf, region: right }, run: [ls] }\n"
        "  - { on: { action: local.lamp }, run: [ls] }\n"
        "  - { on: { action: pressured.tare }, run: [ls] }\n", "b.yaml")  # fmt: skip
    status, out, log = run("check", config, "--bindings", bindings)
    assert status == 0 and out.endswith(f"{bindings} is valid: 4 bindings\n")
    lines = [line.removeprefix(f"pressured: {bindings}: ") for line in log.splitlines()]
    assert lines[:2] == [
        'binding 2 never fires: no configuration has a stage "sotf"; did you mean "soft"?',
        'binding 2 never fires: no configuration has a region "right"; there are left',
    ]
    assert lines[2].startswith('binding 3 never fires: no configuration has an action "local.lamp"; there are ')
    assert len(lines) == 3
    # The default stages, without a configuration.
    status, out, log = run("check", "--bindings", f"{EXAMPLES}/bindings.yaml")
    assert (status, out, log) == (0, f"{EXAMPLES}/bindings.yaml is valid: 1 binding\n", "")
    assert "is valid: all settings are the defaults\n" in run("check", f"{EXAMPLES}/config.yaml").output


def test_the_shipped_recording_contains_a_force_click(serve, bind, folder):
    """The commands of docs/force-click.md, and the output of `--explain` for it."""
    daemon = serve(f"{EXAMPLES}/force-click.evemu")
    binder = bind(
        "bindings:\n"
        f"  - {{ on: {{ press: deep }}, run: [sh, -c, 'echo clicked >> {folder}/clicks'] }}\n"
        "  - { on: { press: deep, fingers: 2 }, run: [ls] }\n",
        "--explain", "--socket", daemon.path,
    )  # fmt: skip
    clicks = os.path.join(folder, "clicks")
    wait_until(lambda: os.path.exists(clicks) and os.path.getsize(clicks) == 2 * len("clicked\n"))
    one = [
        "press at light with 1 finger: binding 1 does not fire: it waits for the stage deep",
        "press at light with 1 finger: binding 2 does not fire: it waits for the stage deep",
        "press at deep with 1 finger: binding 1 fires",
        "press at deep with 1 finger: binding 2 does not fire: it is for 2 fingers, and there are 1",
    ]

    def reported():
        return [line.removeprefix("pressured: ") for line in binder.log.splitlines() if "press at" in line]

    # A command is started before the other bindings are explained.
    wait_until(lambda: len(reported()) >= 2 * len(one))
    assert reported() == 2 * one
