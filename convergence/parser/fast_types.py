"""Common types without the grammar (speed only; see ``fast_values``)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..ir.types import (
    PTR,
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
from .names import name

SYMBOL = r'(?:[-a-zA-Z$._0-9]+|"[^"\n\\]*+")'
"""A name without its sigil, quoted or not, without escapes."""
LOCAL = rf"%{SYMBOL}"
_INNER = r'[^][<>{}"\n;]|"[^"\n]*+"'
BRACKETS = rf"[\[<{{](?:{_INNER})*+[]>}}]"
for _ in range(3):
    BRACKETS = rf"[\[<{{](?:{_INNER}|{BRACKETS})*+[]>}}]"
TYPE = (
    rf"(?:{LOCAL}|ptr addrspace\([0-9]+\)|[a-z][a-z0-9_]*+|{BRACKETS}"
    rf'|target\("[^"\n\\]*+"[^()"\n;]*+\))'
)
"""What may be a type; ``read_type`` says whether it is."""
_TYPE_TOKEN = re.compile(rf" +|{LOCAL}|\"[^\"\n\\]*+\"|[a-z][a-z0-9_]*|[0-9]+|\.\.\.|[][{{}}<>(),]", re.ASCII)
_DEEP = 50
"""Brackets in a type; this reader recurses, the grammar's does not."""
_FLOATS = frozenset({"half", "bfloat", "float", "double", "fp128", "x86_fp80", "ppc_fp128"})
_SIMPLE_TYPES = frozenset({"void", "label", "token", "metadata", "x86_amx"})
Aliases = Mapping[str, Type]
"""The names of types that are no structs."""


class NotFast(Exception):
    """The text has a shape that only the grammar reads."""


def plain_name(text: str) -> str:
    """The name that a SYMBOL spells."""
    return name(text) if text[0] == '"' else text


def read_type(text: str, aliases: Aliases) -> Type:
    """The type that ``text`` spells; ``aliases`` are the names of types that are no structs."""
    if text.count("[") + text.count("{") + text.count("<") + text.count("(") > _DEEP:
        raise NotFast(text)
    tokens = _TYPE_TOKEN.findall(text)
    if sum(map(len, tokens)) != len(text):
        raise NotFast(text)
    tokens = [token for token in tokens if token[0] != " "]
    tokens += [""] * 4
    type, at = _type_at(tokens, 0, aliases)
    if tokens[at]:
        raise NotFast(text)
    return type


def _type_at(tokens: list[str], at: int, aliases: Aliases) -> tuple[Type, int]:
    """The type that begins at token ``at``, and where it ends."""
    token = tokens[at]
    at += 1
    made: Type
    if token[0:1] == "%":
        plain = plain_name(token[1:])
        made = aliases.get(plain) or NamedType(plain)
    elif token[0:1] == "i" and token[1:].isdigit():
        made = IntType(int(token[1:]))
    elif token == "ptr":
        made = PTR
        if tokens[at] == "addrspace":
            if not tokens[at + 2].isdigit():
                raise NotFast
            made, at = PointerType(int(tokens[at + 2])), at + 4
    elif token in _FLOATS:
        made = FloatType(token)
    elif token in _SIMPLE_TYPES:
        made = SimpleType(token)
    elif token == "target" and tokens[at] == "(":
        made, at = _target(tokens, at + 1, aliases)
    elif token == "[":
        count, element, at = _counted(tokens, at, "]", aliases)
        made = ArrayType(count, element)
    elif token == "<" and tokens[at] == "{":
        elements, _, at = _types_at(tokens, at + 1, "}", aliases)
        if tokens[at] != ">":
            raise NotFast
        made, at = StructType(elements, True), at + 1
    elif token == "<" and tokens[at] == "vscale":
        count, element, at = _counted(tokens, at + 2, ">", aliases)
        made = VectorType(count, element, True)
    elif token == "<":
        count, element, at = _counted(tokens, at, ">", aliases)
        made = VectorType(count, element)
    elif token == "{":
        elements, _, at = _types_at(tokens, at, "}", aliases)
        made = StructType(elements)
    else:
        raise NotFast(token)
    while tokens[at] == "(":
        parameters, variadic, at = _types_at(tokens, at + 1, ")", aliases)
        made = FunctionType(made, parameters, variadic)
    return made, at


def _target(tokens: list[str], at: int, aliases: Aliases) -> tuple[Type, int]:
    plain = tokens[at][1:-1]
    types: list[Type] = []
    numbers: list[int] = []
    at += 1
    while tokens[at] == ",":
        if tokens[at + 1].isdigit():
            numbers.append(int(tokens[at + 1]))
            at += 2
        else:
            type, at = _type_at(tokens, at + 1, aliases)
            types.append(type)
    if tokens[at] != ")":
        raise NotFast
    return TargetType(plain, tuple(types), tuple(numbers)), at + 1


def _counted(
    tokens: list[str], at: int, close: str, aliases: Aliases
) -> tuple[int, Type, int]:
    if not tokens[at].isdigit() or tokens[at + 1] != "x":
        raise NotFast
    element, end = _type_at(tokens, at + 2, aliases)
    if tokens[end] != close:
        raise NotFast
    return int(tokens[at]), element, end + 1


def _types_at(
    tokens: list[str], at: int, close: str, aliases: Aliases
) -> tuple[tuple[Type, ...], bool, int]:
    types: list[Type] = []
    variadic = False
    while tokens[at] != close:
        if tokens[at] == "...":
            variadic, at = True, at + 1
        else:
            type, at = _type_at(tokens, at, aliases)
            types.append(type)
        if tokens[at] == ",":
            at += 1
        elif tokens[at] != close:
            raise NotFast
    return tuple(types), variadic, at + 1
