"""A file's own defaults: the words of its ``; CONVCHECK:`` lines, below what the command line says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from .exits import InputError

ALLOWED = frozenset(
    (
        "function", "threads", "subgroup_size", "arg", "input", "path", "uncontrolled", "dfs", "no_verify",
        "all_blocks", "max_steps", "timeout", "seed", "trace", "latches", "structure", "block_order",
        "synchrony", "engine", "max_executions", "policy", "barriers", "exec_form", "branch_if_none",
        "covered", "spill", "yields", "no_jumps",
        "target_function", "passes", "bisect", "assume",
        "models", "max_launches", "symbolic", "iterations",
    )
)  # fmt: skip
"""What a file may say. Not ``-o``, ``--operations`` or ``--opt``: a file must not write or run another."""

_BY_NAME = frozenset(("arg", "input"))


def with_defaults(ctx: click.Context, words: Sequence[str], file: str) -> dict[str, Any]:
    """The command's parameters: the command line's where it says something, else the file's.

    Of an option that repeats, the command line's replace the file's; ``--arg`` and ``--input`` do so
    name by name.

    :raises InputError: if the file's words are not options of the command, or not for a file to give
    """
    given = dict(ctx.params)
    if not words:
        return given
    theirs = _context(ctx.command, words, file)
    line = click.core.ParameterSource.COMMANDLINE
    for name, value in theirs.params.items():
        if theirs.get_parameter_source(name) is not line or name == "file":
            continue
        if name not in ALLOWED:
            raise InputError(file, f"its CONVCHECK line may not set --{name.replace('_', '-')}")
        if ctx.get_parameter_source(name) is not line:
            given[name] = value
        elif name in _BY_NAME:
            said = {key for key, _ in given[name]}
            given[name] = (*(pair for pair in value if pair[0] not in said), *given[name])
    return given


_OF_SOME_COMMANDS = {
    "--trace": False, "--why": True, "--synchrony": True, "--engine": True, "--max-executions": True,
    "--target-function": True, "--passes": True, "--bisect": False, "--assume": True, "--models": True,
    "--max-launches": True, "--symbolic": False, "--iterations": True, "--seed": True, "--all-blocks": False,
    "--policy": True, "--latches": True, "--structure": True, "--block-order": True,
    "--barriers": True, "--yield": False, "--no-jumps": False,
    "--exec-form": True, "--branch-if-none": True, "--covered": True, "--spill": True,
}  # fmt: skip
"""Options that only some executing commands have, and whether they take a value."""


def _without_others(command: click.Command, words: Sequence[str]) -> list[str]:
    """A file's words without the options that are for another command than this one."""
    own = {name for parameter in command.params for name in parameter.opts}
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        name, assigned, _ = word.partition("=")
        if name in own or name not in _OF_SOME_COMMANDS:
            kept.append(word)
        elif _OF_SOME_COMMANDS[name] and not assigned:
            next(rest, None)
    return kept


def _context(command: click.Command, words: Sequence[str], file: str) -> click.Context:
    words = _without_others(command, words)
    try:
        return command.make_context("CONVCHECK", [*words, "--", file])
    except click.ClickException as error:
        raise InputError(file, f"in its CONVCHECK line: {error.format_message()}") from None
    except click.exceptions.Exit:
        raise InputError(file, "its CONVCHECK line may not ask for help") from None
