"""Small programs as modules, without the parser: their instructions are parsed once, and put together."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from convergence.ir.instructions import Instruction
from convergence.ir.module import Block, Body, Function, Module
from convergence.parser import parse
from tests.oracles import model

TOKENS = 3
BLOCKS = 5

EXCHANGE = "i32 @subgroupAdd(i32 0)"
"""A use that waits for its group."""
EFFECT = "void @conv(i32 0)"
"""A use that returns nothing."""


def _item(item: model.Item, use: str) -> str:
    bundle = f' [ "convergencectrl"(token %{item.uses}) ]' if item.uses else ""
    if item.kind is model.Kind.CALL:
        return f"call {use}{bundle}"
    return f"%{item.token} = call token @llvm.experimental.convergence.{item.kind.value}(){bundle}"


def _exit(targets: tuple[int, ...]) -> str:
    labels = [f"label %b{t}" for t in targets]
    match len(targets):
        case 0:
            return "ret void"
        case 1:
            return f"br {labels[0]}"
        case 2:
            return f"br i1 %c, {labels[0]}, {labels[1]}"
    cases = " ".join(f"i32 {k}, {label}" for k, label in enumerate(labels[1:]))
    return f"switch i32 %s, {labels[0]} [ {cases} ]"


class Maker:
    """Makes modules whose uses are calls of one kind."""

    def __init__(self, use: str) -> None:
        self.use = use
        names = [f"t{k}" for k in range(TOKENS)]
        kinds = model.Kind
        items = [model.Item(kind, n) for kind in (kinds.ENTRY, kinds.ANCHOR) for n in names]
        items += [model.Item(kinds.LOOP, n, ((o,),)) for n in names for o in names]
        items += [model.Item(kinds.CALL, None, ((o,),)) for o in names]
        exits = [c for size in range(BLOCKS) for c in combinations(range(1, BLOCKS), size)]
        lines = [_item(i, use) for i in items] + [_exit(e) for e in exits]
        blocks = "".join(f"b{k}:\n  ret void\n" for k in range(1, BLOCKS))
        apart = "".join(
            f"define void @x{k}(i1 %c, i32 %s, ptr %p) convergent {{\nb0:\n  {line}\n"
            f"{'' if k >= len(items) else '  ret void' + chr(10)}{blocks}}}\n"
            for k, line in enumerate(lines)
        )
        header = model.HEADER + "declare i32 @subgroupAdd(i32) convergent\n"
        parsed = parse(header + apart, "small.ll", ask_llvm=False)
        made = [parsed.functions[f"x{k}"].instructions[0] for k in range(len(lines))]
        self._items = dict(zip(map(self._named, items), made[: len(items)], strict=True))
        self._exits = dict(zip(exits, made[len(items) :], strict=True))
        self._empty = parse(
            header + "define void @f(i1 %c, i32 %s, ptr %p) convergent {\n  ret void\n}\n", "small.ll"
        )
        self._template = self._empty.functions["f"]
        self._declared = {n: f for n, f in self._empty.functions.items() if n != "f"}

    @staticmethod
    def _named(item: model.Item) -> tuple[model.Kind, str | None, str | None]:
        return item.kind, item.token, item.uses

    def function(self, function: model.Function, number: int) -> Function:
        """One program, named by a number."""
        blocks = tuple(
            Block(
                f"b{k}",
                (*(self._items[self._named(i)] for i in block.items), self._exit(block)),
            )
            for k, block in enumerate(function.blocks)
        )
        return replace(self._template, name=f"f{number}", body=Body(blocks))

    def _exit(self, block: model.Block) -> Instruction:
        return self._exits[tuple(block.targets)]

    def module(self, functions: list[model.Function], first: int = 0) -> Module:
        """A module of programs, numbered from ``first``."""
        made = {f"f{n}": self.function(f, n) for n, f in enumerate(functions, first)}
        return replace(self._empty, functions={**self._declared, **made})
