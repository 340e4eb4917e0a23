"""What values are in runs: which were seen to differ in two converged instances, and where.

The runs are of the launches that ``refine`` would try (:mod:`convergence.refine.inputs`); who is converged is
the controlled maximal relation of their block visits (:mod:`convergence.alignment`), for every
hierarchy that is asked for. So a difference is certain; that there is none is what was seen, and no more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..alignment import BlockVisit, Execution, FactsOf, controlled_maximal, facts_of, picture
from ..frozen import Json, dataclass
from ..ir import FloatType, IntType, Local, Type
from ..ir.cfg import Order, build_cfg, cycles
from ..ir.instructions import Conversion, Phi, operands
from ..ir.module import Function, Module
from ..refine.inputs.inputs import Assumption, Guide, covered
from ..refine.inputs.inputs import inputs as inputs_of
from ..refine.inputs.launch import Input
from ..refine.inputs.space import space_of
from ..refine.sides.outcomes import Bounds, Executable
from ..refine.sides.side import PreparedSide
from ..semantics import Bound, Illegal, OutOfBound, UndefinedBehaviour, Unmodelled
from ..semantics.instructions.lifting import result_type
from ..semantics.machine import (
    Chooser,
    Ended,
    Log,
    LogEvent,
    MostConverged,
    ReturnEvent,
    Sample,
    Visited,
    depends_on_order,
)
from ..semantics.machine.launch import LaunchSpec, is_partial
from ..semantics.machine.run import Run
from ..semantics.memory.races import RaceFound
from ..semantics.values import Composite, RuntimeValue, Value, plain
from ..semantics.values.datalayout import Layout, layout_of

LAUNCHES = 200
"""Inputs that are tried, where nobody says otherwise."""
STEPS = 20_000
"""Instructions of one execution."""
PURE_WRITES = frozenset(("store", "llvm.memset"))
"""Accesses that read nothing: that two of them race changes no value that a thread computes."""
PARTITIONS = 3
"""Executions of one input in which anchors, and uncontrolled operations of a free mode, choose at random."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a claim is about: a value's ``name``, or, with ``branch``, the branch that ends a block."""

    function: str
    name: str
    branch: bool = False


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A thread's ``nth`` visit (from 1) of the block, and what the value was there, or where the branch
    went."""

    thread: int
    nth: int
    value: Json


@dataclass(frozen=True, slots=True)
class DifferingInstances:
    """Two converged instances that differ: in a launch with ``input``, in the hierarchy of ``order``.
    ``partial``: its threads are the first of a workgroup, which has more as the function says."""

    block: str
    first: Occurrence
    second: Occurrence
    input: Input
    arguments: tuple[tuple[str, tuple[str, ...]], ...]
    order: Order
    picture: tuple[str, ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True)
class ObservedRuns:
    """``differing`` subjects with their first witness; ``compared`` counts, for each subject, the classes of
    several threads in which it was looked at. ``executions`` were looked at; ``left_out`` had races, were
    undefined, or not legal; ``bounds`` were hit; ``unmodelled`` was met."""

    differing: Mapping[Subject, DifferingInstances]
    compared: Mapping[Subject, int]
    executions: int
    left_out: int
    bounds: tuple[Bound, ...] = ()
    unmodelled: tuple[str, ...] = ()

    def joined(self, other: ObservedRuns) -> ObservedRuns:
        """What was seen here and there, with the witnesses from here where there are two."""
        compared = {s: self.compared.get(s, 0) + n for s, n in other.compared.items()}
        return ObservedRuns(
            {**other.differing, **self.differing},
            {**self.compared, **compared},
            self.executions + other.executions,
            self.left_out + other.left_out,
            tuple(dict.fromkeys((*self.bounds, *other.bounds))),
            tuple(dict.fromkeys((*self.unmodelled, *other.unmodelled))),
        )


def observe(
    prepared: PreparedSide,
    spec: LaunchSpec,
    *,
    uniform: Iterable[str] = (),
    orders: Sequence[Order] = (Order.TEXT,),
    seed: int = 0,
    pictures: bool = True,
    all_blocks: bool = False,
) -> ObservedRuns:
    """Runs a function for many inputs. ``uniform`` are the parameters that all threads of a launch are given
    alike. Raises UsageError for a launch that does not fit, NotModelled for an initial value without a
    model."""
    limits = spec.limits
    launches = LAUNCHES if limits.max_launches is None else limits.max_launches
    assume = [Assumption(name, True) for name in uniform]
    space = space_of(prepared, prepared, spec, assume, launches)
    selection = inputs_of(space, launches, seed)
    guide = Guide(selection, space, seed)
    bounds = Bounds(STEPS if limits.max_steps is None else limits.max_steps, clock=limits.clock)
    executable = prepared.runnable("tokens")  # by its own tokens, and else as the launch's mode says
    assert isinstance(executable, Executable)
    observations = _Observations(prepared.module, orders, pictures, all_blocks)
    for input_ in guide:
        if (ended := bounds.clock.hit()) is not None:
            observations.bounds[ended] = None
            break
        choosers: list[Chooser] = [MostConverged()]
        if executable.chooses:
            choosers += [Sample(f"{seed} {number}") for number in range(PARTITIONS)]
        learned = None
        for chooser in choosers:
            run = observations.run(executable, input_, chooser, bounds)
            learned = None if run is None else covered(run.machine.program, run.log)
            if run is not None:
                run.machine.take_apart()
        if learned is not None:
            guide.learn(input_, learned)
    return observations.observed()


@dataclass(frozen=True, slots=True)
class BlockRegisters:
    """Which registers hold what a block defines: (name, register, type) of its ``phis``, which are set when
    a thread comes to the block, and of the ``results``, which stand until it comes there again."""

    phis: tuple[tuple[str, int, Type], ...]
    results: tuple[tuple[str, int, Type], ...]


Held = tuple[RuntimeValue, Type]
"""What a register held, and of which type that is."""


class ValueLog(Log):
    """A log that keeps, for every block visit of a thread that came to the block's end, what the instructions
    there gave. It looks at the registers when the thread goes on: nothing is logged of single instructions.

    ``values``  by thread and visit, in the order of the visits: {name: what it held}
    """

    __slots__ = ("_layout", "_plans", "_stacks", "_threads", "values")

    def __init__(self, layout: Layout) -> None:
        super().__init__(attentive=True)
        self.values: defaultdict[int, list[dict[str, Held]]] = defaultdict(list)
        self._layout = layout
        self._threads: Sequence[Any] = ()
        self._stacks: defaultdict[int, list[tuple[Any, BlockRegisters, dict[str, Held]]]] = defaultdict(list)
        self._plans: dict[tuple[str, str], BlockRegisters] = {}

    def launched(self, threads: Sequence[Any]) -> None:
        self._threads = threads

    def append(self, event: LogEvent) -> None:
        super().append(event)
        if isinstance(event, Visited):
            frame, stack = self._threads[event.thread].frame, self._stacks[event.thread]
            if stack and stack[-1][0] is frame:
                _look(stack.pop())
            values: dict[str, Held] = {}
            self.values[event.thread].append(values)
            plan = self._plan(frame.code, event.block)
            _hold(values, plan.phis, frame.registers)
            stack.append((frame, plan, values))
        elif isinstance(event, ReturnEvent) or (isinstance(event, Ended) and event.how == "returned"):
            _look(self._stacks[event.thread].pop())

    def _plan(self, code: Any, block: str) -> BlockRegisters:
        plan = self._plans.get((code.name, block))
        if plan is None:
            phis: list[tuple[str, int, Type]] = []
            others: list[tuple[str, int, Type]] = []
            for instruction in next(b for b in code.function.blocks if b.name == block).instructions:
                if (name := instruction.result) is None or name not in code.slots:
                    continue
                if (type_ := result_type(instruction, self._layout)) is None:
                    continue  # a token
                place = name, code.slots[name], type_
                (phis if isinstance(instruction, Phi) else others).append(place)
            plan = self._plans[code.name, block] = BlockRegisters(tuple(phis), tuple(others))
        return plan


def _look(visit: tuple[Any, BlockRegisters, dict[str, Held]]) -> None:
    """A thread goes on from a block."""
    frame, plan, values = visit
    _hold(values, plan.results, frame.registers)


def _hold(values: dict[str, Held], places: Iterable[tuple[str, int, Type]], registers: Sequence[Any]) -> None:
    for name, register, type_ in places:
        held = registers[register]
        if isinstance(held, Value | Composite):
            values[name] = held, type_


class _Observations:
    """What was seen so far."""

    def __init__(self, module: Module, orders: Sequence[Order], pictures: bool, all_blocks: bool) -> None:
        self.module = module
        self.layout = layout_of(module)
        self.facts: dict[Order, FactsOf] = {order: facts_of(module, order) for order in orders}
        self.irreducible = {f.name for f in module.definitions() if not cycles(build_cfg(f)).is_reducible}
        self.pictures, self.all_blocks = pictures, all_blocks
        self.numbers = {f.name: numbers_of_addresses(f) for f in module.definitions()}
        self.by_number = {
            (f.name, block.name)
            for f in module.definitions()
            for block in (f.blocks if self.numbers[f.name] else ())
            if any(
                isinstance(o, Local) and o.name in self.numbers[f.name] for o in operands(block.terminator)
            )
        }
        self.differing: dict[Subject, DifferingInstances] = {}
        self.compared: defaultdict[Subject, int] = defaultdict(int)
        self.executions = self.left_out = 0
        self.bounds: dict[Bound, None] = {}
        self.unmodelled: dict[str, None] = {}

    def run(self, executable: Executable, input_: Input, chooser: Chooser, bounds: Bounds) -> Run | None:
        """One execution, compared; ``None`` for one that does not count."""
        log = ValueLog(self.layout)
        run = executable.logged(input_, log, chooser, bounds)
        if depends_on_order(log):
            log = ValueLog(self.layout)
            try:
                run = executable.logged(input_, log, chooser, bounds, watched=True)
            except RaceFound:
                self.left_out += 1
                return None
            if any(a.kind not in PURE_WRITES for race in run.races for a in (race.first, race.second)):
                self.left_out += 1  # a read that races gives undef, to each thread on its own
                return None
        match run.ending:
            case Illegal() | UndefinedBehaviour():
                self.left_out += 1
                return None
            case OutOfBound(bound):
                self.bounds[bound] = None
            case Unmodelled(feature=what):
                self.unmodelled[str(what)] = None
            case _:
                pass
        self.executions += 1
        self.compare(run.execution, log, input_)
        return run

    def compare(self, execution: Execution, log: ValueLog, input_: Input) -> None:
        """Every class of visits, in every hierarchy."""
        orders = list(self.facts)
        if not any(v.function in self.irreducible for visits in execution.visits for v in visits[:1]):
            visited = {v.function for visits in execution.visits for v in visits}
            if not visited & self.irreducible:
                orders = orders[:1]
        went = [_went(visits) for visits in execution.visits]
        for order in orders:
            classes: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
            for thread, row in enumerate(controlled_maximal(execution, self.facts[order])):
                for number, class_ in enumerate(row):
                    classes[class_].append((thread, number))
            for members in classes.values():
                if len(members) > 1:
                    self.members(execution, log, input_, order, members, went)

    def members(
        self, execution: Execution, log: ValueLog, input_: Input, order: Order,
        members: list[tuple[int, int]], went: list[list[str | None]],
    ) -> None:  # fmt: skip
        """Converged visits of one block: the first one against each other one."""
        thread, number = members[0]
        visit = execution.visits[thread][number]
        values = log.values[thread][number]
        for other, place in members[1:]:
            if execution.visits[other][place].block != visit.block:
                continue
            theirs = log.values[other][place]
            for name, (value, type_) in values.items():
                if name not in theirs or name in self.numbers[visit.function]:
                    continue
                subject = Subject(visit.function, name)
                self.compared[subject] += 1
                if subject in self.differing or not self.differ(value, theirs[name][0], type_):
                    continue
                member = thread, number, plain(value, type_, self.layout)
                two = other, place, plain(theirs[name][0], type_, self.layout)
                self.differing[subject] = self.witness(execution, input_, order, member, two)
            here, there = went[thread][number], went[other][place]
            if here is not None and there is not None and (visit.function, visit.block) not in self.by_number:
                subject = Subject(visit.function, visit.block, True)
                self.compared[subject] += 1
                if here != there and subject not in self.differing:
                    member, two = (thread, number, here), (other, place, there)
                    self.differing[subject] = self.witness(execution, input_, order, member, two)

    def differ(self, value: RuntimeValue, other: RuntimeValue, type_: Type) -> bool:
        """Whether two values are not the same: of pointers, the object by its name, and the offset."""
        if isinstance(type_, IntType | FloatType):
            return value != other
        return plain(value, type_, self.layout) != plain(other, type_, self.layout)

    def witness(
        self, execution: Execution, input_: Input, order: Order,
        first: tuple[int, int, Json], second: tuple[int, int, Json],
    ) -> DifferingInstances:  # fmt: skip
        def occurrence(thread: int, number: int, value: Json) -> Occurrence:
            visits = execution.visits[thread]
            visit = visits[number]
            same = (v.block == visit.block and v.function == visit.function for v in visits[: number + 1])
            return Occurrence(thread, sum(same), value)

        block = execution.visits[first[0]][first[1]]
        launched = execution.visits[0][0].function
        drawn = picture(execution, self.module, launched, self.all_blocks, order) if self.pictures else ()
        parameters = self.module.functions[launched].parameters
        arguments = tuple(
            (parameter.name, tuple(map(_argument_text, values)))
            for parameter, values in zip(parameters, input_.arguments, strict=False)
            if values is not None
        )
        return DifferingInstances(
            block.block,
            occurrence(*first),
            occurrence(*second),
            input_,
            arguments,
            order,
            tuple(drawn),
            input_.shape is None and is_partial(self.module, self.module.functions[launched], input_.threads),
        )

    def observed(self) -> ObservedRuns:
        return ObservedRuns(
            self.differing, dict(self.compared), self.executions, self.left_out, tuple(self.bounds),
            tuple(self.unmodelled),
        )  # fmt: skip


def numbers_of_addresses(function: Function) -> frozenset[str]:
    """Values that are computed from the number of an address that may be of a stack object. Each thread has
    its own objects here, at numbers of their own, where a target may have them all at one: nothing is said of
    these."""
    names: set[str] = set()
    for instruction in function.instructions:
        if isinstance(instruction, Conversion) and instruction.opcode in ("ptrtoint", "ptrtoaddr"):
            space = getattr(instruction.value.type, "address_space", 0)
            if instruction.result is not None and space in _MAY_BE_OWN:
                names.add(instruction.result)
    changed = bool(names)
    while changed:
        changed = False
        for instruction in function.instructions:
            used = (
                (value for value, _ in instruction.incoming)
                if isinstance(instruction, Phi)
                else operands(instruction)
            )
            if instruction.result is not None and instruction.result not in names:
                if any(isinstance(value, Local) and value.name in names for value in used):
                    names.add(instruction.result)
                    changed = True
    return frozenset(names)


_MAY_BE_OWN = frozenset((0, 4, 5))
"""Address spaces in which a stack object may be, or a generic pointer to one."""


def _went(visits: Sequence[BlockVisit]) -> list[str | None]:
    """For each visit the block that its thread went on to in the same activation; ``None`` at the end."""
    went: list[str | None] = [None] * len(visits)
    last: dict[int, int] = {}
    for number, visit in enumerate(visits):
        if visit.frame in last:
            went[last[visit.frame]] = visit.block
        last[visit.frame] = number
    return went


def _argument_text(value: object) -> str:
    """A value as ``--arg`` takes it."""
    if isinstance(value, tuple):
        return f"<{','.join(map(_argument_text, value))}>"
    return str(value)
