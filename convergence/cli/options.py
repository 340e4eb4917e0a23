"""Options that several subcommands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])


def files(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For the shell's completion: a file's name, which the shell knows best."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def common(*formats: str) -> Callable[[F], F]:
    """``--format`` with the command's forms, the first by default; ``-o``, ``--color``, ``-q``, ``-v``."""
    options = [
        click.option("--format", "form", type=click.Choice(formats), default=formats[0], show_default=True,
            help="Form of the answer."),
        click.option("-o", "--output", metavar="FILE", shell_complete=files,
            help="Write the answer to FILE."),
        click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto",
            show_default=True, help="Colours; NO_COLOR is honoured."),
        click.option("-q", "--quiet", is_flag=True, help="Say only what matters."),
        click.option("-v", "--verbose", is_flag=True, help="Say more; show a traceback if convcheck fails."),
    ]  # fmt: skip

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add
