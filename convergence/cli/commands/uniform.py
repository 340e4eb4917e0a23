"""``convcheck uniform``: what is the same in all converged threads, and who says so wrongly."""

from __future__ import annotations

from typing import Any

import click

from ..plumbing.load import Loaded, launching, load
from ..plumbing.options import common, files
from ..plumbing.output import Exit, style, write


@click.command("uniform")
@click.argument("file", metavar="FILE", shell_complete=files)
@click.option("--function", metavar="@f", help="Only this function (default: all of them).")
@click.option("--triple", metavar="T", help="Ask for this target (default: the file's own).")
@click.option(
    "--dfs", type=click.Choice(["text", "reversed"]), default="text", show_default=True,
    help="Which cycle hierarchy: successors in text order, or last first as LLVM takes them.",
)  # fmt: skip
@click.option(
    "--why", metavar="%x", multiple=True,
    help="The chain from a source to %x, or to the branch of a block.",
)  # fmt: skip
@common("text")
def command(file: str, **options: Any) -> Exit:
    """Which values and branches of FILE are uniform: the same in all converged threads."""
    loaded = load(file)
    return _Answer(loaded, options).give()


class _Answer:
    """One ``uniform`` command."""

    def __init__(self, loaded: Loaded, options: dict[str, Any]) -> None:
        self.loaded, self.module, self.options = loaded, loaded.module, options

    def give(self) -> Exit:
        from ...ir.cycles import Order
        from ...report.uniform import text
        from ...uniformity.analysis import uniformity

        options = self.options
        name = self._function()
        with launching(self.loaded.name):
            found = uniformity(self.module, name, triple=options["triple"], dfs=Order(options["dfs"]))
        dress = style(options["color"], options["output"])
        said = text.uniform(found, dress, options["quiet"]) if not options["why"] else self._why(found)
        write(said, options["output"])
        return Exit.HOLDS

    def _function(self) -> str | None:
        if self.options["function"] is None:
            return None
        name: str = self.options["function"].removeprefix("@")
        if name not in {f.name for f in self.module.definitions()}:
            there = ", ".join(f"@{f.name}" for f in self.module.definitions()) or "none"
            raise click.UsageError(f"--function @{name}: there is no such definition; there are: {there}")
        return name

    def _why(self, found: Any) -> str:
        from ...report.uniform import text

        parts = []
        for subject in self.options["why"]:
            name = subject.strip()
            plain = name.removeprefix("%")
            holders = [
                f for f in found.functions.values()
                if (plain in f.values if name.startswith("%") else plain in f.branches)
            ]  # fmt: skip
            if not holders:
                kind = "value" if name.startswith("%") else "branch of a block"
                raise click.UsageError(f"--why {subject}: there is no such {kind}")
            parts += [text.why(f, [name], self.module, self.loaded.name) for f in holders]
        return "\n".join(parts)
