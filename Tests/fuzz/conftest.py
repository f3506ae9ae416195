"""Builds the fuzz targets and runs them two at a time; the tests wait for one after another."""

import concurrent.futures
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = ROOT / "Fuzz" / "run"


def run(*arguments):
    """The output of Fuzz/run and its exit status."""
    return subprocess.run(
        [RUN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def pytest_generate_tests(metafunc):
    if "target" in metafunc.fixturenames:
        metafunc.parametrize("target", run("--list").stdout.split())


@pytest.fixture(scope="session")
def replay_built():
    made = run("--replay", "--build")
    assert made.returncode == 0, made.stdout


@pytest.fixture(scope="session")
def built():
    made = run("--build")
    assert made.returncode == 0, made.stdout


@pytest.fixture(scope="session")
def fixed_runs(built, request):
    """A fuzz run of fixed length for each selected target: futures by target."""
    names = [item.callspec.params["target"] for item in request.session.items if "fixed_runs" in item.fixturenames]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield {name: pool.submit(run, name, "--fixed", "--built") for name in names}


lines = []


@pytest.fixture
def report():
    """Adds a line to the terminal summary, also if all tests pass."""
    return lines.append


def pytest_terminal_summary(terminalreporter):
    for line in lines:
        terminalreporter.write_line(line.strip())
