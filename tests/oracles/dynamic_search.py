"""The search behind :func:`legal`: as :func:`tests.oracles.dynamic.every_relation`, less wasteful.

- Intrinsics and calls of defined functions return nothing, so they need no schedule: a thread joins
  a class, the one that a rule names or a guessed one, when it passes them.
- An exchange happens for a group guessed among the threads that stand at it, and the group is closed
  then: an execution in which another thread belongs to it is found under another guess. Any legal
  execution has an order in which its exchanges can happen so, for D-ORDER is acyclic.
- Groups of different threads commute. A guess that was explored sleeps in its later siblings
  (Godefroid's sleep sets) while its threads stand still. Where a rule says who belongs to a group and
  no other thread can come to it any more, by the CFG alone, no other guess about it is worth trying.
- What breaks a pairwise rule already is cut off: complete traces cannot mend it.

Whatever is found is still put before :func:`tests.oracles.dynamic.violations`.
"""

from __future__ import annotations

from collections.abc import Iterator

from .dynamic import (
    Execution,
    Legal,
    Mode,
    _launch_groups,
    _subsets,
    describe,
    is_free,
    is_uncontrolled,
    must_converge,
    violations,
)
from .dynamic_maximal import At, Maximal
from .dynamic_traces import Node, Threads, TooLong, Trace, exchange
from .programs import Effect, Exchange, Invocation
from .programs_draw import Case

Site = tuple[str, int]
Move = frozenset[At]


class _State(Execution):
    """An execution under way. ``passed[t]``: nodes of thread ``t`` that have their class."""

    results: list[tuple[int, ...]]
    passed: list[int]
    by_site: dict[Site, list[int]]
    closed: set[int]
    least: Maximal | None
    next_class: int

    def copy(self) -> _State:
        new = _State(self.program, self.mode, list(self.traces), self.group, dict(self.class_of), {})
        new.members = {c: list(m) for c, m in self.members.items()}
        new.results = list(self.results)
        new.passed = list(self.passed)
        new.by_site = {s: list(c) for s, c in self.by_site.items()}
        new.closed = set(self.closed)
        new.least = None if self.least is None else self.least.copy()
        new.next_class = self.next_class
        return new

    def join(self, at: At, number: int | None) -> None:
        """Put an instance into a class, ``None``: a new one."""
        if number is None:
            number = self.next_class
            self.next_class += 1
            self.members[number] = []
            self.by_site.setdefault(self.site(at), []).append(number)
        elif self.least is not None and not is_uncontrolled(self.node(at)):
            self.least.merge(self.members[number][0], at)
        self.members[number].append(at)
        self.class_of[at] = number

    def run_on(self, threads: Threads, thread: int) -> None:
        self.traces[thread] = threads.trace(thread, self.results[thread])
        if self.least is not None:
            self.least.extend(thread, self.traces[thread])


class Search:
    """All legal executions of one case in one mode."""

    def __init__(
        self,
        case: Case,
        mode: Mode = "maximal",
        subgroup_size: int | None = None,
        limit: int = 300,
        longest: int = 200,
    ) -> None:
        """:class:`TooLong` after ``limit`` guesses or at a trace of ``longest`` instances."""
        self.case = case
        self.mode: Mode = mode
        self.group = _launch_groups(case.threads, subgroup_size)
        self.limit = limit
        self.visited = 0
        self.threads = Threads(case.program, case.arguments)
        self.threads.longest = longest
        self.reachable = _Reachability(case)

    def executions(self) -> Iterator[Execution]:
        """The legal ones."""
        return (e for e in self.candidates() if not violations(e, self.threads))

    def candidates(self) -> Iterator[Execution]:
        """Complete ones, D-ORDER and D-FREE not yet checked."""
        state = _State(self.case.program, self.mode, [], self.group, {}, {})
        state.results = [()] * self.case.threads
        state.passed = [0] * self.case.threads
        state.by_site, state.closed, state.next_class = {}, set(), 0
        state.traces = [self.threads.trace(t, ()) for t in range(self.case.threads)]
        state.least = None
        if self.mode == "maximal" and any(not f.is_controlled for f in self.case.program.functions):
            state.least = Maximal(self.case.program, self.case.threads, state.launched_together)
            for thread, trace in enumerate(state.traces):
                state.least.extend(thread, trace)
        yield from self._pass(state, frozenset())

    # -- what needs no schedule

    def _pass(self, state: _State, asleep: frozenset[Move]) -> Iterator[Execution]:
        """Classes for everything up to each thread's next exchange."""
        for thread, trace in enumerate(state.traces):
            end = len(trace.nodes) - (not trace.complete)
            while state.passed[thread] < end:
                at = (thread, state.passed[thread])
                state.passed[thread] += 1
                node = trace.nodes[at[1]]
                if not node.convergent:
                    continue
                options = self._classes_for(state, at, node)
                if not options:
                    return
                if len(options) > 1:
                    self._count()
                    for option in options[:-1]:
                        branch = state.copy()
                        branch.join(at, option)
                        yield from self._pass(branch, asleep)
                state.join(at, options[-1])
        if state.least is not None:
            state.least.derive()
            if not self._agrees_with_least(state):
                return
        yield from self._exchange(state, asleep)

    def _classes_for(self, state: _State, at: At, node: Node) -> list[int | None]:
        """The classes that an instance may join; none: a rule is broken."""
        there = state.by_site.get(node.site, [])
        if is_free(node):
            if self.mode == "none" and is_uncontrolled(node):
                return [None]
            fitting = [
                c
                for c in there
                if all(t != at[0] and state.launched_together(t, at[0]) for t, _ in state.members[c])
            ]
            return [*fitting, None]
        bound = [c for c in there if must_converge(state, state.members[c][0], at)]
        if not bound:
            return [None]
        taken = any(t == at[0] for t, _ in state.members[bound[0]])
        return [] if taken or len(bound) > 1 else [bound[0]]

    def _agrees_with_least(self, state: _State) -> bool:
        """Whoever must converge by now does, as far as both have a class."""
        least = state.least
        assert least is not None
        if not least.consistent:
            return False
        return all(
            mate in members or (mate not in state.class_of and number not in state.closed)
            for number, members in state.members.items()
            if is_uncontrolled(state.node(members[0]))
            for member in members
            for mate in least.mates(member)
        )

    # -- exchanges

    def _exchange(self, state: _State, asleep: frozenset[Move]) -> Iterator[Execution]:
        standing: dict[Site, list[At]] = {}
        for thread, trace in enumerate(state.traces):
            if not trace.complete:
                at = (thread, len(trace.nodes) - 1)
                standing.setdefault(state.site(at), []).append(at)
        if not standing:
            yield state
            return
        moves: list[Move] = []
        final: set[Move] = set()  # those that are in every legal execution from here
        for site, here in standing.items():
            for at in here:
                late = [
                    c for c in state.by_site.get(site, []) if must_converge(state, state.members[c][0], at)
                ]
                if late:
                    return
            groups = list(self._groups(state, here))
            moves += groups
            final |= {m for m in groups if self._is_final(state, m, groups)}
        if final & asleep:
            return
        explored: set[Move] = set()
        for move in moves:
            if move in asleep:
                continue
            self._count()
            busy = {t for t, _ in move}
            sleeping = frozenset(m for m in asleep | explored if not any(t in busy for t, _ in m))
            yield from self._perform(state.copy(), move, sleeping)
            explored.add(move)
            if move in final:
                return

    def _is_final(self, state: _State, move: Move, groups: list[Move]) -> bool:
        """Whether every legal execution from here has this group: it is the one possible group of
        those who stand here, and no newcomer can join."""
        if is_uncontrolled(state.node(min(move))):
            if self.mode == "none":
                return True
            if self.mode == "any" or len(groups) > 1:
                return False
        return not self._can_grow(state, move)

    def _groups(self, state: _State, here: list[At]) -> Iterator[Move]:
        """The groups that threads standing at one exchange can form."""
        remaining = list(here)
        if not is_uncontrolled(state.node(here[0])):
            while remaining:  # all that must converge, and no other
                first = remaining[0]
                group = [at for at in remaining if at == first or must_converge(state, first, at)]
                remaining = [at for at in remaining if at not in group]
                yield frozenset(group)
            return
        if self.mode == "none":
            yield from (frozenset({at}) for at in here)
            return
        if state.least is None:
            for chosen in _subsets(list(range(len(here)))):
                if len({state.group[here[i][0]] for i in chosen}) == 1:
                    yield frozenset(here[i] for i in chosen)
            return
        parts: list[Move] = []  # those that must converge already; others may turn out to
        for at in here:
            mates = state.least.mates(at)
            if mates <= set(here) and mates not in parts:
                parts.append(mates)
        unions = [frozenset().union(*(parts[i] for i in c)) for c in _subsets(list(range(len(parts))))]
        yield from sorted(
            (
                u
                for u in unions
                if len({t for t, _ in u}) == len(u) and len({state.group[t] for t, _ in u}) == 1
            ),
            key=lambda u: u not in parts,
        )

    def _perform(self, state: _State, move: Move, asleep: frozenset[Move]) -> Iterator[Execution]:
        group = sorted(move)
        call = state.node(group[0]).instruction
        assert isinstance(call, Exchange | Effect)
        number = state.next_class
        for at in group:
            state.join(at, number if at != group[0] else None)
        state.closed.add(number)
        operands = [state.node(at).operand for at in group]
        result = 0 if isinstance(call, Effect) else exchange(call.callee, operands)
        for thread, position in group:
            state.results[thread] = (*state.results[thread], result)
            state.passed[thread] = position + 1
            state.run_on(self.threads, thread)
        yield from self._pass(state, asleep)

    def _can_grow(self, state: _State, move: Move) -> bool:
        """Whether, by the CFG, another thread may yet come to where this group stands."""
        site = state.site(min(move))
        inside = {t for t, _ in move}
        return any(
            t not in inside and state.group[t] == state.group[min(inside)] and self._may_reach(trace, site)
            for t, trace in enumerate(state.traces)
        )

    def _may_reach(self, trace: Trace, site: Site) -> bool:
        return any(
            site in self.reachable(trace.frames[p.frame].function, p.block, p.at) for p in trace.places
        )

    def _count(self) -> None:
        self.visited += 1
        if self.visited > self.limit:
            raise TooLong


class _Reachability:
    def __init__(self, case: Case) -> None:
        program = case.program
        self.program = program
        inside: dict[str, set[Site]] = {f.name: set() for f in program.functions}
        grew = True
        while grew:  # the sites of a function and of all that it calls
            grew = False
            for function in program.functions:
                for index, instruction in enumerate(function.instructions()):
                    new = {(function.name, index)}
                    if isinstance(instruction, Invocation):
                        new |= inside[instruction.callee]
                    if not new <= inside[function.name]:
                        inside[function.name] |= new
                        grew = True
        self.inside = inside
        self.known: dict[tuple[str, str, int], frozenset[Site]] = {}

    def __call__(self, function_name: str, block_name: str, at: int) -> frozenset[Site]:
        """The sites that control may come to after item ``at`` of the block, returns not followed."""
        key = (function_name, block_name, at)
        if key not in self.known:
            function = self.program.function[function_name]
            sites: set[Site] = set()

            def take(name: str, start: int) -> None:
                block = function.block[name]
                for offset in range(start, len(block.body)):
                    sites.add((function_name, function.first_index[name] + offset))
                    instruction = block.body[offset]
                    if isinstance(instruction, Invocation):
                        sites.update(self.inside[instruction.callee])

            take(block_name, at + 1)
            seen: set[str] = set()
            todo = list(function.block[block_name].successors)
            while todo:
                name = todo.pop()
                if name not in seen:
                    seen.add(name)
                    take(name, 0)
                    todo += function.block[name].successors
            self.known[key] = frozenset(sites)
        return self.known[key]


def legal(
    case: Case,
    mode: Mode = "maximal",
    subgroup_size: int | None = None,
    limit: int = 300,
    longest: int = 200,
) -> frozenset[Legal]:
    """All legal executions of a case; :class:`TooLong` if that is too much work."""
    found = [describe(e) for e in Search(case, mode, subgroup_size, limit, longest).executions()]
    assert len(found) == len(set(found)), "one execution was found twice"
    return frozenset(found)
