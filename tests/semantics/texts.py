"""Small programs that several tests run."""

from __future__ import annotations

DECLARATIONS = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare i64 @subgroupBallot(i1) convergent nounwind willreturn memory(none)
declare i32 @subgroupBroadcastFirst(i32) convergent nounwind willreturn memory(none)
declare i32 @getSubgroupLocalInvocationId() nounwind willreturn memory(none)
declare i64 @llvm.ctpop.i64(i64)
declare void @op(i32) convergent
declare void @op.1() convergent
declare void @op.2() convergent
"""


def loop(outer: str, token: str, block: str) -> str:
    """A heart that hangs from ``outer``."""
    return (
        f'%{token} = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %{outer}) ]'
    )


def add(result: str, token: str, operand: str = "%x") -> str:
    """``subgroupAdd`` under a token."""
    return f'%{result} = call i32 @subgroupAdd(i32 {operand}) [ "convergencectrl"(token %{token}) ]'


def natural(start: str = "entry") -> str:
    """semantics.md §5: A; B with the heart and the sum, to B or C; C to B or D."""
    return f"""
define void @f(i32 %x, i1 %c) {"convergent" if start == "entry" else ""} {{
A:
  %t = call token @llvm.experimental.convergence.{start}()
  br label %B
B:
  {loop("t", "h", "B")}
  {add("sum.b", "h")}
  br i1 %c, label %B, label %C
C:
  br i1 %c, label %B, label %D
D:
  ret void
}}
{DECLARATIONS}"""


def nested(start: str = "entry") -> str:
    """semantics.md §5: an added header O with the outer heart between A and B, the inner heart in B."""
    return f"""
define void @f(i32 %x, i1 %c) {"convergent" if start == "entry" else ""} {{
A:
  %t = call token @llvm.experimental.convergence.{start}()
  br label %O
O:
  {loop("t", "outer", "O")}
  br label %B
B:
  {loop("outer", "h", "B")}
  {add("sum.b", "h")}
  br i1 %c, label %B, label %C
C:
  br i1 %c, label %O, label %D
D:
  ret void
}}
{DECLARATIONS}"""


def uncontrolled() -> str:
    """The same program without tokens."""
    return f"""
define void @f(i32 %x, i1 %c) convergent {{
A:
  br label %B
B:
  %sum.b = call i32 @subgroupAdd(i32 %x)
  br i1 %c, label %B, label %C
C:
  br i1 %c, label %B, label %D
D:
  ret void
}}
{DECLARATIONS}"""


def appending() -> str:
    """An append buffer: threads take positions from one counter, a group of them by one atomic add."""
    return f"""
@count = global i32 0
define i32 @reserve() {{
entry:
  %t = call token @llvm.experimental.convergence.anchor()
  %ballot = call i64 @subgroupBallot(i1 true) [ "convergencectrl"(token %t) ]
  %n64 = call i64 @llvm.ctpop.i64(i64 %ballot)
  %n = trunc i64 %n64 to i32
  %lane = call i32 @getSubgroupLocalInvocationId()
  %lane64 = zext i32 %lane to i64
  %bit = shl i64 1, %lane64
  %below = sub i64 %bit, 1
  %lower = and i64 %ballot, %below
  %rank64 = call i64 @llvm.ctpop.i64(i64 %lower)
  %rank = trunc i64 %rank64 to i32
  %first = icmp eq i32 %rank, 0
  br i1 %first, label %then, label %end
then:
  %old = atomicrmw add ptr @count, i32 %n monotonic
  br label %end
end:
  %base.own = phi i32 [ undef, %entry ], [ %old, %then ]
  %base = call i32 @subgroupBroadcastFirst(i32 %base.own) [ "convergencectrl"(token %t) ]
  %position = add i32 %base, %rank
  ret i32 %position
}}
{DECLARATIONS}"""


WITHOUT_HEART = f"""
define void @f(i1 %c) convergent {{
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  br i1 %c, label %C, label %D
C:
  {add("one", "t", "1")}
  br label %E
D:
  {add("two", "t", "1")}
  br label %E
E:
  br i1 %c, label %B, label %F
F:
  ret void
}}
{DECLARATIONS}"""
"""A cycle that a heart should stand in: a token is used in both arms of its branch."""
