"""What docstrings point to is there, be it a method, an attribute, a class, a module or a name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from tests.meta.package_modules import ROOT, modules

REFERENCE = re.compile(r":(meth|attr|func|class|data|mod):`~?([\w.]+)`")


@cache
def trees() -> dict[str, ast.Module]:
    """By the module's name, from the package's root."""
    return {name: ast.parse(file.read_text()) for name, file in modules().items()}


def _targets(statement: ast.AST) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Assign(targets=targets):
            yield from (n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))


@cache
def members() -> dict[str, frozenset[str]]:
    """What classes of a name have, by that name; what they take from other classes has ``<`` before it."""
    known: dict[str, set[str]] = {}
    for tree in trees().values():
        for cls in (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)):
            own = known.setdefault(cls.name, set())
            for node in ast.walk(cls):
                own.update(_targets(node))
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                    own.add(node.attr)
            own.update("<" + ast.unparse(base).split("[")[0].split(".")[-1] for base in cls.bases)
    return {name: frozenset(own) for name, own in known.items()}


@cache
def names() -> frozenset[str]:
    """All that stands at the top of a module."""
    return frozenset(n for tree in trees().values() for s in tree.body for n in _targets(s))


def has(cls: str, member: str) -> bool:
    own = members().get(cls, frozenset())
    return member in own or any(has(base[1:], member) for base in own if base[0] == "<" and base[1:] != cls)


def is_there(kind: str, name: str, enclosing: list[str]) -> bool:
    *path, last = name.split(".")
    if kind == "mod":
        return any(module == name or module.endswith("." + name.lstrip(".")) for module in trees())
    if path and path[-1] in members():
        return has(path[-1], last)
    if kind in ("meth", "attr") and not path:
        return any(has(cls, last) for cls in enclosing)
    return last in names() or any(last in own for own in members().values())


def test_docstrings_point_to_what_is_there() -> None:
    stale = []
    for module, file in modules().items():
        text = file.read_text()
        classes = [n for n in ast.walk(trees()[module]) if isinstance(n, ast.ClassDef)]
        for reference in REFERENCE.finditer(text):
            line = text.count("\n", 0, reference.start()) + 1
            enclosing = [c.name for c in classes if c.lineno <= line <= (c.end_lineno or 0)]
            if not is_there(reference[1], reference[2], enclosing):
                stale.append(f"{file.relative_to(ROOT)}:{line}: {reference[0]}")
    assert not stale, "\n".join(stale)


def test_what_is_not_there_is_seen() -> None:
    assert is_there("meth", "Machine.run", []) and not is_there("meth", "Machine.ran", [])
    assert is_there("mod", "convergence.semantics", []) and not is_there("mod", "convergence.semantic", [])
    assert not is_there("attr", "run", ["Memory"]) and is_there("meth", "run", ["Machine"])
