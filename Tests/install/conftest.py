"""The installable files, as made by `make build`; the program is the one built by Tests/counts."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def output(*command, **settings):
    return subprocess.run(command, check=True, text=True, cwd=ROOT, stdout=subprocess.PIPE, **settings).stdout


def commit_all(root):
    """Makes a repository of a folder, with all its files in one commit."""
    who = ["-c", "user.name=A tester", "-c", "user.email=tester@example.org"]
    for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "A change"]):
        subprocess.run(["git", *who, *words], cwd=root, check=True)


@pytest.fixture(scope="session")
def product():
    """The directory with the program, its manual pages and completions."""
    for command in ("scripts/build-release", "scripts/finish"):
        subprocess.run([ROOT / command], check=True, stdout=subprocess.DEVNULL)
    return ROOT / ".build/product"
