"""All outcomes of a program for one input, with D-DEP in place of D-ORDER (semantics.md, §6)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache, partial
from typing import Any

from ...frozen import Json, dataclass
from ...ir import Local, holds_undef
from ...ir.calls import Control, atomics, callee_name, control
from ...ir.cfg import Order
from ...ir.instructions import CallSite, Freeze, Instruction, Phi, Ret, Words, operands
from ...ir.module import Function, GlobalVariable, Module, Parameter, is_thread_local
from ...packages import without_llvm
from ...sched.choices.search import Explorer
from ...sched.enumeration import NOTHING, Enumeration, ExecutionCollector, identity_of
from ...sched.lockstep.conform import Departure
from ...semantics import (
    NEVER,
    Clock,
    Cut,
    Deadlock,
    Ending,
    Endless,
    Illegal,
    NoModel,
    OutOfBound,
    Returned,
    UndefinedBehaviour,
    Unmodelled,
)
from ...semantics.environments.queued import QueuedMachine
from ...semantics.instructions.promises import assumed_words
from ...semantics.machine import (
    Called,
    Chooser,
    Log,
    MostConverged,
    ObservedEvent,
    depends_on_order,
    events_unseen,
    may_race,
    meet,
)
from ...semantics.machine.launch import Launch, Limits, argument_of, arguments_of, inputs_of, shaped
from ...semantics.machine.machine import Machine, ProvedLong
from ...semantics.machine.program import EngineKind, EnvironmentKind, Program, Settings, Uncontrolled, is_weak
from ...semantics.machine.run import Outcome, Run, finished, runnable, start, unattended
from ...semantics.machine.tally import Tally
from ...semantics.memory.accesses import CalleeWrites
from ...semantics.operations import Prepare
from ...semantics.threads.recurrence import commute, may_commute, uses
from ...semantics.values import RuntimeValue, plain
from ...transform.rewrite import with_blocks, with_functions
from ..inputs.edges import is_apart
from ..inputs.inputs import Covered, covered
from ..inputs.launch import ZEROS, Argument, FrozenValues, Input, Interpreter, absent_symbols, launch_contents
from ..verdict.result import AssumedBundle, CompilerKnows, Open, ReadRaces, Side, ValueTaken
from .observable import ALL_NAMED, UnnamedObjects, endless_outcome, nameable, observed, repeats
from .unmodelled import may_write, reads_unmodelled

# ----------------------------------------------------------------------------------------------------------
# Anchors whose token nobody uses: for a refinement they are not there.
#
# By D-DEP nothing depends on such an anchor, and it on nothing that another thread does, so that every
# partition of its instances is legal whatever else is chosen; and nothing that is seen tells one from
# another. To explore them is to count each outcome many times.
# ----------------------------------------------------------------------------------------------------------


def without_dead_anchors(module: Module) -> Module:
    """The module without them; the module itself where it has none."""
    functions = {f.name: _without(f) for f in module.definitions()}
    changed = {name: f for name, f in functions.items() if f is not module.functions[name]}
    return with_functions(module, changed)


def _without(function: Function) -> Function:
    anchors = {call.result for call in function.calls if control(call) is Control.ANCHOR}
    if anchors:
        anchors -= {name for i in function.instructions for name in _used(i)}
    if not anchors:
        return function
    return with_blocks(
        function,
        (
            replace(block, instructions=tuple(i for i in block.instructions if not _is_one(i, anchors)))
            for block in function.blocks
        ),
    )


def _is_one(instruction: Instruction, names: set[str | None]) -> bool:
    return control(instruction) is Control.ANCHOR and instruction.result in names


def _used(instruction: Instruction) -> Iterator[str]:
    yield from uses(instruction)
    if isinstance(instruction, Phi):
        yield from (value.name for value, _ in instruction.incoming if isinstance(value, Local))


# ----------------------------------------------------------------------------------------------------------
# All outcomes of a program for one input, with D-DEP in place of D-ORDER (semantics.md, §6).
#
# A program that has no free choice and no shared memory to order has one execution, which the plain
# machine runs; all others are explored by the machine that waits for what it depends on and for nothing
# else. Translated programs are kept from one input to the next.
# ----------------------------------------------------------------------------------------------------------


__all__ = ["ENDLESS", "UNDEFINED", "Bounds", "Executable", "Outcomes", "Setting"]

LONG = 2_000
"""Instructions of one execution, over all threads, from which on calls of native code are worth it."""
WORK = 200_000
"""Instructions of all executions until now, from which on it is worth compiling."""
PRICE = 2_000
"""More of them for each instruction that is to be compiled."""
WIDE = 64
"""Threads of a launch, from which on each of them has the steps of one execution."""
FROZEN = ((1,), (5,), ((1 << 128) - 1,), (1, 5, 0))
"""Bit patterns besides 0 of what was poison and is frozen: one for all, and several in turn, which tell a
value that is used twice from two values. Small numbers that the functions name are tried, too, and others
that they compare with. The outcome is known if it is the same for all."""
FAR_FROM = 4
"""How many times the instructions of a run must fit into a bound to be far from it."""
MEETINGS = 3
"""Inputs for which threads met in memory, after which no other is tried with one execution first."""


@dataclass(frozen=True)
class Setting:
    """How both sides are run: what :func:`convergence.semantics.run.run` takes, but for the input itself;
    ``globals`` are the variables that the user gave contents, ``objects`` those that the comparison made.
    With ``dead_anchors`` those whose token nobody uses are run, too, which changes no outcome. ``engine`` is
    what runs threads where one execution is all: the answer is the same. ``unnamed``: objects that functions
    without a model do not tell apart. ``equal_writes``: writes that race and leave the same bytes count as
    one."""

    uncontrolled: Uncontrolled = "maximal"
    dfs: Order = Order.TEXT
    operations: Mapping[str, Prepare] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[Sequence[Any]]] = field(default_factory=dict)
    verified: bool = True
    globals: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    dead_anchors: bool = False
    engine: EngineKind = "reference"
    unnamed: UnnamedObjects = ALL_NAMED
    equal_writes: bool = False


class Executable:
    """A function of a module, to be run for many inputs. ``pool`` are the values of small interpretations,
    ``names`` the shared variables that are compared. ``asked`` is a program of the module that is only asked,
    if there is one."""

    def __init__(
        self,
        module: Module,
        function: Function,
        setting: Setting,
        pool: Sequence[int],
        names: frozenset[str],
        asked: Program | None = None,
    ) -> None:
        self.original = module
        if not setting.dead_anchors:
            module = without_dead_anchors(module)
            function = module.functions[function.name]
        self.module = module
        self.function = function
        self.setting = setting
        self.names = names
        self.interpreter = Interpreter(
            pool, setting.unnamed.names, setting.unnamed.arguments, allocators(module)
        )
        self.frozen = FrozenValues()
        self._named = [(value,) for value in pool if value and (value,) not in FROZEN]
        self.callee_writes = CalleeWrites(partial(may_write, module))
        self._writable = overwritable(module, function)
        self._contents: dict[Hashable, Mapping[str, Sequence[RuntimeValue]]] = {}
        self._values: dict[tuple[int, Argument], RuntimeValue] = {}
        self._programs: dict[Hashable, Program] = {}
        self.tally: Tally | None = None
        self._runs = self._work = 0
        if asked is None or asked.module is not module or asked.uncontrolled != setting.uncontrolled:
            asked = Program(module, Settings(uncontrolled=setting.uncontrolled))
        self._probe = probe = asked
        self._readable = (
            _readable(function, names | nameable(module)) if reads_unmodelled(module, probe) else None
        )
        self._explores = probe.has_choices or not setting.verified
        self._is_atomic = any(map(atomics, module.definitions()))
        self._any_order = may_commute(module)
        self._meetings = 0
        reached = probe.calls.closure(function.name) | {function.name}
        functions = [module.functions[name] for name in sorted(reached)]
        self._open = _left_open(function, functions)
        self._freezes = any(Freeze in f.kinds for f in functions)
        self._worth = WORK + PRICE * sum(len(f.instructions) for f in functions)

    def take_apart(self) -> None:
        """Drops what its programs have in cycles, and them: it runs no more."""
        for program in (self._probe, *self._programs.values()):
            program.take_apart()
        self._programs.clear()

    # -- programs and launches ------------------------------------------------------------------------

    def _program(
        self,
        input_: Input,
        environment: EnvironmentKind = "queued",
        joins: bool = False,
        engine: EngineKind = "reference",
    ) -> Program:
        """The translated program, for all executions or for one; what the user gave as results is per
        number of threads."""
        setting = self.setting
        absent = frozenset(name for name in absent_symbols(input_) if is_weak(self.module, name))
        threads = input_.threads if setting.inputs else 0
        key = (threads, input_.paths is not None, environment, joins, absent, engine)
        known = self._programs.get(key)
        if known is None:
            unknowns = input_.paths is not None and None in input_.arguments
            known = self._programs[key] = runnable(
                self.module,
                Settings(
                    uncontrolled=setting.uncontrolled,
                    dfs=setting.dfs,
                    equal_writes=setting.equal_writes,
                    inputs=inputs_of(self.module, setting.inputs, input_.threads, self._probe.context),
                    operations=setting.operations,
                    path_of=self.function.name if input_.paths is not None else None,
                    unknowns=unknowns,
                    lenient=unknowns,
                    environment=environment,
                    verified=setting.verified,
                    order="dependence",
                    reading=False,
                    readable=self._readable,
                    joins=joins,
                    stand_in=self.interpreter,
                    callee_writes=self.callee_writes,
                    frozen=self.frozen,
                    absent=absent,
                    engine=engine,
                ),
            )
        return known

    @property
    def _engine(self) -> EngineKind:
        """What runs threads where one execution is all: native code from the start, once all executions until
        now have taken as long as compiling will."""
        engine = self.setting.engine
        if self._freezes:  # native code does not say whether a poison was frozen
            return "reference"
        if engine == "auto" and self._work >= max(self._worth, LONG * self._runs) and without_llvm() is None:
            return "native"
        return engine

    def _ran(self, collect: Collect) -> None:
        """One execution was all."""
        self._runs += 1
        self._work += collect.steps
        if collect.tally is not None:
            self.tally = self.tally or Tally()
            self.tally.add(collect.tally)

    def _launch(self, program: Program, input_: Input) -> Launch:
        columns: list[Sequence[object]] = []
        for place, (parameter, values) in enumerate(
            zip(self.function.parameters, input_.arguments, strict=not input_.globals)
        ):
            if values is None:
                unknown, _ = arguments_of(self.function, {}, input_.threads, program.context)
                columns.append([unknown[t][place] for t in range(input_.threads)])
                continue
            columns.append([self._value(program, place, parameter, v) for v in values])
        arguments = [[column[t] for column in columns] for t in range(input_.threads)]
        key = input_.arguments[len(columns) :], input_.memory, input_.threads
        contents = self._contents.get(key)
        if contents is None:
            contents = self._contents[key] = launch_contents(
                input_, self.module, program.context, self.setting.globals, self.setting.objects
            )
        launch = Launch(
            self.function.name, input_.threads, input_.subgroup_size, arguments, input_.paths, contents
        )
        return launch if input_.shape is None else shaped(launch, input_.shape)

    def _value(self, program: Program, place: int, parameter: Parameter, argument: Argument) -> RuntimeValue:
        known = self._values.get((place, argument))
        if known is None:
            what = f"argument {place + 1}"
            known = self._values[place, argument] = argument_of(argument, parameter, program.context, what)
        return known

    # -- executions -----------------------------------------------------------------------------------

    def outcomes(self, input_: Input, bounds: Bounds) -> Outcomes:
        """All outcomes for an input. Raises UsageError for what does not fit the program, NotModelled for
        a global variable whose initial value has no model."""
        known = self._chosen(input_, bounds, ZEROS)
        if not self.frozen.asked or known.undecided is not None:
            return known
        others = tuple(self._chosen(input_, bounds, patterns) for patterns in (*FROZEN, *self._named))
        if all(_alike(known, other) for other in others):
            return known
        return replace(known, undecided=ValueTaken("freeze"), alternatives=others)

    def _chosen(self, input_: Input, bounds: Bounds, patterns: tuple[int, ...]) -> Outcomes:
        """The outcomes where what is frozen has these bit patterns."""
        collected = self._collected(input_, bounds, patterns=patterns)
        known = collected.outcomes(self._open)
        if collected.orders and not self._is_atomic and not self._explores:
            known = replace(known, torn=True)
        return known

    def _begin(self, input_: Input, patterns: tuple[int, ...] = ZEROS) -> None:
        """A new run starts, of functions without a model as the input says; what is frozen has these bit
        ``patterns``."""
        self.frozen.begin(patterns)
        self.interpreter.begin(input_.interpretation)
        writer = input_.interpretation.writer
        alone = input_.threads == 1 or writer is not None
        variables = self._writable if alone else frozenset[str]()
        self.callee_writes.begin(input_.interpretation.writes, variables, writer)

    def _collected(
        self,
        input_: Input,
        bounds: Bounds,
        capture: bool = False,
        wanted: Hashable | None = None,
        patterns: tuple[int, ...] = ZEROS,
    ) -> Collect:
        """One execution, if nothing is free and no two threads meet in memory; else all. What is frozen has
        these bit ``patterns``."""
        self._begin(input_, patterns)
        if not self._explores and (self._meetings < MEETINGS or not bounds.races):
            engine: EngineKind = "reference" if input_.interpretation.writes else self._engine
            program = self._program(input_, "direct", engine=engine)
            program.forgets = not bounds.records
            once = Collect(self.names, program, self._launch(program, input_), bounds, capture, wanted)
            only = once.only()
            self._ran(once)
            if only:
                return once
            if self._any_order or not self._is_atomic:
                program = self._program(input_, "watched")
                once = Collect(self.names, program, self._launch(program, input_), bounds, capture, wanted)
                if once.only() or not (bounds.races or once.atomic):
                    return once
            self._meetings += bounds.races
        elif self._explores and (alone := self._apart(input_, bounds, capture, patterns)) is not None:
            return alone
        program = self._program(input_, "queued", bounds.joins)
        collect = Collect(self.names, program, self._launch(program, input_), bounds, capture, wanted)
        collect.orders = True
        collect.enumerate()
        return collect

    def _apart(
        self, input_: Input, bounds: Bounds, capture: bool, patterns: tuple[int, ...]
    ) -> Collect | None:
        """The only execution of a program that has free choices, for an input in which each thread is a
        launch group of its own, if no two of them meet in memory and all return; ``None`` else.

        Who is alone has nobody whose label it could take, and waits for nobody: what it does is a function of
        its own trace, so that there is nothing to choose, and that D-CAUSE and D-DEP let threads go on behind
        exchanges adds no execution. Nothing is concluded where such a run comes near the bound, as
        instructions are counted again that the other machine tries again; where something is frozen, as what
        it becomes hangs from the code that was prepared before; or where the execution is to be shown, as
        labels have other numbers. ``joins`` is left open: whoever asks finds that there is no more."""
        alone = input_.threads == 1 or input_.subgroup_size == 1
        if not (alone and bounds.saves and self.setting.verified) or capture or bounds.joins or self._freezes:
            return None
        program = self._program(input_, "direct")
        once = Collect(self.names, program, self._launch(program, input_), bounds)
        if once.only() and once.returned and FAR_FROM * once.steps <= bounds.steps:
            once.joins = True
            return once
        self._begin(input_, patterns)
        return None

    @property
    def chooses(self) -> bool:
        """Whether who converges is open for some operation."""
        return self._explores

    def logged(self, input_: Input, log: Log, chooser: Chooser, bounds: Bounds, watched: bool = False) -> Run:
        """One execution, by the chooser's choices, that writes into a caller's log. ``watched``: with an eye
        on races; a read that turns out to race raises RaceFound."""
        self._begin(input_)
        program = self._program(input_, "watched" if watched else "direct")
        machine = start(program, self._launch(program, input_), chooser, log)
        ending = machine.run(bounds.steps, bounds.clock)
        return finished(machine, ending, ())

    def side(self, input_: Input, wanted: Hashable | None, bounds: Bounds) -> Side | None:
        """An execution with the outcome ``wanted`` (``UNDEFINED``, ``ENDLESS``); any for ``None``."""
        side = self._collected(input_, bounds, True, wanted).side
        return side if side is None or self.module is self.original else replace(side, module=self.module)

    def answered(self, input_: Input, bounds: Bounds) -> dict[str, tuple[tuple[Json, ...], ...]]:
        """What declared functions without a model returned, by function and thread, in one execution."""
        log = self.interpreter.log = []
        try:
            self._begin(input_)
            program = self._program(input_, "queued" if self._explores else "direct")
            start(program, self._launch(program, input_), MostConverged()).run(bounds.steps, bounds.clock)
        finally:
            self.interpreter.log = None
        layout = program.layout
        answers: dict[str, list[list[Json]]] = {}
        for callee, thread, value in log:
            if callee not in self.module.functions:  # inline assembly, for which nobody can give results
                continue
            streams = answers.setdefault(callee, [[] for _ in range(input_.threads)])
            if thread < input_.threads:
                streams[thread].append(plain(value, self.module.functions[callee].type.result, layout))
        return {name: tuple(map(tuple, streams)) for name, streams in answers.items()}


def _readable(function: Function, names: frozenset[str]) -> frozenset[str]:
    """The variables that any function may read: those that are compared, without what is behind ``noalias``
    parameters, which a callee may look at only if it is given the pointer."""
    apart = [(f"@argument.{n}", f"%{p.name}") for n, p in enumerate(function.parameters, 1)
             if "noalias" in p.attributes]  # fmt: skip
    return names.difference(*apart)


GIVEN_SPACES = 0, 1
"""Address spaces of memory that a function may write to which is given no pointer to it: neither constants
nor workgroup memory, of which a pass may know all users."""


def overwritable(module: Module, function: Function) -> frozenset[str]:
    """The variables to which a function that nobody knows may write, as messages name them: those that it can
    name, and what lies behind parameters that others may point to, too."""
    names = {v.label for v in module.globals.values() if v.label in nameable(module) and _is_given(v)}
    apart = {
        name
        for place, parameter in enumerate(function.parameters, 1)
        for name in (f"@argument.{place}", f"%{parameter.name}")
        if is_apart(parameter)
    }
    return frozenset(names - apart)


def _is_given(variable: GlobalVariable) -> bool:
    own = variable.constant or is_thread_local(variable)
    return not own and variable.address_space in GIVEN_SPACES


_COMPILER_KNOWS = (
    "llvm.is.constant",
    "llvm.objectsize",
    "llvm.experimental.guard",
    "llvm.experimental.widenable.condition",
    "llvm.allow.",
)
"""Intrinsics, without the types in their names, whose results are what the compiler knows, or likes."""
_SIGNS = frozenset(("memcmp", "bcmp", "strcmp", "strncmp"))
"""Functions of which C says what sign their numbers have, and no more (C17, 7.24.4)."""


def allocators(module: Module) -> frozenset[str]:
    """The declared functions that say how much they allocate: LLVM takes what they give for a pointer to so
    much, or null, and so for no poison (``annotateAnyAllocSite``)."""
    functions = module.functions.items()
    return frozenset(name for name, f in functions if _allocates(module.resolve(f.attributes)))


@lru_cache(1_000)
def _allocates(words: Words) -> bool:
    return any(word.startswith(("allocsize", "allockind")) for word in words)


def _left_open(launched: Function, functions: Sequence[Function]) -> Open | None:
    """What in the text makes LLVM choose a value of which the machines take one, or promises what they do
    not check. What the launched function returns keeps its undef, and so does what a phi takes."""
    for function in functions:
        phis = _phis_of_undef(function)
        undefined = bool(phis) or any(map(holds_undef, function.literals))
        for instruction in function.instructions if undefined else function.calls:
            if isinstance(instruction, Ret) and function.name == launched.name:
                continue
            if isinstance(instruction, Freeze):  # which is tried for several values as it runs
                continue
            if isinstance(instruction, CallSite):
                name = callee_name(instruction) or ""
                if name.startswith(_COMPILER_KNOWS) or name in _SIGNS:
                    return CompilerKnows(name)
                tags = [bundle.tag for bundle in instruction.bundles if assumed_words(bundle) is None]
                if name == "llvm.assume" and tags:
                    return AssumedBundle(tags[0])
            for operand in operands(instruction) if undefined else ():
                if holds_undef(operand) or (isinstance(operand, Local) and operand.name in phis):
                    return ValueTaken("undef")
    return None


def _phis_of_undef(function: Function) -> frozenset[str]:
    """The phis that may give an undef of the text, on their own or from another one."""
    phis = {
        i.result: [value for value, _ in i.incoming]
        for i in (function.instructions if Phi in function.kinds else ())
        if isinstance(i, Phi) and i.result is not None
    }
    names: set[str] = set()
    more = True
    while more:
        reached = {
            phi
            for phi, values in phis.items()
            if any(holds_undef(v) or (isinstance(v, Local) and v.name in names) for v in values)
        }
        more, names = reached != names, reached
    return frozenset(names)


def _has_other_orders(log: Log) -> bool:
    """Whether other orders of what threads did in memory could give other values: they met. Where they ran
    natively and no access was atomic, those whom barriers order met in every execution alike."""
    encounters = log.encounters
    ordered = encounters is not None and not encounters.atomic and not may_race(log)
    return depends_on_order(log) and not ordered


# -- All outcomes of one launch: explored, or the only one

UNDEFINED = "undefined-behaviour"
"""What stands for an undefined execution where one execution of an input is asked for."""
ENDLESS = "endless"


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What a program may do for one input.

    ``by_identity`` are the outcomes of complete executions, and of those that go round for ever, by what
    makes them the same. ``undefined`` and ``endless`` are executions that are undefined, and others without
    an end. ``bound`` says what was cut: then there may be others. ``undecided`` says what LLVM leaves open,
    of which one was taken: then, too. ``alternatives`` are the outcomes of others that were tried, of what is
    frozen, if they are not the same. ``runs`` counts executions that were looked at. ``joins``: with
    ``Bounds.joins`` there may be more. ``covered``: where the threads of the first execution went.
    ``wrong``: the mask in lowered code that ended the one run; then that counts as ``endless``. ``torn``:
    threads raced to write, and what lies in memory may be put together of several outcomes. ``raced``: a read
    of some execution raced, and gave undef. ``unmodelled``:
    per outcome, ``UNDEFINED`` or ``ENDLESS`` the declared functions that an execution called which comes to
    it: events, and those without a model. ``steps``: instructions of
    the longest execution, where that is known."""

    by_identity: Mapping[Hashable, Outcome]
    undefined: UndefinedBehaviour | None = None
    endless: Deadlock | Endless | None = None
    bound: Open | None = None
    undecided: Open | None = None
    runs: int = 1
    joins: bool = False
    covered: Covered = frozenset()
    unmodelled: Mapping[Hashable, frozenset[str]] = field(default_factory=dict)
    wrong: Departure | None = None
    torn: bool = False
    raced: bool = False
    steps: int = 0
    alternatives: tuple[Outcomes, ...] = ()


def _alike(first: Outcomes, second: Outcomes) -> bool:
    """Whether two choices of what is frozen come to the same, as far as is known."""
    return (
        first.bound is None
        and second.bound is None
        and first.by_identity.keys() == second.by_identity.keys()
        and (first.undefined is None) == (second.undefined is None)
        and (first.endless is None) == (second.endless is None)
    )


@dataclass(frozen=True)
class Bounds:
    """``steps`` of one execution, ``executions`` of one input, and the ``clock`` over all.
    With ``joins`` what follows the join of a branch over computations is free of the branch.
    Without ``races`` orders of accesses that nothing synchronises are left out: ReadRaces is the bound.
    ``records``: where threads went is asked for; with ``covers``, too, by whoever chooses inputs. Without
    ``bounded`` nobody gave ``steps``, and each thread of a wide launch has so many where native code may run.
    Without ``saves`` what cannot change an answer any more is looked at all the same."""

    steps: int = 100_000
    executions: int = 2_000
    clock: Clock = NEVER
    races: bool = True
    joins: bool = False
    records: bool = True
    bounded: bool = True
    saves: bool = True
    covers: bool = True

    def native_steps(self, threads: int) -> int:
        """Steps of one execution of so many threads where native code may run."""
        return self.steps if self.bounded or threads < WIDE else self.steps * threads

    @cached_property
    def counts(self) -> tuple[Hashable, ...]:
        """What outcomes that a bound cut short depend on: all but the clock."""
        return self.steps, self.executions, *self.ways

    @cached_property
    def ways(self) -> tuple[Hashable, ...]:
        """What outcomes depend on that no bound cut short."""
        return self.races, self.joins, self.records, self.bounded, self.saves, self.covers

    @cached_property
    def limits(self) -> Limits:
        """The same, as what enumerates takes it."""
        return Limits(self.steps, max_executions=self.executions).by(self.clock)


def asked_in(run: Run) -> frozenset[str]:
    """The declared functions that a run called, as events or without a model. What is to come in a run that
    stopped is not looked at."""
    observations = (event.event for event in run.log.of(ObservedEvent))
    events = (event.callee for event in observations if isinstance(event, Called))
    return frozenset((*run.stand_ins, *events))


class Collect(Explorer):
    """Collects outcomes; with ``capture`` also one execution that comes to the ``wanted`` one."""

    ends_with_answer = False

    def __init__(
        self,
        names: frozenset[str],
        program: Program,
        launch: Launch,
        bounds: Bounds,
        capture: bool = False,
        wanted: Hashable | None = None,
    ) -> None:
        super().__init__(program, launch, bounds.limits)
        self.side: Side | None = None
        self.raced = False
        self.racing_reads = False
        self.orders = False  # whether orders of what threads do in memory are looked at
        self.atomic = False
        self.steps = 0
        self.joins = False  # whether there may be more with Bounds.joins, whatever was seen
        self.tally: Tally | None = None
        self._names = names
        self._bounds = bounds
        self._capture = capture
        self._identity = wanted
        self._outcomes: dict[Hashable, Outcome] = {}
        self._undefined: UndefinedBehaviour | None = None
        self._deadlock: Deadlock | Endless | None = None
        self._undecided: Open | None = None
        self._covered: Covered | None = None
        self._unmodelled: dict[Hashable, frozenset[str]] = {}

    @property
    def returned(self) -> bool:
        """Whether what was looked at came to an end, and to nothing else."""
        return bool(self._outcomes) and self._undefined is None and self._deadlock is None

    def only(self) -> bool:
        """The only execution; False if there may be others, for threads met in memory. Where the execution is
        watched it is the only one if nothing in it races, and no access is atomic, or only additions, say, of
        which nobody can tell the order: so barriers, and fences around them, order all else that meets, in
        every execution alike, and each read sees one write (:attr:`Run.is_only`)."""
        machine, ending = self._run()
        self.executions = 1
        self.steps, self.tally = machine.steps, machine.tally
        races = machine.races
        # A call may be atomic, too: of an OpenCL function, of an intrinsic.
        self.atomic = races is not None and (
            races.learned or not commute(machine.program.module, races.atomics)
        )
        if _has_other_orders(machine.log) if races is None else races.races or self.atomic:
            machine.take_apart()
            self.raced = True
            return False
        match ending:
            case OutOfBound(bound):
                self.bound = bound
            case Unmodelled(what):
                self.bound = NoModel(what)
            case Illegal():
                self._deadlock = Deadlock(())
            case _:
                self._add(machine, ending)
        machine.take_apart()
        return True

    def _run(self) -> tuple[Machine, Ending]:
        """The first execution. Natively from its beginning to its end only where nobody asks what threads did
        on the way, and nothing came of it that would have to be asked for."""
        program, launch, bounds = self.program, self.launch, self._bounds

        def begun() -> Machine:
            return Machine(program, launch, MostConverged(), asleep=True)

        if program.settings.environment != "direct":
            machine = start(program, launch, MostConverged())
            return machine, machine.run(bounds.steps, bounds.clock)
        steps = bounds.native_steps(launch.threads)
        if steps > bounds.steps and (program.settings.engine == "reference" or without_llvm() is not None):
            steps = bounds.steps
        if not (bounds.records or self._capture):
            machine, whole = unattended(begun, steps, bounds.clock)
            if whole is not None:
                if not (events_unseen(machine.log) or meet(machine.log)):
                    return machine, whole
                program.unattended = False
                program.attended = "what threads did on the way is compared"
        machine = begun()
        machine.wake()
        machine.anew = launch.threads > 1 and not program.long
        try:
            return machine, machine.run(steps, bounds.clock)
        except ProvedLong:
            program.long = True
            return self._run()

    def _add(self, machine: Machine, ending: Ending) -> None:
        outcome, key = NOTHING, None
        if self._covered is None and self._bounds.records and self._bounds.covers:
            self._covered = covered(id(machine.program.module), machine.log)  # however that is run
        run = finished(machine, ending, ())
        match ending:
            case Returned():
                outcome = observed(run.outcome, self._names, self.program)
                key = identity_of(outcome)
                self._outcomes.setdefault(key, outcome)
            case UndefinedBehaviour():
                self._undefined = self._undefined or ending
                key = UNDEFINED
            case Endless():
                endless = endless_outcome(ending, run.outcome)
                if endless is None or repeats(endless, self.program):
                    self._deadlock, key = self._deadlock or ending, ENDLESS
                else:
                    outcome, key = endless, identity_of(endless)
                    self._outcomes.setdefault(key, outcome)
            case Deadlock():
                self._deadlock = self._deadlock or ending
                key = ENDLESS
            case _:
                raise AssertionError(f"{ending} is no outcome")
        self.steps = max(self.steps, machine.steps)
        names = asked_in(run)
        if len(names) <= len(self._unmodelled.setdefault(key, names)):
            self._unmodelled[key] = names
        raced = machine.raced if isinstance(machine, QueuedMachine) else {}
        self.racing_reads = self.racing_reads or bool(raced)
        if machine.memory.undef_reads or raced:
            self._undecided = ValueTaken("undef", (*machine.memory.undef_reads, *raced))
        if self._capture and self.side is None and (self._identity is None or self._identity == key):
            self.side = Side(run.execution, run.groups, ending, outcome, run.keys)

    def _finish(self, bound: Cut | None) -> Enumeration:
        if bound is None and not self._outcomes and self._undefined is None and self.stuck is not None:
            machine, _ = self.stuck
            self._add(machine, Deadlock(machine.stuck))
        endless = None if self._states is None else self._states.endless()
        if endless is not None and self._deadlock is None:
            self._deadlock = Deadlock(endless)
        if bound is None and not self._outcomes and self._undefined is None and self._deadlock is None:
            self._deadlock = Deadlock(())  # no execution is legal: none that begins can be completed
        self.bound = bound
        return ExecutionCollector().finish("", bound is None, bound)

    def outcomes(self, left_open: Open | None) -> Outcomes:
        """What was found; ``left_open`` as the program's text has it."""
        return Outcomes(
            self._outcomes, self._undefined, self._deadlock, ReadRaces() if self.raced else self.bound,
            self._undecided or left_open, self.executions, self.joins or self.program.waits_at_joins,
            self._covered or frozenset(), self._unmodelled, raced=self.racing_reads, steps=self.steps,
        )  # fmt: skip
