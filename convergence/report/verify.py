"""What ``verify`` says, in each format."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..diagnostics import Diagnostic, Severity, Witness
from ..frozen import Json
from ..ir.module import Module
from ..source import Source, Span
from .parts import (
    PLAIN,
    SCHEMA,
    ExcerptRow,
    Mark,
    Style,
    VerifiedFile,
    block_name,
    count,
    diagnostic_data,
    dump,
    excerpt,
    line,
    markup,
    printable,
    summary,
)
from .parts import page as html_page

if TYPE_CHECKING:
    from ..rules import Rule
    from .parts.formats import Case, Fingerprints

# ----------------------------------------------------------------------------------------------------------
# Diagnostics for people: ``file:line:col: error[RULE]: message``, the source with carets, the witness.
# ----------------------------------------------------------------------------------------------------------


def witness(value: Witness) -> str:
    """``A -> B -> A (closed path)``, ``A -> B (path)``, ``A, B (region)``, ``A``."""
    names = [block_name(name) for name in value.blocks]
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


# ----------------------------------------------------------------------------------------------------------
# ``convcheck verify --format junit``: a test case for each file.
# ----------------------------------------------------------------------------------------------------------


def page(files: Sequence[VerifiedFile], hint: str) -> str:
    """A page of its own, of commands that run nothing where the rules are broken."""
    title = f"Static rules broken in {', '.join(file.name for file in files)}"
    return html_page(title, f"<pre>{markup(text(files, quiet=True) + hint)}</pre>")


def junit(files: Sequence[VerifiedFile]) -> str:
    """A file fails if a rule is broken, or if it is no LLVM IR."""
    from .parts.formats import suite

    return suite([_case(file) for file in files])


def _case(file: VerifiedFile) -> Case:
    from .parts.formats import Case

    if file.error is not None:
        return Case(file.name, "convcheck verify", (file.error, file.error))
    if not file.errors:
        return Case(file.name, "convcheck verify")
    lines = []
    for violation in file.errors:
        place = ""
        if file.module is not None and violation.span.start >= 0:
            start = file.module.source.position(violation.span.start)
            place = f"{start.line}:{start.column}: "
        lines.append(f"{place}[{violation.rule.id}] {violation.message}")
    return Case(file.name, "convcheck verify", (count(len(file.errors), "error"), "\n".join(lines)))


def json(files: Sequence[VerifiedFile], on_one_line: bool = False) -> str:
    """``convcheck verify --format json``; ``on_one_line`` where the form is ``jsonl``."""
    return (line if on_one_line else dump)(
        {
            "schema": SCHEMA,
            "command": "verify",
            "files": [
                {
                    "file": file.name,
                    "diagnostics": [
                        diagnostic_data(None if file.module is None else file.module.source, value)
                        for value in file.diagnostics
                    ],
                    "error": file.error,
                    "notes": [] if file.note is None else [file.note],
                }
                for file in files
            ],
        }
    )


# ----------------------------------------------------------------------------------------------------------
# Diagnostics as SARIF 2.1.0 (OASIS, *Static Analysis Results Interchange Format*).
#
# The static rules and the warnings are listed in ``tool.driver.rules``, so that a viewer can show their text.
# A closed path is a ``codeFlow`` with a location per block; secondary labels are ``relatedLocations``.
# ----------------------------------------------------------------------------------------------------------


SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


@cache
def _indices() -> dict[Rule, int]:
    """The static rules and the warnings, by the number that ``ruleIndex`` gives each."""
    from ..rules import Rule

    return {rule: index for index, rule in enumerate(rule for rule in Rule if rule.id[0] in "SW")}


def uri(name: str) -> str:
    """A file name as a URI reference: relative names stay relative, absolute ones become ``file:``."""
    path = PurePath(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), safe="/")


def _artifact(name: str) -> Json:
    return {"uri": uri(name)}


def _region(source: Source, span: Span) -> dict[str, Json]:
    start, end = source.position(span.start), source.position(max(span.start, span.end))
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }


def physical(file: VerifiedFile, span: Span) -> dict[str, Json]:
    """A place in a file, with the region where the text spells it."""
    place: dict[str, Json] = {"artifactLocation": _artifact(file.name)}
    if file.module is not None and span.start >= 0:
        place["region"] = _region(file.module.source, span)
    return {"physicalLocation": place}


def rules() -> list[Json]:
    """The static rules and the warnings, in the order that ``ruleIndex`` counts in."""
    from .parts.formats import rule

    return [rule(each, "warning" if each.id.startswith("W-") else "error") for each in _indices()]


def _block_span(module: Module, function: str, name: str) -> Span | None:
    """Where a block stands: its first instruction, which an unlabelled block has as well."""
    owner = module.functions.get(function)
    for block in () if owner is None else owner.blocks:
        if block.name == name and block.instructions:
            return block.instructions[0].span
    return None


def _code_flow(file: VerifiedFile, diagnostic: Diagnostic) -> Json:
    """The closed path as one thread's flow, ending at the block where it began."""
    assert file.module is not None and diagnostic.witness is not None
    steps: list[Json] = []
    for name in (*diagnostic.witness.blocks, *diagnostic.witness.blocks[:1]):
        span = _block_span(file.module, diagnostic.function, name)
        if span is None:
            continue
        steps.append({"location": {**physical(file, span), "message": {"text": f"block {name}"}}})
    return {"threadFlows": [{"locations": steps}]} if steps else None


def result(file: VerifiedFile, diagnostic: Diagnostic, fingerprints: Fingerprints) -> Json:
    """One diagnostic."""
    location = physical(file, diagnostic.span)
    location["logicalLocations"] = [
        {"name": diagnostic.function, "fullyQualifiedName": "@" + diagnostic.function, "kind": "function"}
    ]
    value: dict[str, Json] = {
        "ruleId": diagnostic.rule.id,
        "ruleIndex": _indices()[diagnostic.rule],
        "level": "error" if diagnostic.severity is Severity.ERROR else "warning",
        "message": {"text": _message(diagnostic)},
        "locations": [location],
        "partialFingerprints": fingerprints.of(
            (
                file.name,
                diagnostic.rule.id,
                diagnostic.function,
                diagnostic.message,
                _spelled(file, diagnostic),
            )
        ),
    }
    if diagnostic.labels:
        value["relatedLocations"] = [
            {"id": number, **physical(file, label.span), "message": {"text": label.message}}
            for number, label in enumerate(diagnostic.labels, 1)
        ]
    if (
        file.module is not None
        and diagnostic.witness is not None
        and diagnostic.witness.kind == "closed-path"
    ):
        if (flow := _code_flow(file, diagnostic)) is not None:
            value["codeFlows"] = [flow]
    properties: dict[str, Json] = {}
    if diagnostic.witness is not None:
        properties["witness"] = {"kind": diagnostic.witness.kind, "blocks": list(diagnostic.witness.blocks)}
    if diagnostic.llvm_text is not None:
        properties["llvm"] = diagnostic.llvm_text
    if diagnostic.difference is not None:
        properties["difference"] = diagnostic.difference.value
    if properties:
        value["properties"] = properties
    return value


def _spelled(file: VerifiedFile, diagnostic: Diagnostic) -> str:
    """The text that a diagnostic is about; nothing where no text spells it."""
    if file.module is None or diagnostic.span.start < 0:
        return ""
    return file.module.source.text[diagnostic.span.start : diagnostic.span.end]


def _message(diagnostic: Diagnostic) -> str:
    return (
        diagnostic.message if diagnostic.help is None else f"{diagnostic.message} (help: {diagnostic.help})"
    )


def sarif(files: Sequence[VerifiedFile]) -> str:
    """``convcheck verify --format sarif``. A file that is no LLVM IR is a notification of the invocation."""
    from .parts.formats import Fingerprints, driver

    refused: list[Json] = [
        {
            "level": "error",
            "message": {"text": file.error},
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(file.name)}}],
        }
        for file in files
        if file.error is not None
    ]
    names = dict.fromkeys(file.name for file in files)
    fingerprints = Fingerprints()
    return dump(
        {
            "$schema": SARIF_SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": driver(rules())},
                    "invocations": [
                        {"executionSuccessful": not refused, "toolExecutionNotifications": refused}
                    ],
                    "columnKind": "unicodeCodePoints",
                    "artifacts": [{"location": _artifact(name)} for name in names],
                    "results": [
                        result(file, diagnostic, fingerprints)
                        for file in files
                        for diagnostic in file.diagnostics
                    ],
                }
            ],
        }
    )


# ----------------------------------------------------------------------------------------------------------
# ``convcheck verify --format github``.
# ----------------------------------------------------------------------------------------------------------


def github(files: Sequence[VerifiedFile]) -> str:
    """``convcheck verify --format github``; a file that is no LLVM IR is an error without a line."""
    from .parts.formats import command_data, command_property, diagnostic_command

    lines = []
    for file in files:
        source = None if file.module is None else file.module.source
        lines += [diagnostic_command(file.name, source, violation) for violation in file.diagnostics]
        if file.error is not None:
            lines.append(f"::error file={command_property(file.name)}::{command_data(file.error)}\n")
    return "".join(lines)
