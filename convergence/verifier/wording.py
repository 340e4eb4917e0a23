"""How the checks make diagnostics: the parts that every one of them has."""

from __future__ import annotations

from ..diagnostics import Diagnostic, Severity, SpanLabel, Witness
from ..ir import (
    Aggregate,
    BlockAddress,
    Bytes,
    ConstantExpression,
    Float,
    Global,
    GlobalWrapper,
    InlineAsm,
    Int,
    Local,
    MetadataOperand,
    Operand,
    Packed,
    PtrAuth,
    Simple,
    Splat,
)
from ..ir.instructions import CallBr
from ..rules import Rule, VerifierDifference
from ..source import NOWHERE, Span
from .facts import FunctionFacts, Operation, Use


def at_operation(
    facts: FunctionFacts,
    rule: Rule,
    operation: Operation,
    message: str,
    *,
    llvm: str | None,
    span: Span | None = None,
    labels: tuple[SpanLabel, ...] = (),
    help: str | None = None,
    difference: VerifierDifference | None = None,
) -> Diagnostic:
    """An error that one instruction makes by itself or by its place; LLVM overlooks it at ``callbr``."""
    if difference is None and isinstance(operation.instruction, CallBr):
        difference = VerifierDifference.CALLBR
    return Diagnostic(
        rule=rule,
        severity=Severity.ERROR,
        function=facts.function.name,
        span=operation.instruction.span if span is None or span == NOWHERE else span,
        message=message,
        witness=Witness("instruction", (facts.block_name(operation.point.block),)),
        labels=labels,
        llvm_text=llvm,
        help=help,
        difference=difference,
    )


def warning(
    facts: FunctionFacts,
    rule: Rule,
    operation: Operation,
    message: str,
    help: str | None = None,
    on_request: bool = False,
) -> Diagnostic:
    """A warning about one instruction."""
    return Diagnostic(
        rule=rule,
        severity=Severity.WARNING,
        function=facts.function.name,
        span=operation.instruction.span,
        message=message,
        help=help,
        on_request=on_request,
    )


def defined_here(definition: Operation) -> SpanLabel:
    """Points to the intrinsic call that defines a token."""
    return SpanLabel(definition.instruction.span, f"%{definition.instruction.result} is defined here")


def overlooked(facts: FunctionFacts, *uses: Use) -> VerifierDifference | None:
    """Why LLVM does not see what these uses break together: one is at ``callbr`` or unreachable."""
    if any(use.by_callbr for use in uses):
        return VerifierDifference.CALLBR
    if any(not facts.is_reachable(use.block) for use in uses):
        return VerifierDifference.UNREACHABLE
    return None


def spell(operand: Operand) -> str:
    """An operand as messages name it."""
    match operand:
        case Local(_, name):
            return f"%{name}"
        case Global(name) | GlobalWrapper(_, name):
            return f"@{name}"
        case Simple(_, kind):
            return kind
        case Int(_, value):
            return str(value)
        case Float() | Bytes() | Packed() | Aggregate() | Splat() | ConstantExpression():
            return "a constant"
        case BlockAddress() | PtrAuth():
            return "a constant"
        case InlineAsm():
            return "inline assembly"
        case MetadataOperand():
            return "metadata"


# -- LLVM 22.1's own words for the faults that the rules name, as its verifier prints them

BUNDLE_TWICE = "The 'convergencectrl' bundle can occur at most once on a call"
BUNDLE_SHAPE = "The 'convergencectrl' bundle requires exactly one token use."
PRODUCER = "Convergence control tokens can only be produced by calls to the convergence control intrinsics."
ENTRY_FUNCTION = "Entry intrinsic can occur only in a convergent function."
ENTRY_BLOCK = "Entry intrinsic can occur only in the entry block."
ENTRY_FIRST = "Entry intrinsic cannot be preceded by a convergent operation in the same basic block."
NO_TOKEN_ALLOWED = "Entry or anchor intrinsic cannot have a convergencectrl token operand."
TOKEN_REQUIRED = "Loop intrinsic must have a convergencectrl token operand."
LOOP_FIRST = "Loop intrinsic cannot be preceded by a convergent operation in the same basic block."
MIX = "Cannot mix controlled and uncontrolled convergence in the same function."
ADDRESS_TAKEN = "Cannot take the address of an intrinsic!"
INVALID_USER = "Invalid user of intrinsic instruction!"
INDIRECT_TOKEN = "Return type cannot be token for indirect call!"
DOMINANCE = "Convergence control token must dominate all its uses."
VALUE_DOMINANCE = "Instruction does not dominate all uses!"
PHI = "PHI nodes cannot have token type!"
SELECT = "select values cannot have token type"
CYCLE_USE = (
    "Convergence token used by an instruction other than llvm.experimental.convergence.loop in a cycle "
    "that does not contain the token's definition."
)
CYCLE_TWO = "Two static convergence token uses in a cycle that does not contain either token's definition."
HEART = "Cycle heart must dominate all blocks in the cycle."
NESTING = "Convergence region is not well-nested."

CONVERGENCE: dict[str, tuple[Rule, ...]] = {
    BUNDLE_TWICE: (Rule.S_BUNDLE,),
    BUNDLE_SHAPE: (Rule.S_BUNDLE,),
    PRODUCER: (Rule.S_PRODUCER,),
    ENTRY_FUNCTION: (Rule.S_ENTRY_FN,),
    ENTRY_BLOCK: (Rule.S_ENTRY_BLOCK,),
    ENTRY_FIRST: (Rule.S_ENTRY_FIRST,),
    NO_TOKEN_ALLOWED: (Rule.S_LOOP_TOKEN,),
    TOKEN_REQUIRED: (Rule.S_LOOP_TOKEN, Rule.S_BUNDLE, Rule.S_PRODUCER),
    LOOP_FIRST: (Rule.S_LOOP_FIRST,),
    MIX: (Rule.S_MIX, Rule.S_BUNDLE, Rule.S_PRODUCER),
    DOMINANCE: (Rule.S_DOM,),
    CYCLE_USE: (Rule.S_CYCLE_USE,),
    CYCLE_TWO: (Rule.S_CYCLE_TWO, Rule.S_CYCLE_TWICE),
    HEART: (Rule.S_HEART_DOM,),
    NESTING: (Rule.S_NEST, Rule.S_DOM),
}
"""What only a fault of convergence control makes LLVM say, and the rules that account for it.

A call whose bundle is malformed has no token for LLVM, so it also counts as uncontrolled there,
and a ``loop`` with such a bundle as one without a token.
"""

SHARED: dict[str, tuple[Rule, ...]] = {
    ADDRESS_TAKEN: (Rule.S_DIRECT,),
    INVALID_USER: (Rule.S_DIRECT,),
    INDIRECT_TOKEN: (Rule.S_DIRECT,),
    VALUE_DOMINANCE: (Rule.S_DOM,),
    PHI: (Rule.S_DOM,),
    SELECT: (Rule.S_DOM,),
}
"""What LLVM says of these rules and of other faults alike."""
