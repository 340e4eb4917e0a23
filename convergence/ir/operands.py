"""Operands and constants as frozen values (LangRef, *Constants*). Each carries its type."""

from __future__ import annotations

from collections.abc import Iterator

from ..frozen import dataclass
from .types import METADATA, PTR, ArrayType, FunctionType, IntType, Type


@dataclass(frozen=True, slots=True)
class Local:
    """``%name``: an argument or an instruction's result; unnamed values have their number as name."""

    type: Type
    name: str


@dataclass(frozen=True, slots=True)
class Global:
    """``@name``: the address of a function, global variable, alias or ifunc."""

    name: str
    type: Type = PTR


@dataclass(frozen=True, slots=True)
class Int:
    """An integer constant; ``value`` is as written (may be negative); ``true`` is ``Int(i1, 1)``."""

    type: Type
    value: int


@dataclass(frozen=True, slots=True)
class Float:
    """A floating-point constant; ``bits`` is its bit pattern in its own type, unsigned."""

    type: Type
    bits: int


@dataclass(frozen=True, slots=True)
class Simple:
    """``null``, ``undef``, ``poison``, ``zeroinitializer`` or ``none``, by ``kind``."""

    type: Type
    kind: str


@dataclass(frozen=True, slots=True)
class Bytes:
    """``c"..."``: an array of i8, unescaped."""

    type: Type
    data: bytes


@dataclass(frozen=True, slots=True)
class Packed:
    """An array of integers or floating-point numbers of whole bytes, as its bytes, little-endian: what a
    buffer holds at the launch. Text has no such form of its own; it is written as an :class:`Aggregate`."""

    type: ArrayType
    data: bytes

    def parts(self) -> Iterator[Int | Float]:
        """The elements, one by one."""
        element = self.type.element
        size = len(self.data) // max(1, self.type.count)
        for at in range(0, len(self.data), size or 1):
            bits = int.from_bytes(self.data[at : at + size], "little")
            yield Int(element, bits) if isinstance(element, IntType) else Float(element, bits)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A struct, array or vector constant, element by element."""

    type: Type
    elements: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Splat:
    """``splat (T v)``: a vector with ``element`` in every lane."""

    type: Type
    element: Operand


@dataclass(frozen=True, slots=True)
class ConstantExpression:
    """``opcode flags (operands...)``; ``source`` is getelementptr's source element type.

    ``flags`` are the words between opcode and parenthesis (``inbounds``, ``nuw``, ``inrange(-8, 16)``).
    """

    type: Type
    opcode: str
    flags: tuple[str, ...]
    operands: tuple[Operand, ...]
    source: Type | None = None


@dataclass(frozen=True, slots=True)
class BlockAddress:
    """``blockaddress(@function, %block)``."""

    function: str
    block: str
    type: Type = PTR


@dataclass(frozen=True, slots=True)
class GlobalWrapper:
    """``dso_local_equivalent @f`` or ``no_cfi @f``: names ``@f`` but is not ``@f`` itself."""

    kind: str
    name: str
    type: Type = PTR


@dataclass(frozen=True, slots=True)
class PtrAuth:
    """``ptrauth (ptr CST, i32 KEY[, i64 DISC[, ptr ADDR]])``."""

    operands: tuple[Operand, ...]
    type: Type = PTR


@dataclass(frozen=True, slots=True)
class InlineAsm:
    """``asm flags "text", "constraints"``, legal only as a callee; ``flags`` such as ``sideeffect``."""

    type: FunctionType
    flags: tuple[str, ...]
    text: str
    constraints: str


@dataclass(frozen=True, slots=True)
class MetadataOperand:
    """``metadata ...`` as an operand."""

    metadata: Metadata
    type: Type = METADATA


Operand = (
    Local
    | Global
    | Int
    | Float
    | Simple
    | Bytes
    | Packed
    | Aggregate
    | Splat
    | ConstantExpression
    | BlockAddress
    | GlobalWrapper
    | PtrAuth
    | InlineAsm
    | MetadataOperand
)


@dataclass(frozen=True, slots=True)
class MetadataString:
    """``!"text"``, unescaped bytes."""

    data: bytes


@dataclass(frozen=True, slots=True)
class MetadataReference:
    """``!5`` or, for named metadata, ``!name``; ``name`` is without the ``!``."""

    name: str


@dataclass(frozen=True, slots=True)
class MetadataTuple:
    """``!{...}``; an element is ``None`` for ``null``."""

    elements: tuple[Metadata | None, ...]


@dataclass(frozen=True, slots=True)
class MetadataRecord:
    """A specialised node ``!DIName(key: value, ...)``, its fields in the text's order.

    A field's key is ``None`` where the syntax has none (``!DIExpression(DW_OP_deref)``);
    a field's value is metadata, an operand, or the words of the text (``DIFlagPublic | DIFlagX``).
    """

    kind: str
    fields: tuple[tuple[str | None, Metadata | str | None], ...]


@dataclass(frozen=True, slots=True)
class MetadataValue:
    """A value used as metadata: ``i32 1``, ``ptr @f``."""

    value: Operand


Metadata = MetadataString | MetadataReference | MetadataTuple | MetadataRecord | MetadataValue


def nested(*roots: Operand) -> Iterator[Operand]:
    """The operands, and the constants that they are made of, however deep."""
    work = list(roots)
    while work:
        operand = work.pop()
        yield operand
        match operand:
            case Aggregate(elements=inner) | ConstantExpression(operands=inner) | PtrAuth(operands=inner):
                work += inner
            case Splat(element=element):
                work.append(element)
            case _:
                pass


def named_globals(*roots: Operand) -> Iterator[str]:
    """The globals that operands are or mention, however deep."""
    for operand in nested(*roots):
        if isinstance(operand, Global | GlobalWrapper):
            yield operand.name


def holds_undef(operand: Operand) -> bool:
    """Whether a constant is undef, or an element or operand of it."""
    return any(isinstance(o, Simple) and o.kind == "undef" for o in nested(operand))
