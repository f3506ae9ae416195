"""The sources assume no processor: the C parts are compiled, and PressureKit is compiled by Swift, for arm64.

A whole program needs Swift's libraries for arm64; docs/development/packaging.md describes how it was built.
"""

import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = pathlib.Path("/usr/aarch64-linux-gnu/include")
FLAGS = ["--target=aarch64-linux-gnu", "-std=gnu2x", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-isystem", HEADERS]


@pytest.mark.skipif(not HEADERS.exists(), reason="libc6-dev-arm64-cross is not installed")
@pytest.mark.skipif(not shutil.which("clang"), reason="clang is not installed")
def test_the_c_parts_are_compiled_without_a_warning(tmp_path):
    """Headers of the libraries do not depend on the processor."""
    flags = subprocess.check_output(["pkg-config", "--cflags", "libevdev", "libsystemd"], text=True).split()
    includes = [f"-I{folder}" for folder in (ROOT / "Sources").glob("*/include")]
    shims = tmp_path / "shims.c"
    shims.write_text("".join(f'#include "{shim}"\n' for shim in sorted((ROOT / "Sources").glob("*/shim.h"))))
    made = tmp_path / "made.o"
    for source in [shims, *sorted((ROOT / "Sources").rglob("*.c"))]:
        done = subprocess.run(["clang", *FLAGS, *includes, *flags, "-idirafter", "/usr/include", "-c", "-o", made, source], check=False,
                              text=True, stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr
        assert made.read_bytes()[18:20] == b"\xb7\x00", "the machine of the object file is not AArch64"


@pytest.mark.skipif(not shutil.which("swiftc"), reason="swiftc is not installed")
def test_pressurekit_is_type_checked_for_arm64():
    """The toolchain has the standard library for this target as Embedded Swift only, which lacks AnyHashable; nothing else may be
    an error."""
    library = pathlib.Path(shutil.which("swiftc")).resolve().parents[1] / "lib/swift/embedded/Swift.swiftmodule"
    if not list(library.glob("aarch64-none-none-elf.*")):
        pytest.skip("this toolchain has no standard library for arm64")
    features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    command = ["swiftc", "-target", "aarch64-none-none-elf", "-enable-experimental-feature", "Embedded", "-wmo", "-parse-as-library",
               "-swift-version", "6", "-package-name", "pressured", "-module-name", "PressureKit", "-typecheck",
               *(word for name in features for word in ("-enable-upcoming-feature", name)),
               *sorted((ROOT / "Sources/PressureKit").rglob("*.swift"))]
    done = subprocess.run(command, check=False, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    errors = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("/") and " error: " in line]
    assert [line for line in errors if not line.endswith("unavailable in embedded Swift")] == []
    assert done.returncode == 0 or errors, done.stderr
