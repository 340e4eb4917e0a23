"""One side of a symbolic comparison: what each thread may do for any arguments, path by path.

The axiomatic engine's candidate traces (:mod:`convergence.sched.constraints.candidates`), with arguments
that are unknowns and a branch on what is unknown taken both ways. The results of exchanges are unknowns
too; for one path per thread the keys say who communicates (fact 1 of semantics.md, §2), so each is equal to
what its model gives for its group (:mod:`.question`). What cannot be had so is
:class:`OutsideSymbolic`, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, cast

import z3

from ...frozen import dataclass
from ...ir import ArrayType, FunctionType, StructType, Type, VectorType
from ...ir import instructions as ir
from ...ir.calls import callee_name, control
from ...ir.module import Block
from ...sched.constraints.candidates import (
    Answer,
    Beat,
    ExchangeCall,
    FrameEntry,
    Instance,
    Query,
    Root,
    Stopped,
    Trace,
    TraceNode,
    Uses,
    WayInstance,
)
from ...sched.constraints.theory import Leaves
from ...sched.constraints.walk import TermTranslation, Walk, World
from ...semantics import (
    Bound,
    BoundHit,
    BoundKind,
    Clock,
    NotModelled,
    OutOfBound,
    UndefinedBehaviour,
    Unmodelled,
)
from ...semantics.arithmetic.domain import Domain
from ...semantics.arithmetic.symbolic import SymbolicDomain, bit_vector, boolean, check
from ...semantics.convergence import LaunchGroup
from ...semantics.machine import Event, ObservedEvent
from ...semantics.memory.accesses import WritingCallee
from ...semantics.operations import Callee, Exchanging, Operands
from ...semantics.threads import CodeBlock, Finish, Frame, Registers, Thread
from ...semantics.values import Composite, Pointer, RuntimeValue, Value, scalars
from ...semantics.values.context import Context, zero

# ----------------------------------------------------------------------------------------------------------
# What the parts of a symbolic comparison share: its limits, unknown values, uninterpreted functions.
# ----------------------------------------------------------------------------------------------------------


class OutsideSymbolic(Exception):
    """What the symbolic comparison cannot take; ``feature`` names it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.feature = what


class TooMany(Exception):
    """A ``bound`` on the work was hit."""

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound)
        self.bound = bound


@dataclass(frozen=True, slots=True)
class Budget:
    """``iterations``: no thread passes a block more often than this and once more, in one activation.
    ``paths`` per thread, ``steps`` per path, and the ``clock`` over all."""

    iterations: int
    paths: int
    steps: int
    clock: Clock

    def look(self) -> None:
        """Raises TooMany past the deadline, and after an interrupt."""
        bound = self.clock.hit()
        if bound is not None:
            raise TooMany(bound)


def uninterpreted(
    world: World, name: str, values: Sequence[RuntimeValue], types: Sequence[Type], type_: Type
) -> RuntimeValue:
    """The value of an uninterpreted function of scalars; poison if one of them is. Sides share it."""
    parts = [s for value in values for s in scalars(value)]
    if any(isinstance(part, Pointer) for part in parts):
        raise OutsideSymbolic("a pointer given to a function without a model")
    sizes = [cast(int, s.bits) for type_of in types for s in scalars(_widths(type_of, world))]
    terms = [bit_vector(part.bits, size) for part, size in zip(parts, sizes, strict=True)]
    spoiled = world.domain.folded(z3.Or(*(boolean(p.poison) for p in parts))) if parts else False
    count = 0

    def scalar(like: RuntimeValue) -> RuntimeValue:
        nonlocal count
        if isinstance(like, Composite):
            return Composite(tuple(scalar(e) for e in like.elements))
        if isinstance(like, Pointer):
            raise OutsideSymbolic("a function without a model that returns a pointer")
        count += 1
        width = like.bits
        full = f"{name} part {count} of {sizes}"
        if not terms:
            return Value(z3.BitVec(full, width), spoiled)
        sorts = [z3.BitVecSort(size) for size in (*sizes, width)]
        return Value(z3.Function(full, *sorts)(*terms), spoiled)

    return scalar(_widths(type_, world))


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
            raise OutsideSymbolic("a pointer inside an argument")
        count += 1
        return Value(z3.BitVec(f"{name} {count}", like.bits), False)

    return unknown(_widths(type_, world))


Found = UndefinedBehaviour | OutOfBound | Trace


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """One thread's way: taken if all ``conditions`` hold; its ``end``, instances and ``events``."""

    thread: int
    conditions: tuple[z3.BoolRef, ...]
    end: Found
    instances: tuple[Instance, ...]
    events: tuple[ObservedEvent, ...]


class Symbolic:
    """A side: ``paths`` per thread. ``world`` is numbered from ``base``, so that two sides share no unknown
    but arguments. ``leaves`` finds the unknowns of terms; ``freezes``: whether poison was ever frozen."""

    def __init__(
        self, world: World, base: int, conditions: Sequence[z3.BoolRef], limits: Budget, side: str
    ) -> None:
        self.world = world
        self.limits = limits
        self.side = side
        self.freezes = False
        self.leaves = Leaves()
        world._numbers = base
        self._solver = z3.Solver()
        self._solver.add(*conditions)
        self._models: dict[tuple[Any, ...], Exchanging] = {}
        context = world.context
        self._domain = SymbolicDomain(_refuse)
        self._context = replace_domain(context, self._domain)
        self.paths = [self._paths(thread) for thread in range(world.launch.threads)]

    # -- paths ------------------------------------------------------------------------------------------

    def _paths(self, thread: int) -> list[Path]:
        """All ways of one thread that some arguments and some results of exchanges allow."""
        paths: list[Path] = []
        todo: list[tuple[TraceNode | None, tuple[Answer, ...], tuple[z3.BoolRef, ...]]] = [(None, (), ())]
        while todo:
            self.limits.look()
            parent, answers, conditions = todo.pop()
            node = TraceNode(thread, self.world.number(), answers, parent, z3.BoolVal(True))
            walk = BoundedWalk(self.world, node, self.limits, self.side)
            walk.follow()
            self.freezes = self.freezes or walk.frozen > 0
            match node.end:
                case Query():
                    for answer in reversed(self._answers(node.end, conditions)):
                        condition = node.end.condition(answer)
                        todo.append((node, (*answers, answer), (*conditions, condition)))
                case Trace() as end:
                    self._no_shared_memory(node, walk)
                    paths.append(Path(thread, conditions, end, tuple(node.path), end.events))
                case Stopped(reason):
                    self._no_shared_memory(node, walk)
                    end_ = self._stopped(reason)
                    paths.append(Path(thread, conditions, end_, tuple(node.path), walk.observed_events))
                case None:
                    raise AssertionError("a walk has an end")
            if len(paths) + len(todo) > self.limits.paths:
                raise TooMany(Bound(BoundKind.PATHS, self.limits.paths))
        return paths

    def _answers(self, question: Query, conditions: Sequence[z3.BoolRef]) -> list[Answer]:
        """The answers that some inputs give. A number must have one value only."""
        term = question.term
        if z3.is_bool(term):
            both: tuple[bool, ...] = (True, False)
            return [answer for answer in both if self._possible(*conditions, question.condition(answer))]
        if not self._possible(*conditions):
            return []
        if z3.is_int(term):
            raise OutsideSymbolic("a result of an exchange that is a pointer")
        value = self._solver.model().eval(term, model_completion=True).as_long()
        if self._possible(*conditions, term != value):
            raise OutsideSymbolic("an address, or an operand of an intrinsic, that depends on the inputs")
        return [value]

    def _possible(self, *conditions: z3.BoolRef) -> bool:
        answer = check(self._solver, *conditions, seconds=self.limits.clock.remaining)
        if answer == z3.unknown:
            raise TooMany(self.limits.clock.over)
        return bool(answer == z3.sat)

    def _no_shared_memory(self, node: TraceNode, walk: BoundedWalk) -> None:
        if any(r.fence is None for r in node.readings):
            raise OutsideSymbolic("accesses to memory that threads share")
        if walk.memory.undef_reads:
            raise OutsideSymbolic("a read of uninitialised memory")

    def _stopped(self, reason: object) -> UndefinedBehaviour | OutOfBound:
        match reason:
            case UndefinedBehaviour() | OutOfBound():
                return reason
            case Unmodelled(what):
                raise OutsideSymbolic(what)
            case _:
                raise OutsideSymbolic(str(reason))

    # -- who communicates ---------------------------------------------------------------------------------

    def key(self, instance: Instance, keys: dict[Instance, Hashable]) -> Hashable:
        """The structural key of a controlled operation or control intrinsic. ``keys`` has those that are
        known, to begin with those of anchors, which are choices."""
        known = keys.get(instance)
        if known is None:
            site = instance.site
            match instance.hangs:
                case FrameEntry(root):
                    known = ("entry", site, self._root(root, keys))
                case Beat(token, n):
                    known = ("loop", site, self.key(token, keys), n)
                case Uses(token):
                    known = ("use", site, self.key(token, keys))
                case WayInstance():
                    raise OutsideSymbolic("ways of control flow")
                case _:
                    raise OutsideSymbolic("uncontrolled operations")
            keys[instance] = known
        return known

    def _root(self, root: Root, keys: dict[Instance, Hashable]) -> Hashable:
        match root:
            case LaunchGroup():
                return root.number
            case Instance():
                return self.key(root, keys)
            case _:
                raise OutsideSymbolic("a call that is no convergent operation but reaches entry")

    def results(self, members: Sequence[Instance], operands: Sequence[Operands]) -> list[RuntimeValue]:
        """D-THREAD: what the model gives each member for the group and its operands."""
        call = members[0].call
        assert call is not None
        if call.stands_in:
            return [self._uninterpreted(i, members, operands, call) for i in members]
        launch = members[0].launch
        by_lane = {i.thread - launch.first: values for i, values in zip(members, operands, strict=True)}
        subgroup = self.world.subgroups[launch]
        try:
            results = self._model(call).together(by_lane, subgroup)
        except (z3.Z3Exception, TypeError, AttributeError):
            raise OutsideSymbolic(f"the model of @{call.callee} on unknown values") from None
        return [results[lane] for lane in by_lane]

    def _model(self, call: ExchangeCall) -> Exchanging:
        """The model under the symbolic domain."""
        name = (call.callee, call.types, call.type)
        known = self._models.get(name)
        if known is None:
            callee = Callee(call.callee, FunctionType(call.type, call.types), self._context)
            model = self.world.program.table.model(callee)
            if not isinstance(model, Exchanging):
                raise OutsideSymbolic(f"the model of @{call.callee}")
            known = self._models[name] = model
        return known

    def _uninterpreted(
        self, own: Instance, members: Sequence[Instance], operands: Sequence[Operands], call: ExchangeCall
    ) -> RuntimeValue:
        """D-CALL: an uninterpreted value of callee, own thread and the group's operands by thread; with
        memory that it may read, also of how many calls of each member may have written before."""
        group = tuple(i.thread for i in members)
        before: tuple[object, ...] = ()
        if call.model.follows:
            before = tuple(number.bits for *_, number in operands if isinstance(number, Value))
            operands = [operands_[:-1] for operands_ in operands]
        values = [v for operands_ in operands for v in operands_]
        types = [t for _ in members for t in call.types]
        name = f"{call.callee} {own.thread} {group} {before}"
        return uninterpreted(self.world, name, values, types, call.type)


def _refuse(condition: Any) -> bool:
    raise OutsideSymbolic("a model of an exchange that must decide on unknown values")


def replace_domain(context: Context, domain: SymbolicDomain) -> Context:
    """A module's context with another domain below it."""
    return Context(
        context.module, cast(Domain, domain), context.layout, context.address_of, context.address_of_block
    )


# -- A candidate trace whose loops are bounded, and on which functions without a model are uninterpreted

FROZEN = "frozen in the "
"""How unknowns are named that stand for what a freeze of poison gives."""


def _writes(instruction: ir.Instruction) -> bool:
    if isinstance(instruction, ir.CallSite):
        return control(instruction) is None and (callee_name(instruction) or "").startswith("llvm.mem")
    return isinstance(instruction, ir.Store | ir.AtomicRMW | ir.CmpXchg)


class BoundedTranslation(TermTranslation):
    """Prepared code whose loops are bounded, which freezes what may be poison, and on which functions without
    a model are uninterpreted."""

    def evaluate(self, instruction: ir.Instruction) -> Callable[..., Any] | None:
        if not isinstance(instruction, ir.Freeze):
            return super().evaluate(instruction)
        return lambda value: cast(BoundedWalk, self.world.walk).freeze(value)

    def entering(self, block: Block, into: CodeBlock, finish: Finish) -> Finish:
        def counted(thread: Thread, frame: Frame) -> Frame | None:
            cast(BoundedWalk, thread.environment).enter_block(frame, into)
            return finish(thread, frame)

        return counted

    def dependence(self, r: Registers, index: int, pointers: tuple[int, ...], where: frozenset[str]) -> Any:
        if self.writes and not where.isdisjoint(("argmem", "other")):
            raise OutsideSymbolic("a call that reads memory, in a program that writes it")
        return super().dependence(r, index, pointers, where)

    def fill(self, r: Registers, index: int, writer: WritingCallee, slots: tuple[int, ...]) -> None:
        raise OutsideSymbolic(f"what @{writer.name} writes to a stack object")

    @cached_property
    def writes(self) -> bool:
        """Whether the program may write memory at all, but for calls."""
        functions = self.program.module.definitions()
        return any(_writes(instruction) for function in functions for instruction in function.instructions)

    def stand_in(
        self,
        r: Registers,
        callee: Callee,
        count: int,
        slots: tuple[int, ...],
        slot: int,
        scalar: bool = False,
    ) -> Any:
        values, type_ = self.read(r, slots), callee.type
        extra, values = values[len(type_.parameters) :], values[: len(type_.parameters)]
        thread = r[0].launch.first if scalar else r[0].number
        which = f"{callee.name} {thread} alone {extra[0].bits if extra else count}"
        value = uninterpreted(self.world, which, values, type_.parameters, type_.result)
        self.write(r, slot, value)
        return value


class BoundedWalk(Walk):
    """``frozen`` counts the values that may be poison and were frozen."""

    translation = BoundedTranslation
    lazy = False

    def __init__(self, world: World, node: TraceNode, limits: Budget, side: str) -> None:
        super().__init__(world, node, limits.steps)
        self.iterations = limits.iterations
        self.side = side
        self.passes: dict[tuple[int, int], int] = {}
        self.frozen = 0

    def enter_block(self, frame: Frame, block: CodeBlock) -> None:
        """Raises BoundHit when an activation enters a block too often."""
        passes = self.passes[frame.number, block.number] = (
            self.passes.get((frame.number, block.number), 0) + 1
        )
        if passes > self.iterations + 1:
            raise BoundHit(Bound(BoundKind.ITERATIONS, self.iterations))

    def freeze(self, value: RuntimeValue) -> RuntimeValue:
        """Poison becomes any value, the same at every use."""
        if isinstance(value, Composite):
            return Composite(tuple(self.freeze(e) for e in value.elements))
        if value.poison is False:
            return value
        if isinstance(value, Pointer) or not isinstance(value.bits, z3.BitVecRef):
            raise NotModelled("a freeze of what may be poison")
        self.frozen += 1
        chosen = z3.BitVec(f"{FROZEN}{self.side} {self.node.thread} {self.frozen}", value.bits.size())
        return Value(self.world.domain.folded(z3.If(boolean(value.poison), chosen, value.bits)), False)

    def happened(self, event: Event, instance: Instance | None) -> None:
        """What an event depends on is noted for calls that exchange nothing, too."""
        if instance is not None and instance.call is None:
            instance.needs = self.control | self.looking
        super().happened(event, instance)
