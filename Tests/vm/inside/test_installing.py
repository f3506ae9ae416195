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
