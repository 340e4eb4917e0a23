"""What happens in a proposal: exchanges return what their model gives, reads what was written."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import z3

from ..rules import Rule
from ..semantics.errors import NotModelled, Undefined, UndefinedBehaviour, Unmodelled
from ..semantics.instructions import perform
from ..semantics.unknown import Unknown
from ..semantics.values import any_undef, scalars
from .axioms import Axiom, any_of
from .cause import overlap
from .settle_proposal import Again, Proposal
from .shapes import Instance
from .terms import equal
from .tree import Reading


class Happenings(Proposal):
    """Exchanges and accesses, each computed when its operands are known, and what that teaches."""

    # -- exchanges ------------------------------------------------------------------------------------

    def exchange(self, members: list[Instance]) -> None:
        """D-THREAD: every member of a group gets what the model gives for the group and its operands."""
        call = members[0].call
        if call is None:
            return
        if call.stands_in:
            self.search.notes[f"@{call.callee} has no model: its results are stand-ins"] = None
        launch = members[0].launch
        operands = {i: tuple(self.known.value(v) for v in i.operands) for i in members}
        unknown = next((v for vs in operands.values() for v in vs if isinstance(v, Unknown)), None)
        if unknown is not None:
            for instance in members:
                self._returned(instance, unknown)
            return
        by_lane = {i.thread - launch.first: operands[i] for i in members}
        given = call.model.together(by_lane, self.world.subgroups[launch])
        for instance in members:
            value = given.get(instance.thread - launch.first)
            if value is not None:
                self._returned(instance, value)
        self.operands.update(operands)
        name = (tuple(i.number for i in members), tuple(repr(v) for i in members for v in operands[i]))
        self.lessons.append((name, lambda: self._group_lesson(members)))

    def _returned(self, item: Instance | Reading, value: Any) -> None:
        """An unknown turned out to be this."""
        if isinstance(item, Instance):
            self.results[item] = value
        if item.result is not None:
            if isinstance(value, Unknown):
                for unknown in scalars(item.result):
                    self.known.set(unknown.bits, value)
                    self.known.set(unknown.poison, value)
                return
            if any_undef(value):
                self.search.bound = self.search.bound or "not modelled: undef as a result"
            for unknown, real in zip(scalars(item.result), scalars(value), strict=True):
                self.known.set(unknown.bits, real.bits)
                self.known.set(unknown.poison, real.poison)
        elif item.picks is not None:
            self.known.set(item.picks, self.world.pick_of(value))

    def _returning(self, item: Instance | Reading) -> list[Any]:
        """That a result is what was computed."""
        if item.result is not None:
            return equal(item.result, self.known.value(item.result), exact=True)
        return [] if item.picks is None else [item.picks == self.known.of(item.picks)]

    def _group_lesson(self, members: list[Instance]) -> list[Axiom]:
        """D-THREAD: this group, with these operands and no one else, returned this."""
        search, first = self.search, members[0]
        given: list[Any] = [first.node.act]
        given += [self.relation.converged(first, other) for other in members[1:]]
        made: list[Axiom] = []
        present = {i.thread for i in members}
        for thread in range(first.launch.first, first.launch.first + first.launch.size):
            if thread not in present:
                joins, meaning = search.joining.joins(first, thread)
                made += meaning
                given += [] if joins is False else [z3.Not(joins)]
        returned: list[Any] = []
        for instance in members:
            for value, known in zip(instance.operands, self.operands[instance], strict=True):
                given += equal(value, known)
            returned += self._returning(instance)
        if returned:
            made.append(Axiom(Rule.D_THREAD, tuple(members), z3.Implies(z3.And(*given), z3.And(*returned))))
        return made

    # -- memory ---------------------------------------------------------------------------------------

    def access(self, reading: Reading) -> None:
        """D-MEM: a read returns the last earlier write to the location, else the initial value."""
        operands = tuple(self.known.value(v) for v in reading.operands)
        self.operands[reading] = operands
        before = [r for r in self.performed if r.writes and overlap(r, reading)]
        self.performed.append(reading)
        access = self.world.performed(reading.site.function, reading.site.index)(*operands)
        if self.happens.races(reading, access):
            self.raced = True
        try:
            value = perform(access, self.memory, reading.thread)
        except Undefined as stop:
            self.search.ending(UndefinedBehaviour(stop.reason, stop.section, reading.thread))
            self._excluded(reading, before)
        except NotModelled as stop:
            self.search.ending(Unmodelled(stop.what, reading.thread))
            self._excluded(reading, before)
        if value is None or reading.type is None:
            return
        self._returned(reading, value)
        name = (reading.number, *((r.number, repr(self.operands[r])) for r in before), repr(operands))
        self.lessons.append((name, lambda: self._read_lesson(reading, before, self._returning(reading))))

    def _excluded(self, reading: Reading, before: list[Reading]) -> None:
        """What the access meets ends the execution."""
        for axiom in self._read_lesson(reading, before, [z3.BoolVal(False)]):
            self.search.tell(axiom)
        self.learn()
        raise Again

    def _read_lesson(self, reading: Reading, before: list[Reading], returned: list[Any]) -> list[Axiom]:
        """D-MEM: after these writes, in this order and no others, this was read."""
        search, times = self.search, self.search.times
        given: list[Any] = [r.node.act for r in (*before, reading)]
        made: list[Axiom] = []
        for one, other in pairwise([*before, reading]):
            if one.thread != other.thread:
                given.append(times.of(one) < times.of(other))
        for access in (*before, reading):
            for value, known in zip(access.operands, self.operands[access], strict=True):
                given += equal(value, known)
        for thread in self.paths:
            if thread != reading.thread:
                last = next((r for r in reversed(before) if r.thread == thread), None)
                overwrites, meaning = search.overwriting.overwrites(reading, thread, last)
                made += meaning
                given += [] if overwrites is False else [z3.Not(any_of(overwrites))]
        if returned:
            made.append(Axiom(Rule.D_MEM, (), z3.Implies(z3.And(*given), z3.And(*returned))))
        return made
