# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 4. Is this transform legal?
#
# At the end you will be able to answer:
#
# - why a transform that is right for every single thread can still be wrong for two;
# - what `equal`, `refines`, `wrong` and `invalid-output` say, and for which launches;
# - which arguments of LLVM's *Convergent Operation Semantics* about unrolling, hoisting and jump
# threading you can have checked.
#
# `cc.refine` compares a program before and after. It runs both for many launches, and looks at what the
# outside can see: how each thread ends, what it returns, its events with the groups in which they
# happened, and the memory that is left.

# %%
import convergence as cc
from convergence.refine import parse_assumption
from convergence.report.refine import words

HEAD = """
declare i32 @subgroupAdd(i32) convergent memory(none) willreturn nounwind
declare void @meet(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
"""


def compare(source, target, assume=()):
    """The refinement of two function bodies; both are named @f in modules of their own."""
    before, after = cc.parse(HEAD + source), cc.parse(HEAD + target)
    found = cc.refine(before, after, assume=[parse_assumption(text) for text in assume])
    print(found.verdict + ":", found.established)
    if found.counterexample is not None:
        shown = found.counterexample
        print(" ", shown.threads, "threads,", dict(shown.arguments))
        print(" ", words(shown.difference))
    return found.verdict


# %% [markdown]
# ## Hoisting
#
# For one thread alone these two functions are the same: the sum is computed a little early, and not
# used otherwise. For two threads that disagree about `%c` they are not.

# %%
UNDER_THE_BRANCH = """
define i32 @f(i32 %x, i1 %c) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %c, label %B, label %C
B:
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  br label %C
C:
  %r = phi i32 [ %s, %B ], [ 0, %A ]
  ret i32 %r
}
"""

BEFORE_THE_BRANCH = """
define i32 @f(i32 %x, i1 %c) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  br i1 %c, label %B, label %C
B:
  br label %C
C:
  %r = phi i32 [ %s, %B ], [ 0, %A ]
  ret i32 %r
}
"""

assert compare(UNDER_THE_BRANCH, BEFORE_THE_BRANCH) == "wrong"

# %% [markdown]
# The hoisted sum counts a thread that would not have come. If all threads agree on `%c` there is no
# such thread, and the transform is right: a compiler that knows the branch to be uniform may do it.

# %%
assert compare(UNDER_THE_BRANCH, BEFORE_THE_BRANCH, ["uniform:%c"]) == "equal"

# %% [markdown]
# ## Jump threading
#
# With tokens the shape of the CFG means nothing. Threads that come to `%D` by two ways are together
# there because they hold the same token; sending each way to a block of its own would need two copies
# of the operation, and no group may straddle two copies. Threading a jump *around* the operation is
# fine:

# %%
BEFORE_THREADING = """
define i32 @f(i32 %x, i1 %c) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %c, label %B, label %C
B:
  br label %C
C:
  %p = phi i1 [ true, %B ], [ false, %A ]
  br i1 %p, label %D, label %E
D:
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  br label %E
E:
  %r = phi i32 [ %s, %D ], [ 0, %C ]
  ret i32 %r
}
"""

AFTER_THREADING = """
define i32 @f(i32 %x, i1 %c) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %c, label %D, label %E
D:
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  br label %E
E:
  %r = phi i32 [ %s, %D ], [ 0, %A ]
  ret i32 %r
}
"""

assert compare(BEFORE_THREADING, AFTER_THREADING) == "equal"

TWO_COPIES = """
define i32 @f(i32 %x, i1 %c) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %c, label %B, label %C
B:
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  br label %D
C:
  %u = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  br label %D
D:
  %r = phi i32 [ %s, %B ], [ %u, %C ]
  ret i32 %r
}
"""

ONE_COPY = """
define i32 @f(i32 %x, i1 %c) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
"""

assert compare(ONE_COPY, TWO_COPIES) == "wrong"
assert compare(TWO_COPIES, ONE_COPY) == "wrong"

# %% [markdown]
# ## Unrolling
#
# A loop whose heart counts the rounds, unrolled by two with a remainder: a thread that runs an odd
# number of rounds does its last one in the remainder, where no thread with more rounds can meet it.

# %%
LOOP = """
define void @f(i32 %n) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %j, %B ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  call void @meet(i32 %i) [ "convergencectrl"(token %h) ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %B, label %C
C:
  ret void
}
"""

UNROLLED = """
define void @f(i32 %n) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %two = icmp sge i32 %n, 2
  br i1 %two, label %B, label %rest
B:
  %i = phi i32 [ 0, %A ], [ %k, %B ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  call void @meet(i32 %i) [ "convergencectrl"(token %h) ]
  %j = add i32 %i, 1
  call void @meet(i32 %j) [ "convergencectrl"(token %h) ]
  %k = add i32 %i, 2
  %l = add i32 %k, 1
  %c = icmp slt i32 %l, %n
  br i1 %c, label %B, label %after
after:
  %left = icmp slt i32 %k, %n
  br i1 %left, label %rest, label %C
rest:
  %m = phi i32 [ 0, %A ], [ %k, %after ]
  call void @meet(i32 %m) [ "convergencectrl"(token %t) ]
  br label %C
C:
  ret void
}
"""

assert compare(LOOP, UNROLLED, ["range:%n=1..4"]) == "wrong"

# %% [markdown]
# If the number of rounds is the same for all threads, nobody is alone in the remainder:

# %%
assert compare(LOOP, UNROLLED, ["range:%n=1..4", "uniform:%n"]) == "equal"

# %% [markdown]
# ## Exercise 1
#
# An anchor promises no particular group. Is it right to merge these two operations, each under an
# anchor of its own arm, into one behind the branch? Write `"equal"`, `"refines"` or `"wrong"`.

# %%
ARMS = """
define i32 @f(i32 %x, i1 noundef %c) {
A:
  br i1 %c, label %B, label %C
B:
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  br label %D
C:
  %v = call token @llvm.experimental.convergence.anchor()
  %u = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %v) ]
  br label %D
D:
  %r = phi i32 [ %s, %B ], [ %u, %C ]
  ret i32 %r
}
"""

MERGED = """
define i32 @f(i32 %x, i1 noundef %c) {
A:
  br label %D
D:
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
"""

answer_1 = None  # "equal", "refines" or "wrong"


def check_1(answer):
    """Whether the answer is what refine says."""
    return answer == cc.refine(cc.parse(HEAD + ARMS), cc.parse(HEAD + MERGED)).verdict


HINT_1 = "not yet: can the merged operation have a group that no execution of the arms has?"
print("right" if check_1(answer_1) else HINT_1)

# %% [markdown]
# <details><summary>Solution</summary>
#
# `"wrong"`. An anchor may group its threads in any way, but only threads that come to it. In the source
# a thread with `%c` and one without never meet; in the target they can.
# </details>
#
# ## Exercise 2
#
# The other direction: one operation under an anchor is replaced by a copy in each arm, each with its
# anchor (`MERGED` becomes `ARMS`). Which verdict? (`%c` is `noundef`: a branch on poison, where there was
# none before, would be wrong whatever the anchors are.)

# %%
answer_2 = None  # "equal", "refines" or "wrong"


def check_2(answer):
    """Whether the answer is what refine says."""
    return answer == cc.refine(cc.parse(HEAD + MERGED), cc.parse(HEAD + ARMS)).verdict


HINT_2 = "not yet: is every group of the arms one that the anchor could have chosen?"
print("right" if check_2(answer_2) else HINT_2)

# %% [markdown]
# <details><summary>Solution</summary>
#
# `"refines"`. Every partition that the arms can make is one that the single anchor can make too; the
# single anchor can make more. This is why anchored code may be specialised freely.
# </details>

# %% [markdown]
# ## What may a compiler assume?
#
# Many transforms for GPUs rest on a claim: *this value is the same in all converged threads*. Such a value
# is called uniform. `cc.uniformity` says which values are, by rules with names, and why the others are not;
# move the pointer over a value below to see its chain back to a source.

# %%
ROUNDS = """target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @rounds(i32 %n) {
start:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %i = phi i32 [ 0, %start ], [ %next, %body ]
  %all = icmp eq i32 %i, %n
  br i1 %all, label %out, label %body
body:
  %next = add i32 %i, 1
  %mine = icmp eq i32 %i, %id
  br i1 %mine, label %out, label %head
out:
  %left = phi i32 [ 10, %head ], [ 20, %body ]
  %last = add i32 %i, 1
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
"""
rounds = cc.parse(ROUNDS)
cc.uniformity(rounds)

# %% [markdown]
# `%i` is uniform in the loop: threads that are in one round have one count. Behind it `%last` is not, for
# threads leave in different rounds. And `%left` tells by which way a thread came, although both of its values
# are constants: LLVM 22 calls it uniform, and a pass takes the own value for that of another lane.
#
# Nobody needs to believe the rules: `check=True` runs the program for many inputs and holds every claim
# against all converged instances. What is called uniform and differs would be named here, with two threads
# and a launch.

# %%
checked = cc.uniformity(rounds, check=True, max_launches=60)
print(checked.sound, checked.checked[0].observed.executions)
witness = {s.name: w for s, w in checked.checked[0].observed.differing.items()}["left"]
one, other = witness.first, witness.second
print(f"%left is {one.value} in thread {one.thread}, {other.value} in thread {other.thread}")
print(*witness.picture, sep="\n")

# %% [markdown]
# A whole LLVM pipeline is compared with `convcheck refine FILE --passes 'default<O1>'`; what it found
# in LLVM 22.1 is told in *What refine found in LLVM*.
