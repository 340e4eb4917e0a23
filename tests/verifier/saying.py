"""Short ways to write a function down and to ask what the verifier says of it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from convergence.diagnostics import Diagnostic, Severity
from convergence.ir.module import Module
from convergence.parser import parse
from convergence.verifier import verify

DECLARATIONS = """
declare token @llvm.experimental.convergence.entry() convergent
declare token @llvm.experimental.convergence.loop() convergent
declare token @llvm.experimental.convergence.anchor() convergent
declare void @barrier() convergent
declare void @plain()
declare i32 @personality(...)
"""

SHORT = {
    "ENTRY": "call token @llvm.experimental.convergence.entry()",
    "ANCHOR": "call token @llvm.experimental.convergence.anchor()",
    "LOOP": "call token @llvm.experimental.convergence.loop()",
    "BARRIER": "call void @barrier()",
    "PLAIN": "call void @plain()",
}


def written(text: str) -> str:
    """A module from a text with words of ``SHORT`` and ``[%t]`` for a bundle with that token."""
    for word, long in SHORT.items():
        text = text.replace(word, long)
    text = text.replace("{%", '[ "convergencectrl"(token %').replace("}]", ") ]")
    return textwrap.dedent(text).strip("\n") + "\n" + DECLARATIONS


def module(text: str, ask_llvm: bool = False) -> Module:
    return parse(written(text), "test.ll", ask_llvm=ask_llvm)


def diagnostics(text: str, ask_llvm: bool = False) -> tuple[Diagnostic, ...]:
    return verify(module(text, ask_llvm))


def errors(text: str, ask_llvm: bool = False) -> list[Diagnostic]:
    return [d for d in diagnostics(text, ask_llvm) if d.severity is Severity.ERROR]


def rules(text: str, ask_llvm: bool = False) -> list[str]:
    """The ids of the rules broken, in the order of the diagnostics."""
    return [d.rule.id for d in errors(text, ask_llvm)]


def warnings(text: str) -> list[str]:
    """The ids of the warnings, in the order of the diagnostics."""
    return [d.rule.id for d in diagnostics(text) if d.severity is Severity.WARNING]


def covered(text: str, found: Sequence[Diagnostic]) -> list[str]:
    """The text that each diagnostic's span covers."""
    source = module(text).source
    return [source.excerpt(d.span) for d in found]
