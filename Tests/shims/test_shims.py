"""The C that the shims define, under AddressSanitizer and UndefinedBehaviorSanitizer.

SwiftPM takes the first alone, and no Swift program calls these functions at their edges.
"""

import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HARNESS = pathlib.Path(__file__).parent / "shims.c"
SHIMS = sorted(ROOT.glob("Sources/*/shim.h"))


@pytest.fixture(scope="module")
def harness(tmp_path_factory):
    """The harness, by the compiler that builds the rest; gcc has the same sanitizers where there is no clang."""
    compiler = shutil.which("clang") or shutil.which("gcc")
    assert compiler, "there is no C compiler"
    program = tmp_path_factory.mktemp("shims") / "shims"
    flags = subprocess.check_output(["pkg-config", "--cflags", "libevdev", "libsystemd"], text=True).split()
    libraries = subprocess.check_output(["pkg-config", "--libs", "libsystemd"], text=True).split()
    subprocess.run(
        [compiler, "-std=gnu2x", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror",
         "-I", ROOT / "Sources", *flags,
         "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-o", program, HARNESS, *libraries],
        check=True,
    )
    return program


def test_nothing_undefined_is_done(harness):
    assert subprocess.check_output([harness], text=True) == "all did what it should\n"


def test_what_is_undefined_would_be_seen(harness):
    done = subprocess.run([harness, "undefined"], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode != 0
    assert "signed integer overflow" in done.stderr


def test_every_function_of_every_shim_is_called():
    text = HARNESS.read_text()
    functions = [
        name for shim in SHIMS for name in re.findall(r"^static inline [^(]*?\b(\w+)\(", shim.read_text(), re.M)
    ]
    assert len(functions) >= 5
    assert [name for name in functions if f"{name}(" not in text] == []
