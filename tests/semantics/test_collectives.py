"""OpenCL's and SPIR-V's collectives, against lists of lanes.

covers: semantics.operations.spirv, semantics.operations.subgroup
"""

from __future__ import annotations

import functools
import operator
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import Returned, Unmodelled
from convergence.semantics.machine.run import Run, run

SIZE = 8
TYPES = {"c": ("i8", True), "h": ("i8", False), "i": ("i32", True), "j": ("i32", False), "m": ("i64", False),
    "f": ("float", True)}  # fmt: skip
"""By letter of a mangled name: the type in IR, and whether it has a sign."""
Lanes = Mapping[int, Any]


def mangled(name: str, letters: str) -> str:
    return f"_Z{len(name)}{name}{letters}"


def called(name: str, result: str, operands: Sequence[tuple[str, object]], active: Sequence[int]) -> Run:
    """A call by ``active`` of eight lanes; an operand is one number, or one for each lane."""
    types = ", ".join(type_ for type_, _ in operands)
    given = ", ".join(f"{type_} %x{n}" for n, (type_, _) in enumerate(operands))
    parameters = ", ".join([*given.split(", "), "i1 %p"] if given else ["i1 %p"])
    text = (
        f"declare {result} @{name}({types}) convergent\n"
        f"define {result} @f({parameters}) convergent {{\n  br i1 %p, label %a, label %b\n"
        f"a:\n  %r = call {result} @{name}({given})\n  ret {result} %r\n"
        f"b:\n  ret {result} zeroinitializer\n}}\n"
    )
    arguments: dict[str, Any] = {f"x{n}": value for n, (_, value) in enumerate(operands)}
    arguments["p"] = [int(lane in active) for lane in range(SIZE)]
    return run(parse(text), threads=SIZE, arguments=arguments)


def results(
    name: str, result: str, operands: Sequence[tuple[str, object]], active: Sequence[int] = range(SIZE)
) -> dict[int, Any]:
    done = called(name, result, operands, active)
    assert done.ending == Returned(), done.ending
    assert done.stand_ins == ()
    return {lane: done.outcome.threads[lane].value for lane in active}


def unsigned(value: Any, type_: str) -> Any:
    return value % (1 << int(type_[1:])) if isinstance(value, int) else value


def some_lanes(rng: random.Random) -> list[int]:
    return sorted(rng.sample(range(SIZE), rng.randrange(1, SIZE + 1)))


# -- arithmetic


OPERATIONS: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "add": (operator.add, 0), "mul": (operator.mul, 1), "min": (min, None), "max": (max, None),
    "and": (operator.and_, -1), "or": (operator.or_, 0), "xor": (operator.xor, 0),
    "logical_and": (lambda a, b: int(bool(a) and bool(b)), 1),
    "logical_or": (lambda a, b: int(bool(a) or bool(b)), 0),
    "logical_xor": (lambda a, b: int(bool(a) != bool(b)), 0),
}  # fmt: skip
KINDS = ("reduce", "scan_inclusive", "scan_exclusive", "clustered_reduce")


def first(operation: str, letter: str) -> Any:
    """What an exclusive scan gives the lowest lane."""
    type_, signed = TYPES[letter]
    if operation in ("min", "max"):
        if letter == "f":
            return "inf" if operation == "min" else "-inf"
        bits = int(type_[1:])
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        return high if operation == "min" else low
    return OPERATIONS[operation][1]


def combined(operation: str, letter: str, kind: str, values: Lanes, cluster: int) -> dict[int, Any]:
    step = OPERATIONS[operation][0]

    def total(lanes: Sequence[int]) -> Any:
        if not lanes:
            return first(operation, letter)
        own = [values[x] for x in lanes]
        return functools.reduce(step, own) if len(own) > 1 else step(own[0], first_of(own[0]))

    def first_of(value: Any) -> Any:  # one value alone: made 0 or 1 where the operation is logical
        return OPERATIONS[operation][1] if operation.startswith("logical") else value

    def alone(lanes: Sequence[int]) -> Any:
        return values[lanes[0]] if len(lanes) == 1 and not operation.startswith("logical") else total(lanes)

    return {
        x: alone(
            [y for y in values if y <= x] if kind == "scan_inclusive"
            else [y for y in values if y < x] if kind == "scan_exclusive"
            else [y for y in values if y // cluster == x // cluster] if kind == "clustered_reduce"
            else list(values)
        )
        for x in values
    }  # fmt: skip


def wrapped(value: Any, letter: str) -> Any:
    return value if letter == "f" else unsigned(value, TYPES[letter][0])


CASES = [
    (operation, letter, kind)
    for n, operation in enumerate(OPERATIONS)
    for m, kind in enumerate(KINDS)
    for letter in ("i" if "logical" in operation else "cijhmf"[(n + m) % 6 : (n + m) % 6 + 2])
    if not (letter == "f" and operation in ("and", "or", "xor"))
]


@pytest.mark.parametrize(("operation", "letter", "kind"), CASES)
def test_arithmetic(operation: str, letter: str, kind: str) -> None:
    rng = random.Random(f"{operation}{letter}{kind}")
    type_, signed = TYPES[letter]
    active = some_lanes(rng)
    draw: Callable[[], Any] = {
        "f": lambda: float(rng.randrange(-8, 8)),
    }.get(letter, lambda: rng.choice((0, 1, rng.randrange(-100, 100) if signed else rng.randrange(200))))
    values = [draw() for _ in range(SIZE)]
    cluster = rng.choice((1, 2, 4, 8))
    name = f"sub_group_{'' if kind == 'clustered_reduce' else 'non_uniform_'}{kind}_{operation}"
    more: list[tuple[str, object]] = [("i32", cluster)] if kind == "clustered_reduce" else []
    got = results(mangled(name, letter + ("j" if more else "")), type_, [(type_, values), *more], active)
    expected = combined(operation, letter, kind, {x: values[x] for x in active}, cluster)
    assert {x: wrapped(v, letter) for x, v in got.items()} == {
        x: wrapped(v, letter) for x, v in expected.items()
    }
    # SPIR-V's name for the same, plain and mangled
    short = {"add": "Add", "mul": "Mul", "min": "Min", "max": "Max"}.get(operation)
    sign = "F" if letter == "f" else "I" if operation in ("add", "mul") else "S" if signed else "U"
    longer = {"and": "BitwiseAnd", "or": "BitwiseOr", "xor": "BitwiseXor"}.get(operation)
    if operation.startswith("logical"):
        return
    spirv = f"__spirv_GroupNonUniform{longer or sign + (short or '')}"
    header: list[tuple[str, object]] = [("i32", 3), ("i32", KINDS.index(kind))]
    for spelt in (spirv, mangled(spirv, "ii" + letter)):
        assert results(spelt, type_, [*header, (type_, values), *more], active) == got


def test_logical_operations_of_spirv_are_about_truth_values() -> None:
    values = [1, 0, 1, 1, 0, 1, 1, 0]
    for name, expected in {
        "And": [1, 1, 0, 0, 0, 0, 0, 0],
        "Or": [0, 1, 1, 1, 1, 1, 1, 1],
        "Xor": [0, 1, 1, 0, 1, 1, 0, 1],
    }.items():
        operands: list[tuple[str, object]] = [("i32", 3), ("i32", 2), ("i1", values)]
        got = results("__spirv_GroupNonUniformLogical" + name, "i1", operands)
        assert [abs(got[x]) for x in range(SIZE)] == expected


def test_uniform_names_of_all_kinds() -> None:
    values = [3, 9, -4, 7, 0, 2, 2, 5]
    operands: list[tuple[str, object]] = [("i32", values)]
    for name in ("sub_group_reduce_max", "work_group_reduce_max", "intel_sub_group_reduce_max"):
        assert set(results(mangled(name, "i"), "i32", operands).values()) == {9}
    assert set(results(mangled("sub_group_reduce_max", "j"), "i32", operands).values()) == {-4}
    for name in ("__spirv_GroupIMulKHR", "_Z20__spirv_GroupIMulKHRjjj"):
        got = results(name, "i32", [("i32", 2), ("i32", 1), ("i32", [2, 3, 1, 5, 1, 1, 7, 1])])
        assert list(got.values()) == [2, 6, 6, 30, 30, 30, 210, 210]
    template = "_Z27__spirv_GroupNonUniformIAddIiET_N5__spv5Scope4FlagEjS0_"
    assert set(results(template, "i32", [("i32", 3), ("i32", 0), *operands]).values()) == {24}


# -- votes, ballots, and what is read off a mask


def test_votes() -> None:
    predicate = [0, 5, 1, 1, 0, 2, 1, 1]
    for active in ([1, 2, 3], [0, 1, 2], [0, 4]):
        own = [predicate[x] != 0 for x in active]
        for name, expected in {"all": all(own), "any": any(own)}.items():
            for prefix in ("sub_group_", "sub_group_non_uniform_", "work_group_"):
                got = results(mangled(prefix + name, "i"), "i32", [("i32", predicate)], active)
                assert set(got.values()) == {int(expected)}
            for spirv in ("Group", "GroupNonUniform"):
                truths = [int(p != 0) for p in predicate]
                bits = results(f"__spirv_{spirv}{name.title()}", "i1", [("i32", 3), ("i1", truths)], active)
                assert {abs(v) for v in bits.values()} == {int(expected)}
        elected = results(mangled("sub_group_elect", "v"), "i32", [], active)
        assert [x for x, v in elected.items() if v] == [min(active)]


@pytest.mark.parametrize(
    ("letter", "values", "expected"),
    [
        ("i", [4] * SIZE, 1),
        ("i", [4] * 7 + [5], 0),
        ("f", [0.0, -0.0] * 4, 1),
        ("f", [float("nan")] * SIZE, 0),
    ],
)
def test_all_equal(letter: str, values: list[object], expected: int) -> None:
    type_ = TYPES[letter][0]
    got = results(mangled("sub_group_non_uniform_all_equal", letter), "i32", [(type_, values)])
    assert set(got.values()) == {expected}
    bits = results("__spirv_GroupNonUniformAllEqual", "i1", [("i32", 3), (type_, values)])
    assert {abs(v) for v in bits.values()} == {expected}


def test_ballots_and_masks() -> None:
    rng = random.Random(3)
    for _ in range(3):
        active = some_lanes(rng)
        predicate = [rng.randrange(2) for _ in range(SIZE)]
        ballot = results(mangled("sub_group_ballot", "i"), "<4 x i32>", [("i32", predicate)], active)
        word = sum(1 << x for x in active if predicate[x])
        assert all(v == [word, 0, 0, 0] for v in ballot.values())
    masks = [[0b10110100 | 1 << 8, 7, 0, 0], [1 << lane for lane in (0, 1, 2, 3)], [0, 0, 0, 9]]
    for mask in masks:
        bits = [mask[0] >> i & 1 for i in range(SIZE)]
        where = [i for i in range(SIZE) if bits[i]]
        expected: dict[str, list[object]] = {
            "bit_count": [len(where)] * SIZE,
            "inclusive_scan": [sum(bits[: x + 1]) for x in range(SIZE)],
            "exclusive_scan": [sum(bits[:x]) for x in range(SIZE)],
            "find_lsb": [where[0] if where else "poison"] * SIZE,
            "find_msb": [where[-1] if where else "poison"] * SIZE,
        }
        for name, numbers in expected.items():
            operands: list[tuple[str, object]] = [("<4 x i32>", mask)]
            got = results(mangled("sub_group_ballot_" + name, "Dv4_j"), "i32", operands)
            assert list(got.values()) == numbers, name
        inverse = results(mangled("sub_group_inverse_ballot", "Dv4_j"), "i32", [("<4 x i32>", mask)])
        assert list(inverse.values()) == bits
        index = list(range(3, 3 + SIZE))
        operands = [("<4 x i32>", mask), ("i32", index)]
        extracted = results(mangled("sub_group_ballot_bit_extract", "Dv4_jj"), "i32", operands)
        assert list(extracted.values()) == [bits[i] if i < SIZE else "poison" for i in index]
        for kind, numbers in enumerate([expected["bit_count"], *list(expected.values())[1:3]]):
            operands = [("i32", 3), ("i32", kind), ("<4 x i32>", mask)]
            assert list(results("__spirv_GroupNonUniformBallotBitCount", "i32", operands).values()) == numbers
    for name, compare in {"eq": "==", "ge": ">=", "gt": ">", "le": "<=", "lt": "<"}.items():
        got = results(mangled(f"get_sub_group_{name}_mask", "v"), "<4 x i32>", [])
        for own in range(SIZE):
            word = sum(1 << bit for bit in range(SIZE) if eval(f"{bit} {compare} {own}"))
            assert got[own] == [word, 0, 0, 0], name


# -- moves


@pytest.mark.parametrize("seed", range(3))
def test_moves(seed: int) -> None:
    rng = random.Random(seed)
    values = [rng.randrange(1000) for _ in range(SIZE)]
    others = [1000 + rng.randrange(1000) for _ in range(SIZE)]
    active = some_lanes(rng)
    number = [rng.randrange(SIZE) for _ in range(SIZE)]
    clusters = rng.choice((2, 4))

    def read(lane: int) -> object:
        return values[lane] if lane in active else "poison"

    cases: dict[str, Callable[[int], int]] = {
        "shuffle": lambda x: number[x],
        "shuffle_xor": lambda x: x ^ number[x],
        "shuffle_up": lambda x: x - number[x],
        "shuffle_down": lambda x: x + number[x],
        "broadcast": lambda x: number[x],
        "rotate": lambda x: (x + number[x]) % SIZE,
    }
    for name, source in cases.items():
        operands: list[tuple[str, object]] = [("i32", values), ("i32", number)]
        expected = {x: read(source(x)) for x in active}
        if name == "broadcast" and len({number[x] for x in active}) > 1:
            expected = dict.fromkeys(active, "poison")  # OpenCL C, SPIR-V: all have to ask for one lane
        assert results(mangled("sub_group_" + name, "ij"), "i32", operands, active) == expected, name
        if name in ("shuffle", "shuffle_xor", "broadcast"):
            assert results(mangled("intel_sub_group_" + name, "ij"), "i32", operands, active) == expected
        if name == "broadcast":
            long = mangled("sub_group_non_uniform_broadcast", "ij")
            assert results(long, "i32", operands, active) == expected
        spirv = (
            "__spirv_GroupNonUniform" + name.title().replace("_", "") + ("KHR" if name == "rotate" else "")
        )
        assert results(spirv, "i32", [("i32", 3), *operands], active) == expected, name
    back = [-n for n in number]
    turned = results(mangled("sub_group_rotate", "ii"), "i32", [("i32", values), ("i32", back)], active)
    assert turned == {x: read((x - number[x]) % SIZE) for x in active}
    operands = [("i32", values), ("i32", number), ("i32", clusters)]
    first_lane = {x: x // clusters * clusters for x in active}
    assert results(mangled("sub_group_clustered_rotate", "iij"), "i32", operands, active) == {
        x: read(first_lane[x] + (x + number[x]) % clusters) for x in active
    }
    assert set(results(mangled("sub_group_broadcast_first", "i"), "i32", operands[:1], active).values()) == {
        values[min(active)]
    }
    window = values + others

    def seen(at: int) -> object:
        return window[at] if at % SIZE in active else "poison"

    three: list[tuple[str, object]] = [("i32", values), ("i32", others), ("i32", number)]
    for name in (mangled("intel_sub_group_shuffle_down", "iij"), "__spirv_SubgroupShuffleDownINTEL"):
        assert results(name, "i32", three, active) == {x: seen(x + number[x]) for x in active}
    for name in (mangled("intel_sub_group_shuffle_up", "iij"), "__spirv_SubgroupShuffleUpINTEL"):
        assert results(name, "i32", three, active) == {x: seen(x + SIZE - number[x]) for x in active}


def test_a_subgroup_whose_size_is_no_power_of_two_turns_round_as_well() -> None:
    text = (
        "declare i32 @_Z16sub_group_rotateii(i32, i32) convergent\n"
        "define i32 @f(i32 %x, i32 %d) convergent {\n"
        "  %r = call i32 @_Z16sub_group_rotateii(i32 %x, i32 %d)\n  ret i32 %r\n}\n"
    )
    for delta in (-7, -1, 0, 2, 5, 11):
        done = run(parse(text), threads=5, arguments={"x": [0, 1, 2, 3, 4], "d": delta})
        assert [t.value for t in done.outcome.threads] == [(x + delta) % 5 for x in range(5)]


# -- what is named


@pytest.mark.parametrize(
    ("name", "operands", "what"),
    [
        ("__spirv_GroupNonUniformIAdd", [("i32", 4), ("i32", 0), ("i32", 1)], "scope"),
        ("__spirv_GroupNonUniformIAdd", [("i32", 3), ("i32", 3), ("i32", 1)], "group operation"),
        ("__spirv_GroupNonUniformIAdd", [("i32", 3), ("i32", 3), ("i32", 1), ("i32", 3)], "clusters of 3"),
        ("_Z", [("i32", 1), ("i32", 6)], "clusters of 6"),
    ],
)
def test_what_is_not_modelled_is_named(name: str, operands: list[tuple[str, object]], what: str) -> None:
    if name.startswith("_Z"):
        name = mangled("sub_group_clustered_reduce_add", "ij")
    ending = called(name, "i32", operands, range(SIZE)).ending
    assert isinstance(ending, Unmodelled) and what in ending.feature


def test_both_engines_agree() -> None:
    text = (
        "declare i32 @_Z28sub_group_scan_exclusive_addi(i32) convergent\n"
        "define i32 @f(i32 %x) convergent {\n"
        "  %r = call i32 @_Z28sub_group_scan_exclusive_addi(i32 %x)\n  ret i32 %r\n}\n"
    )
    for engine in ("operational", "axiomatic"):
        found = cc.enumerate(parse(text), engine=engine, threads=3, arguments={"x": [4, 2, 1]})
        (outcome,) = found.outcomes
        assert [t.value for t in outcome.outcome.threads] == [0, 4, 6]


# -- collectives of a workgroup of several subgroups


def of_workgroup(callee: str, types: str, operands: str, result: str = "i32", more: str = "") -> str:
    return (
        f"declare {result} @{callee}({types}) convergent\n"
        f"define {result} @f(i32 %x, i32 %y) convergent {{\n{more}"
        f"  %r = call {result} @{callee}({operands})\n  ret {result} %r\n}}\n"
    )


WIDE: dict[str, tuple[str, Callable[[list[int], list[int]], list[Any]]]] = {
    "scan": (
        of_workgroup("_Z29work_group_scan_exclusive_addi", "i32", "i32 %x"),
        lambda x, y: [sum(x[:i]) for i in range(len(x))],
    ),
    "max": (
        of_workgroup("_Z21work_group_reduce_maxi", "i32", "i32 %x"),
        lambda x, y: [max(x)] * len(x),
    ),
    "broadcast": (
        of_workgroup("_Z20work_group_broadcastij", "i32, i32", "i32 %x, i32 5"),
        lambda x, y: [x[5]] * len(x),
    ),
    "any": (
        of_workgroup("_Z14work_group_anyi", "i32", "i32 %y"),
        lambda x, y: [int(any(y))] * len(x),
    ),
    "spirv": (
        of_workgroup("__spirv_GroupIAdd", "i32, i32, i32", "i32 2, i32 1, i32 %x"),
        lambda x, y: [sum(x[: i + 1]) for i in range(len(x))],
    ),
    "ptx": (
        of_workgroup(
            "llvm.nvvm.barrier.cta.red.popc.aligned.all", "i32, i1", "i32 0, i1 %p",
            more="  %p = icmp ne i32 %y, 0\n",
        ),
        lambda x, y: [sum(map(bool, y))] * len(x),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDE)
def test_collectives_of_the_workgroup_are_over_all_its_subgroups(name: str) -> None:
    text, oracle = WIDE[name]
    rng = random.Random(name)
    x, y = [rng.randrange(-50, 50) for _ in range(16)], [rng.randrange(2) for _ in range(16)]
    expected = oracle(x[:8], y[:8]) + oracle(x[8:], y[8:])
    given: dict[str, Any] = {"x": x, "y": y}
    launch: dict[str, Any] = {"grid": 2, "workgroup": 8, "subgroup_size": 4, "arguments": given}
    done = cc.run(parse(text), **launch)
    assert done.ending == Returned(), done.ending
    assert [t.value for t in done.outcome.threads] == expected
    (machine,) = cc.simulate(parse(text), policy="exec-mask", **launch)
    assert machine.outcome is not None
    assert [t.value for t in machine.outcome.threads] == expected
    fewer: dict[str, Any] = {"x": x[:4], "y": y[:4]}
    if name != "broadcast":
        found = cc.enumerate(parse(text), workgroup=4, subgroup_size=2, arguments=fewer)
        (outcome,) = found.outcomes
        assert [t.value for t in outcome.outcome.threads] == oracle(x[:4], y[:4])


def test_a_broadcast_names_a_thread_by_its_coordinates() -> None:
    text = of_workgroup("_Z20work_group_broadcastimm", "i32, i64, i64", "i32 %x, i64 1, i64 2")
    x = list(range(100, 112))
    done = cc.run(parse(text), workgroup=(4, 3), subgroup_size=4, arguments={"x": x, "y": 0})
    assert [t.value for t in done.outcome.threads] == [x[1 + 2 * 4]] * 12
    text = of_workgroup("_Z20work_group_broadcastij", "i32, i32", "i32 %x, i32 %y")
    for others, expected in ([2] * 4, [7] * 4), ([2, 2, 2, 1], ["poison"] * 4):
        given: dict[str, Any] = {"x": [5, 6, 7, 8], "y": others}
        done = cc.run(parse(text), workgroup=4, subgroup_size=2, arguments=given)
        assert [t.value for t in done.outcome.threads] == expected


@pytest.mark.parametrize("place", ["i64 5, i64 0", "i64 0, i64 3", "i64 4294967297, i64 0", "i64 -1, i64 1"])
def test_a_broadcast_by_coordinates_outside_of_the_workgroup_gives_poison(place: str) -> None:
    text = of_workgroup("_Z20work_group_broadcastimm", "i32, i64, i64", f"i32 %x, {place}")
    done = cc.run(parse(text), workgroup=(4, 3), subgroup_size=4, arguments={"x": 7, "y": 0})
    assert [t.value for t in done.outcome.threads] == ["poison"] * 12


def test_who_is_over_is_not_waited_for() -> None:
    text = of_workgroup("_Z21work_group_reduce_maxi", "i32", "i32 %x")
    leaving = "{\n  %c = icmp eq i32 %y, 0\n  br i1 %c, label %away, label %here\naway:\n  ret i32 0\nhere:\n"
    given: dict[str, Any] = {"x": [1, 2, 9, 4], "y": [1, 0, 0, 1]}
    done = cc.run(parse(text.replace("{\n", leaving, 1)), workgroup=4, subgroup_size=2, arguments=given)
    assert [t.value for t in done.outcome.threads] == [4, 0, 0, 4]


def test_two_collectives_at_once_are_named() -> None:
    """The second subgroup comes to another one."""
    text = (
        "declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)\n"
        "declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)\n"
        "define i32 @f(i32 %y) convergent {\n  %c = icmp eq i32 %y, 0\n"
        "  br i1 %c, label %a, label %b\n"
        "a:\n  %r = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 1)\n  ret i32 %r\n"
        "b:\n  %s = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 1)\n  ret i32 0\n}\n"
    )
    ending = cc.run(parse(text), workgroup=4, subgroup_size=2, arguments={"y": [0, 0, 1, 1]}).ending
    assert isinstance(ending, Unmodelled) and "together" in ending.feature


@pytest.mark.parametrize("name", ["scan", "spirv"])
def test_a_declaration_may_say_nothing_of_it(name: str) -> None:
    """LLVM's tests declare these functions without ``convergent``; passes may then move the call, so that no
    refinement says who is together."""
    text, oracle = WIDE[name]
    silent = text.replace(") convergent\n", ")\n", 1)
    x = [3, 1, 4, 1]
    done = cc.run(parse(silent), threads=4, arguments={"x": x, "y": 0})
    assert [t.value for t in done.outcome.threads] == oracle(x, x)
    other = silent.replace("ret i32 %r", "%s = add i32 %r, 0\n  ret i32 %s")
    assert cc.refine(parse(silent), parse(other), threads=2).verdict == "unknown"
