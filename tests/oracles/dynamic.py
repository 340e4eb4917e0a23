"""Every legal execution of a small program, by the definition in semantics.md §2.

*Checking* is literal: :func:`violations` takes complete traces and a relation and looks at each
pair of instances with the sentence of each rule. *Searching* only has to miss nothing:

- :func:`every_relation` makes all relations that D-EQ, D-ORDER and D-THREAD allow: any threads that
  stand at one static instance may perform it together, until all are done. (A relation has such a
  schedule if and only if its quotient order is acyclic.) For tiny programs.
- :func:`legal` cuts that down. Intrinsics and calls of defined functions join a class when they
  are passed, for they return nothing; an exchange happens for a guessed group, which is closed then:
  an execution in which someone else belongs to it is found under another guess. Groups of different
  threads commute, so a guess that was explored first sleeps in its siblings (Godefroid's sleep sets)
  until its threads do something else. Only what already breaks a pairwise rule is cut off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from .dynamic_maximal import At, Maximal
from .dynamic_traces import Node, Threads, TooLong, Trace, exchange
from .programs import Anchor, Effect, Entry, Exchange, Invocation, Loop, Program
from .programs_draw import Case

Mode = Literal["maximal", "any", "none"]

Instance = tuple[int, str, int, int]
"""(thread, function, instruction in text order, nth): as ``DynamicInstance``, flattened."""

Alignment = frozenset[frozenset[Instance]]


class Event(NamedTuple):
    """A call with effects: its group as (thread, number of the event there), numbers from 1."""

    callee: str
    operand: int
    group: frozenset[tuple[int, int]]


class Ended(NamedTuple):
    """What the outside sees of one thread."""

    returned: int
    events: tuple[Event, ...]


class Legal(NamedTuple):
    """One legal execution; ``outcome`` by thread."""

    alignment: Alignment
    outcome: tuple[Ended, ...]


@dataclass
class Execution:
    """Traces and the relation as classes; ``group`` is each thread's launch group."""

    program: Program
    mode: Mode
    traces: list[Trace]
    group: tuple[int, ...]
    class_of: dict[At, int]
    members: dict[int, list[At]]

    def node(self, at: At) -> Node:
        return self.traces[at[0]].nodes[at[1]]

    def site(self, at: At) -> tuple[str, int]:
        node = self.node(at)
        return node.site

    def converged(self, a: At, b: At) -> bool:
        return self.class_of[a] == self.class_of[b]

    def launched_together(self, a: int, b: int) -> bool:
        return self.group[a] == self.group[b]


# -- the rules, pair by pair ------------------------------------------------------------------------


def _caller(execution: Execution, at: At) -> At | None:
    call = execution.traces[at[0]].frames[execution.node(at).frame].call
    return None if call is None else (at[0], call)


def _token(execution: Execution, at: At) -> At:
    token = execution.node(at).token
    assert token is not None
    return (at[0], token)


def d_entry(execution: Execution, a: At, b: At) -> bool:
    """Launched: the environment's launch groups. Called: ≡ iff the call-site instances are ≡."""
    call_a, call_b = _caller(execution, a), _caller(execution, b)
    if call_a is None or call_b is None:
        return call_a is call_b and execution.launched_together(a[0], b[0])
    return execution.site(call_a) == execution.site(call_b) and execution.converged(call_a, call_b)


def d_loop(execution: Execution, a: At, b: At) -> bool:
    """≡ iff the tokens are from ≡ instances and both execute it the n-th time with that token."""
    if not d_use(execution, a, b):
        return False

    def beats(at: At) -> int:
        nodes = execution.traces[at[0]].nodes
        me = nodes[at[1]]
        same = ((n.site, n.token) == (me.site, me.token) for n in nodes[: at[1] + 1])
        return sum(same)

    return beats(a) == beats(b)


def d_use(execution: Execution, a: At, b: At) -> bool:
    """≡ iff the tokens come from ≡ instances."""
    token_a, token_b = _token(execution, a), _token(execution, b)
    return execution.site(token_a) == execution.site(token_b) and execution.converged(token_a, token_b)


def is_free(node: Node) -> bool:
    """An anchor, or an uncontrolled convergent operation: nothing but D-EQ and D-ORDER bind it..."""
    return isinstance(node.instruction, Anchor) or is_uncontrolled(node)


def is_uncontrolled(node: Node) -> bool:
    """... in mode ``any``; D-FREE."""
    return isinstance(node.instruction, Exchange | Effect | Invocation) and node.instruction.token is None


def must_converge(execution: Execution, a: At, b: At) -> bool | None:
    """What D-ENTRY, D-LOOP and D-USE say of two instances of one instruction; ``None``: free."""
    node = execution.node(a)
    if is_free(node):
        return None
    match node.instruction:
        case Entry():
            return d_entry(execution, a, b)
        case Loop():
            return d_loop(execution, a, b)
        case _:
            return d_use(execution, a, b)


# -- the rules, on a whole execution ----------------------------------------------------------------


def d_order(execution: Execution) -> bool:
    """Each class of convergent operations and intrinsics can have a column of its own after all
    that are before it in some thread: the quotient order has no cycle."""
    after: dict[int, set[int]] = {c: set() for c in execution.members}
    incoming = dict.fromkeys(execution.members, 0)
    for thread, trace in enumerate(execution.traces):
        columns = [execution.class_of[thread, p] for p, n in enumerate(trace.nodes) if n.convergent]
        for one, two in pairwise(columns):
            if two not in after[one]:
                after[one].add(two)
                incoming[two] += 1
    ready = [c for c, count in incoming.items() if not count]
    placed = 0
    while ready:
        placed += 1
        for later in after[ready.pop()]:
            incoming[later] -= 1
            if not incoming[later]:
                ready.append(later)
    return placed == len(execution.members)


def d_thread(execution: Execution, threads: Threads) -> bool:
    """Running each thread alone, with the results that its groups give, yields its trace."""
    for thread, trace in enumerate(execution.traces):
        run = threads.trace(thread, ())
        results: tuple[int, ...] = ()
        while not run.complete:
            if run.nodes != trace.nodes[: len(run.nodes)]:
                return False
            results += (_result(execution, (thread, len(run.nodes) - 1)),)
            run = threads.trace(thread, results)
        if (run.nodes, run.returned) != (trace.nodes, trace.returned):
            return False
    return True


def _result(execution: Execution, at: At) -> int:
    instruction = execution.node(at).instruction
    if isinstance(instruction, Effect):
        return 0
    assert isinstance(instruction, Exchange)
    group = sorted(execution.members[execution.class_of[at]])
    return exchange(instruction.callee, [execution.node(m).operand for m in group])


def violations(execution: Execution, threads: Threads) -> set[str]:
    """The D-rules that complete traces of these threads with a relation break."""
    broken: set[str] = set()
    instances = [
        (t, p) for t, trace in enumerate(execution.traces) for p, n in enumerate(trace.nodes) if n.convergent
    ]
    if not all(t.complete for t in execution.traces) or not d_thread(execution, threads):
        broken.add("D-THREAD")
    if any(len({execution.site(at) for at in members}) > 1 for members in execution.members.values()):
        broken.add("D-EQ")
    of_site: dict[tuple[str, int], list[At]] = {}
    for at in instances:
        of_site.setdefault(execution.site(at), []).append(at)
    for a, b in (pair for here in of_site.values() for pair in combinations(here, 2)):
        same = execution.converged(a, b)
        if same and (a[0] == b[0] or not execution.launched_together(a[0], b[0])):
            broken.add("D-EQ")
        must = must_converge(execution, a, b)
        if must is not None and must != same:
            broken.add(_rule(execution.node(a)))
    free = [at for at in instances if is_uncontrolled(execution.node(at))]
    if execution.mode == "none" and any(len(execution.members[execution.class_of[at]]) > 1 for at in free):
        broken.add("D-FREE")
    if execution.mode == "maximal" and free:
        least = maximal_of(execution)
        if not least.consistent or any(
            least.mates(at) != frozenset(execution.members[execution.class_of[at]]) for at in free
        ):
            broken.add("D-FREE")
    if not d_order(execution):
        broken.add("D-ORDER")
    return broken


def _rule(node: Node) -> str:
    match node.instruction:
        case Entry():
            return "D-ENTRY"
        case Loop():
            return "D-LOOP"
        case _:
            return "D-USE"


def maximal_of(execution: Execution) -> Maximal:
    """The least maximal relation over the traces, given what is not uncontrolled."""
    least = Maximal(execution.program, len(execution.traces), execution.launched_together)
    for thread, trace in enumerate(execution.traces):
        least.extend(thread, trace)
    for members in execution.members.values():
        if not is_uncontrolled(execution.node(members[0])):
            for other in members[1:]:
                least.merge(members[0], other)
    least.derive()
    return least


def describe(execution: Execution) -> Legal:
    """An execution in terms that convcheck's can be compared with."""
    alignment = frozenset(
        frozenset((t, *n.site, n.nth) for t, p in members for n in [execution.node((t, p))])
        for members in execution.members.values()
    )
    numbers: dict[At, int] = {}
    for thread, trace in enumerate(execution.traces):
        effects = [p for p, n in enumerate(trace.nodes) if isinstance(n.instruction, Effect)]
        numbers |= {(thread, p): k for k, p in enumerate(effects, 1)}
    outcome = []
    for thread, trace in enumerate(execution.traces):
        events = []
        for position, node in enumerate(trace.nodes):
            if isinstance(node.instruction, Effect):
                group = execution.members[execution.class_of[thread, position]]
                together = frozenset((at[0], numbers[at]) for at in group)
                events.append(Event(node.instruction.callee, node.operand, together))
        assert trace.returned is not None
        outcome.append(Ended(trace.returned, tuple(events)))
    return Legal(alignment, tuple(outcome))


# -- all relations ----------------------------------------------------------------------------------


def _launch_groups(threads: int, size: int | None) -> tuple[int, ...]:
    return tuple(t // (size or threads) for t in range(threads))


def every_relation(
    case: Case, mode: Mode = "maximal", subgroup_size: int | None = None, limit: int = 2_000
) -> Iterator[Execution]:
    """Every execution that D-EQ (but for launch groups), D-ORDER and D-THREAD allow."""
    threads = Threads(case.program, case.arguments)
    group = _launch_groups(case.threads, subgroup_size)
    seen: set[object] = set()

    def go(results: list[tuple[int, ...]], done: list[int], classes: list[list[At]]) -> Iterator[Execution]:
        """``done[t]``: how many nodes thread ``t`` has behind it."""
        traces = [threads.trace(t, r) for t, r in enumerate(results)]
        done = list(done)
        for t, trace in enumerate(traces):
            while done[t] < len(trace.nodes) and not trace.nodes[done[t]].convergent:
                done[t] += 1
        state = (tuple(results), tuple(done), frozenset(frozenset(c) for c in classes))
        if state in seen:
            return
        seen.add(state)
        if len(seen) > limit:
            raise TooLong
        standing: dict[tuple[str, int], list[int]] = {}
        for t, trace in enumerate(traces):
            if done[t] < len(trace.nodes):
                node = trace.nodes[done[t]]
                standing.setdefault(node.site, []).append(t)
        if not standing:
            class_of = {at: number for number, members in enumerate(classes) for at in members}
            yield Execution(case.program, mode, traces, group, class_of, dict(enumerate(classes)))
        for together in standing.values():
            for chosen in _subsets(together):
                members = [(t, done[t]) for t in chosen]
                nodes = [traces[t].nodes[p] for t, p in members]
                call = nodes[0].instruction
                new_results = list(results)
                if isinstance(call, Exchange | Effect):
                    operands = [n.operand for n in nodes]
                    result = 0 if isinstance(call, Effect) else exchange(call.callee, operands)
                    for t in chosen:
                        new_results[t] = (*results[t], result)
                new_done = [d + (t in chosen) for t, d in enumerate(done)]
                yield from go(new_results, new_done, [*classes, members])

    yield from go([()] * case.threads, [0] * case.threads, [])


def _subsets(items: list[int]) -> Iterator[tuple[int, ...]]:
    for size in range(len(items), 0, -1):
        yield from combinations(items, size)


def legal_by_definition(
    case: Case, mode: Mode = "maximal", subgroup_size: int | None = None
) -> frozenset[Legal]:
    """All legal executions: every relation, filtered by every rule."""
    threads = Threads(case.program, case.arguments)
    executions = every_relation(case, mode, subgroup_size)
    return frozenset(describe(e) for e in executions if not violations(e, threads))
