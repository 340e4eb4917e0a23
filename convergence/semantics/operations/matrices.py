"""Products of small matrices whose parts lie in the registers of a wave: NVPTX's ``mma.sync`` and ``wmma``,
AMDGPU's ``mfma`` and ``wmma``; and NVPTX's ``ldmatrix`` and ``stmatrix``, which bring such matrices from
memory and to it.

PTX ISA, *Warp Level Matrix Instructions*; AMD's *Matrix Instruction Calculator* and the ISA documents of CDNA
and RDNA, *Matrix Arithmetic Instructions*, *WMMA*. D = A B + C. The documents leave open in which order the
products are added, and where it is rounded: here each product, and then each sum from C on by growing k, to
the format that is added in, 32 bits for halves. Where lanes that hold parts are absent, the result is poison.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...ir import FloatType, IntType, Type, VectorType
from ...ir.ptx import ELEMENT_BITS, MATRIX_ACCESS, MATRIX_ROW, WARP, WMMA_PRODUCT, fragment
from .. import NotModelled
from ..values import Bits, Composite, RuntimeValue, Truth, Value, elements, scalar
from ..values.context import from_registers, in_registers, poison, registers_holding
from . import Callee, Exchanging, Model, Operands, Operations, Subgroup

if TYPE_CHECKING:
    from ..arithmetic.domain import Domain

Position = tuple[int, int]
"""Row and column."""
Layout = Callable[[int, int], Position]
"""From a lane and the number of one of its elements to that one's place."""


class ProductShape(NamedTuple):
    """A product of an M x K matrix and a K x N one. ``lanes`` hold it; A and B have elements of one ``kind``,
    C of another, ``sum_kind``, with ``counts`` of them in each lane, of A, B and C. D has as many as C, of
    its kind if no ``result_kind`` says otherwise. ``saturates``: an integer that is too large becomes the
    nearest one. ``b_kind`` is that of B's elements where these integers have a sign and A's have none, or
    the other way round."""

    m: int
    n: int
    k: int
    lanes: int
    kind: str
    sum_kind: str
    counts: tuple[int, int, int]
    a: Layout
    b: Layout
    c: Layout
    result_kind: str | None = None
    saturates: bool = False
    b_kind: str | None = None

    @property
    def d_kind(self) -> str:
        """The kind of D's elements."""
        return self.result_kind or self.sum_kind


_FLOATS = {"f16": "half", "bf16": "bfloat", "tf32": "float", "f32": "float", "f64": "double"}
_KINDS = {name: kind for kind, name in _FLOATS.items() if kind != "tf32"}
_INTEGERS = frozenset({"s4", "u4", "s8", "u8"})
_BITS = {**ELEMENT_BITS, "s4": 4, "u4": 4}
_TF32_MASK = 0xFFFFE000
"""Of a ``tf32`` the low 13 bits are not looked at."""


class Arithmetic(NamedTuple):
    """How elements are multiplied and added: ``ready`` makes one of A, B and C what is added and multiplied;
    ``multiply_add`` is a sum with one more product; ``done`` makes an element of D."""

    ready: tuple[Callable[[Bits], Bits], Callable[[Bits], Bits], Callable[[Bits], Bits]]
    multiply_add: Callable[[Bits, Bits, Bits], Bits]
    done: Callable[[Bits], Bits]


def _arithmetic(shape: ProductShape, d: Domain) -> Arithmetic:
    bits, sum_bits = _BITS[shape.kind], _BITS[shape.sum_kind]
    if shape.kind in _INTEGERS:
        wide = 2 * sum_bits  # no sum is too large for that
        w = d.width(wide)
        a, b = (
            (d.sext if kind[0] == "s" else d.zext)(bits, wide)
            for kind in (shape.kind, shape.b_kind or shape.kind)
        )
        ready = a, b, d.sext(sum_bits, wide)
        cut = d.trunc(wide, sum_bits)
        low, high = w.constant(-(1 << (sum_bits - 1))), w.constant((1 << (sum_bits - 1)) - 1)

        def clamped(s: Bits) -> Bits:
            return cut(d.ite(w.slt(s, low), low, d.ite(w.slt(high, s), high, s)))

        done: Callable[[Bits], Bits] = clamped if shape.saturates else cut
        return Arithmetic(ready, lambda s, a, b: w.add(s, w.mul(a, b)), done)
    own, adding = _FLOATS[shape.kind], "double" if shape.kind == "f64" else "float"
    f, w = d.floats(adding), d.width(bits)
    factor: Callable[[Bits], Bits] = lambda a: a  # noqa: E731
    if shape.kind == "tf32":
        factor = lambda a: w.and_(a, w.constant(_TF32_MASK))  # noqa: E731
    elif own != adding:
        factor = d.floats(own).convert(adding)
    sum_kind, result_kind = _FLOATS[shape.sum_kind], _FLOATS[shape.d_kind]
    term = (lambda c: c) if sum_kind == adding else d.floats(sum_kind).convert(adding)
    done = (lambda c: c) if result_kind == adding else f.convert(result_kind)
    return Arithmetic((factor, factor, term), lambda s, a, b: f.add(s, f.mul(a, b)), done)


def _product(shape: ProductShape, callee: Callee, counted: Sequence[int]) -> Model | None:
    """The exchange: the first operands are registers of A, then of B, then of C, ``counted`` of each."""
    context, d = callee.context, callee.context.domain
    parameters, result = callee.type.parameters, callee.type.result
    if sum(counted) > len(parameters):
        return None
    math = _arithmetic(shape, d)
    starts = [0, counted[0], counted[0] + counted[1], sum(counted)]
    bits = (_BITS[shape.kind], _BITS[shape.kind], _BITS[shape.sum_kind])
    layouts, ready = (shape.a, shape.b, shape.c), math.ready

    def parts(group: Mapping[int, Operands], which: int) -> dict[Position, Value]:
        elements: dict[Position, Value] = {}
        first, last = starts[which], starts[which + 1]
        for lane, operands in group.items():
            if lane >= shape.lanes:
                continue
            values = from_registers(operands[first:last], parameters[first:last], bits[which], context)
            for n, value in enumerate(values):
                if which < 2:  # a product has thousands of steps: too many for terms, and for emitted code
                    d.concrete(value.bits, "a symbolic matrix")
                elements[layouts[which](lane, n)] = Value(ready[which](value.bits), value.poison)
        return elements

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        a, b, c = (parts(group, which) for which in range(3))
        nothing = poison(result, context.layout, d)

        def element(place: Position) -> Value:
            row, column = place
            start = c[place]
            total, bad = start.bits, start.poison
            for k in range(shape.k):
                x, y = a[row, k], b[k, column]
                total = math.multiply_add(total, x.bits, y.bits)
                bad = _either(bad, x.poison, y.poison, d)
            return Value(math.done(total), bad)

        if len(group) < shape.lanes:
            return dict.fromkeys(group, nothing)
        known: dict[Position, Value] = {}
        results = {}
        for lane in group:
            places = [shape.c(lane, n) for n in range(shape.counts[2])]
            for place in places:
                if place not in known:
                    known[place] = element(place)
            results[lane] = in_registers([known[place] for place in places], result, _BITS[shape.d_kind], d)
        return results

    return Exchanging(together)


def _either(a: Truth, b: Truth, c: Truth, d: Domain) -> Truth:
    return d.either(a, d.either(b, c))


# -- NVPTX: a lane is in group ``lane / 4``, and the ``lane % 4``-th there


def _nvptx_c(lane: int, n: int) -> Position:
    return lane // 4 + 8 * (n // 2), 2 * (lane % 4) + n % 2


def _nvptx_a(per: int) -> Layout:
    """Registers of ``per`` elements: rows 8 apart, then columns 4 registers apart."""

    def layout(lane: int, n: int) -> Position:
        register, part = divmod(n, per)
        return lane // 4 + 8 * (register % 2), per * (lane % 4) + part + 4 * per * (register // 2)

    return layout


def _nvptx_b(per: int) -> Layout:
    def layout(lane: int, n: int) -> Position:
        register, part = divmod(n, per)
        return per * (lane % 4) + part + 4 * per * register, lane // 4

    return layout


_DEPTHS: Mapping[tuple[int, str], tuple[int, ...]] = {
    **dict.fromkeys(((16, "f16"), (16, "bf16")), (8, 16)),
    **dict.fromkeys(((16, "s8"), (16, "u8")), (16, 32)), **dict.fromkeys(((8, "s8"), (8, "u8")), (16,)),
    **dict.fromkeys(((16, "s4"), (16, "u4")), (32, 64)), **dict.fromkeys(((8, "s4"), (8, "u4")), (32,)),
    (16, "tf32"): (4, 8), (16, "f64"): (4, 8, 16), (8, "f64"): (4,),
}  # fmt: skip
"""By the rows of A and the kind of its elements, how many columns it may have. (Halves of 8 rows lie in
another way.)"""
_SUMS = {**dict.fromkeys(_INTEGERS, "s32"), "bf16": "f32", "tf32": "f32", "f64": "f64"}
"""In which kind NVPTX adds products of these, of which the name says no more."""


def _mma(callee: Callee) -> Model | None:
    """``llvm.nvvm.mma.mMn8kK.row.col.*``: of halves the types of D and C are named, of all others that of A
    and B, and of integers both where they differ."""
    rows, depth = (int(callee.parts[n] or 0) for n in range(2))
    clamps, named = callee.parts[2] is not None, (callee.parts[3] or "").split(".")
    kind, b_kind = named[0], named[-1]
    if kind in ("f16", "f32"):
        sums, kind, b_kind = {*named}, "f16", "f16"
    else:
        sums = {_SUMS.get(kind, "")}
    fits = kind == b_kind or ({kind, b_kind} <= _INTEGERS and _BITS[kind] == _BITS[b_kind])
    if depth not in _DEPTHS.get((rows, kind), ()) or not fits or len(sums) > 1:
        return None
    if (clamps and kind not in _INTEGERS) or len(named) > 2:
        return None
    (sum_kind,) = sums
    bits, sum_bits = _BITS[kind], _BITS[sum_kind]
    per = max(32 // bits, 1)
    counts = rows * depth // 32, 8 * depth // 32, 8 * rows // 32
    shape = ProductShape(
        rows, 8, depth, 32, kind, sum_kind, counts, _nvptx_a(per), _nvptx_b(per), _nvptx_c,
        saturates=clamps, b_kind=b_kind,
    )  # fmt: skip
    registers = [counts[0] // per, counts[1] // per, counts[2] * sum_bits // max(sum_bits, 32)]
    return _product(shape, callee, registers) if sum(registers) == len(callee.type.parameters) else None


def _wmma_product(callee: Callee) -> Model | None:
    """``llvm.nvvm.wmma.mMnNkK.mma.*``, of fragments as they are loaded (:mod:`....ir.ptx`)."""
    name, first, second, clamps = callee.parts
    if second is not None:
        kind, sum_kind, result_kind = "f16", second, first or ""
    else:
        kind = first or ""
        sum_kind = result_kind = _SUMS.get(kind, "")
    if kind not in ELEMENT_BITS or sum_kind not in ELEMENT_BITS or (clamps and sum_kind != "s32"):
        return None
    parts = [fragment(name or "", matrix, k) for matrix, k in (("a", kind), ("b", kind), ("c", sum_kind))]
    a, b, c = parts
    if a is None or b is None or c is None:
        return None
    counts = a.holds, b.holds, c.holds
    shape = ProductShape(
        a.rows, b.columns, a.columns, WARP, kind, sum_kind, counts, a.place, b.place, c.place,
        result_kind, clamps is not None,
    )  # fmt: skip
    registers, left = [], list(callee.type.parameters)
    for count, bits in zip(
        counts, (ELEMENT_BITS[kind], ELEMENT_BITS[kind], ELEMENT_BITS[sum_kind]), strict=True
    ):
        number, unheld = registers_holding(left, count * bits, callee.context.layout)
        if unheld:
            return None
        registers.append(number)
        del left[:number]
    return None if left else _product(shape, callee, registers)


# -- AMDGPU


def _element(type_: Type) -> Type:
    return type_.element if isinstance(type_, VectorType) else type_


def _amd_kind(type_: Type) -> str | None:
    element = _element(type_)
    return _KINDS.get(element.kind) if isinstance(element, FloatType) else None


def _count(type_: Type) -> int:
    return type_.count if isinstance(type_, VectorType) else 1


_MFMA_SUMS: Mapping[str, tuple[str, Type]] = {
    **dict.fromkeys(("f16", "bf16", "f32"), ("f32", FloatType("float"))),
    "f64": ("f64", FloatType("double")), "s8": ("s32", IntType(32)),
}  # fmt: skip
"""In which kind, and as which type, products of a kind are added."""


def _mfma(callee: Callee) -> Model | None:
    """``llvm.amdgcn.mfma.f32.MxNxK...(a, b, c, cbsz, abid, blgp)``, or ``i32`` or ``f64``, for a wave of 64.
    Of one block a lane has one row of A, one column of B, and K's next elements; of several, each is a
    product by itself, and a lane has all of K. Several blocks stand here as one matrix, on its diagonal."""
    m, k = int(callee.parts[0] or 0), int(callee.parts[1] or 0)
    types = callee.type.parameters
    if len(types) != 6 or m not in (4, 16, 32):
        return None
    named = callee.parts[2] or ""
    kind = "s8" if named == "i8" else "bf16" if "bf16" in named else _amd_kind(types[0])
    if kind is None or kind not in _MFMA_SUMS or _element(types[2]) != _MFMA_SUMS[kind][1]:
        return None
    count = callee.context.layout.bits(types[0]) // ELEMENT_BITS[kind]
    blocks, rest = divmod(count * 64, m * k)
    if rest or blocks not in (1, 64 // m) or _count(types[2]) * 64 != m * m * blocks:
        return None
    per_block = max(m * m // 64, 4)  # elements of a block in a lane; those of 4 x 4 ones are in four lanes

    def a(lane: int, n: int) -> Position:
        block, row = divmod(lane, m)
        return (row, block * count + n) if blocks == 1 else (lane, n)

    def b(lane: int, n: int) -> Position:
        row, column = a(lane, n)
        return column, row

    def c(lane: int, n: int) -> Position:
        if m == 4:
            return lane // 4 * 4 + n, lane
        block, number = divmod(n, per_block)
        below, column = divmod(lane, m)
        if kind == "f64":
            row = 4 * number + below
        else:  # lanes of a column hold in registers of one number and the next three so many rows
            row = number // 4 * 4 * (64 // m) + 4 * below + number % 4
        return block * m + row, block * m + column

    shape = ProductShape(
        m, m, k, 64, kind, _MFMA_SUMS[kind][0], (count, count, m * m * blocks // 64), a, b, c
    )
    return _plain_only(_product(shape, callee, (1, 1, 1)), callee)


def _plain_only(model: Model | None, callee: Callee) -> Model | None:
    """Only with modifiers that are zero: LLVM's documents do not say what others do (broadcasts of blocks,
    patterns of lanes, other formats), so that such a call has no model."""
    if any(callee.numbers[3:]):
        return None
    if not isinstance(model, Exchanging):
        return model
    d, plain = callee.context.domain, model.together

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        for operands in group.values():
            for operand in operands[3:]:
                if d.concrete(scalar(operand).bits, "a symbolic modifier"):
                    raise NotModelled(f"@{callee.name} with modifiers")
        return plain(group, subgroup)

    return Exchanging(together)


def _wmma(callee: Callee) -> Model | None:
    """``llvm.amdgcn.wmma.f32.16x16x16.*(a, b, c)`` for a wave of 32: with 16 elements of A in a lane, as
    gfx11 has them, both halves of the wave hold the same; with 8, as gfx12 has them, the upper half holds the
    upper ones."""
    types = callee.type.parameters
    kind = callee.parts[0] or ""
    if len(types) != 3 or _count(types[2]) != 8 or kind not in ("f16", "bf16"):
        return None
    count = _count(types[0])
    if count not in (8, 16) or _count(types[1]) != count:
        return None
    early = count == 16

    def a(lane: int, n: int) -> Position:
        return lane % 16, n if early else 8 * (lane // 16) + n

    def b(lane: int, n: int) -> Position:
        row, column = a(lane, n)
        return column, row

    def c(lane: int, n: int) -> Position:
        return (2 * n + lane // 16 if early else 8 * (lane // 16) + n), lane % 16

    shape = ProductShape(16, 16, 16, 32, kind, "f32", (count, count, 8), a, b, c)
    return _product(shape, callee, (1, 1, 1))


# -- NVPTX's ldmatrix and stmatrix, between rows that lanes have read or will write and registers


def _in_row(lane: int, half: int, matrix: int, transposed: bool) -> tuple[int, int]:
    """Which lane has the row, and where in it the element lies that is a half of a lane's register."""
    near, far = lane // 4, 2 * (lane % 4) + half
    row, column = (far, near) if transposed else (near, far)
    return 8 * matrix + row, column


def _matrices(callee: Callee) -> Model | None:
    """``ldmatrix``: ``(row)``, of those lanes that give an address; ``stmatrix``: the registers, and gives
    that row (:mod:`..threads.calls`)."""
    way, count, transposed = callee.parts
    number, d = int(count or 0), callee.context.domain
    loads = way == "ld"
    fits = callee.type.parameters == (MATRIX_ROW,) if loads else callee.type.result == MATRIX_ROW
    if not fits:
        return None
    w = d.width(32)
    missing = Value(w.constant(0), d.true)

    def half_of(word: Value, at: int) -> Value:
        return Value(w.and_(w.lshr(word.bits, w.constant(16 * at)), w.constant(0xFFFF)), word.poison)

    def joined(halves: Sequence[Value]) -> Value:
        low, high = halves
        return Value(w.or_(low.bits, w.shl(high.bits, w.constant(16))), d.either(low.poison, high.poison))

    def load(group: Mapping[int, Operands], lane: int) -> RuntimeValue:
        registers = []
        for matrix in range(number):
            halves = []
            for half in range(2):
                source, column = _in_row(lane, half, matrix, bool(transposed))
                words = elements(group[source][0]) if source in group else (missing,) * 4
                halves.append(half_of(scalar(words[column // 2]), column % 2))
            registers.append(joined(halves))
        return in_registers(registers, callee.type.result, 32, d)

    def store(group: Mapping[int, Operands], lane: int) -> RuntimeValue:
        matrix = lane // 8
        row = [missing] * 8
        for source, operands in group.items():
            for half in range(2):
                there, column = _in_row(source, half, matrix, bool(transposed))
                if there == lane and matrix < number:
                    row[column] = half_of(scalar(operands[matrix]), half)
        return Composite(tuple(joined(row[at : at + 2]) for at in range(0, 8, 2)))

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        return {lane: (load if loads else store)(group, lane) for lane in group}

    return Exchanging(together)


MATRIX_PRODUCTS: Operations = (
    (r"llvm\.nvvm\.mma\.m(8|16)n8k(\d+)\.row\.col\.(satfinite\.)?(\w+(?:\.\w+)?)", _mma),
    (WMMA_PRODUCT.pattern, _wmma_product),
    (MATRIX_ACCESS.pattern, _matrices),
    (r"llvm\.amdgcn\.mfma\.f32\.(\d+)x\1x(\d+)\.?(f32|f16|bf16(?:\.1k)?)", _mfma),
    (r"llvm\.amdgcn\.mfma\.i32\.(\d+)x\1x(\d+)\.?(i8)", _mfma),
    (r"llvm\.amdgcn\.mfma\.f64\.(\d+)x\1x(\d+)(f64)", _mfma),
    (r"llvm\.amdgcn\.wmma\.f32\.16x16x16\.(f16|bf16)(?:\.\w+)*", _wmma),
)
