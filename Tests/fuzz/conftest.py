"""Builds the fuzz targets, and runs them two at a time while the tests wait for one after another."""

import concurrent.futures
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = ROOT / "Fuzz" / "run"
IS_LOOKING = os.environ.get("PRESSURED_FUZZ", "look") != "replay"


def run(*arguments):
    """What Fuzz/run prints, and its status."""
    return subprocess.run(
        [RUN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def pytest_generate_tests(metafunc):
    if "target" in metafunc.fixturenames:
        metafunc.parametrize("target", run("--list").stdout.split())


@pytest.fixture(scope="session")
def built():
    made = run("--build")
    assert made.returncode == 0, made.stdout


@pytest.fixture(scope="session")
def looks(built, request):
    """A look at each target whose test is asked for; what Fuzz/run said of it, by target, once it is over."""
    names = [item.callspec.params["target"] for item in request.session.items if "looks" in item.fixturenames]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield {name: pool.submit(run, name, "--look") for name in names}


said = []


@pytest.fixture
def tell():
    """Keeps a line for the end, where it is read also when all went well."""
    return said.append


def pytest_terminal_summary(terminalreporter):
    for line in said:
        terminalreporter.write_line(line.strip())
