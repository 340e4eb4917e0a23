"""AMDGPU's wave operations (LLVM's *User Guide for AMDGPU Backend*, *LLVM IR Intrinsics*).

A wave is a subgroup. Barriers wait for the group that the convergence rules give, not for the workgroup; they
order no memory without fences (D-SYNC).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...ir.instructions import Binary, FCmp, ICmp
from ...ir.operands import Local
from ...ir.types import FloatType, IntType
from ..arithmetic.domain import Domain
from ..instructions import prepare
from ..values.constants import poison, zero
from ..values.value import RuntimeValue, Value, scalar
from .barriers import BARE, NOTHING, always, arrival, barrier, named_by, of_cluster, waiting
from .lanes import ballot, first_of_group, has_mask_type, lane_by, mask_of, moving, somewhere
from .model import (
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
from .reductions import reduction, some_poison, width_of, with_poison
from .subgroup import SUFFIX, named

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
        here = d.width(32).eq(_in_wave(scalar(lane), place.subgroup, d).bits, place.lane)
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
    (named("llvm.amdgcn.readlane", "llvm.amdgcn.wave.shuffle"), moving(_wave_lane)),
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
