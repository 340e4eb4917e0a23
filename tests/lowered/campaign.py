"""Generated kernels against what LLVM's AMDGPU back end lowers them to: ``refine --lowered``, at length.

``python -m tests.lowered FILE --count N`` goes on where it was cut off: FILE has a line of JSON for each
batch that is done. Batches are of many functions, for which ``llc`` is asked once. There are three kinds of
program, each at -O0 and at -O2, wave32 and wave64 by turns: ``shapes`` (kernels with the cycles that break
analyses, also irreducible ones), ``uncontrolled`` and ``controlled`` (the fuzzer's, with tokens or without).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from convergence.cli.commands.refine import LOWERINGS, LoweringRequest, refused
from convergence.fuzz.generate import generate
from convergence.fuzz.uniform_programs import AMDGPU, declarations, function
from convergence.ir import Local
from convergence.ir.calls import Control, control, token_used
from convergence.ir.module import Function, Module
from convergence.parser import NotLLVM, Unsupported, parse
from convergence.passes import optimised
from convergence.passes.outside import PassFailed
from convergence.refine import Assumption, Refinement, prepare
from convergence.refine.verdict.compare import compare
from convergence.refine.verdict.result import Model
from convergence.report.refine import bound, words
from convergence.sched.lockstep.policy import Facts
from convergence.semantics import NotModelled, UsageError
from convergence.semantics.convergence.reachability import CallGraph
from convergence.semantics.machine.launch import launch_spec

KINDS = ("shapes", "uncontrolled", "controlled")
LEVELS = (0, 2)
BATCH = 20
"""Functions of a module that ``llc`` is asked about at once."""
LAUNCHES = 4
STEPS = 5_000
TRIPLE = "amdgcn-amd-amdhsa"
LAYOUT = "e-p:64:64-p5:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-n32:64-S32-A5-G1"
EXECUTIONS = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """Of one function: the verdict, and what says more: a difference, or why it is unknown."""

    function: str
    verdict: str
    words: str


def program(kind: str, number: int) -> tuple[str, tuple[str, ...]]:
    """The text of a batch, and its functions that are compared. Without undef, of which each side may take
    another value."""
    if kind == "shapes":
        random = Random(f"lowered {number}")
        names = tuple(f"f{at}" for at in range(BATCH))
        functions = [function(random, name, AMDGPU, waves=number % 5 != 4) for name in names]
        text = declarations(AMDGPU) + "\n".join(functions) + "\n"
        return re.sub(r"\bundef\b", "30", text.replace(".ds.permute(", ".ds.bpermute(")), names
    parts: list[str] = []
    declared: dict[str, None] = {}
    rest: dict[str, None] = {}
    for at in range(BATCH):
        text = _on_its_stack(generate(number * BATCH + at, kind).text)  # type: ignore[arg-type]
        text = re.sub(r"@(main|helper\d*)\b", rf"@\1.{at}", text)
        for line in text.splitlines():
            if line.startswith("declare"):
                declared[line] = None
            elif line.startswith("!"):
                rest[line] = None
            else:
                parts.append(line)
    text = "\n".join(
        [f'target datalayout = "{LAYOUT}"', f'target triple = "{TRIPLE}"', *declared, *parts, *rest, ""]
    )
    return text, tuple(f"main.{at}" for at in range(BATCH))


def _on_its_stack(text: str) -> str:
    """Stack objects in AMDGPU's address space for them."""
    for name in re.findall(r"^ *(%\S+) = alloca ", text, re.MULTILINE):
        text = re.sub(rf"ptr {re.escape(name)}(?![\w.])", f"ptr addrspace(5) {name}", text)
    return re.sub(r"( = alloca [^,\n]+)", r"\1, addrspace(5)", text)


def answers(kind: str, number: int, level: int, llc: str | None = None) -> list[Answer]:
    """What is said of each function of a batch."""
    text, names = program(kind, number)
    return compared(text, names, level, ("amdgcn-wave32", "amdgcn-wave64")[number % 2], llc)


def compared(
    text: str, names: tuple[str, ...], level: int, target: str, llc: str | None = None
) -> list[Answer]:
    """Each function of a module against what the back end makes of it; asked again one by one where it gives
    nothing for all."""
    source = parse(text)
    try:
        found = LOWERINGS[target](source, LoweringRequest(level, llc, timeout=60))
        lowered = parse(found.text)
    except (PassFailed, NotLLVM, Unsupported) as error:
        if len(names) == 1:
            said = error.reason if isinstance(error, PassFailed) else str(error)
            return [Answer(names[0], f"no output: {type(error).__name__}", said)]
        return [a for n in names for a in compared(alone(source, n), (n,), level, target, llc)]
    return [Answer(name, *judged(found.source, lowered, name)) for name in names]


def alone(module: Module, name: str) -> str:
    """The text of one function with what it calls."""
    from convergence.parser.printer import print_module
    from convergence.refine.sides.side import only

    return print_module(only(module, frozenset((name, *CallGraph(module).closure(name)))))


def judged(
    source: Module, lowered: Module, name: str, models: tuple[Model, ...] | None = None
) -> tuple[str, str]:
    """The verdict on one function, and more words."""
    spec = launch_spec(timeout=30.0).within(max_steps=STEPS, max_launches=LAUNCHES, max_executions=EXECUTIONS)
    try:
        prepared = prepare(source, name, spec)
        found = compare(prepared, lowered, spec, models=models, minimise=False, machine="exec-amdgcn")
    except (UsageError, NotModelled) as error:
        return "unknown", str(error)
    return found.verdict, said(found)


def said(found: Refinement) -> str:
    if found.counterexample is not None:
        return words(found.counterexample.difference)
    if found.diagnostics:
        return f"{found.diagnostics[0].rule.id}: {found.diagnostics[0].message}"
    return bound(found) or found.established


# -- Why a difference is there: what is known of LLVM 22's back end


def suspicious(answer: Answer) -> bool:
    """Whether something is to be explained: a difference, and where the target does not come to an end."""
    return answer.verdict == "wrong" or (answer.verdict == "unknown" and "in the target" in answer.words)


def cause(kind: str, number: int, level: int, name: str, opt: str | None = None) -> str | None:
    """Which known cause a difference has; ``None`` if none is seen.

    ``fix-irreducible``: that pass alone makes the function wrong (self-loop-phi-lost), or no valid IR.
    ``extended loop``: a heart's token is used behind its loop, of which masks know nothing. ``latches``:
    without tokens, a header has several latches; the back end makes a loop of each, and the groups are those
    of post-dominators.
    """
    text, _ = program(kind, number)
    module = parse(alone(parse(text), name))
    function = module.functions[name]
    if Facts(function).irreducible and _guard_is_wrong(module, name, opt):
        return "fix-irreducible"
    if any(map(_extended, module.definitions())):
        return "extended loop"
    if kind != "controlled":
        target = ("amdgcn-wave32", "amdgcn-wave64")[number % 2]
        found = LOWERINGS[target](module, LoweringRequest(level, timeout=60))
        verdict, more = judged(found.source, parse(found.text), name, ("ipdom",))
        if verdict in ("equal", "refines") or "source is undefined" in more:  # and so is the target
            return "latches"
    return None


def _guard_is_wrong(module: Module, name: str, opt: str | None) -> bool:
    """Whether ``fix-irreducible`` alone, behind the pass that makes branches of switches, is wrong, or gives
    what LLVM's own verifier refuses."""
    after = parse(optimised(module.source.text, "lower-switch,fix-irreducible", opt=opt).text)
    if refused(after) is not None:
        return True
    spec = launch_spec(timeout=30.0).within(
        max_steps=STEPS, max_launches=3 * LAUNCHES, max_executions=EXECUTIONS
    )
    uniform = [p.name for p in module.functions[name].parameters if module.functions[name].convention]
    assume = [Assumption(parameter, True) for parameter in uniform]
    models: tuple[Model, ...] | None = (
        None if prepare(module, name, spec).models == ("tokens",) else ("maximal",)
    )
    found = compare(prepare(module, name, spec), after, spec, None, assume, models, minimise=False)
    return found.verdict == "wrong" or "max-steps" in said(found)


def _extended(function: Function) -> bool:
    """Whether a heart's token is used in a block that is not in the heart's cycle."""
    nest, home = Facts(function).cycles, {}
    for number, block in enumerate(function.blocks):
        for instruction in block.instructions:
            if control(instruction) is Control.LOOP and instruction.result is not None:
                home[instruction.result] = nest.innermost(number)
    for number, block in enumerate(function.blocks):
        for instruction in block.instructions:
            token = token_used(instruction)
            cycle = home.get(token.name) if isinstance(token, Local) else None
            if cycle is not None and not nest.contains(cycle, number):
                return True
    return False
