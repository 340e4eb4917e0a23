"""``run``: one legal execution, the first of the exploration order (largest groups first): how it begins,
what is known of it, and its outcome."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from hashlib import sha256
from itertools import islice
from reprlib import repr as short
from typing import TYPE_CHECKING, Any, Unpack

from ...alignment import ConvergedWith, DynamicInstance, Execution, StaticInstance, picture
from ...frozen import Json, Shown, dataclass
from ...ir import ArrayType, Global, InlineAsm, PointerType, Type
from ...ir.calls import accesses_memory, argument_words, callee_name
from ...ir.instructions import CallSite
from ...ir.module import Module, builtin_name, is_thread_local, needs_module
from ...rules import Rule
from .. import (
    BoundKind,
    Deadlock,
    Ending,
    Endless,
    Illegal,
    NotModelled,
    OutOfBound,
    Returned,
    UndefinedBehaviour,
    Unmodelled,
    Waiting,
    is_bound,
)
from ..convergence import Key, KeyDifference, LaunchGroup, why_not_converged
from ..memory import ZERO, typed
from ..memory.globals import assumptions, object_type, own_values
from ..threads.compile import compiled
from ..threads.translation import Translation
from ..values import NULL, RuntimeValue, Value, settled
from ..values import context as constants
from ..values.datalayout import ELEMENTS as LARGEST_VALUE
from . import (
    AskedOnce,
    Called,
    Choice,
    Chooser,
    Event,
    Executed,
    Forgotten,
    Log,
    MostConverged,
    ObservedEvent,
    Replay,
    Strand,
    TracedLog,
    Tracer,
    accessed,
    depends_on_order,
    ended,
    events,
    events_unseen,
    executions,
    forgets,
    may_race,
    meet,
    results,
    strands,
    trace_events,
)
from .launch import (
    Launch,
    LaunchOptions,
    LaunchSpec,
    Waves,
    absent_of,
    arguments_of,
    contents_of,
    cores_for,
    engine_named,
    groups_of,
    inputs_of,
    launch_spec,
    launched_function,
    launched_memory,
    partial_waves,
    paths_of,
    shape_of,
    waves_of,
)
from .machine import Foreseen, Machine, ProvedLong
from .program import ABSENT, EngineKind, EnvironmentKind, Program, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ir.module import Function, Module
    from .. import Clock, Tell
    from ..memory.allocations import Allocation, Memory, PackedNumbers
    from ..memory.races import Race, RaceDetector, Read
    from . import Chooser, Event, Log
    from .buffers import BufferContents, PlacedBuffer
    from .program import Program
    from .tally import Tally


# ----------------------------------------------------------------------------------------------------------
# Which D-rules had a say in an execution: a function of what its machine noted (semantics.md, §2).
# ----------------------------------------------------------------------------------------------------------


def had_a_say(machine: Machine, ending: Ending) -> tuple[Rule, ...]:
    """The rules that had a say, in the order of their definition; each as docs/semantics.md says of it."""
    machine.settle()
    touches = bool(accessed(machine.log))
    unseen = set() if machine.whole is None else {*machine.whole.rules()}
    fired = {rule for rule in machine.fired if touches or rule is not Rule.D_CAUSE}
    fired |= {key.rule for thread in machine.threads for key in thread.keys}
    # whether anything raced in a run that was cut nobody looked, and so not at what was ordered, either
    cut = isinstance(ending, OutOfBound | Endless)
    watchers = (machine.races, None if cut else machine.log.encounters)
    says = {
        Rule.D_THREAD: bool(machine.resolved),
        Rule.D_EQ: _launched_apart(machine) or _chose_twice(machine),
        Rule.D_CALL: any(thread.frames_made > 1 for thread in machine.threads),
        Rule.D_SYNC: any(w is not None and w.synchronised for w in watchers),
        Rule.D_MEM: meet(machine.log),
    }
    fired |= unseen | {rule for rule, said_so in says.items() if said_so}
    if isinstance(ending, Illegal):
        fired.add(ending.rule)
    return tuple(rule for rule in Rule if rule in fired)


def _launched_apart(machine: Machine) -> bool:
    """Whether threads of two launch groups executed one convergent operation."""
    first: dict[StaticInstance, LaunchGroup] = {}
    return any(
        first.setdefault(site, thread.launch) is not thread.launch
        for thread in machine.threads
        for site in dict.fromkeys(key.site for key in thread.keys)
    )


def _chose_twice(machine: Machine) -> bool:
    """Whether a thread had a label to choose where it had chosen before, and could not join its own group."""
    return any(
        n > 1
        for groups in machine.groups_at.values()
        for n in Counter(member.thread for group in groups for member in group.members).values()
    )


UNWATCHED = "threads met in memory; whether they race was not seen within the bound"
"""What a run says that a bound kept from being watched."""
LISTED = 1_000_000
"""Instructions of a run that is made again only to list its groups: exchanges count for twenty."""
EXCERPT = 20_000
"""Events of a run that a clock ended that are looked at, if it had more: to take all of them apart and to
write them takes longer than the time that there was to run."""
FORESIGHT = 200_000
"""Instructions of a launch whose threads go on while they wait, before nothing is known by it."""
ATTEMPTS = 1_000
"""Lists of choices that ``run`` tries before it gives up on finding a legal one."""


WATCHED_STEPS = 100_000
"""Instructions more of a watched run before anybody asks whether it goes round in reads that race."""


CARRIED = 100_000
"""Instructions of a run that is pickled with its groups and its execution, not only with its ending."""

_Place = tuple[int, int, tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class Group:
    """Threads that communicated: a class of a convergent operation's instances, by thread.

    ``results`` are what each thread got, by thread, where the operation returns something;
    ``control`` marks the three intrinsics.
    """

    site: StaticInstance
    operation: str
    callee: str
    control: bool
    members: tuple[DynamicInstance, ...]
    results: Mapping[int, Json] = field(default_factory=dict)


def groups(
    program: Program, classes: Iterable[tuple[Sequence[DynamicInstance], Mapping[int, RuntimeValue] | None]]
) -> tuple[Group, ...]:
    """Classes of instances, in order, each with what they returned by thread, as groups, in text order,
    then by member."""
    groups_of_run = []
    for instances, returned in classes:
        site = instances[0].site
        described = program.described(site)
        shown = {} if returned is None else {
            t: program.plain(returned[t], described.type) for t in sorted(returned)
        }  # fmt: skip
        group = Group(site, described.name, described.callee, described.control, tuple(instances), shown)
        groups_of_run.append(((described.place, site.index, _nths(group)), group))
    return tuple([group for _, group in sorted(groups_of_run, key=_first)])


class Buffers(Mapping[str, Any]):
    """The buffers of a run by name: a parameter's without its sigil (``"out"``), a variable's with it
    (``"@g"``)."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._arrays: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        known = name.removeprefix("%")
        if known not in self._names():
            raise KeyError(name)
        if known not in self._arrays:
            self._arrays[known] = self._run.held(known).array
        return self._arrays[known]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def _names(self) -> list[str]:
        return [name.removeprefix("%") for name in self._run.machine.launch.buffers]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the machine of a run is a function of: the program, as ``module`` and ``settings``, the launch,
    and the choices. ``most`` bounds its instructions; ``undefined`` and ``again`` are what was supposed of
    reads that race, where that was watched."""

    module: Module
    settings: Settings
    launch: Launch
    options: tuple[int, ...]
    most: int
    undefined: frozenset[Read] = frozenset()
    again: bool = False

    def machine(self) -> Machine:
        """The machine, when it has run once more."""
        program = runnable(self.module, self.settings)
        program.forgets, program.long = False, True
        machine = start(program, self.launch, Replay(self.options))
        if machine.races is not None:
            machine.races.undefined, machine.races.again = self.undefined, self.again
        machine.run(self.most)
        return machine


def recipe_of(run: Run) -> Recipe:
    """How to make a run's machine again."""
    machine = run.machine
    most = min(machine.most, machine.steps) if isinstance(run.ending, OutOfBound) else machine.most
    taken = tuple(choice.option for choice in run.choices)
    program, races = machine.program, machine.races
    supposed = () if races is None else (races.undefined, races.again)
    return Recipe(program.module, program.settings, machine.launch, taken, most, *supposed)


OTHERWISE = (0, 1)
"""Numbers that are tried in the place of stand-ins where a run fails (:attr:`Run.otherwise`)."""
LONGEST = 200_000
"""Instructions of a run at most for which that is looked at; each such run may have twice as many."""


def _is_timed(ending: Ending | None) -> bool:
    """Whether a clock or an interrupt ended it."""
    return isinstance(ending, OutOfBound) and is_bound(ending.bound, BoundKind.TIMEOUT, BoundKind.INTERRUPTED)


@dataclass(frozen=True, repr=False)
class Run(Shown):
    """What one execution was: its ending, and on demand everything else.

    ``choices`` replays it.
    ``stand_ins`` are the declared functions whose results are stand-ins (D-CALL). ``guesses`` are closings
    of a group although a thread might still have come: none for a program that keeps the static rules.
    ``unwatched``: threads met in memory, and whether they race was not seen, for so the run that was watched
    ended: at a bound, or as a thread goes round for ever, be it only because its reads race. ``met``: the
    races that were met on the way there.
    """

    ending: Ending
    choices: tuple[Choice, ...]
    stand_ins: tuple[str, ...]
    warnings: tuple[tuple[Rule, StaticInstance], ...]
    guesses: tuple[Waiting, ...]
    steps: int
    machine: Machine = field(repr=False, compare=False)
    unwatched: OutOfBound | Endless | None = None
    met: tuple[Race, ...] = ()

    @cached_property
    def _strands(self) -> tuple[Strand, ...]:
        """The log, thread by thread."""
        return strands(self.log, self.machine.launch.threads)

    @cached_property
    def log(self) -> Log:
        """The log with all visits of blocks. Native code counts those of a very long run only: then it is
        made again, which is possible as it is a function of program, launch and choices. Of an
        :attr:`is_excerpt` it is the first events, which are those of an execution that ended there: events
        are appended as they happen."""
        log = self._listed.log
        if not self.is_excerpt:
            return log
        excerpt = Log()
        excerpt.extend(islice(log, EXCERPT))
        return excerpt

    @cached_property
    def _listed(self) -> Machine:
        """The machine that has what is listed: this one, or one that did the same again and noted more."""
        if not forgets(self.machine.log):
            return self.machine
        recipe = recipe_of(self)
        most = min(recipe.most, EXCERPT) if self.is_excerpt else recipe.most
        return replace(recipe, most=most).machine()

    @cached_property
    def waiting(self) -> frozenset[DynamicInstance]:
        """The instances whose group is not complete: their threads were waiting when the run ended, or where
        its :attr:`is_excerpt` does."""
        keys = set(self.machine.pending)
        if self.is_excerpt:
            later = islice(self._listed.log, EXCERPT, None)
            keys = {*self._listed.pending, *(e.key for e in later if isinstance(e, Executed))}
        return frozenset(instance for key in keys for instance in self._classes.get(key, ()))

    @cached_property
    def is_excerpt(self) -> bool:
        """Whether the groups, traces and events of a run are those of its first events alone: a clock or an
        interrupt ended it after more than :data:`EXCERPT` of them. How its threads ended, and memory, are of
        the whole run."""
        if not _is_timed(self.ending):
            return False
        log = self.machine.log
        return len(log) > EXCERPT or (forgets(log) and self.machine.steps > EXCERPT)

    def __getstate__(self) -> dict[str, object]:
        """What is pickled: the fields, and what most people ask; in the machine's place what it is a function
        of. Where that cannot be pickled, nor can the run: models of operations from a file of Python."""
        _ = self.engine
        if self.steps <= CARRIED:
            _ = self.execution, self.groups, self.outcome, self.rules
        left_out = {"machine", "buffers", "keys", "_classes", "log", "_listed", "_strands", "waiting"}
        state: dict[str, object] = {n: v for n, v in self.__dict__.items() if n not in left_out}
        state.setdefault("_recipe", None)
        if state["_recipe"] is None:
            state["_recipe"] = recipe_of(self)
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)

    def __getattr__(self, name: str) -> Any:
        """The machine of a run that was pickled: made again when it is first asked for."""
        if name != "machine" or "_recipe" not in self.__dict__:
            raise AttributeError(f"'Run' object has no attribute {name!r}")
        machine = self.__dict__["machine"] = self.__dict__["_recipe"].machine()
        return machine

    def __iter__(self) -> Iterator[Group]:
        """The groups of its operations, as :attr:`groups`."""
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __bool__(self) -> bool:
        return True

    @cached_property
    def _classes(self) -> Mapping[Key, list[DynamicInstance]]:
        """The instances with each key, by thread."""
        classes: dict[Key, list[DynamicInstance]] = {}
        for event in sorted(self.log.of(Executed), key=_thread):
            classes.setdefault(event.key, []).append(DynamicInstance(event.thread, event.site, event.nth))
        return classes

    @property
    def is_timed(self) -> bool:
        """Whether a clock, or the user's patience, decided where it ended, or how far it was watched: made
        again, it may come to something else."""
        return _is_timed(self.ending) or _is_timed(self.unwatched)

    @property
    def is_only(self) -> bool:
        """Whether there is no other outcome: it had nothing to choose, and in memory no two threads met, or
        only accesses that barriers order, or additions in whatever order."""
        if self.choices or self.guesses or self.unwatched:
            return False
        launch, log = self.machine.launch, self.machine.log
        return launch.threads == 1 or not depends_on_order(log) or self._ordered_by_barriers

    @property
    def _ordered_by_barriers(self) -> bool:
        """Whether all accesses of this run by which threads meet are plain ones that barriers order, or
        atomic ones that commute.

        Then each execution comes to what this one does, by induction over its accesses in the order in which
        they are performed: as long as all before an access gave what they gave here, each thread comes to the
        same accesses and barriers, so that the same writes happen before each read, and no other plain access
        to its bytes is beside it, for it would race here, too. What atomic additions leave does not hang from
        their order, and where nobody uses what they give, and they are monotonic, nothing else does: but for
        what a fence behind one knows of who came before it, so that no thread may have learned anything so.
        (In another order one could only learn what would forbid races, and there is none.)"""
        from ..threads.recurrence import commute

        races, module = self.machine.races, self.machine.program.module
        if races is None or races.races or races.learned or not commute(module, races.atomics):
            return False
        return all(event.owner is None for event in accessed(self.machine.log))

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The D-rules that had a say, in the order of their definition."""
        return had_a_say(self.machine, self.ending)

    @cached_property
    def execution(self) -> Execution:
        """The traces and the converged-with relation; of an unfinished run, what there is of them."""
        return Execution(
            tuple(strand.visits for strand in self._strands),
            ConvergedWith(frozenset(map(frozenset, self._classes.values()))),
            tuple([group.number for group in self.machine.subgroups for _ in range(group.size)]),
        )

    @property
    def picture(self) -> tuple[str, ...]:
        """The alignment, a row for each thread: :func:`convergence.picture` of the launched function."""
        program = self.machine.program
        return picture(
            self.execution, program.module, self.machine.launch.function, search=program.settings.dfs
        )

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The groups of every convergent operation and control intrinsic, in text order, then by member."""
        returned = results(self.log)
        classes = ((instances, returned.get(key)) for key, instances in self._classes.items())
        return groups(self.machine.program, classes)

    @property
    def unlisted(self) -> str | None:
        """Why nobody lists a run's groups and events who is not asked for them, if so: it was long, and has
        to be made again for them."""
        whole = self.machine.whole
        if whole is None or whole.steps + 20 * whole.exchanges <= LISTED:
            return None
        return "groups and events of so long a run are not listed (--engine attended or --format json does)"

    @cached_property
    def outcome(self) -> Outcome:
        """What the outside can see."""
        log = self.machine.log
        if self.is_excerpt or events_unseen(log):
            log = self.log
        return self._outcome(events(log, self.machine.program.plain))

    @cached_property
    def eventless(self) -> Outcome:
        """The outcome without events."""
        return self._outcome({})

    def _outcome(self, events: Mapping[int, tuple[Event, ...]]) -> Outcome:
        machine = self.machine
        program = machine.program
        type_ = program.module.functions[machine.launch.function].type.result
        ends = ended(machine.log, machine.launch.threads)
        threads = []
        for number in range(machine.launch.threads):
            end = ends.get(number)
            how, value = (
                ("unfinished", None) if end is None else (end.how, program.plain(settled(end.value), type_))
            )
            own = own_contents(program, machine.memory, number) if program.own_variables else {}
            threads.append(ThreadOutcome(number, how, value, events.get(number, ()), own))
        return Outcome(tuple(threads), shared_contents(machine.program, machine.memory))

    @cached_property
    def changed_memory(self) -> Contents:
        """The final contents of the globals whose contents are not what they were at the launch."""
        return self.eventless.contents.changed(initial_contents(self.machine.program, self.machine.launch))

    def held(self, name: str) -> BufferContents:
        """What a buffer holds at the end, by the name of its parameter (``%x`` or ``x``) or register, or a
        variable of the module (``@g``). Raises UsageError for what is none."""
        from .buffers import buffer_placed, contents_of

        machine = self.machine
        module, context = machine.program.module, machine.program.context
        shown, placed = buffer_placed(module, machine.launch.buffers, name)
        return contents_of(shown, placed, context, machine.memory)

    @cached_property
    def buffers(self) -> Buffers:
        """What the launch's buffers hold at the end, as numpy's arrays: new ones, each made when it is looked
        at. Zero stands for poison and undef (:meth:`held` says where they are)."""
        return Buffers(self)

    @cached_property
    def keys(self) -> Mapping[DynamicInstance, Key]:
        """The key of every instance."""
        return {instance: key for key, instances in self._classes.items() for instance in instances}

    def why(self, first: DynamicInstance, second: DynamicInstance) -> KeyDifference | None:
        """Why two instances are not converged: the first difference of their keys; ``None`` if they are.
        Raises KeyError for an instance that was not executed."""
        return why_not_converged(self.keys[first], self.keys[second])

    @property
    def waves(self) -> Waves | None:
        """The waves that were launched, where the module says how many lanes one has."""
        return waves_of(self.machine.program.module, self.machine.launch)

    @property
    def _presumed(self) -> list[str]:
        """The extern_weak symbols that were taken to be there."""
        program, launched = self.machine.program, self.machine.launch.function
        symbols = program.weak_symbols_from(launched)
        if not symbols:
            return []
        symbols -= program.settings.absent | self.machine.launch.contents.keys()
        return [
            f"whether @{name} is there is an input: it was taken to be (--global @{name}={ABSENT}: it is not)"
            for name in sorted(symbols)
        ]

    @cached_property
    def engine(self) -> Tally | None:
        """What native code ran of it; ``None`` if the reference ran it all."""
        return self.machine.tally

    @property
    def races(self) -> tuple[Race, ...]:
        """The races that were met (D-SYNC), in the order in which their later accesses were performed."""
        return self.met if self.machine.races is None else tuple(self.machine.races.races)

    @property
    def open_reads(self) -> tuple[str, ...]:
        """The variables of which a read gave undef, which is 0 where something is computed from it: nobody
        had written there, or it raced."""
        memory = self.machine.memory
        return tuple(dict.fromkeys((*memory.undef_reads, *memory.races)))

    @cached_property
    def unwritten(self) -> tuple[str, ...]:
        """What without a model may have written to memory, in words: what is shown of it may be
        otherwise."""
        machine = self.machine
        if not machine.program.lends_memory(machine.launch.function):
            return ()
        return tuple(
            f"what {writer} may have written {where} is not known: memory is as it was before"
            for writer, where in unwritten(machine.program, machine.log)
        )

    @property
    def caveats(self) -> tuple[str, ...]:
        """Why numbers that are shown, or saved, may not be those of the program, in words: parts of the
        :attr:`notes`."""
        from ..operations import made_up

        reads = (
            f"uninitialised bytes of {name} were read, or undef that was stored there: undef was taken as 0"
            for name in self.machine.memory.undef_reads
        )
        unwatched = (UNWATCHED,) if self.unwatched and not self.met else ()
        return (*map(made_up, self.stand_ins), *self.unwritten, *reads, *unwatched)

    @property
    def _volatile_races(self) -> Sequence[str]:
        """The variables on which volatile reads race."""
        races = self.machine.races
        if races is None or not races.volatile:
            return ()
        from ..memory.races import names_of

        return names_of(self.machine.memory, races.volatile)

    @property
    def unprinted(self) -> tuple[str, ...]:
        """That what AMDGPU's OpenCL code prints is not shown, in words, if it may print something."""
        from ..operations import PRINTF_BUFFER

        program = self.machine.program
        if PRINTF_BUFFER not in program.module.functions:
            return ()
        reached = map(
            program.module.functions.__getitem__, program.functions_from(self.machine.launch.function)
        )
        if all(callee_name(call) != PRINTF_BUFFER for function in reached for call in function.calls):
            return ()
        return (
            f"what printf prints is not shown: @{PRINTF_BUFFER} gives null here, as where its buffer is full",
        )

    @cached_property
    def otherwise(self) -> int | None:
        """A number with which, in the place of all that stand-ins are (D-CALL), a run that fails would not
        end so: then the program need not. ``None`` if there is none, of those that are tried."""
        from ..operations import constant_stand_in

        if not self.stand_ins or not isinstance(
            self.ending, UndefinedBehaviour | Deadlock | Endless | Illegal
        ):
            return None
        machine = self.machine
        if machine.steps > LONGEST:
            return None
        settings = replace(machine.program.settings, environment="direct", engine="reference")
        for number in OTHERWISE:
            program = runnable(machine.program.module, replace(settings, stand_in=constant_stand_in(number)))
            again = start(program, machine.launch, MostConverged())
            if type(again.run(2 * LONGEST)) is not type(self.ending):
                return number
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """What the answer rests on besides the program, in words."""

        machine = self.machine
        notes = list(self.caveats)
        if self.otherwise is not None:
            names = ", ".join(f"@{name}" for name in self.stand_ins)
            notes.append(
                f"with {self.otherwise} for what {names} gives it does not end so: whether it does is not "
                f"known (--input @{self.stand_ins[0]}=... says what it gives)"
            )
        notes += self.unprinted
        notes += assumptions(machine.memory)
        notes += partial_waves(self.waves)
        notes += self._presumed
        volatile = self._volatile_races
        notes += (
            _racing(name) + (", if it is not volatile" if name in volatile else "")
            for name in machine.memory.races
        )
        notes += map(_volatile, volatile)
        notes += [
            f"{machine.program.name(site)} is no convergent operation but reaches entry: its groups are free"
            for _, site in self.warnings
        ]
        if machine.whole is not None and isinstance(self.ending, OutOfBound):
            notes.append(
                "native code ran when the time was over: what threads did until then is not recorded"
            )
        elif self.is_excerpt:
            notes.append(
                f"its time was over after more than {EXCERPT} events: groups, traces and what was seen are "
                "at most of the first of these"
            )
        notes += [
            f"{_racing(name)}; a run in which it is was not seen to its end, and what is shown is of "
            "reads that give what was stored"
            for name in dict.fromkeys(race.variable for race in self.met)
        ]
        return tuple(notes)


def run(
    module: Module,
    *,
    chooser: Chooser | None = None,
    tracer: Tracer | None = None,
    engine: EngineKind = "auto",
    jobs: int | None = None,
    **launch: Unpack[LaunchOptions],
) -> Run:
    """One legal execution of a module, the most converged one (semantics.md, §3; LLVM's *Convergent
    Operation Semantics* says what is legal).

    ``function`` is launched: by default the only kernel (SPIR-V's entry point), else the only definition, or
    the only one with an entry intrinsic.
    ``threads`` is how many (default: as many as there are ``paths``, else 1), numbered from 0, in one
    workgroup; or ``grid`` says how many workgroups there are along x, y and z (``4``, ``(4, 2)``), and
    ``workgroup`` how many threads each has (default: what the kernel's attributes say, else 1).
    With ``partial`` so many ``threads`` are the first of a workgroup that has more, as the kernel says.
    ``subgroup_size`` is how many threads make a subgroup (default: all of a workgroup). Threads of different
    subgroups never converge.

    ``arguments`` maps a parameter (``"x"`` or ``"%x"``) to a value for all threads or a list of one per
    thread; ``inputs`` maps a declared function to what its calls return, a list per thread; ``globals`` maps
    a variable to what it holds at the launch, a thread_local one perhaps to a list of one per thread;
    ``buffers`` maps a pointer parameter (``"out"``), or a variable (``"@g"``), to the numpy array that it
    points to or holds at the launch, or to words such as ``"f32[16]:0,1,2,..."``; arrays are not changed, and
    :attr:`Run.buffers` has what is there at the end;
    ``paths`` has per thread the names of the blocks that it takes: then branch conditions are as the path
    says. An integer fits the bits of its type, signed or unsigned; other values are spelled ``"poison"``,
    ``"undef"``, ``"null"``, ``"@global"``, and vectors, arrays and structs are lists.

    ``uncontrolled`` says how uncontrolled convergent operations group: ``"maximal"`` (as COS's controlled
    maximal converged-with relation), ``"any"``, ``"none"``; ``dfs`` the successor order of the search that
    finds cycles. ``operations`` are models of declared functions (docs/how-to/add-an-operation.md).
    ``max_steps`` (10,000,000; of a launch that runs natively from begin to end 100,000 a thread, if that is
    more) bounds the instructions over all threads, ``timeout`` the seconds; a bound that was hit is the run's
    ending. A ``chooser`` makes the free choices, each of which it is asked once, a ``tracer`` is told of each
    step. ``engine`` is what runs threads: the ``"reference"``, ``"native"`` code, which gives the same
    answer, or ``"auto"``: native code once the run has proved long; ``"attended"`` is native code that
    records each instance when it happens, which else is made up for when somebody asks. ``jobs`` is how many
    cores run the workgroups of a launch that runs natively from begin to end (default: all there are, where
    it is long enough): the answer is the same. ``verified`` says
    that the static rules hold: what they exclude is a Crash then.

    How the program ends is not raised but data: ``ending``. Raises UsageError when what is given does not
    fit the program, NotModelled when a global variable's initial value has no model.
    """
    needs_module(module, "run")
    if chooser is not None and not callable(getattr(chooser, "choose", None)):
        raise TypeError(f"a chooser has a method choose(label, options), and {short(chooser)} has none")
    spec = replace(launch_spec(**launch), engine=engine_named(engine), jobs=cores_for(jobs))
    return execute(module, spec, chooser, tracer)


def execute(
    module: Module,
    spec: LaunchSpec,
    chooser: Chooser | None = None,
    tracer: Tracer | None = None,
    recurrence: bool = True,
    tell: Tell | None = None,
) -> Run:
    """:func:`run`, of a launch that is data. Without ``recurrence`` what has no end hits a bound. ``tell`` is
    told how far it is.

    Only where threads meet in memory a run has to be watched: then it is made again, with an eye on races.
    (Choices that are replayed are those of a watched run, if that was one; and a caller's chooser is asked
    in a watched one.)
    """
    if type(chooser) is MostConverged:
        chooser = None
    elif chooser is not None and not isinstance(chooser, Replay):
        chooser = AskedOnce(chooser)
    program, launch = prepare_run(module, spec, recurrence=recurrence)
    run = _execute(program, launch, spec, chooser, tracer, tell)
    if chooser is not None or not (gathers(program, launch) and meets_in_vain(run)):
        return run
    foreseen = _foreseen(
        run, launch, spec
    )  # a tracer is told of both runs: who waits in the first shows there
    return run if foreseen is None else _execute(program, launch, spec, None, tracer, tell, foreseen)


def gathers(program: Program, launch: Launch) -> bool:
    """Whether a workgroup has several launch groups, which may meet at barriers."""
    return len(groups_of(program, launch)) > launch.workgroups


def meets_in_vain(run: Run) -> bool:
    """Whether threads wait for ever, some of them at a barrier at which launch groups meet. In a run in which
    nobody goes on while it waits, somebody may wait so for a thread of its group that cannot come any more,
    as would show if that went on: the group is complete then (semantics.md, *Barriers*)."""
    return isinstance(run.ending, Deadlock) and bool(run.machine.meetings)


def _foreseen(run: Run, launch: Launch, spec: LaunchSpec) -> Foreseen | None:
    """The groups of a launch whose threads go on while they wait; ``None`` if it waits for ever, too, or that
    does not show in :data:`FORESIGHT` instructions."""
    spec = replace(spec, limits=replace(spec.limits, max_steps=min(spec.limits.steps, FORESIGHT)))
    settings = replace(run.machine.program.settings, environment="queued")
    program = runnable(run.machine.program.module, settings)
    again = _executed(program, launch, spec, spec.limits.clock, None, None, attempts=1)
    if isinstance(again.ending, Deadlock | Illegal | OutOfBound):
        return None
    return {
        (member.thread, group.site, member.nth): frozenset(m.thread for m in group.members)
        for group in again.groups
        for member in group.members
    }


def _execute(
    program: Program,
    launch: Launch,
    spec: LaunchSpec,
    chooser: Replay | None,
    tracer: Tracer | None,
    tell: Tell | None,
    foreseen: Foreseen | None = None,
) -> Run:
    """Runs a launch, and again with an eye on races if its threads meet in memory."""
    until, alone = spec.limits.clock, launch.threads == 1 or not accesses_memory(program.module)

    def watched() -> Program:
        return runnable(program.module, replace(program.settings, environment="watched"))

    if isinstance(chooser, Replay) and not alone:
        return _executed(watched(), launch, spec, until, chooser, tracer, tell=tell)
    first = _executed(
        program, launch, spec, until, chooser, tracer, tells=alone, tell=tell, foreseen=foreseen
    )
    if alone:
        return first
    from .uniform_barriers import copies_apart

    if not (copies_apart(program) or depends_on_order(first.machine.log)):
        return _traced(first, tracer)
    if isinstance(first.ending, OutOfBound | Endless):
        return _traced(replace(first, unwatched=first.ending), tracer)
    if not may_race(first.machine.log):
        return _traced(first, tracer)
    unwatched = first
    for most in _patience(first.steps, spec.limits.steps):
        within = replace(spec, limits=replace(spec.limits, max_steps=most))
        again = _executed(
            watched(), launch, within, until, chooser, tracer, tells=False, tell=tell, foreseen=foreseen
        )
        if not isinstance(again.ending, OutOfBound | Endless):
            return _traced(again, tracer)
        unwatched = replace(first, unwatched=again.ending, met=_met(again))
        if isinstance(again.ending, Endless) or unwatched.met:
            break
    return _traced(unwatched, tracer)


def _patience(steps: int, most: int) -> Iterator[int]:
    """The bounds on a run that is watched, where the same launch took so many steps unwatched.

    Both runs differ only behind a read that races. A loop that waits for what its own thread stored, beside
    others that store there, never ends where the read gives undef: so a run that has met a race is given
    little more than the unwatched one took, and the rest of the bound is for those that have met none.
    """
    little = WATCHED_STEPS + 2 * steps
    if little < most:
        yield little
    yield most


def _met(run: Run) -> tuple[Race, ...]:
    """The races of a run that was cut; none where a read was supposed to race and did not so far."""
    races = run.machine.races
    return () if races is None or races.unconfirmed else run.races


def _traced(run: Run, tracer: Tracer | None) -> Run:
    """A run, whose steps are told when it is over: it is the one that counts."""
    if tracer is not None:
        for event in trace_events(run.machine.log):
            tracer.tell(event)
    return run


def _executed(
    program: Program,
    launch: Launch,
    spec: LaunchSpec,
    until: Clock,
    chooser: Replay | None,
    tracer: Tracer | None,
    tells: bool = True,
    tell: Tell | None = None,
    attempts: int = ATTEMPTS,
    foreseen: Foreseen | None = None,
) -> Run:
    """The run that the chooser's choices make, or else the first legal one of so many ``attempts``. For a
    tracer its log is detailed; ``tells``: the tracer is told of it."""
    max_steps = spec.limits.steps

    # without choices the first execution is the only one, so that steps can be told while it runs
    only = chooser is not None or (spec.verified and not program.has_choices)
    streams = tells and only and program.settings.environment != "watched"  # what is watched may begin again

    def once(chooser: Chooser) -> tuple[Machine, Ending]:
        try:
            return attempt(chooser)
        except ProvedLong:
            program.long = True
            return once(chooser)
        except Forgotten:  # whoever asks what goes round for ever looks back
            program.forgets = False
            return attempt(chooser)

    def attempt(chooser: Chooser) -> tuple[Machine, Ending]:
        def begun() -> Machine:
            log = Log() if tracer is None else TracedLog(tracer) if streams else Log(detailed=True)
            if isinstance(chooser, Replay):
                chooser.restart()
            if program.settings.environment == "direct":
                machine = Machine(program, launch, chooser, log, asleep=True)
            else:
                machine = start(program, launch, chooser, log)
            machine.tell, machine.foreseen = tell, foreseen
            return machine

        if program.settings.environment != "direct":
            return _watched(begun, lambda machine: machine.run(max_steps, until))
        machine, ending = begun(), None
        if foreseen is None:
            machine, ending = unattended(begun, spec.limits.native_steps(launch.threads), until)
        if ending is not None:
            return machine, ending
        machine.wake()
        machine.anew = launch.threads > 1 and program.settings.environment == "direct" and not streams
        return machine, machine.run(max_steps, until)

    if chooser is not None:
        machine, ending = once(chooser)
        choices = tuple(chooser.choices)
    else:
        machine, ending, choices = _first_legal(once, attempts)
    run = finished(machine, ending, choices)
    return _traced(run, tracer) if tells and not streams else run


def unattended(begun: Callable[[], Machine], max_steps: int, until: Clock) -> tuple[Machine, Ending | None]:
    """A machine that ``begun`` makes, whose launch ran natively from its beginning to its end, and how it
    ended; where it may not, or native code gave up, one in which nothing has happened, and ``None``."""
    machine = begun()
    while machine.may_run_unattended():
        from ..native.workgroups import GivenUp

        try:
            return machine, machine.run_unattended(max_steps, until)
        except GivenUp as problem:
            program = machine.program
            if problem.apart:
                program.at_once = True
            elif problem.spoiled and not program.holds_poison:
                program.holds_poison = True
            else:
                program.unattended, program.attended = False, problem.why
        machine = begun()
    return machine, None


def _watched(begun: Callable[[], Machine], run: Callable[[Machine], Ending]) -> tuple[Machine, Ending]:
    """A run in which exactly the reads that race give undef: made again until it is one.

    Reads of which it turns out late that they race are taken together at first, then as they come. If one of
    them does not race when the others give undef, each is supposed to race or not, the earliest first.
    """
    from ..memory.races import RaceFound

    for together in (True, False):
        undefined: frozenset[Read] = frozenset()
        while True:
            machine, races = _watching(begun, undefined)
            races.again = not together
            try:
                ending = run(machine)
            except RaceFound as race:
                undefined = race.reads
                continue
            if not races.late - undefined or isinstance(ending, OutOfBound):
                break
            undefined |= races.late
        if undefined <= races.late | races.early or isinstance(ending, OutOfBound):
            return machine, ending
    return _supposing(begun, run)


def _supposing(begun: Callable[[], Machine], run: Callable[[Machine], Ending]) -> tuple[Machine, Ending]:
    """Of each read that may race it is supposed that it does, and if that comes out wrong, that it does not.
    What was supposed of a read is forgotten when something else is supposed of an earlier one: it may be
    another read then."""
    from ..memory.races import RaceFound

    supposed: dict[Read, bool] = {}  # in the order in which they are performed
    reasons: dict[Read, Race] = {}
    for _ in range(ATTEMPTS):
        machine, races = _watching(begun, frozenset(read for read, undef in supposed.items() if undef))
        races.settled, races.again = frozenset(supposed) - races.undefined, True
        try:
            ending = run(machine)
        except RaceFound as race:
            place = races.order
            reasons |= races.reasons
            first = min(race.reads - races.undefined, key=place.__getitem__)
            supposed = {r: undef for r, undef in supposed.items() if place.get(r, math.inf) < place[first]}
            supposed[first] = True
            continue
        wrong = races.refuted or (isinstance(ending, Returned) and races.unconfirmed)
        if not wrong or isinstance(ending, OutOfBound):
            races.suppose(reasons)
            return machine, ending
        while supposed and not supposed[(last := next(reversed(supposed)))]:
            del supposed[last]
        if not supposed:
            break
        supposed[last] = False
    return machine, Unmodelled(CIRCLE, 0)


CIRCLE = (
    "a circle of races: whether one plain read races depends on what another one that races gives, and that "
    "of the other on the first"
)
"""Why there may be no run in which exactly the reads that race give undef (semantics.md, *Races*)."""


def _watching(begun: Callable[[], Machine], undefined: frozenset[Read]) -> tuple[Machine, RaceDetector]:
    """A machine that supposes that these reads give undef, for they race."""
    machine = begun()
    races = machine.races
    assert races is not None
    races.undefined = undefined
    return machine, races


def _first_legal(
    once: Callable[[Chooser], tuple[Machine, Ending]], attempts: int
) -> tuple[Machine, Ending, tuple[Choice, ...]]:
    """The first list of choices with a legal execution; where there is none, the first of all, which
    is a deadlock if it had to close a group although other threads might have come."""
    first: tuple[Machine, Ending, tuple[Choice, ...]] | None = None
    for number, ((machine, ending), choices) in enumerate(executions(once)):
        if not isinstance(ending, Illegal):
            return machine, ending, choices
        first = first or (machine, ending, choices)
        if number + 1 == attempts:
            break
    assert first is not None
    machine, ending, choices = first
    return machine, Deadlock(machine.stuck) if machine.stuck else ending, choices


def finished(machine: Machine, ending: Ending, choices: tuple[Choice, ...]) -> Run:
    """The run that a machine made."""
    return Run(
        ending, choices, tuple(machine.stand_ins), tuple(machine.warnings), tuple(machine.guesses),
        machine.steps, machine,
    )  # fmt: skip


def _racing(name: str) -> str:
    return f"accesses to {name} race, for not both are atomic and nothing orders them: such a read is undef"


def _volatile(name: str) -> str:
    return f"volatile reads of {name} race: what they give is the target's affair; here, what memory held"


def _thread(event: Executed) -> int:
    return event.thread


def _first(pair: tuple[_Place, Group]) -> _Place:
    return pair[0]


def _nths(group: Group) -> tuple[tuple[int, int], ...]:
    return tuple((m.nth, m.thread) for m in group.members)


# ----------------------------------------------------------------------------------------------------------
# What without a model may have written to memory, that a run left as it was (D-CALL).
# ----------------------------------------------------------------------------------------------------------

_NOT_WRITTEN = frozenset(("readonly", "readnone"))
_PRINTS = frozenset(("printf", "vprintf", "puts"))
"""They only read: OpenCL and CUDA have no ``%n``."""
_COMMENT_OF_ASSEMBLY = re.compile(r"\s*(?:(?:;|//|#)[^\n]*)?", re.ASCII)


def unwritten(program: Program, log: Log) -> tuple[tuple[str, str], ...]:
    """The calls without a model that threads made, and that may have written where they were given a pointer,
    or to variables that they can name, each with these words, in the order of the calls: declared functions,
    and assembly that says that it does more than to give its results."""
    functions = program.module.functions
    sites = dict.fromkeys((e.callee, e.instance.site) for e in _calls(log))
    writers: dict[tuple[str, str], None] = {}
    for name, site in sites:
        call = functions[site.function].instructions[site.index]
        if not isinstance(call, CallSite):
            continue
        if isinstance(call.callee, InlineAsm):
            if "sideeffect" in call.callee.flags and not _is_comment(call.callee.text):
                writers[f"@{name}", "or done besides"] = None
        elif name in functions and (where := _may_write(program, name, call)) is not None:
            writers[f"@{name}", where] = None
    return tuple(writers)


def _is_comment(text: str) -> bool:
    """Of assembly: whether it says nothing. (``#`` begins a comment for most assemblers, ``;`` for AMDGPU's,
    and an empty statement elsewhere.)"""
    return all(_COMMENT_OF_ASSEMBLY.fullmatch(line) for line in text.split("\n"))


def _calls(log: Log) -> Iterable[Called]:
    observed = (event.event for event in log.of(ObservedEvent, exchanged=False))
    return (event for event in observed if isinstance(event, Called))


def _may_write(program: Program, name: str, call: CallSite) -> str | None:
    """Where a declared function may have written, in words."""
    from ..operations import Callee

    promised = program.effects(name, call)
    if name in _PRINTS or not promised.writes:
        return None
    if program.table.model(Callee.of(name, call, program.context)) is not None:
        return None
    function = program.module.functions[name]
    if "argmem" in promised.written_at:
        for place, argument in enumerate(call.arguments):
            words = argument_words(program.module, call, place, function)
            if isinstance(argument.value.type, PointerType) and _NOT_WRITTEN.isdisjoint(words):
                if not _is_constant(program, argument.value):
                    return "behind its pointers"
    if "other" in promised.written_at and program.has_nameable_variables and not name.startswith("llvm."):
        return "to variables of the module"
    return None


def _is_constant(program: Program, operand: object) -> bool:
    """Whether it is the address of a variable that nobody writes to, as a format is."""
    if not isinstance(operand, Global):
        return False
    variable = program.module.globals.get(operand.name)
    return variable is not None and variable.constant


# ----------------------------------------------------------------------------------------------------------
# How a run begins: the program and the launch from what the user gave, and the machine for them.
# ----------------------------------------------------------------------------------------------------------


def prepare_run(
    module: Module,
    spec: LaunchSpec,
    prune: bool = True,
    environment: EnvironmentKind = "direct",
    recurrence: bool = True,
) -> tuple[Program, Launch]:
    """The program and launch that are asked for. Raises UsageError, and NotModelled for a global variable
    whose initial value has no model."""
    if any(name.startswith("llvm.spv.") for name in module.functions):  # few programs need it
        from ...transform.emitted_intrinsics import with_plain_instructions

        module = with_plain_instructions(module)
    if spec.operations:
        from ..operations.user import declared_operations

        declared_operations(spec.operations, module)
    launched = launched_function(module, spec.function)
    arguments = spec.arguments
    buffers: Mapping[str, PlacedBuffer] = {}
    bound_contents: Mapping[str, object] = {}
    if _is_bound(module, launched, spec):
        from .bindings import passed_by_value, with_arguments, with_buffers

        by_value = passed_by_value(module, launched, spec.arguments)
        bound = with_buffers(module, launched, spec.buffers, apart=spec.globals, by_value=by_value)
        plain = {name: v for name, v in spec.arguments.items() if name.removeprefix("%") not in by_value}
        arguments = with_arguments(plain, bound.arguments)
        module, buffers, bound_contents = bound.module, bound.buffers, bound.contents
    size, paths = spec.subgroup_size, spec.paths
    shape = shape_of(module, launched, spec, len(paths) if paths else None)
    count = shape.threads
    taken = None if paths is None else paths_of(launched, paths, count)
    plain_program = Program(module, Settings())
    context = plain_program.context
    values, unknown = arguments_of(launched, arguments, count, context)
    settings = Settings(
        uncontrolled=spec.uncontrolled,
        dfs=spec.dfs,
        equal_writes=spec.equal_writes,
        inputs=inputs_of(module, spec.inputs, count, context),
        operations=spec.operations,
        path_of=launched.name if paths is not None else None,
        unknowns=unknown,
        lenient=unknown and paths is not None,
        verified=spec.verified,
        prune=prune,
        environment=environment,
        absent=absent_of(module, spec.globals),
        recurrence=recurrence,
        engine=spec.engine,
        jobs=spec.jobs,
    )
    contents = contents_of(module, {**spec.globals, **bound_contents}, count, context)
    launch = Launch(
        launched.name, count, size, values, taken, contents, buffers,
        shape.grid, shape.workgroup, shape.dimensions,
    )  # fmt: skip
    return runnable(module, settings), launch


def _is_bound(module: Module, function: Function, spec: LaunchSpec) -> bool:
    """Whether a launch may give objects of its own: buffers, what a module's variables or the resources that
    it declares functions for stand for, and what is passed by value."""
    declares = any(f.is_declaration for f in module.functions.values())
    by_value = any(parameter.attributes for parameter in function.parameters)
    return bool(spec.buffers or module.globals or declares or by_value)


def contents_at_launch(module: Module, spec: LaunchSpec) -> Contents:
    """What the globals of a module hold at a launch. Raises as :func:`prepare_run` does."""
    return initial_contents(*prepare_run(module, spec))


@dataclass(frozen=True, slots=True)
class EnvironmentParts:
    """An environment: how functions are prepared for it, and the machine that runs them."""

    translation: type[Translation]
    machine: type[Machine]


def environment(kind: EnvironmentKind) -> EnvironmentParts:
    """The environment of that name, read when somebody runs in it."""
    match kind:
        case "direct":
            return EnvironmentParts(Translation, Machine)
        case "queued":
            from ..environments.queued import QueuedMachine, QueuedTranslation

            return EnvironmentParts(QueuedTranslation, QueuedMachine)
        case "watched":
            from ..environments.watched import WatchedMachine, WatchedTranslation

            return EnvironmentParts(WatchedTranslation, WatchedMachine)


def runnable(module: Module, settings: Settings) -> Program:
    """A program that can be run in the environment that the settings name."""
    translation = environment(settings.environment).translation
    return Program(module, settings, lambda program, function: compiled(translation(program, function)))


def start(program: Program, launch: Launch, chooser: Chooser, log: Log | None = None) -> Machine:
    """The machine for one run of a program, in the environment that its settings name."""
    return environment(program.settings.environment).machine(program, launch, chooser, log)


# ----------------------------------------------------------------------------------------------------------
# How a run ends, and what the outside can see of it (semantics.md, *Outcomes and refinement*).
#
# Endings are a closed set. A failed assertion is none of them: it is our own bug, a :class:`Crash`.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ThreadOutcome:
    """How one thread ended (``returned``, ``exited`` or, elsewhere, ``unfinished``), its return value
    (``None`` for void), its events in order, the final contents of its own thread_local globals that are no
    constants, and how many of its last events come again for ever (``period``)."""

    thread: int
    ended: str
    value: Json
    events: tuple[Event, ...]
    memory: Mapping[str, Json] = field(default_factory=dict)
    period: int = 0


@dataclass(frozen=True, slots=True)
class Contents:
    """What globals that are no constants hold: ``shared`` ones, and per thread its ``own``."""

    shared: Mapping[str, Json]
    own: tuple[Mapping[str, Json], ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The globals, of the threads' own all that some thread has."""
        return frozenset(self.shared).union(*self.own)

    def changed(self, before: Contents) -> Contents:
        """What is not as it was ``before``."""
        own = zip(self.own, before.own, strict=False)
        return Contents(_changed(self.shared, before.shared), tuple(_changed(*pair) for pair in own))

    def unlike(self, other: Contents) -> Contents:
        """What the other one has differently."""
        own = zip(self.own, other.own, strict=False)
        return Contents(_unlike(self.shared, other.shared), tuple(_unlike(*pair) for pair in own))

    def __bool__(self) -> bool:
        return bool(self.shared) or any(self.own)


def _unlike(mine: Mapping[str, Json], theirs: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in mine.items() if value != theirs.get(name, value)}


def _changed(now: Mapping[str, Json], before: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in now.items() if value != before.get(name)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the outside can see: per thread, and the final contents of globals that are no constants and that
    all threads share."""

    threads: tuple[ThreadOutcome, ...]
    memory: Mapping[str, Json]

    @property
    def contents(self) -> Contents:
        """All of memory that the outside can see."""
        return Contents(self.memory, tuple(thread.memory for thread in self.threads))


# -- What the globals of a program hold, as plain data


def initial_contents(program: Program, launch: Launch) -> Contents:
    """What they hold at a launch."""
    memory = launched_memory(program, launch)
    own = tuple(own_contents(program, memory, thread) for thread in range(launch.threads))
    return Contents(shared_contents(program, memory), own)


def shared_contents(program: Program, memory: Memory) -> dict[str, Json]:
    """The contents of every global that is no constant and that threads share; of one that each of several
    workgroups has for itself, those of each (:func:`of_workgroup`). Of one that no thread touched
    it may be said that its initial contents have no model; NotModelled for what is too large to be shown and
    may have changed."""
    contents: dict[str, Json] = {}
    for name, variable in program.module.globals.items():
        if variable.constant or name.startswith("llvm.") or is_thread_local(variable):
            continue
        if builtin_name(variable) is not None:
            continue
        allocation = None
        try:
            pointer = program.address_of(name)
            assert isinstance(pointer, Value) and pointer.provenance is not None
            if pointer.provenance is NULL:
                continue
            allocation = original = memory.allocations[pointer.provenance.id]
            type_ = object_type(variable, program.layout)
            if not memory.is_of_workgroups(allocation):
                contents[variable.label] = _contents(allocation, type_, program)
                continue
            untouched = _contents(allocation, type_, program)
            for workgroup in range(memory.workgroups):
                allocation = memory.known_of_workgroup(original, workgroup)
                shown = untouched if allocation is original else _contents(allocation, type_, program)
                contents[of_workgroup(variable.label, workgroup)] = shown
        except NotModelled as problem:
            if allocation is not None and allocation.cells is not None:
                raise NotModelled(f"the contents of {variable.label}: {problem.feature}") from None
            contents[variable.label] = f"not modelled: {problem.feature}"
    return contents


def of_workgroup(name: str, workgroup: int) -> str:
    """What the instance of a variable in workgroup memory is called, where there are several workgroups."""
    return f"{name} (workgroup {workgroup})"


def own_contents(program: Program, memory: Memory, thread: int) -> dict[str, Json]:
    """The contents of a thread's own thread_local globals that are no constants. NotModelled as above."""
    values = own_values(program.own_variables, program.context, memory, thread)
    return {name: program.plain(value, type_) for name, type_, value in values}


ELEMENTS = 1 << 20
"""Elements of an array that are shown: more than a value may have."""


def _contents(allocation: Allocation, type_: Type, program: Program) -> Json:
    """An object's bytes as a value of the type. NotModelled for one that is too large."""
    type_, layout, domain = program.layout.resolve(type_), program.layout, program.domain
    if not isinstance(type_, ArrayType) or layout.measure(type_).elements <= LARGEST_VALUE:
        return program.plain(typed(type_, layout, domain).read(allocation.contents(), 0), type_)
    element, size = type_.element, layout.size(type_.element)
    if allocation.stride:
        return _digest(allocation.numbers(element, type_.count, layout, domain), type_)
    if layout.measure(type_).elements > ELEMENTS:
        raise NotModelled(f"an array of {layout.measure(type_).elements} elements")
    read, cells = typed(element, layout, domain).read, allocation.contents()
    zero, zeros = program.plain(constants.zero(element, layout, domain), element), [ZERO] * size

    def shown(at: int) -> Json:
        return zero if cells[at : at + size] == zeros else program.plain(read(cells, at), element)

    return [shown(index * size) for index in range(type_.count)]


def _digest(numbers: PackedNumbers, type_: ArrayType) -> str:
    """What tells the contents of a large buffer from others: nobody reads so many numbers."""
    digest = sha256(numbers.data)
    for missing in (numbers.poison, numbers.undef):
        digest.update(repr(sorted(missing)).encode())
    return f"{type_.count} x {type_.element}, sha256 {digest.hexdigest()[:16]}"
