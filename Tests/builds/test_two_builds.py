"""Two builds of the last commit, in two clones in directories of other names, make the same tarball.

Each build takes minutes: `make nightly` runs this, and `Tests/run builds`.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARSER = ROOT / ".build/checkouts/swift-argument-parser"

# The glibc that docs/install.md and the installer name.
OLDEST_GLIBC = (2, 35)


@pytest.fixture(scope="module")
def tarballs(tmp_path_factory):
    """The tarballs of both clones; the second clone has a longer path, another time zone and another umask."""
    made = []
    for name, variables in (("a", {}), ("another directory of this machine", {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"})):
        clone = tmp_path_factory.mktemp("clone") / name
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        environment = {**os.environ, "PRESSURED_ARGUMENT_PARSER": str(PARSER), **variables}
        environment.pop("SOURCE_DATE_EPOCH", None)
        done = subprocess.run(["sh", "-c", "umask 0$1 && exec make tarball", "sh", "22" if not variables else "77"], cwd=clone, check=False,
                              env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout[-4000:]
        made.append(clone / done.stdout.splitlines()[-1])
    return made


def test_they_are_identical(tarballs, record_property):
    sums = [hashlib.sha256(each.read_bytes()).hexdigest() for each in tarballs]
    for each, digest in zip(tarballs, sums):
        print(digest, each)
    record_property("sha256", " ".join(sums))
    assert tarballs[0].name == tarballs[1].name
    if sums[0] != sums[1]:
        assert contents(tarballs[0]) == contents(tarballs[1])
    assert sums[0] == sums[1]


def contents(tarball):
    """The checksum of each file, so that a failure names the files that differ."""
    with tarfile.open(tarball) as archive:
        return {each.name: hashlib.sha256(archive.extractfile(each).read()).hexdigest() for each in archive if each.isfile()}


def test_they_need_no_newer_glibc_than_documented(tarballs, tmp_path):
    with tarfile.open(tarballs[0]) as archive:
        archive.extractall(tmp_path)
    program = next(tmp_path.glob("*/files/bin/pressured"))
    needs = subprocess.run(["readelf", "--version-info", "--wide", program], check=True, text=True, stdout=subprocess.PIPE).stdout
    assert "GLIBC_ABI_DT_RELR" not in needs
    newest = max(tuple(map(int, each.split("."))) for each in re.findall(r"GLIBC_(\d+\.\d+)", needs))
    assert newest <= OLDEST_GLIBC
    documented = ".".join(map(str, OLDEST_GLIBC))
    assert f"glibc {documented}" in (ROOT / "docs/install.md").read_text(encoding="utf-8")
    assert f"glibc {documented}" in (ROOT / "packaging/tarball/install.sh").read_text(encoding="utf-8")
