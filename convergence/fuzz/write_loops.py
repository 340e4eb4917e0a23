"""Cycles of generated functions: natural loops of every form, and irreducible ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .build import Draft, Value
from .scopes import use

if TYPE_CHECKING:
    from .write import Writer


def loop(w: Writer) -> None:
    """A natural loop: ``while`` (test in the header), ``do``-``while`` (test in the latch) or ``for`` (a
    latch of its own that ``continue`` goes to), maybe with a loop-invariant exit in the header; with a heart
    or without."""
    from .write import Region

    build = w.build
    counter, limit = build.fresh("i"), _limit(w)
    build.write(counter, "0")
    parent = use(w.scopes[-1], w.random) if w.controlled and w.can_use and w.chance(w.shape.hearts) else None
    form = w.random.choice(("while", "do", "for"))
    header, after = build.block("head"), build.block("exit")
    latch = build.block("latch") if form == "for" else None
    region = Region(after, len(w.scopes) - 1, len(w.scopes[-1]))
    index = len(w.regions)

    def step() -> None:
        flags = w.random.choice(("", "nuw ", "nuw nsw "))
        build.write(counter, build.value(f"add {flags}i32 {build.read(counter)}, 1"))

    def again() -> None:
        if latch is not None:
            build.goto(latch)
            return
        step()
        if form == "while":
            build.goto(header)
        else:
            _test(w, counter, limit, header, index)

    region.proceed = again
    w.regions.append(region)
    w.loops += 1
    build.goto(header)
    build.start(header)
    w.scopes.append([])
    if parent is not None:
        w.scopes[-1].append(w.control("loop", "heart", parent))
    if form != "do" or w.chance(0.3):
        for _ in range(w.random.randint(0, 2)):
            if w.can_use and w.chance(0.7):
                w.do_exchange()
    if w.chance(0.3):
        _invariant_exit(w, index)
    if form != "do":
        body = build.block("body")
        _test(w, counter, limit, body, index)
        build.start(body)
    w.statements(4, 1)
    if build.at is not None:
        again()
    if latch is not None and latch.predecessors:
        build.start(latch)
        step()
        build.goto(header)
    w.loops -= 1
    w.regions.pop()
    w.scopes.pop()
    del w.scopes[-1][region.kept :]
    if after.predecessors:
        build.start(after)


def _limit(w: Writer) -> Value:
    """How often: a constant, or up to three times by a variable."""
    if w.chance(0.4):
        return str(w.random.randint(1, 4))
    return w.build.value(f"and i32 {w.build.read(w.variable())}, 3", "n")


def _test(w: Writer, counter: str, limit: Value, again: Draft, index: int) -> None:
    """Go round while the counter is below the limit, else leave the region ``index``."""
    more = w.build.value(f"icmp ult i32 {w.build.read(counter)}, {limit}", "more")
    _or_leave(w, more, again, index, 0.2)


def _invariant_exit(w: Writer, index: int) -> None:
    """Leave by a condition that no iteration changes, and that threads need not agree on."""
    go = w.build.block("go")
    _or_leave(w, w.invariant(), go, index, 0.3)
    w.build.start(go)


def _or_leave(w: Writer, condition: Value, on: Draft, index: int, outside: float) -> None:
    """Branch on, or to the region's exit: straight, or through code that already stands outside of it."""
    build, region = w.build, w.regions[index]
    if w.chance(outside):
        out = build.block("out")
        build.branch(condition, on, out, w.weights())
        build.start(out)
        saved = [list(s) for s in w.scopes]
        w.walk_out(index)
        w.scopes = saved
    else:
        build.branch(condition, on, region.exit, w.weights())


def empty_loop(w: Writer) -> None:
    """A loop that only computes, maybe with a heart all the same."""
    build = w.build
    counter, limit = build.fresh("j"), _limit(w)
    variable = w.variable()
    build.write(counter, "0")
    header, after = build.block("spin"), build.block("spun")
    parent = use(w.scopes[-1], w.random) if w.controlled and w.can_use and w.chance(0.4) else None
    build.goto(header)
    build.start(header)
    if parent is not None:
        w.control("loop", "heart", parent)
    if w.chance(0.7):
        opcode = w.random.choice(("add", "xor", "mul"))
        other = build.read(counter) if w.chance(0.5) else w.operand()
        build.write(variable, build.value(f"{opcode} i32 {build.read(variable)}, {other}"))
    if w.chance(0.3):
        w.do_plain()
    build.write(counter, build.value(f"add nuw nsw i32 {build.read(counter)}, 1"))
    more = build.value(f"icmp ult i32 {build.read(counter)}, {limit}", "more")
    build.branch(more, header, after, w.weights())
    build.start(after)


def irreducible(w: Writer) -> None:
    """A cycle with two entries. Tokens from outside must not be used inside, so in controlled functions its
    operations have anchors of their own."""
    build = w.build
    fuel = build.fresh("fuel")
    build.write(fuel, "0")
    one, two, after = build.block("one"), build.block("two"), build.block("after")
    outer = [list(s) for s in w.scopes]
    w.fork(one, two)
    w.inside += 1
    w.scopes = [*outer, []]
    for block, other in ((one, two), (two, one)):
        build.start(block)
        w.scopes[-1].clear()
        if w.controlled and w.chance(0.2):
            w.do_anchor()
        if w.can_use and w.chance(0.7):
            w.do_exchange()
        elif w.chance(0.4):
            w.do_plain()
        build.write(fuel, build.value(f"add i32 {build.read(fuel)}, 1"))
        if block is two:
            spent = build.value(f"icmp ult i32 {build.read(fuel)}, 4")
            go_on = build.value(f"and i1 {spent}, {w.condition()}", "p")
            w.fork_to(go_on, other, after)
        else:
            build.goto(other)
    w.inside -= 1
    w.scopes = outer
    build.start(after)
