"""Values as plain data, and in a line (see :mod:`convergence.frozen`).

A table from a class to two functions: the object that ``--format json`` prints, and what ``repr`` says. The
data go through JSON's text, so that they are exactly what a reader of the command line's answer gets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..frozen import dataclass
from .parts.documents import printable

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
"""Passes through blocks, over all threads, of which data have a picture at most."""


@dataclass(frozen=True, slots=True)
class Form:
    """A class's ``data`` as ``convcheck/1`` has it, and its ``line``."""

    data: Callable[[Any], Mapping[str, Any]]
    line: Callable[[Any], str]


def to_json(value: object, indent: int | None = 2) -> str:
    """The data as JSON: by default the text that the command line prints, without the last newline."""
    import json

    from .parts.documents import valid_json

    separators = (",", ":") if indent is None else None
    return valid_json(json.dumps(_form(value).data(value), indent=indent, separators=separators))


def to_dict(value: object) -> dict[str, Any]:
    """The data as dicts, lists, numbers and strings: new ones, that are the caller's."""
    import json

    data: dict[str, Any] = json.loads(to_json(value))
    return data


def line(value: object) -> str:
    """What ``repr`` says."""
    words = printable(_form(value).line(value))
    return f"<{words if len(words) <= WIDTH - 2 else words[: WIDTH - 3] + '…'}>"


def _form(value: object) -> Form:
    for kind in type(value).__mro__:
        if (form := FORMS.get(kind.__name__)) is not None:
            return form
    raise TypeError(f"{type(value)} has no form as plain data")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


# -- modules and diagnostics --------------------------------------------------------------------------


def _module(module: Module) -> dict[str, Any]:
    """A module: its text, and the functions with their blocks. No command prints it."""
    return {
        "schema": "convcheck/1",
        "module": module.source.name,
        "triple": module.triple,
        "datalayout": module.datalayout,
        "text": module.source.text,
        "globals": [f"@{name}" for name in module.globals],
        "functions": [_function(module, function) for function in module.functions.values()],
    }


def _function(module: Module, function: Function) -> dict[str, Any]:
    from ..ir.instructions import successors

    return {
        "function": f"@{function.name}",
        "definition": not function.is_declaration,
        "parameters": [f"%{parameter.name}" for parameter in function.parameters],
        "attributes": list(module.function_attributes(function.name)),
        "blocks": [
            {
                "block": block.name,
                "instructions": [_text(module, i) for i in block.instructions],
                "successors": list(dict.fromkeys(successors(block.terminator))),
            }
            for block in function.blocks
        ],
    }


def _text(module: Module, instruction: Any) -> str | None:
    """An instruction as the text has it; ``None`` where no text has it."""
    span = instruction.span
    if not 0 <= span.start < span.end <= len(module.source.text):
        return None
    return " ".join(module.source.text[span.start : span.end].split())


def _module_line(module: Module) -> str:
    defined = len(module.definitions())
    declared = len(module.functions) - defined
    return f"Module {module.source.name}: {_count(defined, 'definition')}, {_count(declared, 'declaration')}"


def _diagnostics(value: Diagnostics) -> dict[str, Any]:
    from .parts.documents import SCHEMA, diagnostic_data

    file = {
        "file": value.source.name,
        "diagnostics": [diagnostic_data(value.source, violation) for violation in value],
        "error": None,
        "notes": [],
    }
    return {"schema": SCHEMA, "command": "verify", "files": [file]}


def _diagnostics_line(value: Diagnostics) -> str:
    rules = ", ".join(dict.fromkeys(diagnostic.rule.id for diagnostic in value))
    line = f"Diagnostics of {value.source.name}: {_count(len(value), 'violation')}"
    return f"{line}: {rules}" if rules else line


def _diagnostic(value: Diagnostic) -> dict[str, Any]:
    from .parts.documents import diagnostic_data

    return diagnostic_data(None, value)


def _diagnostic_line(value: Diagnostic) -> str:
    return f"Diagnostic {value.rule.id} in @{value.function}: {value.message}"


# -- runs and alignments ------------------------------------------------------------------------------


def _picture(execution: Any, module: Module, function: str, dfs: Any) -> tuple[str, ...]:
    from ..alignment.picture import picture

    if sum(map(len, execution.visits)) > PICTURED:
        return ()
    return picture(execution, module, function, search=dfs)


def _noted(module: Module, functions: Sequence[str], notes: Sequence[str]) -> list[str]:
    """Notes, with those that a command adds about attributes."""
    from .parts.notes import program_notes

    return [*notes, *program_notes(module, functions)]


def _standing(module: Module) -> list[str]:
    from .parts.notes import reading_standing

    return [] if (note := reading_standing(module)) is None else [note]


def _run(run: Run) -> dict[str, Any]:
    from .parts.words import race_lines
    from .run import answer

    module, launched = run.machine.program.module, run.machine.launch.function
    picture = _picture(run.execution, module, launched, run.machine.program.settings.dfs)
    notes = [*_noted(module, [launched], run.notes), *race_lines(run.races, module), *_standing(module)]
    return answer(run, module, picture, tuple(notes))


def _run_line(run: Run) -> str:
    from ..semantics.errors import ENDING_NAMES

    launch = run.machine.launch
    ended = ENDING_NAMES[type(run.ending)]
    return f"Run of @{launch.function}: {_count(launch.threads, 'thread')}, {ended}, {run.steps} instructions"


def _alignment(value: EnumeratedAlignment) -> dict[str, Any]:
    from .run import alignment

    request = value.question
    picture = (
        () if request is None else _picture(value.execution, request.module, request.function, request.dfs)
    )
    return {**alignment(value, picture), "outcomes": list(value.outcomes)}


def _alignment_line(value: EnumeratedAlignment) -> str:
    threads, groups = len(value.execution.visits), len(value.groups)
    places = ", ".join(str(place) for place in value.outcomes)
    return f"Alignment of {_count(threads, 'thread')}: {_count(groups, 'group')}, outcomes [{places}]"


def _enumeration(value: Enumeration) -> dict[str, Any]:
    from ..semantics.machine.start import prepare_run
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
    counts = f"{_count(len(value.alignments), 'alignment')}, {_count(len(value.outcomes), 'outcome')}"
    return f"Enumeration: {counts}, {standing}"


def _why(value: Why) -> dict[str, Any]:
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


def _allowed(value: Allowed) -> dict[str, Any]:
    from ..ir.module import Module
    from .allows import answer

    request = value.question
    picture: tuple[str, ...] = ()
    if request is not None and value.alignment is not None:
        picture = _picture(value.alignment.execution, request.module, request.function, request.dfs)
    return answer(value, Module() if request is None else request.module, picture)


def _allowed_line(value: Allowed) -> str:
    return f"Allowed: {value.verdict}{'' if value.rule is None else f' by {value.rule.id}'}"


def _litmus(value: Litmus) -> dict[str, Any]:
    from .litmus import answer

    return answer([value])


def _litmus_line(value: Litmus) -> str:
    models = len(value.rows[0].cells)
    return f"Litmus {value.name}: {_count(len(value.rows), 'condition')}, {_count(models, 'model')}"


# -- machines -----------------------------------------------------------------------------------------


def _machines(simulations: Sequence[Simulated], module: Module) -> dict[str, Any]:
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


def _simulations(value: Simulations) -> dict[str, Any]:
    return _machines(value.machines, value.module)


def _simulations_line(value: Simulations) -> str:
    names = ", ".join(machine.policy for machine in value.machines)
    return f"Simulations of @{value.function}: {names}"


def _simulated(value: Simulated) -> dict[str, Any]:
    if value.machine is None:
        raise TypeError(f"{value.policy} refused the program: {value.refused}")
    return _machines([value], value.machine.program.module)


def _simulated_line(value: Simulated) -> str:
    if value.refused is not None:
        return f"Simulated on {value.policy}: refused: {value.refused}"
    standing = {True: "conforms", False: "departs", None: "not completed"}[value.conforms]
    return f"Simulated on {value.policy}: {standing}, {value.issues} issues, {value.utilisation:.0%} of lanes"


# -- refinement and uniformity ------------------------------------------------------------------------


def _refinement(value: Refinement) -> dict[str, Any]:
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


def _uniformity(value: Uniformity) -> dict[str, Any]:
    from .uniform import answer

    return answer(value)


def _uniformity_line(value: Uniformity) -> str:
    from ..uniformity.result import Verdict

    claims = [verdict.verdict for function in value for verdict in function.values.values()]
    uniform = claims.count(Verdict.UNIFORM)
    return (
        f"Uniformity of {value.module.source.name}{f' for {value.target}' if value.target else ''}: "
        f"{uniform} of {_count(len(claims), 'value')} uniform"
    )


# -- rules and campaigns ------------------------------------------------------------------------------


def _explanation(value: Explanation) -> dict[str, Any]:
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


def _campaign(value: Any) -> Mapping[str, Any]:
    data: Mapping[str, Any] = value.data
    return data


def _campaign_line(value: Any) -> str:
    return f"Campaign: {_count(value.programs, 'program')}, {_count(len(value.findings), 'finding')}"


FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "Module": Form(_module, _module_line),
        "Diagnostic": Form(_diagnostic, _diagnostic_line),
        "Diagnostics": Form(_diagnostics, _diagnostics_line),
        "Run": Form(_run, _run_line),
        "EnumeratedAlignment": Form(_alignment, _alignment_line),
        "Enumeration": Form(_enumeration, _enumeration_line),
        "Why": Form(_why, _why_line),
        "Allowed": Form(_allowed, _allowed_line),
        "Litmus": Form(_litmus, _litmus_line),
        "Simulated": Form(_simulated, _simulated_line),
        "Simulations": Form(_simulations, _simulations_line),
        "Refinement": Form(_refinement, _refinement_line),
        "Uniformity": Form(_uniformity, _uniformity_line),
        "Explanation": Form(_explanation, _explanation_line),
        "Campaign": Form(_campaign, _campaign_line),
    }
)
"""Class name to forms."""
