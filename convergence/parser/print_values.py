"""Types, operands and metadata as canonical text (LangRef, *Type System*, *Constants*, *Metadata*)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..ir.instructions import Argument, Words
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
    Packed,
    PtrAuth,
    Simple,
    Splat,
)
from ..ir.spelling import quoted, spelled, text_bytes
from ..ir.types import I1, ArrayType, FloatType, NamedType, StructType, Type, VectorType, type_text
from .floats import spelled_float
from .names import spelled_integer, spelled_metadata_name

METADATA = (MetadataString, MetadataReference, MetadataTuple, MetadataRecord, MetadataValue)
_CONVERSIONS = frozenset(
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast "
    "addrspacecast".split()
)


def spaced(words: Iterable[str]) -> str:
    """Words, each followed by a space."""
    return "".join(f"{word} " for word in words)


class ValuePrinter:
    """``types`` are the module's: a named struct's constant is spelled packed if its type is."""

    def __init__(self, types: Mapping[str, Type | None]) -> None:
        self.types = types

    def typed(self, operand: Operand) -> str:
        """An operand with its type before it."""
        if isinstance(operand, MetadataOperand):
            return self.value(operand)
        return f"{type_text(operand.type)} {self.value(operand)}"

    def typed_list(self, operands: Iterable[Operand]) -> str:
        return ", ".join(map(self.typed, operands))

    def value(self, operand: Operand) -> str:
        """An operand without its type."""
        match operand:
            case Local(_, name):
                return "%" + spelled(name)
            case Global(name, _):
                return "@" + spelled(name)
            case Int(type, value):
                return ("false", "true")[value] if type == I1 and value in (0, 1) else spelled_integer(value)
            case Float(type, bits):
                assert isinstance(type, FloatType)
                return spelled_float(bits, type.kind)
            case Simple(_, kind):
                return kind
            case Bytes(_, data):
                return f"c{quoted(data)}"
            case Packed(type):
                return self._aggregate(type, tuple(operand.parts()))
            case Aggregate(type, elements):
                return self._aggregate(type, elements)
            case Splat(_, element):
                return f"splat ({self.typed(element)})"
            case ConstantExpression():
                return self._expression(operand)
            case BlockAddress(function, block, _):
                return f"blockaddress(@{spelled(function)}, %{spelled(block)})"
            case GlobalWrapper(kind, name, _):
                return f"{kind} @{spelled(name)}"
            case PtrAuth(operands, _):
                return f"ptrauth ({self.typed_list(operands)})"
            case InlineAsm(_, flags, text, constraints):
                return f"asm {spaced(flags)}{quoted(text_bytes(text))}, {quoted(text_bytes(constraints))}"
            case MetadataOperand(metadata, _):
                return f"metadata {self.metadata(metadata)}"

    def _aggregate(self, type: Type, elements: tuple[Operand, ...]) -> str:
        inner = self.typed_list(elements)
        definition: Type | None = type
        while isinstance(definition, NamedType):
            definition = self.types.get(definition.name)
        match definition:
            case ArrayType():
                return f"[{inner}]"
            case VectorType():
                return f"<{inner}>"
            case StructType(_, True):
                return f"<{{ {inner} }}>" if elements else "<{}>"
            case _:
                return f"{{ {inner} }}" if elements else "{}"

    def _expression(self, expression: ConstantExpression) -> str:
        head = expression.opcode + " " + spaced(expression.flags)
        if expression.opcode in _CONVERSIONS:
            return f"{head}({self.typed(expression.operands[0])} to {type_text(expression.type)})"
        source = "" if expression.source is None else type_text(expression.source) + ", "
        return f"{head}({source}{self.typed_list(expression.operands)})"

    # -- metadata

    def metadata(self, metadata: Metadata | None) -> str:
        match metadata:
            case None:
                return "null"
            case MetadataString(data):
                return f"!{quoted(data)}"
            case MetadataReference(name):
                return "!" + name
            case MetadataTuple(elements):
                return f"!{{{', '.join(map(self.metadata, elements))}}}"
            case MetadataRecord(kind, fields):
                inner = ", ".join(self._field(kind, key, value) for key, value in fields)
                return f"!{spelled_metadata_name(kind)}({inner})"
            case MetadataValue(value):
                return self.typed(value)

    def _field(self, kind: str, key: str | None, value: Metadata | str | None) -> str:
        text = value if isinstance(value, str) else self.metadata(value)
        if kind == "GenericDINode" and isinstance(value, MetadataTuple):
            text = text[1:]  # its operands are a list in plain braces
        return text if key is None else f"{key}: {text}"

    def attachments(self, attachments: Iterable[tuple[str, Metadata]], before: str = ", ") -> str:
        return "".join(
            f"{before}!{spelled_metadata_name(kind)} {self.metadata(node)}" for kind, node in attachments
        )

    def argument(self, argument: Argument) -> str:
        if isinstance(argument.value, MetadataOperand):
            return self.value(argument.value)
        return f"{type_text(argument.value.type)} {spaced(argument.attributes)}{self.value(argument.value)}"


def print_words(words: Words) -> str:
    """Words, each preceded by a space."""
    return "".join(f" {word}" for word in words)
