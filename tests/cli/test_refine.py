"""``convcheck refine`` end to end: files, one file, pipelines, which functions, blame, forms, exit codes.

covers: report.refine_formats
"""

from __future__ import annotations

import json
import re
import shlex
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.passes import outside
from convergence.report.schemas import schema
from tests.cli.cli_harness import BAD, GOOD, Ran, convcheck, ll, one_line
from tests.report.refine_sample import INVALID, TEXT

SRC = TEXT.partition("define i32 @tgt")[0]
TGT = SRC.partition("define")[0] + "define i32 @tgt" + TEXT.partition("define i32 @tgt")[2]
NAMED = TGT.replace("@tgt", "@src")


def refined(*arguments: str | Path) -> dict[str, Any]:
    """``--format json``, valid by its schema."""
    ran = convcheck("refine", "--format", "json", *arguments)
    assert ran.err == ""
    value: dict[str, Any] = json.loads(ran.out)
    Draft202012Validator(schema("refine")).validate(value)
    return value


def verdict(ran: Ran) -> tuple[int, str]:
    return ran.code, ran.out.partition(":")[0]


def test_two_files_with_the_same_function(tmp_path: Path) -> None:
    one, other = ll(tmp_path, SRC), ll(tmp_path, NAMED, "b.ll")
    ran = convcheck("refine", one, other)
    assert verdict(ran) == (1, "wrong")
    assert ran.out.startswith("wrong: @src: the target does what the source cannot\n")
    assert "Source           |  Target\n" in ran.out
    assert verdict(convcheck("refine", one, one)) == (0, "equal")


def test_one_file_with_src_and_tgt(tmp_path: Path) -> None:
    value = refined(ll(tmp_path, TEXT))
    assert (value["verdict"], value["function"], value["target_function"]) == ("wrong", "@src", "@tgt")
    example = value["counterexample"]
    assert example["threads"] == 2
    assert example["source"]["outcome"] != example["target"]["outcome"]
    back = convcheck("refine", ll(tmp_path, TEXT), "--function", "@tgt", "--target-function", "src")
    assert verdict(back) == (1, "wrong")


def test_an_invalid_target_is_run_all_the_same(tmp_path: Path) -> None:
    value = refined(ll(tmp_path, INVALID), "--threads", "1", "--arg", "%c=0")
    assert value["verdict"] == "invalid-output"
    assert value["behaviour"] in ("equal", "wrong")
    assert value["diagnostics"][0]["rule"] == "S-CYCLE-USE"
    assert convcheck("refine", ll(tmp_path, INVALID), "--threads", "1", "--arg", "%c=0").code == 1


def test_an_assumption_makes_it_equal(tmp_path: Path) -> None:
    path = ll(tmp_path, TEXT)
    assert verdict(convcheck("refine", path, "--assume", "uniform:%c", "--arg", "%x=3"))[0] == 0
    ran = convcheck("refine", path, "--assume", "uniform")
    assert (ran.code, "uniform:%x" in ran.err) == (2, True)


def test_a_bound_is_unknown(tmp_path: Path) -> None:
    ran = convcheck("refine", ll(tmp_path, TEXT), "--assume", "uniform:%c", "--timeout", "0")
    assert verdict(ran) == (3, "unknown")
    assert "Bound: --timeout 0" in ran.out


def test_a_bound_that_leaves_out_every_launch_is_named(tmp_path: Path) -> None:
    value = refined(ll(tmp_path, TEXT), "--max-steps", "1")
    assert (value["verdict"], value["bound"]) == ("unknown", "--max-steps 1 in the source")


def test_executions_for_one_input_are_bounded(tmp_path: Path) -> None:
    text = TEXT.replace("convergence.entry", "convergence.anchor")
    few = ["--threads", "3", "--arg", "%c=1", "--arg", "%x=1,2,3"]
    value = refined(ll(tmp_path, text), *few, "--max-executions", "2")
    assert (value["verdict"], value["bound"].partition(" in ")[0]) == ("unknown", "--max-executions 2")
    assert refined(ll(tmp_path, text), *few)["verdict"] == "equal"


def test_different_types_are_named_as_llvm_spells_them(tmp_path: Path) -> None:
    head, tail = "define void @", "(%s %%x) {\n  ret void\n}\n"
    text = head + "src" + tail % "i64" + head + "tgt" + tail % "ptr"
    ran = convcheck("refine", ll(tmp_path, text))
    assert (ran.code, one_line(ran.err)) == (2, True)
    assert "parameter 1 of @src and @tgt has different types: i64 and ptr\n" in ran.err


def test_a_file_s_own_options(tmp_path: Path) -> None:
    path = ll(tmp_path, "; CONVCHECK: --assume uniform:%c --arg %x=3 --trace --policy ipdom\n" + TEXT)
    ran = convcheck("refine", path)
    assert verdict(ran) == (0, "equal")
    assert "note: the file gives values for %x; no others were tried" in ran.out
    own = ll(tmp_path, '; CONVCHECK: --path "A B C" --path "A Z C"\n' + SRC, "p.ll")
    ran = convcheck("refine", own, ll(tmp_path, NAMED, "b.ll"), "--max-launches", "20")
    assert "note: the file's own paths are not taken" in ran.out
    piped = ll(tmp_path, "; CONVCHECK: --passes instcombine\n" + SRC, "i.ll")
    assert "Passes: instcombine" in convcheck("refine", piped, "--max-launches", "20").out
    assert verdict(convcheck("refine", piped, ll(tmp_path, NAMED, "b.ll"))) == (1, "wrong")
    evil = ll(tmp_path, "; CONVCHECK: --opt /bin/false\n" + SRC, "e.ll")
    assert "may not set --opt" in convcheck("refine", evil, "--passes", "dce").err


# -- which functions ------------------------------------------------------------------------------

TWO = SRC + (
    "define i32 @pure(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n"
    "define internal void @inner() {\n  call void @effect()\n  ret void\n}\n"
    "define void @effects() {\n  call void @inner()\n  call void @effect()\n  ret void\n}\n"
    "declare void @effect()\n"
)


def test_every_function_that_acts_is_compared(tmp_path: Path) -> None:
    other = TWO.replace("  call void @inner()\n", "").replace(SRC, NAMED)
    ran = convcheck("refine", ll(tmp_path, TWO), ll(tmp_path, other, "b.ll"), "-q")
    lines = [line for line in ran.out.splitlines() if line]
    assert [line.rpartition(": ")[0] for line in lines[:2]] == ["wrong: @src", "wrong: @effects"]
    assert lines[2] == "Verdict: wrong (2 wrong)"
    value = refined(ll(tmp_path, TWO), ll(tmp_path, other, "b.ll"))
    assert [one["function"] for one in value["functions"]] == ["@src", "@effects"]
    assert any("@pure" in note for note in value["notes"])
    ran = convcheck("refine", ll(tmp_path, TWO), ll(tmp_path, other, "b.ll"), "--function", "pure")
    assert verdict(ran) == (0, "equal")


def test_files_with_one_function_each_need_no_name(tmp_path: Path) -> None:
    value = refined(ll(tmp_path, SRC), ll(tmp_path, TGT, "b.ll"))
    assert (value["function"], value["target_function"]) == ("@src", "@tgt")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "it holds no @src and @tgt"),
        (["--function", "nope"], "the source defines no function @nope"),
        (["--passes", "dce", "--target-function", "nope"], "defines no function @nope"),
        (["--passes", "no-such-pass"], "no-such-pass"),
        (["--passes", "simplifycfg("], "simplifycfg("),
        (["--passes", ""], "the pipeline is empty"),
        (["--passes", "dce", "--opt", "/none/opt"], "/none/opt: no program"),
        (["--arg", "%nope=1", "--passes", "dce"], "there is no parameter %nope in @f"),
        (["--assume", "uniform:%nope", "--passes", "dce"], "there is no parameter %nope in @f"),
    ],
)
def test_what_cannot_be_compared_is_one_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    ran = convcheck("refine", ll(tmp_path, GOOD), *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert one_line(ran.err)
    assert words in ran.err


@pytest.mark.parametrize(
    "arguments",
    [["--bisect"], ["--opt", "opt"], ["--opt-args", "-S"], ["--models", "none"], ["--no-verify"],
     ["--passes", "dce", "--opt-args", "'"]],
)  # fmt: skip
def test_usage(tmp_path: Path, arguments: list[str]) -> None:
    ran = convcheck("refine", ll(tmp_path, TEXT), *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Error: " in ran.err


def test_two_targets_or_two_standard_inputs(tmp_path: Path) -> None:
    path = ll(tmp_path, TEXT)
    assert "not both" in convcheck("refine", path, path, "--passes", "dce").err
    assert "standard input" in convcheck("refine", "-", "-").err
    assert verdict(convcheck("refine", "-", stdin=TEXT)) == (1, "wrong")


def test_a_source_that_breaks_a_rule_has_no_meaning_to_keep(tmp_path: Path) -> None:
    ran = convcheck("refine", ll(tmp_path, BAD), "--passes", "dce")
    assert (ran.code, one_line(ran.err)) == (2, True)
    assert "S-CYCLE-USE" in ran.err


# -- pipelines ------------------------------------------------------------------------------------


def test_what_llvm_makes_of_it(tmp_path: Path) -> None:
    few = ["--threads", "2", "--max-launches", "20"]
    value = refined(ll(tmp_path, SRC), "--passes", "default<O1>", *few)
    assert value["verdict"] == "equal"
    assert value["pipeline"]["by"] == "llvmlite"
    assert value["target"].endswith("a.ll after default<O1>")
    assert verdict(convcheck("refine", ll(tmp_path, SRC), "--passes", "O2", *few)) == (0, "equal")


def fake_opt(folder: Path, *outputs: tuple[str, str]) -> str:
    """An ``opt`` whose passes turn the module into these texts, one after the other."""
    path = folder / "opt"
    path.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        f"outputs = {outputs!r}\n"
        "source = sys.stdin.read()\n"
        "if '--version' in sys.argv:\n    print('LLVM version 22.1.8')\n    sys.exit()\n"
        "if '-passes=no-op-module' in sys.argv:\n    print(source)\n    sys.exit()\n"
        "if '-print-after-all' in sys.argv:\n"
        "    for number, (name, text) in enumerate(outputs, 1):\n"
        "        print(f'BISECT: running pass ({number}) {name} on src', file=sys.stderr)\n"
        "        print(f'; *** IR Dump After {name.title()}Pass on src ***', file=sys.stderr)\n"
        "        print(text.strip(), file=sys.stderr)\n"
        "print(outputs[-1][1])\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


RENAMED = SRC.replace("%r", "%result")


def test_bisect_names_the_first_pass_whose_output_is_wrong(tmp_path: Path) -> None:
    passes = [("dce", SRC), ("rename", RENAMED), ("sink", NAMED), ("licm", NAMED), ("rename", NAMED)]
    opt = fake_opt(tmp_path, *passes)
    arguments: list[str | Path] = [
        ll(tmp_path, SRC),
        "--passes",
        "x",
        "--opt",
        opt,
        "--threads",
        "2",
        "--bisect",
    ]
    value = refined(*arguments)
    assert (value["verdict"], value["pass"]) == ("wrong", "sink")
    assert value["bisect"] == [
        {"number": 2, "of": 5, "pass": "rename", "on": "src", "verdict": "equal"},
        {"number": 3, "of": 5, "pass": "sink", "on": "src", "verdict": "wrong"},
    ]
    assert (
        "Blame: sink on src (pass 3 of 5): wrong; 1 before it kept to the source\n"
        in convcheck("refine", *arguments).out
    )


def test_bisect_of_an_invalid_output(tmp_path: Path) -> None:
    head = INVALID.partition("define i32 @src")[0]
    broken = head + "define i32 @src" + INVALID.partition("define i32 @tgt")[2]
    opt = fake_opt(tmp_path, ("rename", RENAMED), ("sink", broken), ("late", broken))
    value = refined(
        ll(tmp_path, SRC), "--passes", "x", "--opt", opt, "--threads", "1", "--bisect", "--arg", "%c=0"
    )
    assert (value["verdict"], value["pass"]) == ("invalid-output", "sink")


def test_a_pass_that_hides_another_s_fault_is_said(tmp_path: Path) -> None:
    """Verdicts need not be monotone: halving the list would not see this one."""
    opt = fake_opt(tmp_path, ("sink", NAMED), ("hoist", RENAMED))
    value = refined(ll(tmp_path, SRC), "--passes", "x", "--opt", opt, "--threads", "2", "--bisect")
    assert (value["verdict"], value["pass"]) == ("equal", None)
    assert any("hides it" in note for note in value["notes"])


def test_bisect_where_nothing_is_wrong(tmp_path: Path) -> None:
    few = ["--threads", "2", "--max-launches", "20"]
    ran = convcheck("refine", ll(tmp_path, SRC), "--passes", "default<O1>", "--bisect", *few)
    assert verdict(ran) == (0, "equal")
    assert "Blame: none: " in ran.out


def test_output_that_llvm_itself_refuses_is_invalid_and_not_run(tmp_path: Path) -> None:
    opt = fake_opt(tmp_path, ("break", SRC.replace("ret i32 %r", "%z = add i32 %r, 1\n  ret i32 %late\nD:\n"
                                                   "  %late = add i32 1, 1\n  br label %D")))  # fmt: skip
    value = refined(ll(tmp_path, SRC), "--passes", "x", "--opt", opt)
    assert value["verdict"] == "invalid-output"


def test_an_llvm_that_breaks_down_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "opt"
    path.write_text("#!/bin/sh\necho 'LLVM ERROR: no luck' >&2\nkill -ABRT $$\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    ran = convcheck("refine", ll(tmp_path, SRC), "--passes", "x", "--opt", str(path))
    assert (ran.code, ran.out, one_line(ran.err)) == (3, "", True)
    assert "LLVM ERROR: no luck" in ran.err


@pytest.mark.parametrize(
    ("says", "words"),
    [("echo LLVM version 22.1", "expected top-level entity"), ("cat >/dev/null", "opt gave nothing")],
)
def test_an_opt_that_gives_no_llvm_ir_leaves_the_answer_unknown(
    tmp_path: Path, says: str, words: str
) -> None:
    path = tmp_path / "opt"
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    ran = convcheck("refine", ll(tmp_path, SRC), "--passes", "x", "--opt", str(path))
    assert (*verdict(ran), ran.err) == (3, "unknown", "")
    assert words in ran.out


def test_inputs_of_several_threads_say_how_many_threads(tmp_path: Path) -> None:
    value = refined(ll(tmp_path, TEXT + "declare i32 @asked()\n"), "--input", "@asked=1/2/3")
    assert value["counterexample"]["threads"] == 3


@pytest.mark.skipif(outside.find(None) is None, reason="no opt of LLVM 18 or later on PATH")
def test_a_pass_that_only_opt_has(tmp_path: Path) -> None:
    few = ["--threads", "2", "--max-launches", "20"]
    value = refined(ll(tmp_path, SRC), "--passes", "simplifycfg,gvn", *few)
    assert (value["verdict"], value["pipeline"]["by"].startswith("opt")) == ("equal", True)


def test_without_opt_the_pass_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = convcheck("refine", ll(tmp_path, SRC), "--passes", "simplifycfg,gvn")
    assert (ran.code, one_line(ran.err)) == (2, True)
    assert "'gvn'" in ran.err and "--opt PATH" in ran.err


# -- forms ----------------------------------------------------------------------------------------


def test_html_and_sarif(tmp_path: Path) -> None:
    path, out = ll(tmp_path, TEXT), tmp_path / "page.html"
    ran = convcheck("refine", path, "--format", "html", "-o", out)
    assert (ran.code, ran.out) == (1, "")
    assert out.read_text().startswith("<!doctype html>")
    log = json.loads(convcheck("refine", path, "--format", "sarif").out)
    assert log["version"] == "2.1.0"
    assert len(log["runs"][0]["results"]) == 1


def test_sarif_of_several_functions_has_a_result_for_each_that_is_wrong(tmp_path: Path) -> None:
    one, other = ll(tmp_path, TWO), ll(tmp_path, TWO.replace(SRC, NAMED), "b.ll")
    for target, results in ((other, 1), (one, 0)):
        log = json.loads(convcheck("refine", one, target, "--format", "sarif").out)
        assert len(log["runs"][0]["results"]) == results


ACTING = """
declare i32 @subgroupAdd(i32) convergent
define i32 @NAME(i32 %x) {
  %s = call i32 @subgroupAdd(i32 %x)
  ret i32 %s
}
"""
IDLE = "define i32 @idle(i32 %x) {\n  ret i32 %x\n}\n"


def test_a_function_that_only_the_source_has_leaves_the_answer_unknown(tmp_path: Path) -> None:
    (tmp_path / "a.ll").write_text(ACTING.replace("NAME", "k") + IDLE)
    (tmp_path / "b.ll").write_text(IDLE)
    ran = convcheck("refine", tmp_path / "a.ll", tmp_path / "b.ll")
    assert ran.code == 3
    assert "@k is not defined in the target" in ran.out


def test_the_one_function_with_another_name_is_taken_for_it(tmp_path: Path) -> None:
    (tmp_path / "a.ll").write_text(ACTING.replace("NAME", "k") + IDLE)
    (tmp_path / "b.ll").write_text(ACTING.replace("NAME", "other") + IDLE)
    ran = convcheck("refine", tmp_path / "a.ll", tmp_path / "b.ll")
    assert ran.code == 0
    assert "@k -> @other" in ran.out


INNER = ACTING.replace("define i32 @NAME", "define internal i32 @NAME")


@pytest.mark.parametrize("arguments", [("--function", "@k"), ()], ids=["named", "not named"])
def test_a_function_that_the_passes_took_away_is_an_answer(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """It is internal and nobody calls it; it was a usage error."""
    value = refined(ll(tmp_path, INNER.replace("NAME", "k")), "--passes", "globaldce", *arguments)
    assert (value["verdict"], value["function"]) == ("unknown", "@k")
    assert value["bound"] == "@k is not defined in the target"
    ran = convcheck("refine", tmp_path / "a.ll", "--passes", "globaldce", "--arg", "%x=1", *arguments)
    assert verdict(ran) == (3, "unknown")


def test_a_named_function_that_a_file_has_not_is_an_answer_too(tmp_path: Path) -> None:
    one, other = ll(tmp_path, ACTING.replace("NAME", "k")), ll(tmp_path, IDLE, "b.ll")
    assert verdict(convcheck("refine", one, other, "--function", "@k")) == (3, "unknown")
    ran = convcheck("refine", one, other, "--function", "@k", "--target-function", "@nope")
    assert ran.code == 2 and "the target defines no function @nope" in ran.err


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ("define i32 @k(i32 %x) {\n  ret i32 %nothing\n}\n", "line 2: "),
        ("", "opt (LLVM 22.1.8) gave nothing"),
    ],
    ids=["no such value", "nothing"],
)
def test_what_the_passes_made_and_nobody_can_read_is_an_answer(tmp_path: Path, made: str, why: str) -> None:
    source = ll(tmp_path, ACTING.replace("NAME", "k") + IDLE)
    value = refined(source, "--passes", "dce", "--opt", fake_opt(tmp_path, ("dce", made)))
    assert value["verdict"] == "unknown"
    assert [one["function"] for one in value["functions"] or [value]] == ["@k"]
    assert value["bound"].startswith(f"what the passes made cannot be read: {why}")


def test_a_file_of_the_users_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    one = ll(tmp_path, ACTING.replace("NAME", "k"))
    ran = convcheck("refine", one, ll(tmp_path, "define i32 @k(i32 %x) {\n  ret i32 %y\n}\n", "b.ll"))
    assert ran.code == 2 and "b.ll:2" in ran.err


@pytest.mark.parametrize("more", [(), ("--symbolic",)], ids=["tried", "symbolic"])
def test_what_optnone_keeps_from_passes_is_said_to_be_that(tmp_path: Path, more: tuple[str, ...]) -> None:
    kept = ACTING.replace("NAME(i32 %x)", "k(i32 %x) convergent noinline optnone")
    ran = convcheck("refine", ll(tmp_path, kept), "--passes", "dce", *more)
    assert verdict(ran) == (0, "equal")
    assert "optnone keeps LLVM's passes from the function" in ran.out
    assert "equal for all inputs" not in ran.out
    other = convcheck("refine", ll(tmp_path, ACTING.replace("NAME", "k")), "--passes", "dce", *more)
    assert "equal for all inputs" in other.out


REPLAYED = {
    "value": ("define i32 @f(i32 %x) {{\n  %y = {} i32 %x, 3\n  ret i32 %y\n}}\n", "mul", "shl"),
    "event": (
        "define void @f(i32 %x) {{\n  %c = icmp {} i32 %x, 1\n  br i1 %c, label %a, label %b\na:\n"
        "  call void @event(i32 %x)\n  ret void\nb:\n  ret void\n}}\ndeclare void @event(i32)\n",
        "sgt", "sge",
    ),
    "memory": (
        "define void @f(ptr %p, i32 %i) {{\n  %q = getelementptr i32, ptr %p, i32 {}\n"
        "  %v = load i32, ptr %q\n  store i32 %v, ptr %p\n  ret void\n}}\n",
        "1", "2",
    ),
    "group": (
        "define i32 @f(i32 %x) convergent {{\n  %c = icmp eq i32 %x, 0\n  br i1 %c, label %a, label %b\na:\n"
        "  %s = call i32 @sum(i32 %x)\n  br label %e\nb:\n  %u = call i32 @sum{}(i32 %x)\n  br label %e\ne:\n"
        "  %p = phi i32 [ %u, %b ], [ %s, %a ]\n  ret i32 %p\n}}\n"
        "declare i32 @sum(i32) convergent\ndeclare i32 @sum.2(i32) convergent\n",
        "", ".2",
    ),
    "result": (
        "define i32 @f(i32 %x) {{\n  %a = call i32 @ask(i32 %x)\n  %b = call i32 @ask(i32 %a)\n"
        "  %c = add i32 %a, {}\n  ret i32 %c\n}}\ndeclare i32 @ask(i32)\n",
        "%b", "%a",
    ),
}  # fmt: skip
"""Differences by their kinds: a text, and what stands in it on each side."""


@pytest.mark.parametrize("kind", REPLAYED)
def test_the_options_of_a_launch_show_the_difference_again(kind: str, tmp_path: Path) -> None:
    """As they are printed, in each command that executes."""
    text, *sides = REPLAYED[kind]
    files = [tmp_path / f"{n}.ll" for n in range(2)]
    for file, side in zip(files, sides, strict=True):
        file.write_text(text.format(side))
    said = convcheck("refine", *files)
    assert said.out.startswith("wrong"), said.out
    options = [word for line in re.findall(r"^  (--.+)$", said.out, re.M) for word in shlex.split(line)]
    assert options[0] == "--threads"
    for command in ("run", "enumerate"):
        one, other = (convcheck(command, file, *options) for file in files)
        assert (one.code, other.code) == (0, 0), one.err + other.err
        assert one.out != other.out
    assert convcheck("explore", files[0], *options, "-o", tmp_path / "page.html").code == 0
