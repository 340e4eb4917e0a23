"""A verdict per model for uncontrolled programs: right under one can be wrong under another."""

from __future__ import annotations

from convergence.ir.module import Module
from convergence.parser import parse
from convergence.refine import Refinement, refine
from convergence.refine.inputs.launch import Input
from convergence.refine.sides.models import runnable_under
from convergence.refine.sides.outcomes import Bounds, Setting
from convergence.semantics import NoModel

DECLARATIONS = """
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare void @event(i32) convergent
"""
JOINED = """
define i32 @src(i1 %c, i32 %x) convergent {
a:
  br i1 %c, label %b, label %m
b:
  br label %m
m:
  %p = phi i1 [ true, %a ], [ false, %b ]
  %s = call i32 @subgroupAdd(i32 %x)
  br i1 %p, label %u, label %v
u:
  ret i32 %s
v:
  %z = add i32 %s, 100
  ret i32 %z
}
"""
THREADED = """
define i32 @tgt(i1 %c, i32 %x) convergent {
a:
  br i1 %c, label %m1, label %m2
m1:
  %s1 = call i32 @subgroupAdd(i32 %x)
  %z = add i32 %s1, 100
  ret i32 %z
m2:
  %s2 = call i32 @subgroupAdd(i32 %x)
  ret i32 %s2
}
"""
NATURAL = """
define i32 @src(i32 %n) convergent {
A:
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %i2, %B ], [ %i2, %C ]
  %s = call i32 @subgroupAdd(i32 1)
  %i2 = add i32 %i, 1
  %c = icmp ult i32 %i2, %n
  br i1 %c, label %B, label %C
C:
  %d = icmp ult i32 %i2, 2
  br i1 %d, label %B, label %D
D:
  ret i32 %s
}
"""
NESTED = """
define i32 @tgt(i32 %n) convergent {
A:
  br label %O
O:
  %o = phi i32 [ 0, %A ], [ %i2, %C ]
  br label %B
B:
  %i = phi i32 [ %o, %O ], [ %i2, %B ]
  %s = call i32 @subgroupAdd(i32 1)
  %i2 = add i32 %i, 1
  %c = icmp ult i32 %i2, %n
  br i1 %c, label %B, label %C
C:
  %d = icmp ult i32 %i2, 2
  br i1 %d, label %O, label %D
D:
  ret i32 %s
}
"""
DIAMOND = """
define i32 @src(i1 %c, i32 %x) convergent {
a:
  br i1 %c, label %b, label %d
b:
  br label %d
d:
  %s = call i32 @subgroupAdd(i32 %x)
  ret i32 %s
}
"""
WITH_EXIT = DIAMOND.replace("@src", "@tgt").replace(
    "b:\n  br label %d\n", "b:\n  br i1 false, label %exit, label %d\nexit:\n  ret i32 0\n"
)


def compared(source: str, target: str, **launch: object) -> Refinement:
    module = parse(source + target + DECLARATIONS)
    return refine(module, module, max_launches=40, **launch)  # type: ignore[arg-type]


def test_jump_threading_over_an_operation_is_wrong_under_every_model() -> None:
    """Whatever lets the arms meet at the join, no model lets them meet in two copies of the operation."""
    found = compared(JOINED, THREADED)
    assert found.models == {"inferred": "wrong", "ipdom": "wrong", "maximal": "wrong"}
    assert found.verdict == "wrong"


def test_a_loop_made_two_is_right_by_post_dominators_only() -> None:
    """Post-dominators hold lanes at the latch anyway; hearts and headers count the iterations of one loop."""
    found = compared(NATURAL, NESTED)
    assert found.models == {"inferred": "wrong", "ipdom": "equal", "maximal": "wrong"}


def test_an_exit_that_is_never_taken_is_wrong_by_post_dominators_only() -> None:
    found = compared(DIAMOND, WITH_EXIT)
    assert found.models == {"inferred": "equal", "ipdom": "wrong", "maximal": "equal"}
    assert found.counterexample is not None
    assert found.counterexample.threads == 2


UNREACHABLE_EXIT = DIAMOND.replace("@src", "@tgt").replace(
    "b:\n  br label %d\n", "b:\n  br i1 false, label %exit, label %d\nexit:\n  unreachable\n"
)


def test_a_way_to_unreachable_moves_no_post_dominator() -> None:
    """LLVM gives switches an unreachable default; lanes meet behind them as before."""
    found = compared(DIAMOND, UNREACHABLE_EXIT)
    assert found.models == {"inferred": "equal", "ipdom": "equal", "maximal": "equal"}


def test_a_way_to_unreachable_behind_a_call_counts() -> None:
    """The call may not return, and lanes may well come to it."""
    found = compared(
        DIAMOND, UNREACHABLE_EXIT.replace("  unreachable", "  call void @event(i32 0)\n  unreachable")
    )
    assert found.models["ipdom"] == "wrong"


def test_only_the_models_that_are_asked_for() -> None:
    found = compared(DIAMOND, WITH_EXIT, models=["inferred"])
    assert found.models == {"inferred": "equal"}
    assert found.verdict == "equal"


IRREDUCIBLE = """
define i32 @src(i32 %n, i1 %c) convergent {
a:
  br i1 %c, label %b, label %d
b:
  %p = phi i32 [ 0, %a ], [ %q, %d ]
  %s = call i32 @subgroupAdd(i32 1)
  br label %d
d:
  %q0 = phi i32 [ 0, %a ], [ %p, %b ]
  %q = add i32 %q0, 1
  %e = icmp ult i32 %q, %n
  br i1 %e, label %b, label %r
r:
  ret i32 %q
}
"""


def _input(*arguments: tuple[int, ...]) -> Input:
    return Input(len(arguments[0]), None, arguments)


def _under(model: str, module: Module) -> object:
    function = module.functions["src"]
    return runnable_under(model, module, function, Setting(), (0, 1), frozenset())  # type: ignore[arg-type]


def test_irreducible_cycles_are_made_reducible_for_the_inferred_model() -> None:
    module = parse(IRREDUCIBLE + DECLARATIONS)
    for model in ("inferred", "ipdom", "maximal"):
        found = _under(model, module).outcomes(_input((2, 3), (0, 1)), Bounds())  # type: ignore[attr-defined]
        (outcome,) = found.by_identity.values()
        assert [t.value for t in outcome.threads] == [2, 3], model


def test_what_cannot_be_inferred_is_named() -> None:
    mixed = (
        "define i32 @src(i32 %x) convergent {\n  %t = call token @llvm.experimental.convergence.entry()\n"
        '  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]\n'
        "  %r = call i32 @subgroupAdd(i32 %s)\n  ret i32 %r\n}\n"
    )
    source = mixed.replace(' [ "convergencectrl"(token %t) ]', "")
    source = source.replace("  %t = call token @llvm.experimental.convergence.entry()\n", "")
    found = compared(source, mixed.replace("@src", "@tgt"))
    assert found.verdict == "invalid-output"
    models = compared(source, mixed.replace("@src", "@tgt"), models=["inferred"])
    assert isinstance(models.bound, NoModel)
    assert "S-MIX" in models.bound.feature


def test_a_function_that_is_launched_counts_as_convergent() -> None:
    """The environment launches its threads together, so entry is what the procedure gives it."""
    plain = DIAMOND.replace("convergent {", "{")
    found = compared(plain, WITH_EXIT.replace("convergent {", "{"))
    assert found.models["inferred"] == "equal"
    assert found.models["maximal"] == "equal"


def test_atomic_accesses_have_one_order_only_by_post_dominators() -> None:
    """So a difference there is unknown, not wrong."""
    first = (
        "@g = global i32 0\ndefine i32 @src(i32 %x) convergent {\n"
        "  %r = atomicrmw add ptr @g, i32 1 seq_cst\n  call void @event(i32 0)\n  ret i32 %r\n}\n"
    )
    second = first.partition("\n")[2].replace("@src", "@tgt").replace("ret i32 %r", "ret i32 0")
    found = compared(first, second)
    assert found.models["ipdom"] == "unknown"
