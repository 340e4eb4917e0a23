"""Generated kernels through AMDGPU's back end, and what it makes of their control flow (docs/refine.md)."""
