"""A program of the tests' language with its state in memory, as a compiler writes it without optimisation.

The values stay what they were, so the oracle of executions still says what is legal; only the text that
convcheck reads is another. Each chosen value is stored where it is defined and loaded at each of its uses,
and a phi is a load of what its predecessors stored. Slots whose address another thread could know, and
accesses that threads really share, are for comparing engines with each other: there an order of memory
has a say that this oracle does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from .programs import (
    COMPARISONS,
    Block,
    Branch,
    Compute,
    Effect,
    Exchange,
    Function,
    Instruction,
    Invocation,
    Phi,
    Program,
    Return,
    Terminator,
    Value,
    emit,
    spell,
)
from .programs_draw import Source

VARIABLES = """@leak = global ptr null
@shared = global i32 0
@extra = global i32 0
@places = global [4 x i32] zeroinitializer
"""
HELPERS = """define i32 @memory.get(ptr %place) {
  %value = load i32, ptr %place
  ret i32 %value
}
define void @memory.set(ptr %place, i32 %value) {
  store i32 %value, ptr %place
  ret void
}
"""
KEEPING_HELPERS = """define i32 @memory.get(ptr %place) {
  %place.addr = alloca ptr
  store ptr %place, ptr %place.addr
  %here = load ptr, ptr %place.addr
  %value = load i32, ptr %here
  ret i32 %value
}
define void @memory.set(ptr %place, i32 %value) {
  %place.addr = alloca ptr
  %value.addr = alloca i32
  store ptr %place, ptr %place.addr
  store i32 %value, ptr %value.addr
  %known = load i32, ptr %value.addr
  %here = load ptr, ptr %place.addr
  store i32 %known, ptr %here
  ret void
}
"""


@dataclass(frozen=True, slots=True)
class Style:
    """How much of the state is in memory: one value in how many stays a value (0: none does), whether slots
    are accessed by helper functions, whether the address of one is told to all, and how many instructions
    there are for one of two accesses to memory that is shared (0: there is none); ``computed``: to one of
    several places, by a value of the program or by how many came to a counter before; ``addresses``: whether
    those of slots lie in slots of their own, from which they are loaded for many accesses."""

    values: int = 0
    calls: bool = False
    leaks: bool = False
    shared: int = 0
    computed: bool = False
    addresses: bool = False


@dataclass(frozen=True)
class InMemory:
    """The text, and for each function where its instructions were: new index to old one."""

    text: str
    places: Mapping[str, Mapping[int, int]]


def in_memory(source: Source, program: Program, style: Style) -> InMemory:
    """The program with its state in memory."""
    writers = [_Writer(source, f, style, f is program.launched) for f in program.functions]
    text = emit(program)
    declarations = text[text.index("declare ") :]
    bodies = "\n".join("\n".join(writer.lines()) for writer in writers)
    places = {writer.function.name: writer.places for writer in writers}
    helpers = KEEPING_HELPERS if style.addresses else HELPERS
    return InMemory(f"{VARIABLES}{helpers}{bodies}\n{declarations}", places)


def _kind(instruction: Instruction) -> str | None:
    """The type of an instruction's result; ``None`` for none and for tokens."""
    match instruction:
        case Compute(opcode=opcode):
            return "i1" if opcode in COMPARISONS else "i32"
        case Phi() | Exchange() | Invocation():
            return "i32"
        case _:
            return None


class _Writer:
    """One function's text."""

    def __init__(self, source: Source, function: Function, style: Style, launched: bool) -> None:
        self.below = source.below
        self.function = function
        self.style = style
        self.places: dict[int, int] = {}
        self.made: list[str] = []
        self.fresh = 0
        kinds = dict.fromkeys(function.parameters, "i32")
        for block in function.blocks:
            for instruction in block.body:
                kind = _kind(instruction)
                if kind is not None:
                    kinds[instruction.result] = kind  # type: ignore[union-attr]
        chosen = [n for n in kinds if not style.values or self.below(style.values) < style.values - 1]
        self.slots = {name: kinds[name] for name in chosen}
        known = [n for n in chosen if kinds[n] == "i32"] if style.leaks and launched else []
        self.leaked = {known[self.below(len(known))]} if known else set()  # one: orders multiply
        self.left = 2 if launched else 0  # accesses to what is shared

    def lines(self) -> Iterator[str]:
        function = self.function
        parameters = ", ".join(f"i32 %{p}" for p in function.parameters)
        yield f"define i32 @{function.name}({parameters}) {'convergent ' if function.convergent else ''}{{"
        at = 0
        for number, block in enumerate(function.blocks):
            yield f"{block.name}:"
            written, at = self._block(block, at, number == 0)
            yield from written
        yield "}"

    def _block(self, block: Block, old: int, first: bool) -> tuple[list[str], int]:
        begin = len(self.made)
        self.latest: str | None = None
        phis = [i for i in block.body if isinstance(i, Phi)]
        if first:
            self._allocate()
        for phi in phis:
            self._place(old, f"%{phi.result} = load i32, ptr %{phi.result}.in")
            old += 1
        for phi in phis:
            self._keep(phi.result)
        for instruction in block.body[len(phis) :]:
            with_loads = self._with_loads(instruction)
            self._place(old, spell(with_loads))
            old += 1
            if isinstance(instruction, Compute | Exchange | Invocation):
                self._keep(instruction.result)
                if _kind(instruction) == "i32":
                    self.latest = instruction.result
            self._share()
        for successor in dict.fromkeys(block.successors):
            values = [
                (phi.result, dict(phi.incoming)[block.name])
                for phi in self.function.block[successor].body
                if isinstance(phi, Phi)
            ]
            for name, value in [(name, self._load(value)) for name, value in values]:
                self._add(f"store i32 {_spelt(value)}, ptr %{name}.in")
        self._place(old, spell(self._with_loads(block.end)))
        return [f"  {line}" for line in self.made[begin:]], old + 1

    def _allocate(self) -> None:
        for name, kind in self.slots.items():
            self._add(f"%{name}.slot = alloca {kind}")
        for block in self.function.blocks:
            for instruction in block.body:
                if isinstance(instruction, Phi):
                    self._add(f"%{instruction.result}.in = alloca i32")
        if self.style.addresses:
            for name in self.slots:
                self._add(f"%{name}.at = alloca ptr")
                self._add(f"store ptr %{name}.slot, ptr %{name}.at")
        for name in sorted(self.leaked):
            self._add(f"store atomic ptr %{name}.slot, ptr @leak monotonic, align 8")
        for name in self.function.parameters:
            self._keep(name)

    def _add(self, line: str) -> None:
        self.made.append(line)

    def _place(self, old: int, line: str) -> None:
        self.places[len(self.made)] = old
        self._add(line)

    def _name(self) -> str:
        self.fresh += 1
        return f"m{self.fresh}"

    def _keep(self, name: str) -> None:
        """Stores a value that was just defined."""
        kind = self.slots.get(name)
        if kind is None:
            return
        if self.style.calls and kind == "i32" and self.below(3) == 0:
            self._add(f"call void @memory.set(ptr {self._address(name)}, i32 %{name})")
        else:
            self._add(f"store {kind} %{name}, ptr {self._address(name)}")

    def _address(self, name: str, reads: bool = False) -> str:
        """Where a value is kept, for an access that ``reads`` or writes."""
        if not self.style.addresses or self.below(4) == 0:
            return f"%{name}.slot"
        fresh = self._name()
        if self.latest is not None and self.below(4) == 0:  # an address that may be to come
            nothing, same = self._name(), self._name()
            self._add(f"%{nothing} = icmp eq i32 %{self.latest}, 0")
            other = f"%{name}.slot"
            if self.style.shared:  # the oracle of values has no say there
                alike = [n for n, kind in self.slots.items() if kind == self.slots[name]]
                other = f"%{alike[self.below(len(alike))]}.slot"
                if reads and self.slots[name] == "i32" and self.below(2):
                    other = "@extra"
            self._add(f"%{same} = select i1 %{nothing}, ptr {other}, ptr %{name}.slot")
            if other == "@extra":  # who writes there would race
                return f"%{same}"
            self._add(f"store ptr %{same}, ptr %{name}.at")
        self._add(f"%{fresh} = load ptr, ptr %{name}.at")
        return f"%{fresh}"

    def _load(self, value: Value) -> Value:
        """What a use of a value reads."""
        kind = self.slots.get(value) if isinstance(value, str) else None
        if kind is None:
            return value
        fresh, address = self._name(), self._address(str(value), reads=True)
        if self.style.calls and kind == "i32" and self.below(3) == 0:
            self._add(f"%{fresh} = call i32 @memory.get(ptr {address})")
        else:
            self._add(f"%{fresh} = load {kind}, ptr {address}")
        return fresh

    def _share(self) -> None:
        """An access to what threads share, now and then."""
        if not self.style.shared or not self.left or self.below(self.style.shared):
            return
        self.left -= 1
        if self.style.computed:
            self._share_place()
            return
        slots = [
            name for name, kind in self.slots.items() if kind == "i32" and name in self.function.parameters
        ]
        match self.below(3):
            case 0:
                self._add(f"store atomic i32 {self.below(3)}, ptr @shared monotonic, align 4")
            case 1 if slots:
                slot = slots[self.below(len(slots))]
                fresh, mixed, kept = self._name(), self._name(), self._name()
                self._add(f"%{fresh} = load atomic i32, ptr @shared monotonic, align 4")
                self._add(f"%{kept} = load i32, ptr %{slot}.slot")
                self._add(f"%{mixed} = xor i32 %{fresh}, %{kept}")
                self._add(f"store i32 %{mixed}, ptr %{slot}.slot")
            case _ if slots:
                slot, kept = slots[self.below(len(slots))], self._name()
                self._add(f"%{kept} = load i32, ptr %{slot}.slot")
                self._add(f"store atomic i32 %{kept}, ptr @shared monotonic, align 4")
            case _:
                pass

    def _share_place(self) -> None:
        """An access to a place that is computed from the latest value, or by a counter."""
        index, place, kept = self._name(), self._name(), self._name()
        if self.below(2):
            count = self._name()
            self._add(f"%{count} = atomicrmw add ptr @shared, i32 1 monotonic")
            self._add(f"%{index} = and i32 %{count}, 3")
        else:
            number = self._load(self.latest or self.below(4))
            self._add(f"%{index} = and i32 {_spelt(number)}, 3")
        self._add(f"%{place} = getelementptr [4 x i32], ptr @places, i32 0, i32 %{index}")
        slots = [name for name in self.function.parameters if name in self.slots]
        if slots and self.below(3) == 0:
            slot, old, mixed = slots[self.below(len(slots))], self._name(), self._name()
            self._add(f"%{kept} = load atomic i32, ptr %{place} monotonic, align 4")
            self._add(f"%{old} = load i32, ptr %{slot}.slot")
            self._add(f"%{mixed} = xor i32 %{kept}, %{old}")
            self._add(f"store i32 %{mixed}, ptr %{slot}.slot")
        else:
            self._add(f"store atomic i32 {1 + self.below(3)}, ptr %{place} monotonic, align 4")

    def _with_loads(self, instruction: Instruction | Terminator) -> Instruction | Terminator:
        match instruction:
            case Compute(_, _, lhs, rhs):
                return replace(instruction, lhs=self._load(lhs), rhs=self._load(rhs))
            case Exchange(operand=operand) | Effect(operand=operand):
                return replace(instruction, operand=self._load(operand))
            case Invocation(operands=operands):
                return replace(instruction, operands=tuple(map(self._load, operands)))
            case Branch(condition=condition):
                loaded = self._load(condition)
                assert isinstance(loaded, str)
                return replace(instruction, condition=loaded)
            case Return(value):
                return Return(self._load(value))
            case _:
                return instruction


def _spelt(value: Value) -> str:
    return f"%{value}" if isinstance(value, str) else str(value)
