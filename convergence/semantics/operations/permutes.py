"""AMDGPU's moves between the lanes of a wave: DPP, ``permlane``, ``ds.swizzle``, ``ds.permute``.

What they read is in AMD's ISA documents (*Vega* and *RDNA 3*: *Data Parallel Processing*, *DS_SWIZZLE_B32*,
*DS_PERMUTE_B32*, *V_PERMLANE16_B32*), how the intrinsics name it in LLVM's *User Guide for AMDGPU Backend*,
*Syntax of AMDGPU Instruction Modifiers*, and ``IntrinsicsAMDGPU.td``.

An operation says for each lane which lane it reads, or that there is none. For DPP and ``permlane`` a lane
that takes no part is *invalid*, as one beyond the row or the wave is: then ``bound_ctrl`` gives zero, and
without it nothing is written, so that the old value stays. Where inactive lanes are fetched all the same
(``fi``), nobody can say in IR what they hold: poison. A *row* is 16 lanes, a *bank* four.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir.types import IntType, StructType
from ..errors import NotModelled
from ..values.constants import poison, zero
from ..values.value import Composite, RuntimeValue, Value, scalar
from .lanes import read_lane
from .model import Callee, Exchanging, Model, Operands, Operations, Prepare, Subgroup
from .subgroup import named

ROW = 16

# -- which lane is read ---------------------------------------------------------------------------------


def dpp_source(control: int, lane: int, size: int) -> int | None:
    """The lane that ``lane`` reads under a DPP control (``dpp_ctrl``) in a wave of ``size`` lanes; ``None``
    beyond the row or the wave. NotModelled for a control that no target has."""
    row, place = lane & ~15, lane & 15
    by = control & 15
    if control <= 0xFF:  # quad_perm
        return (lane & ~3) | (control >> 2 * (lane & 3) & 3)
    match control >> 4:
        case 0x10 if by:  # row_shl
            return lane + by if place + by < ROW else None
        case 0x11 if by:  # row_shr
            return lane - by if place >= by else None
        case 0x12 if by:  # row_ror
            return row | (place - by & 15)
        case 0x15:  # row_share, on gfx90a row_newbcast
            return row | by
        case 0x16:  # row_xmask
            return lane ^ by
        case _:
            return _whole_row_or_wave(control, lane, size)


def _whole_row_or_wave(control: int, lane: int, size: int) -> int | None:
    match control:
        case 0x130:  # wave_shl:1
            return lane + 1 if lane + 1 < size else None
        case 0x134:  # wave_rol:1
            return (lane + 1) % size
        case 0x138:  # wave_shr:1
            return lane - 1 if lane else None
        case 0x13C:  # wave_ror:1
            return (lane - 1) % size
        case 0x140:  # row_mirror
            return lane ^ 15
        case 0x141:  # row_half_mirror
            return lane ^ 7
        case 0x142:  # row_bcast:15, the last lane of the row before
            return (lane & ~15) - 1 if lane >= ROW else None
        case 0x143:  # row_bcast:31, to the wave's upper half
            return 31 if lane >= 32 else None
        case _:
            raise NotModelled(f"the DPP control {control:#x}")


def swizzle_source(pattern: int, lane: int) -> int:
    """The lane that ``lane`` reads under a pattern of ``ds.swizzle``: a permutation of each four lanes (bit
    15), masks within each 32 lanes; on gfx9 and later rotations (from 0xc000) and bit reversals of a fast
    Fourier transform (from 0xe000), too."""
    half, place = lane & ~31, lane & 31
    keep, middle = pattern & 31, pattern >> 5 & 31
    if pattern >= 0xE000:
        reverse = int(f"{place:05b}"[::-1], 2)
        return half | (reverse >> keep.bit_count()) | (place & keep)
    if pattern >= 0xC000:
        turned = place - middle if pattern >> 10 & 1 else place + middle
        return half | (place & keep) | (turned & ~keep & 31)
    if pattern >= 0x8000:
        return (lane & ~3) | (pattern >> 2 * (lane & 3) & 3)
    return half | (place & keep | middle) ^ (pattern >> 10 & 31)


# -- operands --------------------------------------------------------------------------------------------


def _constants(callee: Callee, operands: Operands, first: int, what: str) -> tuple[int, ...]:
    """Operands that an intrinsic wants as constants (``immarg``), from the one numbered ``first``."""
    return tuple(callee.context.domain.concrete(scalar(v).bits, what) for v in operands[first:])


def _zero(callee: Callee) -> RuntimeValue:
    return zero(callee.type.parameters[0], callee.context.layout, callee.context.domain)


def _poison(callee: Callee) -> RuntimeValue:
    return poison(callee.type.parameters[0], callee.context.layout, callee.context.domain)


def _moves_first(callee: Callee, operands: int) -> bool:
    """Whether a call has so many operands, the first of its result's type."""
    parameters = callee.type.parameters
    return len(parameters) == operands and parameters[0] == callee.type.result


# -- DPP -------------------------------------------------------------------------------------------------


def _dpp(has_old: bool) -> Prepare:
    """``update.dpp(old, source, control, row mask, bank mask, bound_ctrl)``; ``mov.dpp`` is without ``old``,
    and gives poison where that would stay."""

    def prepare(callee: Callee) -> Model | None:
        if not _moves_first(callee, 6 if has_old else 5):
            return None
        nothing, unknown, source = _zero(callee), _poison(callee), 1 if has_old else 0

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            def result(lane: int, operands: Operands) -> RuntimeValue:
                control, rows, banks, bound = _constants(callee, operands, source + 1, "a DPP control")
                old = operands[0] if has_old else unknown
                if not (rows >> (lane >> 4 & 3) & 1 and banks >> (lane >> 2 & 3) & 1):
                    return old
                read = dpp_source(control, lane, subgroup.size)
                if read is not None and read in group:
                    return group[read][source]
                return nothing if bound else old

            return {lane: result(lane, operands) for lane, operands in group.items()}

        return Exchanging(together)

    return prepare


def _dpp8(callee: Callee) -> Model | None:
    """``mov.dpp8(source, selectors)``: three bits for each of eight neighbours; zero of inactive lanes."""
    if not _moves_first(callee, 2):
        return None
    nothing = _zero(callee)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        def result(lane: int, operands: Operands) -> RuntimeValue:
            (selectors,) = _constants(callee, operands, 1, "DPP8 selectors")
            read = (lane & ~7) | (selectors >> 3 * (lane & 7) & 7)
            return group[read][0] if read in group else nothing

        return {lane: result(lane, operands) for lane, operands in group.items()}

    return Exchanging(together)


# -- permlane --------------------------------------------------------------------------------------------

Row = Callable[[int], int]
"""The first lane of the row that a lane reads in."""


def _own_row(lane: int) -> int:
    return lane & ~15


def _other_row(lane: int) -> int:
    return lane & ~15 ^ ROW


def _permlane(row: Row, selectors: int) -> Prepare:
    """``permlane16(old, source, low, high, fi, bound_ctrl)``: the selectors have four bits for each lane of a
    row; ``permlane16.var`` has one, the lane's own. ``permlanex16`` reads the other row of a pair."""

    def prepare(callee: Callee) -> Model | None:
        flags = 2 + selectors
        if not _moves_first(callee, flags + 2) or callee.type.parameters[1] != callee.type.result:
            return None
        d, nothing, unknown = callee.context.domain, _zero(callee), _poison(callee)
        w = d.width(32)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            values = {lane: operands[1] for lane, operands in group.items()}

            def result(lane: int, operands: Operands) -> RuntimeValue:
                fetch, bound = _constants(callee, operands, flags, "a flag of permlane")
                own = scalar(operands[2 if selectors == 1 or lane & 8 == 0 else 3])
                shift = 0 if selectors == 1 else 4 * (lane & 7)
                place = w.and_(w.lshr(own.bits, w.constant(shift)), w.constant(15))
                read = Value(w.or_(place, w.constant(row(lane))), own.poison)
                missing = unknown if fetch else nothing if bound else operands[0]
                return read_lane(read, values, unknown, d, missing)

            return {lane: result(lane, operands) for lane, operands in group.items()}

        return Exchanging(together)

    return prepare


def _permlane64(callee: Callee) -> Model | None:
    """``permlane64(source)``: the halves of a wave of 64 lanes change places; nothing in one of 32."""
    if not _moves_first(callee, 1):
        return None
    unknown = _poison(callee)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        if subgroup.wave == 32:
            return {lane: operands[0] for lane, operands in group.items()}
        return {lane: group[lane ^ 32][0] if lane ^ 32 in group else unknown for lane in group}

    return Exchanging(together)


def _swap(distance: int) -> Prepare:
    """``permlane16.swap(a, b, fi, bound_ctrl)``: odd rows of ``a`` and even rows of ``b`` change places;
    ``permlane32.swap``: ``a``'s upper and ``b``'s lower half. A partner that takes no part is as in DPP."""

    def prepare(callee: Callee) -> Model | None:
        type_ = callee.type.parameters[0] if len(callee.type.parameters) == 4 else None
        if type_ is None or callee.type.result != StructType((type_, type_)):
            return None
        nothing, unknown = _zero(callee), _poison(callee)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            def result(lane: int, operands: Operands) -> RuntimeValue:
                fetch, bound = _constants(callee, operands, 2, "a flag of permlane")
                upper, partner = lane & distance, lane ^ distance
                own = operands[0] if upper else operands[1]  # what is given away, if there is a partner
                missing = unknown if fetch else nothing if bound else own
                other = group[partner][1 if upper else 0] if partner in group else missing
                return Composite((other, operands[1]) if upper else (operands[0], other))

            return {lane: result(lane, operands) for lane, operands in group.items()}

        return Exchanging(together)

    return prepare


# -- through the hardware of local memory ----------------------------------------------------------------


def _swizzle(callee: Callee) -> Model | None:
    """``ds.swizzle(source, pattern)``; zero of inactive lanes."""
    if not _moves_first(callee, 2):
        return None
    nothing = _zero(callee)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        def result(lane: int, operands: Operands) -> RuntimeValue:
            (pattern,) = _constants(callee, operands, 1, "a swizzle pattern")
            read = swizzle_source(pattern & 0xFFFF, lane)
            return group[read][0] if read in group else nothing

        return {lane: result(lane, operands) for lane, operands in group.items()}

    return Exchanging(together)


def _address(callee: Callee, address: RuntimeValue, subgroup: Subgroup) -> Value:
    """The lane at a quarter of a byte address, modulo the wave's size."""
    w, value = callee.context.domain.width(32), scalar(address)
    return Value(w.urem(w.lshr(value.bits, 2), w.constant(max(subgroup.size, 1))), value.poison)


def _bpermute(callee: Callee) -> Model | None:
    """``ds.bpermute(address, source)``: reads the lane at the address. Of inactive lanes the hardware gives
    zero, or what they hold (``ds.bpermute.fi.b32``); but ``instcombine`` makes a ``readlane`` of it where the
    address is uniform, so that a program may count on neither: poison."""
    if callee.type.parameters != (IntType(32), IntType(32)) or callee.type.result != IntType(32):
        return None
    d, unknown = callee.context.domain, _poison(callee)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        values = {lane: operands[1] for lane, operands in group.items()}
        return {
            lane: read_lane(_address(callee, operands[0], subgroup), values, unknown, d)
            for lane, operands in group.items()
        }

    return Exchanging(together)


def _permute(callee: Callee) -> Model | None:
    """``ds.permute(address, source)``: each lane writes to the lane at its address; of several that write to
    one the highest is the last, and who is written to by nobody gets zero."""
    if callee.type.parameters != (IntType(32), IntType(32)) or callee.type.result != IntType(32):
        return None
    d, nothing = callee.context.domain, _zero(callee)
    w = d.width(32)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        targets = {lane: _address(callee, group[lane][0], subgroup) for lane in sorted(group)}
        nowhere = d.false  # an address that is poison may be any lane's
        for target in targets.values():
            nowhere = d.either(nowhere, target.poison)

        def result(lane: int) -> RuntimeValue:
            got = scalar(nothing)
            for other, target in targets.items():
                here = w.eq(target.bits, w.constant(lane))
                got = scalar(d.choose(here, group[other][1], got))
            return Value(got.bits, d.either(got.poison, nowhere))

        return {lane: result(lane) for lane in group}

    return Exchanging(together)


PERMUTES: Operations = (
    (named("llvm.amdgcn.update.dpp"), _dpp(True)),
    (named("llvm.amdgcn.mov.dpp"), _dpp(False)),
    (named("llvm.amdgcn.mov.dpp8"), _dpp8),
    (r"llvm\.amdgcn\.permlane16\.var", _permlane(_own_row, 1)),
    (r"llvm\.amdgcn\.permlanex16\.var", _permlane(_other_row, 1)),
    (r"llvm\.amdgcn\.permlane16\.swap", _swap(ROW)),
    (r"llvm\.amdgcn\.permlane32\.swap", _swap(2 * ROW)),
    (named("llvm.amdgcn.permlane16"), _permlane(_own_row, 2)),
    (named("llvm.amdgcn.permlanex16"), _permlane(_other_row, 2)),
    (named("llvm.amdgcn.permlane64"), _permlane64),
    (r"llvm\.amdgcn\.ds\.swizzle", _swizzle),
    (r"llvm\.amdgcn\.ds\.bpermute(?:\.fi\.b32)?", _bpermute),
    (r"llvm\.amdgcn\.ds\.permute", _permute),
)
