"""The modules of the package and what each imports, read from the text: nothing is executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def modules() -> Mapping[str, Path]:
    """The files of ``convergence/`` by the dotted names of their modules."""
    files = sorted((ROOT / "convergence").rglob("*.py"))
    return {_name(file): file for file in files}


def _name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports() -> Mapping[str, frozenset[str]]:
    """Which modules of the package each names in an import, anywhere in its text: at its top, under
    ``TYPE_CHECKING``, in a function. A module that is imported for what a package holds counts for
    itself alone: ``from ..ir import cfg`` is an import of ``ir.cfg``."""
    return {name: frozenset(_imported(name)) - {name} for name in modules()}


def _imported(name: str) -> Iterator[str]:
    file = modules()[name]
    package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name in modules())
            case ast.ImportFrom(module=module, names=names, level=level):
                base = package[: len(package) - level + 1] if level else []
                origin = ".".join([*base, *(module.split(".") if module else [])])
                inside = [f"{origin}.{alias.name}" for alias in names]
                yield from (each for each in inside if each in modules())
                if origin in modules() and not all(each in modules() for each in inside):
                    yield origin


def circles(graph: Mapping[str, frozenset[str]]) -> list[frozenset[str]]:
    """The strongly connected components of more than one module (Tarjan's algorithm, without recursion)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[frozenset[str]] = []
    for root in graph:
        if root in number:
            continue
        work = [(root, iter(sorted(graph[root])))]
        number[root] = low[root] = len(number)
        stack.append(root)
        while work:
            node, following = work[-1]
            for successor in following:
                if successor not in number:
                    number[successor] = low[successor] = len(number)
                    stack.append(successor)
                    work.append((successor, iter(sorted(graph[successor]))))
                    break
                if successor in stack:
                    low[node] = min(low[node], number[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    at = stack.index(node)
                    component, stack[at:] = frozenset(stack[at:]), []
                    if len(component) > 1:
                        found.append(component)
    return found
