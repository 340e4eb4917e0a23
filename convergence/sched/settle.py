"""One proposal of the solver, settled: results are computed, in an order in which they can be.

An exchange happens when its operands are known and no thread that stands at an open question could
still join it in its column; accesses to shared memory happen in the order of their times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from ..semantics.errors import Crash, Unmodelled, UsageError
from ..semantics.unknown import Unknown, needed
from .axioms import Axiom
from .cause import Reach, d_cause_closing
from .observe import Complete, observe
from .settle_happenings import Happenings
from .settle_proposal import Again, Lesson
from .shapes import Instance
from .tree import Answer, Node, Question, Reading, Stopped, Trace


class Settling(Happenings):
    """One proposal on its way to a legal execution, or to what is wrong with it."""

    # -- the whole of it ------------------------------------------------------------------------------

    def settle(self) -> tuple[Complete, list[Any]]:
        """The legal execution that the proposal is, and what makes it this one. Raises Again if it is
        none."""
        for thread in self.paths:
            self._advance(thread)
        while self.classes or self.readings:
            members = next((c for c in self.classes if self._class_ready(c)), None)
            if members is not None:
                self.exchange(members)
                self.classes.remove(members)
                self.happened.update(members)
                for member in members:
                    self.left[member.thread] -= 1
            elif self.readings and self._reading_ready(self.readings[0]):
                reading = self.readings.pop(0)
                self.access(reading)
                self.happened.add(reading)
            else:
                self._stuck()
            for thread in self.paths:
                self._advance(thread)
        for thread, path in self.paths.items():
            if not isinstance(path[-1].end, Trace):
                self._finish(thread)
        if self.search.ordered:
            if self.learn(self.closings()):
                raise Again
        leaves = [path[-1] for path in self.paths.values()]
        literals = self.literals(leaves)
        if self.performed and not all(self.true(literal) for literal in literals):
            if not self.learn():  # something was read that is not what the proposal says
                raise Crash("a proposal reads something else, and nothing is to be learnt")
            raise Again
        return observe(self.world, leaves, self.all_classes, self.results, self.known, self.memory), literals

    # -- answers --------------------------------------------------------------------------------------

    def _advance(self, thread: int) -> None:
        """Compares the thread's answers with what was computed as far as that goes; at the end of its
        trace, when all before has happened, looks what comes then."""
        path = self.paths[thread]
        while self.checked[thread] < len(path) - 1:
            node = path[self.checked[thread]]
            assert isinstance(node.end, Question)
            if not node.end.needs <= self.happened:
                return
            following = path[self.checked[thread] + 1]
            if self._answer(node) != following.answers[-1]:
                if not self.learn():
                    raise Crash(
                        f"thread {thread} was told {following.answers[-1]}, and nothing is to be learnt"
                    )
                raise Again
            self.checked[thread] += 1
        if not self.left[thread]:
            self._finish(thread)

    def _answer(self, node: Node) -> Answer:
        """What was computed for a node's question."""
        question = node.end
        assert isinstance(question, Question)
        answer = self.known.of(question.term)
        if isinstance(answer, Unknown):
            raise UsageError(needed(answer, "a branch"))
        return answer  # type: ignore[no-any-return]  # a bool or an int

    def _finish(self, thread: int) -> None:
        """The thread's trace is complete, or goes on, or stops."""
        leaf = self.paths[thread][-1]
        match leaf.end:
            case Trace():
                return
            case Stopped():
                if any(r not in self.happened and r.type is not None for r in leaf.readings):
                    return
                self.search.stopped(leaf)
            case Question(needs=needs):
                if not needs <= self.happened:
                    return
                answer = self._answer(leaf)
                if answer in leaf.children:
                    if not self.learn():
                        raise Crash(f"thread {thread} leaves its trace, and nothing is to be learnt")
                else:
                    leaf = self.search.answer(leaf, answer)
                    while not any(i.recorded for i in leaf.instances) and self._can_answer(leaf):
                        leaf = self.search.answer(leaf, self._answer(leaf))
                    self.learn()
        raise Again

    def _can_answer(self, node: Node) -> bool:
        return isinstance(node.end, Question) and node.end.needs <= self.happened

    # -- what can happen --------------------------------------------------------------------------------

    def _checked_upto(self, thread: int, node: Node) -> bool:
        return self.paths[thread].index(node) <= self.checked[thread]

    def _class_ready(self, members: list[Instance]) -> bool:
        """Whether its operands are known, and nobody who stands at a question could still join."""
        for member in members:
            if not (member.needs <= self.happened and self._checked_upto(member.thread, member.node)):
                return False
        if members[0].call is None:
            return True
        column = self.column(members[0])
        launch, present = members[0].launch, {i.thread for i in members}
        for thread in range(launch.first, launch.first + launch.size):
            leaf = self.paths[thread][-1]
            if thread in present or isinstance(leaf.end, Trace):
                continue
            last = leaf.last
            if last is None or self.column(last) < column:
                return False
        return True

    def _reading_ready(self, reading: Reading) -> bool:
        """Whether its operands are known, and nobody who stands at a question could still be earlier."""
        if not (reading.needs <= self.happened and self._checked_upto(reading.thread, reading.node)):
            return False
        times = self.search.times
        now = self.number(times.of(reading))
        for thread, path in self.paths.items():
            question = path[-1].end
            if thread != reading.thread and isinstance(question, Question):
                missing = question.needs - self.happened
                if not any(self.number(times.of(s)) >= now for s in missing):
                    return False
        return True

    def _stuck(self) -> None:
        """Nothing can happen before someone's question is answered: it is answered where it can be, or in
        every way that it may be. Raises Again."""
        stands = [(t, path[-1]) for t, path in self.paths.items() if isinstance(path[-1].end, Question)]
        for thread, leaf in stands:
            assert isinstance(leaf.end, Question)
            if self.checked[thread] == len(self.paths[thread]) - 1 and leaf.end.needs <= self.happened:
                self._finish(thread)
        grown = False
        for _, leaf in stands:
            assert isinstance(leaf.end, Question)
            if z3.is_bool(leaf.end.term):
                for answer in (True, False):
                    if answer not in leaf.children:
                        self.search.answer(leaf, answer)
                        grown = True
        if grown or self.learn() or self.learn(self.closings()):
            raise Again
        self.search.ending(Unmodelled("an exchange that waits for an access that waits for it", 0))
        self.search.exclude(z3.Not(z3.And(*(path[-1].act for path in self.paths.values()))))
        raise Again

    # -- who had to be waited for ---------------------------------------------------------------------

    def closings(self) -> list[Lesson]:
        """D-CAUSE: the branches that groups had to wait for."""
        return [
            ((instance.number, "after", node.number), lesson)
            for members in self.all_classes
            if members[0].call is not None
            for instance in members[:1]
            for thread, path in self.paths.items()
            if thread not in {i.thread for i in members} and self.world.group_of(thread) is instance.launch
            for node in path
            if isinstance(node.end, Question) and node.end.needs
            for lesson in [self._closing(instance, node)]
            if lesson is not None
        ]

    def _closing(self, instance: Instance, node: Node) -> Callable[[], list[Axiom]] | None:
        reach = Reach(self.world.program, self.relation, self.true)
        if not reach.may_come(instance, node):
            return None
        return lambda: [d_cause_closing(self.search.times, instance, node, reach.given)]
