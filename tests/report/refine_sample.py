"""Comparisons made by hand from two real runs, so that reports are tested apart from what compares."""

from __future__ import annotations

from dataclasses import replace

from convergence import parse, run, verify
from convergence.ir.module import Module
from convergence.refine.sides.observable import ReturnMismatch
from convergence.refine.verdict.result import (
    Counterexample,
    GroupDeparture,
    NoCall,
    OperationPlace,
    Refinement,
    Side,
)
from convergence.report.refine import FunctionComparison, Judged, Pipeline, RefineAnswer
from convergence.semantics import Bound, BoundKind
from convergence.semantics.machine.run import Run

TEXT = """declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
@g = global i32 0

define i32 @src(i32 %x, i1 %c) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  br i1 %c, label %B, label %C
B:
  store i32 %s, ptr @g
  br label %C
C:
  %r = phi i32 [ %s, %B ], [ 0, %A ]
  ret i32 %r
}

define i32 @tgt(i32 %x, i1 %c) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %c, label %B, label %C
B:
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  store i32 %s, ptr @g
  br label %C
C:
  %r = phi i32 [ %s, %B ], [ 0, %A ]
  ret i32 %r
}
"""
INVALID = TEXT.replace("  br i1 %c, label %B, label %C\nB:\n  %s", "  br label %B\nB:\n  %s").replace(
    "  br label %C\nC:\n  %r = phi i32 [ %s, %B ], [ 0, %A ]\n  ret i32 %r\n}\n",
    "  br i1 %c, label %B, label %C\nC:\n  ret i32 %s\n}\n",
)


def module() -> Module:
    return parse(TEXT, "a<b>.ll")


def side(found: Run) -> Side:
    return Side(found.execution, found.groups, found.ending, found.outcome)


def wrong() -> Refinement:
    """``subgroupAdd`` sunk over a divergent branch."""
    program = module()
    how = {"threads": 2, "arguments": {"x": [1, 10], "c": [1, 0]}}
    source, target = (run(program, function=name, **how) for name in ("src", "tgt"))  # type: ignore[arg-type]
    departure = GroupDeparture(
        "@subgroupAdd", 0, 1, OperationPlace("%s", 1, (0, 1)), OperationPlace("%s", 1, (0,)),
        NoCall("target", 1, 1, "@subgroupAdd", other=True),
    )  # fmt: skip
    example = Counterexample(
        2, None, "src", {"x": (1, 10), "c": (1, 0)}, {"cc": ((1, 0), (0,))}, None, side(source), side(target),
        ReturnMismatch(0, 11, 1), departure,
    )  # fmt: skip
    return Refinement(
        "wrong", "wrong for launch 1 of 2", {"inferred": "wrong", "ipdom": "equal"}, example, launches=1,
        notes=("a note <b>", "a note <b>"),  # is said once
    )  # fmt: skip


def answer(found: Refinement | None = None, walk: tuple[Judged, ...] | None = None) -> RefineAnswer:
    program = module()
    one = FunctionComparison("src", "tgt", program, program, wrong() if found is None else found, walk)
    return RefineAnswer((one,), "a<b>.ll", "b.ll")


def blamed() -> RefineAnswer:
    """With a pipeline and a walk."""
    kept = Judged(3, 9, "simplifycfg", "src", "equal")
    lost = Judged(5, 9, "sink", "loop %l in function f", "wrong")
    made = answer(replace(wrong(), blame="sink"), (kept, lost))
    pipeline = Pipeline("simplifycfg,sink", "llvmlite", ("target x",))
    return replace(made, pipeline=pipeline, notes=("said once",))


def invalid() -> RefineAnswer:
    """A target that breaks static rules."""
    program = parse(INVALID, "invalid.ll")
    broken = tuple(d for d in verify(program) if d.function == "tgt")
    assert broken
    found = Refinement(
        "invalid-output", "ran", {"tokens": "invalid-output"}, behaviour="equal", diagnostics=broken
    )
    return RefineAnswer(
        (FunctionComparison("src", "tgt", program, program, found),), "invalid.ll", "invalid.ll"
    )


def several() -> RefineAnswer:
    """One equal, one unknown, one wrong."""
    first = answer().compared[0]
    equal = replace(
        first, refinement=Refinement("equal", "all", {"tokens": "equal"}, launches=7), function="e"
    )
    late = Bound(BoundKind.TIMEOUT, 1)
    unknown = replace(first, refinement=Refinement("unknown", "few", {"tokens": "unknown"}, bound=late))
    return RefineAnswer((equal, unknown, first), "a<b>.ll", "b.ll")
