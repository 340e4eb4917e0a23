"""What a module says of its launch: in waves of how many lanes, in which workgroups."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..frozen import dataclass
from .instructions import Words
from .module import Function, Module
from .operands import Global, Int, Metadata, MetadataReference, MetadataString, MetadataTuple, MetadataValue
from .targets import architecture_of, string_attribute

# ----------------------------------------------------------------------------------------------------------
# How many lanes a wave has, where the module says it.
#
# NVPTX has warps of 32 (PTX ISA, *SIMT*). For AMDGPU a function's ``target-features`` say it, else its
# ``target-cpu``, else the processor that newer triples name (``amdgpu9.42-amd-amdhsa`` is gfx942's):
# processors before gfx10 have 64 lanes, later ones 32 by default (LLVM's *User Guide for AMDGPU Backend*,
# *Processors*); without any LLVM does not know it. A module without a triple is for the target of its
# kernels' calling convention. SPIR-V and DirectX leave it to the device, unless HLSL's ``WaveSize`` asks for
# one, or OpenCL's ``intel_reqd_sub_group_size``.
# ----------------------------------------------------------------------------------------------------------

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


# ----------------------------------------------------------------------------------------------------------
# What a kernel says of the workgroups that it is launched with.
#
# OpenCL's and SPIR-V's ``reqd_work_group_size`` metadata, HLSL's ``numthreads``, CUDA's ``reqntid``,
# ``maxntid`` and cluster dimensions as LLVM's NVPTX back end has them, and AMDGPU's
# ``amdgpu-flat-work-group-size``, ``amdgpu-max-num-workgroups`` and ``amdgpu-cluster-dims`` (LLVM's user
# guides of these back ends).
# ----------------------------------------------------------------------------------------------------------

Sizes = tuple[int, int, int]
"""Along x, y and z."""


@dataclass(frozen=True, slots=True)
class WorkgroupRule:
    """What the attribute or metadata ``name`` with this ``value`` asks for: workgroups of exactly ``size``
    threads along each dimension, or of ``least`` to ``most`` threads in all."""

    name: str
    value: str
    size: Sizes | None = None
    least: int = 1
    most: int | None = None

    def keeps(self, size: Sizes) -> bool:
        """Whether workgroups of this size are allowed."""
        return (self.size is None or self.size == size) and self.holds(size[0] * size[1] * size[2])

    def holds(self, threads: int) -> bool:
        """Whether workgroups of so many threads are allowed, in some shape."""
        if self.size is not None:
            return self.size[0] * self.size[1] * self.size[2] == threads
        return self.least <= threads and (self.most is None or threads <= self.most)

    @property
    def limit(self) -> int | None:
        """How many threads a workgroup has at most, if that is said."""
        return self.most if self.size is None else self.size[0] * self.size[1] * self.size[2]

    def exceeds(self, threads: int) -> bool:
        """Whether workgroups have more threads than these."""
        least = self.least if self.size is None else self.size[0] * self.size[1] * self.size[2]
        return threads < least


def workgroup_rules(module: Module, function: Function) -> tuple[WorkgroupRule, ...]:
    """All that is said of the size of a function's workgroups. What is no list of numbers says nothing."""
    workgroup_rules: list[WorkgroupRule] = []
    words = module.resolve(function.attributes)
    numbers = tuple(metadata_numbers(module, function, "reqd_work_group_size"))
    if 1 <= len(numbers) <= 3:
        workgroup_rules.append(WorkgroupRule("reqd_work_group_size", _text(numbers), _sizes(numbers)))
    for name in ("hlsl.numthreads", "nvvm.reqntid"):
        if (numbers := _numbers(words, name)) and len(numbers) <= 3:
            workgroup_rules.append(WorkgroupRule(name, _text(numbers), _sizes(numbers)))
    if numbers := _annotated(module, function, "reqntid"):
        workgroup_rules.append(WorkgroupRule("nvvm.annotations reqntid", _text(numbers), _sizes(numbers)))
    if numbers := _local_size(module, function):
        workgroup_rules.append(
            WorkgroupRule("spirv.ExecutionMode LocalSize", _text(numbers), _sizes(numbers))
        )
    for name, numbers in (
        ("nvvm.maxntid", _numbers(words, "nvvm.maxntid")),
        ("nvvm.annotations maxntid", _annotated(module, function, "maxntid")),
    ):
        if 1 <= len(numbers) <= 3:
            x, y, z = _sizes(numbers)
            workgroup_rules.append(WorkgroupRule(name, _text(numbers), most=x * y * z))
    if len(numbers := _numbers(words, "amdgpu-flat-work-group-size")) == 2:
        least, most = numbers
        workgroup_rules.append(
            WorkgroupRule("amdgpu-flat-work-group-size", _text(numbers), None, least, most)
        )
    return tuple(workgroup_rules)


LARGEST = 1024
"""Threads of a workgroup at most, where nobody says less."""


def most_threads(module: Module, function: Function) -> int:
    """Threads of a workgroup at most, by what the function says of it: LLVM's passes count on it."""
    limits = (rule.limit for rule in workgroup_rules(module, function))
    return min([LARGEST, *(limit for limit in limits if limit is not None)])


def workgroup_size(rules: tuple[WorkgroupRule, ...]) -> Sizes | None:
    """The size that they leave no choice of."""
    for rule in rules:
        if rule.size is not None:
            return rule.size
    for rule in rules:
        if rule.least == rule.most:
            return rule.least, 1, 1
    return None


def most_workgroups(module: Module, function: Function) -> Sizes | None:
    """``amdgpu-max-num-workgroups``: how many workgroups there are along each dimension at most."""
    numbers = _numbers(module.resolve(function.attributes), "amdgpu-max-num-workgroups")
    return _sizes(numbers) if len(numbers) == 3 else None


def cluster_size(module: Module, function: Function) -> Sizes | None:
    """How many workgroups are a cluster along each dimension, where the kernel says it."""
    words = module.resolve(function.attributes)
    for name in ("nvvm.cluster_dim", "amdgpu-cluster-dims"):
        numbers = _numbers(words, name)
        if numbers and len(numbers) <= 3 and all(numbers):
            return _sizes(numbers)
    return None


def _about(module: Module, function: Function, name: str) -> Iterator[tuple[Metadata | None, ...]]:
    """What the entries of a named node say that begin with the function."""
    for entry in module.named_metadata.get(name, ()):
        node = module.metadata.get(entry.name) if isinstance(entry, MetadataReference) else None
        match entry if node is None else node.value:
            case MetadataTuple((MetadataValue(Global(name=of)), *rest)) if of == function.name:
                yield tuple(rest)


def _annotated(module: Module, function: Function, name: str) -> tuple[int, ...]:
    """The sizes that CUDA's older ``nvvm.annotations`` give: ``NAMEx``, ``NAMEy``, ``NAMEz``."""
    sizes: dict[str, int] = {}
    for rest in _about(module, function, "nvvm.annotations"):
        for key, value in zip(rest[::2], rest[1::2], strict=False):
            match key, value:
                case MetadataString(data), MetadataValue(Int(_, number)) if data[:-1] == name.encode():
                    sizes[data[-1:].decode()] = number
    return tuple(sizes.get(axis, 1) for axis in "xyz") if sizes else ()


_LOCAL_SIZE = 17
"""SPIR-V's number of the execution mode."""


def _local_size(module: Module, function: Function) -> tuple[int, ...]:
    """The three sizes of SPIR-V's execution mode *LocalSize*."""
    for rest in _about(module, function, "spirv.ExecutionMode"):
        numbers = [e.value.value for e in rest if isinstance(e, MetadataValue) and isinstance(e.value, Int)]
        if len(numbers) == 4 and numbers[0] == _LOCAL_SIZE and min(numbers) > 0:
            return tuple(numbers[1:])
    return ()


def _numbers(words: Words, name: str) -> tuple[int, ...]:
    """The numbers of a string attribute, ``8,4,1``; none where it has another form."""
    parts = (string_attribute(words, name) or "").split(",")
    if not all(part.strip().isdecimal() for part in parts):
        return ()
    return tuple(int(part) for part in parts)


def _sizes(numbers: tuple[int, ...]) -> Sizes:
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _text(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))
