"""Barriers of the workgroup that all its threads, or all of a subgroup, have to come to as one (D-SYNC).

Where a dialect says so, a barrier in divergent control flow is undefined behaviour: OpenCL C,
*Synchronization Functions*; SPIR-V, *OpControlBarrier*; HLSL, *GroupMemoryBarrierWithGroupSync*; WGSL,
*workgroupBarrier*; PTX ISA, *barrier* (``.aligned``). It is looked for when every thread has ended, by what
each has executed: in which order threads come to a barrier says nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...ir import InlineAsm
from ...ir.instructions import CallSite
from ...ir.targets import is_nvptx
from .. import StackEntry, UndefinedBehaviour
from ..memory.synchronisation import ASYNC_DOCUMENT, Scope, ScopeNumbers
from ..operations import ASYNC_COPY, ASYNC_WAIT, Uniform

if TYPE_CHECKING:
    from ...alignment import StaticInstance
    from .program import Program


class UniformBarrier(NamedTuple):
    """A call of such a barrier: its name among the barriers of a workgroup, how the call is called, and what
    the dialect asks for."""

    name: str
    operation: str
    uniform: Uniform


def divergent_barrier(
    program: Program, standings: Mapping[int, ScopeNumbers], executed: Iterable[tuple[int, StaticInstance]]
) -> UndefinedBehaviour | None:
    """What is undefined about the barriers that threads came to; ``standings`` of those that were launched,
    ``executed`` are their instances of convergent operations, each thread's in order."""
    barriers: Mapping[StaticInstance, UniformBarrier] = program.uniform_barriers
    if not barriers or len(standings) < 2:
        return None
    came: dict[tuple[str, Uniform], dict[int, list[StaticInstance]]] = {}
    for thread, site in executed:
        barrier = barriers.get(site)
        if barrier is not None:
            came.setdefault((barrier.name, barrier.uniform), {}).setdefault(thread, []).append(site)
    for (_, uniform), sites in came.items():
        for threads in _partition(standings, uniform.scope):
            undefined = _divergent(program, uniform, threads, sites)
            if undefined is not None:
                return undefined
    return None


def copies_apart(program: Program) -> bool:
    """Whether there are copies by the workgroup in the program, as far as it was prepared, or asynchronous
    ones of NVPTX: these go on beside their threads, and may race with one of them alone."""
    if any(barrier.name == ASYNC_COPY for barrier in program.uniform_barriers.values()):
        return True
    module = program.module
    if any(name.startswith(_COPIES_OF_NVPTX) for name in module.functions):
        return True
    return is_nvptx(module) and any(  # or nothing reads assembly as PTX, and no body has to be read for it
        isinstance(call, CallSite) and isinstance(call.callee, InlineAsm) and _COPY_IN_PTX in call.callee.text
        for function in module.definitions()
        for call in function.instructions
    )


_COPIES_OF_NVPTX = ("llvm.nvvm.cp.async.ca.", "llvm.nvvm.cp.async.cg.")
_COPY_IN_PTX = "cp.async.c"


def unawaited_copy(
    program: Program, executed: Iterable[tuple[int, StaticInstance]]
) -> UndefinedBehaviour | None:
    """What is undefined about a thread that ends and has not waited for its last copy by the workgroup."""
    open_copies: dict[int, StaticInstance] = {}
    for thread, site in executed:
        barrier = program.uniform_barriers.get(site)
        if barrier is not None and barrier.name == ASYNC_COPY:
            open_copies[thread] = site
        elif barrier is not None and barrier.name == ASYNC_WAIT:
            open_copies.pop(thread, None)
    if not open_copies:
        return None
    thread, site = min(open_copies.items())
    reason = f"the thread ends without waiting for {program.uniform_barriers[site].operation}"
    stack = (StackEntry(site.function, site, program.span(site)),)
    return UndefinedBehaviour(reason, ASYNC_DOCUMENT, thread, stack)


def _partition(standings: Mapping[int, ScopeNumbers], scope: Scope) -> Iterable[Sequence[int]]:
    """The threads of each workgroup, or of each launch group."""
    partition: dict[int, list[int]] = {}
    for thread, standing in standings.items():
        number = standing.workgroup if scope is Scope.WORKGROUP else standing.launch
        partition.setdefault(number, []).append(thread)
    return partition.values()


def _divergent(
    program: Program, uniform: Uniform, threads: Sequence[int], sites: Mapping[int, Sequence[StaticInstance]]
) -> UndefinedBehaviour | None:
    """The first barrier to which these threads do not come as one. Where only a subgroup has to, threads that
    have ended need not come."""
    for nth in range(max((len(sites.get(thread, ())) for thread in threads), default=0)):
        here: dict[StaticInstance | None, list[int]] = {}
        for thread in threads:
            own = sites.get(thread, ())
            here.setdefault(own[nth] if nth < len(own) else None, []).append(thread)
        if uniform.scope is not Scope.WORKGROUP:
            here.pop(None, None)
        if len(here) > 1:
            return _undefined(program, uniform, nth, here)
    return None


def _undefined(
    program: Program, uniform: Uniform, nth: int, here: Mapping[StaticInstance | None, Sequence[int]]
) -> UndefinedBehaviour:
    first, site = min((threads[0], site) for site, threads in here.items() if site is not None)
    places = []
    for place, threads in sorted(here.items(), key=lambda entry: entry[1][0]):
        threads_in_words = f"thread{'s' * (len(threads) > 1)} {_ranges(threads)}"
        barrier = None if place is None else program.uniform_barriers[place].operation
        places.append(
            f"{threads_in_words} ended without another"
            if barrier is None
            else f"{threads_in_words} came to {barrier}"
        )
    reason = f"{uniform.kind} {nth + 1} of the workgroup is in divergent control flow: {', '.join(places)}"
    stack = (StackEntry(site.function, site, program.span(site)),)
    return UndefinedBehaviour(reason, uniform.document, first, stack)


def _ranges(numbers: Sequence[int]) -> str:
    """``0-3, 8``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
