"""The state of the system after the installation, before the first client."""

import grp
import os
import pathlib
import pwd
import stat

import service


def test_the_package_was_installed_without_warnings():
    text = pathlib.Path("/run/guest/install.log").read_text()
    assert "Setting up pressured" in text
    for word in ["warning", "error", "ailed", "annot"]:
        assert word not in text, text


def test_the_socket_listens_and_the_service_does_not_run():
    assert service.is_active("pressured.socket")
    assert service.show("UnitFileState", "pressured.socket") == "enabled"
    assert not service.is_active()
    status = os.stat(service.SOCKET)
    assert stat.filemode(status.st_mode) == "srw-rw-rw-"
    assert grp.getgrgid(status.st_gid).gr_name == "pressured"


def test_clients_and_the_service_have_no_group_in_common():
    user = pwd.getpwnam("_pressured")
    assert 0 < user.pw_uid < 1000 and user.pw_shell.endswith("nologin")
    groups = {grp.getgrgid(number).gr_name for number in os.getgrouplist("_pressured", user.pw_gid)}
    assert groups == {"_pressured"}
    assert grp.getgrnam("pressured").gr_mem == ["alice"]


def test_systemd_verifies_the_units():
    units = ["pressured.service", "pressured.socket", "pressured-pad@hidraw0.service", "pressured-pad-resume.service"]
    verify = ["verify", "--man=no", "--recursive-errors=yes"]
    assert service.run("systemd-analyze", *verify, *units).stdout == ""
    user = {"XDG_RUNTIME_DIR": "/run/guest", "PATH": "/usr/bin"}
    bind = service.run("systemd-analyze", "--user", *verify, "pressured-bind.service", env=user)
    assert bind.stdout == ""


def test_the_exposure_is_at_most_one():
    """Out of ten; systemd counts everything that is not forbidden."""
    result = service.run("systemd-analyze", "security", "--threshold=10", "--no-pager", service.UNIT)
    pathlib.Path("/out/exposure.txt").write_text(result.stdout)
