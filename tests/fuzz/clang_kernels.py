"""Kernels of our own (``kernels/``) as clang writes them, through passes that are right: no alarm.

``python -m tests.fuzz.clang_kernels`` compiles each kernel for each machine that its language is for, without
optimising, sends it through every pipeline of one or two of the passes, and counts what ``refine`` says. The
exit code is 1 if it says anything but equal, refines or unknown. ``make clean-passes`` runs it.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from convergence.fuzz.campaign import LLVM, NO_FINDINGS, CheckLimits, CheckResult, check
from convergence.parser import parse

FOLDER = Path(__file__).parent / "kernels"
CLANG = next((tool for tool in ("clang-22", "clang") if which(tool)), None)
OPT = next((tool for tool in ("opt-22", "opt") if which(tool)), None)

MACHINES = {
    ".cl": (
        ("-x", "cl", "-cl-std=CL2.0", "-triple", "amdgcn-amd-amdhsa", "-target-cpu", "gfx900"),
        (
            "-x",
            "cl",
            "-cl-std=CL2.0",
            "-triple",
            "nvptx64",
            "-target-cpu",
            "sm_70",
            "-target-feature",
            "+ptx70",
        ),
    ),
    ".hlsl": (("-x", "hlsl", "-triple", "spirv-unknown-vulkan1.3-library"),),
}
"""Flags of ``clang -cc1`` by a file's suffix."""

PASSES = ("early-cse", "instcombine<no-verify-fixpoint>", "reassociate", "sroa", "loop(loop-rotate)")
PIPELINES = (*PASSES, *(f"{one},{other}" for one in PASSES for other in PASSES if one != other))
LIMITS = CheckLimits(max_launches=5)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A compiled kernel: ``name`` says file and machine."""

    name: str
    text: str
    function: str


def kernels() -> Iterator[Kernel]:
    """Every file of the folder for every machine. Raises CalledProcessError where clang refuses one."""
    assert CLANG is not None
    for file in sorted(FOLDER.iterdir()):
        for flags in MACHINES.get(file.suffix, ()):
            command = [CLANG, "-cc1", *flags, "-emit-llvm", "-O1", "-disable-llvm-passes", "-o", "-", file]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            function = next(f.name for f in parse(text).definitions() if f.name.find(file.stem) in (0, 3))
            yield Kernel(f"{file.name} for {flags[flags.index('-triple') + 1]}", text, function)


def checks(kernel: Kernel) -> Iterator[tuple[str, CheckResult]]:
    """A kernel through all pipelines."""
    for pipeline in PIPELINES:
        yield pipeline, check(kernel.text, kernel.function, pipeline, LLVM(OPT), LIMITS)


def main() -> int:
    if CLANG is None or OPT is None:
        print("clang and opt of LLVM 22 are not installed: no kernel was compiled")
        return 0
    counts: Counter[str] = Counter()
    for kernel in kernels():
        for pipeline, found in checks(kernel):
            counts[found.kind.answer] += 1
            if found.kind.answer not in NO_FINDINGS:
                print(f"{kernel.name} {pipeline}: {found.kind} {found.words}")
    print(f"{counts.total()} checks of clang's kernels: ", end="")
    print(", ".join(f"{count} {answer}" for answer, count in sorted(counts.items())))
    return int(any(answer not in NO_FINDINGS for answer in counts))


if __name__ == "__main__":
    sys.exit(main())
