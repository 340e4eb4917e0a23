"""S-DOM: where a token is defined, and how it may travel."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Diagnostic, Severity, SpanLabel, Witness
from ..ir.calls import Control
from ..ir.instructions import CallBr, Phi
from ..rules import Rule, VerifierDifference
from . import wording
from .facts import FunctionFacts, Operation, Use
from .paths import shortest_path
from .wording import at_operation, defined_here


def s_dom(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """A token's definition dominates its uses; tokens do not pass through phi or select."""
    for use in facts.uses:
        if not use.is_dominated:
            reachable = facts.is_reachable(use.block)
            yield Diagnostic(
                rule=Rule.S_DOM,
                severity=Severity.ERROR,
                function=facts.function.name,
                span=use.span,
                message=f"{use.user.name} uses %{use.token}, whose definition does not dominate it",
                witness=_way_around(facts, use),
                labels=(defined_here(use.definition),),
                llvm_text=wording.DOMINANCE,
                difference=None if reachable else VerifierDifference.UNREACHABLE,
            )
    for point, instruction in facts.passing:
        kind, llvm = ("phi", wording.PHI) if isinstance(instruction, Phi) else ("select", wording.SELECT)
        yield Diagnostic(
            rule=Rule.S_DOM,
            severity=Severity.ERROR,
            function=facts.function.name,
            span=instruction.span,
            message=f"%{instruction.result} passes a token through a {kind}",
            witness=Witness("instruction", (facts.block_name(point.block),)),
            llvm_text=llvm,
            help="use the token of an intrinsic call that dominates the use",
        )


def _way_around(facts: FunctionFacts, use: Use) -> Witness:
    """A path from the entry to the use that does not pass the definition."""
    if not facts.is_reachable(use.block):  # then both are in one block, in the wrong order
        return Witness("instruction", (facts.block_name(use.block),))
    avoided = use.home if use.home != use.block else -1
    path = shortest_path(facts.cfg.successors, 0, use.block, lambda block: block != avoided)
    assert path is not None
    return Witness("path", facts.names(path))


# -- Rules about where control intrinsics and convergent operations stand: S-ENTRY-*, S-LOOP-*, S-MIX


def _calls(facts: FunctionFacts, *kinds: Control) -> Iterator[Operation]:
    return (operation for operation in facts.operations if operation.control in kinds)


def s_entry_fn(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """``entry`` only in a convergent function."""
    if facts.module.says_convergent(facts.function.attributes):
        return
    for entry in _calls(facts, Control.ENTRY):
        yield at_operation(
            facts,
            Rule.S_ENTRY_FN,
            entry,
            f"@{facts.function.name} calls entry but is not convergent",
            llvm=wording.ENTRY_FUNCTION,
            help=f"give @{facts.function.name} the attribute convergent, or use an anchor",
        )


def s_entry_block(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """``entry`` only in the entry block, at most once in a function."""
    first: Operation | None = None
    for entry in _calls(facts, Control.ENTRY):
        block = entry.point.block
        outside = block != 0
        if outside or first is not None:
            faults = [f"in %{facts.block_name(block)}, which is not the entry block"] if outside else []
            faults += ["a second time in this function"] if first is not None else []
            yield at_operation(
                facts,
                Rule.S_ENTRY_BLOCK,
                entry,
                f"@{facts.function.name} calls entry {' and '.join(faults)}",
                labels=(SpanLabel(first.instruction.span, "the first call of entry"),) if first else (),
                llvm=wording.ENTRY_BLOCK if outside else wording.ENTRY_FIRST,
            )
        first = first or entry


def s_entry_first(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """No convergent operation (control intrinsics count) before ``entry`` in its block."""
    yield from _first_in_block(facts, Control.ENTRY, Rule.S_ENTRY_FIRST, wording.ENTRY_FIRST)


def s_loop_first(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """No convergent operation (control intrinsics count) before ``loop`` in its block."""
    yield from _first_in_block(facts, Control.LOOP, Rule.S_LOOP_FIRST, wording.LOOP_FIRST)


def _first_in_block(facts: FunctionFacts, kind: Control, rule: Rule, llvm: str) -> Iterator[Diagnostic]:
    block, first, seen_by_llvm = -1, None, False
    for operation in facts.operations:
        if operation.point.block != block:
            block, first, seen_by_llvm = operation.point.block, None, False
        if operation.control is kind and first is not None:
            yield at_operation(
                facts,
                rule,
                operation,
                f"{first.name} precedes {operation.name} = {kind.name.lower()} in %{facts.block_name(block)}",
                labels=(SpanLabel(first.instruction.span, "the convergent operation before it"),),
                llvm=llvm,
                help=f"put the call of {kind.name.lower()} first in its block",
                difference=None if seen_by_llvm else VerifierDifference.LOOP_AFTER_BUNDLE_ONLY,
            )
        first = first or operation
        seen_by_llvm = (
            seen_by_llvm
            or operation.control is not None
            or facts.module.callee_is_convergent(operation.instruction)
        )


def s_loop_token(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """``loop`` must have a token; ``entry`` and ``anchor`` must not."""
    for operation in facts.operations:
        match operation.control:
            case Control.LOOP if not operation.is_controlled:
                yield at_operation(
                    facts,
                    Rule.S_LOOP_TOKEN,
                    operation,
                    f"{operation.name} = loop has no convergencectrl bundle",
                    llvm=wording.TOKEN_REQUIRED,
                    help='give it the token of the region around the cycle: [ "convergencectrl"(token ...) ]',
                )
            case Control.ENTRY | Control.ANCHOR as kind if operation.is_controlled:
                yield at_operation(
                    facts,
                    Rule.S_LOOP_TOKEN,
                    operation,
                    f"{operation.name} = {kind.name.lower()} has a convergencectrl bundle",
                    span=operation.bundles[0].span,
                    llvm=wording.NO_TOKEN_ALLOWED,
                    help="take the bundle away, or call loop if this is the heart of a cycle",
                )


def s_mix(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """Controlled operations or control intrinsics, and uncontrolled convergent operations, never in one
    function."""
    controlled = [o for o in facts.operations if o.control is not None or o.is_controlled]
    if not controlled:
        return
    witness = next((o for o in controlled if not isinstance(o.instruction, CallBr)), controlled[0])
    only_callbr = isinstance(witness.instruction, CallBr)
    kind = "a control intrinsic" if witness.control is not None else "a controlled operation"
    for operation in facts.operations:
        if operation.control is None and not operation.is_controlled:
            yield at_operation(
                facts,
                Rule.S_MIX,
                operation,
                f"{operation.name} is uncontrolled in a function with controlled convergence",
                labels=(SpanLabel(witness.instruction.span, kind),),
                llvm=wording.MIX,
                help="give it a convergencectrl bundle",
                difference=VerifierDifference.CALLBR if only_callbr else None,
            )
