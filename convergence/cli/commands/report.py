"""``convcheck report``: what convcheck-opt, convcheck-llc and convcheck-clang saw, on one page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...interruption import notice
from ..plumbing import Exit, Progress, complain, style, write
from ..plumbing.options import common, files

if TYPE_CHECKING:
    from ...report.checked import BuildSummary
    from ..wrappers.pending import PendingFolder


@click.command("report")
@click.argument("folder", metavar="DIR", shell_complete=files)
@click.option("--wait/--no-wait", default=True, help="Whether to wait for what a build left to be checked.")
@common("text", "json", "html", "sarif", "junit")
def command(folder: str, wait: bool, **options: Any) -> Exit:
    """Sum up a folder of checks: how many, with which answers, why some are unknown, what was found.

    What a build left to be checked is checked first. Exit code 0: nothing wrong was found. 1: something was.
    3: nothing was checked, or not all that there is.
    """
    from ..wrappers.pending import PendingFolder
    from ..wrappers.store import FindingFolder

    pending = PendingFolder(Path(folder))
    if wait and len(pending):
        _finish(pending, options["quiet"])
    left = len(pending)
    summary = FindingFolder(Path(folder)).summary()
    if not Path(folder).exists():
        complain(f"{folder}: there is no such folder: no wrapper had anything to write to it")
    return answer(replace(summary, pending=left), options, folder)


def _finish(pending: PendingFolder, quiet: bool) -> None:
    """Wait until what is left is checked; an interrupt leaves the rest."""
    from ..wrappers.pending import wait

    progress = Progress(quiet)
    total = len(pending)

    def show() -> None:
        left = len(pending)
        progress.bar(max(0, total - left), max(total, left), "modules checked")

    try:
        wait(pending, show)
    except KeyboardInterrupt:
        notice()
    progress.end()


def answer(build: BuildSummary, options: Mapping[str, Any], folder: str) -> Exit:
    """Write the summary of a folder in the form that was asked for; what it comes to."""
    from ...report import checked as summary

    base = _leads(options["output"], folder)
    match options["form"]:
        case "json":
            text = summary.json(build)
        case "html":
            text = summary.html(build, base)
        case "sarif":
            text = summary.sarif(build, base)
        case "junit":
            text = summary.junit(build)
        case _:
            dress = style(options["color"], options["output"])
            text = summary.text(build, dress, options["quiet"])
    write(text, options["output"])
    if build.findings or build.suite.disagreeing:
        return Exit.FAILS
    return Exit.HOLDS if build.checks and not build.pending else Exit.UNKNOWN


def _leads(output: str | None, folder: str) -> str:
    """How a page that is written to ``output``, or from here, names what is in a folder."""
    here = Path.cwd() if output in (None, "-") else Path(output or "").absolute().parent
    way = Path(os.path.relpath(Path(folder).absolute(), here)).as_posix()
    return "" if way == "." else f"{way}/"
