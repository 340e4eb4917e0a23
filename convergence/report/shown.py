"""How values show themselves: in notebooks, on terminals, in ``print``, in a line, and as plain data (see
:mod:`convergence.frozen`).

A table from a class to its forms: the text that the command line prints, HTML with the same pictures as
``--format svg``, the object that ``--format json`` prints, and what ``repr`` says. The data go through JSON's
text, so that they are exactly what a reader of the command line's answer gets. Classes are looked up by name,
so that nothing is imported before it is shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..frozen import dataclass
from .parts import (
    PLAIN,
    SCHEMA,
    Style,
    box,
    count,
    details,
    diagnostic_data,
    figure,
    paragraph,
    pre,
    prefix,
    printable,
    valid_json,
)

if TYPE_CHECKING:
    from ..diagnostics import Diagnostic, Diagnostics
    from ..ir.module import Function, Module
    from ..refine.verdict.result import Refinement
    from ..sched.ask.allows import Allowed
    from ..sched.ask.litmus import Litmus
    from ..sched.enumeration import EnumeratedAlignment, Enumeration
    from ..sched.lockstep.simulate import Simulated, Simulations
    from ..sched.why import Why
    from ..semantics.machine.run import Run
    from ..uniformity.answer import Uniformity
    from .explain import Explanation

WIDTH = 100
"""Characters of a ``repr`` at most."""
PICTURED = 100_000
"""Passes through blocks, over all threads, of which a picture is drawn at most."""
LISTED = 64
"""Alignments of an enumeration, outcomes of it, and diagnostics that are shown."""
CELLS = 20_000
"""Slots times lanes, over all machines, that are drawn at most."""


@dataclass(frozen=True, slots=True)
class Form:
    """A class's ``data`` as ``convcheck/1`` has it, its ``line``, and its ``text`` in a style; ``html`` where
    the text does not say it all."""

    data: Callable[[Any], Mapping[str, Any]]
    line: Callable[[Any], str]
    text: Callable[[Any, Style], str]
    html: Callable[[Any], str] | None = None


def text(value: object) -> str:
    """What ``print`` shows."""
    return _styled(value, PLAIN)


def terminal(value: object) -> object:
    """What rich shows: the text with colours."""
    from ..packages import required

    coloured = _styled(value, Style(color=True))
    text: object = required("rich.text", "colour in a console of rich").Text.from_ansi(coloured)
    return text


def html_of(value: object) -> str:
    """What a notebook shows."""
    form = _known(value)
    if form is None or form.html is None:
        return box(pre(_styled(value, Style(color=True))))
    return form.html(value)


def to_json(value: object, indent: int | None = 2) -> str:
    """The data as JSON: by default the text that the command line prints, without the last newline."""
    separators = (",", ":") if indent is None else None
    return valid_json(json.dumps(_form(value).data(value), indent=indent, separators=separators))


def to_dict(value: object) -> dict[str, Any]:
    """The data as dicts, lists, numbers and strings: new ones, that are the caller's."""
    data: dict[str, Any] = json.loads(to_json(value))
    return data


def line(value: object) -> str:
    """What ``repr`` says."""
    words = printable(_form(value).line(value))
    return f"<{words if len(words) <= WIDTH - 2 else words[: WIDTH - 3] + '…'}>"


def _styled(value: object, style: Style) -> str:
    """The text without its last newline; of what has no form, its ``repr``."""
    form = _known(value)
    return (repr(value) if form is None else form.text(value, style)).rstrip("\n")


def _form(value: object) -> Form:
    """:raises TypeError: for what has none"""
    if (form := _known(value)) is None:
        raise TypeError(f"{type(value)} has no form as plain data")
    return form


def _known(value: object) -> Form | None:
    return next((FORMS[kind.__name__] for kind in type(value).__mro__ if kind.__name__ in FORMS), None)


# ----------------------------------------------------------------------------------------------------------
# As text, and as HTML.
# ----------------------------------------------------------------------------------------------------------


def _module_text(module: Module, style: Style) -> str:
    return module.source.text


def _module_html(module: Module) -> str:
    from .parts.module_html import module_html

    return module_html(module)


def _diagnostic_text(diagnostic: Diagnostic, style: Style) -> str:
    from . import verify as shown

    return shown.diagnostic("@" + diagnostic.function, None, diagnostic, style)


def _diagnostics_text(diagnostics: Diagnostics, style: Style) -> str:
    from ..diagnostics import Severity
    from . import verify as shown

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


def _run_text(run: Run, style: Style) -> str:
    from . import run as run_text
    from .parts.words import program_notes

    module, launched = run.machine.program.module, run.machine.launch.function
    notes = [*run.notes, *program_notes(module, [launched]), *_standing(module)]
    if _visits(run.execution) > PICTURED:
        notes.append(f"no picture: {_visits(run.execution)} passes through blocks are more than {PICTURED}")
    return run_text.text(run, module, _run_picture(run), notes, style)


def _run_html(run: Run) -> str:
    from .parts import svg

    text = _run_text(run, Style(color=True))
    if _visits(run.execution) > PICTURED:
        return box(pre(text))
    program, launch = run.machine.program, run.machine.launch
    how = (program.module, launch.function, False, program.settings.dfs, prefix(text))
    drawn = svg.alignment(run.execution, run.groups, *how)
    return box(figure(drawn), details("as text", pre(text)))


def _alignment_text(alignment: EnumeratedAlignment, style: Style) -> str:
    from .run import cut, group_lines

    lines = [f"Thread {number}: {cut(row)}" for number, row in enumerate(alignment.picture)]
    return "\n".join([*lines, group_lines(alignment.groups, False)])


def _alignment_html(alignment: EnumeratedAlignment) -> str:
    from .parts import svg

    text = _alignment_text(alignment, Style(color=True))
    if (request := alignment.question) is None:
        return box(pre(text))
    how = (request.module, request.function, False, request.dfs, prefix(text))
    drawn = svg.alignment(alignment.execution, alignment.groups, *how)
    return box(figure(drawn), details("as text", pre(text)))


def _enumeration_text(enumeration: Enumeration, style: Style) -> str:
    from ..alignment import picture
    from ..semantics.machine.run import contents_at_launch
    from . import enumerate as enumerate_text
    from .parts.words import program_notes

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
        return box(pre(text))
    drawn = [(alignment.execution, alignment.groups) for alignment in enumeration.alignments]
    how = (request.module, request.function, False, request.dfs, prefix(text))
    picture = svg.alignments(drawn, enumerate_text.summary(enumeration), *how)
    return box(figure(picture), details("as text, with outcomes", pre(text)))


def _why_text(value: Why, style: Style) -> str:
    from ..sched.why import Apart
    from . import why as why_words

    meeting = None
    if isinstance(value.answer, Apart) and value.answer.choice is not None:
        meeting = value.answer.choice.meeting
    rows = () if meeting is None else _run_picture(meeting)
    return why_words.text(value, value.run.machine.program.module, rows, style)


def _allowed_text(value: Allowed, style: Style) -> str:
    from ..alignment import picture
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
    from ..alignment import picture
    from . import simulate as simulate_text
    from .parts.words import program_notes

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
        return box(paragraph(f"no picture: {cells} cells are more than {CELLS}"), pre(caption))
    return box(
        figure(simulate_svg.masks_svg(machines)),
        details("as text", pre(caption)),
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
    parts = [pre(text)]
    request, example = refinement.compared, refinement.counterexample
    if request is not None and example is not None:
        for name, side, module, function in (
            ("source", example.source, request.source, request.function),
            ("target", example.target, request.target, request.target_function),
        ):
            if _visits(side.execution) <= PICTURED:
                how = (side.of(module), function, False, request.dfs, prefix(name + text))
                drawn = svg.alignment(side.execution, side.groups, *how)
                parts += [paragraph(name, strong=True), figure(drawn)]
    return box(*parts)


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


# ----------------------------------------------------------------------------------------------------------
# As plain data, and in a line.
# ----------------------------------------------------------------------------------------------------------


def _module_data(module: Module) -> dict[str, Any]:
    """A module: its text, and the functions with their blocks. No command prints it."""
    return {
        "schema": "convcheck/1",
        "module": module.source.name,
        "triple": module.triple,
        "datalayout": module.datalayout,
        "text": module.source.text,
        "globals": [f"@{name}" for name in module.globals],
        "functions": [_function_data(module, function) for function in module.functions.values()],
    }


def _function_data(module: Module, function: Function) -> dict[str, Any]:
    from ..ir.instructions import successors

    return {
        "function": f"@{function.name}",
        "definition": not function.is_declaration,
        "parameters": [f"%{parameter.name}" for parameter in function.parameters],
        "attributes": list(module.function_attributes(function.name)),
        "blocks": [
            {
                "block": block.name,
                "instructions": [_instruction_text(module, i) for i in block.instructions],
                "successors": list(dict.fromkeys(successors(block.terminator))),
            }
            for block in function.blocks
        ],
    }


def _instruction_text(module: Module, instruction: Any) -> str | None:
    """An instruction as the text has it; ``None`` where no text has it."""
    span = instruction.span
    if not 0 <= span.start < span.end <= len(module.source.text):
        return None
    return " ".join(module.source.text[span.start : span.end].split())


def _module_line(module: Module) -> str:
    defined = len(module.definitions())
    declared = len(module.functions) - defined
    return f"Module {module.source.name}: {count(defined, 'definition')}, {count(declared, 'declaration')}"


def _diagnostics_data(value: Diagnostics) -> dict[str, Any]:
    file = {
        "file": value.source.name,
        "diagnostics": [diagnostic_data(value.source, violation) for violation in value],
        "error": None,
        "notes": [],
    }
    return {"schema": SCHEMA, "command": "verify", "files": [file]}


def _diagnostics_line(value: Diagnostics) -> str:
    rules = ", ".join(dict.fromkeys(diagnostic.rule.id for diagnostic in value))
    line = f"Diagnostics of {value.source.name}: {count(len(value), 'violation')}"
    return f"{line}: {rules}" if rules else line


def _diagnostic_data(value: Diagnostic) -> dict[str, Any]:
    """One by itself does not know its text, so nothing says where it is: its tuple does."""
    nowhere = dict.fromkeys(("line", "column", "end_line", "end_column"))
    labels = [{"line": None, "column": None, "message": label.message} for label in value.labels]
    return {**diagnostic_data(None, value), **nowhere, "labels": labels}


def _diagnostic_line(value: Diagnostic) -> str:
    return f"Diagnostic {value.rule.id} in @{value.function}: {value.message}"


# -- runs and alignments ------------------------------------------------------------------------------


def _picture(execution: Any, module: Module, function: str, dfs: Any) -> tuple[str, ...]:
    from ..alignment import picture

    if sum(map(len, execution.visits)) > PICTURED:
        return ()
    return picture(execution, module, function, search=dfs)


def _noted(module: Module, functions: Sequence[str], notes: Sequence[str]) -> list[str]:
    """Notes, with those that a command adds about attributes."""
    from .parts.words import program_notes

    return [*notes, *program_notes(module, functions)]


def _standing(module: Module) -> list[str]:
    """How the module was read, where that is to be said."""
    from .parts.words import reading_standing

    return [] if (note := reading_standing(module)) is None else [note]


def _run_data(run: Run) -> dict[str, Any]:
    from .parts.words import race_lines
    from .run import answer

    module, launched = run.machine.program.module, run.machine.launch.function
    picture = _picture(run.execution, module, launched, run.machine.program.settings.dfs)
    notes = [*_noted(module, [launched], run.notes), *race_lines(run.races, module), *_standing(module)]
    return answer(run, module, picture, tuple(notes))


def _run_line(run: Run) -> str:
    from ..semantics import ENDING_NAMES

    launch = run.machine.launch
    ended = ENDING_NAMES[type(run.ending)]
    return f"Run of @{launch.function}: {count(launch.threads, 'thread')}, {ended}, {run.steps} instructions"


def _alignment_data(value: EnumeratedAlignment) -> dict[str, Any]:
    from .run import alignment

    request = value.question
    picture = (
        () if request is None else _picture(value.execution, request.module, request.function, request.dfs)
    )
    return {**alignment(value, picture), "outcomes": list(value.outcomes)}


def _alignment_line(value: EnumeratedAlignment) -> str:
    threads, groups = len(value.execution.visits), len(value.groups)
    places = ", ".join(str(place) for place in value.outcomes)
    return f"Alignment of {count(threads, 'thread')}: {count(groups, 'group')}, outcomes [{places}]"


def _enumeration_data(value: Enumeration) -> dict[str, Any]:
    from ..semantics.machine.run import prepare_run
    from .enumerate import answer

    request = value.question
    if request is None:
        raise TypeError("an enumeration that nobody asked at the front door does not know its module")
    pictures = [
        _picture(a.execution, request.module, request.function, request.dfs) for a in value.alignments
    ]
    notes = [*_noted(request.module, [request.function], value.notes), *_standing(request.module)]
    _, launch = prepare_run(request.module, request.spec)
    return answer(value, request.module, launch, pictures, notes)


def _enumeration_line(value: Enumeration) -> str:
    standing = "complete" if value.complete else "not complete"
    counts = f"{count(len(value.alignments), 'alignment')}, {count(len(value.outcomes), 'outcome')}"
    return f"Enumeration: {counts}, {standing}"


def _why_data(value: Why) -> dict[str, Any]:
    from ..sched.why import Apart
    from .why import answer

    rows: tuple[str, ...] = ()
    if isinstance(value.answer, Apart) and value.answer.choice is not None:
        if (meeting := value.answer.choice.meeting) is not None:
            program = meeting.machine.program
            how = program.module, meeting.machine.launch.function, program.settings.dfs
            rows = _picture(meeting.execution, *how)
    return answer(value, value.run.machine.program.module, _question(value), rows)


def _question(value: Why) -> str:
    name = value.run.machine.program.name(value.first.site)
    first, second = value.first, value.second
    return f"{name} thread {first.thread} #{first.nth}, thread {second.thread} #{second.nth}"


def _why_line(value: Why) -> str:
    from .why import verdict

    return f"Why {_question(value)}: {verdict(value)}"


def _allowed_data(value: Allowed) -> dict[str, Any]:
    from ..ir.module import Module
    from .allows import answer

    request = value.question
    picture: tuple[str, ...] = ()
    if request is not None and value.alignment is not None:
        picture = _picture(value.alignment.execution, request.module, request.function, request.dfs)
    return answer(value, Module() if request is None else request.module, picture)


def _allowed_line(value: Allowed) -> str:
    return f"Allowed: {value.verdict}{'' if value.rule is None else f' by {value.rule.id}'}"


def _litmus_data(value: Litmus) -> dict[str, Any]:
    from .litmus import answer

    return answer([value])


def _litmus_line(value: Litmus) -> str:
    models = len(value.rows[0].cells)
    return f"Litmus {value.name}: {count(len(value.rows), 'condition')}, {count(models, 'model')}"


# -- machines -----------------------------------------------------------------------------------------


def _machines_data(simulations: Sequence[Simulated], module: Module) -> dict[str, Any]:
    from ..semantics.machine.launch import Launch
    from .simulate import answer

    machines = [machine.machine for machine in simulations if machine.machine is not None]
    launch = machines[0].launch if machines else Launch(next(iter(module.definitions())).name)
    pictures = []
    for machine in simulations:
        rows: tuple[str, ...] = ()
        if machine.machine is not None and machine.execution is not None:
            program = machine.machine.program
            rows = _picture(machine.execution, program.module, launch.function, program.settings.dfs)
        pictures.append(rows)
    notes = [note for machine in simulations if machine.run is not None for note in machine.run.notes]
    notes = list(dict.fromkeys(notes))
    notes += [note for machine in simulations if machine.care is not None for note in machine.care.notes]
    return answer(
        simulations, module, launch, pictures, [*_noted(module, [launch.function], notes), *_standing(module)]
    )


def _simulations_data(value: Simulations) -> dict[str, Any]:
    return _machines_data(value.machines, value.module)


def _simulations_line(value: Simulations) -> str:
    names = ", ".join(machine.policy for machine in value.machines)
    return f"Simulations of @{value.function}: {names}"


def _simulated_data(value: Simulated) -> dict[str, Any]:
    if value.machine is None:
        raise TypeError(f"{value.policy} refused the program: {value.refused}")
    return _machines_data([value], value.machine.program.module)


def _simulated_line(value: Simulated) -> str:
    if value.refused is not None:
        return f"Simulated on {value.policy}: refused: {value.refused}"
    standing = {True: "conforms", False: "departs", None: "not completed"}[value.conforms]
    return f"Simulated on {value.policy}: {standing}, {value.issues} issues, {value.utilisation:.0%} of lanes"


# -- refinement and uniformity ------------------------------------------------------------------------


def _refinement_data(value: Refinement) -> dict[str, Any]:
    from .refine import FunctionComparison, RefineAnswer
    from .refine_formats import answer

    request = value.compared
    if request is None:
        return {"schema": "convcheck/1", "command": "refine", "verdict": value.verdict}
    comparison = FunctionComparison(
        request.function, request.target_function, request.source, request.target, value
    )
    names = request.source.source.name, request.target.source.name
    return answer(RefineAnswer((comparison,), *names, search=request.dfs))


def _refinement_line(value: Refinement) -> str:
    return f"Refinement: {value.verdict} ({value.established})"


def _uniformity_data(value: Uniformity) -> dict[str, Any]:
    from .uniform import answer

    return answer(value)


def _uniformity_line(value: Uniformity) -> str:
    from ..uniformity.result import Verdict

    claims = [verdict.verdict for function in value for verdict in function.values.values()]
    uniform = claims.count(Verdict.UNIFORM)
    return (
        f"Uniformity of {value.module.source.name}{f' for {value.target}' if value.target else ''}: "
        f"{uniform} of {count(len(claims), 'value')} uniform"
    )


# -- rules and campaigns ------------------------------------------------------------------------------


def _explanation_data(value: Explanation) -> dict[str, Any]:
    from .explain import why

    rule = value.rule
    return {
        "schema": "convcheck/1",
        "rule": rule.id,
        "title": rule.title,
        "sentence": rule.sentence,
        "why": why(rule),
        "llvm": rule.link,
        "examples": [{"kind": e.kind, "file": e.name, "text": e.text} for e in value.examples],
    }


def _explanation_line(value: Explanation) -> str:
    return f"Explanation of {value.rule.id}: {value.rule.title}"


def _campaign_data(value: Any) -> Mapping[str, Any]:
    data: Mapping[str, Any] = value.data
    return data


def _campaign_line(value: Any) -> str:
    return f"Campaign: {count(value.programs, 'program')}, {count(len(value.findings), 'finding')}"


FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "Module": Form(_module_data, _module_line, _module_text, _module_html),
        "Diagnostic": Form(_diagnostic_data, _diagnostic_line, _diagnostic_text),
        "Diagnostics": Form(_diagnostics_data, _diagnostics_line, _diagnostics_text),
        "Run": Form(_run_data, _run_line, _run_text, _run_html),
        "EnumeratedAlignment": Form(_alignment_data, _alignment_line, _alignment_text, _alignment_html),
        "Enumeration": Form(_enumeration_data, _enumeration_line, _enumeration_text, _enumeration_html),
        "Why": Form(_why_data, _why_line, _why_text),
        "Allowed": Form(_allowed_data, _allowed_line, _allowed_text),
        "Litmus": Form(_litmus_data, _litmus_line, _litmus_text),
        "Simulated": Form(_simulated_data, _simulated_line, _simulated_text, _simulated_html),
        "Simulations": Form(_simulations_data, _simulations_line, _simulations_text, _simulations_html),
        "Refinement": Form(_refinement_data, _refinement_line, _refinement_text, _refinement_html),
        "Uniformity": Form(_uniformity_data, _uniformity_line, _uniformity_text, _uniformity_html),
        "Explanation": Form(_explanation_data, _explanation_line, _explanation_text),
        "Campaign": Form(_campaign_data, _campaign_line, _campaign_text),
    }
)
"""By the name of the class."""
