"""Where a diagnostic about a bundle points."""

from __future__ import annotations

from dataclasses import replace

from convergence.ir.instructions import Call
from convergence.ir.module import Body
from convergence.parser import parse
from convergence.source import NOWHERE
from convergence.verifier.facts import FunctionFacts, ModuleFacts

TEXT = """
declare token @llvm.experimental.convergence.entry()
declare void @conv() convergent
define void @f() convergent {
  %e = call token @llvm.experimental.convergence.entry()
  call void @conv() [ "convergencectrl"(token %e) ]
  ret void
}
"""


def spans(facts: FunctionFacts) -> list[str]:
    return [TEXT[slice(*operation.bundle_span)].strip() for operation in facts.operations]


def test_a_bundle_has_its_own_span_and_a_call_without_one_that_of_the_call() -> None:
    module = parse(TEXT)
    assert spans(FunctionFacts(ModuleFacts(module), module.functions["f"])) == [
        "%e = call token @llvm.experimental.convergence.entry()",
        '"convergencectrl"(token %e)',
    ]


def test_a_bundle_that_nobody_wrote_has_the_span_of_its_call() -> None:
    module = parse(TEXT)
    function = module.functions["f"]
    (block,) = function.blocks
    entry, call, end = block.instructions
    assert isinstance(call, Call)
    bundle = replace(call.bundles[0], span=NOWHERE)
    made = replace(block, instructions=(entry, replace(call, bundles=(bundle,)), end))
    facts = FunctionFacts(ModuleFacts(module), replace(function, body=Body((made,))))
    assert spans(facts)[1] == 'call void @conv() [ "convergencectrl"(token %e) ]'


def test_an_alias_enters_where_its_function_does() -> None:
    text = (
        TEXT
        + """
define void @g() {
  ret void
}
@enters = alias void (), ptr @f
@again = alias void (), ptr @enters
@does_not = alias void (), ptr @g
"""
    )
    assert ModuleFacts(parse(text)).names_that_enter == {"f", "enters", "again"}


def test_who_only_names_the_intrinsic_has_no_entry() -> None:
    """LLVM refuses to take its address, and whoever reads without LLVM says so of the place alone."""
    text = TEXT + (
        "define void @g(ptr %p) {\n  store ptr @llvm.experimental.convergence.entry, ptr %p\n  ret void\n}\n"
    )
    assert ModuleFacts(parse(text, ask_llvm=False)).entry_functions == {"f"}
