"""Claims of uniformity against what was observed: what is called uniform and is not, and the reverse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import Protocol

from ..frozen import dataclass
from ..ir import Local, Simple
from ..ir import instructions as ir
from ..ir.calls import callee_name, control
from ..ir.cfg import Order, build_cfg, cycles
from ..ir.instructions import CallSite, opcode, operands, successors
from ..ir.module import Function, Module
from .analysis import diverged_paths
from .observe import DifferingInstances, ObservedRuns, Subject
from .result import Cause, FunctionUniformity, Verdict


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


# ----------------------------------------------------------------------------------------------------------
# What LLVM says of a module's values and branches, matched by name. Nothing is guessed: what has no name
# there is said to have none.
# ----------------------------------------------------------------------------------------------------------


class FunctionClaims(Protocol):
    """What :mod:`convergence.passes.uniformity` read of one function: ``uniform`` by value, but of parameters
    only the divergent ones; ``branches`` by block; ``cycles`` as (header, blocks); ``everything``: all is
    uniform."""

    @property
    def uniform(self) -> Mapping[str, bool]: ...
    @property
    def branches(self) -> Mapping[str, bool]: ...
    @property
    def cycles(self) -> frozenset[tuple[str, frozenset[str]]]: ...
    @property
    def everything(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class LlvmClaims:
    """``by`` names the program that was asked, for ``triple``. ``divergence`` is false for a target for which
    LLVM takes everything to be uniform without looking. ``missing`` are functions of which it says
    nothing."""

    by: str
    triple: str
    functions: Mapping[str, FunctionClaims]
    divergence: bool = True
    missing: tuple[str, ...] = ()

    def subjects(self, module: Module) -> Mapping[Subject, bool]:
        """The claims, of values and branches of ``module`` that a thread can reach."""
        claims: dict[Subject, bool] = {}
        if not self.divergence:
            return claims
        for name, claimed in self.functions.items():
            function = module.functions.get(name)
            if function is None:
                continue
            parameters = {parameter.name: True for parameter in function.parameters}
            uniform = {**parameters, **claimed.uniform}  # only divergent parameters are printed
            for value in _values(function):
                if (claim := True if claimed.everything else uniform.get(value)) is not None:
                    claims[Subject(name, value)] = claim
            for block in _branches(function):
                if (claim := True if claimed.everything else claimed.branches.get(block)) is not None:
                    claims[Subject(name, block, True)] = claim
        return claims

    def unnamed(self, module: Module) -> tuple[Subject, ...]:
        """Values and branches of the module of which LLVM says nothing by name."""
        known = self.subjects(module)
        return tuple(
            subject
            for name in self.functions
            if (function := module.functions.get(name)) is not None and self.divergence
            for subject in (
                *(Subject(name, v) for v in _values(function)),
                *(Subject(name, b, True) for b in _branches(function)),
            )
            if subject not in known
        )


def claims_of_llvm(
    printed: Mapping[str, FunctionClaims], module: Module, by: str, triple: str, divergence: bool = True
) -> LlvmClaims:
    """The claims in what the printers printed of ``module``."""
    missing = tuple(f.name for f in module.definitions() if f.name not in printed)
    functions = {
        name: function_claims for name, function_claims in printed.items() if name in module.functions
    }
    return LlvmClaims(by, triple, functions, divergence, missing)


def same_cycles(claimed: FunctionClaims, function: Function) -> Order | None:
    """The hierarchy of ours that LLVM's is, if it is one of them."""
    cfg = build_cfg(function)
    for order in (Order.REVERSED, Order.TEXT):
        forest = cycles(cfg, order)
        ours = {(cfg.names[c.header], frozenset(cfg.names[b] for b in forest.blocks(c))) for c in forest.all}
        if ours == claimed.cycles:
            return order
    return None


def _values(function: Function) -> list[str]:
    """Parameters and results that are no tokens, in blocks that a thread can reach."""
    cfg = build_cfg(function)
    names = [parameter.name for parameter in function.parameters]
    for number, block in enumerate(function.blocks):
        if cfg.reachable[number]:
            names += [i.result for i in block.instructions if i.result is not None and not _is_token(i)]
    return names


def _is_token(instruction: object) -> bool:
    return isinstance(instruction, CallSite) and control(instruction) is not None


def _branches(function: Function) -> list[str]:
    cfg = build_cfg(function)
    return [
        block.name
        for number, block in enumerate(function.blocks)
        if cfg.reachable[number] and len(set(successors(block.terminator))) > 1
    ]


# ----------------------------------------------------------------------------------------------------------
# Why the rules and LLVM say different things: each difference traced back to the first one, and its kind.
#
# Where something is called divergent that is not, all that is computed from it, and all that a branch on it
# parts, is called so too. Those differences have one origin, and only that has to be explained.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DifferenceKind:
    """``careful`` calls divergent what the other one calls uniform. ``rule`` is that by which ours do
    (``None`` where LLVM is the careful one, who gives no reasons); ``shape`` is what the value is: its
    opcode, and how its operands are."""

    careful: Claimant
    rule: str | None
    shape: str


@dataclass(frozen=True, slots=True)
class DifferenceOrigin:
    """A difference of ``subject`` that comes of the one of ``origin``, which may be the same."""

    subject: Subject
    origin: Subject
    kind: DifferenceKind


def origins(
    function: Function, analysed: FunctionUniformity, rules: Mapping[Subject, bool],
    llvm: Mapping[Subject, bool], dfs: Order,
) -> Iterator[DifferenceOrigin]:  # fmt: skip
    """Each difference in one function, of which ``analysed`` has the causes, with where it comes from."""
    differing = {
        subject: verdict
        for subject, verdict in rules.items()
        if subject.function == function.name and subject in llvm and llvm[subject] != verdict
    }
    if not differing:
        return
    text = FunctionText(function)
    theirs = _Theirs(text, [s for s, uniform in differing.items() if uniform], dfs)
    for subject, uniform in differing.items():
        if uniform:
            origin = theirs.origin(subject)
            kind = DifferenceKind(Claimant.LLVM, None, text.shape(origin))
        else:
            origin, cause = _ours(analysed, subject, differing)
            rule = None if cause is None else cause.rule.id
            what = text.shape(origin)
            if cause is not None and cause.cycle is not None and cause.value is None:
                what = "what changes in a cycle"
            kind = DifferenceKind(Claimant.RULES, rule, what)
        yield DifferenceOrigin(subject, origin, kind)


def _ours(
    analysed: FunctionUniformity, subject: Subject, differing: Mapping[Subject, bool]
) -> tuple[Subject, Cause | None]:
    """The first difference on the chain of causes, and the cause of it."""
    met = {subject}
    while True:
        cause = (analysed.branches if subject.branch else analysed.values)[subject.name].cause
        if cause is None:
            return subject, None
        before = [Subject(subject.function, name) for name in (cause.value,) if name is not None]
        before += [Subject(subject.function, name, True) for name in (cause.branch,) if name is not None]
        following = next((s for s in before if differing.get(s) is False and s not in met), None)
        if following is None:
            return subject, cause
        subject = following
        met.add(subject)


class _Theirs:
    """Where LLVM is the careful one: a difference comes of an operand's, or of a branch's that parts the
    threads which meet at a phi."""

    def __init__(self, text: FunctionText, differing: Iterable[Subject], dfs: Order) -> None:
        self.text, self.differing, self.dfs = text, dict.fromkeys(differing), dfs

    def origin(self, subject: Subject) -> Subject:
        met = {subject}
        while (before := next((s for s in self.before(subject) if s not in met), None)) is not None:
            subject = before
            met.add(subject)
        return subject

    def before(self, subject: Subject) -> Iterator[Subject]:
        function = subject.function
        for name in self.text.operands(subject):
            if (operand := Subject(function, name)) in self.differing:
                yield operand
        place = self.text.homes.get(subject.name)
        if (
            not subject.branch
            and place is not None
            and isinstance(self.text.definitions[subject.name], ir.Phi)
        ):
            yield from (Subject(function, b, True) for b, joins in self.joins.items() if place in joins)

    @cached_property
    def joins(self) -> Mapping[str, frozenset[str]]:
        """By branch of which the two differ: the blocks where threads that part there meet, or come to
        after a cycle that they leave in different iterations."""
        cfg = build_cfg(self.text.function)
        forest = cycles(cfg, self.dfs)
        number = {name: at for at, name in enumerate(cfg.names)}
        joins: dict[str, frozenset[str]] = {}
        for subject in self.differing:
            if subject.branch:
                paths = diverged_paths(cfg, forest, number[subject.name])
                places = (*paths.joins, *(target for _, target in paths.exits))
                joins[subject.name] = frozenset(cfg.names[at] for at in places)
        return joins


class FunctionText:
    """What stands in a function, by name: ``definitions`` of values, their blocks (``homes``), and the
    ``branches`` of blocks."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.definitions: dict[str, ir.Instruction] = {}
        self.homes: dict[str, str] = {}
        self.branches: dict[str, ir.Instruction] = {}
        for block in function.blocks:
            self.branches[block.name] = block.terminator
            for instruction in block.instructions:
                if instruction.result is not None:
                    self.definitions[instruction.result] = instruction
                    self.homes[instruction.result] = block.name

    def operands(self, subject: Subject) -> tuple[str, ...]:
        """The names of what a value is computed from, or a branch decided by."""
        stands = self.branches if subject.branch else self.definitions
        if (instruction := stands.get(subject.name)) is None:
            return ()
        values = (
            [value for value, _ in instruction.incoming]
            if isinstance(instruction, ir.Phi)
            else operands(instruction)
        )
        return tuple(value.name for value in values if isinstance(value, Local))

    def shape(self, subject: Subject) -> str:
        """``phi of constants``, ``phi with undef``, ``phi``, a function that is called, else the opcode."""
        if subject.branch:
            return "a branch"
        instruction = self.definitions.get(subject.name)
        if instruction is None:
            return "parameter"
        if isinstance(instruction, ir.Phi):
            return _phi(instruction)
        name = callee_name(instruction) if isinstance(instruction, ir.CallSite) else None
        return opcode(instruction) if name is None else f"@{name}"


def _phi(phi: ir.Phi) -> str:
    values = [value for value, _ in phi.incoming]
    if any(isinstance(value, Simple) and value.kind in ("undef", "poison") for value in values):
        return "phi with undef"
    return "phi" if any(isinstance(value, Local) for value in values) else "phi of constants"
