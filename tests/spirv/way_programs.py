"""Random shaders whose threads part, and by brute force who may be together where SPIR-V alone says so.

The second half reads the text of SPIR-V 2.2.5 (*Dynamic Instance*, *Uniform Control Flow*) and knows nothing
of convcheck. Threads go together as long as they take one control-flow path; those of different paths may
go on together where they stand at one instruction; and where control flow is shown to be uniform, all do.
Conditions are bits of constants, by thread and round, so each thread's way is known beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from random import Random

ROUNDS = 2


@dataclass(frozen=True)
class Vote:
    """A ballot."""

    number: int


@dataclass(frozen=True)
class If:
    """Threads with a bit in ``bits`` do ``then``, the others ``otherwise``."""

    number: int
    bits: int
    then: Statements
    otherwise: Statements


@dataclass(frozen=True)
class Cases:
    """A switch on two bits: ``first`` for 0 and 1, ``second`` for 2, and for 3 neither. ``falls`` from the
    first to the second."""

    number: int
    bits: int
    first: Statements
    second: Statements
    falls: bool


@dataclass(frozen=True)
class Loop:
    """At most ROUNDS rounds, which threads with a bit in ``leaving`` leave early (``None``: nobody)."""

    number: int
    body: Statements
    leaving: int | None


@dataclass(frozen=True)
class Return:
    """Of the function: the helper's, or the whole."""


@dataclass(frozen=True)
class Call:
    """Of the helper."""


Statement = Vote | If | Cases | Loop | Return | Call
Statements = tuple[Statement, ...]


@dataclass(frozen=True)
class WayShader:
    """``threads`` run ``main``, which may call ``helper``."""

    threads: int
    main: Statements
    helper: Statements


class _Drawing:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers = iter(range(1000))

    def statements(self, depth: int, helper: bool, looped: bool) -> Statements:
        count = self.random.choice((1, 1, 2) if depth else (2, 3))
        return tuple(self.statement(depth, helper, looped) for _ in range(count))

    def statement(self, depth: int, helper: bool, looped: bool) -> Statement:
        random = self.random
        number = next(self.numbers)
        kind = random.random()
        if depth == 2 or kind < 0.35:
            return Vote(number)
        if kind < 0.45 and not helper:
            return Call()
        if kind < 0.6 and depth == 0 and not (looped or helper):
            body = self.statements(1, helper, True)
            return Loop(number, body, random.getrandbits(6) if random.random() < 0.6 else None)
        if kind < 0.7:
            inside = self.statements(depth + 1, helper, looped), self.statements(depth + 1, helper, looped)
            return Cases(number, random.getrandbits(12), *inside, random.random() < 0.5)
        then = self.statements(depth + 1, helper, looped)
        if random.random() < 0.3 and not (looped and not helper):
            then = (*then[:1], Return()) if not isinstance(then[0], Return) else then
        otherwise = self.statements(depth + 1, helper, looped) if random.random() < 0.3 else ()
        return If(number, random.getrandbits(6), then, otherwise)


def drawn(random: Random) -> WayShader:
    """A random shader; it ends with a vote."""
    drawing = _Drawing(random)
    main = (*drawing.statements(0, False, False), Vote(next(drawing.numbers)))
    helper = (*drawing.statements(1, True, False), Vote(next(drawing.numbers)))
    return WayShader(random.choice((2, 2, 3)), main, helper)


# -- As GLSL


def glsl(shader: WayShader) -> str:
    """Its source; votes stand in the order of their functions, and of their places there."""
    lines = ["#version 450", "#extension GL_KHR_shader_subgroup_ballot : enable"]
    lines += [f"layout(local_size_x = {shader.threads}) in;"]
    lines += ["void helper(uint r) {", *_lines(shader, shader.helper, "r"), "}"]
    lines += ["void main() {", *_lines(shader, shader.main, "0u"), "}"]
    return "\n".join(lines) + "\n"


def _bits(shader: WayShader, of: int, width: int, turn: str) -> str:
    place = f"{width}u * (gl_LocalInvocationIndex + {shader.threads}u * {turn})"
    return f"(({of}u >> ({place})) & {(1 << width) - 1}u)"


def _lines(shader: WayShader, statements: Statements, turn: str) -> Iterator[str]:
    for statement in statements:
        match statement:
            case Vote():
                yield "subgroupBallot(true);"
            case Call():
                yield f"helper({turn});"
            case Return():
                yield "return;"
            case If(_, bits, then, otherwise):
                yield f"if ({_bits(shader, bits, 1, turn)} != 0u) {{"
                yield from _lines(shader, then, turn)
                yield "} else {" if otherwise else "}"
                if otherwise:
                    yield from _lines(shader, otherwise, turn)
                    yield "}"
            case Cases(_, bits, first, second, falls):
                yield f"switch ({_bits(shader, bits, 2, turn)}) {{ case 0u: case 1u:"
                yield from _lines(shader, first, turn)
                yield "case 2u:" if falls else "break; case 2u:"
                yield from _lines(shader, second, turn)
                yield "break; }"
            case Loop(number, body, leaving):
                name = f"r{number}"
                yield f"for (uint {name} = 0u; {name} < {ROUNDS}u; ++{name}) {{"
                yield from _lines(shader, body, name)
                if leaving is not None:
                    yield f"if ({_bits(shader, leaving, 1, name)} != 0u) break;"
                yield "}"


def places(shader: WayShader) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers of the votes of the helper and of the whole, in text order."""
    return tuple(_votes(shader.helper)), tuple(_votes(shader.main))


def _votes(statements: Statements) -> Iterator[int]:
    for statement in statements:
        match statement:
            case Vote(number):
                yield number
            case If(_, _, then, otherwise):
                yield from (*_votes(then), *_votes(otherwise))
            case Cases(_, _, first, second, _):
                yield from (*_votes(first), *_votes(second))
            case Loop(_, body, _):
                yield from _votes(body)


# -- Who may be together, by the text of the specification


def _returns(statements: Statements) -> bool:
    """Whether something in a function leaves it early."""
    return any(
        isinstance(s, Return)
        or (isinstance(s, If) and (_returns(s.then) or _returns(s.otherwise)))
        or (isinstance(s, Cases) and (_returns(s.first) or _returns(s.second)))
        or (isinstance(s, Loop) and _returns(s.body))
        for s in statements
    )


def _calls(statements: Statements, uniform: bool, shader: WayShader) -> Iterator[bool]:
    """Of each call of the helper whether control flow is uniform there."""
    for s in statements:
        match s:
            case Call():
                yield uniform
                uniform = uniform and not _returns(shader.helper)
            case If(_, _, then, otherwise):
                yield from (*_calls(then, False, shader), *_calls(otherwise, False, shader))
            case Cases(_, _, first, second, _):
                yield from (*_calls(first, False, shader), *_calls(second, False, shader))
            case Loop(_, body, leaving):
                # who parts in a round, behind a call that they leave apart, has parted in the next
                apart = _returns(body) or (any(isinstance(b, Call) for b in body) and _returns(shader.helper))
                inside = uniform and leaving is None and not apart
                yield from _calls(body, inside, shader)
        uniform = uniform and not _returns((s,))


def _parts(statements: Statements, shader: WayShader) -> bool:
    """Whether threads may be apart behind statements that they entered together."""
    return _returns(statements) or (
        any(isinstance(s, Call) for s in statements) and (_returns(shader.helper) or not shared(shader))
    )


def shared(shader: WayShader) -> bool:
    """Whether all calls of the helper are in uniform control flow: it is one function for all of them."""
    return all(_calls(shader.main, True, shader))


Step = tuple[object, ...]
"""Of a thread's way: ``("vote", number)``, ``("way", ...)`` where it may part from others, or
``("all", ...)`` where control flow is shown to be uniform."""


def trace(shader: WayShader, thread: int) -> tuple[Step, ...]:
    """A thread's way."""
    return tuple(_steps(shader, shader.main, thread, 0, True, shared(shader), ()))


class _Left(Exception):
    pass


def _steps(
    shader: WayShader,
    statements: Statements,
    thread: int,
    turn: int,
    uniform: bool,
    together: bool,
    chain: tuple[object, ...],
) -> Iterator[Step]:
    with suppress(_Left):
        yield from _body(shader, statements, thread, turn, uniform, together, chain)


def _body(
    shader: WayShader,
    statements: Statements,
    thread: int,
    turn: int,
    uniform: bool,
    together: bool,
    chain: tuple[object, ...],
) -> Iterator[Step]:
    def bits(of: int, width: int, at: int) -> int:
        return of >> width * (thread + shader.threads * at) & (1 << width) - 1

    for place, s in enumerate(statements):
        if uniform:
            yield "all", *chain, turn, place, id(statements)
        match s:
            case Vote(number):
                yield "vote", number
            case Return():
                raise _Left
            case Call():
                entered = uniform and together
                yield from _steps(
                    shader, shader.helper, thread, turn, entered, together, (*chain, turn, place)
                )
                yield "way", "back", place
            case If(number, of, then, otherwise):
                taken = bool(bits(of, 1, turn))
                yield "way", number, taken
                branch = then if taken else otherwise
                yield from _body(shader, branch, thread, turn, False, together, chain)
            case Cases(number, of, first, second, falls):
                value = bits(of, 2, turn)
                yield "way", number, value
                if value < 2:
                    yield from _body(shader, first, thread, turn, False, together, chain)
                if value == 2 or (value < 2 and falls):
                    yield from _body(shader, second, thread, turn, False, together, chain)
            case Loop(number, body, leaving):
                stays = uniform and leaving is None and not _parts(body, shader)
                for at in range(ROUNDS):
                    yield "way", number, "round"
                    yield from _body(shader, body, thread, at, stays, together, (*chain, number, at))
                    if leaving is not None:
                        leaves = bool(bits(leaving, 1, at))
                        yield "way", number, leaves
                        if leaves:
                            break
                else:
                    yield "way", number, "behind"
        uniform = uniform and not _parts((s,), shader)


Ballot = tuple[int, frozenset[tuple[int, int]]]
"""A vote's number, and the threads that are together there, each with the number of its execution."""


def legal(shader: WayShader) -> set[frozenset[Ballot]]:
    """Every way in which the threads may be together at the votes.

    In any order: those that stand at one vote go through it in some union of those that came by one way.
    Nobody goes on from where all are together before all are there.
    """
    traces = tuple(trace(shader, t) for t in range(shader.threads))

    def ready(at: tuple[int, ...], ways: tuple[Step, ...]) -> tuple[tuple[int, ...], tuple[Step, ...]]:
        """All go on to their next vote, or to where all have to come."""
        moved = True
        now, came = list(at), list(ways)
        while moved:
            moved = False
            for t, steps in enumerate(traces):
                while now[t] < len(steps) and steps[now[t]][0] == "way":
                    came[t] = (*came[t], steps[now[t]])
                    now[t] += 1
            here = {traces[t][now[t]] if now[t] < len(traces[t]) else ("end",) for t in range(len(traces))}
            if len(here) == 1 and next(iter(here))[0] == "all":
                (step,) = here
                now, came, moved = [n + 1 for n in now], [step] * len(traces), True
        return tuple(now), tuple(came)

    @cache
    def futures(at: tuple[int, ...], ways: tuple[Step, ...]) -> frozenset[frozenset[Ballot]]:
        at, ways = ready(at, ways)
        standing: dict[Step, list[int]] = {}
        for t, steps in enumerate(traces):
            if at[t] < len(steps) and steps[at[t]][0] == "vote":
                standing.setdefault(steps[at[t]], []).append(t)
        if not standing:
            assert all(at[t] == len(steps) for t, steps in enumerate(traces)), (
                "somebody is waited for in vain"
            )
            return frozenset((frozenset[Ballot](),))
        results: set[frozenset[Ballot]] = set()
        for vote, comers in standing.items():
            classes: dict[Step, frozenset[int]] = {}
            for t in comers:
                classes[ways[t]] = classes.get(ways[t], frozenset()) | {t}
            for group in _subsets(list(classes.values())):
                ballot: Ballot = (
                    int(str(vote[1])),
                    frozenset((t, 1 + traces[t][: at[t]].count(vote)) for t in group),
                )
                further = tuple(n + (t in group) for t, n in enumerate(at))
                after = tuple((("met", *ballot),) if t in group else way for t, way in enumerate(ways))
                results |= {future | {ballot} for future in futures(further, after)}
        return frozenset(results)

    return set(futures((0,) * shader.threads, (("start",),) * shader.threads))


def _subsets(parts: list[frozenset[int]]) -> Iterator[frozenset[int]]:
    """Every union of one or more sets."""
    for chosen in range(1, 1 << len(parts)):
        yield frozenset[int]().union(*(part for n, part in enumerate(parts) if chosen >> n & 1))
