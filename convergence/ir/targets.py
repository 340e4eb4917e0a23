"""Which target a module is for: what its triple says, or, without one, its kernels."""

from __future__ import annotations

from .instructions import Words
from .module import Function, Module

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
    return any(word.startswith('"hlsl.shader"') for word in module.resolve(function.attributes))


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
    return next((w[len(start) : -1] for w in words if w.startswith(start)), None)


def processor_of(module: Module) -> str | None:
    """The processor that all definitions name as their ``target-cpu``; ``None`` if they do not, or name
    several."""
    named = {string_attribute(module.resolve(f.attributes), "target-cpu") for f in module.definitions()}
    return named.pop() or None if len(named) == 1 else None


def is_nvptx(module: Module) -> bool:
    """Whether a module is for NVIDIA's GPUs."""
    return architecture_of(module).startswith("nvptx")
