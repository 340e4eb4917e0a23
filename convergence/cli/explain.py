"""``convcheck explain``: one rule, or the list of all."""

from __future__ import annotations

import click

from ..report import explain
from ..rules import Rule
from .examples import examples
from .exits import Exit
from .output import style, write

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


@click.command("explain")
@click.argument("rules", metavar="[RULE]...", nargs=-1)
@click.option("-o", "--output", metavar="FILE", help="Write the answer to FILE.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def command(rules: tuple[str, ...], output: str | None, color: str) -> Exit:
    """Explain RULE: its sentence, why it is there, a good and a bad example. Without RULE: list all."""
    dress = style(color, output)
    if not rules:
        write(explain.rules(dress), output)
        return Exit.HOLDS
    found = [find(word) for word in rules]
    write("\n\n".join(explain.rule(rule, examples(rule), dress) for rule in found), output)
    return Exit.HOLDS
