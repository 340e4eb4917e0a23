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
# # 2. Anchors, entry, hearts
#
# At the end you will be able to answer:
#
# - what each of the three control intrinsics promises, and to whom;
# - how many alignments a program has, and where the freedom comes from;
# - how to ask why two threads did *not* communicate.

# %%
import convergence as cc

HEAD = """
declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
"""


def program(body):
    """A module with the declarations in front; it keeps the static rules."""
    module = cc.parse(HEAD + body)
    assert not cc.verify(module)
    return module


# %% [markdown]
# ## Entry: together as they were called
#
# `entry` stands for the group in which the function was called. For the launched function that is what
# the environment launched together. There is nothing to choose: one alignment.

# %%
under_entry = program("""
define i32 @f(i32 %x) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
""")
values = {"arguments": {"x": [1, 10, 100, 1000]}}
assert len(cc.enumerate(under_entry, threads=4, **values).alignments) == 1
print(cc.run(under_entry, threads=4, **values))

# %% [markdown]
# Two launch groups are two groups, and no choice of ours:

# %%
pairs = cc.run(under_entry, threads=4, subgroup_size=2, **values)
assert [t.value for t in pairs.outcome.threads] == [11, 11, 1100, 1100]
print(pairs)

# %% [markdown]
# ## Anchor: together somehow
#
# `anchor` promises no particular group: any partition of the threads that come to it is legal. What it
# does promise is that everything that uses its token stays with that choice. Four threads can be
# partitioned in 15 ways.

# %%
under_anchor = program("""
define i32 @f(i32 %x) {
A:
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  %u = call i32 @subgroupAdd(i32 %s) [ "convergencectrl"(token %t) ]
  ret i32 %u
}
""")
counts = [len(cc.enumerate(under_anchor, threads=n, arguments={"x": 1}).alignments) for n in range(1, 6)]
print(counts)
assert counts == [1, 2, 5, 15, 52]

# %% [markdown]
# The second sum has no freedom of its own: its groups are those of the first. With an anchor each there
# are more:

# %%
two_anchors = program("""
define i32 @f(i32 %x) {
A:
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  %v = call token @llvm.experimental.convergence.anchor()
  %u = call i32 @subgroupAdd(i32 %s) [ "convergencectrl"(token %v) ]
  ret i32 %u
}
""")
assert len(cc.enumerate(two_anchors, threads=3, arguments={"x": 1}).alignments) == 5 * 5

# %% [markdown]
# That is the use of an anchor: a program that adds up "whoever is here" in any way that is cheap, such
# as one atomic per group. The result per group depends on the choice; what the program makes of it must
# not.
#
# ## Heart: together in the n-th round
#
# A loop intrinsic counts. Two threads are together at it if their outer tokens are together *and* both
# execute it for the n-th time with that token. Threads that have left the loop are not waited for.

# %%
rounds = program("""
define i32 @f(i32 %x, i32 %n) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %j, %B ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %h) ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %B, label %C
C:
  ret i32 %s
}
""")
launch = {"threads": 3, "arguments": {"x": [1, 10, 100], "n": [1, 3, 2]}}
run = cc.run(rounds, **launch)
print(run)
run

# %% [markdown]
# ## Why not?
#
# Each thread can compute alone what it needs to know about an operation: a *key*, from the launch down
# to the operation. Two instances are converged if their keys are equal, so the first difference of two
# keys is the reason why they are not.

# %%
print(cc.why(run, "%s thread 1 #3, thread 2 #2"))

# %% [markdown]
# On the command line that is `convcheck run FILE --why "%s thread 1 #3, thread 2 #2"`.
#
# ## A called function
#
# `entry` in a called function continues the caller's group: the call carries the token, the callee
# takes it up. So an operation in a helper behaves as if it stood at the call.

# %%
helper = program("""
define i32 @helper(i32 %x) convergent {
E:
  %t = call token @llvm.experimental.convergence.entry()
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  ret i32 %s
}

define i32 @f(i32 %x, i1 %c) {
A:
  %a = call token @llvm.experimental.convergence.anchor()
  br i1 %c, label %B, label %C
B:
  %s = call i32 @helper(i32 %x) convergent [ "convergencectrl"(token %a) ]
  br label %C
C:
  %r = phi i32 [ %s, %B ], [ 0, %A ]
  ret i32 %r
}
""")
found = cc.enumerate(helper, function="f", threads=3, arguments={"x": [1, 10, 100], "c": [1, 0, 1]})
print(len(found.alignments), "alignments,", len(found.outcomes), "outcomes")
assert len(found.outcomes) == 2

# %% [markdown]
# Five partitions at the anchor, but thread 1 never gets to the sum: only whether 0 and 2 are together
# can be seen.
#
# ## Exercise 1
#
# Three threads meet one anchor and add up `%x` under its token; `%x` is 1, 10, 100. How many *outcomes* are
# there? (Two outcomes differ if some thread gets another sum.)

# %%
answer_1 = None  # a number


def check_1(answer):
    """Whether it is what enumerate finds for one anchor and three threads that stay."""
    one = under_anchor.source.text.replace("i32 %s) [", "i32 0) [").replace("ret i32 %u", "ret i32 %s")
    stays = cc.enumerate(cc.parse(one), threads=3, arguments={"x": [1, 10, 100]})
    return answer == len(stays.outcomes)


HINT_1 = "not yet: does each partition of three threads give other sums?"
print("right" if check_1(answer_1) else HINT_1)

# %% [markdown]
# <details><summary>Solution</summary>
#
# 5: with these values the sums tell each of the five partitions from the others.
# </details>
#
# ## Exercise 2
#
# In `rounds`, with `%n` = 1, 3, 2: how many threads take part in the second sum? Write the number.

# %%
answer_2 = None  # a number


def check_2(answer):
    """Whether it is the size of the group of the second round."""
    ran = cc.run(rounds, **launch)
    second = [g for g in ran.groups if g.operation == "%s" and g.members[0].nth == 2]
    return answer == len(second[0].members)


HINT_2 = "not yet: which threads have a second round?"
print("right" if check_2(answer_2) else HINT_2)

# %% [markdown]
# <details><summary>Solution</summary>
#
# 2: thread 0 has left after its first round, and nobody waits for it.
# </details>
