"""What a module says of where it runs: its target, calling conventions, waves and workgroups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..frozen import dataclass
from . import Global, Int, Metadata, MetadataReference, MetadataString, MetadataTuple, MetadataValue
from .instructions import Words
from .module import Function, Module

# ----------------------------------------------------------------------------------------------------------
# Which target a module is for: what its triple says, or, without one, its kernels.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# Calling conventions (LangRef, *Calling Conventions*): each has a number, and most have a name, too.
# ----------------------------------------------------------------------------------------------------------

_NAMES = {
    0: "ccc", 8: "fastcc", 9: "coldcc", 10: "ghccc", 13: "anyregcc", 14: "preserve_mostcc",
    15: "preserve_allcc", 16: "swiftcc", 17: "cxx_fast_tlscc", 18: "tailcc", 19: "cfguard_checkcc",
    20: "swifttailcc", 21: "preserve_nonecc", 64: "x86_stdcallcc", 65: "x86_fastcallcc", 66: "arm_apcscc",
    67: "arm_aapcscc", 68: "arm_aapcs_vfpcc", 69: "msp430_intrcc", 70: "x86_thiscallcc",
    71: "ptx_kernel", 72: "ptx_device", 75: "spir_func", 76: "spir_kernel", 77: "intel_ocl_bicc",
    78: "x86_64_sysvcc", 79: "win64cc", 80: "x86_vectorcallcc", 81: "hhvmcc", 82: "hhvm_ccc",
    83: "x86_intrcc", 84: "avr_intrcc", 85: "avr_signalcc", 87: "amdgpu_vs", 88: "amdgpu_gs",
    89: "amdgpu_ps", 90: "amdgpu_cs", 91: "amdgpu_kernel", 92: "x86_regcallcc", 93: "amdgpu_hs",
    95: "amdgpu_ls", 96: "amdgpu_es", 97: "aarch64_vector_pcs", 98: "aarch64_sve_vector_pcs",
    100: "amdgpu_gfx", 102: "aarch64_sme_preservemost_from_x0", 103: "aarch64_sme_preservemost_from_x2",
    104: "amdgpu_cs_chain", 105: "amdgpu_cs_chain_preserve", 106: "m68k_rtdcc", 107: "graalcc",
    110: "riscv_vector_cc", 111: "aarch64_sme_preservemost_from_x1", 112: "riscv_vls_cc(32)",
    113: "riscv_vls_cc(64)", 114: "riscv_vls_cc(128)", 115: "riscv_vls_cc(256)", 116: "riscv_vls_cc(512)",
    117: "riscv_vls_cc(1024)", 118: "riscv_vls_cc(2048)", 119: "riscv_vls_cc(4096)",
    120: "riscv_vls_cc(8192)", 121: "riscv_vls_cc(16384)", 122: "riscv_vls_cc(32768)",
    123: "riscv_vls_cc(65536)", 124: "amdgpu_gfx_whole_wave", 125: "cheriot_compartmentcallcc",
    126: "cheriot_compartmentcalleecc", 127: "cheriot_librarycallcc",
}  # fmt: skip
"""As LLVM 22 prints them; every other number is printed as ``cc7``."""
_SHORT = {"riscv_vls_cc": "riscv_vls_cc(128)"}
"""What is short for what."""

KERNELS = frozenset(("amdgpu_kernel", "ptx_kernel", "spir_kernel"))
"""Conventions of functions that the environment launches, with one value of each argument for all threads."""
SHADERS = frozenset(
    ("amdgpu_vs", "amdgpu_gs", "amdgpu_ps", "amdgpu_cs", "amdgpu_hs", "amdgpu_ls", "amdgpu_es", "amdgpu_gfx",
     "amdgpu_cs_chain", "amdgpu_cs_chain_preserve")
)  # fmt: skip
"""AMD's conventions under which a parameter says by ``inreg`` that it is in scalar registers."""

LAUNCHED = KERNELS | {"amdgpu_cs"}
"""Conventions of functions that the environment launches as workgroups."""


def is_launched(module: Module, function: Function) -> bool:
    """Whether the environment launches a function as workgroups: a kernel by its convention, or a shader."""
    if convention_of(function.convention) in LAUNCHED:
        return True
    return is_shader(module, function)


def is_shader(module: Module, function: Function) -> bool:
    """Whether a function is the entry point of a shader, which has resources in place of parameters."""
    return _says_shader(module.resolve(function.attributes))


@lru_cache(1_000)
def _says_shader(words: Words) -> bool:
    return any(word.startswith('"hlsl.shader"') for word in words)


def passes_one_value(convention: str, words: Words, nvptx: bool) -> bool:
    """Whether a parameter with these attributes has the same value in all threads that are launched, or call,
    together; a convention is named as :func:`convention_of` does."""
    if convention in KERNELS:
        return True
    if nvptx:
        return False
    return "inreg" in words or (convention in SHADERS and any(w.startswith("byval") for w in words))


_OWN_OBJECTS = frozenset({"byval", "sret", "inalloca", "byref", "preallocated"})


def has_own_object(words: Words) -> bool:
    """Whether a pointer parameter with these attributes has an object behind it that is made for the call."""
    return any(word.partition("(")[0] in _OWN_OBJECTS for word in words)


@lru_cache(1_024)
def convention_of(words: Words) -> str:
    """The calling convention that a call's or a function's words say, by one name however it is written:
    ``fastcc``, ``cc 8`` and ``cc8`` are the same, as are nothing, ``ccc`` and ``cc 0``."""
    text = "".join(words) or "ccc"
    number = text.removeprefix("cc")
    if number != text and number.isdecimal():
        return _NAMES.get(int(number), f"cc{int(number)}")
    return _SHORT.get(text, text)


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
    for word in words:
        if word.startswith(start):
            return word[len(start) : -1]
    return None


def processor_of(module: Module) -> str | None:
    """The processor that all definitions name as their ``target-cpu``; ``None`` if they do not, or name
    several."""
    named = {string_attribute(module.resolve(f.attributes), "target-cpu") for f in module.definitions()}
    return named.pop() or None if len(named) == 1 else None


def is_nvptx(module: Module) -> bool:
    """Whether a module is for NVIDIA's GPUs."""
    return architecture_of(module).startswith("nvptx")


# ----------------------------------------------------------------------------------------------------------
# What a module says of its launch: in waves of how many lanes, in which workgroups.
# ----------------------------------------------------------------------------------------------------------


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
    text = string_attribute(words, name)
    if not text:
        return ()
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        return ()
    return tuple(int(part) for part in parts)


def _sizes(numbers: tuple[int, ...]) -> Sizes:
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _text(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))
