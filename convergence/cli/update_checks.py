"""``update_convcheck_checks FILE...``: write a file's CHECK lines anew from what its RUN lines print.

As LLVM's ``update_*_checks`` scripts do for ``opt`` and ``llc``: each ``RUN: convcheck ... | FileCheck ...``
is run, and all of its output becomes the lines of its prefix. A file so made carries a NOTE line, and
running the script again changes nothing. Positions in the output count lines of the file, so the file is
written anew until it stays as it is.
"""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import click

from . import invoke
from .plumbing import Exit, complain
from .plumbing.examples import NOTE, RUN, CheckRefused, ExampleRun, checks, run_lines, without_checks

ROUNDS = 5
"""How often a file is written anew before it is said not to settle."""


def _printed(line: ExampleRun, path: Path) -> str:
    """What the command prints for the file. Raises :class:`CheckRefused` if that is nothing to check."""
    out, err = io.StringIO(), io.StringIO()
    folder = str(path.parent)
    words = [word.replace("%s", str(path)).replace("%S", folder) for word in line.arguments]
    with redirect_stdout(out), redirect_stderr(err):
        code = invoke(words)
    if code is Exit.OUR_BUG:
        raise CheckRefused(err.getvalue().strip())
    printed = out.getvalue() + (err.getvalue() if line.merged else "")
    if printed.strip():
        return printed
    text = err.getvalue().strip()
    why = f"; on standard error, which `2>&1` would check, it says: {text}" if text else ""
    raise CheckRefused(f"`convcheck {' '.join(line.arguments)}` prints nothing to check{why}")


def updated(text: str, path: Path) -> str:
    """The text with CHECK lines from what the RUN lines print now. They stand behind the last RUN line.

    Raises :class:`CheckRefused`. The file at ``path`` is what the commands read.
    """
    lines = run_lines(text)
    kept = without_checks(text.splitlines(), [line.prefix for line in lines if line.prefix is not None])
    last = max(number for number, line in enumerate(kept) if RUN.match(line)) + 1
    output = [NOTE]
    for line in lines:
        if line.prefix is not None:
            output += checks(line.prefix, _printed(line, path), path)
    before, after = kept[:last], kept[last:]
    while before and before[0].strip() in ("", ";"):
        before.pop(0)
    return "\n".join([*before, *output, *after]) + "\n"


def settle(path: Path) -> bool:
    """Rewrite a file until it stays as it is; whether it changed. Raises :class:`CheckRefused`, OSError, and
    leaves the file as it was then."""
    original = text = path.read_text(encoding="utf-8")
    try:
        for _ in range(ROUNDS):
            new = updated(text, path)
            if new == text:
                return text != original
            path.write_text(new, encoding="utf-8", newline="\n")
            text = new
        raise CheckRefused(f"its output is another one after each of {ROUNDS} rounds")
    except BaseException:
        if text != original:
            path.write_text(original, encoding="utf-8", newline="\n")
        raise


@click.command("update_convcheck_checks", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("-u", "--update-only", is_flag=True, help="Leave files alone that this script did not make.")
@click.option("--check", is_flag=True, help="Change nothing; exit code 1 if a file is not up to date.")
def command(files: tuple[str, ...], update_only: bool, check: bool) -> None:
    """Write the CHECK lines of each FILE anew, from what its RUN lines print."""
    code = 0
    for name in files:
        path = Path(name)
        try:
            original = path.read_text(encoding="utf-8")
            if update_only and NOTE not in original.splitlines():
                continue
            changed = settle(path)
            if changed and check:
                path.write_text(original, encoding="utf-8", newline="\n")
        except (CheckRefused, OSError, UnicodeDecodeError) as error:
            complain(f"{name}: {error}")
            code = 2
            continue
        if changed:
            click.echo(f"{name}: {'not up to date' if check else 'updated'}")
            code = max(code, 1) if check else code
    click.get_current_context().exit(code)


def main() -> None:
    """The console script."""
    try:
        sys.exit(command.main(sys.argv[1:], prog_name="update_convcheck_checks", standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(2)
