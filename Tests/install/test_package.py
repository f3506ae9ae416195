"""The Debian package, as far as it can be tested without installing it."""

import hashlib
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, output


@pytest.fixture(scope="module")
def package(product):
    for tool in ("dpkg-deb", "dh"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed; packages are built where there is Debian's")
    # Make passes its directories on, which are not those of the package.
    return output("packaging/deb", env={**os.environ, "bindir": "/usr/local/bin", "DESTDIR": "/gone"}).strip()


def test_it_has_the_installed_files_and_those_required_by_debian(package):
    listed = {line.split()[-1][1:] for line in output("dpkg-deb", "--contents", package).splitlines()}
    folders = {
        "bindir": "/usr/bin", "datadir": "/usr/share", "mandir": "/usr/share/man",
        "docdir": "/usr/share/doc/pressured", "systemunitdir": "/usr/lib/systemd/system",
        "userunitdir": "/usr/lib/systemd/user", "udevdir": "/usr/lib/udev",
        "sysusersdir": "/usr/lib/sysusers.d", "tmpfilesdir": "/usr/lib/tmpfiles.d",
        "bashdir": "/usr/share/bash-completion/completions",
        "zshdir": "/usr/share/zsh/vendor-completions",
        "fishdir": "/usr/share/fish/vendor_completions.d",
    }
    wanted = set(output("scripts/install-files", "list", env={**os.environ, **folders}).split())
    # Debian compresses and renames these.
    documents = "/usr/share/doc/pressured/"
    wanted -= {f"{documents}LICENSE", f"{documents}CHANGELOG.md"}
    wanted |= {f"{documents}{name}" for name in ("copyright", "changelog.gz", "changelog.Debian.gz")}
    packed = {name[:-3] if name.endswith(".gz") and name[:-3] in wanted else name for name in listed}
    wanted.add("/usr/share/lintian/overrides/pressured")
    assert {name for name in packed if not name.endswith("/")} == wanted
    # An upgrade would ask about the user's changes to files there.
    assert not any(name.startswith("/etc/") for name in listed)


@pytest.mark.parametrize("page", ["README.md", "docs/install.md"])
def test_its_size_is_documented(package, page):
    text = (ROOT / page).read_text(encoding="utf-8")
    documented = [float(each) for each in re.search(r"([\d.]+) MB, (?:and )?([\d.]+) MB installed", text).groups()]
    installed = int(output("dpkg-deb", "--field", package, "Installed-Size")) * 1024 / 1e6
    measured = [(ROOT / package).stat().st_size / 1e6, installed]
    assert measured == pytest.approx(documented, rel=0.15)


def test_a_package_has_its_debug_symbols(package, tmp_path):
    symbols = package.replace("pressured_", "pressured-dbgsym_")
    for each in (package, symbols):
        subprocess.run(["dpkg-deb", "--extract", ROOT / each, tmp_path], check=True)
    notes = output("readelf", "--notes", tmp_path / "usr/bin/pressured")
    build = re.search(r"Build ID: (..)(\w+)", notes)
    found = tmp_path / f"usr/lib/debug/.build-id/{build[1]}/{build[2]}.debug"
    assert re.search(r"\.debug_info .*\n.*\.debug_", output("readelf", "--sections", "--wide", found))


def test_it_depends_on_libraries_and_not_on_swift(package):
    depends = output("dpkg-deb", "--field", package, "Depends")
    for name in ("libc6 ", "libevdev2 ", "libsystemd0 ", "libyaml-0-2", "acl", "systemd", "udev"):
        assert name in depends
    assert "swift" not in depends.lower()


def test_the_socket_stays_through_an_upgrade(package, tmp_path):
    subprocess.run(["dpkg-deb", "--control", ROOT / package, tmp_path], check=True)
    scripts = {each.name: each.read_text(encoding="ascii") for each in tmp_path.glob("p*")}
    assert "preinst" not in scripts
    assert "try-restart 'pressured.service'" in scripts["postinst"]
    assert "restart 'pressured.socket'" not in scripts["postinst"]
    # The user is created before the socket with its group, and the ACL of the devices is set after that.
    order = ["systemd-sysusers", "start 'pressured.socket'", "udevadm trigger"]
    places = [scripts["postinst"].index(each) for each in order]
    assert places == sorted(places)


def test_the_build_is_reproducible(package):
    def digest():
        return hashlib.sha256((ROOT / package).read_bytes()).hexdigest()

    first = digest()
    assert output("packaging/deb").strip() == package
    assert digest() == first


def test_lintian_reports_no_warning(package):
    """Except for those with a reason, in the overrides of the package."""
    if shutil.which("lintian") is None:
        pytest.skip("lintian is not installed")
    done = subprocess.run(
        ["lintian", "--allow-root", "--fail-on", "error,warning", "--profile", "debian", package], cwd=ROOT,
        check=False, text=True, stdout=subprocess.PIPE)
    assert done.returncode == 0, done.stdout
