"""Options that several subcommands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .launch import Faulty

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


def all_blocks(function: F) -> F:
    """``--all-blocks``, of every command that draws alignments."""
    return click.option("--all-blocks", is_flag=True,
        help="Show blocks that hold only control intrinsics and a branch, too.")(function)  # fmt: skip


def engine(function: F) -> F:
    """``--engine``, of a command that runs a program more than once."""
    return click.option(
        "--engine",
        type=click.Choice(["auto", "reference", "native"]),
        default="auto",
        show_default=True,
        help="What runs threads: the reference, native code, or native code where it is worth it (auto); the "
        "answer is the same.",
    )(function)


def legend(function: F) -> F:
    """``--legend``, of every command whose pictures are SVG."""
    return click.option("--legend", is_flag=True,
        help="svg: say below the picture what its signs mean.")(function)  # fmt: skip


def synchrony(function: F) -> F:
    """``--synchrony``, of every command that enumerates."""
    levels = ["none", "subgroup-op", "control-flow", "memory", "collective"]
    return click.option("--synchrony", type=click.Choice(levels), default="none", show_default=True,
        help="What orders memory besides D-CAUSE (docs/synchrony.md).")(function)  # fmt: skip


RECONVERGENCE = "convcheck.reconvergence"
"""Where the context keeps what ``--reconvergence`` says."""


CONSTANTS = "convcheck.constants"
"""Where the context keeps what ``--spec`` says: names or numbers, and values."""


def _keep_constants(ctx: click.Context, parameter: click.Parameter, words: tuple[str, ...]) -> None:
    if words:
        ctx.meta[CONSTANTS] = dict(map(constant, words))


def constant(words: str) -> tuple[str, str]:
    """A specialization constant's name or number, and its value."""
    name, equals, value = words.partition("=")
    if not (equals and name and value):
        raise click.BadParameter(f"{words}: NAME=VALUE is wanted, or the constant's number in place of NAME")
    return name, value


def _keep(ctx: click.Context, parameter: click.Parameter, word: str | None) -> None:
    if word is not None:
        ctx.meta[RECONVERGENCE] = word


def shaders(function: F) -> F:
    """``--reconvergence`` and ``--spec``, of every command whose FILE may be SPIR-V."""
    return _all([
        click.option("--reconvergence", type=click.Choice(["base", "maximal"]), expose_value=False,
            callback=_keep, help="What SPIR-V promises of threads that diverged."),
        click.option("--spec", metavar="NAME=VALUE", multiple=True, expose_value=False,
            callback=_keep_constants,
            help="The value of a specialization constant, by number (in SPIR-V by name, too)."),
    ])(function)  # fmt: skip


# -- What ``simulate``'s own options hold: words of the command line to what machines take

T = TypeVar("T")


def structure(words: str) -> tuple[str, tuple[str, ...]]:
    """``nested``, ``continue``, or a header and the blocks inside its loop."""
    if words in ("nested", "continue"):
        return words, ()
    header, equals, blocks = words.partition("=")
    if not (equals and header and blocks):
        raise Faulty("nested, continue, or HEADER=BLOCK,... is wanted")
    return header.removeprefix("%"), tuple(name.removeprefix("%") for name in blocks.split(","))


def complete_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """For the shell's completion: the machines that begin so."""
    from ...sched.lockstep.policies import NAMES, VARIANTS
    from ...sched.lockstep.policies.outside import offered

    return [name for name in (*NAMES, *VARIANTS, *offered(), "all") if name.startswith(incomplete)]


def least(words: str) -> int | None:
    """The least size of a region with a branch around it."""
    if words in ("always", "never"):
        return 0 if words == "always" else None
    if not words.isdecimal():
        raise Faulty("always, never, or a number is wanted")
    return int(words)


def covered(words: str) -> frozenset[int]:
    """Thread numbers; none of them for ``none``."""
    names = [] if words == "none" else words.split(",")
    if not all(name.strip().isdecimal() for name in names):
        raise Faulty("numbers of threads are wanted, as in 0,1,5, or none")
    return frozenset(int(name) for name in names)


def names_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """The machines that were asked for, each once."""
    from ...sched.lockstep.policies import NAMES
    from ...sched.lockstep.policies.outside import machine
    from ...semantics.errors import UsageError

    for name in names:
        if name != "all":
            try:
                machine(name)
            except UsageError as error:
                raise click.UsageError(error.command_line) from None
    if not names:
        return NAMES
    return tuple(dict.fromkeys(n for name in names for n in (NAMES if name == "all" else (name,))))
