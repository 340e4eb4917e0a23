"""What the tests of transforms share: text in, text out, both verifiers asked."""

from __future__ import annotations

from convergence.diagnostics import Severity
from convergence.ir.cfg import build_cfg, cycles
from convergence.ir.module import Function, Module
from convergence.parser import parse
from convergence.parser.llvm import llvm_verdict
from convergence.parser.printer import print_module
from convergence.transform.infer import Transformed
from convergence.verifier import verify

DECLARATIONS = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @sum(i32) convergent
declare void @event(i32) convergent
declare void @plain(i32)
"""


def module(text: str) -> Module:
    return parse(text + DECLARATIONS)


def sound(made: Transformed) -> Module:
    """The transformed module, printed, read again, and found valid by our verifier and by LLVM's."""
    text = print_module(made.module)
    again = parse(text)
    errors = [d for d in verify(again) if d.severity is Severity.ERROR]
    assert not errors, (text, errors)
    assert llvm_verdict(text) == (), text
    return again


def irreducible(function: Function) -> int:
    return sum(not cycle.is_reducible for cycle in cycles(build_cfg(function)).all)


def words(made: Transformed, kind: str | None = None) -> list[str]:
    return [str(note) for note in made.notes if kind in (None, note.kind)]
