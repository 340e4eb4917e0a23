"""The PTX in inline assembly, as data: statements of guard, opcode and operands (PTX ISA, *Syntax*).

Read is straight-line code: comments, scopes, ``.reg`` declarations, and statements that end in a semicolon. A
text with a label, a directive or a call is none that :func:`read` takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from struct import pack
from typing import NamedTuple

from ..frozen import dataclass
from . import FloatType, IntType, Type, VectorType


@dataclass(frozen=True, slots=True)
class Register:
    """A register: an operand of the assembly, ``$3``; one that the text declares; or a special one,
    ``%laneid``. ``negated``: ``!p``."""

    name: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Immediate:
    """A number: an integer; or the bits of a ``float`` (``0f3F800000``) or ``double``."""

    bits: int
    type: FloatType | None = None


@dataclass(frozen=True, slots=True)
class RegisterTuple:
    """``{a, b}``: the registers of a vector; or ``a|b``, two results."""

    parts: tuple[PtxOperand, ...]


@dataclass(frozen=True, slots=True)
class AddressOperand:
    """``[base + offset]``, offset in bytes."""

    base: Register
    offset: int


PtxOperand = Register | Immediate | RegisterTuple | AddressOperand


@dataclass(frozen=True, slots=True)
class Statement:
    """``@guard opcode operands;``: ``words`` are the opcode's, between its dots: ``("ld", "global",
    "b32")``."""

    words: tuple[str, ...]
    operands: tuple[PtxOperand, ...]
    guard: Register | None = None


@dataclass(frozen=True, slots=True)
class PtxText:
    """Inline assembly that is straight-line PTX. ``outputs`` counts its results; ``inputs`` says for each
    argument which register it is in, ``tied`` which output begins as which argument; ``declared`` are the
    types of the registers that the text declares, as integers."""

    statements: tuple[Statement, ...]
    outputs: int
    inputs: tuple[str, ...]
    tied: Mapping[str, int]
    declared: Mapping[str, Type]


MATRIX_ROW = VectorType(4, IntType(32))
"""What a lane reads or writes by ``ldmatrix`` and ``stmatrix``: eight elements of 16 bits."""
MATRIX_ACCESS = re.compile(
    r"llvm\.nvvm\.(ld|st)matrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?\.b16(?:\.p\d+)?"
)
"""The intrinsics by which lanes do that, for one, two or four matrices."""


_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[fF][0-9A-Fa-f]{8}|0[dD][0-9A-Fa-f]{16}|-?\d+\.\d+(?:[eE][-+]?\d+)?"
    r"|-?0[xX][0-9A-Fa-f]+U?|-?0[bB][01]+U?|-?\d+U?)(?![\w.])"
    r"|(?P<register>\$\d+|\$\{\d+\}|%?[A-Za-z_][\w$]*(?:\.[xyzw])?)"
    r"|(?P<sign>[-+{}\[\],|!]))"
)
_OPCODE = re.compile(
    r"\s*(?:@(?P<not>!?)\s*(?P<guard>\$\d+|%?[A-Za-z_][\w$]*)\s+)?(?P<word>[a-z]\w*(?:(?:\.|::)\w+)*)"
)
_DECLARATION = re.compile(r"\s*\.reg\s*\.(?P<type>\w+)\s+(?P<names>[\w$%,<>\s]+)\Z")
_NAME = re.compile(r"(?P<name>%?[A-Za-z_][\w$]*)(?:<(?P<count>\d+)>)?\Z")
_BITS = {"pred": 1, **{f"{kind}{bits}": bits for kind in "bsuf" for bits in (8, 16, 32, 64)}, "b128": 128}
_DISCARDED = "_"
"""Stands in PTX for a result that nobody wants."""


class _Unread(Exception):
    """The text is no straight-line PTX."""


@lru_cache(maxsize=4096)
def read(text: str, constraints: str) -> PtxText | None:
    """Inline assembly's text and constraints as PTX; ``None`` if it is anything else."""
    try:
        outputs, inputs, tied = _constraints(constraints)
        declared: dict[str, Type] = {}
        statements = tuple(_statements(_COMMENT.sub(" ", text), declared))
    except _Unread:
        return None
    return PtxText(statements, outputs, inputs, tied, declared)


def _constraints(text: str) -> tuple[int, tuple[str, ...], dict[str, int]]:
    """How many outputs there are, the register of each argument, and which output is tied to which argument
    (LangRef, *Inline Asm Constraint String*)."""
    outputs, inputs, tied = 0, list[str](), dict[str, int]()
    for constraint in text.split(",") if text else ():
        if constraint.startswith("~"):
            continue
        number = outputs + len(inputs)
        if constraint.startswith("="):
            if inputs or constraint.lstrip("=&") not in ("r", "l", "h", "c", "b", "f", "d", "q"):
                raise _Unread
            outputs += 1
        elif constraint.isdecimal():
            tied[f"${int(constraint)}"] = len(inputs)
            inputs.append(f"${number}")
        elif constraint in ("r", "l", "h", "c", "b", "f", "d", "q", "n", "i"):
            inputs.append(f"${number}")
        else:
            raise _Unread
    return outputs, tuple(inputs), tied


def _statements(text: str, declared: dict[str, Type]) -> Iterator[Statement]:
    for piece in text.split(";"):
        rest = piece.strip()
        while rest.startswith(("{", "}")):  # a scope: names that it hides are refused where they come twice
            rest = rest[1:].strip()
        if not rest:
            continue
        if (declaration := _DECLARATION.match(rest)) is not None:
            _declare(declaration, declared)
        else:
            yield _statement(rest, declared)


def _declare(declaration: re.Match[str], declared: dict[str, Type]) -> None:
    bits = _BITS.get(declaration["type"])
    for word in declaration["names"].split(","):
        match = _NAME.match(word.strip())
        if bits is None or match is None:
            raise _Unread
        names = [match["name"]]
        if match["count"]:
            names = [f"{match['name']}{n}" for n in range(int(match["count"]))]
        for name in names:
            if name in declared:
                raise _Unread
            declared[name] = IntType(bits)


def _statement(text: str, declared: Mapping[str, Type]) -> Statement:
    opcode = _OPCODE.match(text)
    if opcode is None:
        raise _Unread
    guard = None if opcode["guard"] is None else Register(opcode["guard"], bool(opcode["not"]))
    tokens = _Tokens(text, opcode.end())
    operands = []
    while not tokens.done:
        operands.append(_operand(tokens, declared))
        if not tokens.done:
            tokens.expect(",")
    words = tuple(opcode["word"].replace("::", ":").split("."))
    known = guard is None or guard.name.startswith("$") or guard.name in declared
    if not known:
        raise _Unread
    return Statement(words, tuple(operands), guard)


class _Tokens:
    """The operands of a statement, token by token."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text.rstrip(), at

    @property
    def done(self) -> bool:
        return self.at >= len(self.text)

    def next(self) -> re.Match[str]:
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise _Unread
        self.at = match.end()
        return match

    def take(self, sign: str) -> bool:
        """Whether a sign comes next, which is then taken."""
        match = _TOKEN.match(self.text, self.at)
        if match is None or match["sign"] != sign:
            return False
        self.at = match.end()
        return True

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            raise _Unread


def _operand(tokens: _Tokens, declared: Mapping[str, Type]) -> PtxOperand:
    if tokens.take("{"):
        parts = [_operand(tokens, declared)]
        while tokens.take(","):
            parts.append(_operand(tokens, declared))
        tokens.expect("}")
        return RegisterTuple(tuple(parts))
    if tokens.take("["):
        base = _simple(tokens, declared)
        offset, sign = 0, 0
        while not tokens.take("]"):
            sign = 1 if tokens.take("+") else -1 if tokens.take("-") else 1
            number = _simple(tokens, declared)
            if not isinstance(number, Immediate) or number.type is not None:
                raise _Unread
            offset += sign * number.bits
        if not isinstance(base, Register):
            raise _Unread
        return AddressOperand(base, offset)
    operand = _simple(tokens, declared)
    if tokens.take("|"):
        return RegisterTuple((operand, _simple(tokens, declared)))
    return operand


def _simple(tokens: _Tokens, declared: Mapping[str, Type]) -> Register | Immediate:
    negated = tokens.take("!")
    match = tokens.next()
    if (number := match["number"]) is not None and not negated:
        return _number(number)
    name = match["register"]
    if name is None:
        raise _Unread
    name = name.replace("{", "").replace("}", "")
    if not (name.startswith(("$", "%")) or name in declared or name == _DISCARDED):
        raise _Unread
    return Register(name, negated)


def _number(text: str) -> Immediate:
    if text[:2] in ("0f", "0F"):
        return Immediate(int(text[2:], 16), FloatType("float"))
    if text[:2] in ("0d", "0D"):
        return Immediate(int(text[2:], 16), FloatType("double"))
    if "." in text:
        return Immediate(int.from_bytes(pack(">d", float(text)), "big"), FloatType("double"))
    digits = text.rstrip("U")
    octal = re.match(r"-?0\d", digits) is not None
    try:
        return Immediate(int(digits, 8 if octal else 0))
    except ValueError:  # a digit that octal numbers have not
        raise _Unread from None


# ----------------------------------------------------------------------------------------------------------
# Fragments of matrices, as NVPTX's ``wmma`` has them: which elements a lane of a warp holds.
#
# PTX ISA, *Warp Level Matrix Multiply-Accumulate Instructions using wmma*, which leaves open which they
# are: a program may only load, multiply and store fragments, and do to all elements alike. Here a matrix is
# dealt row by row, the first lane getting the first elements.
# ----------------------------------------------------------------------------------------------------------


WARP = 32
"""Lanes that hold a matrix together."""
WMMA_ACCESS = re.compile(
    r"llvm\.nvvm\.wmma\.(m\d+n\d+k\d+)\.(load|store)\.([abcd])\.(row|col)(\.stride)?\.(\w+?)(?:\.p\d+)?"
)
"""Loads and stores of fragments: the shape, which, of which matrix, how it lies in memory, whether an operand
says how far its rows or columns are apart, and the kind of its elements."""
WMMA_PRODUCT = re.compile(
    r"llvm\.nvvm\.wmma\.(m\d+n\d+k\d+)\.mma\.(?:row|col)\.(?:row|col)\.(\w+)(?:\.(f16|f32))?(\.satfinite)?"
)
"""Products: the shape, the kind of A's and B's elements, or, of halves, those of D's and C's, and whether
what is too large is clamped."""
ELEMENT_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s8": 8, "u8": 8, "s32": 32}
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_HALVES = 16
"""How many halves of A and B a lane holds, whatever the shape: some are in several lanes."""


class Fragment(NamedTuple):
    """A matrix of so many ``rows`` and ``columns``, of which each lane ``holds`` some elements."""

    rows: int
    columns: int
    holds: int

    def place(self, lane: int, number: int) -> tuple[int, int]:
        """Row and column of a lane's element."""
        return divmod((lane * self.holds + number) % (self.rows * self.columns), self.columns)


def fragment(shape: str, matrix: str, kind: str) -> Fragment | None:
    """The fragment of matrix ``a``, ``b``, ``c`` or ``d`` of a product's shape, ``m16n16k16``; ``None`` for
    one that lanes do not share evenly."""
    sizes = _SHAPE.fullmatch(shape)
    if sizes is None or kind not in ELEMENT_BITS:
        return None
    m, n, k = map(int, sizes.groups())
    rows, columns = {"a": (m, k), "b": (k, n)}.get(matrix, (m, n))
    if (rows * columns) % WARP:
        return None
    count = _HALVES if kind == "f16" and matrix in "ab" else rows * columns // WARP
    return Fragment(rows, columns, count)
