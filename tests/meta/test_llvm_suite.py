"""The sweep over LLVM's tests reads their commands and picks files as it says; the files here are our own."""

from __future__ import annotations

from pathlib import Path
from shutil import which

import pytest

from tests.llvm_suite import answer
from tests.llvm_suite.answer import answer as answered
from tests.llvm_suite.questions import Question, questions
from tests.llvm_suite.report import report
from tests.llvm_suite.run_lines import Asked, own, target
from tests.llvm_suite.selection import reason

OPT = which("opt-22") or which("opt")

RUN_LINES = """
; RUN: opt -S -mtriple=amdgcn -mcpu=gfx900 -passes='gvn,simplifycfg<a;b>' < %s -o - | FileCheck %s
; RUN: opt %s -passes=sroa \\
; RUN:   -S 2>&1 | FileCheck --check-prefix=A %s
; RUN: opt -structurizecfg -S %s | opt -passes=gvn -S
; RUN: opt -O2 -S %s
; RUN: llc -mtriple=nvptx64 < %s
; RUN: not opt -passes=dce %s
; RUN: opt -passes=adce %t
; RUN: opt -p dse -S %s > %t
; RUN: opt -S "-passes=licm %s
"""


def test_the_pipelines_of_a_file() -> None:
    assert own(RUN_LINES) == [
        Asked("gvn,simplifycfg<a;b>", ("-mtriple=amdgcn", "-mcpu=gfx900")),
        Asked("sroa", ()),
        Asked("structurizecfg", ()),
        Asked("default<O2>", ()),
    ]
    assert own("; RUN: opt -p dse -S %s") == [Asked("dse", ())]
    assert target(RUN_LINES) == ("-mtriple=amdgcn", "-mcpu=gfx900")
    assert target("; RUN: llc -march=nvptx64 %s") == ("-march=nvptx64",)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("CodeGen/X86/a.ll", "define void @f() #0\nattributes #0 = { convergent }", "convergence control"),
        ("CodeGen/X86/a.ll", "define void @nonconvergent()", None),
        ("CodeGen/AMDGPU/a.ll", "call i32 @llvm.amdgcn.readfirstlane(i32 %x)", "an operation of a target"),
        ("CodeGen/AMDGPU/a.ll", 'target triple = "amdgcn-amd-amdhsa"', None),
        ("Transforms/GVN/a.ll", 'target triple = "amdgcn-amd-amdhsa"', "a target's triple"),
        ("Transforms/FixIrreducible/a.ll", "", "a pass over control flow"),
        ("Linker/Inputs/a.ll", "convergent", None),
    ],
)
def test_which_files_are_taken(name: str, text: str, why: str | None) -> None:
    assert reason(name, text) == why


def test_a_sample_asks_every_file_and_some_pairs(tmp_path: Path) -> None:
    folder = tmp_path / "Transforms" / "UnifyLoopExits"
    folder.mkdir(parents=True)
    for name in ("a.ll", "b.ll"):
        (folder / name).write_text("; RUN: opt -passes=unify-loop-exits,dce -S %s\n")
    whole, sample = questions(tmp_path, 1), questions(tmp_path, 10)
    assert [q.file for q in whole if not q.pipeline] == [q.file for q in sample if not q.pipeline]
    assert {q.file for q in sample} == {f"Transforms/UnifyLoopExits/{name}" for name in ("a.ll", "b.ll")}
    pairs = [q for q in whole if q.pipeline]
    assert len([q for q in sample if q.pipeline]) == (len(pairs) + 9) // 10 and set(sample) <= set(whole)
    asked = questions(tmp_path, 1, "a.ll", own=True)
    assert asked == [q for q in whole if q.file.endswith("/a.ll") and (q.own or not q.pipeline)]
    assert [q.file for q in pairs if q.own] and all(
        q.pipeline == "unify-loop-exits,dce" for q in pairs if q.own
    )


@pytest.mark.skipif(OPT is None, reason="LLVM's `opt` is not installed")
def test_answers_and_their_report(tmp_path: Path) -> None:
    assert OPT is not None
    (tmp_path / "a.ll").write_text("""
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
define i32 @f(i32 %x) convergent {
  %a = add i32 %x, 0
  %s = call i32 @subgroupAdd(i32 %a)
  ret i32 %s
}
""")
    (tmp_path / "b.ll").write_text("this is none\n")
    asked = [Question(f, "why", p) for f in ("a.ll", "b.ll") for p in ("", "instcombine", "dse")]
    records = [answered(question, tmp_path, OPT, 20) for question in asked]
    assert [r.get("outcome") for r in records] == [
        None, "equal", "unchanged", None, "llvm-refuses-file", "llvm-refuses-file"
    ]  # fmt: skip
    assert [r["agree"] for r in records if r["kind"] == "verify"] == [True, True]
    said = report(records)
    assert "verify: as LLVM on 2 of 2 files" in said
    assert "of 1 changed pairs 0 without an answer" in said


def test_what_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = answer._ran(["sleep", "20"], 0.2)
    assert ran.late
