"""Programs that run several at a time, or with their variables in memory, mean what they mean alone.

covers: fuzz.shader_campaign
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from convergence.device import Device, Dispatched, Unavailable
from convergence.drive import question
from convergence.frozen import Json
from convergence.fuzz.shader_campaign import (
    OUT,
    KnownIntrinsics,
    ShaderPlan,
    assemble,
    do_chunk,
    in_memory,
    packed,
    packs,
    part,
    shape,
    source_question,
    unpacked,
)
from convergence.fuzz.shaders import CELLS, SLOTS, ShaderProgram
from convergence.parser import parse
from convergence.passes.compilers import invalid
from convergence.semantics.machine.launch import launch_spec
from convergence.spirv import read

LANES = 8
SEEDS = (900, 903, 907)
"""Programs of which each has one legal outcome."""


def own(seed: int) -> Json:
    """What a program leaves in ``u0``, by its LLVM IR."""
    program = ShaderProgram(seed)
    (outcome,) = source_question(program.text, program.inputs, LANES).legal.outcomes
    rows = outcome.outcome.memory["u0"]
    assert isinstance(rows, list) and len(rows) == LANES * SLOTS
    return rows


def rows_of(memory: Json) -> list[Json]:
    assert isinstance(memory, list)
    return memory


def test_a_pack_is_read_as_its_programs_side_by_side() -> None:
    programs = [ShaderProgram(seed) for seed in SEEDS]
    dispatch = packed([part(program) for program in programs], LANES)
    assert invalid(dispatch.module) is None
    given = ",".join(str(x) for program in programs for x in program.inputs)
    count = len(SEEDS) * LANES
    spec = launch_spec(
        function="main", grid=len(SEEDS), subgroup_size=LANES, verified=False,
        buffers={"u0": f"i32[{count * SLOTS}]", "u1": f"i32[{count}]:{given}"},
    )  # fmt: skip
    outcomes = question(read(dispatch.module), spec).legal.outcomes
    rows = [row for seed in SEEDS for row in rows_of(own(seed))]
    assert rows in [outcome.outcome.memory["u0"] for outcome in outcomes]


@pytest.mark.parametrize("seed", SEEDS)
def test_with_variables_in_memory_a_program_means_the_same(seed: int) -> None:
    program = ShaderProgram(seed)
    module = in_memory(part(program), LANES, 1).module
    assert invalid(module) is None
    spec = source_question(program.text, program.inputs, LANES).spec
    spec = replace(spec, buffers={**spec.buffers, "u2": f"i32[{LANES * CELLS}]"})
    outcomes = question(read(module), spec).legal.outcomes
    assert own(seed) in [outcome.outcome.memory["u0"] for outcome in outcomes]


def test_what_programs_leave_is_taken_apart_by_rows() -> None:
    from convergence.device import DispatchResult

    size = 4 * SLOTS * LANES
    together = Dispatched(
        (DispatchResult({OUT: bytes([1]) * size + bytes([2]) * size, (0, 1): bytes(8 * LANES)}, 3),)
    )
    first, second = unpacked(2, LANES, together)
    assert set(first.results[0].data[OUT]) == {1} and set(second.results[0].data[OUT]) == {2}
    assert [len(one.results[0].data[OUT]) for one in (first, second)] == [size, size] and second.runs == 3


def test_a_shape_has_no_numbers() -> None:
    shapes = {shape(ShaderProgram(seed).tree) for seed in range(40)}
    assert len(shapes) > 30
    assert not any(char.isdigit() for one in shapes for char in one)
    program = ShaderProgram(3)
    assert shape(program.tree[:1]) in shape(program.tree)


def test_a_device_gives_each_program_of_a_pack_what_it_gives_it_alone() -> None:
    try:
        device = Device()
    except Unavailable as error:
        pytest.skip(f"no Vulkan device: {error}")
    programs = [ShaderProgram(seed) for seed in range(910, 917)]
    together: list[bytes] = []
    with device:
        for pack in packs([part(program) for program in programs], 4):
            (answer,) = device.run([packed(pack, LANES)])
            assert isinstance(answer, Dispatched)
            together += [one.results[0].data[OUT] for one in unpacked(len(pack), LANES, answer)]
        for program, seen in zip(programs, together, strict=True):
            alone = packed([part(program)], LANES)
            assert alone.module == assemble(program)
            (answer,) = device.run([alone])
            assert isinstance(answer, Dispatched) and answer.results[0].data[OUT] == seen
    plan = ShaderPlan(0, 20, False, device=0)
    numbers = range(10, 20)
    packed_answers = do_chunk(plan, numbers).answers
    assert packed_answers == do_chunk(replace(plan, packs=False), numbers).answers
    assert packed_answers["legal"] > 7


def test_programs_are_read_and_run_the_short_way_as_the_long_one() -> None:
    """Without LLVM where it has told all that there is to tell, and without who was together."""
    reader = KnownIntrinsics()
    reader.parse(ShaderProgram(899).text)
    for seed in range(900, 905):
        program = ShaderProgram(seed)
        assert reader.parse(program.text).functions == parse(program.text).functions
        short = source_question(program.text, program.inputs, LANES).legal
        long = source_question(program.text, program.inputs, LANES, asks_llvm=True)
        asked = question(long.module, long.spec, quick=False).legal
        for legal in (long.legal, asked):
            assert [o.outcome for o in short.outcomes] == [o.outcome for o in legal.outcomes]
            assert [o.ending for o in short.outcomes] == [o.ending for o in legal.outcomes]
