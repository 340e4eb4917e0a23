"""One side of a symbolic comparison: what each thread may do for any arguments, path by path.

The axiomatic engine's candidate traces (:mod:`convergence.sched.traces`), with arguments that are unknowns
and a branch on what is unknown taken both ways. The results of exchanges are unknowns too; for one path per
thread the keys say who communicates (fact 1 of semantics.md, §2), so each is equal to what its model
gives for its group (:mod:`symbolic_taken`). What cannot be had so is :class:`Unsupported`, by name.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import z3

from ..alignment.instances import StaticInstance
from ..ir import instructions as ir
from ..ir.types import ArrayType, FunctionType, StructType, Type, VectorType
from ..sched.shapes import Beat, Call, Entered, Instance, Root, Uses
from ..sched.terms import Leaves
from ..sched.traces_calls import Walk
from ..sched.traces_state import Activation
from ..sched.tree import Answer, Happening, Node, Question, Stopped, Trace
from ..sched.world import World
from ..semantics.context import Context
from ..semantics.domain import Domain
from ..semantics.domain_z3 import SymbolicDomain, bit_vector, boolean, folded
from ..semantics.exchanges import Callee, Exchanging, Operands
from ..semantics.instructions import operands
from ..semantics.keys import LaunchGroup
from ..semantics.outcome import NotModelled, OutOfBound, UndefinedBehaviour
from ..semantics.threads import BoundHit
from ..semantics.values import Composite, Pointer, RuntimeValue, Value, scalars
from ..semantics.values import NotModelled as Unmodelled
from ..semantics.values_of_types import zero


class Unsupported(Exception):
    """What the symbolic comparison cannot take; ``what`` names it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class TooMany(Exception):
    """A bound on the work was hit; ``bound`` names it."""

    def __init__(self, bound: str) -> None:
        super().__init__(bound)
        self.bound = bound


Found = UndefinedBehaviour | OutOfBound | Trace
FROZEN = "frozen in the "
"""How unknowns are named that stand for what a freeze of poison gives."""


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """One thread's way: taken if all ``conditions`` hold; its ``end``, instances and events."""

    thread: int
    conditions: tuple[z3.BoolRef, ...]
    end: Found
    instances: tuple[Instance, ...]
    events: tuple[Happening, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """``iterations``: no thread passes a block more often than this and once more, in one activation.
    ``paths`` per thread, ``steps`` per path, ``deadline`` as ``time.monotonic`` counts."""

    iterations: int
    paths: int
    steps: int
    deadline: float
    timeout: float

    def look(self) -> None:
        """Raises TooMany past the deadline."""
        if time.monotonic() > self.deadline:
            raise TooMany(f"--timeout {self.timeout:g}")


class Symbolic:
    """A side: ``paths`` per thread. ``world`` is numbered from ``base``, so that two sides share no unknown
    but arguments. ``leaves`` finds the unknowns of terms; ``freezes``: whether poison was ever frozen."""

    def __init__(
        self, world: World, base: int, given: Sequence[z3.BoolRef], limits: Limits, side: str
    ) -> None:
        self.world = world
        self.limits = limits
        self.side = side
        self.freezes = False
        self.leaves = Leaves()
        world._numbers = base
        self._solver = z3.Solver()
        self._solver.add(*given)
        self._keys: dict[Instance, Hashable] = {}
        self._models: dict[tuple[Any, ...], Exchanging] = {}
        context = world.context
        self._domain = SymbolicDomain(_refuse)
        self._context = replace_domain(context, self._domain)
        self.paths = [self._paths(thread) for thread in range(world.launch.threads)]

    # -- paths ------------------------------------------------------------------------------------------

    def _paths(self, thread: int) -> list[Path]:
        """All ways of one thread that some arguments and some results of exchanges allow."""
        found: list[Path] = []
        todo: list[tuple[Node | None, tuple[Answer, ...], tuple[z3.BoolRef, ...]]] = [(None, (), ())]
        while todo:
            self.limits.look()
            parent, answers, conditions = todo.pop()
            node = Node(thread, self.world.number(), answers, parent, z3.BoolVal(True))
            walk = _Walk(self, node)
            walk.follow()
            match node.end:
                case Question():
                    for answer in reversed(self._answers(node.end, conditions)):
                        condition = node.end.condition(answer)
                        todo.append((node, (*answers, answer), (*conditions, condition)))
                case Trace() as end:
                    self._no_shared_memory(node, walk)
                    found.append(Path(thread, conditions, end, tuple(node.path), end.events))
                case Stopped(reason):
                    self._no_shared_memory(node, walk)
                    end_ = self._stopped(reason)
                    found.append(Path(thread, conditions, end_, tuple(node.path), tuple(walk.events)))
                case None:
                    raise AssertionError("a walk has an end")
            if len(found) + len(todo) > self.limits.paths:
                raise TooMany(f"{self.limits.paths} paths of one thread")
        return found

    def _answers(self, question: Question, conditions: Sequence[z3.BoolRef]) -> list[Answer]:
        """The answers that some inputs give. A number must have one value only."""
        term = question.term
        if z3.is_bool(term):
            both: tuple[bool, ...] = (True, False)
            return [answer for answer in both if self._possible(*conditions, question.condition(answer))]
        if not self._possible(*conditions):
            return []
        if z3.is_int(term):
            raise Unsupported("a result of an exchange that is a pointer")
        value = self._solver.model().eval(term, model_completion=True).as_long()
        if self._possible(*conditions, term != value):
            raise Unsupported("an address, or an operand of an intrinsic, that depends on the inputs")
        return [value]

    def _possible(self, *conditions: z3.BoolRef) -> bool:
        self._solver.set("timeout", max(1, int(1000 * (self.limits.deadline - time.monotonic()))))
        answer = self._solver.check(*conditions)
        if answer == z3.unknown:
            raise TooMany(f"--timeout {self.limits.timeout:g}")
        return bool(answer == z3.sat)

    def _no_shared_memory(self, node: Node, walk: _Walk) -> None:
        if node.readings:
            raise Unsupported("accesses to memory that threads share")
        if walk.memory.undef_reads:
            raise Unsupported("a read of uninitialised memory")

    def _stopped(self, reason: object) -> UndefinedBehaviour | OutOfBound:
        match reason:
            case UndefinedBehaviour() | OutOfBound():
                return reason
            case NotModelled(what):
                raise Unsupported(what)
            case _:
                raise Unsupported(str(reason))

    # -- who communicates ---------------------------------------------------------------------------------

    def key(self, instance: Instance) -> Hashable:
        """The structural key of a controlled operation or control intrinsic."""
        known = self._keys.get(instance)
        if known is None:
            site = instance.site
            match instance.hangs:
                case Entered(root):
                    known = ("entry", site, self._root(root))
                case Beat(token, n):
                    known = ("loop", site, self.key(token), n)
                case Uses(token):
                    known = ("use", site, self.key(token))
                case _:
                    raise Unsupported("free choices: anchors or uncontrolled operations")
            self._keys[instance] = known
        return known

    def _root(self, root: Root) -> Hashable:
        match root:
            case LaunchGroup():
                return root.number
            case Instance():
                return self.key(root)
            case _:
                raise Unsupported("a call that is no convergent operation but reaches entry")

    def results(
        self, members: Sequence[Instance], given: Sequence[Operands], numbers: Mapping[Instance, int]
    ) -> list[RuntimeValue]:
        """D-THREAD: what the model gives each member for the group and its operands."""
        call = members[0].call
        assert call is not None
        if call.stands_in:
            return [self._uninterpreted(i, members, given, call, numbers) for i in members]
        launch = members[0].launch
        by_lane = {i.thread - launch.first: values for i, values in zip(members, given, strict=True)}
        subgroup = self.world.subgroups[launch]
        try:
            results = self._model(call).together(by_lane, subgroup)
        except (z3.Z3Exception, TypeError, AttributeError):
            raise Unsupported(f"the model of @{call.callee} on unknown values") from None
        return [results[lane] for lane in by_lane]

    def _model(self, call: Call) -> Exchanging:
        """The model under the symbolic domain."""
        name = (call.callee, call.types, call.type)
        known = self._models.get(name)
        if known is None:
            callee = Callee(call.callee, FunctionType(call.type, call.types), self._context)
            model = self.world.program.table.model(callee)
            if not isinstance(model, Exchanging):
                raise Unsupported(f"the model of @{call.callee}")
            known = self._models[name] = model
        return known

    def _uninterpreted(
        self, own: Instance, members: Sequence[Instance], given: Sequence[Operands], call: Call,
        numbers: Mapping[Instance, int],
    ) -> RuntimeValue:  # fmt: skip
        """D-CALL: an uninterpreted value of callee, own thread and the group's operands by thread; with
        side effects, also of which event of its thread each member is."""
        group = tuple(i.thread for i in members)
        events = tuple(numbers.get(i, 0) for i in members) if call.model.effect else ()
        values = [v for operands_ in given for v in operands_]
        types = [t for _ in members for t in call.types]
        return self.uninterpreted(f"{call.callee} {own.thread} {group} {events}", values, types, call.type)

    def uninterpreted(
        self, name: str, values: Sequence[RuntimeValue], types: Sequence[Type], type_: Type
    ) -> RuntimeValue:
        """The value of an uninterpreted function of scalars; poison if one of them is. Sides share it."""
        parts = [s for value in values for s in scalars(value)]
        if any(isinstance(part, Pointer) for part in parts):
            raise Unsupported("a pointer given to a function without a model")
        sizes = [cast(int, s.bits) for type_of in types for s in scalars(_widths(type_of, self.world))]
        terms = [bit_vector(part.bits, size) for part, size in zip(parts, sizes, strict=True)]
        spoiled = folded(z3.Or(*(boolean(p.poison) for p in parts))) if parts else False
        count = 0

        def scalar(like: RuntimeValue) -> RuntimeValue:
            nonlocal count
            if isinstance(like, Composite):
                return Composite(tuple(scalar(e) for e in like.elements))
            if isinstance(like, Pointer):
                raise Unsupported("a function without a model that returns a pointer")
            count += 1
            width = like.bits
            full = f"{name} part {count} of {sizes}"
            if not terms:
                return Value(z3.BitVec(full, width), spoiled)
            sorts = [z3.BitVecSort(size) for size in (*sizes, width)]
            return Value(z3.Function(full, *sorts)(*terms), spoiled)

        return scalar(_widths(type_, self.world))


def _widths(type_: Type, world: World) -> RuntimeValue:
    """A value of a type whose scalars hold their widths; pointers stay pointers."""
    layout = world.program.layout

    def width(like: RuntimeValue, of: Type) -> RuntimeValue:
        of = layout.resolve(of)
        if not isinstance(like, Composite):
            return like if isinstance(like, Pointer) else Value(layout.bits(of))
        match of:
            case StructType(parts):
                inner: Sequence[Type] = parts
            case VectorType(count, element) | ArrayType(count, element):
                inner = (element,) * count
            case _:
                raise AssertionError(f"{of} has no elements")
        return Composite(tuple(width(e, t) for e, t in zip(like.elements, inner, strict=True)))

    return width(zero(type_, layout, world.program.domain), type_)


def unknown_of(type_: Type, name: str, world: World) -> RuntimeValue:
    """An unknown value of a type, not poison, its scalars named."""
    count = 0

    def unknown(like: RuntimeValue) -> RuntimeValue:
        nonlocal count
        if isinstance(like, Composite):
            return Composite(tuple(unknown(e) for e in like.elements))
        if isinstance(like, Pointer):
            raise Unsupported("a pointer inside an argument")
        count += 1
        return Value(z3.BitVec(f"{name} {count}", like.bits), False)

    return unknown(_widths(type_, world))


def _refuse(condition: Any) -> bool:
    raise Unsupported("a model of an exchange that must decide on unknown values")


def replace_domain(context: Context, domain: SymbolicDomain) -> Context:
    """A module's context with another domain below it."""
    return Context(
        context.module, cast(Domain, domain), context.layout, context.address_of, context.address_of_block
    )


class _Walk(Walk):
    """A candidate trace whose loops are bounded, and on which functions without a model are uninterpreted."""

    def __init__(self, owner: Symbolic, node: Node) -> None:
        super().__init__(owner.world, node, owner.limits.steps)
        self.owner = owner
        self.passes: dict[tuple[int, int], int] = {}
        self.frozen = 0

    def enter_block(self, frame: Activation, block: int) -> None:
        passes = self.passes[frame.number, block] = self.passes.get((frame.number, block), 0) + 1
        if passes > self.owner.limits.iterations + 1:
            raise BoundHit(f"{self.owner.limits.iterations} iterations")
        super().enter_block(frame, block)

    def compute(self, frame: Activation, instruction: ir.Instruction) -> None:
        if not isinstance(instruction, ir.Freeze):
            super().compute(frame, instruction)
            return
        (value,) = self.look(frame, operands(instruction))
        self.define(frame, instruction.result, self._frozen(value))
        frame.at += 1

    def _frozen(self, value: RuntimeValue) -> RuntimeValue:
        """Poison becomes any value, the same at every use."""
        if isinstance(value, Composite):
            return Composite(tuple(self._frozen(e) for e in value.elements))
        if value.poison is False:
            return value
        if isinstance(value, Pointer) or not isinstance(value.bits, z3.BitVecRef):
            raise Unmodelled("a freeze of what may be poison")
        self.frozen += 1
        self.owner.freezes = True
        chosen = z3.BitVec(f"{FROZEN}{self.owner.side} {self.node.thread} {self.frozen}", value.bits.size())
        return Value(folded(z3.If(boolean(value.poison), chosen, value.bits)), False)

    def _stand_in(self, frame: Activation, call: ir.CallSite, name: str, effects: bool) -> None:
        values = self.look(frame, operands(call))
        nth = self.calls[name] = self.calls.get(name, 0) + 1
        which = f"{name} {self.node.thread} alone {nth if effects else 0}"
        result = self.owner.uninterpreted(which, values, call.type.parameters, call.type.result)
        if effects:
            site = StaticInstance(frame.code.name, frame.at)
            types = call.type.parameters
            self.happened(site, name, tuple(values), types, result, call.type.result, None)
        self._returned(frame, call, result)


__all__ = ["FROZEN", "Limits", "Path", "Symbolic", "TooMany", "Unsupported", "unknown_of"]
