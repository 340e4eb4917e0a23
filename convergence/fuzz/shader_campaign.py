"""Campaigns of random shaders: through LLVM's SPIR-V back end, and on a Vulkan device."""

from __future__ import annotations

import dataclasses
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..collector import uncollected
from ..device.client import Dispatch, Dispatched, DispatchResult
from ..frozen import dataclass
from ..interruption import notice
from ..packages import without_llvm
from ..passes.outside import PassFailed
from ..semantics import Clock
from ..source import Source
from ..vulkan import VULKAN_TRIPLE
from ..workers.scheduler import local
from .campaign import open_state, save_state
from .reconvergence import (
    Ballot,
    Break,
    Continue,
    If,
    LoopStatement,
    Return,
    Statement,
    StoreStatement,
    SwitchStatement,
)
from .shaders import CELLS, SLOTS, ShaderProgram, Sited, packed_words, shader_text, shader_words

if TYPE_CHECKING:
    from ..device import Device
    from ..drive import LegalOutcomes
    from ..ir import Type
    from ..ir.module import Module
    from ..parser.llvm import Intrinsic

# ----------------------------------------------------------------------------------------------------------
# Random shaders through LLVM's SPIR-V backend, and on a Vulkan device.
#
# A program goes one of two ways. *Lowered*: LLVM's backend compiles its LLVM IR; the module is valid or
# not, is read back, and its outcome compared with the source's. *Direct*: its SPIR-V is written without a
# compiler, so that what a device does is the driver's alone. On either way a device may run what came of
# it, and its result is held against the legal outcomes of the LLVM IR.
#
# Programs are done in chunks, by processes, and taken in order: findings do not depend on how many there
# are. A campaign that was cut off goes on from its state. A finding is reduced to a program with the same
# cause.
# ----------------------------------------------------------------------------------------------------------

CHUNK = 20
"""Programs that a process does at once."""
STEPS = 200_000
"""Instructions of one execution."""
EXECUTIONS = 200
"""Executions of a module that is read back: each switch leaves open who is together."""
SECONDS = 5.0
"""What a device has for one program."""
REPETITIONS = 3
"""Runs of a program alone: what is not legal in all of them is reduced."""

Answer = Literal[
    "equal", "weaker", "legal", "wrong", "illegal", "invalid", "crash", "timeout", "refused", "unread",
    "failed", "unknown",
]  # fmt: skip
"""``equal``: the module does what its source does; ``weaker``: it may do that, and more, as of a switch's
cases SPIR-V leaves open who is together; ``legal``: the device does what is legal. ``wrong``: it does not;
``illegal``: the device does not. ``invalid``: the backend's module breaks SPIR-V's rules. ``crash``,
``timeout``, ``refused``: the backend gave none. ``unread``: convcheck does not read it. ``failed``: the
device gave no answer."""
FINDINGS: tuple[Answer, ...] = ("wrong", "illegal", "invalid", "crash", "timeout", "failed")


@dataclass(frozen=True, slots=True)
class ShaderPlan:
    """Which programs, and what is done with them. A campaign goes on where all of it but ``count`` agrees.

    ``lowered``: they go through the backend at ``level`` (by ``llc``, if that is named), after the
    ``passes``; else they are written directly. ``device``: its number, if one is to run them. ``packs``:
    it runs several at a time, and one alone only where that is not legal."""

    seed: int = 0
    count: int = 1000
    lowered: bool = True
    level: int = 0
    passes: str | None = None
    llc: str | None = None
    device: int | None = None
    lanes: int = 8
    packs: bool = True

    def program(self, number: int) -> ShaderProgram:
        return ShaderProgram(self.seed * 1_000_000 + number, self.lanes)

    def chunks(self, done: int) -> Iterator[range]:
        """Those still to do."""
        for start in range(done, self.count, CHUNK):
            yield range(start, min(start + CHUNK, self.count))

    @property
    def identity(self) -> dict[str, Any]:
        """What must agree for a campaign to go on."""
        return {name: value for name, value in asdict(self).items() if name != "count"}


@dataclass(frozen=True, slots=True)
class ShaderCheck:
    """What a program came to: the ``answer``, its ``cause`` without a program's own names, what was said;
    whether it came to that in all of its runs."""

    answer: Answer
    cause: str = ""
    words: str = ""
    always: bool = True

    @property
    def key(self) -> tuple[str, str]:
        """What findings of one cause share."""
        return self.answer, self.cause


# -- One program


@cache
def _reader() -> KnownIntrinsics:
    """What reads this process's programs."""

    return KnownIntrinsics()


def source_question(text: str, inputs: tuple[int, ...], lanes: int, asks_llvm: bool = False) -> LegalOutcomes:
    """All legal outcomes of a program's LLVM IR. ``asks_llvm``: whether it is LLVM IR, each time."""
    from ..drive import question
    from ..parser import parse
    from ..semantics.machine.launch import launch_spec

    spec = launch_spec(
        function="main", threads=lanes, subgroup_size=lanes, max_steps=STEPS, verified=False,
        buffers={"u0": f"i32[{lanes * SLOTS}]", "u1": f"i32[{lanes}]:{','.join(map(str, inputs))}"},
    )  # fmt: skip
    return question(parse(text) if asks_llvm else _reader().parse(text), spec, recurrence=False)


def compiled(text: str, plan: ShaderPlan) -> bytes | ShaderCheck:
    """The backend's module; or that it gave none, or one that is not valid."""
    from ..passes import optimise
    from ..passes.compilers import cause, invalid, lower, validator

    try:
        if plan.passes is not None:
            text = optimise(text, plan.passes)
        data = lower(text, VULKAN_TRIPLE, level=plan.level, llc=plan.llc).data
    except PassFailed as error:
        kinds: Mapping[str, Answer] = {"crash": "crash", "timeout": "timeout"}
        return ShaderCheck(kinds.get(error.kind, "refused"), _crash(error), error.reason)
    if validator() is None:
        return _by_our_rules(data)
    fault = invalid(data)
    return data if fault is None else ShaderCheck("invalid", cause(fault), fault)


def _by_our_rules(data: bytes) -> bytes | ShaderCheck:
    """The module, or which of our rules it breaks first, where nobody else says so."""
    from ..spirv import NotCovered, NotSPIRV, translate
    from ..spirv.structured import violations

    try:
        broken = violations(translate(data, whole=True).module)
    except (NotSPIRV, NotCovered):  # who reads it back says so
        return data
    return ShaderCheck("invalid", broken[0].rule.id, broken[0].message) if broken else data


def _crash(error: PassFailed) -> str:
    """Where it broke down: the pass, else the assertion."""
    running = re.findall(r"Running pass '([^']*)'", error.detail)
    return running[-1] if running else cause_of(error.reason)


def cause_of(reason: str) -> str:
    """A reason without numbers and names."""
    return re.sub(r"%\S+|\b\d+\b", "_", reason)


def check(text: str, inputs: tuple[int, ...], plan: ShaderPlan, words: bytes | None = None) -> ShaderCheck:
    """One program; ``words`` is its SPIR-V, if it was written directly."""
    data = compiled(text, plan) if words is None else words
    if isinstance(data, ShaderCheck):
        return data
    question = _legal_outcomes(text, inputs, plan)
    if isinstance(question, ShaderCheck):
        return question
    if words is None:
        read = _read_back(data, question, inputs, plan)
        if read.answer not in ("equal", "weaker") or plan.device is None:
            return read
    if plan.device is None:
        return ShaderCheck("equal")
    return _driven(data, question, plan)


def _legal_outcomes(text: str, inputs: tuple[int, ...], plan: ShaderPlan) -> LegalOutcomes | ShaderCheck:
    """All legal outcomes of a program; or that they are not known."""
    from ..parser import NotLLVM, Unsupported
    from ..semantics import NotModelled, UsageError

    try:
        question = source_question(text, inputs, plan.lanes)
    except (NotLLVM, Unsupported, UsageError, NotModelled) as error:
        return ShaderCheck("unknown", "the source", str(error))
    if not question.legal.complete or question.undefined is not None or question.endless:
        return ShaderCheck("unknown", "the source", "not all of its outcomes are known, or one is undefined")
    return question


def _read_back(
    data: bytes, launch_question: LegalOutcomes, inputs: tuple[int, ...], plan: ShaderPlan
) -> ShaderCheck:
    """Whether the module, as it is read, does only what its source may."""
    from ..drive import question
    from ..ir.resources import resources_of
    from ..semantics import NotModelled, UsageError
    from ..spirv import NotCovered, NotSPIRV, as_ir, translate

    try:
        module = as_ir(translate(data, whole=True), "<string>")
        there = {key for resource in resources_of(module).entries for key in resource.keys}
        buffers = {name: buffer for name, buffer in launch_question.spec.buffers.items() if name in there}
        spec = replace(launch_question.spec, buffers=buffers).within(max_executions=EXECUTIONS)
        target = question(module, spec)
    except (NotSPIRV, NotCovered) as error:
        return ShaderCheck("unread", cause_of(str(error)), str(error))
    except (UsageError, NotModelled) as error:
        return ShaderCheck("unknown", "the target", str(error))
    if "u0" not in there:
        return ShaderCheck("unknown", "the target", "nothing observable is left to compare")
    legal = [_memory(outcome.outcome.memory) for outcome in launch_question.legal.outcomes]
    for outcome in target.legal.outcomes:
        if outcome.ending != "returned":
            return ShaderCheck("wrong", outcome.ending, f"the target's outcome is {outcome.ending}")
    theirs = [_memory(outcome.outcome.memory) for outcome in target.legal.outcomes]
    if all(memory in legal for memory in theirs) and target.legal.complete:
        return ShaderCheck("equal")
    if any(memory in legal for memory in theirs):  # of a switch's cases SPIR-V leaves open who is together
        return ShaderCheck("weaker")
    if not target.legal.complete:
        return ShaderCheck("unknown", "the target", "not all of its outcomes are known")
    return ShaderCheck("wrong", "outcome", f"u0 is {theirs[0]}, where {legal[0]} is legal")


def _memory(memory: Mapping[str, Any]) -> Any:
    return memory["u0"]


@cache
def _device(number: int) -> Device:
    """The device, open as long as this process lives."""
    from ..device import Device

    return Device(number)


def _driven(data: bytes, question: LegalOutcomes, plan: ShaderPlan) -> ShaderCheck:
    """What the device does. Raises Unavailable."""
    from ..device import DeviceFailed
    from ..drive import LackingDevice, bind, judge
    from ..report.drive import difference
    from ..semantics import NotModelled, UsageError

    assert plan.device is not None
    device = _device(plan.device)
    try:
        bound = bind(question.program, question.launch, data, device.facts, REPETITIONS)
    except (UsageError, NotModelled, LackingDevice) as error:
        return ShaderCheck("unknown", "the binding", str(error))
    answer = device.run([bound.dispatch], SECONDS)[0]
    if isinstance(answer, DeviceFailed):  # a busy machine is no fault of the driver's
        answer = device.run([bound.dispatch], 12 * SECONDS)[0]
    trial = judge(question, bound, answer, explain=False)
    if trial.failed is not None:
        return ShaderCheck("failed", f"{trial.failed.why} ({trial.failed.stage})", trial.failed.detail)
    if trial.verdict == "illegal":
        always = all(not outcome.runs for outcome in trial.legal)
        why = "in all runs" if always else "in some runs"
        return ShaderCheck("illegal", why, difference(trial.illegal[0].differences[0]), always)
    return ShaderCheck(
        "legal" if trial.verdict == "legal" else "unknown", "" if trial.verdict == "legal" else "runs"
    )


def _in_memory(program: ShaderProgram, tree: Tree, plan: ShaderPlan) -> Answer:
    """What the device does where each variable of a program lies in memory."""
    from ..device import Dispatched
    from ..drive import BoundModule, judge

    question = _legal_outcomes(shader_text(tree, program.kinds, program.lanes), program.inputs, plan)
    if isinstance(question, ShaderCheck):
        return question.answer
    assert plan.device is not None
    dispatch = in_memory(part(program, tree), program.lanes, REPETITIONS)
    answer = _device(plan.device).run([dispatch], 12 * SECONDS)[0]
    if not isinstance(answer, Dispatched):
        return "failed"
    return judge(question, BoundModule(dispatch, {OUT: "u0", IN: "u1"}), answer, explain=False).verdict


# -- Many programs


@dataclass(frozen=True, slots=True)
class ShaderFinding:
    """A program that shows something, by its number; where it was reduced already, its ``text`` and
    ``words``, and the ``cause`` that the reduced program shows."""

    number: int
    checked: ShaderCheck
    text: str | None = None
    words: bytes | None = None


@dataclass(frozen=True, slots=True)
class ChunkDone:
    """A chunk's answers, and its findings in order."""

    numbers: range
    answers: Counter[str]
    findings: tuple[ShaderFinding, ...]


def assemble(program: ShaderProgram) -> bytes:
    """A program's SPIR-V, written directly."""
    from .shaders import shader_words

    return shader_words(program.tree, program.kinds, program.lanes)


@uncollected()
def do_chunk(plan: ShaderPlan, numbers: range, seconds: float | None = 0) -> ChunkDone:
    """Some programs; what is not legal is reduced for so many ``seconds`` (0: not at all). What cannot be
    reached any more is looked for behind the chunk, and not while it is done. Raises Unavailable."""
    answers: Counter[str] = Counter()
    findings = []
    direct = not plan.lowered
    checks = _packed(plan, numbers) if direct and plan.device is not None and plan.packs else None
    for number in numbers:
        program = plan.program(number)
        checked = None if checks is None else checks[number]
        if checked is None:
            checked = check(program.text, program.inputs, plan, assemble(program) if direct else None)
        answers[checked.answer] += 1
        if checked.answer in FINDINGS or checked.answer == "unread":
            finding = ShaderFinding(number, checked)
            if direct and checked.answer == "illegal" and checked.always and seconds != 0:
                finding = explained(finding, plan, seconds)
            findings.append(finding)
    return ChunkDone(numbers, answers, tuple(findings))


def _packed(plan: ShaderPlan, numbers: range) -> Mapping[int, ShaderCheck | None]:
    """What programs come to that run several at a time; ``None`` for one that is to be run alone, as
    something is not as it should be."""
    from ..device import DeviceFailed
    from ..drive import BoundModule, judge

    assert plan.device is not None
    checked: dict[int, ShaderCheck | None] = dict.fromkeys(numbers)
    programs = [plan.program(number) for number in numbers]
    together = [*packs([part(program) for program in programs])]
    dispatches = [packed(pack, plan.lanes) for pack in together]
    answers = _device(plan.device).run(dispatches, SECONDS)
    left = zip(numbers, programs, strict=True)
    for pack, dispatch, answer in zip(together, dispatches, answers, strict=True):
        mine = [next(left) for _ in pack]
        if isinstance(answer, DeviceFailed):
            continue
        bound = BoundModule(dispatch, {OUT: "u0", IN: "u1"})
        for (number, program), own in zip(mine, unpacked(len(pack), plan.lanes, answer), strict=True):
            question = _legal_outcomes(program.text, program.inputs, plan)
            if isinstance(question, ShaderCheck):
                checked[number] = question
                continue
            if judge(question, bound, own, explain=False).verdict == "legal":
                checked[number] = ShaderCheck("legal")
            question.program.take_apart()
    return checked


def explained(finding: ShaderFinding, plan: ShaderPlan, seconds: float | None) -> ShaderFinding:
    """An illegal program, reduced, and what its cause is: the shape that is left, and whether the result
    is legal where its variables lie in memory."""

    program = plan.program(finding.number)
    tree = reduced_tree(program, plan, finding.checked, seconds)
    text, words = both(program, tree)
    checked = check(text, program.inputs, plan, words)
    cause = f"{shape(tree)}; with its variables in memory {_in_memory(program, tree, plan)}"
    return replace(finding, checked=ShaderCheck("illegal", cause, checked.words), text=text, words=words)


@dataclasses.dataclass
class ShaderFolder:
    """A campaign's results: ``progress`` is how many programs are through. The ``answers``, and of each
    cause how often it was met, where first, and the file that shows it."""

    path: Path
    plan: ShaderPlan
    progress: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    folds: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def open(self) -> None:
        """Make the folder, or go on with the campaign in it. Raises NotThisCampaign and OSError."""
        open_state(self.path, self.plan.identity, self._go_on)

    def _go_on(self, data: dict[str, Any]) -> None:
        self.progress, self.answers = data["done"], Counter(data["answers"])
        self.folds = {(f["answer"], f["cause"]): f for f in data["findings"]}

    def take(self, done: ChunkDone) -> list[ShaderFinding]:
        """Count a chunk; gives the findings whose cause is new."""
        new = []
        self.answers.update(done.answers)
        for finding in done.findings:
            known = self.folds.get(finding.checked.key)
            if known is not None:
                known["times"] += 1
                continue
            answer, why = finding.checked.key
            self.folds[answer, why] = {
                "answer": answer, "cause": why, "file": f"{answer}-{len(self.folds) + 1}.ll", "times": 1,
                "first": finding.number, "words": finding.checked.words,
            }  # fmt: skip
            new.append(finding)
        self.progress = done.numbers.stop
        return new

    def save(self) -> None:
        """Write the state."""
        data = {
            "done": self.progress, "answers": dict(sorted(self.answers.items())),
            "findings": list(self.folds.values()),
        }  # fmt: skip
        save_state(self.path, self.plan.identity, data)

    def keep(self, finding: ShaderFinding, seconds: float | None) -> str:
        """Write a finding's program, reduced for so many seconds (0: not at all); gives the file's name."""
        program = self.plan.program(finding.number)
        name = str(self.folds[finding.checked.key]["file"])
        text, words = program.text, assemble(program)
        if finding.text is not None and finding.words is not None:
            text, words = finding.text, finding.words
        elif seconds != 0:
            if self.plan.lowered:
                text = reduced(text, program.inputs, self.plan, finding.checked, seconds)
            else:
                text, words = both(program, reduced_tree(program, self.plan, finding.checked, seconds))
        inputs = ",".join(map(str, program.inputs))
        head = (
            f"; {finding.checked.answer}: {finding.checked.cause}\n; {finding.checked.words}\n"
            f"; Program {finding.number} of seed {self.plan.seed}.\n"
            f"; CONVCHECK: --subgroup-size {self.plan.lanes} --buffer u0=i32[{self.plan.lanes * SLOTS}]"
            f" --buffer u1=i32[{self.plan.lanes}]:{inputs}\n\n"
        )
        (self.path / name).write_text(head + text, encoding="utf-8")
        if not self.plan.lowered:
            (self.path / name).with_suffix(".spv").write_bytes(words)
        return name


def reduced(
    text: str, inputs: tuple[int, ...], plan: ShaderPlan, checked: ShaderCheck, seconds: float | None
) -> str:
    """The smallest program found with the same answer and cause."""
    from .reduce import reduce

    def question(smaller: str) -> bool:
        return check(smaller, inputs, plan).key == checked.key

    return reduce(text, question, timeout=seconds)


def reduced_tree(
    program: ShaderProgram, plan: ShaderPlan, checked: ShaderCheck, seconds: float | None
) -> Tree:
    """The same for a program whose SPIR-V is written directly: by its tree, so that both texts change."""
    from ..semantics import clock_of

    def question(tree: Tree) -> bool:
        text, words = both(program, tree)
        return check(text, program.inputs, plan, words).key == checked.key

    return reduce_tree(program.tree, question, clock_of(seconds))


def both(program: ShaderProgram, tree: Tree) -> tuple[str, bytes]:
    """The LLVM IR and the SPIR-V of a smaller tree of a program."""
    from .shaders import shader_words

    kinds, lanes = program.kinds, program.lanes
    return shader_text(tree, kinds, lanes), shader_words(tree, kinds, lanes)


def campaign(
    plan: ShaderPlan, folder: ShaderFolder, jobs: int, seconds: float | None,
    report: Callable[[ShaderFinding, str], None],
) -> Iterator[ShaderFolder]:  # fmt: skip
    """All chunks that are left; the folder after each. ``report`` is told of each new cause and its file.
    Raises Unavailable where there is no device."""
    with local(jobs) as pool:
        for done in pool.over(partial(do_chunk, plan, seconds=seconds), plan.chunks(folder.progress)):
            for finding in folder.take(done):
                report(finding, folder.keep(finding, seconds))
            folder.save()
            yield folder
            if notice():
                return


# ----------------------------------------------------------------------------------------------------------
# What findings on a device have in common, by the trees of the reduced programs and by experiment.
# ----------------------------------------------------------------------------------------------------------


def shape(tree: tuple[Statement, ...]) -> str:
    """The statements without numbers, conditions and kinds of operations: ``do { op }; op``."""
    return "; ".join(map(_statement, tree))


def _statement(statement: Statement) -> str:
    match statement:
        case Ballot():
            return "op"
        case StoreStatement():
            return "store"
        case If(then=then, otherwise=otherwise):
            other = f" else {_block(otherwise)}" if otherwise else ""
            return f"if {_block(then)}{other}"
        case SwitchStatement(cases=cases, default=default):
            parts = [f"case {_block(body)}" + " break" * breaks for _, body, breaks in cases]
            parts += [f"default {_block(default)}"] if default else []
            return f"switch {{ {'; '.join(parts)} }}"
        case LoopStatement(kind=kind, body=body):
            return f"{kind} {_block(body)}"
        case Break():
            return "break"
        case Continue():
            return "continue"
        case Return():
            return "return"


def _block(tree: tuple[Statement, ...]) -> str:
    return f"{{ {shape(tree)} }}" if tree else "{}"


# ----------------------------------------------------------------------------------------------------------
# Several random shaders in one module, so that a driver compiles them at once.
#
# Each workgroup calls its own program as a function, in uniform control flow, on its own rows of the buffers;
# so what is legal for a program is what is legal for it alone. Half of lavapipe's time for a small shader is
# the same for every module.
# ----------------------------------------------------------------------------------------------------------

LARGEST = 5
"""Programs in one module: LLVM's time for a function grows faster than its size."""
OUT, IN, VARIABLES = (0, 0), (0, 1), (0, 2)
"""The set and binding of ``u0``, ``u1``, and of variables that lie in memory."""


@dataclass(frozen=True, slots=True)
class Part:
    """What of a program runs: its ``tree``, or a changed one, on what each invocation is given."""

    sited: Sited
    inputs: tuple[int, ...]


def part(program: ShaderProgram, tree: tuple[Statement, ...] | None = None) -> Part:
    """A program, or another ``tree`` with its inputs and operations."""
    return Part(Sited(program.tree if tree is None else tree, program.kinds), program.inputs)


def packs(parts: Sequence[Part], largest: int = LARGEST) -> Iterator[Sequence[Part]]:
    """The parts, so many at a time."""
    for start in range(0, len(parts), largest):
        yield parts[start : start + largest]


def packed(pack: Sequence[Part], lanes: int) -> Dispatch:
    """All programs of a pack, each once."""
    module = packed_words([part.sited for part in pack], lanes)
    return Dispatch(module, "main", (len(pack), 1, 1), _data(pack, lanes))


def _data(pack: Sequence[Part], lanes: int) -> dict[tuple[int, int], bytes]:
    numbers = [number for part in pack for number in part.inputs]
    return {OUT: bytes(4 * SLOTS * lanes * len(pack)), IN: struct.pack(f"<{len(numbers)}i", *numbers)}


def unpacked(count: int, lanes: int, answer: Dispatched) -> list[Dispatched]:
    """What each of ``count`` programs of a pack came to, in order: its own rows of each result."""
    shaders = []
    for number in range(count):
        rows = []
        for result in answer.results:
            data = {}
            for place, size in ((OUT, 4 * SLOTS * lanes), (IN, 4 * lanes)):
                data[place] = result.data[place][number * size : (number + 1) * size]
            rows.append(DispatchResult(data, result.count))
        shaders.append(Dispatched(tuple(rows)))
    return shaders


def in_memory(part: Part, lanes: int, repeat: int) -> Dispatch:
    """A program alone, with each of its variables in memory."""
    module = shader_words(part.sited.tree, part.sited.kinds, lanes, in_memory=True)
    data = {**_data([part], lanes), VARIABLES: bytes(4 * CELLS * lanes)}
    return Dispatch(module, "main", (1, 1, 1), data, repeat=repeat)


# ----------------------------------------------------------------------------------------------------------
# Smaller trees of a random shader: one statement less, a construct for its contents, a simpler condition.
# ----------------------------------------------------------------------------------------------------------

Tree = tuple[Statement, ...]


def smaller(tree: Tree, inside: bool = False) -> Iterator[Tree]:
    """Trees with one change each; ``inside`` a loop, ``break`` and ``continue`` may stay where it went."""
    for at, statement in enumerate(tree):
        before, after = tree[:at], tree[at + 1 :]
        yield (*before, *after)
        for simpler in _simpler(statement, inside):
            yield (*before, *simpler, *after)


def _simpler(statement: Statement, inside: bool) -> Iterator[Tree]:
    match statement:
        case If(then=then, otherwise=otherwise):
            yield then
            if otherwise:
                yield otherwise
                yield (replace(statement, otherwise=()),)
            for simpler in smaller(then, inside):
                yield (replace(statement, then=simpler),)
            for simpler in smaller(otherwise, inside):
                yield (replace(statement, otherwise=simpler),)
        case LoopStatement(body=body):
            if (inside or not _jumps(body)) and statement.counter not in _variables(body):
                yield body
            if statement.limit > 1:
                yield (replace(statement, limit=statement.limit - 1),)
            if statement.guard is not None:
                yield (replace(statement, guard=None),)
            for simpler in smaller(body, True):
                yield (replace(statement, body=simpler),)
        case SwitchStatement(cases=cases, default=default):
            for at, (number, body, breaks) in enumerate(cases):
                rest = (*cases[:at], *cases[at + 1 :])
                if rest:
                    yield (replace(statement, cases=rest),)
                if inside or not _jumps(body):
                    yield body
                if not breaks:
                    changed = (*cases[:at], (number, body, True), *cases[at + 1 :])
                    yield (replace(statement, cases=changed),)
                for simpler in smaller(body, inside):
                    changed = (*cases[:at], (number, simpler, breaks), *cases[at + 1 :])
                    yield (replace(statement, cases=changed),)
            if default:
                yield (replace(statement, default=()),)
                for simpler in smaller(default, inside):
                    yield (replace(statement, default=simpler),)
        case Ballot(stored=True):
            yield (replace(statement, stored=False),)
        case _:
            pass


def _variables(tree: Tree) -> Iterator[str]:
    """The variables that conditions, and what is chosen by a switch or added up, read."""
    for statement in tree:
        match statement:
            case Ballot(condition=condition):
                yield condition.variable
            case If(condition, then, otherwise):
                yield condition.variable
                yield from _variables((*then, *otherwise))
            case SwitchStatement(variable, cases, default):
                yield variable
                for _, body, _ in cases:
                    yield from _variables(body)
                yield from _variables(default)
            case LoopStatement(guard=guard, body=body):
                if guard is not None:
                    yield guard.variable
                yield from _variables(body)
            case _:
                pass


def _jumps(tree: Tree) -> bool:
    """Whether something in it leaves the loop around it, or goes on with its next round."""
    for statement in tree:
        match statement:
            case Break() | Continue():
                return True
            case If(then=then, otherwise=otherwise):
                if _jumps(then) or _jumps(otherwise):
                    return True
            case SwitchStatement(cases=cases, default=default):
                if _jumps(default) or any(_jumps(body) for _, body, _ in cases):
                    return True
            case _:
                pass
    return False


def reduce_tree(tree: Tree, question: Callable[[Tree], bool], clock: Clock) -> Tree:
    """The smallest tree found for which the question holds, as it does for ``tree``."""
    progress = True
    while progress:
        progress = False
        for candidate in smaller(tree):
            if clock.hit() is not None:
                return tree
            if question(candidate):
                tree, progress = candidate, True
                break
    return tree


# ----------------------------------------------------------------------------------------------------------
# Texts that this package writes itself, read without asking LLVM of each.
#
# LLVM is asked of a text that has intrinsics which no text before had. Nobody looks whether the others are
# LLVM IR: who writes them knows.
# ----------------------------------------------------------------------------------------------------------


_INTRINSIC = re.compile(r"@(llvm\.[\w.]+)")


class KnownIntrinsics:
    """What LLVM said of intrinsics so far."""

    def __init__(self) -> None:
        self._known: dict[str, Intrinsic] = {}
        self._types: dict[str, Type] = {}

    def parse(self, text: str, name: str = "<string>") -> Module:
        """The module that ``text`` spells, as :func:`~convergence.parser.parse` has it.

        :raises NotLLVM: if LLVM is asked, and does not take it
        :raises Unsupported: if convcheck cannot read it, which may come as late as the first look
        """
        from ..parser import parse

        names = set(_INTRINSIC.findall(text))
        if without_llvm() is not None:
            return parse(text, name)
        if not names <= self._known.keys():
            from ..parser.llvm import ask

            self._known.update(ask(text).intrinsics)
            return parse(text, name)
        from ..parser.assemble import Assembler

        assembler = Assembler(Source(name, text), types=self._types)
        module = assembler.module({intrinsic: self._known[intrinsic] for intrinsic in names})
        if assembler.names is not None or assembler.upgrades:
            return parse(text, name)
        return module
