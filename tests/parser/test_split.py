"""Cutting a module: the same pieces whatever its layout, and CONVCHECK lines.

covers: parser.assemble, source
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergence.parser.assemble import split
from convergence.source import Source
from tests.parser.reading import DATA, by_driver

ENTITIES = [
    "define void @f() {\n  ret void\n}",
    "define { i32 } @braces() { ret { i32 } { i32 1 } }",
    'define void @string() {\n  call void asm "}\n}", ""()\n  ret void\n}',
    "define void @comment() { ; }\n  ret void ; {\n}",
    "define void @inline() {\n  ret void, !x !{\n}\n}",
    "define void @block() {\n/* }\n} */  ret void\n}",
    "define void @prefix() prefix { i32, i32 } { i32 1, i32 2 } {\n  ret void\n}",
    "define void @prefix.lines() prefix {\ni32\n} { i32 1 } {\n  ret void\n}",
    'define void @"quoted } name"() personality ptr @f !dbg !{} {\n  ret void\n}',
    "declare !dbg !1 void @g(i32,\n ptr)",
    "@a = global i32 0",
    "@b = global [2 x i32] [i32 1, ; ]\n i32 2], align 4",
    '@c = constant [9 x i8] c"; not } a"',
    "@d = alias i32, ptr @a",
    "%T = type { i32, { ptr } }",
    "%U = type <{\n  i8 }>",
    "$k = comdat any",
    '!1 = !{!"a } b", null}',
    "!2 = distinct !DILexicalBlock(scope: !1,\n file: !1)",
    "!n = !{!1, !2}",
    "!with\\20space = !{}",
    'attributes #0 = { nounwind "a"="}" }',
    'source_filename = "x"',
    'target triple = "x"',
    'module asm "define }"',
    '^0 = module: (path: "", hash: (0, 0))',
    "uselistorder ptr @a, { 1, 0 }",
]


@settings(max_examples=500, derandomize=True)
@given(
    st.lists(st.sampled_from(ENTITIES), max_size=8, unique=True),
    st.lists(
        st.sampled_from(["\n", "\n\n", " ", "\n; define {\n", "\r; define {\r", '/* " */', "\r\n", "\t\n"]),
        min_size=9,
        max_size=9,
    ),
)
def test_any_order_and_layout(entities: list[str], between: list[str]) -> None:
    """Entities one after the other, on lines of their own or not, come out as they went in."""
    text = between[-1] + "".join(e + b for e, b in zip(entities, between, strict=False))
    cuts = list(split(text))
    assert [text[cut.start : cut.end] for cut in cuts] == entities
    for cut in cuts:
        if cut.body >= 0:
            assert text[cut.body - 1] == "{" and text[cut.end - 1] == "}"


@pytest.mark.parametrize("path", DATA, ids=lambda path: str(path.stem))
def test_nothing_is_left_out(path: object) -> None:
    """What lies between the pieces is spaces and comments."""
    text = path.read_text()  # type: ignore[attr-defined]
    rest, at = [], 0
    for cut in split(text):
        rest.append(text[at : cut.start])
        at = cut.end
    for gap in [*rest, text[at:]]:
        for line in gap.replace("/* a block\n comment { */", "").splitlines():
            assert not line.strip() or line.strip().startswith((";", "/*")), line


def directives(text: str) -> tuple[str, ...]:
    return tuple(word for directive in by_driver(text).directives for word in directive.words())


def test_directives() -> None:
    text = (
        '; CONVCHECK: --threads 2 --path "A B B C D"\n'
        "  ;; CONVCHECK:   --path 'A B C'   \r\n"
        "; not CONVCHECK: --one\n; CONVCHECK --two\n"
        '@s = constant [24 x i8] c"; CONVCHECK: --three 34 5"\n'
        "define void @f() {\n  ret void ; CONVCHECK: --arg %x=3,5\n}\n"
        'module asm "\n; CONVCHECK: --four"\n'
        "/* ; CONVCHECK: --five */\n"
        ";CONVCHECK:--last"
    )
    expected = ("--threads", "2", "--path", "A B B C D", "--path", "A B C", "--arg", "%x=3,5", "--last")
    assert directives(text) == expected
    assert directives("; nothing\n") == ()


def test_directives_that_cannot_be_split() -> None:
    """They are no fault of the module: who wants their words is told."""
    module = by_driver('@g = global i32 0\n; CONVCHECK: --path "A B\n')
    (directive,) = module.directives
    assert (directive.text, *module.source.position(directive.span.start)) == ('--path "A B', 2, 14)
    with pytest.raises(ValueError, match=r"(?i)quot"):
        directive.words()


def test_source_positions() -> None:
    source = Source("x", "a\nbc\n\nd")
    for at in range(len(source.text) + 1):
        assert source.offset(*source.position(at)) == at
    assert source.offset(9, 1) == len(source.text)
