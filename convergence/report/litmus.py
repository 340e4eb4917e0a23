"""``litmus``: conditions by model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..frozen import Json
from ..sched.ask.litmus import Cell, Litmus
from .parts import PLAIN, SCHEMA, Style, printable
from .parts.formats import Case, suite

# ----------------------------------------------------------------------------------------------------------
# ``convcheck litmus``: what each model says of each condition: text, Markdown, JSON, JUnit's XML.
# ----------------------------------------------------------------------------------------------------------


Table = list[list[str]]


def text(files: Sequence[Litmus], style: Style = PLAIN) -> str:
    """Files with the same models share a table."""
    parts = []
    for models, group in grouped(files):
        table = _table(models, group)
        widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in table
        ]
        parts.append("\n".join([style.strong(lines[0]), *lines[1:]]))
    parts += ["\n".join(notes)] if (notes := [*_notes(files)]) else []
    return "\n\n".join(parts) + "\n"


def _notes(files: Sequence[Litmus]) -> Iterator[str]:
    for file in files:
        for note in file.notes:
            yield printable(f"note: {file.name}: {note}")


def markdown(files: Sequence[Litmus]) -> str:
    """The same as tables of a page."""
    parts = []
    for models, group in grouped(files):
        head, *rows = _table(models, group)
        lines = [head, ["---"] * len(head), *rows]
        parts.append(
            "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in lines)
        )
    return "\n\n".join(parts) + "\n"


def junit(files: Sequence[Litmus]) -> str:
    """A test case for each condition, under the model that decides."""
    cases = []
    for file in files:
        for row in file.rows:
            if (cell := row.cells.get(file.own)) is None:
                continue
            words = _cell(cell)
            failure = (words, f"{row.condition.text} under {file.own}: {words}")
            cases.append(
                Case(
                    file.name,
                    row.condition.text,
                    failure if cell.truth == "fails" else None,
                    words if cell.truth == "unknown" else None,
                )
            )
    return suite(cases)


def grouped(files: Sequence[Litmus]) -> list[tuple[tuple[str, ...], list[Litmus]]]:
    """Files by the models that they were asked under."""
    groups: dict[tuple[str, ...], list[Litmus]] = {}
    for file in files:
        groups.setdefault(tuple(file.rows[0].cells), []).append(file)
    return [*groups.items()]


def _table(models: Sequence[str], files: Sequence[Litmus]) -> Table:
    table: Table = [["file", "condition", *models]]
    for file in files:
        for row in file.rows:
            cells = [_cell(row.cells[model]) for model in models]
            table.append([printable(file.name), printable(row.condition.text), *cells])
    return table


def _cell(cell: Cell) -> str:
    """``holds 2/3``: in two of three outcomes the threads end so."""
    if cell.why is not None:
        return "-"
    return f"{cell.truth} {cell.matching}/{cell.outcomes}{'' if cell.complete else '+'}"


def answer(files: Sequence[Litmus]) -> dict[str, Json]:
    """``convcheck litmus --format json``."""
    return {
        "schema": SCHEMA,
        "command": "litmus",
        "files": [
            {
                "file": file.name,
                "model": file.own,
                "conditions": [
                    {
                        "condition": row.condition.text,
                        "quantifier": row.condition.quantifier,
                        "models": {name: _data(cell) for name, cell in row.cells.items()},
                    }
                    for row in file.rows
                ],
                "notes": list(file.notes),
            }
            for file in files
        ],
    }


def _data(cell: Cell) -> Json:
    return {
        "truth": cell.truth,
        "matching": cell.matching,
        "outcomes": cell.outcomes,
        "complete": cell.complete,
        "why": cell.why,
    }
