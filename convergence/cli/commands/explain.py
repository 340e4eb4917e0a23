"""``convcheck explain``: one rule, or the list of all."""

from __future__ import annotations

import click

from ...report import explain
from ...report.parts import Style
from ...rules import Rule
from ..plumbing import Exit, style, write
from ..plumbing.examples import explanation
from ..plumbing.options import files, talking


def find(word: str) -> Rule:
    """The rule that a word names.

    :raises click.UsageError: if there is none; the message lists near matches
    """
    try:
        return explain.rule_named(word)
    except explain.NoRule as error:
        raise click.UsageError(str(error)) from None


def _complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """For the shell's completion: the rules that begin so, in any case."""
    return [
        rule_id
        for rule_id in (rule.id for rule in Rule)
        if rule_id.startswith(incomplete.upper().replace("_", "-"))
    ]


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
    pages = [explain.rule(rule, (), (), dress) if quiet else rule_text(rule, every, dress) for rule in named]
    write("\n\n".join(pages), output)
    return Exit.HOLDS


def rule_text(rule: Rule, every: bool, dress: Style) -> str:
    """The rule with its plain examples, or with all of them."""
    known = explanation(rule, every)
    return explain.rule(known.rule, known.examples, known.more, dress)
