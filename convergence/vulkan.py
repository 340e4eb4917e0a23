"""What LLVM and SPIRV-Tools call Vulkan."""

from __future__ import annotations

VULKAN = "vulkan1.3"
"""The environment, as SPIRV-Tools and glslang name it."""
VULKAN_TRIPLE = f"spirv-unknown-{VULKAN}-compute"
"""LLVM's triple of a compute shader."""
