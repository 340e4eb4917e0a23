"""What lies behind pointers and in resources that nobody gave a buffer is an input of ``refine``.

covers: refine/inputs/inputs.py refine/inputs/launch.py refine/sides/side.py
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from convergence import parse, refine
from convergence.refine.inputs.inputs import memories
from tests.cli.cli_harness import convcheck, ll

BRANCH = """define i32 @f(ptr %p) {
  %v = load i32, ptr %p
  %c = icmp sgt i32 %v, 8
  %r = select i1 %c, i32 1, i32 2
  ret i32 %r
}
"""
BUFFER = 'target("spirv.VulkanBuffer", [0 x i32], 12, 1)'
SHADER = f"""target triple = "spirv-unknown-vulkan1.3-compute"
define void @main() #0 {{
  %h = call {BUFFER} @llvm.spv.resource.handlefrombinding(i32 0, i32 0, i32 1, i32 0, ptr null)
  %i = call i32 @llvm.spv.thread.id.in.group.i32(i32 0)
  %p = call ptr addrspace(11) @llvm.spv.resource.getpointer({BUFFER} %h, i32 %i)
  %v = load i32, ptr addrspace(11) %p
  %big = icmp ugt i32 %v, 3
  br i1 %big, label %sum, label %out
sum:
  %s = call i32 @llvm.spv.wave.reduce.sum.i32(i32 1)
  store i32 %s, ptr addrspace(11) %p
  br label %out
out:
  ret void
}}
declare {BUFFER} @llvm.spv.resource.handlefrombinding(i32, i32, i32, i32, ptr)
declare ptr addrspace(11) @llvm.spv.resource.getpointer({BUFFER}, i32)
declare i32 @llvm.spv.thread.id.in.group.i32(i32)
declare i32 @llvm.spv.wave.reduce.sum.i32(i32) convergent
declare i32 @llvm.spv.wave.reduce.umax.i32(i32) convergent
attributes #0 = {{ convergent "hlsl.numthreads"="4,1,1" }}
"""
CHANGED = {
    "behind a pointer": (BRANCH, BRANCH.replace("%r = select i1 %c, i32 1, i32 2", "%r = add i32 2, 0")),
    "in a resource": (SHADER, SHADER.replace("wave.reduce.sum.i32(i32 1)", "wave.reduce.umax.i32(i32 1)")),
}


@pytest.mark.parametrize("where", CHANGED)
def test_what_a_few_data_show_is_seen_and_replayed(where: str, tmp_path: Path) -> None:
    """The launch that ``refine`` prints shows the difference in ``run``, too."""
    files = [ll(tmp_path, text, f"{n}.ll") for n, text in enumerate(CHANGED[where])]
    ran = convcheck("refine", *files)
    assert ran.code == 1 and ran.out.startswith("wrong"), ran.out
    words = [word for line in re.findall(r"^  (--\w+ .+)$", ran.out, re.MULTILINE) for word in line.split()]
    assert "--buffer" in words
    threads = re.search(r"^Launch: (\d+) thread", ran.out, re.MULTILINE)
    assert threads is not None
    assert words[:2] == ["--threads", threads[1]]
    if where == "in a resource":
        files = [ll(tmp_path, f.read_text().replace("4,1,1", f"{threads[1]},1,1"), f.name) for f in files]
    one, other = (convcheck("run", file, *words) for file in files)
    assert one.code == other.code == 0, one.err
    assert one.out.partition("returned")[2] != other.out.partition("returned")[2]


@pytest.mark.parametrize("where", CHANGED)
def test_not_all_data_are_tried(where: str) -> None:
    """They are too many, and the verdict says no more than what was tried."""
    text = CHANGED[where][0]
    answer = refine(parse(text), parse(text), shortcut=False)
    assert answer.verdict == "equal"
    assert answer.established.startswith("inputs tried: ")


def test_what_is_only_written_to_has_no_data() -> None:
    text = "define void @f(ptr %p) {\n  store i32 7, ptr %p\n  ret void\n}\n"
    looking = text.replace("store i32 7", "%v = load i32, ptr %p\n  store i32 %v")
    tried = [refine(parse(t), parse(t), shortcut=False).launches for t in (looking, text)]
    assert tried[0] > tried[1]


def test_values_that_a_program_names_come_to_every_place() -> None:
    named = {0, 1, 2, 3, 4, 5, 7, 8, 9}
    drawn = memories(list(parse(BRANCH).definitions()))
    for place in range(13):
        assert len(named & {memory[place % len(memory)] for memory in drawn if memory}) >= 8


COUNTED = """target triple = "spirv64-unknown-unknown"
define i32 @f() convergent {
  %n = call spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) @count, i32 2)
  ret i32 %n
}
@count = addrspace(1) global i32 0
declare spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1), i32)
"""


def test_an_atomic_call_is_looked_at_in_all_orders() -> None:
    """It is what the instruction is: which thread comes first is open on both sides."""
    call = "call spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) @count, i32 2)"
    changed = COUNTED.replace(
        call, 'atomicrmw add ptr addrspace(1) @count, i32 2 syncscope("device") monotonic'
    )
    assert changed != COUNTED
    for one, other in ((COUNTED, changed), (changed, COUNTED)):
        answer = refine(parse(one), parse(other), threads=2)
        assert answer.verdict == "equal", answer.counterexample
