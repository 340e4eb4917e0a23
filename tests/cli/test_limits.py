"""What a program says in a line can take more memory and time than there is: each command says what it does
not model, by name, or answers; none hangs, overflows a stack or runs out of memory.

covers: semantics.instructions.lifting, semantics.values.datalayout
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from convergence.semantics.values.datalayout import DEPTH, ELEMENTS, WIDEST
from tests.cli.cli_harness import Ran, convcheck, ll

SECONDS = 8
"""Of the processor's time, for one command."""


def moves(type_: str, before: str = "") -> str:
    """A value of a type is loaded, and stored."""
    return (
        f"{before}@g = global {type_} zeroinitializer\n@r = global i32 0\ndefine i32 @f(i32 %x) {{\n"
        f"  %a = alloca {type_}\n  %v = load {type_}, ptr @g\n  store {type_} %v, ptr %a\n"
        "  store i32 %x, ptr @r\n  ret i32 %x\n}\n"
    )


def named(count: int, body: str, last: str) -> str:
    """``%t0`` to ``%tN``, each made of the next one."""
    types = "".join(f"%t{n} = type {body.format(f'%t{n + 1}')}\n" for n in range(count))
    return types + f"%t{count} = type {last}\n"


def constant(depth: int) -> str:
    """A global whose initializer is nested."""
    whole = "1"
    for level in range(depth):
        whole = "{ " + "{" * level + "i8" + "}" * level + " " + whole + " }"
    return (
        f"@g = global {'{' * depth}i8{'}' * depth} {whole}\ndefine i32 @f(i32 %x) {{\n"
        "  %v = load i8, ptr @g\n  %w = zext i8 %v to i32\n  ret i32 %w\n}\n"
    )


def expression(depth: int) -> str:
    nested = "add (i64 " * depth + "ptrtoint (ptr @g to i64)" + ", i64 1)" * depth
    return f"@g = global i64 0\ndefine i64 @f(i32 %x) {{\n  %v = sub i64 9, {nested}\n  ret i64 %v\n}}\n"


LARGE = {
    "arrays": (moves("[1 x " * 900 + "i8" + "]" * 900), "a value nested 900 levels deep"),
    "structs": (moves("{" * 400 + "i8" + "}" * 400), "a value nested 400 levels deep"),
    "constants": (constant(DEPTH + 1), f"a value nested {DEPTH + 1} levels deep"),
    "expressions": (expression(DEPTH + 10), f"a constant nested more than {DEPTH} levels deep"),
    "names": (moves("%t0", named(5000, "{{ {} }}", "{ i8 }")), "a value nested 5001 levels deep"),
    "doubled": (moves("%t0", named(20, "{{ {0}, {0} }}", "{ i8 }")), "a value of 1048576 elements"),
    "endless": (moves("[1073741824 x {}]"), "a value of 1073741824 elements"),
    "elements": (moves(f"[{ELEMENTS + 1} x i8]"), f"a value of {ELEMENTS + 1} elements"),
    "fields": (moves("{" + "i8, " * ELEMENTS + "i8}"), f"a value of {ELEMENTS + 1} elements"),
    "vector": (moves("<4194304 x i8>"), "a value of 4194304 elements"),
    "integer": (moves("i8388607"), "an integer of 8388607 bits"),
    "lanes": (moves("<4096 x i4096>"), "a value of 16777216 bits"),
    "room": (moves("[1073741824 x i32]"), "an object of 4294967296 bytes (@g): its address space is full"),
}
COMMANDS = [
    ("run",), ("run", "--engine", "native"), ("enumerate",), ("enumerate", "--engine", "axiomatic"),
    ("simulate", "--policy", "all"), ("explore", "-o", "/dev/null"), ("refine",),
]  # fmt: skip
STATIC = [("verify",), ("infer",), ("inline",)]


def timed(*arguments: str | Path) -> Ran:
    began = time.process_time()
    ran = convcheck(*arguments)
    assert time.process_time() - began < SECONDS
    return ran


def ask(folder: Path, text: str, command: tuple[str, ...], threads: int = 2) -> Ran:
    file = ll(folder, text)
    bounds = ["--threads", str(threads), *([] if command[0] == "refine" else ["--arg", "%x=3"])]
    changed = text.replace("@f(i32 %x) {\n", "@f(i32 %x) {\n  %unused = add i32 %x, 7\n")
    other = [ll(folder, changed, "b.ll")] if command[0] == "refine" else []
    return timed(command[0], file, *other, *command[1:], *bounds)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("kind", LARGE)
def test_what_is_too_large_is_named(tmp_path: Path, kind: str, command: tuple[str, ...]) -> None:
    text, name = LARGE[kind]
    ran = ask(tmp_path, text, command)
    if command[0] == "explore":  # the page says it
        assert (ran.code, ran.err) == (3, "") or name in ran.err
    elif kind not in ("arrays", "structs") or command[0] != "refine":  # two texts of deep types are compared
        assert ran.code == 3
        assert f"not modelled: {name}" in (ran.out + ran.err).replace("Not modelled", "not modelled")
    else:
        assert ran.code == 3


@pytest.mark.parametrize("kind", LARGE)
def test_static_commands_need_no_values(tmp_path: Path, kind: str) -> None:
    for command in STATIC:
        assert timed(command[0], ll(tmp_path, LARGE[kind][0])).code in (0, 3)


@pytest.mark.parametrize("command", COMMANDS[:3], ids=" ".join)
def test_what_is_just_not_too_large_is_modelled(tmp_path: Path, command: tuple[str, ...]) -> None:
    nested = "[1 x " * DEPTH + "i8" + "]" * DEPTH
    for type_ in (nested, f"<{ELEMENTS} x i1>", f"i{WIDEST}", f"[{ELEMENTS} x i8]"):
        assert ask(tmp_path, moves(type_), command).code == 0


@pytest.mark.parametrize("command", [c for c in COMMANDS if "axiomatic" not in c], ids=" ".join)
def test_memory_may_be_larger_than_values(tmp_path: Path, command: tuple[str, ...]) -> None:
    """And what is not shown of it is no result: two texts that differ there are not equal. (Machines say
    nothing of memory in which threads race, so one thread is asked.)"""
    text = "@g = global [{} x i8] zeroinitializer\ndefine i32 @f(i32 %x) {{\n"
    text += "  store i8 5, ptr @g\n  ret i32 %x\n}}\n"
    if command[0] in ("run", "enumerate", "simulate"):
        assert ask(tmp_path, text.format(70_000), command).code in (0, 1)
    ran = ask(tmp_path, text.format(3_000_000), command, threads=1 if command[0] == "simulate" else 2)
    assert ran.code == 3
    assert "an array of 3000000 elements" in ran.out + ran.err or command[0] == "explore"


@pytest.mark.parametrize("kind", ["parameters", "cases", "blocks", "activations", "indices"])
def test_what_is_only_long_is_modelled(tmp_path: Path, kind: str) -> None:
    count = 3000
    text = {
        "parameters": f"define i32 @g({', '.join(f'i32 %p{n}' for n in range(count))}) {{\n"
        "  ret i32 %p7\n}\n"
        f"define i32 @f(i32 %x) {{\n  %r = call i32 @g({', '.join(['i32 %x'] * count)})\n  ret i32 %r\n}}\n",
        "cases": "define i32 @f(i32 %x) {\n  switch i32 %x, label %d [\n"
        + "".join(f"    i32 {n}, label %c{n % 9}\n" for n in range(count))
        + "  ]\n" + "".join(f"c{n}:\n  ret i32 3\n" for n in range(9)) + "d:\n  ret i32 0\n}\n",
        "blocks": "define i32 @f(i32 %x) {\n  br label %b0\n"
        + "".join(f"b{n}:\n  br label %b{n + 1}\n" for n in range(count)) + f"b{count}:\n  ret i32 %x\n}}\n",
        "activations": "".join(
            f"define i32 @f{n}(i32 %x) {{\n  %r = call i32 @f{n + 1}(i32 %x)\n  ret i32 %r\n}}\n"
            for n in range(count)
        ) + f"define i32 @f{count}(i32 %x) {{\n  ret i32 %x\n}}\n"
        "define i32 @f(i32 %x) {\n  %r = call i32 @f0(i32 %x)\n  ret i32 %r\n}\n",
        "indices": named(count, "{{ {} }}", "{ i32 }") + "@g = constant %t0 zeroinitializer\n"
        "define i32 @f(i32 %x) {\n"
        f"  %p = getelementptr %t0, ptr @g, i64 0{', i32 0' * (count + 1)}\n  %v = load i32, ptr %p\n"
        "  %r = add i32 %v, %x\n  ret i32 %r\n}\n",
    }[kind]  # fmt: skip
    ran = timed("run", ll(tmp_path, text), "--function", "@f", "--arg", "%x=3", "--format", "json")
    assert ran.code == 0
    assert '"return": 3' in ran.out
    trace = timed(
        "run", ll(tmp_path, text), "--function", "@f", "--arg", "%x=3", "--trace", "--format", "jsonl"
    )
    assert trace.code == 0


def test_a_fill_is_one_byte_however_long(tmp_path: Path) -> None:
    text = """
@g = global [1048576 x i8] zeroinitializer, align 8
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i64 @f(i32 %x) {
  call void @llvm.memset.p0.i64(ptr @g, i8 %b, i64 1048576, i1 false)
  store i16 258, ptr @g
  call void @llvm.memcpy.p0.p0.i64(ptr getelementptr (i8, ptr @g, i64 8), ptr @g, i64 8, i1 false)
  %q = getelementptr i8, ptr @g, i64 8
  %v = load i64, ptr %q
  %p = getelementptr i8, ptr @g, i64 1000000
  %w = load i64, ptr %p
  %s = xor i64 %v, %w
  ret i64 %s
}
""".replace("i8 %b", "i8 7")
    ran = timed("run", ll(tmp_path, text), "--arg", "%x=0")
    assert f"returned {0x0102 ^ 0x0707}" in ran.out
    beyond = timed("run", ll(tmp_path, text.replace("i64 1048576, i1", "i64 1048577, i1")), "--arg", "%x=0")
    assert beyond.code == 3 and "llvm.memset of 1048577 bytes" in beyond.out
