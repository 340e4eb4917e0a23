"""A function over words, written as loops and decisions: what native code does besides the program's own
instructions. Numbers are ``i64``, truths ``i1``; both are names of SSA values, or constants in text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from ..arithmetic.emission import EmittedLines

Operand = str | int
"""An SSA value's name, or a constant."""


class Routine:
    """A function in the making: ``head`` is its first line, up to the brace. A block that has its end takes
    no more lines."""

    def __init__(self, head: str) -> None:
        self._head = head
        self._lines = EmittedLines("begin")
        self._variables: list[str] = []
        self._open = True

    def text(self) -> str:
        """The function."""
        entry = ["entry:", *(f"  {name} = alloca i64" for name in self._variables), "  br label %begin"]
        if self._open:
            self._lines.line("unreachable")
        return "\n".join([f"{self._head} {{", *entry, *self._lines.lines, "}"])

    # -- values -----------------------------------------------------------------------------------------

    def typed(self, text: str) -> str:
        """An instruction's result: its name."""
        return self._lines.typed(text) if self._open else "0"

    def line(self, text: str) -> None:
        """An instruction without a result."""
        if self._open:
            self._lines.line(text)

    def raw(self, lines: Sequence[str]) -> None:
        """Lines of one block that were made elsewhere."""
        if self._open:
            self._lines.lines += lines

    def fresh(self) -> EmittedLines:
        """Where whoever makes lines elsewhere gets names from."""
        return self._lines

    def do(self, opcode: str, a: Operand, b: Operand) -> str:
        """Arithmetic on numbers."""
        return self.typed(f"{opcode} i64 {a}, {b}")

    def compare(self, predicate: str, a: Operand, b: Operand) -> str:
        """A truth about two numbers."""
        return self.typed(f"icmp {predicate} i64 {a}, {b}")

    def both(self, a: str, b: str) -> str:
        return self.typed(f"and i1 {a}, {b}")

    def choose(self, truth: str, a: Operand, b: Operand) -> str:
        """One of two numbers."""
        return self.typed(f"select i1 {truth}, i64 {a}, i64 {b}")

    # -- variables and words ------------------------------------------------------------------------------

    def variable(self, name: str) -> str:
        """A variable: where it is."""
        name_here = f"%{name}.{len(self._variables)}"
        self._variables.append(name_here)
        return name_here

    def get(self, where: str) -> str:
        return self.typed(f"load i64, ptr {where}")

    def pointer(self, where: str) -> str:
        return self.typed(f"load ptr, ptr {where}")

    def set(self, where: str, value: Operand) -> None:
        self.line(f"store i64 {value}, ptr {where}")

    def at(self, words: str, index: Operand) -> str:
        """The address of one of some words."""
        return self.typed(f"getelementptr i64, ptr {words}, i64 {index}")

    def read(self, words: str, index: Operand) -> str:
        return self.get(self.at(words, index))

    def write(self, words: str, index: Operand, value: Operand) -> None:
        self.set(self.at(words, index), value)

    def add(self, where: str, value: Operand) -> str:
        """Adds to a variable: what it is then."""
        now = self.do("add", self.get(where), value)
        self.set(where, now)
        return now

    # -- control --------------------------------------------------------------------------------------------

    def _label(self, name: str) -> None:
        self._lines.label(name)
        self._open = True

    def _goto(self, name: str) -> None:
        if self._open:
            self._lines.line(f"br label %{name}")
        self._open = False

    def give(self, value: Operand, type_: str = "i64") -> None:
        """The function returns."""
        self.line(f"ret {type_} {value}")
        self._open = False

    @contextmanager
    def when(self, truth: str) -> Iterator[None]:
        """What happens if something holds."""
        then, on = self._lines.new_label("then"), self._lines.new_label("on")
        self.line(f"br i1 {truth}, label %{then}, label %{on}")
        self._label(then)
        yield
        self._goto(on)
        self._label(on)

    def either(self, truth: str, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """What happens if something holds, and if not."""
        first, second, on = (self._lines.new_label(hint) for hint in ("then", "else", "on"))
        self.line(f"br i1 {truth}, label %{first}, label %{second}")
        for label, way in (first, then), (second, otherwise):
            self._label(label)
            way()
            self._goto(on)
        self._label(on)

    @contextmanager
    def loop(self) -> Iterator[Callable[[str], None]]:
        """A loop that ends where what is yielded is given a truth that holds."""
        head, on = self._lines.new_label("head"), self._lines.new_label("on")
        self._goto(head)
        self._label(head)

        def leave(truth: str) -> None:
            further = self._lines.new_label("stay")
            self.line(f"br i1 {truth}, label %{on}, label %{further}")
            self._label(further)

        yield leave
        self._goto(head)
        self._label(on)

    @contextmanager
    def each(self, first: Operand, stop: Operand) -> Iterator[str]:
        """For each number from ``first`` to ``stop``, which is none of them."""
        place = self.variable("each")
        self.set(place, first)
        with self.loop() as leave:
            number = self.get(place)
            leave(self.compare("uge", number, stop))
            yield number
            self.add(place, 1)

    def switch(self, value: str, ways: Mapping[int, Callable[[], None]], other: Callable[[], None]) -> None:
        """What happens for each of some numbers, and for all others. Equal ways are written once."""
        on, default = self._lines.new_label("on"), self._lines.new_label("other")
        labels: dict[int, str] = {}
        made: dict[int, tuple[str, Callable[[], None]]] = {}
        for number, way in ways.items():
            label, _ = made.setdefault(id(way), (self._lines.new_label("case"), way))
            labels[number] = label
        cases = " ".join(f"i64 {number}, label %{label}" for number, label in labels.items())
        self.line(f"switch i64 {value}, label %{default} [ {cases} ]")
        for label, way in [*made.values(), (default, other)]:
            self._label(label)
            way()
            self._goto(on)
        self._label(on)
