"""A module by hand, and diagnostics in it, so that renderers are tested without parser or verifier."""

from __future__ import annotations

from convergence.diagnostics import Diagnostic, Severity, SpanLabel, Witness
from convergence.ir import FunctionType, SimpleType
from convergence.ir.instructions import Br, Ret
from convergence.ir.module import Block, Body, Function, Module
from convergence.report.parts import VerifiedFile
from convergence.rules import Rule, VerifierDifference
from convergence.source import Source, Span

TEXT = """define void @f() {
A:
  br label %B
B:
\t%use = call i32 @é(i32 1)
  br label %B
}
"""


def span(words: str, text: str = TEXT) -> Span:
    """Where the words stand first in the text."""
    start = text.index(words)
    return Span(start, start + len(words))


def module(text: str = TEXT, name: str = "dir/a b.ll") -> Module:
    blocks = (
        Block("A", (Br("B", span=span("br label %B")),)),
        Block("B", (Br("B", span=span("%use = call i32 @é(i32 1)")), Ret(None))),
    )
    function = Function("f", FunctionType(SimpleType("void"), ()), (), Body(blocks))
    return Module(source=Source(name, text), functions={"f": function})


BROKEN = Diagnostic(
    rule=Rule.S_CYCLE_USE,
    severity=Severity.ERROR,
    function="f",
    span=span("%use = call i32 @é(i32 1)"),
    message="a message: 100%, really",
    witness=Witness("closed-path", ("B",)),
    labels=(SpanLabel(span("A:"), "the token is defined here"),),
    llvm_text="Cycle heart must dominate all blocks in the cycle.",
    help="put a loop intrinsic into the cycle",
    difference=VerifierDifference.UNREACHABLE,
)
WARNED = Diagnostic(
    rule=Rule.W_UNUSED_TOKEN,
    severity=Severity.WARNING,
    function="f",
    span=span("br label %B"),
    message="nothing uses %t",
)


def checked() -> VerifiedFile:
    return VerifiedFile("dir/a b.ll", module(), (BROKEN, WARNED))
