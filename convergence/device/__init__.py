"""A Vulkan or OpenCL device, driven in a process of its own: SPIR-V or a kernel's source and bytes in, bytes
out. It knows nothing of LLVM IR or of what a program means.

>>> from convergence.device import Device, Unavailable
"""

from .client import (
    API,
    Binding,
    Device,
    DeviceFacts,
    DeviceFailed,
    Dispatch,
    Dispatched,
    DispatchResult,
    Interface,
    KernelArgument,
    KernelDispatch,
    ShaderEntry,
    Unavailable,
    UnreadableShader,
    devices,
    interface_of,
)

__all__ = [
    "API",
    "Binding",
    "Device",
    "DeviceFacts",
    "DeviceFailed",
    "Dispatch",
    "DispatchResult",
    "Dispatched",
    "Interface",
    "KernelArgument",
    "KernelDispatch",
    "ShaderEntry",
    "Unavailable",
    "UnreadableShader",
    "devices",
    "interface_of",
]  # fmt: skip
