"""Words of LLVM IR: identifiers and strings, numbers of what has no name, and floating-point constants."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar, get_args

from ..ir import VOID, FunctionType, Global, Operand, Type, quoted, spelled, type_text
from ..ir import instructions as ir
from ..ir.instructions import CallSite, Instruction, Terminator, Words
from ..ir.module import Block, Function, Upgrade
from ..source import Span
from .llvm import Intrinsic, declared

# ----------------------------------------------------------------------------------------------------------
# Identifiers, strings, words and constants as LLVM spells them (LangRef, *Identifiers*, *String constants*).
#
# A name is kept without its sigil and unescaped. Bytes that are no UTF-8 stay in a name as Python's
# surrogate escapes. A quoted name of digits only, ``%"5"``, keeps its quotes, for ``%5`` is a number.
# ----------------------------------------------------------------------------------------------------------

_ESCAPE = re.compile(rb"\\([0-9a-fA-F]{2}|\\)")
_NUMBER = re.compile(r"[0-9]+")


def _unescape_one(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return b"\\" if code == b"\\" else bytes((int(code, 16),))


def unescape(text: str) -> bytes:
    r"""The bytes that the inside of a quoted string stands for.

    >>> unescape(r"a\22\\b")
    b'a"\\b'
    """
    data = text.encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_unescape_one, data) if b"\\" in data else data


def string(text: str) -> bytes:
    """The bytes of ``"..."``, quotes included in ``text``."""
    return unescape(text[1:-1])


def normal_string(text: str) -> str:
    """A quoted string in its canonical spelling."""
    return text if "\\" not in text and text.isascii() and text.isprintable() else quoted(string(text))


def name(text: str) -> str:
    """The name that ``text`` (without sigil) spells, quotes and escapes resolved."""
    if not text.startswith('"'):
        return text
    plain = string(text).decode("utf-8", "surrogateescape")
    return f'"{plain}"' if _NUMBER.fullmatch(plain) else plain


_METADATA_NAME = re.compile(rb"\\([0-9a-fA-F]{2})")
_METADATA_PLAIN = re.compile(rb"[^-a-zA-Z$._0-9]")


def metadata_name(text: str) -> str:
    """The name that ``!name`` spells (without the ``!``); its escapes need no quotes."""
    if "\\" not in text:
        return text
    data = text.encode("utf-8", "surrogateescape")
    return _METADATA_NAME.sub(lambda m: bytes((int(m[1], 16),)), data).decode("utf-8", "surrogateescape")


def spelled_metadata_name(plain: str) -> str:
    """A metadata name as the text spells it, without ``!``; a leading digit is escaped."""
    data = plain.encode("utf-8", "surrogateescape")
    text = _METADATA_PLAIN.sub(lambda m: b"\\%02x" % m[0][0], data).decode("ascii")
    return f"\\{ord(text[0]):02x}{text[1:]}" if text[:1].isdigit() and not text.isdigit() else text


_DIGITS = 4000
"""Python converts no longer decimal strings in one step."""


def integer(text: str) -> int:
    """An integer literal's value. ``s0x`` is negative in LLVM whenever it is not zero: it takes the
    topmost one-bit for the sign."""
    if text.startswith("u0x"):
        return int(text[3:], 16)
    if text.startswith("s0x"):
        value = int(text[3:], 16)
        return value - (1 << value.bit_length()) if value else 0
    if len(text) <= _DIGITS:
        return int(text)
    if text[0] == "-":
        return -integer(text[1:])
    half = len(text) // 2
    power: int = 10 ** (len(text) - half)
    return integer(text[:half]) * power + integer(text[half:])


def spelled_integer(value: int) -> str:
    """An integer's literal: decimal, or hexadecimal where that would be very long."""
    if value.bit_length() < 3 * _DIGITS:
        return str(value)
    if value >= 0:
        return f"u0x{value:X}"
    return f"s0x{value + (1 << (-value - 1).bit_length() + 1):X}"


TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\r\n\0]+|;[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/)+)
    |[%@$]?"[^"]*"
    |[%@$!#^]?[-a-zA-Z$._0-9]+:?
    |.""",
    re.VERBOSE | re.DOTALL,
)
_NO_SPACE_AFTER = frozenset("([{<=!")
_NO_SPACE_BEFORE = frozenset(")]}>,(=")


def tokens(text: str) -> list[str]:
    """The tokens of a piece of IR, spaces and comments left out, names and strings canonical."""
    names = []
    for match in TOKEN.finditer(text):
        if match.lastgroup == "space":
            continue
        token = match[0]
        if '"' in token:
            sigil = "" if token[0] == '"' else token[0]
            body = token[len(sigil) :]
            token = sigil + (spelled(name(body)) if sigil else normal_string(body))
        names.append(token)
    return names


def normal_words(text: str) -> str:
    """A word with its arguments in its canonical spelling, whatever its spaces and comments were.

    >>> normal_words("memory( argmem:read ,inaccessiblemem: none )")
    'memory(argmem: read, inaccessiblemem: none)'
    """
    out: list[str] = []
    previous = "("
    for token in tokens(text):
        tight = previous in _NO_SPACE_AFTER or token in _NO_SPACE_BEFORE
        if not tight or (token == "(" and previous[-1] in ",:"):
            out.append(" ")
        out.append(token)
        previous = token
    return "".join(out)


# -- the place that a word belongs to (LangRef, *Calling Conventions*, *Fast-Math Flags*) ----------

FAST_MATH = frozenset({"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"})
_CONVENTION = re.compile(
    r"(?:cc ?[0-9]+|ccc|[a-z0-9_]*cc|riscv_vls_cc\(.*\)"
    r"|(?:amdgpu|spir|ptx|x86|arm|aarch64|msp430|avr|riscv|m68k|intel|swift|cfguard)_[a-z0-9_]+)"
)
_VISIBLE = frozenset(
    {
        "private",
        "internal",
        "weak",
        "weak_odr",
        "linkonce",
        "linkonce_odr",
        "available_externally",
        "appending",
        "common",
        "external",
        "extern_weak",
        "default",
        "hidden",
        "protected",
        "dllimport",
        "dllexport",
        "dso_local",
        "dso_preemptable",
        "thread_local",
        "unnamed_addr",
        "local_unnamed_addr",
        "externally_initialized",
    }
)


def is_convention(word: str) -> bool:
    """Whether a word names a calling convention; LLVM adds them often, all in these shapes."""
    return _CONVENTION.fullmatch(word) is not None


def convention_words(word: str) -> Words:
    """``cc 10`` is two words, every other convention one."""
    return tuple(word.split()) if word.startswith("cc ") else (word,)


def is_linkage_word(word: str) -> bool:
    """Linkage, visibility, preemption, DLL storage class, thread-local model, unnamed_addr."""
    return word in _VISIBLE or word.startswith("thread_local(")


def call_words(words: Words) -> tuple[Words, Words, Words]:
    """The words before a call's type: fast-math flags, calling convention, return attributes."""
    fast = tuple(w for w in words if w in FAST_MATH)
    convention = tuple(x for w in words if is_convention(w) for x in convention_words(w))
    return fast, convention, tuple(w for w in words if w not in FAST_MATH and not is_convention(w))


def header_words(words: Words) -> tuple[Words, Words, Words]:
    """The words before a function's return type: linkage and kin, convention, return attributes."""
    linkage = tuple(w for w in words if is_linkage_word(w))
    rest = [w for w in words if not is_linkage_word(w)]
    convention = tuple(x for w in rest if is_convention(w) for x in convention_words(w))
    return linkage, convention, tuple(w for w in rest if not is_convention(w))


# ----------------------------------------------------------------------------------------------------------
# What is known of instructions last: their places, their results' names, and the numbers of what has none.
#
# One counter a function: parameters first, then blocks and results in text order. A number that the text
# spells moves the counter, which may leave gaps (LangRef, *Identifiers*). An instruction is frozen once
# ``finish`` and ``blocks`` are done with it; nobody else sees it before.
# ----------------------------------------------------------------------------------------------------------


I = TypeVar("I", bound=Instruction)  # noqa: E741
_set_result: Callable[[Instruction, str | None], None] = vars(Instruction)["result"].__set__
_set_span: Callable[[Instruction, Span], None] = vars(Instruction)["span"].__set__


def finish(instruction: I, result: str | None, span: Span) -> I:
    """The instruction itself, with its result and its place."""
    _set_result(instruction, result)
    _set_span(instruction, span)
    return instruction


def number(instruction: I, result: str) -> I:
    """The instruction itself, with a result that the text leaves unnamed."""
    _set_result(instruction, result)
    return instruction


_NO_VALUE = frozenset((
    ir.Ret, ir.Br, ir.CondBr, ir.Switch, ir.IndirectBr, ir.Resume, ir.CatchRet, ir.CleanupRet, ir.Unreachable,
    ir.Store, ir.Fence, ir.DebugRecord,
))  # fmt: skip
TERMINATORS = frozenset(get_args(Terminator))
"""Classes of instructions; none has subclasses."""


def has_value(instruction: Instruction) -> bool:
    """Whether an instruction defines a value, named or not."""
    if isinstance(instruction, CallSite):
        return instruction.type.result != VOID
    return instruction.__class__ not in _NO_VALUE


class BlockLabel:
    """Where a block begins: its name, and the span of ``name:``."""

    __slots__ = ("name", "span")

    def __init__(self, name: str, span: Span) -> None:
        self.name = name
        self.span = span


class Numbering:
    """The counter of one function."""

    __slots__ = ("next",)

    def __init__(self, first: int = 0) -> None:
        self.next = first

    def take(self, name: str | None) -> str:
        """The name of the next value: the one given, else the next number."""
        if name is None:
            name = str(self.next)
        elif not name.isdigit():
            return name
        self.next = int(name) + 1
        return name


def blocks(first: int, items: Iterable[BlockLabel | Instruction]) -> tuple[Block, ...]:
    """A body's labels and instructions, in text order, as named blocks; ``first`` is the number after the
    parameters'."""
    numbering = Numbering(first)
    blocks: list[Block] = []
    name: str | None = None
    start = 0
    current: list[Instruction] = []
    ended = True
    for item in items:
        if isinstance(item, BlockLabel):
            if name is not None:
                blocks.append(Block(name, tuple(current), Span(start, max(start, _end(current, start)))))
            name, start, current = numbering.take(item.name), item.span.start, []
            ended = False
            continue
        if ended:
            if name is not None:
                blocks.append(Block(name, tuple(current), Span(start, _end(current, start))))
            name, start, current = numbering.take(None), item.span.start, []
        if item.result is not None:
            numbering.take(item.result)
        elif has_value(item):
            number(item, numbering.take(None))
        ended = item.__class__ in TERMINATORS
        current.append(item)
    if name is not None:
        blocks.append(Block(name, tuple(current), Span(start, _end(current, start))))
    return tuple(blocks)


def _end(instructions: list[Instruction], default: int) -> int:
    return instructions[-1].span.end if instructions else default


# ----------------------------------------------------------------------------------------------------------
# Floating-point constants: spellings to bit patterns and back (LangRef, *Simple Constants*).
#
# A decimal or a plain ``0x`` literal is an IEEE double whatever its type, which is then converted;
# the other types have hexadecimal forms of their own: ``0xH`` half, ``0xR`` bfloat, ``0xK`` x86_fp80,
# ``0xL`` fp128, ``0xM`` ppc_fp128.
# ----------------------------------------------------------------------------------------------------------


FORMATS = {"half": (5, 10), "bfloat": (8, 7), "float": (8, 23), "double": (11, 52)}
"""Width of exponent and fraction of the IEEE formats that convert."""

PREFIXES = {
    "half": ("0xH", 4),
    "bfloat": ("0xR", 4),
    "x86_fp80": ("0xK", 20),
    "fp128": ("0xL", 32),
    "ppc_fp128": ("0xM", 32),
}
_KINDS = {prefix[-1]: kind for kind, (prefix, _) in PREFIXES.items()}


def _swap_words(bits: int) -> int:
    """LLVM writes the 64-bit words of ``0xL`` and ``0xM`` low word first."""
    return (bits & (1 << 64) - 1) << 64 | bits >> 64


def float_bits(literal: str, kind: str) -> int:
    """The bit pattern of a literal in the floating-point type ``kind``."""
    if literal.startswith("0x"):
        if (own := _KINDS.get(literal[2])) is not None:
            bits = int(literal[3:], 16)
            bits = _swap_words(bits) if own in ("fp128", "ppc_fp128") else bits
            if own != kind:
                raise ValueError(f"a literal of {own} for {kind}")
            return bits
        bits = int(literal[2:], 16)
    else:
        bits = struct.unpack("<Q", struct.pack("<d", float(literal)))[0]
    return bits if kind == "double" else converted(bits, "double", kind)


def spelled_float(bits: int, kind: str) -> str:
    """The canonical literal, always hexadecimal, for a bit pattern in type ``kind``."""
    if kind == "double":
        return f"0x{bits:016X}"
    if kind == "float":
        return f"0x{converted(bits, 'float', 'double'):016X}"
    prefix, digits = PREFIXES[kind]
    if kind in ("fp128", "ppc_fp128"):
        bits = _swap_words(bits)
    return f"{prefix}{bits:0{digits}X}"


def _unpack(bits: int, exponent_width: int, fraction_width: int) -> tuple[int, int, int]:
    return (
        bits >> (exponent_width + fraction_width),
        bits >> fraction_width & (1 << exponent_width) - 1,
        bits & (1 << fraction_width) - 1,
    )


def converted(bits: int, source: str, target: str) -> int:
    """A bit pattern in another type; the same in its own. Payloads of NaNs are kept from their high end, as
    LLVM does."""
    if target not in FORMATS:
        raise ValueError(f"a decimal literal for {target}")
    if source == target:
        return bits
    exponent_width, fraction_width = FORMATS[source]
    sign, exponent, fraction = _unpack(bits, exponent_width, fraction_width)
    new_exponent_width, new_fraction_width = FORMATS[target]
    bias = (1 << exponent_width - 1) - 1
    new_bias = (1 << new_exponent_width - 1) - 1
    if exponent == (1 << exponent_width) - 1:
        new_exponent = (1 << new_exponent_width) - 1
        shift = new_fraction_width - fraction_width
        new_fraction = fraction << shift if shift >= 0 else fraction >> -shift
        if fraction and not new_fraction:
            new_fraction = 1 << new_fraction_width - 1
    elif exponent == 0 and fraction == 0:
        new_exponent = new_fraction = 0
    else:
        # The value is significand * 2**scale.
        significand = fraction | (1 << fraction_width if exponent else 0)
        scale = max(exponent, 1) - bias - fraction_width
        new_exponent, new_fraction = _round(
            significand, scale, new_bias, new_exponent_width, new_fraction_width
        )
    return sign << new_exponent_width + new_fraction_width | new_exponent << new_fraction_width | new_fraction


def _round(
    significand: int, scale: int, bias: int, exponent_width: int, fraction_width: int
) -> tuple[int, int]:
    """Exponent field and fraction of ``significand * 2**scale``, rounded to nearest even."""
    top = significand.bit_length() - 1
    exponent = top + scale + bias
    keep = fraction_width if exponent > 0 else fraction_width - 1 + exponent
    drop = top - keep
    if drop > 0:
        rest = significand & (1 << drop) - 1
        significand >>= drop
        half = 1 << drop - 1
        significand += rest > half or (rest == half and significand & 1)
    else:
        significand <<= -drop
    field = significand + (max(exponent - 1, 0) << fraction_width) if exponent > 0 else significand
    if field >> fraction_width >= (1 << exponent_width) - 1:
        return (1 << exponent_width) - 1, 0
    return field >> fraction_width, field & (1 << fraction_width) - 1


# ----------------------------------------------------------------------------------------------------------
# Floating-point constants as LLVM 23 spells them, in the spelling of LLVM 22.
#
# LLVM 23 prints ``f0x3F22F983`` for a bit pattern, ``+inf``, ``+qnan``, ``+nan(0x3F)`` and ``+snan(0x1)``
# for what is no number (LangRef, *Simple Constants*), and decimals that are only near to a ``float``, as all
# that read them round alike. The type of such a constant is the last floating-point type that its line names
# before it.
# ----------------------------------------------------------------------------------------------------------

_NEW = re.compile(r"(?<![\w%@$.\"-])(?:f0x[0-9A-Fa-f]+|[-+](?:inf|qnan|s?nan\(0x[0-9A-Fa-f]+\)))(?![\w(.])")
_PARTS = ("f0x", "+inf", "-inf", "nan")
"""Of which each such constant has one: most texts have none, which is quicker to see than by the pattern."""
_PIECE = re.compile(
    r'"[^"]*"|;[^\r\n]*'
    rf"|(?P<type>\b(?:{'|'.join(FORMATS)})\b)|(?P<line>\n)"
    rf"|(?P<new>{_NEW.pattern})"
    r"|(?P<decimal>(?<![\w%@$.\"-])[-+]?[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?)"
)


def respelled(text: str) -> str:
    """The text with such constants in the older spelling; the text itself where there are none."""
    if not any(part in text for part in _PARTS) or _NEW.search(text) is None:
        return text
    kind: str | None = None

    def replaced(match: re.Match[str]) -> str:
        nonlocal kind
        if match["type"]:
            kind = match["type"]
        elif match["line"]:
            kind = None
        elif kind is not None and match["new"]:
            return _older(match["new"], kind)
        elif kind is not None and match["decimal"]:
            return _rounded(match["decimal"], kind)
        return match[0]

    return _PIECE.sub(replaced, text)


def _older(literal: str, kind: str) -> str:
    """A constant that LLVM 22 does not know; as it is where it does not fit the type."""
    exponent, fraction = FORMATS[kind]
    size = 1 + exponent + fraction
    if literal.startswith("f0x"):
        digits = literal[3:]
        return spelled_float(int(digits, 16), kind) if 4 * len(digits) == size else literal
    quiet = 1 << (fraction - 1)
    infinity = ((1 << exponent) - 1) << fraction
    name, _, payload = literal[1:].rstrip(")").partition("(")
    rest = int(payload, 16) if payload else 0
    bits = {"inf": infinity, "qnan": infinity | quiet, "nan": infinity | quiet | rest}.get(
        name, infinity | rest
    )
    return spelled_float(bits | (literal[0] == "-") << (size - 1), kind)


def _rounded(literal: str, kind: str) -> str:
    """A decimal, which LLVM 22 takes only where the type has that very number."""
    bits = float_bits(literal, kind)
    return (
        literal
        if converted(bits, kind, "double") == float_bits(literal, "double")
        else spelled_float(bits, kind)
    )


# ----------------------------------------------------------------------------------------------------------
# The names that LLVM gives intrinsics (LangRef, *Intrinsic Functions*).
#
# A text may name an overloaded intrinsic without the suffix of its types (``llvm.amdgcn.readfirstlane``),
# or by a name that LLVM has replaced since (``llvm.nvvm.barrier0``). LLVM's reader puts its own names in
# place of both, and so does this, before anything looks at a name. What LLVM replaces by more than another
# name of the same function is an *upgrade*: then only its own print says what it read.
# ----------------------------------------------------------------------------------------------------------


PREFIX = "llvm."
_KEPT = ("llvm.dbg.", "llvm.lifetime.")
"""Families that LLVM rewrites without a change of meaning: calls that debuggers read became records, and a
lifetime has lost its size. They stay as they are written."""


class IntrinsicNames:
    """The names of one module's intrinsics.

    ``table`` are those of LLVM's module, ``missing`` the names in the text that it has not. ``definitions``
    gives the text of the module's types, ``read_type`` reads one of LLVM's. ``renamed`` maps declared names
    to LLVM's, and ``upgrades`` are the declarations for which there is no such name.
    """

    def __init__(
        self,
        known: Mapping[str, Intrinsic],
        missing: frozenset[str],
        definitions: Callable[[], str],
        read_type: Callable[[str], Type],
    ) -> None:
        self.table = known
        self.missing = missing
        self.renamed: dict[str, str] = {}
        self.upgrades: list[Upgrade] = []
        self._definitions = definitions
        self._read_type = read_type
        self._called: dict[tuple[str, int], tuple[FunctionType, Operand]] = {}  # by the type's identity

    def declare(self, function: Function) -> None:
        """Takes notice of a declaration in the text."""
        name = function.name
        if name.startswith(_KEPT):
            return
        fact = self.table.get(name)
        if fact is not None:
            if not self._is(fact, function.type):
                self.upgrades.append(Upgrade(name, (name,)))
        elif name in self.missing:
            intrinsic = self._declared(name, function.type)
            same = [new for new, fact in intrinsic.items() if self._is(fact, function.type)]
            if len(intrinsic) == len(same) == 1:
                self.renamed[name] = same[0]
            else:
                self.upgrades.append(Upgrade(name, tuple(intrinsic)))

    def callee(self, operand: Operand, signature: FunctionType) -> Operand:
        """The operand that a direct call in the text names, under LLVM's name. An undeclared intrinsic may
        stand there without a suffix: then the call's type says which it is."""
        if not isinstance(operand, Global) or not operand.name.startswith(PREFIX):
            return operand
        entry = self._called.get((operand.name, id(signature)))
        if entry is None:
            name = self.renamed.get(operand.name) or self._of_call(operand.name, signature)
            called = operand if name == operand.name else Global(name, operand.type)
            entry = self._called[operand.name, id(signature)] = signature, called
        return entry[1]

    def _of_call(self, name: str, signature: FunctionType) -> str:
        """LLVM's name for what a call with this type calls. A suffix may be there and wrong."""
        if name.startswith(_KEPT):
            return name
        fact = self.table.get(name)
        if (fact is None and name not in self.missing) or (fact is not None and self._is(fact, signature)):
            return name
        intrinsic = self._declared(name, signature)
        return next(iter(intrinsic)) if len(intrinsic) == 1 else name

    def mentions(self, in_text: Mapping[str, int]) -> Mapping[str, int]:
        """What a body mentions, under LLVM's names; all that it may be where only a call's type tells."""
        counts = dict(in_text)
        for key, count in in_text.items():
            if not key.startswith("@" + PREFIX) or key[1:] not in self.missing:
                continue
            new = self.renamed.get(key[1:])
            for name in (new,) if new is not None else self._may_be(key[1:]):
                counts["@" + name] = counts.get("@" + name, 0) + count
        return counts

    def _may_be(self, name: str) -> list[str]:
        return [known for known in self.table if known.startswith(name + ".")]

    def _declared(self, name: str, type: FunctionType) -> Mapping[str, Intrinsic]:
        """The intrinsics that LLVM makes of one declaration."""
        parameters = [*map(type_text, type.parameters), *(["..."] if type.variadic else [])]
        head = f"declare {type_text(type.result)} @{spelled(name)}({', '.join(parameters)})\n"
        return declared(self._definitions() + head)

    def _is(self, fact: Intrinsic, type: FunctionType) -> bool:
        return fact.type == type_text(type) or self._read_type(fact.type) == type
