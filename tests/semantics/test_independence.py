"""What a computation does not depend on, against all values of small integers (D-DEP).

covers: semantics.environments.speculation
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from convergence.ir import Local
from convergence.ir.instructions import operands
from convergence.parser import parse
from convergence.refine import refine
from convergence.semantics.environments.queued import QueuedTranslation
from convergence.semantics.environments.speculation import Independence
from convergence.semantics.instructions import prepare
from convergence.semantics.instructions.expressions import constant
from convergence.semantics.machine.program import Program, Settings
from convergence.semantics.values import Value

WIDTH = 3
OPERATIONS = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr")


def independence(body: str) -> tuple[Independence, QueuedTranslation]:
    module = parse(f"define i{WIDTH} @f(i{WIDTH} %x, i{WIDTH} %y) {{\n{body}\nret i{WIDTH} %r\n}}")
    translation = QueuedTranslation(Program(module, Settings(order="dependence")), module.functions["f"])
    return Independence(translation), translation


def drawn(random: Random) -> str:
    """A few computations of %x and %y; the last is %r."""
    values = ["%x", "%y", "0", "1", "-1", "2"]
    lines = []
    count = random.randrange(1, 5)
    for n in range(count):
        name = "%r" if n == count - 1 else f"%v{n}"
        a, b = random.choice(values), random.choice(values)
        match random.randrange(8):
            case 0:
                one, other = (f"i{WIDTH} {random.choice(values)}" for _ in range(2))
                lines += [
                    f"%c{n} = icmp {random.choice(('eq', 'ult', 'sge'))} i{WIDTH} {a}, {b}",
                    f"{name} = select i1 %c{n}, {one}, {other}",
                ]
            case 1:
                lines += [f"%t{n} = trunc i{WIDTH} {a} to i1", f"{name} = zext i1 %t{n} to i{WIDTH}"]
            case _:
                lines.append(f"{name} = {random.choice(OPERATIONS)} i{WIDTH} {a}, {b}")
        values.append(name)
    return "\n".join(lines)


def computed(translation: QueuedTranslation, x: int, y: int) -> tuple[Any, Any]:
    """%r, as plain interpretation has it."""
    known: dict[str, Any] = {"x": Value(x, False), "y": Value(y, False)}
    context = translation.context
    for instruction in translation.function.instructions[:-1]:
        evaluate = prepare(instruction, context)
        assert evaluate is not None and instruction.result is not None
        given = [known[o.name] if hasattr(o, "name") else constant(o, context) for o in operands(instruction)]
        known[instruction.result] = evaluate(*given)
    return known["r"].bits, known["r"].poison


@pytest.mark.parametrize("seed", range(120))
def test_it_is_what_all_values_show(seed: int) -> None:
    body = drawn(Random(seed))
    found, translation = independence(body)
    slots = translation.code.slots
    reduced = found.of(slots["r"])
    values = range(1 << WIDTH)
    table = {(x, y): computed(translation, x, y) for x, y in product(values, values)}
    suspects = found.suspects(slots["r"])
    assert reduced is None or set(reduced.without) <= set(suspects), body
    free = set() if reduced is None else {name for name in "xy" if slots[name] in reduced.without}
    used = {"r"}
    for instruction in reversed(translation.function.instructions[:-1]):
        if instruction.result in used:
            used |= {o.name for o in operands(instruction) if isinstance(o, Local)}
    same_x = all(table[x, y] == table[0, y] for x, y in table)
    same_y = all(table[x, y] == table[x, 0] for x, y in table)
    assert "x" not in free or same_x, body
    assert "y" not in free or same_y, body
    if not any(poison for _, poison in table.values()):  # poison of constants is not looked into
        assert free >= {n for n, same in (("x", same_x), ("y", same_y)) if same and n in used}, body
    if reduced is None:
        return
    for (x, y), (bits, poison) in table.items():
        known = {slots["x"]: Value(x, False), slots["y"]: Value(y, False)}
        value = reduced.evaluate(*[known[s] for s in reduced.slots])
        assert (value.bits, value.poison) == (bits, poison), body


@pytest.mark.parametrize(
    ("body", "free"),
    [
        ("%r = and i3 %x, 0", "x"),
        ("%r = mul i3 %x, 0", "x"),
        ("%r = or i3 %x, -1", "x"),
        ("%r = xor i3 %x, %x", "x"),
        ("%a = and i3 %x, 1\n%b = and i3 %a, 2\n%r = add i3 %b, %y", "x"),
        ("%a = add i3 %x, %y\n%r = sub i3 %a, %x", "x"),
        ("%c = icmp ult i3 %x, 2\n%r = select i1 %c, i3 %y, i3 %y", "x"),
        ("%r = and i3 %x, 1", ""),
        ("%r = add i3 %x, %y", ""),
        ("%r = udiv i3 0, %x", ""),
        ("%a = add nsw i3 %x, 1\n%r = and i3 %a, 0", ""),
    ],
)
def test_what_passes_see(body: str, free: str) -> None:
    found, translation = independence(body)
    reduced = found.of(translation.code.slots["r"])
    names = set() if reduced is None else {n for n in "xy" if translation.code.slots[n] in reduced.without}
    assert names == set(free)


CROSSED = """
define i32 @f(i1 %first) convergent {
start:
  br label %which
which:
  %go_left = phi i1 [ %first, %start ], [ %not, %latch ]
  %counts = phi i32 [ 0, %start ], [ %counts.next, %latch ]
  br i1 %go_left, label %left, label %right
left:
  %in.left = call token @llvm.experimental.convergence.anchor()
  %lefts = call i32 @subgroupAdd(i32 10) [ "convergencectrl"(token %in.left) ]
  br label %latch
right:
  %in.right = call token @llvm.experimental.convergence.anchor()
  %rights = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %in.right) ]
  br label %latch
latch:
  %count = phi i32 [ %lefts, %left ], [ %rights, %right ]
  %counts.next = add i32 %counts, %count
  %not = xor i1 %go_left, true
  %turned = icmp ne i1 %not, %first
  SOME
  %again = and i1 %turned, %some
  br i1 %again, label %which, label %out
out:
  ret i32 %counts.next
}
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
"""
NONE = "%some = or i1 true, true"


@pytest.mark.parametrize(
    ("some", "verdict"),
    [
        ("%none = and i32 %count, 0\n  %some = icmp eq i32 %none, 0", "equal"),
        ("%some = icmp uge i32 %count, 0", "equal"),
        ("%odd = and i32 %count, 1\n  %some = icmp ult i32 %odd, 2", "equal"),
        ("%some = icmp ne i32 %count, 0", "wrong"),
        ("%some = icmp ult i32 %count, 1000", "wrong"),
    ],
)
def test_a_false_dependence_may_go_and_a_true_one_may_not(some: str, verdict: str) -> None:
    """Both groups may be crossed if nothing depends on them, which the target's text says, too."""
    given: dict[str, Any] = {"threads": 2, "arguments": {"first": [1, 0]}}
    source, target = parse(CROSSED.replace("SOME", some)), parse(CROSSED.replace("SOME", NONE))
    assert refine(source, target, **given).verdict == verdict
    assert refine(target, source, **given).verdict in ("equal", "refines")
