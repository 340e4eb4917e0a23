"""C's and C++'s memory management: what it gives, who shares it, what is undefined of it, by both engines.

covers: semantics.instructions.library.c_library
"""

from __future__ import annotations

from typing import Any

import pytest

import convergence as cc
from convergence.parser import parse
from convergence.semantics import Returned, UndefinedBehaviour, Unmodelled
from convergence.semantics.machine import Called

DECLARATIONS = """
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare ptr @_Znwm(i64)
declare void @_ZdlPvm(ptr, i64)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
"""
ENGINES = ("reference", "native")


def run(body: str, engine: Any = "reference", threads: int = 1, **arguments: Any) -> cc.Run:
    parameters = ", ".join(f"i32 %{name}" for name in arguments)
    text = f"""{DECLARATIONS}
@shared = addrspace(3) global ptr null
define i32 @f({parameters}) {{
{body}
}}"""
    return cc.run(parse(text), function="f", threads=threads, arguments=arguments, engine=engine)


def returned(run: cc.Run) -> list[Any]:
    """What each thread returned."""
    return [thread.value for thread in run.outcome.threads]


@pytest.mark.parametrize("engine", ENGINES)
def test_each_call_gives_an_object_of_its_own(engine: Any) -> None:
    done = run(
        """
  %p = call ptr @malloc(i64 8)
  %q = call ptr @_Znwm(i64 4)
  %z = call ptr @calloc(i64 2, i64 4)
  store i32 %x, ptr %p
  store i32 100, ptr %q
  %last = getelementptr i8, ptr %z, i64 4
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  %c = load i32, ptr %last
  call void @free(ptr %p)
  call void @_ZdlPvm(ptr %q, i64 4)
  call void @free(ptr %z)
  call void @free(ptr null)
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  ret i32 %abc""",
        engine,
        threads=2,
        x=[1, 5],
    )
    assert returned(done) == [101, 105]


@pytest.mark.parametrize("engine", ENGINES)
def test_other_threads_see_what_lies_there(engine: Any) -> None:
    done = run(EXCHANGE, engine, threads=2, t=[0, 1])
    assert returned(done) == [1, 0]


EXCHANGE = """
  %first = icmp eq i32 %t, 0
  br i1 %first, label %make, label %use
make:
  %p = call ptr @malloc(i64 8)
  store ptr %p, ptr addrspace(3) @shared
  br label %use
use:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %q = load ptr, ptr addrspace(3) @shared
  %own = getelementptr i32, ptr %q, i32 %t
  store i32 %t, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = xor i32 %t, 1
  %place = getelementptr i32, ptr %q, i32 %other
  %v = load i32, ptr %place
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %first, label %end, label %out
end:
  call void @free(ptr %q)
  br label %out
out:
  ret i32 %v"""


def test_all_executions_agree() -> None:
    """Which of two threads asks first changes nothing: objects' addresses are their threads' own."""
    text = f"{DECLARATIONS}\n@shared = addrspace(3) global ptr null\ndefine i32 @f(i32 %t) {{{EXCHANGE}\n}}"
    found = cc.enumerate(parse(text), function="f", threads=2, arguments={"t": [0, 1]})
    assert found.complete and len(found.outcomes) == 1


def test_the_axiomatic_engine_names_it() -> None:
    text = f"{DECLARATIONS}\ndefine i32 @f() {{\n  %p = call ptr @malloc(i64 4)\n  ret i32 0\n}}"
    found = cc.enumerate(parse(text), function="f", engine="axiomatic")
    assert not found.complete and "@malloc" in str(found.bound)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "%p = call ptr @malloc(i64 4)\n call void @free(ptr %p)\n %v = load i32, ptr %p",
            "after it was freed",
        ),
        (
            "%p = call ptr @malloc(i64 4)\n call void @free(ptr %p)\n call void @free(ptr %p)",
            "or of what was",
        ),
        (
            "%p = call ptr @malloc(i64 4)\n %q = getelementptr i8, ptr %p, i64 1\n call void @free(ptr %q)",
            "no such function",
        ),
        ("%p = alloca i32\n call void @free(ptr %p)", "no such function"),
        (
            "%p = call ptr @malloc(i64 4)\n %q = getelementptr i32, ptr %p, i64 1\n store i32 0, ptr %q",
            "bounds",
        ),
        ("%p = call ptr @aligned_alloc(i64 24, i64 48)", "no power of two"),
    ],
)
def test_what_is_undefined(body: str, reason: str, engine: Any) -> None:
    ending = run(f"  {body}\n  ret i32 0", engine).ending
    assert isinstance(ending, UndefinedBehaviour) and reason in ending.reason


def test_what_nobody_wrote_is_undef() -> None:
    done = run("  %p = call ptr @malloc(i64 4)\n  %v = load i32, ptr %p\n  ret i32 %v")
    assert returned(done) == ["undef"]


def test_an_alignment_that_is_asked_for() -> None:
    body = """
  %p = call ptr @aligned_alloc(i64 256, i64 256)
  %n = ptrtoint ptr %p to i32
  %low = and i32 %n, 255
  ret i32 %low"""
    assert returned(run(body)) == [0]


def test_to_free_what_another_thread_still_reads_is_a_race() -> None:
    body = EXCHANGE.replace(
        "  %v = load i32, ptr %place\n  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n",
        "  %v = load i32, ptr %place\n",
    )
    ending = run(body, threads=2, t=[0, 1]).ending
    assert isinstance(ending, UndefinedBehaviour) and "after it was freed" in ending.reason


def test_operands_of_another_kind_are_named() -> None:
    text = "declare ptr @malloc(ptr)\ndefine void @f() {\n  %p = call ptr @malloc(ptr null)\n  ret void\n}"
    ending = cc.run(parse(text), function="f").ending
    assert isinstance(ending, Unmodelled) and "@malloc" in ending.feature


def test_addresses_of_32_bits_have_no_heap() -> None:
    text = """target datalayout = "e-p:32:32"
declare ptr @malloc(i32)
define void @f() {
  %p = call ptr @malloc(i32 4)
  ret void
}"""
    ending = cc.run(parse(text), function="f").ending
    assert isinstance(ending, Unmodelled) and "32 bits" in ending.feature


def test_what_a_module_frees_and_nobody_allocates_in_it_is_freed_elsewhere() -> None:
    """What it is given may come from an allocator that the module does not know: the call is an event."""
    text = "declare void @free(ptr)\ndefine void @f(ptr %p) {\n  call void @free(ptr %p)\n  ret void\n}\n"
    run = cc.run(cc.parse(text), buffers={"p": "i32[4]"})
    assert isinstance(run.ending, Returned)
    (event,) = run.outcome.threads[0].events
    assert isinstance(event, Called) and event.callee == "free"
