"""``convcheck suite``: lit's tests, each command through the checks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...interruption import notice
from ..plumbing import Exit, InputError, Progress
from ..plumbing.options import Count, Seconds, common, files
from .report import answer

if TYPE_CHECKING:
    from ..suite.perform import SuiteFile, SuitePlan
    from ..wrappers.store import FindingFolder

FOLDER = "convcheck-suite"


@click.command("suite")
@click.argument("tests", metavar="DIR...", nargs=-1, required=True, shell_complete=files)
@click.option(
    "--results", metavar="DIR", default=lambda: os.environ.get("CONVCHECK_DIR") or FOLDER,
    show_default=FOLDER, help="Folder of results; the same command goes on where it was.",
)  # fmt: skip
@click.option("--jobs", type=Count(min=1), default=1, show_default=True, help="Processes.")
@click.option("--scheduler", metavar="ADDRESS", help="Let the workers of a dask scheduler do it (tcp://...).")
@click.option(
    "--budget", type=Seconds(min=0), default=2.0, show_default=True, metavar="S",
    help="Seconds for a function and pass.",
)  # fmt: skip
@click.option(
    "--file-limit", type=Seconds(min=1), default=300.0, show_default=True, metavar="S",
    help="Seconds for a file.",
)  # fmt: skip
@click.option("--passes", multiple=True, metavar="PIPELINE", help="Each file through these, too.")
@click.option("--own/--no-own", default=True, show_default=True, help="The files' own RUN lines.")
@click.option("--verify", is_flag=True, help="Ask, too, whether convcheck and LLVM take each file.")
@click.option("--every", type=Count(min=1), default=1, metavar="N", help="A sample: one in N commands.")
@click.option("--only", default="", metavar="WORD", help="Only files with WORD in their names.")
@click.option("--opt", metavar="PATH", help="The `opt` of the RUN lines.")
@click.option("--llc", metavar="PATH", help="The `llc` of the RUN lines.")
@click.option("--list", "listing", is_flag=True, help="Name the files that would be asked, and end.")
@common("text", "json", "html", "sarif", "junit")
def command(
    tests: tuple[str, ...], results: str, jobs: int, listing: bool, only: str, **options: Any
) -> Exit:
    """Run the RUN lines of lit's tests through the checks: what opt and llc do to each convergent function.

    DIR is a folder, of which the .ll files are taken that may hold convergent operations, or such a file.
    Exit code 0: nothing wrong was found. 1: something was. 3: nothing was checked, or it was interrupted
    before anything was found.
    """
    from ..suite.campaign import resume
    from ..suite.perform import SuitePlan, files_of
    from ..wrappers.store import FindingFolder

    plan = SuitePlan(
        options["own"], options["passes"], options["verify"], options["budget"], options["file_limit"],
        options["every"], _tools(options["opt"], options["llc"]),
    )  # fmt: skip
    chosen = list(files_of(tests, plan, only))
    if listing:
        for file in chosen:
            click.echo(file.name)
        return Exit.HOLDS
    store = FindingFolder(Path(results))
    with _alone(store.path):
        todo = resume(store, chosen)
        progress = Progress(options["quiet"])
        done = len(chosen) - len(todo)
        progress.bar(done, len(chosen), "files")
        with _performed(todo, plan, store, jobs, options["scheduler"]) as files:
            for file in files:
                done += 1
                progress.bar(done, len(chosen), f"files: {file.name}")
        progress.end()
    if notice() and not options["quiet"]:
        click.echo(
            f"convcheck: interrupted after {done} of {len(chosen)} files; the same command goes on", err=True
        )
    code = answer(store.summary(), options, results)
    return Exit.UNKNOWN if notice() and code is Exit.HOLDS else code


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """The folder of results is this command's, which begins by taking out what a cut left half.

    :raises InputError: if it cannot be written to, or another suite is at work there
    """
    from ..wrappers.pending import PendingFolder, locked

    lock = folder / "suite.lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.touch()
    except OSError as error:
        raise InputError(str(folder), f"cannot write: {error.strerror or error}") from None
    if not PendingFolder(folder).possible:  # there are no locks, and nobody knows
        yield
        return
    if (stream := locked(lock)) is None:
        raise InputError(str(folder), "another suite is at work there")
    with stream:
        yield


@contextmanager
def _performed(
    files: list[SuiteFile], plan: SuitePlan, store: FindingFolder, jobs: int, scheduler: str | None
) -> Iterator[Iterator[SuiteFile]]:
    """The files as they are done.

    :raises InputError: if there is no such scheduler
    """
    from ..suite.campaign import performed, performed_elsewhere

    if scheduler is None:
        yield performed(files, plan, store, jobs)
        return
    from ...workers.scheduler import NoDask, remote

    try:
        with remote(scheduler) as elsewhere:
            yield performed_elsewhere(files, plan, store, elsewhere)
    except NoDask as error:
        raise InputError("--scheduler", str(error)) from None


def _tools(opt: str | None, llc: str | None) -> dict[str, str]:
    """The programs of LLVM's tools: those that are given, or that the wrappers' variables name, else the
    first on PATH that know convergence tokens.

    :raises InputError: for one that is no program
    """
    from ...passes import PassFailed, find_tool

    tools: dict[str, str] = {}
    for name, path, variable in (("opt", opt, "CONVCHECK_OPT"), ("llc", llc, "CONVCHECK_LLC")):
        try:
            program = find_tool(name, path or os.environ.get(variable) or None)
        except PassFailed as error:
            raise InputError(f"--{name}", error.reason) from None
        if program is not None:
            tools[name] = program
    if "opt" not in tools:
        raise InputError("--opt", "there is no opt of LLVM 18 or later on PATH")
    return tools
