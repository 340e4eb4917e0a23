"""Where one execution shows that there is no other outcome, all executions come to it.

covers: sched.choices.search, semantics.threads.recurrence
"""

from __future__ import annotations

import pytest

from convergence.drive import question
from convergence.parser import parse
from convergence.sched.choices.search import explore
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.run import execute

HEAD = """
@out = global [4 x i32] zeroinitializer
@sum = global i32 0
@given = global i32 0
@tile = internal addrspace(3) global [4 x i32] undef
declare void @llvm.amdgcn.s.barrier() convergent
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @_Z10atomic_addPVii(ptr, i32)
define void @f() {
  %me = call i32 @llvm.amdgcn.workitem.id.x()
  %next = add i32 %me, 1
  %other = urem i32 %next, 2
  %mine = getelementptr i32, ptr addrspace(3) @tile, i32 %me
  %theirs = getelementptr i32, ptr addrspace(3) @tile, i32 %other
  %place = getelementptr i32, ptr @out, i32 %me
"""
BARRIER = """
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
"""
TILE = f"""
  store i32 %next, ptr addrspace(3) %mine
{BARRIER}
  %v = load i32, ptr addrspace(3) %theirs
  store i32 %v, ptr %place
"""
ADD = "  {0} = atomicrmw add ptr @sum, i32 %next {1}\n"
SUM = f"{ADD.format('%unused', 'monotonic')}{BARRIER}  %s = load i32, ptr @sum\n  store i32 %s, ptr %place\n"
RELEASED = f"""
  %first = icmp eq i32 %me, 0
  br i1 %first, label %gives, label %takes
gives:
  store i32 7, ptr @given
  fence release
{ADD.format("%a", "monotonic")}  ret void
takes:
{ADD.format("%b", "monotonic")}  fence acquire
  %v = load i32, ptr @given
  store i32 %v, ptr %place
"""


@pytest.mark.parametrize(
    ("body", "only"),
    [
        (TILE, True),
        (TILE.replace(BARRIER, ""), False),  # a race
        (SUM, True),
        (SUM.replace(BARRIER, ""), False),  # a race with the additions
        (SUM.replace("@sum, i32 %next", "@sum, i32 %next").replace("add ptr", "xor ptr"), True),
        (ADD.format("%a", "monotonic") + "  store i32 %a, ptr %place\n", False),  # what was there is used
        (ADD.format("%a", "acq_rel"), False),
        (ADD.format("%a", "monotonic") + "  %b = atomicrmw xor ptr @sum, i32 %next monotonic\n", False),
        (ADD.format("%a", "monotonic") + "  %b = atomicrmw sub ptr @sum, i32 3 monotonic\n", True),
        (ADD.format("%a", "monotonic") + "  %b = atomicrmw max ptr %place, i32 %next monotonic\n", True),
        (
            "  %b = atomicrmw max ptr %place, i32 %next monotonic\n"
            "  %at = getelementptr i32, ptr @out, i32 %other\n"
            "  %c = atomicrmw add ptr %at, i32 5 monotonic\n",
            False,  # both to one place
        ),
        ("  %a = call i32 @_Z10atomic_addPVii(ptr @sum, i32 %next)\n" + ADD.format("%b", "monotonic"), True),
        ("  %a = call i32 @_Z10atomic_addPVii(ptr @sum, i32 1)\n  store i32 %a, ptr %place\n", False),
        (RELEASED, False),  # the fences order what was written, if the additions come in this order
        (RELEASED.replace("fence release", ""), False),
        (RELEASED.replace("store i32 %v, ptr %place", ""), False),
        (f"{BARRIER}{SUM}", True),  # what a fence learns by an addition, the barrier has told before
        ("  %x = atomicrmw xchg ptr @sum, i32 %next monotonic\n", False),
        ("  store atomic i32 %next, ptr @sum monotonic, align 4\n", False),
    ],
)
def test_one_execution_stands_for_all_where_it_says_so(body: str, only: bool) -> None:
    module = parse(f'target triple = "amdgcn"\n{HEAD}{body}  ret void\n}}\n')
    spec = launch_spec(threads=2, function="@f")
    assert execute(module, spec, None, None).is_only == only
    quick, slow = question(module, spec), question(module, spec, quick=False)
    assert slow.legal.complete and quick.legal.outcomes == slow.legal.outcomes
    assert not only or len(slow.legal.outcomes) == 1
    one, all_of_them = (explore(module, spec, quick=quick) for quick in (True, False))
    assert one.complete and all_of_them.complete and one.same(all_of_them)
