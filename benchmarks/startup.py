"""How long ``convcheck`` takes from process start to exit on a small file: ``python benchmarks/startup.py``.

Wall clock, best of seven, beside what cannot be saved: starting Python, and importing llvmlite, which
LLVM's own parse of the file needs. The aim is under 0.4 s for ``verify`` on a file of 200 lines.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FUNCTION = """
define i32 @f{n}(i32 %x, i1 %again) convergent {{
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %h) ]
  %y = add i32 %s, %x
  br i1 %again, label %B, label %C
C:
  ret i32 %y
}}
"""
DECLARATIONS = """declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @subgroupAdd(i32) convergent
"""


def program(lines: int) -> str:
    """Functions with tokens, about as many lines as asked for."""
    each = FUNCTION.count("\n")
    return DECLARATIONS + "".join(FUNCTION.format(n=n) for n in range(lines // each))


def best(arguments: list[str], times: int = 7) -> float:
    """Seconds from start to exit of ``python ARGUMENTS``."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # with it, Python's compiler would be measured
    found = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True)
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.ll"
        path.write_text(program(200))
        rows = [
            ("python -c pass", ["-c", "pass"]),
            ("import llvmlite.binding", ["-c", "import llvmlite.binding"]),
            ("import convergence", ["-c", "import convergence"]),
            ("convcheck --version", ["-m", "convergence", "--version"]),
            ("convcheck explain S-NEST", ["-m", "convergence", "explain", "S-NEST"]),
            ("convcheck verify, 200 lines", ["-m", "convergence", "verify", str(path)]),
            (
                "convcheck run, 200 lines",
                ["-m", "convergence", "run", "--function=@f0", "--arg=%x=1", "--arg=%again=0", str(path)],
            ),
        ]
        for name, arguments in rows:
            print(f"{name:30} {best(arguments):.3f} s")


if __name__ == "__main__":
    main()
