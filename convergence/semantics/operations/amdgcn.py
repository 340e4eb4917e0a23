"""AMDGPU's wave operations, and its moves between the lanes of a wave: DPP, ``permlane``, ``ds.swizzle``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...ir import FloatType, IntType, Local, StructType
from ...ir.instructions import Binary, FCmp, ICmp
from .. import NotModelled
from ..instructions import prepare
from ..values import Composite, RuntimeValue, Value, scalar
from ..values.context import poison, zero
from . import (
    CLUSTER_BARRIER,
    Callee,
    Exchanging,
    Model,
    Operands,
    Operations,
    PerThread,
    Prepare,
    Subgroup,
    ThreadPlace,
)
from .barriers import BARE, NOTHING, always, arrival, barrier, named_by, of_cluster, waiting
from .lanes import (
    ballot,
    first_of_group,
    has_mask_type,
    lane_by,
    mask_of,
    moving,
    of_one,
    read_lane,
    reduction,
    some_poison,
    somewhere,
    width_of,
    with_poison,
)
from .subgroup import SUFFIX, named

if TYPE_CHECKING:
    from ..arithmetic.domain import Domain

# ----------------------------------------------------------------------------------------------------------
# AMDGPU's wave operations (LLVM's *User Guide for AMDGPU Backend*, *LLVM IR Intrinsics*).
#
# A wave is a subgroup. Barriers but ``wave.barrier`` wait for the workgroup or the cluster; they order no
# memory without fences (D-SYNC).
# ----------------------------------------------------------------------------------------------------------

_INTEGER_PREDICATES = ("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle")
"""``llvm.amdgcn.icmp``'s condition codes, from 32."""
_FLOAT_PREDICATES = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "uno", "ueq", "ugt", "uge", "ult", "ule", "une", "true",
)  # fmt: skip
"""``llvm.amdgcn.fcmp``'s condition codes, from 0."""


def _wave_reduce(callee: Callee) -> Model | None:
    """``wave.reduce.op(value, strategy)``; ``sub`` subtracts every value from zero."""
    name = callee.parts[0] or ""
    operation, signed = name.removeprefix("u").removeprefix("f"), not name.startswith("u")
    if operation != "sub":
        return reduction(operation, signed)(callee)
    if isinstance(callee.type.result, FloatType):
        return _difference(callee)
    sum_of = reduction("add")(callee)
    bits = width_of(callee.type.result)
    if not isinstance(sum_of, Exchanging) or bits is None:
        return None
    inner, w = sum_of.together, callee.context.domain.width(bits)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        sums = inner(group, subgroup)
        return {lane: Value(w.neg(scalar(v).bits), scalar(v).poison) for lane, v in sums.items()}

    return Exchanging(together)


def _difference(callee: Callee) -> Model | None:
    """``wave.reduce.fsub``: every value subtracted from zero, one after the other."""
    type_, context = callee.type.result, callee.context
    if callee.type.parameters[:1] != (type_,):
        return None
    less = prepare(Binary("fsub", Local(type_, "total"), Local(type_, "value")), context)
    assert less is not None
    nothing = zero(type_, context.layout, context.domain)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        total = nothing
        for lane in sorted(group):
            total = less(total, group[lane][0])
        return dict.fromkeys(group, total)

    return Exchanging(together)


def _mask_count(low: bool) -> Prepare:
    """``mbcnt.lo`` and ``mbcnt.hi``: how many bits below the lane are set in half a mask, plus a number."""

    def prepare_call(callee: Callee) -> Model | None:
        if callee.type.result != IntType(32) or len(callee.type.parameters) != 2:
            return None

        d, w = callee.context.domain, callee.context.domain.width(32)

        def alone(place: ThreadPlace, mask: RuntimeValue, base: RuntimeValue) -> RuntimeValue:
            below = max(0, min(place.lane if low else place.lane - 32, 32))
            counted = w.ctpop(w.and_(scalar(mask).bits, w.constant((1 << below) - 1)))
            bad = d.either(scalar(mask).poison, scalar(base).poison)
            return Value(w.add(counted, scalar(base).bits), bad)

        return PerThread(alone)

    return prepare_call


def _compare(
    instruction: Callable[[str, Local, Local], ICmp | FCmp], predicates: tuple[str, ...], first: int
) -> Prepare:
    """``icmp`` and ``fcmp``: the mask of lanes for which a comparison holds; the condition is a constant."""

    def prepare_call(callee: Callee) -> Model | None:
        if len(callee.type.parameters) != 3 or not has_mask_type(callee.type.result):
            return None
        type_, result, d = callee.type.parameters[0], callee.type.result, callee.context.domain

        def mask(code: int, group: Mapping[int, Operands]) -> RuntimeValue:
            if not 0 <= code - first < len(predicates):
                return poison(result, callee.context.layout, d)
            compare = prepare(
                instruction(predicates[code - first], Local(type_, "a"), Local(type_, "b")), callee.context
            )
            assert compare is not None
            holds = {lane: scalar(compare(v[0], v[1])) for lane, v in group.items()}
            bits = mask_of({lane: d.truth(h.bits) for lane, h in holds.items()}, result, d)
            return with_poison(bits, some_poison(list(holds.values()), d), d)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            codes = {
                lane: d.concrete(scalar(v[2]).bits, "a symbolic condition code") for lane, v in group.items()
            }
            masks = {code: mask(code, group) for code in set(codes.values())}
            return {lane: masks[code] for lane, code in codes.items()}

        return Exchanging(together)

    return prepare_call


def _inverse_ballot(callee: Callee) -> Model | None:
    """The own lane's bit of a mask."""
    bits = width_of(callee.type.parameters[0]) if len(callee.type.parameters) == 1 else None
    if callee.type.result != IntType(1) or bits is None:
        return None
    width, d = bits, callee.context.domain

    def alone(place: ThreadPlace, mask: RuntimeValue) -> RuntimeValue:
        if place.lane >= width:
            return Value(0, scalar(mask).poison)
        return Value(d.extract(place.lane, place.lane)(scalar(mask).bits), scalar(mask).poison)

    return PerThread(alone)


def _in_wave(lane: Value, subgroup: Subgroup, domain: Domain) -> Value:
    """A lane number modulo the wave's size: LLVM's passes count on it that no more bits are looked at, and
    take 64 lanes where nobody says how many there are."""
    return Value(domain.width(32).and_(lane.bits, (subgroup.wave or 64) - 1), lane.poison)


def _wave_lane(lane: int, operands: Operands, subgroup: Subgroup, callee: Callee) -> Value:
    return _in_wave(scalar(operands[1]), subgroup, callee.context.domain)


def _writelane(callee: Callee) -> Model | None:
    """``writelane(value, lane, other)``: ``value`` in that lane, ``other`` everywhere else."""
    if len(callee.type.parameters) != 3:
        return None
    d = callee.context.domain
    bad = poison(callee.type.result, callee.context.layout, d)

    def alone(
        place: ThreadPlace, value: RuntimeValue, lane: RuntimeValue, other: RuntimeValue
    ) -> RuntimeValue:
        words = d.width(32)
        here = words.eq(_in_wave(scalar(lane), place.subgroup, d).bits, words.constant(place.lane))
        return d.choose(scalar(lane).poison, bad, d.choose(here, value, other))

    return PerThread(alone)


def _quad_vote(callee: Callee) -> Model | None:
    """``wqm.vote``: whether the operand is true in a lane of the own quad."""
    if callee.type.result != IntType(1) or callee.type.parameters != (IntType(1),):
        return None
    d = callee.context.domain

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        def result(lane: int) -> RuntimeValue:
            votes = [scalar(group[other][0]) for other in _quad(lane) if other in group]
            truths = [d.truth(vote.bits) for vote in votes]
            return Value(somewhere(truths, d, 1), some_poison(list(votes), d))

        return {lane: result(lane) for lane in group}

    return Exchanging(together)


def _quad(lane: int) -> range:
    """The four lanes of a lane's quad."""
    return range(lane & ~3, (lane & ~3) + 4)


def _own_operand(callee: Callee) -> Model | None:
    """What computes its first operand in more lanes than those that get it: each gets its own.
    (For ``strict.wwm`` and ``strict.wqm`` see ``whole_wave``.)"""
    if not callee.type.parameters or callee.type.parameters[0] != callee.type.result:
        return None
    return PerThread(lambda place, value, *other: value)


def _dead(callee: Callee) -> Model | None:
    """``dead``: a value that nobody may count on."""
    bad = poison(callee.type.result, callee.context.layout, callee.context.domain)
    return None if callee.type.parameters else PerThread(lambda place: bad)


def _of_mask(function: Callable[[int, int], list[int]]) -> Prepare:
    """Scalar operations on a mask: which bits of it each bit of the result is the disjunction of."""

    def prepare_call(callee: Callee) -> Model | None:
        bits = width_of(callee.type.result)
        mask_bits = width_of(callee.type.parameters[0]) if len(callee.type.parameters) == 1 else None
        if bits is None or mask_bits is None:
            return None
        d, sources, width = callee.context.domain, [function(i, mask_bits) for i in range(bits)], mask_bits
        w = d.width(bits)

        def alone(place: ThreadPlace, mask: RuntimeValue) -> RuntimeValue:
            value, result = scalar(mask), w.constant(0)
            for i, read in enumerate(sources):
                truths = [d.truth(d.extract(bit, bit)(value.bits)) for bit in read if bit < width]
                result = w.or_(result, w.shl(somewhere(truths, d, bits), w.constant(i)))
            return Value(result, value.poison)

        return PerThread(alone)

    return prepare_call


def _own_quad_s(bit: int, width: int) -> list[int]:
    return list(_quad(bit))


def _quad_numbered(bit: int, width: int) -> list[int]:
    return list(_quad(4 * bit))


def _half(bit: int, width: int) -> list[int]:
    return [bit // 2]


def _of_workgroup(operands: Sequence[int | None]) -> str | None:
    """Barrier -1 is that of the workgroup, -3 that of the cluster; others are named barriers and a trap
    handler's."""
    number = operands[0] if operands else None
    return {0xFFFF: "barrier", 0xFFFD: CLUSTER_BARRIER}.get(-1 if number is None else number & 0xFFFF)


AMDGCN: Operations = (
    (named("llvm.amdgcn.ballot"), ballot()),
    (named("llvm.amdgcn.readfirstlane"), first_of_group()),
    (named("llvm.amdgcn.readlane"), of_one(moving(_wave_lane), 1, _in_wave)),
    (named("llvm.amdgcn.wave.shuffle"), moving(_wave_lane)),
    (named("llvm.amdgcn.writelane"), _writelane),
    (r"llvm\.amdgcn\.wave\.reduce\.(f?(?:add|sub|min|max)|umin|umax|and|or|xor)" + SUFFIX, _wave_reduce),
    (named("llvm.amdgcn.wqm.vote"), _quad_vote),
    (
        named(
            *("llvm.amdgcn." + n for n in ("wqm", "softwqm", "wwm", "strict.wwm", "strict.wqm")),
            "llvm.amdgcn.set.inactive",
            "llvm.amdgcn.set.inactive.chain.arg",
        ),
        _own_operand,
    ),
    (named("llvm.amdgcn.dead"), _dead),
    (named("llvm.amdgcn.s.wqm"), _of_mask(_own_quad_s)),
    (named("llvm.amdgcn.s.quadmask"), _of_mask(_quad_numbered)),
    (named("llvm.amdgcn.s.bitreplicate"), _of_mask(_half)),
    (named("llvm.amdgcn.permlane.xor"), moving(lane_by(1, "xor"))),
    (named("llvm.amdgcn.inverse.ballot"), _inverse_ballot),
    (named("llvm.amdgcn.icmp"), _compare(ICmp, _INTEGER_PREDICATES, 32)),
    (named("llvm.amdgcn.fcmp"), _compare(FCmp, _FLOAT_PREDICATES, 0)),
    (named("llvm.amdgcn.mbcnt.lo"), _mask_count(True)),
    (named("llvm.amdgcn.mbcnt.hi"), _mask_count(False)),
    (r"llvm\.amdgcn\.s\.barrier", barrier(always(NOTHING), named_by("barrier"))),
    (r"llvm\.amdgcn\.s\.cluster\.barrier", of_cluster(always(NOTHING))),
    (r"llvm\.amdgcn\.s\.barrier\.signal", arrival(always(NOTHING), _of_workgroup)),
    (r"llvm\.amdgcn\.s\.barrier\.wait", waiting(always(NOTHING), _of_workgroup)),
    (named("llvm.amdgcn.wave.barrier"), BARE),
)


# ----------------------------------------------------------------------------------------------------------
# AMDGPU's moves between the lanes of a wave: DPP, ``permlane``, ``ds.swizzle``, ``ds.permute``.
#
# What they read is in AMD's ISA documents (*Vega* and *RDNA 3*: *Data Parallel Processing*,
# *DS_SWIZZLE_B32*,
# *DS_PERMUTE_B32*, *V_PERMLANE16_B32*), how the intrinsics name it in LLVM's *User Guide for AMDGPU
# Backend*,
# *Syntax of AMDGPU Instruction Modifiers*, and ``IntrinsicsAMDGPU.td``.
#
# An operation says for each lane which lane it reads, or that there is none. For DPP and ``permlane`` a
# lane that takes no part is *invalid*, as one beyond the row or the wave is: then ``bound_ctrl`` gives
# zero, and without it nothing is written, so that the old value stays. Where inactive lanes are fetched all
# the same (``fi``), nobody can say in IR what they hold: poison. A *row* is 16 lanes, a *bank* four.
# ----------------------------------------------------------------------------------------------------------


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
