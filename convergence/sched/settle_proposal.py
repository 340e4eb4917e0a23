"""What one proposal of the solver says: traces, classes, the order of accesses; and what it taught."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import z3

from ..semantics.globals import clone
from .axioms import Axiom
from .cause import overlap
from .happens import Happens
from .shapes import Instance
from .terms import Known, equal
from .tree import Node, Reading

if TYPE_CHECKING:
    from .solve import Search

Lesson = tuple[Any, Callable[[], list[Axiom]]]
"""What was computed, as axioms, and its name."""


class Again(Exception):
    """The proposal is no execution; what that teaches was told to the solver."""


class Proposal:
    """The inventory.

    ``paths``      the nodes of each thread's trace; ``checked`` how many of their answers were compared
    ``left``       how many of each thread's instances have not happened
    ``classes``    those that have not happened, by column; ``readings`` the accesses, by time
    ``happened``   the instances and accesses that have; ``results`` what they returned,
                   ``known`` the same term by term
    ``memory``     shared memory after the accesses that happened, which are ``performed``
    ``lessons``    what was computed so far
    ``raced``      whether there was a data race: then reads are undef, and this is no execution
    """

    def __init__(self, search: Search, model: z3.ModelRef) -> None:
        self.search = search
        self.world = search.world
        self.relation = search.relation
        self.model = model
        self.known = Known(search.leaves)
        self.results: dict[Instance, Any] = {}
        self.lessons: list[Lesson] = []
        self.happened: set[Any] = set()
        self.performed: list[Reading] = []
        self.happens = Happens()
        self.raced = False
        self.operands: dict[Any, tuple[Any, ...]] = {}
        self.paths = {t: self._path(root) for t, root in search.roots.items()}
        self.checked = dict.fromkeys(self.paths, 0)
        self.left = {t: sum(i.recorded for i in path[-1].path) for t, path in self.paths.items()}
        self.memory = clone(self.world.program.memory)
        self.all_classes = self._classes()
        self.classes = sorted(
            self.all_classes, key=lambda c: (self.number(self.relation.column(c[0])), c[0].number)
        )
        found = [r for path in self.paths.values() for r in path[-1].readings]
        self.readings = sorted(found, key=lambda r: (self.number(search.times.of(r)), r.number))

    # -- what the proposal says -----------------------------------------------------------------------

    def true(self, term: Any) -> bool:
        return term is True or bool(z3.is_true(self.model.eval(term, model_completion=True)))

    def number(self, term: Any) -> int:
        value: int = self.model.eval(term, model_completion=True).as_long()
        return value

    def column(self, instance: Instance) -> int:
        return self.number(self.relation.column(instance))

    def _path(self, node: Node) -> list[Node]:
        path = [node]
        while True:
            following = next((c for c in node.children.values() if self.true(c.act)), None)
            if following is None:
                return path
            node = following
            path.append(node)

    def _classes(self) -> list[list[Instance]]:
        """The classes, members by thread."""
        taken = {i.number: i for path in self.paths.values() for i in path[-1].path if i.recorded}
        home = {n: n for n in taken}

        def root(n: int) -> int:
            while home[n] != n:
                n = home[n]
            return n

        at: dict[Any, list[Instance]] = {}
        for instance in taken.values():
            at.setdefault((instance.site, instance.launch), []).append(instance)
        for instances in at.values():
            for n, a in enumerate(instances):
                for b in instances[n + 1 :]:
                    pair = False if a.thread == b.thread else self.relation.converged(a, b)
                    if pair is not False and self.true(pair):
                        home[root(a.number)] = root(b.number)
        classes: dict[int, list[Instance]] = {}
        for n, instance in taken.items():
            classes.setdefault(root(n), []).append(instance)
        return [sorted(members, key=lambda i: i.thread) for members in classes.values()]

    def literals(self, leaves: list[Node]) -> list[Any]:
        """The traces taken, who was converged by choice, what was read, and who wrote last."""
        literals: list[Any] = [leaf.act for leaf in leaves]
        taken = {i.number for leaf in leaves for i in leaf.path}
        for (a, b), pair in self.relation.free.items():
            if a in taken and b in taken:
                literals.append(pair if self.true(pair) else z3.Not(pair))
        times = self.search.times
        for n, reading in enumerate(self.performed):
            if reading.result is not None:
                literals += equal(reading.result, self.known.value(reading.result), exact=True)
            elif reading.picks is not None:
                literals.append(reading.picks == self.known.of(reading.picks))
            if reading.writes:
                for later in self.performed[n + 1 :]:
                    if later.writes and later.thread != reading.thread and overlap(reading, later):
                        if self._is_last(later):
                            literals.append(times.of(reading) < times.of(later))
        return literals

    def _is_last(self, writing: Reading) -> bool:
        """Whether some byte is as this access left it."""
        after = self.performed[self.performed.index(writing) + 1 :]
        cells = {(o, b) for o, start, stop in writing.touches for b in range(start, stop)}
        for other in after:
            if other.writes:
                cells -= {(o, b) for o, start, stop in other.touches for b in range(start, stop)}
        return bool(cells)

    # -- lessons --------------------------------------------------------------------------------------

    def learn(self, more: list[Lesson] | None = None) -> bool:
        """Tells the solver all that was computed so far; whether any of it is new."""
        lessons = self.lessons if more is None else more
        new = [self.search.learn(name, lesson) for name, lesson in lessons]
        return any(new)
