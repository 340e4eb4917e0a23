"""The verifier against the brute-force oracle: the same rules broken, at the same places, by real witnesses.

``CONVCHECK_FUNCTIONS=1000000`` (or ``make campaign``) makes the comparison longer; a failure prints the
smallest function that still shows it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from convergence.diagnostics import Diagnostic
from convergence.parser import parse
from convergence.verifier import verify
from tests.oracles.generate import random_functions
from tests.oracles.model import Block, Exit, Function, Item, Kind, Spelling, function_text, module_text
from tests.oracles.reduce import reduced
from tests.oracles.static_rules import broken_rules
from tests.oracles.strategies import functions
from tests.properties import compare
from tests.properties.compare import batches, disagreement

COUNT = int(os.environ.get("CONVCHECK_FUNCTIONS", "8000"))
SHARDS = 10
FRESH = random.SystemRandom().randrange(1 << 32)
"""The last shard takes functions that no run has seen; its failures name this seed."""

EVERY_RULE = {
    "S-BUNDLE", "S-PRODUCER", "S-ENTRY-FN", "S-ENTRY-BLOCK", "S-ENTRY-FIRST", "S-LOOP-FIRST", "S-LOOP-TOKEN",
    "S-MIX", "S-DOM", "S-CYCLE-USE", "S-CYCLE-TWICE", "S-CYCLE-TWO", "S-HEART-DOM", "S-NEST",
}  # fmt: skip
"""All but S-DIRECT, which random functions do not break; files in examples_ll/rules do."""


def differs(function: Function) -> bool:
    return any(disagreement([function]))


def check(seed: int, count: int) -> None:
    """Compare ``count`` functions; fail with the first difference, made small."""
    for batch in batches(seed, count):
        for function, _ in disagreement(batch):
            small = reduced(function, differs) if differs(function) else function
            difference = next((text for _, text in disagreement([small])), "only among many functions")
            pytest.fail(f"seed {seed}: {difference}\n{function_text(small)}")


@pytest.mark.parametrize("shard", range(SHARDS))
def test_same_rules_broken(shard: int) -> None:
    check(FRESH if shard == SHARDS - 1 else shard, COUNT // SHARDS)


@pytest.mark.campaign
@pytest.mark.parametrize("shard", range(100))
def test_same_rules_broken_in_a_million_functions(shard: int) -> None:
    check(1000 + shard, int(os.environ.get("CONVCHECK_FUNCTIONS", "1000000")) // 100)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(functions())
def test_same_rules_broken_in_drawn_functions(function: Function) -> None:
    assert [text for _, text in disagreement([function])] == []


def test_the_functions_are_worth_it() -> None:
    """The generator's mixture: many accepted functions that use tokens, each rule often broken alone."""
    sample = random_functions(0, 3000)
    verdicts = [broken_rules(f) for f in sample]
    accepted = sum(
        not verdict and any(i.bundles for b in f.blocks for i in b.all_items)
        for f, verdict in zip(sample, verdicts, strict=True)
    )
    assert accepted > 900
    alone = {next(iter(verdict)) for verdict in verdicts if len(verdict) == 1}
    assert alone == EVERY_RULE


# The comparison itself: a verifier with a fault is noticed.


Sample = tuple[list[Function], tuple[Diagnostic, ...]]


@pytest.fixture(scope="module")
def sample() -> Sample:
    batch = random_functions(1, 600)
    return batch, verify(parse(module_text(batch), "random.ll"))


def pretend(monkeypatch: pytest.MonkeyPatch, said: Iterable[Diagnostic]) -> None:
    """Let the comparison hear these diagnostics."""
    monkeypatch.setattr(compare, "parse", lambda *_, **__: None)
    monkeypatch.setattr(compare, "verify", lambda _: tuple(said))


@pytest.mark.parametrize("rule", sorted(EVERY_RULE))
def test_a_silent_rule_is_noticed(rule: str, sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    batch, said = sample
    pretend(monkeypatch, [d for d in said if d.rule.id != rule])
    assert any(disagreement(batch))


def test_the_sample_agrees(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    batch, said = sample
    pretend(monkeypatch, said)
    assert not any(disagreement(batch))


@pytest.mark.parametrize("kind", ["closed-path", "region"])
def test_a_wrong_witness_is_noticed(kind: str, sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each witness that loses a block is found out: no path closes without it, no region is the same."""
    batch, said = sample
    names = {f"f{number}": f for number, f in enumerate(batch)}
    spoilt = set()
    heard = []
    for diagnostic in said:
        witness = diagnostic.witness
        if witness is not None and witness.kind == kind and len(witness.blocks) > 2:
            spoilt.add(diagnostic.function)
            diagnostic = replace(diagnostic, witness=replace(witness, blocks=witness.blocks[1:]))
        heard.append(diagnostic)
    pretend(monkeypatch, heard)
    found = [function for function, _ in disagreement(batch)]
    assert len(spoilt) > 10
    missed = [name for name in spoilt if not any(f is names[name.removeprefix("@")] for f in found)]
    assert len(missed) <= len(spoilt) // 10  # a shortcut past the lost block is a path, too


# Functions that a comparison once differed on, or that a definition nearly was misread by: kept small.


def loop(token: str, use: str) -> Item:
    return Item(Kind.LOOP, token, ((use,),))


def use(*tokens: str, spelling: Spelling = Spelling.CONVERGENT) -> Item:
    return Item(Kind.CALL, bundles=tuple((t,) for t in tokens), spelling=spelling)


ENTRY = Item(Kind.ENTRY, "e")
ANCHOR = Item(Kind.ANCHOR, "a")

KEPT: dict[str, tuple[Function, set[str]]] = {
    "a loop is not in the region of its own token where it uses another": (
        Function(
            [Block([ENTRY], Exit.BR, [1]), Block([loop("l", "e"), use("l")], Exit.CONDBR, [1, 2]), Block()]
        ),
        set(),
    ),
    "an outer use ends the inner region": (
        Function([Block([ENTRY, ANCHOR, use("a"), use("e")])]),
        set(),
    ),
    "an outer use inside the inner region": (
        Function([Block([ENTRY, ANCHOR, use("e"), use("a")])]),
        {"S-NEST"},
    ),
    "a use of the last iteration's token is nested in nothing": (
        Function(
            [
                Block([ENTRY], Exit.BR, [1]),
                Block([loop("l", "e")], Exit.CONDBR, [1, 2]),
                Block([use("l"), use("e")]),
            ]
        ),
        set(),
    ),
    "liveness stops at the definition: a loop's anchor does not reach round to the heart": (
        Function(
            [
                Block([ENTRY], Exit.BR, [1]),
                Block([loop("l", "e"), ANCHOR, use("a")], Exit.CONDBR, [1, 2]),
                Block(),
            ]
        ),
        set(),
    ),
    "nesting in an irreducible cycle, where LLVM's answer depends on the order": (
        Function(
            [
                Block([ENTRY, ANCHOR], Exit.CONDBR, [1, 3]),
                Block([use("e")], Exit.BR, [2]),
                Block([], Exit.BR, [3]),
                Block([], Exit.CONDBR, [2, 4]),
                Block([use("a")]),
            ]
        ),
        {"S-NEST"},
    ),
    "a definition below its use in an unreachable block": (
        Function([Block(), Block([use("a"), ANCHOR])]),
        {"S-DOM"},
    ),
    "everything dominates unreachable code, which is thereby in every region that it can reach": (
        Function(
            [
                Block([ENTRY, ANCHOR], Exit.BR, [1]),
                Block([use("a")]),
                Block([use("e")], Exit.BR, [1]),
            ]
        ),
        {"S-NEST"},
    ),
    "two hearts in an unreachable cycle dominate each other": (
        Function(
            [
                Block([ENTRY]),
                Block([loop("l", "e")], Exit.BR, [2]),
                Block([loop("m", "e")], Exit.BR, [1]),
            ]
        ),
        {"S-CYCLE-TWICE"},
    ),
    "a use in one unreachable block of a token that a last use defines in the next": (
        Function(
            [
                Block([ENTRY]),
                Block([use("l")], Exit.BR, [2]),
                Block([loop("l", "e")]),
            ]
        ),
        {"S-NEST"},
    ),
    "two tokens of unreachable blocks, used in a third": (
        Function([Block(), Block([use("a"), use("b")]), Block([ANCHOR]), Block([Item(Kind.ANCHOR, "b")])]),
        {"S-NEST"},
    ),
    "a token from reachable code in unreachable code": (
        Function([Block([ENTRY]), Block([loop("l", "e"), use("l")])]),
        set(),
    ),
    "a malformed bundle says nothing about which token is used": (
        Function([Block(), Block([Item(Kind.LOOP, "l", (("l",), ("l",)))])]),
        {"S-BUNDLE"},
    ),
    "a token of another intrinsic is no convergence token, wherever it is defined": (
        Function([Block([use("f")], Exit.BR, [1]), Block([Item(Kind.FOREIGN, "f")])]),
        {"S-PRODUCER"},
    ),
    "a phi of tokens is as bad unused as used": (
        Function([Block([], Exit.BR, [1]), Block([Item(Kind.PHI, "p"), use("p")])]),
        {"S-DOM", "S-PRODUCER"},
    ),
    "an unreachable definition does not dominate a reachable use": (
        Function([Block([use("a")]), Block([ANCHOR])]),
        {"S-DOM"},
    ),
    "a call convergent by its bundle alone, before a loop": (
        Function([Block([ENTRY], Exit.BR, [1]), Block([use("e", spelling=Spelling.PLAIN), loop("l", "e")])]),
        {"S-LOOP-FIRST"},
    ),
    "a callbr uses a token": (
        Function([Block([ANCHOR], Exit.BR, [1]), Block([], Exit.CALLBR, [2, 1], use("a")), Block()]),
        {"S-CYCLE-USE"},
    ),
    "a convergent function called by an alias is no convergent operation": (
        Function([Block([ENTRY, use(spelling=Spelling.ALIAS)])]),
        set(),
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_kept(name: str) -> None:
    function, rules = KEPT[name]
    assert broken_rules(function) == rules
    assert [text for _, text in disagreement([function])] == []
