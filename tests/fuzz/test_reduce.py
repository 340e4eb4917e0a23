"""The reducer: smaller, valid at every step, and the same fault at the end.

covers: cli.commands.reduce
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import convergence as cc
from convergence.cli import invoke
from convergence.cli.plumbing import Exit
from convergence.fuzz.campaign import LLVM, CheckLimits, FindingKind, check, same
from convergence.fuzz.generate import generate
from convergence.fuzz.reduce import fewer_words, reduce
from convergence.parser.llvm import llvm_verdict

SEED = 19000002
"""A program on which simplifycfg puts a ``loop`` behind another intrinsic."""
KIND = FindingKind("invalid-output", "S-LOOP-FIRST")


def test_a_fault_is_reduced_to_a_few_lines() -> None:
    text = generate(SEED).text
    reduced = reduce(text, same("simplifycfg", "main", KIND, LLVM(), CheckLimits()))
    assert reduced.count("\n") < 20 < text.count("\n")
    assert check(reduced, "main", "simplifycfg", LLVM(), CheckLimits()).kind == KIND


@pytest.mark.parametrize("seed", [3, 8, 15, 21])
def test_every_candidate_asked_about_is_valid(seed: int) -> None:
    """With a question that likes hearts with uses, tokens stay whole all the way down."""
    asked = []

    def question(text: str) -> bool:
        asked.append(text)
        module = cc.parse(text)
        assert llvm_verdict(text) == ()
        assert not [d for d in cc.verify(module) if d.rule.id.startswith("S-")]
        return text.count("convergencectrl") >= 2 and "br i1" in text

    text = generate(seed).text
    reduced = reduce(text, question, most=150)
    assert question(reduced) and len(asked) > 20
    assert reduced.count("\n") < text.count("\n")


TWICE_WRONG = """define i32 @main(i32 %x) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  %y = mul i32 %x, 3
  %c = icmp eq i32 %x, 0
  br i1 %c, label %a, label %b
a:
  %s = call i32 @sum(i32 %y) [ "convergencectrl"(token %all) ]
  br label %b
b:
  %p = phi i32 [ %y, %entry ], [ %s, %a ]
  ret i32 %p
}
declare i32 @sum(i32) convergent memory(none) willreturn nounwind
declare token @llvm.experimental.convergence.entry()
"""


class Faulty(LLVM):
    """Passes that miscalculate, and do a convergent operation in front of a branch."""

    def optimise(self, text: str, pipeline: str) -> str:
        call = re.search(r"^  %s = call.*\n", text, re.MULTILINE)
        if call is not None and "%c = icmp" in text and "%y = mul" in text:
            text = text.replace(call[0], "", 1).replace("  %c = icmp", call[0] + "  %c = icmp", 1)
        return text.replace("mul i32 %x, 3", "mul i32 %x, 4")


def test_what_differs_first_is_kept() -> None:
    """A wrong value is a smaller program than a wrong group; it is another finding."""
    found = check(TWICE_WRONG, "main", "faulty", Faulty(), CheckLimits())
    assert (found.kind.answer, found.difference) == ("wrong", "group")
    asked = "faulty", "main", found.kind, Faulty(), CheckLimits()
    value = TWICE_WRONG.replace("phi i32 [ %y, %entry ], [ %s, %a ]", "phi i32 [ %y, %entry ], [ %y, %a ]")
    value = "\n".join(line for line in value.splitlines() if "%s = call" not in line)
    assert check(value, "main", "faulty", Faulty(), CheckLimits()).difference == "value"
    assert same(*asked)(value) and not same(*asked, found.difference)(value)
    reduced = reduce(TWICE_WRONG, same(*asked, found.difference))
    assert "@sum" in reduced and len(reduced) < len(TWICE_WRONG)


@pytest.mark.parametrize(
    ("words", "droppable"),
    [
        ("convergent memory(none) nounwind willreturn", set()),
        ("speculatable memory(none) nounwind", {"memory(none)", "nounwind"}),
        ("memory(none) nounwind", {"memory(none)", "nounwind"}),
        ("nofree memory(read) nounwind willreturn", {"nofree"}),
    ],
)
def test_a_call_without_effects_stays_one(words: str, droppable: set[str]) -> None:
    text = f"define void @main() {{\n  call void @f()\n  ret void\n}}\ndeclare void @f() {words}\n"
    module = cc.parse(text)
    every = set(module.functions["f"].attributes)
    dropped = set()
    for made in fewer_words(module):
        dropped |= every - set(made.functions["f"].attributes)
    assert dropped == droppable


def test_what_is_not_interesting_comes_back() -> None:
    text = generate(4).text
    assert reduce(text, lambda _: False) == text


def test_the_command_writes_a_smaller_program(tmp_path: Path) -> None:
    source, out = tmp_path / "a.ll", tmp_path / "b.ll"
    source.write_text(_TWO)
    command = ["reduce", str(source), "--passes", "simplifycfg", "--max-launches", "4", "-q"]
    assert invoke([*command, "--interestingness"]) == Exit.HOLDS
    assert invoke([*command, "-o", str(out)]) == Exit.HOLDS
    assert "@more" not in out.read_text() and "@sync" not in out.read_text()
    assert invoke(["reduce", str(out), "--passes", "simplifycfg", "--interestingness"]) == Exit.HOLDS
    wrong = ["reduce", str(out), "--passes", "simplifycfg", "--interestingness", "--kind", "wrong"]
    assert invoke(wrong) == Exit.FAILS


def test_a_program_without_a_fault_is_not_reduced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.ll"
    source.write_text("define i32 @main(i32 %x) {\n  ret i32 %x\n}\n")
    assert invoke(["reduce", str(source), "--passes", "simplifycfg"]) == Exit.UNKNOWN
    assert "nothing to reduce" in capsys.readouterr().err
    assert invoke(["reduce", str(source), "--passes", "simplifycfg", "--interestingness"]) == Exit.FAILS


def test_what_llvm_refuses_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It was what every smaller program shows, too, down to nothing."""
    source = tmp_path / "a.ll"
    source.write_text(_TWO)
    assert invoke(["reduce", str(source), "--passes", "nosuch"]) == Exit.INPUT
    said = capsys.readouterr()
    assert "nosuch" in said.err and said.out == ""
    assert invoke(["reduce", str(source), "--passes", "simplifycfg", "--kind", "foo"]) == Exit.INPUT
    assert "'foo' is none of wrong, invalid-output" in capsys.readouterr().err


_TWO = """
define void @main() {
entry:
  %anchor = call token @llvm.experimental.convergence.anchor()
  br label %head
head:
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %anchor) ]
  call void @sync() [ "convergencectrl"(token %heart) ]
  ret void
}
define i32 @more(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}
declare void @sync() convergent
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
"""


def test_llvm_reduce_takes_the_interestingness_script(tmp_path: Path) -> None:
    program = shutil.which("llvm-reduce-22") or shutil.which("llvm-reduce")
    if program is None:
        pytest.skip("llvm-reduce is not installed")
    (tmp_path / "a.ll").write_text(_TWO)
    script = tmp_path / "interesting.sh"
    root = Path(__file__).parents[2]
    script.write_text(
        f'#!/bin/sh\nPYTHONPATH={root} exec {sys.executable} -m convergence reduce "$1" --passes simplifycfg '
        f"--kind '{KIND}' --max-launches 4 --interestingness -q\n"
    )
    script.chmod(0o755)
    subprocess.run(
        [program, "--test", str(script), "a.ll", "-o", "b.ll", "--delta-passes=functions"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    reduced = (tmp_path / "b.ll").read_text()
    assert "@more" not in reduced
    assert check(reduced, "main", "simplifycfg", LLVM(), CheckLimits()).kind == KIND
