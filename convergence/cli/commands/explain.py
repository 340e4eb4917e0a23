"""``convcheck explain``: one rule, or the list of all."""

from __future__ import annotations

import click

from ...report import explain
from ...report.parts.html import Style
from ...rules import Rule
from ..plumbing.examples import examples
from ..plumbing.options import files, talking
from ..plumbing.output import Exit, style, write

_RULES = {rule.id: rule for rule in Rule}


def find(word: str) -> Rule:
    """The rule that a word names, in any case, with ``_`` or ``-``.

    :raises click.UsageError: if there is none; the message lists near matches
    """
    wanted = word.strip().upper().replace("_", "-")
    if (rule := _RULES.get(wanted)) is not None:
        return rule
    from difflib import get_close_matches

    near = get_close_matches(wanted, _RULES, n=3, cutoff=0.5)
    near += [rule_id for rule_id in _RULES if wanted and wanted in rule_id and rule_id not in near]
    hint = f"Near it: {', '.join(near[:5])}." if near else "`convcheck explain` lists all rules."
    raise click.UsageError(f"There is no rule {word!r}. {hint}")


def _complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """For the shell's completion: the rules that begin so, in any case."""
    return [rule_id for rule_id in _RULES if rule_id.startswith(incomplete.upper().replace("_", "-"))]


@click.command("explain")
@click.argument("rules", metavar="[RULE]...", nargs=-1, shell_complete=_complete)
@click.option("-o", "--output", metavar="FILE", shell_complete=files, help="Write the answer to FILE.")
@click.option("--all", "every", is_flag=True, help="Show every example of the rule.")
@talking("No examples.")
def command(
    rules: tuple[str, ...], output: str | None, every: bool, color: str, quiet: bool, verbose: bool
) -> Exit:
    """Explain RULE: its sentence, why it is there, and examples. Without RULE: list all."""
    dress = style(color, output)
    if not rules:
        write(explain.rules(dress), output)
        return Exit.HOLDS
    named = [find(word) for word in rules]
    pages = [explain.rule(rule, (), (), dress) if quiet else _explained(rule, every, dress) for rule in named]
    write("\n\n".join(pages), output)
    return Exit.HOLDS


def _explained(rule: Rule, every: bool, dress: Style) -> str:
    """The rule with its plain examples, ``RULE.good.ll`` and the like; with all of them on demand."""
    shelf = examples(rule)
    plain = shelf if every else [example for example in shelf if "." not in example.kind] or shelf[:1]
    more = [example.name for example in shelf if example not in plain]
    return explain.rule(rule, plain, more, dress)
