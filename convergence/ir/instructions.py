"""One frozen class per instruction of the LangRef (*Instruction Reference*).

Fields common to all (keyword-only): ``result`` is the name of the value it defines without ``%``
(unnamed values have their number), ``attachments`` its ``!kind !node`` pairs, ``span`` its text,
which takes no part in equality. Attributes and flags are kept as normalised words, e.g.
``"convergent"``, ``"memory(argmem: read)"``, ``'"key"="value"'``, ``"#3"`` for a group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from ..frozen import dataclass
from ..source import NOWHERE, Span
from . import FunctionType, Metadata, Operand, Type

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    result: str | None = None
    attachments: tuple[tuple[str, Metadata], ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


# -- Unary, binary, conversion, vector and aggregate operations, comparisons -----------------------


@dataclass(frozen=True, slots=True)
class FNeg(Instruction):
    value: Operand
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class Binary(Instruction):
    """``opcode`` is ``add``, ``fadd``, ``shl``, ...; ``flags`` are such as ``nsw``, ``exact``, ``fast``."""

    opcode: str
    lhs: Operand
    rhs: Operand
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class ICmp(Instruction):
    predicate: str
    lhs: Operand
    rhs: Operand
    flags: Words = ()  # samesign


@dataclass(frozen=True, slots=True)
class FCmp(Instruction):
    predicate: str
    lhs: Operand
    rhs: Operand
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class Conversion(Instruction):
    """``opcode`` is ``trunc``, ``zext``, ``bitcast``, ``addrspacecast``, ...; ``to`` the result's type."""

    opcode: str
    value: Operand
    to: Type
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class ExtractElement(Instruction):
    vector: Operand
    index: Operand


@dataclass(frozen=True, slots=True)
class InsertElement(Instruction):
    vector: Operand
    element: Operand
    index: Operand


@dataclass(frozen=True, slots=True)
class ShuffleVector(Instruction):
    first: Operand
    second: Operand
    mask: Operand


@dataclass(frozen=True, slots=True)
class ExtractValue(Instruction):
    aggregate: Operand
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class InsertValue(Instruction):
    aggregate: Operand
    element: Operand
    indices: tuple[int, ...]


# -- Memory access and addressing operations -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Alloca(Instruction):
    type: Type
    count: Operand | None = None
    align: int | None = None
    address_space: int | str = 0
    flags: Words = ()  # inalloca, swifterror


@dataclass(frozen=True, slots=True)
class Load(Instruction):
    """``ordering`` and ``scope`` are ``None`` for a load that is not atomic."""

    type: Type
    pointer: Operand
    align: int | None = None
    volatile: bool = False
    ordering: str | None = None
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Store(Instruction):
    value: Operand
    pointer: Operand
    align: int | None = None
    volatile: bool = False
    ordering: str | None = None
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Fence(Instruction):
    ordering: str
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class CmpXchg(Instruction):
    pointer: Operand
    expected: Operand
    replacement: Operand
    success: str
    failure: str
    weak: bool = False
    volatile: bool = False
    scope: str | None = None
    align: int | None = None


@dataclass(frozen=True, slots=True)
class AtomicRMW(Instruction):
    operation: str
    pointer: Operand
    value: Operand
    ordering: str
    volatile: bool = False
    scope: str | None = None
    align: int | None = None


@dataclass(frozen=True, slots=True)
class GetElementPtr(Instruction):
    source: Type
    pointer: Operand
    indices: tuple[Operand, ...]
    flags: Words = ()


# -- Other operations but calls and comparisons, the pads, and debug records -----------------------


@dataclass(frozen=True, slots=True)
class Phi(Instruction):
    type: Type
    incoming: tuple[tuple[Operand, str], ...]
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class Select(Instruction):
    condition: Operand
    then: Operand
    otherwise: Operand
    flags: Words = ()


@dataclass(frozen=True, slots=True)
class Freeze(Instruction):
    value: Operand


@dataclass(frozen=True, slots=True)
class VAArg(Instruction):
    list: Operand
    type: Type


@dataclass(frozen=True, slots=True)
class LandingPad(Instruction):
    """``clauses`` are (``catch`` or ``filter``, operand)."""

    type: Type
    cleanup: bool
    clauses: tuple[tuple[str, Operand], ...]


@dataclass(frozen=True, slots=True)
class CatchPad(Instruction):
    parent: Operand
    arguments: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class CleanupPad(Instruction):
    parent: Operand
    arguments: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class DebugRecord(Instruction):
    """``#dbg_value(...)`` and its kin: no instruction, executes as nothing."""

    kind: str
    operands: tuple[Metadata | Operand, ...]


# -- Calls, with their arguments and operand bundles; two of them end a block ----------------------


@dataclass(frozen=True, slots=True)
class Argument:
    """An actual argument and its parameter attributes."""

    value: Operand
    attributes: Words = ()


@dataclass(frozen=True, slots=True)
class Bundle:
    """``"tag"(inputs...)``, an operand bundle."""

    tag: str
    inputs: tuple[Operand, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class CallSite(Instruction):
    """What ``call``, ``invoke`` and ``callbr`` share.

    ``marker`` is ``tail``, ``musttail``, ``notail`` or ``""``; ``convention`` the calling
    convention's words (``("cc", "10")`` or ``("spir_func",)``); ``address_space`` that of the
    callee or ``None``; ``explicit_type`` whether the text spelled the whole function type;
    ``ellipsis`` whether the arguments end in ``...`` (a ``musttail`` call that forwards the rest).
    """

    callee: Operand
    type: FunctionType
    arguments: tuple[Argument, ...] = ()
    bundles: tuple[Bundle, ...] = ()
    attributes: Words = ()
    return_attributes: Words = ()
    convention: Words = ()
    fast_math: Words = ()
    marker: str = ""
    address_space: int | str | None = None
    explicit_type: bool = False
    ellipsis: bool = False


@dataclass(frozen=True, slots=True)
class Call(CallSite):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoke(CallSite):
    normal: str
    unwind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBr(CallSite):
    fallthrough: str
    indirect: tuple[str, ...]


# -- Terminator instructions: what ends a block, and where it goes ---------------------------------


@dataclass(frozen=True, slots=True)
class Ret(Instruction):
    value: Operand | None


@dataclass(frozen=True, slots=True)
class Br(Instruction):
    target: str


@dataclass(frozen=True, slots=True)
class CondBr(Instruction):
    condition: Operand
    then: str
    otherwise: str


@dataclass(frozen=True, slots=True)
class Switch(Instruction):
    value: Operand
    default: str
    cases: tuple[tuple[Operand, str], ...]


@dataclass(frozen=True, slots=True)
class IndirectBr(Instruction):
    address: Operand
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resume(Instruction):
    value: Operand


@dataclass(frozen=True, slots=True)
class CatchSwitch(Instruction):
    parent: Operand
    handlers: tuple[str, ...]
    unwind: str | None  # None: to caller


@dataclass(frozen=True, slots=True)
class CatchRet(Instruction):
    pad: Operand
    target: str


@dataclass(frozen=True, slots=True)
class CleanupRet(Instruction):
    pad: Operand
    unwind: str | None


@dataclass(frozen=True, slots=True)
class Unreachable(Instruction):
    pass


Terminator = (
    Ret
    | Br
    | CondBr
    | Switch
    | IndirectBr
    | Invoke
    | CallBr
    | Resume
    | CatchSwitch
    | CatchRet
    | CleanupRet
    | Unreachable
)


def successors(instruction: Instruction) -> tuple[str, ...]:
    """The blocks that a terminator names, in text order, repetitions kept; ``()`` for all others."""
    match instruction:
        case Br(target):
            return (target,)
        case CondBr(_, then, otherwise):
            return (then, otherwise)
        case Switch(_, default, cases):
            return (default, *(block for _, block in cases))
        case IndirectBr(_, targets):
            return targets
        case Invoke():
            return (instruction.normal, instruction.unwind)
        case CallBr():
            return (instruction.fallthrough, *instruction.indirect)
        case CatchSwitch(_, handlers, unwind):
            return handlers if unwind is None else (*handlers, unwind)
        case CatchRet(_, target):
            return (target,)
        case CleanupRet(_, unwind):
            return () if unwind is None else (unwind,)
        case _:
            return ()


_OPCODES: Mapping[type[Instruction], str] = {
    FNeg: "fneg",
    ICmp: "icmp",
    FCmp: "fcmp",
    ExtractElement: "extractelement",
    InsertElement: "insertelement",
    ShuffleVector: "shufflevector",
    ExtractValue: "extractvalue",
    InsertValue: "insertvalue",
    Alloca: "alloca",
    Load: "load",
    Store: "store",
    Fence: "fence",
    CmpXchg: "cmpxchg",
    AtomicRMW: "atomicrmw",
    GetElementPtr: "getelementptr",
    Phi: "phi",
    Select: "select",
    Freeze: "freeze",
    VAArg: "va_arg",
    LandingPad: "landingpad",
    CatchPad: "catchpad",
    CleanupPad: "cleanuppad",
    Call: "call",
    Invoke: "invoke",
    CallBr: "callbr",
    Ret: "ret",
    Br: "br",
    CondBr: "br",
    Switch: "switch",
    IndirectBr: "indirectbr",
    Resume: "resume",
    CatchSwitch: "catchswitch",
    CatchRet: "catchret",
    CleanupRet: "cleanupret",
    Unreachable: "unreachable",
}


def opcode(instruction: Instruction) -> str:
    """What LLVM calls an instruction: ``add``, ``br``, ``getelementptr``, ``va_arg``."""
    match instruction:
        case Binary(name) | Conversion(name):
            return name
        case DebugRecord(kind):
            return f"#{kind}"
        case _:
            return _OPCODES[type(instruction)]


# ----------------------------------------------------------------------------------------------------------
# Which operands an instruction evaluates, in a fixed order.
# ----------------------------------------------------------------------------------------------------------

_OPERANDS: Mapping[type[Instruction], Callable[[Any], tuple[Operand, ...]]] = {
    FNeg: lambda i: (i.value,),
    Binary: lambda i: (i.lhs, i.rhs),
    ICmp: lambda i: (i.lhs, i.rhs),
    FCmp: lambda i: (i.lhs, i.rhs),
    Conversion: lambda i: (i.value,),
    ExtractElement: lambda i: (i.vector, i.index),
    InsertElement: lambda i: (i.vector, i.element, i.index),
    ShuffleVector: lambda i: (i.first, i.second),
    ExtractValue: lambda i: (i.aggregate,),
    InsertValue: lambda i: (i.aggregate, i.element),
    Alloca: lambda i: () if i.count is None else (i.count,),
    Load: lambda i: (i.pointer,),
    Store: lambda i: (i.value, i.pointer),
    CmpXchg: lambda i: (i.pointer, i.expected, i.replacement),
    AtomicRMW: lambda i: (i.pointer, i.value),
    GetElementPtr: lambda i: (i.pointer, *i.indices),
    Select: lambda i: (i.condition, i.then, i.otherwise),
    Freeze: lambda i: (i.value,),
    VAArg: lambda i: (i.list,),
    Ret: lambda i: () if i.value is None else (i.value,),
    CondBr: lambda i: (i.condition,),
    Switch: lambda i: (i.value,),
    IndirectBr: lambda i: (i.address,),
    Resume: lambda i: (i.value,),
    Call: lambda i: tuple(a.value for a in i.arguments),
    Invoke: lambda i: tuple(a.value for a in i.arguments),
    CallBr: lambda i: tuple(a.value for a in i.arguments),
}


def operands(instruction: Instruction) -> tuple[Operand, ...]:
    """The operands that executing the instruction evaluates.

    A call's are its arguments (not the callee, not the bundles); a phi has none here, since it
    evaluates one of its incoming values, by the edge taken; a shuffle mask is a part of the instruction.
    """
    of = _OPERANDS.get(type(instruction))
    return of(instruction) if of else ()


PLAIN: frozenset[type[Instruction]] = frozenset((
    FNeg, Binary, ICmp, FCmp, Conversion, ExtractElement, InsertElement, ExtractValue, InsertValue, Alloca,
    Load, Store, Fence, CmpXchg, AtomicRMW, GetElementPtr, Select, Freeze, Ret, Br, CondBr, Unreachable,
))  # fmt: skip
"""Classes of instructions in which no operands stand but those that they evaluate."""
