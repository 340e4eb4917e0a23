"""Each feature of textual IR by a file of its own, in ``data/``; and the examples, which are programs.

covers: parser.assemble, parser.builder, parser.printer, parser.driver, parser
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from convergence.ir import StructType
from convergence.ir.instructions import CallSite
from convergence.ir.module import Module
from convergence.parser import NotLLVM, parse
from convergence.parser.assemble import Assembler
from convergence.parser.llvm import llvm_verdict
from convergence.parser.printer import print_function, print_instruction, print_module
from tests.differential.random_lines import random_lines
from tests.parser.reading import (
    DATA,
    EXAMPLES,
    all_spans,
    by_driver,
    by_lark,
    by_shapes,
    by_tables,
    lark,
    llvm_prints,
)

BEGINNING = re.compile(r"(?:%\S+[ \t]*=|[a-z]+\b|#dbg_[a-z]+)")


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")


def readable(path: Path) -> str:
    """The file's text, unless LLVM does not take it: then it is an example of a message."""
    text = text_of(path)
    try:
        parse(text)
    except NotLLVM:
        pytest.skip("LLVM does not take it")
    return text


def test_there_are_files() -> None:
    assert len(DATA) >= 12
    assert len(EXAMPLES) >= 10


@pytest.mark.parametrize("path", DATA, ids=name)
def test_llvm_takes_the_file(path: Path) -> None:
    """The files are LLVM IR: its reader and its verifier have nothing to say."""
    assert llvm_verdict(text_of(path)) == ()


@pytest.mark.parametrize("path", [*DATA, *EXAMPLES], ids=name)
def test_the_driver_equals_lark(path: Path) -> None:
    """The same derivations, made anew or remembered: same values, same spans."""
    text = readable(path)
    larks = by_lark(text)
    for ours in (by_tables(text), *by_shapes(text)):
        assert ours == larks
        assert all_spans(ours) == all_spans(larks)


@pytest.mark.parametrize("seed", range(40))
def test_the_driver_equals_lark_on_random_lines(seed: int) -> None:
    """The lines that execution is tested with: arithmetic, vectors, intrinsics, memory."""
    writer = random_lines(random.Random(seed), 120)
    declarations = sorted(writer.declarations)
    lines = "\n".join([*declarations, "define void @f(ptr %in) {", *writer.lines, "ret void", "}"])
    larks = by_lark(lines)
    for ours in (by_tables(lines), *by_shapes(lines)):
        assert ours == larks
        assert all_spans(ours) == all_spans(larks)


@pytest.mark.parametrize("path", [*DATA, *EXAMPLES], ids=name)
def test_round_trip(path: Path) -> None:
    """What is printed is the same module, to us and to LLVM; and printing is then a fixed point."""
    text = readable(path)
    module = parse(text)
    printed = print_module(module)
    assert parse(printed) == module
    assert print_module(parse(printed)) == printed
    if not any(name.startswith("llvm.dbg") for name in module.functions):
        assert llvm_prints(printed) == llvm_prints(text)


@pytest.mark.parametrize("path", [*DATA, *EXAMPLES], ids=name)
def test_instruction_spans(path: Path) -> None:
    """An instruction's span covers its text and nothing else: that text alone gives the instruction."""
    module = by_driver(readable(path))
    again = Assembler(module.source)
    again.aliases.update((n, t) for n, t in module.types.items() if not isinstance(t, StructType | None))
    for function in module.definitions():
        for instruction in function.instructions:
            excerpt = module.source.excerpt(instruction.span)
            assert excerpt == excerpt.strip()
            assert BEGINNING.match(excerpt), excerpt
            alone = again.read("body", *instruction.span).items
            assert len(alone) == 1
            if alone[0].result is not None or instruction.result is None:
                assert alone[0] == instruction
            assert alone[0].span == instruction.span


@pytest.mark.parametrize("path", [*DATA, *EXAMPLES], ids=name)
def test_bundle_spans(path: Path) -> None:
    """A bundle's span covers its tag, its operands, and the parenthesis that closes them."""
    module = by_driver(readable(path))
    for function in module.definitions():
        for instruction in function.instructions:
            if isinstance(instruction, CallSite):
                for bundle in instruction.bundles:
                    excerpt = module.source.excerpt(bundle.span)
                    assert excerpt.startswith('"') and excerpt.endswith(")")
                    assert instruction.span.start < bundle.span.start < bundle.span.end < instruction.span.end


@pytest.mark.parametrize("path", DATA, ids=name)
def test_function_spans(path: Path) -> None:
    """A function's span is its header: from the keyword up to what its last property is."""
    module = by_driver(text_of(path))
    for function in module.functions.values():
        excerpt = module.source.excerpt(function.span)
        assert excerpt.startswith("declare" if function.is_declaration else "define")
        assert excerpt == excerpt.rstrip("{ \t\n")


def test_block_spans() -> None:
    """A block's span goes from its label, or its first instruction if it has none, to its last."""
    text = "define void @f(i1 %c) {\n  br i1 %c, label %a, label %a ; x\na: ; label\n  ret void ; last\n}\n"
    blocks = by_driver(text).functions["f"].blocks
    source = by_driver(text).source
    assert source.excerpt(blocks[0].span) == "br i1 %c, label %a, label %a"
    assert source.excerpt(blocks[1].span) == "a: ; label\n  ret void"


def kinds(module: Module) -> set[str]:
    return {type(i).__name__ for f in module.definitions() for i in f.instructions}


def test_every_instruction_is_in_some_file() -> None:
    """No class of ``ir.instructions`` goes without a test."""
    from convergence.ir import instructions

    bases = {"Instruction", "CallSite", "Argument", "Bundle"}
    classes = {
        name
        for name, value in vars(instructions).items()
        if isinstance(value, type) and value.__module__ == instructions.__name__ and name not in bases
    }
    found = set().union(*(kinds(by_driver(text_of(path))) for path in DATA))
    assert classes == found


def test_every_rule_of_the_grammar_is_used() -> None:
    """The files exercise each rule of ``llvm.lark`` that makes a node."""
    grammar = lark()
    rules = {str(rule.alias or rule.origin.name) for rule in grammar.rules}
    wanted = {rule for rule in rules if not rule.startswith("_")} - {"type"}
    trees = (grammar.parse(text_of(path), start="module") for path in DATA)
    used = {str(node.data) for tree in trees for node in tree.iter_subtrees()}
    assert wanted - used == set()


def test_single_printers() -> None:
    """A function or an instruction alone is printed as within its module."""
    module = by_driver(text_of(next(path for path in DATA if path.stem == "calls")))
    printed = print_module(module)
    for function in module.functions.values():
        assert print_function(function, module) in printed
        for instruction in function.instructions:
            assert print_instruction(instruction, module) in printed
