"""Types from before LLVM 17 are pointers that have forgotten what they point to, as in LLVM's own reader.

covers: parser.builder, parser.llvm, report.parts.words
"""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

import pytest

from convergence.ir import Global
from convergence.ir.instructions import CallSite
from convergence.parser import parse
from convergence.parser.llvm import print_by_llvm
from convergence.report.parts.words import reading_notes
from tests.cli.cli_harness import BAD, convcheck, ll
from tests.parser.reading import EXAMPLES

TYPED = """%S = type { i32*, %S*, [2 x void (i8*)*] }
%"old name" = type i8 addrspace(3)*
%op = type opaque
@G = addrspace(1) global i32 addrspace(3)* null
@H = global i32* @X
@I = global i8* bitcast (i32* @X to i8*)
@J = alias i8, i8* bitcast (i32* @X to i8*)
@K = global { void ()*, <2 x i8*> } { void ()* @k, <2 x i8*> zeroinitializer }
@X = global i32 0
@E = external global %S addrspace(2)*
declare %op* @opaque(%op*, ...)
declare i8* @malloc(i64) convergent
define i32 addrspace(3)* @spaces(%"old name" %p, i32 addrspace ( 3 ) /* * */ * %q) {
  %c = addrspacecast i32 addrspace(3)* %q to i32*
  %n = addrspacecast i8* null to i8 addrspace(1)*
  ret i32 addrspace(3)* %q
}
define void @k() {
  %x = alloca i32*, align 8
  %y = alloca i8, i32 4, addrspace(5)
  %b = bitcast i32** %x to i8*
  %a = getelementptr inbounds i32*, i32** %x, i64 1
  %l = load i32*, i32** %a
  store i32* getelementptr (i32, i32* @X, i32 2), i32** %x
  %s = select i1 true, i8* %b, i8* null
  %i = ptrtoint i32* %l to i64
  %w = cmpxchg i32** %x, i32* null, i32* %l seq_cst seq_cst
  %o = call %op* (%op*, ...) @opaque(%op* null, i8* %s)
  call void asm "nop", "r"(i32* null)
  %m = call i8* bitcast (i8* (i64)* @malloc to i8* (i64)*)(i64 4)
  br label %next
next:
  %phi = phi i8* [ %m, %0 ], [ null, %next ]
  br i1 false, label %next, label %out
out:
  ret void
}
define void @attributes(i32* byval(i32) %b, [4 x i8]* sret([4 x i8]) %s, i8** readonly %r, i32 ()*()* %f) {
  %g = call i32 ()* %f()
  %v = call i32 %g()
  ret void
}
"""


def test_llvm_reads_the_same() -> None:
    module, again = parse(TYPED), parse(print_by_llvm(TYPED))
    assert {name: g.type for name, g in module.globals.items()} == {
        n: g.type for n, g in again.globals.items()
    }
    for name in ("H", "I", "K"):
        assert module.globals[name].initializer == again.globals[name].initializer
    for function in ("spaces", "k", "attributes"):
        one, other = module.functions[function], again.functions[function]
        assert one.type == other.type
        assert [(type(i), i.result) for i in one.instructions] == [
            (type(i), i.result) for i in other.instructions
        ]
        for mine, theirs in zip(one.instructions, other.instructions, strict=True):
            if isinstance(mine, CallSite) and isinstance(theirs, CallSite):
                assert (mine.type, mine.callee) == (theirs.type, theirs.callee)


def test_a_bitcast_of_a_callee_is_the_callee() -> None:
    """LLVM has no constant for it: the call is direct, and convergent by its callee."""
    call = parse(TYPED).functions["k"].instructions[11]
    assert isinstance(call, CallSite)
    assert isinstance(call.callee, Global)
    assert call.callee.name == "malloc"


_POINTER = re.compile(r"(?<![\w.%@!$\"-])ptr( addrspace\(\d+\))?(?![\w.\"*-])")


def aged(text: str, seed: int) -> str:
    """The same module in the spelling of before LLVM 15."""
    choose = random.Random(seed)

    def pointer(match: re.Match[str]) -> str:
        pointee = choose.choice(
            ["i8", "i32*", "{ i8, [2 x i8*] }", "void (i32*, ...)", "<2 x i8>", "i1 addrspace(4)*"]
        )
        return f"{pointee}{match[1] or ''}*"

    return "\n".join(
        line if line.lstrip().startswith(";") or "memory(" in line else _POINTER.sub(pointer, line)
        for line in text.split("\n")
    )


@pytest.mark.parametrize("path", [p for p in EXAMPLES if "ptr" in p.read_text()][::5], ids=lambda p: p.stem)
def test_old_spellings_of_the_examples_are_the_examples(path: Path) -> None:
    text = path.read_text()
    old = aged(text, len(text))
    module, aged_module = parse(text), parse(old)
    assert dict(aged_module.functions) == dict(module.functions)
    assert dict(aged_module.globals) == dict(module.globals)


def test_the_note_and_the_places_are_of_the_users_text(tmp_path: Path) -> None:
    bad = BAD.replace("@f(i32 %x)", "@f(i32 %x, i32 addrspace(3)* %p)")
    path = ll(tmp_path, bad)
    ran = convcheck("verify", path)
    assert ran.code == 1
    assert f"{path}:9:40: error[S-CYCLE-USE]" in ran.out
    assert f"{path}:4:39: note: typed pointers are read as `ptr`" in ran.err
    assert convcheck("verify", "-q", path).err == ""
    assert list(reading_notes(parse(BAD))) == []


def test_pointers_that_llvm_refuses_are_refused_in_its_words(tmp_path: Path) -> None:
    for parameter, why in (
        ("void*", "pointers to void"),
        ("ptr*", "ptr* is invalid"),
        ("i32* sret", "expected '('"),
    ):
        ran = convcheck("verify", ll(tmp_path, f"declare void @f({parameter})\n"))
        assert ran.code == 2
        assert why in ran.err


def test_a_star_in_a_comment_costs_nothing() -> None:
    """A struct of 16,000 elements on the line of one."""
    text = "%s = type { " + ", ".join(["i8"] * 16_000) + " } ; *\n"
    start = time.process_time()
    assert "s" in parse(text).types
    assert time.process_time() - start < 3
