"""Which tokens may be used where, by construction, so that regions nest (S-NEST and the cycle rules).

A *scope* is the stack of tokens usable at a point within one loop level. Whoever uses a token pops those
above it, for good on that path. A loop's body has a scope of its own, with its heart's token or empty; a
block that leaves loops sees the scopes of all levels that it leaves in one stack: extended loops.
"""

from __future__ import annotations

from random import Random

Scopes = list[list[str]]


def copied(scopes: Scopes) -> Scopes:
    return [list(scope) for scope in scopes]


def shared(first: list[str], second: list[str]) -> int:
    """The length of the longest common prefix."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


def use(scope: list[str], random: Random) -> str:
    """Choose a usable token, mostly the innermost; those above it are gone."""
    index = len(scope) - 1
    while index and random.random() < 0.2:
        index -= 1
    del scope[index + 1 :]
    return scope[index]


def joined(arrivals: list[Scopes]) -> Scopes:
    """What is usable where paths meet: what all have."""
    first, *rest = [copied(scopes) for scopes in arrivals]
    for scopes in rest:
        for scope, arrived in zip(first, scopes, strict=True):
            del scope[shared(scope, arrived) :]
    return first
