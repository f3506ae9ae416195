"""`make install` installs all files, and `make uninstall` removes exactly these."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, output


def make(target, folder, **variables):
    words = [f"{name}={value}" for name, value in variables.items()]
    subprocess.run(
        ["make", "--silent", target, f"DESTDIR={folder}", *words], cwd=ROOT, check=True)


def files(folder):
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if not each.is_dir()}


def test_it_installs_all_files(product, tmp_path):
    make("install", tmp_path, prefix="/usr")
    installed = files(tmp_path)
    assert {
        "usr/bin/pressured",
        "usr/lib/systemd/system/pressured.service",
        "usr/lib/systemd/system/pressured.socket",
        "usr/lib/systemd/system/pressured-pad@.service",
        "usr/lib/systemd/system/pressured-pad@.socket",
        "usr/lib/systemd/system/pressured-pad-resume.service",
        "usr/lib/systemd/user/pressured-bind.service",
        "usr/lib/sysusers.d/pressured.conf",
        "usr/lib/tmpfiles.d/pressured.conf",
        "usr/lib/udev/rules.d/70-pressured.rules",
        "usr/lib/udev/rules.d/71-pressured-pad.rules",
        "usr/share/applications/pressured.desktop",
        "usr/share/applications/pressured-pen.desktop",
        "usr/share/bash-completion/completions/pressured",
        "usr/share/zsh/site-functions/_pressured",
        "usr/share/fish/vendor_completions.d/pressured.fish",
        "usr/share/man/man1/pressured.1",
        "usr/share/man/man5/pressured-config.5",
        "usr/share/doc/pressured/README.md",
        "usr/share/doc/pressured/examples/bindings.yaml",
        "usr/share/doc/pressured/examples/haptics.conf",
    } <= installed
    for name in installed:
        mode = (tmp_path / name).stat().st_mode & 0o777
        assert mode == (0o755 if name == "usr/bin/pressured" else 0o644), name


def test_links_of_installed_pages_lead_to_installed_files(product, tmp_path):
    make("install", tmp_path, prefix="/usr")
    folder = tmp_path / "usr/share/doc/pressured"
    broken, found = [], 0
    for page in folder.glob("*.md"):
        for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            if "://" not in link:
                found += 1
                broken += [(page.name, link)] if not (page.parent / link).exists() else []
    assert found > 10 and broken == []


def test_uninstalling_removes_exactly_the_installed_files(product, tmp_path):
    others = ["usr/bin/other", "usr/share/doc/pressured/notes", "usr/share/man/man1/other.1"]
    for name in others:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    make("install", tmp_path, prefix="/usr")
    make("uninstall", tmp_path, prefix="/usr")
    assert files(tmp_path) == set(others)
    assert not (tmp_path / "usr/share/doc/pressured/examples").exists()
    (tmp_path / others[1]).unlink()
    make("uninstall", tmp_path, prefix="/usr")
    assert not (tmp_path / "usr/share/doc/pressured").exists()


def test_units_contain_the_path_of_the_program(product, tmp_path):
    make("install", tmp_path, prefix="/opt/pressured")
    for unit in ("system/pressured.service", "system/pressured-pad@.service", "system/pressured-pad-resume.service",
                 "user/pressured-bind.service"):  # fmt: skip
        text = (tmp_path / "opt/pressured/lib/systemd" / unit).read_text(encoding="ascii")
        assert "ExecStart=/opt/pressured/bin/pressured " in text
        assert "/usr/bin" not in text
    rule = (tmp_path / "opt/pressured/lib/udev/rules.d/71-pressured-pad.rules").read_text(encoding="ascii")
    assert 'PROGRAM=="/opt/pressured/bin/pressured pad declares %k"' in rule


def test_the_program_runs_without_swift(product, tmp_path):
    make("install", tmp_path, prefix="/usr")
    program = tmp_path / "usr/bin/pressured"
    needs = output("readelf", "--dynamic", program).splitlines()
    libraries = [line.split("[")[1].rstrip("]") for line in needs if "(NEEDED)" in line]
    assert any(each.startswith("libevdev") for each in libraries)
    assert not [each for each in libraries if "swift" in each.lower() or "Foundation" in each]
    # Without variables that could lead it to a toolchain.
    assert subprocess.run([program, "--version"], check=True, env={}, stdout=subprocess.PIPE).stdout


def test_the_program_contains_only_these_libraries(product):
    """One import or one `contains` is enough for Foundation, a clock of Swift for the concurrency runtime and Dispatch."""
    document = json.loads((product / "pressured.spdx.json").read_text(encoding="utf-8"))
    related = {(each["relationshipType"], each["relatedSpdxElement"].removeprefix("SPDXRef-")) for each in document["relationships"]}
    static = {name for kind, name in related if kind == "STATIC_LINK"}
    assert static == {"swift-argument-parser", "swift-stdlib"}
    dynamic = {name.split(".so")[0] for kind, name in related if kind == "DYNAMIC_LINK"}
    assert {"libevdev", "libsystemd", "libyaml-0", "libc"} <= dynamic
    described = {each["SPDXID"].removeprefix("SPDXRef-") for each in document["packages"]}
    assert described == {name for kind, name in related}
    versions = {each["name"]: each.get("versionInfo", "") for each in document["packages"]}
    assert all(re.fullmatch(r"\d+(\.\d+)+", versions[name]) for name in [*static, "pressured"]), versions


def test_the_program_contains_no_path_of_this_machine(product):
    program = (product / "pressured").read_bytes()
    for folder in (ROOT, pathlib.Path.home() / ".cache"):
        assert str(folder).encode() not in program


def test_the_desktop_entry_is_valid():
    if shutil.which("desktop-file-validate") is None:
        pytest.skip("desktop-file-validate is not installed")
    subprocess.run(["desktop-file-validate", *ROOT.glob("desktop/*.desktop")], check=True)
