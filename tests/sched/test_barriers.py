"""What orders memory among threads (D-SYNC): barriers and fences of each dialect, in both engines and in
``run``.

covers: ir.calls, report.parts.words, sched.constraints.time, semantics.environments.watched,
semantics.memory.races, semantics.memory.synchronisation, semantics.operations.barriers
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from convergence import run
from convergence.parser import parse
from convergence.sched.enumeration import Enumeration
from convergence.semantics import ENDING_NAMES, Deadlock, Ending, Returned, Unmodelled
from tests.cli.cli_harness import ROOT
from tests.launches import enumerate_axiomatic, explore

DECLARED = {
    "@llvm.nvvm.barrier.cta.sync.aligned.all": "void {}(i32)",
    "@llvm.nvvm.barrier.cta.sync.count": "void {}(i32, i32)",
    "@llvm.nvvm.barrier.cta.red.popc.aligned.all": "i32 {}(i32, i1)",
    "@llvm.nvvm.bar.warp.sync": "void {}(i32)",
    "@llvm.nvvm.vote.ballot.sync": "i32 {}(i32, i1)",
    "@llvm.amdgcn.s.barrier": "void {}()",
    "@llvm.amdgcn.wave.barrier": "void {}()",
    "@llvm.dx.group.memory.barrier.with.group.sync": "void {}()",
    "@llvm.spv.group.memory.barrier.with.group.sync": "void {}()",
    "@_Z7barrierj": "void {}(i32)",
    "@_Z18work_group_barrierj12memory_scope": "void {}(i32, i32)",
    "@_Z17sub_group_barrierj": "void {}(i32)",
    "@_Z9mem_fencej": "void {}(i32)",
    "@_Z22atomic_work_item_fencej12memory_order12memory_scope": "void {}(i32, i32, i32)",
    "@_Z22__spirv_ControlBarrierjjj": "void {}(i32, i32, i32)",
    "@__spirv_ControlBarrier": "void {}(i32, i32, i32)",
    "@_Z21__spirv_MemoryBarrierjj": "void {}(i32, i32)",
    "@subgroupBarrier": "void {}()",
    "@__syncthreads": "void {}()",
    "@_Z10__syncwarpj": "void {}(i32)",
    "@workgroupBarrier": "void {}()",
    "@controlBarrier": "void {}()",
}
METADATA = '!0 = !{!"amdgpu-synchronize-as", !"local"}\n!1 = !{!"amdgpu-synchronize-as", !"global"}\n'
BARE = "call void @llvm.amdgcn.s.barrier()"
OPENCL_FENCE = "call void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 1, i32 {}, i32 {})"


def exchange(between: str, space: int = 3) -> str:
    """Each thread writes its cell and reads its neighbour's, with this in between."""
    pointer = f"ptr addrspace({space})" if space else "ptr"
    declared = "".join(
        f"declare {form.format(name)}{' convergent' if 'fence' not in name else ''}\n"
        for name, form in DECLARED.items()
        if f"{name}(" in between
    )
    return (
        f"@cells = internal {'addrspace(3) ' if space == 3 else 'addrspace(1) ' if space else ''}"
        f"global [2 x i32] zeroinitializer\n"
        "define i32 @f(i32 %me) convergent {\n"
        f"  %own = getelementptr [2 x i32], {pointer} @cells, i32 0, i32 %me\n"
        f"  %value = add i32 %me, 10\n  store i32 %value, {pointer} %own\n"
        + "".join(f"  {line.strip()}\n" for line in between.split(";"))
        + f"  %other = xor i32 %me, 1\n"
        f"  %peer = getelementptr [2 x i32], {pointer} @cells, i32 0, i32 %other\n"
        f"  %seen = load i32, {pointer} %peer\n  ret i32 %seen\n}}\n{declared}{METADATA}"
    )


TWO: dict[str, Any] = {"threads": 2, "arguments": {"me": [0, 1]}}


def returned(text: str, **given: Any) -> set[tuple[Any, ...]]:
    """What the threads return, whatever is reduced; by the axioms, too, where nothing races, and by
    ``run``."""
    module, how = parse(text), {**TWO, **given}
    answers = [explore(module, reduce=reduce, **how) for reduce in (True, False)]
    assert answers[0].outcomes == answers[1].outcomes
    assert all(answer.complete for answer in answers)
    found = {tuple(t.value for t in o.outcome.threads) for o in answers[0].outcomes}
    racing = any("race" in note for note in answers[0].notes)
    axiomatic = enumerate_axiomatic(module, **how)
    assert axiomatic.complete is not racing, axiomatic.bound
    if axiomatic.complete:
        assert {tuple(t.value for t in o.outcome.threads) for o in axiomatic.outcomes} == found
    once = run(module, **how)
    assert isinstance(once.ending, Returned)
    assert tuple(t.value for t in once.outcome.threads) in found
    assert bool(once.races) is racing
    return found


ORDERED, RACING = {(11, 10)}, {("undef", "undef")}

LOCAL = [
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
    "call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 %me)",
    "%n = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)",
    "call void @llvm.nvvm.bar.warp.sync(i32 -1)",
    "call void @__syncthreads()",
    "call void @_Z10__syncwarpj(i32 -1)",
    "call void @llvm.dx.group.memory.barrier.with.group.sync()",
    "call void @llvm.spv.group.memory.barrier.with.group.sync()",
    "call void @_Z7barrierj(i32 1)",
    "call void @_Z7barrierj(i32 3)",
    "call void @_Z18work_group_barrierj12memory_scope(i32 1, i32 1)",
    "call void @_Z17sub_group_barrierj(i32 1)",
    "call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 264)",
    "call void @__spirv_ControlBarrier(i32 2, i32 3, i32 272)",
    "call void @subgroupBarrier()",
    "call void @workgroupBarrier()",
    f'fence syncscope("workgroup") release; {BARE}; fence syncscope("workgroup") acquire',
    f'fence syncscope("wavefront-one-as") release; {BARE}; fence acquire',
    f"fence release, !mmra !0; {BARE}; fence acquire, !mmra !0",
    f"fence acq_rel; fence acquire; {BARE}; fence release; fence seq_cst",
    f"call void @_Z9mem_fencej(i32 1); {BARE}; call void @_Z9mem_fencej(i32 1)",
    f"{OPENCL_FENCE.format(3, 1)}; {BARE}; {OPENCL_FENCE.format(2, 4)}",
    f"call void @_Z21__spirv_MemoryBarrierjj(i32 2, i32 260); {BARE}; "
    "call void @_Z21__spirv_MemoryBarrierjj(i32 2, i32 258)",
    f"fence release; {BARE}; call void @_Z7barrierj(i32 0); fence acquire",
]
"""What orders local memory in the group."""

NOTHING = [
    BARE,
    "call void @llvm.amdgcn.wave.barrier()",
    "call void @controlBarrier()",
    "call void @_Z7barrierj(i32 0)",
    "call void @_Z7barrierj(i32 2)",
    "call void @_Z18work_group_barrierj12memory_scope(i32 1, i32 0)",
    "call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 256)",
    "call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 520)",
    "call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 4, i32 264)",
    "call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 260)",
    "%b = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)",
    "fence seq_cst",
    f"{BARE}; fence acquire",
    f"fence release; {BARE}",
    f"{BARE}; fence release; fence acquire",
    f"fence acquire; {BARE}; fence release",
    f"fence release, !mmra !1; {BARE}; fence acquire",
    f"fence release; {BARE}; fence acquire, !mmra !1",
    f'fence syncscope("singlethread") release; {BARE}; fence acquire',
    f"{OPENCL_FENCE.format(0, 1)}; {BARE}; fence acquire",
    "fence release; %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true); fence acquire",
]
"""What does not order it, or only in part."""


@pytest.mark.parametrize("between", LOCAL)
def test_a_tile_exchanged_through_a_barrier_has_one_outcome(between: str) -> None:
    assert returned(exchange(between)) == ORDERED


@pytest.mark.parametrize("between", NOTHING)
def test_what_a_barrier_does_not_order_races(between: str) -> None:
    assert returned(exchange(between)) == RACING


@pytest.mark.parametrize("space", [0, 1])
@pytest.mark.parametrize(
    ("between", "orders"),
    [
        ("call void @_Z7barrierj(i32 1)", False),
        ("call void @_Z7barrierj(i32 2)", True),
        ("call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 264)", False),
        ("call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 520)", True),
        ("call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 72)", True),
        ("call void @llvm.dx.group.memory.barrier.with.group.sync()", False),
        ("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", True),
        (f"fence release, !mmra !0; {BARE}; fence acquire", False),
        (f"fence release, !mmra !1; {BARE}; fence acquire", True),
    ],
)
def test_storage_classes(space: int, between: str, orders: bool) -> None:
    assert returned(exchange(between, space)) == (ORDERED if orders else RACING)


@pytest.mark.parametrize(
    ("between", "orders"),
    [
        ("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", True),
        ("call void @_Z7barrierj(i32 1)", True),
        ("call void @__syncthreads()", True),
        ("call void @_Z10__syncwarpj(i32 -1)", False),
        ("call void @llvm.dx.group.memory.barrier.with.group.sync()", True),
        ("call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 264)", True),
        (f'fence syncscope("workgroup") release; {BARE}; fence syncscope("workgroup") acquire', True),
        (f'fence syncscope("wavefront") release; {BARE}; fence syncscope("workgroup") acquire', False),
        (f'fence syncscope("workgroup") release; {BARE}; fence syncscope("wavefront") acquire', False),
        (BARE, False),
        ("call void @llvm.nvvm.bar.warp.sync(i32 -1)", False),
        ("call void @_Z17sub_group_barrierj(i32 1)", False),
        ("call void @_Z22__spirv_ControlBarrierjjj(i32 3, i32 2, i32 264)", False),
        ("call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 3, i32 264)", False),
    ],
)
def test_launch_groups_meet_at_barriers_of_the_workgroup(between: str, orders: bool) -> None:
    assert returned(exchange(between), subgroup_size=1) == (ORDERED if orders else RACING)


def test_an_atomic_access_races_with_one_that_is_not() -> None:
    text = """@x = global i32 0
    define i32 @f(i32 %me) {
      %first = icmp eq i32 %me, 0
      br i1 %first, label %a, label %b
    a:
      store atomic i32 1, ptr @x monotonic, align 4
      ret i32 0
    b:
      %seen = load i32, ptr @x
      ret i32 %seen
    }"""
    assert returned(text) == {(0, "undef")}


CROSSED = """define i32 @f(i32 %me) convergent {
  %first = icmp eq i32 %me, 0
  br i1 %first, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)
  ret i32 0
b:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 X)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 Y)
  ret i32 1
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
"""


@pytest.mark.parametrize("engine", [explore, enumerate_axiomatic])
@pytest.mark.parametrize(("order", "ending"), [((0, 1), "returned"), ((1, 0), "deadlock")])
def test_launch_groups_that_cross_at_two_barriers_wait_for_ever(
    order: tuple[int, int], ending: str, engine: Callable[..., Enumeration]
) -> None:
    text = CROSSED.replace("X", str(order[0])).replace("Y", str(order[1]))
    found = engine(parse(text), subgroup_size=1, **TWO)
    assert found.complete and {o.ending for o in found.outcomes} == {ending}


@pytest.mark.parametrize("engine", [explore, enumerate_axiomatic])
def test_nobody_passes_a_barrier_because_of_what_is_done_behind_it(
    engine: Callable[..., Enumeration],
) -> None:
    """Thread 1 could end early if it read what thread 0 stores behind the barrier at which it waits for it.
    A constant beside the variable is none that threads share."""
    text = """@constant = constant i32 0
    @x = global i32 0
    define i32 @f(i32 %me) convergent {
      %first = icmp eq i32 %me, 0
      br i1 %first, label %a, label %b
    a:
      call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
      store atomic i32 1, ptr @x monotonic, align 4
      ret i32 0
    b:
      %seen = load atomic i32, ptr @x monotonic, align 4
      %early = icmp eq i32 %seen, 1
      br i1 %early, label %end, label %meet
    meet:
      call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
      ret i32 2
    end:
      ret i32 %seen
    }
    declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
    """
    found = engine(parse(text), subgroup_size=1, **TWO)
    assert found.complete
    assert {tuple(t.value for t in o.outcome.threads) for o in found.outcomes} == {(0, 2)}


Steps = tuple[tuple[str, int], ...]
STEPS = {
    "all": "  call void @llvm.nvvm.barrier.cta.sync.all(i32 {})\n",
    "count": "  call void @llvm.nvvm.barrier.cta.sync.count(i32 {}, i32 COUNT)\n",
    "arrive": "  call void @llvm.nvvm.barrier.cta.arrive.count(i32 {}, i32 COUNT)\n",
    "signal": "  call void @llvm.amdgcn.s.barrier.signal(i32 {})\n",
    "wait": "  call void @llvm.amdgcn.s.barrier.wait(i16 {})\n",
    "store": "  store atomic i32 {}, ptr @x monotonic, align 4\n",
}
ONE_BY_ONE = """target triple = "TRIPLE"
@x = global i32 0
declare void @llvm.nvvm.barrier.cta.sync.all(i32) convergent
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32) convergent
declare void @llvm.nvvm.barrier.cta.arrive.count(i32, i32) convergent
declare void @llvm.amdgcn.s.barrier.signal(i32) convergent
declare void @llvm.amdgcn.s.barrier.wait(i16) convergent
define i32 @f(i32 %me) convergent {
  switch i32 %me, label %t0 [CASES]
"""


def all_end(threads: Sequence[Steps]) -> bool:
    """Whether all threads end that do their steps one by one, each in a launch group of its own: barriers
    with a count wait for all threads, others for who has not ended."""
    times, done = [Counter[int]() for _ in threads], [0] * len(threads)
    here = [False] * len(threads)  # whether a thread has arrived by its next step
    moved = True
    while moved:
        moved = False
        for me, steps in enumerate(threads):
            while done[me] < len(steps):
                kind, name = steps[done[me]]
                if kind in ("all", "count", "arrive", "signal") and not here[me]:
                    times[me][name] += 1
                    here[me] = moved = True
                if kind in ("all", "count", "wait") and any(
                    times[other][name] < times[me][name]
                    and (kind == "count" or done[other] < len(threads[other]))
                    for other in range(len(threads))
                ):
                    break
                here[me], moved = False, True
                done[me] += 1
    return all(d == len(steps) for d, steps in zip(done, threads, strict=True))


def steps_of(names: Sequence[int], kinds: Sequence[str]) -> st.SearchStrategy[Steps]:
    return st.lists(st.tuples(st.sampled_from(kinds), st.sampled_from(names)), max_size=3).map(tuple)


ALL = st.lists(steps_of((0, 1), ("all", "store")), min_size=2, max_size=3)
COUNTED = st.lists(steps_of((2, 3), ("count", "arrive", "store")), min_size=2, max_size=3)
SPLIT = st.lists(
    st.lists(
        st.sampled_from(
            [
                *((("signal", name), ("wait", name)) for name in (-1, -3)),
                (("signal", -1), ("signal", -3), ("wait", -1), ("wait", -3)),
                (("store", 0),),
            ]
        ),
        max_size=3,
    ).map(lambda parts: tuple(step for part in parts for step in part)),
    min_size=2,
    max_size=3,
)


@pytest.mark.parametrize("engine", [explore, enumerate_axiomatic])
@given(threads=ALL)
@example(threads=[(("all", 0), ("store", 0)), (("all", 1), ("all", 0))])
@example(threads=[(("all", 0), ("store", 0)), (("all", 1), ("store", 0))])
@settings(max_examples=40, deadline=None)
def test_a_thread_comes_to_no_barrier_and_to_no_end_behind_one_at_which_it_waits(
    engine: Callable[..., Enumeration], threads: list[Steps]
) -> None:
    """Where threads store, they go on while they wait: what a barrier waits for is not met by that."""
    assert_endings(engine, threads)


@given(threads=COUNTED | SPLIT)
@example(threads=[(("store", 0), ("count", 2), ("arrive", 3)), (("count", 3), ("arrive", 2))])
@example(
    threads=[
        (("store", 0), ("signal", -1), ("wait", -1), ("signal", -3), ("wait", -3)),
        (("store", 0), ("signal", -3), ("wait", -3), ("signal", -1), ("wait", -1)),
    ]
)
@settings(max_examples=60, deadline=None)
def test_a_thread_arrives_at_no_barrier_behind_one_at_which_it_waits(threads: list[Steps]) -> None:
    """The same where a number of threads meets and some only arrive, and with barriers of the cluster."""
    assert_endings(explore, threads)


def assert_endings(engine: Callable[..., Enumeration], threads: list[Steps]) -> None:
    count = len(threads)
    cases = " ".join(f"i32 {n}, label %t{n}" for n in range(1, count))
    blocks = "".join(
        f"t{n}:\n{''.join(STEPS[kind].format(name) for kind, name in steps)}  ret i32 {n}\n"
        for n, steps in enumerate(threads)
    )
    kinds = {kind for steps in threads for kind, _ in steps}
    triple = "amdgcn-amd-amdhsa" if kinds & {"signal", "wait"} else "nvptx64-nvidia-cuda"
    text = ONE_BY_ONE.replace("CASES", cases).replace("TRIPLE", triple)
    text += blocks.replace("COUNT", str(32 * count)) + "}\n"
    arguments = {"me": [*range(count)]}
    found = engine(parse(text), threads=count, arguments=arguments, subgroup_size=1, max_executions=400)
    assert {o.ending for o in found.outcomes} == {"returned" if all_end(threads) else "deadlock"}


def all_end_in_groups(masks: Sequence[int]) -> bool:
    """Whether four threads in launch groups of two end: each step is a barrier, in a place of its own, for
    the threads of a mask. Who is at one waits for the others of its group that come there, and then for the
    other group to come to as many barriers, or to end."""
    ways = [[n for n, mask in enumerate(masks) if mask >> thread & 1] for thread in range(4)]
    done = [0] * 4

    def is_at(thread: int, step: int) -> bool:
        return done[thread] < len(ways[thread]) and ways[thread][done[thread]] == step

    def come(thread: int) -> float:
        return done[thread] + 1 if done[thread] < len(ways[thread]) else math.inf

    moved = True
    while moved:
        moved = False
        for first in (0, 2):
            for step in range(len(masks)):
                group = [t for t in (first, first + 1) if step in ways[t]]
                if group and all(is_at(t, step) for t in group):
                    others = (2 - first, 3 - first)
                    if all(come(t) >= max(map(come, group)) for t in others):
                        for t in group:
                            done[t], moved = done[t] + 1, True
    return all(d == len(way) for d, way in zip(done, ways, strict=True))


@pytest.mark.parametrize("engine", [explore, enumerate_axiomatic])
@given(steps=st.lists(st.tuples(st.integers(1, 15), st.booleans()), min_size=1, max_size=4))
@example(steps=[(10, False), (15, True)])
@example(steps=[(4, False), (5, False), (11, False)])  # thread 3 need not wait for 2, which does not come
@example(steps=[(4, False), (5, False), (11, True)])
@settings(max_examples=30, deadline=None)
def test_launch_groups_wait_for_each_other_at_barriers_that_not_all_come_to(
    engine: Callable[..., Enumeration], steps: list[tuple[int, bool]]
) -> None:
    """Behind some of them each thread stores, and goes on while it waits."""
    blocks = ""
    for n, (mask, stores) in enumerate(steps):
        store = f"  store atomic i32 {n}, ptr @x monotonic, align 4\n" if stores else ""
        blocks += (
            f"s{n}:\n  %m{n} = lshr i32 {mask}, %me\n  %c{n} = trunc i32 %m{n} to i1\n"
            f"  br i1 %c{n}, label %b{n}, label %s{n + 1}\nb{n}:\n"
            f"  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)\n{store}  br label %s{n + 1}\n"
        )
    text = (
        "@x = global i32 0\ndefine i32 @f(i32 %me) convergent {\n  br label %s0\n"
        f"{blocks}s{len(steps)}:\n  ret i32 0\n}}\n"
        "declare void @llvm.nvvm.barrier.cta.sync.all(i32) convergent\n"
    )
    arguments = {"me": [0, 1, 2, 3]}
    found = engine(parse(text), threads=4, arguments=arguments, subgroup_size=2, max_executions=100)
    ending = "returned" if all_end_in_groups([mask for mask, _ in steps]) else "deadlock"
    assert {o.ending for o in found.outcomes} == {ending}
    once = run(parse(text), threads=4, arguments=arguments, subgroup_size=2)
    assert ENDING_NAMES[type(once.ending)] == ending


TILE = (ROOT / "examples_ll" / "barriers" / "reduction-nvptx.ll").read_text(encoding="utf-8")
NUMBERED = """define i32 @f(i32 %me) convergent {
  %first = icmp eq i32 %me, 0
  br i1 %first, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret i32 0
b:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 NUMBER)
  LAST
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
"""


@pytest.mark.parametrize(
    ("number", "last", "ending"),
    [
        (0, "ret i32 1", Returned),
        (1, "ret i32 1", Deadlock),
        (0, "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  ret i32 1", Returned),
    ],
)
def test_a_barrier_of_the_workgroup_waits_for_who_is_not_over(
    number: int, last: str, ending: type[Ending]
) -> None:
    """By its number, and only as long as the others have not ended."""
    module = parse(NUMBERED.replace("NUMBER", str(number)).replace("LAST", last))
    once = run(module, subgroup_size=1, **TWO)
    assert isinstance(once.ending, ending)
    found = explore(module, subgroup_size=1, **TWO)
    assert found.complete
    assert {o.ending for o in found.outcomes} == {ENDING_NAMES[ending]}


def test_a_tile_that_two_waves_share() -> None:
    text = 'target triple = "nvptx64-nvidia-cuda"\n' + TILE.replace("4 x i32", "64 x i32").replace(
        "[ 2, %entry ]", "[ 32, %entry ]"
    )
    once = run(parse(text), threads=64)
    assert once.races == ()
    assert once.outcome.memory["@total"] == 64 * 65 // 2


def test_flags_that_are_no_constants_are_not_modelled() -> None:
    module = parse(exchange("call void @_Z7barrierj(i32 %me)"))
    ending = run(module, **TWO).ending
    assert isinstance(ending, Unmodelled)
    assert "flags" in ending.feature and "@_Z7barrierj" in ending.feature


ATOMIC = """@x = global i32 0
define i32 @f(i32 %me) convergent {
  %first = icmp eq i32 %me, 0
  br i1 %first, label %write, label %wait
write:
  store atomic i32 1, ptr @x monotonic, align 4
  br label %wait
wait:
  BARRIER
  %seen = load atomic i32, ptr @x monotonic, align 4
  ret i32 %seen
}
declare void @llvm.amdgcn.s.barrier() convergent
declare void @_Z7barrierj(i32) convergent
"""


@pytest.mark.parametrize(
    ("barrier", "values"),
    [
        ("call void @_Z7barrierj(i32 2)", {(1, 1)}),
        (BARE, {(1, 0), (1, 1)}),
        (f"fence release\n {BARE}", {(1, 0), (1, 1)}),
        (f"fence release\n {BARE}\n fence acquire", {(1, 1)}),
        # the order of accesses is one for all memory, whatever storage a fence names
        ("call void @_Z7barrierj(i32 1)", {(1, 1)}),
    ],
)
def test_atomic_accesses_do_not_race_but_are_ordered_by_barriers(
    barrier: str, values: set[tuple[int, int]]
) -> None:
    assert returned(ATOMIC.replace("BARRIER", barrier)) == values


SCOPED = """@data = global i32 0
@flag = global i32 0
define i32 @f(i32 %me) {
  %first = icmp eq i32 %me, 0
  br i1 %first, label %write, label %read
write:
  store i32 7, ptr @data
  store atomic i32 1, ptr @flag syncscope("RELEASE") release, align 4
  ret i32 0
read:
  %set = load atomic i32, ptr @flag syncscope("ACQUIRE") acquire, align 4
  %is = icmp eq i32 %set, 1
  br i1 %is, label %after, label %before
after:
  %seen = load i32, ptr @data
  ret i32 %seen
before:
  ret i32 99
}
"""


@pytest.mark.parametrize(
    ("release", "acquire", "size", "ordered"),
    [
        ("workgroup", "agent", 1, True),
        ("wavefront", "agent", 2, True),
        ("wavefront", "agent", 1, False),
        ("agent", "wavefront", 1, False),
        ("singlethread", "agent", 2, False),
        ("device", "singlethread", 2, False),
        ("block", "cluster", 1, True),
        ("workgroup-one-as", "workgroup", 2, True),
        ("one-as", "system", 1, True),
    ],
)
def test_scopes_include_each_other_or_do_not_synchronise(
    release: str, acquire: str, size: int, ordered: bool
) -> None:
    text = SCOPED.replace("RELEASE", release).replace("ACQUIRE", acquire)
    assert returned(text, subgroup_size=size) == {(0, 99), (0, 7 if ordered else "undef")}


@pytest.mark.parametrize("scope", ["workgroup", "workgroup-one-as", "one-as"])
def test_an_operation_of_one_address_space_orders_its_own_class(scope: str) -> None:
    text = SCOPED.replace("RELEASE", scope).replace("ACQUIRE", scope)
    text = text.replace("@data = global", "@data = addrspace(3) global").replace(
        "ptr @data", "ptr addrspace(3) @data"
    )
    seen = 7 if scope == "workgroup" else "undef"
    assert returned(text) == {(0, 99), (0, seen)}


def test_a_constant_that_is_read_does_not_shift_which_read_races() -> None:
    text = """@table = constant [2 x i32] [i32 1, i32 2]
@x = global i32 0
define i32 @f(i32 %me) {
  %at = getelementptr [2 x i32], ptr @table, i32 0, i32 %me
  %c = load i32, ptr %at
  %r = load i32, ptr @x
  store i32 %c, ptr @x
  ret i32 %r
}
"""
    assert returned(text) == RACING


def test_a_vector_and_a_copy_that_race_are_undef_as_a_whole() -> None:
    text = """@x = global <2 x i32> zeroinitializer
@copy = global [2 x i64] zeroinitializer
define i32 @f(i32 %me) {
  %own = getelementptr [2 x i64], ptr @copy, i32 0, i32 %me
  %v = load <2 x i32>, ptr @x
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr @x, i64 8, i1 false)
  %place = getelementptr i32, ptr @x, i32 %me
  store i32 5, ptr %place
  %e = extractelement <2 x i32> %v, i32 %me
  ret i32 %e
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
    assert returned(text) == RACING
    once = run(parse(text), **TWO)
    assert once.outcome.memory["@copy"] == ["undef", "undef"]


def test_what_a_barrier_orders_is_not_tried_in_another_order() -> None:
    """Partial-order reduction knows it: one execution, where every access of the others could come
    between."""
    module = parse(TILE)
    assert explore(module, threads=4, max_executions=1).complete
    assert len(explore(module, threads=4).outcomes) == 1
    racing = TILE.replace("call void @llvm.nvvm.barrier", "; call")
    assert not explore(parse(racing), threads=4, max_executions=1).complete


def test_run_says_where_both_accesses_are() -> None:
    text = exchange(BARE)
    lines = text.splitlines()
    races = run(parse(text), **TWO).races
    assert {race.variable for race in races} == {"@cells"}
    for race in races:
        kinds = {race.first.kind, race.second.kind}
        assert kinds == {"load", "store"}
        assert {race.first.thread, race.second.thread} == {0, 1}
        for access in (race.first, race.second):
            instruction = parse(text).functions["f"].instructions[access.site.index]
            assert (access.kind == "store") == (instruction.result is None)
    assert any("store" in line for line in lines)


@pytest.mark.parametrize("between", [LOCAL[0], BARE, "fence seq_cst"])
def test_run_reads_what_enumeration_reads(between: str) -> None:
    module = parse(exchange(between))
    once = run(module, **TWO)
    (only,) = explore(module, **TWO).outcomes
    assert once.outcome == only.outcome


def test_a_run_in_which_late_races_change_what_races() -> None:
    """Thread 1 writes only if it read 0: thread 0's read races with that write, and undef is taken as 0."""
    text = """@x = global i32 0
@y = global i32 0
define i32 @f(i32 %me) {
  %first = icmp eq i32 %me, 0
  br i1 %first, label %a, label %b
a:
  %x = load i32, ptr @x
  store i32 1, ptr @y
  ret i32 %x
b:
  %y = load i32, ptr @y
  %f = freeze i32 %y
  %c = icmp eq i32 %f, 0
  br i1 %c, label %w, label %n
w:
  store i32 1, ptr @x
  ret i32 %y
n:
  ret i32 %y
}
"""
    module = parse(text)
    once = run(module, **TWO)
    found = {tuple(t.value for t in o.outcome.threads) for o in explore(module, **TWO).outcomes}
    assert tuple(t.value for t in once.outcome.threads) in found
    assert tuple(t.value for t in once.outcome.threads) == ("undef", "undef")


def test_barriers_order_nothing_where_nothing_is_shared() -> None:
    """The axioms ask when an exchange happens only where there is memory: no fence has a time either."""
    text = """declare void @subgroupBarrier() convergent
declare i1 @subgroupAny(i1) convergent
define i32 @f(i32 %x) convergent {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %n, %head ]
  call void @subgroupBarrier()
  %n = add i32 %i, 1
  %more = icmp ult i32 %n, %x
  %any = call i1 @subgroupAny(i1 %more)
  br i1 %more, label %head, label %exit
exit:
  call void @subgroupBarrier()
  ret i32 %n
}
"""
    how: dict[str, Any] = {"threads": 3, "arguments": {"x": [3, 1, 2]}}
    answers = [engine(parse(text), **how) for engine in (explore, enumerate_axiomatic)]
    assert all(answer.complete for answer in answers)
    assert answers[0].outcomes == answers[1].outcomes


def test_writes_without_a_common_byte_may_be_at_one_time() -> None:
    """An atomic read of both bytes follows from the order at each of them."""
    text = """@word = addrspace(3) global i16 0, align 2
define i16 @f(i8 %me) {
  store atomic i8 %me, ptr addrspace(3) @word monotonic, align 1
  %high = getelementptr i8, ptr addrspace(3) @word, i32 1
  store atomic i8 8, ptr addrspace(3) %high monotonic, align 1
  %word = load atomic i16, ptr addrspace(3) @word seq_cst, align 2
  ret i16 %word
}
"""
    assert returned(text) == {(2048, 2048), (2048, 2049), (2049, 2049)}
    plain = text.replace(" atomic i8", " i8").replace(" monotonic", "")
    assert returned(plain) == {("undef", "undef")}
