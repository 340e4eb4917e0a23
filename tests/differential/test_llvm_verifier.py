"""The rules against LLVM's own verifier: every difference is one of the four known ones, none the other way.

The known differences are decided here by the oracle alone, each by granting one gap: LLVM must then agree.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice, permutations, product

import pytest

from convergence.rules import VerifierDifference
from tests.oracles.gaps import Weakness, accepted, gaps
from tests.oracles.llvm import verifier_messages
from tests.oracles.model import INTEGER, Block, Exit, Function, Item, Kind, function_text
from tests.oracles.reduce import reduced
from tests.oracles.static_rules import violations
from tests.properties.compare import batches, errors

COUNT = int(os.environ.get("CONVCHECK_FUNCTIONS", "20000"))
SHARDS = 10
ALL_BUT_NESTING = Weakness(unreachable=True, callbr=True, loop_after_bundle_only=True)


def unexplained(function: Function, rejected: bool) -> str:
    """Why LLVM's verdict is neither ours nor a known difference; "" if it is."""
    if rejected:
        return "LLVM rejects what the rules allow" if accepted(function, ALL_BUT_NESTING) else ""
    if not violations(function):
        return ""
    known = gaps(function)
    if not known:
        return "LLVM accepts what breaks a rule outside of its known gaps"
    if "irreducible_nesting" in known and not any(verifier_messages(list(reordered(function)))):
        return "LLVM misses a nesting fault whatever the order of successors is"
    return ""


def reordered(function: Function) -> Iterator[Function]:
    """The function with its successors in other orders, at most 400."""
    choices = [
        [b.targets] if b.exit is Exit.INVOKE else [list(p) for p in permutations(b.targets)]
        for b in function.blocks
    ]
    for orders in islice(product(*choices), 400):
        other = function.copy()
        for block, targets in zip(other.blocks, orders, strict=True):
            block.targets = list(targets)
        yield other


def check(seed: int, count: int) -> None:
    """Compare the oracle with LLVM; fail with a small function."""
    for batch in batches(seed, count, size=500):
        for function, messages in zip(batch, verifier_messages(batch), strict=True):
            if why := unexplained(function, bool(messages)):
                small = reduced(function, lambda f: unexplained(f, bool(*verifier_messages([f]))) == why)
                pytest.fail(f"seed {seed}: {why}; LLVM: {verifier_messages([small])}\n{function_text(small)}")


@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_difference_is_known(shard: int) -> None:
    check(shard, COUNT // SHARDS)


@pytest.mark.campaign
@pytest.mark.parametrize("shard", range(100))
def test_every_difference_is_known_in_a_million_functions(shard: int) -> None:
    check(1000 + shard, int(os.environ.get("CONVCHECK_FUNCTIONS", "1000000")) // 100)


def test_a_token_of_a_callbr_is_dominated_whatever_its_bundle_says() -> None:
    """LLVM looks at no token of a callbr, but at every value: a campaign found that the oracle did not."""
    anchor = Item(Kind.ANCHOR, "t")
    for operands in (("t", "t"), ("t", INTEGER)):
        asm = Item(Kind.CALL, bundles=(operands,))
        function = Function([Block([], Exit.CALLBR, [1, 1], asm), Block([anchor])])
        (messages,) = verifier_messages([function])
        assert messages and not unexplained(function, bool(messages))
        known = Function([Block([anchor], Exit.CALLBR, [1, 1], asm), Block()])
        (messages,) = verifier_messages([known])
        assert not messages and not unexplained(known, bool(messages)) and violations(known)


def test_every_known_difference_occurs() -> None:
    """Each gap is real: without these functions the classes above would excuse what nothing needs."""
    seen: set[str] = set()
    for batch in batches(0, 6000, size=500):
        for function, messages in zip(batch, verifier_messages(batch), strict=True):
            if not messages and violations(function):
                known = gaps(function)
                seen |= known if len(known) == 1 else set()
    assert {name.upper() for name in seen} == {difference.name for difference in VerifierDifference}


def test_verify_names_the_differences() -> None:
    """`verify` says itself in which of its verdicts LLVM does not follow it, and which gap it is."""
    for batch in batches(7, 2000):
        verdicts = zip(batch, errors(batch), verifier_messages(batch), strict=True)
        for function, said, messages in verdicts:
            named = {d.difference.name.lower() for d in said if d.difference is not None}
            seen_by_llvm = [d for d in said if d.difference is None]
            if not messages:
                assert not seen_by_llvm, function_text(function)
                assert accepted(function, Weakness(**dict.fromkeys(named, True))), function_text(function)
            elif "irreducible_nesting" not in named and not foreign(function):
                assert seen_by_llvm, function_text(function)


def foreign(function: Function) -> bool:
    """Whether a token comes from elsewhere: LLVM asks of such a value, too, that its definition dominates."""
    return any(i.kind in (Kind.FOREIGN, Kind.PHI) for b in function.blocks for i in b.items)


def test_messages_are_given_to_the_right_function() -> None:
    """Many functions in one module get the verdicts that each gets alone."""
    (batch,) = batches(3, 200, size=200)
    assert verifier_messages(batch) == [verifier_messages([f])[0] for f in batch]
