"""What a register holds: bits with poison, composites, values to come; constants, layout, display.

Here: runtime values, bits with poison, values that are not known yet, and both as plain data for answers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ...alignment import StaticInstance
from ...frozen import Json, dataclass
from ...ir import (
    ArrayType,
    FloatType,
    IntType,
    PointerType,
    SimpleType,
    StructType,
    TargetType,
    Type,
    VectorType,
    is_handle,
)
from .. import option

if TYPE_CHECKING:
    from .datalayout import Layout

# ----------------------------------------------------------------------------------------------------------
# Runtime values: bits with poison (LangRef, *Poison Values*, *Undefined Values*, *Pointer Aliasing Rules*).
#
# A scalar is a :class:`Value`: ``bits`` in the type's own width, unsigned (floats as their IEEE bit
# pattern, pointers as addresses), and ``poison``. In the concrete domain they are a Python int and
# a bool; in the symbolic domain a z3 bit-vector and a z3 Bool. Poison is per scalar: per vector
# lane, per struct field, per array element, held in a :class:`Composite`.
#
# ``undef`` stands for the fixed choice 0, made anew at each use and not propagated by arithmetic;
# the scalar is an :class:`Undef`, so that the machine can name the choice and refuse to branch on it.
# ----------------------------------------------------------------------------------------------------------

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


# ----------------------------------------------------------------------------------------------------------
# Values that are not known yet: one notion for what a run waits for and for what a solver will say.
#
# Under D-CAUSE a thread needs a value only where it depends on it: to compute (then the result is
# pending, too), to take a branch, or as an operand of an exchange. In the queued environment a pending
# value comes when what it waits for has happened; on a candidate trace it is there at once, as a term
# over unknowns, and says which exchanges and reads it needs (docs/decisions/pending.md).
# ----------------------------------------------------------------------------------------------------------


Needs = frozenset[Any]
"""Exchanges and accesses to shared memory on which something depends."""
NOTHING: Needs = frozenset()


class Pending:
    """A value to come: from outside (``evaluate`` is ``None``), or computed from ``operands``; once ``ready``
    it is ``value``.

    ``where`` is the instruction that it belongs to; ``needs`` is what a term depends on (:func:`term`).
    """

    __slots__ = ("evaluate", "needs", "operands", "ready", "value", "where")

    def __init__(
        self,
        where: StaticInstance,
        evaluate: Callable[..., Any] | None = None,
        operands: tuple[Any, ...] = (),
    ) -> None:
        self.where = where
        self.evaluate = evaluate
        self.operands = operands
        self.ready = False
        self.value: Any = None
        self.needs = NOTHING

    def set(self, value: Any) -> None:
        """The value has come."""
        self.value = value
        self.ready = True
        self.operands = ()


_NOWHERE = StaticInstance("", 0)


def term(value: Any, needs: Needs) -> Pending:
    """A value over unknowns, which depends on what they are results of."""
    pending = Pending(_NOWHERE)
    pending.set(value)
    pending.needs = needs
    return pending


class Later(NamedTuple):
    """Plain data to come: a value, known or pending, of a type."""

    value: Any
    type: Type


def settled(value: Any) -> Any:
    """The value itself once it has come; until then the :class:`Pending`."""
    return value.value if value.__class__ is Pending and value.ready else value


def is_open(value: Any) -> bool:
    """Whether the value is still to come, even after computing what can be computed."""
    return value.__class__ is Pending and not settle(value)


def settle(deferred: Pending) -> bool:
    """Computes a value and what it needs, as far as that has come; whether it is there.

    Raises what computing it raises. Needs no recursion, however long the chain.
    """
    if deferred.ready:
        return True
    if deferred.evaluate is None:
        return False
    work = [deferred]
    while work:
        top = work[-1]
        if top.ready:
            work.pop()
            continue
        if top.evaluate is None:
            return False
        for operand in top.operands:
            if operand.__class__ is Pending and not operand.ready:
                work.append(operand)
                break
        else:
            value = top.evaluate(*map(settled, top.operands))
            if value.__class__ is Pending:
                top.evaluate, top.operands = same, (value,)
                continue
            top.set(value)
            work.pop()
    return True


def same(value: Any) -> Any:
    """What stands for another value once it is known which."""
    return value


# -- Values that nobody gave: arguments that a run may not need (``--path`` decides branches instead)


@dataclass(frozen=True, slots=True)
class Unknown:
    """What stands in a register for a value that is not known; ``name`` is the argument it comes from.
    ``pointer``: it is an address."""

    name: str
    pointer: bool = False


def needed(unknown: Unknown, by: str) -> str:
    """The message when an unknown value matters."""
    what, value = ("buffer", "TYPE[N]") if unknown.pointer else ("arg", "VALUE")
    how = option(what, value, f"%{unknown.name}")
    return f"argument %{unknown.name} has no value, but {by} needs it: give it with {how}"


# ----------------------------------------------------------------------------------------------------------
# Runtime values as plain data, for answers: no addresses, integers as integers, poison by its name.
# ----------------------------------------------------------------------------------------------------------


ObjectAt = Callable[[int], Provenance | None]
"""The object that lies at an address, if one does."""


def plain(value: object, type_: Type, layout: Layout, object_at: ObjectAt | None = None) -> Json:
    """A value of a type: signed integers (``i1`` as 0 or 1), floats, pointers as ``"@g+4"``, lists for
    aggregates; ``"poison"``, ``"undef"`` and ``"unknown"`` for what has no value; ``None`` for void.

    A pointer that an integer became is named by the object that ``object_at`` has at its address, as any
    other pointer there: which integers and pointers an address went through is seen by nobody. A pointer
    into an object is a :class:`Place`."""
    if value.__class__ is Value and type_.__class__ is IntType:  # most values
        if value.poison is not False:
            return "poison"
        return "undef" if value.undef else _signed(value.bits, type_.bits)
    if value is None or isinstance(type_, SimpleType):
        return None
    if isinstance(value, Unknown):
        return "unknown"
    type_ = layout.resolve(type_)
    if isinstance(value, Composite):
        return [plain(v, t, layout, object_at) for v, t in zip(value.elements, _parts(type_), strict=True)]
    assert isinstance(value, Value)
    if value.poison is not False:
        return "poison"
    if value.undef:
        return "undef"
    match type_:
        case IntType(bits):
            return _signed(value.bits, bits)
        case FloatType(kind):
            return _float(kind, value.bits)
        case PointerType():
            return _pointer(value, object_at)
        case TargetType() if is_handle(type_):
            return _pointer(value, object_at)
        case _:
            return int(value.bits)


def _signed(number: int, bits: int) -> int:
    return number - (1 << bits) if bits > 1 and number >> (bits - 1) else number


def _parts(type_: Type) -> tuple[Type, ...]:
    match type_:
        case ArrayType(count, element) | VectorType(count, element):
            return (element,) * count
        case StructType(parts):
            return parts
        case _:
            raise AssertionError(f"{type_} has no elements")


_FORMATS = {"half": ("<H", "<e"), "float": ("<I", "<f"), "double": ("<Q", "<d")}


def _float(kind: str, bits: int) -> Json:
    """The number that a bit pattern spells; strings for infinities, NaN and the wide formats."""
    if kind == "bfloat":
        kind, bits = "float", bits << 16
    if kind not in _FORMATS:
        return f"{kind} {bits:#x}"
    integer, number = _FORMATS[kind]
    result: float = struct.unpack(number, struct.pack(integer, bits))[0]
    if result != result:
        return "nan"
    if result in (float("inf"), float("-inf")):
        return "inf" if result > 0 else "-inf"
    return result


def _pointer(value: Value, object_at: ObjectAt | None) -> str:
    """The object that a pointer is based on, and how far into it it points."""
    provenance = value.provenance
    if provenance is None and value.bits and object_at is not None:
        provenance = object_at(value.bits)
    if provenance is None or provenance.name == "null":
        return "null" if value.bits == 0 else f"address {value.bits:#x}"
    return Place(provenance.name, value.bits - provenance.base)


class Place(str):
    """An address as plain data: so many bytes into the object of that name (``"@g+4"``)."""

    object: str
    offset: int

    def __new__(cls, object_: str, offset: int) -> Place:
        place = super().__new__(cls, object_ + (f"{offset:+d}" if offset else ""))
        place.object, place.offset = object_, offset
        return place

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]  # what copies are made of
        return self.object, self.offset


# ----------------------------------------------------------------------------------------------------------
# What a call of a function without a model may read, as data (:mod:`..memory.accesses` finds it).
# ----------------------------------------------------------------------------------------------------------


class ReadDependence(NamedTuple):
    """What a call that only reads depends on besides its operands: how many calls of its thread may have
    written something, and what the thread ``changed`` of the memory that the callee may read."""

    calls: int
    changed: list[tuple[str | int, int, Json]]


class Reading(NamedTuple):
    """Among what an event is made of: what its callee may read, a :class:`ReadDependence`, known or to
    come."""

    value: Any

    @property
    def places(self) -> tuple[tuple[str | int, int, Json], ...]:
        """The bytes that the thread had changed, by object and offset. How many calls wrote somewhere is left
        out: they are events themselves, in order. Nothing in a run that stopped before."""
        value = settled(self.value)
        if not isinstance(value, ReadDependence):
            return ()
        return tuple((name, offset, byte) for name, offset, byte in value.changed if offset >= 0)
