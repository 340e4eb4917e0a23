"""Why a comparison leaves something open, and what there is to know besides, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...refine.verdict.result import (
    AddressNumber,
    AnotherObject,
    AssumedBundle,
    BreaksRule,
    CompilerKnows,
    DeclaredOtherwise,
    DoesNotFit,
    InPart,
    KnownByName,
    LeftOut,
    MachineRefuses,
    MachineStops,
    MayNotRead,
    MoreLaunches,
    MoreUnknown,
    Note,
    NotInTarget,
    NotSymbolic,
    OneOrder,
    OnlyACopy,
    OnlyBarriers,
    OnlyThere,
    OpenSide,
    PartialWaves,
    PassedOver,
    PastIterations,
    PointerWithoutModel,
    PoisonRepeats,
    ReadRaces,
    SilentLaunches,
    TargetUnreadable,
    Unconfirmed,
    Unknown,
    UnknownSymbolically,
    UnobservedSymbolically,
    ValueTaken,
    VolatileCopy,
    WhichNaN,
)
from ...semantics.errors import Bound, NoModel, Sampled, SolverGaveUp
from ..parts.endings import words as cut_words


def reason_words(why: Unknown) -> str:
    """Why something is not known."""
    match why:
        case Bound() | Sampled() | NoModel() | SolverGaveUp():
            return cut_words(why)
        case ReadRaces():
            return "threads that race in memory"
        case DeclaredOtherwise(callee):
            return f"@{callee}, which has no model and other attributes than on the other side,"
        case MayNotRead(callee) | OpenSide(MayNotRead(callee), _):
            return f"what @{callee} reads, which has no model,"
        case PointerWithoutModel(callee) | OpenSide(PointerWithoutModel(callee), _):
            return f"@{callee} has no model, and where the pointer goes that it gives"
        case OnlyBarriers(callee) | OpenSide(OnlyBarriers(callee), _):
            return f"calls of @{callee} or another barrier are gone or replaced; what they order is the same"
        case AddressNumber() | OpenSide(AddressNumber(), _):
            return "a result depends on where variables lie, and the two sides have other variables"
        case PoisonRepeats(callee) | OpenSide(PoisonRepeats(callee), _):
            return f"how many different calls of @{callee} those with poison or undef are"
        case KnownByName(callee) | OpenSide(KnownByName(callee), _):
            return f"@{callee} has no model, and LLVM may know what it gives or writes"
        case AnotherObject(callee) | OpenSide(AnotherObject(callee), _):
            return f"@{callee} has no model, and is given another object of which it keeps no address"
        case VolatileCopy(operation) | OpenSide(VolatileCopy(operation), _):
            return f"which accesses a volatile {operation} is, LangRef leaves open"
        case WhichNaN() | OpenSide(WhichNaN(), _):
            return "memory differs in the bits of NaNs, and which of them an operation gives is left open"
        case OnlyThere(callee):
            return f"@{callee}, which has no model and is called on one side only,"
        case ValueTaken("freeze", _):
            return "only some of the values that freeze may give were tried"
        case ValueTaken(_, ()):
            return "undef was taken as 0"
        case ValueTaken(_, read):
            return f"undef was read from {', '.join(read)} and taken as 0"
        case CompilerKnows(callee):
            return f"what @{callee} gives is the compiler's to say, and one answer was taken"
        case AssumedBundle(tag):
            return f'the promise "{tag}" of @llvm.assume was not checked'
        case OneOrder():
            return "threads met in memory, in the machine's order only"
        case MachineRefuses(policy, reason):
            return f"{policy} refuses the program: {reason}"
        case MachineStops(policy, reason):
            return f"{policy}: {reason}"
        case OpenSide(DeclaredOtherwise(callee), _):
            return f"@{callee} has no model, and the two sides declare it with different attributes"
        case OnlyACopy(callee) | OpenSide(OnlyACopy(callee), _):
            return f"one side has a copy of @{callee} (available_externally), and the other only declares it"
        case OpenSide(OnlyThere(callee), side):
            return f"@{callee} has no model, and only the {side} has it"
        case OpenSide(what, side):
            return f"{reason_words(what)} in the {side}"
        case BreaksRule(rule):
            return f"the target breaks {rule}"
        case NotSymbolic(what):
            return f"not supported symbolically: {what}"
        case PastIterations(iterations):
            return f"the target goes past {iterations} iterations"
        case Unconfirmed(arguments, threads):
            where = inputs(dict(arguments))
            return f"z3 tells the two apart {where} with {threads} threads, running them does not confirm it"
        case NotInTarget(function):
            return f"@{function} is not defined in the target"
        case TargetUnreadable(how):
            return f"what the passes made cannot be read: {how}"
        case DoesNotFit(how):
            return how


def inputs(arguments: Mapping[str, Iterable[object]]) -> str:
    """For which inputs: ``for %x=1,2``."""
    assignments = ", ".join(f"{name}={','.join(map(str, values))}" for name, values in arguments.items())
    return f"for {assignments}" if assignments else "without arguments"


def _launches(number: int) -> str:
    return "1 launch" if number == 1 else f"{number} launches"


def note_words(note: Note | str) -> str:
    """A note; what the command line adds has its words already."""
    match note:
        case str():
            return note
        case PartialWaves(size):
            return f"a wave has {size} lanes, of which launches ran fewer"
        case SilentLaunches(silent, launches):
            say = "says" if silent == 1 else "say"
            there = "the source is undefined there, or may run without an end"
            return f"{silent} of {_launches(launches)} {say} nothing: {there}"
        case LeftOut(launches, bound):
            was = "was" if launches == 1 else "were"
            return f"{_launches(launches)} {was} left out: {reason_words(bound)} in the source"
        case PassedOver(launches, bound):
            which = "that have too many executions, or are larger than one that has, were left out"
            if launches == 1:
                which = "that has too many executions, or is larger than one that has, was left out"
            return f"{_launches(launches)} {which}: {reason_words(bound)}"
        case InPart(launches):
            return (
                f"of {_launches(launches)} only some executions of the target were looked at: "
                "each is one of the source's"
            )
        case MoreLaunches(bound):
            return f"what more launches show is not known: {reason_words(bound)}"
        case MoreUnknown(why):
            return f"whether the source does more is not known: {reason_words(why)}"
        case UnobservedSymbolically():
            return "symbolically nothing observable was compared"
        case UnknownSymbolically(why, established):
            return f"symbolically unknown: {None if why is None else reason_words(why)}; {established}"
