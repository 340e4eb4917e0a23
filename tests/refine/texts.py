"""Little pairs of programs."""

from __future__ import annotations

from typing import Any

from convergence.ir.module import Module
from convergence.parser import parse
from convergence.refine import Refinement, refine

DECLARATIONS = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare i32 @f(i32) convergent nounwind willreturn memory(none)
declare i32 @g(i32) convergent nounwind willreturn memory(none)
declare i32 @ask(i32) convergent
declare i32 @plain(i32)
declare i1 @choice()
declare void @meet(i32) convergent
declare void @note(i32)
"""


def both(source: str, target: str, more: str = "") -> Module:
    """A module with ``@src`` and ``@tgt``, each given from its result type on: ``i32 @(i32 %x) { ... }``."""
    functions = [
        "define " + text.replace("@(", f"@{name}(", 1) for name, text in (("src", source), ("tgt", target))
    ]
    return parse(DECLARATIONS + more + "\n".join(functions))


def compared(source: str, target: str, more: str = "", **options: Any) -> Refinement:
    """``refine`` on the two."""
    module = both(source, target, more)
    return refine(module, module, **options)
