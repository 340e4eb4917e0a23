"""Asks LLVM's ``opt`` what its analyses say of uniformity and cycles, and reads what they print, by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from . import outside
from .outside import PassFailed

PIPELINE = "print<cycles>,print<uniformity>"
"""What ``opt`` is asked for."""
_PROBE = "define void @probe(ptr %p) {\n  %r = atomicrmw add ptr %p, i32 1 monotonic\n  ret void\n}\n"
"""A program that has a divergent value wherever LLVM looks for any."""


class PrintedFunction(NamedTuple):
    """What LLVM says of one function: ``uniform`` by value, but of parameters only the divergent ones;
    ``branches`` (uniform) by block; ``cycles`` as (header, blocks); whether cycles are ``assumed`` divergent;
    ``everything``: all values are uniform, and nothing is listed."""

    uniform: Mapping[str, bool]
    branches: Mapping[str, bool]
    cycles: frozenset[tuple[str, frozenset[str]]] = frozenset()
    assumed: bool = False
    everything: bool = False


def printed(
    text: str, *, triple: str | None, opt: str | None = None, timeout: float = 60
) -> tuple[dict[str, PrintedFunction], str]:
    """What LLVM says of the functions of a module, and which program was asked (with its version).

    :raises PassFailed: if there is no such program, it refuses the text or the target, or ends itself
    """
    program = outside.find(opt)
    if program is None:
        raise PassFailed(
            "no opt was found: install LLVM 22 (opt or opt-22 on PATH), or say where it is with --opt PATH",
            "unavailable",
        )
    flags = () if triple is None else (f"-mtriple={triple}",)
    _, printout = outside.run(program, text, PIPELINE, flags, timeout)
    if "failed to create target machine" in printout:
        name = triple or "the module's own target"
        raise PassFailed(f"{outside.version(program)} has no target {name}", "refused", printout)
    return read(printout), outside.version(program)


def looks_for_divergence(triple: str | None, opt: str | None = None, timeout: float = 60) -> bool:
    """Whether LLVM looks for divergent values at all for a target. Raises PassFailed."""
    functions, program = printed(_PROBE, triple=triple, opt=opt, timeout=timeout)
    if "probe" not in functions:
        raise PassFailed(
            f"{program} prints nothing that is known of uniformity: is it LLVM's opt?", "refused"
        )
    return not functions["probe"].everything


_VALUE = r'%(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[-\w.$]+))'
_FUNCTION = re.compile(r"^(?:UniformityInfo for function '(.*)':|CycleInfo for function: (.*?))\s*$")
_DEFINITION = re.compile(rf"^(?P<mark>  DIVERGENT: |             )  {_VALUE} = ")
_TERMINATOR = re.compile(
    r"^(?P<mark>  DIVERGENT: |             )  (?:%\S+ = )?(?:br|switch|indirectbr|invoke|callbr)\b"
)
_ARGUMENT = re.compile(rf"^  DIVERGENT: .*?{_VALUE}\s*$")
_CYCLE = re.compile(r"^\s*depth=\d+: entries\((?P<entries>[^)]*)\)(?P<blocks>.*)$")


def read(text: str) -> dict[str, PrintedFunction]:
    """What the printers printed, by function."""
    forests: dict[str, set[tuple[str, frozenset[str]]]] = {}
    readers: dict[str, _Reader] = {}
    reader: _Reader | None = None
    forest: set[tuple[str, frozenset[str]]] | None = None
    for line in text.splitlines():
        if (match := _FUNCTION.match(line)) is not None:
            reader, forest = None, None
            if match[1] is None:
                forest = forests.setdefault(match[2], set())
            else:
                reader = readers[match[1]] = _Reader()
        elif forest is not None and (cycle := _CYCLE.match(line)) is not None:
            entries, rest = cycle["entries"].split(), cycle["blocks"].split()
            forest.add((entries[0], frozenset((*entries, *rest))))
        elif reader is not None:
            reader.read(line)
    return {name: reading.function(frozenset(forests.get(name, ()))) for name, reading in readers.items()}


class _Reader:
    """Reads what is printed of one function, line by line."""

    def __init__(self) -> None:
        self.uniform: dict[str, bool] = {}
        self.branches: dict[str, bool] = {}
        self.assumed = self.everything = False
        self.part = ""
        self.block = ""

    def read(self, line: str) -> None:
        if line.startswith("ALL VALUES UNIFORM"):
            self.everything = True
        elif line.startswith("DIVERGENT ARGUMENTS"):
            self.part = "arguments"
        elif line.startswith("CYCLES ASSUMED DIVERGENT"):
            self.part, self.assumed = "", True
        elif line.startswith(("CYCLES WITH", "TEMPORAL")):
            self.part = ""
        elif line.startswith("BLOCK "):
            self.block, self.part = unquoted(line.removeprefix("BLOCK ").strip()), ""
        elif line.startswith(("DEFINITIONS", "TERMINATORS")):
            self.part = line.strip().lower()
        elif line.startswith("END BLOCK"):
            self.part = ""
        else:
            self.entry(line)

    def function(self, cycles: frozenset[tuple[str, frozenset[str]]]) -> PrintedFunction:
        return PrintedFunction(self.uniform, self.branches, cycles, self.assumed, self.everything)

    def entry(self, line: str) -> None:
        if self.part == "arguments":
            if (match := _ARGUMENT.match(line)) is not None:
                self.uniform[_name(match)] = False
        elif self.part == "definitions":
            if (match := _DEFINITION.match(line)) is not None:
                self.uniform[_name(match)] = match["mark"].isspace()
        elif self.part == "terminators" and (match := _TERMINATOR.match(line)) is not None:
            self.branches[self.block] = match["mark"].isspace()
            if (result := _DEFINITION.match(line)) is not None:
                self.uniform[_name(result)] = result["mark"].isspace()


def _name(match: re.Match[str]) -> str:
    return unquoted(f'"{match["quoted"]}"') if match["quoted"] is not None else match["plain"]


def unquoted(name: str) -> str:
    """A name as the module has it: without ``%`` and quotes, ``\\xx`` resolved."""
    name = name.removeprefix("%")
    if len(name) > 1 and name[0] == name[-1] == '"':
        return re.sub(r"\\([0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)), name[1:-1])
    return name
