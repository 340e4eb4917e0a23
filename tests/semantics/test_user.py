"""Operations that users add from a Python file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import Returned, UsageError
from convergence.semantics.machine import Called
from convergence.semantics.machine.run import run
from convergence.semantics.operations import Prepare
from convergence.semantics.operations.user import load_operations, user_operations

FILE = '''
def rotate(group):
    """Every lane gets its left neighbour's value, the lowest one the highest's."""
    lanes = sorted(group)
    return {lane: group[lanes[i - 1]][0] for i, lane in enumerate(lanes)}

def how_many(group, subgroup):
    return len(group) * 100 + subgroup.size

OPERATIONS = {"@rotate": rotate, "howMany": how_many}
OPERATIONS |= {"@sync": lambda group: None, "@subgroupAdd": lambda group: 5}
'''

TEXT = """
declare i32 @rotate(i32) convergent
declare i32 @howMany() convergent
declare void @sync() convergent
declare i32 @subgroupAdd(i32) convergent
define [3 x i32] @f(i32 %x) convergent {
  %a = call i32 @rotate(i32 %x)
  %b = call i32 @howMany()
  call void @sync()
  %c = call i32 @subgroupAdd(i32 1)
  %r = insertvalue [3 x i32] poison, i32 %a, 0
  %s = insertvalue [3 x i32] %r, i32 %b, 1
  %t = insertvalue [3 x i32] %s, i32 %c, 2
  ret [3 x i32] %t
}
"""


@pytest.fixture
def operations(tmp_path: Path) -> dict[str, Prepare]:
    (tmp_path / "my_ops.py").write_text(FILE)
    return load_operations(str(tmp_path / "my_ops.py"))


def test_a_files_operations_come_first(operations: dict[str, Prepare]) -> None:
    done = run(parse(TEXT), threads=3, arguments={"x": [-1, 2, 3]}, operations=operations)
    assert done.ending == Returned() and done.stand_ins == ()
    assert [t.value for t in done.outcome.threads] == [[3, 303, 5], [-1, 303, 5], [2, 303, 5]]
    (event,) = done.outcome.threads[0].events
    assert isinstance(event, Called) and event.callee == "sync"


@pytest.mark.parametrize("key", ["@rotate", "rotate"])
def test_a_dictionary_works_as_that_of_a_file_does(key: str) -> None:
    models: dict[str, Callable[..., object]] = {
        key: lambda group: {lane: group[lane][0] + 1 for lane in group},
        "@howMany": lambda group, subgroup: len(group) * 100 + subgroup.size,
        "@subgroupAdd": max,  # a builtin that does not say what its parameters are
    }
    module = parse(TEXT)
    done = run(module, threads=2, arguments={"x": [1, 5]}, operations=models)
    assert [t.value for t in done.outcome.threads] == [[2, 202, 1], [6, 202, 1]]
    assert "rotate" not in done.stand_ins
    outcome = cc.enumerate(module, threads=2, arguments={"x": [1, 5]}, operations=models).outcomes[0].outcome
    assert outcome == done.outcome


@pytest.mark.parametrize("runs", [cc.run, cc.enumerate, cc.simulate, lambda m, **k: cc.refine(m, m, **k)])
def test_a_dictionary_that_names_nothing_or_has_no_function(runs: Callable[..., object]) -> None:
    module = parse(TEXT)
    with pytest.raises(TypeError, match=r"the operation @rotate is a function of .*, not 3"):
        runs(module, operations={"@rotate": 3})
    for name in ("@nosuch", "@f"):  # the module has no such function, or defines it
        with pytest.raises(UsageError, match=f"operations has {name}: the module does not declare"):
            runs(module, operations={name: len})


def test_refine_takes_a_function_that_one_side_alone_declares() -> None:
    text = "define i32 @f(i32 %x) {\n  ret i32 %x\n}\n"
    other = "define void @g() convergent {\n  %a = call i32 @five()\n  ret void\n}\n"
    other += "declare i32 @five() convergent\n"
    pairs = [(parse(text + other), parse(text)), (parse(text), parse(text + other))]
    for source, target in pairs:
        models = {"@five": lambda group: 5}
        assert cc.refine(source, target, function="f", operations=models).verdict == "equal"


def test_poison_poisons_without_asking(operations: dict[str, Prepare]) -> None:
    done = run(parse(TEXT), threads=2, arguments={"x": [1, "poison"]}, operations=operations)
    values = [t.value for t in done.outcome.threads]
    assert [v[0] for v in values if isinstance(v, list)] == ["poison", "poison"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda group: {}, "no result for lane 0"),
        (lambda group: 1 / 0, "@rotate failed: ZeroDivisionError"),
        (lambda group: "seven", "the result of @rotate"),
        (lambda group: 1 << 40, "does not fit"),
    ],
)
def test_what_users_get_wrong_is_a_usage_error(function: Callable[[object], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(parse(TEXT), threads=2, arguments={"x": 1}, operations=user_operations({"@rotate": function}))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x = 1", "defines no dictionary OPERATIONS"),
        ("raise KeyError('a')", "KeyError"),
        ("def", "SyntaxError"),
        ("OPERATIONS = {'@rotate': 3}", "ops.py: the operation @rotate is a function of"),
    ],
)
def test_files_that_define_nothing(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "ops.py").write_text(content)
    with pytest.raises(UsageError, match=message):
        load_operations(str(tmp_path / "ops.py"))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.py: no such file or directory"):
        load_operations(str(tmp_path / "none.py"))
