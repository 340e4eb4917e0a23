"""Which runs of statements a test comes to, for little time: the package's functions mark them as they go.

A *run* is what is executed from its first statement on unless something is raised: a body, or what follows a
statement with bodies of its own. At its start stands ``__reached__[N] = 1``, where ``__reached__`` is an
array of bytes that all modules share: so says the code that the functions that live are given for a while.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

from tests.meta.package_modules import modules

_ARRAY = "__reached__"
_DIGITS = b"01" + bytes(254)
_Span = tuple[int, int]
"""First line and last."""


class _Marker(ast.NodeTransformer):
    """Puts marks into functions; ``spans`` are the runs' lines, a run's number being its place."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.spans: list[list[_Span]] = []
        self.inside = False

    def _mark(self, at: ast.stmt) -> ast.stmt:
        number = self.first + len(self.spans)
        self.spans.append([])
        mark = ast.parse(f"{_ARRAY}[{number}] = 1").body[0]
        for node in ast.walk(mark):
            ast.copy_location(node, at)
        return mark

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """A body with a mark at the start of each of its runs."""
        result: list[ast.stmt] = []
        run: list[_Span] | None = None
        for statement in statements:
            if run is None:
                result.append(self._mark(statement))
                run = self.spans[-1]
            bodies = [b for b in _bodies(statement) if b]
            inner = [s.lineno for b in bodies for s in b]
            last = (
                max(statement.lineno, min(inner) - 1) if inner else statement.end_lineno or statement.lineno
            )
            run.append((statement.lineno, last))
            result.append(self.visit(statement))
            if inner and not isinstance(statement, ast.FunctionDef):
                run = None
        return result

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if self.inside:
            for field in ("body", "orelse", "finalbody"):
                statements = getattr(node, field, None)
                if isinstance(statements, list) and statements and isinstance(statements[0], ast.stmt):
                    setattr(node, field, self.body(statements))
            for field in ("handlers", "cases"):
                for part in getattr(node, field, ()):
                    part.body = self.body(part.body)
            return node
        return super().generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self.inside = self.inside, True
        documented = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
        node.body = documented + self.body(node.body[len(documented) :])
        self.inside = outer
        return node


def _bodies(statement: ast.stmt) -> Iterable[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        yield getattr(statement, field, [])
    for field in ("handlers", "cases"):
        for part in getattr(statement, field, ()):
            yield part.body


class Marks:
    """The marks of some modules, all imported; ``array[n]`` is 1 if run ``n`` was reached."""

    def __init__(self, names: Iterable[str]) -> None:
        self.trees: dict[str, ast.Module] = {}
        self.runs: dict[str, list[tuple[int, list[_Span]]]] = {}
        count = 0
        for name in names:
            marker = _Marker(count)
            tree = marker.visit(ast.parse(modules()[name].read_text(encoding="utf-8")))
            self.trees[name] = ast.fix_missing_locations(tree)
            self.runs[name] = list(enumerate(marker.spans, count))
            count += len(marker.spans)
        self.array = bytearray(count)

    def install(self) -> None:
        """Let the modules see the array."""
        for name in self.trees:
            if name in sys.modules:
                setattr(sys.modules[name], _ARRAY, self.array)

    def take(self) -> str:
        """The runs reached since this was asked last: a mask, in hexadecimal."""
        mask = int("0" + self.array[::-1].translate(_DIGITS).decode(), 2)
        self.array[:] = bytes(len(self.array))
        return f"{mask:x}"

    def run_of(self, module: str, line: int) -> int | None:
        """The run that a line belongs to; None outside of functions."""
        fitting = [
            (last - first, number)
            for number, spans in self.runs[module]
            for first, last in spans
            if first <= line <= last
        ]
        return min(fitting)[1] if fitting else None
