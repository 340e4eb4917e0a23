"""Rules about one bundle or one call, and about where a token is defined: S-BUNDLE, S-PRODUCER, S-DIRECT,
S-DOM.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from ..diagnostics import Diagnostic, Severity, SpanLabel, Witness
from ..frozen import dataclass
from ..ir import TOKEN, Global, GlobalWrapper, InlineAsm, Local, MetadataOperand, Operand
from ..ir.calls import Control
from ..ir.instructions import CallBr, CallSite, Instruction, Phi, Select
from ..rules import Rule, VerifierDifference
from ..source import Span
from . import wording
from .facts import FunctionFacts, ModuleFacts, Operation, Use, shortest_path
from .wording import at_operation, defined_here, spell

# ----------------------------------------------------------------------------------------------------------
# Rules about one bundle or one call: S-BUNDLE, S-PRODUCER, S-DIRECT.
# ----------------------------------------------------------------------------------------------------------

INTRINSICS = frozenset(control.value for control in Control)


def s_bundle(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """A ``convergencectrl`` bundle holds exactly one operand, of type token; at most one such bundle
    on a call."""
    for operation in facts.operations:
        if len(operation.bundles) > 1:
            first, second = operation.bundles[:2]
            yield at_operation(
                facts,
                Rule.S_BUNDLE,
                operation,
                f"{operation.name} has {len(operation.bundles)} convergencectrl bundles",
                span=second.span,
                labels=(SpanLabel(first.span, "the first bundle"),),
                llvm=wording.BUNDLE_TWICE,
            )
        for bundle in operation.bundles:
            if len(bundle.inputs) != 1:
                count = "no operand" if not bundle.inputs else f"{len(bundle.inputs)} operands"
                yield at_operation(
                    facts,
                    Rule.S_BUNDLE,
                    operation,
                    f"the convergencectrl bundle of {operation.name} has {count}, not exactly one token",
                    span=bundle.span,
                    llvm=wording.BUNDLE_SHAPE if len(operation.bundles) == 1 else wording.BUNDLE_TWICE,
                )
            elif bundle.inputs[0].type != TOKEN:
                yield at_operation(
                    facts,
                    Rule.S_BUNDLE,
                    operation,
                    f"the operand {spell(bundle.inputs[0])} of {operation.name}'s convergencectrl bundle "
                    "is no token",
                    span=bundle.span,
                    llvm=wording.BUNDLE_SHAPE if len(operation.bundles) == 1 else wording.BUNDLE_TWICE,
                )


def s_producer(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """That token is the result of a direct call to ``entry``, ``loop`` or ``anchor``."""
    for operation in facts.operations:
        if len(operation.bundles) != 1 or len(operation.bundles[0].inputs) != 1:
            continue  # S-BUNDLE's matter
        bundle = operation.bundles[0]
        operand = bundle.inputs[0]
        if operand.type != TOKEN or (isinstance(operand, Local) and operand.name in facts.definitions):
            continue
        producer = _producer(facts, operand.name) if isinstance(operand, Local) else None
        yield at_operation(
            facts,
            Rule.S_PRODUCER,
            operation,
            f"the token {spell(operand)} of {operation.name} {_origin(producer, operand)}, "
            "not from a direct call of a convergence control intrinsic",
            span=bundle.span,
            labels=(SpanLabel(producer.span, f"{spell(operand)} is defined here"),) if producer else (),
            llvm=wording.PRODUCER,
        )


def _producer(facts: FunctionFacts, name: str) -> Instruction | None:
    return next((i for block in facts.blocks for i in block.instructions if i.result == name), None)


def _origin(producer: Instruction | None, operand: Operand) -> str:
    match producer:
        case Phi():
            return "comes from a phi"
        case Select():
            return "comes from a select"
        case CallSite(callee=Global(name)):
            return f"comes from a call of @{name}"
        case CallSite():
            return "comes from an indirect call"
        case None:
            return "comes from an argument" if isinstance(operand, Local) else "is a constant"
        case _:
            return "comes from another instruction"


def s_direct(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """The intrinsics are not called indirectly.

    That shows where a function takes an intrinsic's address, and where an indirect call returns a
    token, since nothing but an intrinsic can.
    """
    reported: set[Span] = set()
    for operation in (*facts.operations, *facts.other_calls):
        call = operation.instruction
        through_alias = isinstance(call.callee, Global) and call.callee.name in facts.module.module.aliases
        if call.type.result == TOKEN and (through_alias or not isinstance(call.callee, Global | InlineAsm)):
            reported.add(call.span)
            way = "a call through the alias" if through_alias else "an indirect call of"
            yield at_operation(
                facts,
                Rule.S_DIRECT,
                operation,
                f"{way} {spell(call.callee)} returns a token",
                llvm=wording.INDIRECT_TOKEN,
                help="name the intrinsic in the call",
            )
    for mention in _addresses_taken(facts):
        if mention.span in reported:
            continue
        yield Diagnostic(
            rule=Rule.S_DIRECT,
            severity=Severity.ERROR,
            function=facts.function.name,
            span=mention.span,
            message=f"the address of @{mention.name} is taken, which could be called indirectly",
            witness=Witness("instruction", (facts.block_name(mention.block),)),
            llvm_text=wording.ADDRESS_TAKEN,
        )


def _addresses_taken(facts: FunctionFacts) -> Iterator[Mention]:
    """Where a body names an intrinsic other than as a direct call's callee; how often it names them at all
    spares most bodies the walk over all operands."""
    if not facts.module.has_control:
        return
    mentions = facts.function.body.mentions if facts.function.body is not None else None
    calls = sum(operation.control is not None for operation in facts.operations)
    if mentions is not None and sum(mentions.get(f"@{name}", 0) for name in INTRINSICS) <= calls:
        return
    for number, block in enumerate(facts.blocks):
        for instruction in block.instructions:
            yield from mentions_in(instruction, INTRINSICS, number)


def s_direct_in_globals(facts: ModuleFacts) -> Iterator[Diagnostic]:
    """The intrinsics are not called indirectly: no global variable or alias holds one's address."""
    module = facts.module
    holders = [(g.name, g.initializer, g.span) for g in module.globals.values() if g.initializer is not None]
    holders += [(alias.name, alias.target, alias.span) for alias in module.aliases.values()]
    for holder, value, span in holders:
        for name in mentions_in_operand(value, INTRINSICS):
            yield Diagnostic(
                rule=Rule.S_DIRECT,
                severity=Severity.ERROR,
                function="",
                span=span,
                message=f"@{holder} holds the address of @{name}, which could be called indirectly",
                llvm_text=wording.INVALID_USER,
            )


# -- where operands name certain functions: a walk over whatever fields instructions and constants have --


@dataclass(frozen=True, slots=True)
class Mention:
    """The name that the instruction at ``span`` in ``block`` has among its operands."""

    name: str
    span: Span
    block: int


def mentions_in(instruction: Instruction, names: frozenset[str], block: int) -> Iterator[Mention]:
    """Each such name among an instruction's operands, a direct call's own callee left out."""
    for field in fields(instruction):
        value = getattr(instruction, field.name)
        if field.name == "callee" and isinstance(instruction, CallSite) and isinstance(value, Global):
            continue
        if field.name == "attachments":
            continue  # metadata uses nothing
        for name in mentions_in_operand(value, names):
            yield Mention(name, instruction.span, block)


def mentions_in_operand(value: object, names: frozenset[str]) -> Iterator[str]:
    """Each such name inside an operand, constants of any depth included; metadata uses nothing."""
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, Global | GlobalWrapper):
            if item.name in names:
                yield item.name
        elif isinstance(item, tuple):
            todo.extend(item)
        elif is_dataclass(item) and not isinstance(item, MetadataOperand):
            todo.extend(getattr(item, field.name) for field in fields(item))


# ----------------------------------------------------------------------------------------------------------
# S-DOM: where a token is defined, and how it may travel.
# ----------------------------------------------------------------------------------------------------------


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
