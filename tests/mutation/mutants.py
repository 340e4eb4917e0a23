"""Small faults, put into the package one at a time: does a test notice?

A mutant is one change of one node of a module's syntax tree. The kinds are those that hurt a checker: a
comparison that looks the other way, a count that is off by one, a rule or a guard that is dropped, groups
that are merged or split (``any`` for ``all``, ``&`` for ``|``), poison that is lost, what is said of it being
left alone. Not mutated: docstrings and other texts (f-strings included), annotations, assertions (they are
checks themselves), decorators, what only types see, and ``__repr__``.
"""

from __future__ import annotations

import ast
from typing import NamedTuple


class Mutant(NamedTuple):
    """``change`` in words; ``number`` among those of its module."""

    number: int
    line: int
    change: str


_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_FUNCTIONS = {"any": "all", "all": "any", "min": "max", "max": "min"}


class _Mutator(ast.NodeTransformer):
    """Counts the places that can be changed in text order, and changes the ``wanted``-th."""

    def __init__(self, wanted: int | None) -> None:
        self.wanted = wanted
        self.mutants: list[Mutant] = []

    def offer(self, node: ast.AST, change: str) -> bool:
        """Whether this is the place to change."""
        self.mutants.append(Mutant(len(self.mutants), getattr(node, "lineno", 0), change))
        return self.wanted == len(self.mutants) - 1

    # -- what is left alone

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node
        if self.offer(node, "condition is never true"):
            node.test = ast.Constant(False)
            return node
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == "__repr__":
            return node
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        # Fields of records are types and defaults; methods are what acts.
        node.body = [self.visit(s) if isinstance(s, ast.FunctionDef) else s for s in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    # -- what is changed

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Constant):
            return node
        if isinstance(node.value, ast.Yield | ast.YieldFrom):
            if self.offer(node, "yields nothing here"):
                nothing = ast.YieldFrom(ast.Tuple([], ast.Load()))
                return ast.copy_location(ast.Expr(nothing), node)
        elif isinstance(node.value, ast.Call) and self.offer(node, "call is left out"):
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        for place, operator in enumerate(node.ops):
            other = _COMPARISONS[type(operator)]
            if self.offer(node, f"{type(operator).__name__} becomes {other.__name__}"):
                node.ops[place] = other()
                return node
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        if self.offer(node, f"{type(node.op).__name__} becomes {other.__name__}"):
            node.op = other()
            return node
        return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Not) and self.offer(node, "not is left out"):
            return node.operand
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        other = _OPERATORS.get(type(node.op))
        typed = isinstance(node.op, ast.BitOr) and _is_type(node)
        if other and not typed and self.offer(node, f"{type(node.op).__name__} becomes {other.__name__}"):
            node.op = other()
            return node
        return node if typed else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            if self.offer(node, f"{node.value} becomes {not node.value}"):
                return ast.copy_location(ast.Constant(not node.value), node)
        elif isinstance(node.value, int) and self.offer(node, f"{node.value} becomes {node.value + 1}"):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("isinstance", "cast", "field"):
            return node
        if name in _FUNCTIONS and self.offer(node, f"{name} becomes {_FUNCTIONS[name]}"):
            node.func = ast.copy_location(ast.Name(_FUNCTIONS[name], ast.Load()), node)
            return node
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        if node.ifs and self.offer(node.ifs[0], "filter is left out"):
            node.ifs = []
            return node
        return self.generic_visit(node)


def _is_type(node: ast.BinOp) -> bool:
    """Whether ``a | b`` joins classes: their names begin with capitals."""
    sides = [node.left, node.right]
    names = [
        s.id if isinstance(s, ast.Name) else s.attr if isinstance(s, ast.Attribute) else "" for s in sides
    ]
    return any(n[:1].isupper() and not n.isupper() for n in names) or any(
        isinstance(s, ast.Constant) and s.value is None for s in sides
    )


def mutants(source: str) -> list[Mutant]:
    """All mutants of a module."""
    mutator = _Mutator(None)
    mutator.visit(ast.parse(source))
    return mutator.mutants


def mutated_tree(source: str, number: int) -> ast.Module:
    """The module's tree with one change, all else in its place. Raises IndexError if there is none."""
    mutator = _Mutator(number)
    tree: ast.Module = mutator.visit(ast.parse(source))
    if number >= len(mutator.mutants):
        raise IndexError(number)
    return ast.fix_missing_locations(tree)


def mutated(source: str, number: int) -> str:
    """The module with one change. Raises IndexError if there is no such mutant."""
    return ast.unparse(mutated_tree(source, number))
