"""No input hangs, overflows or escapes the two exceptions: broken, cut, nested, huge, mutated.

covers: parser.llvm
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergence.ir.module import Module
from convergence.parser import NotLLVM, Unsupported, parse
from convergence.parser.llvm import DEEPEST, refuse_deep_nesting, refuse_unreadable, typed_pointer
from convergence.parser.printer import print_module
from tests.parser.reading import DATA, all_spans, by_driver, by_lark, by_tables, llvm_prints

TEXTS = [path.read_text() for path in DATA]
NESTED: dict[str, Callable[[int], str]] = {
    "types": lambda n: "@g = external global " + "[1 x " * n + "i8" + "]" * n,
    "structs": lambda n: "@g = external global " + "{" * n + "i8" + "}" * n,
    "constants": lambda n: "@g = global ptr " + "getelementptr(i8, ptr " * n + "null" + ", i64 1)" * n,
    "metadata": lambda n: "!0 = !{" + "!{" * n + "}" * n + "}",
    "signature": lambda n: "declare void @f(" + "ptr (" * 0 + "{ " * n + "i8" + " }" * n + ")",
    "local": lambda n: (
        "define void @f() {\n  %p = alloca " + "[1 x " * n + "i8" + "]" * n + "\n  ret void\n}"
    ),
}


@pytest.mark.parametrize("kind", NESTED)
def test_nesting_is_read_up_to_the_bound(kind: str) -> None:
    """By either reader, values made, without recursion."""
    module = parse(NESTED[kind](DEEPEST - 10))
    for found in (*module.globals.values(), *module.metadata.values(), *module.functions.values()):
        assert found is not None
    for function in module.definitions():
        assert function.instructions


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("depth", [DEEPEST + 10, 100_000])
def test_nesting_beyond_it_is_refused(kind: str, depth: int) -> None:
    with pytest.raises(NotLLVM, match="nested too deeply") as caught:
        parse(NESTED[kind](depth))
    assert caught.value.line is not None


def test_brackets_in_strings_and_comments_are_none() -> None:
    text = "; " + "([{<" * 2000 + '\n@g = global [2000 x i8] c"' + "{" * 2000 + '"\n'
    assert list(parse(text).globals) == ["g"]
    refuse_deep_nesting("(" * DEEPEST + ")" * DEEPEST)
    with pytest.raises(NotLLVM):
        refuse_deep_nesting('"("' * 3 + "(" * (DEEPEST + 1))


@pytest.mark.parametrize(
    "text",
    ["i32* %x", "load i8, %T* %p", '%"a b"* %x', "[2 x i8]* null", "void ()* @f", "i8 addrspace(3)  *"],
)
def test_typed_pointers(text: str) -> None:
    """Found where the star stands."""
    assert typed_pointer("; a * b\n" + text) == 8 + text.index("*")


@pytest.mark.parametrize(
    "text",
    ["; i32* %x", '@g = global [4 x i8] c"i32*"', "/* i8* */", '!0 = !{!"char*"}', '@"i32*" = global i8 0'],
)
def test_stars_that_are_no_pointers(text: str) -> None:
    assert typed_pointer(text) is None


@pytest.mark.parametrize("text", ["a\0b", "\udfff", "define void @f() {\0}"])
def test_text_that_is_none(text: str) -> None:
    with pytest.raises(NotLLVM):
        parse(text)


@pytest.mark.parametrize("text", ["", "\n", ";", "; x", "/* x */", " \t\r\n"])
def test_empty_modules(text: str) -> None:
    assert parse(text) == by_driver("")


def function(body: str, parameters: str = "") -> str:
    return f"define void @f({parameters}) {{\n{body}\n}}\n"


def lines(count: int, pattern: str) -> str:
    """``pattern`` with N and M replaced by 0 and 1, 1 and 2, and so on."""
    return "".join(pattern.replace("N", str(i)).replace("M", str(i + 1)) + "\n" for i in range(count))


HUGE: dict[str, Callable[[], str]] = {
    "comment": lambda: "; " + "x" * 5_000_000 + "\n@g = global i32 0\n",
    "string": lambda: f'@g = global [5000000 x i8] c"{"y" * 5_000_000}"\n',
    "array": lambda: f"@g = global [200000 x i32] [{', '.join(['i32 7'] * 200_000)}]\n",
    "globals": lambda: lines(50_000, "@gN = global i32 N"),
    "arguments": lambda: function(f"call void (...) %p({', '.join(['i32 1'] * 50_000)})\nret void", "ptr %p"),
    "cases": lambda: function(
        f"switch i32 %x, label %a [\n{lines(50_000, 'i32 N, label %a')}]\na:\n  ret void", "i32 %x"
    ),
    "blocks": lambda: function(lines(30_000, "  br label %bN\nbN:") + "  ret void"),
    "phi": lambda: function(
        f"ret void\nb:\n %p = phi i32 {', '.join(['[ 0, %b ]'] * 30_000)}\n  br label %b"
    ),
    "chain": lambda: lines(50_000, "%tN = type { %tM }") + "%t50000 = type i8\n@g = external global %t0\n",
    "metadata": lambda: lines(60_000, "!N = !{!M}") + "!60000 = !{}\n!n = !{!0}\n",
    "spaces": lambda: function(" \n" * 500_000 + "  ret void"),
    "one line": lambda: "define void @f() { " + "call void @f() " * 5_000 + "ret void }",
    "unclosed": lambda: "define void @f() {\n" + "  call void @f()\n" * 100_000,
    "quotes": lambda: '"' * 1_000_001,
    "commas": lambda: "@g = global " + "," * 1_000_000,
}
REFUSED = {"unclosed", "quotes", "commas", "chain"}


@pytest.mark.parametrize("kind", HUGE)
def test_huge_inputs(kind: str) -> None:
    """Whatever it is: an answer, in a time that grows with the input."""
    text = HUGE[kind]()
    start = time.process_time()
    refused = None
    try:
        module = parse(text)
        for function in module.definitions():
            assert function.instructions
        assert all(found is not None for found in module.globals.values())
    except (NotLLVM, Unsupported) as error:
        refused = error.message
    assert (refused is not None) == (kind in REFUSED), refused
    assert len(refused or "") < 500
    assert time.process_time() - start < 60


TIME_BOMBS = {
    "struct indices": "  %x = getelementptr i8, ptr %p" + ", <2 x i64> %v" * 200 + ", !x !{!1}\n",
    "attributes": "  call void @f(" + "ptr " + "noundef nonnull align 8 " * 300 + "%p), !x !{}\n",
    "parentheses": "  call void @f(" + "i32 range(i32 1, 2) " * 300 + "\n",
    "brackets": "  %x = insertvalue " + "[2 x { i8, <2 x i8> }] " * 200 + "\n",
    "flags": "  %x = add " + "nuw nsw " * 2000 + "i32 1\n",
    "words": "  call " + "noundef " * 3000 + "void\n",
    "spaces": "  store i32 1," + " " * 5000 + "ptr %p !\n",
    "incoming": "  %x = phi i32 " + "[ 1, %a ], " * 2000 + "!x\n",
    "cases": "  switch i32 %x, label %a [ " + "i32 1, label %a " * 2000 + "\n",
    "starred": "  %x = alloca { " + "i8, " * 50_000 + "i8 } ; *\n",
    "starred line": "  %x = alloca { " + "i8, " * 50_000 + "i8 }\n; *\n",
    "stars": "  %x = add i32 1, 2 ; " + "* " * 50_000 + "\n",
    "assembly": '  call void asm "' + "$0 " * 20_000 + '", "' + "r," * 20_000 + 'r"()\n',
    "debug": "  #dbg_value(" + "ptr %p, " * 1000 + "!{}, !1\n",
    "strings": "  call void @f(" + 'ptr "a"="b" ' * 500 + "\n",
}


@pytest.mark.parametrize("kind", TIME_BOMBS)
def test_no_expression_backtracks_for_long(kind: str) -> None:
    """Statements that almost match some expression: an answer comes soon."""
    text = "define void @f() {\n" + TIME_BOMBS[kind] + "  ret void\n}\n"
    start = time.process_time()
    refuse_unreadable(text)
    typed_pointer(text)
    with suppress(Unsupported):
        assert by_driver(text).functions["f"].instructions
    assert time.process_time() - start < 5


WORDS = """
i0 i1 i64 ptr void token metadata label 0 -1 99999999999999999999 undef poison null zeroinitializer
[ { < > } ] ( ) " , = %x @x !0 !{} ... x vscale align splat blockaddress getelementptr inttoptr
bitcast float 1.0 0x % @ none target("a") asm distinct !DIExpression() #0 ; : "a b" %"a b" define }
declare call unreachable ret volatile
""".split()
TOKENS = re.compile(r"\s+|[%@!#$]?[\w.]+|.")


def mutate(text: str, rnd: random.Random) -> str:
    """A text with some tokens removed, doubled, swapped, or replaced."""
    tokens = TOKENS.findall(text)
    for _ in range(rnd.choice([1, 1, 2, 5])):
        at, other = rnd.randrange(len(tokens)), rnd.randrange(len(tokens))
        match rnd.randrange(5):
            case 0:
                tokens[at] = ""
            case 1:
                tokens[at] += tokens[other]
            case 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 3:
                tokens[at] = rnd.choice(WORDS)
            case _:
                tokens[at:] = tokens[at:] if rnd.random() < 0.9 else []
                tokens.append("\n")
    return "".join(tokens)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(range(len(TEXTS))))
def test_mutated_files(seed: int, which: int) -> None:
    """What LLVM still takes, the driver and lark read the same; and LLVM takes our print of it for it."""
    text = mutate(TEXTS[which], random.Random(seed))
    try:
        module = parse(text)
        printed = print_module(module)
        slow = by_lark(text)
    except (NotLLVM, Unsupported) as error:
        said, place = error.message, (error.line, error.column)
        placed = isinstance(error, NotLLVM) or None not in place
        if not said or "\n" in said or not placed:
            raise
        return
    assert {n: f for n, f in module.functions.items() if not f.implicit} == slow.functions
    assert module.globals == slow.globals
    assert parse(printed) == module
    if "llvm.dbg" not in text:
        assert llvm_prints(printed) == llvm_prints(text)


PIECES = re.compile(r'"[^"]*"|;[^\n]*\n|\s+|[%@!#$]?[-\w.$]+:?|\.\.\.|.')
SPACES = [" ", "  ", "\t", "\n", "\n\n", ' ; c " {\n', ' ; c " {\r', "\r", "\r\n", '/* } " */', ""]


def said(read: Callable[[str], Module], text: str) -> Module | tuple[str, int | None, int | None]:
    """All of a module, or what is said of it."""
    try:
        module = read(text)
        for kind in (module.globals, module.aliases, module.metadata, module.named_metadata):
            assert all(found is not None for found in kind.values())
        assert all(function.blocks is not None for function in module.definitions())
    except Unsupported as error:
        return error.message, error.line, error.column
    return module


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(range(len(TEXTS))))
def test_what_cannot_be_read(seed: int, which: int) -> None:
    """LLVM not asked: the driver says the same with shapes and without, and refuses what lark refuses."""
    text = mutate(TEXTS[which], random.Random(seed))
    ours, larks = said(by_tables, text), said(by_lark, text)
    assert said(by_driver, text) == ours
    if (
        isinstance(ours, Module)
        or isinstance(larks, Module)
        or ("at the end" not in ours[0] and "make sense" not in ours[0])
    ):
        assert ours == larks


def relaid(text: str, rnd: random.Random) -> str:
    """The same tokens with other spaces, lines and comments between some of them."""
    pieces = PIECES.findall(text)
    for _ in range(rnd.choice([1, 5, 50])):
        at, space = rnd.randrange(len(pieces)), rnd.choice(SPACES)
        if pieces[at].isspace():
            pieces[at] = space or " "
        elif pieces[at] in "(),[]{}<>=":
            pieces[at] = rnd.choice([space + pieces[at], pieces[at] + space])
    return "".join(pieces)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(range(len(TEXTS))))
def test_layout_does_not_matter(seed: int, which: int) -> None:
    """Spaces, line breaks and comments between tokens change nothing, to the driver or to lark."""
    text = relaid(TEXTS[which], random.Random(seed))
    try:
        module = parse(text)
    except NotLLVM:
        return
    fast, slow = by_driver(text), by_lark(text)
    assert fast == slow
    assert all_spans(fast) == all_spans(slow)
    assert print_module(module) == print_module(parse(TEXTS[which]))


def test_printing_what_is_nested_too_deeply() -> None:
    """Printing recurses; where Python's stack does not suffice it says so."""
    with pytest.raises(Unsupported, match="nested too deeply"):
        print_module(parse(NESTED["types"](DEEPEST - 10)))


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("which", range(len(TEXTS)))
def test_carriage_returns(which: int, end: str) -> None:
    """Files with other line ends are read the same by the driver and by lark, and as LLVM reads them: it ends
    a comment at a carriage return, too."""
    text = TEXTS[which].replace("\n", end)
    assert by_driver(text) == by_lark(text)
    assert all_spans(by_driver(text)) == all_spans(by_lark(text))
    expected = print_module(parse(TEXTS[which]))
    if "\\0A" not in expected:  # no string goes over lines
        assert print_module(parse(text)) == expected
