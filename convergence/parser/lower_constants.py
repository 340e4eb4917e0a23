"""Operands, constants and metadata from the parse tree (LangRef, *Constants*, *Metadata*).

An operand's type stands before it, so a value is lowered to a function of its type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lark import Token

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
from ..ir.types import FloatType, FunctionType, Type
from .floats import float_bits
from .lower_types import Children, TypeRules
from .names import integer, metadata_name, name, normal_string, string

Value = Callable[[Type], Operand]
"""A value that still needs its type."""

METADATA_CLASSES = (MetadataString, MetadataReference, MetadataTuple, MetadataRecord, MetadataValue)


class Attachment(NamedTuple):
    """``!kind !node``."""

    kind: str
    node: Metadata


class Assembly(NamedTuple):
    """An inline assembler callee: a value of the call's function type."""

    flags: tuple[str, ...]
    text: str
    constraints: str

    def __call__(self, type: Type) -> Operand:
        assert isinstance(type, FunctionType)
        return InlineAsm(type, self.flags, self.text, self.constraints)


def simple(kind: str, type: Type) -> Operand:
    """``true`` and ``false`` are integers; the other words stay what they are."""
    match kind:
        case "true":
            return Int(type, 1)
        case "false":
            return Int(type, 0)
        case _:
            return Simple(type, kind)


def number_or_float(literal: str, type: Type) -> Operand:
    """A literal with a point or ``0x`` in the type that stands before it."""
    if not isinstance(type, FloatType):
        raise ValueError("floating point constant invalid for type")
    return Float(type, float_bits(literal, type.kind))


def as_metadata(item: Operand | Metadata) -> Metadata:
    """Metadata as it is; an operand used as metadata wrapped."""
    return item if isinstance(item, METADATA_CLASSES) else MetadataValue(item)


class ConstantRules(TypeRules):
    def typed(self, c: Children) -> Operand:
        value: Value = c[1]
        return value(c[0])

    def local(self, c: Children) -> Value:
        plain = name(c[0][1:])
        return lambda type: Local(type, plain)

    def global_address(self, c: Children) -> Value:
        plain = name(c[0][1:])
        return lambda type: Global(plain, type)

    def integer_constants(self, c: Children) -> Value:
        number = integer(c[0])
        return lambda type: Int(type, number)

    def floating_point_constants(self, c: Children) -> Value:
        literal = str(c[0])
        return lambda type: number_or_float(literal, type)

    def simple_constants(self, c: Children) -> Value:
        kind = str(c[0])
        return lambda type: simple(kind, type)

    def c_string(self, c: Children) -> Value:
        data = string(c[0][1:])
        return lambda type: Bytes(type, data)

    def structure_constants(self, c: Children) -> Value:
        elements = tuple(c)
        return lambda type: Aggregate(type, elements)

    packed_structure_constants = structure_constants
    array_constants = structure_constants
    vector_constants = structure_constants

    def splat(self, c: Children) -> Value:
        return lambda type: Splat(type, c[0])

    def conversion_opcode(self, c: Children) -> str:
        return str(c[0])

    def constant_conversion(self, c: Children) -> Value:
        opcode, flags, operand, to = c
        return lambda type: ConstantExpression(to, opcode, tuple(flags), (operand,))

    def constant_getelementptr(self, c: Children) -> Value:
        flags, source, *operands = c
        return lambda type: ConstantExpression(type, "getelementptr", tuple(flags), tuple(operands), source)

    def constant_binary(self, c: Children) -> Value:
        opcode, flags, *operands = c
        return lambda type: ConstantExpression(type, str(opcode), tuple(flags), tuple(operands))

    def constant_element(self, c: Children) -> Value:
        opcode, *operands = c
        return lambda type: ConstantExpression(type, str(opcode), (), tuple(operands))

    def addresses_of_basic_blocks(self, c: Children) -> Value:
        function, block = name(c[0][1:]), name(c[1][1:])
        return lambda type: BlockAddress(function, block, type)

    def dso_local_equivalent(self, c: Children) -> Value:
        kind, plain = str(c[0]), name(c[1][1:])
        return lambda type: GlobalWrapper(kind, plain, type)

    def pointer_authentication_constants(self, c: Children) -> Value:
        return lambda type: PtrAuth(tuple(c), type)

    def inline_assembler_expressions(self, c: Children) -> Assembly:
        flags, text, constraints = c
        return Assembly(
            tuple(flags),
            string(text).decode("utf-8", "surrogateescape"),
            string(constraints).decode("utf-8", "surrogateescape"),
        )

    def metadata_as_value(self, c: Children) -> Operand:
        return MetadataOperand(as_metadata(c[0]))

    # -- metadata

    def metadata_string(self, c: Children) -> Metadata:
        return MetadataString(string(c[0][1:].lstrip()))

    def metadata_reference(self, c: Children) -> Metadata:
        return MetadataReference(c[0][1:].strip())

    def metadata_null(self, c: Children) -> None:
        return None

    def metadata_element(self, c: Children) -> Metadata | None:
        return None if c[0] is None else as_metadata(c[0])

    def metadata_node(self, c: Children) -> Metadata:
        return MetadataTuple(tuple(c))

    metadata_list = metadata_node

    def metadata_words(self, c: Children) -> str:
        return " ".join(normal_string(token) for token in c)

    def metadata_field(self, c: Children) -> tuple[str | None, Metadata | str | None]:
        key = str(c[0][:-1]) if isinstance(c[0], Token) else None
        value = c[-1]
        if value == "null":
            value = None
        return key, value if value is None or isinstance(value, str) else as_metadata(value)

    def specialized_metadata_nodes(self, c: Children) -> Metadata:
        return MetadataRecord(metadata_name(c[0][1:]), tuple(c[1:]))

    def attachment(self, c: Children) -> Attachment:
        return Attachment(metadata_name(c[0][1:]), c[1])

    function_attachment = attachment


def attachments(children: Children) -> tuple[tuple[str, Metadata], ...]:
    """The attachments among a rule's children, as plain pairs."""
    return tuple((x.kind, x.node) for x in children if isinstance(x, Attachment))
