"""What ``refine --lowered NAME`` takes: one open table from targets to what lowers a module for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...frozen import dataclass
from ...vulkan import VULKAN, VULKAN_TRIPLE

if TYPE_CHECKING:
    from ...ir.module import Function, Module
    from ...semantics.operations.model import Prepare


@dataclass(frozen=True, slots=True)
class LoweredModule:
    """A module's ``text`` in LLVM IR as a target's back end has it, made ``by`` whom; ``source`` is what it
    is held against. ``machine``: the lock-step machine that runs the text, ``None``: the engines that run
    the source, too. ``complaints``: what breaks the rules of the target's own format, and who says so."""

    source: Module
    text: str
    by: str
    machine: str | None
    notes: tuple[str, ...] = ()
    complaints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoweringRequest:
    """What the user says of it: optimisation ``level`` (0 to 3), the ``llc`` to run, ``flags`` for it, and
    the ``timeout`` in seconds."""

    level: int = 2
    llc: str | None = None
    flags: Sequence[str] = ()
    timeout: float = 60.0


Lowering = Callable[["Module", LoweringRequest], LoweredModule]
"""Raises PassFailed."""


def _amdgcn(cpu: str | None) -> Lowering:
    """AMDGPU's control flow as operations on exec; for a processor, which says how many lanes a wave has,
    where the functions do not name one."""

    def lower(module: Module, request: LoweringRequest) -> LoweredModule:
        from ...passes.compilers import LAST, annotated
        from ...passes.outside import PassFailed

        triple = module.triple or ""
        if triple and not triple.startswith(("amdgcn", "amdgpu")):
            raise PassFailed(f"the module is for {triple}, not for amdgcn", "refused")
        flags = request.flags if cpu is None else (f"-mcpu={cpu}", *request.flags)
        text = module.source.text
        lowering = annotated(text, level=request.level, llc=request.llc, flags=flags, timeout=request.timeout)
        source = module if cpu is None else _for_processor(module, cpu)
        notes = (f"-O{request.level}, stopped after {LAST}",)
        return LoweredModule(source, lowering.text, lowering.by, "exec-amdgcn", notes)

    return lower


def _for_processor(module: Module, cpu: str) -> Module:
    """The module whose definitions are for a processor, where they do not say for which."""
    from ...ir.targets import string_attribute

    def named(function: Function) -> Function:
        words = module.resolve(function.attributes)
        if function.is_declaration or string_attribute(words, "target-cpu") is not None:
            return function
        return replace(function, attributes=(*function.attributes, f'"target-cpu"="{cpu}"'))

    return replace(module, functions={name: named(f) for name, f in module.functions.items()})


def _spirv(triple: str, environment: str) -> Lowering:
    """SPIR-V, as its reader has it."""

    def lower(module: Module, request: LoweringRequest) -> LoweredModule:
        from ...passes.compilers import invalid
        from ...passes.compilers import lower as lowered
        from ...passes.outside import PassFailed
        from ...spirv import NotCovered, NotSPIRV, translate
        from ...spirv.structured import violations

        there = module.triple or ""
        if there and not there.startswith("spirv"):
            raise PassFailed(f"the module is for {there}, not for SPIR-V", "refused")
        lowering = lowered(
            module.source.text, None if there else triple, level=request.level, llc=request.llc,
            flags=request.flags, timeout=request.timeout,
        )  # fmt: skip
        fault = invalid(lowering.data, environment)
        complaints = () if fault is None else (f"the module that LLVM made is not valid: spirv-val: {fault}",)
        text = ""
        try:
            spirv = translate(lowering.data, whole=True)
            text = spirv.translation.text
            for broken in violations(spirv.module)[:1]:
                ours = f"the module that LLVM made breaks {broken.rule.id}: {broken.message}"
                complaints = (*complaints, ours)
        except (NotSPIRV, NotCovered) as error:
            complaints = (*complaints, f"convcheck does not read the module: {error}")
        notes = (f"-O{request.level}, {len(lowering.data)} bytes of SPIR-V, reconvergence maximal",)
        return LoweredModule(without_effects(module), text, lowering.by, None, notes, complaints)

    return lower


def without_effects(module: Module) -> Module:
    """The module whose known operations are seen by what they return and order alone. A barrier, a vote has
    another name on either side, and attributes that leave open what it does besides: no events to compare."""
    from ...semantics.operations.table import is_operation

    def pure(words: Iterable[str]) -> tuple[str, ...]:
        return (*(w for w in words if not w.startswith("memory(")), "memory(none)", "nounwind", "willreturn")

    known = {n: frozenset(pure(w)) if is_operation(n) else w for n, w in module.intrinsics.items()}
    functions = {
        name: replace(f, attributes=pure(module.resolve(f.attributes)))
        if f.is_declaration and is_operation(name)
        else f
        for name, f in module.functions.items()
    }
    return replace(module, intrinsics=known, functions=functions)


def unseen_operations(*modules: Module) -> dict[str, Prepare]:
    """Models of what modules declare that are no events: a barrier of the source is one of the target's."""
    from ...semantics.operations.table import is_operation, unseen

    declared = (f.name for module in modules for f in module.functions.values() if f.is_declaration)
    return {name: unseen for name in declared if is_operation(name)}


LOWERINGS: Mapping[str, Lowering] = {
    "amdgcn": _amdgcn(None),
    "amdgcn-wave32": _amdgcn("gfx1030"),
    "amdgcn-wave64": _amdgcn("gfx900"),
    "spirv-vulkan": _spirv(VULKAN_TRIPLE, VULKAN),
    "spirv64": _spirv("spirv64-unknown-unknown", "spv1.6"),
}
"""By the name that the option takes."""
