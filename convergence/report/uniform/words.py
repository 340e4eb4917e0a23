"""Verdicts and their causes in words, for every format."""

from __future__ import annotations

from ...rules import Rule
from ...uniformity.check import NotShown, UnsoundClaim
from ...uniformity.observe import DifferingInstances, Subject
from ...uniformity.result import BranchUniformity, Cause, FunctionUniformity, ValueUniformity, Verdict


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
