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


def test_a_version_that_the_sources_have_already_is_released(project):
    (project / EDITED[1]).write_text((ROOT / EDITED[1]).read_text().replace("0.2.0", "0.4.0"))
    commit(project)
    assert release(project, "0.4.0").returncode == 0


def refused(project, *words, status, contains):
    commits, tags = git(project, "rev-list", "--count", "HEAD"), git(project, "tag")
    done = release(project, *words)
    assert done.returncode == status, (done.stdout, done.stderr)
    assert contains in done.stderr
    assert (git(project, "rev-list", "--count", "HEAD"), git(project, "tag")) == (commits, tags)


@pytest.mark.parametrize("words", [[], ["0.5"], ["v0.5.0"], ["0.5.00"], ["0.5.0", "0.6.0"], ["0.5.0-rc1"], ["-h"]])
def test_what_is_no_version_is_refused(project, words):
    refused(project, *words, status=64, contains="usage")


@pytest.mark.parametrize("name", ["CHANGELOG.md", "new"])
def test_a_tree_with_changes_is_refused(project, name):
    with open(project / name, "a", encoding="utf-8") as file:
        file.write("x\n")
    refused(project, "0.5.0", status=65, contains=name)


def test_a_tag_that_exists_is_refused(project):
    git(project, "tag", "0.5.0")
    refused(project, "0.5.0", status=65, contains="exists already")


def test_an_older_version_is_refused(project):
    git(project, "tag", "0.10.0")
    refused(project, "0.9.0", status=65, contains="older than the release 0.10.0")


@pytest.mark.parametrize("text", ["# Changes\n", CHANGES.replace("unreleased", "2026-02-02"), CHANGES.replace("- A thing.\n", "")])
def test_a_release_without_changes_is_refused(project, text):
    (project / "CHANGELOG.md").write_text(text)
    commit(project)
    refused(project, "0.5.0", status=65, contains="CHANGELOG.md")


def test_a_detached_head_is_refused(project):
    git(project, "checkout", "--quiet", "--detach")
    refused(project, "0.5.0", status=65, contains="branch")


def test_a_version_that_is_not_found_changes_nothing(project):
    (project / EDITED[1]).write_text("enum Version {}\n")
    commit(project)
    refused(project, "0.5.0", status=70, contains="Version.swift")
    assert git(project, "status", "--porcelain") == ""


def test_a_tag_that_git_cannot_make_changes_nothing(project):
    git(project, "config", "tag.gpgSign", "true")
    git(project, "config", "gpg.program", "/bin/false")
    refused(project, "0.5.0", status=70, contains="nothing has been changed")
    assert git(project, "status", "--porcelain") == ""


def test_the_sources_have_the_version_of_the_change_log():
    newest = next(line for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line.startswith("## "))
    version = newest.split("[")[1].split("]")[0]
    for name, text in zip(EDITED[1:], [f'current = "{version}"', f'"version":"{version}"', f"\nVersion:        {version}\n",
                                       f"\npkgver={version}\n"]):
        assert text in (ROOT / name).read_text(encoding="utf-8"), name
