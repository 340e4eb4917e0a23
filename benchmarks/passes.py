"""What LLVM's passes cost on small modules: ``python benchmarks/passes.py``.

Milliseconds for each module, the mean over the examples of LLVM's document, best of three rounds: in
llvmlite's process, with every pass listed, and by an external ``opt``, which is started for each of them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from convergence.passes import optimise, outside, passes_run

TEXTS = [path.read_text() for path in sorted((ROOT / "examples_ll" / "langref").glob("*.ll"))]
PIPELINES = ("simplifycfg", "default<O1>", "default<O3>")


def milliseconds(work: Callable[[str], object], texts: list[str]) -> float:
    """The mean time for a text, best of three rounds."""
    found = []
    for _ in range(3):
        start = time.perf_counter()
        for text in texts:
            work(text)
        found.append((time.perf_counter() - start) / len(texts) * 1000)
    return min(found)


def main() -> None:
    opt = outside.find(None)
    print(f"{len(TEXTS)} modules, {sum(map(len, TEXTS)) // len(TEXTS)} bytes each on average")
    print(f"{'pipeline':<14}{'llvmlite':>10}{'all passes':>12}{'opt':>10}   opt / llvmlite")
    for pipeline in PIPELINES:
        optimise(TEXTS[0], pipeline)
        inside = milliseconds(partial(optimise, pipeline=pipeline), TEXTS)
        listed = milliseconds(partial(passes_run, pipeline=pipeline), TEXTS[:10])
        line = f"{pipeline:<14}{inside:>8.1f}ms{listed:>10.1f}ms"
        if opt is not None:
            each = milliseconds(partial(optimise, pipeline=pipeline, opt=opt), TEXTS[:10])
            line += f"{each:>8.1f}ms{each / inside:>14.1f} x"
        print(line)


if __name__ == "__main__":
    main()
