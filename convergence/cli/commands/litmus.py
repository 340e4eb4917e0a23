"""``convcheck litmus``: the conditions that files state, under every model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...packages import shipped
from ..plumbing import Exit, InputError, style, worst, write
from ..plumbing.load import launching, load
from ..plumbing.options import Count, common, executing, files, with_defaults
from .run import _broken, _Runner

if TYPE_CHECKING:
    from ...sched.ask.litmus import Litmus


class _Broken(Exception):
    """A file breaks a static rule: ``text`` is what ``verify`` says of it."""

    def __init__(self, text: str, code: Exit) -> None:
        super().__init__(text)
        self.text, self.code = text, code


CODES = {"holds": Exit.HOLDS, "fails": Exit.FAILS, "unknown": Exit.UNKNOWN}


@click.command("litmus")
@click.argument("file", metavar="FILE|DIR...", nargs=-1, required=True, shell_complete=files)
@executing
@click.option("--model", "models", metavar="NAME", multiple=True, help="Only this model; may be given again.")
@click.option("--max-executions", type=Count(min=1), metavar="N", help="Bound on executions.")
@common("text", "markdown", "json", "junit")
@click.pass_context
def command(ctx: click.Context, /, file: tuple[str, ...], **_: Any) -> Exit:
    r"""Each condition that a file states in a line `; LITMUS: exists (0:return=1 /\ @x=2)`, by model.

    Models are the levels of synchrony; without tokens the ways to group, and levels with inferred tokens. Of
    a folder all .ll files that state one. Exit code 1 if one fails under the first model, the definition's.
    """
    answers, codes = [], []
    for name in _named(file):
        try:
            value = _of(ctx, name)
        except _Broken as broken:
            write(broken.text, ctx.params["output"])
            return broken.code
        answers.append(value)
        codes += [CODES[row.cells[value.own].truth] for row in value.rows if value.own in row.cells]
    form, output = ctx.params["form"], ctx.params["output"]
    from ...report import litmus as litmus_text

    if form == "json":
        from ...report import parts as json

        write(json.dump(litmus_text.answer(answers)), output)
    elif form == "junit":
        write(litmus_text.junit(answers), output)
    elif form == "markdown":
        write(litmus_text.markdown(answers), output)
    else:
        write(litmus_text.text(answers, style(ctx.params["color"], output)), output)
    return worst(codes)


def _named(paths: tuple[str, ...]) -> list[str]:
    """The files; of a folder those that state a condition. :raises InputError: if there is none"""
    names: list[str] = []
    for path in paths:
        folder = shipped(path) or Path(path)
        if not folder.is_dir():
            names.append(path)
            continue
        inside = sorted(folder.rglob("*.ll"))
        stating = [
            str(Path(path) / file.relative_to(folder)) for file in inside if b"LITMUS:" in file.read_bytes()
        ]
        if not stating:
            raise InputError(path, "no file here has a line ; LITMUS: that states a condition")
        names += stating
    return names


def _of(ctx: click.Context, name: str) -> Litmus:
    loaded = load(name)
    options = with_defaults(ctx, loaded.module, loaded.name)
    if not options["no_verify"] and (broken := _broken(loaded)) is not None:
        if options["form"] in ("text", "json"):
            raise _Broken(*broken(options))
        raise InputError(loaded.name, "the static rules are broken: convcheck verify shows how", Exit.FAILS)
    spec = _Runner(loaded, options, not options["no_verify"]).spec
    spec = spec.within(max_executions=options["max_executions"]).begun()
    from ...sched.ask.litmus import answered

    with launching(loaded.name):
        return answered(loaded.module, spec, options["models"])
