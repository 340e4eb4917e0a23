"""The machine-readable form of diagnostics (``convcheck/1``): stable key order, one object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...diagnostics import Diagnostic, SpanLabel
from ...frozen import Json
from ...source import Source, Span
from ..parts.printable import valid_json

SCHEMA = "convcheck/1"


def dump(value: Mapping[str, Json]) -> str:
    """The text of one JSON object, indented, ended by a newline; the keys keep their order."""
    return valid_json(_indented(value, "\n")) + "\n"


def _indented(value: Any, margin: str) -> str:
    """What ``json.dumps`` with ``indent=2`` gives, faster: contents of memory are long lists of numbers.
    ``margin`` is what a line that ends it begins with."""
    inner = margin + "  "
    if isinstance(value, dict) and value:
        return f"{{{inner}{f',{inner}'.join(_items(value, inner))}{margin}}}"
    if isinstance(value, list | tuple) and value:
        numbers = all(type(item) is int for item in value)
        items = map(repr, value) if numbers else [_indented(item, inner) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{margin}]"
    return json.dumps(value)


def _items(value: Mapping[str, Any], inner: str) -> list[str]:
    return [f"{json.dumps(name)}: {_indented(item, inner)}" for name, item in value.items()]


def line(value: Mapping[str, Json]) -> str:
    """The text of one JSON object on one line, for ``--format jsonl``."""
    return valid_json(json.dumps(value, separators=(",", ":"))) + "\n"


def _start(source: Source | None, span: Span) -> tuple[int, int]:
    if source is None or span.start < 0:
        return 1, 1
    return source.position(span.start)


def _end(source: Source | None, span: Span) -> tuple[int, int]:
    if source is None or span.start < 0:
        return 1, 1
    return source.position(span.end)


def diagnostic_data(source: Source | None, value: Diagnostic) -> dict[str, Json]:
    """One diagnostic. ``line`` and ``column`` count from 1 in characters; ``end_column`` is one past the
    last. What no text spells stands at 1:1."""
    line, column = _start(source, value.span)
    end_line, end_column = _end(source, value.span)
    witness: Json = None
    if value.witness is not None:
        witness = {"kind": value.witness.kind, "blocks": list(value.witness.blocks)}
    return {
        "rule": value.rule.id,
        "severity": value.severity.value,
        "function": "@" + value.function,
        "line": line,
        "column": column,
        "message": value.message,
        "witness": witness,
        "llvm": value.llvm_text,
        "end_line": end_line,
        "end_column": end_column,
        "labels": [_label(source, label) for label in value.labels],
        "help": value.help,
        "difference": None if value.difference is None else value.difference.value,
    }


def _label(source: Source | None, value: SpanLabel) -> dict[str, Json]:
    line, column = _start(source, value.span)
    return {"line": line, "column": column, "message": value.message}
