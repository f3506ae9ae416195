"""The postrm script of the package, run in a temporary root."""

import os
import subprocess

import pytest

from conftest import ROOT

RESET = "reset-failed pressured.socket pressured.service pressured-pad*"


@pytest.fixture
def remove(tmp_path):
    """Runs the script in a temporary root; returns the commands for systemctl."""
    script = (ROOT / "packaging/debian/pressured.postrm").read_text(encoding="ascii")
    for folder in ("/run/", "/var/", "/etc/", "/dev/input/", "/dev/hidraw"):
        script = script.replace(folder, f"{tmp_path}{folder}")
    folders = ("run/systemd/system", "run/pressured/pad", "run/pressured-pad/hidraw0", "var/lib/pressured/calibration",
               "var/lib/pressured-pad", "etc/pressured")  # fmt: skip
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "etc/pressured/config.yaml").touch()
    (tmp_path / "bin").mkdir()
    asked = tmp_path / "asked"
    asked.touch()
    (tmp_path / "bin/systemctl").write_text(f'#!/bin/sh\necho "$*" >>{asked}\nexit 1\n', encoding="ascii")
    (tmp_path / "bin/systemctl").chmod(0o755)

    def remove(*words):
        done = subprocess.run(
            ["sh", "-s", *words], input=script, text=True, capture_output=True,
            env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        return asked.read_text(encoding="ascii").splitlines()

    return remove


def test_removing_leaves_no_failed_unit_and_no_empty_folder(remove, tmp_path):
    assert remove("remove") == [RESET]
    assert not (tmp_path / "run/pressured").exists()
    # Configurations and calibrations of users stay until the package is purged.
    assert (tmp_path / "etc/pressured/config.yaml").exists()
    assert (tmp_path / "var/lib/pressured/calibration").exists()


def test_purging_leaves_nothing(remove, tmp_path):
    assert remove("purge") == [RESET]
    for folder in ("run/pressured", "run/pressured-pad", "etc/pressured", "var/lib/pressured", "var/lib/pressured-pad"):
        assert not (tmp_path / folder).exists(), folder


def test_a_folder_with_other_files_stays(remove, tmp_path):
    (tmp_path / "run/pressured/other.sock").touch()
    remove("purge")
    assert (tmp_path / "run/pressured/other.sock").exists()


def test_an_upgrade_removes_nothing(remove, tmp_path):
    assert remove("upgrade", "0.2.0-1") == []
    assert (tmp_path / "run/pressured").exists() and (tmp_path / "etc/pressured/config.yaml").exists()


def test_without_systemd_systemctl_is_not_called(remove, tmp_path):
    (tmp_path / "run/systemd/system").rmdir()
    assert remove("purge") == []
