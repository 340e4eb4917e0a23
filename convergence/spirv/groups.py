"""Operations among threads and of scopes: groups, subgroups, barriers, clocks, as the functions that
:doc:`operations` has models for.

SPIR-V, *Group and Subgroup Instructions*, *Non-Uniform Instructions*, *Barrier Instructions*.
"""

from __future__ import annotations

from collections.abc import Mapping

from .arithmetic import suffix
from .instruction import SPIRVInstruction, grammar
from .types import Bool, SPIRVFloat, SPIRVInt, Type, Vector
from .writing import BARRIER, EXCHANGE, Emit, FunctionWriter

_UNSCOPED = frozenset(
    (
        "OpSubgroupBallotKHR", "OpSubgroupFirstInvocationKHR", "OpSubgroupAllKHR", "OpSubgroupAnyKHR",
        "OpSubgroupAllEqualKHR", "OpSubgroupReadInvocationKHR", "OpSubgroupShuffleINTEL",
        "OpSubgroupShuffleDownINTEL", "OpSubgroupShuffleUpINTEL", "OpSubgroupShuffleXorINTEL",
        "OpGroupNonUniformPartitionNV", "OpGroupNonUniformQuadAllKHR", "OpGroupNonUniformQuadAnyKHR",
    )
)  # fmt: skip
"""Without a scope before the value."""
_REDUCTIONS = (
    "IAdd", "FAdd", "IMul", "FMul", "SMin", "UMin", "FMin", "SMax", "UMax", "FMax", "BitwiseAnd",
    "BitwiseOr", "BitwiseXor", "LogicalAnd", "LogicalOr", "LogicalXor",
)  # fmt: skip
_NON_UNIFORM = (
    "Elect", "All", "Any", "AllEqual", "Broadcast", "BroadcastFirst", "Ballot", "InverseBallot",
    "BallotBitExtract", "BallotBitCount", "BallotFindLSB", "BallotFindMSB", "Shuffle", "ShuffleXor",
    "ShuffleUp", "ShuffleDown", "QuadBroadcast", "QuadSwap", "RotateKHR", "PartitionNV", "QuadAllKHR",
    "QuadAnyKHR",
)  # fmt: skip
_BARRIERS = {
    "OpControlBarrier": BARRIER,
    "OpMemoryBarrier": "nounwind",
    "OpControlBarrierArriveINTEL": BARRIER,
    "OpControlBarrierWaitINTEL": BARRIER,
}


def _ending(type_: Type) -> str:
    """What tells functions of one name apart."""
    return suffix(type_) if isinstance(type_, Bool | SPIRVInt | SPIRVFloat | Vector) else "x"


def _arguments(code: FunctionWriter, i: SPIRVInstruction) -> list[str]:
    """The operands: scopes and group operations as numbers."""
    arguments = []
    for operand in i.operands:
        if isinstance(operand, int):
            arguments.append(f"i32 {operand}")
        elif operand[0] == "%":
            arguments.append(code.typed(operand))
        else:
            number = grammar().kinds["GroupOperation"].numbers.get(operand)
            if number is None:
                raise code.refused(f"the group operation {operand}")
            arguments.append(f"i32 {number}")
    return arguments


def _exchange(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """A call of ``__spirv_`` and the opcode's name, with the types of the result and the operands behind.
    What an operation can have or not, a cluster's size or a partition, is in the name, too: with it the
    function has another type."""
    result = code.result_type()
    types = [code.type(o) for o in i.operands if isinstance(o, str) and o[0] == "%"]
    endings = dict.fromkeys(map(_ending, (result, *(types if i.op in _UNSCOPED else types[1:]))))
    among = [f"in_{_ending(types[-1])}"] if len(i.operands) > 3 else []
    name = f"__spirv_{i.op.removeprefix('Op')}_R{'_'.join((*endings, *among))}"
    code.define(code.call(name, code.llvm(result), _arguments(code, i), EXCHANGE))


_QUADS = {
    "": ("DerivativeGroupLinearKHR", "DerivativeGroupLinearNV"),
    "_Quads": ("DerivativeGroupQuadsKHR", "DerivativeGroupQuadsNV"),
}
"""By what is behind a derivative's name: the execution modes in which a quad is four threads in a row, or two
by two along x and y."""


def _derivative(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """A derivative (SPV_KHR_compute_shader_derivatives)."""
    for form, modes in _QUADS.items():
        if all(any(e.mode(mode) is not None for mode in modes) for e in code.module.entry_points):
            type_ = code.result_type()
            name = f"__spirv_{i.op.removeprefix('Op')}{form}_R{_ending(type_)}"
            code.define(code.call(name, code.llvm(type_), [code.typed(i.id(0))], EXCHANGE))
            return
    raise code.refused("a derivative without DerivativeGroupLinearKHR or DerivativeGroupQuadsKHR")


def _clock(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """SPV_KHR_shader_clock: a function without a model, so that a number is chosen."""
    result = code.result_type()
    name = f"__spirv_{i.op.removeprefix('Op')}_R{_ending(result)}"
    code.define(code.call(name, code.llvm(result), _arguments(code, i)))


def _barrier(code: FunctionWriter, i: SPIRVInstruction) -> None:
    for operand in i.operands:
        code.constant(str(operand), "a scope or semantics")
    name = f"__spirv_{i.op.removeprefix('Op')}"
    code.emit(code.call(name, "void", _arguments(code, i), _BARRIERS[i.op]))


_GROUPS = (
    *(f"OpGroupNonUniform{name}" for name in (*_REDUCTIONS, *_NON_UNIFORM)),
    *(f"OpGroup{name}" for name in ("All", "Any", "Broadcast", *_REDUCTIONS[:2], *_REDUCTIONS[4:10])),
    *(f"OpGroup{name}KHR" for name in ("IMul", "FMul", *_REDUCTIONS[10:])),
    *_UNSCOPED,
)
_DERIVATIVES = tuple(
    f"Op{name}{form}" for name in ("DPdx", "DPdy", "Fwidth") for form in ("", "Fine", "Coarse")
)
GROUPS: Mapping[str, Emit] = {
    **dict.fromkeys(_DERIVATIVES, _derivative),
    **{name: _exchange for name in _GROUPS if name in grammar().opcodes},
    **dict.fromkeys(_BARRIERS, _barrier),
    "OpReadClockKHR": _clock,
}
"""By opcode."""
CONVERGENT = frozenset(GROUPS) - {"OpMemoryBarrier", "OpReadClockKHR"}
"""Those whose result or effect depends on who takes part."""
