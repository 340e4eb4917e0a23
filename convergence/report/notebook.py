"""How values show themselves: in notebooks, on terminals, in ``print`` (see :mod:`convergence.frozen`).

A table from a class to its two renderers: the text that the command line prints, and HTML with the same
pictures as ``--format svg``. Classes are looked up by name, so that nothing is imported before it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..frozen import dataclass
from .parts import documents
from .parts.documents import PLAIN, Style

if TYPE_CHECKING:
    from ..diagnostics import Diagnostic, Diagnostics
    from ..ir.module import Module
    from ..refine.verdict.result import Refinement
    from ..sched.ask.allows import Allowed
    from ..sched.ask.litmus import Litmus
    from ..sched.enumeration import EnumeratedAlignment, Enumeration
    from ..sched.lockstep.simulate import Simulated, Simulations
    from ..sched.why import Why
    from ..semantics.machine.run import Run
    from ..uniformity.answer import Uniformity
    from .explain import Explanation

PICTURED = 100_000
"""Passes through blocks, over all threads, of which a picture is drawn at most."""
LISTED = 64
"""Alignments of an enumeration, outcomes of it, and diagnostics that are shown."""
CELLS = 20_000
"""Slots times lanes, over all machines, that are drawn at most."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """``text`` in a style; ``html`` beside it, ``None`` where the text says it all."""

    text: Callable[[Any, Style], str]
    html: Callable[[Any], str] | None = None


def text(value: object) -> str:
    """What ``print`` shows."""
    return _renderer(value).text(value, PLAIN).rstrip("\n")


def terminal(value: object) -> object:
    """What rich shows: the text with colours."""
    from ..packages import required

    coloured = _renderer(value).text(value, Style(color=True)).rstrip("\n")
    text: object = required("rich.text", "colour in a console of rich").Text.from_ansi(coloured)
    return text


def html_of(value: object) -> str:
    """What a notebook shows."""
    how = _renderer(value)
    return (
        documents.box(documents.pre(how.text(value, Style(color=True))))
        if how.html is None
        else how.html(value)
    )


def _renderer(value: object) -> Renderer:
    for kind in type(value).__mro__:
        if (renderer := RENDERERS.get(kind.__name__)) is not None:
            return renderer
    return Renderer(lambda value, style: repr(value))


# -- modules and diagnostics --------------------------------------------------------------------------


def _module_text(module: Module, style: Style) -> str:
    return module.source.text


def _module_html(module: Module) -> str:
    from .parts.module_html import module_html

    return module_html(module)


def _diagnostic(diagnostic: Diagnostic, style: Style) -> str:
    from . import verify as shown

    return shown.diagnostic("@" + diagnostic.function, None, diagnostic, style)


def _diagnostics(diagnostics: Diagnostics, style: Style) -> str:
    from ..diagnostics import Severity
    from . import verify as shown
    from .parts.documents import count

    blocks = [
        shown.diagnostic(diagnostics.source.name, diagnostics.source, diagnostic, style)
        for diagnostic in diagnostics[:LISTED]
    ]
    if len(diagnostics) > LISTED:
        blocks.append(f"... and {len(diagnostics) - LISTED} more")
    errors = sum(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
    counts = [count(n, word) for n, word in ((errors, "error"), (len(diagnostics) - errors, "warning")) if n]
    if not errors:
        counts.insert(0, style.good(f"ok: {count(diagnostics.defined, 'function')}"))
    return "\n\n".join([*blocks, ", ".join(counts)])


# -- runs and alignments ------------------------------------------------------------------------------


def _run_picture(run: Run) -> tuple[str, ...]:
    return () if _visits(run.execution) > PICTURED else run.picture


def _visits(execution: Any) -> int:
    return sum(map(len, execution.visits))


def _standing(module: Module) -> list[str]:
    """How the module was read, where that is to be said."""
    from .parts.notes import reading_standing

    text = reading_standing(module)
    return [] if text is None else [text]


def _run_text(run: Run, style: Style) -> str:
    from . import run as run_text
    from .parts.notes import program_notes

    module, launched = run.machine.program.module, run.machine.launch.function
    notes = [*run.notes, *program_notes(module, [launched]), *_standing(module)]
    if _visits(run.execution) > PICTURED:
        notes.append(f"no picture: {_visits(run.execution)} passes through blocks are more than {PICTURED}")
    return run_text.text(run, module, _run_picture(run), notes, style)


def _run_html(run: Run) -> str:
    from .parts import svg

    text = _run_text(run, Style(color=True))
    if _visits(run.execution) > PICTURED:
        return documents.box(documents.pre(text))
    program, launch = run.machine.program, run.machine.launch
    how = (program.module, launch.function, False, program.settings.dfs, documents.prefix(text))
    drawn = svg.alignment(run.execution, run.groups, *how)
    return documents.box(documents.picture(drawn), documents.details("as text", documents.pre(text)))


def _alignment_text(alignment: EnumeratedAlignment, style: Style) -> str:
    from .run import cut, group_lines

    lines = [f"Thread {number}: {cut(row)}" for number, row in enumerate(alignment.picture)]
    return "\n".join([*lines, group_lines(alignment.groups, False)])


def _alignment_html(alignment: EnumeratedAlignment) -> str:
    from .parts import svg

    text = _alignment_text(alignment, Style(color=True))
    if (request := alignment.question) is None:
        return documents.box(documents.pre(text))
    how = (request.module, request.function, False, request.dfs, documents.prefix(text))
    drawn = svg.alignment(alignment.execution, alignment.groups, *how)
    return documents.box(documents.picture(drawn), documents.details("as text", documents.pre(text)))


def _enumeration_text(enumeration: Enumeration, style: Style) -> str:
    from ..alignment.picture import picture
    from ..semantics.machine.start import contents_at_launch
    from . import enumerate as enumerate_text
    from .parts.notes import program_notes

    if (request := enumeration.question) is None:
        return enumerate_text.summary(enumeration)
    if len(enumeration.alignments) > LISTED or len(enumeration.outcomes) > LISTED:
        listed = enumeration.alignments[:LISTED]
        shown = [f"Alignment {n}:\n{_alignment_text(a, style)}" for n, a in enumerate(listed, 1)]
        left = len(enumeration.alignments) - len(shown)
        more = [f"... and {left} more alignments"] if left else []
        return "\n\n".join([*shown, *more, enumerate_text.summary(enumeration)])
    how = (request.module, request.function, False, request.dfs)
    pictures = [picture(alignment.execution, *how) for alignment in enumeration.alignments]
    before = contents_at_launch(request.module, request.spec)
    notes = [
        *enumeration.notes,
        *program_notes(request.module, [request.function]),
        *_standing(request.module),
    ]
    return enumerate_text.text(enumeration, request.module, pictures, before, notes, style)


def _enumeration_html(enumeration: Enumeration) -> str:
    from . import enumerate as enumerate_text
    from .parts import svg

    text = _enumeration_text(enumeration, Style(color=True))
    if (request := enumeration.question) is None:
        return documents.box(documents.pre(text))
    drawn = [(alignment.execution, alignment.groups) for alignment in enumeration.alignments]
    how = (request.module, request.function, False, request.dfs, documents.prefix(text))
    picture = svg.alignments(drawn, enumerate_text.summary(enumeration), *how)
    return documents.box(
        documents.picture(picture), documents.details("as text, with outcomes", documents.pre(text))
    )


def _why_text(value: Why, style: Style) -> str:
    from ..sched.why import Apart
    from . import why as why_words

    meeting = None
    if isinstance(value.answer, Apart) and value.answer.choice is not None:
        meeting = value.answer.choice.meeting
    rows = () if meeting is None else _run_picture(meeting)
    return why_words.text(value, value.run.machine.program.module, rows, style)


def _allowed_text(value: Allowed, style: Style) -> str:
    from ..alignment.picture import picture
    from ..ir.module import Module
    from .allows import text

    request = value.question
    if request is None:
        return text(value, Module(), (), style)
    rows: Sequence[str] = ()
    if value.alignment is not None:
        rows = picture(value.alignment.execution, request.module, request.function, search=request.dfs)
    return text(value, request.module, rows, style)


def _litmus_text(value: Litmus, style: Style) -> str:
    from .litmus import text

    return text([value], style)


# -- machines -----------------------------------------------------------------------------------------


def _machines_text(machines: Sequence[Simulated], module: Module) -> str:
    from ..alignment.picture import picture
    from . import simulate as simulate_text
    from .parts.notes import program_notes

    pictures: list[tuple[str, ...]] = []
    for machine in machines:
        shown: tuple[str, ...] = ()
        if len(machines) == 1 and machine.machine is not None and machine.execution is not None:
            program, launch = machine.machine.program, machine.machine.launch
            shown = picture(machine.execution, program.module, launch.function, search=program.settings.dfs)
        pictures.append(shown)
    notes = [note for machine in machines if machine.run is not None for note in machine.run.notes]
    launched = dict.fromkeys(
        machine.machine.launch.function for machine in machines if machine.machine is not None
    )
    notes += [*program_notes(module, launched), *_standing(module)]
    return simulate_text.text(machines, module, pictures, list(dict.fromkeys(notes)))


def _simulated_text(machine: Simulated, style: Style) -> str:
    from ..ir.module import Module

    module = Module() if machine.machine is None else machine.machine.program.module
    return _machines_text([machine], module)


def _simulated_html(machine: Simulated) -> str:
    return _masks_html([machine], _simulated_text(machine, PLAIN))


def _simulations_text(simulations: Simulations, style: Style) -> str:
    return _machines_text(simulations.machines, simulations.module)


def _simulations_html(simulations: Simulations) -> str:
    return _masks_html(simulations.machines, _simulations_text(simulations, PLAIN))


def _masks_html(machines: Sequence[Simulated], caption: str) -> str:
    from . import simulate as simulate_svg

    cells = sum(machine.lane_slots for machine in machines)
    if cells > CELLS:
        return documents.box(
            documents.paragraph(f"no picture: {cells} cells are more than {CELLS}"), documents.pre(caption)
        )
    return documents.box(
        documents.picture(simulate_svg.masks_svg(machines)),
        documents.details("as text", documents.pre(caption)),
    )


# -- refinement ---------------------------------------------------------------------------------------


def _refinement_text(refinement: Refinement, style: Style) -> str:
    """What ``convcheck refine`` prints; without the modules, the verdict and for which launches it is."""
    from . import refine as refine_text
    from .refine import FunctionComparison, RefineAnswer

    if (request := refinement.compared) is None:
        return f"{refinement.verdict}: {refinement.established}"
    comparison = FunctionComparison(
        request.function, request.target_function, request.source, request.target, refinement
    )
    names = request.source.source.name, request.target.source.name
    return refine_text.text(RefineAnswer((comparison,), *names, search=request.dfs), style)


def _refinement_html(refinement: Refinement) -> str:
    """The text, and of a counterexample the pictures of both sides."""
    from .parts import svg

    text = _refinement_text(refinement, Style(color=True))
    parts = [documents.pre(text)]
    request, example = refinement.compared, refinement.counterexample
    if request is not None and example is not None:
        for name, side, module, function in (
            ("source", example.source, request.source, request.function),
            ("target", example.target, request.target, request.target_function),
        ):
            if _visits(side.execution) <= PICTURED:
                how = (side.of(module), function, False, request.dfs, documents.prefix(name + text))
                drawn = svg.alignment(side.execution, side.groups, *how)
                parts += [documents.paragraph(name, strong=True), documents.picture(drawn)]
    return documents.box(*parts)


# -- uniformity ---------------------------------------------------------------------------------------


def _uniformity_text(uniformity: Uniformity, style: Style) -> str:
    from . import uniform as uniform_text

    return uniform_text.uniform(uniformity, style, name=uniformity.module.source.name)


def _uniformity_html(uniformity: Uniformity) -> str:
    from . import uniform as uniform_html

    return uniform_html.notebook_page(uniformity, uniformity.module.source.name)


def _explanation_text(value: Explanation, style: Style) -> str:
    from .explain import rule

    return rule(value.rule, value.examples, value.more, style)


def _campaign_text(value: Any, style: Style) -> str:
    """How many programs had which answer, and each finding's reduced program."""
    answers: Mapping[str, int] = value.data["answers"]
    counts = ", ".join(f"{count} {kind}" for kind, count in answers.items())
    shown = [
        f"{style.strong(f'{finding.finding.kind} by {finding.finding.pass_}')}:\n\n{finding.reduced}"
        for finding in value.findings[:LISTED]
    ]
    return "\n".join(
        [*shown, f"{value.programs} programs, {value.data['checks']} checks: {counts or 'none'}"]
    )


RENDERERS: Mapping[str, Renderer] = MappingProxyType(
    {
        "Module": Renderer(_module_text, _module_html),
        "Diagnostic": Renderer(_diagnostic),
        "Diagnostics": Renderer(_diagnostics),
        "Run": Renderer(_run_text, _run_html),
        "EnumeratedAlignment": Renderer(_alignment_text, _alignment_html),
        "Enumeration": Renderer(_enumeration_text, _enumeration_html),
        "Why": Renderer(_why_text),
        "Refinement": Renderer(_refinement_text, _refinement_html),
        "Allowed": Renderer(_allowed_text),
        "Litmus": Renderer(_litmus_text),
        "Simulated": Renderer(_simulated_text, _simulated_html),
        "Simulations": Renderer(_simulations_text, _simulations_html),
        "Uniformity": Renderer(_uniformity_text, _uniformity_html),
        "Explanation": Renderer(_explanation_text),
        "Campaign": Renderer(_campaign_text),
    }
)
"""Class name to renderers."""
