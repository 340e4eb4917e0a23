"""How many lanes a wave has, where the module says it.

NVPTX has warps of 32 (PTX ISA, *SIMT*). For AMDGPU a function's ``target-features`` say it, else its
``target-cpu``, else the processor that newer triples name (``amdgpu9.42-amd-amdhsa`` is gfx942's): processors
before gfx10 have 64 lanes, later ones 32 by default (LLVM's *User Guide for AMDGPU Backend*, *Processors*);
without any LLVM does not know it. A module without a triple is for the target of its kernels' calling
convention. SPIR-V and DirectX leave it to the device,
unless HLSL's ``WaveSize`` asks for one, or OpenCL's ``intel_reqd_sub_group_size``.
"""

from __future__ import annotations

import re

from .module import Function, Module
from .targets import architecture_of, string_attribute

_EARLY = frozenset(
    (
        "tahiti", "pitcairn", "verde", "oland", "hainan", "bonaire", "kaveri", "hawaii", "kabini", "mullins",
        "tonga", "iceland", "carrizo", "fiji", "polaris10", "polaris11", "tongapro", "stoney",
    )
)  # fmt: skip
"""AMD's processors that have a name of their own: all came before gfx10."""
_PROCESSOR = re.compile(r"gfx(\d+?)(?:[0-9a-f]{2}|-.*)?\Z")
_SUBARCHITECTURE = re.compile(r"amdgpu(\d+)\.\w*\Z")
"""An architecture with the major version of its processor, as LLVM 23 writes them."""
_FIRST_OF_32 = 10
"""The major version of AMD's first processors with waves of 32."""


def wave_size(module: Module, function: Function) -> int | None:
    """Lanes of a wave in which ``function`` is launched; ``None`` where the module does not say."""
    architecture = architecture_of(module)
    words = module.resolve(function.attributes)
    if architecture.startswith("nvptx"):
        return 32
    if architecture.startswith(("amdgcn", "amdgpu")):
        features, processor = (string_attribute(words, f"target-{what}") for what in ("features", "cpu"))
        version = _SUBARCHITECTURE.match(architecture)
        return _amd(features, processor or (version and f"gfx{version[1]}-generic"))
    if (attribute := string_attribute(words, "hlsl.wavesize")) is not None:
        return _hlsl(attribute)
    return _opencl(module, function)


def _amd(features: str | None, processor: str | None) -> int | None:
    """A feature that is switched on counts; one that is switched off leaves the processor's own size, for
    there is no wave without one."""
    on = [
        f.removeprefix("+wavefrontsize")
        for f in (features or "").split(",")
        if f.startswith("+wavefrontsize")
    ]
    sizes = [int(size) for size in on if size in ("32", "64")]
    if sizes:
        return max(sizes)
    if processor in _EARLY:
        return 64
    match = _PROCESSOR.match(processor or "")
    if match is None:
        return None
    return 64 if int(match[1]) < _FIRST_OF_32 else 32


def _hlsl(attribute: str) -> int | None:
    """``"least,most,preferred"``: one size if there is no most."""
    least, most, *_ = (*attribute.split(","), "0", "0")
    return int(least) if least.isdecimal() and int(least) > 0 and int(most) in (0, int(least)) else None


def _opencl(module: Module, function: Function) -> int | None:
    """``!{i32 16}``."""
    numbers = metadata_numbers(module, function, "intel_reqd_sub_group_size")
    return numbers[0] if len(numbers) == 1 else None


def metadata_numbers(module: Module, function: Function, kind: str) -> list[int]:
    """The positive integers of a node that is attached to a function."""
    metadata = dict(function.attachments).get(kind)
    return [] if metadata is None else [number for number in module.integers(metadata) if number > 0]
