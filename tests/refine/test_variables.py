"""A shared variable that only one side has keeps, on the other, what it began with.

covers: refine.inputs.launch
"""

from __future__ import annotations

from typing import Any

import pytest

import convergence as cc
from convergence.refine.sides.observable import MemoryMismatch

WRITES = """
@k = global i32 START
define i32 @f(i32 %x) {
  store atomic i32 1, ptr @k monotonic, align 4
  ret i32 %x
}
"""
SILENT = """
define i32 @f(i32 %x) {
  %y = add i32 %x, 0
  ret i32 %y
}
"""


@pytest.mark.parametrize(("start", "verdict"), [("0", "wrong"), ("1", "equal")])
def test_a_write_to_a_variable_that_the_target_lacks_is_missed(start: str, verdict: str) -> None:
    found = cc.refine(cc.parse(WRITES.replace("START", start)), cc.parse(SILENT))
    assert found.verdict == verdict
    if verdict == "wrong":
        assert found.counterexample is not None
        assert found.counterexample.difference == MemoryMismatch("@k", 1, 0)


def test_a_variable_that_nobody_wrote_may_go() -> None:
    assert cc.refine(cc.parse("@unused = global i32 7\n" + SILENT), cc.parse(SILENT)).verdict == "equal"


# -- Contents that the environment chooses are inputs, the same on both sides


def both(globals_: str, source: str, target: str, type_: str = "i32", parameters: str = "") -> cc.Module:
    return cc.parse(
        f"{globals_}\n"
        f"define {type_} @src({parameters}) {{\n{source}\n}}\n"
        f"define {type_} @tgt({parameters}) {{\n{target}\n}}\n"
    )


def compared(module: cc.Module, **options: Any) -> cc.Refinement:
    return cc.refine(module, module, **options)


LOAD = "  %x = load i32, ptr @g\n  ret i32 %x"


@pytest.mark.parametrize(
    ("declaration", "guess", "verdict"),
    [
        ("external global i32", 0, "wrong"),
        ("external constant i32", 0, "wrong"),
        ("external thread_local global i32", 0, "wrong"),
        ("external thread_local constant i32", 0, "wrong"),
        ("extern_weak global i32", 0, "wrong"),
        ("common global i32 0", 0, "wrong"),
        ("weak global i32 7", 7, "wrong"),
        ("externally_initialized global i32 7", 7, "wrong"),
        ("internal externally_initialized constant i32 7", 7, "wrong"),
        ("global i32 7", 7, "equal"),
        ("weak_odr constant i32 7", 7, "equal"),
        ("thread_local global i32 7", 7, "equal"),
    ],
)
def test_a_guess_of_what_a_variable_holds(declaration: str, guess: int, verdict: str) -> None:
    found = compared(both(f"@g = {declaration}", LOAD, f"  ret i32 {guess}"))
    assert found.verdict == verdict
    if verdict == "wrong":
        assert found.counterexample is not None
        given = found.counterexample.globals
        assert given.keys() == {"g"} and all(value != guess for value in given["g"])
        again = cc.run(both(f"@g = {declaration}", LOAD, LOAD), function="src", globals=given)
        assert again.outcome.threads[0].value == given["g"][0]
    same = compared(both(f"@g = {declaration}", LOAD, f"  %y = add i32 0, 0\n{LOAD}"))
    assert same.verdict == "equal"


def test_the_last_store_to_a_thread_local_variable_is_seen() -> None:
    module = both(
        "@t = external thread_local global i32",
        "  store i32 %x, ptr @t\n  ret void",
        "  %y = or i32 %x, 1\n  store i32 %y, ptr @t\n  ret void",
        "void", "i32 %x",
    )  # fmt: skip
    found = compared(module)
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert found.counterexample.difference == MemoryMismatch("@t", 0, 1, 0)
    text = module.source.text.replace(
        "external thread_local global i32", "internal thread_local global i32 0"
    )
    hidden = cc.parse(text)
    assert compared(hidden).unobserved == "nothing-observable"


def test_which_thread_s_own_variable_differs() -> None:
    module = both(
        "@t = thread_local global i32 0",
        "  store i32 %x, ptr @t\n  ret void",
        "  %y = call i32 @llvm.smin.i32(i32 %x, i32 4)\n  store i32 %y, ptr @t\n  ret void",
        "void", "i32 %x",
    )  # fmt: skip
    found = compared(module, threads=3, arguments={"x": [1, 2, 9]})
    assert found.counterexample is not None
    assert found.counterexample.difference == MemoryMismatch("@t", 9, 4, 2)


def test_a_thread_s_own_variable_that_only_the_source_has() -> None:
    store = "define void @f() {\n  store i32 5, ptr @t\n  ret void\n}"
    source = cc.parse(f"@t = thread_local global i32 3\n{store}")
    target = cc.parse("define void @f() {\n  ret void\n}")
    found = cc.refine(source, target)
    assert found.verdict == "wrong" and found.counterexample is not None
    assert found.counterexample.difference == MemoryMismatch("@t", 5, 3, 0)


def test_what_the_source_shows_counts_where_the_target_hides_it() -> None:
    text = "@g = LINKAGE global i32 0\ndefine void @f(i32 %x) {\n  store i32 VALUE, ptr @g\n  ret void\n}"
    shown = cc.parse(text.replace("LINKAGE ", "").replace("VALUE", "%x"))
    for value, verdict in (("%x", "equal"), ("7", "wrong")):
        hidden = cc.parse(text.replace("LINKAGE", "internal").replace("VALUE", value))
        assert cc.refine(shown, hidden, shortcut=False).verdict == verdict


def test_unused_external_variables_may_go() -> None:
    source = "@g = external global i32\n@h = external thread_local global i32\n" + SILENT
    assert cc.refine(cc.parse(source), cc.parse(SILENT)).verdict == "equal"


def test_what_is_only_written_is_no_input() -> None:
    stores = "  %p = getelementptr i32, ptr @g, i32 %i\n  store i32 1, ptr %p\n  ret void"
    other = "  %j = add i32 %i, 0\n" + stores.replace("%i\n", "%j\n")
    found = compared(
        both("@g = external global [8 x i32]", stores, other, "void", "i32 %i"), arguments={"i": [3, 4]}
    )
    assert found.verdict == "equal"
    assert found.established.startswith("all inputs tried: 2 launches")


@pytest.mark.parametrize("count", [4, 100, 5000])
def test_elements_of_an_array_differ(count: int) -> None:
    one = LOAD.replace("@g", "getelementptr (i32, ptr @g, i32 2)")
    two = LOAD.replace("@g", "getelementptr (i32, ptr @g, i32 3)")
    assert compared(both(f"@g = external constant [{count} x i32]", one, two)).verdict == "wrong"


def test_a_pointer_in_a_variable_points_to_an_object_of_its_own() -> None:
    load = "  %p = load ptr, ptr @g\n  %x = load i32, ptr %p\n  ret i32 %x"
    step = "  %q = getelementptr i32, ptr %p, i32 1\n  %x = load i32, ptr %q\n  ret i32 %x"
    other = f"  %p = load ptr, ptr @g\n{step}"
    assert compared(both("@g = external global ptr", load, other)).verdict == "wrong"
    assert compared(both("@g = external global ptr", load, f"  %y = add i32 0, 0\n{load}")).verdict == "equal"


def test_contents_for_which_no_values_are_known_are_named() -> None:
    load = "  %p = getelementptr i8, ptr @g, i64 1048576\n  %x = load i32, ptr %p\n  ret i32 %x"
    found = compared(both("@g = external constant [1048577 x i32]", load, "  ret i32 0"))
    assert found.verdict == "unknown"
    assert "what @g holds at the launch" in str(found)


def test_contents_can_be_given() -> None:
    module = both("@g = external global i32\n@h = global i32 7", LOAD, "  ret i32 4")
    assert compared(module, globals={"g": 4}).verdict == "equal"
    assert compared(module, globals={"g": 5}).verdict == "wrong"
    defined = both("@g = global i32 7", LOAD, "  ret i32 7")
    assert compared(defined, globals={"@g": 5}).verdict == "wrong"


def test_a_target_that_defines_what_was_declared_makes_a_choice_of_its_own() -> None:
    text = f"@g = global i32 0\ndefine i32 @f() {{\n{LOAD}\n}}"
    declared = cc.parse(text.replace("global i32 0", "external global i32"))
    assert cc.refine(declared, cc.parse(text)).verdict == "wrong"


def test_variables_with_two_types_are_no_input_that_is_known() -> None:
    text = "@g = external global [2 x i32]\ndefine i32 @f() {\n  %x = load i32, ptr @g\n  ret i32 %x\n}"
    found = cc.refine(cc.parse(text), cc.parse(text.replace("[2 x i32]", "i64")), shortcut=False)
    assert found.verdict == "unknown"


def test_the_models_of_uncontrolled_programs_have_the_same_inputs() -> None:
    declared = "@g = external global i32\ndeclare i32 @subgroupAdd(i32) convergent"
    sum_ = "  %s = call i32 @subgroupAdd(i32 VALUE)\n  ret i32 %s"
    source = "  %x = load i32, ptr @g\n" + sum_.replace("VALUE", "%x")
    found = compared(both(declared, source, sum_.replace("VALUE", "0")))
    assert found.models == {"inferred": "wrong", "ipdom": "wrong", "maximal": "wrong"}


def test_a_weak_symbol_may_be_null() -> None:
    declared = "@w = extern_weak global i32\ndeclare extern_weak void @hook()"
    for symbol in ("w", "hook"):
        asks = f"  %null = icmp eq ptr @{symbol}, null\n  %x = zext i1 %null to i32\n  ret i32 %x"
        for guess in (0, 1):
            found = compared(both(declared, asks, f"  ret i32 {guess}"))
            assert found.verdict == "wrong"
            assert found.counterexample is not None
            (given,) = found.counterexample.globals[symbol]
            assert (given == "absent") == (guess == 0)
        there = f"  %there = icmp ne ptr @{symbol}, null\n  %y = zext i1 %there to i32\n"
        again = f"{there}  %x = xor i32 %y, 1\n  ret i32 %x"
        found = compared(both(declared, asks, again))
        assert found.verdict == "equal"
        assert f"--global @{symbol}=absent" not in str(found)
    external = both(
        "@w = external global i32",
        "  %null = icmp eq ptr @w, null\n  %x = zext i1 %null to i32\n  ret i32 %x",
        "  ret i32 0",
    )
    assert compared(external).verdict == "equal"


def test_a_check_for_a_weak_symbol_cannot_be_dropped() -> None:
    declared = "declare extern_weak i32 @hook(i32)"
    checked = """
  %there = icmp ne ptr @hook, null
  br i1 %there, label %call, label %end
call:
  %z = call i32 @hook(i32 1)
  ret i32 %z
end:
  ret i32 2"""
    bare = "  %z = call i32 @hook(i32 1)\n  ret i32 %z"
    assert compared(both(declared, checked, bare)).verdict == "wrong"
    assert compared(both(declared, bare, checked)).verdict == "refines"
    given = compared(both(declared, checked, bare), globals={"hook": "present"})
    assert given.verdict == "equal"


def test_a_counterexample_s_array_is_zero_where_it_does_not_matter() -> None:
    one = LOAD.replace("@g", "getelementptr (i32, ptr @g, i32 2)")
    found = compared(both("@g = external constant [8 x i32]", one, "  ret i32 0"))
    assert found.counterexample is not None
    (held,) = found.counterexample.globals["g"]
    assert isinstance(held, list)
    assert [place for place, value in enumerate(held) if value != 0] == [2]
