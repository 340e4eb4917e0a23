"""The command line: one small module per subcommand, imported when it is asked for. No semantics here.

Here: the ``convcheck`` command, its subcommands, and what becomes of errors.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import click

from ..interruption import requested
from ..packages import __version__, conflict
from .plumbing import (
    Exit,
    InputError,
    complain,
    complain_of_usage,
    give_up,
    heeded,
    hold_standard_streams,
    leave,
    quiet,
)

_COMMANDS = (
    "verify", "run", "enumerate", "simulate", "explore", "playground", "refine", "infer", "inline",
    "translate", "fuzz", "reduce", "report", "suite", "uniform", "drive", "allows", "litmus", "explain",
)  # fmt: skip

_EPILOG = """\b
Exit codes: 0 it holds, 1 it does not, 2 usage or input that is not LLVM IR,
3 unknown (a bound was hit, something is not modelled), 4 a bug in convcheck.
FILE is .ll, .bc, .spv, SPIR-V's disassembly, or `-` for standard input."""


class Commands(click.Group):
    """Subcommands by name; a subcommand's module is imported when it is first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(f".commands.{cmd_name}", __package__).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            if args and not args[0].startswith("-"):
                from difflib import get_close_matches

                near = get_close_matches(args[0], _COMMANDS, n=1)
                hint = f" Did you mean {near[0]!r}?" if near else f" There are: {', '.join(_COMMANDS)}."
                raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx) from None
            raise


def _version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    """``convcheck 1.0``; and on standard error, whether another project's package is in our place."""
    if not value or ctx.resilient_parsing:
        return
    click.echo(f"convcheck {__version__}")
    if (problem := conflict(str(Path(__file__).resolve().parents[1]))) is not None:
        complain(problem)
    ctx.exit()


@click.group(
    cls=Commands,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Check and run LLVM's convergence-control tokens: which threads communicate, by the rules."""


Refusal = click.ClickException | InputError
"""What a command line is refused with."""


def invoke(arguments: Sequence[str], heard: Callable[[Refusal], None] | None = None) -> Exit:
    """Run one command line and return its exit code. Errors become one line on standard error; ``heard`` gets
    one as data, too."""
    try:
        code = _answered(arguments)
        return Exit(code) if isinstance(code, int) else Exit.HOLDS
    except click.ClickException as error:
        if heard is not None:
            heard(error)
        complain_of_usage(error)
        return Exit.INPUT
    except InputError as error:
        if heard is not None:
            heard(error)
        complain(str(error))
        return error.code
    except (click.Abort, KeyboardInterrupt):
        quiet()
        complain("interrupted")
        return Exit.UNKNOWN
    except MemoryError:
        complain("out of memory")
        return Exit.UNKNOWN
    except Exception as error:
        limit = _limit(error)
        if limit is None:
            return _our_bug(error, arguments)
        complain(limit)
        return Exit.UNKNOWN


def _answered(arguments: Sequence[str]) -> object:
    """What the command returns, or None where click itself could not write (``--help > /dev/full``)."""
    try:
        return cli.main(list(arguments), prog_name="convcheck", standalone_mode=False)
    except OSError as error:
        if error.filename is not None or error.errno not in _UNWRITABLE:
            raise
        give_up(error)
        return None


_UNWRITABLE = frozenset({errno.EBADF, errno.EIO, errno.ENOSPC, errno.EPIPE})
"""What a stream that takes no more says."""


def _limit(error: Exception) -> str | None:
    """What limit of ours an exception says, if it says one."""
    from ..packages import MissingPackage
    from ..semantics import NotModelled

    match error:
        case MissingPackage():
            return error.msg
        case NotModelled():
            return f"not modelled: {error.feature}"
        case RecursionError():
            return "not supported: nested too deeply"
        case _:
            return None


def _our_bug(error: Exception, arguments: Sequence[str]) -> Exit:
    """One line that asks for a report; the traceback when it was asked for."""
    if os.environ.get("CONVCHECK_TRACEBACK") or any(a in ("-v", "--verbose") for a in arguments):
        import traceback

        traceback.print_exc()
    first = (str(error).splitlines() or [""])[0][:200]
    complain(
        f"internal error: {type(error).__name__}: {first}. This is a bug in convcheck: please report it "
        "with the input (-v shows the traceback)"
    )
    return Exit.OUR_BUG


def main() -> None:
    """The console script."""
    hold_standard_streams()
    with heeded():
        code = int(invoke(sys.argv[1:]))
        if requested():
            leave(code)
    sys.exit(code)
