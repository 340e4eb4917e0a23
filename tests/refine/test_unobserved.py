"""Nothing observable was compared: then the verdict is ``unknown``, and says why (semantics.md, §6).

covers: refine.sides.outcomes, refine.verdict.counterexample, refine.verdict.relation
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.parser import parse
from convergence.refine import Refinement, refine
from convergence.refine.inputs.launch import Input
from convergence.refine.sides.outcomes import Outcomes
from convergence.refine.symbolic.question import refine_symbolically, strengthened
from convergence.refine.verdict.counterexample import Tried
from convergence.refine.verdict.relation import refines
from convergence.report.schemas import schema
from convergence.semantics import Deadlock
from convergence.semantics.machine.run import Outcome, ThreadOutcome
from tests.cli.cli_harness import convcheck
from tests.refine.texts import compared

HIDDEN = "@scratch = internal global i32 5\n"
OPEN = "@result = global i32 5\n"
STORE = "void @(i32 %x) {{ store i32 {value}, ptr {place}\n ret void }}"


def pair(one: str, other: str, more: str, **how: Any) -> Refinement:
    how = {"max_launches": 40, "threads": 2, **how}
    return compared(one, other, more, **how)


@pytest.mark.parametrize("linkage", ["internal", "private"])
def test_results_that_stay_inside_the_module(linkage: str) -> None:
    one, other = (STORE.format(value=value, place="@scratch") for value in (1, 2))
    found = pair(one, other, HIDDEN.replace("internal", linkage), threads=1)
    assert (found.verdict, found.unobserved) == ("unknown", "nothing-observable")
    assert dict(found.models) == {"tokens": "unknown"}
    assert found.bound is None


def void(parameters: str, body: str) -> str:
    return f"void @({parameters}) {{ {body}\n ret void }}"


@pytest.mark.parametrize(
    ("parameters", "one", "other", "more"),
    [
        ("", "", "%a = add i32 1, 2", ""),
        ("i32 %x", "%a = alloca i32\n store i32 %x, ptr %a", "", ""),
        ("ptr align 4 dereferenceable(4) %p", "%a = load i32, ptr %p", "", ""),
        ("", "%v = load i32, ptr @result", "", OPEN),
        ("", "", "store i32 3, ptr @scratch", HIDDEN + OPEN),
    ],
    ids=["nothing", "alloca", "argument read", "global read", "another global"],
)
def test_nothing_to_see(parameters: str, one: str, other: str, more: str) -> None:
    for source, target in ((one, other), (other, one)):
        found = pair(void(parameters, source), void(parameters, target), more, threads=1)
        assert (found.verdict, found.unobserved) == ("unknown", "nothing-observable"), found


@pytest.mark.parametrize(
    ("parameters", "body", "more"),
    [
        ("", "call void @note(i32 3)", ""),
        ("i32 %x", "store i32 %x, ptr @result", OPEN),
        ("i32 %x", "store i32 5, ptr @result", OPEN),
        ("i32 %x", "%a = atomicrmw add ptr @result, i32 0 seq_cst", OPEN),
        ("", "call void @llvm.memset.p0.i64(ptr @result, i8 0, i64 0, i1 false)", OPEN),
        ("ptr %p", "store i32 1, ptr %p", ""),
        (
            "ptr %p",
            "%q = getelementptr i32, ptr %p, i32 3\n %v = load i32, ptr %q\n store i32 %v, ptr %q",
            "",
        ),
        ("", "%v = load volatile i32, ptr @scratch", HIDDEN),
        ("", "call void @quit()", "declare void @quit() noreturn\n"),
    ],
    ids=["event", "stored", "kept", "atomic", "filled", "argument", "element", "volatile", "exit"],
)
def test_something_to_see(parameters: str, body: str, more: str) -> None:
    """The other text only computes a little besides."""
    found = pair(void(parameters, body), void(parameters, f"%z = add i32 1, 2\n {body}"), more, threads=1)
    assert (found.verdict, found.unobserved) == ("equal", None), found


def test_what_a_variadic_call_is_given_beyond_its_parameters_is_something_to_see() -> None:
    declared = "declare void @print(ptr, ...)\n"
    one, other = (
        void("i32 %x", f"call void (ptr, ...) @print(ptr null, i32 {value})") for value in ("%x", "7")
    )
    assert pair(one, one, declared, threads=1).verdict == "equal"
    assert pair(one, other, declared, threads=1).verdict == "wrong"


def test_a_store_that_went_is_something_to_see() -> None:
    found = pair(void("", "store i32 5, ptr @result"), void("", ""), OPEN, threads=1)
    assert (found.verdict, found.unobserved) == ("equal", None), found


def test_a_difference_is_one_without_anything_else_to_see() -> None:
    """How threads end is compared: undefined behaviour and no end are wrong where the source has neither."""
    one = "void @(i32 %x) { ret void }"
    for other in ("void @(i32 %x) { %a = udiv i32 1, %x\n ret void }", "void @(i32 %x) { unreachable }"):
        found = pair(one, other, "")
        assert (found.verdict, found.unobserved) == ("wrong", None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("i32 @(i32 %x) { %a = udiv i32 1, 0\n ret i32 1 }", "i32 @(i32 %x) { ret i32 1 }"),
        ("i32 @(i32 %x) { %a = udiv i32 1, 0\n ret i32 1 }", "i32 @(i32 %x) { unreachable }"),
        ("i32 @(i32 %x) { unreachable }", "i32 @(i32 %x) { ret i32 %x }"),
    ],
)
def test_a_source_that_is_always_undefined(one: str, other: str) -> None:
    found = pair(one, other, "")
    assert (found.verdict, found.unobserved) == ("unknown", "source-says-nothing")
    assert found.launches > 0


def test_a_source_that_is_undefined_for_some_inputs_says_something() -> None:
    found = pair("i32 @(i32 %x) { %a = udiv i32 8, %x\n ret i32 1 }", "i32 @(i32 %x) { ret i32 1 }", "")
    assert (found.verdict, found.unobserved) == ("refines", None)


def test_a_source_that_is_endless_for_every_input() -> None:
    endless = Outcomes({}, endless=Deadlock(()))
    ends = Outcomes({"an outcome": Outcome((ThreadOutcome(0, "returned", 3, ()),), {})})
    for target in (endless, ends):
        tried = Tried("tokens", 1, True)
        tried.take(Input(2, None, ()), refines(endless, target), refines(target, endless).swapped)
        tried.finish()
        assert (tried.verdict, tried.unobserved) == ("unknown", "source-says-nothing")


def test_no_input_at_all() -> None:
    tried = Tried("tokens", 0, True)
    tried.finish()
    assert (tried.verdict, tried.unobserved) == ("unknown", "no-launch")


def test_the_same_text_is_equal_without_a_look() -> None:
    silent = STORE.format(value=1, place="@scratch")
    for shortcut in (True, False):
        found = pair(silent, silent, HIDDEN, threads=1, shortcut=shortcut)
        assert (found.verdict, found.unobserved) == ("equal", None)
        assert "same text" in found.established


def test_every_model_says_so() -> None:
    one, other = (void("", f"call void @sync()\n store i32 {value}, ptr @scratch") for value in (1, 2))
    more = HIDDEN + "declare void @sync() convergent nounwind willreturn memory(none)\n"
    found = pair(one, other, more, threads=1)
    assert found.unobserved == "nothing-observable"
    assert set(found.models.values()) == {"unknown"}
    assert len(found.models) == 3


# -- z3 ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "one", "other", "why"),
    [
        ("void", "ret void", "%a = add i32 %x, 1\n ret void", "nothing-observable"),
        ("i32", "%a = udiv i32 1, 0\n ret i32 1", "ret i32 1", "source-says-nothing"),
        ("i32", "ret i32 %x", "%a = add i32 %x, 0\n ret i32 %a", None),
    ],
)
def test_symbolically(type_: str, one: str, other: str, why: str | None) -> None:
    one, other = (f"define {type_} @k(i32 %x) {{ {body} }}" for body in (one, other))
    asked = refine_symbolically(parse(one), parse(other))
    assert (asked.unobserved, asked.verdict) == (why, "equal" if why is None else "unknown")
    tried = refine(parse(one), parse(other), max_launches=20)
    both = strengthened(tried, asked)
    assert (both.unobserved, both.verdict) == (why, "equal" if why is None else "unknown")


# -- what the command prints --------------------------------------------------------------------------

WORDS = "nothing observable was compared"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    names = []
    for name, value in (("before.ll", 1), ("after.ll", 2)):
        text = f"{HIDDEN}define void @main() {{\n  store i32 {value}, ptr @scratch\n  ret void\n}}\n"
        (tmp_path / name).write_text(text)
        names.append(str(tmp_path / name))
    return names


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "html"])
def test_every_form_names_the_reason(files: list[str], form: str) -> None:
    ran = convcheck("refine", *files, "--threads", "1", "--format", form)
    assert ran.code == 3
    assert WORDS in ran.out


def test_it_is_data(files: list[str]) -> None:
    answer = json.loads(convcheck("refine", *files, "--threads", "1", "--format", "json").out)
    Draft202012Validator(schema("refine")).validate(answer)
    assert (answer["verdict"], answer["unobserved"]) == ("unknown", "nothing-observable")
    assert WORDS in answer["bound"]
    assert answer["functions"][0]["unobserved"] == "nothing-observable"
    run = json.loads(convcheck("refine", *files, "--threads", "1", "--format", "sarif").out)["runs"][0]
    assert run["results"] == []
    assert run["properties"]["refinements"][0]["unobserved"] == "nothing-observable"
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert WORDS in notification["message"]["text"]
