"""The benchmarks compare programs that do the same work."""

import pathlib
import subprocess

from conftest import ROOT, tool

FRAMES = 500


def test_the_engine_and_its_c_counterpart_emit_the_same(tmp_path):
    build = subprocess.run([ROOT / "scripts/build-release", "EngineBenchmark"], check=True, text=True, stdout=subprocess.PIPE)
    for name in ("engine", "feed"):
        source = ROOT / f"Benchmarks/{name}.c"
        subprocess.run([tool("cc"), "-O2", "-o", tmp_path / name, source, "-lm"], check=True)
    raw = tmp_path / "raw"
    subprocess.run([tmp_path / "feed", raw, "10", "0", str(FRAMES)], check=True)
    ours, theirs = (
        subprocess.run([program, raw], check=True, text=True, stdout=subprocess.PIPE).stdout.split()
        for program in (pathlib.Path(build.stdout.strip(), "EngineBenchmark"), tmp_path / "engine")
    )
    # The first number is the speed.
    assert ours[1:] == theirs[1:]
    assert int(ours[1]) > FRAMES
