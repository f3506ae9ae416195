"""Inputs that once broke a reader do so no more, and a minute of looking finds no other."""

import pytest

from conftest import IS_LOOKING, run


def test_what_is_known_breaks_nothing(built, target):
    replayed = run(target, "--replay")
    assert replayed.returncode == 0, replayed.stdout


@pytest.mark.skipif(not IS_LOOKING, reason="PRESSURED_FUZZ=replay asks for no fuzzing")
def test_a_look_finds_nothing_new(looks, target, tell):
    looked = looks[target].result()
    tell(looked.stdout)
    assert looked.returncode == 0, looked.stdout
