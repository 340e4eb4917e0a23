"""Common operands and words without the grammar: the same objects, by regular expressions.

Speed only: what does not match here raises ``NotFast`` and goes to ``llvm.lark``, which is the definition; a
test holds both equal. Types are in :mod:`.fast_types`. Equal texts share one object within a module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..ir.instructions import Argument, Words
from ..ir.operands import (
    Aggregate,
    Bytes,
    ConstantExpression,
    Float,
    Global,
    Int,
    Local,
    Metadata,
    MetadataOperand,
    MetadataReference,
    Operand,
    Simple,
    Splat,
)
from ..ir.types import METADATA, FloatType, FunctionType, Type
from .fast_types import BRACKETS, SYMBOL, TYPE, NotFast, plain_name, read_type
from .floats import float_bits
from .names import integer, normal_words, string
from .words import KEYWORDS

_NESTED = r"\((?:[^()\"\n;]++|\([^()\"\n;]*+\))*+\)"
VALUE = (
    rf"(?:[%@]{SYMBOL}|[-a-z0-9][-+.a-zA-Z0-9]*+|<[^<>\"\n;]*+>"
    rf"|(?:splat|getelementptr|addrspacecast|ptrtoint|inttoptr|bitcast)[a-z ]*+{_NESTED})"
)
"""What may be a value; ``Interner.operand`` says whether it is."""
CONSTANT = rf'(?:{VALUE}|c"[^"\n]*+"|{BRACKETS})'
"""What may be a constant, aggregates included."""
WORD = r"(?:align [0-9]+|[a-z_][a-z_0-9]*(?:\([^()\"\n;]*\))?)"
"""A word of an attribute list, at most one level of parentheses deep; no string."""

_ADDRESS = re.compile(r"getelementptr ((?:(?:inbounds|nuw|nusw) )*)\((.*)\)")
_CAST = re.compile(r"(addrspacecast|ptrtoint|inttoptr|bitcast) \((.*) to (.*)\)")
_SPLAT = re.compile(r"splat \((.*)\)")
_NUMBER = re.compile(r"(-?[0-9]+)|-?[0-9]+\.[0-9]*(?:e[-+]?[0-9]+)?|0x[HR]?[0-9A-F]+", re.ASCII)
_SIMPLE_VALUES = frozenset({"null", "undef", "poison", "zeroinitializer", "none"})
_ITEM = re.compile(rf"({TYPE}) ({CONSTANT})(?:, |\Z)", re.ASCII)
_ARGUMENT = re.compile(rf"({TYPE})((?: {WORD})*?) ({VALUE})(?:, |\Z)", re.ASCII)
_METADATA_ARGUMENT = re.compile(r"metadata !([0-9]+)(?:, |\Z)", re.ASCII)
_WORD = re.compile(rf" ?({WORD}|#[0-9]+)", re.ASCII)
_ATTACHMENT = re.compile(r", !([a-zA-Z._][a-zA-Z._0-9]*) !([0-9]+)", re.ASCII)
_BUNDLE = re.compile(r'("([^"\n\\]*+)"\(([^()\n;]*+)\))(?:, |\Z)')
BundleTexts = tuple[tuple[str, tuple[Operand, ...], int, int], ...]
"""Tag, inputs, beginning and end of each bundle."""
class Interner:
    """One object per spelling. ``aliases`` are the names of types that are no structs."""

    def __init__(self, aliases: Mapping[str, Type]) -> None:
        self.aliases = aliases
        self._types: dict[str, Type] = {}
        self._operands: dict[str, Operand] = {}
        self._arguments: dict[str, tuple[Argument, ...]] = {"": ()}
        self._words: dict[str, Words] = {"": ()}
        self._attachments: dict[str, tuple[tuple[str, Metadata], ...]] = {"": ()}
        self._bundles: dict[str, BundleTexts] = {}
        self._signatures: dict[str, FunctionType] = {}

    # -- types

    def type(self, text: str) -> Type:
        """The type that ``text`` spells."""
        found = self._types.get(text)
        if found is None:
            found = self._types[text] = read_type(text, self.aliases)
        return found

    def signature(self, result: str, arguments: str) -> FunctionType:
        """The function type of a call that spells only its result's type."""
        key = f"{result}({arguments}"
        found = self._signatures.get(key)
        if found is None:
            actual = self.arguments(arguments)
            found = FunctionType(self.type(result), tuple(a.value.type for a in actual))
            self._signatures[key] = found
        return found

    # -- operands

    def operand(self, type: str, value: str) -> Operand:
        """``type value`` as an operand."""
        key = f"{type} {value}"
        found = self._operands.get(key)
        if found is None:
            found = self._operands[key] = self._read_operand(self.type(type), value)
        return found

    def _read_operand(self, type: Type, value: str) -> Operand:
        first = value[0]
        if first == "%":
            return Local(type, plain_name(value[1:]))
        if first == "@":
            return Global(plain_name(value[1:]), type)
        if first in "[{<":
            inner = value[2:-2] if value.startswith("<{") else value[1:-1]
            return Aggregate(type, self.operands(inner.strip(" ")))
        if value.startswith('c"'):
            return Bytes(type, string(value[1:]))
        number = _NUMBER.fullmatch(value)
        if number is not None:
            if number[1] is not None:
                return Int(type, integer(value))
            if not isinstance(type, FloatType):
                raise NotFast(value)
            return Float(type, float_bits(value, type.kind))
        if value in _SIMPLE_VALUES:
            return Simple(type, value)
        if value == "true" or value == "false":
            return Int(type, int(value == "true"))
        if (found := _SPLAT.fullmatch(value)) is not None:
            elements = self.operands(found[1])
            if len(elements) != 1:
                raise NotFast(value)
            return Splat(type, elements[0])
        if (found := _ADDRESS.fullmatch(value)) is not None:
            source, _, rest = found[2].partition(", ")
            flags = tuple(found[1].split())
            return ConstantExpression(type, "getelementptr", flags, self.operands(rest), self.type(source))
        if (found := _CAST.fullmatch(value)) is not None:
            inside = self.operands(found[2])
            if len(inside) == 1:
                return ConstantExpression(self.type(found[3]), found[1], (), inside)
        raise NotFast(value)

    def operands(self, text: str) -> tuple[Operand, ...]:
        """A list of typed operands."""
        at, made = 0, []
        while at < len(text):
            match = _ITEM.match(text, at)
            if match is None:
                raise NotFast(text)
            made.append(self.operand(match[1], match[2]))
            at = match.end()
        return tuple(made)

    def bundles(self, text: str) -> BundleTexts:
        """``"tag"(operands), ...``, each with where it stands in ``text``."""
        found = self._bundles.get(text)
        if found is None:
            at, made = 0, []
            while at < len(text):
                match = _BUNDLE.match(text, at)
                if match is None:
                    raise NotFast(text)
                made.append((match[2], self.operands(match[3]), match.start(1), match.end(1)))
                at = match.end()
            found = self._bundles[text] = tuple(made)
        return found

    # -- words, arguments, attachments

    def words(self, text: str) -> Words:
        """Attribute words, each in its canonical spelling."""
        found = self._words.get(text)
        if found is None:
            at, words = 0, []
            stripped = text.rstrip(" ")
            while at < len(stripped):
                match = _WORD.match(stripped, at)
                if match is None:
                    raise NotFast(text)
                word = match[1]
                if word.partition("(")[0].rstrip() in KEYWORDS:
                    raise NotFast(text)
                words.append(normal_words(word) if "(" in word else word)
                at = match.end()
            found = self._words[text] = tuple(words)
        return found

    def arguments(self, text: str) -> tuple[Argument, ...]:
        """The actual arguments between a call's parentheses."""
        found = self._arguments.get(text)
        if found is None:
            at, made = 0, []
            while at < len(text):
                match = _ARGUMENT.match(text, at)
                if match is not None:
                    type, words, value = match.groups()
                    made.append(Argument(self.operand(type, value), self.words(words)))
                else:
                    match = _METADATA_ARGUMENT.match(text, at)
                    if match is None:
                        raise NotFast(text)
                    made.append(Argument(MetadataOperand(MetadataReference(match[1]), METADATA)))
                at = match.end()
            found = self._arguments[text] = tuple(made)
        return found

    def attachments(self, text: str) -> tuple[tuple[str, Metadata], ...]:
        """``, !kind !5`` pairs."""
        found = self._attachments.get(text)
        if found is None:
            found = tuple((m[1], MetadataReference(m[2])) for m in _ATTACHMENT.finditer(text))
            self._attachments[text] = found
        return found
