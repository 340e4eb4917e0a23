"""Calling conventions by one name, as LLVM has them.

covers: ir.targets
"""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from convergence.ir.targets import convention_of
from convergence.parser import parse


def test_a_number_is_the_name_that_llvm_prints_for_it() -> None:
    for number in range(140):
        try:
            printed = str(llvm.parse_assembly(f"declare cc {number} void @f(i1)"))
        except RuntimeError:
            continue  # a convention that does not take these arguments
        ours = parse(f"declare cc {number} void @f(i1)").functions["f"].convention
        theirs = parse(printed).functions["f"].convention
        assert convention_of(ours) == convention_of(theirs), (number, theirs)


@pytest.mark.parametrize(
    ("one", "other"),
    [((), ("ccc",)), (("cc", "8"), ("fastcc",)), (("cc0",), ()), (("riscv_vls_cc",), ("riscv_vls_cc(128)",))],
)
def test_one_convention_has_one_name(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert convention_of(one) == convention_of(other)


def test_conventions_without_a_name_are_told_apart() -> None:
    assert convention_of(("cc", "101")) == "cc101" != convention_of(("cc", "99"))
