"""The release tarball: its files, its installer, and that it is the same wherever it is made."""

import os
import pathlib
import re
import shutil
import subprocess
import tarfile

import pytest

from conftest import ROOT, commit_all, output
from test_files import files, make

# What the installer leaves, to know what to remove.
LIST = "share/doc/pressured/installed-files"
FOLDERS = ["scripts", "packaging", "systemd", "desktop", "docs", "quirks", "Sources"]


def pack(root, folder, **variables):
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1800000000", **variables}
    done = subprocess.run([root / "scripts/tarball", folder], check=True, cwd="/", env=environment, text=True, stdout=subprocess.PIPE)
    return pathlib.Path(done.stdout.strip())


def debug_symbols(tarball):
    return tarball.with_name(tarball.name.replace(".tar.gz", "-debug.tar.gz"))


@pytest.fixture(scope="module")
def tarball(product, tmp_path_factory):
    # Make passes its directories on, which are not those of the tarball.
    return pack(ROOT, tmp_path_factory.mktemp("tarball"), bindir="/usr/local/bin", DESTDIR="/gone")


@pytest.fixture
def unpacked(tarball, tmp_path):
    with tarfile.open(tarball) as archive:
        archive.extractall(tmp_path)
    return tmp_path / tarball.name.removesuffix(".tar.gz")


def copy_sources(root, *names):
    """Copies what a tarball is made of, with further files."""
    for name in [*FOLDERS, ".build/product"]:
        shutil.copytree(ROOT / name, root / name, symlinks=True, ignore=shutil.ignore_patterns(".build"), copy_function=shutil.copy)
    for name in ("Makefile", "README.md", "SECURITY.md", "CHANGELOG.md", "LICENSE", *names):
        shutil.copy(ROOT / name, root / name)


def install(unpacked, *words, check=True):
    return subprocess.run([unpacked / "install.sh", *words], check=check, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/")


def test_it_is_the_same_from_another_directory(tarball, tmp_path):
    root = tmp_path / "a directory"
    copy_sources(root)
    # Neither the times of the files nor the umask of the user are in it.
    before = os.umask(0o077)
    try:
        other = pack(root, tmp_path / "other", TZ="Asia/Tokyo", LC_ALL="C.UTF-8")
    finally:
        os.umask(before)
    assert other.name == tarball.name
    assert other.read_bytes() == tarball.read_bytes()
    assert debug_symbols(other).read_bytes() == debug_symbols(tarball).read_bytes()


def test_it_has_no_owner_and_no_other_time(tarball):
    with tarfile.open(tarball) as archive:
        members = archive.getmembers()
    assert {(each.uid, each.gid, each.uname, each.gname, int(each.mtime)) for each in members} == {(0, 0, "", "", 1800000000)}
    assert [each.name for each in members] == sorted(each.name for each in members)
    assert {each.name.split("/")[0] for each in members} == {tarball.name.removesuffix(".tar.gz")}


def test_checksums_are_beside_the_archives(tarball):
    for each in (tarball, debug_symbols(tarball)):
        subprocess.run(["sha256sum", "--check", "--quiet", f"{each.name}.sha256"], check=True, cwd=each.parent)


def test_debug_symbols_are_those_of_its_program(tarball, unpacked, tmp_path):
    with tarfile.open(debug_symbols(tarball)) as archive:
        [symbols] = [each for each in archive if each.isfile()]
        archive.extract(symbols, tmp_path)

    def build(program):
        return re.search(r"Build ID: (\w+)", output("readelf", "--notes", program))[1]

    name = build(unpacked / "files/bin/pressured")
    assert symbols.name == f"lib/debug/.build-id/{name[:2]}/{name[2:]}.debug"
    assert build(tmp_path / symbols.name) == name


@pytest.mark.parametrize("prefix", ["/usr/local", "/opt/pressured"])
def test_it_installs_the_same_files_as_make(product, unpacked, tmp_path, prefix):
    install(unpacked, f"--destdir={tmp_path}/ours", f"--prefix={prefix}")
    make("install", tmp_path / "make", prefix=prefix)
    ours, theirs = tmp_path / "ours", tmp_path / "make"
    assert files(ours) - files(theirs) == {f"{prefix[1:]}/{LIST}"}
    for name in files(theirs):
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name
        assert (ours / name).stat().st_mode == (theirs / name).stat().st_mode, name


def test_it_removes_exactly_these_files(unpacked, tmp_path):
    root = tmp_path / "root"
    others = {"usr/local/share/doc/other/notes", "usr/local/bin/other"}
    for name in others:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    install(unpacked, f"--destdir={root}")
    install(unpacked, f"--destdir={root}")
    install(unpacked, f"--destdir={root}", "--uninstall")
    assert files(root) == others
    assert not (root / "usr/local/share/doc/pressured").exists()


def test_what_an_earlier_version_had_is_removed(unpacked, tmp_path):
    root = tmp_path / "root"
    manifest = unpacked / "MANIFEST"
    now = manifest.read_text()
    manifest.write_text(f"{now}644 lib/udev/rules.d/69-pressured.rules\n")
    (unpacked / "files/lib/udev/rules.d/69-pressured.rules").touch()
    install(unpacked, f"--destdir={root}")
    manifest.write_text(now)
    assert (root / "usr/local/lib/udev/rules.d/69-pressured.rules").exists()
    install(unpacked, f"--destdir={root}")
    assert not (root / "usr/local/lib/udev/rules.d/69-pressured.rules").exists()
    assert (root / "usr/local" / LIST).read_text() == now
    assert (root / "usr/local/lib/udev/rules.d/70-pressured.rules").exists()


def test_files_that_are_not_committed_are_named(product, tmp_path):
    root = tmp_path / "root"
    copy_sources(root, ".gitignore")
    commit_all(root)

    def remarks():
        return subprocess.run([root / "scripts/tarball", tmp_path], check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stderr

    assert remarks() == ""
    (root / "README.md").write_text("Changed\n")
    assert "not a release" in remarks() and "README.md" in remarks()


def test_the_installer_is_plain_sh(unpacked):
    subprocess.run(["bash", "-n", unpacked / "install.sh"], check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", unpacked / "install.sh"], check=True)
