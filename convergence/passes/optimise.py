"""From text through a pipeline to text: who runs it, and on what terms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..frozen import dataclass
from ..packages import without_llvm
from . import inside, outside
from .names import NotOffered, PassPlan, normal, plan
from .outside import PassFailed


@dataclass(frozen=True, slots=True)
class Optimised:
    """A module after a pipeline. ``by`` says who ran it (``llvmlite``, ``opt (LLVM 22.1.8)``), ``notes`` on
    what terms: the target, and what differs from ``opt``. ``printed`` is what the passes printed."""

    text: str
    by: str
    notes: tuple[str, ...] = ()
    printed: str = ""


def optimise(
    text: str, pipeline: str, *, opt: str | None = None, opt_args: Sequence[str] = (), timeout: float = 60
) -> str:
    """The text of a module after one of LLVM's pipelines, in the words of ``opt -passes=``.

    llvmlite runs what it offers, unless ``opt`` names a program; everything else is for that program, or for
    ``opt`` or ``opt-22`` on PATH. ``opt_args`` are flags of ``opt`` and of LLVM. Nothing is added to the
    module: it keeps its own triple, and its attributes are what the passes make of them.

    :raises PassFailed: if LLVM crashes, refuses the pipeline or takes more than ``timeout`` seconds, or if
        nothing here offers the pipeline
    """
    return optimised(text, pipeline, opt=opt, opt_args=opt_args, timeout=timeout).text


def optimised(
    text: str, pipeline: str, *, opt: str | None = None, opt_args: Sequence[str] = (), timeout: float = 60
) -> Optimised:
    """Like :func:`optimise`, with who ran it and on what terms."""
    known: object = text
    if not isinstance(known, str):
        hint = ": its text is module.source.text" if hasattr(text, "source") else ""
        raise TypeError(f"optimise() takes the text of a module, and not {known!r}{hint}")
    pipeline = normal(pipeline)
    if not pipeline:
        raise PassFailed("the pipeline is empty", "refused")
    steps = plan(pipeline)
    program = None
    if opt is not None or isinstance(steps, NotOffered) or steps.differs:
        program = outside.find(opt)
    llvm_is_there = without_llvm() is None
    if program is None and not llvm_is_there and (program := outside.find(None)) is None:
        raise PassFailed(f"LLVM's passes cannot run here ({without_llvm()}); {_HELP}", "unavailable")
    if isinstance(steps, PassPlan) and program is None:
        try:
            text_by_llvm = inside.run(text, pipeline, steps, opt_args, timeout)
            notes = (*text_by_llvm.notes, *(f"{what}, unlike in opt" for what in steps.differs))
            return Optimised(text_by_llvm.text, "llvmlite", notes, text_by_llvm.printed)
        except inside.UnknownFlag as error:
            if (program := outside.find(None)) is None:
                raise PassFailed(f"{error}; {_HELP}", "unavailable") from None
    if program is None:
        assert isinstance(steps, NotOffered)
        raise PassFailed(f"llvmlite does not offer the pass {steps.element!r}; {_HELP}", "unavailable")
    text, printed = outside.run(program, text, pipeline, opt_args, timeout)
    return Optimised(text, outside.version(program), (_target(text),), printed)


def _target(text: str) -> str:
    """Which target ``opt`` used: the one that its output names."""
    match = _TRIPLE.search(text)
    return f"target {match[1]}" if match else "no target triple: the passes ran without a target"


_TRIPLE = re.compile(r'^target triple = "(.+)"$', re.MULTILINE)


_HELP = "LLVM's own opt may: install LLVM 22 (opt or opt-22 on PATH), or say where it is with --opt PATH"
"""What would help where llvmlite cannot."""
