"""What findings on a device have in common, by the trees of the reduced programs and by experiment."""

from __future__ import annotations

from .reconvergence import (
    Ballot,
    Break,
    Continue,
    If,
    LoopStatement,
    Return,
    Statement,
    StoreStatement,
    SwitchStatement,
)


def shape(tree: tuple[Statement, ...]) -> str:
    """The statements without numbers, conditions and kinds of operations: ``do { op }; op``."""
    return "; ".join(map(_statement, tree))


def _statement(statement: Statement) -> str:
    match statement:
        case Ballot():
            return "op"
        case StoreStatement():
            return "store"
        case If(then=then, otherwise=otherwise):
            other = f" else {_block(otherwise)}" if otherwise else ""
            return f"if {_block(then)}{other}"
        case SwitchStatement(cases=cases, default=default):
            parts = [f"case {_block(body)}" + " break" * breaks for _, body, breaks in cases]
            parts += [f"default {_block(default)}"] if default else []
            return f"switch {{ {'; '.join(parts)} }}"
        case LoopStatement(kind=kind, body=body):
            return f"{kind} {_block(body)}"
        case Break():
            return "break"
        case Continue():
            return "continue"
        case Return():
            return "return"


def _block(tree: tuple[Statement, ...]) -> str:
    return f"{{ {shape(tree)} }}" if tree else "{}"
