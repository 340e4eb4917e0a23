"""Types, words, constants and metadata out of the rules of ``llvm.lark`` (the sections: LangRef's headings).

A value's type stands before it, so a value alone is *untyped*: ``of(type)`` makes the operand. Equal operands
and types of one text mostly share one object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ..ir.instructions import Words
from ..ir.operands import (
    Aggregate,
    BlockAddress,
    Bytes,
    ConstantExpression,
    Float,
    Global,
    GlobalWrapper,
    InlineAsm,
    Int,
    Local,
    Metadata,
    MetadataOperand,
    MetadataRecord,
    MetadataReference,
    MetadataString,
    MetadataTuple,
    MetadataValue,
    Operand,
    PtrAuth,
    Simple,
    Splat,
)
from ..ir.types import (
    METADATA,
    PTR,
    VOID,
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    NamedType,
    PointerType,
    SimpleType,
    StructType,
    TargetType,
    Type,
    VectorType,
)
from .floats import float_bits
from .names import integer, metadata_name, name, normal_string, normal_words, string

M = TypeVar("M", bound=Callable[..., Any])
Attachments = tuple[tuple[str, Metadata], ...]
METADATA_CLASSES = (MetadataString, MetadataReference, MetadataTuple, MetadataRecord, MetadataValue)


def placed(method: M) -> M:
    """Marks a method that gets, before the children, where its rule's text begins and ends."""
    method.placed = True  # type: ignore[attr-defined]
    return method


# -- what terminals stand for ---------------------------------------------------------------------


class Symbol:
    """``%name`` or ``@name``: a name, and its operand in each type that it was met with."""

    __slots__ = ("_cache", "_make", "name")

    def __init__(self, spelled: str, make: Callable[[Type, str], Operand]) -> None:
        self.name = name(spelled[1:])
        self._make = make
        self._cache: dict[int, Operand] = {}  # by the identity of the type, which the operand keeps alive

    def of(self, type: Type) -> Operand:
        entry = self._cache.get(id(type))
        if entry is None:
            entry = self._cache[id(type)] = self._make(type, self.name)
        return entry


class IntegerLiteral:
    """An integer as written."""

    __slots__ = ("_cache", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._cache: dict[int, Operand] = {}

    @property
    def number(self) -> int:
        """Its value where it counts something: elements, an index, an address space."""
        return integer(self.text)

    def of(self, type: Type) -> Operand:
        entry = self._cache.get(id(type))
        if entry is None:
            entry = self._cache[id(type)] = Int(type, self.number)
        return entry


class Untyped:
    """Any other value before its type is known."""

    __slots__ = ("of",)

    def __init__(self, of: Callable[[Type], Operand]) -> None:
        self.of = of


class Assembly(Untyped):
    """An inline assembler callee: a value of the call's function type."""

    __slots__ = ()


Value = Symbol | IntegerLiteral | Untyped


def _number_or_float(literal: str, type: Type) -> Operand:
    """A literal with a point or ``0x`` in the type that stands before it."""
    if not isinstance(type, FloatType):
        raise ValueError("floating point constant invalid for type")
    return Float(type, float_bits(literal, type.kind))


TERMINALS: dict[str, Callable[[str], Any]] = {
    "INTTYPE": lambda text: IntType(int(text[1:])),
    "FLOATTYPE": FloatType,
    "SIMPLETYPE": SimpleType,
    "LOCAL": lambda text: Symbol(text, Local),
    "GLOBAL": lambda text: Symbol(text, lambda type, name: Global(name, type)),
    "INT": IntegerLiteral,
    "FLOAT": lambda text: Untyped(lambda type: _number_or_float(text, type)),
    "ELLIPSIS": lambda text: ...,
}
"""What a terminal's text means; that of all others is their text."""

# -- what rules stand for that are no part of the IR ----------------------------------------------


class AddressSpace(NamedTuple):
    """``addrspace(N)``."""

    value: int | str


def text_of(token: str) -> str:
    return string(token).decode("utf-8", "surrogateescape")


def as_metadata(item: Operand | Metadata) -> Metadata:
    """Metadata as it is; an operand used as metadata wrapped."""
    return item if isinstance(item, METADATA_CLASSES) else MetadataValue(item)


def pairs(items: tuple[Any, ...]) -> Attachments:
    """The attachments among some children."""
    return tuple(x for x in items if type(x) is tuple)


_OF_TRUE: dict[str, Callable[[Type], Operand]] = {
    "true": lambda type: Int(type, 1),
    "false": lambda type: Int(type, 0),
}


class Values:
    """Types, words, constants and metadata over one ``text``; ``type_aliases`` are the names of types that
    are no structs."""

    def __init__(self, text: str, type_aliases: dict[str, Type]) -> None:
        self.text = text
        self.type_aliases = type_aliases
        self._types: dict[Any, Any] = {}
        self._spelled: dict[str, str] = {}
        self._simple: dict[str, Untyped] = {}

    def _shared(self, key: Any, make: Callable[[], Any]) -> Any:
        """One type for each key. A key has types by their identity, which what is made keeps alive."""
        entry = self._types.get(key)
        if entry is None:
            entry = self._types[key] = make()
        return entry

    def _words_of(self, start: int, end: int) -> str:
        """The canonical spelling of ``text[start:end]``."""
        spelled = self.text[start:end]
        entry = self._spelled.get(spelled)
        if entry is None:
            entry = self._spelled[spelled] = normal_words(spelled)
        return entry

    # -- Type System

    def pointer_type(self, space: AddressSpace | None = None) -> Type:
        if space is None:
            return PTR
        type_: Type = self._shared(space, lambda: PointerType(space.value))
        return type_

    def typed_pointer(self, pointee: Type, space: AddressSpace | None = None) -> Type:
        """``i32*`` and ``i32 addrspace(3)*``: LLVM forgets what they point to."""
        return self.pointer_type(space)

    def void_type(self) -> Type:
        return VOID

    def metadata_type(self) -> Type:
        return METADATA

    def vector_type(self, count: IntegerLiteral, element: Type) -> Type:
        type_: Type = self._shared(
            ("vector", count.text, id(element)), lambda: VectorType(count.number, element)
        )
        return type_

    def scalable_vector_type(self, count: IntegerLiteral, element: Type) -> Type:
        type_: Type = self._shared(
            ("scalable", count.text, id(element)), lambda: VectorType(count.number, element, True)
        )
        return type_

    def array_type(self, count: IntegerLiteral, element: Type) -> Type:
        type_: Type = self._shared(
            ("array", count.text, id(element)), lambda: ArrayType(count.number, element)
        )
        return type_

    def structure_type(self, *elements: Type) -> Type:
        type_: Type = self._shared(("struct", *map(id, elements)), lambda: StructType(elements))
        return type_

    def packed_structure_type(self, *elements: Type) -> Type:
        type_: Type = self._shared(("packed", *map(id, elements)), lambda: StructType(elements, True))
        return type_

    def named_type(self, symbol: Symbol) -> Type:
        plain = symbol.name
        alias = self.type_aliases.get(plain)
        if alias is not None:
            return alias
        type_: Type = self._shared(("named", plain), lambda: NamedType(plain))
        return type_

    def function_type(self, result: Type, *parameters: Any) -> Type:
        if parameters and parameters[-1] is ...:
            return FunctionType(result, parameters[:-1], True)
        return self._signature(result, parameters)

    def _signature(self, result: Type, parameters: tuple[Type, ...]) -> FunctionType:
        function_type: FunctionType = self._shared(
            ("function", id(result), *map(id, parameters)), lambda: FunctionType(result, parameters)
        )
        return function_type

    def target_extension_type(self, spelled: str, *items: Any) -> Type:
        numbers = tuple(x.number for x in items if isinstance(x, IntegerLiteral))
        types = tuple(x for x in items if not isinstance(x, IntegerLiteral))
        return TargetType(string(spelled).decode(), types, numbers)

    def address_space(self, space: IntegerLiteral | str) -> AddressSpace:
        if isinstance(space, str):
            return AddressSpace(string(space).decode())
        return AddressSpace(space.number)

    # -- Parameter and Function Attributes: words

    def attributes(self, *words: str) -> Words:
        return words

    def words(self, *words: str) -> Words:
        return words

    rmw_words = words
    predicate_words = words
    gep_flags = words
    header_words = words
    function_properties = words

    def string_attribute(self, *tokens: str) -> str:
        return "".join(token if token == "=" else normal_string(token) for token in tokens)

    @placed
    def word_with_arguments(self, start: int, end: int, word: str, arguments: None) -> str:
        return self._words_of(start, end)

    # lark keeps the brackets of this rule
    def balanced(self, *tokens: Any) -> None:
        return None

    def alignment(self, number: IntegerLiteral) -> str:
        return f"align {number.number}"

    def alignment_value(self, number: IntegerLiteral) -> str:
        return f"align={number.number}"

    def group_attribute_value(self, word: str, equal: str, number: IntegerLiteral) -> str:
        return f"{word}={number.number}"

    def calling_convention(self, number: IntegerLiteral) -> str:
        return f"cc {number.number}"

    def inrange(self, low: IntegerLiteral, high: IntegerLiteral) -> str:
        return f"inrange({low.text}, {high.text})"

    # -- Constants

    def typed(self, type: Type, value: Value) -> Operand:
        return value.of(type)

    def simple_constants(self, kind: str) -> Value:
        entry = self._simple.get(kind)
        if entry is None:
            of = _OF_TRUE.get(kind) or (lambda type: Simple(type, kind))
            entry = self._simple[kind] = Untyped(of)
        return entry

    def c_string(self, token: str) -> Value:
        data = string(token[1:])
        return Untyped(lambda type: Bytes(type, data))

    def structure_constants(self, *elements: Operand) -> Value:
        return Untyped(lambda type: Aggregate(type, elements))

    packed_structure_constants = structure_constants
    array_constants = structure_constants
    vector_constants = structure_constants

    def splat(self, element: Operand) -> Value:
        return Untyped(lambda type: Splat(type, element))

    def constant_conversion(self, opcode: str, flags: Words, operand: Operand, to: Type) -> Value:
        if opcode == "bitcast" and to == operand.type:  # LLVM has no such constant: it is the operand
            return Untyped(lambda type: operand)
        return Untyped(lambda type: ConstantExpression(to, opcode, flags, (operand,)))

    def constant_getelementptr(self, flags: Words, source: Type, *operands: Operand) -> Value:
        return Untyped(lambda type: ConstantExpression(type, "getelementptr", flags, operands, source))

    def constant_binary(self, opcode: str, flags: Words, *operands: Operand) -> Value:
        return Untyped(lambda type: ConstantExpression(type, opcode, flags, operands))

    def constant_element(self, opcode: str, *operands: Operand) -> Value:
        return Untyped(lambda type: ConstantExpression(type, opcode, (), operands))

    def addresses_of_basic_blocks(self, function: Symbol, block: Symbol) -> Value:
        return Untyped(lambda type: BlockAddress(function.name, block.name, type))

    def dso_local_equivalent(self, kind: str, symbol: Symbol) -> Value:
        return Untyped(lambda type: GlobalWrapper(kind, symbol.name, type))

    def pointer_authentication_constants(self, *operands: Operand) -> Value:
        return Untyped(lambda type: PtrAuth(operands, type))

    def inline_assembler_expressions(self, flags: Words, text: str, constraints: str) -> Value:
        def of(type: Type) -> Operand:
            if not isinstance(type, FunctionType):
                raise ValueError("inline assembly that is not called")
            return InlineAsm(type, flags, text_of(text), text_of(constraints))

        return Assembly(of)

    # -- Metadata

    def metadata_as_value(self, item: Operand | Metadata) -> Operand:
        return MetadataOperand(as_metadata(item))

    def metadata_string(self, token: str) -> Metadata:
        return MetadataString(string(token[1:]))

    def spaced_metadata_string(self, token: str) -> Metadata:
        return MetadataString(string(token))

    def metadata_reference(self, token: str) -> Metadata:
        return MetadataReference(token[1:])

    def spaced_metadata_reference(self, number: IntegerLiteral) -> Metadata:
        if not number.text.isdigit():
            raise ValueError("a number of metadata")
        return MetadataReference(number.text)

    def metadata_null(self) -> None:
        return None

    def metadata_element(self, item: Operand | Metadata | None) -> Metadata | None:
        return None if item is None else as_metadata(item)

    def metadata_node(self, *elements: Metadata | None) -> Metadata:
        return MetadataTuple(elements)

    metadata_list = metadata_node

    def metadata_words(self, *tokens: str | IntegerLiteral) -> str:
        return " ".join(normal_string(x) if isinstance(x, str) else x.text for x in tokens)

    def metadata_field(self, value: Any, key: str | None = None) -> tuple[str | None, Metadata | str | None]:
        if value is None or value == "null":
            return key, None
        return key, value if isinstance(value, str) else as_metadata(value)

    def metadata_named_field(self, label: str, value: Any) -> tuple[str | None, Metadata | str | None]:
        return self.metadata_field(value, label[:-1])

    def specialized_metadata_nodes(
        self, kind: str, *fields: tuple[str | None, Metadata | str | None]
    ) -> Metadata:
        return MetadataRecord(metadata_name(kind[1:]), fields)

    def attachment(self, kind: str, node: Metadata) -> tuple[str, Metadata]:
        return metadata_name(kind[1:]), node

    def attachments(self, *pairs: tuple[str, Metadata]) -> Attachments:
        return pairs

    function_attachments = attachments
