"""What a comparison of a program before and after a transform says (semantics.md, §6), and why it leaves
something open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from ...alignment import DynamicInstance, Execution, StaticInstance
from ...diagnostics import Diagnostic
from ...frozen import Shown, dataclass
from ...ir.cfg import Order
from ...ir.module import Module
from ...semantics import Cut, Ending
from ...semantics.convergence import Key, KeyDifference
from ...semantics.machine.launch import Launch, LaunchShape, shaped
from ...semantics.machine.run import Group, Outcome
from ...semantics.machine.tally import Tally
from ..sides.observable import Mismatch, SideName

# ----------------------------------------------------------------------------------------------------------
# Why a comparison leaves something open, and what there is to know besides a verdict, as data.
#
# The words are :mod:`convergence.report.refine`'.
# ----------------------------------------------------------------------------------------------------------

# -- what is not known of one side --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadRaces:
    """Threads race in memory, and the orders of their accesses were not explored."""


@dataclass(frozen=True, slots=True)
class ValueTaken:
    """LLVM leaves a value open: ``of`` undef 0 was taken, of what is frozen a few values were tried. ``read``
    are the objects that it was read from; none where the program's text has it."""

    of: Literal["undef", "freeze"]
    read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompilerKnows:
    """``callee`` asks what the compiler knows (``llvm.is.constant``, ``llvm.objectsize``): one of the answers
    that it may get was taken."""

    callee: str


@dataclass(frozen=True, slots=True)
class AssumedBundle:
    """``llvm.assume`` promises by an operand bundle ``tag`` what is not checked here."""

    tag: str


@dataclass(frozen=True, slots=True)
class OneOrder:
    """Threads met in memory, of whose orders a machine has one."""


@dataclass(frozen=True, slots=True)
class MachineRefuses:
    """The machine ``policy`` does not run the program."""

    policy: str
    why: str


@dataclass(frozen=True, slots=True)
class MachineStops:
    """The machine ``policy`` comes to no legal execution."""

    policy: str
    why: str


@dataclass(frozen=True, slots=True)
class OnlyThere:
    """Only this side has the operation ``callee``, which a pass may have made or removed, without a model."""

    callee: str


@dataclass(frozen=True, slots=True)
class DeclaredOtherwise:
    """The two sides promise different things of the operation ``callee``, which LLVM knows and which has no
    model here."""

    callee: str


@dataclass(frozen=True, slots=True)
class OnlyACopy:
    """One side has the body of ``callee``, as a copy of one elsewhere (``available_externally``), and the
    other only declares it: what it does is known on one side."""

    callee: str


@dataclass(frozen=True, slots=True)
class MayNotRead:
    """What the operation ``callee`` reads may be less than its attributes say: LLVM knows it, or promises
    about aliases that are not modelled say so."""

    callee: str


@dataclass(frozen=True, slots=True)
class KnownByName:
    """The operation ``callee`` has no model, and LLVM may know what it gives or writes."""

    callee: str


@dataclass(frozen=True, slots=True)
class AnotherObject:
    """The sides give the operation ``callee`` different objects, one of them a stack object, by a pointer of
    which it keeps no address: what it does with either is not known here."""

    callee: str


@dataclass(frozen=True, slots=True)
class VolatileCopy:
    """The source has the volatile ``operation`` on more than one value. LangRef (*llvm.memcpy*, and its like)
    does not say which accesses that is, and a pass may make several of it."""

    operation: str


@dataclass(frozen=True, slots=True)
class WhichNaN:
    """What the sides leave in memory differs in the bits of NaNs alone, and they compute such numbers: which
    NaN an operation gives is left open (LangRef, *Behavior of Floating-Point NaN values*)."""


@dataclass(frozen=True, slots=True)
class PointerWithoutModel:
    """The operation ``callee`` has no model and gives a pointer, of which LLVM may know where it points."""

    callee: str


@dataclass(frozen=True, slots=True)
class OnlyBarriers:
    """The sides differ in calls of the barrier ``callee`` and its like alone. Whether such a call may go, or
    be another one, is a question of what it orders, of which all that was compared is the same."""

    callee: str


@dataclass(frozen=True, slots=True)
class PoisonRepeats:
    """A function ``callee`` that writes nothing is called with poison or undef, for which a target may take
    several values: how many events its calls then are is not known."""

    callee: str


@dataclass(frozen=True, slots=True)
class AddressNumber:
    """What this side does depends on the numbers of addresses, and the two sides have other variables: where
    these lie is left open."""


Open = (
    AddressNumber
    | OnlyBarriers
    | PoisonRepeats
    | KnownByName
    | AnotherObject
    | VolatileCopy
    | WhichNaN
    | PointerWithoutModel
    | OnlyThere
    | DeclaredOtherwise
    | OnlyACopy
    | MayNotRead
    | Cut
    | ReadRaces
    | ValueTaken
    | CompilerKnows
    | AssumedBundle
    | OneOrder
    | MachineRefuses
    | MachineStops
)
"""Why there may be other outcomes than were found."""

# -- why a verdict is unknown -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenSide:
    """What is not known of which side."""

    why: Open
    side: SideName


@dataclass(frozen=True, slots=True)
class BreaksRule:
    """The target breaks the static rule with this id."""

    rule: str


@dataclass(frozen=True, slots=True)
class NotSymbolic:
    """What cannot be asked symbolically."""

    feature: str


@dataclass(frozen=True, slots=True)
class PastIterations:
    """The target goes on where no iteration is looked at any more."""

    iterations: int


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """The solver found inputs, per ``%parameter`` a value for each thread and per ``@variable`` what it
    holds at the launch; running them shows no difference."""

    arguments: tuple[tuple[str, tuple[object, ...]], ...]
    threads: int


@dataclass(frozen=True, slots=True)
class NotInTarget:
    """The target has no definition of the function."""

    function: str


@dataclass(frozen=True, slots=True)
class TargetUnreadable:
    """What the passes made cannot be read; ``how`` are the reader's words."""

    how: str


@dataclass(frozen=True, slots=True)
class DoesNotFit:
    """What was asked for does not fit the program; ``how`` are the error's words."""

    how: str


Unknown = (
    Open
    | OpenSide
    | BreaksRule
    | NotSymbolic
    | PastIterations
    | Unconfirmed
    | NotInTarget
    | TargetUnreadable
    | DoesNotFit
)
"""Why a verdict is ``unknown``."""

# -- notes --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SilentLaunches:
    """``silent`` of the ``launches`` say nothing: the source is undefined there."""

    silent: int
    launches: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """So many launches were left out, for the source itself ran into the bound."""

    launches: int
    bound: Open


@dataclass(frozen=True, slots=True)
class PassedOver:
    """So many launches of our choice were left out: they, or smaller ones, have too many executions."""

    launches: int
    bound: Open


@dataclass(frozen=True, slots=True)
class InPart:
    """Too few launches could be compared as a whole. Of so many others some executions of the target were
    looked at, and each is one of the source's."""

    launches: int


@dataclass(frozen=True, slots=True)
class MoreLaunches:
    """What more launches show is not known, and why."""

    bound: Unknown


@dataclass(frozen=True, slots=True)
class MoreUnknown:
    """The target refines the source; whether also the other way round is not known."""

    why: OpenSide


@dataclass(frozen=True, slots=True)
class UnobservedSymbolically:
    """The solver found nothing observable to compare."""


@dataclass(frozen=True, slots=True)
class UnknownSymbolically:
    """The solver was asked, and the answer is unknown; ``established`` is what it came to."""

    why: Unknown | None
    established: str


@dataclass(frozen=True, slots=True)
class PartialWaves:
    """The module says that a wave has ``size`` lanes, and launches ran fewer of some."""

    size: int


Note = (
    PartialWaves
    | SilentLaunches
    | LeftOut
    | PassedOver
    | InPart
    | MoreLaunches
    | MoreUnknown
    | UnobservedSymbolically
    | UnknownSymbolically
)
"""What there is to know besides the verdict."""


# ----------------------------------------------------------------------------------------------------------
# What a comparison of a program before and after a transform says (semantics.md, §6).
# ----------------------------------------------------------------------------------------------------------


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
