"""Why each rule is there, in a few words of our own: what ``convcheck explain`` adds to its sentence."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ..frozen import Shown, dataclass
from ..rules import Rule
from .parts import PLAIN, Style

WHY: Mapping[Rule, str] = MappingProxyType(
    {
        Rule.S_BUNDLE: (
            "An operation communicates within one set of threads. Two tokens would name two sets, and an "
            "operand that is no token names none, so neither says who takes part."
        ),
        Rule.S_PRODUCER: (
            "A token stands for one dynamic instance of a control intrinsic, and for the threads that "
            "executed it together. Any other token value has no such instance behind it."
        ),
        Rule.S_ENTRY_FN: (
            "entry hands the caller's group of threads on to the callee. Only calls of a convergent "
            "function are kept together by transforms, so only there does the caller's group mean "
            "anything."
        ),
        Rule.S_ENTRY_BLOCK: (
            "The group at entry is the group at the call. After a branch, or a second time, the threads "
            "that are left are another group, which an anchor or a loop would have to name."
        ),
        Rule.S_ENTRY_FIRST: (
            "entry continues the call itself, so nothing convergent can come between the call and entry: "
            "it would belong to no group that the caller knows."
        ),
        Rule.S_LOOP_FIRST: (
            "loop marks the moment at which an iteration starts counting. An operation before it in its "
            "block would run in the new iteration's block with the old iteration's count."
        ),
        Rule.S_LOOP_TOKEN: (
            "loop counts its executions within the group of an outer token, so it must name that token. "
            "entry and anchor start a group: there is nothing for them to come from."
        ),
        Rule.S_MIX: (
            "Controlled operations say who communicates, uncontrolled ones leave it to the CFG's shape. A "
            "transform may change that shape as soon as tokens carry the meaning, so the two do not go "
            "together."
        ),
        Rule.S_DIRECT: (
            "The intrinsics are markers for the compiler, not code. Behind a pointer no rule about their "
            "place in the CFG could be checked."
        ),
        Rule.S_DOM: (
            "A thread that uses a token must have met its definition, and the token must say statically "
            "which one: a phi or a select would let a thread choose its group at run time."
        ),
        Rule.S_CYCLE_USE: (
            "Were the definition outside, each iteration's execution would name the same group, and the "
            "threads' different iterations could not be told apart. A loop intrinsic (the heart) inside "
            "the cycle counts them."
        ),
        Rule.S_CYCLE_TWICE: (
            "A cycle counts its iterations at one place, its heart. With two places that use the same "
            "outer token there would be two counts, and nothing says which one decides."
        ),
        Rule.S_CYCLE_TWO: (
            "Two tokens from outside, both used in one cycle, again give the cycle two hearts: two ways "
            "of counting that need not agree."
        ),
        Rule.S_HEART_DOM: (
            "Every thread that goes round must pass the heart before anything else in the cycle, so that "
            "what follows is counted to the same iteration whichever way the thread entered."
        ),
        Rule.S_NEST: (
            "The region of a token is where its group is still needed. If the regions of two tokens "
            "overlap without nesting, threads can be held together for the one while the other takes them "
            "apart, and convergence-before may close a cycle."
        ),
        Rule.W_NO_HEART: (
            "The intrinsic counts executions within a cycle. In no cycle it counts to one at most, which "
            "is what its outer token says already. Often the cycle was unrolled or removed."
        ),
        Rule.W_UNUSED_TOKEN: (
            "A token that nothing uses makes no promise to anyone. An unused entry or loop can be "
            "deleted; often an operation next to it has lost its bundle. Compilers write entry into every "
            "convergent function, used or not, so that one is left out unless it is asked for."
        ),
        Rule.W_ANCHOR_CYCLE: (
            "Each iteration's anchor may group threads differently. Where one group should go round "
            "together, the anchor belongs before the cycle, with a loop intrinsic inside."
        ),
        Rule.W_NOT_CONVERGENT: (
            "The bundle alone makes the call convergent, and LLVM's documents disagree on whether it may. "
            "Passes that look at attributes only will treat the call as free to move."
        ),
        Rule.W_UNREACHABLE: (
            "No thread comes here, so the operation never runs; the rules still hold in unreachable code, "
            "and LLVM's verifier does not check all of them there."
        ),
        Rule.W_ENTRY_CALL: (
            "The callee asks for its caller's group, but the call promises none: any grouping of the "
            "threads that arrive is allowed. Mark the call or the callee convergent."
        ),
        Rule.D_THREAD: (
            "Convergence never changes what one thread computes. It only decides whose operands a "
            "convergent operation reads; all else is the ordinary meaning of LLVM IR."
        ),
        Rule.D_EQ: (
            "Threads converge at an instruction, not near it: two different instructions, or two "
            "executions by one thread, are never the same moment."
        ),
        Rule.D_ENTRY: (
            "Threads that called together are together in the callee. A launched function has no call, so "
            "there the environment says who starts together."
        ),
        Rule.D_LOOP: (
            "The heart counts. Threads whose outer tokens agree are together in their first iteration, in "
            "their second, and so on, whichever paths they took in between."
        ),
        Rule.D_USE: (
            "A token carries a group. Whoever holds tokens of converged instances, and gets to the "
            "operation, takes part in it; nobody else does."
        ),
        Rule.D_ANCHOR: (
            "An anchor promises no particular group, only that all who use its token later stay within "
            "the group it made. The implementation picks what is cheap."
        ),
        Rule.D_FREE: (
            "Without tokens the CFG decides. maximal follows LLVM's rule for reconvergence, any allows "
            "everything that is consistent, none keeps every thread alone."
        ),
        Rule.D_CALL: (
            "A function without a body is where threads really exchange data. A call of a function with a "
            "body only carries the group inside, where entry can take it up."
        ),
        Rule.D_ORDER: (
            "Threads can only meet if there is an order of meetings that all of them keep. A cycle would "
            "need one meeting before and after another."
        ),
        Rule.D_MEM: (
            "Memory is sequentially consistent here, the strongest reasonable model, so that what is "
            "reported comes from convergence and not from weak memory. Races are reported as such."
        ),
        Rule.D_SYNC: (
            "Barriers are what orders memory among threads, each as its dialect says: of which storage, for "
            "whom, or not at all. Without this a tile that threads share would be a race."
        ),
        Rule.D_CAUSE: (
            "No result may be needed before the operands that it is made of exist. A group is complete "
            "only when nobody else can still come."
        ),
        Rule.D_DEP: (
            "A transform may reorder code that does not depend on each other. To judge transforms, only "
            "the dependence between operations counts, not their order in the text."
        ),
        Rule.U_SOURCE: (
            "Divergence begins where threads can be told apart: by a lane's number, by what an atomic "
            "operation found, by a call of which nothing is known."
        ),
        Rule.U_ARGUMENT: (
            "A kernel's arguments are set once for all threads. A function's are whatever each caller "
            "passes, unless the convention puts them where all threads read the same register."
        ),
        Rule.U_ALWAYS: (
            "A vote, a reduction or a broadcast makes one value of many. Whoever takes part has it, so it "
            "does not matter how the operands differ."
        ),
        Rule.U_LOAD: (
            "Threads that read one address read one value only if nobody writes in between. Being "
            "converged orders no memory, so a write that may come before the read for one thread makes it "
            "divergent."
        ),
        Rule.U_DATA: (
            "An instruction is a function of its operands. Nothing better is assumed of it: a difference "
            "that would cancel out, as in x - x, counts as one."
        ),
        Rule.U_JOIN: (
            "A phi looks at where its thread came from. Threads that parted come from different sides, "
            "and so have different values even if each of these is the same for all."
        ),
        Rule.U_UNDEF: (
            "Undef in one lane may be anything there. Who takes it for the other lanes' value, and then "
            "replaces a read of another lane by the lane's own, gives that lane undef where it had a "
            "value."
        ),
        Rule.U_EXIT: (
            "A thread that left early carries the value of an early iteration, one that stayed that of a "
            "later one. Inside they agreed in each iteration; outside they meet with different ones."
        ),
        Rule.U_CYCLE: (
            "Which visits of an irreducible cycle are converged depends on which entry is called its "
            "header. A claim has to hold for every choice, so nothing is claimed of what changes in it."
        ),
        Rule.U_TOKEN: (
            "An anchor may split threads in any way, and a vote below it speaks for one part only. Behind "
            "the region of its token the parts are together again, with different results."
        ),
        Rule.E_IF: (
            "A divergent branch cannot send a wave two ways. It runs the lanes that take the branch and "
            "saves the others in a mask; if there is none to run, it jumps over their code."
        ),
        Rule.E_ELSE: (
            "The first arm is over and those that wait for the second are in the saved mask. They change "
            "places with the lanes that have run."
        ),
        Rule.E_BREAK: (
            "Lanes leave a loop in different iterations. Those that want to leave are gathered in a mask, "
            "from one iteration to the next, while they still are on."
        ),
        Rule.E_LOOP: (
            "At the latch those that were gathered go off. The wave leaves the loop with nobody on, when the "
            "last lane has left, and what stands behind wakes them."
        ),
        Rule.E_END: (
            "Where the arms of a branch, or those that left a loop, meet again, the saved lanes are on "
            "again, for all that their block does."
        ),
        Rule.R_ENTRY: (
            "The first instruction of an entry point is executed by all threads of a launch group "
            "together, and a call that is executed together begins the callee together. In no loop each "
            "operation is reached once, so who comes to it by the end of the constructs around is "
            "together there."
        ),
        Rule.R_LOOP: (
            "An iteration begins with those that went round before. A block that breaks is left by "
            "threads of one iteration, so it belongs to the loop although no path leads back from it; at "
            "the merge block all meet that entered the loop together."
        ),
        Rule.R_CASE: (
            "The extension leaves it to the implementation whether threads with different values of the "
            "selector that come to one case are together, and whether those join that fall through to it. "
            "Threads with one value stay together, and so do those who are together in the case before."
        ),
        Rule.R_UNIFORM: (
            "SPIR-V itself speaks of uniform control flow only: as long as all threads of the invocation "
            "group go one way, and again at the merge block of a construct that all entered and left so."
        ),
        Rule.R_HEADER: (
            "Constructs are made of dominance. If a merge block can be reached past its header, or is "
            "that of two headers, nobody can say which threads it waits for."
        ),
        Rule.R_BACK: (
            "Iterations are told apart at the header, and the continue construct is where those meet that "
            "go round: a second way back would go past it."
        ),
        Rule.R_EXIT: (
            "Where threads could leave a construct in the middle, or come into it, its merge block would "
            "not be the place where those meet that were parted."
        ),
        Rule.R_SELECT: (
            "A branch that parts threads has to say where they meet again, unless all ways but one lead "
            "to a place that a construct around it has declared."
        ),
        Rule.R_SWITCH: (
            "Threads of several cases are in one block only behind a case that falls through, and that is "
            "where it may be chosen who is together. Elsewhere nobody would have said so."
        ),
        Rule.R_JOIN: (
            "Threads reconverge at merge blocks, continue targets and cases, and nowhere else. At another "
            "block to which two lead, they would come together and be promised nothing."
        ),
        Rule.E_KILL: (
            "The lane's thread is over: it will not be at the join at which the others wait for it, and "
            "nobody may turn it on there."
        ),
        Rule.E_WHOLE: (
            "A reduction over the wave may want every lane. The code is run with all bits of exec "
            "set, so lanes that the program left out need a value that does no harm: set.inactive."
        ),
        Rule.E_QUAD: (
            "A derivative needs four neighbours. In whole quad mode a lane that is off helps those of its "
            "quad that are on, and what it computes is seen by nobody else."
        ),
        Rule.E_WAVE: (
            "Masks are in scalar registers, of which a wave has one copy, so a lane that was off when a mask "
            "changed finds it changed. A branch that LLVM left as it is must be uniform: there is no mask "
            "for lanes that would go another way."
        ),
    }
)


def why(rule: Rule) -> str:
    """The rule's reason, one short paragraph."""
    return WHY[rule]


# -- What ``convcheck explain`` says about one rule, or about all of them

WIDTH = 100
_KINDS = {
    "S": "Static rules: an error",
    "W": "Warnings: legal but suspicious",
    "D": "Dynamic rules: what an execution obeys",
    "E": "Exec masks in lowered code",
    "R": "SPIR-V: what constructs mean, and what keeps them whole",
    "U": "Rules of uniformity: what is divergent",
}


@dataclass(frozen=True, slots=True)
class Example:
    """One example file of a rule.

    ``kind``  ``good``, ``bad``, ``shows``, ``nested.bad``, ...: what stands between rule and suffix
    ``name``  the file's name
    ``text``  the program, without the lines that are for the test runner
    ``runs``  commands and all that they print, where the file records that
    """

    kind: str
    name: str
    text: str
    runs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation(Shown):
    """A rule, its plain ``examples``, and the names of ``more`` of them."""

    rule: Rule
    examples: tuple[Example, ...] = ()
    more: tuple[str, ...] = ()

    __repr__ = Shown.__repr__


class NoRule(LookupError):
    """There is no rule of that name; ``near`` are those like it."""

    def __init__(self, word: str, near: Sequence[str]) -> None:
        super().__init__(word, near)
        self.word, self.near = word, tuple(near)

    def __str__(self) -> str:
        hint = f"Near it: {', '.join(self.near)}." if self.near else "`convcheck explain` lists all rules."
        return f"There is no rule {self.word!r}. {hint}"


def rule_named(word: str) -> Rule:
    """The rule that a word names, in any case, with ``_`` or ``-``. Raises NoRule."""
    known = {rule.id: rule for rule in Rule}
    value: object = word
    if not isinstance(value, str):
        raise TypeError(f"a rule is named by a text, as 'D-LOOP', and not by {word!r}")
    wanted = word.strip().upper().replace("_", "-")
    if (rule := known.get(wanted)) is not None:
        return rule
    from difflib import get_close_matches

    near = get_close_matches(wanted, known, n=3, cutoff=0.5)
    near += [rule_id for rule_id in known if wanted and wanted in rule_id and rule_id not in near]
    raise NoRule(word, near[:5])


_HEADINGS = {
    "good": "Keeps it",
    "bad": "Breaks it",
    "warns": "Is warned about",
    "shows": "Shows it",
    "excludes": "Has no execution that breaks it",
}


def heading(kind: str) -> str:
    """What an example of a kind such as ``bad`` or ``callbr.bad`` shows."""
    return _HEADINGS.get(kind.rpartition(".")[2], "Example")


def _example_text(example: Example, style: Style) -> str:
    """An example under its heading: the program, then what commands print for it."""
    parts = [example.text, *(f"$ {command}\n{output}" for command, output in example.runs)]
    indented = textwrap.indent("\n".join(parts), "  ", lambda line: bool(line.strip()))
    return f"{style.strong(heading(example.kind))} ({example.name}):\n\n{indented.rstrip()}"


def rule(value: Rule, examples: Sequence[Example], more: Sequence[str] = (), style: Style = PLAIN) -> str:
    """One rule: title, sentence, reason, LLVM's document, its examples, and the names of ``more`` of them."""
    parts = [
        f"{style.strong(value.id)}: {value.title}",
        textwrap.fill(value.sentence, WIDTH),
        textwrap.fill("Why: " + why(value), WIDTH),
        f"{value.authority}'s document: {value.link}",
    ]
    parts += [_example_text(example, style) for example in examples]
    if value.id.startswith("W-"):
        parts.insert(3, textwrap.fill(_switches(value), WIDTH, break_on_hyphens=False))
    if more:
        named = "More examples, with --all: " + ", ".join(more)
        parts.append(textwrap.fill(named, WIDTH, break_on_hyphens=False))
    return "\n\n".join(parts) + "\n"


_ON_REQUEST = {Rule.W_UNUSED_TOKEN: "Of entry it is said on request only"}
"""What is left out of a warning by default."""


def _switches(value: Rule) -> str:
    """How ``verify`` is told to say a warning, or not to, or to fail for it."""
    name = value.id.removeprefix("W-").lower()
    silent = _ON_REQUEST.get(value)
    switch = f" {silent} (-W{name})." if silent else ""
    return f"Options: -Wno-{name} leaves it out, -Werror={name} makes it an error.{switch}"


def rules(style: Style = PLAIN) -> str:
    """All rules, one a line, by kind."""
    lines: list[str] = []
    width = max(len(value.id) for value in Rule)
    for kind, heading in _KINDS.items():
        lines += [style.strong(heading)]
        lines += [f"  {value.id:<{width}}  {value.title}" for value in Rule if value.id.startswith(kind)]
        lines += [""]
    lines += [
        "verify -Wno-NAME leaves a warning out, -WNAME asks for it, -Werror=NAME makes it an error.",
        "convcheck explain RULE says more about one.",
    ]
    return "\n".join(lines) + "\n"
