"""Who is together where threads of several ways come to an operation (R-UNIFORM), against brute force over
the specification's own text.

covers: sched.constraints.rules, sched.lockstep.conform, semantics.convergence.rules, spirv.translation,
spirv.uniform
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from random import Random

import pytest

from convergence.alignment import ConvergedWith
from convergence.ir.calls import callee_name
from convergence.ir.instructions import CallSite
from convergence.ir.module import Module
from convergence.parser import parse
from convergence.sched.lockstep.policies import NAMES
from convergence.sched.lockstep.simulate import simulate_machine
from convergence.spirv import Reconvergence, read
from tests.launches import enumerate_axiomatic, explore, prepare
from tests.spirv.way_programs import Ballot, WayShader, drawn, glsl, legal, places

GLSLANG = pytest.mark.skipif(
    shutil.which("glslangValidator") is None, reason="needs glslangValidator (Debian: glslang-tools)"
)


@cache
def compiled(shader: WayShader, folder: Path) -> Module:
    source, binary = folder / "x.comp", folder / "x.spv"
    source.write_text(glsl(shader))
    command = ["glslangValidator", "-V", "--target-env", "vulkan1.1", str(source), "-o", str(binary)]
    subprocess.run(command, check=True, capture_output=True)
    return read(binary.read_bytes(), model=Reconvergence.BASE)


def numbered(module: Module, shader: WayShader) -> dict[tuple[str, int], int]:
    """The votes' numbers, by function and place."""
    numbers: dict[tuple[str, int], int] = {}
    for function in module.definitions():
        votes = [
            n
            for n, i in enumerate(function.instructions)
            if isinstance(i, CallSite) and "Ballot" in (callee_name(i) or "")
        ]
        helper, main = places(shader)
        known = main if function.name == "main" else helper
        assert len(votes) == len(known)
        numbers |= {(function.name, n): number for n, number in zip(votes, known, strict=True)}
    return numbers


def groups(numbers: dict[tuple[str, int], int], relation: ConvergedWith) -> frozenset[Ballot]:
    """The groups at votes."""
    result = set()
    for members in relation.classes:
        site = next(iter(members)).site
        if (site.function, site.index) in numbers:
            result.add((numbers[site.function, site.index], frozenset((m.thread, m.nth) for m in members)))
    return frozenset(result)


def shaders(seed: int, count: int, most: int) -> list[tuple[WayShader, set[frozenset[Ballot]]]]:
    """Random shaders with what is legal in them, those of more than one way to be together."""
    random, chosen = Random(seed), list[tuple[WayShader, set[frozenset[Ballot]]]]()
    while len(chosen) < count:
        shader = drawn(random)
        expected = legal(shader)
        if 1 < len(expected) <= most:
            chosen.append((shader, expected))
    return chosen


@GLSLANG
@pytest.mark.parametrize(("engine", "seed", "count"), [(explore, 22, 8), (enumerate_axiomatic, 6, 5)])
def test_those_of_one_way_stay_together(engine: object, seed: int, count: int, tmp_path: Path) -> None:
    assert callable(engine)
    for shader, expected in shaders(seed, count, 12):
        module = compiled(shader, tmp_path)
        numbers = numbered(module, shader)
        answer = engine(module, threads=shader.threads, timeout=30.0)
        assert answer.complete, (answer.bound, glsl(shader))
        assert {groups(numbers, a.execution.converged) for a in answer.alignments} == expected, glsl(shader)


@GLSLANG
def test_machines_conform_iff_ways_stay_together(tmp_path: Path) -> None:
    """``heart`` always; the verdict on the others, against brute force."""
    verdicts = {True: 0, False: 0}
    for shader, expected in shaders(7, 4, 12):
        module = compiled(shader, tmp_path)
        numbers = numbered(module, shader)
        program, launch = prepare(module, threads=shader.threads)
        for policy in NAMES:
            answer = simulate_machine(program, launch, policy)
            if answer.refused is None:
                assert answer.execution is not None, (policy, glsl(shader))
                is_legal = groups(numbers, answer.execution.converged) in expected
                assert answer.conforms == is_legal, (policy, answer.departure, glsl(shader))
                assert answer.conforms or policy != "heart"
                verdicts[is_legal] += 1
    assert verdicts[True] > 10


MEETING = """
declare token @llvm.experimental.convergence.anchor()
define void @main() {
  %t = call token @llvm.experimental.convergence.anchor() [ "convcheck.meet"() ]
  ret void
}
"""


@pytest.mark.parametrize("engine", [explore, enumerate_axiomatic])
def test_those_that_were_never_parted_stay_together(engine: object) -> None:
    """Before the first branch there is one way, that of the launch."""
    assert callable(engine)
    answer = engine(parse(MEETING), threads=3)
    assert answer.complete
    (only,) = answer.alignments
    assert [len(group) for group in only.alignment] == [3]
