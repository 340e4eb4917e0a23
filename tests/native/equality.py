"""Generated programs under ``--engine reference`` and ``native``: every answer and every event the same, in
``run`` and on a lock-step machine. ``make native-equality`` compares 100,000 of them (``tests/campaigns``).

``python -m tests.native.equality`` compares all examples, each launched as it says.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast

from convergence.frozen import Json
from convergence.fuzz.generate import STYLES, generate
from convergence.ir import FloatType, IntType
from convergence.ir.module import Module
from convergence.parser import NotLLVM, parse
from convergence.report import run as answers
from convergence.report import simulate as machine_answers
from convergence.sched.lockstep.policies import NAMES
from convergence.sched.lockstep.simulate import Simulated, simulate_machine
from convergence.semantics import NotModelled, UsageError
from convergence.semantics.machine import Accessed, depends_on_order, each_visit, meet
from convergence.semantics.machine.launch import LaunchSpec, launch_spec
from convergence.semantics.machine.program import EngineKind
from convergence.semantics.machine.run import Run, execute, prepare_run
from convergence.semantics.native import engine, lanes
from convergence.semantics.native import lanes as lane_vectors

from ..cli.cli_harness import ROOT, convcheck
from ..properties.test_endless import program as endless_program
from ..sched.lockstep.meeting_programs import meeting_launch, meeting_program
from .programs import program

STEPS = 6_000
"""Instructions of a run at most: enough for the bound to cut some off."""


def arguments(module: Module, function: str, random: Random, threads: int) -> Mapping[str, Any]:
    """Random values for the parameters, per thread."""
    made: dict[str, Any] = {}
    for parameter in module.functions[function].parameters:
        match parameter.type:
            case IntType(bits):
                made[parameter.name] = [
                    random.choice((0, 1, 2, 3, 5, random.getrandbits(bits))) % (1 << bits)
                    for _ in range(threads)
                ]
            case FloatType():
                made[parameter.name] = [random.choice((0.0, 1.0, -2.5, 1e10)) for _ in range(threads)]
    return made


def _arithmetic(seed: int) -> tuple[str, str]:
    return program(seed), "f"


def _memory(seed: int) -> tuple[str, str]:
    return program(seed, memory=True), "f"


def _meetings(seed: int) -> tuple[str, str]:
    return meeting_program(seed), "f"


def _endless(seed: int) -> tuple[str, str]:
    return endless_program(Random(f"endless {seed}")), "f"


def _style(style: Any) -> Callable[[int], tuple[str, str]]:
    def made(seed: int) -> tuple[str, str]:
        generated = generate(seed, style)
        return generated.text, generated.function

    return made


KINDS: Mapping[str, Callable[[int], tuple[str, str]]] = {
    "arithmetic": _arithmetic,
    "memory": _memory,
    "endless": _endless,
    "meetings": _meetings,
    **{f"fuzz-{style}": _style(style) for style in STYLES if style != "any"},
}


def answer(run: Run, module: Module) -> str:
    """All that can be said of a run: its answer as JSON, its log event by event, and whether its threads met.
    (Accesses to shared objects are events of the reference alone: native code notes what matters.)"""
    parts = answers.answer(run, module, (), run.notes)
    del parts["engine"]
    said = json.dumps(parts, sort_keys=True, default=str)
    happened = [*each_visit(run.log)]
    accesses = [event for event in happened if isinstance(event, Accessed) and event.owner is not None]
    rest = (event for event in happened if not isinstance(event, Accessed))
    events = "\n".join(map(str, [*rest, *accesses]))
    text = f"{said}\n{run.execution}\n{events}"
    text += f"\n{meet(run.machine.log)} {depends_on_order(run.machine.log)}"
    return _numbered(text)


def _numbered(text: str) -> str:
    """With numbers for addresses. Each key is made once in a run: which come again says which they are."""
    names: dict[str, str] = {}
    return re.sub(r"at 0x[0-9a-f]+", lambda match: names.setdefault(match[0], f"#{len(names)}"), text)


def both(module: Module, spec: LaunchSpec, early: bool = False) -> tuple[str, str, Run]:
    """The answers of both engines, and the native run: if ``early``, on three cores, and code that is not
    worth it is dropped after a few calls."""
    first = answer(execute(module, replace(spec, engine="reference")), module)
    tried = engine.TRIED
    engine.TRIED = 3 if early else tried
    try:
        second = execute(module, replace(spec, engine="native", jobs=3 if early else None))
        return first, answer(second, module), second
    finally:
        engine.TRIED = tried


def simulation(module: Module, spec: LaunchSpec, policy: str, kind: EngineKind) -> tuple[str, Simulated]:
    """All that can be said of a launch on a machine: its verdicts before anybody has read the log, part of
    which is made of native code's records then; its answer as JSON; and what stands in the log, too."""
    program, launch = prepare_run(module, replace(spec, engine=kind))
    simulated = simulate_machine(program, launch, policy, None, spec.limits)
    run = simulated.run
    verdicts = (
        simulated.departure, simulated.agreement, simulated.alignment_name, simulated.from_maximal,
        simulated.active_lanes, simulated.lane_slots,
    )  # fmt: skip
    whole = machine_answers.answer((simulated,), module, launch, ((),), ())
    (said,) = cast(list[dict[str, Json]], whole["policies"])
    del said["engine"]
    answered = json.dumps(said, sort_keys=True, default=str)
    counted = replace(simulated, operations=_in_order(simulated.operations))
    by_wave = {wave: _in_order(counts) for wave, counts in simulated.by_wave.items()}
    parts = (
        verdicts, answered, counted, simulated.steps, by_wave, simulated.groups, simulated.outcome,
        simulated.execution,
        run and (run.notes, run.steps, run.rules, meet(run.machine.log), depends_on_order(run.machine.log)),
    )  # fmt: skip
    return _numbered(repr(parts)), simulated


def _in_order(counts: Counter[str]) -> Counter[str]:
    """Of counts nobody is told which came first: native code counts what it did by the block."""
    return Counter(dict(sorted(counts.items())))


@contextmanager
def vectors_after(turns: int | None) -> Iterator[None]:
    """Machines' code for vectors is made after so many turns (``None``: never); it runs even one lane."""
    before = lanes.VECTORS, lane_vectors.LEAST
    lanes.VECTORS, lane_vectors.LEAST = turns, 1
    try:
        yield
    finally:
        lanes.VECTORS, lane_vectors.LEAST = before


def machine_differs(
    module: Module, spec: LaunchSpec, policy: str, seen: Counter[str], vectors: int | None = None
) -> str | None:
    """Where a machine's answers by both engines differ; ``None`` if they do not. ``vectors``: the turns after
    which there is code for vectors."""
    one, _ = simulation(module, spec, policy, "reference")
    with vectors_after(vectors):
        other, simulated = simulation(module, spec, policy, "native")
    if simulated.engine is not None:
        seen["lanes natively"] += bool(simulated.engine.instructions)
        seen["lanes apart"] += bool(simulated.engine.attended)
        seen["in vectors"] += bool(simulated.engine.vectors)
    return None if one == other else f"on {policy}: {_difference(one, other)}"


def _difference(one: str, other: str) -> str:
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    near = slice(max(0, at - 80), at + 80)
    return f"...{one[near]!r} against ...{other[near]!r}"


def launched(kind: str, seed: int) -> tuple[Module, LaunchSpec, str]:
    """A program of a kind and how it is launched."""
    text, function = KINDS[kind](seed)
    module = parse(text)
    if kind == "meetings":
        return module, meeting_launch(seed), text
    random = Random(f"launch {kind} {seed}")
    threads = random.randrange(1, 5)
    size: dict[str, Any] = {"threads": threads}
    if random.random() < 0.4:
        grid, workgroup = random.randrange(1, 4), random.randrange(2, 7)
        threads = grid * workgroup
        sizes = [size for size in (2, 3, 4) if workgroup % size == 0]
        size = {"grid": grid, "workgroup": workgroup, "subgroup_size": random.choice((None, *sizes))}
    spec = launch_spec(
        function=function, **size, arguments=arguments(module, function, random, threads),
        verified=random.random() < 0.8, max_steps=random.choice((STEPS, STEPS, 777)),
        uncontrolled=random.choice(("maximal", "maximal", "any", "none")),
    )  # fmt: skip
    return module, spec, text


def differs(kind: str, seed: int, seen: Counter[str], machine: bool = True) -> str | None:
    """Where the engines differ on a program, on a ``machine``, too; ``None`` if they do not."""
    try:
        module, spec, text = launched(kind, seed)
    except NotLLVM as problem:
        if kind in ("arithmetic", "memory"):
            raise AssertionError(f"{kind} {seed} is no LLVM IR: {problem}") from None
        seen["no LLVM IR"] += 1
        return None
    try:
        one, other, run = both(module, spec, early=seed % 2 == 1)
    except (UsageError, NotModelled):
        seen["not run"] += 1
        return None
    seen[type(run.ending).__name__] += 1
    if run.engine is not None:
        seen["instructions"] += run.engine.instructions
        seen["on several cores"] += run.engine.cores > 1
        seen["unattended"] += bool(run.engine.unattended)
        if run.machine.program.at_once:
            seen["at once"] += 1
    seen["steps"] += run.steps
    difference = None if one == other else _difference(one, other)
    if difference is None and machine:
        difference = machine_differs(
            module, spec, NAMES[seed // 4 % len(NAMES)], seen, 0 if seed % 3 else None
        )
    return None if difference is None else f"{kind} {seed}: {difference}\n{spec}\n{text}"


def example_differs(file: Path) -> bool:
    """Whether the engines differ on an example, launched as it says."""
    ran = convcheck("run", file, "--engine", "both", "-q", "--max-steps", "200000")
    return ran.code == 4


def main() -> int:
    files = sorted((ROOT / "examples_ll").rglob("*.ll"))
    differ = [file for file in files if example_differs(file)]
    print(len(files), "examples,", len(differ), "differences", *differ)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
