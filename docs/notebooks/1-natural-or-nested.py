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
# # 1. Natural loop or nested loops?
#
# At the end you will be able to answer:
#
# - why two threads that run the same loop can be aligned in two ways, and why the sums differ;
# - how a heart picks one of the two, and why the nested one needs a header of its own;
# - which of the two your hardware gives you if nobody says anything.
#
# The example is the one of LLVM's convergence RFC: block `B` goes back to itself or on to `C`, and `C`
# goes back to `B` or out. One thread takes A B B C D, another A B C B C D, and both add up `%x` over
# the threads that are there in every pass through `B`.

# %%
import convergence as cc

BODY = """
B:
  %sums = phi i32 {incoming}
  {heart}
  %sum.b = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %heart) ]
  %shifted = mul i32 %sums, 100
  %sums.next = add i32 %shifted, %sum.b
  br i1 %again, label %B, label %C

C:
  br i1 %back, label %{header}, label %D

D:
  ret i32 %sums.next
}}

declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
"""

START = """
define i32 @sums(i32 %x, i1 %again, i1 %back) convergent {{
A:
  %start = call token @llvm.experimental.convergence.entry()
  br label %{header}
"""


def beat(name, token):
    """A loop intrinsic that counts within ``token``."""
    return f'{name} = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token {token}) ]'


# %% [markdown]
# ## One loop
#
# Here `B` holds the only heart. It counts every pass through `B`, whichever edge led there.

# %%
natural = cc.parse(
    START.format(header="B")
    + BODY.format(
        incoming="[ 0, %A ], [ %sums.next, %B ], [ %sums.next, %C ]",
        heart=beat("%heart", "%start"),
        header="B",
    )
)
assert not cc.verify(natural)

PATHS = ["A B B C D".split(), "A B C B C D".split()]
launch = {"threads": 2, "arguments": {"x": [1, 10]}}
run = cc.run(natural, paths=PATHS, **launch)
assert [*cc.picture(run.execution, natural, "sums")] == ["A B - B C D", "A B C B C D"]
run

# %%
print(run)

# %% [markdown]
# The second pass of thread 0 comes straight from `B`, that of thread 1 by way of `C`. The heart does
# not care: both are second passes, so both sums are 11.
#
# ## Two loops, one in the other
#
# Now the outer loop gets a header `O` with a heart of its own, and the heart in `B` counts within *its*
# token: passes through `B` since `O` was last met.

# %%
nested = cc.parse(
    START.format(header="O")
    + f"""
O:
  %sums.outer = phi i32 [ 0, %A ], [ %sums.next, %C ]
  {beat("%outer", "%start")}
  br label %B
"""
    + BODY.format(
        incoming="[ %sums.outer, %O ], [ %sums.next, %B ]",
        heart=beat("%heart", "%outer"),
        header="O",
    )
)
assert not cc.verify(nested)


def with_header(path):
    """The same way through the nested program: `O` stands before a `B` that comes from `A` or `C`."""
    found = []
    for block in path:
        if block == "B" and found[-1] in ("A", "C"):
            found.append("O")
        found.append(block)
    return found


other = cc.run(nested, paths=[with_header(path) for path in PATHS], **launch)
assert [*cc.picture(other.execution, nested, "sums")] == ["A B B C - - D", "A B - C B C D"]
other

# %%
print(other)

# %% [markdown]
# The second pass of thread 0 is the second since the first `O`; that of thread 1 is the first since the
# second `O`. They are different issue_slots, and each thread adds up alone.
#
# Why was `O` needed? With both hearts in `B` there would be no place where one of them is met and the
# other is not, and the rules say so: a heart must be the first convergent operation of its block, and
# two uses of one outer token on one cycle are refused.
#
# ## Without tokens
#
# The same CFG without any token has all of these alignments, and more. `any` asks for every relation
# that has an order:

# %%
TOKENS = ('[ "convergencectrl"(token %heart) ]', '[ "convergencectrl"(token %start) ]')
text = natural.source.text
for bundle in TOKENS:
    text = text.replace(bundle, "")
plain = cc.parse("\n".join(line for line in text.splitlines() if "call token" not in line))
everything = cc.enumerate(plain, paths=PATHS, uncontrolled="any", **launch)
assert len(everything.alignments) == 6
everything

# %% [markdown]
# ## What hardware does
#
# The machines know nothing of tokens: each has its own way to bring lanes together again. `conforms`
# says whether what it did is a legal alignment of the tokens.

# %%
for module, paths in ((natural, PATHS), (nested, [with_header(p) for p in PATHS])):
    print("one loop" if module is natural else "two loops")
    for machine in cc.simulate(module, paths=paths, **launch):
        said = "conforms" if machine.conforms else machine.refused or "departs"
        print(f"  {machine.policy:12} {said}")

# %% [markdown]
# Immediate post-dominators, exec masks that take each latch as a loop, and block numbers in text order
# all give the nested alignment on the first program. That is why a compiler for such a machine must see
# the tokens: it has to build the header that the program asks for, or leave it out.
#
# ## Try it
#
# The sliders say how often each thread passes through `B` before its first and its second visit to `C`
# (none: it leaves after the first). Without widgets, call `show` with numbers.


# %%
def show(a1=2, a2=0, b1=1, b2=1):
    """Both pictures for two threads: passes through B before the first and the second C."""
    paths = []
    for first, second in ((a1, a2), (b1, b2)):
        back = ["B"] * second + ["C"] if second else []
        paths.append(["A", *["B"] * first, "C", *back, "D"])
    for module, taken in ((natural, paths), (nested, [with_header(p) for p in paths])):
        ran = cc.run(module, paths=taken, **launch)
        print("one loop" if module is natural else "two loops")
        for thread, row in enumerate(cc.picture(ran.execution, module, "sums")):
            print(f"  Thread {thread}: {row}")


try:
    from IPython import get_ipython
    from ipywidgets import IntSlider, interact

    interactive = get_ipython() is not None
except ImportError:
    interactive = False
if interactive:
    interact(show, a1=IntSlider(2, 1, 5), a2=IntSlider(0, 0, 5), b1=IntSlider(1, 1, 5), b2=IntSlider(1, 0, 5))
else:
    show()
    show(a1=3, a2=1, b1=1, b2=3)

# %% [markdown]
# ## Exercise 1
#
# Thread 0 takes A B B B C D and thread 1 A B C B C B C D, in the program with one loop, `%x` being 1
# and 10. Which sum does thread 0 see in its third pass?

# %%
answer_1 = None  # a number


def sum_of(ran, thread, nth):
    """What a thread's n-th sum came to."""
    for group in ran.groups:
        if group.operation == "%sum.b" and (thread, nth) in {(m.thread, m.nth) for m in group.members}:
            return group.results[thread]
    raise KeyError((thread, nth))


def check_1(answer):
    """Whether it is the sum of the group that holds thread 0's third pass."""
    ran = cc.run(natural, paths=["A B B B C D".split(), "A B C B C B C D".split()], **launch)
    return answer == sum_of(ran, 0, 3)


HINT_1 = "not yet: who else passes through B for the third time?"
print("right" if check_1(answer_1) else HINT_1)

# %% [markdown]
# <details><summary>Solution</summary>
#
# 11: thread 1 passes for the third time as well, only later in its own trace.
# </details>
#
# ## Exercise 2
#
# And in the program with two loops: which sum does thread 1 see in its *last* pass, on the same ways?

# %%
answer_2 = None  # a number


def check_2(answer):
    """Whether it is the sum of the group that holds thread 1's last pass."""
    taken = [with_header("A B B B C D".split()), with_header("A B C B C B C D".split())]
    ran = cc.run(nested, paths=taken, **launch)
    return answer == sum_of(ran, 1, 3)


HINT_2 = "not yet: is thread 0 ever in the outer loop's third round?"
print("right" if check_2(answer_2) else HINT_2)

# %% [markdown]
# <details><summary>Solution</summary>
#
# 10: thread 0 has only one round of the outer loop, so in its third round thread 1 is alone.
# </details>
