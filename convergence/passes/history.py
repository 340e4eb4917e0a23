"""Every pass that a pipeline ran, with the module after it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..frozen import dataclass
from .optimise import optimised

_FLAGS = ("-print-after-all", "-print-module-scope", "-opt-bisect-limit=-1")
"""LLVM's own list: the module after each pass, and the pass's name in a pipeline before it runs."""

_HEAD = re.compile(
    r"^(?:;? ?\*\*\* IR Dump After (?P<after>.+?) on (?P<on>.*?)(?: \(invalidated\))? \*\*\*"
    r"|BISECT: (?:NOT )?running pass \(\d+\) (?P<name>.+?) on (?P<at>.*))\n",
    re.MULTILINE,
)


_ANALYSES = ("RequireAnalysisPass<", "InvalidateAnalysisPass<", "InvalidateAllAnalysesPass")


@dataclass(frozen=True, slots=True)
class PassRun:
    """One pass that ran.

    ``number`` counts all that ran, from 1. ``name`` is its name in a pipeline (``simplifycfg``), or LLVM's
    class where LLVM gives no other. ``on`` is what it ran on: ``f``, ``[module]``, ``loop %l in function f``.
    ``text`` is the whole module after it, the same object as before if it ``changed`` nothing.
    """

    number: int
    name: str
    on: str
    text: str
    changed: bool


def passes_run(
    text: str, pipeline: str, *, opt: str | None = None, opt_args: Sequence[str] = (), timeout: float = 60
) -> tuple[PassRun, ...]:
    """The passes of a pipeline in the order in which they ran, with the module after each.

    The list is LLVM's own, whoever runs it. Analyses are no part of it.

    :raises PassFailed: as :func:`optimise.optimise`
    """
    optimisation = optimised(text, pipeline, opt=opt, opt_args=(*opt_args, *_FLAGS), timeout=timeout)
    before = optimised(text, "no-op-module", opt=opt, opt_args=opt_args, timeout=timeout).text
    return listed(optimisation.printed, before)


def listed(printed: str, before: str) -> tuple[PassRun, ...]:
    """The passes in what LLVM printed; ``before`` is the module as LLVM prints it at the start."""
    runs: list[PassRun] = []
    named: tuple[str, str] | None = None
    last = _body(before)
    heads = list(_HEAD.finditer(printed))
    for place, head in enumerate(heads):
        if head["name"] is not None:
            named = head["name"], head["at"]
            continue
        end = heads[place + 1].start() if place + 1 < len(heads) else len(printed)
        text = _body(printed[head.end() : end])
        changed = text != last
        text = text if changed else last
        name = named[0] if named is not None and named[1] == head["on"] else head["after"]
        if head["after"].startswith(_ANALYSES):
            continue
        runs.append(PassRun(len(runs) + 1, name, head["on"], text, changed))
        named, last = None, text
    return tuple(runs)


def _body(text: str) -> str:
    """A printed module without the name that LLVM gives it, which depends on who reads it."""
    text = text.strip("\n") + "\n"
    return text.partition("\n")[2] if text.startswith("; ModuleID") else text
