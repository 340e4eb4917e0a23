"""What is asked: every selected file of ``verify``, and pairs of a file and a pipeline of ``refine``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from pathlib import Path

from . import run_lines
from .selection import GPU, Selected, select

USUAL = (
    "instcombine", "simplifycfg", "gvn", "loop-mssa(licm)", "early-cse", "sroa", "loop(loop-rotate)",
    "jump-threading", "loop-unroll", "inline", "reassociate", "sccp", "dse", "adce", "indvars",
    "loop-mssa(simple-loop-unswitch<nontrivial>)", "speculative-execution", "sink", "gvn-hoist", "gvn-sink",
    "correlated-propagation", "function-attrs", "tailcallelim", "lower-switch,fix-irreducible",
    "unify-loop-exits", "lower-switch,fix-irreducible,unify-loop-exits,structurizecfg", "default<O1>",
    "default<O2>",
)  # fmt: skip
"""Pipelines that every file goes through."""

AMDGPU = (
    "amdgpu-codegenprepare", "amdgpu-unify-divergent-exit-nodes", "amdgpu-late-codegenprepare",
    "amdgpu-atomic-optimizer", "amdgpu-attributor",
    "lower-switch,fix-irreducible,unify-loop-exits,structurizecfg,si-annotate-control-flow",
)  # fmt: skip
"""Those of AMDGPU's code generator that ``opt`` runs, for its files."""


@dataclass(frozen=True, slots=True)
class Question:
    """``pipeline`` is empty where ``verify`` is asked; ``own`` if a RUN line of the file asks for it."""

    file: str
    why: str
    pipeline: str = ""
    flags: tuple[str, ...] = ()
    own: bool = False

    @property
    def id(self) -> str:
        return " ".join((self.file, self.pipeline or "verify", *self.flags))


def questions(
    tests: Path, every: int, only: str = "", own: bool = False, below: float = inf
) -> list[Question]:
    """All files, and every ``every``-th pair of a file and a pipeline, counted over all of them;
    ``own``: of those that RUN lines ask for; ``below``: of files with fewer characters.

    Their order has nothing to do with their names, so that what is answered first is a fair sample, too."""
    asked, count = [], 0
    for selected in select(tests):
        if only not in selected.name:
            continue
        asked.append(Question(selected.name, selected.why))
        for question in pairs(selected) if len(selected.text) < below else ():
            if own and not question.own:
                continue
            if count % every == 0:
                asked.append(question)
            count += 1
    return sorted(asked, key=lambda question: sha256(question.id.encode()).digest())


def pairs(selected: Selected) -> Iterator[Question]:
    """A file's pairs: its own pipelines first, then the usual ones for its own machine, each once."""
    asked = run_lines.own(selected.text)
    for one in asked:
        yield Question(selected.name, selected.why, one.pipeline, one.flags, own=True)
    flags = run_lines.target(selected.text)
    usual = (*USUAL, *AMDGPU) if _is_for("amdgcn", selected.text, flags) else USUAL
    for pipeline in usual:
        if run_lines.Asked(pipeline, flags) not in asked:
            yield Question(selected.name, selected.why, pipeline, flags)


def _is_for(machine: str, text: str, flags: tuple[str, ...]) -> bool:
    return any(machine in flag for flag in flags) or any(machine in found for found in GPU.findall(text))
