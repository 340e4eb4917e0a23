"""Irreducible cycles made reducible: what is said of it, and that nothing else changes.

covers: transform.infer
"""

from __future__ import annotations

import itertools
import random

from convergence.ir.instructions import Phi
from convergence.ir.module import Function
from convergence.parser import parse
from convergence.parser.printer import print_module
from convergence.sched.enumeration import identity_of
from convergence.semantics import Endless, Returned
from convergence.semantics.machine.run import run
from convergence.transform.infer import DispatchBlock, Transformed, make_reducible
from convergence.transform.rewrite import with_functions

from .transforming import irreducible, module, sound

TWO_ENTRIES = """
define i32 @f(i1 %c, i32 %x) {
a:
  br i1 %c, label %b, label %d
b:
  %p = phi i32 [ 1, %a ], [ %q2, %d ]
  %p2 = add i32 %p, %x
  br label %d
d:
  %q = phi i32 [ 2, %a ], [ %p2, %b ]
  %q2 = add i32 %q, 1
  %e = icmp ult i32 %q2, 10
  br i1 %e, label %b, label %r
r:
  ret i32 %q2
}
"""


def made_reducible(text: str) -> tuple[Function, tuple[DispatchBlock, ...], Transformed]:
    before = module(text)
    function, done = make_reducible(before.functions["f"])
    return function, done, Transformed(with_functions(before, {"f": function}), ())


def test_two_entries() -> None:
    function, (done,), after = made_reducible(TWO_ENTRIES)
    assert done == DispatchBlock("b.dispatch", ("b", "d"), ("b", "d"), ("a.to.b", "a.to.d"))
    assert "%b %d is irreducible, with entries %b, %d" in str(done)
    assert irreducible(function) == 0
    sound(after)


def test_a_reducible_function_stays_the_very_same() -> None:
    text = TWO_ENTRIES.replace("label %b, label %d\nb:", "label %b, label %b\nb:").replace("[ 2, %a ], ", "")
    text = text.replace("[ 1, %a ]", "[ 1, %a ], [ 1, %a ]")
    before = module(text).functions["f"]
    assert make_reducible(before) == (before, ())
    assert make_reducible(before)[0] is before


def test_values_of_both_kinds_of_edges() -> None:
    """One-thread results of all small inputs are what they were."""
    _, _, after = made_reducible(TWO_ENTRIES)
    before, now = module(TWO_ENTRIES), sound(after)
    for c, x in itertools.product((0, 1), range(-1, 6)):
        arguments = {"c": [c], "x": [x]}
        bound = 3_000
        one = run(before, function="f", arguments=arguments, max_steps=bound)
        two = run(now, function="f", arguments=arguments, max_steps=2 * bound)
        assert isinstance(one.ending, Endless if x < 0 else Returned), x
        assert type(one.ending) is type(two.ending)
        if x >= 0:
            assert identity_of(one.outcome) == identity_of(two.outcome)


def _random_text(source: random.Random) -> str:
    """A function on any CFG of up to nine blocks whose branches read the bits of ``%w`` one by one.

    Every block has a phi with a different constant for each edge, sums it up, and does it in
    memory too, so that a wrong edge or a wrong order of blocks shows. It ends when 24 bits are read.
    """
    count = source.randrange(3, 9)
    names = [f"b{n}" for n in range(count)]
    plan = [[names[source.randrange(1, count)] for _ in range(source.choice((1, 2, 2, 2, 3)))] for _ in names]
    edges: dict[str, list[tuple[str, int]]] = {name: [] for name in names}
    for n, targets in enumerate(plan):
        for target in targets:
            edges[target].append((names[n], 10 * n + names.index(target)))
    lines = ["define i32 @f(i32 %w) {"]
    lines += ["e:", "  %m = alloca i32", "  store i32 %w, ptr %m", "  %s = alloca i32"]
    lines += ["  store i32 1, ptr %s", "  %k = alloca i32", "  store i32 0, ptr %k", "  br label %b0"]
    for n, name in enumerate(names):
        lines.append(f"{name}:")
        incoming = [*([("e", 7)] if n == 0 else []), *edges[name]]
        if incoming:
            pairs = ", ".join(f"[ {value}, %{block} ]" for block, value in incoming)
            lines.append(f"  %p{n} = phi i32 {pairs}")
        value = f"%p{n}" if incoming else "0"
        lines += [
            f"  %s{n} = load i32, ptr %s", f"  %t{n} = mul i32 %s{n}, 31",
            f"  %u{n} = add i32 %t{n}, {value}",
            f"  store i32 %u{n}, ptr %s", f"  call void @plain(i32 %u{n})", f"  %k{n} = load i32, ptr %k",
            f"  %l{n} = add i32 %k{n}, 1", f"  store i32 %l{n}, ptr %k", f"  %c{n} = icmp ugt i32 %l{n}, 24",
            f"  br i1 %c{n}, label %x{n}, label %g{n}", f"x{n}:", f"  ret i32 %u{n}", f"g{n}:",
            f"  %m{n} = load i32, ptr %m", f"  %h{n} = lshr i32 %m{n}, 1", f"  store i32 %h{n}, ptr %m",
            f"  %o{n} = and i32 %m{n}, {1 if len(plan[n]) < 3 else 3}",
        ]  # fmt: skip
        match plan[n]:
            case [one]:
                lines.append(f"  br label %{one}")
            case [one, two]:
                lines += [f"  %v{n} = trunc i32 %o{n} to i1", f"  br i1 %v{n}, label %{one}, label %{two}"]
            case [one, *rest]:
                cases = " ".join(f"i32 {at}, label %{to}" for at, to in enumerate(rest, 1))
                lines.append(f"  switch i32 %o{n}, label %{one} [ {cases} ]")
    text = "\n".join([*lines, "}"])
    for n in range(count):  # edges leave from %g, where the terminator is
        text = text.replace(f", %b{n} ]", f", %g{n} ]")
    return text


def test_random_graphs_do_the_same_on_one_thread() -> None:
    source = random.Random(5)
    several = nested = 0
    for _ in range(60):
        text = _random_text(source)
        before = module(text)
        function = before.functions["f"]
        found = irreducible(function)
        made, done = make_reducible(function)
        assert irreducible(made) == 0
        assert len(done) >= found
        several += any(len(d.entries) > 2 for d in done)
        nested += len(done) > 1
        after = sound(Transformed(with_functions(before, {"f": made}), ()))
        for _ in range(4):
            arguments = {"w": [source.randrange(1 << 31)]}
            one = run(before, function="f", arguments=arguments)
            two = run(after, function="f", arguments=arguments)
            assert one.ending == two.ending, (text, one.ending, two.ending)
            assert identity_of(one.outcome) == identity_of(two.outcome), text
            old = {b.name for b in function.blocks}
            assert [v.block for v in two.execution.visits[0] if v.block in old] == [
                v.block for v in one.execution.visits[0]
            ]
    assert several > 5
    assert nested > 5


def test_phis_name_each_predecessor_once() -> None:
    function, _, after = made_reducible(TWO_ENTRIES)
    for instruction in function.instructions:
        if isinstance(instruction, Phi):
            blocks = [block for _, block in instruction.incoming]
            assert len(blocks) == len(set(blocks))
    assert parse(print_module(after.module)) is not None
