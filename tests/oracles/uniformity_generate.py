"""Random shapes for the oracle of uniformity, and each as LLVM IR.

Control flow is drawn without a plan: cycles share headers, are entered in several places, are left from
several blocks; phis take constants, values of other blocks and undef.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from .uniformity import UNDEF, Operand, Shape, ShapeBlock

ARGUMENT = "a"
_Drawn = tuple[
    tuple[tuple[str, Mapping[int, Operand]], ...],
    tuple[tuple[str, str, tuple[Operand, ...]], ...],
    list[Operand],
]
"""Phis, operations, and what a branch may ask for."""


def draw_edges(random: Random, size: int) -> list[list[int]]:
    """Successors of each block; all blocks are reachable, and the last one returns."""
    edges: list[list[int]] = []
    for block in range(size - 1):
        ways = random.choices((1, 2, 3), (3, 8, 1))[0]
        targets = [random.randrange(block + 1, size)]
        for _ in range(ways - 1):
            backwards = block > 0 and random.random() < 0.45
            targets.append(random.randrange(1, block + 1) if backwards else random.randrange(block + 1, size))
        random.shuffle(targets)
        edges.append(list(dict.fromkeys(targets)))
    return [*edges, []]


def draw_shape(random: Random, size: int = 6) -> Shape:
    """A function whose values dominate their uses."""
    while True:
        edges = draw_edges(random, size)
        if _reached(edges, None) == set(range(size)):
            return _filled(random, edges)


def _reached(edges: list[list[int]], without: int | None) -> set[int]:
    todo = [0] if without != 0 else []
    met = set(todo)
    while todo:
        for successor in edges[todo.pop()]:
            if successor not in met and successor != without:
                met.add(successor)
                todo.append(successor)
    return met


def _filled(random: Random, edges: list[list[int]]) -> Shape:
    size = len(edges)
    every = set(range(size))
    dominated = {block: every - _reached(edges, block) for block in range(size)}
    before = {
        block: [b for b in range(size) if b != block and block in dominated[b]] for block in range(size)
    }
    came = {block: [p for p in range(size) if block in edges[p]] for block in range(size)}
    names = {
        block: (random.randint(0, 2) if came[block] else 0, random.randint(0, 2)) for block in range(size)
    }
    names[0] = (0, 2)

    def defined(block: int) -> list[str]:
        phis, operations = names[block]
        return [f"p{block}.{n}" for n in range(phis)] + [f"v{block}.{n}" for n in range(operations)]

    tainted: set[str] = set()  # may be undef, so that no branch may ask for it
    blocks: list[_Drawn] = []
    for block in range(size):
        inherited: list[Operand] = [ARGUMENT, *(name for b in before[block] for name in defined(b))]
        phis: list[tuple[str, Mapping[int, Operand]]] = []
        for number in range(names[block][0]):
            incoming: dict[int, Operand] = {}
            constant = random.random() < 0.4
            for predecessor in came[block]:
                known = [name for b in [*before[predecessor], predecessor] for name in defined(b)] + [
                    ARGUMENT
                ]
                if random.random() < 0.06:
                    incoming[predecessor] = UNDEF
                elif constant or random.random() < 0.3:
                    incoming[predecessor] = random.randrange(2)
                else:
                    incoming[predecessor] = random.choice(known)
            phis.append((f"p{block}.{number}", incoming))
        own: list[Operand] = [f"p{block}.{n}" for n in range(names[block][0])]
        operations: list[tuple[str, str, tuple[Operand, ...]]] = []
        for number in range(names[block][1]):
            name = f"v{block}.{number}"
            available: list[Operand] = [*inherited, *own, 3]
            if random.random() < (0.5 if block == 0 else 0.12):
                operations.append((name, "lane", ()))
            else:
                operations.append((name, "op", (random.choice(available), random.choice(available))))
            own.append(name)
        blocks.append((tuple(phis), tuple(operations), [*own, *inherited]))
    changed = True
    while changed:
        changed = False
        for joined, computed, _ in blocks:
            parts = [(name, tuple(incoming.values())) for name, incoming in joined]
            for name, used in [*parts, *((name, used) for name, _, used in computed)]:
                if name not in tainted and any(part == UNDEF or part in tainted for part in used):
                    tainted.add(name)
                    changed = True
    made = []
    for block, (joined, computed, available) in enumerate(blocks):
        askable = [name for name in available if name not in tainted]
        condition = random.choice(askable) if len(edges[block]) > 1 else None
        made.append(ShapeBlock(joined, computed, condition, tuple(edges[block])))
    return Shape(tuple(made), (ARGUMENT,))


def write(shape: Shape, name: str = "f") -> str:
    """The shape as a kernel for AMDGPU."""
    lines = [f"define amdgpu_kernel void @{name}(i32 %{ARGUMENT}) {{"]

    def operand(value: Operand) -> str:
        return str(value) if isinstance(value, int) or value == UNDEF else f"%{value}"

    for number, block in enumerate(shape.blocks):
        lines.append(f"b{number}:")
        for result, incoming in block.phis:
            pairs = ", ".join(f"[ {operand(v)}, %b{p} ]" for p, v in sorted(incoming.items()))
            lines.append(f"  %{result} = phi i32 {pairs}")
        for result, kind, operands in block.operations:
            if kind == "lane":
                lines.append(f"  %{result} = call i32 @llvm.amdgcn.workitem.id.x()")
            else:
                lines.append(f"  %{result} = add i32 {operand(operands[0])}, {operand(operands[1])}")
        targets = block.successors
        if not targets:
            lines.append("  ret void")
        elif block.condition is None:
            lines.append(f"  br label %b{targets[0]}")
        elif len(targets) == 2:
            lines.append(f"  %c{number} = icmp ne i32 {operand(block.condition)}, 0")
            lines.append(f"  br i1 %c{number}, label %b{targets[0]}, label %b{targets[1]}")
        else:
            cases = " ".join(f"i32 {at}, label %b{target}" for at, target in enumerate(targets[:-1]))
            lines.append(f"  switch i32 {operand(block.condition)}, label %b{targets[-1]} [ {cases} ]")
    return "\n".join([*lines, "}"])


HEAD = """target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
"""
