"""Diagnostics for people: ``file:line:col: error[RULE]: message``, the source with carets, the witness."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...diagnostics import Diagnostic, Witness
from ...source import Source
from ..parts.excerpt import ExcerptRow, Mark, excerpt
from ..parts.html import PLAIN, Style
from ..parts.printable import printable
from .checked import VerifiedFile, summary

_PLAIN_NAME = re.compile(r"[-a-zA-Z$._0-9]+\Z")


def block(name: str) -> str:
    """A block's name as a person reads it: quoted when it has unusual characters."""
    return name if _PLAIN_NAME.match(name) else '"' + printable(name) + '"'


def witness(value: Witness) -> str:
    """``A -> B -> A (closed path)``, ``A -> B (path)``, ``A, B (region)``, ``A``."""
    names = [block(name) for name in value.blocks]
    match value.kind:
        case "closed-path":
            return " -> ".join([*names, *names[:1]]) + " (closed path)"
        case "path":
            return " -> ".join(names) + " (path)"
        case "instruction":
            return ", ".join(names)
        case kind:
            return ", ".join(names) + f" ({kind})"


def place(name: str, source: Source | None, diagnostic: Diagnostic) -> str:
    """``file:line:column``, or the file alone for what no text spells."""
    if source is None or diagnostic.span.start < 0:
        return printable(name)
    position = source.position(diagnostic.span.start)
    return f"{printable(name)}:{position.line}:{position.column}"


def notes(diagnostic: Diagnostic) -> list[tuple[str, str]]:
    """The (kind, text) lines below an excerpt."""
    rows: list[tuple[str, str]] = []
    if diagnostic.witness is not None and diagnostic.witness.blocks:
        rows.append(("witness", witness(diagnostic.witness)))
    if diagnostic.llvm_text is not None:
        speaker = "LLVM says" if diagnostic.difference is None else "LLVM would say"
        rows.append(("note", f'{speaker}: "{printable(diagnostic.llvm_text)}"'))
    if diagnostic.difference is not None:
        rows.append(("note", f"LLVM 22.1 does not report this: {diagnostic.difference.value}"))
    if diagnostic.help is not None:
        rows.append(("help", printable(diagnostic.help)))
    return rows


def diagnostic(name: str, source: Source | None, value: Diagnostic, style: Style = PLAIN) -> str:
    """One diagnostic as a block of lines; lines are not ended by a newline."""
    head = (
        f"{style.strong(place(name, source, value) + ':')} "
        f"{style.severity(value.severity, f'{value.severity.value}[{value.rule.id}]')}: "
        f"{style.strong(printable(value.message))}"
    )
    marks = [Mark(value.span)]
    marks += [Mark(label.span, printable(label.message), primary=False) for label in value.labels]
    rows = excerpt(source, marks) if source is not None else []
    gutter = max([len(str(row.number)) for row in rows if row.number is not None], default=1) + 1
    lines = [head, *(_row(row, gutter, style, value) for row in rows)]
    edge = style.gutter(" " * (gutter + 1) + "=")
    lines += [f"{edge} {style.strong(kind + ':')} {text}" for kind, text in notes(value)]
    return "\n".join(lines)


def _row(row: ExcerptRow, gutter: int, style: Style, value: Diagnostic) -> str:
    if row.kind == "gap":
        return style.gutter(" " * (gutter - 1) + "...")
    edge = style.gutter(f"{'' if row.number is None else row.number:>{gutter}} |")
    match row.kind:
        case "primary":
            text = style.severity(value.severity, row.text)
        case "secondary":
            text = style.secondary(row.text)
        case _:
            text = row.text
    return f"{edge} {text}".rstrip()


def text(files: Sequence[VerifiedFile], style: Style = PLAIN, quiet: bool = False) -> str:
    """What ``convcheck verify`` prints on standard output. ``quiet`` leaves out warnings and an ``ok`` line.

    A file's ``error`` is no part of it: the command line says that on standard error. If there is nothing
    else, nothing is printed here.
    """
    blocks: list[str] = []
    for file in files:
        source = None if file.module is None else file.module.source
        shown = file.errors if quiet else file.diagnostics
        blocks += [diagnostic(file.name, source, value, style) for value in shown]
        unasked = file.module is not None and file.module.without_llvm and not quiet
        if (shown or unasked) and file.note:
            blocks.append(f"{printable(file.name)}: note: {file.note}")
    last = summary(files)
    silent = (quiet and last.startswith("ok:")) or (not blocks and all(file.error for file in files))
    if not silent:
        blocks.append(style.good(last) if last.startswith("ok:") else last)
    return "".join(text + "\n\n" for text in blocks[:-1]) + "".join(text + "\n" for text in blocks[-1:])
