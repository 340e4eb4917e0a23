"""Calls of the control intrinsics, bundles, and the declarations that they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..ir.calls import CONTROL_BUNDLE, Control
from ..ir.instructions import Bundle, Call, CallSite
from ..ir.module import Function, Module
from ..ir.operands import Global, Local
from ..ir.types import TOKEN, FunctionType

_TYPE = FunctionType(TOKEN, ())
_TABLE = frozenset(("convergent", "memory(none)", "nocallback", "nofree", "nosync", "nounwind", "willreturn"))
"""What LLVM's table says of all three intrinsics."""


def token(name: str) -> Local:
    return Local(TOKEN, name)


def bundle(of: Local) -> Bundle:
    return Bundle(CONTROL_BUNDLE, (of,))


def control_call(kind: Control, result: str, parent: Local | None = None) -> Call:
    """``%result = call token @llvm.experimental.convergence...()``, a ``loop`` with its parent's token."""
    bundles = () if parent is None else (bundle(parent),)
    return Call(Global(kind.value), _TYPE, bundles=bundles, result=result)


def with_bundle(call: CallSite, by: Local) -> CallSite:
    """The call with ``"convergencectrl"(token %by)`` behind its other bundles."""
    return replace(call, bundles=(*call.bundles, bundle(by)))


def with_functions(module: Module, changed: Mapping[str, Function], used: Iterable[Control] = ()) -> Module:
    """The module with some functions replaced and the control intrinsics that are used declared.

    Its ``uselistorder`` directives go: they count uses of what all functions share.
    """
    if not changed:
        return module
    functions = {name: changed.get(name, function) for name, function in module.functions.items()}
    intrinsics = dict(module.intrinsics)
    for kind in used:
        intrinsics.setdefault(kind.value, _TABLE)
        if kind.value not in functions:
            functions[kind.value] = Function(kind.value, _TYPE, ())
    return replace(module, functions=functions, intrinsics=intrinsics, use_list_orders=())
