"""Common top-level entities without the grammar (speed only; see ``fast_values``)."""

from __future__ import annotations

import re

from ..ir.instructions import Words
from ..ir.module import Function, GlobalVariable, Parameter
from ..ir.operands import Metadata, MetadataReference
from ..ir.types import FunctionType, Type
from ..source import Span
from .fast_patterns import INSIDE
from .fast_types import SYMBOL, TYPE, NotFast, plain_name
from .fast_values import CONSTANT, WORD, Interner
from .names import normal_string, normal_words, string
from .resolve import Numbering
from .words import KEYWORDS, header_words

_STRING = r'"[^"\n]*"'
_ATTACHED = r"(?: ![a-zA-Z._][a-zA-Z._0-9]* ![0-9]+)*"
_FUNCTION = re.compile(
    rf"(?:define|declare({_ATTACHED}))((?: {WORD})*?) ({TYPE}) @({SYMBOL})"
    rf"\({INSIDE}\)"
    rf"((?: {_STRING}(?:={_STRING})?| \#[0-9]+| {WORD}| personality ptr @{SYMBOL})*?)"
    rf"({_ATTACHED})\s*(?:\{{|\Z)",
    re.ASCII,
)
_PARAMETER = re.compile(rf"({TYPE})((?: {WORD})*?)(?: %({SYMBOL}))?(?:, |\Z)", re.ASCII)
_TAIL = re.compile(
    rf" (?:(comdat(?:\(\${SYMBOL}\))?|personality ptr @{SYMBOL}|(?:section|gc|partition) {_STRING})"
    rf"|({_STRING}(?:={_STRING})?|\#[0-9]+|align [0-9]+|{WORD}))",
    re.ASCII,
)
_GROUP = re.compile(
    rf"attributes #([0-9]+) = \{{((?: (?:{_STRING}(?:={_STRING})?|[a-z_]+=[0-9]+|{WORD}))*) \}}", re.ASCII
)
_GROUP_ITEM = re.compile(rf"({_STRING}(?:={_STRING})?)|([a-z_]+=[0-9]+|{WORD})", re.ASCII)
_STRING_ITEM = re.compile(_STRING)
_GLOBAL = re.compile(
    rf"@({SYMBOL}) =((?: {WORD})*?)(?: addrspace\(([0-9]+)\))?( externally_initialized)?"
    rf" (global|constant) ({TYPE})"
    rf"(?: ({CONSTANT}))?((?:, (?:align [0-9]+|section {_STRING}|comdat(?:\(\${SYMBOL}\))?))*)"
    rf"((?:, ![a-zA-Z._][a-zA-Z._0-9]* ![0-9]+)*)\Z",
    re.ASCII,
)
_PROPERTY = re.compile(rf", (align [0-9]+|section {_STRING}|comdat(?:\(\${SYMBOL}\))?)", re.ASCII)
_TYPE_DEFINITION = re.compile(rf"%({SYMBOL}) = type (opaque|(?:[^\"\n;]++|\"[^\"\n]*+\")+)\Z", re.ASCII)
_SIMPLE = re.compile(
    rf"(?:(source_filename) = |target (datalayout|triple) = |module asm |\$({SYMBOL}) = comdat )"
    rf"({_STRING}|[a-z]+)",
    re.ASCII,
)
_AFTER = ("unnamed_addr", "local_unnamed_addr")


def _strings(text: str) -> str:
    return "=".join(normal_string(found) for found in _STRING_ITEM.findall(text))


def function(text: str, start: int, end: int, interner: Interner) -> tuple[Function, int]:
    """A header ``define ... {`` or a declaration, and the number that its parameters end at."""
    found = _FUNCTION.match(text, start, end)
    if found is None or found.end() != end:
        raise NotFast
    before_attached, before, result, plain, parameters, after, after_attached = found.groups()
    linkage, convention, returned = header_words(interner.words(before))
    numbering = Numbering()
    formal: list[Parameter] = []
    variadic, at = False, 0
    while at < len(parameters):
        match = _PARAMETER.match(parameters, at)
        if match is None:
            if parameters[at:] != "...":
                raise NotFast
            variadic = True
            break
        type, words, given = match.groups()
        formal.append(
            Parameter(interner.type(type), numbering.take(given and plain_name(given)), interner.words(words))
        )
        at = match.end()
    attributes, tail = _properties(after)
    pairs = (before_attached or after_attached).split()
    attachments: tuple[tuple[str, Metadata], ...] = tuple(
        (kind[1:], MetadataReference(node[1:])) for kind, node in zip(pairs[::2], pairs[1::2], strict=True)
    )
    span_end = end
    while text[span_end - 1] in "{ \t\r\n":
        span_end -= 1
    made = Function(
        plain_name(plain),
        FunctionType(interner.type(result), tuple(p.type for p in formal), variadic),
        tuple(formal),
        None,
        tuple(w for w in attributes if w not in _AFTER),
        returned,
        convention,
        (*linkage, *(w for w in attributes if w in _AFTER)),
        tail,
        attachments=attachments,
        span=Span(start, span_end),
    )
    return made, numbering.next


def _properties(text: str) -> tuple[Words, Words]:
    """What follows the parameters: attributes, and section, comdat, personality and the like."""
    attributes: list[str] = []
    tail: list[str] = []
    at = 0
    while at < len(text):
        match = _TAIL.match(text, at)
        if match is None:
            raise NotFast
        if match[1] is not None:
            tail.append(normal_words(match[1]))
        elif match[2].partition("(")[0].rstrip() in KEYWORDS and not match[2].startswith("align "):
            raise NotFast
        elif match[2][0] == '"':
            attributes.append(_strings(match[2]))
        else:
            attributes.append(normal_words(match[2]) if "(" in match[2] else match[2])
        at = match.end()
    return tuple(attributes), tuple(tail)


def group(text: str) -> tuple[str, Words]:
    """``attributes #0 = { ... }``."""
    found = _GROUP.fullmatch(text)
    if found is None:
        raise NotFast
    words = [
        _strings(quoted) if quoted else normal_words(word) if "(" in word else word
        for quoted, word in _GROUP_ITEM.findall(found[2])
    ]
    return found[1], tuple(words)


def global_variable(text: str, start: int, end: int, interner: Interner) -> GlobalVariable:
    """``@name = ... global type value, align N``."""
    found = _GLOBAL.match(text, start, end)
    if found is None:
        raise NotFast
    plain, before, space, external, storage, type, value, properties, attached = found.groups()
    return GlobalVariable(
        name=plain_name(plain),
        type=interner.type(type),
        constant=storage == "constant",
        initializer=None if value is None else interner.operand(type, value),
        words=interner.words(before),
        address_space=int(space or 0),
        externally_initialized=external is not None,
        tail=tuple(normal_words(word) for word in _PROPERTY.findall(properties)),
        attachments=interner.attachments(attached),
        span=Span(start, end),
    )


def type_definition(text: str, interner: Interner) -> tuple[str, Type | None]:
    """``%name = type ...``."""
    found = _TYPE_DEFINITION.fullmatch(text)
    if found is None:
        raise NotFast
    return plain_name(found[1]), None if found[2] == "opaque" else interner.type(found[2])


def simple(text: str) -> tuple[str, str, str]:
    """A file name, a target, module assembly, a comdat, a summary entry: field of the module, key, value."""
    if text[0] == "^":
        return "summary", "", normal_words(text)
    found = _SIMPLE.fullmatch(text)
    if found is None:
        raise NotFast
    file, target, comdat, value = found.groups()
    if comdat is not None:
        return "comdats", plain_name(comdat), value
    if value[0] != '"':
        raise NotFast
    field = file or target or "assembly"
    return field, "", string(value).decode("utf-8", "surrogateescape")
