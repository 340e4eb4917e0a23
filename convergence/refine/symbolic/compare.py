"""``--symbolic``: ask z3 for *any* inputs that tell two controlled programs apart (semantics.md, §6).

For one path per thread, the alignment of a controlled program without anchors is a function of the paths
(fact 2 of semantics.md, §2), so the question is one formula: the inputs lead the source's threads along
these paths and the target's along those, and what can be seen differs. Anchors leave finitely many choices
for these paths: then, for one of the target's, that none of the source's shows the same. Without a model,
the answer holds for all inputs, up to the bound on iterations. Every model is given to the concrete
engine, and counts only if that finds the difference, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from ...interruption import notice
from ...ir.cycles import Order
from ...ir.module import Module
from ...semantics.bounds import INTERRUPTED
from ...semantics.clock import clock_of
from ...semantics.errors import NotModelled
from ...semantics.machine.bindings import with_arguments
from ...semantics.machine.launch import LaunchOptions, LaunchSpec, launch_spec
from ..inputs.inputs import Assumption, check_assumptions
from ..sides.side import PreparedSide
from ..verdict.compare import _require_fit, _sides, refine
from ..verdict.reasons import (
    BreaksRule,
    NotSymbolic,
    PastIterations,
    Unconfirmed,
    Unknown,
    UnknownSymbolically,
    UnobservedSymbolically,
)
from ..verdict.result import Refinement, Unobserved, Verdict
from ..verdict.structural import same_text
from ..verdict.tally import same_text_words
from .paths import Budget, OutsideSymbolic, TooMany
from .question import SymbolicQuestion

PATHS = 2_000
"""Paths of one thread at most."""
STEPS = 20_000
"""Instructions of one path at most."""
SECONDS = 60.0
"""The time for all, where nobody says otherwise."""


def refine_symbolically(
    source: Module | PreparedSide,
    target: Module | PreparedSide,
    *,
    target_function: str | None = None,
    assume: Sequence[Assumption] = (),
    iterations: int = 8,
    max_paths: int = PATHS,
    **launch: Unpack[LaunchOptions],
) -> Refinement:
    """Whether ``target`` refines ``source`` for all inputs that are not poison, up to ``iterations`` passes
    back to any block; for 2 and for 3 threads in one launch group unless ``threads`` says otherwise.

    ``unknown`` names what is not supported (``bound``): uncontrolled operations, memory that threads
    share, addresses that depend on inputs, undef, anchors with too many ways to group. ``arguments`` fix
    some inputs; ``timeout`` (60) bounds the seconds. Raises what :func:`convergence.refine.refine` raises.
    """
    return compare_symbolically(
        source, target, launch_spec(**launch), target_function, assume, iterations, max_paths
    )


def compare_symbolically(
    source: Module | PreparedSide,
    target: Module | PreparedSide,
    spec: LaunchSpec,
    target_function: str | None = None,
    assume: Sequence[Assumption] = (),
    iterations: int = 8,
    max_paths: int = PATHS,
) -> Refinement:
    """:func:`refine_symbolically`, of a launch that is data."""
    timeout = SECONDS if spec.limits.timeout is None else spec.limits.timeout
    how = replace(spec, uncontrolled="maximal", dfs=Order.TEXT, inputs={})
    source_side, other = _sides(source, target, how, target_function)
    _require_fit(source_side, other)
    check_assumptions(assume, [p.name for p in source_side.function.parameters])
    if other.errors:
        first = other.errors[0]
        return _unknown(BreaksRule(first.rule.id), "nothing was asked")
    if same_text(source_side.module, source_side.function, other.module, other.function):
        return Refinement(
            "equal", same_text_words(source_side.function, source_side.module), {"tokens": "equal"}
        )
    if spec.grid is not None or spec.workgroup is not None:
        return _unknown(NotSymbolic("a grid of workgroups"), "nothing was asked")
    arguments = with_arguments(spec.arguments, source_side.pointed)
    limits = Budget(iterations, max_paths, STEPS, clock_of(timeout, spec.limits.deadline, spec.limits.cpu))
    done: list[SymbolicQuestion] = []
    for count in (2, 3) if spec.threads is None else (spec.threads,):
        try:
            question = SymbolicQuestion(
                source_side, other, count, spec.subgroup_size, arguments, tuple(assume), limits, spec.globals
            )
            question.ask()
        except KeyboardInterrupt:
            notice()
            return _unknown(INTERRUPTED, _for(done, iterations))
        except OutsideSymbolic as problem:
            return _unknown(NotSymbolic(problem.feature), _for(done, iterations))
        except NotModelled as problem:
            return _unknown(NotSymbolic(problem.feature), _for(done, iterations))
        except TooMany as hit:
            return _unknown(hit.bound, _for(done, iterations))
        done.append(question)
        if question.model is not None:
            return _confirmed(question, source_side, other)
        if question.beyond:
            past = PastIterations(question.limits_of_target.iterations)
            return _unknown(past, _for(done[:-1], iterations))
    if not any(question.shows and question.says for question in done):
        why: Unobserved = (
            "nothing-observable" if any(question.says for question in done) else "source-says-nothing"
        )
        return replace(_unknown(None, _for(done, iterations)), unobserved=why)
    verdict: Verdict = "refines" if any(question.less for question in done) else "equal"
    notes = tuple(dict.fromkeys(note for question in done for note in question.notes))
    return Refinement(
        verdict, _for(done, iterations), {"tokens": verdict}, launches=sum(a.pairs for a in done), notes=notes
    )


def strengthened(refinement: Refinement, symbolic: Refinement) -> Refinement:
    """The concrete comparison's answer with what was found symbolically: inputs that it had not tried and
    that tell the two apart, or that there are none."""
    if symbolic.unobserved is not None:
        return replace(refinement, notes=(*refinement.notes, UnobservedSymbolically()))
    if symbolic.verdict == "unknown":
        unknown = UnknownSymbolically(symbolic.bound, symbolic.established)
        return replace(refinement, notes=(*refinement.notes, unknown))
    if symbolic.verdict == "wrong" or refinement.verdict == "unknown":
        return replace(symbolic, notes=(*symbolic.notes, *refinement.notes))
    verdict: Verdict = "equal" if (refinement.verdict, symbolic.verdict) == ("equal", "equal") else "refines"
    established = f"{symbolic.established}; {refinement.established}"
    return replace(refinement, verdict=verdict, established=established, models={"tokens": verdict})


def _unknown(bound: Unknown | None, established: str) -> Refinement:
    return Refinement("unknown", established, {"tokens": "unknown"}, bound=bound)


def _for(done: Sequence[SymbolicQuestion], iterations: int) -> str:
    """For which inputs no difference was found."""
    if not done:
        return "nothing was established symbolically"
    low, high = done[0].threads, done[-1].threads
    threads = f"{low} and {high} threads" if low != high else f"{low} thread{'s' * (low != 1)}"
    up_to = f", up to {iterations} iterations" if any(question.cut for question in done) else ""
    size = done[0].subgroup_size
    if size is not None and size < high:
        groups = f", subgroups of {size}"
    else:
        groups = " in one subgroup" if high > 1 else ""
    return f"for all inputs{up_to}, {threads}{groups} (z3, {sum(a.pairs for a in done)} pairs of path tuples)"


def _confirmed(question: SymbolicQuestion, first: PreparedSide, second: PreparedSide) -> Refinement:
    """The concrete engine's opinion on the inputs that z3 found."""
    assert question.model is not None
    model = question.model
    refinement = refine(
        first, second, threads=question.threads, subgroup_size=question.subgroup_size,
        arguments=model.arguments,
        globals={**question.globals, **model.globals}, assume=question.assume,
        timeout=max(0.5, question.limits.clock.remaining or 0.0),
    )  # fmt: skip
    inputs = [
        *((f"%{n}", v) for n, v in model.arguments.items()),
        *((f"@{n}", v) for n, v in model.globals.items()),
    ]
    assignments = ", ".join(f"{name}={','.join(map(str, values))}" for name, values in inputs)
    where = f"for {assignments}" if assignments else "without arguments"
    if refinement.verdict == "wrong":
        words = f"z3 found inputs that tell the two apart, and running them confirms it: {where}"
        return replace(refinement, established=words)
    arguments = tuple((name, tuple(values)) for name, values in inputs)
    return _unknown(Unconfirmed(arguments, question.threads), "nothing was established symbolically")
