"""``convcheck refine --format html``: one page that needs nothing else, the same for the same answer."""

from __future__ import annotations

from collections.abc import Iterable

from ...refine.verdict.result import Counterexample, Side
from ...semantics.errors import Returned
from ..parts import alignment_svg as svg
from ..parts.endings import details, reason
from ..parts.html import details as folded
from ..parts.printable import markup
from ..run.text import group_lines, outcome_text
from ..verify import text as diagnostics
from . import mismatches
from .answer import PICTURED, SENTENCES, FunctionComparison, RefineAnswer, bound, notes
from .text import departure, launch

_SHEET = """
:root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--line:#bbb;
--bad:#b3261e;--good:#1b6e3c;--open:#8a5a00}
@media (prefers-color-scheme:dark){:root{--ink:#f2f2f2;--paper:#16181c;--line:#555;
--bad:#ff8a80;--good:#7ddc9f;--open:#ffcf70}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:1.5rem auto;
max-width:90rem;padding:0 1rem}
h1,h2{line-height:1.2}
pre{font:13px/1.4 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;overflow-x:auto;margin:.3em 0;
white-space:pre}
table{border-collapse:collapse}
th,td{text-align:left;padding:.15rem 1rem .15rem 0;border-bottom:1px solid var(--line)}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr));gap:1rem}
.side{border:1px solid var(--line);border-radius:8px;padding:.6rem 1rem;min-width:0}
.picture{overflow-x:auto}
.wrong,.invalid-output{color:var(--bad)}
.equal,.refines{color:var(--good)}
.unknown{color:var(--open)}
.departs{border-left:4px solid var(--bad);padding-left:.8rem}
"""


def page(answer: RefineAnswer) -> str:
    """The whole document."""
    title = f"convcheck refine: {answer.verdict}"
    parts = [
        f"<h1>{_verdict_html(answer.verdict)}: {markup(answer.source)} &#8594; {markup(answer.target)}</h1>"
    ]
    if (pipeline := answer.pipeline) is not None:
        parts.append(f"<p>Passes <code>{markup(pipeline.passes)}</code>, run by {markup(pipeline.by)}</p>")
        parts.append(_notes(pipeline.notes))
    parts.append(_notes(answer.notes))
    if len(answer.compared) > 1:
        rows = (
            (comparison.title, comparison.refinement.verdict, comparison.refinement.established)
            for comparison in answer.compared
        )
        parts.append(_table(("Function", "Verdict", "Established"), rows))
    for number, comparison in enumerate(answer.compared, 1):
        parts += _function_html(answer, comparison, f"f{number}")
    texts = (("Source", answer.compared[0].source), ("Target", answer.compared[0].target))
    parts += [folded(f"{name} as LLVM IR", _pre(module.source.text)) for name, module in texts]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{markup(title)}</title>\n<style>{_SHEET}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body>\n</html>\n"
    )


def _function_html(answer: RefineAnswer, comparison: FunctionComparison, prefix: str) -> list[str]:
    refinement = comparison.refinement
    verdict = refinement.verdict
    parts = [
        f"<section>\n<h2>{markup(comparison.title)}: {_verdict_html(verdict)}, "
        f"{markup(SENTENCES[verdict])}</h2>",
        f"<p>Established: {markup(refinement.established)}</p>",
    ]
    if (why := bound(refinement)) is not None:
        parts.append(f"<p>Bound: {markup(why)}</p>")
    if refinement.behaviour is not None:
        parts.append(f"<p>Behaviour, run all the same: {_verdict_html(refinement.behaviour)}</p>")
    if (blamed := comparison.blamed) is not None:
        parts.append(f"<p>Blame: <strong>{markup(str(blamed))}</strong></p>")
    if len(refinement.models) > 1:
        parts.append(_table(("Model", "Verdict"), refinement.models.items()))
    if comparison.walk:
        walked = ((str(judged.number), judged.name, judged.on, judged.verdict) for judged in comparison.walk)
        table = _table(("Pass", "Name", "On", "Verdict"), walked)
        parts.append(folded(f"passes that changed something: {len(comparison.walk)}", table))
    name = comparison.target.source.name
    parts += [_pre(diagnostics.diagnostic(name, comparison.target.source, d)) for d in refinement.diagnostics]
    if refinement.counterexample is not None:
        parts += _counterexample_html(answer, comparison, refinement.counterexample, prefix)
    parts.append(_notes(notes(refinement)))
    return [*parts, "</section>"]


def _counterexample_html(
    answer: RefineAnswer, comparison: FunctionComparison, example: Counterexample, prefix: str
) -> list[str]:
    parts = [f"<h3>Counterexample</h3>\n{_pre(chr(10).join(launch(example)))}"]
    if example.departure is not None:
        parts.append(f'<div class="departs">{_pre(departure(example.departure))}</div>')
    sides = (("Source", example.source), ("Target", example.target))
    shown = [_side_html(answer, comparison, example, name, side, prefix) for name, side in sides]
    parts.append('<div class="sides">\n' + "\n".join(shown) + "\n</div>")
    parts.append(f"<p><strong>Difference:</strong> {markup(mismatches.words(example.difference))}</p>")
    return parts


def _side_html(
    answer: RefineAnswer,
    comparison: FunctionComparison,
    example: Counterexample,
    name: str,
    side: Side,
    prefix: str,
) -> str:
    is_source = side is example.source
    module = side.of(comparison.source if is_source else comparison.target)
    function = comparison.function if is_source else comparison.target_function
    if sum(map(len, side.execution.visits)) > PICTURED:
        drawn = "<p>(no picture: too many blocks)</p>"
    else:
        how = (answer.all_blocks, answer.search, f"{prefix}-{name.lower()}")
        drawn = svg.alignment(side.execution, side.groups, module, function, *how)
    other = example.target if is_source else example.source
    if isinstance(side.ending, Returned):
        ended = outcome_text(side.outcome, side.outcome.contents.unlike(other.outcome.contents))
    else:
        ended = "\n".join([reason(side.ending) or "", *details(side.ending, module)])
    text = "\n\n".join(part for part in (group_lines(side.groups, False), ended) if part)
    return f'<div class="side">\n<h4>{name}</h4>\n<div class="picture">\n{drawn}</div>\n{_pre(text)}\n</div>'


def _verdict_html(verdict: str) -> str:
    return f'<span class="{verdict}">{verdict}</span>'


def _pre(text: str) -> str:
    return f"<pre>{markup(text.rstrip(chr(10)))}</pre>"


def _notes(notes: Iterable[str]) -> str:
    items = "".join(f"<li>{markup(note)}</li>" for note in notes)
    return f"<ul>{items}</ul>" if items else ""


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    heads = "".join(f'<th scope="col">{markup(name)}</th>' for name in head)
    body = "".join(
        "<tr>" + "".join(f'<td class="{_kind(cell)}">{markup(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _kind(cell: str) -> str:
    return cell if cell in SENTENCES else "cell"
