"""What the parser's tests share: the files, LLVM's own view of a text, both readers."""

from __future__ import annotations

from pathlib import Path

from llvmlite import binding

from convergence.ir.instructions import CallSite, Instruction
from convergence.ir.module import Module
from convergence.parser.assemble import Assembler
from convergence.source import Source, Span

DATA = sorted((Path(__file__).parent / "data").glob("*.ll"))
EXAMPLES = sorted((Path(__file__).parents[2] / "examples_ll").rglob("*.ll"))

binding.set_option("convcheck", "--disable-auto-upgrade-debug-info")


def by_grammar(text: str) -> Module:
    """The module, every piece of it read by ``llvm.lark``."""
    return Assembler(Source("<string>", text), use_fast=False).module({}, {})


def by_fast(text: str) -> Module:
    """The module as ``parse`` reads it, LLVM not asked."""
    return Assembler(Source("<string>", text)).module({}, {})


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
    return found + [(x.span,) for x in (*module.globals.values(), *module.aliases.values())]
