"""``convcheck run --why``: why two instances are converged or not, and what would have made them meet.

covers: cli.commands.run, report.why, sched.why
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence import parse, run
from convergence.alignment import DynamicInstance
from convergence.report.schemas import schema
from convergence.rules import Rule
from convergence.sched.why import Apart, Converged, Never, NotExecuted, Same, why
from convergence.semantics import UsageError
from convergence.semantics.machine.run import Run
from tests.cli.cli_harness import GOOD, ROOT, convcheck, ll, one_line
from tests.launches import explore

NESTED = ROOT / "examples_ll" / "alignments" / "nested.ll"
NATURAL = ROOT / "examples_ll" / "alignments" / "natural.ll"
ANCHORED = ROOT / "examples_ll" / "alignments" / "natural-anchor.ll"

CROSSED = """
; CONVCHECK: --threads 2 --path "A B B D" --path "A B B D"
define void @crossed(i1 %c) convergent {
A:
  %t0 = call token @llvm.experimental.convergence.anchor()
  br label %B
B:
  %t1 = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t0) ]
  %v = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t1) ]
  %t2 = call token @llvm.experimental.convergence.anchor()
  br i1 %c, label %B, label %D
D:
  ret void
}
declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
"""

LOOSE = """
; CONVCHECK: --threads 2 --path "A B B D" --path "A B B D"
define void @loose(i1 %c) convergent {
A:
  br label %B
B:
  %v = call i32 @subgroupAdd(i32 1)
  call void @f()
  call void @f()
  br i1 %c, label %B, label %D
D:
  ret void
}
define void @f() convergent {
  %v = call i32 @subgroupAdd(i32 2)
  %5 = call i32 @subgroupMax(i32 2)
  ret void
}
declare i32 @subgroupAdd(i32) convergent
declare i32 @subgroupMax(i32) convergent
"""

# The anchor's label decides which branch a thread takes, so another label changes what follows.
STEERED = """
define i32 @steered(i32 %x) convergent {
A:
  %t = call token @llvm.experimental.convergence.anchor()
  %sum = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %t) ]
  %alone = icmp eq i32 %sum, %x
  br i1 %alone, label %B, label %C
B:
  %u = call token @llvm.experimental.convergence.anchor()
  %late = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %u) ]
  br label %C
C:
  ret i32 %sum
}
declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.anchor()
"""


def asked(file: Path, *questions: str, also: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    words = [word for question in questions for word in ("--why", question)]
    ran = convcheck("run", "--format", "json", *words, *also, file)
    assert ran.err == ""
    value = json.loads(ran.out)
    Draft202012Validator(schema("run")).validate(value)
    found: list[dict[str, Any]] = value["why"]
    assert [answer["question"] for answer in found] == list(questions)
    return found


@pytest.mark.parametrize(
    ("file", "question", "rule", "words"),
    [
        (NESTED, "%sum.b thread 0 #2, thread 1 #1", "D-LOOP", "%inner was executed for the 2nd time"),
        (NESTED, "%sum.b thread 0 #2, thread 1 #2", "D-LOOP", "%outer was executed for the 1st time"),
        (NATURAL, "%sum.b thread 0 #2, thread 1 #1", "D-LOOP", "for the 2nd time with its token"),
        (NATURAL, "%sum.b thread 0 #1, %heart thread 1 #1", "D-EQ", "%sum.b and %heart are two operations"),
        (NATURAL, "%sum.b thread 1 #1, thread 1 #2", "D-EQ", "two instances of one thread are never"),
    ],
)
def test_the_first_difference_in_words(file: Path, question: str, rule: str, words: str) -> None:
    (answer,) = asked(file, question)
    assert (answer["verdict"], answer["rule"]) == ("not-converged", rule)
    assert words in answer["reason"]
    assert answer["alternatives"] is None
    assert [i["executed"] for i in answer["instances"]] == [2, 2]


def test_text_has_the_source_with_carets_at_the_operation_and_at_the_difference() -> None:
    ran = convcheck("run", "-q", NESTED, "--why", "%sum.b thread 0 #2, thread 1 #2")
    assert ran.code == 0
    picture, _, said = ran.out.partition("\n\n")
    assert picture == "Thread 0: A B B C - - D\nThread 1: A B - C B C D"
    lines = said.splitlines()
    assert "not converged[D-LOOP]: %sum.b thread 0 #2, thread 1 #2: %outer was executed" in lines[0]
    source = NESTED.read_text().splitlines()
    at = {
        name: next(n for n, line in enumerate(source, 1) if f"{name} =" in line)
        for name in ("%outer", "%sum.b")
    }
    assert lines[0].split(": ")[0].endswith(f"nested.ll:{at['%sum.b']}:3")
    rows = [line.strip() for line in lines]
    outer = next(n for n, row in enumerate(rows) if row.startswith(f"{at['%outer']} |"))
    assert rows[outer + 1].endswith("- 1st time in thread 0, 2nd time in thread 1")
    operation = next(n for n, row in enumerate(rows) if row.startswith(f"{at['%sum.b']} |"))
    assert set(rows[operation + 1].removeprefix("|").strip()) == {"^"}
    assert (
        "key of thread 0 #2: use(%sum.b, loop(%inner, loop(%outer, entry(%outside, launch), 1), 2))" in said
    )
    assert (
        "key of thread 1 #2: use(%sum.b, loop(%inner, loop(%outer, entry(%outside, launch), 2), 1))" in said
    )


def test_why_converged() -> None:
    answers = asked(
        NESTED,
        "%sum.b thread 0 #1, thread 1 #1",
        "%inner thread 0 #1, thread 1 #1",
        "%outside thread 0, thread 1",
    )
    assert [a["verdict"] for a in answers] == ["converged"] * 3
    assert [a["rule"] for a in answers] == ["D-USE", "D-LOOP", "D-ENTRY"]
    assert "for the 1st time with that token" in answers[1]["reason"]
    assert answers[2]["reason"] == "their threads were launched together"
    ran = convcheck("run", "-q", NESTED, "--why", "%sum.b thread 0 #1, thread 1 #1")
    assert "group: threads 0, 1 #1" in ran.out


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("%sum.b thread 0 #3, thread 1 #1", "thread 0 executes %sum.b only twice, so there is no #3"),
        ("%sum.b thread 0 #1, thread 1 #9", "thread 1 executes %sum.b only twice, so there is no #9"),
        (
            "%outside thread 0 #2, thread 1 #3",
            "thread 0 executes %outside only once, so there is no #2; thread 1",
        ),
    ],
)
def test_not_executed_says_how_often_it_was(question: str, words: str) -> None:
    (answer,) = asked(NESTED, question)
    assert (answer["verdict"], answer["rule"]) == ("not-executed", None)
    assert answer["reason"].startswith(words)
    ran = convcheck("run", NESTED, "--why", question)
    assert ran.code == 0
    assert "not executed: " in ran.out


def test_never_executed(tmp_path: Path) -> None:
    text = STEERED.replace("%alone = icmp eq", "%alone = icmp ne").replace("i32 %sum, %x", "i32 %sum, %sum")
    (answer,) = asked(
        ll(tmp_path, text), "%late thread 0, thread 1", also=("--threads", "2", "--arg", "%x=1,2")
    )
    assert "thread 0 executes %late never" in answer["reason"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("", "an operation, as %name or @callee#k, is expected at the end"),
        ("nonsense", "is expected at 'nonsense'"),
        ("%sum.b", "'thread N' is expected"),
        ("%sum.b thread 0 #1", "a comma and a second thread is expected"),
        ("%sum.b thread 0 #1, thread 1 #1, thread 2 #1", "nothing more than two instances"),
        ("%sum.b thread x #1, thread 1 #1", "'thread N' is expected at 'thread x"),
        ("%sum.b thread 0 #0, thread 1 #1", "executions are counted from #1"),
        ("%sum.b thread 0 #1, thread 2 #1", "there is no thread 2: this run has threads 0-1"),
        ("%sum.b thread 0, thread 1", "thread 0 executes %sum.b 2 times: say which"),
        ("%sum.c thread 0 #1, thread 1 #1", "did you mean %sum.b?"),
        ("%sums thread 0 #1, thread 1 #1", "%sums is no convergent operation"),
        ("@nothing#1 thread 0 #1, thread 1 #1", "there is no convergent operation @nothing#1"),
        ("%sum.b in @other thread 0 #1, thread 1 #1", "there is no function @other"),
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_question_that_cannot_be_answered_is_exit_2(question: str, words: str, form: str) -> None:
    ran = convcheck("run", "--format", form, NESTED, "--why", question)
    assert (ran.code, ran.out) == (2, "")
    assert one_line(ran.err)
    assert words in ran.err


def test_another_choice_makes_them_meet() -> None:
    """In the anchored program each thread may be alone: some seed does that, and a choice undoes it."""
    for seed in range(20):
        (answer,) = asked(ANCHORED, "%sum.b thread 0 #2, thread 1 #2", also=("--seed", str(seed)))
        if answer["verdict"] != "converged":
            break
    assert (answer["verdict"], answer["rule"]) == ("not-converged", "D-ANCHOR")
    found = answer["alternatives"]
    assert found["summary"].startswith("another choice makes them meet")
    assert found["meeting"]["picture"] == ["A B - B C D", "A B C B C D"]
    assert found["cycle"] is None
    sums = next(o for o in found["meeting"]["operations"] if o["operation"] == "%sum.b")
    assert [len(g["members"]) for g in sums["groups"]] == [2, 2]
    ran = convcheck("run", "-q", ANCHORED, "--seed", str(seed), "--why", "%sum.b thread 0 #2, thread 1 #2")
    assert "    Thread 0: A B - B C D\n    Thread 1: A B C B C D\n" in ran.out


def test_the_choices_of_the_meeting_replay_it(tmp_path: Path) -> None:
    from convergence.semantics.machine import Replay

    made, one, other = apart(CROSSED, "%t2 thread 0 #2, thread 1 #1")
    answer = why(made, (one, other)).answer
    assert isinstance(answer, Apart) and answer.choice is not None and answer.choice.meeting is not None
    meeting = answer.choice.meeting
    again = launched(CROSSED, chooser=Replay([c.option for c in meeting.choices]))
    assert again.keys[one] is again.keys[other]
    assert again.execution == meeting.execution


def test_a_cycle_in_convergence_before_forbids_it() -> None:
    """semantics.md §2, fact 2: with t0 in one group, the labels of t2 cannot be crossed."""
    made = launched(CROSSED)  # the most converged run: t0 is one group
    assert made.keys[instance(made, "%t0", 0, 1)] is made.keys[instance(made, "%t0", 1, 1)]
    answer = why(made, "%t2 thread 0 #1, thread 1 #2").answer
    assert isinstance(answer, Apart) and answer.choice is not None
    assert answer.difference.rule is Rule.D_ANCHOR
    cycle = answer.choice.cycle
    assert cycle is not None
    for early, late in cycle.steps:  # a walk along program order and converged-with, but for the meeting
        assert early.thread == late.thread
        assert position(made, early) < position(made, late)
    for (_, late), (early, _) in zip(cycle.steps, cycle.steps[1:] + cycle.steps[:1], strict=True):
        asked_for = {instance(made, "%t2", 0, 1), instance(made, "%t2", 1, 2)}
        assert made.keys[late] is made.keys[early] or {late, early} == asked_for
    # They meet where t0 is split.
    meeting = answer.choice.meeting
    assert meeting is not None and not answer.choice.least
    assert meeting.keys[instance(made, "%t2", 0, 1)] is meeting.keys[instance(made, "%t2", 1, 2)]
    assert meeting.keys[instance(made, "%t0", 0, 1)] is not meeting.keys[instance(made, "%t0", 1, 1)]


def test_the_cycle_in_words(tmp_path: Path) -> None:
    ran = convcheck("run", "-q", ll(tmp_path, CROSSED), "--why", "%t2 thread 0 #1, thread 1 #2")
    assert "together they would close a cycle in convergence-before (D-ORDER):" in ran.out
    steps = [line.strip() for line in ran.out.splitlines() if line.startswith("    thread")]
    assert len(steps) == 2
    assert sum(", which is converged with thread " in step for step in steps) == 1
    assert sum(", which would be converged with thread " in step for step in steps) == 1
    assert "with all other choices as they are, they cannot meet; with other ones, they do:" in ran.out


def test_no_execution_at_all(tmp_path: Path) -> None:
    """Under entry, the first execution of t2 in one thread never meets the other's second."""
    text = CROSSED.replace(
        "%t0 = call token @llvm.experimental.convergence.anchor()",
        "%t0 = call token @llvm.experimental.convergence.entry()",
    )
    text += "declare token @llvm.experimental.convergence.entry()\n"
    (answer,) = asked(ll(tmp_path, text), "%t2 thread 0 #1, thread 1 #2")
    found = answer["alternatives"]
    assert (found["meeting"], found["complete"]) == (None, True)
    assert found["summary"].startswith("no legal execution makes them meet")
    assert len(found["cycle"]) == 2


def test_an_instance_that_only_the_other_label_gives() -> None:
    """What is executed hangs from the labels: an answer is about executions, not about names."""
    made = launched(STEERED, threads=2, arguments={"x": [1, 2]})
    answer = why(made, "%late thread 0 #1, thread 1 #1").answer
    assert answer == NotExecuted((0, 0))
    assert isinstance(why(made, "%t thread 0, thread 1").answer, Converged)
    assert isinstance(why(made, "%t thread 0, thread 0").answer, Same)
    assert why(made, "%t thread 0, %sum thread 0").answer == Never(False)


@pytest.mark.parametrize(
    ("mode", "rule", "words"),
    [
        ("maximal", "D-FREE", "the header %B was executed for the 1st time in thread 0, for the 2nd"),
        ("none", "D-FREE", "mode none keeps it apart"),
        ("any", "D-FREE", "its groups were chosen apart"),
    ],
)
def test_uncontrolled_operations(tmp_path: Path, mode: str, rule: str, words: str) -> None:
    question = "%v in @loose thread 0 #1, thread 1 #2"
    (answer,) = asked(ll(tmp_path, LOOSE), question, also=("--uncontrolled", mode))
    assert (answer["verdict"], answer["rule"]) == ("not-converged", rule)
    assert words in answer["reason"]
    if mode == "any":
        assert answer["alternatives"]["meeting"] is not None


def test_operations_are_found_by_every_name_they_have(tmp_path: Path) -> None:
    file = ll(tmp_path, LOOSE)
    answers = asked(
        file,
        "%v thread 0 #1, thread 1 #1",  # the launched function's
        "%v in @f thread 0 #1, thread 1 #1",
        "@subgroupMax#1 thread 0 #1, thread 1 #1",
        "%5 thread 0 #1, thread 1 #1",
        "@f#2 thread 0 #1, thread 1 #1",
        "@f#1 thread 0 #1, @f#2 thread 1 #1",
        "%v thread 0#1 and thread 1  # 1",
    )
    assert [a["instances"][0]["function"] for a in answers[:4]] == ["@loose", "@f", "@f", "@f"]
    assert answers[2]["instances"] == answers[3]["instances"]
    assert [a["verdict"] for a in answers] == ["converged"] * 5 + ["not-converged", "converged"]
    ran = convcheck("run", file, "--why", "@f thread 0 #1, thread 1 #1")
    assert ran.code == 2
    assert "@f is several operations: @f#1 in @loose, @f#2 in @loose" in ran.err


def test_calls_of_one_function_are_told_apart(tmp_path: Path) -> None:
    """Two calls of @f: what they execute comes through different ones."""
    (answer,) = asked(ll(tmp_path, LOOSE), "%v in @f thread 0 #1, thread 1 #2")
    assert answer["verdict"] == "not-converged"
    assert "thread 0 comes through @f#1, thread 1 through @f#2" in answer["reason"]
    assert len(answer["places"]) == 3


def test_subgroups(tmp_path: Path) -> None:
    (answer,) = asked(NESTED, "%outside thread 0, thread 1", also=("--subgroup-size", "1"))
    assert (answer["rule"], answer["reason"]) == ("D-EQ", "their threads were launched in different groups")


def test_why_of_a_program_that_a_file_s_defaults_may_not_ask(tmp_path: Path) -> None:
    ran = convcheck("run", ll(tmp_path, CROSSED.replace("; CONVCHECK:", "; CONVCHECK: --why x")))
    assert ran.code == 2
    assert one_line(ran.err)


def test_the_search_says_when_it_was_cut() -> None:
    text = CROSSED.replace(
        "@llvm.experimental.convergence.anchor()\n  br label",
        "@llvm.experimental.convergence.entry()\n  br label",
    )
    text += "declare token @llvm.experimental.convergence.entry()\n"
    answer = why(launched(text), "%t2 thread 0 #1, thread 1 #2", attempts=2).answer
    assert isinstance(answer, Apart) and answer.choice is not None
    assert (answer.choice.meeting, answer.choice.complete) == (None, False)


ENTERED = (
    CROSSED.replace(
        "%t0 = call token @llvm.experimental.convergence.anchor()",
        "%t0 = call token @llvm.experimental.convergence.entry()",
    )
    + "declare token @llvm.experimental.convergence.entry()\n"
)
LOOP_ONLY = LOOSE.replace("  call void @f()\n", "")


@pytest.mark.parametrize(
    ("text", "mode"),
    [(CROSSED, "maximal"), (ENTERED, "maximal"), (LOOP_ONLY, "any")],
    ids=["split", "entry", "any"],
)
def test_they_can_meet_exactly_if_some_alignment_has_them_together(text: str, mode: Any) -> None:
    """Every pair of instances of one operation, in every alignment, against the enumeration."""
    from convergence.semantics.machine import Sample

    paths = ["A B B D".split()] * 2
    alignments = [a.alignment for a in explore(parse(text), function=None if "@f(" not in text else "loose",
        paths=paths, uncontrolled=mode).alignments]  # fmt: skip
    pairs = 0
    more = {"function": "loose"} if "@f(" in text else {}
    for seed in range(6):
        made = launched(text, chooser=Sample(seed), uncontrolled=mode, **more)
        if made.ending.__class__.__name__ == "Illegal":
            continue
        for one in made.keys:
            for other in made.keys:
                if one.site != other.site or one.thread >= other.thread:
                    continue
                pairs += 1
                answer = why(made, (one, other)).answer
                together = any(one in group and other in group for a in alignments for group in a)
                match answer:
                    case Converged():
                        assert together
                    case Apart(_, _, None):
                        assert not together
                    case Apart(_, _, found):
                        assert found is not None
                        assert (found.meeting is not None) is together, (one, other)
                        assert found.meeting is None or found.meeting.keys[one] is found.meeting.keys[other]
                        assert together or found.complete
                    case _:
                        raise AssertionError(answer)
    assert pairs > 10


def test_the_library_call_raises_on_what_it_cannot_read() -> None:
    with pytest.raises(UsageError, match="second thread"):
        why(launched(CROSSED), "%v thread 0 #1")


# -- helpers --


def launched(text: str, **more: Any) -> Run:
    module = parse(text)
    if "threads" not in more:
        more["paths"] = ["A B B D".split()] * 2
    return run(module, **more)


def apart(text: str, question: str) -> tuple[Run, DynamicInstance, DynamicInstance]:
    """The first random run in which the two instances are apart."""
    from convergence.semantics.machine import Sample

    for seed in range(100):
        made = launched(text, chooser=Sample(seed))
        answer = why(made, question)
        if isinstance(answer.answer, Apart):
            return made, answer.first, answer.second
    raise AssertionError("no seed puts them apart")


def instance(made: Run, name: str, thread: int, nth: int) -> DynamicInstance:
    program = made.machine.program
    site = next(k.site for k in made.keys if program.name(k.site) == name)
    return DynamicInstance(thread, site, nth)


def position(made: Run, one: DynamicInstance) -> int:
    return [instance for instance in made.keys if instance.thread == one.thread].index(one)


def test_a_fault_in_a_pair_names_the_option_that_it_was_given_with(tmp_path: Path) -> None:
    path = ll(tmp_path, GOOD)
    for name in ("together", "apart"):
        ran = convcheck("allows", path, "--arg", "%x=1", "--threads", "2", f"--{name}", "%s thread 0")
        assert ran.code == 2
        assert f"--{name} '%s thread 0'" in ran.err
