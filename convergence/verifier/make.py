"""How the checks make diagnostics: the parts that every one of them has."""

from __future__ import annotations

from ..diagnostics import Diagnostic, Label, Severity, Witness
from ..ir.instructions import CallBr
from ..ir.operands import (
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
    PtrAuth,
    Simple,
    Splat,
)
from ..rules import Difference, Rule
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
    labels: tuple[Label, ...] = (),
    help: str | None = None,
    difference: Difference | None = None,
) -> Diagnostic:
    """An error that one instruction makes by itself or by its place; LLVM overlooks it at ``callbr``."""
    if difference is None and isinstance(operation.instruction, CallBr):
        difference = Difference.CALLBR
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
    facts: FunctionFacts, rule: Rule, operation: Operation, message: str, help: str | None = None
) -> Diagnostic:
    """A warning about one instruction."""
    return Diagnostic(
        rule=rule,
        severity=Severity.WARNING,
        function=facts.function.name,
        span=operation.instruction.span,
        message=message,
        help=help,
    )


def defined_here(definition: Operation) -> Label:
    """Points to the intrinsic call that defines a token."""
    return Label(definition.instruction.span, f"%{definition.instruction.result} is defined here")


def overlooked(facts: FunctionFacts, *uses: Use) -> Difference | None:
    """Why LLVM does not see what these uses break together: one is at ``callbr`` or unreachable."""
    if any(use.by_callbr for use in uses):
        return Difference.CALLBR
    if any(not facts.is_reachable(use.block) for use in uses):
        return Difference.UNREACHABLE
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
        case Float() | Bytes() | Aggregate() | Splat() | ConstantExpression() | BlockAddress() | PtrAuth():
            return "a constant"
        case InlineAsm():
            return "inline assembly"
        case MetadataOperand():
            return "metadata"
