"""Subgroup operations, through the text: names, types, poison, lanes out of the group.

covers: semantics.operations.amdgcn, semantics.operations.lanes, semantics.operations.nvvm,
semantics.operations.spirv
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from convergence.frozen import Json
from convergence.parser import parse
from convergence.semantics import Returned, Unmodelled
from convergence.semantics.machine import Called
from convergence.semantics.machine.run import run


def returned(
    declaration: str, call: str, columns: Mapping[str, Sequence[object]] | None = None, **given: Any
) -> list[Json]:
    """What each thread gets from one uncontrolled call; parameters are the columns' names with types."""
    columns = columns or {}
    parameters = ", ".join(columns)
    result = declaration.split("@")[0].strip()
    body = f"  %r = call {call}\n  ret {result} %r\n"
    text = f"declare {declaration} convergent\ndefine {result} @f({parameters}) convergent {{\n{body}}}\n"
    arguments = {name.split()[-1]: values for name, values in columns.items()}
    threads = given.pop("threads", len(next(iter(columns.values()))) if columns else 3)
    done = run(parse(text), function="f", threads=threads, arguments=arguments, **given)
    assert done.ending == Returned(), done.ending
    assert done.stand_ins == ()
    return [t.value for t in done.outcome.threads]


@pytest.mark.parametrize(
    ("name", "type_", "values", "answer"),
    [
        ("subgroupAdd", "i32", [1, 2, 4], 7),
        ("subgroupMul", "i32", [3, -2, 4], -24),
        ("subgroupMin", "i32", [3, -2, 4], -2),
        ("subgroupUMin", "i32", [3, -2, 4], 3),
        ("subgroupMax", "i32", [3, -2, 4], 4),
        ("subgroupUMax", "i32", [3, -2, 4], -2),
        ("subgroupAnd", "i8", [7, 6, 14], 6),
        ("subgroupOr", "i8", [1, 2, 4], 7),
        ("subgroupXor", "i8", [1, 3, 4], 6),
        ("subgroupAdd.i64", "i64", [1 << 40, 1, 1], (1 << 40) + 2),
        ("subgroupFAdd", "float", [0.5, 0.25, 4.0], 4.75),
        ("subgroupAdd", "double", [0.5, 0.25, 4.0], 4.75),
        ("subgroupMin", "half", [0.5, 0.25, 4.0], 0.25),
        ("subgroupFMax", "float", [0.5, 0.25, 4.0], 4.0),
        ("subgroupAdd", "i32", [1, "poison", 4], "poison"),
        ("llvm.spv.wave.reduce.sum.i32", "i32", [1, 2, 4], 7),
        ("llvm.spv.wave.reduce.umax.i32", "i32", [3, -2, 4], -2),
        ("llvm.dx.wave.reduce.max.i32", "i32", [3, -2, 4], 4),
        ("llvm.dx.wave.reduce.usum.i32", "i32", [3, -2, 4], 5),
        ("llvm.spv.wave.reduce.sum.f32", "float", [1.0, 2.0, 4.5], 7.5),
    ],
)
def test_reductions(name: str, type_: str, values: list[object], answer: object) -> None:
    call = f"{type_} @{name}({type_} %x)"
    assert returned(f"{type_} @{name}({type_})", call, {f"{type_} %x": values}) == [answer] * 3


def test_reductions_take_vectors_element_by_element() -> None:
    values = [[1, 10], ["poison", 20], [3, 30]]
    call = "<2 x i32> @subgroupAdd(<2 x i32> %x)"
    answer = returned("<2 x i32> @subgroupAdd(<2 x i32>)", call, {"<2 x i32> %x": values})
    assert answer == [["poison", 60]] * 3


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("subgroupInclusiveAdd", [1, 3, 7]),
        ("subgroupExclusiveAdd", [0, 1, 3]),
        ("subgroupExclusiveMul", [1, 1, 2]),
        ("subgroupInclusiveMax", [1, 2, 4]),
        ("subgroupExclusiveMin", [2147483647, 1, 1]),
        ("subgroupExclusiveUMin", [-1, 1, 1]),
        ("subgroupExclusiveAnd", [-1, 1, 0]),
        ("subgroupExclusiveOr", [0, 1, 3]),
    ],
)
def test_scans(name: str, answer: list[object]) -> None:
    assert returned(f"i32 @{name}(i32)", f"i32 @{name}(i32 %x)", {"i32 %x": [1, 2, 4]}) == answer


def test_float_scans_start_neutral() -> None:
    column = {"float %x": [1.5, 2.0]}
    assert returned(
        "float @subgroupExclusiveMin(float)", "float @subgroupExclusiveMin(float %x)", column
    ) == ["inf", 1.5]


@pytest.mark.parametrize(
    ("declaration", "answer"),
    [
        ("i64 @subgroupBallot(i1)", 5),
        ("i32 @subgroupBallot(i1)", 5),
        ("<4 x i32> @subgroupBallot(i1)", [5, 0, 0, 0]),
        ("i64 @llvm.amdgcn.ballot.i64(i1)", 5),
        ("i32 @llvm.amdgcn.ballot.i32(i1)", 5),
        ("<4 x i32> @llvm.spv.wave.ballot(i1)", [5, 0, 0, 0]),
        ("i1 @subgroupAll(i1)", 0),
        ("i1 @subgroupAny(i1)", 1),
        ("i1 @subgroupAllEqual(i1)", 0),
        ("i1 @llvm.spv.wave.all(i1)", 0),
        ("i1 @llvm.dx.wave.any(i1)", 1),
        ("i32 @llvm.dx.wave.active.countbits(i1)", 2),
        ("i1 @llvm.nvvm.vote.any(i1)", 1),
        ("i1 @llvm.nvvm.vote.uni(i1)", 0),
        ("i32 @llvm.nvvm.vote.ballot(i1)", 5),
    ],
)
def test_votes(declaration: str, answer: object) -> None:
    call = declaration.replace("(i1)", "(i1 %x)")
    assert returned(declaration, call, {"i1 %x": [1, 0, 1]}) == [answer] * 3
    if not isinstance(answer, list):
        assert returned(declaration, call, {"i1 %x": [1, "poison", 1]}) == ["poison"] * 3


def test_wide_ballots_are_spread_over_words() -> None:
    column = {"i1 %x": [int(t in (0, 33, 70)) for t in range(71)]}
    answers = returned("<4 x i32> @subgroupBallot(i1)", "<4 x i32> @subgroupBallot(i1 %x)", column)
    assert answers == [[1, 2, 64, 0]] * 71


def test_elect_and_lane_numbers() -> None:
    assert returned("i1 @subgroupElect()", "i1 @subgroupElect()") == [1, 0, 0]
    assert returned("i1 @llvm.spv.wave.is.first.lane()", "i1 @llvm.spv.wave.is.first.lane()") == [1, 0, 0]
    for name, answer in {
        "getSubgroupLocalInvocationId": [0, 1, 0, 1, 0],
        "getSubgroupSize": [2] * 5,
        "getSubgroupId": [0, 0, 1, 1, 2],
        "llvm.amdgcn.workitem.id.x": [0, 1, 2, 3, 4],
        "llvm.amdgcn.workitem.id.y": [0] * 5,
        "llvm.spv.subgroup.local.invocation.id": [0, 1, 0, 1, 0],
        "llvm.spv.flattened.thread.id.in.group": [0, 1, 2, 3, 4],
        "llvm.dx.wave.getlaneindex": [0, 1, 0, 1, 0],
        "llvm.dx.flattened.thread.id.in.group": [0, 1, 2, 3, 4],
        "llvm.nvvm.read.ptx.sreg.tid.x": [0, 1, 2, 3, 4],
        "llvm.nvvm.read.ptx.sreg.laneid": [0, 1, 0, 1, 0],
        "llvm.nvvm.read.ptx.sreg.warpsize": [2] * 5,
        "llvm.nvvm.read.ptx.sreg.ntid.x": [5] * 5,
        "llvm.nvvm.read.ptx.sreg.lanemask.lt": [0, 1, 0, 1, 0],
        "llvm.nvvm.read.ptx.sreg.lanemask.ge": [-1, -2, -1, -2, -1],
    }.items():
        assert returned(f"i32 @{name}()", f"i32 @{name}()", threads=5, subgroup_size=2) == answer, name


def test_the_size_of_amd_s_waves_is_one_that_there_is() -> None:
    """LLVM takes it for 32 or 64: passes fold what depends on it."""
    call = "i32 @llvm.amdgcn.wavefrontsize()"
    assert returned(call, call, threads=2, subgroup_size=32) == [32, 32]
    module = parse(f"declare {call}\ndefine i32 @f() {{\n  %r = call {call}\n  ret i32 %r\n}}\n")
    ending = run(module, threads=2).ending
    assert isinstance(ending, Unmodelled) and "whether waves have 32 or 64 lanes" in ending.feature


@pytest.mark.parametrize(("dimension", "answer"), [(0, [0, 1, 2]), (1, [0, 0, 0])])
@pytest.mark.parametrize(
    "name", ["llvm.spv.thread.id.i32", "llvm.dx.thread.id", "llvm.spv.thread.id.in.group.i32"]
)
def test_thread_ids_by_dimension(name: str, dimension: int, answer: list[int]) -> None:
    assert returned(f"i32 @{name}(i32)", f"i32 @{name}(i32 {dimension})") == answer


@pytest.mark.parametrize(
    ("name", "lanes", "answer"),
    [
        ("subgroupShuffle", [2, 0, 1], [30, 10, 20]),
        ("subgroupShuffle", [3, 0, "poison"], ["poison", 10, "poison"]),
        ("subgroupBroadcast", [1, 1, 1], [20, 20, 20]),
        ("subgroupShuffleXor", [1, 1, 1], [20, 10, "poison"]),
        ("subgroupShuffleUp", [1, 1, 1], ["poison", 10, 20]),
        ("subgroupShuffleDown", [1, 1, 1], [20, 30, "poison"]),
        ("llvm.spv.wave.readlane.i32", [2, 0, 1], [30, 10, 20]),
        ("llvm.amdgcn.readlane.i32", [2, 2, 2], [30, 30, 30]),
        ("llvm.amdgcn.readlane.i32", [2, 66, 2], [30, 30, 30]),
        ("llvm.amdgcn.readlane.i32", [2, 0, 2], ["poison"] * 3),
        ("llvm.amdgcn.wave.shuffle.i32", [2, 0, 1], [30, 10, 20]),
    ],
)
def test_moving_values_between_lanes(name: str, lanes: list[object], answer: list[object]) -> None:
    columns: dict[str, list[object]] = {"i32 %x": [10, 20, 30], "i32 %lane": lanes}
    assert returned(f"i32 @{name}(i32, i32)", f"i32 @{name}(i32 %x, i32 %lane)", columns) == answer


def test_only_the_value_that_is_read_can_poison_a_result() -> None:
    columns: dict[str, list[object]] = {"i32 %x": [10, "poison", 30], "i32 %lane": [2, 2, 1]}
    call = "i32 @subgroupShuffle(i32 %x, i32 %lane)"
    assert returned("i32 @subgroupShuffle(i32, i32)", call, columns) == [30, 30, "poison"]
    first = "i32 @subgroupBroadcastFirst(i32)"
    assert returned(first, first.replace("i32)", "i32 %x)"), {"i32 %x": [10, "poison", 30]}) == [10, 10, 10]
    wide = "double @llvm.amdgcn.readfirstlane.f64(double)"
    assert returned(wide, wide.replace("(double)", "(double %x)"), {"double %x": [1.5, 2.5]}) == [1.5, 1.5]


def test_amdgcn() -> None:
    masks = {"i32 %m": [-1, -1, 5]}
    assert returned(
        "i32 @llvm.amdgcn.mbcnt.lo(i32, i32)", "i32 @llvm.amdgcn.mbcnt.lo(i32 %m, i32 7)", masks
    ) == [7, 8, 8]
    high = returned(
        "i32 @llvm.amdgcn.mbcnt.hi(i32, i32)", "i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 0)", threads=64
    )
    assert high == [max(0, lane - 32) for lane in range(64)]
    for operation, answer in {"add": 7, "sub": -7, "umin": 1, "max": 4, "xor": 7, "or": 7, "and": 0}.items():
        name = f"llvm.amdgcn.wave.reduce.{operation}.i32"
        call = f"i32 @{name}(i32 %x, i32 0)"
        assert returned(f"i32 @{name}(i32, i32)", call, {"i32 %x": [1, 2, 4]}) == [answer] * 3, name
    for operation, total in {"fadd": 7.5, "fsub": -7.5, "fmax": 4.0}.items():
        name = f"llvm.amdgcn.wave.reduce.{operation}.f32"
        call = f"float @{name}(float %x, i32 0)"
        assert returned(f"float @{name}(float, i32)", call, {"float %x": [1.5, 2.0, 4.0]}) == [total] * 3
    compare = "i64 @llvm.amdgcn.icmp.i64.i32(i32 %x, i32 2, i32 {})"
    for code, mask in {32: 2, 33: 5, 38: 4, 40: 1}.items():
        columns = {"i32 %x": [1, 2, 4]}
        declared = "i64 @llvm.amdgcn.icmp.i64.i32(i32, i32, i32 immarg)"
        assert returned(declared, compare.format(code), columns) == [mask] * 3, code
    less = "i64 @llvm.amdgcn.fcmp.i64.f32(float %x, float 2.0, i32 4)"
    declared = "i64 @llvm.amdgcn.fcmp.i64.f32(float, float, i32 immarg)"
    assert returned(declared, less, {"float %x": [1.0, 2.0, 4.0]}) == [1, 1, 1]
    columns = {"i32 %a": [4, 8, 0], "i32 %v": [10, 20, 30]}
    permute = "i32 @llvm.amdgcn.ds.bpermute(i32 %a, i32 %v)"
    assert returned("i32 @llvm.amdgcn.ds.bpermute(i32, i32)", permute, columns) == [20, 30, 10]
    inverse = "i1 @llvm.amdgcn.inverse.ballot.i64(i64 %m)"
    assert returned("i1 @llvm.amdgcn.inverse.ballot.i64(i64)", inverse, {"i64 %m": [5, 5, 5]}) == [1, 0, 1]


def test_nvvm_member_masks_and_shuffles() -> None:
    vote = "i1 @llvm.nvvm.vote.all.sync(i32 %m, i1 %p)"
    columns = {"i32 %m": [5, 7, 5], "i1 %p": [1, 0, 1]}
    assert returned("i1 @llvm.nvvm.vote.all.sync(i32, i1)", vote, columns) == [1, 0, 1]
    assert returned("i32 @llvm.nvvm.activemask()", "i32 @llvm.nvvm.activemask()") == [7, 7, 7]
    match = "i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %x)"
    assert returned("i32 @llvm.nvvm.match.any.sync.i32(i32, i32)", match, {"i32 %x": [4, 9, 4]}) == [5, 2, 5]
    pair = "{ i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 %x)"
    declared = "{ i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32, i32)"
    assert returned(declared, pair, {"i32 %x": [4, 4]}) == [[3, 1], [3, 1]]
    assert returned(declared, pair, {"i32 %x": [4, 5]}) == [[0, 0], [0, 0]]
    whole = 31  # clamp 31, one segment of 32
    shuffles = {
        ("down", 1, whole): [1, 2, 3, "poison"],  # lane 3 reads lane 4, which is not there
        ("up", 1, 0): [0, 0, 1, 2],
        ("bfly", 1, whole): [1, 0, 3, 2],
        ("idx", 2, whole): [2, 2, 2, 2],
        ("idx", 1, (30 << 8) | whole): [1, 1, 3, 3],  # segments of two lanes
    }
    for (mode, distance, control), answer in shuffles.items():
        name = f"llvm.nvvm.shfl.sync.{mode}.i32"
        call = f"i32 @{name}(i32 -1, i32 %x, i32 {distance}, i32 {control})"
        assert returned(f"i32 @{name}(i32, i32, i32, i32)", call, {"i32 %x": [0, 1, 2, 3]}) == answer, mode
    name = "llvm.nvvm.shfl.sync.idx.i32"
    for mask in (-1, 0b0101):  # who reads a lane that the mask does not name
        call = f"i32 @{name}(i32 {mask}, i32 %x, i32 %from, i32 31)"
        lanes = {"i32 %x": [5, 6, 7, 8], "i32 %from": [2, 1, 1, 0]}
        wanted = [7, 6, 6, 5] if mask == -1 else [7, "poison", "poison", 5]
        assert returned(f"i32 @{name}(i32, i32, i32, i32)", call, lanes) == wanted
    name = "llvm.nvvm.shfl.sync.up.i32p"
    call = f"{{ i32, i1 }} @{name}(i32 -1, i32 %x, i32 1, i32 0)"
    assert returned(f"{{ i32, i1 }} @{name}(i32, i32, i32, i32)", call, {"i32 %x": [5, 6]}) == [
        [5, 0],
        [5, 1],
    ]
    popc = "i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %p)"
    declared = "i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)"
    assert returned(declared, popc, {"i1 %p": [1, 0, 1]}) == [2, 2, 2]


@pytest.mark.parametrize(
    "call",
    [
        "void @subgroupBarrier()",
        "void @subgroupControlBarrier()",
        "void @llvm.amdgcn.s.barrier()",
        "void @llvm.spv.group.memory.barrier.with.group.sync()",
        "void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
    ],
)
def test_barriers_are_events(call: str) -> None:
    declaration = call.replace("i32 0", "i32")
    text = (
        f"declare {declaration} convergent\ndefine void @f() convergent {{\n  call {call}\n  ret void\n}}\n"
    )
    done = run(parse(text), threads=2)
    assert done.ending == Returned()
    events = [t.events[0] for t in done.outcome.threads]
    assert [e.group for e in events if isinstance(e, Called)] == [{0: 1, 1: 1}] * 2
    assert done.stand_ins == ()


def test_an_exchange_that_is_no_convergent_operation_is_named() -> None:
    body = "  %r = call i32 @subgroupAdd(i32 1)\n  ret i32 %r\n"
    text = f"declare i32 @subgroupAdd(i32)\ndefine i32 @f() {{\n{body}}}\n"
    ending = run(parse(text)).ending
    assert isinstance(ending, Unmodelled) and "@subgroupAdd" in ending.feature


def test_a_known_name_with_other_types_is_a_stand_in() -> None:
    body = "  %r = call ptr @subgroupAdd(ptr null)\n  ret void\n"
    text = f"declare ptr @subgroupAdd(ptr) convergent\ndefine void @f() {{\n{body}}}\n"
    done = run(parse(text))
    assert done.ending == Returned() and done.stand_ins == ("subgroupAdd",)


@pytest.mark.parametrize(("threads", "answer"), [(1, "undef"), (2, 0)])
def test_a_reduction_over_one_lane_hands_undef_on(threads: int, answer: Json) -> None:
    """Over several lanes it computes, and undef is 0."""
    given: dict[str, Any] = {"threads": threads}
    assert returned("i32 @subgroupAdd(i32)", "i32 @subgroupAdd(i32 undef)", **given) == [answer] * threads
    declaration, call = "i32 @subgroupBroadcastFirst(i32)", "i32 @subgroupBroadcastFirst(i32 undef)"
    assert returned(declaration, call, **given) == ["undef"] * threads
