"""``convcheck uniform`` as text."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.module import Module
from ...source import NOWHERE, Span
from ...uniformity.answer import Uniformity
from ...uniformity.check import CheckedFunction, same_cycles
from ...uniformity.observe import Subject
from ...uniformity.result import FunctionUniformity, Verdict
from ..parts import endings
from ..parts.html import PLAIN, Style
from ..parts.reading_notes import standing
from . import words


def uniform(
    uniformity: Uniformity, style: Style = PLAIN, quiet: bool = False, verbose: bool = False, name: str = ""
) -> str:
    """Every function: its values and branches by block, and a line that counts them; what runs say of them,
    and LLVM."""
    parts = []
    for function in uniformity.functions.values():
        lines = [] if quiet else body(function, uniformity.target, style)
        parts.append([*lines, summary(function)])
    if not uniformity.functions:
        parts.append([f"{name or 'the module'} defines no function"])
    for checked in uniformity.checked:
        parts.append(runs(checked, uniformity, style, quiet, verbose, name))
    if uniformity.unchecked:
        parts.append([f"@{function} was not run: {why}" for function, why in uniformity.unchecked.items()])
    if uniformity.llvm is not None:
        parts.append(beside(uniformity, style, quiet))
    if not quiet and (standing_words := standing(uniformity.module)) is not None:
        parts.append([f"note: {standing_words}"])
    between = "\n" if quiet else "\n\n"
    return between.join("\n".join(part) for part in parts) + "\n"


def runs(
    checked: CheckedFunction, uniformity: Uniformity, style: Style, quiet: bool, verbose: bool, name: str
) -> list[str]:
    """What runs of one function showed."""
    observed_runs = checked.observed
    lines = []
    for fault in checked.faults:
        place = _at(span(uniformity, fault.subject), uniformity.module, name)
        lines.append(style.strong(words.fault_words(fault)) + place)
        lines.append(f"  Launch: {words.launch_words(fault.witness)}")
        if not quiet:
            lines += [f"  {line}" for line in fault.witness.picture]
    shown = checked.not_shown if verbose else checked.not_shown[:SHOWN]
    if shown and not quiet:
        lines.append("Not shown divergent:")
        lines += [f"  {words.not_shown(item)}" for item in shown]
        if len(shown) < len(checked.not_shown):
            lines.append(f"  and {len(checked.not_shown) - len(shown)} more (-v shows them)")
    counted = f"@{checked.function}  Runs: {observed_runs.executions} ({checked.mode})"
    if observed_runs.left_out:
        counted += f", {observed_runs.left_out} left out (undefined, racing, or not legal)"
    counted += f"   Unsound: {len(checked.faults)}   Not shown divergent: {len(checked.not_shown)}"
    lines.append(counted)
    lines += [f"note: a bound was hit: {endings.words(bound)}" for bound in observed_runs.bounds]
    lines += [f"note: not modelled: {what}" for what in observed_runs.unmodelled]
    return lines


SHOWN = 10
"""Values that are not shown divergent, named where nobody asks for more."""


def beside(uniformity: Uniformity, style: Style, quiet: bool) -> list[str]:
    """What LLVM says otherwise."""
    llvm = uniformity.llvm
    assert llvm is not None
    head = f"{llvm.by} for {llvm.triple}"
    if not llvm.divergence:
        return [style.strong(head), "LLVM takes everything to be uniform for this target, without looking."]
    differences = uniformity.differences
    lines = [style.strong(head)]
    if not quiet:
        for item in differences:
            claimant, other = ("LLVM", "the rules") if item.llvm else ("the rules", "LLVM")
            about = f"@{item.subject.function} {words.subject_words(item.subject)}"
            lines.append(f"  {about}: uniform by {claimant}, divergent by {other}")
    for name, claimed in llvm.functions.items():
        function = uniformity.module.functions[name]
        if (
            uniformity.functions.keys() >= {name}
            and claimed.cycles
            and same_cycles(claimed, function) is None
        ):
            lines.append(f"  @{name}: LLVM's cycles are neither of --dfs text nor of --dfs reversed")
    lines += [f"  LLVM says nothing of @{name}" for name in llvm.missing if name in uniformity.functions]
    lines += [
        f"  LLVM does not name {words.subject_words(subject)} of @{subject.function}"
        for subject in llvm.unnamed(uniformity.module)
        if subject.function in uniformity.functions
    ]
    by_llvm = sum(item.llvm for item in differences)
    alone = f"{by_llvm} uniform by LLVM alone, {len(differences) - by_llvm} by the rules alone"
    return [*lines, f"Alike: {uniformity.alike}   Different: {len(differences)} ({alone})"]


def body(function: FunctionUniformity, target: str, style: Style) -> list[str]:
    """The values of a function, block by block."""
    where = f" for {target}" if target else ""
    lines = [style.strong(f"@{function.function}{where}:")]
    blocks: dict[str | None, list[tuple[str, str]]] = {}
    for value in function.values.values():
        blocks.setdefault(value.block, []).append((f"%{value.name}", words.value_words(value)))
    for branch in function.branches.values():
        blocks.setdefault(branch.block, []).append(("branch", words.branch_words(branch)))
    width = max((len(name) for rows in blocks.values() for name, _ in rows), default=0)
    for block, rows in blocks.items():
        lines.append("parameters:" if block is None else f"{block}:")
        lines += [f"  {name:<{width}}  {cell}" for name, cell in rows]
    for cycle in function.assumed:
        shown = " ".join(cycle.blocks)
        lines.append(
            f"The cycle {shown} is not m-converged[U-CYCLE]: threads part at the branch of {cycle.branch} and"
            f" meet at {cycle.join}"
        )
    return lines


def summary(function: FunctionUniformity) -> str:
    """``Values: 9, 3 divergent, 1 outside its cycle   Branches: 2, 1 divergent``."""
    verdicts = [value.verdict for value in function.values.values()]
    divergent, outside = verdicts.count(Verdict.DIVERGENT), verdicts.count(Verdict.OUTSIDE)
    branches = [branch.verdict for branch in function.branches.values()]
    values = f"Values: {len(verdicts)}, {divergent} divergent"
    if outside:
        values += f", {outside} outside a cycle"
    parted = branches.count(Verdict.DIVERGENT)
    return f"@{function.function}  {values}   Branches: {len(branches)}, {parted} divergent"


def why(function: FunctionUniformity, subjects: Sequence[str], module: Module, name: str) -> str:
    """The chain of each value or branch that was asked for, with its places. Raises KeyError."""
    lines: list[str] = []
    for subject in subjects:
        for depth, (what, reason) in enumerate(words.chain(function, subject)):
            place = _place(function, what, module, name)
            lines.append(f"{'  ' * depth}{what}: {reason}{place}")
    return "\n".join(lines) + "\n"


def _place(function: FunctionUniformity, what: str, module: Module, name: str) -> str:
    return _at(span_of(function, what), module, name)


def _at(place: Span, module: Module, name: str) -> str:
    if place.start < 0:
        return ""
    line, column = module.source.position(place.start)
    return f" ({name}:{line}:{column})"


def span_of(function: FunctionUniformity, what: str) -> Span:
    """Where a subject of a chain stands in the text."""
    if what.startswith("%"):
        return function.values[what[1:]].span
    return function.branches[what.removeprefix("the branch of ")].span


def span(uniformity: Uniformity, subject: Subject) -> Span:
    """Where the subject of a claim stands in the text."""
    function = uniformity.functions.get(subject.function)
    if function is None:
        return NOWHERE
    return function.branches[subject.name].span if subject.branch else function.values[subject.name].span
