"""Reading without LLVM: the same modules, the same attributes of intrinsics, and faults with their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from convergence.files import parse_file
from convergence.parser import NotLLVM
from convergence.parser import llvm as asked
from convergence.parser.own import TABLE, attributes, read, table, table_text
from convergence.source import Source

from . import intrinsic_table

EXAMPLES = sorted(Path("examples_ll").rglob("*.ll"))


def test_examples_are_read_as_with_llvm() -> None:
    compared = 0
    for path in EXAMPLES[::6]:
        try:
            module = parse_file(path)
        except NotLLVM:
            continue
        assert read(Source(str(path), path.read_text())) == module, path
        compared += 1
    assert compared > 40


def refusal(text: str) -> NotLLVM:
    with pytest.raises(NotLLVM) as caught:
        read(Source("t.ll", text))
    return caught.value


def refused_by_llvm(text: str) -> bool:
    try:
        return bool(asked.ask(text).verdict)
    except NotLLVM:
        return True


@pytest.mark.parametrize(
    ("body", "message", "place"),
    [
        ("  %a = ad i32 1, 2\n  ret void", "cannot read 'ad' here", (2, 8)),
        ("  fence acquire\n  rett void", "cannot read 'rett' here", (3, 3)),
        ("  call void @f()\n  tail cal void @f()\n  ret void", "cannot read 'cal' here", (3, 8)),
        ("  %a = add i32 %b, 2\n  ret void", "use of undefined value '%b'", (2, 3)),
        ("  call void @g()\n  ret void", "use of undefined value '@g'", (2, 3)),
        ("  br label %next", "use of undefined label '%next' in @f", (2, 3)),
        ("  %a = add i32 1, 2", "block %0 of @f has no terminator", (2, 3)),
        ("  %a = add i32 1, 2\n  %b = add i64 %a, 1\n  ret void",
            "'%a' defined with type 'i32' but expected 'i64'", (3, 3)),
        ("  %a = add i32 %b, 2\n  %b = add i32 1, 2\n  ret void",
            "'%b' is not defined on every way to its use", (2, 3)),
        ("  %a = add i32 1, 2\n  %a = add i32 1, 2\n  ret void",
            "multiple definition of local value named 'a'", (3, 3)),
        ("  ret i32 1", "@f returns 'void', not 'i32'", (2, 3)),
        ("  br i1 true, label %x, label %x\nx:\n  %p = phi i32 [ 1, %y ]\n  ret void",
            "the phi does not have the predecessors of its block: %0", (4, 3)),
        ("  br label %x\nx:\n  br label %y\ny:\n  %s = add i32 1, 1\n  %p = phi i32 [ 1, %x ]\n  ret void",
            "a phi stands behind another instruction of its block", (7, 3)),
        ("a:\n  br label %a", "the entry block must not have predecessors", (3, 3)),
        ("  br label %x\nx:\n  br label %x\nx:\n  ret void",
            "multiple definition of the label 'x' in @f", (5, 1)),
        ("  br i1 undef, label %x, label %x\nx:\n  %n = add i8 0, 1\n  br i8 %n, label %x, label %x",
            "branch condition must have 'i1' type", (5, 3)),
    ],
)  # fmt: skip
def test_faults_have_places(body: str, message: str, place: tuple[int, int]) -> None:
    text = f"define void @f() {{\n{body}\n}}\n"
    error = refusal(text)
    assert (error.message, (error.line, error.column)) == (message, place)
    assert refused_by_llvm(text)  # which finds a fault there, too


def test_faults_outside_of_functions() -> None:
    assert refusal("@g = global i32 %x\n").message == "the initial value of '@g' is no constant"
    effects = "declare void @f() memory(inaccessiblemem readwrite)\n"
    assert refusal(effects).message == "'memory(inaccessiblemem readwrite)' says no effects on memory"
    error = refusal('\ntarget datalayout = "e-p:64:6x4-S32"\n')
    assert (error.message, error.line, error.column) == (
        "'p:64:6x4' is no specification of a data layout",
        2,
        24,
    )


def test_an_undeclared_intrinsic_is_declared() -> None:
    module = read(Source("t.ll", "define void @f() {\n  %t = call token "
        "@llvm.experimental.convergence.anchor()\n  ret void\n}\n"))  # fmt: skip
    name = "llvm.experimental.convergence.anchor"
    assert module.functions[name].implicit and "convergent" in module.function_attributes(name)
    assert module.without_llvm


def test_names_without_and_with_suffixes() -> None:
    assert attributes("llvm.ctpop.i32") == attributes("llvm.ctpop") != frozenset()
    assert attributes("llvm.amdgcn.readfirstlane.i64") >= {"convergent"}
    assert attributes("llvm.no.such.thing") == frozenset()


def test_the_table_is_as_it_is_written() -> None:
    assert table_text(table()) == TABLE.read_text()


def test_the_table_says_what_llvm_says_of_the_examples_intrinsics() -> None:
    compared = 0
    for path in EXAMPLES[1::5]:
        if "@llvm." not in path.read_text():
            continue
        try:
            known = asked.ask(path.read_text()).intrinsics
        except NotLLVM:
            continue
        for name, fact in known.items():
            assert attributes(name) == fact.attributes, name
            compared += 1
    assert compared > 60


def test_the_table_has_the_names_of_llvmlites_llvm() -> None:
    names = set(intrinsic_table.names())
    assert set(table()) <= names
    assert len(names - set(table())) < 120  # those of which LLVM's library spells no declaration


def test_a_sample_of_the_table_is_what_llvmlite_says() -> None:
    try:
        intrinsic_table.library()
    except OSError:
        pytest.skip(f"no {intrinsic_table.LIBRARY} here")
    wanted = [name for name in table() if "amdgcn" in name or "nvvm" in name or name.count(".") == 1][::15]
    declared = dict(intrinsic_table.declarations(wanted, 0))
    answers = dict(intrinsic_table.answers(declared))
    assert len(answers) > 100
    assert {name: table()[name] for name in answers} == answers
