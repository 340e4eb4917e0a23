"""OpenCL C's copies by the workgroup: what is copied, what orders it, and what is undefined.

covers: semantics.instructions.library.opencl_memory, semantics.operations.spirv
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import Returned, UndefinedBehaviour, Unmodelled
from convergence.semantics.machine import Accessed

EVENT = 'target("spirv.Event")'
TO_LOCAL = "_Z21async_work_group_copyPU3AS3iPU3AS1Kim9ocl_event"
TO_GLOBAL = "_Z21async_work_group_copyPU3AS1iPU3AS3Kim9ocl_event"
GATHER = "_Z29async_work_group_strided_copyPU3AS3iPU3AS1Kimm9ocl_event"
SCATTER = "_Z29async_work_group_strided_copyPU3AS1iPU3AS3Kimm9ocl_event"
THREES = "_Z21async_work_group_copyPU3AS3Dv3_iPU3AS1KS_m9ocl_event"
WAIT = "_Z17wait_group_eventsiP9ocl_event"
HEAD = "".join(
    f"declare {EVENT} @{name}(ptr addrspace({to}), ptr addrspace({4 - to}), {'i64, ' * counts}{EVENT}) #0\n"
    for name, to, counts in [
        (TO_LOCAL, 3, 1),
        (TO_GLOBAL, 1, 1),
        (GATHER, 3, 2),
        (SCATTER, 1, 2),
        (THREES, 3, 1),
    ]
)
HEAD += f"""
declare void @{WAIT}(i32, ptr) #0
declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32) #0
attributes #0 = {{ convergent nounwind }}
@tile = internal addrspace(3) global [64 x i32] undef, align 16
"""
NONE = f"{EVENT} zeroinitializer"


def copy(event: str, name: str = TO_LOCAL, counts: str = "i64 %n", given: str = NONE) -> str:
    """A line that copies between ``%data`` and the tile."""
    data, tile = "ptr addrspace(1) %data", "ptr addrspace(3) @tile"
    both = f"{data}, {tile}" if name in (TO_GLOBAL, SCATTER) else f"{tile}, {data}"
    return f"  {event} = call {EVENT} @{name}({both}, {counts}, {given})\n"


def wait(*events: str) -> str:
    """Lines that wait for these."""
    stores = "".join(
        f"  %at.{name[1:]} = getelementptr {EVENT}, ptr %list, i32 {n}\n"
        f"  store {EVENT} {name}, ptr %at.{name[1:]}\n"
        for n, name in enumerate(events)
    )
    return f"{stores}  call void @{WAIT}(i32 {len(events)}, ptr %list)\n"


def kernel(*lines: str, parameters: str = "i64 %n") -> Any:
    """A kernel that is given ``%data`` and knows ``%i``, the own number, and its own place in the tile."""
    return parse(
        f"{HEAD}define spir_kernel void @k(ptr addrspace(1) %data, {parameters}) convergent {{\n"
        f"  %list = alloca [4 x {EVENT}], align 8\n"
        "  %i = call i64 @_Z12get_local_idj(i32 0)\n"
        "  %own = getelementptr [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %i\n"
        "  %place = getelementptr i32, ptr addrspace(1) %data, i64 %i\n"
        f"{''.join(lines)}  ret void\n}}\n"
    )


DOUBLE = (
    "  %x = load i32, ptr addrspace(3) %own\n  %y = mul i32 %x, 2\n"
    "  store i32 %y, ptr addrspace(3) %own\n  call void @_Z7barrierj(i32 1)\n"
)
BOTH_WAYS = kernel(copy("%e"), wait("%e"), DOUBLE, copy("%f", TO_GLOBAL), wait("%f"))
DATA = np.arange(10, 42, dtype=np.int32)


def launch(threads: int, count: int, **more: Any) -> dict[str, Any]:
    return {"workgroup": (threads,), "buffers": {"data": DATA}, "arguments": {"n": count}, **more}


def list_of(outcome: Any, name: str) -> list[Any]:
    """What a variable of an outcome holds."""
    held = outcome.memory[name]
    assert isinstance(held, list)
    return held


@pytest.mark.parametrize("engine", ["reference", "native", "attended"])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_tile_is_copied_there_and_back(size: int, engine: Any) -> None:
    run = cc.run(BOTH_WAYS, engine=engine, **launch(4, 4, subgroup_size=size))
    assert run.ending == Returned() and not run.races and not run.notes
    assert run.buffers["data"].tolist() == [*(DATA[:4] * 2), *DATA[4:]]


@pytest.mark.parametrize("policy", ["exec-mask", "ipdom", "barrier"])
def test_machines_copy_it(policy: str) -> None:
    (machine,) = cc.simulate(BOTH_WAYS, policy=policy, **launch(4, 4))
    assert machine.outcome is not None
    assert list_of(machine.outcome, "%data")[:5] == [20, 22, 24, 26, 14]


@pytest.mark.parametrize("size", [1, 2])
def test_there_is_one_outcome(size: int) -> None:
    found = cc.enumerate(BOTH_WAYS, quick=False, **launch(2, 2, subgroup_size=size))
    (outcome,) = found.outcomes
    assert found.complete and list_of(outcome.outcome, "%data")[:3] == [20, 22, 12]


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize("count", [0, 1, 3, 8, 9])
def test_each_element_is_copied_once(threads: int, count: int) -> None:
    run = cc.run(kernel(copy("%e"), wait("%e")), **launch(threads, count))
    assert run.ending == Returned() and not run.races
    tile = list_of(run.outcome, "@tile")
    assert tile == [*DATA[:count].tolist(), *["undef"] * (64 - count)]
    writes = [event.touched.start for event in run.log if isinstance(event, Accessed) and event.touched.write]
    assert sorted(writes) == [4 * k for k in range(count)]


def test_each_workgroup_copies_for_itself() -> None:
    run = cc.run(
        parse(
            f"{HEAD}declare i64 @_Z12get_group_idj(i32)\n"
            "define spir_kernel void @k(ptr addrspace(1) %all, i64 %n) convergent {\n"
            f"  %list = alloca [4 x {EVENT}], align 8\n  %g = call i64 @_Z12get_group_idj(i32 0)\n"
            "  %o = mul i64 %g, %n\n  %data = getelementptr i32, ptr addrspace(1) %all, i64 %o\n"
            "  %i = call i64 @_Z12get_local_idj(i32 0)\n"
            "  %own = getelementptr [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %i\n"
            f"{copy('%e')}{wait('%e')}{DOUBLE}{copy('%f', TO_GLOBAL)}{wait('%f')}  ret void\n}}\n"
        ),
        grid=(3,), workgroup=(2,), buffers={"all": DATA}, arguments={"n": 2},
    )  # fmt: skip
    assert not run.races and run.buffers["all"].tolist() == [*(DATA[:6] * 2), *DATA[6:]]


def test_strides_are_those_in_global_memory() -> None:
    gather = copy("%e", GATHER, "i64 %n, i64 3")
    scatter = copy("%f", SCATTER, "i64 %n, i64 5")
    run = cc.run(kernel(gather, wait("%e"), scatter, wait("%f")), **launch(2, 4))
    expected = DATA.copy()
    expected[0:20:5] = DATA[0:12:3]
    assert not run.races and run.buffers["data"].tolist() == expected.tolist()


def test_vectors_of_three_are_four_elements_long() -> None:
    run = cc.run(kernel(copy("%e", THREES), wait("%e")), **launch(2, 2))
    assert list_of(run.outcome, "@tile")[:9] == [*DATA[:8].tolist(), "undef"]


def test_a_copy_that_is_given_an_event_gives_it_back() -> None:
    chained = copy("%f", TO_LOCAL, given=f"{EVENT} %e")
    run = cc.run(kernel(copy("%e"), chained, wait("%f")), **launch(2, 2))
    assert run.ending == Returned()
    first, second = [
        set(map(str, group.results.values())) for group in run.groups if "async" in str(group.callee)
    ]
    assert first == second and len(first) == 1


STORE = "  store i32 7, ptr addrspace(3) %own\n"
BARRIER = "  call void @_Z7barrierj(i32 3)\n"
LOAD = "  %x = load i32, ptr addrspace(3) %own\n  store i32 %x, ptr addrspace(1) %place\n"
ITS = "  %p = xor i64 %i, 2\n  %part = getelementptr [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %p\n"
WRITTEN = f"{ITS}  store i32 7, ptr addrspace(3) %part\n"
COPIED = f"{ITS}  %x = load i32, ptr addrspace(3) %part\n  store i32 %x, ptr addrspace(1) %after\n"
FAR = (
    "  %f = add i64 %i, 32\n  %far = getelementptr [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %f\n"
    "  store i32 7, ptr addrspace(3) %far\n"
)
NEAR = (
    "  %m = xor i64 %f, 1\n  %near = getelementptr [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %m\n"
    "  %x = load i32, ptr addrspace(3) %near\n  store i32 %x, ptr addrspace(1) %after\n"
)
LATER = "  %after = getelementptr i32, ptr addrspace(1) %place, i64 8\n"
RACING = {
    "the target is read before the wait": (copy("%e"), LOAD, wait("%e")),
    "the target was written before": (STORE, copy("%e"), wait("%e")),
    "the source was written before": (STORE, copy("%e", TO_GLOBAL), wait("%e")),
    "the source is written before the wait": (
        STORE, BARRIER, copy("%e", TO_GLOBAL), STORE, wait("%e")
    ),
    "a barrier is no wait": (copy("%e"), BARRIER, LOAD, wait("%e")),
    "a barrier is no wait, for who copies it": (copy("%e"), BARRIER, COPIED, wait("%e")),
    "who copies it has not waited": (copy("%e"), COPIED, wait("%e")),
    "who copies it wrote there before": (WRITTEN, copy("%e"), wait("%e")),
    "a wait is no barrier": (FAR, copy("%e"), wait("%e"), NEAR),
}  # fmt: skip
ORDERED = {
    "a wait and a barrier": (FAR, copy("%e"), wait("%e"), BARRIER, NEAR),
    "the target is read behind the wait": (copy("%e"), wait("%e"), LOAD.replace("%place", "%after")),
    "a barrier, then the copy": (STORE, BARRIER, copy("%e"), wait("%e")),
    "a barrier, then a copy of what was written": (STORE, BARRIER, copy("%e", TO_GLOBAL), wait("%e")),
}


@pytest.mark.parametrize("engine", ["reference", "native", "attended"])
@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("name", RACING)
def test_what_does_not_wait_races(name: str, size: int, engine: Any) -> None:
    run = cc.run(kernel(LATER, *RACING[name]), engine=engine, **launch(4, 4, subgroup_size=size))
    assert run.races, run.outcome
    assert all(access.thread < 4 for race in run.races for access in (race.first, race.second))
    assert (
        any("async" in access.kind for race in run.races for access in (race.first, race.second))
        or "no barrier" in name
    )


@pytest.mark.parametrize(
    "name", ["a barrier is no wait", "who copies it wrote there before", "a wait is no barrier"]
)
def test_enumeration_sees_the_races(name: str) -> None:
    found = cc.enumerate(kernel(LATER, *RACING[name]), timeout=100, **launch(4, 4))
    assert any("race" in note for note in found.notes), found


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("name", ORDERED)
def test_what_waits_does_not(name: str, size: int) -> None:
    run = cc.run(kernel(LATER, *ORDERED[name]), **launch(4, 4, subgroup_size=size))
    assert run.ending == Returned() and not run.races


BRANCH = "  %first = icmp eq i64 %i, 0\n  br i1 %first, label %a, label %b\n"
UNDEFINED = {
    "other operands": ("  %m = add i64 %n, %i\n", copy("%e", counts="i64 %m"), wait("%e")),
    "undef operands": (copy("%e", counts="i64 undef"), wait("%e")),
    "poison operands": (copy("%e", counts="i64 poison"), wait("%e")),
    "no wait": (copy("%e"),),
    "a copy behind the last wait": (copy("%e"), wait("%e"), copy("%f")),
    "no event": (copy("%e"), f"  store {NONE}, ptr %list\n", f"  call void @{WAIT}(i32 1, ptr %list)\n"),
    "an event that nobody has written": (copy("%e"), f"  call void @{WAIT}(i32 1, ptr %list)\n"),
    "beyond the buffer": (copy("%e", counts="i64 33"), wait("%e")),
    "a copy that not all come to": (
        BRANCH, "a:\n", copy("%e"), "  br label %c\nb:\n  br label %c\nc:\n",
    ),
    "copies at two places": (
        BRANCH, "a:\n", copy("%e"), "  br label %c\nb:\n", copy("%f"), "  br label %c\nc:\n",
        f"  %g = phi {EVENT} [ %e, %a ], [ %f, %b ]\n", wait("%g"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_is_undefined(name: str) -> None:
    run = cc.run(kernel(*UNDEFINED[name]), **launch(4, 4))
    assert isinstance(run.ending, UndefinedBehaviour), run.ending


def test_messages_name_the_copy() -> None:
    divergent, unawaited, others = (
        cc.run(kernel(*UNDEFINED[name]), **launch(4, 4)).ending
        for name in ("copies at two places", "no wait", "other operands")
    )
    assert isinstance(divergent, UndefinedBehaviour) and isinstance(unawaited, UndefinedBehaviour)
    assert divergent.reason == (
        "async copy 1 of the workgroup is in divergent control flow: "
        "thread 0 came to %e, threads 1-3 came to %f"
    )
    assert unawaited.reason == "the thread ends without waiting for %e"
    assert isinstance(others, UndefinedBehaviour) and others.section == "OpenCL C, Async Copies"


def test_a_copy_more_in_one_thread_is_undefined() -> None:
    lines = (copy("%e"), BRANCH, "a:\n", copy("%f"), "  br label %b\nb:\n", wait("%e"))
    for size in (1, 2, 4):
        run = cc.run(kernel(*lines), **launch(4, 4, subgroup_size=size))
        assert not isinstance(run.ending, Returned)
    assert isinstance(run.ending, UndefinedBehaviour)


def test_a_declaration_need_not_call_it_convergent() -> None:
    text = str(BOTH_WAYS).replace("convergent nounwind", "nounwind")
    assert "convergent nounwind" not in text
    run = cc.run(parse(text), **launch(4, 4, subgroup_size=2))
    assert not run.races and run.buffers["data"].tolist() == [*(DATA[:4] * 2), *DATA[4:]]


def test_the_axiomatic_engine_names_it() -> None:
    found = cc.enumerate(BOTH_WAYS, engine="axiomatic", **launch(2, 2))
    assert not found.complete and "async_work_group_copy" in str(found)


def test_a_target_may_not_drop_the_wait() -> None:
    source = kernel(
        copy("%e"), wait("%e"), LOAD.replace("%place", "%after").replace("  %x", LATER + "  %x", 1)
    )
    same = cc.refine(source, parse(str(source)), **launch(2, 2))
    assert same.verdict == "equal"
    target = parse(str(source).replace(f"  call void @{WAIT}(i32 1, ptr %list)\n", ""))
    assert cc.refine(source, target, **launch(2, 2)).verdict == "wrong"


def test_other_types_are_no_copies() -> None:
    text = (
        "declare i32 @_Z21async_work_group_copyPU3AS3iPU3AS1Kim9ocl_event(i32) convergent\n"
        "define i32 @f() convergent {\n"
        "  %r = call i32 @_Z21async_work_group_copyPU3AS3iPU3AS1Kim9ocl_event(i32 3)\n  ret i32 %r\n}\n"
    )
    run = cc.run(parse(text))
    assert run.stand_ins or isinstance(run.ending, Unmodelled)
