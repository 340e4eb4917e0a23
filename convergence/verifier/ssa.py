"""S-DOM: where a token is defined, and how it may travel."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Diagnostic, Severity, Witness
from ..ir.instructions import Phi
from ..rules import Difference, Rule
from . import wording
from .facts import FunctionFacts, Use
from .make import defined_here
from .paths import shortest_path


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
                difference=None if reachable else Difference.UNREACHABLE,
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
