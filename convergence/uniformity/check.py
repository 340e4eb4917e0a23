"""Claims of uniformity against what was observed: what is called uniform and is not, and the reverse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

from ..frozen import dataclass
from ..ir import instructions as ir
from ..ir.calls import callee_name
from ..ir.module import Function
from ..ir.operands import Local
from ..semantics.instructions.operands import operands
from .observe import DifferingInstances, ObservedRuns, Subject
from .result import FunctionUniformity, Verdict


class Claimant(Enum):
    """Who calls something uniform."""

    RULES = "the rules"
    LLVM = "LLVM"


@dataclass(frozen=True, slots=True)
class UnsoundClaim:
    """``claimants`` call ``subject`` uniform, and a run shows that it is not."""

    subject: Subject
    claimants: tuple[Claimant, ...]
    witness: DifferingInstances


class ValueUse(Enum):
    """What a value decides, the worst first: what a wrong claim would do most harm to."""

    BRANCH = "decides a branch"
    LANE = "is read across lanes"
    ADDRESS = "is an address"
    OTHER = "is computed with"
    NONE = "has no use"


@dataclass(frozen=True, slots=True)
class NotShown:
    """``subject`` is called divergent, and was not seen to differ in ``compared`` comparisons."""

    subject: Subject
    claimants: tuple[Claimant, ...]
    use: ValueUse
    compared: int


@dataclass(frozen=True, slots=True)
class CheckedFunction:
    """What runs of one launched function say of what is claimed; ``mode`` is how uncontrolled operations
    converged in them."""

    function: str
    observed: ObservedRuns
    faults: tuple[UnsoundClaim, ...]
    not_shown: tuple[NotShown, ...]
    mode: str = "maximal"


Claims = Mapping[Claimant, Mapping[Subject, bool]]
"""By claimant what is claimed: ``True`` for uniform."""


def claims_of(functions: Iterable[FunctionUniformity]) -> Mapping[Subject, bool]:
    """What the rules claim."""
    claimed: dict[Subject, bool] = {}
    for function in functions:
        for value in function.values.values():
            if value.verdict is not Verdict.UNREACHABLE:
                claimed[Subject(function.function, value.name)] = value.verdict is not Verdict.DIVERGENT
        for branch in function.branches.values():
            if branch.verdict is not Verdict.UNREACHABLE:
                subject = Subject(function.function, branch.block, True)
                claimed[subject] = branch.verdict is Verdict.UNIFORM
    return claimed


def faults(claims: Claims, observed: ObservedRuns) -> tuple[UnsoundClaim, ...]:
    """What is called uniform and was seen to differ, in the order in which it was seen."""
    claims_broken = []
    for subject, witness in observed.differing.items():
        wrong = tuple(claimant for claimant, claimed in claims.items() if claimed.get(subject, False))
        if wrong:
            claims_broken.append(UnsoundClaim(subject, wrong, witness))
    return tuple(claims_broken)


def not_shown(
    claims: Claims, observed: ObservedRuns, functions: Mapping[str, Function]
) -> tuple[NotShown, ...]:
    """What is called divergent and was compared, but never seen to differ; the worst uses first."""
    claims_left = []
    for subject, compared in observed.compared.items():
        if subject in observed.differing:
            continue
        wrong = tuple(claimant for claimant, claimed in claims.items() if claimed.get(subject) is False)
        if wrong:
            use = ValueUse.BRANCH if subject.branch else use_of(functions[subject.function], subject.name)
            claims_left.append(NotShown(subject, wrong, use, compared))
    order = list(ValueUse)
    return tuple(sorted(claims_left, key=lambda f: (order.index(f.use), f.subject.function)))


def use_of(function: Function, name: str) -> ValueUse:
    """The worst use of a value."""
    worst = ValueUse.NONE
    order = list(ValueUse)
    for instruction in function.instructions:
        for use in _uses(instruction, name):
            if order.index(use) < order.index(worst):
                worst = use
    return worst


_LANES = ("readfirstlane", "readlane", "shfl", "permlane", "bpermute", "shuffle", "Shuffle", "broadcast")


def _uses(instruction: ir.Instruction, name: str) -> Sequence[ValueUse]:
    match instruction:
        case ir.CondBr(Local(name=used)) | ir.Switch(Local(name=used)) | ir.IndirectBr(Local(name=used)):
            return [ValueUse.BRANCH] if used == name else []
        case ir.Load(pointer=pointer) | ir.AtomicRMW(pointer=pointer) | ir.CmpXchg(pointer=pointer):
            if isinstance(pointer, Local) and pointer.name == name:
                return [ValueUse.ADDRESS]
        case ir.Store(value, pointer):
            if isinstance(pointer, Local) and pointer.name == name:
                return [ValueUse.ADDRESS]
            return [ValueUse.OTHER] if isinstance(value, Local) and value.name == name else []
        case ir.CallSite():
            callee = callee_name(instruction) or ""
            if any(isinstance(a.value, Local) and a.value.name == name for a in instruction.arguments):
                return [ValueUse.LANE if any(word in callee for word in _LANES) else ValueUse.OTHER]
            return []
        case ir.Phi(incoming=incoming):
            return [
                ValueUse.OTHER for value, _ in incoming if isinstance(value, Local) and value.name == name
            ]
        case _:
            pass
    return [
        ValueUse.OTHER for value in operands(instruction) if isinstance(value, Local) and value.name == name
    ]
