"""Which functions ``refine`` compares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .exits import InputError
from .load import Loaded

if TYPE_CHECKING:
    from ..ir.instructions import CallSite
    from ..ir.module import Function, Module

SRC, TGT = "src", "tgt"
LOCAL = frozenset(("internal", "private"))


@dataclass(frozen=True, slots=True)
class Pair:
    """A function of the source, and the one of the target that it is compared with."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """What is compared, and what to know about what is not. ``missing`` are functions of the source that have
    convergent operations or effects, and are not in the target: whether it does what they do is unknown."""

    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def pairs(loaded: Loaded, target: Module, one_file: bool, function: str | None, other: str | None) -> Pairs:
    """The pairs to compare, in the source's order.

    Named ones if the user named any; ``@src`` and ``@tgt`` where one file holds both; else every function
    that both modules define and that has convergent operations or effects, or all if none has. A function
    that only its module can call is compared within its callers, unless nothing else is there.

    :raises InputError: if there is nothing to compare
    """
    source = loaded.module
    names = _defined(source)
    if function is not None or other is not None or one_file:
        return Pairs((_named(loaded, target, one_file, function, other),))
    theirs = _defined(target)
    both = [name for name in names if name in theirs]
    if not both:
        if len(names) == len(theirs) == 1:
            return Pairs((Pair(names[0], theirs[0]),))
        if SRC in names and TGT in theirs:
            return Pairs((Pair(SRC, TGT),))
        why = "no function is defined in both: name two with --function @f --target-function @g"
        raise InputError(loaded.name, why)
    seen = [name for name in both if not _is_local(source.functions[name])] or both
    chosen = [name for name in seen if acts(source, source.functions[name])] or seen
    lost = [name for name in names if name not in theirs and not _is_local(source.functions[name])]
    missing = [name for name in lost if acts(source, source.functions[name])]
    notes = [f"@{name} is not defined in the target: not compared" for name in lost if name not in missing]
    new = [name for name in theirs if name not in names and not _is_local(target.functions[name])]
    renamed = [name for name in new if acts(target, target.functions[name])]
    more: tuple[Pair, ...] = ()
    if len(missing) == len(renamed) == 1:
        more = (Pair(missing.pop(), renamed[0]),)
        chosen = [name for name in chosen if acts(source, source.functions[name])]
    if len(chosen) < len(seen):
        left = ", ".join(f"@{name}" for name in seen if name not in chosen)
        notes.append(f"not compared, for neither convergent operations nor effects are in them: {left}")
    return Pairs((*(Pair(name, name) for name in chosen), *more), tuple(notes), tuple(missing))


def _defined(module: Module) -> list[str]:
    return [function.name for function in module.definitions()]


def _is_local(function: Function) -> bool:
    return not LOCAL.isdisjoint(function.words)


def _named(loaded: Loaded, target: Module, one_file: bool, function: str | None, other: str | None) -> Pair:
    """The pair that the user named, or ``@src`` and ``@tgt`` of one file."""
    first = None if function is None else function.removeprefix("@")
    second = None if other is None else other.removeprefix("@")
    if one_file:
        first = first or SRC
        second = second or TGT
    first, second = first or second, second or first
    assert first is not None and second is not None
    for name, module, side in ((first, loaded.module, "source"), (second, target, "target")):
        if name not in _defined(module):
            if one_file and function is None and other is None:
                why = "it holds no @src and @tgt: give TGT, or --passes PIPELINE, or name two functions"
                raise InputError(loaded.name, why)
            raise InputError(loaded.name, f"the {side} defines no function @{name}")
    return Pair(first, second)


def acts(module: Module, function: Function) -> bool:
    """Whether a function has convergent operations or effects: a call that is an event, a store, an
    atomic or volatile access."""
    from ..ir import instructions as ir
    from ..ir.calls import is_convergent

    for instruction in function.instructions:
        match instruction:
            case ir.CallSite():
                if is_convergent(module, instruction) or not _does_nothing(module, instruction):
                    return True
            case ir.Load():
                if instruction.volatile or instruction.ordering is not None:
                    return True
            case ir.Store() | ir.AtomicRMW() | ir.CmpXchg() | ir.Fence() | ir.VAArg():
                return True
    return False


def _does_nothing(module: Module, call: CallSite) -> bool:
    """Whether attributes promise that a call only gives its result, and does not look at memory for it."""
    from ..ir.calls import callee_name
    from ..semantics.effects import effects_of

    name = callee_name(call)
    words = (*module.resolve(call.attributes), *(() if name is None else module.function_attributes(name)))
    return not effects_of(words).is_event(reading=True)
