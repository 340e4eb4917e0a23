"""Generated cases as hypothesis strategies; they shrink to small programs."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from .programs_draw import Case, Shape
from .programs_generate import generate


@dataclass
class _Drawing:
    draw: st.DrawFn

    def below(self, bound: int) -> int:
        return self.draw(st.integers(0, bound - 1))


@st.composite
def cases(draw: st.DrawFn, shape: Shape = Shape()) -> Case:  # noqa: B008 - frozen
    """Programs of a shape, with arguments for each thread."""
    return generate(_Drawing(draw), shape)
