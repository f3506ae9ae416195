"""The recipes of all distributions agree with each other and with the sources; nothing is built."""

import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, commit_all, output

DEBIAN = ["packaging/debian/pressured.postinst", "packaging/debian/pressured.prerm", "packaging/debian/pressured.postrm",
          "packaging/debian/rules"]
RECIPES = {
    "debian": DEBIAN, "rpm": ["packaging/rpm/pressured.spec"], "arch": ["packaging/arch/pressured.install"],
    "tarball": ["packaging/tarball/install.sh"],
}


def text(*names):
    return "\n".join((ROOT / name).read_text(encoding="utf-8") for name in names)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_package_serves_touch_devices_and_pads_and_leaves_nothing_running(recipe):
    scripts = text(*RECIPES[recipe])
    for words in ("--subsystem-match=input", "--subsystem-match=hidraw", "pressured-pad-resume.service", "pressured.socket",
                  "stop 'pressured-pad@*.socket' 'pressured-pad@*.service'", "setfacl -x g:_pressured ",
                  "setfacl -x g:_pressured-pad "):
        assert words in scripts, words


def test_the_nix_module_has_the_users_and_units(tmp_path):
    module = text("packaging/nix/module.nix")
    created = re.findall(r"^u (\S+)", text("systemd/pressured.sysusers"), re.M)
    assert len(created) == 2
    for user in created:
        assert f"users.users.{user} =" in module and f"users.groups.{user} =" in module
    # The sandbox of each system service permits only programs in the directories of other distributions.
    for unit in sorted((ROOT / "systemd").glob("pressured*.service")):
        if "ExecPaths=" in unit.read_text(encoding="ascii"):
            assert re.search(rf'systemd\.services\."?{re.escape(unit.stem)}"?[. =]', module), unit.name
    wanted = re.search(r"^WantedBy=(.*)", text("systemd/pressured-pad-resume.service"), re.M)[1].split()
    assert all(f'"{target}"' in module for target in wanted)
    rules = [rule.name for rule in (ROOT / "systemd").glob("*.rules") if "/bin/setfacl" in rule.read_text(encoding="ascii")]
    assert rules and all(rule in text("packaging/nix/package.nix") for rule in rules)


@pytest.mark.skipif(not shutil.which("nix-instantiate"), reason="nix-instantiate is not installed")
def test_the_flake_can_be_evaluated():
    evaluated = json.loads(output("packaging/nix/check"))
    assert set(evaluated["users"]) == {"_pressured", "_pressured-pad"}
    assert {"pressured", "pressured-bind", "pressured-pad@", "pressured-pad-resume"} <= set(evaluated["units"])


def test_all_recipes_have_the_same_argument_parser():
    version = re.search(r'swift-argument-parser", exact: "([\d.]+)"', text("Package.swift"))[1]
    assert f"bundled(swift-argument-parser) = {version}\n" in text("packaging/rpm/pressured.spec")
    assert f"github:apple/swift-argument-parser/{version}" in text("flake.nix")
    assert f"swift-argument-parser {version}" in text("docs/development/packaging.md")
    checkout = ROOT / ".build/checkouts/swift-argument-parser/CHANGELOG.md"
    if checkout.exists():
        assert re.search(r"^## \[?(\d+\.\d+\.\d+)", checkout.read_text(encoding="utf-8"), re.M)[1] == version


@pytest.mark.skipif(not shutil.which("dpkg-source"), reason="dpkg-source is not installed")
def test_a_source_package_is_that_of_the_last_commit(tmp_path):
    """What is not committed is not in it."""
    root = tmp_path / "root"
    for name in ("packaging", "Sources/PressureSystem/Version.swift"):
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, target)
    commit_all(root)
    version = re.search(r'current = "(.+)"', text("Sources/PressureSystem/Version.swift"))[1]
    for name, old in (("Sources/PressureSystem/Version.swift", version), ("packaging/debian/control", "Section: utils"),
                      ("packaging/changelog", "urgency=medium")):
        file = root / name
        assert old in file.read_text(encoding="utf-8")
        file.write_text(file.read_text(encoding="utf-8").replace(old, "9.9.9"), encoding="utf-8")
    parser = tmp_path / "swift-argument-parser"
    parser.mkdir()
    (parser / "Package.swift").write_text("// a parser\n", encoding="utf-8")
    subprocess.run([root / "packaging/source", tmp_path / "made"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "PRESSURED_ARGUMENT_PARSER": str(parser)})
    description = (tmp_path / f"made/pressured_{version}-1.dsc").read_text(encoding="utf-8")
    assert f"\nVersion: {version}-1\n" in description
    unpacked = tmp_path / "unpacked"
    subprocess.run(["dpkg-source", "--extract", tmp_path / f"made/pressured_{version}-1.dsc", unpacked], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    for name in ("debian/control", "debian/changelog", "packaging/debian/control", "Sources/PressureSystem/Version.swift"):
        assert "9.9.9" not in (unpacked / name).read_text(encoding="utf-8"), name
    assert (unpacked / "swift-argument-parser/Package.swift").exists()
