"""How strong trials on a device are: faults put into shaders on purpose must be seen.

covers: fuzz.shader_campaign
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from random import Random

import pytest

from convergence.device import Device, Dispatched, Unavailable
from convergence.drive import BoundModule, LegalOutcomes, judge
from convergence.fuzz.shader_campaign import (
    IN,
    OUT,
    Part,
    packed,
    packs,
    part,
    reduce_tree,
    smaller,
    source_question,
    unpacked,
)
from convergence.fuzz.shaders import ShaderProgram, shader_text, shader_words
from convergence.semantics import clock_of

FAULTS = 200


@dataclass(frozen=True)
class Fault:
    """A program with one change that matters: the changed part, and all that is legal without the change."""

    part: Part
    legal: LegalOutcomes


def faults(first: int) -> Iterator[Fault | None]:
    """One change to each of some programs, from a seed on; ``None`` where it changes nothing for the inputs:
    a statement less, an operation outside of its construct, a round less."""
    for seed in count(first):
        program = ShaderProgram(seed)
        tree = Random(f"fault {seed}").choice([*smaller(program.tree)])
        text = shader_text(tree, program.kinds, program.lanes)
        changed = source_question(text, program.inputs, program.lanes).legal.outcomes
        legal = source_question(program.text, program.inputs, program.lanes)
        same = [o.outcome.memory["u0"] for o in changed] == [
            o.outcome.memory["u0"] for o in legal.legal.outcomes
        ]
        yield None if same else Fault(part(program, tree), legal)


@pytest.mark.campaign
def test_faults_are_seen() -> None:
    """On a device, as a campaign runs programs, against what is legal for the program without the fault."""
    try:
        device = Device()
    except Unavailable as error:
        pytest.skip(f"no Vulkan device: {error}")
    put: list[Fault] = []
    equivalent = 0
    for fault in faults(6_000_000):
        if fault is None:
            equivalent += 1
            continue
        put.append(fault)
        if len(put) == FAULTS:
            break
    answers: Counter[str] = Counter()
    left = iter(put)
    with device:
        for pack in packs([fault.part for fault in put]):
            dispatch = packed(pack, 8)
            (answer,) = device.run([dispatch])
            assert isinstance(answer, Dispatched)
            bound = BoundModule(dispatch, {OUT: "u0", IN: "u1"})
            for own in unpacked(len(pack), 8, answer):
                answers[judge(next(left).legal, bound, own, explain=False).verdict] += 1
    print(dict(answers), f"{equivalent} more change nothing for their inputs")
    assert answers["illegal"] >= 0.95 * FAULTS


def test_a_tree_is_reduced_as_far_as_the_question_holds() -> None:
    program = ShaderProgram(3)
    before = repr(program.tree)

    def has_minimum(tree: object) -> bool:
        return "Ballot" in repr(tree) and "LoopStatement" in repr(tree)

    found = reduce_tree(program.tree, has_minimum, clock_of(None))
    assert has_minimum(found) and len(repr(found)) < len(before) / 2
    assert sum("Ballot" in repr(statement) for statement in found) == 1


def test_smaller_programs_can_be_written_both_ways() -> None:
    """No break without a loop, no case without a switch."""
    for seed in (3, 11, 16):
        program = ShaderProgram(seed)
        for tree in smaller(program.tree):
            assert shader_words(tree, program.kinds, 8)
            assert shader_text(tree, program.kinds, 8).count("define") == 1
