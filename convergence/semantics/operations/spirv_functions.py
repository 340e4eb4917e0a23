"""SPIR-V's group instructions as functions: ``__spirv_GroupNonUniformIAdd(scope, group operation, value)``.

SPIR-V, *Group and Subgroup Instructions*, *Non-Uniform Instructions*, and the extensions
``SPV_KHR_shader_ballot``, ``SPV_KHR_subgroup_rotate``, ``SPV_KHR_uniform_group_instructions``,
``SPV_NV_shader_subgroup_partitioned``, ``SPV_INTEL_subgroups``. The names come plain or mangled
(``_Z27__spirv_GroupNonUniformFAddiif``), as a template's instance
(``...IAddIiET_N5__spv5Scope4FlagEjS0_``), and with the result's type behind them (``_Rint4``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ..errors import NotModelled
from ..values.value import RuntimeValue, scalar
from .collectives import (
    all_the_same,
    any_lane,
    behind,
    below,
    counted,
    extracted_bit,
    group_operation,
    highest,
    lowest,
    matching,
    of_mask,
    of_workgroup,
    own_bit,
    rotation,
    two_register_shuffle,
    up_to,
)
from .lanes import (
    ballot,
    broadcast,
    elect,
    everywhere,
    first_of_group,
    lane_by,
    lane_in,
    moving,
    somewhere,
    vote,
)
from .model import (
    BarrierName,
    Callee,
    Exchanging,
    Family,
    Model,
    Operands,
    PerThread,
    Prepare,
    Subgroup,
    ThreadPlace,
)

_WORKGROUP, _SUBGROUP = 2, 3
"""SPIR-V's *Scope*: those in which threads communicate here."""


def _scoped(prepare: Prepare) -> Prepare:
    """The operation behind a scope, which is a constant: the subgroup, or a workgroup that is one."""
    inner, wide = behind(1, prepare), behind(1, of_workgroup(prepare))

    def prepare_call(callee: Callee) -> Model | None:
        d, models = callee.context.domain, {_SUBGROUP: inner(callee), _WORKGROUP: wide(callee)}

        def of(scope: RuntimeValue) -> Model:
            model = models.get(d.concrete(scalar(scope).bits, "a symbolic scope"))
            if model is None:
                raise NotModelled(f"@{callee.name} in a scope other than workgroup and subgroup")
            return model

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            model = of(group[min(group)][0])
            assert isinstance(model, Exchanging)
            return model.together(group, subgroup)

        def alone(place: ThreadPlace, *operands: RuntimeValue) -> RuntimeValue:
            model = of(operands[0])
            assert isinstance(model, PerThread)
            return model.alone(place, *operands)

        match models[_SUBGROUP]:
            case Exchanging() as model:
                name: BarrierName = lambda values: f"@{callee.name}" if values[0] == _WORKGROUP else None  # noqa: E731
                return replace(model, together=together, wide=True, workgroup=name)
            case PerThread():
                return PerThread(alone)
            case _:
                return None

    return prepare_call


def _bit_count(callee: Callee) -> Model | None:
    """``(group operation, mask)``: bits of the mask, or up to or below the own lane."""
    d = callee.context.domain
    models = [behind(1, of_mask(counts, counted))(callee) for counts in (any_lane, up_to, below)]

    def alone(place: ThreadPlace, operation: RuntimeValue, mask: RuntimeValue) -> RuntimeValue:
        number = d.concrete(scalar(operation).bits, "a symbolic group operation")
        model = models[number] if number < len(models) else None
        if not isinstance(model, PerThread):
            raise NotModelled(f"a group operation of @{callee.name} other than reductions and scans")
        return model.alone(place, operation, mask)

    return PerThread(alone) if isinstance(models[0], PerThread) else None


_ARITHMETIC = {
    "IAdd": ("add", True), "FAdd": ("add", True), "IMul": ("mul", True), "FMul": ("mul", True),
    "SMin": ("min", True), "UMin": ("min", False), "FMin": ("min", True),
    "SMax": ("max", True), "UMax": ("max", False), "FMax": ("max", True),
    "BitwiseAnd": ("and", True), "BitwiseOr": ("or", True), "BitwiseXor": ("xor", True),
    "LogicalAnd": ("logical_and", True), "LogicalOr": ("logical_or", True),
    "LogicalXor": ("logical_xor", True),
}  # fmt: skip
"""The operation, and whether integers have a sign."""

_SHUFFLES = {
    "Shuffle": moving(lane_in(1)),
    "ShuffleXor": moving(lane_by(1, "xor")),
    "ShuffleUp": moving(lane_by(1, "sub")),
    "ShuffleDown": moving(lane_by(1, "add")),
}


def _rotate(callee: Callee) -> Model | None:
    return rotation(2 if len(callee.type.parameters) == 3 else None)(callee)


_SCOPED: Mapping[str, Prepare] = {
    **{"NonUniform" + name: group_operation(*what) for name, what in _ARITHMETIC.items()},
    **{name: group_operation(*what) for name, what in _ARITHMETIC.items()},
    **{name + "KHR": group_operation(*what) for name, what in _ARITHMETIC.items()},
    **{"NonUniform" + name: prepare for name, prepare in _SHUFFLES.items()},
    "All": vote(everywhere),
    "Any": vote(somewhere),
    "Broadcast": broadcast(1),
    "NonUniformElect": elect,
    "NonUniformAll": vote(everywhere),
    "NonUniformAny": vote(somewhere),
    "NonUniformAllEqual": all_the_same,
    "NonUniformBroadcast": broadcast(1),
    "NonUniformBroadcastFirst": first_of_group(),
    "NonUniformBallot": ballot(),
    "NonUniformInverseBallot": own_bit,
    "NonUniformBallotBitExtract": extracted_bit,
    "NonUniformBallotBitCount": _bit_count,
    "NonUniformBallotFindLSB": of_mask(any_lane, lowest),
    "NonUniformBallotFindMSB": of_mask(any_lane, highest),
    "NonUniformRotateKHR": _rotate,
}
"""By what stands behind ``__spirv_Group``."""

_WITHOUT_SCOPE: Mapping[str, Prepare] = {"NonUniformPartitionNV": matching}
"""Those behind ``__spirv_Group`` that have no scope: it is the subgroup."""

_OF_SUBGROUP: Mapping[str, Prepare] = {
    "BallotKHR": ballot(),
    "FirstInvocationKHR": first_of_group(),
    "AllKHR": vote(everywhere),
    "AnyKHR": vote(somewhere),
    "AllEqualKHR": all_the_same,
    "ReadInvocationKHR": moving(lane_in(1)),
    "ShuffleINTEL": moving(lane_in(1)),
    "ShuffleXorINTEL": moving(lane_by(1, "xor")),
    "ShuffleUpINTEL": two_register_shuffle(True),
    "ShuffleDownINTEL": two_register_shuffle(False),
}
"""By what stands behind ``__spirv_Subgroup``: without a scope."""

_NAME = re.compile(r"__spirv_(Group|Subgroup)([A-Za-z0-9]+?)(?:_R\w+)?")


def spirv_name(name: str) -> str | None:
    """The function's own name: of a mangled one what its length counts."""
    mangled = re.match(r"_Z(\d+)", name)
    if mangled is None:
        return name if name.startswith("__spirv_") else None
    length, start = int(mangled[1]), mangled.end()
    return name[start : start + length] if len(name) >= start + length else None


def _function(callee: Callee) -> Model | None:
    own = _NAME.fullmatch(spirv_name(callee.name) or "")
    if own is None:
        return None
    if own[1] == "Subgroup":
        prepare = _OF_SUBGROUP.get(own[2])
        return None if prepare is None else prepare(callee)
    if own[2] in _WITHOUT_SCOPE:
        return _WITHOUT_SCOPE[own[2]](callee)
    prepare = _SCOPED.get(own[2])
    return None if prepare is None else _scoped(prepare)(callee)


SPIRV_FUNCTIONS = Family(("_Z", "__spirv_"), ((r"(?:_Z\d+)?__spirv_(?:Group|Subgroup)\w+", _function),))
