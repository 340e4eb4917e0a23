"""A module for notebooks: what its functions hold of convergence control, and its text."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.calls import Control, control, is_convergent, token_used
from ...ir.cfg import build_cfg
from ...ir.cycles import cycles
from ...ir.module import Function, Module
from ..verify.checked import count
from . import html
from .cfg_svg import control_flow
from .printable import markup, printable

LINES = 400  # lines of the text that are shown
PICTURES = 4  # functions that are drawn
BLOCKS = 24  # blocks of a function that is drawn
_MARKS = {"control": "background:#0072b233", "operation": "background:#e69f0033"}


def summary(module: Module) -> str:
    """``natural.ll: 1 function``."""
    name = printable(module.source.name)
    return f"{name}: {count(len(module.definitions()), 'function')}"


def module_html(module: Module) -> str:
    """A table of the functions, then the text with marks on control intrinsics and convergent operations."""
    title = html.paragraph(summary(module), strong=True)
    try:
        rows, marks = [_counts(module, function) for function in module.definitions()], _marks(module)
    except Exception as error:
        # Bodies are parsed at the first look: a fault there must not keep the text from being shown.
        return html.box(title, html.paragraph(f"not read: {error}"), _listing(module, {}))
    head = ("function", "blocks", "cycles", "entry", "loop", "anchor", "controlled", "uncontrolled")
    drawn = []
    for function in module.definitions()[:PICTURES]:
        if len(function.blocks) <= BLOCKS:
            prefix = html.prefix(f"cfg @{function.name} {module.source.text}")
            drawn.append(html.picture(control_flow(module, function, prefix=prefix)))
    pictures = [html.details("control flow", "".join(drawn), is_open=len(drawn) == 1)] if drawn else []
    listing = html.details("text", _listing(module, marks), is_open=True)
    return html.box(title, html.table(head, rows), *pictures, listing)


def _counts(module: Module, function: Function) -> tuple[str, ...]:
    kinds = [control(instruction) for instruction in function.instructions]
    operations = [
        instruction
        for instruction, kind in zip(function.instructions, kinds, strict=True)
        if kind is None and is_convergent(module, instruction)
    ]
    controlled = sum(token_used(operation) is not None for operation in operations)
    numbers = [
        len(function.blocks),
        len(cycles(build_cfg(function)).all),
        *(kinds.count(kind) for kind in Control),
        controlled,
        len(operations) - controlled,
    ]
    return (printable("@" + function.name), *map(str, numbers))


def _marks(module: Module) -> dict[int, str]:
    """Line number to mark."""
    marks: dict[int, str] = {}
    for function in module.definitions():
        for instruction in function.instructions:
            if instruction.span.start < 0 or not is_convergent(module, instruction):
                continue
            kind = "operation" if control(instruction) is None else "control"
            marks[module.source.position(instruction.span.start).line] = kind
    return marks


def _listing(module: Module, marks: Mapping[int, str]) -> str:
    lines = module.source.text.splitlines()
    width = len(str(len(lines)))
    shown = []
    for number, line in enumerate(lines[:LINES], 1):
        text = f"{number:>{width}}  {markup(printable(line.replace(chr(9), '    ')))}"
        mark = marks.get(number)
        shown.append(text if mark is None else f'<span style="{_MARKS[mark]}">{text}</span>')
    if len(lines) > LINES:
        shown.append(f"... {len(lines) - LINES} more lines")
    return html.raw_pre("\n".join(shown))
