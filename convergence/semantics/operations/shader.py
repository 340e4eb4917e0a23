"""Inputs and outputs of a shader's stage: what the environment gives a thread, and what it sees of it.

They are declared functions: what an input returns is given (``--input``) or made up, and an output is an
event (semantics.md, §2). LLVM knows no more of them than their attributes, so both sides of a refinement have
the same ones. An export of AMDGPU's has channels that are switched off: nobody sees what is there.
"""

from __future__ import annotations

import re

from ...ir.calls import callee_name
from ...ir.instructions import CallSite
from ...ir.operands import Int, Simple

_INPUTS = re.compile(
    r"llvm\.(?:dx\.load\.input|amdgcn\.(?:interp\.(?:mov|p1|p2)|lds\.(?:param|direct)\.load))(?:\..*)?"
)
_OUTPUTS = re.compile(r"llvm\.(?:dx\.store\.output|amdgcn\.exp(?:\.compr|\.row)?)(?:\..*)?")
_EXPORT = re.compile(r"llvm\.amdgcn\.exp(\.compr)?(?:\..*)?")


def is_shader_input(name: str) -> bool:
    """Whether a function gives what the stage before, or the rasteriser, computed."""
    return _INPUTS.fullmatch(name) is not None


def is_shader_output(name: str) -> bool:
    """Whether a function hands something on to the next stage."""
    return _OUTPUTS.fullmatch(name) is not None


def unseen(call: CallSite) -> frozenset[int]:
    """The operands of an input or output, by their places, of which nothing depends: constants that say that
    there is none, and what an export's mask leaves out."""
    name = callee_name(call) or ""
    if not (is_shader_input(name) or is_shader_output(name)):
        return frozenset()
    values = [argument.value for argument in call.arguments]
    places = {n for n, v in enumerate(values) if isinstance(v, Simple) and v.kind == "poison"}
    export = _EXPORT.fullmatch(name)
    if export is not None and len(values) > 2 and isinstance(values[1], Int):
        mask, bits = values[1].value, 2 if export[1] else 1
        channels = range(4 // bits)
        places -= {2 + n for n in channels}
        places |= {2 + n for n in channels if not mask >> (n * bits) & ((1 << bits) - 1)}
    return frozenset(places)


def made_up(name: str) -> str:
    """In words, that results of a function were made up."""
    if is_shader_input(name):
        return f"what @{name} gives is an input: it was made up (--input gives something else)"
    return f"@{name} has no model: its results are stand-ins"
