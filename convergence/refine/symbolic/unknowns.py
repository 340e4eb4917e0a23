"""What the parts of a symbolic comparison share: its limits, unknown values, uninterpreted functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import z3

from ...frozen import dataclass
from ...ir.types import ArrayType, StructType, Type, VectorType
from ...sched.constraints.walk import World
from ...semantics.arithmetic.symbolic import bit_vector, boolean
from ...semantics.bounds import Bound
from ...semantics.clock import Clock
from ...semantics.values.of_type import zero
from ...semantics.values.value import Composite, Pointer, RuntimeValue, Value, scalars


class OutsideSymbolic(Exception):
    """What the symbolic comparison cannot take; ``feature`` names it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.feature = what


class TooMany(Exception):
    """A ``bound`` on the work was hit."""

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound)
        self.bound = bound


@dataclass(frozen=True, slots=True)
class Budget:
    """``iterations``: no thread passes a block more often than this and once more, in one activation.
    ``paths`` per thread, ``steps`` per path, and the ``clock`` over all."""

    iterations: int
    paths: int
    steps: int
    clock: Clock

    def look(self) -> None:
        """Raises TooMany past the deadline, and after an interrupt."""
        bound = self.clock.hit()
        if bound is not None:
            raise TooMany(bound)


def uninterpreted(
    world: World, name: str, values: Sequence[RuntimeValue], types: Sequence[Type], type_: Type
) -> RuntimeValue:
    """The value of an uninterpreted function of scalars; poison if one of them is. Sides share it."""
    parts = [s for value in values for s in scalars(value)]
    if any(isinstance(part, Pointer) for part in parts):
        raise OutsideSymbolic("a pointer given to a function without a model")
    sizes = [cast(int, s.bits) for type_of in types for s in scalars(_widths(type_of, world))]
    terms = [bit_vector(part.bits, size) for part, size in zip(parts, sizes, strict=True)]
    spoiled = world.domain.folded(z3.Or(*(boolean(p.poison) for p in parts))) if parts else False
    count = 0

    def scalar(like: RuntimeValue) -> RuntimeValue:
        nonlocal count
        if isinstance(like, Composite):
            return Composite(tuple(scalar(e) for e in like.elements))
        if isinstance(like, Pointer):
            raise OutsideSymbolic("a function without a model that returns a pointer")
        count += 1
        width = like.bits
        full = f"{name} part {count} of {sizes}"
        if not terms:
            return Value(z3.BitVec(full, width), spoiled)
        sorts = [z3.BitVecSort(size) for size in (*sizes, width)]
        return Value(z3.Function(full, *sorts)(*terms), spoiled)

    return scalar(_widths(type_, world))


def _widths(type_: Type, world: World) -> RuntimeValue:
    """A value of a type whose scalars hold their widths; pointers stay pointers."""
    layout = world.program.layout

    def width(like: RuntimeValue, of: Type) -> RuntimeValue:
        of = layout.resolve(of)
        if not isinstance(like, Composite):
            return like if isinstance(like, Pointer) else Value(layout.bits(of))
        match of:
            case StructType(parts):
                inner: Sequence[Type] = parts
            case VectorType(count, element) | ArrayType(count, element):
                inner = (element,) * count
            case _:
                raise AssertionError(f"{of} has no elements")
        return Composite(tuple(width(e, t) for e, t in zip(like.elements, inner, strict=True)))

    return width(zero(type_, layout, world.program.domain), type_)


def unknown_of(type_: Type, name: str, world: World) -> RuntimeValue:
    """An unknown value of a type, not poison, its scalars named."""
    count = 0

    def unknown(like: RuntimeValue) -> RuntimeValue:
        nonlocal count
        if isinstance(like, Composite):
            return Composite(tuple(unknown(e) for e in like.elements))
        if isinstance(like, Pointer):
            raise OutsideSymbolic("a pointer inside an argument")
        count += 1
        return Value(z3.BitVec(f"{name} {count}", like.bits), False)

    return unknown(_widths(type_, world))
