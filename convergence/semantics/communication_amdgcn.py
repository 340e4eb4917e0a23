"""AMDGPU's wave operations (LLVM's *User Guide for AMDGPU Backend*, *LLVM IR Intrinsics*).

A wave is a subgroup. Barriers wait for the group that the convergence rules give, not for the workgroup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..ir.instructions import FCmp, ICmp
from ..ir.operands import Local
from ..ir.types import IntType
from .communication_models import (
    about,
    ballot,
    ballot_bits,
    barrier,
    first_lane,
    integer,
    lane_by,
    lane_in,
    moving,
    reduction,
    width_of,
)
from .communication_subgroup import SUFFIX, named
from .exchanges import Callee, Exchanging, Family, Model, Operands, PerThread, Place, Prepare, Subgroup
from .instructions import prepare
from .values import RuntimeValue, Value, scalar

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
    sum_of = reduction("add")(callee)
    bits = width_of(callee.type.result)
    if not isinstance(sum_of, Exchanging) or bits is None:
        return None
    width, inner = bits, sum_of.together

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        return {
            lane: v if scalar(v).poison else integer(-scalar(v).bits, width)
            for lane, v in inner(group, subgroup).items()
        }

    return Exchanging(together)


def _mask_count(low: bool) -> Prepare:
    """``mbcnt.lo`` and ``mbcnt.hi``: how many bits below the lane are set in half a mask, plus a number."""

    def prepare_call(callee: Callee) -> Model | None:
        if callee.type.result != IntType(32) or len(callee.type.parameters) != 2:
            return None

        def alone(place: Place, mask: RuntimeValue, base: RuntimeValue) -> RuntimeValue:
            if scalar(mask).poison or scalar(base).poison:
                return Value(0, True)
            below = max(0, min(place.lane if low else place.lane - 32, 32))
            return integer((scalar(mask).bits & ((1 << below) - 1)).bit_count() + scalar(base).bits, 32)

        return PerThread(alone)

    return prepare_call


def _compare(
    instruction: Callable[[str, Local, Local], ICmp | FCmp], predicates: tuple[str, ...], first: int
) -> Prepare:
    """``icmp`` and ``fcmp``: the mask of lanes for which a comparison holds; the condition is a constant."""

    def prepare_call(callee: Callee) -> Model | None:
        if len(callee.type.parameters) != 3 or ballot_bits(0, callee.type.result) is None:
            return None
        type_, result = callee.type.parameters[0], callee.type.result

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            masks: dict[int, RuntimeValue] = {}
            for code in {scalar(v[2]).bits for v in group.values()}:
                if not 0 <= code - first < len(predicates):
                    masks.update(dict.fromkeys(group, Value(0, True)))
                    continue
                compare = prepare(
                    instruction(predicates[code - first], Local(type_, "a"), Local(type_, "b")),
                    callee.context,
                )
                assert compare is not None
                holds = {lane: scalar(compare(v[0], v[1])) for lane, v in group.items()}
                bad = any(h.poison for h in holds.values())
                mask = sum(1 << lane for lane, h in holds.items() if h.bits)
                value = Value(0, True) if bad else ballot_bits(mask, result)
                assert value is not None
                masks.update({lane: value for lane, v in group.items() if scalar(v[2]).bits == code})
            return masks

        return Exchanging(together)

    return prepare_call


def _inverse_ballot(callee: Callee) -> Model | None:
    """The own lane's bit of a mask."""

    def alone(place: Place, mask: RuntimeValue) -> RuntimeValue:
        return Value((scalar(mask).bits >> place.lane) & 1, scalar(mask).poison)

    return PerThread(alone) if callee.type.result == IntType(1) and len(callee.type.parameters) == 1 else None


def _writelane(callee: Callee) -> Model | None:
    """``writelane(value, lane, other)``: ``value`` in that lane, ``other`` everywhere else."""
    if len(callee.type.parameters) != 3:
        return None

    def alone(place: Place, value: RuntimeValue, lane: RuntimeValue, other: RuntimeValue) -> RuntimeValue:
        if scalar(lane).poison:
            return Value(0, True)
        return value if scalar(lane).bits == place.lane else other

    return PerThread(alone)


def _bpermute(lane: int, operands: Operands, group: Mapping[int, Operands], subgroup: Subgroup) -> int | None:
    """``ds.bpermute(address, value)``: reads the lane at a quarter of the address."""
    address = scalar(operands[0])
    return None if address.poison else (address.bits >> 2) % max(subgroup.size, 1)


OPERATIONS: tuple[tuple[str, Prepare], ...] = (
    (named("llvm.amdgcn.ballot"), ballot()),
    (named("llvm.amdgcn.readfirstlane"), moving(first_lane)),
    (named("llvm.amdgcn.readlane", "llvm.amdgcn.wave.shuffle"), moving(lane_in(1))),
    (named("llvm.amdgcn.writelane"), _writelane),
    (r"llvm\.amdgcn\.wave\.reduce\.(f?(?:add|sub|min|max)|umin|umax|and|or|xor)" + SUFFIX, _wave_reduce),
    (named("llvm.amdgcn.ds.bpermute"), moving(_bpermute, 1)),
    (named("llvm.amdgcn.permlane64"), moving(lambda lane, *_: lane ^ 32)),
    (named("llvm.amdgcn.permlane.xor"), moving(lane_by(1, lambda lane, mask: lane ^ mask))),
    (named("llvm.amdgcn.inverse.ballot"), _inverse_ballot),
    (named("llvm.amdgcn.icmp"), _compare(ICmp, _INTEGER_PREDICATES, 32)),
    (named("llvm.amdgcn.fcmp"), _compare(FCmp, _FLOAT_PREDICATES, 0)),
    (named("llvm.amdgcn.mbcnt.lo"), _mask_count(True)),
    (named("llvm.amdgcn.mbcnt.hi"), _mask_count(False)),
    (named("llvm.amdgcn.workitem.id.x"), about(lambda p: p.thread)),
    (named("llvm.amdgcn.workitem.id.y", "llvm.amdgcn.workitem.id.z"), about(lambda p: 0)),
    (r"llvm\.amdgcn\.(?:workgroup|cluster)\.id\.[xyz]" + SUFFIX, about(lambda p: 0)),
    (named("llvm.amdgcn.wavefrontsize"), about(lambda p: p.subgroup.size)),
    (named("llvm.amdgcn.wave.id"), about(lambda p: p.subgroup.number)),
    (named("llvm.amdgcn.s.barrier", "llvm.amdgcn.wave.barrier"), barrier),
)

AMDGCN = Family(("llvm.amdgcn.",), OPERATIONS)
