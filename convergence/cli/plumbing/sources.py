"""FILE may be a kernel's source, or what a compiler made of it: then say how to come by its LLVM IR."""

from __future__ import annotations

from pathlib import PurePath

from ...vulkan import VULKAN_TRIPLE

COMPILERS = {
    ".cl": ("OpenCL C", "clang -x cl -cl-std=CL2.0 -target spirv64 -Xclang -finclude-default-header"),
    ".hip": ("HIP", "clang -x hip --offload-arch=gfx1030 --offload-device-only"),
    ".cu": ("CUDA", "clang -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only"),
    ".hlsl": ("HLSL", f"clang -x hlsl -target {VULKAN_TRIPLE}"),
    ".c": ("C", "clang"),
    ".cpp": ("C++", "clang++"),
}
"""By what the file's name ends in: the language, and how clang is called for it."""

MADE = {".s": "assembly", ".ptx": "PTX", ".dxil": "DXIL", ".hsaco": "a code object"}
"""What compilers make behind LLVM IR."""


def advice(name: str) -> str | None:
    """What to do with a file that is not LLVM IR, by its name; ``None`` where that says nothing."""
    path = PurePath(name)
    if path.suffix in COMPILERS:
        language, clang = COMPILERS[path.suffix]
        output = path.with_suffix(".ll").name
        call = f"{clang} -fno-discard-value-names -emit-llvm -S {path.name} -o {output}"
        return f"this is {language}, not LLVM IR: {call}"
    if path.suffix in MADE:
        return (
            f"this is {MADE[path.suffix]}, not LLVM IR: ask the compiler for LLVM IR (clang: -emit-llvm -S)"
        )
    return None
