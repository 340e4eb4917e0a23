"""Which rules had a say in an execution: each one where it does, and where it does not.

covers: semantics.machine.run
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from convergence.ir.module import Module
from convergence.parser import parse
from convergence.rules import Rule
from convergence.semantics import Ending, Illegal
from convergence.semantics.machine import Chooser, executions
from convergence.semantics.machine.launch import LaunchSpec
from convergence.semantics.machine.machine import Machine
from convergence.semantics.machine.run import finished, prepare_run, run, runnable, start
from tests.cli.cli_harness import convcheck

SHELF = Path(__file__).resolve().parents[2] / "examples_ll" / "rules"
DYNAMIC = {rule for rule in Rule if rule.id.startswith("D-")}

BY_RUN = {
    "D-ANCHOR.excludes": "THREAD USE ANCHOR",
    "D-ANCHOR.shows": "THREAD USE ANCHOR",
    "D-CALL.free.shows": "THREAD ENTRY USE CALL",
    "D-CALL.shows": "THREAD ENTRY USE FREE CALL",
    "D-CAUSE.shows": "THREAD ENTRY USE MEM",
    "D-ENTRY.shows": "THREAD ENTRY USE CALL",
    "D-EQ.excludes": "THREAD EQ FREE",
    "D-EQ.shows": "THREAD EQ ENTRY USE",
    "D-FREE.shows": "THREAD FREE",
    "D-LOOP.shows": "THREAD ENTRY LOOP USE",
    "D-LOOP.anew.shows": "THREAD ENTRY LOOP USE",
    "D-MEM.shows": "MEM",
    "D-MEM.race.shows": "MEM",
    "D-ORDER.shows": "THREAD EQ FREE",
    "D-SYNC.bare.shows": "THREAD ENTRY USE CALL MEM",
    "D-SYNC.excludes": "MEM SYNC",
    "D-SYNC.fences.shows": "THREAD ENTRY USE CALL MEM SYNC",
    "D-SYNC.shows": "THREAD ENTRY USE CALL MEM SYNC",
    "D-THREAD.shows": "THREAD ENTRY USE",
    "D-USE.shows": "THREAD ENTRY LOOP USE",
}


def by_run(name: str) -> list[str]:
    ran = convcheck("run", "--format=json", str(SHELF / f"{name}.ll"))
    rules = json.loads(ran.out)["rules"]
    assert isinstance(rules, list)
    return rules


@pytest.mark.parametrize("name", BY_RUN)
def test_the_examples_of_a_rule_name_those_that_had_a_say(name: str) -> None:
    assert by_run(name) == [f"D-{rule}" for rule in BY_RUN[name].split()]


def test_the_examples_cover_ten_of_the_thirteen_rules_by_run_alone() -> None:
    said = {rule for name in BY_RUN for rule in by_run(name)}
    assert {rule.id for rule in DYNAMIC} - said == {"D-ORDER", "D-CAUSE", "D-DEP"}
    assert (len(DYNAMIC), len(said)) == (13, 10)


def said(module: Module, order: str = "columns", **how: object) -> list[set[Rule]]:
    """What had a say in each legal execution where the order of accesses is a choice."""
    program, launch = prepare_run(module, LaunchSpec(**how), environment="queued")  # type: ignore[arg-type]
    if order != "columns":
        program = runnable(module, replace(program.settings, order=order))  # type: ignore[arg-type]

    def once(chooser: Chooser) -> tuple[Machine, Ending]:
        machine = start(program, launch, chooser)
        return machine, machine.run(10_000)

    runs = [finished(machine, ending, made) for (machine, ending), made in executions(once)]
    return [set(run.rules) for run in runs if not isinstance(run.ending, Illegal)]


ANY = """
define i32 @k(i32 %x) {
  %a = call i32 @subgroupAdd(i32 %x)
  %b = call i32 @subgroupAdd(i32 %x)
  ret i32 %b
}
declare i32 @subgroupAdd(i32) convergent
"""
CROSSED = """
define i32 @k(i1 %c, i32 %x) {
  br i1 %c, label %one, label %other
one:
  br label %left
other:
  br label %right
left:
  %again = phi i1 [ false, %one ], [ true, %right ]
  %a = call i32 @subgroupAdd(i32 %x)
  br i1 %again, label %end, label %right
right:
  %twice = phi i1 [ false, %other ], [ true, %left ]
  %b = call i32 @subgroupMax(i32 %x)
  br i1 %twice, label %end, label %left
end:
  ret i32 0
}
declare i32 @subgroupAdd(i32) convergent
declare i32 @subgroupMax(i32) convergent
"""


def test_order_has_a_say_where_joining_would_close_a_cycle() -> None:
    """Two threads pass two operations in opposite order: once they are together at one, not at the other."""
    crossed = said(parse(CROSSED), uncontrolled="any", threads=2, arguments={"c": [1, 0], "x": 1})
    together = [rules for rules in crossed if Rule.D_ORDER in rules]
    assert together
    straight = said(parse(CROSSED), uncontrolled="any", threads=2, arguments={"c": 1, "x": 1})
    assert straight and not any(Rule.D_ORDER in rules for rules in straight)
    apart = said(parse(CROSSED), uncontrolled="none", threads=2, arguments={"c": [1, 0], "x": 1})
    assert apart and not any(Rule.D_ORDER in rules or Rule.D_EQ in rules for rules in apart)


def test_a_label_that_a_thread_chooses_twice_is_kept_apart_by_d_eq() -> None:
    once = parse(ANY)
    twice = parse(CROSSED)  # %left and %right are passed once by each thread
    for module, arguments in ((once, {"x": 1}), (twice, {"c": 1, "x": 1})):
        runs = said(module, uncontrolled="any", threads=2, arguments=arguments)
        assert runs and not any(Rule.D_EQ in some for some in runs)
    loop = parse((SHELF / "D-ORDER.shows.ll").read_text(encoding="utf-8"))
    runs = said(loop, uncontrolled="any", threads=2, arguments={"x": 1})
    assert runs and all(Rule.D_EQ in some for some in runs)


MEMORY = """
@cell = global i32 0
@other = global [2 x i32] zeroinitializer
define i32 @k(i32 %me) {
  %own = getelementptr [2 x i32], ptr @other, i32 0, i32 %me
  %value = WHAT
  store i32 %value, ptr WHERE
  ret i32 0
}
"""


@pytest.mark.parametrize(
    ("what", "where", "rules"),
    [
        ("add i32 %me, 1", "%own", set()),  # each its own cell, of one variable
        ("add i32 %me, 1", "@cell", {Rule.D_MEM}),
        ("load i32, ptr @cell", "%own", set()),  # a store stands behind a load in any case
        ("load i32, ptr %own", "@cell", {Rule.D_MEM}),
    ],
)
def test_memory_and_cause(what: str, where: str, rules: set[Rule]) -> None:
    text = MEMORY.replace("WHAT", what).replace("WHERE", where)
    runs = said(parse(text), threads=2, arguments={"me": [0, 1]})
    assert runs and all(some == rules for some in runs)


SUMMED = """
@cell = global i32 0
define i32 @k(i32 %x) {
  %v = VALUE
  %s = call i32 @subgroupAdd(i32 %v)
  ret i32 %s
}
declare i32 @subgroupAdd(i32) convergent
"""


@pytest.mark.parametrize(("value", "waits"), [("load i32, ptr @cell", True), ("add i32 %x, 1", False)])
def test_an_exchange_waits_for_what_memory_gives(value: str, waits: bool) -> None:
    runs = said(parse(SUMMED.replace("VALUE", value)), threads=2, arguments={"x": 1})
    assert runs and all((Rule.D_CAUSE in some) == waits for some in runs)


ONE = {"x": 1}
EFFECTS = """
define i32 @k(i32 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %a = call i32 @first(i32 %x) [ "convergencectrl"(token %t) ]
  %b = call i32 @second(i32 WHICH) [ "convergencectrl"(token %t) ]
  ret i32 %b
}
declare i32 @first(i32) convergent ATTRIBUTES
declare i32 @second(i32) convergent ATTRIBUTES
declare token @llvm.experimental.convergence.entry()
"""


@pytest.mark.parametrize("order", ["columns", "dependence"])
def test_dependence_has_a_say_where_effects_wait_for_each_other(order: str) -> None:
    seen = said(
        parse(EFFECTS.replace("WHICH", "%x").replace("ATTRIBUTES", "")), order, threads=2, arguments=ONE
    )
    silent = said(
        parse(EFFECTS.replace("WHICH", "%x").replace("ATTRIBUTES", "nounwind willreturn memory(none)")),
        order,
        threads=2,
        arguments=ONE,
    )
    assert seen and all((Rule.D_DEP in some) == (order == "dependence") for some in seen)
    assert silent and not any(Rule.D_DEP in some for some in silent)


@pytest.mark.parametrize(
    ("name", "synchronises"), [("shows", True), ("fences.shows", True), ("bare.shows", False)]
)
def test_what_synchronises_has_a_say_where_it_orders_accesses_of_two_threads(
    name: str, synchronises: bool
) -> None:
    text = (SHELF / f"D-SYNC.{name}.ll").read_text(encoding="utf-8")
    runs = said(parse(text), threads=2, arguments={"me": [0, 1]})
    assert runs and all((Rule.D_SYNC in some) == synchronises for some in runs)
    alone = said(
        parse(text.replace("i32 %other\n  %seen", "i32 %me\n  %seen")), threads=2, arguments={"me": [0, 1]}
    )
    assert alone and not any(Rule.D_SYNC in some for some in alone)


def test_every_rule_has_an_execution_in_which_it_has_a_say() -> None:
    tile = parse((SHELF / "D-SYNC.shows.ll").read_text(encoding="utf-8"))
    crossed = said(parse(CROSSED), uncontrolled="any", threads=2, arguments={"c": [1, 0], "x": 1})
    memory = SUMMED.replace("VALUE", "load i32, ptr @cell")
    effects = parse(EFFECTS.replace("WHICH", "%x").replace("ATTRIBUTES", ""))
    runs = [
        *crossed,
        *said(parse(memory), threads=2, arguments=ONE),
        *said(effects, "dependence", threads=2, arguments=ONE),
        *said(tile, threads=2, arguments={"me": [0, 1]}),
    ]
    named = {rule.id for some in runs for rule in some} | {rule for name in BY_RUN for rule in by_run(name)}
    assert named == {rule.id for rule in DYNAMIC}


def test_a_label_that_would_be_before_itself_is_kept_apart_by_d_order() -> None:
    text = """declare token @llvm.experimental.convergence.anchor()
define void @f(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  %t = call token @llvm.experimental.convergence.anchor()
  br i1 %c, label %b, label %end
b:
  %u = call token @llvm.experimental.convergence.anchor()
  br i1 %c, label %end, label %a
end:
  ret void
}"""
    crossed = run(parse(text), threads=2, arguments={"c": [-1, 0]})
    assert Rule.D_ORDER in crossed.rules
    alike = run(parse(text), threads=2, arguments={"c": [-1, -1]})
    assert Rule.D_ORDER not in alike.rules
