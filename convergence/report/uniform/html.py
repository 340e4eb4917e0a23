"""``convcheck uniform`` as HTML: the source with its values coloured, and pictures of the control flow."""

from __future__ import annotations

from ...ir.module import Function
from ...source import Span
from ...uniformity.answer import Uniformity
from ...uniformity.result import FunctionUniformity, Verdict
from ..parts import html
from ..parts.html import Style
from ..parts.module_html import control_flow
from ..parts.printable import markup
from . import text as uniform_text
from . import words

_COLOURS = {
    "uniform": "background:#0072b222",
    "divergent": "background:#e69f0055",
    "outside": "background:#009e7344",
    "unsound": "background:#d5000066;outline:2px solid #d50000",
}
_LEGEND = {
    "uniform": "uniform",
    "divergent": "divergent",
    "outside": "uniform; divergent outside its cycle",
    "unsound": "called uniform, and a run shows that it is not",
}


def page(uniformity: Uniformity, name: str) -> str:
    """A page of its own."""
    title = markup(f"Uniformity of {name}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body><h1>{title}</h1>{notebook_page(uniformity, name)}</body></html>\n"
    )


def notebook_page(uniformity: Uniformity, name: str = "") -> str:
    """What stands in a notebook: the source, the pictures, and the text."""
    text = uniform_text.uniform(uniformity, Style(color=True), name=name)
    parts = [legend(), source(uniformity)]
    for function in uniformity.functions.values():
        drawn = flow(uniformity, function, html.prefix(function.function + text))
        parts.append(html.details(f"control flow of @{function.function}", html.picture(drawn)))
    return html.box(*parts, html.details("as text", html.pre(text)))


def legend() -> str:
    cells = [f'<span style="{_COLOURS[kind]}">{markup(meaning)}</span>' for kind, meaning in _LEGEND.items()]
    return f"<p>{' &#183; '.join(cells)}</p>"


def source(uniformity: Uniformity) -> str:
    """The text of the module; each instruction of which something is said has its colour, and its chain as a
    title, which browsers show when the pointer is on it."""
    marks = sorted(_marks(uniformity), key=lambda mark: (mark[0].start, -mark[0].end))
    written = uniformity.module.source.text
    parts, at = [], 0
    for span, kind, chain in marks:
        if span.start < at:
            continue
        parts.append(markup(written[at : span.start]))
        inner = markup(written[span.start : span.end])
        parts.append(f'<span style="{_COLOURS[kind]}" title="{markup(chain)}">{inner}</span>')
        at = span.end
    return html.raw_pre("".join(parts) + markup(written[at:]))


def _marks(uniformity: Uniformity) -> list[tuple[Span, str, str]]:
    """Span, kind and chain of every value and branch that the text spells."""
    unsound = {
        (f.subject.function, f.subject.name, f.subject.branch): words.fault_words(f)
        for checked in uniformity.checked
        for f in checked.faults
    }
    marks = []
    for function in uniformity.functions.values():
        items = [
            *((value.name, False, value.span, value.verdict) for value in function.values.values()),
            *((branch.block, True, branch.span, branch.verdict) for branch in function.branches.values()),
        ]
        for name, branch, span, verdict in items:
            if span.start < 0 or verdict is Verdict.UNREACHABLE:
                continue
            chain_lines = "\n".join(
                f"{what}: {why}" for what, why in words.chain(function, name if branch else f"%{name}")
            )
            fault = unsound.get((function.function, name, branch))
            kind = {Verdict.UNIFORM: "uniform", Verdict.OUTSIDE: "outside"}.get(verdict, "divergent")
            marks.append(
                (span, kind, chain_lines) if fault is None else (span, "unsound", f"{fault}\n{chain_lines}")
            )
    return marks


def flow(uniformity: Uniformity, function: FunctionUniformity, prefix: str = "convcheck-cfg") -> str:
    """The CFG with its divergent branches marked, and where their threads meet."""
    notes: dict[str, list[str]] = {}
    marked = set()
    for branch in function.branches.values():
        if branch.verdict is not Verdict.DIVERGENT or branch.cause is None:
            continue
        marked.add(branch.block)
        notes.setdefault(branch.block, []).append(f"divergent branch: {branch.cause.rule.id}")
        for join in branch.joins:
            notes.setdefault(join, []).append(f"join of {branch.block}")
        for header, target in branch.exits:
            notes.setdefault(target, []).append(f"left {header} in different iterations")
    for cycle in function.assumed:
        for block in cycle.blocks:
            notes.setdefault(block, []).append(f"not m-converged: cycle of {cycle.header}")
    definition: Function = uniformity.module.functions[function.function]
    unique = {block: tuple(dict.fromkeys(lines)) for block, lines in notes.items()}
    return control_flow(uniformity.module, definition, None, prefix, unique, frozenset(marked))
