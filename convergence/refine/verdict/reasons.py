"""Why a comparison leaves something open, and what there is to know besides a verdict, as data.

The words are :mod:`convergence.report.refine.reasons`'.
"""

from __future__ import annotations

from typing import Literal

from ...frozen import dataclass
from ...semantics.bounds import Cut
from ..sides.observable import SideName

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
