"""PTX's reductions and ``fns``; which memory a pointer points to.

covers: semantics.operations.nvvm, semantics.operations.table
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import reduce
from operator import and_, or_, xor
from typing import Any

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import Returned, Unmodelled
from convergence.semantics.machine.program import EngineKind
from convergence.semantics.machine.run import run

NAN = float("nan")


def reduced(least: bool, magnitude: bool, keeps_nan: bool, values: list[float]) -> float:
    """By sorting: zeros by sign, NaN apart."""
    taken = [abs(v) for v in values] if magnitude else values
    numbers = sorted((v for v in taken if not math.isnan(v)), key=lambda v: (v, math.copysign(1, v)))
    if not numbers or (keeps_nan and len(numbers) < len(taken)):
        return NAN
    return numbers[0 if least else -1]


@pytest.mark.parametrize("nan", ["", ".NaN"])
@pytest.mark.parametrize("magnitude", ["", ".abs"])
@pytest.mark.parametrize("kind", ["min", "max"])
def test_reductions_of_floats(kind: str, magnitude: str, nan: str) -> None:
    name = f"llvm.nvvm.redux.sync.f{kind}{magnitude}{nan}"
    text = (
        f"define float @f(float %x) convergent {{\n  %r = call float @{name}(float %x, i32 13)\n"
        "  ret float %r\n}\n"
    )
    rng = random.Random(name)
    for _ in range(12):
        values = [rng.choice((NAN, 0.0, -0.0, 1.5, -2.5, math.inf, 8.0)) for _ in range(4)]
        done = run(parse(text), threads=4, arguments={"x": values})
        assert done.ending == Returned()
        expected = reduced(kind == "min", bool(magnitude), bool(nan), [values[i] for i in (0, 2, 3)])
        shown = {repr(float(str(t.value))) for t in done.outcome.threads}
        assert shown == {repr(expected)}, values


REDUCTIONS: dict[str, Callable[[list[int]], int]] = {
    "add": sum, "max": max, "min": min, "umax": lambda v: max(v, key=lambda n: n & 0xFFFFFFFF),
    "umin": lambda v: min(v, key=lambda n: n & 0xFFFFFFFF), "and": lambda v: reduce(and_, v),
    "or": lambda v: reduce(or_, v), "xor": lambda v: reduce(xor, v),
}  # fmt: skip


@pytest.mark.parametrize("operation", REDUCTIONS)
def test_reductions_of_integers(operation: str) -> None:
    """Over the lanes of the mask, of which one is not launched."""
    text = (
        "define i32 @f(i32 %x) convergent {\n"
        f"  %r = call i32 @llvm.nvvm.redux.sync.{operation}(i32 %x, i32 29)\n  ret i32 %r\n}}\n"
        f"declare i32 @llvm.nvvm.redux.sync.{operation}(i32, i32)\n"
    )
    values = [6, -20, -3, 12]
    done = run(parse(text), threads=4, arguments={"x": values})
    assert done.outcome.threads[0].value == REDUCTIONS[operation]([6, -3, 12])


@pytest.mark.parametrize("seed", range(4))
def test_the_nth_set_bit(seed: int) -> None:
    rng = random.Random(seed)
    mask, base, offset = rng.getrandbits(32), rng.randrange(32), rng.randrange(-6, 7)
    places = [i for i in range(32) if mask >> i & 1]
    if offset == 0:
        expected = base if base in places else -1
    else:
        ahead = [i for i in places if i >= base] if offset > 0 else [i for i in places if i <= base][::-1]
        expected = ahead[abs(offset) - 1] if len(ahead) >= abs(offset) else -1
    text = (
        "define i32 @f(i32 %m, i32 %b, i32 %o) {\n"
        "  %r = call i32 @llvm.nvvm.fns(i32 %m, i32 %b, i32 %o)\n  ret i32 %r\n}\n"
    )
    done = run(parse(text), threads=1, arguments={"m": mask, "b": base, "o": offset})
    assert [t.value for t in done.outcome.threads] == [expected]


OBJECTS = """
@s = internal addrspace(3) global [4 x i32] undef
@g = addrspace(1) global i32 0
@c = addrspace(4) constant i32 7

define <4 x i1> @f(i32 %which) {
  %p = alloca i32, addrspace(5)
  %a = addrspacecast ptr addrspace(3) getelementptr ([4 x i32], ptr addrspace(3) @s, i32 0, i32 2) to ptr
  %b = addrspacecast ptr addrspace(5) %p to ptr
  %d = addrspacecast ptr addrspace(1) @g to ptr
  %e = addrspacecast ptr addrspace(4) @c to ptr
  %i = icmp eq i32 %which, 0
  %j = icmp eq i32 %which, 1
  %k = icmp eq i32 %which, 2
  %x = select i1 %k, ptr %d, ptr %e
  %y = select i1 %j, ptr %b, ptr %x
  %z = select i1 %i, ptr %a, ptr %y
"""
"""A generic pointer to workgroup memory, the stack, global or constant memory."""
END = "  ret <4 x i1> %r4\n}\n"


def asking(*names: str) -> str:
    text, last = OBJECTS, "zeroinitializer"
    for n, name in enumerate(names, 1):
        text += f"  %q{n} = call i1 @{name}(ptr %z)\n"
        text += f"  %r{n} = insertelement <4 x i1> {last}, i1 %q{n}, i32 {n - 1}\n"
        last = f"%r{n}"
    return text + END


NVVM = asking(*(f"llvm.nvvm.isspacep.{space}" for space in ("shared", "local", "global", "const")))
AMD = asking(*(f"llvm.amdgcn.is.{space}" for space in ("shared", "private", "shared", "private")))


def test_which_memory_a_pointer_points_to() -> None:
    for text, expected in (
        (NVVM, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
        ('target datalayout = "A5"\n' + AMD, [[1, 0] * 2, [0, 1] * 2, [0, 0] * 2, [0, 0] * 2]),
    ):
        done = run(parse(text), threads=4, arguments={"which": [0, 1, 2, 3]})
        assert done.ending == Returned() and done.stand_ins == ()
        got: list[Any] = [t.value for t in done.outcome.threads]
        assert [[abs(bit) for bit in bits] for bits in got] == expected
    for engine in ("operational", "axiomatic"):
        (outcome,) = cc.enumerate(parse(NVVM), engine=engine, threads=1, arguments={"which": 1}).outcomes
        bits = outcome.outcome.threads[0].value
        assert isinstance(bits, list) and [bool(bit) for bit in bits] == [False, True, False, False]


def test_a_pointer_to_nothing_has_no_answer() -> None:
    text = "define i1 @f() {\n  %r = call i1 @llvm.nvvm.isspacep.shared(ptr null)\n  ret i1 %r\n}\n"
    ending = run(parse(text)).ending
    assert isinstance(ending, Unmodelled) and "isspacep.shared" in ending.feature


def test_a_pointer_in_another_address_space_is_null() -> None:
    """OpenCL's to_global, SPIR-V's explicit cast: the pointer itself where its object lies there."""
    text = """@s = internal addrspace(3) global i32 7
@g = addrspace(1) global i32 8
declare ptr addrspace(1) @__to_global(ptr addrspace(4)) convergent
declare ptr addrspace(3) @llvm.spv.generic.cast.to.ptr.explicit.p3(ptr addrspace(4))
define i32 @f(i1 %c) {
  %a = addrspacecast ptr addrspace(3) @s to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) @g to ptr addrspace(4)
  %p = select i1 %c, ptr addrspace(4) %a, ptr addrspace(4) %b
  %q = call ptr addrspace(1) @__to_global(ptr addrspace(4) %p) convergent
  %l = call ptr addrspace(3) @llvm.spv.generic.cast.to.ptr.explicit.p3(ptr addrspace(4) %p)
  %n = icmp eq ptr addrspace(1) %q, null
  br i1 %n, label %shared, label %global
shared:
  %x = load i32, ptr addrspace(3) %l
  ret i32 %x
global:
  %y = load i32, ptr addrspace(1) %q
  %z = icmp eq ptr addrspace(3) %l, null
  %w = zext i1 %z to i32
  %r = add i32 %y, %w
  ret i32 %r
}
"""
    done = run(parse(text), threads=2, function="f", arguments={"c": [1, 0]})
    assert [t.value for t in done.outcome.threads] == [7, 9] and done.stand_ins == ()
    null = "declare ptr @llvm.spv.generic.cast.to.ptr.explicit.p0(ptr addrspace(4))\ndefine ptr @f() {\n"
    null += (
        "  %q = call ptr @llvm.spv.generic.cast.to.ptr.explicit.p0(ptr addrspace(4) null)\n  ret ptr %q\n}\n"
    )
    assert run(parse(null)).outcome.threads[0].value == "null"


def by_mode(name: str, mode: int, more: str, types: str) -> list[Any]:
    """What NVVM IR's form of an operation gives to the threads of a warp, as a pair."""
    text = (
        'target triple = "nvptx64-nvidia-cuda"\n'
        f"declare {{ i32, i1 }} @llvm.nvvm.{name}(i32, i32, {types})\n"
        "declare i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"
        "define { i32, i1 } @f() {\n  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"
        "  %odd = trunc i32 %l to i1\n"
        f"  %r = call {{ i32, i1 }} @llvm.nvvm.{name}(i32 -1, i32 {mode}, {more})\n"
        "  ret { i32, i1 } %r\n}\n"
    )
    done = run(parse(text), threads=32)
    return [thread.value for thread in done.outcome.threads]


@pytest.mark.parametrize("distance", [3, 35, -29])
def test_shuffles_of_nvvm_ir(distance: int) -> None:
    """The mode is an operand: by index, up, down, and by bits; nothing says that they are convergent. Of the
    distance PTX looks at five bits."""
    sources: tuple[Callable[[int], int], ...] = (
        lambda lane: 3, lambda lane: lane - 3, lambda lane: lane + 3, lambda lane: lane ^ 3,
    )  # fmt: skip
    for mode, source in enumerate(sources):
        clamp = 0 if mode == 1 else 31
        found = by_mode("shfl.sync.i32", mode, f"i32 %l, i32 {distance}, i32 {clamp}", "i32, i32, i32")
        for lane, pair in enumerate(found):
            inside = 0 <= source(lane) < 32
            assert pair == [source(lane) if inside else lane, inside]


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_shuffle_looks_at_five_bits_of_its_distance(mode: str, engine: EngineKind) -> None:
    """A distance that only the run knows: all bits were looked at."""
    clamp = 0 if mode == "up" else 31
    module = parse(
        'target triple = "nvptx64-nvidia-cuda"\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n'
        f"declare {{ i32, i1 }} @llvm.nvvm.shfl.sync.{mode}.i32p(i32, i32, i32, i32)\n"
        "define { i32, i1 } @f(i32 %b) convergent {\n"
        "  %l = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        f"  %r = call {{ i32, i1 }} @llvm.nvvm.shfl.sync.{mode}.i32p(i32 -1, i32 %l, i32 %b, i32 {clamp})\n"
        "  ret { i32, i1 } %r\n}\n"
    )
    far, near = (
        cc.run(module, threads=32, arguments={"b": b}, engine=engine).outcome.threads for b in (33, 1)
    )
    assert [thread.value for thread in far] == [thread.value for thread in near]
    assert [thread.value for thread in near] != [[lane, False] for lane in range(32)]


def test_votes_of_nvvm_ir() -> None:
    """What a vote does not answer is poison."""
    for mode, answer in enumerate((False, True, False)):
        assert by_mode("vote.sync", mode, "i1 %odd", "i1") == [["poison", answer]] * 32
    assert by_mode("vote.sync", 3, "i1 %odd", "i1") == [[0xAAAAAAAA - (1 << 32), "poison"]] * 32
    with_another = run(
        parse(
            'target triple = "nvptx64-nvidia-cuda"\ndeclare { i32, i1 } @llvm.nvvm.vote.sync(i32, i32, i1)\n'
            "define { i32, i1 } @f() {\n"
            "  %r = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 4, i1 true)\n"
            "  ret { i32, i1 } %r\n}\n"
        )
    )
    assert isinstance(with_another.ending, Unmodelled)


@pytest.mark.parametrize("space", [0, 1, 3, 4])
@pytest.mark.parametrize("wanted", [0, 1, 3])
def test_where_a_generic_pointer_of_spir_points(space: int, wanted: int) -> None:
    """SPIR-V's Function, CrossWorkgroup, Workgroup and Generic; what a launch puts behind a generic pointer
    is global."""
    kind = "" if space == 0 else f" addrspace({space})"
    result = "" if wanted == 0 else f" addrspace({wanted})"
    generic = "%p" if space == 4 else "%g"
    cast = "" if space == 4 else f"%g = addrspacecast ptr{kind} %p to ptr addrspace(4)"
    name = f"@llvm.spv.generic.cast.to.ptr.explicit.p{wanted}"
    text = f"""
target triple = "spirv64-unknown-unknown"
declare ptr{result} {name}(ptr addrspace(4))
define i1 @k(ptr{kind} %p) {{
  {cast}
  %c = call ptr{result} {name}(ptr addrspace(4) {generic})
  %n = icmp ne ptr{result} %c, null
  ret i1 %n
}}
"""
    run = cc.run(cc.parse(text), buffers={"p": "i32[4]"})
    assert run.outcome.threads[0].value == int(wanted == (1 if space == 4 else space))
