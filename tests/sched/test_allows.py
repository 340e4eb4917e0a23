"""``allows`` and ``litmus``: questions about all executions, held against what enumeration gives.

covers: cli.commands.allows, cli.commands.litmus, report.allows, report.litmus, sched.ask.litmus,
sched.ask.question
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

import convergence as cc
from convergence.report.schemas import schema
from convergence.sched.ask.question import holds, read_condition, read_rows, read_state
from convergence.semantics.machine.run import Outcome, ThreadOutcome
from tests.cli.cli_harness import ROOT, convcheck

SHELF = ROOT / "examples_ll" / "alignments"
NATURAL = cc.parse_file(SHELF / "natural.ll")
NESTED = cc.parse_file(SHELF / "nested.ll")
TWO = "A B - B C D / A B C B C D"
THREE = "A B B C - - D / A B - C B C D"


def test_the_two_pictures_of_the_readme_each_belong_to_one_program() -> None:
    assert cc.allows(NATURAL, TWO)
    assert cc.allows(NESTED, THREE)
    against = cc.allows(NATURAL, THREE)
    assert (against.verdict, against.rule) == ("forbidden", cc.Rule.D_USE)
    against = cc.allows(NESTED, TWO)
    assert (against.verdict, against.rule) == ("forbidden", cc.Rule.D_LOOP)


@pytest.mark.parametrize("name", ["natural", "nested", "natural-anchor", "nested-anchor"])
def test_a_picture_is_allowed_iff_enumeration_draws_it(name: str) -> None:
    path = SHELF / f"{name}.ll"
    if not path.exists():
        pytest.skip(f"there is no {name}.ll")
    module = cc.parse_file(path)
    words = [word for line in module.directives for word in line.words()]
    paths = [words[n + 1] for n, word in enumerate(words) if word == "--path"]
    found = cc.enumerate(module, paths=paths, arguments={"x": [1, 10]})
    drawn = {tuple(a.to_dict()["picture"]) for a in found}
    for picture in {*drawn, tuple(TWO.split(" / ")), tuple(THREE.split(" / "))}:
        answer = cc.allows(module, picture, arguments={"x": [1, 10]})
        assert (answer.verdict == "allowed") == (picture in drawn), picture
        assert (answer.rule is None) == (answer.verdict == "allowed")
        if answer.alignment is not None:
            assert tuple(answer.to_dict()["alignment"]["picture"]) == picture


def test_pairs_and_states_hold_in_one_execution() -> None:
    module = cc.parse_file(SHELF / "natural-anchor.ll")
    launch = {"paths": ["A B B C D", "A B C B C D"], "arguments": {"x": [1, 10]}}
    meets = "%sum.b thread 0 #1, thread 1 #1"
    assert cc.allows(module, together=meets, state="0:return=1111", **launch)  # type: ignore[arg-type]
    assert cc.allows(module, apart=meets, state="0:return=101", **launch)  # type: ignore[arg-type]
    assert not cc.allows(module, together=meets, state="0:return=101", **launch)  # type: ignore[arg-type]
    assert not cc.allows(module, together=meets, apart=meets, **launch)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("picture", "rule"),
    [
        ("A B C D / A D - -", "D-EQ"),
        ("A B C D", None),
        ("A D", "D-THREAD"),
        ("B C D", "D-THREAD"),
        ("A B", "D-THREAD"),
    ],
)
def test_what_no_thread_can_do(picture: str, rule: str | None) -> None:
    found = cc.allows(NATURAL, picture, arguments={"x": 1})
    assert (None if found.rule is None else found.rule.id) == rule


def test_arguments_decide_where_they_say_all() -> None:
    module = cc.parse(
        "define i32 @f(i1 %c) convergent {\ne:\n  br i1 %c, label %a, label %b\n"
        "a:\n  ret i32 1\nb:\n  ret i32 2\n}\n"
    )
    assert cc.allows(module, "e a - / e - b")
    found = cc.allows(module, "e a - / e - b", arguments={"c": 1})
    assert (found.verdict, found.rule) == ("forbidden", cc.Rule.D_THREAD)


def test_a_bound_leaves_it_open() -> None:
    module = cc.parse_file(SHELF / "natural-anchor.ll")
    launch = {"paths": ["A B B C D", "A B C B C D"], "arguments": {"x": [1, 10]}}
    found = cc.allows(module, state="0:return=101", max_executions=1, **launch)  # type: ignore[arg-type]
    assert found.verdict == "unknown"


def outcome(returns: tuple[int, int], x: int) -> Outcome:
    threads = tuple(ThreadOutcome(n, "returned", value, ()) for n, value in enumerate(returns))
    return Outcome(threads, {"@x": x, "@a": [x, [1, 2]]})


CONDITIONS: dict[str, Callable[[int, int, int], bool]] = {
    r"0:return=1 /\ 1:return=0": lambda a, b, x: a == 1 and b == 0,
    "0:return=1 or 1:return=0 and @x=2": lambda a, b, x: a == 1 or (b == 0 and x == 2),
    r"~(0:return=1:return) \/ @x != 0": lambda a, b, x: a != b or x != 0,
    "not 0:return = 0x1 && @a[0]==@x": lambda a, b, x: a != 1,
    "@a[1][1]=2 and (@x=1 or @x=2)": lambda a, b, x: x in (1, 2),
    "5:return=1 or 5:return!=1 or @y=0 or @a[7]=0": lambda a, b, x: False,
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_mean_what_python_says(text: str) -> None:
    proposition = read_state(text)
    for a, b, x in product((0, 1), (0, 1), (0, 1, 2)):
        assert holds(proposition, outcome((a, b), x)) == CONDITIONS[text](a, b, x)


@pytest.mark.parametrize("launch", [{}, {"paths": ["A B C D"] * 2}, {"arguments": {"x": [1, 2]}}])
@pytest.mark.parametrize("picture", ["A B C Q / A B C D", "A Q C D / A B C D"])
def test_a_picture_of_blocks_that_the_program_lacks_is_no_question(launch: Any, picture: str) -> None:
    with pytest.raises(cc.UsageError, match="has no block %Q"):
        cc.allows(NATURAL, picture, **launch)


@pytest.mark.parametrize(
    "text", ["", "(0:return=1", "0:return", "0:return=1 1:return=1", "x=1", "0:return==", "#"]
)
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(cc.UsageError):
        read_state(text)


def test_quantifiers_and_rows_are_read() -> None:
    assert [read_condition(f"{q} (@x=1)").quantifier for q in ("exists", "forall", "~ exists")] == [
        "exists",
        "forall",
        "~exists",
    ]
    with pytest.raises(cc.UsageError, match="begins with exists"):
        read_condition("(@x=1)")
    assert read_rows("Thread 0: A - B\nThread 1: A") == (("A", None, "B"), ("A", None, None))
    assert read_rows('"odd name" B') == (("odd name", "B"),)


LITMUS = """
; LITMUS: forall (0:return=1 /\\ 1:return=1)
; LITMUS: ~exists (0:return=0 /\\ 1:return=0)
; LITMUS: exists (0:return=0)
@a = global [2 x i32] zeroinitializer
define i32 @f(i32 %own, i32 %peer) convergent {
entry:
  %group = call token @llvm.experimental.convergence.entry()
  %mine = getelementptr [2 x i32], ptr @a, i32 0, i32 %own
  %theirs = getelementptr [2 x i32], ptr @a, i32 0, i32 %peer
  store atomic i32 1, ptr %mine monotonic, align 4
  %r = load atomic i32, ptr %theirs monotonic, align 4
  ret i32 %r
}
declare token @llvm.experimental.convergence.entry()
"""


def test_a_condition_by_level() -> None:
    found = cc.litmus(cc.parse(LITMUS), threads=2, arguments={"own": [0, 1], "peer": [1, 0]})
    truths = [[cell.truth for cell in row.cells.values()] for row in found]
    assert truths == [
        ["fails", "fails", "fails", "holds", "holds"],
        ["holds"] * 5,
        ["holds", "holds", "holds", "fails", "fails"],
    ]
    counts = found.rows[0].cells["none"]
    assert (counts.matching, counts.outcomes) == (1, 3)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_file_that_breaks_a_static_rule_has_the_answer_of_verify(form: str) -> None:
    broken = "examples_ll/rules/S-NEST.bad.ll"
    ran, enumerated = (convcheck(command, broken, "--format", form) for command in ("litmus", "enumerate"))
    assert ran == enumerated
    assert ran.code == 1
    assert "S-NEST" in ran.out
    if form == "json":
        Draft202012Validator(schema("verify")).validate(json.loads(ran.out))
    tables = convcheck("litmus", broken, "--format", "junit")
    assert (tables.code, tables.out) == (1, "")
    assert "the static rules are broken" in tables.err


def test_the_commands_codes_and_json(tmp_path: Path) -> None:
    file = tmp_path / "sb.ll"
    file.write_text("; CONVCHECK: --threads 2 --arg %own=0,1 --arg %peer=1,0\n" + LITMUS)
    done = convcheck("litmus", str(tmp_path), "--model", "memory", "--model", "none", "--format", "json")
    assert done.code == 1
    answer = json.loads(done.out)
    Draft202012Validator(schema("litmus")).validate(answer)
    assert list(answer["files"][0]["conditions"][0]["models"]) == ["none", "memory"]
    assert convcheck("litmus", str(file), "--model", "memory").code == 1  # the third line fails there
    suite = ElementTree.fromstring(convcheck("litmus", str(file), "--model", "none", "--format", "junit").out)
    assert [suite.get(name) for name in ("tests", "failures", "skipped")] == ["3", "1", "0"]
    shown = convcheck("litmus", str(file), "--model", "none", "--format", "markdown").out
    assert "fails 1/3" in shown
    natural = "examples_ll/alignments/natural.ll"
    for arguments, code, verdict in (
        (["--alignment", TWO], 0, "allowed"),
        (["--alignment", THREE], 1, "forbidden"),
        (["--alignment", TWO, "--path", "A B C D", "--path", "A B C D"], 1, "forbidden"),
        (["--state", "0:return=1111"], 0, "allowed"),
    ):
        done = convcheck("allows", natural, *arguments, "--format", "json")
        answer = json.loads(done.out)
        Draft202012Validator(schema("allows")).validate(answer)
        assert (done.code, answer["verdict"]) == (code, verdict)
    assert convcheck("allows", natural).code == 2
    assert "[D-USE]" in convcheck("allows", natural, "--alignment", THREE).out
