"""LLVM's documented procedure for inferring tokens, step by step, and on random functions.

covers: transform.rewrite
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from convergence.ir.calls import Control, control, token_used
from convergence.ir.cfg import build_cfg, cycles, is_no_ssa
from convergence.ir.instructions import CallSite
from convergence.ir.module import Function
from convergence.parser import parse
from convergence.parser.printer import print_module
from convergence.sched.enumeration import identity_of
from convergence.semantics.machine.run import run
from convergence.transform.infer import CannotTransform, infer, inferred, operations
from tests.launches import explore
from tests.oracles.generate import random_function
from tests.oracles.model import Item, Kind, module_text
from tests.oracles.programs_draw import Shape
from tests.oracles.programs_generate import random_case

from .transforming import irreducible, module, sound, words

NESTED = """
define i32 @f(i32 %n) convergent {
a:
  %s0 = call i32 @sum(i32 %n)
  br label %outer
outer:
  %i = phi i32 [ 0, %a ], [ %i2, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j2, %inner ]
  call void @event(i32 %j)
  %j2 = add i32 %j, 1
  %cj = icmp ult i32 %j2, 2
  br i1 %cj, label %inner, label %latch
latch:
  %s1 = call i32 @sum(i32 %i)
  %i2 = add i32 %i, 1
  %ci = icmp ult i32 %i2, %n
  br i1 %ci, label %outer, label %exit
exit:
  %s2 = call i32 @sum(i32 %n)
  ret i32 %s2
}
"""


def follows_the_procedure(function: Function, root: Control = Control.ENTRY) -> None:
    """The document's four steps hold of a function that has convergent operations."""
    cfg = build_cfg(function)
    found = cycles(cfg)
    assert all(cycle.is_reducible for cycle in found.all)
    assert control(function.blocks[0].instructions[0]) is root
    first = function.blocks[0].instructions[0].result
    hearts = {}
    for cycle in found.all:
        starts = [i for i in function.blocks[cycle.header].instructions if control(i) is Control.LOOP]
        (hearts[cycle.index],) = starts
    for cycle in found.all:
        above = found.parent(cycle)
        parent = first if above is None else hearts[above.index].result
        token = token_used(hearts[cycle.index])
        assert token is not None
        assert token.name == parent
    for number, block in enumerate(function.blocks):
        if not cfg.reachable[number]:
            continue
        around = found.innermost(number)
        for instruction in block.instructions:
            token = token_used(instruction)
            if token is not None and control(instruction) is None:
                assert token.name == (first if around is None else hearts[around.index].result)


def test_the_steps_on_nested_loops() -> None:
    made = sound(inferred(module(NESTED)))
    function = made.functions["f"]
    follows_the_procedure(function)
    assert operations(made, function) == (0, 7)  # entry, two hearts, four operations


def test_everything_else_is_kept() -> None:
    text = (
        'source_filename = "x.ll"\ntarget triple = "spirv64-unknown-unknown"\n%t = type { i32, ptr }\n'
        "@g = internal global i32 7, align 4, !note !0\n" + NESTED + "!0 = !{i32 1}\n!named = !{!0}\n"
    )
    before = module(text)
    after = infer(before)
    for name in ("source_filename", "triple", "types", "globals", "metadata", "named_metadata", "groups"):
        assert getattr(after, name) == getattr(before, name), name
    kept = [i for i in after.functions["f"].instructions if not isinstance(i, CallSite)]
    assert kept == [i for i in before.functions["f"].instructions if not isinstance(i, CallSite)]
    for old, new in zip(
        [i for i in before.functions["f"].instructions if isinstance(i, CallSite)],
        [i for i in after.functions["f"].instructions if isinstance(i, CallSite) and control(i) is None],
        strict=True,
    ):
        assert (new.callee, new.arguments, new.result) == (old.callee, old.arguments, old.result)


def test_declares_what_it_uses() -> None:
    operation = "declare void @op() convergent\n"
    before = parse(operation + "define void @f() convergent {\n  call void @op()\n  ret void\n}")
    text = print_module(infer(before))
    assert "declare token @llvm.experimental.convergence.entry()" in text
    assert "convergence.loop" not in text


def test_without_convergent_operations_nothing_changes() -> None:
    before = module("define void @f(i32 %x) convergent {\n  call void @plain(i32 %x)\n  ret void\n}")
    made = inferred(before)
    assert made.module is before
    assert words(made) == ["@f: has no convergent operations: left as it is"]


def test_controlled_functions_are_left_alone() -> None:
    before = infer(module(NESTED))
    made = inferred(before)
    assert made.module is before
    assert words(made) == ["@f: is controlled already: left as it is"]


def test_mixed_functions_are_refused_by_rule() -> None:
    before = module(
        "define void @f(i32 %x) convergent {\n  %t = call token @llvm.experimental.convergence.entry()\n"
        "  call void @event(i32 %x)\n  ret void\n}"
    )
    assert "S-MIX" in words(inferred(before), "refused")[0]
    with pytest.raises(CannotTransform, match="S-MIX"):
        infer(before)


def test_a_function_that_is_not_convergent_gets_anchor() -> None:
    before = module("define i32 @f(i32 %x) {\n  %s = call i32 @sum(i32 %x)\n  ret i32 %s\n}")
    made = inferred(before)
    follows_the_procedure(sound(made).functions["f"], Control.ANCHOR)
    assert any("S-ENTRY-FN" in note for note in words(made))
    marked = inferred(before, ["f"])
    follows_the_procedure(sound(marked).functions["f"], Control.ENTRY)
    assert "convergent" in marked.module.functions["f"].attributes


def test_a_heart_stands_behind_phis_and_pads() -> None:
    before = module(
        """
declare i32 @personality(...)
define void @f(i32 %x) convergent personality ptr @personality {
a:
  invoke void @event(i32 %x) to label %done unwind label %pad
pad:
  %l = landingpad { ptr, i32 } cleanup
  invoke void @event(i32 %x) to label %done unwind label %pad
done:
  ret void
}
"""
    )
    made = sound(inferred(before))
    pad = made.functions["f"].blocks[1].instructions
    assert control(pad[1]) is Control.LOOP
    follows_the_procedure(made.functions["f"])


def test_exceptions_into_an_irreducible_cycle_are_named() -> None:
    before = module(
        """
declare i32 @personality(...)
define void @f(i32 %x, i1 %c) convergent personality ptr @personality {
a:
  br i1 %c, label %other, label %thrower
thrower:
  invoke void @event(i32 %x) to label %done unwind label %pad
pad:
  %l = landingpad { ptr, i32 } cleanup
  br label %other
other:
  invoke void @event(i32 %x) to label %done unwind label %pad
done:
  ret void
}
"""
    )
    made = inferred(before)
    assert made.module is before
    (note,) = words(made, "refused")
    assert "ends in invoke" in note
    assert "%pad" in note
    with pytest.raises(CannotTransform):
        infer(before)


def test_inferred_tokens_count_iterations() -> None:
    """The natural loop of the pictures: maximal convergence and inferred tokens agree."""
    before = module(
        """
define i32 @f(i32 %n) convergent {
A:
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %i2, %C ], [ %i2, %B ]
  %s = call i32 @sum(i32 %n)
  %i2 = add i32 %i, 1
  %c = icmp ult i32 %i2, %n
  br i1 %c, label %B, label %C
C:
  %d = icmp ult i32 %i2, 3
  br i1 %d, label %B, label %D
D:
  ret i32 %s
}
"""
    )
    launch: dict[str, Any] = {"threads": 2, "arguments": {"n": [1, 2]}}
    one = explore(before, **launch)
    two = explore(sound(inferred(before)), **launch)
    assert [o.identity for o in one.outcomes] == [o.identity for o in two.outcomes]
    assert len(two.alignments) == 1


def test_random_programs_behave_alike_on_one_thread() -> None:
    """The same result, events and blocks, but for the new blocks; all valid; irreducible ones among them."""
    were_irreducible = 0
    for seed in range(80):
        case = random_case(seed, Shape(controlled=False, unstructured=seed % 2 == 1))
        before = parse(str(case.program))
        were_irreducible += any(irreducible(f) for f in before.definitions())
        made = inferred(before)
        after = sound(made)
        for note in made.notes:
            if note.kind == "changed":
                function = after.functions[note.function]
                convergent = "convergent" in function.attributes
                follows_the_procedure(function, Control.ENTRY if convergent else Control.ANCHOR)
        new = {f.name: {b.name for b in f.blocks} for f in after.definitions()}
        for f in before.definitions():
            new[f.name] -= {b.name for b in f.blocks}
        for row in case.arguments:
            arguments = dict(zip(("a", "b"), row, strict=True))
            one = run(before, function="main", threads=1, arguments=arguments)
            two = run(after, function="main", threads=1, arguments=arguments)
            assert identity_of(one.outcome) == identity_of(two.outcome)
            visits = two.execution.visits[0]
            passed = [(v.function, v.block) for v in visits if v.block not in new[v.function]]
            assert passed == [(v.function, v.block) for v in one.execution.visits[0]]
    assert were_irreducible > 10


def test_any_uncontrolled_function_becomes_valid() -> None:
    """Arbitrary CFGs with switches, invokes, callbrs and unreachable blocks."""
    source = random.Random(22)
    changed = 0
    for _ in range(250):
        function = random_function(source)
        for block in function.blocks:
            block.items = [Item(Kind.CALL, spelling=i.spelling) for i in block.items if i.kind is Kind.CALL]
            if block.last is not None:
                block.last = Item(Kind.CALL, spelling=block.last.spelling)
        before = parse(module_text([function]))
        made = inferred(before)
        assert all("cannot be led elsewhere" in note for note in words(made, "refused"))
        if made.module is not before:
            changed += 1
            after = sound(made)
            for f in after.definitions():
                assert operations(after, f)[0] == 0
    assert changed > 120


def test_what_no_thread_takes_is_no_way_into_a_cycle() -> None:
    """An unreachable block that branches into a loop made a dispatch, and values no definition dominated."""
    text = """
    declare i32 @subgroupAdd(i32) convergent
    define i32 @f(i32 %n) convergent {
    A:
      br label %B
    B:
      %i = phi i32 [ 0, %A ], [ %j, %C ]
      %j = add i32 %i, 1
      br label %C
    U:
      br label %C
    C:
      %s = call i32 @subgroupAdd(i32 1)
      %c = icmp ult i32 %j, %n
      br i1 %c, label %B, label %D
    D:
      ret i32 %s
    }
    """
    after = sound(inferred(parse(text)))
    function = after.functions["f"]
    assert [block.name for block in function.blocks] == ["A", "B", "U", "C", "D"]
    assert not is_no_ssa(function)
    hearts = [b.name for b in function.blocks if any(control(i) is Control.LOOP for i in b.instructions)]
    assert hearts == ["B"]
