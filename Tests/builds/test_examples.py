"""The examples in Swift are packages of their own, built as others would build theirs."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = sorted((ROOT / "docs/examples/swift").glob("*/Package.swift"))


@pytest.mark.parametrize("manifest", PACKAGES, ids=[path.parent.name for path in PACKAGES])
def test_a_package_that_uses_a_library_is_built_without_the_argument_parser(manifest, tmp_path):
    """Otherwise the version that the program needs would be forced upon others."""
    command = ["swift", "build", "--package-path", manifest.parent, "--scratch-path", tmp_path]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.run([*command, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    assert (pathlib.Path(shown) / manifest.parent.name).exists()
    assert not (tmp_path / "checkouts").exists() or not list((tmp_path / "checkouts").iterdir())
