"""The listing of a function: its operations in order, and who was on behind each, every time it ran."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..executor import LockstepExecutor
from ..facts import Facts
from ..policy import Mask
from .blends import Blends
from .code import Op
from .regions import regions
from .spelling import MaskSpelling, Spelling, StackSpelling
from .structure import Structure
from .wholequad import Quads, stores
from .words import numbered


@dataclass(frozen=True, slots=True)
class Line:
    """``label`` or an operation: its ``text``, what it is for, and, each time that it ran, who was on behind
    it. ``extra``: an operation on masks, none of the program's."""

    label: str | None = None
    text: str = ""
    note: str = ""
    masks: tuple[Mask, ...] = ()
    extra: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """A function on a machine; ``lanes`` is the room of a wave; ``structured`` its structured CFG."""

    function: str
    lanes: int
    lines: tuple[Line, ...]
    structured: tuple[str, ...]


def listings(executor: LockstepExecutor) -> tuple[Listing, ...]:
    """The functions that ran; none on a machine without code on masks."""
    found = []
    for name, facts in executor.functions.items():
        if "code" in facts.made:
            structure: Structure = facts.made["structure"]
            lines = tuple(_Lines(executor, facts, structure).lines())
            room = max(wave.size for wave in executor.waves)
            found.append(Listing(name, room, lines, regions(structure)))
    return tuple(found)


class _Lines:
    def __init__(self, executor: LockstepExecutor, facts: Facts, structure: Structure) -> None:
        self.facts = facts
        name = facts.function.name
        self.of_op: dict[int, list[Mask]] = {}
        for function, number, mask in executor.issued.log or ():
            if function == name:
                self.of_op.setdefault(number, []).append(mask)
        self.of_index: dict[int, list[Mask]] = {}
        for step in executor.steps:
            if step.function == name:
                self.of_index.setdefault(step.at, []).append(step.mask)
        blends, layout = Blends(structure), executor.machine.program.layout
        self.blends = blends
        self.spelling: Spelling
        self.predicated = executor.policy.name == "predication"
        if self.predicated:
            made = facts.made["dialect"]
            self.spelling = MaskSpelling(structure, layout, blends, made.masks(), made.conditions())
        elif executor.policy.name == "mask-stack":
            self.spelling = StackSpelling(structure, layout, blends)
        else:
            self.spelling = Spelling(structure, layout, blends)
        self.quads = Quads(facts.function, executor.issued.quads)
        self.by_block: dict[int, list[int]] = {}
        for block, index, _ in numbered(facts.function):
            self.by_block.setdefault(block, []).append(index)

    def lines(self) -> Iterator[Line]:
        ops: tuple[Op, ...] = self.facts.made["code"]
        jumped = {op.jump for op in ops if op.jump is not None}
        for number, op in enumerate(ops):
            if op.label is not None and op.label in jumped:
                yield Line(label=op.label)
            elif op.block is not None:
                yield from self._block(op.block)
            elif op.text:
                yield Line(None, op.text, op.note, tuple(self.of_op.get(number, ())), True)

    def _block(self, block: int) -> Iterator[Line]:
        function = self.facts.function
        *body, last = self.by_block[block]
        for index in body:
            yield from self._line(block, index)
        masks = tuple(self.of_index.get(last, ()))
        if self.predicated:
            register = self.spelling.masks[block] if isinstance(self.spelling, MaskSpelling) else ""
            for variable, value in self.blends.apart.get(block, ()):
                text = f"move_mask %{variable}, {register}, {_spelled(value)}"
                yield Line(None, text, "blend", masks, True)
            copies = [] if self.blends.stack(block) else self.spelling.copies(block)
        else:
            copies = list(self.spelling.copies(block))
        for variable, copied in copies:
            yield Line(None, self.spelling.copy(variable, copied, block), "", masks, True)
        if function.instructions[last] is not None:
            yield from self._line(block, last)

    def _line(self, block: int, index: int) -> Iterator[Line]:
        instruction = self.facts.function.instructions[index]
        text = self.spelling.spell(instruction, block)
        if text is None:
            return
        masks = tuple(self.of_index.get(index, ()))
        if not (self.quads.on and stores(instruction)):
            yield Line(None, text, "", masks)
            return
        around = tuple(self.of_index.get(self.by_block[block][-1], ()))
        yield Line(None, "s_mov_b64 s[98:99], exec", "", around, True)
        yield Line(None, "s_and_b64 exec, exec, s[100:101]", "without helper lanes", masks, True)
        yield Line(None, text, "", masks)
        yield Line(None, "s_mov_b64 exec, s[98:99]", "", around, True)


def _spelled(value: object) -> str:
    from .words import operand

    return operand(value)  # type: ignore[arg-type]
