"""Types, words and attributes from the parse tree (LangRef, *Type System*, *Parameter Attributes*).

Callbacks are named after the grammar's rules. Lark calls them bottom-up and without recursion, so
that nesting costs no stack.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lark import Token, Transformer_NonRecursive, v_args
from lark.tree import Meta

from ..ir.types import (
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
from ..source import Span
from .names import name, normal_string, normal_words, string

Children = list[Any]
"""What a callback gets: tokens and what the callbacks of the inner rules returned."""

TYPES = (
    IntType,
    FloatType,
    PointerType,
    SimpleType,
    VectorType,
    ArrayType,
    StructType,
    NamedType,
    FunctionType,
    TargetType,
)


class WordList(tuple[str, ...]):
    """The words of one place, apart from the tuples that other rules return."""


class AddressSpace(NamedTuple):
    """``addrspace(N)`` outside a pointer type."""

    value: int | str


class Align(NamedTuple):
    """``align N`` where it is no attribute."""

    value: int


class Linkage(str):
    """``external`` or ``extern_weak``."""


def address_space(token: str) -> int | str:
    """The number, or the symbolic name, between the parentheses of ``addrspace``."""
    return string(token).decode() if token.startswith('"') else int(token)


class TypeRules(Transformer_NonRecursive[Token, Any]):
    """``text`` is what the grammar was given; ``base`` its offset in the source; ``aliases`` are
    the named types that are no structs."""

    def __init__(self, text: str, base: int, aliases: Mapping[str, Type]) -> None:
        super().__init__()
        self.text = text
        self.base = base
        self.type_aliases = aliases

    def span(self, meta: Meta) -> Span:
        """The place of a rule's text in the source."""
        return Span(self.base + meta.start_pos, self.base + meta.end_pos)

    # -- types

    def integer_type(self, c: Children) -> Type:
        return IntType(int(c[0][1:]))

    def floating_point_types(self, c: Children) -> Type:
        return FloatType(str(c[0]))

    def pointer_type(self, c: Children) -> Type:
        return PointerType(address_space(c[0])) if c else PointerType()

    def simple_type(self, c: Children) -> Type:
        return SimpleType(str(c[0]))

    def void_type(self, c: Children) -> Type:
        return SimpleType("void")

    def metadata_type(self, c: Children) -> Type:
        return SimpleType("metadata")

    def vector_type(self, c: Children) -> Type:
        return VectorType(int(c[0]), c[1])

    def scalable_vector_type(self, c: Children) -> Type:
        return VectorType(int(c[0]), c[1], True)

    def array_type(self, c: Children) -> Type:
        return ArrayType(int(c[0]), c[1])

    def structure_type(self, c: Children) -> Type:
        return StructType(tuple(c))

    def packed_structure_type(self, c: Children) -> Type:
        return StructType(tuple(c), True)

    def named_type(self, c: Children) -> Type:
        plain = name(c[0][1:])
        return self.type_aliases.get(plain) or NamedType(plain)

    def function_type(self, c: Children) -> Type:
        variadic = isinstance(c[-1], Token)
        return FunctionType(c[0], tuple(c[1:-1] if variadic else c[1:]), variadic)

    def target_extension_type(self, c: Children) -> Type:
        numbers = tuple(int(x) for x in c[1:] if isinstance(x, Token))
        return TargetType(string(c[0]).decode(), tuple(x for x in c[1:] if not isinstance(x, Token)), numbers)

    # -- words

    def attribute(self, c: Children) -> str:
        return str(c[0])

    def string_attribute(self, c: Children) -> str:
        return "".join(token if token == "=" else normal_string(token) for token in c)

    @v_args(meta=True)
    def word_with_arguments(self, meta: Meta, c: Children) -> str:
        return normal_words(self.text[meta.start_pos : meta.end_pos])

    def alignment(self, c: Children) -> str:
        return f"align={c[2]}" if c[1] == "=" else f"align {c[-1] if c[-1] != ')' else c[-2]}"

    def group_attribute_value(self, c: Children) -> str:
        return "".join(c)

    def calling_convention(self, c: Children) -> str:
        return f"cc {c[1]}"

    def balanced(self, c: Children) -> None:
        return None

    def attributes(self, c: Children) -> WordList:
        return WordList(c)

    def words(self, c: Children) -> WordList:
        return WordList(str(x) for x in c)

    predicate_words = words
    rmw_words = words
    gep_flags = words

    def inrange(self, c: Children) -> str:
        return f"inrange({c[2]}, {c[4]})"

    def address_space(self, c: Children) -> AddressSpace:
        return AddressSpace(address_space(c[2]))

    def externally_initialized(self, c: Children) -> str:
        return "externally_initialized"

    def declaration_linkage(self, c: Children) -> Linkage:
        return Linkage(c[0])
