"""Transforms of structured little programs, right ones and wrong ones: what refinement has to tell apart.

Each is a function from one body to the bodies it could become there; :func:`everywhere` looks at all
bodies of a routine. None asks whether it is allowed: that is what is being tested.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from .refinement_source import (
    Anchored,
    Body,
    Break,
    Call,
    Combine,
    Compare,
    Give,
    If,
    Operand,
    Routine,
    Routines,
    Set,
    Statement,
    Tell,
    While,
)

Local = Callable[[Body], Iterator[Body]]


def swap(body: Body) -> Iterator[Body]:
    """Two neighbours change places."""
    for i in range(len(body) - 1):
        if not isinstance(body[i], Break | Give) and not isinstance(body[i + 1], Break | Give):
            yield (*body[:i], body[i + 1], body[i], *body[i + 2 :])


def delete(body: Body) -> Iterator[Body]:
    """A statement goes, or only a heart."""
    for i, statement in enumerate(body):
        if isinstance(statement, Combine | Tell | Anchored | Set):
            yield (*body[:i], *body[i + 1 :])
        if isinstance(statement, While) and statement.heart is not None:
            yield (*body[:i], replace(statement, heart=None), *body[i + 1 :])


def sink(body: Body) -> Iterator[Body]:
    """One or several statements move from before a branch into one of its arms, or into both."""
    for i, statement in enumerate(body):
        if isinstance(statement, If):
            for first in range(max(0, i - 3), i):
                moved = body[first:i]
                for arms in ((True, False), (False, True), (True, True)):
                    yield (
                        *body[:first],
                        replace(
                            statement,
                            then=(*moved, *statement.then) if arms[0] else statement.then,
                            otherwise=(*moved, *statement.otherwise) if arms[1] else statement.otherwise,
                        ),
                        *body[i + 1 :],
                    )


def hoist(body: Body) -> Iterator[Body]:
    """What an arm, or both, begin with moves before the branch."""
    for i, statement in enumerate(body):
        if isinstance(statement, If):
            then, otherwise = statement.then, statement.otherwise
            for n in (1, 2):
                if len(then) >= n:
                    yield (*body[:i], *then[:n], replace(statement, then=then[n:]), *body[i + 1 :])
                if len(otherwise) >= n:
                    rest = replace(statement, otherwise=otherwise[n:])
                    yield (*body[:i], *otherwise[:n], rest, *body[i + 1 :])
                if len(then) >= n and then[:n] == otherwise[:n]:
                    rest = replace(statement, then=then[n:], otherwise=otherwise[n:])
                    yield (*body[:i], *then[:n], rest, *body[i + 1 :])


def merge(body: Body) -> Iterator[Body]:
    """What both arms end with moves behind them; or a later statement into both."""
    for i, statement in enumerate(body):
        if isinstance(statement, If):
            then, otherwise = statement.then, statement.otherwise
            for n in (1, 2):
                if then[-n:] and then[-n:] == otherwise[-n:] and not isinstance(then[-1], Break | Give):
                    rest = replace(statement, then=then[:-n], otherwise=otherwise[:-n])
                    yield (*body[:i], rest, *then[-n:], *body[i + 1 :])
            following = body[i + 1 : i + 2]
            if following and not any(isinstance(s, Break | Give) for s in (*then, *otherwise)):
                spread = replace(statement, then=(*then, *following), otherwise=(*otherwise, *following))
                yield (*body[:i], spread, *body[i + 2 :])


def split(body: Body) -> Iterator[Body]:
    """One branch becomes two in a row with the same test, or two become one."""
    for i, statement in enumerate(body):
        if isinstance(statement, If):
            for n in range(1, len(statement.then)):
                first = If(statement.test, statement.then[:n], ())
                yield (*body[:i], first, replace(statement, then=statement.then[n:]), *body[i + 1 :])
            following = body[i + 1] if i + 1 < len(body) else None
            if isinstance(following, If) and following.test == statement.test:
                joined = If(
                    statement.test,
                    (*statement.then, *following.then),
                    (*statement.otherwise, *following.otherwise),
                )
                yield (*body[:i], joined, *body[i + 2 :])


def duplicate(body: Body) -> Iterator[Body]:
    """A statement is done twice, or once in each arm of a new branch."""
    for i, statement in enumerate(body):
        if isinstance(statement, Combine | Tell | Call | Anchored):
            yield (*body[: i + 1], *body[i:])
            if not isinstance(statement, Anchored):
                for test in (Compare("ugt", "v1", 0), Compare("eq", "v0", "v0")):
                    yield (*body[:i], If(test, (statement,), (statement,)), *body[i + 1 :])


def _renamed(body: Body, names: dict[str, str]) -> Body:
    """With other tokens, as far as they are not defined anew inside."""
    made: list[Statement] = []
    for statement in body:
        match statement:
            case Combine() | Tell() | Call():
                made.append(replace(statement, token=names.get(statement.token, statement.token)))
            case If():
                then, otherwise = (_renamed(b, names) for b in (statement.then, statement.otherwise))
                made.append(replace(statement, then=then, otherwise=otherwise))
            case _:
                made.append(statement)
    return tuple(made)


def unroll(body: Body) -> Iterator[Body]:
    """By two for any trip count: the second copy after a test; with a remainder; as if it were even; one
    round peeled off."""
    for i, loop in enumerate(body):
        if not isinstance(loop, While) or loop.head or loop.test != Compare("ugt", "v1", 0):
            continue
        if any(isinstance(s, Break | While) for s in loop.body):
            continue
        before, after = body[:i], body[i + 1 :]
        two = replace(loop, test=Compare("ugt", "v1", 1), body=(*loop.body, *loop.body))
        rest: Body = loop.body
        if loop.heart is not None:
            rest = _renamed(loop.body, {loop.heart[0]: loop.heart[1]})
        yield (*before, two, If(loop.test, rest, ()), *after)
        yield (*before, two, loop, *after)
        yield (*before, replace(loop, body=(*loop.body, *loop.body)), *after)
        yield (*before, replace(loop, body=(*loop.body, If(loop.test, loop.body, ()))), *after)
        yield (*before, If(loop.test, rest, ()), loop, *after)


def into_loop(body: Body) -> Iterator[Body]:
    """A statement next to a loop moves into it."""
    for i, loop in enumerate(body):
        if isinstance(loop, While):
            if i > 0:
                yield (*body[: i - 1], replace(loop, body=(body[i - 1], *loop.body)), *body[i + 1 :])
                yield (*body[: i - 1], replace(loop, head=(body[i - 1], *loop.head)), *body[i + 1 :])
            if i + 1 < len(body):
                yield (*body[:i], replace(loop, body=(*loop.body, body[i + 1])), *body[i + 2 :])
            if i > 0 and isinstance(body[i - 1], Anchored) and loop.heart is not None:
                names = {loop.heart[0]: body[i - 1].token}  # type: ignore[union-attr]
                inside = (body[i - 1], *_renamed(loop.body, names))
                yield (*body[: i - 1], replace(loop, heart=None, body=inside), *body[i + 1 :])


def out_of_loop(body: Body) -> Iterator[Body]:
    """What a loop's body or header begins with moves before it; the anchor of a body becomes its heart."""
    for i, loop in enumerate(body):
        if isinstance(loop, While):
            if loop.body:
                yield (*body[:i], loop.body[0], replace(loop, body=loop.body[1:]), *body[i + 1 :])
                if isinstance(loop.body[0], Anchored) and loop.heart is None:
                    outer = Anchored("outer")
                    inside = replace(loop, heart=(loop.body[0].token, "outer"), body=loop.body[1:])
                    yield (*body[:i], outer, inside, *body[i + 1 :])
            if loop.head:
                yield (*body[:i], loop.head[0], replace(loop, head=loop.head[1:]), *body[i + 1 :])
                yield (
                    *body[:i],
                    replace(loop, head=loop.head[1:], body=(loop.head[0], *loop.body)),
                    *body[i + 1 :],
                )


def anchor(body: Body) -> Iterator[Body]:
    """An operation, or two, get an anchor of their own."""
    for i, statement in enumerate(body):
        if isinstance(statement, Combine | Tell | Call):
            own = replace(statement, token="own")
            yield (*body[:i], Anchored("own"), own, *body[i + 1 :])
            following = body[i + 1] if i + 1 < len(body) else None
            if isinstance(following, Combine | Tell | Call):
                yield (*body[:i], Anchored("own"), own, replace(following, token="own"), *body[i + 2 :])


def retoken(body: Body) -> Iterator[Body]:
    """An operation takes the token of another one, or of an anchor here."""
    tokens = {s.token for s in body if isinstance(s, Combine | Tell | Call | Anchored)}
    for i, statement in enumerate(body):
        if isinstance(statement, Combine | Tell | Call):
            for token in sorted(tokens - {statement.token}):
                yield (*body[:i], replace(statement, token=token), *body[i + 1 :])


def operand(body: Body) -> Iterator[Body]:
    """An operation gets another operand: a constant, another variable, poison."""
    others: tuple[Operand, ...] = (1, "v1", "v0")
    for i, statement in enumerate(body):
        match statement:
            case Combine() | Tell() | Call():
                for other in others:
                    if other != statement.operand:
                        yield (*body[:i], replace(statement, operand=other), *body[i + 1 :])
            case Set():
                yield (*body[:i], Set(statement.variable, "lshr", statement.lhs, 32), *body[i + 1 :])
                yield (
                    *body[:i],
                    replace(statement, lhs=statement.rhs, rhs=statement.lhs),
                    *body[i + 1 :],
                )


TRANSFORMS: dict[str, Local] = {
    f.__name__: f
    for f in (
        swap,
        delete,
        sink,
        hoist,
        merge,
        split,
        duplicate,
        unroll,
        into_loop,
        out_of_loop,
        anchor,
        retoken,
        operand,
    )
}


def everywhere(local: Local, body: Body) -> Iterator[Body]:
    """A transform at one place of a body, or of one inside it."""
    yield from local(body)
    for i, statement in enumerate(body):
        inner: list[Statement] = []
        match statement:
            case If():
                inner += [replace(statement, then=b) for b in everywhere(local, statement.then)]
                inner += [replace(statement, otherwise=b) for b in everywhere(local, statement.otherwise)]
            case While():
                inner += [replace(statement, body=b) for b in everywhere(local, statement.body)]
        for changed in inner:
            yield (*body[:i], changed, *body[i + 1 :])


def entry_to_anchor(routines: Routines) -> Iterator[Routines]:
    """The launched routine's entry token becomes an anchor's."""
    main = routines[0]
    if main.entry is not None:
        yield (Routine(main.name, None, (Anchored(main.entry), *main.body)), *routines[1:])


def transformed(rng: random.Random, routines: Routines) -> tuple[str, Routines] | None:
    """One transform at one place, drawn; ``None`` if the one drawn fits nowhere."""
    name = rng.choice([*TRANSFORMS, "entry_to_anchor"])
    if name == "entry_to_anchor":
        found = list(entry_to_anchor(routines))
    else:
        main = routines[0]
        bodies = everywhere(TRANSFORMS[name], main.body)
        found = [(replace(main, body=b), *routines[1:]) for b in bodies]
    return (name, rng.choice(found)) if found else None
