"""A Vulkan device, driven in a process of its own: SPIR-V and bytes in, bytes out. It knows nothing of LLVM
IR or of what a program means.

>>> from convergence.device import Device, Unavailable
"""

from .client import Device, DeviceFacts, DeviceFailed, Dispatch, Dispatched, Result, Unavailable, devices
from .interface import Binding, EntryPoint, Interface, NotSPIRV, interface_of

__all__ = [
    "Binding", "Device", "DeviceFacts", "DeviceFailed", "Dispatch", "Dispatched", "EntryPoint", "Interface",
    "NotSPIRV", "Result", "Unavailable", "devices", "interface_of",
]  # fmt: skip
