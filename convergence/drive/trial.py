"""A device's results, held against every legal outcome of the launch.

A result is what all buffers held at the end. It is legal if some legal outcome has the same numbers there;
poison and undef may be any number. Where the enumeration was cut, a result that no outcome has is unknown.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from ..alignment import StaticInstance
from ..device.client import DeviceFacts, DeviceFailed, Dispatched, DispatchResult
from ..frozen import Json, dataclass
from ..ir import I1, IntType, Local, Simple, VectorType
from ..ir.calls import is_convergent
from ..ir.instructions import Binary, CallSite, ICmp, Instruction, Phi, Select
from ..ir.module import Function, Module
from ..sched.choices.search import explore, sole
from ..sched.enumeration import EnumeratedOutcome, Enumeration
from ..sched.lockstep.conform import Departure
from ..semantics import Cut, Deadlock, Endless, UndefinedBehaviour
from ..semantics.machine import Accessed, Log, Replay, Stepped
from ..semantics.machine.buffers import BufferContents, PlacedBuffer
from ..semantics.machine.launch import Launch, LaunchSpec, Limits, launch_groups
from ..semantics.machine.machine import Machine
from ..semantics.machine.program import Program, name_of
from ..semantics.machine.run import execute, runnable, start
from ..semantics.memory import Touch
from ..semantics.memory.allocations import PackedNumbers
from ..semantics.threads.recurrence import uses
from ..semantics.values import Value, plain
from ..transform.rewrite import Names, with_blocks, with_functions
from .binding import BoundModule, Place

Verdict = Literal["legal", "illegal", "unknown"]


@dataclass(frozen=True, slots=True)
class LegalOutcomes:
    """A launch and all its legal outcomes."""

    module: Module
    spec: LaunchSpec
    program: Program
    launch: Launch
    legal: Enumeration

    @property
    def undefined(self) -> EnumeratedOutcome | None:
        """An outcome after which everything is legal, if there is one."""
        return next((o for o in self.legal.outcomes if isinstance(o.example, UndefinedBehaviour)), None)

    @property
    def endless(self) -> bool:
        """Whether it is legal that there is no answer."""
        return any(isinstance(o.example, Deadlock | Endless) for o in self.legal.outcomes)


def question(module: Module, spec: LaunchSpec, quick: bool = True, recurrence: bool = True) -> LegalOutcomes:
    """All legal outcomes of a launch, within the limits that it has. Raises UsageError and NotModelled.

    ``quick``: where one execution shows that there is no other (:func:`sole`), enumeration has nothing to
    add; a test compares. Without ``recurrence`` that one is not asked whether it goes round for ever: one
    that does comes to the bound on its steps, and enumeration asks.
    """
    from ..semantics.machine.run import prepare_run

    program, launch = prepare_run(module, spec)
    legal = sole(module, spec, recurrence, aligned=False) if quick else None
    return LegalOutcomes(module, spec, program, launch, legal or explore(module, spec, quick=False))


@dataclass(frozen=True, slots=True)
class LegalOutcome:
    """A legal outcome, and in how many runs the device came to it."""

    outcome: EnumeratedOutcome
    runs: int


@dataclass(frozen=True, slots=True)
class ElementDifference:
    """An element of a ``buffer`` that the nearest legal outcome has as ``legal`` and the device as ``value``.
    ``threads`` write there, with the ``lanes`` that they are of their subgroups, at
    a ``line`` of the source; what is stored hangs from the convergent ``operation``, where there is one."""

    buffer: str
    index: int
    legal: Json
    value: Json
    threads: tuple[int, ...] = ()
    lanes: tuple[int, ...] = ()
    line: int | None = None
    operation: str | None = None


@dataclass(frozen=True, slots=True)
class MachineExplanation:
    """A machine of ``simulate`` whose outcome is the device's, and where it leaves what is legal."""

    policy: str
    departure: Departure | None


@dataclass(frozen=True, slots=True)
class IllegalResult:
    """What the buffers held, by name, in ``runs`` runs, and in how many elements it differs from the nearest
    legal outcome (``None``: there is none). ``floating``: in floating-point numbers alone, whose precision
    the specification leaves open."""

    contents: Mapping[str, Json]
    runs: int
    differences: tuple[ElementDifference, ...]
    elements: int
    floating: bool
    explanations: tuple[MachineExplanation, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """What a device came to. ``failed``: it gave no answer. ``undefined``: an execution is, so that all
    results are legal and nothing was asked of the device. ``open_reads``: variables of which a read gives
    undef, so that results that were computed from it may be legal, too."""

    legal: tuple[LegalOutcome, ...]
    illegal: tuple[IllegalResult, ...] = ()
    runs: int = 0
    bound: Cut | None = None
    failed: DeviceFailed | None = None
    undefined: bool = False
    open_reads: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def complete(self) -> bool:
        """Whether all legal outcomes are known."""
        return self.bound is None

    @property
    def verdict(self) -> Verdict:
        """``illegal`` needs a complete set, nothing that is computed from undef, and a difference in what is
        exact."""
        if self.undefined or (self.failed is not None and not self.runs):
            return "unknown"
        if not self.illegal:
            return "legal"
        exact = [result for result in self.illegal if not result.floating]
        return "illegal" if exact and self.complete and not self.open_reads else "unknown"


def judge(
    question: LegalOutcomes,
    bound: BoundModule,
    answer: Dispatched | DeviceFailed | None,
    explain: bool = True,
) -> Trial:
    """A device's results for a launch; ``None``: it was not asked, as everything is legal."""
    outcomes = question.legal.outcomes
    if answer is None or question.undefined is not None:
        return Trial(tuple(LegalOutcome(o, 0) for o in outcomes), bound=question.legal.bound, undefined=True)
    if isinstance(answer, DeviceFailed):
        return Trial(tuple(LegalOutcome(o, 0) for o in outcomes), bound=question.legal.bound, failed=answer)
    counts = [0] * len(outcomes)
    expected = [_expected(question, bound, o) for o in outcomes]
    illegal: list[tuple[DispatchResult, dict[str, Json]]] = []
    for result in answer.results:
        contents = contents_of(question, bound, result.data)
        number = next(
            (n for n, legal in enumerate(expected) if legal is not None and _all_agree(legal, contents)), None
        )
        if number is None:
            illegal.append((result, contents))
        else:
            counts[number] += result.count
    return Trial(
        tuple(LegalOutcome(o, n) for o, n in zip(outcomes, counts, strict=True)),
        tuple(_illegal(question, bound, result, contents, expected, explain) for result, contents in illegal),
        answer.runs,
        question.legal.bound,
        open_reads=question.legal.open_reads,
    )


# -- Contents: what buffers hold, as plain data, by the buffer's name


def contents_of(question: LegalOutcomes, bound: BoundModule, data: Mapping[Place, bytes]) -> dict[str, Json]:
    """The bytes of a result as an outcome's memory has them."""
    contents: dict[str, Json] = {}
    for place, name in bound.names.items():
        placed = question.launch.buffers[name]
        contents[name] = _numbers(question, placed, data[place])
    return contents


def _numbers(question: LegalOutcomes, placed: PlacedBuffer, data: bytes) -> list[Json]:
    type_, size, layout = placed.element.type, placed.element.size, question.program.layout
    if isinstance(type_, IntType) and (code := _CODES.get(type_.bits)) is not None and size * 8 == type_.bits:
        return [*struct.unpack(f"<{len(data) // size}{code}", data)]
    false = question.program.domain.false
    return [
        plain(Value(int.from_bytes(data[at : at + size], "little"), false), type_, layout)
        for at in range(0, len(data), size)
    ]


_CODES = {8: "b", 16: "h", 32: "i", 64: "q"}
"""Integers by their bits, as ``struct`` has them."""


def _expected(
    question: LegalOutcomes, bound: BoundModule, legal: EnumeratedOutcome
) -> dict[str, Json] | None:
    """What a legal outcome has in the buffers; ``None`` for one without an end."""
    if legal.ending != "returned":
        return None
    variables = question.program.module.globals
    shown = {name: variables[question.launch.buffers[name].variable].label for name in bound.names.values()}
    return {name: legal.outcome.memory[variable] for name, variable in shown.items()}


def _all_agree(legal: Mapping[str, Json], contents: Mapping[str, Json]) -> bool:
    return all(agree(legal[name], value) for name, value in contents.items())


ANYTHING = ("poison", "undef", "unknown")


def agree(legal: Json, value: Json) -> bool:
    """Whether what was seen is what is legal, where poison and undef may be anything."""
    if isinstance(legal, Sequence) and not isinstance(legal, str) and isinstance(value, list):
        return len(legal) == len(value) and all(map(agree, legal, value))
    return legal == value or legal in ANYTHING


# -- What is not legal


def _illegal(
    question: LegalOutcomes,
    bound: BoundModule,
    result: DispatchResult,
    contents: dict[str, Json],
    expected: Sequence[dict[str, Json] | None],
    explain: bool,
) -> IllegalResult:
    nearest = min(
        (_differences(legal, contents) for legal in expected if legal is not None), key=len, default=[]
    )
    floating = bool(nearest) and all(question.launch.buffers[d.buffer].element.floating for d in nearest)
    shown = tuple(nearest[:SHOWN])
    if explain:
        shown = _with_writers(question, shown)
    explanations = _explanations(question, bound, contents) if explain else ()
    return IllegalResult(contents, result.count, shown, len(nearest), floating, explanations)


SHOWN = 8
"""Differing elements of a result that are shown."""


def _differences(legal: Mapping[str, Json], contents: Mapping[str, Json]) -> list[ElementDifference]:
    differences = []
    for name, value in contents.items():
        known = legal[name]
        assert isinstance(value, list)
        if not isinstance(known, list):
            differences.append(ElementDifference(name, 0, known, value[0] if value else None))
            continue
        differences += [
            ElementDifference(name, n, expected, other)
            for n, (expected, other) in enumerate(zip(known, value, strict=True))
            if not agree(expected, other)
        ]
    return differences


def _with_writers(
    question: LegalOutcomes, differences: tuple[ElementDifference, ...]
) -> tuple[ElementDifference, ...]:
    """With the threads that write to each element in one legal execution, by which instruction, and from
    which convergent operation."""

    written = writers(question.module, question.spec)
    if written is None:
        return differences
    differences_with_writers = []
    for difference in differences:
        placed = question.launch.buffers[difference.buffer]
        size = placed.element.size
        origin = written.at(placed.variable, difference.index * size, size)
        differences_with_writers.append(
            replace(
                difference,
                threads=origin.threads,
                lanes=origin.lanes,
                line=origin.line,
                operation=origin.operation,
            )
        )
    return tuple(differences_with_writers)


def _explanations(
    question: LegalOutcomes, bound: BoundModule, contents: Mapping[str, Json]
) -> tuple[MachineExplanation, ...]:
    """The machines of ``simulate`` that come to the same contents."""
    from ..sched.lockstep.policies import NAMES
    from ..sched.lockstep.simulate import Reference, simulate_machine

    limits = Limits(max_steps=100_000, timeout=10.0).begun()
    reference = Reference(question.program, question.launch, limits)
    variables = question.program.module.globals
    explanations = []
    for name in NAMES:
        machine = simulate_machine(question.program, question.launch, name, None, limits, reference)
        outcome = machine.outcome
        if outcome is None or machine.conforms is None:
            continue
        theirs = {n: outcome.memory[variables[question.launch.buffers[n].variable].label] for n in contents}
        if _all_agree(theirs, contents):
            explanations.append(MachineExplanation(name, machine.departure or machine.from_maximal))
    return tuple(explanations)


# ----------------------------------------------------------------------------------------------------------
# Who writes where in one legal execution: the threads, the instruction, and the convergent operation that
# the stored value comes from.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WriterThreads:
    """The ``threads`` that write to some bytes, with the ``lanes`` that they are of their subgroups; the line
    of the source at which the first of them does, and the convergent ``operation`` that its value, or whether
    it comes there, hangs from, where there is one."""

    threads: tuple[int, ...] = ()
    lanes: tuple[int, ...] = ()
    line: int | None = None
    operation: str | None = None


@dataclasses.dataclass(slots=True)
class Writers:
    """One legal execution of a launch, step by step, to be asked who writes where."""

    module: Module
    machine: Machine
    _writes: list[tuple[int, Touch, StaticInstance | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        waiting: dict[int, list[Touch]] = {}
        for event in self.machine.log:
            if isinstance(event, Accessed) and event.touched.write:
                waiting.setdefault(event.thread, []).append(event.touched)
            elif isinstance(event, Stepped):  # it is logged when its accesses have been
                for touch in waiting.pop(event.thread, ()):
                    self._writes.append((event.thread, touch, event.site))
        for thread, touches in waiting.items():
            self._writes += [(thread, touch, None) for touch in touches]

    def at(self, variable: str, offset: int, size: int) -> WriterThreads:
        """Who writes to so many bytes of a variable."""
        program, launch = self.machine.program, self.machine.launch
        provenance = program.context.address_of(variable).provenance
        if provenance is None:
            return WriterThreads()
        here = [
            (thread, site) for thread, touch, site in self._writes
            if touch.object == provenance.id and touch.start < offset + size and offset < touch.stop
        ]  # fmt: skip
        first = {
            thread: group.first
            for group in launch_groups(launch, program.module)
            for thread in range(group.first, group.first + group.size)
        }
        threads = sorted({thread for thread, _ in here})
        lanes = tuple(thread - first[thread] for thread in threads)
        site = next((site for _, site in here if site is not None), None)
        if site is None:
            return WriterThreads(tuple(threads), lanes)
        instruction = self.module.functions[site.function].instructions[site.index]
        span = getattr(instruction, "span", None)
        line = None if span is None or span.start < 0 else self.module.source.position(span.start)[0]
        return WriterThreads(tuple(threads), lanes, line, self._operation(site))

    def _operation(self, site: StaticInstance) -> str | None:
        """The nearest convergent operation among what an instruction's operands come from."""
        function = self.module.functions[site.function]
        definitions = {i.result: n for n, i in enumerate(function.instructions) if i.result is not None}
        left, known = [site.index], {site.index}
        while left:
            number = left.pop(0)
            instruction = function.instructions[number]
            if isinstance(instruction, CallSite) and number != site.index:
                if is_convergent(self.module, instruction):
                    return name_of(self.module, StaticInstance(site.function, number))
            for name in _read(instruction):
                at = definitions.get(name)
                if at is not None and at not in known:
                    known.add(at)
                    left.append(at)
        return None


def _read(instruction: Instruction) -> list[str]:
    """The values that an instruction, or a phi, may hand on."""
    if isinstance(instruction, Phi):
        return [value.name for value, _ in instruction.incoming if isinstance(value, Local)]
    return [*uses(instruction)]


LONGEST = 200_000
"""Instructions of an execution that is made again step by step."""


def writers(module: Module, spec: LaunchSpec) -> Writers | None:
    """One legal execution, made again step by step; ``None`` of one that is too long for that. Raises
    UsageError and NotModelled."""
    run = execute(module, spec, None, None)
    if run.steps > LONGEST:
        return None
    program = runnable(run.machine.program.module, run.machine.program.settings)
    choices = Replay(tuple(choice.option for choice in run.choices))
    machine = start(program, run.machine.launch, choices, Log(detailed=True))
    machine.run(spec.limits.steps)
    return Writers(module, machine)


# ----------------------------------------------------------------------------------------------------------
# What Vulkan leaves open of a program: the remainder of a negative number.
#
# Vulkan, appendix *Vulkan Environment for SPIR-V*, *Precision and Operation of SPIR-V Instructions*: the
# result of OpSRem and OpSMod is undefined if either operand is negative. SPIR-V itself defines it, and so
# does LLVM IR, whose ``srem`` LLVM's back end lowers to OpSRem. Any number that a device gives there is
# legal, so that the legal outcomes have poison: the same program, with poison chosen where an operand is
# negative.
# ----------------------------------------------------------------------------------------------------------

OPCODE = "srem"
"""What OpSRem is in LLVM IR, and what OpSMod is computed from."""


def with_open_remainders(module: Module) -> Module:
    """The module, with poison for each signed remainder of which an operand is negative."""
    changed = {
        function.name: _open(function)
        for function in module.definitions()
        if any(isinstance(i, Binary) and i.opcode == OPCODE for i in function.instructions)
    }
    return with_functions(module, changed)


def _open(function: Function) -> Function:
    names = Names(function)
    return with_blocks(
        function,
        (
            replace(block, instructions=tuple(i for old in block.instructions for i in _opened(old, names)))
            for block in function.blocks
        ),
    )


def _opened(instruction: Instruction, names: Names) -> Iterator[Instruction]:
    """An instruction; of a remainder: the number itself, whether an operand is negative, and the choice."""
    if not isinstance(instruction, Binary) or instruction.opcode != OPCODE:
        yield instruction
        return
    assert instruction.result is not None
    type_ = instruction.lhs.type
    truth = VectorType(type_.count, I1, type_.scalable) if isinstance(type_, VectorType) else I1
    zero = Simple(type_, "zeroinitializer")

    def named(words: str) -> Local:
        return Local(truth, names.new(f"{instruction.result}.{words}"))

    left, right, either = named("left.negative"), named("right.negative"), named("negative")
    number = Local(type_, names.new(f"{instruction.result}.number"))
    span = instruction.span
    yield replace(instruction, result=number.name)
    yield ICmp("slt", instruction.lhs, zero, result=left.name, span=span)
    yield ICmp("slt", instruction.rhs, zero, result=right.name, span=span)
    yield Binary("or", left, right, result=either.name, span=span)
    yield Select(either, Simple(type_, "poison"), number, result=instruction.result, span=span)


# ----------------------------------------------------------------------------------------------------------
# What a ``drive`` came to, as reports need it.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Driven:
    """A launch of a module on a device. ``origin`` says where the module came from, in words."""

    question: LegalOutcomes
    bound: BoundModule
    facts: DeviceFacts
    answer: Dispatched | DeviceFailed | None
    trial: Trial
    origin: str
    notes: tuple[str, ...] = ()

    @property
    def launch(self) -> Launch:
        return self.question.launch

    @property
    def entry(self) -> str:
        """The entry point that ran."""
        return self.bound.dispatch.entry

    @property
    def size(self) -> int:
        """Bytes of the module."""
        return len(self.bound.dispatch.module)

    @property
    def threads(self) -> int:
        """Invocations of a workgroup."""
        return self.launch.workgroup_threads

    @property
    def workgroups(self) -> int:
        return self.launch.workgroups

    @property
    def subgroup_size(self) -> int:
        """Lanes of a subgroup, on both sides."""
        return self.launch.subgroup_size or self.facts.subgroup_size

    def memory_of(self, legal: EnumeratedOutcome) -> Mapping[str, Json]:
        """What the bound buffers hold after a legal outcome; nothing of one without an end."""
        if legal.ending != "returned":
            return {}
        variables = self.question.program.module.globals
        shown = {n: variables[self.launch.buffers[n].variable].label for n in self.bound.names.values()}
        return {name: legal.outcome.memory[variable] for name, variable in shown.items()}

    def held(self, names: Sequence[str]) -> tuple[BufferContents, ...]:
        """What buffers held in the device's most frequent result. Raises KeyError for one that it has not."""
        if not isinstance(self.answer, Dispatched):
            return ()
        result = max(self.answer.results, key=lambda trial: trial.count)
        places = {name: place for place, name in self.bound.names.items()}
        return tuple(
            BufferContents(name, self.launch.buffers[name], PackedNumbers(result.data[places[name]]))
            for name in names
        )
