"""Bytes: allocations, typed views, accesses as data, globals at the launch, data races."""
