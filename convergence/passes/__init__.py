"""LLVM's own pipelines, text to text: what the compiler makes of a module.

``optimise`` gives the text after a pipeline, ``optimised`` also says who ran it and on what terms, and
``passes_run`` gives the text after every pass. LLVM runs in a process of its own, llvmlite's where that
offers the pipeline and an external ``opt`` otherwise, for it may abort or hang. Nothing here knows what a
program means. ``dumps`` reads what LLVM printed while somebody else ran it.
"""

from __future__ import annotations

from .dumps import Dump, DumpedPass, NotADump, PassRun, dumps, passes_run, sliced, unchanged
from .outside import Kind, PassFailed, find_tool, version
from .pipelines import Optimised, Outputs, begin, optimise, optimised

__all__ = [
    "Dump", "DumpedPass", "Kind", "NotADump", "Optimised", "Outputs", "PassFailed", "PassRun", "begin",
    "dumps", "find_tool", "optimise", "optimised", "passes_run", "sliced", "unchanged",
    "version",
]  # fmt: skip
