"""State in allocas: what no other thread can know is like registers, for both engines and every switch.

covers: ir.escape
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from convergence.ir.escape import Escapes
from convergence.parser import parse
from convergence.sched.enumeration import Enumeration
from tests.launches import enumerate_axiomatic, explore

HEAD = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare i32 @subgroupUMax(i32) convergent nounwind willreturn memory(none)
declare i32 @subgroupBroadcastFirst(i32) convergent nounwind willreturn memory(none)
@unused = global i32 0
"""
ROUNDS = """define i32 @k(i32 %t, i32 %x) convergent {
begin:
  ALLOCA
  %all = call token @llvm.experimental.convergence.entry()
  %flipped = xor i32 %x, 6
  %first = add i32 %flipped, 38
  STORE-FIRST
  br label %round
round:
  PHI
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  LOAD
  %three = mul i32 %before, 3
  %told = call i32 @subgroupBroadcastFirst(i32 %t) [ "convergencectrl"(token %heart) ]
  %after = xor i32 %three, %told
  STORE-AFTER
  RELOAD
  %some = call token @llvm.experimental.convergence.anchor()
  %one = call i32 @subgroupUMax(i32 1) [ "convergencectrl"(token %some) ]
  %next = add i32 %now, %one
  %bits = and i32 %next, 3
  %over = icmp eq i32 %bits, 2
  br i1 %over, label %end, label %round
end:
  ret i32 0
}"""
IN_PHI = {
    "ALLOCA": "", "STORE-FIRST": "", "STORE-AFTER": "", "LOAD": "", "RELOAD": "%now = add i32 %after, 0",
    "PHI": "%before = phi i32 [ %first, %begin ], [ %after, %round ]",
}  # fmt: skip
IN_ALLOCA = {
    "ALLOCA": "%p = alloca i32",
    "STORE-FIRST": "store i32 %first, ptr %p",
    "STORE-AFTER": "store i32 %after, ptr %p",
    "LOAD": "%before = load i32, ptr %p",
    "RELOAD": "%now = load i32, ptr %p",
    "PHI": "",
}


def rounds(state: Mapping[str, str], head: str = HEAD) -> str:
    text = head + ROUNDS
    for name, code in state.items():
        text = text.replace(f"  {name}\n", f"  {code}\n" if code else "")
    return text


WAYS: dict[str, Any] = {
    "as it is": (explore, {}),
    "without pruning": (explore, {"prune": False}),
    "without reduction": (explore, {"reduce": False}),
    "with neither": (explore, {"prune": False, "reduce": False}),
    "axiomatic": (enumerate_axiomatic, {}),
}
LAUNCH: dict[str, Any] = {
    "threads": 3,
    "arguments": {"t": [0, 1, 2], "x": [3, 6, 3]},
    "max_steps": 4000,
    "verified": True,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("state", [IN_PHI, IN_ALLOCA], ids=["phi", "alloca"])
def test_who_stays_away_may_depend_on_who_came(state: Mapping[str, str], way: str) -> None:
    """Round 2 of thread 1 is alone because thread 2 leaves after round 1, and that because it met thread 1
    in round 3: a circle without an access to shared memory in it, which keys and columns allow."""
    engine, switches = WAYS[way]
    found = engine(parse(rounds(state)), **LAUNCH, **switches)
    assert found.complete
    assert len(found.alignments) == 26


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("without pruning", "with neither")])
def test_an_access_that_nobody_sees_takes_no_alignment_away(way: str) -> None:
    """The shared access comes when all that the circle decides is decided."""
    text = rounds(IN_ALLOCA).replace("  ret", "  store atomic i32 1, ptr @unused monotonic, align 4\n  ret")
    engine, switches = WAYS[way]
    found = engine(parse(text), **LAUNCH, **switches)
    assert found.complete
    assert len(found.alignments) == 26


MEETS_LATER = """define i32 @k(i32 %t) convergent {
begin:
  %p = alloca i32
  %q = alloca [4 x i32]
  %all = call token @llvm.experimental.convergence.entry()
  br label %round
round:
  %left = phi i32 [ 2, %begin ], [ %less, %round ]
  %heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %told = call i32 @subgroupBroadcastFirst(i32 0) [ "convergencectrl"(token %heart) ]
  WAY
  %some = call token @llvm.experimental.convergence.anchor()
  %sum = call i32 @subgroupAdd(i32 %passed) [ "convergencectrl"(token %some) ]
  %less = sub i32 %left, 1
  %other = and i32 %t, 1
  %alone = icmp eq i32 %sum, %other
  %more = icmp ne i32 %left, 0
  %again = and i1 %alone, %more
  br i1 %again, label %round, label %end
end:
  ret i32 %t
}"""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "through",
    [
        "%passed = add i32 %told, 1",
        "store i32 %told, ptr %p\n  %kept = load i32, ptr %p\n  %passed = add i32 %kept, 1",
        "%at = getelementptr i32, ptr %q, i32 %told\n  store i32 1, ptr %at\n  %passed = load i32, ptr %at",
        "%at = getelementptr i32, ptr %q, i32 %told\n  store i32 1, ptr %q\n  %passed = load i32, ptr %at",
        "store i32 1, ptr %p\n  call void @llvm.memcpy.p0.p0.i32(ptr %q, ptr %p, i32 4, i1 false)\n"
        "  %at = getelementptr i32, ptr %q, i32 %told\n  %passed = load i32, ptr %at",
    ],
)
def test_a_guess_is_worth_it_where_only_own_memory_is_waited_for(through: str, way: str) -> None:
    """Thread 0 goes round alone, and meets thread 1 in a later round: its rounds before are without thread 1
    because of whom it meets then. What it brings comes out of memory that nobody else knows."""
    engine, switches = WAYS[way]
    text = HEAD + MEETS_LATER.replace("WAY", through)
    text += "\ndeclare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)\n"
    found = engine(parse(text), threads=2, arguments={"t": [1, 2]}, **switches)
    assert found.complete, found.bound
    assert len(found.alignments) == 4


@pytest.mark.parametrize("way", ["as it is", "axiomatic"])
def test_no_circle_goes_through_an_access_that_others_can_see(way: str) -> None:
    """The same, but what it brings comes from an access to shared memory that needs the exchange before: this
    access would be its own cause where thread 0 is alone because of what it does."""
    engine, switches = WAYS[way]
    through = "%nothing = mul i32 %told, 0\n  %passed = atomicrmw add ptr @unused, i32 %nothing monotonic"
    text = HEAD + MEETS_LATER.replace("WAY", through)
    found = engine(parse(text), threads=2, arguments={"t": [1, 2]}, **switches)
    assert found.complete, found.bound
    assert len(found.alignments) == 2


BEHIND = """define i32 @f(i32 %id) convergent {
begin:
  %all = call token @llvm.experimental.convergence.entry()
  %p = alloca i32
  %q = alloca i32
  %a = alloca ptr
  %first = icmp eq i32 %id, 0
  br i1 %first, label %read, label %meet
read:
  %seen = load atomic i32, ptr @x monotonic, align 4
  br label %meet
meet:
  %mine = phi i32 [ %seen, %read ], [ 5, %begin ]
  %sum = call i32 @subgroupAdd(i32 %mine) [ "convergencectrl"(token %all) ]
  BETWEEN
  store atomic i32 1, ptr @x monotonic, align 4
  %result = load i32, ptr %q
  ret i32 %result
}"""


SET = """define void @set(ptr %place, i32 %value) {
  %place.addr = alloca ptr
  store ptr %place, ptr %place.addr
  %here = load ptr, ptr %place.addr
  store i32 %value, ptr %here
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
CHOSEN = "%low = icmp ult i32 %sum, 5\n  %chosen = select i1 %low, ptr %p, ptr %q"


def returned(found: Enumeration) -> set[tuple[object, ...]]:
    assert found.complete, found.bound
    return {tuple(t.value for t in o.outcome.threads) for o in found.outcomes}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "between",
    [
        "store i32 %sum, ptr %q",
        "store i32 %sum, ptr %p\n  %again = load i32, ptr %p\n  store i32 %again, ptr %q",
        "store i32 %sum, ptr %p\n  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 4, i1 false)",
        "store ptr %q, ptr %a\n  %kept = load ptr, ptr %a\n  store i32 %sum, ptr %kept",
        "call void @set(ptr %q, i32 %sum)",
        f"{CHOSEN}\n  store i32 %sum, ptr %chosen",
        f"{CHOSEN}\n  call void @set(ptr %chosen, i32 %sum)",
        f"{CHOSEN}\n  store ptr %chosen, ptr %a\n  %kept = load ptr, ptr %a\n  store i32 %sum, ptr %kept",
        f"store i32 %sum, ptr %p\n  {CHOSEN}\n"
        "  call void @llvm.memcpy.p0.p0.i64(ptr %chosen, ptr %p, i64 4, i1 false)",
    ],
)
def test_no_shared_access_waits_for_the_threads_own_memory(between: str, way: str) -> None:
    """Thread 1's store does not depend on the sum, so thread 0 may have read it before the sum."""
    text = HEAD.replace("@unused", "@x") + BEHIND.replace("BETWEEN", between)
    text += SET
    engine, switches = WAYS[way]
    found = engine(parse(text), threads=2, arguments={"id": [0, 1]}, verified=True, **switches)
    assert returned(found) == {(5, 5), (6, 6)}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_its_own_cause_by_an_access_is_no_execution(way: str) -> None:
    """Thread 1 stays away because it reads what thread 0 stores, which is what it got alone. Below an
    anchor both may be alone, too, but not for that reason."""
    text = """@x = global i32 0
    define i32 @f(i32 %id) {
    begin:
      %some = call token @llvm.experimental.convergence.anchor()
      %p = alloca i32
      %first = icmp eq i32 %id, 0
      br i1 %first, label %vote, label %read
    read:
      %seen = load atomic i32, ptr @x monotonic, align 4
      %away = icmp eq i32 %seen, 1
      br i1 %away, label %end, label %vote
    vote:
      %sum = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %some) ]
      store i32 %sum, ptr %p
      br i1 %first, label %write, label %end
    write:
      %written = load i32, ptr %p
      store atomic i32 %written, ptr @x monotonic, align 4
      ret i32 %sum
    end:
      %n = phi i32 [ 7, %read ], [ %sum, %vote ]
      ret i32 %n
    }"""
    engine, switches = WAYS[way]
    found = engine(parse(HEAD + text), threads=2, arguments={"id": [0, 1]}, **switches)
    together = {
        tuple(t.value for t in found.outcomes[n].outcome.threads)
        for a in found.alignments
        if any(len(c) > 1 for c in a.execution.converged.classes)
        for n in a.outcomes
    }
    assert together == {(2, 2)}
    assert returned(found) == {(2, 2), (1, 1), (1, 7)}


LEAK = """@where = global ptr null
define i32 @f(i32 %id) {
begin:
  %p = alloca [2 x i32]
  store i32 0, ptr %p
  %q = POINTER
  br label %early
late:
  store atomic ptr %r, ptr @where release, align 8
  store atomic i32 %id, ptr %p monotonic, align 4
  %mine = load atomic i32, ptr %p monotonic, align 4
  ret i32 %mine
early:
  %r = DERIVED
  %first = icmp eq i32 %id, 0
  br i1 %first, label %late, label %other
other:
  %theirs = load atomic ptr, ptr @where acquire, align 8
  %none = icmp eq ptr %theirs, null
  br i1 %none, label %end, label %write
write:
  store atomic i32 7, ptr %theirs monotonic, align 4
  ret i32 -1
end:
  ret i32 -2
}"""


@pytest.mark.parametrize(
    ("pointer", "derived"),
    [
        ("getelementptr i8, ptr %p, i32 0", "getelementptr i8, ptr %q, i32 0"),
        ("bitcast ptr %p to ptr", "select i1 true, ptr %q, ptr %p"),
        ("freeze ptr %p", "phi ptr [ %q, %begin ]"),
    ],
)
def test_an_address_escapes_in_whatever_order_the_blocks_stand(pointer: str, derived: str) -> None:
    """The object is written by the other thread, so thread 0 may read 0 or 7."""
    text = LEAK.replace("POINTER", pointer).replace("DERIVED", derived)
    launch: dict[str, Any] = {"threads": 2, "arguments": {"id": [0, 1]}}
    found = explore(parse(text), **launch)
    assert found.complete
    assert {o.outcome.threads[0].value for o in found.outcomes if o.ending == "returned"} == {0, 7}


CALLED = """@where = global ptr null
define void @keep(ptr %there) { DO
  ret void }
define void @pass(ptr %there, i32 %more) {
  %again = icmp ne i32 %more, 0
  br i1 %again, label %deeper, label %end
deeper:
  call void @pass(ptr %there, i32 0)
  call void @keep(ptr %there)
  br label %end
end:
  ret void
}
define i32 @f(i32 %id) {
  %p = alloca i32
  call void @pass(ptr %p, i32 1)
  ret i32 0
}"""


@pytest.mark.parametrize(
    ("what", "escapes"),
    [
        ("store i32 1, ptr %there", False),
        ("store atomic ptr %there, ptr @where monotonic, align 8", True),
        ("%n = ptrtoint ptr %there to i64", True),
        ("call void @unknown(ptr %there)", True),
    ],
)
def test_a_callee_decides_whether_the_address_that_it_is_given_escapes(what: str, escapes: bool) -> None:
    module = parse(CALLED.replace("DO", what) + "\ndeclare void @unknown(ptr)")
    assert Escapes(module).escapes(module.functions["f"], "p") is escapes


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "through", ["", "store ptr %to, ptr %a\n  %here = load ptr, ptr %a"], ids=["", "a slot"]
)
@pytest.mark.parametrize(("least", "is_own"), [(9, True), (1, False)])
def test_an_address_to_come_that_may_be_own_or_not(least: int, is_own: bool, through: str, way: str) -> None:
    """The store behind it waits for it only if it is not its thread's own."""
    between = f"""%low = icmp ult i32 %sum, {least}
  %to = select i1 %low, ptr %p, ptr @other
  {through or "%here = freeze ptr %to"}
  store atomic i32 %sum, ptr %here monotonic, align 4
  store i32 %sum, ptr %q"""
    text = HEAD.replace("@unused = global i32 0", "@x = global i32 0\n@other = global i32 0")
    text += BEHIND.replace("BETWEEN", between)
    engine, switches = WAYS[way]
    found = engine(parse(text), threads=2, arguments={"id": [0, 1]}, verified=True, **switches)
    assert returned(found) == ({(5, 5), (6, 6)} if is_own else {(5, 5)})


@pytest.mark.parametrize("way", WAYS)
def test_a_store_that_may_be_to_a_constant_keeps_its_place_if_it_is(way: str) -> None:
    """No execution has the constant written: the store behind would come before what it waits for."""
    between = """%low = icmp ult i32 %sum, 6
  %to = select i1 %low, ptr %p, ptr @fixed
  store i32 %sum, ptr %to
  store i32 %sum, ptr %q"""
    text = HEAD.replace("@unused = global i32 0", "@x = global i32 0\n@fixed = constant i32 0")
    engine, switches = WAYS[way]
    text += BEHIND.replace("BETWEEN", between)
    found = engine(parse(text), threads=2, arguments={"id": [0, 1]}, verified=True, **switches)
    assert returned(found) == {(5, 5)}


FAR = """%far = ptrtoint ptr @x to i64
  %none = mul i32 %sum, 0
  %wide = zext i32 %none to i64
  %at = add i64 %far, %wide
  %there = inttoptr i64 %at to ptr"""


@pytest.mark.parametrize("way", [way for way in WAYS if way != "axiomatic"])
@pytest.mark.parametrize(
    "between",
    [
        f"{FAR}\n  %to = freeze ptr %there",
        f"{FAR}\n  {CHOSEN}\n  %to = select i1 %low, ptr %chosen, ptr %there",
        f"{FAR}\n  store ptr %there, ptr %a\n  %to = load ptr, ptr %a",
        f"{FAR}\n  %to = call ptr @llvm.ptrmask.p0.i64(ptr %there, i64 -1)",
        "%none = mul i32 %sum, 0\n  %to = getelementptr i32, ptr @x, i32 %none",
    ],
)
def test_an_address_to_come_that_may_be_any_keeps_its_place(between: str, way: str) -> None:
    """It is that of the variable, to which the store behind it goes as well."""
    text = HEAD.replace("@unused", "@x") + SET + "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)\n"
    between += "\n  store atomic i32 7, ptr %to monotonic, align 4\n  store i32 %sum, ptr %q"
    text += BEHIND.replace("BETWEEN", between)
    engine, switches = WAYS[way]
    found = engine(parse(text), threads=2, arguments={"id": [0, 1]}, verified=True, **switches)
    assert returned(found) == {(5, 5)}


KEPT = """@where = global ptr null
declare void @unknown(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define ptr @same(ptr %there) {
  %there.addr = alloca ptr
  store ptr %there, ptr %there.addr
  %here = load ptr, ptr %there.addr
  ret ptr %here
}
define ptr @f(ptr %other) {
  %p = alloca i32
  %a = alloca ptr
  %b = alloca [2 x ptr]
  DO
  ret ptr null
}"""


@pytest.mark.parametrize(
    ("what", "escapes"),
    [
        ("store ptr %p, ptr %a", False),
        ("call void @llvm.lifetime.start.p0(ptr %a)\n  store ptr %p, ptr %a\n  %k = load ptr, ptr %a", False),
        ("store ptr %p, ptr %a\n  %k = load ptr, ptr %a\n  store i32 1, ptr %k", False),
        ("store ptr %p, ptr %a\n  %k = load ptr, ptr %a\n  store ptr %k, ptr %b", False),
        ("%h = getelementptr ptr, ptr %b, i32 1\n  store ptr %p, ptr %h\n  %k = load ptr, ptr %b", False),
        ("store ptr null, ptr %b\n  %s = insertvalue { ptr, i32 } zeroinitializer, ptr %p, 0"
         "\n  store { ptr, i32 } %s, ptr %b\n  %t = load { ptr, i32 }, ptr %b", False),
        ("%k = call ptr @same(ptr %p)\n  store i32 1, ptr %k", False),
        ("store ptr %p, ptr %a\n  %k = load ptr, ptr %a\n  store ptr %k, ptr @where", True),
        ("store ptr %p, ptr %a\n  %k = load ptr, ptr %a\n  ret ptr %k", True),
        ("%k = call ptr @same(ptr %p)\n  store ptr %k, ptr @where", True),
        ("store ptr %p, ptr %a\n  %k = load i64, ptr %a", True),
        ("store volatile ptr %p, ptr %a", True),
        ("store ptr %p, ptr %a\n  call void @unknown(ptr %a)", True),
        ("store ptr %p, ptr %a\n  call ptr @same(ptr %a)", True),
        ("store ptr %p, ptr %a\n  store ptr %a, ptr %b", True),
        ("store ptr %p, ptr %a\n  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 8, i1 false)", True),
        ("store ptr %p, ptr %other", True),
        ("%h = select i1 true, ptr %a, ptr %b\n  store ptr %p, ptr %h", True),
        ("%i = zext i1 1 to i64\n  %h = getelementptr ptr, ptr %b, i64 %i\n  store ptr %p, ptr %h", True),
        ("store ptr %p, ptr %a\n  %h = select i1 true, ptr %a, ptr %b\n  %k = load ptr, ptr %h", True),
        ("%x = atomicrmw xchg ptr %a, ptr %p seq_cst", True),
    ],
)  # fmt: skip
def test_an_address_in_a_slot_is_where_its_loads_take_it(what: str, escapes: bool) -> None:
    module = parse(KEPT.replace("DO", what))
    assert Escapes(module).escapes(module.functions["f"], "p") is escapes


@pytest.mark.parametrize("way", WAYS)
def test_memory_that_others_could_know_keeps_its_place_in_the_order(way: str) -> None:
    """As above, but the address is told to all: what is stored there comes before the shared store behind."""
    text = HEAD.replace("@unused = global i32 0", "@x = global i32 0\n@where = global ptr null") + BEHIND
    text = text.replace("  BETWEEN", "  store i32 %sum, ptr %q")
    text = text.replace("  %p = alloca i32\n", "")
    text = text.replace("  %first =", "  store atomic ptr %q, ptr @where monotonic, align 8\n  %first =")
    engine, switches = WAYS[way]
    found = engine(parse(text), threads=2, arguments={"id": [0, 1]}, verified=True, **switches)
    assert returned(found) == {(5, 5)}


UPDATES = {
    "a byte of it": (
        "  %at = getelementptr i8, ptr %p, i64 1\n  store i8 90, ptr %at\n  %r = load i32, ptr %p\n"
    ),
    "atomicrmw": "  %r = atomicrmw add ptr %p, i32 1 monotonic\n",
    "cmpxchg": (
        "  %c = cmpxchg ptr %p, i32 5, i32 7 monotonic monotonic\n  %r = extractvalue {i32, i1} %c, 0\n"
    ),
}


@pytest.mark.parametrize("update", UPDATES)
def test_what_changes_a_stack_object_depends_on_what_was_there(update: str) -> None:
    """On what a read of shared memory gave, which decides where the thread goes."""
    text = f"""@x = global i32 5
define i32 @f() {{
  %p = alloca i32
  %v = load atomic i32, ptr @x monotonic, align 4
  store i32 %v, ptr %p
{UPDATES[update]}  %q = udiv i32 %r, %r
  %k = icmp eq i32 %r, 5
  br i1 %k, label %a, label %b
a:
  store atomic i32 6, ptr @x monotonic, align 4
  ret i32 %q
b:
  %w = load i32, ptr %p
  ret i32 %w
}}
"""
    found = enumerate_axiomatic(parse(text), threads=2)
    assert found.complete and found.same(explore(parse(text), threads=2))


PUBLISHING = """@a = global i32 0
@p = global ptr @a
define i32 @k(i32 %x, i1 %publishes) convergent {
entry:
  %own = alloca i32
  store i32 7, ptr %own
  %first = atomicrmw xchg ptr @a, i32 %x seq_cst
  %known = load atomic ptr, ptr @p monotonic, align 8
  br i1 %publishes, label %tell, label %read
tell:
  store atomic ptr %own, ptr @p monotonic, align 8
  br label %read
read:
  %r = load atomic i32, ptr %known monotonic, align 4
  ret i32 %r
}
"""


@pytest.mark.parametrize("publishes", [[True, True], [True, False], [False, True]])
@pytest.mark.parametrize("last", ["", "  %s = call i32 @subgroupAdd(i32 %r)\n"])
def test_an_access_to_another_threads_stack_commutes_with_no_step(publishes: list[bool], last: str) -> None:
    """Behind its last access a thread returns, and its objects end: a read of one by another thread is
    undefined then, and gives what was there before."""
    text = PUBLISHING.replace("  ret", f"{last}  ret") + "declare i32 @subgroupAdd(i32) convergent\n"
    launch = {"x": [1, 2], "publishes": publishes}
    answers = [
        explore(parse(text), threads=2, arguments=launch, **switches)
        for switches in ({}, {"prune": False}, {"reduce": False}, {"prune": False, "reduce": False})
    ]
    assert all(answer.complete and answer.same(answers[0]) for answer in answers)
    assert {outcome.ending for outcome in answers[0].outcomes} == {"returned", "undefined-behaviour"}
