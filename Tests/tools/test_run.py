"""The runner of the suites: what it runs, in which order, and how it counts."""

import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

RUN = pathlib.Path(__file__).resolve().parents[1] / "run"


def load():
    loader = importlib.machinery.SourceFileLoader("tests_run", str(RUN))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tests_run", loader))
    sys.modules["tests_run"] = module
    loader.exec_module(module)
    return module


run = load()


def shell(name, script, *after, **others):
    return run.Suite(name, ["sh", "-c", script], after, **others)


@pytest.fixture
def results(tmp_path):
    """Runs suites and returns their results by name."""

    def results(*suites):
        return {result.suite.name: result for result in run.Runner(suites, tmp_path).run()}

    return results


def report(*cases):
    return f"printf '<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>' > {{scratch}}/r.xml; "


PASSED, FAILED = '<testcase name="a"/>', '<testcase name="b"><failure message="why"/></testcase>'


def test_a_check_counts_once(results):
    made = results(shell("good", "exit 0"), shell("bad", "echo reason; exit 3"))
    assert made["good"].numbers == (1, 0, 0)
    assert made["bad"].numbers == (0, 1, 0)
    assert made["bad"].reasons == ["ended with status 3", "reason"]


def test_what_needs_a_failed_suite_does_not_run(results, tmp_path):
    made = results(shell("build", "exit 1"), shell("tests", f"touch {tmp_path}/ran", "build"), shell("other", "exit 0"))
    assert made["tests"].numbers == (0, 0, 0)
    assert made["tests"].text == "not run, as build failed\n"
    assert not (tmp_path / "ran").exists()
    assert made["other"].has_passed


def test_a_report_is_counted(results):
    made = results(shell("suite", report(PASSED, FAILED, PASSED) + "exit 1", report="r.xml"))
    assert made["suite"].numbers == (2, 1, 0)
    assert made["suite"].reasons == ["ended with status 1", "b", "    why"]


@pytest.mark.parametrize("script, reason", [
    ("kill -SEGV $$", "ended by SIGSEGV, without a report"),
    ("echo '<testsuites><testsuite><testcase name=\"a\"/>' > {scratch}/r.xml", "ended with status 0, without a report"),
    (report(PASSED) + "exit 2", "ended with status 2, though no test failed"),
])
def test_an_abnormal_end_is_a_failure(results, script, reason):
    made = results(shell("suite", script, report="r.xml"))["suite"]
    assert made.numbers[1] == 1
    assert made.reasons[0] == reason


def test_a_machine_that_cannot_run_a_suite_skips_it(results):
    assert results(shell("vm", "exit 77", report="r.xml"))["vm"].numbers == (0, 0, 1)


def test_a_resource_is_used_by_one_suite_at_a_time(tmp_path):
    guest, other = shell("vm", "", resource="guest"), shell("units", "")
    assert run.Runner([guest, other], tmp_path).next_ready({"guest"}) is other
    assert run.Runner([guest, other], tmp_path).next_ready({""}) is guest


def test_swift_tests_that_did_not_finish_are_named():
    log = "◇ Test first() started.\n✔ Test first() passed after 0.1 seconds.\n◇ Test second() started.\nFatal error: x\n"
    assert run.condense_swift(log, False) == "Fatal error: x\nstarted, but did not finish: second()\n"
    parametrized = "◇ Test many() started.\n✔ Test many() with 3 test cases passed after 0.1 seconds.\n"
    assert run.condense_swift(parametrized, False) == ""


def test_suites_need_known_ones_and_each_is_run_at_night():
    suites = {suite.name: suite for suite in run.all_suites()}
    for suite in suites.values():
        assert set(suite.after) <= set(suites)
    assert [suite.name for suite in run.selected(["ci", "nightly"])] == list(suites)


def test_no_directory_of_tests_is_forgotten():
    commands = " ".join(" ".join(suite.command) for suite in run.all_suites())
    for file in RUN.parent.glob("*/test_*.py"):
        assert f"Tests/{file.parent.name}" in commands, file


def test_an_unknown_suite_is_an_error():
    with pytest.raises(SystemExit, match="there is no suite sokets"):
        run.selected(["sokets"])


def test_a_container_without_an_image_is_not_started(tmp_path):
    """The root directory would be its image otherwise."""
    for name in ("Tests/nspawn/run", "Tests/vm/guest", "bin/systemd-nspawn"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(RUN.parent / "nspawn/run", tmp_path / "Tests/nspawn/run")
    for name, text in (("Tests/vm/guest", "echo no image >&2; exit 77"), ("bin/systemd-nspawn", f"touch {tmp_path}/started")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run([tmp_path / "Tests/nspawn/run", tmp_path / "report.xml"], stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}, check=False)
    assert (done.returncode, done.stderr) == (77, "no image\n")
    assert not (tmp_path / "started").exists()


def test_each_selection_contains_the_one_before():
    check, test, ci = ({suite.name for suite in run.selected([name])} for name in ("check", "test", "ci"))
    assert check < test < ci
