"""exec-mask, mask-stack and predication beyond their groups: code, forms of saving, quads, spills, costs.

covers: sched.lockstep.exec_effects, sched.lockstep.listing, sched.lockstep.masked_code
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from convergence.ir.module import Module
from convergence.parser import parse
from convergence.report.simulate import because
from convergence.sched.lockstep.listing import Line
from convergence.sched.lockstep.masked_code import covered_lanes, whole_quads
from convergence.sched.lockstep.policy import MachineOptions
from convergence.sched.lockstep.simulate import Simulated
from tests.sched.lockstep.programs import groups, on
from tests.sched.lockstep.test_costs import FN0, WAVES

MACHINES = Path(__file__).resolve().parents[3] / "examples_ll" / "machines"


def example(name: str) -> Module:
    return parse((MACHINES / f"{name}.ll").read_text(encoding="utf-8"))


def lines(found: Simulated) -> list[Line]:
    (listing,) = found.listings
    return [line for line in listing.lines if line.label is None]


def fn0(policy: str, wave: str, options: MachineOptions) -> Simulated:
    return on(policy, parse(FN0), options, threads=4, arguments={"a": WAVES[wave], "b": 1})


@pytest.mark.parametrize(
    ("policy", "options", "expected"),
    [
        ("exec-mask", MachineOptions(), [(6, 7), (6, 7), (9, 7)]),
        ("exec-mask", MachineOptions(branch_if_none=None), [(9, 5), (9, 5), (9, 5)]),
        ("exec-mask", MachineOptions(branch_if_none=3), [(6, 7), (6, 7), (9, 7)]),
        ("exec-mask", MachineOptions(branch_if_none=4), [(9, 5), (9, 5), (9, 5)]),
        ("predication", MachineOptions(), [(9, 3), (9, 3), (9, 3)]),
        ("predication", MachineOptions(short_circuit=True), [(6, 5), (6, 5), (9, 5)]),
    ],
)
def test_slots_and_machine_operations(
    policy: str, options: MachineOptions, expected: list[tuple[int, int]]
) -> None:
    """The table of docs/machines/predication.md: all then, all else, both."""
    found = [fn0(policy, wave, options) for wave in WAVES]
    assert [(one.issues, one.operations.total()) for one in found] == expected


def test_two_of_four_arithmetic_operations_are_masked() -> None:
    found = lines(fn0("predication", "divergent", MachineOptions(listing=True)))
    masked = [line.text.split()[0] for line in found if "_mask" in line.text]
    plain = [line.text.split()[0] for line in found if line.text.startswith(("mul", "sub"))]
    assert masked == ["sub_f_mask"] * 2 and len(plain) == 4


BLENDS = """
define i32 @g(i32 %x) {
entry:
  %above = add i32 %x, 1
  %c = icmp eq i32 %x, 0
  br i1 %c, label %then, label %join
then:
  %twice = add i32 %x, 2
  %other = mul i32 %twice, 3
  br label %join
join:
  %a = phi i32 [ %above, %entry ], [ %twice, %then ]
  %b = phi i32 [ 7, %entry ], [ %other, %then ]
  %sum = add i32 %a, %b
  ret i32 %sum
}
"""


def test_blends_are_apart_where_the_value_has_other_uses_and_absent_outside_regions() -> None:
    """%twice has two uses; %other has one; in %entry the mask stack is empty."""
    found = on("predication", parse(BLENDS), MachineOptions(listing=True), threads=2, arguments={"x": [0, 1]})
    spelled = [line.text for line in lines(found)]
    assert found.operations["move_mask"] == 1
    assert "move_mask %a, s2, %twice" in spelled
    assert any(text.startswith("mul_lo_u_mask %b, s2") for text in spelled)
    assert not any("mask" in text for text in spelled if "%above" in text)


def test_lanes_that_ended_inside_an_arm_stay_off_or_are_woken() -> None:
    launch: dict[str, Any] = {"threads": 3, "arguments": {"n": [0, 1, 5]}}
    found = on("exec-mask", example("early-return"), **launch)
    assert found.conforms and groups(found, "%sum") == [[1, 2]]
    older = on("exec-mask", example("early-return"), MachineOptions(exec_form="not-and"), **launch)
    assert groups(older, "%sum") == [[0, 1, 2]]
    left = older.departure
    assert left is not None and (left.rule.id, left.lane, left.operation) == ("D-THREAD", 0, "%U")
    nobody_ends = on(
        "exec-mask",
        example("early-return"),
        MachineOptions(exec_form="not-and"),
        threads=2,
        arguments={"n": [1, 5]},
    )
    assert nobody_ends.conforms


def test_whole_quads() -> None:
    assert whole_quads(0b0000_0010_0001) == 0b1111_1111
    assert whole_quads(0b0001_0000_0000) == 0b1111_0000_0000
    assert covered_lanes({0, 5, 9}, 4, 4) == 0b10


def quads(covered: set[int], threads: int = 12) -> Simulated:
    x = [0, 1, 4, 9, 40, 50, 60, 80, 0, 0, 0, 0][:threads]
    return on("exec-mask", example("whole-quad"), MachineOptions(covered=frozenset(covered)),
              threads=threads, arguments={"x": x})  # fmt: skip


def test_helper_lanes_take_part_in_derivatives_and_do_not_store() -> None:
    found = quads({0, 1, 5})
    assert found.conforms and found.outcome is not None
    assert groups(found, "%dx") == [[0, 1, 2, 3, 4, 5, 6, 7]]
    assert found.outcome.memory["@out"] == [1, 1] + [0] * 10
    assert [t.ended for t in found.outcome.threads] == ["returned"] * 8 + ["off"] * 4
    assert found.care is not None and found.care.helpers == {2, 3, 4, 6, 7}


def test_coverage_in_whole_quads_only() -> None:
    refused = quads({0}, threads=6)
    assert refused.refused is not None and "quads" in refused.refused
    nobody = quads(set())
    assert nobody.issues == 0 and groups(nobody, "%dx") == []


def test_a_derivative_without_its_neighbour_is_poison() -> None:
    text = """
define i32 @f(i32 %x) {
  %dy = call i32 @ddy(i32 %x)
  ret i32 %dy
}
declare i32 @ddy(i32) convergent
"""
    found = on("ipdom", parse(text), threads=3, arguments={"x": [1, 2, 10]})
    assert found.outcome is not None
    assert [t.value for t in found.outcome.threads] == [9, "poison", 9]


@pytest.mark.parametrize(("when", "values"), [(None, [20, 20]), ("early", [20, 20]), ("late", [20, 10])])
def test_a_spill_after_the_mask_was_reduced_is_partial(when: str | None, values: list[int]) -> None:
    found = on(
        "exec-mask",
        example("partial-spill"),
        MachineOptions(spill=when),
        threads=2,
        arguments={"lane": [0, 1]},
    )
    assert found.outcome is not None
    assert [t.value for t in found.outcome.threads] == values
    assert found.conforms is (when != "late")
    if when == "late":
        assert found.departure is not None and "%v was spilled" in because(found.departure)


@pytest.mark.parametrize("policy", ["exec-mask", "mask-stack", "predication"])
def test_the_structured_cfg_is_a_step_that_can_be_seen(policy: str) -> None:
    found = on(
        policy,
        example("divergent-break"),
        MachineOptions(listing=True),
        threads=4,
        arguments={"last": [0, 1, 1, 9]},
    )
    (listing,) = found.listings
    words = [line.strip() for line in listing.structured]
    assert words[0] == "block %A" and words[1].startswith("loop (latch %L)")
    assert words.index("end loop") < words.index(next(w for w in words if w.startswith("block %K")))
