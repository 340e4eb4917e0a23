"""Unnamed values and blocks have LLVM's numbers.

covers: parser.names
"""

from __future__ import annotations

import random
import re

import pytest

from convergence.parser import parse
from convergence.parser.printer import print_module
from tests.parser.reading import DATA, by_driver, by_lark, llvm_prints


def test_the_file() -> None:
    text = next(path for path in DATA if path.stem == "numbering").read_text()
    functions = parse(text).functions
    implicit = functions["implicit"]
    assert [p.name for p in implicit.parameters] == ["0", "named", "1"]
    assert [b.name for b in implicit.blocks] == ["2", "5", "7", "8"]
    assert [i.result for i in implicit.instructions] == ["3", None, "4", None, "6", None, None, None, None]
    explicit = functions["explicit"]
    assert [p.name for p in explicit.parameters] == ["0", "3"]
    assert [b.name for b in explicit.blocks] == ["4", "20", "30", "31"]
    assert [b.name for b in functions["named"].blocks] == ['"0"', "6 "]
    assert [i.result for i in functions["named"].instructions][:2] == ['"5"', "0"]


def nameless(rnd: random.Random) -> str:
    """A function in which everything that can go without a name may do so."""
    number, lines, values = 0, [], []
    for _ in range(rnd.randrange(4)):
        values.append(f"%{number}")
        number += 1
    parameters = ", ".join("i32" for _ in values)
    lines.append(f"define i32 @f({parameters}) {{")
    last = rnd.randrange(1, 5)
    for block in range(last + 1):
        if block or rnd.random() < 0.5:
            spelled = rnd.random()
            if spelled < 0.5 or (block and spelled < 0.7):
                lines.append(f"{number}:")
        number += 1
        for _ in range(rnd.randrange(4)):
            operand = rnd.choice(values) if values else "7"
            kind = rnd.randrange(4)
            if kind == 0:
                lines.append(f"  add i32 {operand}, 1")
            elif kind == 1:
                lines.append(f"  %{number} = mul i32 {operand}, 3")
            elif kind == 2:
                lines.append(f"  store i32 {operand}, ptr null")
                continue
            else:
                lines.append(f"  call void @v(i32 {operand})")
                continue
            values.append(f"%{number}")
            number += 1
        lines.append("  ret i32 0" if block == last else f"  br label %{number}")
    return "\n".join([*lines, "}", "declare void @v(i32)", ""])


@pytest.mark.parametrize("seed", range(150))
def test_random_functions_without_names(seed: int) -> None:
    """What we print, with every number written out, LLVM takes; and it is the same function to LLVM."""
    text = nameless(random.Random(seed))
    module = by_driver(text)
    assert module == by_lark(text)
    printed = print_module(module)
    assert not re.search(r"^  (?:add|mul)", printed, re.MULTILINE)
    assert llvm_prints(printed) == llvm_prints(text)


def test_a_call_counts_by_what_it_returns() -> None:
    calls = "call i32 %p()", "call void %p()", "call i32 (...) %p()", "call {} %p()", "ret void"
    text = "define void @f(ptr %p) {\n" + "\n".join(calls) + "\n}\n"
    assert [i.result for i in by_driver(text).functions["f"].instructions] == ["1", None, "2", "3", None]
    assert [i.result for i in by_driver(llvm_prints(text)).functions["f"].instructions] == [
        "1",
        None,
        "2",
        "3",
        None,
    ]
