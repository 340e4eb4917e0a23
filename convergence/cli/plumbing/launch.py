"""The options that every executing command shares: what is launched, with what, and how far it may go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from .values import argument, each, inputs, path

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--function", metavar="@f", help="The function to launch."),
    click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many threads."),
    click.option("--subgroup-size", type=click.IntRange(min=1), metavar="N",
        help="Lanes per subgroup (default: all threads)."),
    click.option("--arg", metavar="%x=V,...", multiple=True, callback=each(argument),
        help="An argument: one value for all threads, or one per thread."),
    click.option("--input", metavar="@f=V,.../...", multiple=True, callback=each(inputs),
        help="What calls of a declared function return, in order; threads separated by /."),
    click.option("--path", metavar='"A B ..."', multiple=True, callback=each(path),
        help="Once per thread, in order: the blocks that it takes."),
    click.option("--operations", metavar="FILE.py", multiple=True,
        help="Python file with models of declared functions."),
    click.option("--uncontrolled", type=click.Choice(["maximal", "any", "none"]), default="maximal",
        show_default=True, help="How uncontrolled convergent operations group."),
    click.option("--dfs", type=click.Choice(["text", "reversed"]), default="text", show_default=True,
        help="Successor order of the search behind the cycle hierarchy."),
    click.option("--no-verify", is_flag=True, help="Run what breaks a static rule, too."),
    click.option("--max-steps", type=click.IntRange(min=0), default=10_000_000, metavar="N",
        show_default=True, help="Bound on instructions over all threads."),
    click.option("--timeout", type=click.FloatRange(min=0), metavar="S", help="Bound on seconds."),
)  # fmt: skip


def executing(function: F) -> F:
    """Add the shared options to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
