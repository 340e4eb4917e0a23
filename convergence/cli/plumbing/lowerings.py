"""What ``refine --lowered NAME`` takes: one open table from targets to what lowers a module for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...ir.module import Function, Module


@dataclass(frozen=True, slots=True)
class Lowered:
    """A module's ``text`` in LLVM IR as a target's back end has it, made ``by`` whom; ``source`` is what it
    is held against. ``machine``: the lock-step machine that runs the text, ``None``: the engines that run
    the source, too."""

    source: Module
    text: str
    by: str
    machine: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoweringRequest:
    """What the user says of it: optimisation ``level`` (0 to 3), the ``llc`` to run, ``flags`` for it, and
    the ``timeout`` in seconds."""

    level: int = 2
    llc: str | None = None
    flags: Sequence[str] = ()
    timeout: float = 60.0


Lowering = Callable[["Module", LoweringRequest], Lowered]
"""Raises PassFailed."""


def _amdgcn(cpu: str | None) -> Lowering:
    """AMDGPU's control flow as operations on exec; for a processor, which says how many lanes a wave has,
    where the functions do not name one."""

    def lower(module: Module, request: LoweringRequest) -> Lowered:
        from ...passes.annotated import LAST, annotated
        from ...passes.outside import PassFailed

        triple = module.triple or ""
        if triple and not triple.startswith(("amdgcn", "amdgpu")):
            raise PassFailed(f"the module is for {triple}, not for amdgcn", "refused")
        flags = request.flags if cpu is None else (f"-mcpu={cpu}", *request.flags)
        text = module.source.text
        made = annotated(text, level=request.level, llc=request.llc, flags=flags, timeout=request.timeout)
        source = module if cpu is None else _for_processor(module, cpu)
        notes = (f"-O{request.level}, stopped after {LAST}",)
        return Lowered(source, made.text, made.by, "exec-amdgcn", notes)

    return lower


def _for_processor(module: Module, cpu: str) -> Module:
    """The module whose definitions are for a processor, where they do not say for which."""
    from ...ir.waves import string_attribute

    def named(function: Function) -> Function:
        words = module.resolve(function.attributes)
        if function.is_declaration or string_attribute(words, "target-cpu") is not None:
            return function
        return replace(function, attributes=(*function.attributes, f'"target-cpu"="{cpu}"'))

    return replace(module, functions={name: named(f) for name, f in module.functions.items()})


LOWERINGS: Mapping[str, Lowering] = {
    "amdgcn": _amdgcn(None),
    "amdgcn-wave32": _amdgcn("gfx1030"),
    "amdgcn-wave64": _amdgcn("gfx900"),
}
"""By the name that the option takes."""
