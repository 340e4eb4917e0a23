"""``allows`` and ``litmus``: questions about all executions, held against what enumeration gives.

covers: cli.commands.allows, cli.commands.litmus, report.allows, report.litmus, sched.ask.litmus,
sched.ask.question, sched.ask.fitted
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


HELD = """
@a = internal global [2 x i8] [i8 0, i8 -1]
@s = global { i32, [2 x i1] } { i32 -1, [2 x i1] [i1 true, i1 false] }
@c = constant i32 1
@l = thread_local global i32 1
@large = global [70000 x i32] zeroinitializer
@w = internal addrspace(3) global i32 poison
@gone = extern_weak global i32
define i32 @f() convergent {
  %n = call i32 @num_groups()
  store i32 7, ptr addrspace(3) @w
  ret i32 -1
}
define void @nothing() {
  ret void
}
declare i32 @num_groups()
"""
ABSENT = {
    "@zz=1": "there is no variable @zz",
    "~(@zz!=1)": "there is no variable @zz",
    "0:return=-1 or @zz=1": "there is no variable @zz",
    "@f=1": "there is no variable @f",
    "@a[2]=1": r"@a\[2\]: @a has 2 elements, from 0: there is no 2",
    "@s[1][2]=0": r"@s\[1\]\[2\]: @s\[1\] has 2 elements, from 0: there is no 2",
    "@s[2]=0": r"@s\[2\]: @s has 2 elements",
    "@a[0][0]=1": r"@a\[0\] is an i8, which has no elements",
    "0:@a[0]=1": "all threads share @a",
    "2:return=1": "2:return: there is no thread 2: this launch has threads 0-1",
    "0:return=5:return": "there is no thread 5",
    "2:@l=1": "2:@l: there is no thread 2",
    "@l=1": "each thread has its own @l: 0:@l is that of thread 0",
    "@c=1": "@c is constant, and no part of a final state",
    "@gone=1": "@gone is absent",
    "@a=1": r"@a is \[2 x i8\], and no number",
    "@large[5]=0": "@large has too many elements",
}
FITTING = {
    **dict.fromkeys(("0:return=-1", "0:return=0xffffffff", "4294967295=1:return", "0:return=-1.0"), True),
    **dict.fromkeys(("@s[0]=0xFFFFFFFF", "@a[1]=255", "@a[1]=-1", "1:@l=1"), True),
    **dict.fromkeys(("@s[1][0]=1", "@s[1][0]=-1", "@s[1][0]=true"), True),
    **dict.fromkeys(("@a[1]!=255", "@a[1]=127", "@s[1][1]=1", "0:return=0x7fffffff", "1:@l=-1"), False),
}
UNFIT = {
    "0:return=4294967296": "0:return is an i32: 4294967296 does not fit",
    "-2147483649=0:return": "0:return is an i32: -2147483649 does not fit",
    "@a[0]=256": r"@a\[0\] is an i8: 256 does not fit",
    "@s[1][0]=2": r"@s\[1\]\[0\] is an i1: 2 does not fit",
    "0:return=1.5": "0:return is an i32: 1.5 is no integer",
}


@pytest.mark.parametrize("state", [*ABSENT, *UNFIT])
def test_a_state_that_names_what_is_not_there_is_a_usage_error(state: str) -> None:
    module = cc.parse(HELD)
    launch: dict[str, Any] = {"function": "f", "threads": 2, "globals": {"gone": "absent"}}
    launch["buffers"] = {"@large": "i32[70000]"}
    with pytest.raises(cc.UsageError, match={**ABSENT, **UNFIT}[state]):
        cc.allows(module, state=state, **launch)
    stated = cc.parse(f"; A comment.\n; LITMUS: ~exists (@a[0]=1)\n; LITMUS: ~exists ({state})\n" + HELD)
    with pytest.raises(cc.UsageError, match="^line 3: .*" + {**ABSENT, **UNFIT}[state]):
        cc.litmus(stated, **launch)


@pytest.mark.parametrize("state", FITTING)
def test_integers_are_compared_in_the_bits_of_their_type(state: str) -> None:
    launch: dict[str, Any] = {"function": "f", "threads": 2}
    module = cc.parse(HELD.replace("@gone = extern_weak global i32\n", ""))
    assert bool(cc.allows(module, state=state, **launch)) is FITTING[state]
    stated = cc.parse(f"; LITMUS: forall ({state})\n" + module.source.text)
    cells = cc.litmus(stated, ("none",), **launch).rows[0].cells
    assert cells["none"].truth == ("holds" if FITTING[state] else "fails")


def test_a_function_that_returns_nothing_has_no_return() -> None:
    with pytest.raises(cc.UsageError, match="0:return: @nothing returns nothing"):
        cc.allows(cc.parse(HELD), state="0:return=1", function="nothing")


def test_memory_of_each_workgroup_is_named() -> None:
    module = cc.parse(HELD)
    launch: dict[str, Any] = {"function": "f", "grid": 2, "workgroup": 1, "globals": {"gone": "absent"}}
    assert cc.allows(module, state='@"w (workgroup 1)"=7', **launch)
    with pytest.raises(cc.UsageError, match=r'each workgroup has its own @w: @"w \(workgroup 0\)" is one'):
        cc.allows(module, state="@w=7", **launch)


def test_the_commands_name_the_file_and_the_line(tmp_path: Path) -> None:
    file = tmp_path / "a.ll"
    file.write_text("; CONVCHECK: --function @f --global @gone=absent\n; LITMUS: ~exists (@zz=1)\n" + HELD)
    ran = convcheck("litmus", file)
    assert (ran.code, ran.out, ran.err) == (2, "", f"convcheck: {file}:2: there is no variable @zz\n")
    ran = convcheck("allows", file, "--state", "5:return=1")
    words = "5:return: there is no thread 5: this launch has thread 0 only"
    assert (ran.code, ran.out, ran.err) == (2, "", f"convcheck: {file}: {words}\n")
    file.write_text("; CONVCHECK: --function @f --global @gone=absent\n; LITMUS: (@zz=1)\n" + HELD)
    assert convcheck("litmus", file).err.startswith(f"convcheck: {file}:2: '(@zz=1)': a condition begins")


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


STAND_IN = "declare i32 @ext(i32)\ndefine i32 @f() {\n  %v = call i32 @ext(i32 1)\n  ret i32 %v\n}\n"
RACE = """
@g = global i32 0
define i32 @f(i32 %t) {
  store i32 %t, ptr @g
  %v = load i32, ptr @g
  ret i32 %v
}
"""


@pytest.mark.parametrize(
    ("text", "launch", "note"),
    [
        (STAND_IN, {"threads": 1}, "@ext has no model: its results are stand-ins"),
        (RACE, {"threads": 2, "arguments": {"t": [0, 1]}}, "accesses to @g race"),
    ],
)
@pytest.mark.parametrize("engine", ["directed", "operational"])
def test_what_an_answer_rests_on_is_said(text: str, launch: dict[str, Any], note: str, engine: Any) -> None:
    """That no outcome is so may be because values were made up, or are undef."""
    value = cc.allows(cc.parse(text), state="0:return=7", engine=engine, **launch)
    assert value.verdict == "forbidden"
    assert f"\nnote: {note}" in str(value)
    assert any(said.startswith(note) for said in value.to_dict()["notes"])


@pytest.mark.parametrize("engine", ["directed", "operational", "axiomatic"])
def test_the_engine_of_a_question_is_none_for_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """Without LLVM there is no native code, which nobody asked for."""
    path = tmp_path / "a.ll"
    path.write_text("define i32 @f() {\n  ret i32 7\n}\n")
    monkeypatch.setenv("CONVCHECK_LLVM", "off")
    ran = convcheck("allows", "--engine", engine, "--state", "0:return=7", path)
    assert ran.code == 0 and ran.out.startswith("allowed"), ran.err


def test_what_a_table_of_conditions_rests_on_is_said() -> None:
    text = "; LITMUS: exists (0:return=1)\n; CONVCHECK: --threads 2\n" + RACE
    value = cc.litmus(cc.parse(text), threads=2, arguments={"t": [0, 1]})
    assert "note: " in str(value) and "accesses to @g race" in str(value)
    (file,) = value.to_dict()["files"]
    assert any(note.startswith("accesses to @g race") for note in file["notes"])
