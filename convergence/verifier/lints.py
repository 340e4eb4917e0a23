"""The W-warnings: what is legal but suspicious."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Diagnostic
from ..ir import Local
from ..ir.calls import Control, way_of
from ..ir.cfg import Cfg
from ..ir.instructions import CallSite, Phi, Select
from ..rules import Rule
from .closed_paths import crossings
from .facts import FunctionFacts, reach
from .wording import spell, warning


def w_no_heart(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """A ``loop`` that is no heart of any cycle."""
    hearts = {item.use for item in crossings(facts)}
    for use in facts.uses:
        if use.by_loop and use not in hearts:
            yield warning(
                facts,
                Rule.W_NO_HEART,
                use.user,
                f"{use.user.name} = loop is the heart of no cycle: it is executed once per token",
                help=f"use %{use.token} directly",
            )


def w_unused_token(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """An unused token. One of ``entry`` is said on request only: compilers make it in every function."""
    used = set(_tokens_mentioned(facts))
    for operation in facts.operations:
        if operation.control is not None and operation.instruction.result not in used:
            if way_of(operation.instruction) is not None:
                continue  # it says by which way threads came
            yield warning(
                facts,
                Rule.W_UNUSED_TOKEN,
                operation,
                f"nothing uses the token {operation.name} of this {operation.control.name.lower()}",
                on_request=operation.control is Control.ENTRY,
            )


def _tokens_mentioned(facts: FunctionFacts) -> Iterator[str]:
    """The names among the operands of what can take a token: calls with their bundles of any tag, mostly."""
    for operation in (*facts.operations, *facts.other_calls):
        call: CallSite = operation.instruction
        for bundle in call.bundles:
            yield from (o.name for o in bundle.inputs if isinstance(o, Local))
        yield from (a.value.name for a in call.arguments if isinstance(a.value, Local))
    for _, passing in facts.passing:
        match passing:
            case Phi(_, incoming):
                operands = tuple(value for value, _ in incoming)
            case Select(_, then, otherwise):
                operands = (then, otherwise)
        yield from (o.name for o in operands if isinstance(o, Local))
    yield from facts.tokens_elsewhere


def w_anchor_cycle(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """An anchor inside a cycle whose token crosses nothing."""
    crossing_tokens = {use.token for use in facts.uses if use.block != use.home}
    for operation in facts.operations:
        if operation.control is not Control.ANCHOR or operation.instruction.result in crossing_tokens:
            continue
        if way_of(operation.instruction) is not None:
            continue  # its groups are those of ways (R-UNIFORM)
        block = operation.point.block
        if _in_cycle(facts, block):
            yield warning(
                facts,
                Rule.W_ANCHOR_CYCLE,
                operation,
                f"{operation.name} = anchor stands in a cycle and its token stays in "
                f"%{facts.block_name(block)}: each iteration groups threads anew",
                help="to keep the groups of the iteration, call loop with a token from outside the cycle",
            )


def _in_cycle(facts: FunctionFacts, block: int) -> bool:
    cfg: Cfg = facts.cfg
    if cfg.reachable[block]:
        return facts.cycles.innermost(block) is not None
    return block in reach(cfg.successors, block, lambda _: True)


def w_not_convergent(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """A bundle on a call of a non-convergent function."""
    for operation in facts.operations:
        if operation.control is None and not facts.module.callee_is_convergent(operation.instruction):
            callee = spell(operation.instruction.callee)
            yield warning(
                facts,
                Rule.W_NOT_CONVERGENT,
                operation,
                f"the call of {callee} has a convergencectrl bundle, but neither {callee} nor the call "
                "is convergent",
                help="mark the call convergent, or take the bundle away",
            )


def w_unreachable(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """A convergent call in unreachable code."""
    for operation in facts.operations:
        if not facts.is_reachable(operation.point.block):
            yield warning(
                facts,
                Rule.W_UNREACHABLE,
                operation,
                f"{operation.name} is convergent and stands in %{facts.block_name(operation.point.block)}, "
                "which the entry block does not reach",
            )


def w_entry_call(facts: FunctionFacts) -> Iterator[Diagnostic]:
    """A call that is no convergent operation but reaches ``entry``."""
    if not facts.module.entry_functions:
        return
    for operation in facts.other_calls:
        entered = facts.module.entered(operation.instruction.callee)
        if entered is not None:
            yield warning(
                facts,
                Rule.W_ENTRY_CALL,
                operation,
                f"{operation.name} is no convergent operation, but @{entered} calls entry: "
                "which threads enter together is free",
                help="mark the call convergent",
            )
