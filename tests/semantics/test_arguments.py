"""What users give a run: arguments, paths, the launched function; and what they may leave out.

covers: semantics.machine.launch, semantics.values.context, semantics.values
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.semantics import Returned, UndefinedBehaviour, UsageError
from convergence.semantics.machine.launch import launched_function

from .every import AA, AB, first, results, shown
from .texts import DECLARATIONS, natural

IDENTITY = "define {type} @f({type} %x) {{\n  ret {type} %x\n}}\n"


@pytest.mark.parametrize(
    ("type_", "given", "returned"),
    [
        ("i32", -7, -7),
        ("i32", 4294967295, -1),
        ("i1", True, 1),
        ("i1", -1, 1),
        ("i128", 1 << 100, 1 << 100),
        ("double", 0.1, 0.1),
        ("float", 0.5, 0.5),
        ("half", 2, 2.0),
        ("ptr", "null", "null"),
        ("ptr", "@f", "@f"),
        ("i32", "poison", "poison"),
        ("<2 x i8>", [[1, -1]], [1, -1]),
        ("{ i8, [2 x float] }", [[1, [2.5, 3]]], [1, [2.5, 3.0]]),
    ],
)
def test_arguments_become_values(type_: str, given: object, returned: object) -> None:
    assert first(IDENTITY.format(type=type_), arguments={"%x": given}).outcome.threads[0].value == returned


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"%y": 1}, r"no parameter %y; it has: %x"),
        ({"%x": [1, 2, 3]}, r"3 values are given for 2 threads"),
        ({"%x": 1 << 40}, r"%x is an i32: 1099511627776 does not fit"),
        ({"%x": "@f"}, r"is no value of its type"),
        ({"%x": 1.5}, r"is no value of its type"),
    ],
)
def test_wrong_arguments_are_usage_errors(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        first(IDENTITY.format(type="i32"), threads=2, arguments=arguments)


UNUSED = """
define i32 @f(i32 %a, i32 %b, ptr %p) {
  %c = icmp eq i32 %a, 0
  br i1 %c, label %x, label %y
x:
  %d = add i32 %b, 1
  ret i32 %b
y:
  ret i32 5
}
"""


def test_an_argument_without_a_value_counts_only_where_it_matters() -> None:
    assert first(UNUSED, arguments={"a": 1}).outcome.threads[0].value == 5
    with pytest.raises(UsageError, match=r"argument %a has no value, but a branch needs it"):
        first(UNUSED)
    with pytest.raises(UsageError, match=r"argument %x has no value.*arguments=\{'x': VALUE"):
        first(
            "define i32 @f(i32 %x) convergent {\n  %s = call i32 @subgroupAdd(i32 %x)\n  ret i32 %s\n}\n"
            + DECLARATIONS
        )
    with pytest.raises(UsageError, match=r"argument %p has no value, but a memory access in @f"):
        first("define i32 @f(ptr %p) {\n  %v = load i32, ptr %p\n  ret i32 %v\n}\n")


def test_a_path_decides_branches_that_nobody_knows() -> None:
    run = first(UNUSED, paths=[["0", "x"], ["0", "y"]])
    assert [t.value for t in run.outcome.threads] == ["unknown", 5]
    pictured = first(natural(), paths=[AA, AB])
    assert shown(pictured) == ["A B - B C D", "A B C B C D"]
    assert results(pictured, "%sum.b")[0] == {0: "unknown", 1: "unknown"}


def test_a_path_also_overrides_what_is_known_and_poison() -> None:
    text = UNUSED.replace("icmp eq i32 %a, 0", "icmp eq i32 %a, poison")
    assert isinstance(first(text, arguments={"a": 0}).ending, UndefinedBehaviour)
    assert first(text, arguments={"a": 0, "b": 8}, paths=[["0", "x"]]).outcome.threads[0].value == 8


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([["A", "C"]], r"goes from %A to %C \(its block number 2\), but %A goes on to %B"),
        ([["A", "B"]], r"the path of thread 0 ends in %B, which goes on to %B or %C"),
        ([["A", "B", "C", "D", "A"]], r"goes on after %D, where the function ends: A"),
        ([["B"]], r"does not begin with %A, the entry block"),
        ([["A", "Z"]], r"names %Z, which is no block of @f"),
        ([[]], r"does not begin with %A"),
    ],
)
def test_inconsistent_paths_are_usage_errors(paths: list[list[str]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        first(natural(), paths=paths)


def test_there_is_a_path_for_each_thread() -> None:
    with pytest.raises(UsageError, match="2 paths are given for 3 threads"):
        first(natural(), threads=3, paths=[AA, AB])


def test_paths_concern_the_launched_frame_only() -> None:
    text = """
define i32 @f(i32 %n) {
entry:
  %stop = icmp eq i32 %n, 0
  br i1 %stop, label %done, label %more
more:
  %m = sub i32 %n, 1
  %r = call i32 @f(i32 %m)
  ret i32 %r
done:
  ret i32 77
}
"""
    run = first(text, arguments={"n": 3}, paths=[["entry", "more"]])
    assert run.ending == Returned() and run.outcome.threads[0].value == 77


CONTROLLED = "  %t = call token @llvm.experimental.convergence.entry()\n"


@pytest.mark.parametrize(
    ("functions", "launched"),
    [
        ({"only": ""}, "only"),
        ({"a": "", "b": CONTROLLED}, "b"),
        ({"a": CONTROLLED + '  call void @b() [ "convergencectrl"(token %t) ]\n', "b": CONTROLLED}, "a"),
        ({"a": "  call void @b()\n", "b": ""}, "a"),
        ({"a": "  call void @a()\n  call void @b()\n", "b": ""}, "a"),
    ],
)
def test_which_function_is_launched(functions: dict[str, str], launched: str) -> None:
    text = "".join(
        f"define void @{n}() convergent {{\n{body}  ret void\n}}\n" for n, body in functions.items()
    )
    assert launched_function(parse(text + DECLARATIONS), None).name == launched


def test_a_kernel_is_launched_though_only_its_helper_has_an_entry() -> None:
    helper = f"define void @helper() convergent {{\n{CONTROLLED}  ret void\n}}\n"
    kernel = "define spir_kernel void @k() {\n  call void @helper()\n  ret void\n}\n"
    text = DECLARATIONS + helper + kernel
    assert launched_function(parse(text), None).name == "k"
    with pytest.raises(UsageError, match="Give one of @k, @l with function"):
        launched_function(parse(text + "define spir_kernel void @l() {\n  ret void\n}\n"), None)


def test_an_ambiguous_launch_is_a_usage_error() -> None:
    module = parse(
        "define void @a() {\n  ret void\n}\ndefine void @b() {\n  ret void\n}\ndeclare void @c()\n"
    )
    with pytest.raises(UsageError, match="Give one of @a, @b with function"):
        launched_function(module, None)
    with pytest.raises(UsageError, match="no definition of @c"):
        launched_function(module, "@c")
    assert launched_function(module, "@b").name == "b"
