"""Each side's words are its own: what holds of the one way holds of the other with the sides exchanged.

covers: report.refine
"""

from __future__ import annotations

from itertools import permutations

import convergence as cc
from convergence.refine import refine
from convergence.refine.sides.observable import swapped
from convergence.report.refine import departure, words

HEAD = """declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent
declare void @seen(i32)
declare void @too(i32)
@g = global i32 0
define i32 @f(i32 %x) convergent {
"""
ENTRY = "%t = call token @llvm.experimental.convergence.entry()\n"
ANCHOR = ENTRY.replace(".entry", ".anchor")
SUM = '{} = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]\nret i32 {}'
PROGRAMS = {
    "one": "ret i32 1",
    "undef": "ret i32 undef",
    "poison": "ret i32 poison",
    "event": "call void @seen(i32 1)\nret i32 1",
    "other event": "call void @too(i32 1)\nret i32 1",
    "operand": "call void @seen(i32 2)\nret i32 1",
    "store": "store i32 2, ptr @g\nret i32 1",
    "sum": ENTRY + SUM.format("%all", "%all"),
    "anchored": ANCHOR + SUM.format("%some", "%some"),
}


def test_what_only_the_source_does_is_what_is_wrong_the_other_way_round() -> None:
    modules = {name: cc.parse(f"{HEAD}{body}\n}}\n") for name, body in PROGRAMS.items()}
    met = 0
    for one, other in permutations(modules, 2):
        forth = refine(modules[one], modules[other], function="@f", max_launches=4)
        back = refine(modules[other], modules[one], function="@f", max_launches=4)
        if forth.more is not None and back.counterexample is not None:
            met += 1
            assert words(forth.more) == words(swapped(back.counterexample.difference)), (one, other)
        if forth.counterexample is not None and back.counterexample is not None:
            met += 1
            said = words(forth.counterexample.difference)
            assert ("source" in said and "target" in said) or "only in" in said, said
    assert met >= 20


def test_each_side_has_its_own_name_for_an_operation() -> None:
    source, target = (cc.parse(f"{HEAD}{PROGRAMS[name]}\n}}\n") for name in ("sum", "anchored"))
    found = refine(source, target, function="@f", max_launches=12)
    assert found.counterexample is not None and found.counterexample.departure is not None
    said = departure(found.counterexample.departure)
    assert (
        "%all thread 0 #1 in the source: in a group of threads 0, 1; %some thread 0 #1 in the target: alone"
        in said
    )
