"""``convcheck uniform``: what is the same in all converged threads, and who says so wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..plumbing import Exit, InputError, style, worst, write
from ..plumbing.load import LoadedFile, launching, load, one_line
from ..plumbing.options import Count, all_blocks, common, executing, files, shaders, with_defaults
from .run import _broken, _Runner

if TYPE_CHECKING:
    from ...uniformity.answer import Uniformity
    from ...uniformity.check import LlvmClaims


@click.command("uniform")
@click.argument("file", metavar="FILE", shell_complete=files)
@executing
@click.option("--triple", metavar="T", help="Ask for this target instead of the file's own.")
@click.option(
    "--why",
    metavar="%x",
    multiple=True,
    help="The chain from a source to %x, or to the branch of a block.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Run each function for many inputs, and hold every claim against them.",
)
@click.option("--llvm", is_flag=True, help="Ask LLVM's opt as well, and compare.")
@click.option("--opt", metavar="PATH", help="The opt to ask; by default opt or opt-22 on PATH.")
@click.option("--max-launches", type=Count(min=1), metavar="N", help="Bound on inputs tried.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Which inputs are tried.")
@all_blocks
@shaders
@common("text", "json", "sarif", "github", "html", "svg")
@click.pass_context
def command(ctx: click.Context, /, file: str, **_: Any) -> Exit:
    """Which values and branches of FILE are uniform: the same in all converged threads.

    Exit code 1 if a run shows that something is called uniform and is not; 3 if a bound was hit.
    """
    loaded = load(file)
    options = with_defaults(ctx, loaded.module, loaded.name)
    if options["why"] and options["form"] != "text":
        raise click.UsageError("--why answers in text; json has every chain")
    if options["opt"] is not None and not options["llvm"]:
        raise click.UsageError("--opt is for --llvm")
    if not options["no_verify"] and (broken := _broken(loaded)) is not None:
        text, code = broken(options)
        write(text, options["output"])
        return code
    return _Answer(loaded, options).give()


class _Answer:
    """One ``uniform`` command."""

    def __init__(self, loaded: LoadedFile, options: dict[str, Any]) -> None:
        self.loaded, self.module, self.options = loaded, loaded.module, options

    def give(self) -> Exit:
        from ...uniformity.answer import answered

        options = self.options
        spec = _Runner(self.loaded, options, not options["no_verify"]).spec
        spec = spec.within(max_launches=options["max_launches"]).begun()
        llvm = self._llvm() if options["llvm"] else None
        with launching(self.loaded.name):
            uniformity = answered(
                self.module, spec, options["triple"], options["check"], llvm, options["seed"],
                all_blocks=options["all_blocks"],
            )  # fmt: skip
        write(self._why(uniformity) if options["why"] else self._text(uniformity), options["output"])
        return exit_code(uniformity)

    def _text(self, uniformity: Uniformity) -> str:
        options, name = self.options, self.loaded.name
        match options["form"]:
            case "json":
                from ...report.parts import dump
                from ...report.uniform import answer

                return dump(answer(uniformity))
            case "sarif":
                from ...report.uniform import sarif

                return sarif(uniformity, name)
            case "github":
                from ...report.uniform import github

                return github(uniformity, name)
            case "html":
                from ...report.uniform import page

                return page(uniformity, name)
            case "svg":
                from ...report.uniform import flow

                if len(uniformity.functions) != 1:
                    raise click.UsageError("--format svg draws one function: say which with --function")
                return flow(uniformity, next(iter(uniformity.functions.values())))
            case _:
                from ...report import uniform as text

                dress = style(options["color"], options["output"])
                return text.uniform(uniformity, dress, options["quiet"], options["verbose"], name)

    def _llvm(self) -> LlvmClaims:
        """:raises InputError: for what could not be asked"""
        from ...passes.outside import PassFailed
        from ...passes.uniformity import looks_for_divergence, printed
        from ...uniformity.check import claims_of_llvm

        triple, opt = self.options["triple"] or self.module.triple, self.options["opt"]
        try:
            printout, by = printed(self.module.source.text, triple=triple, opt=opt)
            looks = looks_for_divergence(triple, opt)
        except PassFailed as error:
            code = Exit.UNKNOWN if error.kind in ("unavailable", "timeout") else Exit.INPUT
            raise InputError(self.loaded.name, f"--llvm: {one_line(error.reason)}", code) from None
        return claims_of_llvm(printout, self.module, by, triple or "no target", looks)

    def _why(self, uniformity: Uniformity) -> str:
        from ...report import uniform as text

        parts = []
        for subject in self.options["why"]:
            name = subject.strip()
            plain = name.removeprefix("%")
            holders = [
                f
                for f in uniformity.functions.values()
                if (plain in f.values if name.startswith("%") else plain in f.branches)
            ]
            if not holders:
                kind = "value" if name.startswith("%") else "branch of a block"
                raise click.UsageError(f"--why {subject}: there is no such {kind}")
            parts += [text.why(f, [name], self.module, self.loaded.name) for f in holders]
        return "\n".join(parts)


def exit_code(uniformity: Uniformity) -> Exit:
    """1: a claim is wrong; 3: a bound was hit, or something could not be run; else 0."""
    codes = [Exit.HOLDS]
    if not uniformity.sound:
        codes.append(Exit.FAILS)
    if uniformity.unchecked or any(c.observed.bounds or c.observed.unmodelled for c in uniformity.checked):
        codes.append(Exit.UNKNOWN)
    return worst(codes)
