"""``convcheck report``: what convcheck-opt, convcheck-llc and convcheck-clang saw, on one page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..plumbing.options import common, files
from ..plumbing.output import Exit, style, write

if TYPE_CHECKING:
    from ...report.checked.results import BuildSummary


@click.command("report")
@click.argument("folder", metavar="DIR", shell_complete=files)
@common("text", "json", "html", "sarif", "junit")
def command(folder: str, **options: Any) -> Exit:
    """Sum up a folder of checks: how many, with which answers, why some are unknown, what was found.

    Exit code 0: nothing wrong was found. 1: something was. 3: nothing was checked.
    """
    from ..wrappers.store import Store

    return answer(Store(Path(folder)).summary(), options)


def answer(found: BuildSummary, options: Mapping[str, Any]) -> Exit:
    """Write a summary in the form that was asked for; what it comes to."""
    from ...report.checked import summary

    match options["form"]:
        case "json":
            said = summary.json(found)
        case "html":
            said = summary.html(found)
        case "sarif":
            said = summary.sarif(found)
        case "junit":
            said = summary.junit(found)
        case _:
            dress = style(options["color"], options["output"])
            said = summary.text(found, dress, options["quiet"])
    write(said, options["output"])
    if found.findings or found.suite.disagreeing:
        return Exit.FAILS
    return Exit.HOLDS if found.checks else Exit.UNKNOWN
