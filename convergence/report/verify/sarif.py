"""Diagnostics as SARIF 2.1.0 (OASIS, *Static Analysis Results Interchange Format*).

The static rules and the warnings are listed in ``tool.driver.rules``, so that a viewer can show their text.
A closed path is a ``codeFlow`` with a location per block; secondary labels are ``relatedLocations``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import quote

from ...diagnostics import Diagnostic, Severity
from ...frozen import Json
from ...ir.module import Module
from ...rules import Rule
from ...source import Source, Span
from ..parts import formats as common
from .checked import VerifiedFile
from .json import dump

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_RULES = tuple(rule for rule in Rule if rule.id[0] in "SW")
_INDEX = {rule: index for index, rule in enumerate(_RULES)}


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
    return [common.rule(rule, "warning" if rule.id.startswith("W-") else "error") for rule in _RULES]


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


def result(file: VerifiedFile, diagnostic: Diagnostic, fingerprints: common.Fingerprints) -> Json:
    """One diagnostic."""
    location = physical(file, diagnostic.span)
    location["logicalLocations"] = [
        {"name": diagnostic.function, "fullyQualifiedName": "@" + diagnostic.function, "kind": "function"}
    ]
    value: dict[str, Json] = {
        "ruleId": diagnostic.rule.id,
        "ruleIndex": _INDEX[diagnostic.rule],
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
    fingerprints = common.Fingerprints()
    return dump(
        {
            "$schema": SARIF_SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": common.driver(rules())},
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
