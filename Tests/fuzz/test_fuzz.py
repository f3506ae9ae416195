"""Known inputs pass, and so does a fuzz run of fixed length."""

import importlib.machinery
import importlib.util
import shutil
import subprocess

from conftest import ROOT, RUN, run


def test_coverage_names_files_that_exist(target):
    loader = importlib.machinery.SourceFileLoader("fuzz_run", str(RUN))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fuzz_run", loader))
    loader.exec_module(module)
    assert [prefix for prefix in module.SUBJECTS[target] if not module.subjects([prefix])] == []


def check_corpus(root):
    """The lines of Fuzz/make-corpus --check, and its exit status."""
    done = subprocess.run([root / "Fuzz/make-corpus", "--check"], check=False, text=True, stdout=subprocess.PIPE)
    return done.stdout.splitlines(), done.returncode


def test_the_corpus_is_made_from_the_scenarios():
    # The words of the fuzzer are made by scripts/generate, whose own test compares them.
    assert check_corpus(ROOT) == ([], 0)


def test_a_scenario_without_an_input_is_noticed(tmp_path):
    # The script finds everything from its own location.
    for folder in ("Fuzz", "Tests/PressureKitTests/Scenarios", "Tests/pads", "docs/examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    scenarios = tmp_path / "Tests/PressureKitTests/Scenarios/presses"
    shutil.copy(next(scenarios.glob("*.scenario")), scenarios / "a-new-one.scenario")
    lines, status = check_corpus(tmp_path)
    assert "Fuzz/corpus/engine/a-new-one is out of date: Fuzz/make-corpus makes it" in lines
    assert status == 1


def test_known_inputs_pass(replay_built, target):
    replayed = run(target, "--replay", "--built")
    assert replayed.returncode == 0, replayed.stdout


def test_a_fixed_run_finds_no_failure(fixed_runs, target, report):
    result = fixed_runs[target].result()
    report(result.stdout)
    assert result.returncode == 0, result.stdout
