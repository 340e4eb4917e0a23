"""Modules in whose text LLVM replaced intrinsics (LLVM's *AutoUpgrade*): what it read is what it prints.

LLVM's upgrades drop the operand bundles of the calls that they replace. Then a convergent operation has lost
its token and the module means something else than the user wrote: that is refused by name.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..ir.calls import CONTROL_BUNDLE, callee_name, control_bundles
from ..ir.instructions import CallSite
from ..ir.module import Function, Module, Upgrade
from ..source import Source
from .assemble import Assembler
from .errors import NotLLVM
from .llvm import PREFIX, ask, print_by_llvm
from .names import FORMATS, converted, float_bits, spelled_float


def upgraded(module: Module, assembler: Assembler) -> Module:
    """The module that LLVM made of a text, given the one that the text spells.

    It is the same where LLVM only gave names, and has the spans of the user's text; else it is read from
    LLVM's print.

    :raises NotLLVM: if LLVM drops the control bundle of a call
    """
    renamed = {} if assembler.names is None else assembler.names.renamed
    replaced = {upgrade.old: upgrade.old for upgrade in assembler.upgrades}
    replaced |= {new: old for old, new in renamed.items() if not new.startswith(old + ".")}
    if not assembler.upgrades and not (replaced and CONTROL_BUNDLE in assembler.text):
        return module
    printed = print_by_llvm(assembler.text)
    answer = ask(printed)
    module_by_llvm = Assembler(Source(module.source.name, printed)).module(answer.intrinsics, answer.missing)
    upgrades = _with_new_names(assembler.upgrades, module, module_by_llvm)
    if CONTROL_BUNDLE in assembler.text:
        _refuse_dropped_bundles(module, module_by_llvm, replaced, upgrades)
    if not assembler.upgrades:
        return module
    return replace(
        module_by_llvm,
        directives=module.directives,
        upgrades=upgrades,
        original=module.source,
        typed_pointer=module.typed_pointer,
    )


def _with_new_names(
    upgrades: tuple[Upgrade, ...], written: Module, renamed_module: Module
) -> tuple[Upgrade, ...]:
    """LLVM makes some of the new declarations only for a call. Those that the user did not write are of the
    only upgrade; of several nobody says whose they are."""
    if len(upgrades) != 1:
        return upgrades
    fresh = [
        name
        for name in renamed_module.functions
        if name.startswith(PREFIX) and (name not in written.functions or written.functions[name].implicit)
    ]
    return (Upgrade(upgrades[0].old, tuple(dict.fromkeys((*upgrades[0].new, *fresh)))),)


def _refuse_dropped_bundles(
    written: Module, renamed_module: Module, replaced: dict[str, str], upgrades: tuple[Upgrade, ...]
) -> None:
    """``replaced`` maps callees whose calls LLVM may have made anew to how the text names them."""
    for function in written.definitions():
        calls = [c for c in _controlled(function) if callee_name(c) in replaced]
        if not calls:
            continue
        after = renamed_module.functions.get(function.name)
        if after is None or len(_controlled(after)) == len(_controlled(function)):
            continue
        call = calls[0]
        name = callee_name(call) or ""
        new = [n for upgrade in upgrades if upgrade.old == name for n in upgrade.new if n != name]
        line, column = written.source.position(call.span.start)
        raise NotLLVM(_drop_message(replaced[name], name, new), line, column, call.span)


def _controlled(function: Function) -> list[CallSite]:
    return [i for i in function.instructions if isinstance(i, CallSite) and control_bundles(i)]


def _drop_message(old: str, name: str, new: list[str]) -> str:
    instead = f"@{name}" if name != old else " and ".join(f"@{n}" for n in new)
    return (
        f"LLVM replaces the old intrinsic @{old}{f' by {instead}' if instead else ''} and drops the "
        f'"{CONTROL_BUNDLE}" bundle of the call, a fault of LLVM: write what LLVM replaces it by'
    )


# ----------------------------------------------------------------------------------------------------------
# Floating-point constants as LLVM 23 spells them, in the spelling of LLVM 22.
#
# LLVM 23 prints ``f0x3F22F983`` for a bit pattern, ``+inf``, ``+qnan``, ``+nan(0x3F)`` and ``+snan(0x1)``
# for what is no number (LangRef, *Simple Constants*), and decimals that are only near to a ``float``, as all
# that read them round alike. The type of such a constant is the last floating-point type that its line names
# before it.
# ----------------------------------------------------------------------------------------------------------

_NEW = re.compile(r"(?<![\w%@$.\"-])(?:f0x[0-9A-Fa-f]+|[-+](?:inf|qnan|s?nan\(0x[0-9A-Fa-f]+\)))(?![\w(.])")
_PARTS = ("f0x", "+inf", "-inf", "nan")
"""Of which each such constant has one: most texts have none, which is quicker to see than by the pattern."""
_PIECE = re.compile(
    r'"[^"]*"|;[^\n]*'
    rf"|(?P<type>\b(?:{'|'.join(FORMATS)})\b)|(?P<line>\n)"
    rf"|(?P<new>{_NEW.pattern})"
    r"|(?P<decimal>(?<![\w%@$.\"-])[-+]?[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?)"
)


def respelled(text: str) -> str:
    """The text with such constants in the older spelling; the text itself where there are none."""
    if not any(part in text for part in _PARTS) or _NEW.search(text) is None:
        return text
    kind: str | None = None

    def replaced(match: re.Match[str]) -> str:
        nonlocal kind
        if match["type"]:
            kind = match["type"]
        elif match["line"]:
            kind = None
        elif kind is not None and match["new"]:
            return _older(match["new"], kind)
        elif kind is not None and match["decimal"]:
            return _rounded(match["decimal"], kind)
        return match[0]

    return _PIECE.sub(replaced, text)


def _older(literal: str, kind: str) -> str:
    """A constant that LLVM 22 does not know; as it is where it does not fit the type."""
    exponent, fraction = FORMATS[kind]
    size = 1 + exponent + fraction
    if literal.startswith("f0x"):
        digits = literal[3:]
        return spelled_float(int(digits, 16), kind) if 4 * len(digits) == size else literal
    quiet = 1 << (fraction - 1)
    infinity = ((1 << exponent) - 1) << fraction
    name, _, payload = literal[1:].rstrip(")").partition("(")
    rest = int(payload, 16) if payload else 0
    bits = {"inf": infinity, "qnan": infinity | quiet, "nan": infinity | quiet | rest}.get(
        name, infinity | rest
    )
    return spelled_float(bits | (literal[0] == "-") << (size - 1), kind)


def _rounded(literal: str, kind: str) -> str:
    """A decimal, which LLVM 22 takes only where the type has that very number."""
    bits = float_bits(literal, kind)
    return (
        literal
        if converted(bits, kind, "double") == float_bits(literal, "double")
        else spelled_float(bits, kind)
    )
