"""Smaller trees of a random shader: one statement less, a construct for its contents, a simpler condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ..semantics.clock import Clock
from .reconvergence import Ballot, Break, Continue, If, LoopStatement, Statement, SwitchStatement

Tree = tuple[Statement, ...]


def smaller(tree: Tree, inside: bool = False) -> Iterator[Tree]:
    """Trees with one change each; ``inside`` a loop, ``break`` and ``continue`` may stay where it went."""
    for at, statement in enumerate(tree):
        before, after = tree[:at], tree[at + 1 :]
        yield (*before, *after)
        for simpler in _simpler(statement, inside):
            yield (*before, *simpler, *after)


def _simpler(statement: Statement, inside: bool) -> Iterator[Tree]:
    match statement:
        case If(then=then, otherwise=otherwise):
            yield then
            if otherwise:
                yield otherwise
                yield (replace(statement, otherwise=()),)
            for simpler in smaller(then, inside):
                yield (replace(statement, then=simpler),)
            for simpler in smaller(otherwise, inside):
                yield (replace(statement, otherwise=simpler),)
        case LoopStatement(body=body):
            if (inside or not _jumps(body)) and statement.counter not in _variables(body):
                yield body
            if statement.limit > 1:
                yield (replace(statement, limit=statement.limit - 1),)
            if statement.guard is not None:
                yield (replace(statement, guard=None),)
            for simpler in smaller(body, True):
                yield (replace(statement, body=simpler),)
        case SwitchStatement(cases=cases, default=default):
            for at, (number, body, breaks) in enumerate(cases):
                rest = (*cases[:at], *cases[at + 1 :])
                if rest:
                    yield (replace(statement, cases=rest),)
                if inside or not _jumps(body):
                    yield body
                if not breaks:
                    changed = (*cases[:at], (number, body, True), *cases[at + 1 :])
                    yield (replace(statement, cases=changed),)
                for simpler in smaller(body, inside):
                    changed = (*cases[:at], (number, simpler, breaks), *cases[at + 1 :])
                    yield (replace(statement, cases=changed),)
            if default:
                yield (replace(statement, default=()),)
                for simpler in smaller(default, inside):
                    yield (replace(statement, default=simpler),)
        case Ballot(stored=True):
            yield (replace(statement, stored=False),)
        case _:
            pass


def _variables(tree: Tree) -> Iterator[str]:
    """The variables that conditions, and what is chosen by a switch or added up, read."""
    for statement in tree:
        match statement:
            case Ballot(condition=condition):
                yield condition.variable
            case If(condition, then, otherwise):
                yield condition.variable
                yield from _variables((*then, *otherwise))
            case SwitchStatement(variable, cases, default):
                yield variable
                for _, body, _ in cases:
                    yield from _variables(body)
                yield from _variables(default)
            case LoopStatement(guard=guard, body=body):
                if guard is not None:
                    yield guard.variable
                yield from _variables(body)
            case _:
                pass


def _jumps(tree: Tree) -> bool:
    """Whether something in it leaves the loop around it, or goes on with its next round."""
    for statement in tree:
        match statement:
            case Break() | Continue():
                return True
            case If(then=then, otherwise=otherwise):
                if _jumps(then) or _jumps(otherwise):
                    return True
            case SwitchStatement(cases=cases, default=default):
                if _jumps(default) or any(_jumps(body) for _, body, _ in cases):
                    return True
            case _:
                pass
    return False


def reduce_tree(tree: Tree, question: Callable[[Tree], bool], clock: Clock) -> Tree:
    """The smallest tree found for which the question holds, as it does for ``tree``."""
    progress = True
    while progress:
        progress = False
        for candidate in smaller(tree):
            if clock.hit() is not None:
                return tree
            if question(candidate):
                tree, progress = candidate, True
                break
    return tree
