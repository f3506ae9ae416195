"""Known inputs pass, and so does a fuzz run of fixed length."""

import importlib.machinery
import importlib.util
import json
import re

from conftest import ROOT, RUN, run


def test_coverage_names_files_that_exist(target):
    loader = importlib.machinery.SourceFileLoader("fuzz_run", str(RUN))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fuzz_run", loader))
    loader.exec_module(module)
    assert [prefix for prefix in module.SUBJECTS[target] if not module.subjects([prefix])] == []


def words(target):
    return {line.strip().strip('"').rstrip(":=") for line in (ROOT / "Fuzz/words" / target).read_text().splitlines()}


def test_the_words_are_those_of_the_program():
    example = (ROOT / "docs/examples/config.yaml").read_text()
    keys = set(re.findall(r"(?:^|[{,-])[# ]*([a-z_]+):", example, re.M))
    assert len(keys) > 50 and keys - words("configuration") == set()
    schema = json.loads((ROOT / "docs/protocol.schema.json").read_text())
    requests = schema["$defs"]["from_client"]["properties"]["do"]["enum"]
    assert len(requests) > 20 and set(requests) - words("request") == set()


def test_known_inputs_pass(replay_built, target):
    replayed = run(target, "--replay", "--built")
    assert replayed.returncode == 0, replayed.stdout


def test_a_fixed_run_finds_no_failure(fixed_runs, target, report):
    result = fixed_runs[target].result()
    report(result.stdout)
    assert result.returncode == 0, result.stdout
