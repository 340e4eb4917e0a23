"""Values as plain data.

covers: semantics.values
"""

from __future__ import annotations

import pytest

from convergence.ir import IntType
from convergence.semantics.values import Value, plain
from convergence.semantics.values.datalayout import Layout


@pytest.mark.parametrize(
    ("width", "bits", "shown"),
    [
        (1, 0, 0),
        (1, 1, 1),
        (2, 1, 1),
        (2, 2, -2),
        (2, 3, -1),
        (3, 3, 3),
        (3, 4, -4),
        (8, 127, 127),
        (8, 128, -128),
    ],
)
def test_integers_are_signed_but_truths(width: int, bits: int, shown: int) -> None:
    assert plain(Value(bits), IntType(width), Layout()) == shown


def test_poison_has_a_name() -> None:
    assert plain(Value(1, poison=True), IntType(8), Layout()) == "poison"
