"""The shelf of historical faults: each rewrite makes programs, and a campaign finds what is easy to find.

covers: fuzz.campaign, fuzz.generate
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from convergence.fuzz.generate import STYLES, Style, generate
from tests.historical.__main__ import campaign
from tests.historical.faults import FAULTS, Fault
from tests.historical.shapes import shapes
from tests.historical.text import read, sound

ROOT = Path(__file__).parents[2]
BY_NAME = {fault.name: fault for fault in FAULTS}
SHAPES = {
    "in a break block",
    "in a continue block",
    "in a case that falls through, or is fallen into",
    "in a callee",
    "in a loop",
    "in a latch",
    "in a join",
    "in an arm",
}


@cache
def program(seed: int, style: Style) -> str:
    return generate(seed, style).text


def programs(fault: Fault, count: int) -> Iterator[str]:
    styles = [s for s in STYLES if s in fault.styles]
    return (program(seed, styles[seed % len(styles)]) for seed in range(count))


def test_the_shelf_is_as_long_as_it_says() -> None:
    assert len({f.name for f in FAULTS}) == len(FAULTS)
    assert sum(bool(f.origin) for f in FAULTS) >= 30


@pytest.mark.parametrize("name", BY_NAME)
def test_an_origin_can_be_looked_up(name: str) -> None:
    origin = BY_NAME[name].origin
    if origin.startswith("examples_ll"):
        assert (ROOT / origin).exists()
    elif origin:
        assert re.fullmatch(
            r"https://(github.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+|llvm.org/docs/.*)", origin
        )


def test_programs_are_read_as_they_are_written() -> None:
    for fault in (BY_NAME["removed"], BY_NAME["fence-removed"]):
        for text in programs(fault, 5):
            again = str(read(text))
            assert again == str(read(again))
            assert sorted(again.split()) == sorted(text.split())


@pytest.mark.parametrize("name", BY_NAME)
def test_a_fault_changes_programs(name: str) -> None:
    """Within a few programs there is a place for it; what it makes is another program that LLVM reads."""
    for text in programs(BY_NAME[name], 160):
        for target in BY_NAME[name].rewrite(text):
            if sound(target):
                assert target != str(read(text))
                return
    pytest.fail("there is no place for it")


@pytest.mark.parametrize("name", ["entry-sunk", "bundle-dropped", "reduction-folded"])
def test_a_campaign_finds_it(name: str) -> None:
    assert campaign(BY_NAME[name], 60.0)["found"]


def test_every_shape_occurs() -> None:
    counts = sum((shapes(program(seed, "any")) for seed in range(150)), Counter[str]())
    assert counts.keys() >= SHAPES
