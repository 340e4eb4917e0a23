"""Programs of the fuzzer as blocks of lines, to be rewritten: one instruction a line, names that are unique.

A rewrite need not know whether what it makes is LLVM IR: what LLVM's reader refuses is no site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import llvmlite.binding as llvm

_NAME = re.compile(r"%([\w.$-]+)")
_LABEL = re.compile(r"label %([\w.$-]+)")
_CALL = re.compile(
    r"^\s*(?:%(?P<result>[\w.$-]+) = )?call (?P<type>\S+) @(?P<callee>[\w.$-]+)\((?P<operands>[^)]*)\)"
    r"(?: \[ \"convergencectrl\"\(token %(?P<token>[\w.$-]+)\) \])?"
)
CONTROL = "llvm.experimental.convergence."


@dataclass(frozen=True, slots=True)
class Call:
    """A call, as its line says it."""

    line: str
    result: str | None
    callee: str
    operands: str
    token: str | None

    @property
    def identity(self) -> tuple[str, str, str | None]:
        """What two calls have in common that compute the same together."""
        return self.callee, self.operands, self.token


def call(line: str) -> Call | None:
    """The call in a line, if there is one."""
    match = _CALL.match(line)
    if match is None:
        return None
    return Call(line, match["result"], match["callee"], match["operands"], match["token"])


@dataclass(slots=True)
class Block:
    name: str
    lines: list[str]

    @property
    def end(self) -> str:
        return self.lines[-1]

    @property
    def targets(self) -> list[str]:
        return _LABEL.findall(self.end)

    @property
    def phis(self) -> int:
        """How many phis it begins with."""
        return sum(" = phi " in line for line in self.lines)


@dataclass(slots=True)
class Function:
    """``head`` is the line of its ``define``."""

    head: str
    blocks: list[Block]

    @property
    def name(self) -> str:
        match = re.search(r"@([\w.$-]+)\(", self.head)
        assert match is not None
        return match[1]

    def block(self, name: str) -> Block:
        return next(b for b in self.blocks if b.name == name)

    def predecessors(self, name: str) -> list[Block]:
        return [b for b in self.blocks if name in b.targets]

    def uses(self, name: str) -> list[tuple[Block, int]]:
        """Where a value is read."""
        wanted = re.compile(rf"%{re.escape(name)}(?![\w.$-])")
        return [
            (b, k)
            for b in self.blocks
            for k, line in enumerate(b.lines)
            if wanted.search(line.split(" = ", 1)[-1] if line.lstrip().startswith(f"%{name} =") else line)
        ]

    def replace(self, name: str, value: str) -> None:
        """Read ``value`` wherever the value of that name was read."""
        wanted = re.compile(rf"%{re.escape(name)}(?![\w.$-])")
        for block, k in self.uses(name):
            left, sign, right = block.lines[k].partition(" = ")
            if sign and left.strip().startswith("%"):
                block.lines[k] = left + sign + wanted.sub(value, right)
            else:
                block.lines[k] = wanted.sub(value, block.lines[k])

    def loops(self) -> Iterator[tuple[Block, list[Block], Block]]:
        """Each cycle that has its header first in the text: header, its blocks, and the block before it."""
        for place, header in enumerate(self.blocks):
            latches = [b for b in self.blocks[place:] if header.name in b.targets]
            before = [b for b in self.blocks[:place] if header.name in b.targets]
            if not latches or len(before) != 1:
                continue
            body, todo = {header.name}, [b.name for b in latches]
            while todo:
                name = todo.pop()
                if name not in body:
                    body.add(name)
                    todo += [b.name for b in self.predecessors(name)]
            yield header, [b for b in self.blocks if b.name in body], before[0]


@dataclass(slots=True)
class Program:
    """``before`` and ``after`` are what stands around the functions."""

    functions: list[Function] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        out = list(self.other)
        for function in self.functions:
            out.append(function.head)
            for block in function.blocks:
                out += [f"{block.name}:", *block.lines]
            out.append("}")
        return "\n".join(out) + "\n"


def read(text: str) -> Program:
    """A program of the fuzzer."""
    program, function = Program(), None
    for line in text.splitlines():
        if line.startswith("define "):
            function = Function(line, [])
            program.functions.append(function)
        elif line == "}":
            function = None
        elif function is None:
            program.other.append(line)
        elif line.endswith(":") and not line.startswith(" "):
            function.blocks.append(Block(line[:-1], []))
        elif line.strip():
            function.blocks[-1].lines.append(line)
    return program


def operations(block: Block, convergent: frozenset[str]) -> Iterator[tuple[int, Call]]:
    """The convergent operations of a block with their places."""
    for place, line in enumerate(block.lines):
        made = call(line)
        if made is not None and made.callee in convergent:
            yield place, made


def convergent_functions(program: Program) -> frozenset[str]:
    """The functions that are declared ``convergent``, control intrinsics apart."""
    lines = [line for line in program.other if line.startswith("declare ")]
    named = [re.search(r"@([\w.$-]+)\(", line) for line in lines if " convergent" in line]
    barriers = [re.search(r"@(llvm\.amdgcn\.s\.barrier|llvm\.nvvm\.barrier[\w.]*)\(", line) for line in lines]
    return frozenset(m[1] for m in (*named, *barriers) if m is not None)


def sound(text: str) -> bool:
    """Whether LLVM reads a text, and finds no fault in it that is not about tokens: values that are used
    where they are not defined make a rewrite no site."""
    try:
        module = llvm.parse_assembly(text)
    except RuntimeError:
        return False
    try:
        module.verify()
    except RuntimeError as error:
        said = str(error).splitlines()
        for number, line in enumerate(said):
            if line.startswith("PHI") or (
                "does not dominate" in line and "call token" not in said[number + 1]
            ):
                return False
    return True
