"""Exchanges and shared memory mixed at random: both engines find the same alignments and outcomes.

What D-CAUSE says was built twice, as times that grow along dependence and as a machine that defers
what is not known yet; programs in which the two would differ are rare, so many are tried.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from convergence.parser import parse
from tests.launches import enumerate_axiomatic, explore

HEAD = """@x = global i32 0
@y = global i32 0
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent
"""


class Writer:
    """One function: loads, stores, read-modify-writes, sums under one token, and branches on all of them."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        start = rng.choice(["entry", "entry", "anchor"])
        attribute = "convergent " if start == "entry" else ""
        self.lines = [
            f"define i32 @f(i32 %id) {attribute}{{",
            "e:",
            f"%t = call token @llvm.experimental.convergence.{start}()",
        ]
        self.names = self.labels = 0
        total = "0"
        for value in self.statements(rng.randint(3, 5), ["%id", "0", "1"], 1)[3:]:
            total = self.define(f"add i32 {self.define(f'mul i32 {total}, 8')}, {value}")
        self.lines += [f"ret i32 {total}", "}"]

    def define(self, what: str) -> str:
        self.names += 1
        self.lines.append(f"%v{self.names} = {what}")
        return f"%v{self.names}"

    def statements(self, count: int, given: list[str], depth: int) -> list[str]:
        """Writes some; the values that there are afterwards."""
        rng, values = self.rng, list(given)
        for _ in range(count):
            place, one, other = rng.choice("xy"), rng.choice(values), rng.choice(values)
            kind = rng.random()
            if kind < 0.25:
                values.append(self.define(f"load atomic i32, ptr @{place} monotonic, align 4"))
            elif kind < 0.45:
                self.lines.append(f"store atomic i32 {one}, ptr @{place} monotonic, align 4")
            elif kind < 0.52:
                values.append(self.define(f"atomicrmw add ptr @{place}, i32 {one} monotonic"))
            elif kind < 0.75:
                bundle = '[ "convergencectrl"(token %t) ]'
                values.append(self.define(f"call i32 @subgroupAdd(i32 {one}) {bundle}"))
            elif kind < 0.82:
                values.append(self.define(f"{rng.choice(['add', 'xor', 'and'])} i32 {one}, {other}"))
            elif depth:
                self.branch(values, one, depth)
        return values

    def branch(self, values: list[str], on: str, depth: int) -> None:
        self.labels += 1
        n, rng = self.labels, self.rng
        taken = self.define(f"icmp {rng.choice(['eq', 'ugt'])} i32 {on}, {rng.choice('01')}")
        self.lines.append(f"br i1 {taken}, label %a{n}, label %b{n}")
        for side, most in (("a", 2), ("b", 1)):
            self.lines.append(f"{side}{n}:")
            self.statements(rng.randint(0, most), values, depth - 1)
            self.lines.append(f"br label %j{n}")
        self.lines.append(f"j{n}:")


def test_both_engines_order_memory_alike() -> None:
    compared = several = 0
    for seed in range(20_000, 20_040):
        rng = random.Random(seed)
        text = HEAD + "\n".join(Writer(rng).lines)
        threads = rng.choice([2, 2, 2, 3])
        arguments = {"id": list(range(threads))}
        module = parse(text)
        launch: dict[str, Any] = {"threads": threads, "arguments": arguments}
        operational = explore(module, max_executions=2_000, **launch)
        axiomatic = enumerate_axiomatic(
            module, threads=threads, arguments=arguments, max_alignments=200, timeout=5
        )
        if operational.complete and axiomatic.complete:
            assert operational.same(axiomatic), text
            compared += 1
            several += len(axiomatic.outcomes) > 1
    assert compared > 30
    assert several > 8


CALLED = """declare void @llvm.amdgcn.endpgm()
declare i32 @personality(...)
define i32 @g() {
  %v = load atomic i32, ptr @x monotonic, align 4
  %ends = icmp eq i32 %v, 1
  br i1 %ends, label %a, label %b
a:
  call void @llvm.amdgcn.endpgm()
  unreachable
b:
  ret i32 2
}
define i32 @f(i1 %calls) convergent personality ptr @personality {
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %calls, label %go, label %end
landing:
  %l = landingpad { ptr, i32 } cleanup
  ret i32 9
end:
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  %alone = icmp eq i32 %s, 1
  %z = zext i1 %alone to i32
  store atomic i32 %z, ptr @x monotonic, align 4
  ret i32 %s
go:
"""


@pytest.mark.parametrize(
    "call",
    [
        "%v = call i32 @g() br label %end",
        "%v = invoke i32 @g() to label %end unwind label %landing",
        "%v = invoke i32 @g() to label %end unwind label %landing\nafter:\n  ret i32 5",
    ],
)
def test_who_is_in_a_callee_may_come_to_what_is_behind_the_call(call: str) -> None:
    """A group of one because the other ended, which ended because of that group's result: no execution."""
    module = parse(HEAD + CALLED + call + "\n}")
    launch: dict[str, Any] = {"threads": 2, "arguments": {"calls": [-1, 0]}}
    both = explore(module, **launch), enumerate_axiomatic(module, **launch)
    assert all(answer.complete for answer in both)
    assert both[0].same(both[1])
    assert len(both[0].outcomes) == 1


WIDE = """@y = global [8 x i8] zeroinitializer, align 16
declare i32 @getThreadId()
define i64 @k() {
  %id = call i32 @getThreadId()
  switch i32 %id, label %a [i32 1, label %b i32 2, label %c]
a:
  store atomic i8 255, ptr getelementptr (i8, ptr @y, i64 4) monotonic, align 1
  ret i64 0
b:
  %old = atomicrmw umin ptr @y, i64 258 monotonic, align 8
  ret i64 %old
c:
  %low = load atomic i32, ptr @y unordered, align 4
  %wide = zext i32 %low to i64
  ret i64 %wide
}
"""


def test_what_is_written_hangs_from_bytes_read_beside_it() -> None:
    """The low bytes that the minimum leaves hang from the high one, which the last load does not read."""
    operational, axiomatic = (engine(parse(WIDE), threads=3) for engine in (explore, enumerate_axiomatic))
    assert axiomatic.complete and operational.same(axiomatic) and len(axiomatic.outcomes) == 3


def test_what_is_written_hangs_from_what_an_earlier_write_of_more_bytes_did_not_see() -> None:
    """The second minimum reads the same bytes as the first, and the high one may be another by then."""
    once = "  %old = atomicrmw umin ptr @y, i64 258 monotonic, align 8\n"
    store = "  store atomic i8 255, ptr getelementptr (i8, ptr @y, i64 4) monotonic, align 1\n"
    text = WIDE.replace(once, once.replace("%old = ", "").replace("258", "300") + once)
    text = text.replace(store, store + store.replace("255", "0")).replace(
        "zeroinitializer", "[i8 9, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0]"
    )
    operational, axiomatic = (engine(parse(text), threads=3) for engine in (explore, enumerate_axiomatic))
    assert axiomatic.complete and operational.same(axiomatic)


COPIED = """@x = global i32 0
@y = global i32 0
@d = global i32 0
declare i32 @getThreadId()
declare void @llvm.amdgcn.s.barrier() convergent
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i32 @k() convergent {{
  %id = call i32 @getThreadId()
  %first = icmp eq i32 %id, 0
{body}}}
"""


@pytest.mark.parametrize(
    ("body", "outcomes"),
    [
        (
            "  %v = add i32 %id, 1\n  store atomic i32 %v, ptr @x monotonic, align 4\n  fence release\n"
            "  call void @llvm.amdgcn.s.barrier()\n  fence acquire\n  br i1 %first, label %a, label %b\n"
            "a:\n  call void @llvm.memcpy.p0.p0.i64(ptr @y, ptr @x, i64 4, i1 false)\n  ret i32 0\n"
            "b:\n  ret i32 0\n",
            2,
        ),
        (
            "  br i1 %first, label %a, label %b\na:\n  store i32 7, ptr @d\n"
            "  store atomic i32 1, ptr @x release, align 4\n"
            "  call void @llvm.memcpy.p0.p0.i64(ptr @y, ptr @x, i64 4, i1 false)\n  ret i32 0\n"
            "b:\n  %f = load atomic i32, ptr @x acquire, align 4\n  %c = icmp eq i32 %f, 1\n"
            "  br i1 %c, label %r, label %n\nr:\n  %v = load i32, ptr @d\n  ret i32 %v\nn:\n  ret i32 0\n",
            2,
        ),
    ],
    ids=["who wrote last before it", "what was released there"],
)
def test_a_copy_changes_nothing_where_it_reads(body: str, outcomes: int) -> None:
    module = parse(COPIED.format(body=body))
    operational, axiomatic = (engine(module, threads=2) for engine in (explore, enumerate_axiomatic))
    assert operational.complete and axiomatic.complete and operational.same(axiomatic)
    assert len(axiomatic.outcomes) == outcomes


def test_what_a_copy_reads_it_does_not_write() -> None:
    text = """@x = global i32 33619714, align 16
@y = global i32 0, align 16
declare i32 @getThreadId()
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
define i32 @k() {
  %id = call i32 @getThreadId()
  %first = icmp eq i32 %id, 0
  br i1 %first, label %a, label %b
a:
  call void @llvm.memmove.p0.p0.i64(ptr @y, ptr @x, i64 4, i1 false)
  store i32 1, ptr @y
  ret i32 0
b:
  %r = load i32, ptr @x
  ret i32 %r
}
"""
    operational, axiomatic = (engine(parse(text), threads=2) for engine in (explore, enumerate_axiomatic))
    assert axiomatic.complete and operational.same(axiomatic) and len(axiomatic.outcomes) == 1
    swapped = enumerate_axiomatic(parse(text.replace("load i32, ptr @x", "load i32, ptr @y")), threads=2)
    assert not swapped.complete
