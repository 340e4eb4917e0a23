"""Which target a module is for: what its triple says, or, without one, its kernels."""

from __future__ import annotations

from .conventions import convention_of
from .module import Module

_BY_CONVENTION = {"ptx_kernel": "nvptx64", "amdgpu_kernel": "amdgcn"}


def architecture_of(module: Module) -> str:
    """What the triple begins with; without one the target that the calling convention of a kernel belongs to:
    some compilers print a layout, and no triple. Empty where nothing says it."""
    if module.triple:
        return module.triple.partition("-")[0]
    conventions = (convention_of(function.convention) for function in module.definitions())
    return next((_BY_CONVENTION[name] for name in conventions if name in _BY_CONVENTION), "")


def string_attribute(words: tuple[str, ...], name: str) -> str | None:
    """The value of a string attribute."""
    start = f'"{name}"="'
    return next((w[len(start) : -1] for w in words if w.startswith(start)), None)


def processor_of(module: Module) -> str | None:
    """The processor that all definitions name as their ``target-cpu``; ``None`` if they do not, or name
    several."""
    named = {string_attribute(module.resolve(f.attributes), "target-cpu") for f in module.definitions()}
    return named.pop() or None if len(named) == 1 else None


def is_nvptx(module: Module) -> bool:
    """Whether a module is for NVIDIA's GPUs."""
    return architecture_of(module).startswith("nvptx")
