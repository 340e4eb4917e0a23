"""Programs whose executions can be argued by hand, with what they give: the oracle's own test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .synchronisation import UNDEF, Content
from .synchronisation_model import (
    Call,
    FenceInstruction,
    If,
    Load,
    Op,
    Place,
    Program,
    Store,
    Update,
    Variable,
    Vote,
)

TILE = Variable("tile", 3, 4, 2, 0)
DATA = Variable("data", 1, 4, 1, 0)
SHARED = Variable("shared", 3, 4, 1, 0)
FLAG = Variable("flag", 1, 4, 1, 0)
OTHER = Variable("other", 1, 4, 1, 0)
Returned = tuple[tuple[Content, ...], ...]


@dataclass(frozen=True)
class Known:
    """``returned``: what the threads return, in all executions; ``races``: the variables."""

    program: Program
    returned: frozenset[Returned]
    races: frozenset[str] = frozenset()


def at(variable: Variable, element: Literal["first", "own", "peer"] = "first") -> Place:
    return Place(variable, element, 0, variable.size)


def two(*ops: Op, variables: tuple[Variable, ...], size: int | None = None) -> Program:
    """Thread 0 with argument 1, thread 1 with argument 0."""
    return Program(variables, ops, (1, 0), size, True)


def tile(*between: Op, size: int | None = None) -> Program:
    """Each thread writes its element, and behind something reads the other's."""
    return two(
        Store(at(TILE, "own"), 5, None, None),
        *between,
        Load("r1", at(TILE, "peer"), None, None),
        variables=(TILE,),
        size=size,
    )


def message(
    release: tuple[Op, ...], flag: str, seen: str, acquire: tuple[Op, ...], data: Variable = DATA
) -> Program:
    """Thread 0 writes data and the flag, thread 1 reads the flag and, if it is up, the data."""
    return two(
        If(
            None,
            0,
            (Store(at(data), 7, None, None), *release, Store(at(FLAG), 1, flag, None)),
            (
                Load("r1", at(FLAG), seen, None),
                If("r1", 0, (*acquire, Load("r2", at(data), None, None))),
            ),
        ),
        variables=(data, FLAG),
    )


BARE = Call("llvm.amdgcn.s.barrier", (), True)
RELEASE = FenceInstruction("release", None, ())
ACQUIRE = FenceInstruction("acquire", None, ())
EXCHANGED = frozenset({((5,), (5,))})
UNORDERED = frozenset({((UNDEF,), (UNDEF,))})
SEEN: frozenset[Returned] = frozenset({((0, 0), (0, 0)), ((0, 0), (1, 7))})
"""The flag is down, or it is up and so is the data."""
MISSED: frozenset[Returned] = frozenset({((0, 0), (0, 0)), ((0, 0), (1, UNDEF))})


def _call(callee: str, *operands: int) -> Call:
    return Call(callee, operands, True)


def _tags(ordering: str, *tags: Literal["local", "global"]) -> FenceInstruction:
    return FenceInstruction(ordering, None, tags)


KNOWN: dict[str, Known] = {
    "nothing": Known(tile(), UNORDERED, frozenset({"tile"})),
    "cta barrier": Known(tile(_call("llvm.nvvm.barrier.cta.sync.aligned.all", 0)), EXCHANGED),
    "OpenCL local barrier": Known(tile(_call("_Z7barrierj", 1)), EXCHANGED),
    "OpenCL global barrier": Known(tile(_call("_Z7barrierj", 2)), UNORDERED, frozenset({"tile"})),
    "OpenCL barrier without flags": Known(tile(_call("_Z7barrierj", 0)), UNORDERED, frozenset({"tile"})),
    "sub-group barrier": Known(tile(_call("_Z17sub_group_barrierj", 1)), EXCHANGED),
    "sub-group barrier in two sub-groups": Known(
        tile(_call("_Z17sub_group_barrierj", 1), size=1), UNORDERED, frozenset({"tile"})
    ),
    "launch groups meet at a barrier of the workgroup": Known(
        tile(_call("_Z7barrierj", 1), size=1), EXCHANGED
    ),
    "SPIR-V barrier, acquire and release": Known(
        tile(_call("__spirv_ControlBarrier", 2, 2, 0x108)), EXCHANGED
    ),
    "SPIR-V barrier, release only": Known(
        tile(_call("__spirv_ControlBarrier", 2, 2, 0x104)), UNORDERED, frozenset({"tile"})
    ),
    "bare barrier": Known(tile(BARE), UNORDERED, frozenset({"tile"})),
    "fences around a bare barrier": Known(tile(RELEASE, BARE, ACQUIRE), EXCHANGED),
    "the wrong fences": Known(tile(ACQUIRE, BARE, RELEASE), UNORDERED, frozenset({"tile"})),
    "local fences": Known(tile(_tags("release", "local"), BARE, _tags("acquire", "local")), EXCHANGED),
    "global fences": Known(
        tile(_tags("release", "global"), BARE, _tags("acquire", "global")), UNORDERED, frozenset({"tile"})
    ),
    "fences around a vote": Known(
        tile(RELEASE, Vote("r0", 1), ACQUIRE), frozenset({((2, UNDEF), (2, UNDEF))}), frozenset({"tile"})
    ),
    "fences of the own thread": Known(
        tile(FenceInstruction("release", "singlethread", ()), BARE, ACQUIRE), UNORDERED, frozenset({"tile"})
    ),
    "message, release and acquire": Known(message((), "release", "acquire", ()), SEEN),
    "message, fences": Known(message((RELEASE,), "monotonic", "monotonic", (ACQUIRE,)), SEEN),
    "message, mixed": Known(message((RELEASE,), "monotonic", "acquire", ()), SEEN),
    "message, no release": Known(message((), "monotonic", "acquire", ()), MISSED, frozenset({"data"})),
    "message, no acquire": Known(message((), "release", "monotonic", ()), MISSED, frozenset({"data"})),
    "message, global fences for local data": Known(
        message((_tags("release", "global"),), "monotonic", "monotonic", (ACQUIRE,), SHARED),
        MISSED,
        frozenset({"shared"}),
    ),
    "two sides of a store buffer": Known(
        two(
            If(
                None,
                0,
                (Store(at(FLAG), 1, "monotonic", None), Load("r1", at(OTHER), "monotonic", None)),
                (Store(at(OTHER), 1, "monotonic", None), Load("r2", at(FLAG), "monotonic", None)),
            ),
            variables=(FLAG, OTHER),
        ),
        frozenset({((0, 0), (0, 1)), ((1, 0), (0, 0)), ((1, 0), (0, 1))}),
    ),
    "a write behind the read races": Known(
        two(
            If(None, 0, (Load("r1", at(DATA), None, None),), (Store(at(DATA), 1, None, None),)),
            variables=(DATA,),
        ),
        frozenset({((UNDEF,), (0,))}),
        frozenset({"data"}),
    ),
    "a write that depends on the read": Known(
        two(
            If(
                None,
                0,
                (Load("r1", at(DATA), None, None), Store(at(FLAG), 1, "monotonic", None)),
                (
                    Load("r2", at(FLAG), "monotonic", None),
                    If("r2", 0, (Store(at(DATA), 1, None, None),)),
                ),
            ),
            variables=(DATA, FLAG),
        ),
        frozenset({((0, 0), (0, 0)), ((0, 0), (0, 1))}),
        frozenset({"data"}),
    ),
    "two writes race, and both are read": Known(
        two(
            Store(at(TILE), "arg", None, None),
            _call("_Z7barrierj", 1),
            Load("r1", at(TILE), None, None),
            variables=(TILE,),
        ),
        UNORDERED,
        frozenset({"tile"}),
    ),
    "a write of the own thread behind the read hides no other": Known(
        two(
            Store(at(DATA), 2, None, None),
            Load("r1", at(DATA), None, None),
            Store(at(DATA), 3, None, None),
            variables=(DATA,),
        ),
        UNORDERED,
        frozenset({"data"}),
    ),
    "a later atomic write of the same thread hides none before it": Known(
        two(
            Store(at(TILE, "own"), 1, None, None),
            Update("r1", at(TILE, "own"), "xchg", 3, 0, "monotonic", None),
            Load("r2", at(TILE, "peer"), "monotonic", None),
            variables=(TILE,),
        ),
        frozenset({((1, UNDEF), (1, UNDEF))}),
        frozenset({"tile"}),
    ),
    "a bare barrier passes on that there was a read": Known(
        two(Load("r1", at(DATA), None, None), BARE, Store(at(DATA), 2, None, None), variables=(DATA,)),
        frozenset({((0,), (0,)), ((0,), (UNDEF,)), ((UNDEF,), (0,))}),
        frozenset({"data"}),
    ),
    "what gave undef passes nothing on": Known(
        two(
            Load("r1", at(DATA), None, None),
            Load("r2", at(DATA), "acquire", None),
            Store(at(DATA), "arg", None, None),
            variables=(DATA,),
        ),
        frozenset({((UNDEF, UNDEF), (UNDEF, UNDEF))}),
        frozenset({"data"}),
    ),
    "an exchange that acquires is behind what it acquires": Known(
        two(
            Load("r1", at(DATA), None, None),
            Update("r2", at(DATA), "xchg", 2, 0, "acq_rel", None),
            variables=(DATA,),
        ),
        frozenset({((0, 0), (UNDEF, 2)), ((UNDEF, 2), (0, 0))}),
        frozenset({"data"}),
    ),
    "an exchange depends on what it reads": Known(
        two(
            Load("r1", at(DATA), None, None),
            Update("r2", at(DATA), "xchg", 2, 0, "monotonic", None),
            variables=(DATA,),
        ),
        frozenset({((0, 0), (UNDEF, 2)), ((UNDEF, 2), (0, 0))}),
        frozenset({"data"}),
    ),
    "an addition depends on what it reads": Known(
        two(
            Load("r1", at(DATA), None, None),
            Update("r2", at(FLAG), "add", 2, 0, "monotonic", None),
            Store(at(DATA), 8, None, None),
            variables=(DATA, FLAG),
        ),
        frozenset({((0, 0), (UNDEF, 2)), ((UNDEF, 2), (0, 0))}),
        frozenset({"data"}),
    ),
    "an exchange that synchronises, and a write": Known(
        two(
            Update("r1", at(DATA), "xchg", 0, 0, "acq_rel", None),
            Store(at(DATA), 0, None, None),
            variables=(DATA,),
        ),
        frozenset({((UNDEF,), (UNDEF,)), ((UNDEF,), (0,)), ((0,), (UNDEF,))}),
        frozenset({"data"}),
    ),
    "who wrote what was read decides whether it races": Known(
        two(
            If(
                None,
                0,
                (
                    Store(at(DATA), 7, None, None),
                    Store(at(FLAG), 1, "monotonic", None),
                    Store(at(FLAG), 1, "release", None),
                ),
                (
                    Load("r1", at(FLAG), "acquire", None),
                    If("r1", 0, (Load("r2", at(DATA), None, None),)),
                ),
            ),
            variables=(DATA, FLAG),
        ),
        SEEN | MISSED,
        frozenset({"data"}),
    ),
    "each adds one": Known(
        two(Update("r1", at(FLAG), "add", 1, 0, "monotonic", None), variables=(FLAG,)),
        frozenset({((0,), (1,)), ((1,), (0,))}),
    ),
    "the last of two reads what the first wrote": Known(
        two(
            Store(at(TILE, "own"), 5, None, None),
            Update("r1", at(FLAG), "add", 1, 0, "acq_rel", None),
            If("r1", 0, (Load("r2", at(TILE, "peer"), None, None),)),
            variables=(TILE, FLAG),
        ),
        frozenset({((0, 0), (1, 5)), ((1, 5), (0, 0))}),
    ),
}
