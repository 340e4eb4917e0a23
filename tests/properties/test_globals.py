"""Straight-line programs over variables of every kind, held against numbers: what they compute, and whether
another program computes the same for all that the environment may have put there.

covers: refine.inputs.launch, semantics.memory.globals
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import pytest

import convergence as cc


@dataclass(frozen=True)
class Kind:
    """A variable: its declaration, and what it holds at the launch, ``None`` if that is an input."""

    name: str
    words: str
    holds: int | None = None
    constant: bool = False
    seen: bool = True


KINDS = (
    Kind("external", "external global i2"),
    Kind("read", "external constant i2", constant=True),
    Kind("own", "external thread_local global i2"),
    Kind("given", "external thread_local constant i2", constant=True),
    Kind("weak", "weak global i2 1"),
    Kind("merged", "common global i2 0"),
    Kind("changed", "internal externally_initialized global i2 2", seen=False),
    Kind("shown", "global i2 3", 3),
    Kind("each", "thread_local global i2 2", 2),
    Kind("hidden", "internal thread_local global i2 1", 1, seen=False),
)
Step = tuple[str, str, str, str]
"""Opcode, result, and two operands; of ``load`` and ``store`` the first is the variable."""


@dataclass(frozen=True)
class Straight:
    """A program of one block: its steps and what it returns."""

    steps: tuple[Step, ...]
    returns: str

    def text(self, name: str) -> str:
        lines = [f"define i2 @{name}(i2 %a) {{"]
        for opcode, result, one, other in self.steps:
            match opcode:
                case "load":
                    lines.append(f"  {result} = load i2, ptr @{one}")
                case "store":
                    lines.append(f"  store i2 {other}, ptr @{one}")
                case _:
                    lines.append(f"  {result} = {opcode} i2 {one}, {other}")
        return "\n".join([*lines, f"  ret i2 {self.returns}", "}", ""])

    def run(self, argument: int, memory: dict[str, int]) -> tuple[int, dict[str, int]]:
        """What it returns and leaves in memory."""
        memory, registers = dict(memory), {"%a": argument}

        def value(operand: str) -> int:
            return registers[operand] if operand.startswith("%") else int(operand)

        for opcode, result, one, other in self.steps:
            match opcode:
                case "load":
                    registers[result] = memory[one]
                case "store":
                    memory[one] = value(other)
                case "add":
                    registers[result] = (value(one) + value(other)) & 3
                case "xor":
                    registers[result] = value(one) ^ value(other)
        return value(self.returns), memory


def drawn(chance: random.Random, kinds: list[Kind]) -> Straight:
    steps: list[Step] = []
    values = ["%a"]
    for number in range(chance.randrange(2, 7)):
        result = f"%r{number}"
        operands = [*values, str(chance.randrange(4))]
        writable = [kind.name for kind in kinds if not kind.constant]
        opcode = chance.choice(["load", "load", "store", "add", "xor"])
        if opcode == "store" and writable:
            steps.append(("store", "", chance.choice(writable), chance.choice(operands)))
            continue
        if opcode in ("load", "store"):
            steps.append(("load", result, chance.choice(kinds).name, ""))
        else:
            steps.append((opcode, result, chance.choice(values), chance.choice(operands)))
        values.append(result)
    return Straight(tuple(steps), chance.choice(values))


def changed(chance: random.Random, program: Straight) -> Straight:
    """The program with a step that may do something else."""
    steps = list(program.steps)
    place = chance.randrange(len(steps))
    opcode, result, one, other = steps[place]
    match opcode:
        case "store":
            steps[place] = ("store", "", one, chance.choice(["0", "1", "2", "3", "%a", other]))
        case "load":
            steps[place] = ("add", result, str(chance.randrange(4)), "0")
        case _:
            steps[place] = (opcode, result, chance.choice([one, "%a"]), other)
    return Straight(tuple(steps), program.returns)


def signed(bits: int) -> int:
    return bits - 4 if bits > 1 else bits


@pytest.mark.parametrize("seed", range(40))
def test_programs_over_variables(seed: int) -> None:
    chance = random.Random(f"variables {seed}")
    kinds = chance.sample(KINDS, chance.randrange(1, 4))
    program = drawn(chance, kinds)
    other = changed(chance, program)
    declared = "".join(f"@{kind.name} = {kind.words}\n" for kind in kinds)
    module = cc.parse(declared + program.text("src") + other.text("tgt"))
    free = [kind.name for kind in kinds if kind.holds is None]
    fixed = {kind.name: kind.holds for kind in kinds if kind.holds is not None}
    seen = [kind.name for kind in kinds if kind.seen and not kind.constant]

    equal = True
    for argument, *held in itertools.product(range(4), repeat=1 + len(free)):
        memory = fixed | dict(zip(free, held, strict=True))
        (mine, after), (its, theirs) = program.run(argument, memory), other.run(argument, memory)
        equal = equal and mine == its and all(after[name] == theirs[name] for name in seen)
    found = cc.refine(module, module, threads=1, shortcut=False, max_launches=2000)
    assert found.verdict == ("equal" if equal else "wrong"), module.source.text

    argument, given = chance.randrange(4), {name: chance.randrange(4) for name in free}
    returned, memory = program.run(argument, fixed | given)
    enumerated = cc.enumerate(
        module, engine="both", function="src", threads=1, arguments={"a": argument}, globals=given
    )
    (outcome,) = enumerated.outcomes
    run = cc.run(module, function="src", threads=1, arguments={"a": argument}, globals=given)
    for shown in (outcome.outcome, run.outcome):
        assert shown.threads[0].value == signed(returned)
        held_now = {**shown.memory, **shown.threads[0].memory}
        assert held_now == {f"@{k.name}": signed(memory[k.name]) for k in kinds if not k.constant}
