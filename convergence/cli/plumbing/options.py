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


def _all(options: list[Callable[[F], F]]) -> Callable[[F], F]:
    """Options as one decorator, in the order in which ``--help`` shows them."""

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def talking(quiet: str = "Say only what matters.") -> Callable[[F], F]:
    """``--color``, ``-q`` and ``-v``, which every command has; ``quiet`` says what ``-q`` leaves away."""
    return _all([
        click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto",
            show_default=True, help="Colours; NO_COLOR is honoured."),
        click.option("-q", "--quiet", is_flag=True, help=quiet),
        click.option("-v", "--verbose", is_flag=True, help="Say more; show a traceback if convcheck fails."),
    ])  # fmt: skip


def common(*formats: str) -> Callable[[F], F]:
    """``--format`` with the command's forms, the first by default; ``-o``, ``--color``, ``-q``, ``-v``."""
    return _all([
        click.option("--format", "form", type=click.Choice(formats), default=formats[0], show_default=True,
            help="Form of the answer."),
        click.option("-o", "--output", metavar="FILE", shell_complete=files,
            help="Write the answer to FILE."),
        talking(),
    ])  # fmt: skip
