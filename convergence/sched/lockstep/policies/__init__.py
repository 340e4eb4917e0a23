"""The machines by name, in the order of semantics.md, §7."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from ..policy import Policy

_HOME: Mapping[str, tuple[str, str]] = {
    "ipdom": ("ipdom", "Ipdom"),
    "exec-mask": ("exec_mask", "ExecMask"),
    "mask-stack": ("mask_stack", "MaskStack"),
    "predication": ("mask_stack", "Predication"),
    "block-ip": ("structured", "BlockIp"),
    "barrier": ("barrier", "Barrier"),
    "heart": ("heart", "Heart"),
    "independent": ("heart", "Independent"),
}

NAMES: tuple[str, ...] = tuple(_HOME)

_VARIANTS: Mapping[str, tuple[str, str]] = {
    "gen-structured": ("structured", "GenStructured"),
    "exec-amdgcn": ("exec_amdgcn", "ExecAmdgcn"),
}

VARIANTS: tuple[str, ...] = tuple(_VARIANTS)
"""Machines that run only when they are asked for by name."""


def policy(name: str) -> type[Policy]:
    """The machine called ``name``. Raises KeyError."""
    module, kind = {**_HOME, **_VARIANTS}[name]
    cls = getattr(import_module(f".{module}", __name__), kind)
    assert isinstance(cls, type) and issubclass(cls, Policy)
    return cls
