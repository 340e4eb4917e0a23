"""Calls, with their arguments and operand bundles; two of them end a block."""

from __future__ import annotations

from dataclasses import field

from ...frozen import dataclass
from ...source import NOWHERE, Span
from ..operands import Operand
from ..types import FunctionType
from .base import Instruction, Words


@dataclass(frozen=True, slots=True)
class Argument:
    """An actual argument and its parameter attributes."""

    value: Operand
    attributes: Words = ()


@dataclass(frozen=True, slots=True)
class Bundle:
    """``"tag"(inputs...)``, an operand bundle."""

    tag: str
    inputs: tuple[Operand, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class CallSite(Instruction):
    """What ``call``, ``invoke`` and ``callbr`` share.

    ``marker`` is ``tail``, ``musttail``, ``notail`` or ``""``; ``convention`` the calling
    convention's words (``("cc", "10")`` or ``("spir_func",)``); ``address_space`` that of the
    callee or ``None``; ``explicit_type`` whether the text spelled the whole function type;
    ``ellipsis`` whether the arguments end in ``...`` (a ``musttail`` call that forwards the rest).
    """

    callee: Operand
    type: FunctionType
    arguments: tuple[Argument, ...] = ()
    bundles: tuple[Bundle, ...] = ()
    attributes: Words = ()
    return_attributes: Words = ()
    convention: Words = ()
    fast_math: Words = ()
    marker: str = ""
    address_space: int | str | None = None
    explicit_type: bool = False
    ellipsis: bool = False


@dataclass(frozen=True, slots=True)
class Call(CallSite):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoke(CallSite):
    normal: str
    unwind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBr(CallSite):
    fallthrough: str
    indirect: tuple[str, ...]
