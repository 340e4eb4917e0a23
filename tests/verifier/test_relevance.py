"""Bodies that nothing can be said about are not parsed; all others are.

covers: verifier.facts
"""

from __future__ import annotations

import time

import pytest

from convergence.ir.module import Body, Function, Module
from convergence.parser import parse
from convergence.parser.driver import mentions
from convergence.verifier import verify, verify_function
from convergence.verifier.facts import ModuleFacts, Relevance

MODULE = """
define void @meet() convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  ret void
}}
@other = alias void (), ptr @meet
define void @f(ptr %p) {{
  {}
  ret void
}}
attributes #3 = {{ convergent }}
attributes #4 = {{ nounwind }}
declare token @llvm.experimental.convergence.entry() convergent
declare void @barrier() convergent
declare void @"odd name"() convergent
declare void @plain()
"""


def module(line: str) -> Module:
    return parse(MODULE.format(line), ask_llvm=False)


@pytest.mark.parametrize(
    ("line", "relevant"),
    [
        ("call void @plain()", False),
        ("call void @plain() #4", False),
        ("call void @plain() #3", True),
        ("call void @plain() convergent", True),
        ("call void @barrier()", True),
        ('call void @"odd name"()', True),
        ('call void @"bar\\72ier"()', True),
        ('call void @plain() [ "convergence\\63trl"(i32 1) ]', True),
        ('call void @plain() [ "convergence\\63trl" ; why not\n (i32 1) ]', True),
        ("call void @other()", True),
        ("call void @meet()", True),
        ("call token %p()", True),
        ("store ptr @meet, ptr %p", True),
        ("%tokens = add i32 1, 2", False),
        ("%token = add i32 1, 2", False),
        ("%x = add i32 1, 2 ; token convergent @barrier", False),
        ('%x = add i32 1, 2 ; it\'s " one\n  call void @barrier() ; "', True),
        ('%x = add i32 1, 2 /* " */\n  call void @barrier() ; "', True),
        ('call void asm sideeffect "; @plain", ""()\n  call void @barrier()', True),
        ('call void asm sideeffect "nop\\0A", ""()', False),
    ],
)
def test_relevance(line: str, relevant: bool) -> None:
    found = module(line)
    assert Relevance(ModuleFacts(found)).of(found.functions["f"]) is relevant


def explode() -> tuple[()]:
    raise AssertionError("this body was parsed")


def test_irrelevant_bodies_stay_unparsed() -> None:
    original = module("call void @plain()")
    text = "define void @g() {\n  %x = add i32 1, 2\n  ret void\n}\n"
    function = original.functions["f"]
    sealed = Function("g", function.type, (), Body(explode, lambda: mentions(text, 0, len(text))))
    assert verify(Module(functions={"g": sealed})) == ()
    more = f"{text}convergent"
    seen = Function("g", function.type, (), Body(explode, lambda: mentions(more, 0, len(more))))
    with pytest.raises(AssertionError, match="was parsed"):
        verify(Module(functions={"g": seen}))
    with pytest.raises(AssertionError, match="was parsed"):
        verify(Module(functions={"g": Function("g", function.type, (), Body(explode))}))


def test_leaving_bodies_out_loses_nothing() -> None:
    """``verify`` says what ``verify_function`` says of each body, which reads them all."""
    for line in ("call void @other()", "call void @plain()", "%t = call token %p()", "call void @meet()"):
        found = module(line)
        every = [d for function in found.definitions() for d in verify_function(found, function)]
        assert sorted(every, key=lambda d: d.span) == sorted(verify(found), key=lambda d: d.span)


@pytest.mark.parametrize("order", [1, -1])
def test_a_long_chain_of_aliases(order: int) -> None:
    """It is walked once, from either end, and leads where it leads."""
    count = 20_000
    aliases = [f"@a{n + 1} = alias void (), ptr @a{n}" for n in range(count)][::order]
    text = "\n".join(["@a0 = alias void (), ptr @meet", *aliases, MODULE.format(f"call void @a{count}()")])
    found = parse(text, ask_llvm=False)
    start = time.process_time()
    assert Relevance(ModuleFacts(found)).of(found.functions["f"])
    assert time.process_time() - start < 20


def test_aliases_in_a_circle() -> None:
    text = "@a = alias void (), ptr @b\n@b = alias void (), ptr @a\n" + MODULE.format("call void @a()")
    found = parse(text, ask_llvm=False)
    assert not Relevance(ModuleFacts(found)).of(found.functions["f"])
