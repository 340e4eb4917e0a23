"""A file's own defaults: the words of its ``; CONVCHECK:`` lines, below what the command line says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ...frozen import dataclass
from ...ir.module import Directive, Module
from .output import InputError

ALLOWED = frozenset(
    (
        "function", "threads", "grid", "workgroup", "partial", "subgroup_size", "arg", "globals", "buffers",
        "show", "input", "path", "uncontrolled", "dfs", "equal_writes", "no_verify",
        "all_blocks", "max_steps", "timeout", "seed", "trace", "latches", "structure", "block_order",
        "synchrony", "engine", "max_executions", "policy", "barriers", "exec_form", "branch_if_none",
        "covered", "spill", "yields", "no_jumps",
        "target_function", "passes", "bisect", "assume",
        "models", "max_launches", "symbolic", "iterations",
    )
)  # fmt: skip
"""What a file may say. Not ``-o``, ``--save``, ``--operations`` or ``--opt``: a file must not write or run
another."""

_BY_NAME = frozenset(("arg", "globals", "buffers", "input"))
_SHORT, _SHAPE = "threads", frozenset(("grid", "workgroup"))
"""Two ways to say how many threads there are: the command line's takes the place of the file's."""


def with_defaults(ctx: click.Context, module: Module, file: str) -> dict[str, Any]:
    """The command's parameters: the command line's where it says something, else the file's.

    Of an option that repeats, the command line's replace the file's; ``--arg``, ``--global``,
    ``--buffer`` and ``--input`` do so name by name.

    :raises InputError: if the file's words are not options of the command, or not for a file to give
    """
    parameters = dict(ctx.params)
    lines = [_split(directive, module, file) for directive in module.directives]
    if not lines:
        return parameters
    theirs = _context(ctx.command, lines, file)
    line = click.core.ParameterSource.COMMANDLINE
    shape = any(ctx.get_parameter_source(name) is line for name in _SHAPE if name in parameters)
    other_way = {_SHORT} if shape else _SHAPE if ctx.get_parameter_source(_SHORT) is line else frozenset()
    for name, value in theirs.params.items():
        if theirs.get_parameter_source(name) is not line or name == "file" or name in other_way:
            continue
        if ctx.get_parameter_source(name) is not line:
            parameters[name] = value
        elif name in _BY_NAME:
            keys = {key for key, _ in parameters[name]}
            parameters[name] = (*(pair for pair in value if pair[0] not in keys), *parameters[name])
    return parameters


_OF_SOME_COMMANDS = {
    "--show": True, "--save": True, "--trace": False, "--why": True, "--synchrony": True, "--engine": True,
    "--max-executions": True, "--target-function": True, "--passes": True,
    "--reconvergence": True, "--spec": True, "--bisect": False, "--assume": True, "--models": True,
    "--max-launches": True, "--symbolic": False, "--iterations": True, "--seed": True, "--all-blocks": False,
    "--policy": True, "--latches": True, "--structure": True, "--block-order": True,
    "--barriers": True, "--yield": False, "--no-jumps": False,
    "--exec-form": True, "--branch-if-none": True, "--covered": True, "--spill": True,
}  # fmt: skip
"""Options that only some executing commands have, and whether they take a value."""


_ENGINES = frozenset(("operational", "axiomatic", "both", "auto", "reference", "native", "attended"))
"""What ``--engine`` may be of some command: a file may say it for one of them."""


def _choices(command: click.Command, name: str) -> frozenset[str]:
    """What an option of a command may be."""
    types = [p.type for p in command.params if name in p.opts]
    return frozenset(c for t in types if isinstance(t, click.Choice) for c in t.choices)


def _without_others(command: click.Command, words: Sequence[str]) -> list[str]:
    """A file's words without the options that are for another command than this one."""
    own = {name for parameter in command.params for name in parameter.opts}
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        name, assigned, value = word.partition("=")
        if name == "--engine" and name in own and not assigned:
            value = next(rest, "")
            word = f"--engine={value}"
        if name == "--engine" and value in _ENGINES - _choices(command, name):
            continue
        if name in own or name not in _OF_SOME_COMMANDS:
            kept.append(word)
        elif _OF_SOME_COMMANDS[name] and not assigned:
            next(rest, None)
    return kept


@dataclass(frozen=True, slots=True)
class _Line:
    """The words of one CONVCHECK line, and ``FILE:LINE:COLUMN`` of the first."""

    words: tuple[str, ...]
    place: str


def _split(directive: Directive, module: Module, file: str) -> _Line:
    """:raises InputError: for a quote that is not closed"""
    position = (module.original or module.source).position(directive.span.start)
    place = f"{file}:{position.line}:{position.column}"
    try:
        return _Line(directive.words(), place)
    except ValueError as error:
        raise InputError(place, f"CONVCHECK line: {str(error).lower()}") from None


def _context(command: click.Command, lines: Sequence[_Line], file: str) -> click.Context:
    """The command's parameters by all the lines together.

    :raises InputError: at the line that is at fault where that can be told, else at the first
    """
    context, why = _parsed(command, [word for line in lines for word in line.words], file)
    if context is not None:
        return context
    for line in lines:
        _, own = _parsed(command, line.words, file)
        if own is not None:
            raise InputError(line.place, own)
    raise InputError(lines[0].place, why or "")


def _parsed(
    command: click.Command, words: Sequence[str], file: str
) -> tuple[click.Context, None] | tuple[None, str]:
    """The parameters that words give, or why they cannot."""
    try:
        context = command.make_context("CONVCHECK", [*_without_others(command, words), "--", file])
    except click.ClickException as error:
        return None, f"in its CONVCHECK line: {error.format_message()}"
    except click.exceptions.Exit:
        return None, "its CONVCHECK line may not ask for help"
    from ...sched.lockstep.policies.outside import in_file

    line = click.core.ParameterSource.COMMANDLINE
    for name in context.params:
        if context.get_parameter_source(name) is line and name not in ALLOWED and name != "file":
            return None, f"its CONVCHECK line may not set --{name.replace('_', '-')}"
    if any(in_file(word) for word in context.params.get("policy", ())):
        return None, "its CONVCHECK line may not name a Python file for --policy"
    return context, None
