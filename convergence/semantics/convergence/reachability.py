"""Which instructions a thread can still come to, by the CFG alone.

Positions are instruction indices: a thread *at* ``i`` executes instruction ``i`` next. Control is
over-approximated by the CFG's paths, a call by the functions that it may enter.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ... import ir as op
from ...frozen import dataclass
from ...ir.calls import callee_name
from ...ir.instructions import PLAIN, Call, CallSite, Instruction, Invoke, successors

if TYPE_CHECKING:
    from ...ir.module import Function, Module


@dataclass(frozen=True, slots=True)
class BlockNode:
    """A block in the CFG: instruction indices ``first`` to ``last``, both included."""

    name: str
    first: int
    last: int
    successors: tuple[int, ...]


class Graph:
    """One function's CFG with blocks numbered in text order, and answers about paths in it."""

    __slots__ = ("_answers", "_known", "block_of", "nodes", "number")

    def __init__(self, function: Function) -> None:
        self.number = {block.name: i for i, block in enumerate(function.blocks)}
        nodes, first = [], 0
        for block in function.blocks:
            targets = tuple(dict.fromkeys(self.number[s] for s in _followed(block.terminator)))
            nodes.append(BlockNode(block.name, first, first + len(block.instructions) - 1, targets))
            first += len(block.instructions)
        self.nodes = tuple(nodes)
        self.block_of = tuple(i for i, node in enumerate(nodes) for _ in range(node.first, node.last + 1))
        self._answers: dict[tuple[object, ...], tuple[bool, ...]] = {}
        self._known: dict[tuple[object, ...], bool] = {}

    def reaches(
        self,
        at: int,
        targets: frozenset[int],
        avoid: frozenset[int] = frozenset(),
        target_blocks: frozenset[int] = frozenset(),
        avoid_blocks: frozenset[int] = frozenset(),
    ) -> bool:
        """Whether a path from position ``at`` executes one of ``targets``, or enters one of
        ``target_blocks`` by an edge, before it executes one of ``avoid`` or enters one of
        ``avoid_blocks``. What is both counts as target."""
        question = (at, targets, avoid, target_blocks, avoid_blocks)
        known = self._known.get(question)
        if known is None:
            block = self.block_of[at]
            known = self._inside(block, at, targets, avoid)
            if known is None:
                entered = self._entered(targets, avoid, target_blocks, avoid_blocks)
                known = any(entered[s] for s in self.nodes[block].successors)
            self._known[question] = known
        return known

    def reaches_behind(
        self,
        at: int,
        targets: frozenset[int],
        avoid: frozenset[int] = frozenset(),
        target_blocks: frozenset[int] = frozenset(),
        avoid_blocks: frozenset[int] = frozenset(),
    ) -> bool:
        """The same of a path from where threads go on after the instruction at ``at``: after a call at a
        block's end (``invoke``) in another block."""
        node = self.nodes[self.block_of[at]]
        if at < node.last:
            return self.reaches(at + 1, targets, avoid, target_blocks, avoid_blocks)
        entered = self._entered(targets, avoid, target_blocks, avoid_blocks)
        return any(entered[s] for s in node.successors)

    def _inside(self, block: int, at: int, targets: frozenset[int], avoid: frozenset[int]) -> bool | None:
        """What the rest of a block decides; ``None`` if a thread may run through it."""
        last = self.nodes[block].last
        hit = min((t for t in targets if at <= t <= last), default=None)
        stop = min((a for a in avoid if at <= a <= last), default=None)
        if hit is not None:
            return stop is None or hit <= stop
        return None if stop is None else False

    def _entered(
        self,
        targets: frozenset[int],
        avoid: frozenset[int],
        target_blocks: frozenset[int],
        avoid_blocks: frozenset[int],
    ) -> tuple[bool, ...]:
        """For each block, whether entering it by an edge leads to a target (see :meth:`reaches`)."""
        question = (targets, avoid, target_blocks, avoid_blocks)
        known = self._answers.get(question)
        if known is not None:
            return known
        through: list[list[int]] = [[] for _ in self.nodes]
        good = [False] * len(self.nodes)
        work: list[int] = []
        for i, node in enumerate(self.nodes):
            verdict: bool | None
            if i in target_blocks:
                verdict = True
            elif i in avoid_blocks:
                verdict = False
            else:
                verdict = self._inside(i, node.first, targets, avoid)
            if verdict:
                good[i] = True
                work.append(i)
            elif verdict is None:
                for s in node.successors:
                    through[s].append(i)
        while work:
            for p in through[work.pop()]:
                if not good[p]:
                    good[p] = True
                    work.append(p)
        answer = self._answers[question] = tuple(good)
        return answer


def _followed(terminator: Instruction) -> tuple[str, ...]:
    """The successors that a thread may take: nothing unwinds here."""
    return (terminator.normal,) if isinstance(terminator, Invoke) else successors(terminator)


class CallGraph:
    """Which defined functions each function may enter, directly or through others.

    An indirect call may enter every defined function whose address the module takes.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._address_taken: frozenset[str] | None = None
        self._closures: dict[str, frozenset[str]] = {}
        self._sites: dict[tuple[str, str], frozenset[int]] = {}
        self._direct: dict[str, frozenset[str]] = {}

    def entered_by(self, call: CallSite) -> frozenset[str]:
        """The defined functions that a call may enter at once."""
        name = callee_name(call)
        if name is not None and name in self._module.functions:
            return frozenset() if self._module.functions[name].is_declaration else frozenset([name])
        if isinstance(call.callee, op.InlineAsm):
            return frozenset()
        return self.address_taken()

    def address_taken(self) -> frozenset[str]:
        """The defined functions that something other than a direct call names."""
        if self._address_taken is None:
            taken: set[str] = set()
            for variable in self._module.globals.values():
                if variable.initializer is not None:
                    taken.update(op.named_globals(variable.initializer))
            for alias in self._module.aliases.values():
                taken.update(op.named_globals(alias.target))
            for function in self._module.definitions():
                taken.update(op.named_globals(*_addresses(function)))
            names = (n for n in taken if n in self._module.functions)
            self._address_taken = frozenset(n for n in names if not self._module.functions[n].is_declaration)
        return self._address_taken

    def closure(self, name: str) -> frozenset[str]:
        """The defined functions that a thread in ``name`` may come to enter, by any number of calls."""
        known = self._closures.get(name)
        if known is None:
            names: set[str] = set()
            work = [name]
            while work:
                new = self._callees(work.pop()) - names
                names |= new
                work.extend(new)
            known = self._closures[name] = frozenset(names)
        return known

    def _callees(self, name: str) -> frozenset[str]:
        known = self._direct.get(name)
        if known is None:
            calls = self._module.functions[name].calls
            known = self._direct[name] = frozenset(f for call in calls for f in self.entered_by(call))
        return known

    def sites_leading_to(self, function: str, target: str) -> frozenset[int]:
        """The call sites in ``function`` through which a thread may come to be in ``target``."""
        known = self._sites.get((function, target))
        if known is None:
            known = frozenset(
                i
                for i, instruction in enumerate(self._module.functions[function].instructions)
                if isinstance(instruction, CallSite)
                and any(f == target or target in self.closure(f) for f in self.entered_by(instruction))
            )
            self._sites[(function, target)] = known
        return known


def _addresses(function: Function) -> Iterable[op.Operand]:
    """All operands of a function's instructions that are no names of values, except the functions that direct
    calls name."""
    yield from (literal for literal in function.literals if literal.__class__ is not op.Int)
    if function.kinds <= PLAIN:
        return
    for instruction in function.instructions:
        if isinstance(instruction, Call) and isinstance(instruction.callee, op.Global):
            for bundle in instruction.bundles:
                yield from _operands_in(bundle.inputs)
        elif instruction.__class__ not in PLAIN:
            yield from _operands_of(instruction)


def _operands_of(instruction: Instruction) -> Iterable[op.Operand]:
    for field in instruction.__dataclass_fields__:
        value = getattr(instruction, field)
        if field == "callee" and isinstance(value, op.Global):
            continue
        if field != "span" and field != "attachments":
            yield from _operands_in(value)


def _operands_in(value: object) -> Iterable[op.Operand]:
    if isinstance(value, tuple):
        for item in value:
            yield from _operands_in(item)
    elif isinstance(value, op.Local | op.MetadataOperand):
        return
    elif isinstance(value, _CONSTANTS):
        yield value
    elif hasattr(value, "__dataclass_fields__") and type(value).__module__.endswith(".instructions"):
        for field in value.__dataclass_fields__:
            yield from _operands_in(getattr(value, field))


_CONSTANTS = (op.Global, op.Aggregate, op.Splat, op.ConstantExpression, op.GlobalWrapper, op.PtrAuth)
