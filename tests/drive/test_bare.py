"""A shader around a program means what the program does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from convergence.device import Unavailable, devices
from convergence.drive import question
from convergence.drive.bare import as_shader, is_bare
from convergence.files import parse_file
from convergence.ir.module import Module
from convergence.parser import parse
from convergence.parser.printer import print_module
from convergence.semantics import NotModelled
from convergence.semantics.machine.launch import launch_spec
from tests.cli.cli_harness import ROOT, convcheck

LITMUS = sorted((ROOT / "examples_ll" / "litmus").glob("*.ll"))
VOTES = """
@seen = global [4 x i32] zeroinitializer
@last = internal global i32 0

define i32 @votes() convergent {
entry:
  %token = call token @llvm.experimental.convergence.entry()
  %lane = call i32 @getSubgroupLocalInvocationId()
  %high = icmp ugt i32 %lane, 1 ; two of four
  br i1 %high, label %then, label %join

then:
  %any = call i1 @subgroupAny(i1 %high) [ "convergencectrl"(token %token) ]
  %vote = zext i1 %any to i32
  %place = getelementptr inbounds [4 x i32], ptr @seen, i32 0, i32 %lane
  store i32 %vote, ptr %place, align 4
  br label %join

join:
  %own = phi i32 [ %lane, %entry ], [ 7, %then ]
  store atomic i32 5, ptr @last monotonic, align 4
  ret i32 %own
}

declare i1 @subgroupAny(i1) convergent
declare i32 @getSubgroupLocalInvocationId()
declare token @llvm.experimental.convergence.entry()
"""


def bare_outcomes(module: Module, threads: int) -> Iterator[tuple[object, ...]]:
    """What variables hold at the end, and what threads return, of the program as it is."""
    for found in question(module, launch_spec(threads=threads)).legal.outcomes:
        outcome = found.outcome
        returned = [thread.value for thread in outcome.threads]
        memory = [outcome.memory[f"@{name}"] for name in module.globals]
        rows = [value if isinstance(value, list) else [value] for value in memory]
        yield (*rows, *([returned] if returned[0] is not None else []))


def shader_outcomes(module: Module, threads: int) -> Iterator[tuple[object, ...]]:
    """The same of the shader around it, by its buffers."""
    made = as_shader(module, threads)
    spec = launch_spec(function="main", buffers=made.buffers)
    for found in question(parse(print_module(made.module)), spec).legal.outcomes:
        yield tuple(found.outcome.memory[name] for name in made.buffers)


@pytest.mark.parametrize("path", LITMUS, ids=lambda path: path.stem)
def test_a_litmus_file_in_a_shader_has_the_outcomes_that_it_has(path: Path) -> None:
    module = parse_file(path)
    assert is_bare(module)
    if path.stem.startswith("cm-"):  # each thread is given a number
        with pytest.raises(NotModelled, match=r"line \d+ .*define"):
            as_shader(module, 4)
        return
    expected = sorted(map(repr, bare_outcomes(module, 2)))
    assert sorted(map(repr, shader_outcomes(module, 2))) == expected and len(expected) > 1


def test_votes_and_other_variables_are_taken_over() -> None:
    module = parse(VOTES)
    expected = [([0, 0, 1, 1], [5], [0, 1, 7, 7])]
    assert [*bare_outcomes(module, 4)] == expected == [*shader_outcomes(module, 4)]
    assert as_shader(module, 4).variables == {"u0": "seen", "u1": "last", "u2": None}


@pytest.mark.parametrize(
    "line",
    [
        "%p = alloca i32",
        "call void @other()",
        "store ptr @last, ptr @seen",
        "%b = load i8, ptr @last",
        "%v = load i32, ptr addrspace(1) @far",
        "%w = load <2 x i32>, ptr @last",
        "%n = ptrtoint ptr @last to i32",
        "%d = fadd float 1.0, 2.0",
        "store volatile float 1.0, ptr @last",
        "%f = getelementptr i8, ptr @seen, i32 1",
        "%x = atomicrmw add ptr @last, i32 1 monotonic",
    ],
)
def test_what_has_no_place_in_a_shader_is_named(line: str) -> None:
    before, mark, after = VOTES.partition("  store atomic i32 5")
    text = f"{before}  {line}\n{mark}{after}declare void @other()\n@far = external addrspace(1) global i32\n"
    place = before.count("\n") + 1
    with pytest.raises(NotModelled, match=f"line {place} .*{re.escape(line)}"):
        as_shader(parse(text), 4)


def test_layout_and_names_of_the_text_do_not_matter() -> None:
    """What a line cannot say: parts on lines of their own, quoted names, names that the shader would take."""
    text = """
@"a b" = global i32 7
@last = global [2 x i32] [i32 3, i32 -4], align 4
define i32
  @"odd name"() #3 {
  %thread = load i32,
      ptr @"a b"
  %last.buffer = call i32 @getSubgroupLocalInvocationId() #3
  %q = getelementptr i32, ptr @last, i32 %last.buffer
  %was = load atomic volatile i32, ptr %q monotonic, align 4
  store i32 %thread, ptr %q
  %sum = add nsw i32 %was, %thread
  ret i32 %sum
}
declare i32 @getSubgroupLocalInvocationId() attributes #3 = { nounwind }
"""
    module = parse(text.replace(") attributes", ")\nattributes"))
    made = as_shader(module, 2)
    assert made.buffers == {"u0": "i32[1]:7", "u1": "i32[2]:3,-4", "u2": "i32[2]"}
    assert [*shader_outcomes(module, 2)] == [([7], [7, 7], [10, 3])] == [*bare_outcomes(module, 2)]


def test_a_shader_and_a_kernel_are_not_bare() -> None:
    assert not is_bare(parse("define spir_kernel void @k() { ret void }"))
    assert not is_bare(parse('define void @m() #0 { ret void }\nattributes #0 = { "hlsl.shader"="compute" }'))
    assert not is_bare(parse('target triple = "nvptx64"\ndefine void @m() { ret void }'))


def test_a_litmus_file_runs_on_a_device() -> None:
    try:
        devices()
    except Unavailable as error:
        pytest.skip(f"no Vulkan device: {error}")
    ran = convcheck("drive", LITMUS[-1], "--repetitions", "3")
    assert ran.code == 0 and "legal: 3 of 3 runs" in ran.out
    assert "a shader was put around the program: u0 is @a" in ran.out
