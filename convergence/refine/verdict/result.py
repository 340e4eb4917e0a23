"""What a comparison of a program before and after a transform says (semantics.md, §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from ...alignment.instances import DynamicInstance, Execution, StaticInstance
from ...diagnostics import Diagnostic
from ...frozen import dataclass
from ...ir.cycles import Order
from ...ir.module import Module
from ...semantics.convergence.keys import Key, KeyDifference
from ...semantics.errors import Ending
from ...semantics.machine.launch import Launch, LaunchShape, shaped
from ...semantics.machine.outcome import Outcome
from ...semantics.machine.run import Group
from ...semantics.machine.tally import Tally
from ...shown import Shown
from ..sides.observable import Mismatch, SideName
from .reasons import Note, Unknown

Verdict = Literal["equal", "refines", "wrong", "invalid-output", "unknown"]
"""``equal``: each side refines the other. ``refines``: the target does less than the source allows.
``wrong``: some outcome of the target is none of the source's. ``invalid-output``: the target breaks a
static rule. ``unknown``: a bound was hit, something is not modelled, or nothing observable was compared."""

WORST_FIRST: Sequence[Verdict] = ("wrong", "invalid-output", "unknown", "refines", "equal")
"""Of several models or functions the worst verdict is the answer."""

Unobserved = Literal["nothing-observable", "source-says-nothing", "no-launch"]
"""Why a comparison without a difference establishes nothing. ``nothing-observable``: in no launch a thread
returned a value, had an event, or touched memory that the outside can see. ``source-says-nothing``: for every
input some execution of the source is undefined or may be endless. ``no-launch``: there was no input."""

Model = Literal["tokens", "inferred", "ipdom", "maximal"]
"""What says who converges with whom: the program's own tokens; for uncontrolled programs tokens inferred
by LLVM's documented procedure, reconvergence at immediate post-dominators, or CAU's maximal relation."""


@dataclass(frozen=True, slots=True)
class Side:
    """One execution of the source or of the target: how it grouped, and how it ended; ``keys`` say why.
    ``module`` is what was run where that is not the program itself: with tokens inferred it is another."""

    execution: Execution
    groups: tuple[Group, ...]
    ending: Ending
    outcome: Outcome
    keys: Mapping[DynamicInstance, Key] = field(default_factory=dict, compare=False, repr=False)
    module: Module | None = field(default=None, compare=False, repr=False)

    def of(self, module: Module) -> Module:
        """What its instances are instances of, where ``module`` is the program itself."""
        return module if self.module is None else self.module


@dataclass(frozen=True, slots=True)
class OperationPlace:
    """A call on one side: ``operation`` is its name as in the alignment (``%sum`` or ``@callee#k``), ``nth``
    (from 1) which of the thread's executions of it, ``group`` the threads that communicate there, ``None``
    where the thread came to it but was not done with it when the execution ended."""

    operation: str
    nth: int
    group: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class NoCall:
    """On this ``side`` the ``thread`` makes no ``number``-th call of ``callee``, or has ``begun`` it and is
    not done. ``other``: it is not the thread whose group differs, but one that would be in that group."""

    side: SideName
    thread: int
    number: int
    callee: str
    begun: bool = False
    other: bool = False


@dataclass(frozen=True, slots=True)
class TwoOperations:
    """On this ``side`` the call is another operation in each of two threads: thread and name."""

    side: SideName
    first: tuple[int, str]
    second: tuple[int, str]


@dataclass(frozen=True, slots=True)
class NotConverged:
    """On this ``side`` the calls of two ``threads`` are not converged, for the ``difference`` of their keys;
    ``None`` where the keys are not known. ``names`` are those of the operations at which the keys differ."""

    side: SideName
    threads: tuple[int, int]
    difference: KeyDifference | None
    names: Mapping[StaticInstance, str] = field(default_factory=dict, repr=False)


Why = NoCall | TwoOperations | NotConverged | None
"""Why a group differs. ``None``: the keys are the same, and something else keeps the two apart."""


@dataclass(frozen=True, slots=True)
class GroupDeparture:
    """The first operation whose group differs between the sides, and why.

    It is the ``thread``'s ``number``-th (from 1) convergent call of ``callee``, wherever each side has it:
    ``source`` and ``target``, ``None`` where a side has no such call (at most one of them). A name on one
    side says nothing of the other. ``why`` is why the side that has the smaller group has it so.
    """

    callee: str
    thread: int
    number: int
    source: OperationPlace | None
    target: OperationPlace | None
    why: Why

    @property
    def place(self) -> OperationPlace:
        """On the source, or on the target where only that has the call."""
        place = self.source or self.target
        assert place is not None
        return place


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A launch in which the target does what the source cannot.

    ``arguments`` gives per parameter one value per thread, ``globals`` per variable what it holds at the
    launch (one value, or one per thread where each thread has its own), ``inputs`` per declared function
    what each thread's calls return, ``paths`` per thread the blocks taken where the launch was given by
    paths. ``buffers`` are the type and the numbers of each object that was made for the launch, by what
    ``--buffer`` calls it; ``shared`` the parameters that point into the object of another one, with what
    ``--buffer`` takes for that. ``source`` is the nearest execution of the source, ``target`` the one that
    the source has not. ``partial``: these are the first threads of a workgroup, which has more as the
    function says. ``writes``: functions without a model write wherever they may, which ``run`` does not do;
    ``writer``: only those that this thread calls.
    """

    threads: int
    subgroup_size: int | None
    function: str
    arguments: Mapping[str, tuple[object, ...]]
    inputs: Mapping[str, tuple[tuple[object, ...], ...]]
    paths: tuple[tuple[str, ...], ...] | None
    source: Side
    target: Side
    difference: Mismatch
    departure: GroupDeparture | None = None
    globals: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    shape: LaunchShape | None = None
    buffers: Mapping[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)
    partial: bool = False
    writes: bool = False
    writer: int | None = None

    @property
    def launch(self) -> Launch:
        """Which threads were launched."""
        launch = Launch(self.function, self.threads, self.subgroup_size)
        return launch if self.shape is None else shaped(launch, self.shape)

    @property
    def places(self) -> tuple[OperationPlace | None, OperationPlace | None]:
        """Where the sides depart from each other: in the source, in the target."""
        return (None, None) if self.departure is None else (self.departure.source, self.departure.target)


@dataclass(frozen=True, slots=True)
class FunctionPair:
    """What was compared, as far as a picture needs it: ``function`` of ``source`` and ``target_function`` of
    ``target``, and the successor order ``dfs`` of the search behind the cycle hierarchy."""

    source: Module
    target: Module
    function: str
    target_function: str
    dfs: Order = Order.TEXT


@dataclass(frozen=True, repr=False, slots=True)
class Refinement(Shown):
    """The answer.

    ``established`` says for which launches it holds (``all inputs tried: 81 launches, 2 to 3 threads``).
    ``bound`` says why it is ``unknown``, or ``unobserved`` says why nothing observable was compared.
    ``models`` has a verdict per model that was asked.
    ``behaviour`` is, for an ``invalid-output`` that can be run, what running it says.
    ``diagnostics`` are the static rules that the target breaks. ``blame`` is the first pass whose
    output differs, where a pipeline was bisected. ``launches`` counts the launches compared. ``more`` is,
    where the target refines the source and not the other way round, something that only the source does.
    ``notes`` are data, and words where the command line adds some. ``engine`` is what native code ran of it,
    on both sides and as long as they are kept; ``None``: the reference ran all.
    """

    verdict: Verdict
    established: str
    models: Mapping[Model, Verdict]
    counterexample: Counterexample | None = None
    behaviour: Verdict | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    bound: Unknown | None = None
    blame: str | None = None
    launches: int = 0
    notes: tuple[Note | str, ...] = field(default=())
    more: Mismatch | None = None
    unobserved: Unobserved | None = None
    compared: FunctionPair | None = field(default=None, compare=False, repr=False)
    engine: Tally | None = field(default=None, compare=False, repr=False)
