"""``convcheck uniform`` as text."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.module import Module
from ...source import Span
from ...uniformity.result import FunctionUniformity, Uniformity, Verdict
from ..parts.html import PLAIN, Style
from . import words


def uniform(found: Uniformity, style: Style = PLAIN, quiet: bool = False) -> str:
    """Every function: its values and branches by block, and a line that counts them."""
    parts = []
    for function in found.functions.values():
        lines = [] if quiet else body(function, found.target, style)
        parts.append("\n".join([*lines, summary(function)]) + "\n")
    return "\n".join(parts)


def body(function: FunctionUniformity, target: str, style: Style) -> list[str]:
    """The values of a function, block by block."""
    where = f" for {target}" if target else ""
    lines = [style.strong(f"@{function.function}{where}:")]
    blocks: dict[str | None, list[tuple[str, str]]] = {}
    for value in function.values.values():
        blocks.setdefault(value.block, []).append((f"%{value.name}", words.value(value)))
    for branch in function.branches.values():
        blocks.setdefault(branch.block, []).append(("branch", words.branch(branch)))
    width = max((len(name) for rows in blocks.values() for name, _ in rows), default=0)
    for block, rows in blocks.items():
        lines.append("parameters:" if block is None else f"{block}:")
        lines += [f"  {name:<{width}}  {said}" for name, said in rows]
    for cycle in function.assumed:
        shown = " ".join(cycle.blocks)
        lines.append(
            f"The cycle {shown} is not m-converged[U-CYCLE]: threads part at the branch of {cycle.branch} and"
            f" meet at {cycle.join}"
        )
    return lines


def summary(function: FunctionUniformity) -> str:
    """``Values: 9, 3 divergent, 1 outside its cycle   Branches: 2, 1 divergent``."""
    verdicts = [value.verdict for value in function.values.values()]
    divergent, outside = verdicts.count(Verdict.DIVERGENT), verdicts.count(Verdict.OUTSIDE)
    branches = [branch.verdict for branch in function.branches.values()]
    values = f"Values: {len(verdicts)}, {divergent} divergent"
    if outside:
        values += f", {outside} outside a cycle"
    parted = branches.count(Verdict.DIVERGENT)
    return f"@{function.function}  {values}   Branches: {len(branches)}, {parted} divergent"


def why(function: FunctionUniformity, asked: Sequence[str], module: Module, name: str) -> str:
    """The chain of each value or branch that was asked for, with its places. Raises KeyError."""
    lines: list[str] = []
    for subject in asked:
        for depth, (what, said) in enumerate(words.chain(function, subject)):
            place = _place(function, what, module, name)
            lines.append(f"{'  ' * depth}{what}: {said}{place}")
    return "\n".join(lines) + "\n"


def _place(function: FunctionUniformity, what: str, module: Module, name: str) -> str:
    span = span_of(function, what)
    if span.start < 0:
        return ""
    line, column = module.source.position(span.start)
    return f" ({name}:{line}:{column})"


def span_of(function: FunctionUniformity, what: str) -> Span:
    """Where a subject of a chain stands in the text."""
    if what.startswith("%"):
        return function.values[what[1:]].span
    return function.branches[what.removeprefix("the branch of ")].span
