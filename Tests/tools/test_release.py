"""A release is one commit and one tag, and nothing if something is in its way."""

import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EDITED = ["CHANGELOG.md", "Sources/PressureSystem/Version.swift", "docs/pressured-protocol.7.scd", "packaging/rpm/pressured.spec",
          "packaging/arch/PKGBUILD"]
CHANGES = "# Changes\n\n## [0.4.0] - unreleased\n\n### Added\n- A thing.\n\n## [0.3.0] - 2026-01-01\n- Another.\n"


@pytest.fixture
def project(tmp_path):
    """A repository with what a release edits, as it is in this project, and changes that are not released yet."""
    for name in [*EDITED, "scripts/release", "scripts/generate"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "config", "user.name", "A tester")
    git(tmp_path, "config", "user.email", "tester@example.org")
    commit(tmp_path)
    return tmp_path


def git(folder, *words):
    return subprocess.run(["git", *words], cwd=folder, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def commit(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "A change")


def release(folder, *words):
    return subprocess.run([folder / "scripts/release", *words], check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": "1800000000", "HOME": "/nonexistent"})


def test_version_date_and_tag_are_set(project):
    done = release(project, "0.5.0")
    assert done.returncode == 0, done.stderr
    assert "\n## [0.5.0] - 2027-01-15\n" in (project / "CHANGELOG.md").read_text()
    assert "## [0.3.0] - 2026-01-01" in (project / "CHANGELOG.md").read_text()
    assert 'current = "0.5.0"' in (project / EDITED[1]).read_text()
    assert '"version":"0.5.0"' in (project / EDITED[2]).read_text()
    spec = (project / EDITED[3]).read_text()
    assert "\nVersion:        0.5.0\n" in spec and "* Fri Jan 15 2027 The pressured authors" in spec and " - 0.5.0-1\n" in spec
    assert "\npkgver=0.5.0\npkgrel=1\n" in (project / EDITED[4]).read_text()
    assert git(project, "status", "--porcelain") == ""
    assert git(project, "log", "-1", "--format=%s") == "Release 0.5.0"
    assert git(project, "cat-file", "-t", "0.5.0") == "tag"
    assert git(project, "rev-parse", "0.5.0^{commit}") == git(project, "rev-parse", "HEAD")


OBSTACLES = {
    "not a version": (["v0.5.0"], 64, "usage", lambda project: None),
    "changes": (["0.5.0"], 65, "new", lambda project: (project / "new").write_text("x\n")),
    "existing": (["0.5.0"], 65, "exists already", lambda project: git(project, "tag", "0.5.0")),
    "older": (["0.9.0"], 65, "older than the release 0.10.0", lambda project: git(project, "tag", "0.10.0")),
    "detached": (["0.5.0"], 65, "branch", lambda project: git(project, "checkout", "--quiet", "--detach")),
    "no text": (["0.5.0"], 65, "CHANGELOG.md", lambda project: rewrite(project, "CHANGELOG.md", "# Changes\n")),
    "no place": (["0.5.0"], 70, "Version.swift", lambda project: rewrite(project, EDITED[1], "enum Version {}\n")),
}


def rewrite(folder, name, text):
    (folder / name).write_text(text)
    commit(folder)


@pytest.mark.parametrize("words, status, reason, prepare", OBSTACLES.values(), ids=OBSTACLES)
def test_nothing_is_changed_if_something_is_in_the_way(project, words, status, reason, prepare):
    prepare(project)
    before = [git(project, *command) for command in (["rev-parse", "HEAD"], ["tag"], ["status", "--porcelain"])]
    done = release(project, *words)
    assert done.returncode == status and reason in done.stderr
    assert before == [git(project, *command) for command in (["rev-parse", "HEAD"], ["tag"], ["status", "--porcelain"])]


def test_the_sources_have_the_version_of_the_change_log():
    newest = next(line for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line.startswith("## "))
    version = newest.split("[")[1].split("]")[0]
    for name, text in zip(EDITED[1:], [f'current = "{version}"', f'"version":"{version}"', f"\nVersion:        {version}\n",
                                       f"\npkgver={version}\n"]):
        assert text in (ROOT / name).read_text(encoding="utf-8"), name
