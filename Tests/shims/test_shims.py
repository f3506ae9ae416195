"""The C functions of the shims with AddressSanitizer and UndefinedBehaviorSanitizer.

SwiftPM supports only the first one, and no Swift program calls these functions with extreme values.
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
    """The harness, built with the compiler of the project; gcc has the same sanitizers if there is no clang."""
    compiler = shutil.which("clang") or shutil.which("gcc")
    assert compiler, "a C compiler is not installed"
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


def test_the_shims_have_no_undefined_behavior(harness):
    assert subprocess.check_output([harness], text=True) == "all did what it should\n"


def test_undefined_behavior_would_be_detected(harness):
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
