"""What a transform says about what it did and what it left alone."""

from __future__ import annotations

from typing import Literal

from ..frozen import dataclass
from ..ir import instructions as ir
from ..ir.calls import CONTROL_BUNDLE, unfit
from ..ir.instructions import CallSite, Instruction
from ..ir.module import Function, Module
from .rewrite import addressed_blocks

Kind = Literal["changed", "kept", "refused"]
"""``changed``: what was done. ``kept``: what needed nothing. ``refused``: what cannot be done, and why."""


@dataclass(frozen=True, slots=True)
class Note:
    """One sentence about ``@function``; ``operation`` names the call (``%x`` or ``@callee#k``)."""

    kind: Kind
    function: str
    words: str
    operation: str | None = None

    def __str__(self) -> str:
        at = "" if self.operation is None else f", {self.operation}"
        return f"@{self.function}{at}: {self.words}"


@dataclass(frozen=True, slots=True)
class Transformed:
    """A module after a transform, and what there is to say about it.

    Instructions that were there before keep their spans, which are places in the text that was read.
    """

    module: Module
    notes: tuple[Note, ...]


class CannotTransform(Exception):
    """A function has something that the transform cannot take; ``words`` name it."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


# -- What cannot be inlined, by name: calls and bodies whose meaning a plain copy would not keep

_REPLACEABLE = ("weak", "linkonce", "extern_weak", "common")
_PASSED = ("byval", "inalloca", "preallocated", "swifterror", "swiftasync", "nest")
_EXCEPTIONS = (
    ir.Invoke, ir.LandingPad, ir.Resume, ir.CatchSwitch, ir.CatchPad, ir.CatchRet, ir.CleanupPad,
    ir.CleanupRet,
)  # fmt: skip
_NAMED: tuple[tuple[type[Instruction] | tuple[type[Instruction], ...], str], ...] = (
    (_EXCEPTIONS, "its exceptions are not handled here"),
    (ir.CallBr, "it has a callbr"),
    (ir.IndirectBr, "it has an indirectbr"),
    (ir.VAArg, "it reads variable arguments"),
)


def refused_call(call: CallSite, callee: Function) -> str | None:
    """Why a call cannot be replaced by a body, whatever that holds; ``None`` if it can."""
    match call:
        case ir.Invoke():
            return "the call is an invoke"
        case ir.CallBr():
            return "the call is a callbr"
        case _:
            pass
    if (part := unfit(call, callee)) is not None:
        return f"the call's {part} is not the function's, which is undefined behaviour"
    for bundle in call.bundles:
        if bundle.tag != CONTROL_BUNDLE:
            return f'the call has a bundle "{bundle.tag}"'
    return None


def refused_body(callee: Function) -> str | None:
    """Why a body cannot be copied into another function; ``None`` if it can."""
    for word in callee.words:
        if word in _REPLACEABLE:
            return f"it is {word}: another definition may take its place"
    if callee.type.variadic:
        return "it takes variable arguments"
    for parameter in callee.parameters:
        for attribute in parameter.attributes:
            if attribute.split("(")[0] in _PASSED:
                return f"its parameter %{parameter.name} is {attribute.split('(')[0]}"
    for instruction in callee.instructions:
        for kind, words in _NAMED:
            if isinstance(instruction, kind):
                return words
        if isinstance(instruction, ir.Call) and instruction.marker == "musttail":
            return "it makes a musttail call"
        if isinstance(instruction, ir.Alloca) and instruction.flags:
            return f"it has an alloca that is {instruction.flags[0]}"
    if addressed_blocks(callee):
        return "it takes the address of one of its blocks"
    return None
