"""The program as data: types, operands, instructions, modules; and the CFG facts derived from them.

Here: LLVM's types, operands and metadata as frozen values (LangRef, *Type System*).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..frozen import dataclass

# ----------------------------------------------------------------------------------------------------------
# How LLVM's text spells names and strings (LangRef, *Identifiers*, *String constants*).
# ----------------------------------------------------------------------------------------------------------

_BARE = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*")
_NUMBER = re.compile(r"[0-9]+")
_QUOTED_NUMBER = re.compile(r'"[0-9]+"')
_UNPRINTABLE = re.compile(rb"[^ !#-\[\]-~]")


def escape_bytes(data: bytes) -> str:
    """Bytes as the inside of a quoted string, all but printable ASCII as ``\\xx``."""
    return _UNPRINTABLE.sub(lambda m: b"\\%02X" % m[0][0], data).decode("ascii")


def quoted(data: bytes) -> str:
    """``"..."`` for some bytes."""
    return f'"{escape_bytes(data)}"'


def spelled(plain: str) -> str:
    """A name as the text spells it, without sigil: quoted and escaped where it must be."""
    if _BARE.fullmatch(plain) or _NUMBER.fullmatch(plain) or _QUOTED_NUMBER.fullmatch(plain):
        return plain
    return quoted(plain.encode("utf-8", "surrogateescape"))


def text_bytes(text: str) -> bytes:
    """The bytes of a string that the parser decoded."""
    return text.encode("utf-8", "surrogateescape")


class _Spelled:
    """A type whose text is LLVM's."""

    __slots__ = ()

    def __str__(self) -> str:
        return type_text(self)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class IntType(_Spelled):
    """``iN``: ``bits`` is N."""

    bits: int


@dataclass(frozen=True, slots=True)
class FloatType(_Spelled):
    """``half``, ``bfloat``, ``float``, ``double``, ``fp128``, ``x86_fp80``, ``ppc_fp128``."""

    kind: str


@dataclass(frozen=True, slots=True)
class PointerType(_Spelled):
    """``ptr`` or ``ptr addrspace(N)``; ``address_space`` is a number or a symbolic name (``"A"``)."""

    address_space: int | str = 0


@dataclass(frozen=True, slots=True)
class SimpleType(_Spelled):
    """Types that have only a name: ``void``, ``label``, ``token``, ``metadata``, ``opaque``, ``x86_amx``."""

    kind: str


@dataclass(frozen=True, slots=True)
class VectorType(_Spelled):
    """``<count x element>``, or ``<vscale x count x element>`` when ``scalable``."""

    count: int
    element: Type
    scalable: bool = False


@dataclass(frozen=True, slots=True)
class ArrayType(_Spelled):
    """``[count x element]``."""

    count: int
    element: Type


@dataclass(frozen=True, slots=True)
class StructType(_Spelled):
    """A literal struct ``{...}``, or ``<{...}>`` when ``packed``."""

    elements: tuple[Type, ...]
    packed: bool = False


@dataclass(frozen=True, slots=True)
class NamedType(_Spelled):
    """``%name``, a reference into ``Module.types``; unnamed types are named by their number."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionType(_Spelled):
    """``result (parameters...)``."""

    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class TargetType(_Spelled):
    """``target("name", types..., numbers...)``."""

    name: str
    types: tuple[Type, ...] = ()
    numbers: tuple[int, ...] = ()


Type = (
    IntType
    | FloatType
    | PointerType
    | SimpleType
    | VectorType
    | ArrayType
    | StructType
    | NamedType
    | FunctionType
    | TargetType
)

VOID = SimpleType("void")
LABEL = SimpleType("label")
TOKEN = SimpleType("token")
METADATA = SimpleType("metadata")
I1 = IntType(1)
PTR = PointerType()


def address_space(space: int | str) -> str:
    """``addrspace(3)``, ``addrspace("A")``."""
    return f"addrspace({space})" if isinstance(space, int) else f"addrspace({quoted(text_bytes(space))})"


def type_text(type: Type) -> str:
    """A type as LLVM spells it."""
    match type:
        case IntType(bits):
            return f"i{bits}"
        case FloatType(kind) | SimpleType(kind):
            return kind
        case PointerType(space):
            return f"ptr {address_space(space)}" if space != 0 else "ptr"
        case VectorType(count, element, scalable):
            return f"<{'vscale x ' if scalable else ''}{count} x {type_text(element)}>"
        case ArrayType(count, element):
            return f"[{count} x {type_text(element)}]"
        case StructType(elements, packed):
            inner = "{ " + ", ".join(map(type_text, elements)) + " }" if elements else "{}"
            return f"<{inner}>" if packed else inner
        case NamedType(name):
            return "%" + spelled(name)
        case FunctionType(result, parameters, variadic):
            inner = ", ".join([*map(type_text, parameters), *(["..."] if variadic else [])])
            return f"{type_text(result)} ({inner})"
        case TargetType(name, types, numbers):
            items = [quoted(text_bytes(name)), *map(type_text, types), *map(str, numbers)]
            return f"target({', '.join(items)})"


_PIECE = re.compile(
    r"""\s*(?:(?P<integer>i\d+)\b|(?P<float>half|bfloat|float|double|fp128|x86_fp80|ppc_fp128)\b
    |(?P<pointer>ptr)(?:\s+addrspace\((?P<space>\d+)\))?|%(?:"(?P<quoted>[^"\\]*)"|(?P<plain>[-\w.$]+))
    |(?P<count>\d+)\s*x\b|(?P<mark><\{|\}>|[<>{}\[\],]))""",
    re.VERBOSE,
)
_CLOSING = {"{": "}", "<{": "}>"}


def data_type(text: str) -> Type | None:
    """The type that a text spells, as attributes hold it (``byval({i32, [2 x i8]})``), with the blanks of
    :func:`type_text` or without; ``None`` for one that only the parser reads: of functions and targets,
    vectors of unknown length, names with escapes, address spaces in words."""
    pieces: list[re.Match[str]] = []
    end = 0
    while end < len(text.rstrip()):
        piece = _PIECE.match(text, end)
        if piece is None:
            return None
        pieces.append(piece)
        end = piece.end()
    pieces.reverse()
    try:
        type_ = _next_type(pieces)
    except (IndexError, ValueError):
        return None
    return None if pieces else type_


def _next_type(pieces: list[re.Match[str]]) -> Type:
    """The type that the last pieces spell, which are taken away.

    :raises IndexError, ValueError: where they spell none
    """
    piece = pieces.pop()
    match piece.lastgroup:
        case "integer":
            return IntType(int(piece["integer"][1:]))
        case "float":
            return FloatType(piece["float"])
        case "pointer" | "space":
            return PointerType(int(piece["space"] or 0))
        case "quoted" if piece["quoted"].isdecimal():  # is no unnamed type's number
            return NamedType(f'"{piece["quoted"]}"')
        case "quoted" | "plain":
            return NamedType(piece["quoted"] or piece["plain"])
    match piece["mark"]:
        case "{" | "<{" as opening:
            return StructType(tuple(_elements(pieces, _CLOSING[opening])), opening == "<{")
        case "[" | "<" as opening:
            count, element = int(pieces.pop()["count"] or "none"), _next_type(pieces)
            _expect(pieces, "]" if opening == "[" else ">")
            return ArrayType(count, element) if opening == "[" else VectorType(count, element)
    raise ValueError


def _elements(pieces: list[re.Match[str]], closing: str) -> list[Type]:
    """Types with commas between them, up to the closing mark."""
    elements: list[Type] = []
    while pieces[-1]["mark"] != closing:
        if elements:
            _expect(pieces, ",")
        elements.append(_next_type(pieces))
    pieces.pop()
    return elements


def _expect(pieces: list[re.Match[str]], mark: str) -> None:
    if pieces.pop()["mark"] != mark:
        raise ValueError


PADDING = ("dx.Padding", "spirv.Padding")
"""Target types that are so many bytes between the members of a constant buffer."""


# -- Variables of shaders


HANDLES = ("spirv.", "dx.")
"""Target types that LLVM lays out as a pointer: handles of resources, which only target operations look
into."""


def is_padding(type_: Type) -> bool:
    """Whether a part of a layout is padding."""
    return isinstance(type_, TargetType) and type_.name in PADDING


def is_handle(type_: Type) -> bool:
    """Whether a type is that of a resource's handle: its value is the address of what is bound."""
    return (
        isinstance(type_, TargetType)
        and type_.name.startswith(HANDLES)
        and type_.name not in (*PADDING, "dx.Layout")
    )


# ----------------------------------------------------------------------------------------------------------
# Operands and constants as frozen values (LangRef, *Constants*). Each carries its type.
# ----------------------------------------------------------------------------------------------------------


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
