"""Real kernels by the command line, and Oclgrind on the same: ``python benchmarks/kernels.py``.

Seconds of processor time, compiling and reading included: a 256 x 256 x 256 matrix product in shared tiles
with workgroup barriers (aim: 10 s) and a reduction of one million floats over 4,096 workgroups (5 s), as
clang makes them of OpenCL C; kernels of the shelf whose threads part, of 1,000 workgroups; how much later
than the reference the engine ``auto`` has its first answer, compiling included (aim: 0.15 s at most); and how
many times longer Oclgrind takes for a loop of arithmetic (aim: 10) and one of loads and stores (4). What is
not installed is skipped by name.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CLANG, OCLGRIND = "clang-22", "oclgrind-kernel"
SHELF = Path(__file__).resolve().parents[1] / "examples_ll" / "kernels"
MATMUL = (SHELF / "matmul.cl").read_text(encoding="utf-8").replace("#define TILE 2\n", "#define TILE 16\n")
REDUCTION = (SHELF / "reduction.cl").read_text(encoding="utf-8").replace(" int *", " float *")
ARITHMETIC = """
kernel void k(global uint *out, uint n) {
  uint s = get_global_id(0);
  for (uint i = 0; i < n; i++)
    s = (s * 1664525u + 1013904223u) ^ i;
  out[get_global_id(0)] = s;
}
"""
MEMORY = """
kernel void k(global uint *out, uint n) {
  global uint *row = out + 256 * get_global_id(0);
  for (uint i = 0; i < n; i++)
    row[i & 255] += i;
}
"""
TILES = (
    "--grid=16,16", "--workgroup=16,16", "--arg=%n=256", "--buffer=%a=f32[65536]:1.5,...",
    "--buffer=%b=f32[65536]:2,3,...", "--buffer=%c=f32[65536]",
)  # fmt: skip
MILLION = (
    "--grid=4096", "--workgroup=256", "--buffer=%in=f32[1048576]:1,2,...", "--buffer=%out=f32[4096]",
    "--buffer=%tile=f32[256]",
)  # fmt: skip
LAUNCHES = {
    "matrix product 256^3, barriers": (MATMUL, TILES, 10),
    "reduction, 4,096 workgroups": (REDUCTION, MILLION, 5),
}
LANES = 8000
RAGGED = ",".join(str(number * number % 7 % 4) for number in range(LANES))
"""Numbers from 0 to 3 by which threads part."""
RAYS = (
    "--grid=1000", "--workgroup=8", "--subgroup-size=8", "--buffer=%distances=f32[128000]:0.5,0.75,...",
    "--buffer=%depth=f32[8000]", "--buffer=%together=i32[8000]",
)  # fmt: skip
VOTES = (
    "--grid=1000", "--workgroup=8", "--subgroup-size=8", f"--buffer=%outer=i32[8000]:{RAGGED}",
    f"--buffer=%inner=i32[8000]:{RAGGED[::-1]}", "--buffer=%out=i32[8000]",
)  # fmt: skip
KEPT = (
    "--grid=1000", "--workgroup=8", "--subgroup-size=8", f"--buffer=%in=i32[8000]:{RAGGED}",
    "--buffer=%out=i32[8000]", "--buffer=%size=i32[1]",
)  # fmt: skip
PARTING = {"raymarch": RAYS, "nested": VOTES, "compaction": KEPT}
FIRST = ("compaction", "raymarch", "nested", "histogram", "butterfly")
"""Kernels of about 30 lines, with the launches that their files have."""
LOOPS = {"arithmetic loop": (ARITHMETIC, 64, 10), "loads and stores": (MEMORY, 64 * 256, 4)}
ROUNDS = 200_000
"""Of a loop, for 64 threads."""


def seconds(*command: str) -> float:
    """Processor time of a command. Raises CalledProcessError."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compiled(folder: Path, source: str, level: str) -> str:
    """What clang makes of a kernel: the file's name."""
    path = folder / "k.cl"
    path.write_text(source)
    out = folder / f"k.{level}.ll"
    words = (
        "-x",
        "cl",
        "-cl-std=CL2.0",
        "-nogpulib",
        "-Xclang",
        "-finclude-default-header",
        "-S",
    )
    target = (
        "-fno-discard-value-names",
        "-emit-llvm",
        "-target",
        "spirv64",
        f"-{level}",
        str(path),
        "-o",
        str(out),
    )
    subprocess.run((CLANG, *words, *target), check=True, capture_output=True)
    return str(out)


def run(path: str, *words: str) -> float:
    """The command line's time for a launch."""
    asked = ("run", "-q", path, "--max-steps", "100000000000", *words)
    return seconds(sys.executable, "-m", "convergence", *asked)


def loop(path: str, size: int, rounds: int) -> float:
    """Ours, for 64 threads."""
    words = (
        "--workgroup",
        "64",
        "--buffer",
        f"%out=i32[{size}]",
        "--arg",
        f"%n={rounds}",
        "--engine",
        "native",
    )
    return run(path, *words)


def first_answer(name: str, engine: str) -> float:
    """The least of three times of the command line for a kernel of the shelf; nothing is compiled before."""
    path = str(SHELF / f"{name}.cl.O2.ll")
    asked = (sys.executable, "-m", "convergence", "run", "-q", "--engine", engine, path)
    with tempfile.TemporaryDirectory() as empty:
        os.environ["CONVCHECK_NATIVE_CACHE"] = empty
        try:
            return min(seconds(*asked) for _ in range(3))
        finally:
            del os.environ["CONVCHECK_NATIVE_CACHE"]


def oclgrind(folder: Path, source: str, size: int, rounds: int) -> float:
    """Oclgrind's, for 64 threads."""
    (folder / "o.cl").write_text(source)
    simulation = folder / "o.sim"
    arguments = f"<size={4 * size} uint fill=0>\n<size=4 uint>\n{rounds}\n"
    simulation.write_text(f"{folder / 'o.cl'}\nk\n64 1 1\n64 1 1\n{arguments}")
    return seconds(OCLGRIND, str(simulation))


def main() -> None:
    """One row a kernel."""
    if shutil.which(CLANG) is None:
        print(f"skipped: {CLANG} is not installed")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, (source, words, aim) in LAUNCHES.items():
            for level in ("O2", "O0"):
                taken = run(compiled(folder, source, level), *words)
                print(f"{title + ', -' + level:40} {taken:8.2f} s of processor time (aim {aim})")
        for name, words in PARTING.items():
            for level in ("O2", "O0"):
                taken = run(str(SHELF / f"{name}.cl.{level}.ll"), *words)
                print(f"{name + ', 1,000 workgroups, -' + level:40} {taken:8.2f} s of processor time")
        later = max(first_answer(name, "auto") - first_answer(name, "reference") for name in FIRST)
        print(f"{'first answers':40} {later:8.2f} s later than the reference at most (aim 0.15)")
        if shutil.which(OCLGRIND) is None:
            print(f"skipped: {OCLGRIND} is not installed")
            return
        for title, (source, size, aim) in LOOPS.items():
            path = compiled(folder, source, "O2")
            ours = loop(path, size, 20 * ROUNDS) - loop(path, size, ROUNDS)
            few = ROUNDS // 100
            theirs = oclgrind(folder, source, size, 2 * few) - oclgrind(folder, source, size, few)
            ratio = theirs / few / (ours / (19 * ROUNDS))
            print(f"{title:40} {ratio:8.1f} times as fast as Oclgrind (aim {aim})")


if __name__ == "__main__":
    main()
