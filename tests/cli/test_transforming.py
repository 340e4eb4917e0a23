"""``convcheck infer`` and ``convcheck inline`` as a user runs them.

covers: cli.commands.infer, cli.commands.inline, report.parts.words
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.cli_harness import BAD, GOOD, convcheck, ll, one_line, process

UNCONTROLLED = """; CONVCHECK: --threads 2 --path "A B D" --path "A D"
source_filename = "kernel.cl"
declare void @op() convergent
define void @f(i1 %c) convergent {
A:
  br i1 %c, label %B, label %D
B:
  call void @op()
  br label %D
D:
  call void @op()
  ret void
}
"""
IRREDUCIBLE = """declare void @op() convergent
define void @f(i1 %c, i1 %d) convergent {
A:
  br i1 %c, label %B, label %C
B:
  call void @op()
  br label %C
C:
  br i1 %d, label %B, label %D
D:
  ret void
}
"""
CALLS = """declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent
define i32 @helper(i32 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
define i32 @raw(i32 %x) convergent {
  %s = call i32 @subgroupAdd(i32 %x)
  ret i32 %s
}
define i32 @f(i32 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %a = call i32 @helper(i32 %x) [ "convergencectrl"(token %t) ]
  %b = call i32 @raw(i32 %a) [ "convergencectrl"(token %t) ]
  ret i32 %b
}
"""


def test_infer_writes_ir_that_verifies(tmp_path: Path) -> None:
    file = ll(tmp_path, UNCONTROLLED)
    ran = convcheck("infer", file)
    assert ran.code == 0
    assert '[ "convergencectrl"(token %entry) ]' in ran.out
    assert ran.out.startswith("; convcheck infer: @f: entry and 2 controlled operations\n")
    assert 'source_filename = "kernel.cl"' in ran.out
    assert ran.err == f"convcheck: {file}: @f: entry and 2 controlled operations\n"
    assert convcheck("verify", ll(tmp_path, ran.out, "b.ll")).code == 0
    assert convcheck("infer", "-", stdin=UNCONTROLLED).out == ran.out


def test_a_file_keeps_its_defaults(tmp_path: Path) -> None:
    inferred = convcheck("infer", ll(tmp_path, UNCONTROLLED)).out
    assert "; CONVCHECK: --threads 2 --path 'A B D' --path 'A D'\n" in inferred
    ran = convcheck("run", "-", stdin=inferred)
    assert ran.code == 0
    assert "Thread 0: A B D\nThread 1: A - D" in ran.out


def test_irreducible_cycles_are_named(tmp_path: Path) -> None:
    file = ll(tmp_path, '; CONVCHECK: --threads 1 --path "A C D"\n' + IRREDUCIBLE)
    ran = convcheck("infer", file)
    assert ran.code == 0
    assert "the cycle of %B %C is irreducible, with entries %B, %C" in ran.err
    assert "go to the new block %B.dispatch" in ran.out
    assert "; CONVCHECK: --threads 1\n" in ran.out  # its path names too few blocks now
    assert convcheck("verify", ll(tmp_path, ran.out, "b.ll")).code == 0


def test_output_goes_to_a_file_and_quiet_is_quiet(tmp_path: Path) -> None:
    target = tmp_path / "out.ll"
    ran = convcheck("infer", ll(tmp_path, UNCONTROLLED), "-q", "-o", target)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert "convergencectrl" in target.read_text()


def test_infer_leaves_controlled_functions(tmp_path: Path) -> None:
    ran = convcheck("infer", ll(tmp_path, GOOD))
    assert ran.code == 0
    assert "@f: is controlled already: left as it is" in ran.err


def test_infer_marks_convergent_when_asked(tmp_path: Path) -> None:
    file = ll(tmp_path, UNCONTROLLED.replace("%c) convergent", "%c)"))
    assert "@llvm.experimental.convergence.anchor()" in convcheck("infer", file).out
    marked = convcheck("infer", file, "--mark-convergent", "@f").out
    assert "@llvm.experimental.convergence.entry()" in marked
    assert "define void @f(i1 %c) convergent" in marked
    ran = convcheck("infer", file, "--mark-convergent", "@nobody")
    assert ran.code == 2
    assert one_line(ran.err)


@pytest.mark.parametrize("command", ["infer", "inline"])
def test_broken_rules_are_shown_and_nothing_is_changed(tmp_path: Path, command: str) -> None:
    ran = convcheck(command, ll(tmp_path, BAD))
    assert ran.code == 1
    assert "S-CYCLE-USE" in ran.out
    assert "nothing was changed" in ran.out
    mixed = GOOD.replace("  ret", "  %u = call i32 @subgroupAdd(i32 %s)\n  ret")
    ran = convcheck(command, ll(tmp_path, mixed))
    assert ran.code == 1
    assert "S-MIX" in ran.out


@pytest.mark.parametrize("command", ["infer", "inline"])
def test_what_is_no_llvm_ir(tmp_path: Path, command: str) -> None:
    ran = convcheck(command, ll(tmp_path, "define void @f( {"))
    assert ran.code == 2
    assert one_line(ran.err)
    ran = convcheck(command, tmp_path / "nowhere.ll")
    assert ran.code == 2
    assert one_line(ran.err)


def test_infer_says_what_it_cannot_do(tmp_path: Path) -> None:
    text = """declare void @op() convergent
declare i32 @p(...)
define void @f(i1 %c) convergent personality ptr @p {
A:
  br i1 %c, label %other, label %thrower
thrower:
  invoke void @op() to label %done unwind label %pad
pad:
  %l = landingpad { ptr, i32 } cleanup
  br label %other
other:
  invoke void @op() to label %done unwind label %pad
done:
  ret void
}
"""
    ran = convcheck("infer", ll(tmp_path, text))
    assert ran.code == 3
    assert "ends in invoke" in ran.err


def test_inline(tmp_path: Path) -> None:
    file = ll(tmp_path, CALLS)
    ran = convcheck("inline", file)
    assert ran.code == 0
    assert "; convcheck inline: @f, %a: @helper is inlined, with %t for its entry\n" in ran.out
    assert "@f, %b: @raw is not inlined" in ran.err
    assert "call i32 @helper" not in ran.out
    both = convcheck("infer", file)
    after = convcheck("inline", "-", stdin=both.out)
    assert after.code == 0
    assert "call i32 @raw" not in after.out
    run = convcheck("run", "-", "--function", "@f", "--threads", "2", "--arg", "%x=1,10", stdin=after.out)
    assert "Threads 0, 1 returned 22" in run.out


def test_inline_only_what_is_named(tmp_path: Path) -> None:
    file = ll(tmp_path, CALLS)
    assert "call i32 @helper" in convcheck("inline", file, "--function", "@raw").out
    assert "call i32 @helper" not in convcheck("inline", file, "--call", "%a").out
    ran = convcheck("inline", file, "--call", "@raw")
    assert ran.code == 3
    assert "is not inlined" in ran.err
    for wrong in (["--call", "%nothing"], ["--function", "@nobody"]):
        ran = convcheck("inline", file, *wrong)
        assert ran.code == 2
        assert one_line(ran.err)


def test_in_a_process_of_its_own(tmp_path: Path) -> None:
    ran = process("infer", "-q", ll(tmp_path, UNCONTROLLED))
    assert ran.code == 0
    assert ran.err == ""
    assert "convergencectrl" in ran.out


def test_refine_symbolically(tmp_path: Path) -> None:
    """``refine --symbolic`` says that it holds for all inputs, and finds what trying inputs does not."""
    body = """declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
define i32 @src(i32 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  %r = mul i32 %s, 2
  ret i32 %r
}
define i32 @tgt(i32 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  %r = shl i32 %s, 1
  ret i32 %r
}
"""
    file = ll(tmp_path, body)
    ran = convcheck("refine", file, "--symbolic", "--threads", "2")
    assert ran.code == 0
    assert "Established: for all inputs, 2 threads" in ran.out
    rare = "%y = mul i32 %x, %x\n  %z = icmp eq i32 %y, 152399025\n  %r = select i1 %z, i32 7, i32 %q"
    hidden = body.replace("  %r = shl i32 %s, 1", f"  %q = shl i32 %s, 1\n  {rare}")
    ran = convcheck("refine", "-", "--symbolic", "--threads", "2", stdin=hidden)
    assert ran.code == 1
    assert "z3 found inputs that tell the two apart" in ran.out
