"""Why the rules and LLVM say different things: each difference traced back to the first one, and its kind.

Where something is called divergent that is not, all that is computed from it, and all that a branch on it
parts, is called so too. Those differences have one origin, and only that has to be explained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from ..frozen import dataclass
from ..ir import instructions as ir
from ..ir.calls import callee_name
from ..ir.cfg import build_cfg
from ..ir.cycles import Order, cycles
from ..ir.instructions import opcode
from ..ir.module import Function
from ..ir.operands import Local, Simple
from ..semantics.instructions.operands import operands
from .check import Claimant
from .observe import Subject
from .paths import diverged_paths
from .result import Cause, FunctionUniformity


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
