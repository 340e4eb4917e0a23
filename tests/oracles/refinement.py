"""Refinement of semantics.md §6, decided by brute force for one launch of two tiny programs.

All traces of all threads with all labels; what is kept is legal by D-EQ, D-ENTRY, D-LOOP, D-USE and
D-DEP: dependence, carried across ≡ on operations that exchange data, has no circle. Along it the
results are found, and then whether the branches were decided as the traces say.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import Literal, NamedTuple

from .programs import Anchor, Effect, Entry, Exchange, Invocation, Loop, Program
from .refinement_traces import Control, Node, TooMuch, Trace, apply, evaluate, traces

Verdict = Literal["equal", "refines", "wrong", "undefined"]
"""``undefined``: some execution of the source is, so that this launch says nothing."""
Free = Literal["any", "none"]
"""What uncontrolled operations do."""

At = tuple[int, int]
"""(thread, place in its trace)"""
Labels = dict[At, int]


class Event(NamedTuple):
    """``group``: the number of the event in each thread's events, from 1, by thread."""

    callee: str
    operand: int | None
    group: frozenset[tuple[int, int]]


class Ended(NamedTuple):
    returned: int | None
    events: tuple[Event, ...]


Outcome = tuple[Ended, ...]


class Outcomes(NamedTuple):
    found: frozenset[Outcome]
    undefined: bool


COMBINES = {"subgroupAdd": "add", "subgroupOr": "or", "subgroupXor": "xor", "subgroupAnd": "and"}


def outcomes(
    program: Program,
    arguments: Sequence[tuple[int, ...]],
    subgroup_size: int | None = None,
    free: Free = "any",
    control: Control = "region",
    limit: int = 2_000,
) -> Outcomes:
    """All that the threads may do together; :class:`TooMuch` beyond ``limit`` candidates."""
    launch = tuple(t // (subgroup_size or len(arguments)) for t in range(len(arguments)))
    found: set[Outcome] = set()
    undefined = False
    count = 0
    for chosen in product(*(traces(program, a, control) for a in arguments)):
        for labels in _labels(chosen, launch, free):
            count += 1
            if count > limit:
                raise TooMuch
            outcome = _outcome(chosen, labels, launch)
            if outcome == "undefined":
                undefined = True
            elif outcome != "illegal":
                found.add(outcome)
    return Outcomes(frozenset(found), undefined)


# -- choices ------------------------------------------------------------------------------------------------


def _is_free(node: Node) -> bool:
    return isinstance(node.instruction, Anchor) or _is_uncontrolled(node)


def _is_uncontrolled(node: Node) -> bool:
    return isinstance(node.instruction, Exchange | Effect | Invocation) and node.token is None


def _labels(chosen: Sequence[Trace], launch: Sequence[int], free: Free) -> Iterator[Labels]:
    """All ways to converge the free instances: any of one site, at most one of a thread, all of one
    launch group (D-ANCHOR, D-FREE, D-EQ)."""
    instances = [
        (node.site, (t, p))
        for t, trace in enumerate(chosen)
        for p, node in enumerate(trace.nodes)
        if _is_free(node)
    ]
    alone = [at for _, at in instances if free == "none" and _is_uncontrolled(_node(chosen, at))]

    def go(left: list[tuple[tuple[str, int], At]], classes: list[list[At]]) -> Iterator[Labels]:
        if not left:
            yield {at: number for number, members in enumerate(classes) for at in members}
            return
        (site, at), rest = left[0], left[1:]
        for members in classes:
            first = members[0]
            if (
                _node(chosen, first).site == site
                and at not in alone
                and launch[first[0]] == launch[at[0]]
                and all(t != at[0] for t, _ in members)
            ):
                members.append(at)
                yield from go(rest, classes)
                members.pop()
        classes.append([at])
        yield from go(rest, classes)
        classes.pop()

    return go(instances, [])


def _node(chosen: Sequence[Trace], at: At) -> Node:
    return chosen[at[0]].nodes[at[1]]


# -- one candidate ------------------------------------------------------------------------------------------


def _classes(
    chosen: Sequence[Trace], labels: Labels, launch: Sequence[int]
) -> dict[Hashable, list[At]] | None:
    """≡ by the keys; ``None`` if a thread meets its own key again."""
    keys: dict[At, Hashable] = {}
    classes: dict[Hashable, list[At]] = {}
    for t, trace in enumerate(chosen):
        for p, node in enumerate(trace.nodes):
            key: Hashable
            call = trace.calls[node.frame]
            match node.instruction:
                case Entry() if call is None:
                    key = ("entry", node.site, launch[t])
                case Entry():
                    assert call is not None, "the case above"
                    key = ("entry", node.site, keys[t, call])
                case Loop():
                    key = ("loop", node.site, keys[t, node.token], node.beat)  # type: ignore[index]
                case _ if _is_free(node):
                    key = ("free", node.site, labels[t, p])
                case _:
                    key = ("use", node.site, keys[t, node.token])  # type: ignore[index]
            keys[t, p] = key
            members = classes.setdefault(key, [])
            if any(u == t for u, _ in members):
                return None
            members.append((t, p))
    return classes


def _outcome(
    chosen: Sequence[Trace], labels: Labels, launch: Sequence[int]
) -> Outcome | Literal["undefined", "illegal"]:
    classes = _classes(chosen, labels, launch)
    if classes is None:
        return "illegal"
    exchanges = [
        members
        for members in classes.values()
        if isinstance(_node(chosen, members[0]).instruction, Exchange | Effect)
    ]
    results = _results(chosen, exchanges)
    if results is None:
        return "illegal"
    for trace, known in zip(chosen, results, strict=True):
        for expression, taken in trace.conditions:
            value = evaluate(expression, known)
            if value is None:
                return "undefined"
            if bool(value) != taken:
                return "illegal"
    if any(trace.ending == "undefined" for trace in chosen):
        return "undefined"
    if any(trace.ending == "cut" for trace in chosen):
        raise TooMuch
    return _seen(chosen, exchanges, results)


def _results(chosen: Sequence[Trace], exchanges: list[list[At]]) -> list[dict[int, int | None]] | None:
    """The results by thread and place, found along the dependence; ``None`` if it has a circle (D-DEP)."""
    number = {at: n for n, members in enumerate(exchanges) for at in members}
    needs: list[set[int]] = []
    for members in exchanges:
        mine: set[int] = set()
        for t, p in members:
            node = _node(chosen, (t, p))
            mine |= {number[t, q] for q in node.needs}
            if isinstance(node.instruction, Effect):  # program order among side effects
                mine |= {
                    number[t, q]
                    for q, other in enumerate(chosen[t].nodes[:p])
                    if isinstance(other.instruction, Effect)
                }
        needs.append(mine)
    results: list[dict[int, int | None]] = [{} for _ in chosen]
    left = set(range(len(exchanges)))
    while left:
        ready = [n for n in left if not needs[n] & left]
        if not ready:
            return None
        for n in ready:
            left.remove(n)
            call = _node(chosen, exchanges[n][0]).instruction
            if isinstance(call, Exchange):
                operands = [evaluate(_node(chosen, (t, p)).operand, results[t]) for t, p in exchanges[n]]
                total = operands[0]
                for operand in operands[1:]:
                    total = apply(COMBINES[call.callee], total, operand)
                for t, p in exchanges[n]:
                    results[t][p] = total
    return results


def _seen(
    chosen: Sequence[Trace], exchanges: list[list[At]], results: list[dict[int, int | None]]
) -> Outcome:
    of = {at: members for members in exchanges for at in members}
    numbers: dict[At, int] = {}
    for t, trace in enumerate(chosen):
        effects = [p for p, n in enumerate(trace.nodes) if isinstance(n.instruction, Effect)]
        numbers |= {(t, p): k for k, p in enumerate(effects, 1)}
    ended = []
    for t, trace in enumerate(chosen):
        events = []
        for p, node in enumerate(trace.nodes):
            if isinstance(node.instruction, Effect):
                group = frozenset((at[0], numbers[at]) for at in of[t, p])
                events.append(Event(node.instruction.callee, evaluate(node.operand, results[t]), group))
        ended.append(Ended(evaluate(trace.returned, results[t]), tuple(events)))
    return tuple(ended)


# -- comparing ----------------------------------------------------------------------------------------------


def refined_by(source: Outcome, target: Outcome) -> bool:
    """Whether the target's outcome is the source's, poison made anything."""

    def value(s: int | None, t: int | None) -> bool:
        return s is None or s == t

    return all(
        value(s.returned, t.returned)
        and len(s.events) == len(t.events)
        and all(
            (e.callee, e.group) == (f.callee, f.group) and value(e.operand, f.operand)
            for e, f in zip(s.events, t.events, strict=True)
        )
        for s, t in zip(source, target, strict=True)
    )


def refines(target: Outcomes, source: Outcomes) -> bool:
    """Whether each outcome of the target is refined by one of the source."""
    if source.undefined:
        return True
    return not target.undefined and all(any(refined_by(s, t) for s in source.found) for t in target.found)


def verdict(source: Outcomes, target: Outcomes) -> Verdict:
    """What one launch says."""
    if source.undefined:
        return "undefined"
    if not refines(target, source):
        return "wrong"
    return "equal" if refines(source, target) else "refines"


def decide(
    source: Program,
    target: Program,
    arguments: Sequence[tuple[int, ...]],
    subgroup_size: int | None = None,
    free: Free = "any",
    control: Control = "region",
) -> Verdict:
    """:func:`verdict` of one launch; :class:`TooMuch` if it is too much work."""
    return verdict(
        outcomes(source, arguments, subgroup_size, free, control),
        outcomes(target, arguments, subgroup_size, free, control),
    )
