"""How strong trials on a device are: faults put into shaders on purpose must be seen.

covers: fuzz.shader_reduce
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from convergence.device import Unavailable, devices
from convergence.fuzz.shader_campaign import ShaderPlan, check, source_question
from convergence.fuzz.shader_reduce import reduce_tree, smaller
from convergence.fuzz.shader_words import shader_words
from convergence.fuzz.shaders import ShaderProgram, shader_text
from convergence.semantics.clock import clock_of

FAULTS = 200


def changed(program: ShaderProgram) -> tuple[bytes, bool]:
    """The SPIR-V of a program with one change, and whether that changes what it comes to."""
    tree = Random(f"fault {program.seed}").choice([*smaller(program.tree)])
    text = shader_text(tree, program.kinds, program.lanes)
    found = source_question(text, program.inputs, program.lanes).legal.outcomes
    legal = source_question(program.text, program.inputs, program.lanes).legal.outcomes
    same = [o.outcome.memory["u0"] for o in found] == [o.outcome.memory["u0"] for o in legal]
    return shader_words(tree, program.kinds, program.lanes), not same


@pytest.mark.campaign
def test_faults_are_seen() -> None:
    """A statement less, an operation outside of its construct, a round less: on a device, against what is
    legal for the program without the fault."""
    try:
        devices()
    except Unavailable as error:
        pytest.skip(f"no Vulkan device: {error}")
    plan = ShaderPlan(lowered=False, device=0)
    answers: Counter[str] = Counter()
    equivalent = 0
    seed = 5_000_000
    while answers.total() < FAULTS:
        seed += 1
        program = ShaderProgram(seed)
        words, matters = changed(program)
        if not matters:
            equivalent += 1
            continue
        answers[check(program.text, program.inputs, plan, words).answer] += 1
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
