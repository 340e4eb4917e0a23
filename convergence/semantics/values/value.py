"""Runtime values: bits with poison (LangRef, *Poison Values*, *Undefined Values*, *Pointer Aliasing Rules*).

A scalar is a :class:`Value`: ``bits`` in the type's own width, unsigned (floats as their IEEE bit
pattern, pointers as addresses), and ``poison``. In the concrete domain they are a Python int and
a bool; in the symbolic domain a z3 bit-vector and a z3 Bool. Poison is per scalar: per vector
lane, per struct field, per array element, held in a :class:`Composite`.

``undef`` stands for the fixed choice 0, made anew at each use and not propagated by arithmetic;
the scalar is an :class:`Undef`, so that the machine can name the choice and refuse to branch on it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Bits = Any
"""A bit-vector of the domain: a Python int (unsigned), or a z3 bit-vector."""
Truth = Any
"""A truth value of the domain: a Python bool, or a z3 Bool."""


class Provenance(NamedTuple):
    """The allocation that a pointer is based on: its identity, base address, size in bytes and name.
    ``open_ended``: a declaration leaves the size open, and so it is what is at hand."""

    id: int
    base: int
    size: int
    name: str
    open_ended: bool = False

    @property
    def room(self) -> int:
        """How many bytes behind its beginning an address may lie to be in its bounds."""
        return OPEN if self.open_ended else self.size


OPEN = 1 << 47
"""Bytes that no object has."""
NULL = Provenance(-1, 0, 0, "null")
"""What ``null`` is based on: an object of size zero at address zero."""
OUTSIDE = -2
"""The identity of objects outside the program, behind pointers that a stand-in function returned."""


def is_outside(provenance: object) -> bool:
    """Whether a pointer is based on an object of which nobody knows where it begins or how large it is."""
    return isinstance(provenance, Provenance) and provenance.id == OUTSIDE


class Value:
    """One scalar. Never changed after it is made (by contract: enforcing it would cost more than an add)."""

    __slots__ = ("bits", "poison")

    def __init__(self, bits: Bits, poison: Truth = False) -> None:
        self.bits = bits
        self.poison = poison

    @property
    def undef(self) -> bool:
        """Whether the bits are the fixed choice for an ``undef`` or uninitialised value."""
        return False

    @property
    def provenance(self) -> Provenance | None:
        """A pointer's allocation; ``None`` for one that may point to whatever lies at its address."""
        return None

    def __eq__(self, other: object) -> bool:
        """Same kind of value; all poison values of a kind are equal."""
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, Value)
        return bool(self.poison == other.poison and (self.poison is True or self.bits == other.bits))

    def __hash__(self) -> int:
        return hash("poison" if self.poison is True else self.bits)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'poison' if self.poison is True else self.bits})"


class Undef(Value):
    """An ``undef`` scalar that is no pointer; its bits are the choice made for it."""

    __slots__ = ()

    @property
    def undef(self) -> bool:
        return True


class Pointer(Value):
    """An address and the allocation that it is based on."""

    __slots__ = ("_provenance",)

    def __init__(self, bits: Bits, provenance: Provenance | None, poison: Truth = False) -> None:
        self.bits = bits
        self.poison = poison
        self._provenance = provenance

    @property
    def provenance(self) -> Provenance | None:
        return self._provenance

    def __repr__(self) -> str:
        name = self._provenance.name if self._provenance else "anywhere"
        return f"{type(self).__name__}({'poison' if self.poison is True else self.bits}, {name})"


class UndefPointer(Pointer):
    """An ``undef`` pointer: the choice is ``null``."""

    __slots__ = ()

    @property
    def undef(self) -> bool:
        return True


class Composite:
    """A vector, array or struct: its elements in order."""

    __slots__ = ("elements",)

    def __init__(self, elements: tuple[RuntimeValue, ...]) -> None:
        self.elements = elements

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Composite) and self.elements == other.elements

    def __hash__(self) -> int:
        return hash(self.elements)

    def __repr__(self) -> str:
        return f"Composite({', '.join(map(repr, self.elements))})"


RuntimeValue = Value | Composite


def scalar(value: RuntimeValue) -> Value:
    """The value, which typing rules of the IR make a scalar."""
    assert isinstance(value, Value), value
    return value


def elements(value: RuntimeValue) -> tuple[RuntimeValue, ...]:
    """The elements of what typing rules of the IR make a vector, array or struct."""
    assert isinstance(value, Composite), value
    return value.elements


def scalars(value: RuntimeValue) -> tuple[Value, ...]:
    """All scalars of a value, depth first."""
    if isinstance(value, Value):
        return (value,)
    return tuple(s for element in value.elements for s in scalars(element))


def any_undef(value: RuntimeValue) -> bool:
    """Whether some scalar of a value is the fixed choice for an undef."""
    return any(s.undef for s in scalars(value))


def any_poison(value: RuntimeValue) -> bool:
    """Whether some scalar of a value is poison for certain."""
    return any(s.poison is True for s in scalars(value))
