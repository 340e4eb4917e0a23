"""The static rules (semantics.md §4): every violation of a module, each with its witness."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from ..diagnostics import DEFAULT_LEVELS, Diagnostic, Diagnostics, WarningLevels
from ..ir.module import Function, Module, needs_module
from .facts import FunctionFacts, ModuleFacts, Relevance

__all__ = ["verify", "verify_function"]

Check = Callable[[FunctionFacts], Iterable[Diagnostic]]


@cache
def _checks() -> tuple[Check, ...]:
    """What each function is asked. Most modules have nothing to ask: then no rule is imported."""
    from .closed_paths import closed_paths
    from .lints import (
        w_anchor_cycle,
        w_entry_call,
        w_no_heart,
        w_not_convergent,
        w_unreachable,
        w_unused_token,
    )
    from .nesting import s_nest
    from .placement import (
        s_bundle,
        s_direct,
        s_dom,
        s_entry_block,
        s_entry_first,
        s_entry_fn,
        s_loop_first,
        s_loop_token,
        s_mix,
        s_producer,
    )

    return (
        s_bundle,
        s_producer,
        s_entry_fn,
        s_entry_block,
        s_entry_first,
        s_loop_first,
        s_loop_token,
        s_mix,
        s_direct,
        s_dom,
        closed_paths,  # S-CYCLE-USE, S-CYCLE-TWICE, S-CYCLE-TWO, S-HEART-DOM
        s_nest,
        w_no_heart,
        w_unused_token,
        w_anchor_cycle,
        w_not_convergent,
        w_unreachable,
        w_entry_call,
    )


def verify(module: Module, warnings: WarningLevels = DEFAULT_LEVELS) -> Diagnostics:
    """All violations and warnings of a module, in text order, at one place in the order of the rules.

    The rules are the S- and W-rules of :class:`convergence.Rule`: LLVM's *Static Rules* and what it says
    elsewhere of tokens. ``warnings`` says which of them are said, and which are errors. Nothing is raised
    for a broken rule. Bodies whose text rules out any diagnostic are not parsed; one that is and that
    convcheck cannot read raises Unsupported.
    """
    needs_module(module, "verify")
    facts = ModuleFacts(module)
    relevance = Relevance(facts)
    diagnostics: list[Diagnostic] = []
    if facts.has_control:
        from .placement import s_direct_in_globals

        diagnostics += s_direct_in_globals(facts)
    for function in module.definitions():
        if relevance.of(function):
            diagnostics += _verify_function(facts, function)
    return Diagnostics(warnings.apply(_sorted(diagnostics)), module.source, len(module.definitions()))


def verify_function(module: Module, function: Function) -> tuple[Diagnostic, ...]:
    """All violations and warnings of one definition of a module, ordered as by :func:`verify`."""
    return tuple(DEFAULT_LEVELS.apply(_sorted(_verify_function(ModuleFacts(module), function))))


def _verify_function(module: ModuleFacts, function: Function) -> list[Diagnostic]:
    facts = FunctionFacts(module, function)
    return [diagnostic for check in _checks() for diagnostic in check(facts)]


def _sorted(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    if len(diagnostics) < 2:
        return diagnostics
    from ..rules import Rule

    rank = {rule: number for number, rule in enumerate(Rule)}
    return sorted(diagnostics, key=lambda d: (d.span.start, rank[d.rule]))
