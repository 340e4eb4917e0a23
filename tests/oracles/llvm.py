"""What LLVM's own verifier says about many functions at once."""

from __future__ import annotations

import re

import llvmlite.binding as llvm

from .model import Function, Kind, module_text

_NUMBER = re.compile(r"%v(\d+)_|\(i32 (\d+)\)")


def _complaint(text: str) -> str:
    """What LLVM's verifier says about a module, "" if nothing. ``RuntimeError`` if LLVM cannot parse it."""
    module = llvm.parse_assembly(text)
    try:
        module.verify()
    except RuntimeError as error:
        return str(error) or "rejected"
    return ""


def verifier_messages(functions: list[Function]) -> list[frozenset[str]]:
    """The titles of LLVM's messages for each function, none where it accepts.

    All functions stand in one module; the verifier goes through all of them, and each message prints an
    instruction that carries the number of its function. Only the message about phis prints nothing, so
    functions with a phi are asked about alone.
    """
    messages: list[set[str]] = [set() for _ in functions]
    alone = [any(i.kind is Kind.PHI for b in f.blocks for i in b.items) for f in functions]
    together = [Function([]) if lonely else f for f, lonely in zip(functions, alone, strict=True)]
    title = ""
    attributed = True
    for line in _complaint(module_text(together)).splitlines():
        if line[:1].isupper():
            assert attributed, f"whose is this: {title}"
            title, attributed = line, False
            continue
        for groups in _NUMBER.findall(line):
            number = int(groups[0] or groups[1])
            messages[number].add(title)
            attributed = True
    assert attributed, f"whose is this: {title}"
    for number, lonely in enumerate(alone):
        if lonely:
            lines = _complaint(module_text([functions[number]])).splitlines()
            messages[number].update(line for line in lines if line[:1].isupper())
    return [frozenset(m) for m in messages]
