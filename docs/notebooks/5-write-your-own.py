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
# # 5. Write your own
#
# At the end you will be able to answer:
#
# - for a kernel of your own: which token does each convergent operation need, and where does the heart
#   of a loop go?
# - what do the verifier's errors ask for?
# - which threads communicate at last, and did you mean it?
#
# The kernel: each thread has `%n` items; in every round, the threads that still have one agree on the
# smallest value among them with `subgroupMin`. We begin without tokens, and mend one error after the
# other.

# %%
import convergence as cc

HEAD = """
declare i32 @subgroupMin(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
"""


def kernel(entry="", heart="", bundle="", late_heart=""):
    """The kernel, with the lines that differ from step to step."""
    return cc.parse(f"""{HEAD}
define i32 @rounds(i32 %x, i32 %n) convergent {{
start:
  {entry}
  br label %round
round:
  %i = phi i32 [ 0, %start ], [ %next, %round ]
  %sum = phi i32 [ 0, %start ], [ %more, %round ]
  {heart}
  %value = add i32 %x, %i
  %least = call i32 @subgroupMin(i32 %value) {bundle}
  {late_heart}
  %more = add i32 %sum, %least
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %round, label %end
end:
  ret i32 %more
}}
""")


ENTRY = "%all = call token @llvm.experimental.convergence.entry()"
HEART = '%heart = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]'


def errors(module):
    """The rules that a module breaks, with the verifier's words."""
    found = [d for d in cc.verify(module) if d.rule.id.startswith("S-")]
    for one in found:
        print(one.rule.id + ":", one.message)
    return [one.rule.id for one in found]


# %% [markdown]
# ## Without tokens
#
# Three threads with 1, 2 and 3 items. The program is legal IR, and nothing in it says who communicates:
# under the weakest reading any grouping that has an order is allowed, and the outcomes differ.

# %%
launch = {"threads": 3, "arguments": {"x": [5, 3, 7], "n": [1, 2, 3]}}

plain = kernel()
assert errors(plain) == []
anything = cc.enumerate(plain, uncontrolled="any", **launch)
print(len(anything.alignments), "alignments,", len(anything.outcomes), "outcomes")
assert len(anything.outcomes) > 1

# %% [markdown]
# ## A token, but not enough
#
# The launched threads start together: `entry` is their token. Using it inside the loop is the first
# thing that everyone tries, and it is an error. Every round would name the same group, and nothing
# would tell the rounds apart.

# %%
first = kernel(entry=ENTRY, bundle='[ "convergencectrl"(token %all) ]')
assert errors(first) == ["S-CYCLE-USE"]

# %% [markdown]
# The rule's sentence, its reason and an example of each kind are in `convcheck explain S-CYCLE-USE`.
#
# ## A heart, too late
#
# What counts the rounds is the loop intrinsic. It has to come before every other convergent operation
# of its block, or an operation would run in the new round under the old count.

# %%
second = kernel(entry=ENTRY, bundle='[ "convergencectrl"(token %all) ]', late_heart=HEART)
found = errors(second)
assert "S-LOOP-FIRST" in found

# %% [markdown]
# ## A heart in its place
#
# The heart takes the outer token, the operation takes the heart's. Now there is exactly one legal
# alignment.

# %%
right = kernel(entry=ENTRY, heart=HEART, bundle='[ "convergencectrl"(token %heart) ]')
assert errors(right) == []
legal = cc.enumerate(right, **launch)
assert (len(legal.alignments), legal.complete) == (1, True)

run = cc.run(right, **launch)
print(*cc.picture(run.execution, right, "rounds"), sep="\n")
for group in run.groups:
    if not group.control:
        print(group.operation, "threads", [m.thread for m in group.members], "got", dict(group.results))

# %% [markdown]
# Read the picture from left to right: three threads in round 1, two in round 2, one in round 3. Is that
# what you meant? If the threads that have finished should still take part, the operation does not
# belong in this loop: make the loop uniform, and let finished threads contribute a neutral value.
# Tokens say who *does* communicate; they cannot bring back who has left.
#
# ## Exercise 1
#
# With `%n` = 2, 2, 3 and `%x` = 5, 3, 7: what does thread 2 return? Write the number, then run the
# cell.

# %%
answer_1 = None  # your number


def check_1(answer):
    """Whether the answer is what the machine says."""
    ran = cc.run(right, threads=3, arguments={"x": [5, 3, 7], "n": [2, 2, 3]})
    return answer == ran.outcome.threads[2].value


HINT_1 = "not yet: add up the smallest value of each round that thread 2 is in"
print("right" if check_1(answer_1) else HINT_1)

# %% [markdown]
# <details><summary>Solution</summary>
#
# 16: round 1 has the values 5, 3, 7, so 3; round 2 has 6, 4, 8, so 4; in round 3 thread 2 is alone with
# 9.
# </details>
#
# ## Exercise 2
#
# After the loop, every thread should learn the largest sum: `call i32 @subgroupMax(i32 %more)` in
# `%end`. Which token does it need so that all three threads take part, however many rounds they had?
# Write its name (`"%all"` or `"%heart"`).

# %%
answer_2 = None  # "%all" or "%heart"


def after_loop(token):
    """The kernel with one more operation, behind the loop, under this token."""
    text = right.source.text.replace(
        "  ret i32 %more",
        f"""\
  %most = call i32 @subgroupMax(i32 %more) [ "convergencectrl"(token {token}) ]
  ret i32 %most""",
    )
    return cc.parse("declare i32 @subgroupMax(i32) convergent\n" + text)


def check_2(answer):
    """Whether all three threads are together at the operation."""
    if answer not in ("%all", "%heart"):
        return False
    ran = cc.run(after_loop(answer), **launch)
    most = [g for g in ran.groups if g.operation == "%most"]
    return [len(g.members) for g in most] == [3]


HINT_2 = "not yet: which of the two tokens do all threads hold an equal instance of?"
print("right" if check_2(answer_2) else HINT_2)

# %% [markdown]
# <details><summary>Solution</summary>
#
# `"%all"`. Under `%heart` the threads use the heart's instance of their last round: a different one for
# each number of rounds, so every thread would be alone.
# </details>
#
# When you are unsure which tokens to write, `convcheck infer FILE` writes those of LLVM's documented
# procedure into a program that has none; read them as a proposal.

# %%
inferred = cc.infer(plain)
assert errors(inferred) == []
assert cc.run(inferred, **launch).outcome == run.outcome
