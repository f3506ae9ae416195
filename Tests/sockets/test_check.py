"""`pressured check` reports whether a configuration is valid, and the location of each error."""

import os
import re

import pytest


@pytest.fixture
def check(run):
    return lambda *arguments, **variables: run("check", *arguments, **variables)


def test_a_valid_file_is_reported_as_such(check, write):
    path = write("", "a.yaml")
    assert check(path) == (0, f"{path} is valid: all settings are the defaults\n", "")
    path = write("press: { hold_ms: 300, fingers: 2 }\n", "b.yaml")
    status, out, log = check(path)
    assert (status, log) == (0, "")
    assert re.fullmatch(rf"{re.escape(path)} is valid: 1 of \d+ settings differs from the defaults: press.fingers\n", out)
    path = write("press: { fingers: 2 }\nalways_read: true\n", "c.yaml")
    assert re.search(r"is valid: 2 of \d+ settings differ from the defaults: always_read, press.fingers\n$", check(path)[1])


def test_by_default_it_checks_the_files_of_the_service_and_the_user(check, folder, write):
    for name in ("service", ".config", ".config/pressured"):
        os.mkdir(os.path.join(folder, name))
    directory = os.path.join(folder, "service")
    none = f"{directory}/config.yaml does not exist: all settings are the defaults\n"
    assert check(CONFIGURATION_DIRECTORY=directory) == (0, none, "")
    service = write("alway_read: 1\n", "service/config.yaml")
    own = write("press: { fingers: 2 }\n", ".config/pressured/config.yaml")
    status, out, log = check(CONFIGURATION_DIRECTORY=directory)
    assert status == 78 and f"{service}:1:1: unknown key" in log
    assert re.fullmatch(rf"{re.escape(own)} is valid: 1 of \d+ settings differs from the defaults: press.fingers\n", out)


def test_bindings_are_checked_as_well(check, write, folder):
    path = write("", "a.yaml")
    bindings = write("bindings: [{ on: { press: deep }, run: [ls] }]\n", "b.yaml")
    status, out, _ = check(path, "--bindings", bindings)
    assert status == 0 and out.endswith(f"{bindings} is valid: 1 binding\n")
    wrong = write("bindings: [{ on: { press: deep } }]\n", "c.yaml")
    status, out, log = check(write("a: 1\n", "d.yaml"), "--bindings", wrong)
    assert (status, out) == (78, "") and len(log.splitlines()) == 2
    status, out, log = check(path, "--bindings", os.path.join(folder, "none.yaml"))
    assert status == 66 and "a.yaml is valid" in out and "none.yaml: there is no" in log


def test_missing_users_and_groups_cause_a_warning(check, write):
    path = write("control:\n  users: [root, nobody-here]\n  groups:\n    - none-here\n", "a.yaml")
    status, out, log = check(path)
    assert status == 0 and "is valid" in out
    assert log.splitlines() == [
        f'pressured: {path}:2:17: there is no user "nobody-here"; the setting has no effect until it exists',
        f'pressured: {path}:4:7: there is no group "none-here"; the setting has no effect until it exists',
    ]


def test_an_unused_quirk_is_reported(check, folder, write):
    write("[a]\nMatchUdevType=touchpad\nAttrPressureRange=10:8\nModelPressurePad=1\n", "my.quirks")
    config = write("quirks_file: my.quirks\n", "config.yaml")
    status, _, log = check(config)
    assert status == 0 and f"{folder}/my.quirks:3:19: AttrPressureRange is not used" in log


def test_config_prints_each_setting_with_its_origin(run, write):
    path = write("scale:\n  window_ms: 500\n", "a.yaml")
    status, out, log = run("config", "--config", path)
    assert (status, log) == (0, "")
    lines = dict(line.split(": ", 1) for line in out.splitlines())
    assert lines["scale.window_ms"] == f"500  # {path}:2"
    assert lines["scale.filter_ms"] == "100  # default"


def test_config_explains_the_settings_of_a_group(run):
    status, out, _ = run("config", "scale.window_ms", "haptics")
    assert status == 0
    assert [line.split(":")[0] for line in out.splitlines() if not line.startswith(" ")] == [
        "haptics.enabled", "haptics.intensity_percent", "haptics.stages", "scale.window_ms"]
    assert "from 1 to 60000 ms. [1000]" in out and "A change takes effect with the next touch." in out


def test_config_refuses_an_unknown_setting(run):
    assert run("config", "scale.windw_ms") == (
        64, "", 'pressured: there is no setting "scale.windw_ms"; did you mean scale.window_ms?\n')
