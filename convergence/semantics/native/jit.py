"""From the text of LLVM functions to code in this process, by llvmlite; kept by content.

In one process the same text is compiled once. Across processes the object code is kept in the user's cache
directory (``$XDG_CACHE_HOME/convcheck/native``, else ``~/.cache/...``); ``CONVCHECK_NATIVE_CACHE`` names
another one, or none if it is empty. What cannot be read or written there is compiled anew.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from ..arithmetic.emitting import EmittedLines

ABI = 2
"""Grows when the same text would be called in another way."""
KEPT = 4096
"""Files that the cache directory holds at most; then the older half goes."""
HUGE = 100_000
"""Lines of text from which on code is made in a hurry: LLVM's time grows faster than the text, and code that
long is seldom a loop's. 420,000 lines take 3 s so, and 56 s with all else."""
_DIGEST = hashlib.sha256().digest_size


@cache
def _llvm() -> Any:
    """The library, its targets made ready."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


def _machine(level: int) -> Any:
    """This processor; ``level`` is the code generator's effort, 0 to 3."""
    llvm = _llvm()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=_processor()[0], features=_processor()[1], opt=level, jit=True)


@cache
def _processor() -> tuple[str, str]:
    llvm = _llvm()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


_known: dict[bytes, tuple[int, object]] = {}
"""What this process has compiled: the address, and what has to live as long as it is called."""


def machine_code(text: str, symbol: str, symbols: Mapping[str, int], loops: bool = False) -> int:
    """The address of a function. ``symbols`` are the addresses of functions outside that it calls; with
    ``loops`` these are made into code for vectors, which takes longer."""
    key = _key(text)
    known = _known.get(key)
    if known is None:
        known = _known[key] = _compile(text, symbol, symbols, loops, key)
    return known[0]


def joined(*texts: str) -> str:
    """Texts that know nothing of each other as one, in which each function is declared once."""
    lines: list[str] = []
    declared: set[str] = set()
    for line in "\n".join(texts).split("\n"):
        if line.startswith("declare "):
            if line in declared:
                continue
            declared.add(line)
        lines.append(line)
    return "\n".join(lines)


def _compile(
    text: str, symbol: str, symbols: Mapping[str, int], loops: bool, key: bytes
) -> tuple[int, object]:
    llvm = _llvm()
    for name, address in symbols.items():
        llvm.add_symbol(name, address)
    hurried = not loops and text.count("\n") >= HUGE
    machine = _machine(0 if hurried else 2)
    module = llvm.parse_assembly(text)
    place = _place(key)
    data = None if place is None else _read(place)
    if data is None:
        if loops:
            _optimize_loops(module, machine)
        else:
            _optimize(module, machine, hurried)
    engine = llvm.create_mcjit_compiler(module, machine)

    def compiled(module: object, code: bytes) -> None:
        if place is not None:
            _write(place, code)

    engine.set_object_cache(compiled, lambda module: data)
    engine.finalize_object()
    return engine.get_function_address(symbol), engine


def _optimize(module: Any, machine: Any, hurried: bool) -> None:
    """Registers become SSA values, and what is plain is simplified: loops run no faster by all of ``O2``,
    which takes six times as long. ``hurried``: what cannot run goes, and that is all."""
    llvm = _llvm()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    passes = llvm.create_new_function_pass_manager()
    if not hurried:
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def _optimize_loops(module: Any, machine: Any) -> None:
    """All of ``O2``, which knows how to make a loop over lanes one over vectors."""
    llvm = _llvm()
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_vectorization = True
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)


# -- the cache of object code -------------------------------------------------------------------------


def _key(text: str) -> bytes:
    """What the code is a function of."""
    import llvmlite

    digest = hashlib.sha256(text.encode())
    digest.update("\0".join((str(ABI), llvmlite.__version__, *_processor())).encode())
    return digest.digest()


def _place(key: bytes) -> Path | None:
    """Where the object code of a text is kept; ``None`` if nothing is."""
    path = os.environ.get("CONVCHECK_NATIVE_CACHE")
    if path == "":
        return None
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # nobody's home
        return None
    folder = home / "convcheck" / "native" if path is None else Path(path)
    return folder / f"{key.hex()}.o"


def _read(place: Path) -> bytes | None:
    """Object code that is whole, and that this user wrote: the digest stands in front of it."""
    try:
        if hasattr(os, "getuid") and place.stat().st_uid != os.getuid():
            return None
        whole = place.read_bytes()
    except OSError:
        return None
    digest, code = whole[:_DIGEST], whole[_DIGEST:]
    return code if hashlib.sha256(code).digest() == digest else None


def _write(place: Path, code: bytes) -> None:
    """At once or not at all."""
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        Path(name).replace(place)
        _tidy(place.parent)


def _tidy(folder: Path) -> None:
    """The older half goes where there are too many."""
    files = list(folder.iterdir())
    if len(files) > KEPT:
        for old in sorted(files, key=lambda file: file.stat().st_mtime)[: KEPT // 2]:
            old.unlink(missing_ok=True)


# ----------------------------------------------------------------------------------------------------------
# A function over words, written as loops and decisions: what native code does besides the program's own
# instructions. Numbers are ``i64``, truths ``i1``; both are names of SSA values, or constants in text.
# ----------------------------------------------------------------------------------------------------------


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
