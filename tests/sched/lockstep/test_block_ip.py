"""``block-ip``: JOIN points, jumps, the return block, switches, block orders, limits, the nine programs, and
its variant with structured branches.

covers: sched.lockstep.policies.structured
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from convergence.files import parse_file
from convergence.ir.module import Module
from convergence.parser import parse
from convergence.sched.lockstep.policies import NAMES
from convergence.sched.lockstep.policies import structured as block_ip
from convergence.sched.lockstep.policies.structured import BlockIp, join_points, linear, linearised, path
from convergence.sched.lockstep.policy import Facts, MachineOptions, Mask
from convergence.sched.lockstep.simulate import simulate_machine
from convergence.semantics import Returned
from convergence.semantics.machine.run import run
from tests.launches import prepare
from tests.sched.lockstep.programs import DECLARED, groups, on
from tests.sched.lockstep.test_machines_are_legal import both

SHELF = Path(__file__).resolve().parents[3] / "examples_ll" / "machines"

# *Unstructured Branches*: 1 -> {2,4}, 2 -> {3,5}, 3 -> {3,4}, 4 -> 5
FIVE = """
define void @f(i1 %one, i1 %two, i1 %three) {
b1:
  br i1 %one, label %b2, label %b4
b2:
  br i1 %two, label %b3, label %b5
b3:
  br i1 %three, label %b3, label %b4
b4:
  %met = call i32 @subgroupAdd(i32 1)
  br label %b5
b5:
  %end = call i32 @subgroupAdd(i32 1)
  ret void
}
"""


def five() -> Module:
    return parse(FIVE + DECLARED)


def test_the_five_blocks() -> None:
    """When all lanes go from 2 to 5, the jump goes to the JOIN point on top of 4, which jumps on."""
    paths = [["b1", "b2", "b5"]] * 2
    found = on("block-ip", five(), paths=paths)
    assert [s.block for s in found.steps] == [0, 1, 4, 4]
    assert (found.operations["jmpi.allh"], found.operations["jmpi.join"]) == (1, 1)
    assert found.operations["jmpi.join not taken"] == 1  # on top of b5
    paths = [["b1", "b2", "b5"], ["b1", "b4", "b5"], ["b1", "b2", "b3", "b3", "b4", "b5"]]
    found = on("block-ip", five(), paths=paths)
    assert groups(found, "%met") == [[1, 2]] and groups(found, "%end") == [[0, 1, 2]]
    assert found.operations["jmpi.join"] == 0
    assert found.operations["jmpi.anyh"] == 1


def test_what_the_five_blocks_cost() -> None:
    """A compare on top of each block that is come to and before each jump over blocks; a number is written
    for each successor but the next block. Without jumps every block is come to, with nobody or somebody."""
    together = [["b1", "b2", "b5"]] * 2
    assert on("block-ip", five(), paths=together).operations == {
        "cmp.blockip": 6, "mov.blockip": 2, "jmpi.allh not taken": 1, "jmpi.allh": 1, "jmpi.join": 1,
        "jmpi.join not taken": 1, "eot": 1,
    }  # fmt: skip
    full = on("block-ip", five(), MachineOptions(no_jumps=True), paths=together)
    assert full.operations == {"cmp.blockip": 5, "mov.blockip": 3, "jmpi.anyh not taken": 1, "eot": 1}


def test_the_join_points() -> None:
    """A forward edge that passes over a block makes its target one: 1 -> 4 and 2 -> 5."""
    facts = Facts(five().functions["f"])
    assert join_points(facts, linearised(facts, "layout")) == {3, 4}


def test_the_linearised_graph() -> None:
    """2 jumps to 4 instead of 5; a jump from 4 to 5 is new."""
    lines = linear(Facts(five().functions["f"]))
    assert [(line.join, line.forward, line.back) for line in lines] == [
        (None, 3, ()), (None, 3, ()), (None, None, (2,)), (4, None, ()), (None, None, ()),
    ]  # fmt: skip


@pytest.mark.parametrize("order", ["layout", "rpo", "contiguous"])
@pytest.mark.parametrize("kind", ["irreducible", "entry", "uncontrolled-maximal"])
def test_lanes_wait_at_join_points_only(kind: str, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a jump that stops at each JOIN point passes over nobody."""
    pick, waited = BlockIp.pick, 0

    def watched(self: BlockIp) -> tuple[int, Mask] | None:
        nonlocal waited
        found = pick(self)
        waiting = {n for n in self.ips if n > self.at}
        waited += len(waiting)
        assert all(n in self.joins or n == self.at + 1 for n in waiting)
        return found

    monkeypatch.setattr(BlockIp, "pick", watched)
    for seed in range(20):
        case = both(kind, seed)
        program, launch = prepare(case.module, **case.launch())
        assert isinstance(
            simulate_machine(program, launch, "block-ip", MachineOptions(block_order=order)).ending, Returned
        )
    assert waited


def switch(cases: int, same: bool = False) -> Module:
    """Cases 0, 1, ...; each has a block of its own, or all the same one."""
    targets = [f"b{0 if same else n}" for n in range(cases)]
    listed = " ".join(f"i32 {n}, label %{t}" for n, t in enumerate(targets))
    blocks = "".join(f"{t}:\n  br label %end\n" for t in dict.fromkeys(targets))
    return parse(
        f"define void @f(i32 %x) {{\n  switch i32 %x, label %end [ {listed} ]\n{blocks}end:\n  ret void\n}}\n"
    )


def test_cases_are_halved_by_their_values_as_unsigned_numbers() -> None:
    """Of 0, 1 and -1, which is the largest, the first needs the fewest, in whatever order the text has."""

    def compares(order: list[int], x: int) -> int:
        listed = " ".join(f"i32 {n}, label %b{n + 1}" for n in order)
        blocks = "".join(f"b{n + 1}:\n  br label %end\n" for n in order)
        text = f"  switch i32 %x, label %end [ {listed} ]\n{blocks}end:\n  ret void\n"
        module = parse(f"define void @f(i32 %x) {{\n{text}}}\n")
        return on("block-ip", module, arguments={"x": x}).operations["cmp.switch"]

    for order in permutations((0, 1, -1)):
        assert [compares(list(order), x) for x in (0, 1, -1)] == [2, 3, 3]
    assert compares([2**32 - 1, -2, -3], -3) == 2  # the pattern of -1 is a larger number than that of -2


@pytest.mark.parametrize(
    ("cases", "most"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (8, 4), (9, 5), (64, 7)]
)
def test_a_switch_takes_as_many_compares_as_halving_its_cases(cases: int, most: int) -> None:
    """For each value, also one that is no case; 8 cases: at most 4 compares."""
    taken = [
        on("block-ip", switch(cases), arguments={"x": x}).operations["cmp.switch"] for x in range(cases + 1)
    ]
    assert max(taken) <= most and (cases < 2 or max(taken) == most)
    assert all(len(path(cases, case)) <= most for case in range(cases))


def test_a_wave_takes_each_compare_that_some_lane_needs() -> None:
    def compares(module: Module, x: list[int]) -> int:
        return on("block-ip", module, threads=len(x), arguments={"x": x}).operations["cmp.switch"]

    assert compares(switch(8), [3, 3, 3, 3]) == 4
    assert compares(switch(8), [0, 1]) == 5  # their last compares differ
    assert compares(switch(8), [0, 7]) == 7  # only the first one is the same
    assert compares(switch(8), list(range(8))) == 7 + 8
    assert compares(switch(8, same=True), list(range(8))) == 4  # masks do not tell the cases apart


RETURNS = """
define i32 @f(i32 %n) {
A:
  %c = icmp ult i32 %n, 2
  br i1 %c, label %R, label %B
R:
  ret i32 0
B:
  br label %C
C:
  ret i32 1
}
"""


def test_returns_become_jumps_to_one_return_block() -> None:
    """The block that ends in the only return is it; else there is one more, with a block number."""
    two = on("block-ip", parse(RETURNS), threads=2, arguments={"n": 0})
    assert (two.operations["eot"], two.operations["jmpi.allh"]) == (1, 1)
    assert two.operations["mov.blockip"] == 2  # in A for lanes that go to B, in R
    mixed = on("block-ip", parse(RETURNS), threads=2, arguments={"n": [0, 3]})
    assert (mixed.operations["eot"], mixed.operations["jmpi.allh not taken"]) == (1, 2)
    assert mixed.outcome is not None and [t.value for t in mixed.outcome.threads] == [0, 1]
    full = on("block-ip", parse(RETURNS), MachineOptions(no_jumps=True), threads=2, arguments={"n": 0})
    assert [(s.block, s.mask) for s in full.steps] == [(0, 3), (0, 3), (1, 3), (2, 0), (3, 0)]


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("indirectbr", "indirectbr ptr blockaddress(@f, %B), [ label %B ]\nB:\n  ret void"),
        ("invoke", "invoke void @g() to label %B unwind label %U\nB:\n  ret void\n" + "U:\n"
         "  %l = landingpad { ptr, i32 } cleanup\n  ret void"),
        ("resume", "br i1 true, label %B, label %U\nB:\n  ret void\nU:\n"
         "  resume { ptr, i32 } zeroinitializer"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("policy", ["block-ip", "gen-structured"])
def test_what_is_refused_by_name(policy: str, word: str, text: str) -> None:
    found = on(policy, parse(f"define void @f() {{\nA:\n  {text}\n}}\ndeclare void @g()\n"), function="f")
    assert found.refused == f"{policy} has no {word}: exceptions and jump tables are not supported"


@pytest.mark.parametrize("returns", [1, 2])
def test_block_numbers_have_sixteen_bits(returns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A return block that is added needs a number, too. (Checked with few bits, to be quick.)"""
    assert block_ip.LARGEST == 65535
    monkeypatch.setattr(block_ip, "LARGEST", 7)

    def refused(blocks: int) -> str | None:
        body = "".join(f"b{n}:\n  br label %b{n + 1}\n" for n in range(blocks - 2))
        last = f"b{blocks - 2}:\n  br i1 %c, label %b0, label %b{blocks - 1}\n"
        if returns == 2:
            last = f"b{blocks - 2}:\n  ret void\n"
            body = body.replace("br label %b1\n", f"br i1 %c, label %b1, label %b{blocks - 1}\n", 1)
        body = "start:\n  br label %b0\n" + body + last + f"b{blocks - 1}:\n  ret void\n"
        found = on("block-ip", parse(f"define void @f(i1 %c) {{\n{body}}}\n"), arguments={"c": 0})
        return found.refused

    fits = 7 if returns == 1 else 6  # and the block start
    assert refused(fits) is None
    assert refused(fits + 1) == "block-ip numbers blocks with 16 bits: with the return block 9 are too many"


def test_reverse_postorder_can_put_an_exit_before_the_latch() -> None:
    """Then lanes that leave run on before the loop is over; with each loop's blocks together they wait."""
    text = """
define void @f(i32 %n) {
A:
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %i.next, %L ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i, %n
  br i1 %more, label %L, label %X
L:
  br label %H
X:
  %met = call i32 @subgroupAdd(i32 1)
  ret void
}
"""
    facts = Facts(parse(text + DECLARED).functions["f"])
    assert [facts.name(b) for b in linearised(facts, "rpo")] == ["A", "H", "X", "L"]
    assert [facts.name(b) for b in linearised(facts, "contiguous")] == ["A", "H", "L", "X"]
    module = parse(text + DECLARED)
    launch: dict[str, Any] = {"threads": 2, "arguments": {"n": [1, 2]}}

    def met(order: str) -> list[list[int]]:
        return groups(on("block-ip", module, MachineOptions(block_order=order), **launch), "%met")

    assert (met("layout"), met("rpo"), met("contiguous")) == ([[0, 1]], [[0], [1]], [[0, 1]])


# -- the nine tests of *Unstructured Branches*, in programs of our own ------------------------------------

NINE = [
    "compiler_if_else", "compiler_lower_return0", "compiler_lower_return1", "compiler_lower_return2",
    "compiler_short_scatter", "compiler_unstructured_branch0", "compiler_unstructured_branch1",
    "compiler_unstructured_branch2", "compiler_unstructured_branch3",
]  # fmt: skip


@pytest.mark.parametrize("name", NINE)
def test_the_nine_programs_compute_what_the_interpreter_computes(name: str) -> None:
    """In each block order and without jumps; on the other machines, too, where lanes do not communicate."""
    module = parse_file(SHELF / f"{name}.ll")
    launch: dict[str, Any] = {"threads": 8, "arguments": {"id": list(range(8))}}
    done = run(module, **launch)
    for order in ("layout", "rpo", "contiguous"):
        for no_jumps in (False, True):
            found = on("block-ip", module, MachineOptions(block_order=order, no_jumps=no_jumps), **launch)
            assert found.outcome == done.outcome and found.conforms, (order, no_jumps)
    if "subgroupAdd" not in module.functions:
        others = [on(policy, module, **launch) for policy in (*NAMES, "gen-structured")]
        assert all(other.outcome == done.outcome for other in others if other.refused is None)
    refused = on("gen-structured", module, **launch).refused
    assert (refused is not None) == (name == "compiler_unstructured_branch3")


# -- the variant with structured branches --------------------------------------------------------------------


def test_structured_branches_refuse_what_block_numbers_take() -> None:
    module = parse_file(SHELF / "compiler_unstructured_branch3.ll")
    found = on("gen-structured", module, threads=8, arguments={"id": list(range(8))})
    assert found.refused == "the control flow is irreducible: a cycle is entered at %top and %middle"


@pytest.mark.parametrize(
    ("name", "operations"),
    [
        ("compiler_if_else", {"if": 1, "else": 1, "endif": 1}),
        ("compiler_lower_return2", {"break": 6, "while": 5}),
        ("rfc-merged", {"cont": 2, "while": 1}),
        ("compiler_short_scatter", {}),
    ],
)
def test_one_machine_operation_for_each_structured_branch(name: str, operations: dict[str, int]) -> None:
    module = parse_file(SHELF / f"{name}.ll")
    if name == "rfc-merged":
        paths = [list("ABBCD"), list("ABCBCD")]
        found = on("gen-structured", module, arguments={"x": [1, 10]}, paths=paths)
        assert groups(found, "%sum.b") == [[0, 1], [0, 1]]
    else:
        found = on("gen-structured", module, threads=8, arguments={"id": list(range(8))})
    assert dict(found.operations) == operations


def test_an_if_inside_a_loop_is_no_break() -> None:
    """Both of its sides are in the loop, which two rounds go through: only who leaves a loop breaks."""
    text = """
define void @f(i32 %id) {
A:
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %next, %J ]
  %c = icmp ult i32 %id, 2
  br i1 %c, label %T, label %F
T:
  br label %J
F:
  br label %J
J:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 2
  br i1 %more, label %H, label %E
E:
  ret void
}
"""
    found = on("gen-structured", parse(text), threads=4, arguments={"id": list(range(4))})
    assert dict(found.operations) == {"if": 2, "else": 2, "endif": 2, "while": 1}
