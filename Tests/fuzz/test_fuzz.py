"""Known inputs pass, and so does a fuzz run of fixed length."""

import pytest

from conftest import IS_FUZZING, run


def test_known_inputs_pass(built, target):
    replayed = run(target, "--replay")
    assert replayed.returncode == 0, replayed.stdout


@pytest.mark.skipif(not IS_FUZZING, reason="PRESSURED_FUZZ=replay skips fuzzing")
def test_a_fixed_run_finds_no_failure(fixed_runs, target, report):
    result = fixed_runs[target].result()
    report(result.stdout)
    assert result.returncode == 0, result.stdout
