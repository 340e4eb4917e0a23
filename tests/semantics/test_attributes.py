"""Every attribute that LLVM has is in the table; what is not modelled is named where a program uses it.

covers: report.parts.words
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import convergence as cc
from convergence.semantics.attributes import (
    ATTRIBUTES,
    AttributeStanding,
    attribute_name,
    unmodelled_attributes,
)
from tests.cli.cli_harness import convcheck, ll

ROOT = Path(__file__).parents[2]
LIST = [
    line
    for line in Path(__file__).with_name("llvm_attributes.txt").read_text().splitlines()
    if not line.startswith("#")
]
INSTALLED = Path("/usr/include/llvm-22/llvm/IR/Attributes.td")
OLDER = {"nocapture"}
"""What LLVM reads and has another word for."""


def test_the_table_has_llvms_list() -> None:
    assert set(ATTRIBUTES) == {*LIST, *OLDER}


def test_the_list_is_the_installed_llvms() -> None:
    if not INSTALLED.exists():
        pytest.skip("LLVM 22's headers are not installed")
    names = re.findall(r'^def \w+\s*:\s*\w+Attr<"([^"]+)"', INSTALLED.read_text(), re.MULTILINE)
    assert sorted(names) == sorted(LIST)


def test_the_page_has_the_table() -> None:
    page = (ROOT / "docs" / "attributes.md").read_text()
    parts = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    for standing, part in zip(AttributeStanding, parts, strict=True):
        named = {
            (name, row[1].strip())
            for line in part.splitlines()
            if line.startswith("| `")
            for row in [line.strip("| ").split(" | ")]
            for name in re.findall(r"`([^`]+)`", row[0])
        }
        assert named == {(n, a.about) for n, a in ATTRIBUTES.items() if a.standing is standing}


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("align 4", "align"), ("align(4)", "align"), ("align=4", "align"), ("memory(none)", "memory"),
        ('"denormal-fp-math"="ieee,ieee"', "denormal-fp-math"), ("sret(%T)", "sret"), ("nosync", "nosync"),
        ('"thunk"', "thunk"), ("captures(none)", "captures"), ("dereferenceable(8)", "dereferenceable"),
    ],
)  # fmt: skip
def test_names_of_words(word: str, name: str) -> None:
    assert attribute_name(word) == name


LOADS = "%v = load i32, ptr %p\n ret i32 %v"
STORES = "store i32 1, ptr %p\n ret i32 1"
OWN = "%a = alloca [2 x i32]\n %q = getelementptr i32, ptr %a, i32 1\n store i32 1, ptr %q\n ret i32 1"
UNKNOWN = "%q = load ptr, ptr %p\n store i32 1, ptr %q\n ret i32 1"
CAPTURES = "store ptr %p, ptr @g\n ret i32 1"
RECURSES = "%r = call i32 @f(ptr %p)\n ret i32 %r"
FLOATS = "%x = fadd float 1.0, 2.0\n %r = fptosi float %x to i32\n ret i32 %r"


@pytest.mark.parametrize(
    ("parameter", "words", "body", "named"),
    [
        ("noalias", "", LOADS, []),
        ("noalias", "", STORES, ["noalias"]),
        ("captures(none)", "", LOADS, []),
        ("captures(none)", "", CAPTURES, ["captures"]),
        ("nocapture", "", CAPTURES, ["nocapture"]),
        ("readonly", "", LOADS, []),
        ("readonly", "", STORES, []),  # which is undefined
        ("readonly", "", UNKNOWN, ["readonly"]),
        ("writeonly", "", LOADS, []),
        ("dereferenceable(4)", "", LOADS, []),  # looked at when it is launched
        ("writable", "", LOADS, ["writable"]),
        ("", "norecurse", LOADS, []),
        ("", "norecurse", RECURSES, ["norecurse"]),
        ("", "nosync", LOADS, []),
        ("", "nosync", "fence seq_cst\n ret i32 0", ["nosync"]),
        ("", "nosync convergent", "call void @b() convergent\n ret i32 0", ["nosync"]),
        ("", "memory(read)", LOADS, []),
        ("", "memory(read)", STORES, []),
        ("", "memory(read)", UNKNOWN, []),
        ("", "memory(none)", OWN, []),
        ("", "null_pointer_is_valid", LOADS, ["null_pointer_is_valid"]),
        ("", '"denormal-fp-math"="preserve-sign,preserve-sign"', FLOATS, ["denormal-fp-math"]),
        ("", '"denormal-fp-math"="preserve-sign,preserve-sign"', LOADS, []),
        ("", '"denormal-fp-math"="ieee,ieee" "no-nans-fp-math"="false"', FLOATS, []),
        ("", '"no-nans-fp-math"="true"', FLOATS, ["no-nans-fp-math"]),
        ("nonnull noundef align 4", "nounwind willreturn nofree \"thunk\" ssp", LOADS, []),
    ],
)  # fmt: skip
def test_what_a_definition_could_break_is_named(
    parameter: str, words: str, body: str, named: list[str]
) -> None:
    text = "@g = global ptr null\ndeclare void @b()\n"
    text += f"define i32 @f(ptr {parameter} %p) {words} {{\n {body}\n}}\n"
    grouped = text.replace(f" {words} {{", " #0 {") + f"attributes #0 = {{ {words} }}\n"
    for spelled in (text, grouped) if words else (text,):
        found = unmodelled_attributes(cc.parse(spelled), "f")
        assert [a.name for a in found] == named


def test_only_what_a_launch_may_enter_is_named() -> None:
    text = (
        "define i32 @called(ptr noalias %p) {\n store i32 1, ptr %p\n ret i32 1\n}\n"
        "define i32 @other(ptr noalias %p) {\n store i32 1, ptr %p\n ret i32 1\n}\n"
        "define i32 @k(ptr %p) {\n %r = call i32 @called(ptr %p)\n ret i32 %r\n}\n"
        "define i32 @i(ptr %p, ptr %f) {\n %r = call i32 %f(ptr %p)\n ret i32 %r\n}\n"
    )
    module = cc.parse(text)
    assert [a.function for a in unmodelled_attributes(module, "k")] == ["called"]
    assert [a.function for a in unmodelled_attributes(module, "i")] == ["called", "other"]


@pytest.mark.parametrize(
    ("call", "named"),
    [
        ("call i32 @called(ptr %p)", []),
        ("call i32 @called(ptr noalias %p)", ["noalias"]),
        ("call i32 @called(ptr dereferenceable(4) %p)", ["dereferenceable"]),
        ("call i32 @called(ptr readonly captures(none) %p)", ["readonly"]),
        ("call i32 @called(ptr %p) memory(read)", ["memory"]),
        ("call i32 @called(ptr %p) #0", ["memory"]),
        ("call i32 @called(ptr %p) nosync norecurse nounwind", []),
        ("call i32 @declared(ptr noalias dereferenceable(4) %p) nosync memory(none)", []),
    ],
)
def test_attributes_of_calls_of_definitions_count_too(call: str, named: list[str]) -> None:
    text = (
        "define i32 @called(ptr %p) {\n store i32 1, ptr %p\n ret i32 1\n}\ndeclare i32 @declared(ptr)\n"
        f"define i32 @k(ptr %p) {{\n %r = {call}\n ret i32 %r\n}}\nattributes #0 = {{ memory(none) }}\n"
    )
    found = unmodelled_attributes(cc.parse(text), "k")
    assert [(a.name, a.function) for a in found] == [(name, "k") for name in named]


def test_the_answers_name_it(tmp_path: Path) -> None:
    text = "define i32 @f(i32 %x) null_pointer_is_valid {\n %y = add i32 %x, 1\n ret i32 %y\n}\n"
    path = ll(tmp_path, text)
    same = ll(tmp_path, text.replace("null_pointer_is_valid ", ""), "same.ll")
    note = "attributes that are not modelled: null_pointer_is_valid (@f)"
    for command in (("run", path), ("enumerate", path), ("simulate", path, "--policy", "ipdom")):
        assert note in convcheck(*command, "--arg", "%x=1").out, command
        made = json.loads(convcheck(*command, "--arg", "%x=1", "--format", "json").out)
        assert any(note in line for line in made["notes"]), command
    assert note in convcheck("refine", path, path).out
    assert f"source: {note}" in convcheck("refine", path, same).out
    assert note in str(cc.run(cc.parse(text), arguments={"%x": 1}))
    assert "not modelled" not in convcheck("run", same, "--arg", "%x=1").out


def test_a_noreturn_definition_that_returns_is_undefined() -> None:
    module = cc.parse("define i32 @f() noreturn {\n ret i32 1\n}\n")
    assert "noreturn" in str(cc.run(module))
    assert "undefined" in str(cc.run(module)).lower()
