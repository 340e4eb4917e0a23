"""``convcheck run`` end to end: the acceptance pictures, launches, endings, forms, defaults in files.

covers: cli.plumbing.options, report.parts.words, report.run, semantics.machine.run
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.report.schemas import schema
from convergence.semantics import Ending
from convergence.semantics.machine.machine import Machine
from tests.cli.cli_harness import BAD, GOOD, ROOT, convcheck, ll, one_line, process

ALIGNMENTS = ROOT / "examples_ll" / "alignments"
PATHS = ["--path", "A B B C D", "--path", "A B C B C D"]


def run_json(*arguments: str | Path) -> dict[str, Any]:
    ran = convcheck("run", "--format", "json", *arguments)
    assert ran.err == ""
    value: dict[str, Any] = json.loads(ran.out)
    Draft202012Validator(schema("run")).validate(value)
    return value


@pytest.mark.parametrize(
    ("name", "picture", "sums", "returned"),
    [
        ("natural", ["Thread 0: A B - B C D", "Thread 1: A B C B C D"], [[11, 11], [11, 11]], [1111, 1111]),
        ("nested", ["Thread 0: A B B C - - D", "Thread 1: A B - C B C D"], [[11, 1], [11, 10]], [1101, 1110]),
    ],
)
def test_acceptance(name: str, picture: list[str], sums: list[list[int]], returned: list[int]) -> None:
    """The two pictures of the definition, exactly, and the sums for operands 1 and 10."""
    path = ALIGNMENTS / f"{name}.ll"
    ran = convcheck("run", path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[:2] == picture
    value = run_json(path)
    assert value["ending"] == "returned"
    assert [f"Thread {n}: {row}" for n, row in enumerate(value["alignment"]["picture"])] == picture
    (operation,) = [o for o in value["alignment"]["operations"] if o["callee"] == "@subgroupAdd"]
    for thread in (0, 1):
        got = {
            member["nth"]: group["results"][str(thread)]
            for group in operation["groups"]
            for member in group["members"]
            if member["thread"] == thread
        }
        assert [got[n] for n in sorted(got)] == sums[thread]
    assert [thread["return"] for thread in value["outcome"]["threads"]] == returned


def test_all_blocks_adds_the_nested_program_s_header() -> None:
    said = convcheck("run", "--all-blocks", ALIGNMENTS / "nested.ll").out.splitlines()
    assert said[0].split()[2:4] == ["A", "O"]


def test_path_values_that_only_decide_branches_need_not_be_known(tmp_path: Path) -> None:
    text = (ALIGNMENTS / "natural.ll").read_text().replace("; CONVCHECK:", ";")
    ran = convcheck("run", *PATHS, "--arg", "%x=1,10", ll(tmp_path, text))
    assert ran.out.startswith("Thread 0: A B - B C D\nThread 1: A B C B C D\n")
    ran = convcheck("run", "--threads", "2", "--arg", "%x=1,10", ll(tmp_path, text))
    assert ran.code == 2
    assert "%again" in ran.err


def test_the_answer_in_full(tmp_path: Path) -> None:
    ran = convcheck("run", "--threads", "3", "--arg", "%x=1,2,4", ll(tmp_path, GOOD))
    assert ran.out == (
        "Thread 0: 0\nThread 1: 0\nThread 2: 0\n\n"
        "%s (@subgroupAdd):\n  threads 0-2 #1: 7\n\n"
        "Threads 0-2 returned 7\n"
    )
    assert convcheck("run", "-q", "--arg", "%x=1", ll(tmp_path, GOOD)).out == "Thread 0: 0\n"


def test_subgroups_never_meet(tmp_path: Path) -> None:
    ran = convcheck("run", "--threads=4", "--subgroup-size=2", "--arg", "%x=1,2,4,8", ll(tmp_path, GOOD))
    assert "  threads 0, 1 #1: 3\n  threads 2, 3 #1: 12\n" in ran.out


def test_a_thousand_threads(tmp_path: Path) -> None:
    ran = convcheck("run", "--threads", "1024", "--arg", "%x=1", ll(tmp_path, GOOD))
    assert ran.code == 0
    assert "threads 0-1023 #1: 1024\n" in ran.out


def test_the_static_rules_come_first(tmp_path: Path) -> None:
    path = ll(tmp_path, BAD)
    ran = convcheck("run", "--arg", "%x=1", path)
    assert ran.code == 1
    assert ran.out.startswith(f"{path}:9:40: error[S-CYCLE-USE]")
    assert "--no-verify" in ran.out
    value = json.loads(convcheck("run", "--format", "json", path).out)
    Draft202012Validator(schema("verify")).validate(value)
    ran = convcheck("run", "--no-verify", "--arg", "%x=9", path)
    assert ran.code == 0
    assert ran.out.startswith("Thread 0: A B C\n")


def test_what_llvm_refuses_is_not_run(tmp_path: Path) -> None:
    text = GOOD.replace("ret i32 %s", "ret i32 %y\nunused:\n  %y = add i32 %x, 1\n  ret i32 %y")
    ran = convcheck("run", "--arg", "%x=1", ll(tmp_path, text))
    assert ran.code == 2
    assert one_line(ran.err)


BODIES = {
    "undefined": (
        "%q = sdiv i32 1, %x\n  ret i32 %q",
        1,
        "undefined-behaviour",
        "Undefined behaviour in thread 0: ",
    ),
    "endless": (
        "br label %l\nl:\n  br label %l",
        1,
        "endless",
        "Endless: thread 0 goes round for ever",
    ),
    "unmodelled": ("%q = va_arg ptr null, i32\n  ret i32 %q", 3, "not-modelled", "Not modelled: "),
}


@pytest.mark.parametrize("kind", BODIES)
def test_other_endings_say_why_and_where(tmp_path: Path, kind: str) -> None:
    body, code, ending, said = BODIES[kind]
    path = ll(tmp_path, f"define i32 @f(i32 %x) {{\n  {body}\n}}\n")
    ran = convcheck("run", "--max-steps", "500", "--arg", "%x=0", path)
    assert ran.code == code
    assert said in ran.out
    if kind == "endless":
        assert f"thread 0 comes back to %l ({path}:4:3) in @f" in ran.out
    else:
        assert f"at {path}:2:3 in @f" in ran.out
    value = run_json("--max-steps", "500", "--arg", "%x=0", path)
    assert value["ending"] == ending
    assert value["reason"][1:] in ran.out
    assert value["outcome"]["threads"][0]["ended"] == "unfinished"


COUNTING = """define i32 @f(i32 %x) {
  br label %l
l:
  %i = phi i32 [ 0, %0 ], [ %n, %l ]
  %n = call i32 @next(i32 %i)
  br label %l
}
define i32 @next(i32 %i) {
  %m = add i32 %i, 1
  ret i32 %m
}
"""


def test_a_bound_names_where_all_threads_stood(tmp_path: Path) -> None:
    """Not the first instruction, and after a block's phis: these took their values on the way in."""
    path = ll(tmp_path, COUNTING)
    ran = convcheck("run", "--max-steps", "7", "--arg", "%x=0", path)
    assert ran.out.splitlines()[-3:] == [
        "Stopped: the bound --max-steps 7 was hit, in thread 0",
        f"  at {path}:9:3 in @next",
        f"  at {path}:5:3 in @f",
    ]
    ran = convcheck("run", "--max-steps", "10", "--threads", "3", "--arg", "%x=0", path)
    assert ran.out.splitlines()[-4:] == [
        "Stopped: the bound --max-steps 10 was hit, in thread 1",
        f"  at {path}:2:3 in @f",
        f"  thread 0 at {path}:6:3 in @f",
        f"  thread 2 at {path}:2:3 in @f",
    ]


LONG = """define i32 @f() {
A:
  br label %l
l:
  %n = phi i64 [ 0, %A ], [ %m, %l ]
  %m = add i64 %n, 1
  %c = icmp eq i64 %m, 0
  br i1 %c, label %out, label %l
out:
  ret i32 0
}
"""


def test_a_timeout_is_named(tmp_path: Path) -> None:
    path = ll(tmp_path, LONG)
    ran = convcheck("run", "--timeout", "0.05", "--max-steps", "999999999", path)
    assert ran.code == 3
    assert "--timeout 0.05" in ran.out
    ran = convcheck("run", "--timeout", "nan", path)
    assert (ran.code, "'nan' is not a number of seconds" in ran.err) == (2, True)


EVENTS = """@g = global i32 5
@table = global [2 x i32] [i32 1, i32 2]
declare void @print(i32)
declare i32 @read()
declare i32 @sum(i32) convergent

define i32 @f(i32 %x) {
  %r = call i32 @read()
  %s = add i32 %r, %x
  call void @print(i32 %s)
  store volatile i32 %s, ptr @g
  %u = call i32 @sum(i32 %s)
  ret i32 %s
}
"""


PLACE = """
@a = global [4 x i32] zeroinitializer
declare i32 @where()
define i32 @f(i32 %more) {
  %i = call i32 @where()
  %at = add i32 %i, %more
  %p = getelementptr [4 x i32], ptr @a, i32 0, i32 %at
  %v = load i32, ptr %p
  ret i32 %v
}
"""


@pytest.mark.parametrize(("more", "code", "otherwise"), [("0", 3, 0), ("-1", 3, 1), ("9", 1, None)])
def test_what_fails_by_a_stand_in_alone_is_unknown(
    tmp_path: Path, more: str, code: int, otherwise: int | None
) -> None:
    """Whether it is undefined is another question than what it does with one number."""
    path = ll(tmp_path, PLACE)
    ran = convcheck("run", f"--arg=%more={more}", path)
    assert ran.code == code and "Undefined behaviour in thread 0: load out of bounds" in ran.out
    assert ("--input @where=... says what it gives" in ran.out) == (otherwise is not None)
    assert run_json(f"--arg=%more={more}", path).get("otherwise") == otherwise
    assert convcheck("simulate", "--policy=ipdom", f"--arg=%more={more}", path).code == code
    known = convcheck("run", f"--arg=%more={more}", "--input=@where=100", path)
    assert known.code == 1, "what is given is no stand-in"


CIRCLE = """
declare i1 @ready() memory(none) nounwind willreturn
define void @f() {
entry:
  br label %wait
wait:
  %now = call i1 @ready()
  br i1 %now, label %done, label %wait
done:
  ret void
}
"""


def test_a_loop_that_a_stand_in_keeps_going(tmp_path: Path) -> None:
    """It gives the same number each time: one of the two loops has no end."""
    texts = CIRCLE, CIRCLE.replace("%done, label %wait\n", "%wait, label %done\n")
    answers = [convcheck("run", ll(tmp_path, text)) for text in texts]
    assert sorted((ran.code, "Endless" in ran.out) for ran in answers) == [(0, False), (3, True)]


def test_events_inputs_memory_and_stand_ins(tmp_path: Path) -> None:
    path = ll(tmp_path, EVENTS)
    ran = convcheck("run", "--threads=2", "--arg", "%x=1", "--input", "@read=10/20", path)
    assert ran.code == 0
    assert "Thread 0 returned 11\nThread 1 returned 21\n" in ran.out
    assert "@print(11)" in ran.out
    assert "@print(21)" in ran.out
    assert "@g = 21" in ran.out
    assert "@table" not in ran.out, "memory that did not change is not shown"
    assert "note: @sum has no model: its results are stand-ins" in ran.out
    value = run_json("--threads=2", "--arg", "%x=1", "--input", "@read=10/20", path)
    assert value["outcome"]["memory"] == {"@g": 21, "@table": [1, 2]}
    events = value["outcome"]["threads"][1]["events"]
    assert {"callee": "@print", "operands": [21], "result": None, "group": None} in events
    assert any("@sum" in note for note in value["notes"])


def test_without_input_a_stand_in_is_named(tmp_path: Path) -> None:
    ran = convcheck("run", "--arg", "%x=1", ll(tmp_path, EVENTS))
    assert ran.code == 0
    assert "note: @read has no model" in ran.out


def test_a_user_s_operations(tmp_path: Path) -> None:
    models = tmp_path / "my_ops.py"
    models.write_text("OPERATIONS = {'@sum': lambda group: {lane: 40 + len(group) for lane in group}}\n")
    path = ll(tmp_path, EVENTS)
    arguments = ["--threads=2", "--arg", "%x=1", "--input", "@read=1"]
    assert ": 42\n" in convcheck("run", "--operations", models, *arguments, path).out
    models.write_text("raise SystemError('mine')")
    ran = convcheck("run", "--operations", models, *arguments, path)
    assert ran.code == 2
    assert one_line(ran.err)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--arg", "x"], "write %NAME=VALUE"),
        (["--arg", "%x=one"], "'one' is no value"),
        (["--arg", "%x="], "a value is missing"),
        (["--arg", "%y=1"], "%y"),
        (["--threads=2", "--arg", "%x=1,2,3"], "3 values are given for 2 threads"),
        (["--arg", "%x=99999999999"], "does not fit"),
        (["--input", "@no=1"], "@no"),
        (["--input", "1"], "write @NAME=VALUE"),
        (["--path", "nowhere", "--arg", "%x=1"], "nowhere"),
        (
            ["--path", "0", "--path", "0", "--threads", "3", "--arg", "%x=1"],
            "2 paths are given for 3 threads",
        ),
        (["--path", ""], "entry block"),
        (["--path", "'"], "quotation"),
        (["--function", "@g"], "@g"),
        ([], "--arg %x=VALUE"),
        (["--operations", "no.py", "--arg", "%x=1"], "no.py"),
        (["--uncontrolled", "some"], "some"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_does_not_fit_is_said(tmp_path: Path, arguments: list[str], said: str) -> None:
    ran = convcheck("run", *arguments, ll(tmp_path, GOOD))
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("type_", "given", "returned"),
    [
        ("i8", "-0x80", -128),
        ("i8", "0b11", 3),
        ("i8", "007", 7),
        ("i64", "0xff", 255),
        ("i1", "true", 1),
        ("i32", "poison", "poison"),
        ("float", "1.5", 1.5),
        ("double", "-1e3", -1000.0),
        ("ptr", "null", "null"),
        ("<2 x i32>", "<1,-2>", [1, -2]),
        ("{ i8, [2 x i8] }", "{1,[2,3]}", [1, [2, 3]]),
    ],
)
def test_values(tmp_path: Path, type_: str, given: str, returned: object) -> None:
    path = ll(tmp_path, f'define {type_} @f({type_} %"a=b") {{\n  ret {type_} %"a=b"\n}}\n')
    value = run_json("--arg", f'%"a=b"={given}', path)
    assert value["outcome"]["threads"][0]["return"] == returned


def test_trace_shows_each_step_then_the_answer(tmp_path: Path) -> None:
    path = ll(tmp_path, GOOD)
    ran = convcheck("run", "--trace", "--threads=2", "--arg", "%x=1,2", path)
    trace, _, answer = ran.out.partition("\n\n")
    lines = trace.splitlines()
    assert lines[0].startswith("thread 0  0  %t = call token @llvm.experimental.convergence.entry()")
    assert lines[0].endswith("#1 entry(%t, launch) [D-ENTRY]")
    assert any("=> 3  #1 with threads 0, 1, use(%s, entry(%t, launch)) [D-USE]" in line for line in lines)
    assert answer.startswith("Thread 0: 0\nThread 1: 0\n")
    assert "Rules: D-THREAD, D-ENTRY, D-USE\n" in answer


def test_a_trace_shows_an_instruction_once_however_much_is_promised_of_it(tmp_path: Path) -> None:
    text = """declare i32 @subgroupAdd(i32) convergent
define i32 @f(i32 noundef range(i32 0, 9) %x) convergent {
entry:
  %s = call noundef range(i32 0, 9) i32 @subgroupAdd(i32 %x)
  %r = call noundef range(i32 0, 9) i32 @llvm.umin.i32(i32 %s, i32 8)
  %p = call range(i32 0, 2) i32 @llvm.umin.i32(i32 %s, i32 8)
  ret i32 %r
}
declare i32 @llvm.umin.i32(i32, i32)
"""
    ran = convcheck("run", "--trace", "--arg", "%x=3", ll(tmp_path, text))
    lines = ran.out.partition("\n\n")[0].splitlines()
    assert [line.split()[3] for line in lines if "waits" not in line] == ["%s", "%r", "%p", "%p", "ret"]
    assert [line.rpartition("=> ")[2] for line in lines if " %p = " in line] == ["3", "poison"]


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_trace_takes_one_run_and_no_second_one(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []
    once = Machine.run

    def counted(self: Machine, *limits: Any) -> Ending:
        runs.append(self)
        return once(self, *limits)

    monkeypatch.setattr(Machine, "run", counted)
    ran = convcheck("run", "--trace", "--format", form, "--threads=2", "--arg", "%x=1,2", ll(tmp_path, GOOD))
    assert ran.code == 0 and len(runs) == 1


@pytest.mark.parametrize("other", ["0", "1"])
def test_a_trace_of_threads_that_share_memory_takes_no_more_runs(
    other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads that meet in memory are run again, with an eye on races; those that do not are not."""
    runs = []
    once = Machine.run

    def counted(self: Machine, *limits: Any) -> Ending:
        runs.append(self)
        return once(self, *limits)

    monkeypatch.setattr(Machine, "run", counted)
    text = """
@g = global [2 x i32] zeroinitializer
define i32 @f(i32 %x) {
  %p = getelementptr i32, ptr @g, i32 %x
  store atomic i32 7, ptr %p monotonic, align 4
  %v = load atomic i32, ptr %p monotonic, align 4
  ret i32 %v
}
"""
    arguments = "--threads=2", "--arg", f"%x={other},1", ll(tmp_path, text)
    untraced = convcheck("run", "--format", "json", *arguments)
    count = len(runs)
    ran = convcheck("run", "--trace", "--format", "json", *arguments)
    assert len(runs) == 2 * count
    answer = json.loads(ran.out)
    assert sum(event["event"] == "step" for event in answer.pop("trace")) == answer["steps"] == 8
    assert answer == json.loads(untraced.out)


ANCHOR_IN_A_LOOP = """
define void @k() convergent {
entry:
  br label %l
l:
  %i = phi i32 [ 0, %entry ], [ %n, %l ]
  %t = call token @llvm.experimental.convergence.anchor()
  %s = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %t) ]
  %n = add i32 %i, 1
  %more = icmp ult i32 %n, 3
  br i1 %more, label %l, label %e
e:
  ret void
}
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent
"""


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_a_trace_has_no_steps_of_random_executions_that_were_tried_in_vain(form: str, tmp_path: Path) -> None:
    """With some of the seeds the first execution is illegal: only steps of the one that counts are shown."""
    path = ll(tmp_path, ANCHOR_IN_A_LOOP)
    for seed in range(8):
        ran = convcheck("run", "--trace", "--seed", str(seed), "--threads=3", "--format", form, path)
        *events, answer = [
            json.loads(text) for text in ([ran.out] if form == "json" else ran.out.splitlines())
        ]
        events = events or answer["trace"]
        assert sum(event["event"] == "step" for event in events) == answer["steps"] == 3 * 20


def test_trace_as_json_lines(tmp_path: Path) -> None:
    ran = convcheck("run", "--format=jsonl", "--threads=2", "--arg", "%x=1,2", ll(tmp_path, GOOD))
    *events, answer = [json.loads(line) for line in ran.out.splitlines()]
    Draft202012Validator(schema("run")).validate(answer)
    assert {event["event"] for event in events} == {"step", "wait"}
    assert sum(event["event"] == "step" for event in events) == answer["steps"] == 6
    value = run_json("--trace", "--threads=2", "--arg", "%x=1,2", ll(tmp_path, GOOD))
    assert value["trace"] == events


DIRECTED = "; CONVCHECK: --threads 2 --arg %x=1,2\n" + GOOD


def test_the_file_s_own_defaults_and_the_command_line_over_them(tmp_path: Path) -> None:
    path = ll(tmp_path, DIRECTED)
    assert "threads 0, 1 #1: 3\n" in convcheck("run", path).out
    assert "threads 0, 1 #1: 12\n" in convcheck("run", "--arg", "%x=5,7", path).out
    assert "threads 0-2 #1: 3\n" in convcheck("run", "--threads=3", "--arg=%x=1", path).out


def test_paths_on_the_command_line_replace_the_file_s() -> None:
    ran = convcheck("run", "--path", "A B C D", "--path", "A B C D", ALIGNMENTS / "natural.ll")
    assert ran.out.startswith("Thread 0: A B C D\nThread 1: A B C D\n")


@pytest.mark.parametrize(
    ("directive", "said"),
    [
        ("--no-such-flag", "No such option"),
        ("--threads none", "'none' is not a valid integer"),
        ("-o /tmp/x", "may not set --output"),
        ("--operations x.py", "may not set --operations"),
        ("--help", "help"),
        ("another.ll", "unexpected extra argument"),
    ],
)
def test_a_file_may_not_say_everything(tmp_path: Path, directive: str, said: str) -> None:
    ran = convcheck("run", ll(tmp_path, f"; CONVCHECK: {directive}\n{GOOD}"))
    assert ran.code == 2
    assert one_line(ran.err), ran.err
    assert "CONVCHECK" in ran.err
    assert said in ran.err


def test_a_seed_makes_free_choices_at_random_and_the_same_each_time() -> None:
    path = ALIGNMENTS / "natural-anchor.ll"
    first = [convcheck("run", "--seed", str(seed), path).out for seed in range(12)]
    assert first == [convcheck("run", "--seed", str(seed), path).out for seed in range(12)]
    assert len(set(first)) == 2, "below an anchor, two alignments are legal"


def test_runs_are_the_same_in_every_process(tmp_path: Path) -> None:
    """No order of hashing and no time reaches the answer."""
    path = ll(tmp_path, EVENTS)
    said = {
        process("run", "--threads=3", "--arg", "%x=1", path, PYTHONHASHSEED=str(seed)).out for seed in (1, 2)
    }
    assert len(said) == 1


WAITING = """declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent

define i32 @f(i1 %spin) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br i1 %spin, label %L, label %B
L:
  %again = phi i1 [ true, %A ], [ %again, %L ]
  br i1 %again, label %L, label %B
B:
  %s = call i32 @subgroupAdd(i32 1) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
"""


def test_a_group_that_a_thread_could_still_join_is_never_complete(tmp_path: Path) -> None:
    path = ll(tmp_path, WAITING)
    ran = convcheck("run", "--threads=2", "--arg", "%spin=0,1", "--max-steps=900", path)
    assert ran.code == 1
    assert "Endless: thread 1 goes round for ever, thread 0 can never go on\n" in ran.out
    assert "%s (@subgroupAdd):\n  thread 0 #1 (waiting)\n" in ran.out
    assert f"thread 0 waits at %s ({path}:12:3) for thread 1\n" in ran.out
    assert "Threads 0, 1 did not finish\n" in ran.out


@pytest.mark.parametrize("command", ["run", "enumerate", "simulate"])
def test_a_file_s_options_for_another_command_are_left_to_it(tmp_path: Path, command: str) -> None:
    words = "--threads 2 --structure nested --synchrony none --latches=merged --max-executions 9 --trace"
    text = f"; CONVCHECK: {words}\ndefine i32 @f() {{\n  ret i32 7\n}}\n"
    ran = convcheck(command, ll(tmp_path, text))
    assert ran.code == 0, ran.err
    threads = {
        "run": "Threads 0, 1 returned 7",
        "enumerate": "Threads 0, 1 returned 7",
        "simulate": "independent       2         50 %",
    }
    assert threads[command] in ran.out


def test_a_file_s_unknown_option_is_an_error(tmp_path: Path) -> None:
    ran = convcheck("run", ll(tmp_path, "; CONVCHECK: --thread 2\ndefine i32 @f() {\n  ret i32 7\n}\n"))
    assert ran.code == 2
    assert "--thread" in ran.err


def says(note: str, path: Path) -> list[bool]:
    """Whether a run says it, and whether it does with --quiet, where a buffer is shown."""
    shown = (), ("-q", "--show", "%out")
    runs = [convcheck("run", *words, "--buffer", "%out=i32[2]", path) for words in shown]
    assert [ran.code for ran in runs] == [0, 0]
    return [note in ran.out for ran in runs]


@pytest.mark.parametrize(
    ("declared", "given", "said"),
    [
        ("void @fill(ptr)", "ptr %out", True),
        ("i32 @fill(ptr)", "ptr %out", True),
        ("void @fill(ptr readonly)", "ptr %out", False),
        ("void @fill(ptr) memory(read)", "ptr %out", False),
        ("void @fill(ptr)", "ptr @format", False),
        ("void @fill(i32)", "i32 1", False),
    ],
)
def test_what_a_function_without_a_model_may_have_written_is_said(
    tmp_path: Path, declared: str, given: str, said: bool
) -> None:
    """With --quiet, too: the buffer that is shown may hold something else."""
    path = ll(
        tmp_path,
        f"@format = constant i8 37\ndeclare {declared}\n"
        f"define void @f(ptr %out) {{\n  call {declared.split()[0]} @fill({given})\n  ret void\n}}\n",
    )
    note = "note: what @fill may have written behind its pointers is not known: memory is as it was before"
    assert says(note, path) == [said, said]


@pytest.mark.parametrize(
    ("variable", "declared", "said"),
    [
        ("@g = global i32 3", "void @other()", True),
        ("@g = internal global i32 3", "void @other()", False),
        ("@g = constant i32 3", "void @other()", False),
        ("@g = global i32 3", "void @other() memory(argmem: write)", False),
        ("@g = global i32 3", "void @other() memory(read)", False),
    ],
)
def test_that_a_function_without_a_model_may_have_written_to_a_variable_is_said(
    tmp_path: Path, variable: str, declared: str, said: bool
) -> None:
    """Of one that other modules can name."""
    text = f"{variable}\ndeclare {declared}\ndefine i32 @f(ptr %out) {{\n  call void @other()\n"
    text += "  %v = load i32, ptr @g\n  store i32 %v, ptr %out\n  ret i32 %v\n}\n"
    note = "note: what @other may have written to variables of the module is not known: "
    assert says(note, ll(tmp_path, text)) == [said, said]


@pytest.mark.parametrize(
    ("assembly", "said"),
    [
        ('sideeffect "whatever $0", "r,~{memory}"(ptr %out)', True),
        ('sideeffect "whatever $0", "=*m"(ptr elementtype(i32) %out)', True),
        ('sideeffect "s_trap 2", ""()', True),
        ('sideeffect "", "~{memory}"()', False),
        ('sideeffect "; use $0", "r"(ptr %out)', False),
        ('"whatever $0", "r"(ptr %out)', False),
    ],
)
def test_what_assembly_may_have_written_is_said(tmp_path: Path, assembly: str, said: bool) -> None:
    """Of a text without a model that says that it does more than to give its results. In native code, too."""
    text = (
        f"define void @f(ptr %out) {{\n  store i32 7, ptr %out\n  call void asm {assembly}\n  ret void\n}}\n"
    )
    for engine in ("reference", "native"):
        for quiet in ([], ["-q"]):
            words = [*quiet, "--show", "%out", "--buffer", "%out=i32[2]", "--engine", engine]
            ran = convcheck("run", *words, ll(tmp_path, text))
            assert ran.code == 0
            assert ("may have written or done besides is not known" in ran.out) is said


@pytest.mark.parametrize("command", ["run", "simulate"])
def test_why_numbers_may_be_others_is_said_to_who_wants_numbers_alone(tmp_path: Path, command: str) -> None:
    """With --quiet: results that are stand-ins, and what could not be saved."""
    text = (
        "declare i32 @clock()\ndefine void @f(ptr %out, i32 %x) {\n  %t = call i32 @clock()\n"
        "  store i32 %t, ptr %out\n  %y = add nsw i32 %x, 1\n  %p = getelementptr i32, ptr %out, i32 1\n"
        "  store i32 %y, ptr %p\n  ret void\n}\n"
    )
    saved = tmp_path / "out.npy"
    machine = ["--policy", "ipdom"] if command == "simulate" else []
    words = ["--buffer", "%out=i32[2]", "--arg", "%x=2147483647", "--save", f"%out={saved}"]
    ran = convcheck(command, "-q", *machine, *words, ll(tmp_path, text))
    assert ran.code == 0
    assert "note: @clock has no model: its results are stand-ins\n" in ran.out
    assert f"note: 1 element of %out are poison or undef: {saved} has 0 there\n" in ran.out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--global", "@g=1"), 2, "there is no global variable @g; there are: none"),
        (("--operations", "none.py"), 2, "none.py: no such file or directory"),
        (("--reconvergence", "base"), 0, "this is LLVM IR, of which --reconvergence says nothing"),
    ],
)
def test_what_names_nothing_here_is_said(
    tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    """Buffers are no global variables, though they are held as such."""
    path = ll(tmp_path, "define i32 @f(ptr %out) {\n  ret i32 1\n}\n")
    ran = convcheck("run", *words, "--buffer", "%out=i32[1]", path)
    assert ran.code == code
    assert said in ran.out + ran.err and "@%out" not in ran.err


def test_what_printf_prints_on_amdgpu_is_said_not_to_be_shown(tmp_path: Path) -> None:
    """clang asks for room in a buffer, and prints nothing where it gets none."""
    text = """
    declare ptr addrspace(1) @__printf_alloc(i32)
    define amdgpu_kernel void @k(ptr addrspace(1) %out) {
      %room = call ptr addrspace(1) @__printf_alloc(i32 8)
      %full = icmp eq ptr addrspace(1) %room, null
      br i1 %full, label %end, label %print
    print:
      store i32 1, ptr addrspace(1) %room
      br label %end
    end:
      store i32 7, ptr addrspace(1) %out
      ret void
    }
    define void @other() {
      ret void
    }
    """
    path, note = ll(tmp_path, text), "note: what printf prints is not shown: @__printf_alloc gives null here"
    for engine in ("reference", "native"):
        words = ("--function", "@k", "--buffer", "%out=i32[1]", "--show", "%out", "--engine", engine)
        ran = convcheck("run", *words, path)
        assert ran.code == 0
        assert "%out = i32[1]: 7" in ran.out and note in ran.out
    assert note not in convcheck("run", "--function", "@other", path).out


def test_what_makes_an_argument_poison_is_said(tmp_path: Path) -> None:
    text = "define void @f(ptr %a, ptr noundef align 4 %b) {\n  store i32 1, ptr %b\n  ret void\n}\n"
    for engine in ("reference", "native"):
        words = ("--engine", engine, "--buffer", "%a=i32[16]", "--buffer", "%b=%a+18")
        ran = convcheck("run", *words, ll(tmp_path, text))
        assert ran.code == 1
        assert "the noundef align 4 %b is undef or poison" in ran.out


def test_of_threads_that_wait_at_a_bound_a_few_are_named(tmp_path: Path) -> None:
    """There each of a workgroup had a line, though nobody waits for ever."""
    text = """
    declare i32 @subgroupAdd(i32) convergent
    define i32 @f(i32 %n) convergent {
      br label %l
    l:
      %i = phi i32 [ 0, %0 ], [ %j, %l ]
      %s = call i32 @subgroupAdd(i32 %i)
      %j = add i32 %i, 1
      %c = icmp ult i32 %j, %n
      br i1 %c, label %l, label %e
    e:
      ret i32 0
    }
    """
    ran = convcheck(
        "run", ll(tmp_path, text), "-q", "--threads", "64", "--arg", "%n=1000", "--max-steps", "300",
        "--engine", "reference",
    )  # fmt: skip
    assert ran.code == 3
    assert len(re.findall(r"thread \d+ waits at %s", ran.out)) == 12
    assert re.search(r"\.\.\. \d+ more threads that wait\n", ran.out)
