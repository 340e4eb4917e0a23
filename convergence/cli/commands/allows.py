"""``convcheck allows``: is an alignment, or a final state, legal, and if not, by which rule?"""

from __future__ import annotations

from typing import Any

import click

from ..plumbing import Exit, style, write
from ..plumbing.load import launching, load
from ..plumbing.options import Count, all_blocks, common, executing, files, synchrony, with_defaults
from .run import _broken, _Runner

CODES = {"allowed": Exit.HOLDS, "forbidden": Exit.FAILS, "unknown": Exit.UNKNOWN}


@click.command("allows")
@click.argument("file", metavar="FILE", shell_complete=files)
@click.option(
    "--alignment",
    metavar='"A B - C / A B C C"',
    help="A row per thread, a column per group, as answers draw it. Without --path on the command line its "
    "blocks are the paths.",
)
@click.option(
    "--together",
    metavar='"%op thread 0 #2, thread 1 #1"',
    multiple=True,
    help="Two instances that are converged; may be given again.",
)
@click.option("--apart", metavar='"%op thread 0, thread 1"', multiple=True, help="Two that are not.")
@click.option(
    "--state", metavar='"0:return=1 /\\ @x=2"', help="What threads return and variables hold at the end."
)
@executing
@click.option(
    "--engine",
    type=click.Choice(["directed", "operational", "axiomatic", "both"]),
    default="directed",
    show_default=True,
    help="Look for an execution that is as asked for, or enumerate all by an engine, or by both.",
)
@synchrony
@click.option("--max-executions", type=Count(min=1), metavar="N", help="Bound on executions.")
@all_blocks
@common("text", "json")
@click.pass_context
def command(ctx: click.Context, /, file: str, **_: Any) -> Exit:
    """Is an alignment or a final state of FILE legal? If not, the first rule against it.

    All that is given must hold in one execution. Exit code 0: a legal execution is so. 1: none is. 3: none
    was found before a bound was hit.
    """
    loaded = load(file)
    options = with_defaults(ctx, loaded.module, loaded.name)
    if not options["no_verify"] and (broken := _broken(loaded)) is not None:
        text, code = broken(options)
        write(text, options["output"])
        return code
    drawn = options["alignment"] is not None
    if drawn and ctx.get_parameter_source("path") is not click.core.ParameterSource.COMMANDLINE:
        options["path"] = ()  # the file's are of its own picture
    run_options = {**options, "engine": "auto"}  # what runs threads, and not how the answer is looked for
    spec = _Runner(loaded, run_options, not options["no_verify"]).spec
    spec = spec.within(max_executions=options["max_executions"]).begun()
    from ...sched.ask.allows import answered
    from ...sched.ask.question import read_rows, read_state
    from ...sched.choices.synchrony import LEVELS

    with launching(loaded.name):
        rows = read_rows(options["alignment"]) if drawn else None
        pairs = [(text, True) for text in options["together"]] + [(text, False) for text in options["apart"]]
        state = None if options["state"] is None else read_state(options["state"])
        level = LEVELS[options["synchrony"]]
        value = answered(
            loaded.module, spec, rows, pairs, state, options["engine"], level, options["all_blocks"]
        )
    picture: tuple[str, ...] = ()
    if value.alignment is not None and value.question is not None:
        from ...alignment import picture as drawing

        how = loaded.module, value.question.function, options["all_blocks"], spec.dfs
        picture = drawing(value.alignment.execution, *how)
    if options["form"] == "json":
        from ...report import allows as allows_json
        from ...report import parts as json

        write(json.dump(allows_json.answer(value, loaded.module, picture)), options["output"])
    else:
        from ...report import allows as allows_text

        dress = style(options["color"], options["output"])
        write(allows_text.text(value, loaded.module, picture, dress, options["quiet"]), options["output"])
    return CODES[value.verdict]
