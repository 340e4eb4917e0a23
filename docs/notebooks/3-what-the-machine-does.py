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
# # 3. What the machine does
#
# At the end you will be able to answer:
#
# - what a lock-step machine does at a branch, and what that costs when its lanes disagree;
# - how the machines differ: masks, stacks, block numbers, barriers;
# - why jump threading, which is good for one thread, can cost a wave more;
# - when a machine's own way of bringing lanes together is not what the program asked for.
#
# The machines are those of five documents that this project grew from: AMD's exec masks, R700's mask
# stack, Nyuzi's predication, Gen's block numbers, a stack of reconvergence points, convergence
# barriers; and two of our own that frame them: `heart`, which follows the tokens, and `independent`, in
# which every lane runs alone.

# %%
import convergence as cc

DECLARATIONS = """
declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
"""

# %% [markdown]
# ## A branch
#
# Four lanes; an `if` with two arms of two instructions each. A *slot* is one instruction issued for a
# mask of lanes. If the lanes agree, one arm is run; if not, both are, one after the other, each with a
# part of the lanes.

# %%
branch = cc.parse(
    DECLARATIONS
    + """
define i32 @f(i32 %x, i32 %y) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %c = icmp slt i32 %x, %y
  br i1 %c, label %then, label %else
then:
  %a = mul i32 %x, 3
  %b = add i32 %a, 1
  br label %join
else:
  %d = sub i32 %x, %y
  %e = mul i32 %d, %d
  br label %join
join:
  %r = phi i32 [ %b, %then ], [ %e, %else ]
  %sum = call i32 @subgroupAdd(i32 %r) [ "convergencectrl"(token %t) ]
  ret i32 %sum
}
"""
)


def costs(module, x, y):
    """Per machine the slots that it issued and how many of its lanes were at work in them, in percent."""
    found = cc.simulate(module, threads=4, arguments={"x": x, "y": y})
    return {m.policy: (m.issues, round(100 * m.utilisation)) for m in found}


agreed = costs(branch, [1, 2, 3, 4], 9)
parted = costs(branch, [1, 9, 2, 9], 5)
print(f"{'machine':12} {'agreed':>12} {'parted':>12}")
for name, (issues, used) in agreed.items():
    print(f"{name:12} {issues:5} {used:4} % {parted[name][0]:5} {parted[name][1]:4} %")
assert agreed["ipdom"][0] < parted["ipdom"][0]
assert agreed["predication"][0] == parted["predication"][0]

# %% [markdown]
# `predication` skips nothing: it pays for both arms either way, unless it is asked to jump over what no
# lane runs. `independent` pays for every lane alone, and its sums are wrong: no two lanes ever meet.
#
# ## Masks over time
#
# The picture has a row per lane and a column per slot. Where the row is empty, the lane is off.

# %%
machine = cc.simulate(branch, "exec-mask", threads=4, arguments={"x": [1, 9, 2, 9], "y": 5})["exec-mask"]
machine

# %%
print(machine)

# %% [markdown]
# The same as numbers: bit *i* of a step's mask is lane *i*.

# %%
for step in machine.steps:
    print(f"slot {step.slot:2}  {step.mask:04b}")

# %% [markdown]
# ## A loop, and who waits for whom
#
# Lanes that leave a loop wait until the last one has left. The sum after the loop has all lanes, the
# sum in it those that are still there.

# %%
loop = cc.parse(
    DECLARATIONS
    + """
define i32 @f(i32 %x, i32 %y) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %inside = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %h) ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %x
  br i1 %more, label %head, label %out
out:
  %after = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %after
}
"""
)
looped = cc.simulate(loop, threads=4, arguments={"x": [1, 4, 2, 4], "y": 0})
for one in looped:
    verdict = "conforms" if one.conforms else "departs"
    print(f"{one.policy:12} {one.issues:3} slots, {round(100 * one.utilisation):3} %, {verdict}")
assert all(one.conforms for one in looped if one.policy != "independent")

# %% [markdown]
# ## Jump threading
#
# If `%x == %y` then also `%x <= %y`, so the second branch of `before` need not be taken after the first
# arm. `after` sends that arm straight on. For one thread it is shorter; but the call between the
# branches is there twice now, and a wave whose lanes disagree runs both copies.

# %%
CALLEE = """
define i32 @work(i32 %x) {
start:
  %a = mul i32 %x, 3
  %b = xor i32 %a, 5
  %c = lshr i32 %b, 1
  %d = add i32 %c, %x
  ret i32 %d
}
"""
before = cc.parse(
    CALLEE
    + """
define i32 @f(i32 %x, i32 %y) {
entry:
  %equal = icmp eq i32 %x, %y
  br i1 %equal, label %one, label %two
one:
  %p = add i32 %x, 1
  br label %middle
two:
  %q = sub i32 %x, %y
  br label %middle
middle:
  %m = phi i32 [ %p, %one ], [ %q, %two ]
  %got = call i32 @work(i32 %m)
  %less = icmp sle i32 %x, %y
  br i1 %less, label %yes, label %no
yes:
  %double = shl i32 %got, 1
  ret i32 %double
no:
  ret i32 %got
}
"""
)
after = cc.parse(
    CALLEE
    + """
define i32 @f(i32 %x, i32 %y) {
entry:
  %equal = icmp eq i32 %x, %y
  br i1 %equal, label %one, label %two
one:
  %p = add i32 %x, 1
  %got1 = call i32 @work(i32 %p)
  br label %yes
two:
  %q = sub i32 %x, %y
  %got2 = call i32 @work(i32 %q)
  %less = icmp sle i32 %x, %y
  br i1 %less, label %yes, label %no
yes:
  %got = phi i32 [ %got1, %one ], [ %got2, %two ]
  %double = shl i32 %got, 1
  ret i32 %double
no:
  ret i32 %got2
}
"""
)


def slots(module, x, y, policy="exec-mask"):
    """The slots that one machine issues for @f."""
    return cc.simulate(module, policy, function="f", threads=4, arguments={"x": x, "y": y})[policy].issues


same, different = ([1, 1, 1, 1], [1, 1, 1, 1]), ([1, 2, 3, 4], [1, 2, 1, 9])
for words, (x, y) in (("lanes agree", same), ("lanes disagree", different)):
    print(f"{words:15} before {slots(before, x, y):3}   after {slots(after, x, y):3}")
assert slots(after, *same) < slots(before, *same)
assert slots(after, *different) > slots(before, *different)

# %% [markdown]
# ## When the machine is not what the program asked for
#
# With natural-loop tokens the second pass of every lane is one moment, however it came there. A stack
# of reconvergence points brings lanes together at post-dominators, and knows nothing of that.

# %%
natural = cc.parse(
    DECLARATIONS
    + """
define void @f(i32 %x, i1 %again, i1 %back) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %h) ]
  br i1 %again, label %B, label %C
C:
  br i1 %back, label %B, label %D
D:
  ret void
}
"""
)
ways = {"threads": 2, "arguments": {"x": [1, 10]}, "paths": ["A B B C D".split(), "A B C B C D".split()]}
verdicts = {m.policy: m.conforms for m in cc.simulate(natural, **ways)}
print(cc.simulate(natural, **ways))
assert verdicts["heart"]
assert not verdicts["ipdom"]

# %% [markdown]
# ## Exercise 1
#
# In `branch`, with `%x` = 1, 9, 2, 9 and `%y` = 5, what is the mask of the slots in `%else`, as a
# number? (Bit 0 is lane 0.)

# %%
answer_1 = None  # a number


def check_1(answer):
    """Whether it is the mask under which exec-mask runs the other arm."""
    names = [b.name for b in branch.functions["f"].blocks]
    return {s.mask for s in machine.steps if names[s.block] == "else"} == {answer}


HINT_1 = "not yet: which lanes have x >= y?"
print("right" if check_1(answer_1) else HINT_1)

# %% [markdown]
# <details><summary>Solution</summary>
#
# 10, in binary 1010: lanes 1 and 3.
# </details>
#
# ## Exercise 2
#
# Which of these machines also conforms on `natural` on these ways: `"ipdom"`, `"exec-mask"`,
# `"mask-stack"` or `"block-ip"`?

# %%
answer_2 = None  # a machine's name


def check_2(answer):
    """Whether that machine conforms."""
    return answer in ("ipdom", "exec-mask", "mask-stack", "block-ip") and verdicts[answer] is True


HINT_2 = "not yet: which machine takes the way back to B as a `continue` of the one loop?"
print("right" if check_2(answer_2) else HINT_2)

# %% [markdown]
# <details><summary>Solution</summary>
#
# `"mask-stack"`: by default it takes a second latch as a `continue` of the source's loop, so both ways
# back wait for each other. With `--structure nested` it would not.
# </details>
