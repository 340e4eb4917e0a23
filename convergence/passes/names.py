"""LLVM's textual pipelines, as far as llvmlite's pass builder offers them.

The names are those of ``opt -passes=``; the grammar is that of LLVM's *PassBuilder*: elements separated by
commas, with parameters in ``<>`` and nested pipelines in ``()``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..frozen import dataclass

MODULE: Mapping[str, str] = {
    "always-inline": "add_always_inliner_pass",
    "constmerge": "add_constant_merge_pass",
    "deadargelim": "add_dead_arg_elimination_pass",
    "globaldce": "add_global_dead_code_eliminate_pass",
    "globalopt": "add_global_opt_pass",
    "internalize": "add_internalize_pass",
    "ipsccp": "add_ipsccp_pass",
    "loop-extract": "add_loop_extract_pass",
    "mergefunc": "add_merge_functions_pass",
    "partial-inliner": "add_partial_inliner_pass",
    "rpo-function-attrs": "add_rpo_function_attrs_pass",
    "strip": "add_strip_symbols_pass",
    "strip-dead-debug-info": "add_strip_dead_debug_info_pass",
    "strip-dead-prototypes": "add_strip_dead_prototype_pass",
    "strip-debug-declare": "add_strip_debug_declare_pass",
    "strip-nondebug": "add_strip_non_debug_symbols_pass",
}
CGSCC: Mapping[str, str] = {
    "argpromotion": "add_argument_promotion_pass",
    "function-attrs": "add_post_order_function_attributes_pass",
}
FUNCTION: Mapping[str, str] = {
    "adce": "add_aggressive_dce_pass",
    "aggressive-instcombine": "add_aggressive_instcombine_pass",
    "break-crit-edges": "add_break_critical_edges_pass",
    "dce": "add_dead_code_elimination_pass",
    "dse": "add_dead_store_elimination_pass",
    "instcombine": "add_instruction_combine_pass",
    "instnamer": "add_instruction_namer_pass",
    "jump-threading": "add_jump_threading_pass",
    "lcssa": "add_lcssa_pass",
    "loop-simplify": "add_loop_simplify_pass",
    "loop-unroll": "add_loop_unroll_pass",
    "loop-unroll-and-jam": "add_loop_unroll_and_jam_pass",
    "lower-atomic": "add_lower_atomic_pass",
    "lower-invoke": "add_lower_invoke_pass",
    "lower-switch": "add_lower_switch_pass",
    "memcpyopt": "add_mem_copy_opt_pass",
    "mergereturn": "add_unify_function_exit_nodes_pass",
    "newgvn": "add_new_gvn_pass",
    "reassociate": "add_reassociate_pass",
    "reg2mem": "add_register_to_memory_pass",
    "sccp": "add_sccp_pass",
    "simplifycfg": "add_simplify_cfg_pass",
    "sink": "add_sinking_pass",
    "sroa<preserve-cfg>": "add_sroa_pass",
    "tailcallelim": "add_tail_call_elimination_pass",
}
LOOP: Mapping[str, str] = {
    "loop-deletion": "add_loop_deletion_pass",
    "loop-reduce": "add_loop_strength_reduce_pass",
    "loop-rotate": "add_loop_rotate_pass",
}

NEARLY: Mapping[str, str] = {"sroa": "sroa<preserve-cfg>"}
"""What ``opt`` runs in another form than the only one that llvmlite has."""

_LEVEL = re.compile(r"default<O([0-3])>\Z")
_SHORT = re.compile(r"-?O([0-3sz])\Z")
_NESTS = {"module": MODULE, "cgscc": CGSCC, "function": FUNCTION, "loop": LOOP}


@dataclass(frozen=True, slots=True)
class PassStep:
    """One element: ``name`` as in the pipeline; ``level`` of a default pipeline, or llvmlite's ``method``."""

    name: str
    level: int | None = None
    method: str | None = None


@dataclass(frozen=True, slots=True)
class PassPlan:
    """A pipeline that llvmlite offers. ``differs`` says where ``opt`` would do otherwise: it runs several
    loop passes in a row loop by loop, and llvmlite has one form of a pass only."""

    steps: tuple[PassStep, ...]
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotOffered:
    """The first element of a pipeline that llvmlite does not offer."""

    element: str


def normal(pipeline: str) -> str:
    """A pipeline as ``opt`` writes it: ``-O1`` and ``O1`` are ``default<O1>``, and no blanks.

    >>> normal(" O2 , simplifycfg")
    'default<O2>,simplifycfg'
    """
    parts = ["".join(part.split()) for part in split(pipeline)]
    return ",".join(_SHORT.sub(r"default<O\1>", part) for part in parts)


def split(pipeline: str) -> list[str]:
    """The elements of a pipeline: parts between commas outside ``<>`` and ``()``."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(pipeline):
        if sign in "<(":
            depth += 1
        elif sign in ">)":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(pipeline[start:at])
            start = at + 1
    parts.append(pipeline[start:])
    return parts


def plan(pipeline: str) -> PassPlan | NotOffered:
    """How llvmlite runs a pipeline, or what in it that does not offer.

    Function passes in a row run one after the other over all functions, where ``opt`` takes function by
    function: the same, as such a pass neither changes nor reads another function's body.
    """
    steps: list[PassStep] = []
    differs: list[str] = []
    for element in split(pipeline):
        step = _step(element)
        if isinstance(step, NotOffered):
            return step
        differs += step.differs
        if steps and steps[-1].name in LOOP and step.steps and step.steps[0].name in LOOP:
            differs.append(_IN_A_ROW)
        steps += step.steps
    return PassPlan(tuple(steps), tuple(dict.fromkeys(differs)))


_IN_A_ROW = "passes of a nest ran one after the other over the whole module"


def _step(element: str) -> PassPlan | NotOffered:
    if match := _LEVEL.match(element):
        return PassPlan((PassStep(element, level=int(match[1])),))
    if element == "no-op-module":
        return PassPlan(())
    name, bracket, rest = element.partition("(")
    if bracket and name in _NESTS and rest.endswith(")"):
        inner = plan(rest[:-1])
        if isinstance(inner, NotOffered) or len(inner.steps) < 2 or name in ("module", "function"):
            return inner
        return PassPlan(inner.steps, tuple(dict.fromkeys((*inner.differs, _IN_A_ROW))))
    if element in NEARLY:
        other = NEARLY[element]
        return PassPlan((PassStep(element, method=FUNCTION[other]),), (f"{element} ran as {other}",))
    for table in _NESTS.values():
        if element in table:
            return PassPlan((PassStep(element, method=table[element]),))
    return NotOffered(element)


def offered() -> tuple[str, ...]:
    """Every element that llvmlite offers, in order."""
    single = [name for table in _NESTS.values() for name in table]
    return (*(f"default<O{level}>" for level in range(4)), *sorted([*single, *NEARLY]))
