"""Results held against legal outcomes: no device is needed, for what it answers is made up here.

covers: drive.binding, report.drive
"""

from __future__ import annotations

import struct

import pytest
from jsonschema import Draft202012Validator

from convergence import parse
from convergence.device.client import DeviceFacts, DeviceFailed, Dispatched, DispatchResult
from convergence.drive import BoundModule, Driven, LegalOutcomes, Trial, bind, judge, question
from convergence.report import drive as drive_json
from convergence.report import drive as drive_text
from convergence.report.schemas import schema
from convergence.semantics import NotModelled, UsageError
from convergence.semantics.machine.launch import launch_spec
from tests.drive.shader import compiled, shader

FACTS = DeviceFacts(
    0, "made up", "cpu", "1.3.0", "none", "driver 1", 1, 4, 4, 16, True,
    ("basic", "arithmetic", "vote", "ballot"), ("VK_KHR_x",), (64, 64, 64), 64, features=("shaderInt8",),
)  # fmt: skip


def asked(text: str, size: int = 4, count: int = 8, **more: object) -> LegalOutcomes:
    spec = launch_spec(subgroup_size=size, buffers={"u0": f"i32[{count}]"}, **more)  # type: ignore[arg-type]
    return question(parse(text), spec)


def bound(one: LegalOutcomes, text: str) -> BoundModule:
    return bind(one.program, one.launch, compiled(text), FACTS, 10)


def tried(text: str, *answers: tuple[list[int], int]) -> tuple[LegalOutcomes, BoundModule, Trial]:
    one = asked(text)
    module = bound(one, text)
    results = [DispatchResult({(0, 0): struct.pack(f"<{len(v)}i", *v)}, n) for v, n in answers]
    return one, module, judge(one, module, Dispatched(tuple(results)))


LEGAL = [3, 3, 3, 77, 15, 15, 15, 77]


def test_a_legal_result_is_counted() -> None:
    _, module, trial = tried(shader(), (LEGAL, 10))
    assert (trial.verdict, [one.runs for one in trial.legal], trial.complete) == ("legal", [10], True)
    assert module.dispatch.data == {(0, 0): bytes(32)} and module.dispatch.groups == (1, 1, 1)


def test_an_illegal_result_has_lane_line_operation_and_machine() -> None:
    """Every lane alone: what the machine ``independent`` does."""
    alone = [0, 1, 2, 77, 4, 5, 6, 77]
    _, _, trial = tried(shader(), (LEGAL, 4), (alone, 6))
    assert trial.verdict == "illegal" and [one.runs for one in trial.legal] == [4]
    (result,) = trial.illegal
    assert (result.runs, result.elements) == (6, 6)
    first, last = result.differences[0], result.differences[-1]
    assert (first.buffer, first.index, first.legal, first.value) == ("u0", 0, 3, 0)
    assert (last.index, last.threads, last.lanes) == (6, (6,), (2,))
    assert first.operation == "%sum" and first.line == 16
    assert "independent" in [one.policy for one in result.explanations]
    assert all(one.departure is not None for one in result.explanations)


def test_poison_may_be_anything() -> None:
    text = shader(other=77).replace("[ 77, %entry ]", "[ poison, %entry ]")
    assert "poison" in text
    _, _, trial = tried(text, ([3, 3, 3, 12345, 15, 15, 15, -1], 1))
    assert trial.verdict == "legal"
    _, _, trial = tried(text, ([3, 3, 4, 12345, 15, 15, 15, -1], 1))
    assert trial.verdict == "illegal"


def test_what_is_computed_from_undef_may_be_anything() -> None:
    """Nobody has written to the stack object: 0 is taken, and the device has something else."""
    body = """  %slot = alloca i32
  %old = load i32, ptr %slot
  %sum = add i32 %old, 1
  br label %join"""
    one, module, trial = tried(shader(body=body), ([9, 9, 9, 77, 9, 9, 9, 77], 3))
    assert (trial.verdict, trial.open_reads) == ("unknown", ("%slot",))
    _, _, exact = tried(shader(body=body), ([1, 1, 1, 77, 1, 1, 1, 77], 3))
    assert exact.verdict == "legal"
    driven = Driven(one, module, FACTS, None, trial, "here")
    assert "a read of %slot gives undef" in drive_text.text(driven, ())


def test_a_set_that_was_cut_makes_no_result_illegal() -> None:
    one = asked(shader(), max_steps=10)
    module = bound(one, shader())
    trial = judge(one, module, Dispatched((DispatchResult({(0, 0): bytes(32)}, 1),)))
    assert trial.verdict == "unknown" and not trial.complete
    assert "max-steps" in drive_text.summary(trial)


def test_undefined_behaviour_asks_nothing() -> None:
    text = shader(body="  %zero = sub i32 %id, %id\n  %sum = udiv i32 %id, %zero\n  br label %join")
    one = asked(text)
    assert one.undefined is not None
    trial = judge(one, bound(one, text), None)
    assert trial.verdict == "unknown" and trial.undefined


def test_no_answer_is_unknown() -> None:
    one = asked(shader())
    trial = judge(
        one, bound(one, shader()), DeviceFailed("the driver's process crashed (SIGSEGV)", "process")
    )
    assert trial.verdict == "unknown" and "crashed (SIGSEGV)" in drive_text.summary(trial)


def test_floating_point_alone_is_unknown() -> None:
    text = shader()
    one = question(parse(text), launch_spec(subgroup_size=4, buffers={"u0": "f32[8]"}))
    module = bound(one, text)
    trial = judge(one, module, Dispatched((DispatchResult({(0, 0): struct.pack("<8i", *LEGAL)}, 1),)))
    assert trial.verdict == "legal"
    other = struct.pack("<8i", *[4, *LEGAL[1:]])
    trial = judge(one, module, Dispatched((DispatchResult({(0, 0): other}, 1),)))
    assert trial.verdict == "unknown" and "precision" in drive_text.summary(trial)


def test_what_does_not_fit_is_said() -> None:
    text = shader()
    with pytest.raises(UsageError, match="a workgroup of 8: the module's main has 12"):
        bind(asked(text).program, asked(text).launch, compiled(shader(12)), FACTS)
    with pytest.raises(UsageError, match="subgroups of 2 lanes: made up has subgroups of 4 to 16"):
        bound(asked(text, size=2), text)
    spec = launch_spec(subgroup_size=4, buffers={})
    one = question(parse(text), spec)
    with pytest.raises(UsageError, match=r"set 0, binding 0 \(out\): give --buffer u0="):
        bound(one, text)
    flat = shader().replace('"8,1,1"', '"2,4,1"')
    with pytest.raises(NotModelled, match="share a subgroup"):
        bound(asked(flat), flat)


@pytest.mark.parametrize("values", [LEGAL, [9] * 8])
def test_the_answer_in_words_and_as_json(values: list[int]) -> None:
    one, module, trial = tried(shader(), (values, 2))
    answer = Dispatched((DispatchResult({(0, 0): struct.pack("<8i", *values)}, 2),))
    driven = Driven(one, module, FACTS, answer, trial, "by hand")
    made = drive_json.answer(driven, ["u0"])
    Draft202012Validator(schema("drive")).validate(made)
    assert made["verdict"] == trial.verdict
    buffers = made["buffers"]
    assert isinstance(buffers, dict) and buffers["u0"] == {"type": "i32", "shape": [8], "values": values}
    said = drive_text.text(driven, [])
    assert said.splitlines()[0] == "Device 0: made up, driver 1"
    assert said.splitlines()[-1].startswith(f"{trial.verdict}: ")
    Draft202012Validator(schema("drive")).validate(drive_json.listed_data([FACTS]))
    assert "4 (4 to 16 can be asked for)" in drive_text.listed([FACTS])
