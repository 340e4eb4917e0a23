"""What all candidate traces of one enumeration share: the module under the symbolic domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

import z3

from ...alignment import StaticInstance
from ...ir import PTR, Type
from ...ir import instructions as ir
from ...ir.escape import moving_loads
from ...ir.instructions import operands
from ...ir.module import Block
from ...rules import Rule
from ...semantics import (
    STOPS,
    Bound,
    BoundHit,
    BoundKind,
    Crash,
    NotModelled,
    Undefined,
    UndefinedBehaviour,
    UsageError,
    ending_of,
    option,
)
from ...semantics.arithmetic.domain import Domain
from ...semantics.arithmetic.symbolic import SymbolicDomain
from ...semantics.convergence import (
    ChosenLabel,
    Key,
    KeyKind,
    Keys,
    LaunchGroup,
    Selected,
    SwitchedCase,
    fold,
)
from ...semantics.convergence import Root as KeyRoot
from ...semantics.instructions import is_volatile, prepare_access
from ...semantics.instructions.lifting import result_type
from ...semantics.machine import Called, Event, Executed, Log, ObservedEvent, Result, VolatileAccess, strands
from ...semantics.machine.launch import Launch, furnish, launch_groups
from ...semantics.machine.machine import BarrierMeeting
from ...semantics.machine.program import Program
from ...semantics.memory import Touch
from ...semantics.memory.accesses import footprint, perform
from ...semantics.memory.allocations import Memory
from ...semantics.memory.globals import assumptions, clone, initial_memory, launched, own_values
from ...semantics.memory.synchronisation import EVERYWHERE, MemoryFence, Scope, ScopeNumbers, Storage
from ...semantics.operations import ThreadPlace, made_up
from ...semantics.operations.lanes import is_void
from ...semantics.threads import (
    UNEXECUTED,
    UNSET,
    Code,
    Exchange,
    Finish,
    Frame,
    Planned,
    Registers,
    Runs,
    Step,
    Thread,
)
from ...semantics.threads.compile import compiled
from ...semantics.threads.step import advance, stack_of, start_thread
from ...semantics.threads.translation import Translation
from ...semantics.values import (
    NOTHING,
    Composite,
    Later,
    Needs,
    Pending,
    Pointer,
    RuntimeValue,
    Unknown,
    Value,
    any_undef,
    needed,
    scalars,
    term,
)
from ...semantics.values.context import Context, fill, poison, zero
from .candidates import (
    ActivationPlace,
    Anchored,
    Answer,
    Beat,
    CaseInstance,
    ExchangeCall,
    FrameEntry,
    FreeEntry,
    Hangs,
    HeaderInstance,
    Instance,
    MemoryEvent,
    OtherAddress,
    PlainCall,
    Query,
    Root,
    Stopped,
    Trace,
    TraceNode,
    Uncontrolled,
    Uses,
    WayInstance,
    meet,
)


class TraceAnswers(Protocol):
    """A candidate trace under way: its answers to what decides how it goes on."""

    def decide(self, condition: Any, steers: bool = False) -> bool: ...
    def number(self, bits: Any) -> int: ...


class Following(SymbolicDomain):
    """The symbolic domain along one candidate trace: what decides how it goes on is asked."""

    def __init__(self, world: World) -> None:
        super().__init__(lambda condition: world.walk.decide(condition))
        self._world = world

    def concrete(self, bits: Any, what: str, guess: int | None = None, /) -> int:
        return bits if isinstance(bits, int) else self._world.walk.number(bits)


class World:
    """``program`` is the module as the operational machine has it, for models and names; ``launch`` how it
    starts. ``context`` and ``memory`` are the module's and its globals' under the symbolic domain.
    ``free`` are truth values that nothing decides, by identity: a proposal picks them.
    ``walk`` is the candidate trace that is being followed, ``codes`` the functions prepared over terms.
    ``shares_memory``: whether there is any memory that threads could share, so that times matter."""

    walk: TraceAnswers

    def __init__(self, program: Program, launch: Launch) -> None:
        self.program = program
        self.launch = launch
        self.module = program.module
        self.shares_memory = _shares_memory(program)
        self.subgroups = launch_groups(launch, program.module)
        self.groups = list(self.subgroups)
        self.domain = Following(self)
        self._addresses: dict[str, Value] = {}
        self.context = Context(
            self.module, cast(Domain, self.domain), program.layout, self._address_of, program.address_of_block
        )
        laid_out = initial_memory(self.context, self._addresses, None, program.settings.absent)
        self.memory: Memory = launched(laid_out, self.context, launch.contents)
        furnish(self.memory, self.context, launch)
        self._performed: dict[tuple[str, int], Callable[..., Any]] = {}
        self._moving: dict[str, frozenset[str]] = {}
        self.codes: dict[Any, Any] = {}
        self._numbers = 0
        self.values: list[Any] = []
        self.unknown: dict[int, Any] = {}
        self.free: dict[int, Any] = {}

    def _address_of(self, name: str) -> Value:
        address = self._addresses.get(name)
        return address if address is not None else self.program.address_of(name)

    def number(self) -> int:
        """A number that was not given out before."""
        self._numbers += 1
        return self._numbers

    def group_of(self, thread: int) -> LaunchGroup:
        workgroup, place = divmod(thread, self.launch.workgroup_threads)
        each = len(self.groups) // self.launch.workgroups
        return self.groups[workgroup * each + place // self.groups[0].size]

    def standing(self, thread: int) -> ScopeNumbers:
        """Which scopes a thread is in (D-SYNC)."""
        group = self.group_of(thread)
        return ScopeNumbers(group.number, group.workgroup, self.subgroups[group].cluster)

    def place(self, thread: int) -> ThreadPlace:
        group = self.group_of(thread)
        return ThreadPlace(thread, thread - group.first, self.subgroups[group])

    def performed(self, function: str, index: int) -> Callable[..., Any]:
        """A memory instruction as a function from its operands, known values, to an access."""
        known = self._performed.get((function, index))
        if known is None:
            text = self.module.functions[function]
            if function not in self._moving:
                self._moving[function] = moving_loads(text)
            known = prepare_access(text.instructions[index], self.program.context, self._moving[function])
            assert known is not None
            self._performed[function, index] = known
        return known

    def pick_of(self, value: Any) -> int:
        """The index of a value that is no term."""
        for index, known in enumerate(self.values):
            if type(known) is type(value) and known == value and _provenance(known) == _provenance(value):
                return index
        self.values.append(value)
        return len(self.values) - 1


def _provenance(value: Any) -> Any:
    return getattr(value, "provenance", None)


def is_term(value: object) -> bool:
    return isinstance(value, z3.ExprRef)


# -- One thread's candidate trace, followed over unknowns to its end or to the next question
# The stepper is the interpreter's own (:mod:`convergence.semantics.threads`); this is its environment
# where results of exchanges and of reads of shared memory are unknowns. A walk starts at the launch and
# is given the answers so far; it repeats the pieces that are known and adds the last one.


class Asks(Exception):
    """The trace comes to a question that was not answered."""

    def __init__(self, question: Any, needs: Needs, behind: Needs, steers: bool) -> None:
        super().__init__()
        self.question = question
        self.needs = needs
        self.behind = behind
        self.steers = steers


def walk_of(thread: Thread) -> Walk:
    return cast("Walk", thread.environment)


DIVISIONS = ("udiv", "sdiv", "urem", "srem")
"""The instructions on values that may be undefined."""


class TermTranslation(Translation):
    """Prepared code over terms: registers hold values, or pending ones that say what they need."""

    world: World

    def __init__(self, program: Program, function: Any, world: World) -> None:
        self.world = world
        super().__init__(program, function)

    def context_of(self, program: Program) -> Context:
        return self.world.context

    def code_of(self, name: str) -> Code:
        return prepared(type(self), self.world, name)

    # -- values -----------------------------------------------------------------------------------------

    def read(self, r: Registers, slots: tuple[int, ...]) -> list[Any]:
        return walk_of(r[0]).look([r[s] for s in slots])

    def write(self, r: Registers, slot: int, value: Any) -> None:
        if slot >= 0:
            r[slot] = walk_of(r[0]).depending(value)

    def pure(self, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Step:
        def step(r: Registers) -> None:
            self.compute(r, evaluate, slots, slot)

        return step

    def evaluate(self, instruction: ir.Instruction) -> Callable[..., Any] | None:
        evaluate = super().evaluate(instruction)
        if evaluate is None or not isinstance(instruction, ir.Binary) or instruction.opcode not in DIVISIONS:
            return evaluate
        defined, bad = evaluate, poison(instruction.lhs.type, self.context.layout, self.context.domain)

        def divided(*values: Any) -> Any:
            try:
                return defined(*values)
            except Undefined as stop:
                cast("Walk", self.world.walk).goes_on_undefined(stop)
                return bad

        return divided

    def compute(self, r: Registers, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int) -> Any:
        values = self.read(r, slots)
        unknown = next((v for v in values if v.__class__ is Unknown), None)
        try:
            value = unknown if unknown is not None else evaluate(*values)
        except Undefined as stop:
            if slot >= 0:
                raise
            return walk_of(r[0]).goes_on_undefined(stop)
        self.write(r, slot, value)
        return value

    def compute_known(
        self, r: Registers, evaluate: Callable[..., Any], slots: tuple[int, ...], slot: int
    ) -> Any:
        """What is asked for as plain numbers is a question."""
        settled = walk_of(r[0]).settled
        return self.compute(r, lambda *values: evaluate(*map(settled, values)), slots, slot)

    def defined(self, slots: tuple[int, ...], what: str) -> Step:
        def check(r: Registers) -> None:
            try:
                for value in self.read(r, slots):
                    walk_of(r[0]).require_defined(value, what)
            except Undefined as stop:
                walk_of(r[0]).goes_on_undefined(stop)

        return check

    def plain_value(self, value: Any, type_: Type) -> Any:
        return Later(value, type_)

    def refusing(self, step: Step, slots: tuple[int, ...], by: str) -> Step:
        def strict(r: Registers) -> None:
            for value in self.read(r, slots):
                if isinstance(value, Unknown):
                    raise UsageError(needed(value, by))
            step(r)

        return strict

    # -- where a thread goes ----------------------------------------------------------------------------

    def needing(self, slot: int, index: int, finish: Finish) -> Finish:
        def look(thread: Thread, frame: Frame) -> Frame | None:
            walk = walk_of(thread)
            walk.look([frame.registers[slot]])
            walk.control |= walk.looking
            return finish(thread, frame)

        return look

    def branch(self, block: Block, slot: int, index: int, then: Finish, otherwise: Finish) -> Finish:
        def finish(thread: Thread, frame: Frame) -> Frame | None:
            walk = walk_of(thread)
            bits = walk.decided(frame.registers[slot], "br")
            way = walk.decide(walk.world.domain.truth(bits), steers=True)
            return (then if way else otherwise)(thread, frame)

        return finish

    def switch(self, slot: int, index: int, table: Mapping[object, Finish], default: Finish) -> Finish:
        def finish(thread: Thread, frame: Frame) -> Frame | None:
            walk = walk_of(thread)
            bits = walk.decided(frame.registers[slot], "switch")
            for case, edge in table.items():
                if walk.decide(bits == case, steers=True):
                    return edge(thread, frame)
            return default(thread, frame)

        return finish

    def pointing(
        self, slot: int, index: int, what: str, use: Callable[[Thread, Frame, Any], Frame | None]
    ) -> Finish:
        def finish(thread: Thread, frame: Frame) -> Frame | None:
            walk = walk_of(thread)
            (value,) = walk.look([frame.registers[slot]])
            if not isinstance(value, Unknown) and not value.undef:
                value = walk.settled(value, steers=True)
            walk.control |= walk.looking
            return use(thread, frame, value)

        return finish

    # -- memory -----------------------------------------------------------------------------------------

    def alloca(self, instruction: ir.Alloca) -> Step:
        allocate, name = super().alloca(instruction), instruction.result
        if name is None or not self.program.escapes.escapes(self.function, name):
            return allocate

        def step(r: Registers) -> None:
            allocate(r)
            frame = r[0].frame
            walk_of(r[0]).exposed.add(frame.allocas[-1].provenance.id)

        return step

    def access(self, index: int, instruction: ir.Instruction, prepared: Callable[..., Any]) -> Planned:
        slots, slot = self.slots(operands(instruction)), self.result(instruction)
        site = StaticInstance(self.code.name, index)
        type_ = None if slot < 0 else result_type(instruction, self.program.layout)
        volatile = is_volatile(instruction)
        plain = isinstance(instruction, ir.Load) and not volatile

        def step(r: Registers) -> None:
            walk = walk_of(r[0])
            values = self.read(r, slots)
            for value in values:
                if isinstance(value, Unknown):
                    raise UsageError(needed(value, f"a memory access in @{self.code.name}"))
            walk.addressing(values, type_ if plain else None)
            result = walk.access(site, type_, prepared(*values), values, volatile)
            walk.sharing = walk.supposable = False
            self.write(r, slot, result)

        return Runs(step)

    def copied(self, index: int, load: ir.Load, prepared: Callable[..., Any]) -> Planned:
        raise NotModelled("what a declared function is given by value, in the axiomatic engine")

    def copy_argument(self, thread: Thread, index: int, copy: Any, source: Any) -> Any:
        own = copy.allocate(thread.memory, thread.number)
        walk = walk_of(thread)
        values = [own, *walk.look([source])]
        site = StaticInstance(self.code.name, index)
        walk.access(site, None, copy.access(*values), values, False)
        return own


class Walk:
    """Follows ``node.answers``, and fills in ``node``: the environment of one thread on a candidate trace.

    ``path``, ``readings``  the thread's instances and shared accesses, those of the nodes above first
    ``known``, ``position``      how many are from above, and how many this walk has come to
    ``questions``           those that ``node.answers`` answer
    ``replies``                the answers by question; ``question_count`` how many there were
    ``steering``            the questions of which the answers decided where the thread goes
    ``sharing``             whether the operands of an access to shared memory are looked at; ``supposable``
                            whether its address may be supposed, ``supposes`` whether it is
    ``control``             what the thread's being where it is depends on
    ``looking``             what the operands of the instruction under way depend on
    ``stored``              what the thread's own memory depends on, by object and bytes
    ``exposed``             the thread's stack objects that other threads could know
    ``candidates``          the instance behind each key
    ``released``            per storage class the latest release fence
    ``behind``              the barriers that no acquire fence of all classes stands behind yet
    """

    translation: type[TermTranslation] = TermTranslation
    lazy = True
    """Whether a thread goes on behind what is undefined of values to come, until they have come."""

    def __init__(self, world: World, node: TraceNode, max_steps: int) -> None:
        self.world = world
        self.node = node
        self.max_steps = max_steps
        self.program = world.program
        self.launch = world.group_of(node.thread)
        self.memory = clone(world.memory)
        self.keys = Keys()
        self.candidates: dict[Key, Instance] = {}
        self.cases: dict[Key, SwitchedCase] = {}
        self.parts: dict[KeyRoot, Root | HeaderInstance] = {}
        self.warnings: dict[tuple[Rule, StaticInstance], None] = {}
        self.stand_ins: dict[str, None] = {}
        self.log = self.memory.log = Log()
        parent = node.parent
        self.path: list[Instance] = [] if parent is None else list(parent.path)
        self.known = len(self.path)
        self.readings: list[MemoryEvent] = [] if parent is None else list(parent.readings)
        self.known_readings = len(self.readings)
        self.position = self.met_readings = 0
        self.released: dict[Storage, MemoryEvent] = {}
        self.wide: dict[Storage, MemoryEvent] = {}
        self.meetings: Counter[str] = Counter()
        self.behind: list[Instance] = []
        self.question_count = 0
        self.questions = node.questions
        self.replies: dict[int, tuple[Any, Answer]] = {}
        self.steering: set[int] = set()
        self.sharing = self.supposable = self.supposes = False
        self.control: Needs = NOTHING
        self.looking: Needs = NOTHING
        self.stored: dict[tuple[int, int, int], Needs] = {}
        self.exposed: set[int] = set()
        self.undefined: tuple[UndefinedBehaviour, Needs] | None = None
        self.thread = Thread(node.thread, self.launch, cast(Any, self))

    def follow(self) -> None:
        """Fills in the node's instances and its end."""
        node, thread = self.node, self.thread
        self.world.walk = self
        node.own, node.own_readings = self.known, self.known_readings
        try:
            node.end = self._run()
        except Asks as ask:
            node.end = Query(
                ask.question,
                ask.needs,
                ask.behind,
                ask.steers,
                self.sharing,
                self.supposable,
                self._where(),
            )
        except UsageError as stop:
            node.end = Stopped(stop)
        except STOPS as stop:
            node.end = Stopped(ending_of(stop, node.thread, stack_of(thread, self.program.span)))
        node.path, node.readings, node.undefined = self.path, self.readings, self.undefined
        node.results = {
            self.candidates[event.key]: event.value for event in self.log if isinstance(event, Result)
        }
        for _, site in self.warnings:
            words = (
                f"{self.program.name(site)} is no convergent operation but reaches entry: its groups are free"
            )
            node.notes[words] = None
        for name in self.stand_ins:
            node.notes[made_up(name)] = None
        node.notes.update(dict.fromkeys(assumptions(self.memory)))

    def _run(self) -> Trace:
        start, thread = self.world.launch, self.thread
        function = self.program.module.functions[start.function]
        if start.paths is not None:
            thread.path = path = start.paths[thread.number]
            if not path or path[0] != function.blocks[0].name:
                entry = function.blocks[0].name
                raise UsageError(
                    f"the path of thread {thread.number} does not begin with %{entry}, the entry block"
                )
        start_thread(
            thread,
            prepared(self.translation, self.world, start.function),
            start.arguments[thread.number] if start.arguments else (),
        )
        while thread.alive:
            left = self.max_steps - thread.steps
            if left <= 0:
                raise BoundHit(Bound(BoundKind.MAX_STEPS, self.max_steps))
            advance(thread, left)
        assert thread.ended is not None
        value = self.look([thread.ended.value])[0]
        own = own_values(self.program.own_variables, self.world.context, self.memory, thread.number)
        visits = strands(self.log, thread.number + 1)[thread.number].visits
        return Trace(thread.ended.how, value, visits, self.observed_events, own)

    @property
    def observed_events(self) -> tuple[ObservedEvent, ...]:
        """What the outside sees of the thread."""
        return tuple(event for event in self.log if isinstance(event, ObservedEvent))

    def goes_on_undefined(self, stop: Undefined) -> None:
        """What is undefined of values that are to come ends the execution when they have; until then the
        thread goes on, to exchanges from which they may come. Raises it where it needs no value to come."""
        needs = self.control | self.looking
        if not (self.lazy and needs):
            raise stop
        if self.undefined is None:
            ending = ending_of(stop, self.node.thread, stack_of(self.thread, self.program.span))
            assert isinstance(ending, UndefinedBehaviour)
            self.undefined = ending, needs

    # -- questions ----------------------------------------------------------------------------------

    def decide(self, condition: Any, steers: bool = False) -> bool:
        """The path's answer to a truth value; ``steers``: it decides where the thread goes."""
        return bool(self._ask(condition, steers)) if is_term(condition) else cast(bool, condition)

    def number(self, bits: Any, steers: bool = False) -> int:
        """The path's answer to a number."""
        if not is_term(bits):
            return cast(int, bits)
        answer = self._ask(bits, steers)
        if isinstance(answer, OtherAddress):
            self.supposes = True
            return answer.address
        return answer

    def pick(self, of: Instance | MemoryEvent) -> Any:
        """The path's answer to which value a result is that is no term."""
        if of.picks is None:
            of.picks = z3.Int(f"value of {of.number}")
        return self.world.values[cast(int, self._ask(of.picks, False))]

    def _ask(self, question: Any, steers: bool) -> Answer:
        """What comes behind a question depends on its answer if that ``steers`` the thread: D-CAUSE's
        control. An address, or whether a value is poison, is asked because a trace needs it, and is a
        dependence of the access alone."""
        name = question.get_id()
        if name in self.replies and (name in self.steering or not steers):
            return self.replies[name][1]
        needs = self.control | self.looking
        behind = needs if steers else self.control
        if self.question_count == len(self.node.answers):
            raise Asks(question, needs, behind, steers)
        if not self.questions[self.question_count].eq(question):
            raise Crash(f"thread {self.node.thread} asks another question than before: {question}")
        answer = self.node.answers[self.question_count]
        self.question_count += 1
        self.replies[name] = (question, answer)
        if steers:
            self.steering.add(name)
        self.control = behind
        return answer

    def _where(self) -> tuple[ActivationPlace, ...]:
        """Where the thread stands, its innermost activation last."""
        stack, frame, at = [], self.thread.frame, self.thread.at
        while frame is not None:
            recent = {
                cycle: header
                for cycle, key in enumerate(frame.recent or ())
                if (header := self._header(key)) is not None
            }
            root = None if frame.root is None else self._root(frame.root)
            stack.append(ActivationPlace(frame.number, frame.code.name, at, root, recent))
            at, frame = frame.call, frame.caller
        return tuple(reversed(stack))

    # -- values -------------------------------------------------------------------------------------

    def look(self, values: Iterable[Any]) -> list[Any]:
        """The operands of an instruction, which it depends on from here on."""
        terms, needs = [], NOTHING
        for value in values:
            if value.__class__ is Pending:
                needs |= value.needs
                value = value.value
            elif value is UNSET:
                raise NotModelled(UNEXECUTED)
            terms.append(value)
        self.looking = needs
        return terms

    def depending(self, value: Any) -> Any:
        """A result of the instruction under way: it depends on what its operands depend on."""
        return term(value, self.looking) if self.looking and value.__class__ is not Unknown else value

    def decided(self, value: Any, instruction: str) -> Any:
        """What a branch looks at: poison and undef are undefined behaviour."""
        (value,) = self.look([value])
        if isinstance(value, Unknown):
            raise UsageError(needed(value, "a branch") + f", or give the blocks with {option('path')}")
        if self.is_poison(value):
            raise Undefined(f"{instruction} on poison", f"'{instruction}' Instruction")
        if value.undef:
            raise Undefined(f"{instruction} on undef", f"'{instruction}' Instruction")
        self.control |= self.looking
        return value.bits

    def settled(self, value: Any, steers: bool = False) -> Any:
        """A value as the path has it: what is not known of it is asked."""
        if isinstance(value, Composite):
            return Composite(tuple(self.settled(e, steers) for e in value.elements))
        if not isinstance(value, Value):
            return value
        poison = self.decide(value.poison, steers)
        bits = 0 if poison else self.number(value.bits, steers)
        if isinstance(value, Pointer):
            return type(value)(bits, value.provenance, poison)
        return type(value)(bits, poison)

    def is_poison(self, value: RuntimeValue) -> bool:
        """Whether any scalar is poison: asked, where it is not known."""
        return any(self.decide(s.poison) for s in scalars(value))

    def require_defined(self, value: Any, what: str) -> None:
        """noundef."""
        if not isinstance(value, Unknown) and (any_undef(value) or self.is_poison(value)):
            raise Undefined(f"{what} is undef or poison", "Parameter Attributes")

    def fresh(self, type_: Type, of: str) -> Any:
        """An unknown value of a type, poison unknown too, in every scalar; ``of`` names it."""
        layout, count = self.program.layout, 0

        def unknown(like: RuntimeValue) -> RuntimeValue:
            nonlocal count
            if isinstance(like, Composite):
                return Composite(tuple(unknown(e) for e in like.elements))
            count += 1
            name = f"{of}.{count}"
            return Value(z3.BitVec(f"result {name}", like.bits), z3.Bool(f"poison {name}"))

        return unknown(fill(type_, layout, lambda scalar: Value(layout.bits(scalar))))

    def holds_pointers(self, type_: Type) -> bool:
        """Whether a value of the type is more than bits."""
        shape = zero(type_, self.program.layout, self.program.domain)
        return any(isinstance(s, Pointer) for s in scalars(shape))

    # -- instances ----------------------------------------------------------------------------------

    def execute(self, thread: Thread, executed: Executed) -> None:
        """The thread's next instance: one of the pieces that are known, or a new one."""
        thread.keys[executed.key] = executed.nth
        self.log.append(executed)
        self._instance(executed.site, executed.nth, executed.key, self._hangs(executed.key))

    def label(
        self,
        thread: Thread,
        site: StaticInstance,
        what: str,
        key_of: Callable[[ChosenLabel], Key],
        recorded: bool = True,
        case: SwitchedCase | None = None,
    ) -> Key:
        """Who joins a free instance is the solver's to say: a label of its own."""
        key = key_of(ChosenLabel(self.position))
        if case is not None:
            self.cases[key] = case
        if not recorded:
            self._instance(site, 0, key, FreeEntry())
        return key

    def switched_on(self, value: Any) -> Any:
        """The bits of a value that a switch has gone by, a term where it is none that is known."""
        (value,) = self.look([value])
        return value.bits

    def _instance(self, site: StaticInstance, nth: int, key: Key, hangs: Hangs) -> None:
        frame = self.thread.frame
        assert frame is not None
        if self.position < self.known:
            instance = self.path[self.position]
        else:
            previous = next((i for i in reversed(self.path) if i.recorded), None)
            instance = Instance(
                self.world.number(),
                self.thread.number,
                self.launch,
                site,
                nth,
                self.node,
                hangs,
                previous,
                frame.visit,
                frame.number,
            )
            self.path.append(instance)
        self.position += 1
        self.candidates[key] = instance

    def _hangs(self, key: Key) -> Hangs:
        """What the axioms look at: a key with instances for the keys above it."""
        match key.kind, key.own:
            case KeyKind.ENTRY, _:
                return FrameEntry(self._root(key.parents[0]))
            case KeyKind.LOOP, int(n):
                return Beat(self._token(key), n)
            case KeyKind.USE, _:
                return Uses(self._token(key))
            case KeyKind.ANCHOR, _:
                case = self.cases.get(key)
                if case is None:
                    return Anchored()
                value = case.value
                if isinstance(value, Key):
                    value = self.candidates[value]
                token = None if case.token is None else self.candidates[case.token]
                return Anchored(CaseInstance(token, value))
            case KeyKind.WAY, own:
                (before,) = key.parents
                return WayInstance(
                    self.candidates[before] if isinstance(before, Key) else before,
                    own.value if isinstance(own, Selected) else None,
                )
            case KeyKind.FREE, None:
                return Uncontrolled(self._root(key.frame), self._header(key.header))
            case KeyKind.FREE, _:
                return Uncontrolled(None, None)
        raise AssertionError("no instance has such a key")

    def _token(self, key: Key) -> Instance:
        (token,) = key.parents
        assert isinstance(token, Key)
        return self.candidates[token]

    def _root(self, root: KeyRoot) -> Root:
        part = fold(root, lambda launch: launch, self._part, self.parts)
        assert not isinstance(part, HeaderInstance)
        return part

    def _header(self, key: Key | None) -> HeaderInstance | None:
        if key is None:
            return None
        part = fold(key, lambda launch: launch, self._part, self.parts)
        assert isinstance(part, HeaderInstance)
        return part

    def _part(self, key: Key, parents: tuple[Root | HeaderInstance, ...]) -> Root | HeaderInstance:
        """What an instance hangs from, by key: a header or a call that is none, else an instance."""
        if key.kind not in (KeyKind.HEADER, KeyKind.CALL):
            return self.candidates[key]
        header = parents[0] if isinstance(parents[0], HeaderInstance) else None
        frame, *tokens = parents if header is None else parents[1:]
        assert not isinstance(frame, HeaderInstance)
        if key.kind is KeyKind.CALL:
            return PlainCall(key.site, frame, header, tuple(t for t in tokens if isinstance(t, Instance)))
        block, n = key.passes
        return HeaderInstance(frame, key.site.function, block, header, n)

    def arrive(
        self, thread: Thread, key: Key, exchange: Exchange, operands: tuple[Any, ...], shown: tuple[Any, ...]
    ) -> Frame | None:
        """An exchange: its result is an unknown, and the thread goes on with it."""
        frame = thread.frame
        assert frame is not None
        instance, type_ = self.candidates[key], exchange.type
        for release in exchange.part(release=True):
            self.fence(thread, exchange.site, release)
        if exchange.workgroup is not None and len(self.world.subgroups) > self.world.launch.workgroups:
            if exchange.model.wide or exchange.parts:
                raise NotModelled(f"@{exchange.callee}, at which launch groups meet")
            self.meetings[exchange.workgroup] += 1
            nth = self.meetings[exchange.workgroup]
            instance.meeting = BarrierMeeting(self.launch.workgroup, exchange.workgroup, nth)
        everyone = self.world.subgroups[thread.launch].size
        if exchange.parts and (not exchange.model.arrives or exchange.members != everyone):
            raise NotModelled("a split barrier, or one for some of the threads")
        if exchange.fence is not None:
            instance.released, instance.wide = dict(self.released), dict(self.wide)
        values = self.look(operands)
        void = is_void(type_)
        if instance.call is None:
            instance.call = ExchangeCall(
                exchange.callee, exchange.types, type_, exchange.model, exchange.stand_in
            )
            instance.operands = tuple(values)
            instance.needs = self.control | self.looking
            if not void and not self.holds_pointers(type_):
                instance.result = self.fresh(type_, str(instance.number))
        result = None
        if not void:
            self.looking = frozenset((instance,))
            result = instance.result if instance.result is not None else self.pick(instance)
            if exchange.result >= 0:
                frame.registers[exchange.result] = self.depending(result)
        if exchange.model.effect:
            operands_ = tuple(map(Later, values, exchange.types))
            returned = None if void else Later(result, type_)
            self.happened(Called(instance.dynamic, exchange.callee, operands_, returned), instance)
        if exchange.fence is not None:
            self.behind.append(instance)
        for acquire in exchange.part(release=False):
            self.fence(thread, exchange.site, acquire)
        thread.at = -1
        frame.segment = exchange.after
        return frame

    def target(self, thread: Thread, site: StaticInstance, labels: tuple[str, ...]) -> int:
        """The label at which a ``callbr`` goes on: nobody knows, so each answer has its trace."""
        nth = thread.counts.get(site, 0) + 1
        name = f"label of {site.function} {site.index} thread {thread.number} {nth}"
        for number in range(1, len(labels)):
            free = z3.Bool(f"{name}: {number}")
            self.world.free[free.get_id()] = free
            if self.decide(free, steers=True):
                return number
        return 0

    def gave(self, thread: Thread, key: Key | None, value: Any) -> None:
        """What an operation returned that asks no one else."""
        if key is not None:
            self.log.append(Result(thread.number, key, value))

    def place(self, thread: Thread) -> ThreadPlace:
        return self.world.place(thread.number)

    # -- memory -------------------------------------------------------------------------------------

    def access(
        self, site: StaticInstance, type_: Type | None, access: Any, values: list[Any], volatile: bool
    ) -> Any:
        """A memory access: done at once on what is the thread's own; else one that all threads see. Gives its
        result, of ``type_``."""
        if access.shape.heap:
            raise NotModelled(f"@{access.shape.kind}, in the axiomatic engine")
        thread = self.thread.number
        provenance = None if access.pointer is None else access.pointer.provenance
        if provenance is not None and provenance.id > 0 and provenance.id >> 46 not in (0, thread + 1):
            raise NotModelled("an access to a stack object of another thread")
        touches = footprint(access, self.memory, thread)
        shared = [t for t in touches if self._is_shared(t.object)]
        if not shared and self.supposes:
            place = f"{thread}.{self.question_count} elsewhere"  # the same on every walk that comes here
            result = None if type_ is None else self.fresh(type_, place)
        elif not shared:
            self._own(touches, access.shape.reads)  # before it asks for parts of what it reads
            result = perform(access, self.memory, thread)
            if any(t.object in self.exposed for t in touches):
                self.looking |= {self._reading(site, [], [])}
        elif len(shared) != len(touches):
            raise NotModelled(f"{access.shape.kind} between shared and private memory")
        else:
            result = self._read(site, type_, access, values, shared)
        if volatile:
            shape = access.shape
            shown = [] if access.pointer is None else [Later(access.pointer, PTR)]
            shown += map(Later, access.operands, shape.operand_types(len(access.operands)))
            gives = shape.result_type
            returned = None if result is None or gives is None else Later(result, gives)
            instance = self.thread.executes(site)
            self.happened(VolatileAccess(instance, shape.kind, tuple(shown), returned), None)
        return result

    def _own(self, touches: Sequence[Touch], reads: bool) -> None:
        """What the thread's own memory depends on after an access to it, and what its result depends on. One
        that ``reads`` and does so nowhere but where it writes is a read-modify-write."""
        needs = self.looking
        updates = reads and all(touch.write for touch in touches)
        for touch in touches:
            place = touch[:3]
            overlapping = [p for p in self.stored if meet(p, place)]
            if updates or not touch.write:
                needs = needs.union(*(self.stored[p] for p in overlapping))
            if touch.write:
                for p in overlapping:
                    if place[1] <= p[1] and p[2] <= place[2]:
                        del self.stored[p]
        self.looking = needs
        for touch in touches:
            if touch.write and needs:
                self.stored[touch[:3]] = needs

    def addressing(self, values: Iterable[Any], read: Type | None) -> None:
        """The operands of an access are looked at: is it one to shared memory, and may the trace go on
        without its address? ``read`` is the type of what a plain read gives."""
        addresses = [v.provenance for value in values for v in scalars(value) if isinstance(v, Pointer)]
        known = [p.id for p in addresses if p is not None]
        self.sharing = any(map(self._is_shared, known))
        quiet = not any(identity in self.exposed for identity in known)
        own = read is not None and quiet and not self.holds_pointers(read)
        self.supposes, self.supposable = False, self.sharing or own

    def _is_shared(self, identity: int) -> bool:
        allocation = self.memory.allocations.get(identity)
        return allocation is not None and allocation.owner is None and not allocation.constant

    def _read(
        self, site: StaticInstance, type_: Type | None, access: Any, values: list[Any], touches: list[Any]
    ) -> Any:
        new = self.met_readings == self.known_readings
        reading = self._reading(site, values, touches)
        if new and access.shape.has_result:
            assert type_ is not None
            reading.type = type_
            if not self.holds_pointers(type_):
                reading.result = self.fresh(type_, str(reading.number))
        if reading.type is None:
            return None
        self.looking = frozenset((reading,))
        return reading.result if reading.result is not None else self.pick(reading)

    def _reading(self, site: StaticInstance, values: list[Any], touches: list[Any]) -> MemoryEvent:
        """Takes its place in the order of accesses: one that is known, or a new one. One that touches nothing
        that is shared is of an own object that others could know."""
        if self.met_readings == self.known_readings:
            reading = MemoryEvent(
                self.world.number(),
                self.thread.number,
                self.node,
                site,
                tuple(values),
                frozenset() if self.supposes else frozenset(t[:3] for t in touches),
                frozenset() if self.supposes else frozenset(t[:3] for t in touches if t.write),
                self.readings[-1] if self.readings else None,
                self.control | self.looking,
                own=not touches,
            )
            self.readings.append(reading)
            self.known_readings += 1
        self.met_readings += 1
        return self.readings[self.met_readings - 1]

    def signal(self, thread: Thread, name: str, members: int | None) -> None:
        """Threads that arrive at a barrier and go on are not modelled."""
        raise NotModelled("a split barrier")

    def fence(self, thread: Thread, site: StaticInstance, fence: MemoryFence) -> None:
        """A fence takes its place in the order of accesses; an acquire depends on the barriers before it."""
        if not fence.orders or not self.world.shares_memory:
            return  # where nothing is shared, exchanges have no times either
        barriers = tuple(self.behind) if fence.acquire else ()
        self.looking = frozenset(barriers)
        reading = self._reading(site, [], [])
        reading.fence, reading.barriers = fence, barriers
        if fence.acquire and fence.storage == EVERYWHERE and fence.scope >= Scope.WORKGROUP:
            self.behind.clear()
        for storage in fence.storage:
            if fence.releases(storage):
                self.released[storage] = reading
                if fence.scope >= Scope.WORKGROUP:
                    self.wide[storage] = reading

    def release(self, thread: Thread, objects: list[Any]) -> None:
        """A frame's stack objects end."""
        self.memory.release(*objects)

    # -- events -------------------------------------------------------------------------------------

    def saw_call(
        self,
        thread: Thread,
        site: StaticInstance,
        callee: str,
        operands: tuple[Later, ...],
        result: Later | None,
        key: Key | None,
    ) -> None:
        """A call of a declared function with side effects."""
        values = self.look(shown.value for shown in operands)
        types = [shown.type for shown in operands]
        instance = None if key is None else self.candidates[key]
        dynamic = thread.executes(site) if instance is None else instance.dynamic
        self.happened(Called(dynamic, callee, tuple(map(Later, values, types)), result), instance)

    def happened(self, event: Event, instance: Instance | None) -> None:
        """The outside sees something; ``instance`` is a convergent call's."""
        self.thread.events += 1
        self.log.append(ObservedEvent(self.thread.number, self.thread.events, event, instance))


def prepared(translation: type[TermTranslation], world: World, name: str) -> Code:
    """A defined function's code over terms, prepared once for a kind of walk in its world."""
    codes: dict[tuple[type, str], Code] = world.codes
    known = codes.get((translation, name))
    if known is None:
        function = world.module.functions[name]
        known = codes[translation, name] = compiled(translation(world.program, function, world))
    return known


def _shares_memory(program: Program) -> bool:
    """Whether there are variables that can change, or stack objects that other threads could know."""
    module = program.module
    return any(not v.constant for v in module.globals.values()) or any(
        isinstance(instruction, ir.Alloca)
        and instruction.result is not None
        and program.escapes.escapes(function, instruction.result)
        for function in module.definitions()
        for instruction in function.instructions
    )
