"""A finding as the text of a bug report: Markdown with the IR before and after, the command, both executions,
and the verdict by model."""

from __future__ import annotations

from .answer import FunctionComparison, RefineAnswer
from .text import text

_FENCE = "```"
_WORDS = {"wrong": "not what it was", "invalid-output": "not valid any more"}


def issue(
    answer: RefineAnswer,
    comparison: FunctionComparison,
    before: str,
    after: str,
    pass_: str,
    command: str,
    by: str,
) -> str:
    """``before`` and ``after`` are the modules around the pass ``pass_``, ``command`` what was run, ``by``
    which LLVM."""
    refinement = comparison.refinement
    parts = [
        f"# {pass_}: @{comparison.function} is {_WORDS.get(refinement.verdict, refinement.verdict)}",
        f"{by}. The pass is {pass_}, in:",
        _block("sh", command),
        "The module before it:",
        _block("llvm", before),
        "and after it:",
        _block("llvm", after),
    ]
    if refinement.models:
        rows = "\n".join(f"| {model} | {verdict} |" for model, verdict in refinement.models.items())
        parts.append(f"| who converges with whom | verdict |\n| --- | --- |\n{rows}")
    parts += [
        "What convcheck says of the two, where each thread is at a time, and what is seen of it:",
        _block("", text(answer)),
    ]
    return "\n\n".join(parts) + "\n"


def _block(language: str, content: str) -> str:
    """A fenced block, with a fence that is not in its content."""
    fence = _FENCE
    while fence in content:
        fence += "`"
    return f"{fence}{language}\n{content.strip()}\n{fence}"
