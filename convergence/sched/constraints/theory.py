"""What the solver was told: candidate traces, axioms, and what was learnt; and what was noted on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from ...rules import Rule
from ...semantics import (
    NEVER,
    Bound,
    BoundKind,
    Clock,
    Cut,
    NoModel,
    OutOfBound,
    UndefinedBehaviour,
    Unmodelled,
    UsageError,
)
from ...semantics.arithmetic.symbolic import folded
from ...semantics.machine.launch import partial_waves, waves_of
from ...semantics.values import Composite, Pointer, Unknown, Value
from ..enumeration import NO_EXECUTION, ExecutionCollector
from .candidates import Answer, OtherAddress, Query, Stopped, TraceNode
from .rules import Axiom, ConvergedWithAxioms, Joining
from .time import Meetings, Overwriting, Times
from .walk import Walk, World, is_term

# ----------------------------------------------------------------------------------------------------------
# Terms and what they come to once the unknowns in them are known.
# ----------------------------------------------------------------------------------------------------------


class Assignment:
    """The values of unknowns, as one execution gives them.

    ``set`` is told a result term by term; an unknown may also be an :class:`Unknown` that the user left open.
    """

    def __init__(self, leaves: Leaves) -> None:
        self._leaves = leaves
        self._of: dict[int, tuple[Any, Any]] = {}

    def set(self, unknown: Any, value: Any) -> None:
        """An unknown bit-vector, integer or truth value has this value."""
        if not is_term(unknown):
            return
        if isinstance(value, Unknown):
            self._of[unknown.get_id()] = (unknown, value)
        elif z3.is_bool(unknown):
            self._of[unknown.get_id()] = (unknown, z3.BoolVal(value))
        elif z3.is_int(unknown):
            self._of[unknown.get_id()] = (unknown, z3.IntVal(value))
        else:
            self._of[unknown.get_id()] = (unknown, z3.BitVecVal(value, unknown.size()))

    def of(self, term: Any) -> Any:
        """A term's value, a Python int or bool; Unknown if it hangs from one. Raises KeyError where an
        unknown in it has no value."""
        if not is_term(term):
            return term
        pairs = []
        for leaf in self._leaves.of(term):
            pair = self._of[leaf.get_id()]
            if isinstance(pair[1], Unknown):
                return pair[1]
            pairs.append(pair)
        value = folded(z3.substitute(term, *pairs))
        return value.as_long() if z3.is_int_value(value) else value

    def value(self, value: Any) -> Any:
        """A runtime value's value; Unknown if a part of it hangs from one."""
        if isinstance(value, Composite):
            parts = [self.value(e) for e in value.elements]
            unknown = next((p for p in parts if isinstance(p, Unknown)), None)
            return unknown if unknown is not None else Composite(tuple(parts))
        if not isinstance(value, Value) or not (is_term(value.bits) or is_term(value.poison)):
            return value
        poison, bits = self.of(value.poison), self.of(value.bits)
        if isinstance(poison, Unknown) or isinstance(bits, Unknown):
            return poison if isinstance(poison, Unknown) else bits
        if isinstance(value, Pointer):
            return type(value)(0 if poison else bits, value.provenance, poison)
        return type(value)(0 if poison else bits, poison)


class Leaves:
    """The unknowns of a term; terms share their parts, so answers are kept."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[Any, tuple[Any, ...]]] = {}

    def of(self, term: Any) -> tuple[Any, ...]:
        known = self._of.get(term.get_id())
        if known is not None:
            return known[1]
        terms: dict[int, Any] = {}
        numbers: set[int] = set()
        work = [term]
        while work:
            part = work.pop()
            if part.get_id() in numbers:
                continue
            numbers.add(part.get_id())
            children = part.children()
            if not children and part.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                terms[part.get_id()] = part
            work.extend(children)
        leaves = tuple(terms.values())
        self._of[term.get_id()] = (term, leaves)
        return leaves


def equal(value: Any, known: Any, exact: bool = False) -> list[Any]:
    """That a value, with terms in it, is this known one: a conjunction. ``exact``: bits of poison count."""
    if isinstance(value, Composite):
        return [e for a, b in zip(value.elements, known.elements, strict=True) for e in equal(a, b, exact)]
    if not isinstance(value, Value):
        return []
    conjuncts = []
    if is_term(value.poison):
        conjuncts.append(value.poison if known.poison else z3.Not(value.poison))
    if is_term(value.bits) and (exact or not known.poison):
        conjuncts.append(value.bits == known.bits)
    return conjuncts


ANSWERS = 500
"""Questions on one trace at most: what spins on memory asks for ever."""


class Theory:
    """``axioms`` is all that was told to the solver; ``collector`` what its proposals came to, ``bound`` what
    cut it short; ``excluded`` says that
    traces which end in undefined behaviour, or where a bound was hit, are not looked at again;
    ``other_addresses`` are the pieces of traces behind addresses that cannot be computed yet, by question,
    and what is assumed of each.

    ``relation``, ``times``       converged-with, and D-CAUSE's order; ``meetings`` where launch groups meet
    ``joining``, ``overwriting``  what threads may still do
    """

    def __init__(self, world: World, max_steps: int, clock: Clock = NEVER) -> None:
        """Raises BoundHit as :meth:`answer` does."""
        self.world = world
        self.max_steps = max_steps
        self.clock = clock
        self.solver = z3.Solver()
        self.relation = ConvergedWithAxioms(world.program.uncontrolled)
        self.times = Times(self.relation)
        self.axioms: list[Axiom] = []
        self.excluded: list[z3.BoolRef] = []
        self.leaves = Leaves()
        self.collector = ExecutionCollector()
        self.bound: Cut | None = None
        self.notes = dict.fromkeys(partial_waves(waves_of(world.module, world.launch)))
        self._names: set[Any] = set()
        self.other_addresses: dict[TraceNode, tuple[TraceNode, z3.BoolRef]] = {}
        times = self.times if world.shares_memory else None
        self.meetings = Meetings(self.relation, times, world.standing)
        self.roots = {t: self._grow(None, t, ()) for t in range(world.launch.threads)}
        self.joining = Joining(self.relation, self.roots)
        self.overwriting = Overwriting(self.times, self.roots)

    # -- candidate traces ---------------------------------------------------------------------------

    def _grow(self, parent: TraceNode | None, thread: int, answers: tuple[Answer, ...]) -> TraceNode:
        """Follows a thread after one more answer. Raises BoundHit when the clock ends: each instance is held
        against all before it of its site, and a loop that does not end makes many."""
        number = self.world.number()
        act = z3.BoolVal(True) if parent is None else z3.Bool(f"thread {thread} takes {number}")
        node = TraceNode(thread, number, answers, parent, act)
        Walk(self.world, node, self.max_steps).follow()
        if len(answers) >= ANSWERS and isinstance(node.end, Query):
            node.end = Stopped(OutOfBound(Bound(BoundKind.ANSWERS, ANSWERS), thread))
        self.notes.update(node.notes)
        if parent is not None:
            question = parent.end
            assert isinstance(question, Query)
            if not _is_other_address(node):
                taken = z3.And(parent.act, question.condition(answers[-1]))
                self.tell(Axiom(Rule.D_THREAD, tuple(node.instances[:1]), act == taken))
        for instance in node.instances:
            self.clock.check()
            for axiom in self.relation.add(instance):
                self.tell(axiom)
            if self.world.shares_memory and instance.call is not None:
                for axiom in self.times.exchange(instance):
                    self.tell(axiom)
        for reading in node.readings[node.own_readings :]:
            for axiom in self.times.reading(reading):
                self.tell(axiom)
        for axiom in self.meetings.grown(node):
            self.tell(axiom)
        return node

    def answer(self, node: TraceNode, answer: Answer) -> TraceNode:
        """The trace goes on beyond ``node``'s question: the next piece. Raises BoundHit as it grows."""
        child = node.children[answer] = self._grow(node, node.thread, (*node.answers, answer))
        for axiom in (*self.joining.grown(child), *self.overwriting.grown(child)):
            self.tell(axiom)
        if node in self.other_addresses:
            self._define(node, self.other_addresses[node][0])
        return child

    def suppose(self, node: TraceNode) -> bool:
        """The trace goes on beyond where an access goes that cannot be computed yet; whether that is new."""
        if node in self.other_addresses:
            return False
        question = node.end
        assert isinstance(question, Query)
        zeros = [(leaf, _zero(leaf)) for leaf in self.leaves.of(question.term)]
        plausible = [folded(z3.substitute(question.term, *zeros)), *filter(_is_number, node.children)]
        for address in plausible:
            child = self.answer(node, OtherAddress(address))
            if not isinstance(child.end, Stopped):
                self._define(node, child)
                return True
            self.exclude(z3.Not(child.act))
        return False

    def _define(self, node: TraceNode, child: TraceNode) -> None:
        """``child`` is taken if none of the answers is that are known by now. That holds for as long as it is
        assumed: until there is another one."""
        others = [other.act for other in node.children.values() if not _is_other_address(other)]
        definition = z3.Bool(f"{child.number} is taken for want of {len(others)}")
        self.solver.add(
            z3.Implies(definition, child.act == z3.And(node.act, *(z3.Not(other) for other in others)))
        )
        self.other_addresses[node] = (child, definition)

    @property
    def definitions(self) -> list[z3.BoolRef]:
        """What is assumed of the pieces behind other addresses."""
        return [definition for _, definition in self.other_addresses.values()]

    def tell(self, axiom: Axiom) -> None:
        """One more constraint."""
        self.axioms.append(axiom)
        self.solver.add(axiom.term)

    def learn(self, name: Any, lesson: Callable[[], list[Axiom]]) -> bool:
        """Tells the solver what was computed, once; whether it was new."""
        if name in self._names:
            return False
        self._names.add(name)
        for axiom in lesson():
            self.tell(axiom)
        return True

    # -- what is no model any more, and what was noted -------------------------------------------------

    def stopped(self, node: TraceNode) -> None:
        """A trace that ends before its thread does can be reached: an ending, or a bound."""
        assert isinstance(node.end, Stopped)
        self.ending(node.end.reason)
        self.exclude(z3.Not(node.act))

    def exclude(self, term: z3.BoolRef) -> None:
        """What ends without complete traces is noted, and no model any more."""
        self.excluded.append(term)
        self.solver.add(term)

    def ending(self, reason: Any) -> None:
        """An ending that can be reached, and leaves no complete traces."""
        match reason:
            case UsageError() as error:
                raise error
            case UndefinedBehaviour() as undefined:
                self.collector.add(undefined, *NO_EXECUTION)
            case Unmodelled(what):
                self.bound = self.bound or NoModel(what)
            case OutOfBound(bound):
                self.bound = self.bound or bound
            case _:
                raise AssertionError(f"{reason} is no ending of one thread")


def _is_other_address(node: TraceNode) -> bool:
    return bool(node.answers) and isinstance(node.answers[-1], OtherAddress)


def _is_number(answer: Answer) -> bool:
    return isinstance(answer, int) and not isinstance(answer, bool)


def _zero(unknown: z3.ExprRef) -> z3.ExprRef:
    if z3.is_bool(unknown):
        return z3.BoolVal(False)
    return z3.IntVal(0) if z3.is_int(unknown) else z3.BitVecVal(0, unknown.sort())
