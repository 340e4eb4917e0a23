"""Which of LLVM's test files concern convergence, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

CONTROL = re.compile(r"\bconvergent\b|\bconvergencectrl\b|llvm\.experimental\.convergence\.")
"""The attribute, the bundle, the intrinsics."""

COMMUNICATES = re.compile(
    r"@llvm\.(?:amdgcn\.(?:readfirstlane|readlane|writelane|ballot|wave|s\.barrier|ds\.bpermute|ds\.swizzle|mov\.dpp"
    r"|update\.dpp|permlane|if\b|else\b|loop\b|end\.cf|icmp|fcmp|set\.inactive|wqm|wwm|softwqm|strict)"
    r"|nvvm\.(?:barrier|bar\.|shfl|vote|match)|(?:spv|dx)\.(?:wave|group)\.?)"
)
"""Calls of targets' operations that threads communicate through; LLVM knows without a word in the file that
these are convergent."""

TARGETS = ("@llvm.amdgcn.", "@llvm.nvvm.", "@llvm.spv.", "@llvm.dx.")

GPU = re.compile(r"\b(?:amdgcn|nvptx|nvptx64|spirv|spirv32|spirv64|dxil)-")
"""Triples of machines whose threads run together."""

GENERAL = (("Transforms",), ("Verifier",), ("Analysis", "UniformityAnalysis"))
"""Where a file with such a triple is about a general pass: a code generator's tests all have one."""

CONTROL_FLOW = ("FixIrreducible", "StructurizeCFG", "UnifyLoopExits")
"""Passes that exist for such machines; their files name no triple."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A file of the tree: ``name`` is relative to it, ``why`` it was taken."""

    name: str
    why: str
    text: str


def select(tests: Path) -> Iterator[Selected]:
    """The files of a tree that concern convergence, by name. What is no UTF-8 is not taken."""
    for path in sorted(tests.rglob("*.ll")):
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue
        name = path.relative_to(tests).as_posix()
        if (why := reason(name, text)) is not None:
            yield Selected(name, why, text)


def reason(name: str, text: str) -> str | None:
    """Why a file is taken, by its name in the tree and its text; ``None`` if it is not."""
    parts = PurePosixPath(name).parts
    if "Inputs" in parts:  # what another file's command reads
        return None
    if "converge" in text and CONTROL.search(text):  # the first is faster, over half a gigabyte
        return "convergence control"
    if any(prefix in text for prefix in TARGETS) and COMMUNICATES.search(text):
        return "an operation of a target"
    if parts[0] == "Transforms" and parts[1] in CONTROL_FLOW:
        return "a pass over control flow"
    if any(parts[: len(folder)] == folder for folder in GENERAL) and GPU.search(text):
        return "a target's triple"
    return None
