"""What the parser's tests share: the files, LLVM's own view of a text, both readings."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Tree
from lark import Token as LarkToken
from lark.exceptions import UnexpectedInput
from llvmlite import binding

from convergence.ir.instructions import CallSite, Instruction
from convergence.ir.module import Module
from convergence.parser.assemble import Assembler
from convergence.parser.builder import TERMINALS, Builder
from convergence.parser.driver import GRAMMAR, Driver, Shapes, Tables, grammar_of_lark, load
from convergence.parser.llvm import Unsupported
from convergence.source import Source, Span

DATA = sorted((Path(__file__).parent / "data").glob("*.ll"))
EXAMPLES = sorted((Path(__file__).parents[2] / "examples_ll").rglob("*.ll"))

binding.set_option("convcheck", "--disable-auto-upgrade-debug-info")


class ByLark:
    """Reads pieces of a text by lark's own parser of ``llvm.lark``, its trees folded by the same builder:
    what the driver must agree with."""

    def __init__(self, text: str, builder: Builder) -> None:
        self.text = text
        self.builder = builder

    def read(self, start: str, begin: int, end: int) -> Any:
        text = self.text[begin:end]
        try:
            tree = lark().parse(text, start=start)
        except UnexpectedInput as error:
            at = -1 if error.pos_in_stream is None else error.pos_in_stream
            at = len(text) if at < 0 else at
            token = getattr(error, "token", None)
            word = str(token) if isinstance(token, LarkToken) and token.type != "$END" else text[at : at + 1]
            before = (getattr(error, "token_history", None) or [None])[-1]
            if (
                before is not None and before.type == "WORD"
            ):  # a line's first word was read into the line before
                beginning, blank = before.start_pos, text[: before.start_pos].rpartition("\n")
                if blank[1] and not blank[2].strip() and "\n" not in text[before.end_pos : at]:
                    at, word = beginning, str(before)
            message = f"cannot read {word!r} here" if word else "cannot read on at the end"
            raise Unsupported(message, begin + at) from None
        values: dict[int, Any] = {}
        for node in tree.iter_subtrees():
            at = 0 if node.meta.empty else node.meta.start_pos
            try:
                values[id(node)] = self.fold(node, values, begin)
            except ValueError as error:
                raise Unsupported(f"cannot make sense of it: {error}", begin + at) from None
        return values[id(tree)]

    def fold(self, node: Tree[LarkToken], values: dict[int, Any], begin: int) -> Any:
        children = [
            values[id(child)] if isinstance(child, Tree) else TERMINALS.get(child.type, str)(str(child))
            for child in node.children
        ]
        if node.data not in Builder.METHODS:
            (child,) = children
            return child
        method = getattr(self.builder, node.data)
        if Builder.METHODS[node.data]:
            children[:0] = begin + node.meta.start_pos, begin + node.meta.end_pos
        return method(*children)


@cache
def lark() -> Lark:
    """Lark's own parser for the grammar."""
    return grammar_of_lark(GRAMMAR.read_text(encoding="utf-8"))


def by_lark(text: str) -> Module:
    """The module, every piece of it read by lark."""
    return Assembler(Source("<string>", text), ByLark).module({})


def by_driver(text: str) -> Module:
    """The module as ``parse`` reads it, LLVM not asked."""
    return Assembler(Source("<string>", text)).module({})


@cache
def tables() -> Tables:
    """The parser's tables, unpacked once."""
    return load()


def by_tables(text: str) -> Module:
    """The module with every derivation made anew from the tables."""

    def reader(text: str, builder: Builder) -> Driver:
        return Driver(text, tables(), builder)

    return Assembler(Source("<string>", text), reader).module({})


def by_shapes(text: str) -> list[Module]:
    """The module as it is read the first time, again, and when its shapes have come back often enough."""
    shapes = Shapes(tables())

    def reader(text: str, builder: Builder) -> Driver:
        return Driver(text, tables(), builder, shapes)

    modules = []
    for _ in range(5):
        module = Assembler(Source("<string>", text), reader).module({})
        modules.append(module)
        for function in module.definitions():
            with suppress(Unsupported):
                assert function.blocks is not None
        for kind in (module.globals, module.metadata, module.aliases):
            assert len(list(kind.values())) == len(kind)
    return modules


def llvm_prints(text: str) -> str:
    """What LLVM prints for a text, without its first line, which names the input."""
    with binding.create_context() as context, binding.parse_assembly(text, context) as module:
        return str(module).partition("\n")[2]


def spans(instruction: Instruction) -> tuple[Span, ...]:
    """The spans of an instruction and of its bundles, which equality leaves out."""
    bundles = instruction.bundles if isinstance(instruction, CallSite) else ()
    return (instruction.span, *(bundle.span for bundle in bundles))


def all_spans(module: Module) -> list[tuple[Span, ...]]:
    """Every span of a module, in text order."""
    found: list[tuple[Span, ...]] = []
    for function in module.functions.values():
        found.append((function.span, *(block.span for block in function.blocks)))
        found += map(spans, function.instructions)
    found += [(variable.span,) for variable in module.globals.values()]
    return found + [(alias.span,) for alias in module.aliases.values()]
