"""Why instances cannot be converged: the core of an unsatisfiable question, in rule ids.

The axioms of a finished search have the legal executions as their models, so a wish that has none
contradicts some of them; those that are needed for the contradiction are the explanation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from convergence.alignment import DynamicInstance
from convergence.ir.module import Module
from convergence.rules import Rule
from convergence.sched.constraints.candidates import Instance
from convergence.sched.constraints.rules import any_of
from convergence.sched.constraints.search import search
from convergence.sched.constraints.theory import Theory
from convergence.semantics import Cut, SolverGaveUp
from convergence.semantics.arithmetic.symbolic import check
from convergence.semantics.machine.launch import LaunchSpec

Wish = tuple[DynamicInstance, DynamicInstance]


@dataclass(frozen=True, slots=True)
class Because:
    """A rule that is part of the contradiction, and the instances that it is about there."""

    rule: Rule
    instances: tuple[DynamicInstance, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Whether a wish can come true; if not, ``because`` says which rules it contradicts, in the order of
    semantics.md. ``missing`` are instances that are executed on no trace. With a ``bound`` that cut the
    search, nothing is established."""

    possible: bool
    because: tuple[Because, ...] = ()
    missing: tuple[DynamicInstance, ...] = ()
    bound: Cut | None = None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, each once."""
        return tuple(dict.fromkeys(b.rule for b in self.because))


def why_not(
    module: Module, spec: LaunchSpec, together: Sequence[Wish], apart: Sequence[Wish] = ()
) -> Explanation:
    """Whether some legal execution has all pairs of ``together`` converged and none of ``apart``; if none
    has, why."""
    searching = search(module, spec)
    answer, theory = searching.run(), searching.theory
    missing = tuple(
        i for pair in (*together, *apart) for i in pair if not any(True for _ in _candidates(theory, i))
    )
    if missing or not answer.complete:
        return Explanation(False, (), tuple(dict.fromkeys(missing)), answer.bound)
    return _ask(theory, [_wish(theory, w) for w in together] + [z3.Not(_wish(theory, w)) for w in apart])


def _candidates(theory: Theory, wanted: DynamicInstance) -> Iterable[Instance]:
    """The instances on all candidate traces that are this one."""
    if wanted.thread in theory.roots:
        for node in theory.roots[wanted.thread].branches():
            yield from (i for i in node.instances if i.recorded and i.dynamic == wanted)


def _wish(theory: Theory, wish: Wish) -> Any:
    """That two dynamic instances are executed and converged."""
    a, b = wish
    pairs = [
        theory.relation.converged(x, y)
        for x in _candidates(theory, a)
        for y in _candidates(theory, b)
        if x.site == y.site
    ]
    met = any_of(*pairs)
    return z3.BoolVal(met) if isinstance(met, bool) else met


def _ask(theory: Theory, wishes: list[Any]) -> Explanation:
    """Whether the wishes agree with the axioms; if not the core, without what can be dropped from it."""
    solver = z3.Solver()
    names: dict[Any, int] = {}
    for number, axiom in enumerate(theory.axioms):
        name = z3.Bool(f"{axiom.rule.id} {number}")
        names[name] = number
        solver.assert_and_track(axiom.term, name)
    solver.add(*wishes, *theory.excluded)
    answer = check(solver)
    if answer == z3.unknown:
        return Explanation(False, bound=SolverGaveUp(solver.reason_unknown()))
    if answer == z3.sat:
        return Explanation(True)
    core = [names[name] for name in solver.unsat_core()]
    for number in sorted(core):
        rest = [n for n in core if n != number]
        smaller = z3.Solver()
        smaller.add(*wishes, *theory.excluded, *(theory.axioms[n].term for n in rest))
        if check(smaller) == z3.unsat:
            core = rest
    order = {rule: n for n, rule in enumerate(Rule)}
    found = {
        Because(theory.axioms[n].rule, tuple(sorted({i.dynamic for i in theory.axioms[n].instances})))
        for n in core
    }
    return Explanation(False, tuple(sorted(found, key=lambda b: (order[b.rule], b.instances))))
