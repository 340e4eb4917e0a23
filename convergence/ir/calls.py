"""What the rules ask of a call (control intrinsic, convergent, controlled: semantics.md, §1), and what
targets say of some.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from . import Global, InlineAsm, Int, Local, Operand, PointerType, TargetType, Type, VectorType
from .instructions import AtomicRMW, Bundle, CallSite, CmpXchg, Instruction, Load, Store, Words
from .module import Function, Module

# ----------------------------------------------------------------------------------------------------------
# What the rules ask of a call: control intrinsic, convergent, controlled (semantics.md, §1).
# ----------------------------------------------------------------------------------------------------------


class Control(Enum):
    """The three convergence control intrinsics."""

    ENTRY = "llvm.experimental.convergence.entry"
    LOOP = "llvm.experimental.convergence.loop"
    ANCHOR = "llvm.experimental.convergence.anchor"


_BY_NAME = {c.value: c for c in Control}
CONTROL_BUNDLE = "convergencectrl"


def callee_name(call: CallSite) -> str | None:
    """The function that a *direct* call names, else ``None``."""
    return call.callee.name if isinstance(call.callee, Global) else None


def assembly_name(assembly: InlineAsm) -> str:
    """Inline assembly as a callee: its text and its constraints say what it does."""
    return f'asm "{assembly.text}", "{assembly.constraints}"'


def unchanged_operand(assembly: InlineAsm) -> int | None:
    """The argument, from 0, that inline assembly without a text gives back: the one that is tied to its only
    output, whose register nobody writes (LangRef, *Inline Asm Constraint String*: a matching constraint).
    ``None`` where there is none. Programs hide a value so from the optimiser."""
    if assembly.text.strip():
        return None
    constraints = [c for c in re.split(r",(?![^{]*\})", assembly.constraints) if not c.startswith(("~", "!"))]
    outputs = [c for c in constraints if c.startswith("=") and not c.startswith("=*")]
    if len(outputs) != 1 or not constraints[0].startswith("=") or constraints[0].startswith("=*"):
        return None
    inputs = constraints[1:]
    return inputs.index("0") if "0" in inputs else None


def scalar_outputs(call: CallSite) -> tuple[bool, ...]:
    """For each output of inline assembly of AMDGPU whether it is in a scalar register, of which a wave has
    one (LangRef, *Supported Constraint Code List*, AMDGPU: ``s``, ``{sN}`` and ``{s[N:M]}``; other scalar
    registers by name). Nothing for what is no inline assembly, or has outputs in memory."""
    if not isinstance(call.callee, InlineAsm):
        return ()
    outputs = [c for c in call.callee.constraints.split(",") if c.startswith("=")]
    if any("*" in output for output in outputs):
        return ()
    return tuple(
        _SCALAR.fullmatch(output.removeprefix("=").removeprefix("&")) is not None for output in outputs
    )


_SCALAR = re.compile(
    r"s|\{(?:(?:s|ttmp)(?:\d+|\[\d+:\d+\])|m0|scc|null|(?:vcc|exec|flat_scratch|xnack_mask)(?:_lo|_hi)?)\}"
)


def is_scalar(module: Module, call: CallSite) -> bool:
    """Whether a call is of AMDGPU's inline assembly, with results of which a wave has one each."""
    if not all(scalar_outputs(call) or (False,)):
        return False
    from .targets import architecture_of

    return architecture_of(module) == "amdgcn"


def argument_words(module: Module, call: CallSite, place: int, callee: Function | None) -> Words:
    """The attributes of the argument at a place, from 0: those that the call gives it, and those of the
    parameter of a ``callee`` that has one there."""
    words = module.resolve(call.arguments[place].attributes)
    if callee is None or place >= len(callee.parameters):
        return words
    return (*words, *module.resolve(callee.parameters[place].attributes))


def control(instruction: Instruction) -> Control | None:
    """Which control intrinsic an instruction calls directly, if any."""
    if isinstance(instruction, CallSite) and isinstance(instruction.callee, Global):
        return _BY_NAME.get(instruction.callee.name)
    return None


def control_bundles(call: CallSite) -> tuple[Bundle, ...]:
    """The call's ``convergencectrl`` bundles (well-formed calls have at most one)."""
    return tuple(b for b in call.bundles if b.tag == CONTROL_BUNDLE)


def token_used(instruction: Instruction) -> Local | None:
    """The token that an instruction uses: the operand of its first well-formed control bundle."""
    if isinstance(instruction, CallSite):
        for bundle in instruction.bundles:
            if bundle.tag == CONTROL_BUNDLE and len(bundle.inputs) == 1:
                operand = bundle.inputs[0]
                return operand if isinstance(operand, Local) else None
    return None


CASE_BUNDLE = "convcheck.case"


class CaseBound(NamedTuple):
    """What bounds an anchor at which a case of a switch begins (R-CASE): the ``token`` with which threads
    came to the switch, the ``value`` that it asks for, and the ``number`` of the switch in its function."""

    token: Local
    value: Operand
    number: int


def case_of(call: CallSite) -> CaseBound | None:
    """The bound of an anchor: its first well-formed ``convcheck.case`` bundle, which convcheck writes where
    it translates SPIR-V. LLVM knows nothing of it."""
    if control(call) is Control.ANCHOR:
        for bundle in call.bundles:
            if bundle.tag == CASE_BUNDLE and len(bundle.inputs) == 3:
                token, value, number = bundle.inputs
                if isinstance(token, Local) and isinstance(number, Int):
                    return CaseBound(token, value, number.value)
    return None


BEGIN_BUNDLE, WAY_BUNDLE, MEET_BUNDLE = "convcheck.begin", "convcheck.way", "convcheck.meet"


class WayBound(NamedTuple):
    """What bounds an anchor by the way by which threads came to it (R-UNIFORM): a way begins at ``token``, or
    goes on (``None``); ``value`` is what an OpSwitch has gone by that led there by several. ``meets``:
    threads of several ways may be together there; else those of one way are, and no others."""

    token: Local | None
    value: Operand | None
    meets: bool


def way_of(instruction: Instruction) -> WayBound | None:
    """The bound of an anchor: its first well-formed bundle of one of these names, which convcheck writes
    where it translates SPIR-V. LLVM knows nothing of them."""
    if isinstance(instruction, CallSite) and control(instruction) is Control.ANCHOR:
        for bundle in instruction.bundles:
            inputs = bundle.inputs
            if bundle.tag == MEET_BUNDLE and not inputs:
                return WayBound(None, None, True)
            if bundle.tag == WAY_BUNDLE and len(inputs) < 2:
                return WayBound(None, inputs[0] if inputs else None, False)
            if bundle.tag == BEGIN_BUNDLE and len(inputs) == 1 and isinstance(inputs[0], Local):
                return WayBound(inputs[0], None, False)
    return None


def unfit(call: CallSite, callee: Function) -> str | None:
    """In what a call is not made as its callee wants it, ``type`` or ``calling convention``; ``None`` where
    it is. A difference is undefined behaviour (LangRef, *'call' Instruction*), unless targets agree on what
    it does (:mod:`convergence.semantics.instructions.conversion`). An intrinsic has no convention of its own:
    LLVM lowers it without a call."""
    if call.type != callee.type and not _without_prototype(call, callee):
        return "type"
    if callee.name.startswith("llvm.") or call.convention == callee.convention:
        return None
    from .targets import convention_of

    same = convention_of(call.convention) == convention_of(callee.convention)
    return None if same else "calling convention"


def _without_prototype(call: CallSite, callee: Function) -> bool:
    """Whether a call is one that clang makes of a C function without a prototype (C17, 6.5.2.2, before C23):
    as of a variadic one, with what its definition takes."""
    type_, passed = call.type, tuple(argument.value.type for argument in call.arguments)
    return (
        type_.variadic
        and not callee.type.variadic
        and type_.result == callee.type.result
        and passed == callee.type.parameters
    )


def is_convergent_function(module: Module, name: str) -> bool:
    """Whether function ``@name`` is convergent: LLVM's table for intrinsics, else its attribute."""
    return "convergent" in module.function_attributes(name)


def is_convergent(module: Module, instruction: Instruction) -> bool:
    """Convergent operation or control intrinsic: by callee, by call-site attribute, or by bundle."""
    if not isinstance(instruction, CallSite):
        return False
    if any(b.tag == CONTROL_BUNDLE for b in instruction.bundles):
        return True
    if "convergent" in module.resolve(instruction.attributes):
        return True
    name = callee_name(instruction)
    return name is not None and is_convergent_function(module, name)


_SUFFIX = r"(?:\.\w+)*"
DERIVATIVE = re.compile(
    rf"(?:llvm\.(?:dx|spv)\.)?(?:dd[xy](?:\.coarse|\.fine)?|fwidth){_SUFFIX}|dFd[xy](?:Coarse|Fine)?"
    r"|fwidth(?:Coarse|Fine)?|(?:_Z\d+)?__spirv_(?:DPd[xy]|Fwidth)(?:Coarse|Fine)?\w*"
)
"""Functions that take a derivative in screen space, by the names of DirectX, SPIR-V and GLSL."""


def _is_derivative(instruction: Instruction) -> bool:
    """Whether an instruction calls an intrinsic that asks its neighbours in the quad."""
    name = callee_name(instruction) if isinstance(instruction, CallSite) else None
    return name is not None and name.startswith("llvm.") and DERIVATIVE.fullmatch(name) is not None


_COLLECTIVE = re.compile(
    r"_Z\d+(?:intel_)?(?:sub_group|work_group)_(?!block|media|avc)\w+|_Z7barrierj"
    r"|_Z(?:21async_work_group_copy|29async_work_group_strided_copy|17wait_group_events)\w+"
    r"|(?:_Z\d+)?__spirv_(?:Group|ControlBarrier)(?!AsyncCopy|WaitEvents)\w+"
    r"|(?:_Z\d+)?__spirv_Subgroup(?:Shuffle|Ballot|All|Any|FirstInvocation|ReadInvocation)\w+"
    r"|llvm\.nvvm\.(?:shfl\.sync\.i32|vote\.sync|mma\.m(?:16|8)n8\w+\.(?:row|col)\.(?:row|col)(?:\.\w+)+"
    r"|wmma\.m\d\w+\.mma\.(?:row|col)\.(?:row|col)(?:\.\w+)+)"
)
"""Functions of OpenCL C, SPIR-V and NVVM IR that threads communicate through by their definition: of the
last, LLVM knows only others, or does not call them convergent."""


def _is_assembly_of_warps(module: Module, instruction: Instruction) -> bool:
    """Whether an instruction is assembly that the threads of a warp do together."""
    if not isinstance(instruction, CallSite) or not isinstance(instruction.callee, InlineAsm):
        return False
    if _OF_WARPS.search(instruction.callee.text) is None:
        return False
    from .targets import is_nvptx

    return is_nvptx(module)


_OF_WARPS = re.compile(
    r"(?:^|[\s;{])(?:(?:shfl|vote|match\.any|redux)\.sync|activemask|bar\.|barrier\.|mma\.sync)"
)
"""PTX's operations that threads of a warp do together, in the text of assembly."""


def _is_collective(module: Module, instruction: Instruction) -> bool:
    """Whether an instruction calls such a function, which is declared, be that convergent or not."""
    name = callee_name(instruction) if isinstance(instruction, CallSite) else None
    if name is None or _COLLECTIVE.fullmatch(name) is None:
        return False
    function = module.functions.get(name)
    return function is not None and function.is_declaration


def is_grouped(module: Module, instruction: Instruction) -> bool:
    """Whether instances have a group: convergent operations; and what exchanges data by its definition though
    it is not called convergent: derivatives, which LLVM's table leaves out (``llvm.dx.ddx.fine``), and
    functions of OpenCL, SPIR-V and NVVM IR, or assembly of PTX, where nothing else says it (D-CALL)."""
    return (
        is_convergent(module, instruction)
        or _is_derivative(instruction)
        or _is_collective(module, instruction)
        or _is_assembly_of_warps(module, instruction)
    )


# ----------------------------------------------------------------------------------------------------------
# Which programs access memory, by what their text has.
# ----------------------------------------------------------------------------------------------------------

_ACCESSES = ("llvm.mem", "llvm.masked.", "llvm.dx.resource.", "llvm.spv.resource.", "llvm.amdgcn.raw.",
             "llvm.amdgcn.struct.", "llvm.amdgcn.s.buffer.load", "llvm.amdgcn.load.to.lds",
             "llvm.amdgcn.global.load.lds")  # fmt: skip


def accesses_memory(module: Module) -> bool:
    """Whether some definition has an instruction that may access memory: else accesses have no order."""
    return any(
        isinstance(instruction, Load | Store | AtomicRMW | CmpXchg)
        or (isinstance(instruction, CallSite) and _may_access(module, instruction))
        for function in module.definitions()
        for instruction in function.instructions
    )


def _may_access(module: Module, call: CallSite) -> bool:
    """Whether what a call does itself, other than by a definition's instructions, may be an access: libraries
    and targets have functions that are, and these are given the place."""
    name = callee_name(call)
    if name is not None and name in module.functions and not module.functions[name].is_declaration:
        return False
    return (name or "").startswith(_ACCESSES) or any(map(_is_place, call.type.parameters))


def _is_place(type_: Type) -> bool:
    match type_:
        case PointerType() | TargetType():
            return True
        case VectorType(element=element):
            return _is_place(element)
        case _:
            return False


def atomics(function: Function) -> list[Instruction]:
    """The atomic accesses of a function."""
    if function.kinds.isdisjoint((Load, Store, AtomicRMW, CmpXchg)):
        return []
    return [i for i in function.instructions if is_atomic(i)]


def is_atomic(instruction: Instruction) -> bool:
    """Whether an instruction is an atomic access."""
    match instruction:
        case AtomicRMW() | CmpXchg():
            return True
        case Load(ordering=ordering) | Store(ordering=ordering):
            return ordering is not None
        case _:
            return False


# ----------------------------------------------------------------------------------------------------------
# What AMDGPU's lowered control flow says of the exec mask (LLVM 22, ``SIAnnotateControlFlow.cpp``).
#
# The pass ``si-annotate-control-flow`` puts five intrinsics around divergent branches; a mask is an integer
# of 32 or 64 bits, a bit a lane.
# ----------------------------------------------------------------------------------------------------------


class ExecKind(Enum):
    """The five operations, by what stands between ``llvm.amdgcn.`` and the type of the mask."""

    IF = "if"
    ELSE = "else"
    IF_BREAK = "if.break"
    LOOP = "loop"
    END_CF = "end.cf"


class ExecOperation(NamedTuple):
    """An operation on exec; ``width``: bits of its masks."""

    kind: ExecKind
    width: int


_NAME = re.compile(r"llvm\.amdgcn\.(if|else|if\.break|loop|end\.cf)\.i(32|64)(?:\.i\2)?")


def exec_operation(instruction: Instruction) -> ExecOperation | None:
    """What a call does to exec; ``None`` for any other instruction.

    >>> exec_operation_named("llvm.amdgcn.else.i64.i64")
    ExecOperation(kind=<ExecKind.ELSE: 'else'>, width=64)
    """
    name = callee_name(instruction) if isinstance(instruction, CallSite) else None
    return None if name is None else exec_operation_named(name)


def exec_operation_named(name: str) -> ExecOperation | None:
    """What the declared function of this name does to exec."""
    matched = _NAME.fullmatch(name)
    return None if matched is None else ExecOperation(ExecKind(matched[1]), int(matched[2]))


def exec_operations(function: Function) -> Iterator[tuple[int, ExecOperation]]:
    """The operations on exec of a function, by instruction index."""
    if not any(exec_operation(call) is not None for call in function.calls):
        return
    for index, instruction in enumerate(function.instructions):
        if (operation := exec_operation(instruction)) is not None:
            yield index, operation


def is_lowered(module: Module) -> bool:
    """Whether some definition has operations on exec."""
    return any(True for function in module.definitions() for _ in exec_operations(function))
