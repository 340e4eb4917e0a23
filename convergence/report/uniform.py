"""What ``uniform`` says, in each format."""

from __future__ import annotations

from collections.abc import Sequence

from ..frozen import Json
from ..ir.module import Function, Module
from ..rules import Rule
from ..source import NOWHERE, Span
from ..uniformity.answer import ClaimDifference, Uniformity
from ..uniformity.check import CheckedFunction, NotShown, UnsoundClaim, same_cycles
from ..uniformity.observe import DifferingInstances, Occurrence, Subject
from ..uniformity.result import BranchUniformity, Cause, FunctionUniformity, ValueUniformity, Verdict
from . import parts as html
from .parts import PLAIN, SCHEMA, Style, VerifiedFile, dump, markup, printable
from .parts import formats as common
from .parts import words as endings
from .parts.formats import workflow_command
from .parts.module_html import control_flow
from .parts.words import reading_standing
from .verify import SARIF_SCHEMA, physical, uri

# ----------------------------------------------------------------------------------------------------------
# What ``uniform`` says, a module a format.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# Verdicts and their causes in words, for every format.
# ----------------------------------------------------------------------------------------------------------


def because(cause: Cause) -> str:
    """Why, in a clause: what it comes of, one step back."""
    match cause.rule:
        case Rule.U_SOURCE:
            return "it tells threads from each other"
        case Rule.U_ARGUMENT:
            return "each thread may be given another value"
        case Rule.U_LOAD:
            return "each thread may read something else"
        case Rule.U_DATA:
            return f"it depends on %{cause.value}"
        case Rule.U_JOIN:
            return f"threads that part at the branch of {cause.branch} meet here"
        case Rule.U_UNDEF if cause.branch is not None:
            return f"threads that part at the branch of {cause.branch} meet here, some with undef or poison"
        case Rule.U_UNDEF:
            return "freeze may choose another value in each thread"
        case Rule.U_EXIT if cause.value is not None:
            left = f"threads leave the cycle of {cause.cycle} in different iterations"
            return f"it depends on %{cause.value}, and {left}"
        case Rule.U_EXIT:
            left = f"threads leave the cycle of {cause.cycle} in different iterations"
            return f"{left}, by the branch of {cause.branch}"
        case Rule.U_CYCLE:
            return (
                f"the cycle of {cause.cycle} is not m-converged: threads part at the branch of {cause.branch}"
            )
        case Rule.U_TOKEN if cause.cycle is not None:
            return f"an anchor in the cycle of {cause.cycle} may group threads of different iterations"
        case Rule.U_TOKEN:
            return f"%{cause.value} is the same only within groups of an anchor"
        case _:
            return ""


def value_words(value: ValueUniformity) -> str:
    """``divergent[U-DATA]: it depends on %id``."""
    match value.verdict:
        case Verdict.DIVERGENT if value.cause is not None:
            return f"divergent[{value.cause.rule.id}]: {because(value.cause)}"
        case Verdict.OUTSIDE if value.outside_cause is not None:
            cycles = ", ".join(value.outside)
            how = value.outside_cause
            return f"uniform; divergent outside the cycle of {cycles}[{how.rule.id}]: {because(how)}"
        case _:
            return value.verdict.value


def branch_words(branch: BranchUniformity) -> str:
    """The same of a branch, with where its threads meet."""
    if branch.verdict is not Verdict.DIVERGENT or branch.cause is None:
        return branch.verdict.value
    text = f"divergent[{branch.cause.rule.id}]: {because(branch.cause)}"
    if branch.joins:
        text += f"; threads meet at {', '.join(branch.joins)}"
    for header, target in branch.exits:
        text += f"; some leave the cycle of {header} for {target} before others"
    return text


def chain(function: FunctionUniformity, name: str) -> list[tuple[str, str]]:
    """Why a value (``%x``) or the branch of a block (``x``) is what it is: each step's subject, and what is
    said of it, back to a source. Raises KeyError where there is no such value or branch."""
    if name.startswith("%"):
        first = function.values[name[1:]]
        steps = [(name, value_words(first))]
        cause = first.cause or first.outside_cause
    else:
        parted = function.branches[name]
        steps = [(f"the branch of {name}", branch_words(parted))]
        cause = parted.cause
    for link in function.chain(cause):
        if link.branch is not None:
            steps.append((f"the branch of {link.branch}", branch_words(function.branches[link.branch])))
        elif link.value is not None:
            steps.append((f"%{link.value}", value_words(function.values[link.value])))
    return steps


def subject_words(about: Subject) -> str:
    """``%x``, or ``the branch of b``."""
    return f"the branch of {about.name}" if about.branch else f"%{about.name}"


def fault_words(fault: UnsoundClaim) -> str:
    """``%r is called uniform by LLVM, and is not``, with the two instances."""
    claimants = " and ".join(claimant.value for claimant in fault.claimants)
    witness_words = instance_words(fault.subject, fault.witness)
    return f"{subject_words(fault.subject)} is called uniform by {claimants}, and is not: {witness_words}"


def instance_words(about: Subject, witness: DifferingInstances) -> str:
    """``1 in thread 0 and 2 in thread 1, in converged instances (#1 and #3 of x)``."""
    verb = "goes on to " if about.branch else ""
    parts = [f"{verb}{o.value} in thread {o.thread}" for o in (witness.first, witness.second)]
    numbers = (
        f"#{witness.first.nth} and #{witness.second.nth}"
        if witness.first.nth != witness.second.nth
        else f"#{witness.first.nth}"
    )
    return f"{parts[0]} and {parts[1]}, in converged visits of {witness.block} ({numbers})"


def launch_words(witness: DifferingInstances) -> str:
    """The launch of a witness in the words of the command line."""
    words = [f"--threads {witness.input.threads}", *(["--partial"] if witness.partial else [])]
    if witness.input.subgroup_size is not None:
        words.append(f"--subgroup-size {witness.input.subgroup_size}")
    for name, values in witness.arguments:
        shown_values = values[:1] if len(set(values)) == 1 else values
        words.append(f"--arg %{name}={','.join(shown_values)}")
    return " ".join(words)


def not_shown(claim: NotShown) -> str:
    """``%x  decides a branch; called divergent by the rules, the same in 12 comparisons``."""
    claimants = " and ".join(claimant.value for claimant in claim.claimants)
    times = f"{claim.compared} comparison{'' if claim.compared == 1 else 's'}"
    use = f"{subject_words(claim.subject)} {claim.use.value}"
    return f"{use}: called divergent by {claimants}, the same in {times}"


# ----------------------------------------------------------------------------------------------------------
# ``convcheck uniform`` as text.
# ----------------------------------------------------------------------------------------------------------


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
    if not quiet and (standing_words := reading_standing(uniformity.module)) is not None:
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
        lines.append(style.strong(fault_words(fault)) + place)
        lines.append(f"  Launch: {launch_words(fault.witness)}")
        if not quiet:
            lines += [f"  {line}" for line in fault.witness.picture]
    shown = checked.not_shown if verbose else checked.not_shown[:SHOWN]
    if shown and not quiet:
        lines.append("Not shown divergent:")
        lines += [f"  {not_shown(item)}" for item in shown]
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
            about = printable(f"@{item.subject.function} {subject_words(item.subject)}")
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
        f"  LLVM does not name {subject_words(subject)} of @{subject.function}"
        for subject in llvm.unnamed(uniformity.module)
        if subject.function in uniformity.functions
    ]
    by_llvm = sum(item.llvm for item in differences)
    alone = f"{by_llvm} uniform by LLVM alone, {len(differences) - by_llvm} by the rules alone"
    return [*lines, f"Alike: {uniformity.alike}   Different: {len(differences)} ({alone})"]


def body(function: FunctionUniformity, target: str, style: Style) -> list[str]:
    """The values of a function, block by block."""
    where = f" for {target}" if target else ""
    lines = [style.strong(f"{printable(f'@{function.function}')}{where}:")]
    blocks: dict[str | None, list[tuple[str, str]]] = {}
    for value in function.values.values():
        row = printable(f"%{value.name}"), printable(value_words(value))
        blocks.setdefault(value.block, []).append(row)
    for branch in function.branches.values():
        blocks.setdefault(branch.block, []).append(("branch", printable(branch_words(branch))))
    width = max((len(name) for rows in blocks.values() for name, _ in rows), default=0)
    for block, rows in blocks.items():
        lines.append("parameters:" if block is None else f"{printable(block)}:")
        lines += [f"  {name:<{width}}  {cell}" for name, cell in rows]
    for cycle in function.assumed:
        shown = " ".join(cycle.blocks)
        cycle_words = (
            f"The cycle {shown} is not m-converged[U-CYCLE]: threads part at the branch of {cycle.branch} and"
            f" meet at {cycle.join}"
        )
        lines.append(printable(cycle_words))
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
    return f"{printable(f'@{function.function}')}  {values}   Branches: {len(branches)}, {parted} divergent"


def why(function: FunctionUniformity, subjects: Sequence[str], module: Module, name: str) -> str:
    """The chain of each value or branch that was asked for, with its places. Raises KeyError."""
    lines: list[str] = []
    for subject in subjects:
        for depth, (what, reason) in enumerate(chain(function, subject)):
            place = _place(function, what, module, name)
            lines.append("  " * depth + printable(f"{what}: {reason}{place}"))
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


# ----------------------------------------------------------------------------------------------------------
# ``convcheck uniform`` as one JSON object (``convcheck/1``).
# ----------------------------------------------------------------------------------------------------------


def answer(uniformity: Uniformity) -> dict[str, Json]:
    """Stable key order, integers as integers; ``line`` and ``column`` count from 1, and are ``null`` where
    the text spells nothing."""
    return {
        "schema": SCHEMA,
        "command": "uniform",
        "target": uniformity.target,
        "dfs": uniformity.dfs.value,
        "functions": [_function(uniformity, function) for function in uniformity.functions.values()],
        "checked": [_checked(uniformity, checked) for checked in uniformity.checked],
        "unchecked": [
            {"function": f"@{n}", "reason": why} for n, why in (uniformity.unchecked or {}).items()
        ],
        "llvm": _llvm(uniformity),
        **(
            {}
            if (standing_words := reading_standing(uniformity.module)) is None
            else {"notes": [standing_words]}
        ),
    }


def _place_data(uniformity: Uniformity, span: Span) -> dict[str, Json]:
    if span.start < 0:
        return {"line": None, "column": None}
    line, column = uniformity.module.source.position(span.start)
    return {"line": line, "column": column}


def _cause(cause: Cause) -> Json:
    return {
        "rule": cause.rule.id, "value": cause.value, "branch": cause.branch, "cycle": cause.cycle,
    }  # fmt: skip


def _chain(function: FunctionUniformity, cause: Cause | None) -> Json:
    return [_cause(link) for link in function.chain(cause)]


def _function(uniformity: Uniformity, function: FunctionUniformity) -> Json:
    return {
        "function": f"@{function.function}",
        "values": [
            {
                "name": f"%{value.name}", "block": value.block, "verdict": value.verdict.value,
                "chain": _chain(function, value.cause or value.outside_cause),
                "outside": list(value.outside), **_place_data(uniformity, value.span),
            }
            for value in function.values.values()
        ],
        "branches": [
            {
                "block": branch.block, "verdict": branch.verdict.value,
                "chain": _chain(function, branch.cause), "joins": list(branch.joins),
                "exits": [{"cycle": header, "target": target} for header, target in branch.exits],
                **_place_data(uniformity, branch.span),
            }
            for branch in function.branches.values()
        ],
        "assumed": [
            {"cycle": list(cycle.blocks), "branch": cycle.branch, "join": cycle.join}
            for cycle in function.assumed
        ],
    }  # fmt: skip


def _subject(subject: Subject) -> dict[str, Json]:
    name = subject.name if subject.branch else f"%{subject.name}"
    return {"function": f"@{subject.function}", "name": name, "kind": "branch" if subject.branch else "value"}


def _occurrence(occurrence: Occurrence) -> Json:
    return {"thread": occurrence.thread, "nth": occurrence.nth, "value": occurrence.value}


def _fault(uniformity: Uniformity, fault: UnsoundClaim) -> Json:
    witness = fault.witness
    return {
        **_subject(fault.subject),
        "claimants": [claimant.value for claimant in fault.claimants],
        "block": witness.block,
        "one": _occurrence(witness.first),
        "other": _occurrence(witness.second),
        "launch": {
            "threads": witness.input.threads,
            "subgroup_size": witness.input.subgroup_size,
            "partial": witness.partial,
            "arguments": {f"%{name}": list(values) for name, values in witness.arguments},
        },
        "picture": list(witness.picture),
        **_place_data(uniformity, span(uniformity, fault.subject)),
    }


def _not_shown(item: NotShown) -> Json:
    return {
        **_subject(item.subject),
        "claimants": [claimant.value for claimant in item.claimants],
        "use": item.use.value,
        "compared": item.compared,
    }


def _checked(uniformity: Uniformity, checked: CheckedFunction) -> Json:
    runs = checked.observed
    return {
        "function": f"@{checked.function}",
        "uncontrolled": checked.mode,
        "executions": runs.executions,
        "left_out": runs.left_out,
        "faults": [_fault(uniformity, fault) for fault in checked.faults],
        "not_shown": [_not_shown(item) for item in checked.not_shown],
        "bounds": [endings.words(bound) for bound in runs.bounds],
        "not_modelled": list(runs.unmodelled),
    }


def _difference(item: ClaimDifference) -> Json:
    words = {True: "uniform", False: "divergent"}
    return {**_subject(item.subject), "rules": words[item.rules], "llvm": words[item.llvm]}


def _llvm(uniformity: Uniformity) -> Json:
    llvm = uniformity.llvm
    if llvm is None:
        return None
    return {
        "by": llvm.by,
        "triple": llvm.triple,
        "divergence": llvm.divergence,
        "missing": [f"@{name}" for name in llvm.missing],
        "unnamed": [_subject(subject) for subject in llvm.unnamed(uniformity.module)],
        "alike": uniformity.alike,
        "differences": [_difference(item) for item in uniformity.differences],
    }


# ----------------------------------------------------------------------------------------------------------
# ``convcheck uniform`` as HTML: the source with its values coloured, and pictures of the control flow.
# ----------------------------------------------------------------------------------------------------------


_COLOURS = {
    "uniform": "background:#0072b222",
    "divergent": "background:#e69f0055",
    "outside": "background:#009e7344",
    "unsound": "background:#d5000066;outline:2px solid #d50000",
}
_LEGEND = {
    "uniform": "uniform",
    "divergent": "divergent",
    "outside": "uniform; divergent outside its cycle",
    "unsound": "called uniform, and a run shows that it is not",
}


def page(uniformity: Uniformity, name: str) -> str:
    """A page of its own."""
    return html.page(f"Uniformity of {name}", notebook_page(uniformity, name))


def notebook_page(uniformity: Uniformity, name: str = "") -> str:
    """What stands in a notebook: the source, the pictures, and the text."""
    text = uniform(uniformity, Style(color=True), name=name)
    parts = [legend(), source(uniformity)]
    for function in uniformity.functions.values():
        drawn = flow(uniformity, function, html.prefix(function.function + text))
        parts.append(html.details(f"control flow of @{function.function}", html.figure(drawn)))
    return html.box(*parts, html.details("as text", html.pre(text)))


def legend() -> str:
    cells = [f'<span style="{_COLOURS[kind]}">{markup(meaning)}</span>' for kind, meaning in _LEGEND.items()]
    return f"<p>{' &#183; '.join(cells)}</p>"


def source(uniformity: Uniformity) -> str:
    """The text of the module; each instruction of which something is said has its colour, and its chain as a
    title, which browsers show when the pointer is on it."""
    marks = sorted(_marks(uniformity), key=lambda mark: (mark[0].start, -mark[0].end))
    written = uniformity.module.source.text
    parts, at = [], 0
    for span, kind, chain in marks:
        if span.start < at:
            continue
        parts.append(markup(written[at : span.start]))
        inner = markup(written[span.start : span.end])
        parts.append(f'<span style="{_COLOURS[kind]}" title="{markup(chain)}">{inner}</span>')
        at = span.end
    return html.raw_pre("".join(parts) + markup(written[at:]))


def _marks(uniformity: Uniformity) -> list[tuple[Span, str, str]]:
    """Span, kind and chain of every value and branch that the text spells."""
    unsound = {
        (f.subject.function, f.subject.name, f.subject.branch): fault_words(f)
        for checked in uniformity.checked
        for f in checked.faults
    }
    marks = []
    for function in uniformity.functions.values():
        items = [
            *((value.name, False, value.span, value.verdict) for value in function.values.values()),
            *((branch.block, True, branch.span, branch.verdict) for branch in function.branches.values()),
        ]
        for name, branch, span, verdict in items:
            if span.start < 0 or verdict is Verdict.UNREACHABLE:
                continue
            chain_lines = "\n".join(
                f"{what}: {why}" for what, why in chain(function, name if branch else f"%{name}")
            )
            fault = unsound.get((function.function, name, branch))
            kind = {Verdict.UNIFORM: "uniform", Verdict.OUTSIDE: "outside"}.get(verdict, "divergent")
            marks.append(
                (span, kind, chain_lines) if fault is None else (span, "unsound", f"{fault}\n{chain_lines}")
            )
    return marks


def flow(uniformity: Uniformity, function: FunctionUniformity, prefix: str = "convcheck-cfg") -> str:
    """The CFG with its divergent branches marked, and where their threads meet."""
    notes: dict[str, list[str]] = {}
    marked = set()
    for branch in function.branches.values():
        if branch.verdict is not Verdict.DIVERGENT or branch.cause is None:
            continue
        marked.add(branch.block)
        notes.setdefault(branch.block, []).append(f"divergent branch: {branch.cause.rule.id}")
        for join in branch.joins:
            notes.setdefault(join, []).append(f"join of {branch.block}")
        for header, target in branch.exits:
            notes.setdefault(target, []).append(f"left {header} in different iterations")
    for cycle in function.assumed:
        for block in cycle.blocks:
            notes.setdefault(block, []).append(f"not m-converged: cycle of {cycle.header}")
    definition: Function = uniformity.module.functions[function.function]
    unique = {block: tuple(dict.fromkeys(lines)) for block, lines in notes.items()}
    return control_flow(uniformity.module, definition, None, prefix, unique, frozenset(marked))


# ----------------------------------------------------------------------------------------------------------
# ``convcheck uniform`` for machines that show places: SARIF 2.1.0, and GitHub's workflow commands.
#
# A result is a claim that a run breaks, an error at the value's place; and, where LLVM was asked, what the
# rules and LLVM say otherwise, a note.
# ----------------------------------------------------------------------------------------------------------


_RULES = tuple(rule for rule in Rule if rule.id.startswith("U-"))


def _results(uniformity: Uniformity) -> list[tuple[str, Rule, Subject, str]]:
    """Level, rule, subject and message of each result."""
    sentences = []
    for checked in uniformity.checked:
        for fault in checked.faults:
            message = f"{fault_words(fault)}; launch: {launch_words(fault.witness)}"
            sentences.append(("error", _rule(uniformity, fault.subject), fault.subject, message))
    for item in uniformity.differences:
        claimant, other = ("LLVM", "the rules") if item.llvm else ("the rules", "LLVM")
        message = f"{subject_words(item.subject)} is uniform by {claimant}, divergent by {other}"
        sentences.append(("note", _rule(uniformity, item.subject), item.subject, message))
    return sentences


def _rule(uniformity: Uniformity, subject: Subject) -> Rule:
    """The rule that makes a subject divergent; U-DATA where none does."""
    function = uniformity.functions.get(subject.function)
    if function is None:
        return Rule.U_DATA
    what = (function.branches if subject.branch else function.values)[subject.name]
    return what.cause.rule if what.cause is not None else Rule.U_DATA


def sarif(uniformity: Uniformity, name: str) -> str:
    """One run, with the rules U-."""
    file = VerifiedFile(name, uniformity.module)
    fingerprints = common.Fingerprints()
    results: list[Json] = [
        {
            "ruleId": rule.id,
            "ruleIndex": _RULES.index(rule),
            "level": level,
            "message": {"text": message},
            "locations": [physical(file, span(uniformity, subject))],
            "partialFingerprints": fingerprints.of((name, rule.id, subject.function, subject.name)),
        }
        for level, rule, subject, message in _results(uniformity)
    ]
    rules = [common.rule(rule, "error") for rule in _RULES]
    return dump(
        {
            "$schema": SARIF_SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": common.driver(rules)},
                    "columnKind": "unicodeCodePoints",
                    "artifacts": [{"location": {"uri": uri(name)}}],
                    "results": results,
                }
            ],
        }
    )


def github(uniformity: Uniformity, name: str) -> str:
    """A workflow command for each result."""
    levels = {"error": "error", "note": "notice"}
    return "".join(
        workflow_command(
            levels[level], name, uniformity.module.source, span(uniformity, subject), rule.id, message
        )
        for level, rule, subject, message in _results(uniformity)
    )
