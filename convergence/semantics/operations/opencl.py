"""OpenCL C's subgroup and work-group functions, by the names that clang mangles
(``_Z20sub_group_reduce_addi``).

OpenCL C 3.0, *Subgroup Functions*, *Work-group Collective Functions*, and the extensions
``cl_khr_subgroup_*``, ``cl_khr_work_group_uniform_arithmetic``, ``cl_intel_subgroups``. The mangled name
says what an integer's type does not: whether it has a sign.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ...ir.mangled import MangledName, demangled
from ...ir.resources import is_handle
from ...ir.types import PointerType
from ..memory.synchronisation import ASYNC_DOCUMENT, EVERYWHERE, MemoryFence, Scope
from ..values.value import Pointer, RuntimeValue, any_undef, scalar
from .barriers import always, named_by, waiting
from .collectives import (
    CLUSTERED,
    EXCLUSIVE,
    INCLUSIVE,
    REDUCE,
    above,
    all_the_same,
    any_lane,
    arithmetic,
    below,
    counted,
    extracted_bit,
    from_own,
    highest,
    lane_mask,
    lowest,
    of_mask,
    of_work_item,
    of_workgroup,
    own,
    own_bit,
    rotation,
    two_register_shuffle,
    up_to,
)
from .lanes import (
    ballot,
    broadcast,
    elect,
    everywhere,
    first_of_group,
    lane_by,
    lane_in,
    moving,
    of_one,
    somewhere,
    vote,
)
from .model import (
    ASYNC_COPY,
    ASYNC_WAIT,
    Callee,
    Exchanging,
    Fencing,
    Model,
    Operands,
    Operations,
    Prepare,
    Subgroup,
    Uniform,
)

_KINDS = {
    "reduce": REDUCE,
    "scan_inclusive": INCLUSIVE,
    "scan_exclusive": EXCLUSIVE,
    "clustered_reduce": CLUSTERED,
}
_OPERATIONS = "add|mul|min|max|and|or|xor|logical_and|logical_or|logical_xor"
_REDUCTION_NAME = re.compile(
    rf"(?:intel_)?(sub_group|work_group)_(?:non_uniform_)?({'|'.join(_KINDS)})_({_OPERATIONS})"
)

_NAMED: Mapping[str, Prepare] = {
    "sub_group_all": vote(everywhere),
    "sub_group_any": vote(somewhere),
    "sub_group_non_uniform_all": vote(everywhere),
    "sub_group_non_uniform_any": vote(somewhere),
    "sub_group_non_uniform_all_equal": all_the_same,
    "sub_group_elect": elect,
    "sub_group_broadcast": broadcast(1),
    "intel_sub_group_broadcast": broadcast(1),
    "sub_group_non_uniform_broadcast": broadcast(1),
    "sub_group_broadcast_first": first_of_group(),
    "sub_group_ballot": ballot(),
    "sub_group_inverse_ballot": own_bit,
    "sub_group_ballot_bit_extract": extracted_bit,
    "sub_group_ballot_bit_count": of_mask(any_lane, counted),
    "sub_group_ballot_inclusive_scan": of_mask(up_to, counted),
    "sub_group_ballot_exclusive_scan": of_mask(below, counted),
    "sub_group_ballot_find_lsb": of_mask(any_lane, lowest),
    "sub_group_ballot_find_msb": of_mask(any_lane, highest),
    "get_sub_group_eq_mask": lane_mask(own),
    "get_sub_group_ge_mask": lane_mask(from_own),
    "get_sub_group_gt_mask": lane_mask(above),
    "get_sub_group_le_mask": lane_mask(up_to),
    "get_sub_group_lt_mask": lane_mask(below),
    "sub_group_shuffle": moving(lane_in(1)),
    "sub_group_shuffle_xor": moving(lane_by(1, "xor")),
    "sub_group_shuffle_up": moving(lane_by(1, "sub")),
    "sub_group_shuffle_down": moving(lane_by(1, "add")),
    "sub_group_rotate": rotation(),
    "sub_group_clustered_rotate": rotation(2),
    "intel_sub_group_shuffle": moving(lane_in(1)),
    "intel_sub_group_shuffle_xor": moving(lane_by(1, "xor")),
    "intel_sub_group_shuffle_up": two_register_shuffle(True),
    "intel_sub_group_shuffle_down": two_register_shuffle(False),
    "work_group_all": of_workgroup(vote(everywhere)),
    "work_group_any": of_workgroup(vote(somewhere)),
    "work_group_broadcast": of_workgroup(of_one(of_work_item, 1)),
}


def _opencl_function(callee: Callee) -> Model | None:
    """The model of a mangled name; ``None`` for functions of other kinds."""
    name = demangled(callee.name)
    if name is None:
        return None
    entry = _NAMED.get(name.name) or _arithmetic(name)
    return None if entry is None else entry(callee)


def _arithmetic(name: MangledName) -> Prepare | None:
    """Reductions and scans; the first operand's type says whether integers have a sign."""
    match = _REDUCTION_NAME.fullmatch(name.name)
    if match is None or not name.parameters:
        return None
    group, kind, operation = match.groups()
    prepare = arithmetic(operation, _KINDS[kind], name.parameters[0].signed)
    return of_workgroup(prepare) if group == "work_group" else prepare


def _async_copies(callee: Callee) -> Model | None:

    return async_copies(callee)


OPENCL: Operations = (
    (r"_Z\d+(?:get_|intel_)?(?:sub_group|work_group)_[a-z_]+[A-Z0-9a-z_]*", _opencl_function),
    (r"_Z(?:21async_work_group_copy|29async_work_group_strided_copy)\w+9ocl_event", _async_copies),
    (r"_Z17wait_group_events[ij]P\w*9ocl_event", _async_copies),
)


# ----------------------------------------------------------------------------------------------------------
# OpenCL C's copies by the workgroup: ``async_work_group_copy``, ``async_work_group_strided_copy``, and
# ``wait_group_events``.
#
# OpenCL C 3.0, *Async Copies from Global to Local Memory, Local to Global Memory, and Prefetch*: all
# work-items of a workgroup come to such a call with the same operands, else the results are undefined. So
# they meet there, and a part is copied beside each (:mod:`..instructions.library.opencl_memory`); then a
# thread releases that, and arrives at a barrier that ``wait_group_events`` waits at.
# ----------------------------------------------------------------------------------------------------------

_RELEASE = MemoryFence(True, False, EVERYWHERE, Scope.WORKGROUP, apart=True)
_ACQUIRE = MemoryFence(False, True, EVERYWHERE, Scope.WORKGROUP, apart=True)
_COPIES = Uniform(Scope.WORKGROUP, ASYNC_DOCUMENT, ASYNC_COPY)
_WAITS = Uniform(Scope.WORKGROUP, ASYNC_DOCUMENT, ASYNC_WAIT)
EVENT = 1
"""The address that stands for an event: events are not told apart."""


def _meeting(callee: Callee) -> Model | None:
    """``(target, source, ..., event)``: gives the event that it is given, else a new one."""
    result, d = callee.type.result, callee.context.domain
    if not (isinstance(result, PointerType) or is_handle(result)) or callee.type.parameters[-1] != result:
        return None
    widths = [d.width(callee.context.layout.bits(type_)) for type_ in callee.type.parameters]
    kind = "a strided copy" if "strided" in callee.name else "a copy"

    def require(truth: object, what: str) -> None:
        d.require(truth, f"{kind} by the workgroup with {what}", ASYNC_DOCUMENT)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        for width, *given in zip(widths, *group.values(), strict=True):
            require(not any(map(any_undef, given)), "an undef operand")
            first = scalar(given[0])
            for other in map(scalar, given):
                require(d.negate(other.poison), "a poison operand")
                require(width.eq(first.bits, other.bits), "operands that are not the same in all threads")
        event, width = scalar(next(iter(group.values()))[-1]), widths[-1]
        new = Pointer(width.constant(EVENT), None, d.false)
        return dict.fromkeys(group, d.choose(width.eq(event.bits, width.constant(0)), new, event))

    arrives = Fencing(always(_RELEASE), named_by(ASYNC_WAIT))
    return Exchanging(together, uniform=_COPIES, accesses=True, behind=arrives)


_copy = of_workgroup(_meeting, named_by(ASYNC_COPY))


def _wait(callee: Callee) -> Model | None:
    """``(count, events)``."""
    model = waiting(always(_ACQUIRE), named_by(ASYNC_WAIT))(callee)
    return replace(model, uniform=_WAITS, accesses=True) if isinstance(model, Exchanging) else None


def async_copies(callee: Callee) -> Model | None:
    """The model of one of the three functions, by its mangled name."""
    return _wait(callee) if callee.name.startswith("_Z17wait") else _copy(callee)
