"""``refine --dump``: the modules that LLVM printed while it ran passes, each held against the next.

covers: passes.dumps, refine.sides.side
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.cli.commands.refine import _Dumped
from convergence.passes import NotADump, dumps, optimised, passes_run, unchanged
from convergence.refine.sides.outcomes import Executable
from convergence.report.schemas import schema
from tests.cli.cli_harness import convcheck, ll, one_line
from tests.report.refine_sample import TEXT

HEAD = "; ModuleID = 'k.cl'\nsource_filename = \"k.cl\"\n\n"
SRC = TEXT.partition("define i32 @tgt")[0]
WRONG = SRC.partition("define")[0] + "define i32 @src" + TEXT.partition("define i32 @tgt")[2]
INVALID = SRC.replace('"(token %', '"(token poison) ; %')
PURE = "\ndefine i32 @pure(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n"


def dumped(*parts: tuple[str, str]) -> str:
    """Of heads without stars, and modules."""
    return "".join(f"; *** IR {head} ***\n{text}\n" for head, text in parts)


START = ("Dump At Start", HEAD + SRC)
RIGHT = ("Dump After InstCombinePass on src", HEAD + SRC.replace("%c,", "%c ,"))
HOIST = ("Dump After HoistPass on src", HEAD + WRONG)


def test_the_pass_that_is_wrong_is_named(tmp_path: Path) -> None:
    path = ll(tmp_path, dumped(START, RIGHT, HOIST), "dump.txt")
    ran = convcheck("refine", "--dump", path)
    assert ran.code == 1
    right, wrong = [line for line in ran.out.splitlines() if " after " in line]
    assert right.startswith("equal: @src after InstCombinePass on src (pass 1): ")
    assert wrong.startswith("wrong: @src after HoistPass on src (pass 2): ")
    assert ran.out.count("Established: ") == 1  # of what is right a line is enough
    assert ran.out.endswith("Verdict: wrong (1 equal, 1 wrong)\n")
    assert convcheck("refine", "--dump", "-", stdin=path.read_bytes()).out == ran.out
    assert convcheck("refine", "-v", "--dump", path).out.count("Established: ") == 2


@pytest.mark.parametrize("linkage", ["linkonce_odr", "internal"])
def test_what_the_inliner_is_about_to_take_away_is_in_its_callers(tmp_path: Path, linkage: str) -> None:
    """It empties a function that nothing calls any more, and that was called wrong."""
    callee = SRC.replace("define i32 @src", f"define {linkage} i32 @part")
    caller = "define i32 @top(i1 %c, i32 %x) convergent {\n  %r = call i32 @other(i32 %x)\n  ret i32 %r\n}\n"
    other = "declare i32 @other(i32) convergent\n"
    head, _, _ = callee.partition(" {\n")
    emptied = f"{head} {{\n  unreachable\n}}\n"
    modules = [HEAD + other + function + "\n" + caller for function in (callee, emptied)]
    modules[1] = modules[1].replace("%r =", "%r  =")
    path = ll(tmp_path, dumped(("Dump At Start", modules[0]), ("Dump After InlinerPass on top", modules[1])))
    ran = convcheck("refine", "--dump", path)
    assert (ran.code, "part" in ran.out) == (0, False)
    named = modules[1].replace(linkage, "")
    lost = ll(
        tmp_path,
        dumped(("Dump At Start", modules[0].replace(linkage, "")), ("Dump After InlinerPass on top", named)),
    )
    assert convcheck("refine", "--dump", lost).code == 1  # who has not that linkage, others may call


def test_a_colour_before_a_head_is_none_of_it(tmp_path: Path) -> None:
    """clang ends a warning's colours at the beginning of the next line."""
    (unit,) = dumps("warning\n\x1b[0m\x1b[0;1;32m" + dumped(START, HOIST).removeprefix("; "))
    (step,) = unit.passes
    assert (step.name, step.before is not None) == ("HoistPass", True)


def test_what_a_pass_made_is_not_run_again_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module after a pass is the one before the next: the same answers with and without that."""
    outcomes, looks, answers = Executable.outcomes, [0, 0], []
    added = HEAD + SRC.replace("store i32 %s", "%u = add i32 %s, 0\n  store i32 %u")
    path = ll(tmp_path, dumped(START, ("Dump After AddPass on src", added), HOIST), "dump.txt")
    for reuses in (False, True):

        def counted(*arguments: Any, reuses: bool = reuses) -> Any:
            looks[reuses] += 1
            return outcomes(*arguments)

        monkeypatch.setattr(Executable, "outcomes", counted)
        monkeypatch.setattr(_Dumped, "reuses", reuses)
        answers.append(convcheck("refine", "-v", "--dump", path).out)
    assert answers[0] == answers[1]
    assert "equal: @src after AddPass" in answers[0] and "wrong: @src after HoistPass" in answers[0]
    assert looks[True] < looks[False]


def test_json_and_pages(tmp_path: Path) -> None:
    path = ll(tmp_path, dumped(START, RIGHT, HOIST), "dump.txt")
    value = json.loads(convcheck("refine", "--dump", path, "--format", "json").out)
    Draft202012Validator(schema("refine")).validate(value)
    assert value["after"] == {"number": 2, "pass": "HoistPass", "on": "src", "unseen": []}
    assert [one["verdict"] for one in value["functions"]] == ["equal", "wrong"]
    for form in ("html", "sarif", "github"):
        ran = convcheck("refine", "--dump", path, "--format", form)
        assert (ran.code, "HoistPass" in ran.out or form != "html") == (1, True)


def test_a_real_pipeline_s_passes_are_those_that_it_ran() -> None:
    how = {"opt_args": ("-print-after-all", "-print-module-scope")}
    made = optimised(SRC, "default<O1>", **how)  # type: ignore[arg-type]
    (unit,) = dumps(made.printed)
    runs = passes_run(SRC, "default<O1>")
    told = [(p.on, p.after) for p in unit.passes if p.before is not None and p.changed]
    assert told == [(run.on, run.text) for run in runs[1:] if run.changed]
    assert told


@pytest.mark.parametrize("flag", ["-print-changed", "-print-changed=quiet", "-print-before-all"])
def test_a_real_pipeline_keeps_the_threads_together(tmp_path: Path, flag: str) -> None:
    flags = (flag, "-print-module-scope", *(["-print-after-all"] if "before" in flag else []))
    made = optimised(SRC + PURE, "default<O1>", opt_args=flags)
    path = ll(tmp_path, made.printed, "dump.txt")
    ran = convcheck("refine", "--dump", path, "--max-launches", "30")
    assert ran.code == 0, ran.out
    assert ("is not in the dump" in ran.out) == (flag == "-print-changed=quiet")
    with_source = convcheck("refine", ll(tmp_path, SRC + PURE), "--dump", path, "--max-launches", "30")
    assert (with_source.code, "is not in the dump" in with_source.out) == (0, False)


def test_what_is_behind_an_invalid_module_is_held_against_the_one_before(tmp_path: Path) -> None:
    assert INVALID != SRC
    path = ll(tmp_path, dumped(START, ("Dump After BadPass on src", HEAD + INVALID), RIGHT), "dump.txt")
    ran = convcheck("refine", "--dump", path)
    bad, good = [line for line in ran.out.splitlines() if " after " in line]
    assert bad.startswith(("invalid-output: @src after BadPass", "unknown: @src after BadPass"))
    assert good.startswith("equal: @src after InstCombinePass")


def test_what_is_no_whole_module_is_counted_with_the_next(tmp_path: Path) -> None:
    region = ("Dump After Structurize control flow (structurizecfg)", "B:\n  br label %C\n")
    after = ("Dump After AMDGPU Annotate (annotate) *** (function: src)", HEAD + WRONG)
    (unit,) = dumps(dumped(START, region, region, after).replace(") ***\n; Mod", ")\n; Mod"))
    (step,) = unit.passes
    assert (step.name, step.on, step.unseen) == ("annotate", "src", ("structurizecfg",))
    path = ll(tmp_path, dumped(START, region, ("Dump After LastPass on src", HEAD + WRONG)), "dump.txt")
    assert (
        "after LastPass on src (pass 1, with structurizecfg before it)"
        in convcheck("refine", "--dump", path).out
    )


def test_a_function_alone_is_refused_between_modules_too(tmp_path: Path) -> None:
    """Of what its pass did nobody would see the rest: the answer was that of the modules alone."""
    alone = ("Dump After GVNSinkPass on src", "; Function Attrs: convergent\n" + SRC[SRC.index("define") :])
    ran = convcheck("refine", "--dump", ll(tmp_path, dumped(START, RIGHT, alone), "dump.txt"))
    assert (ran.code, ran.out, one_line(ran.err)) == (2, "", True)
    assert "after GVNSinkPass no whole module is printed" in ran.err


@pytest.mark.parametrize("asked", [False, True])
def test_a_pass_whose_loop_is_no_more_is_not_passed_over(tmp_path: Path, asked: bool) -> None:
    """LLVM prints no module of it unless it is asked to."""
    gone = "*** IR Pass LoopDeletionPass invalidated ***\n*** IR Pass PassManager<Loop, X> invalidated ***\n"
    printed = dumped(("Dump After LoopDeletionPass on loop %l in function src (invalidated)", HEAD + WRONG))
    path = ll(tmp_path, dumped(START, RIGHT) + (printed if asked else "") + gone, "dump.txt")
    ran = convcheck("refine", "--dump", path)
    if asked:
        assert ran.code == 1
        assert "wrong: @src after LoopDeletionPass" in ran.out
        assert "not in the dump" not in ran.out
    else:
        assert ran.code == 3
        assert "note: what LoopDeletionPass did is not in the dump\n" in ran.out


def test_a_pass_that_is_told_twice_is_one() -> None:
    """By -print-changed, and by -print-after, whose heads are comments."""
    changed = dumped(HOIST).replace("; ***", "***")
    (unit,) = dumps(dumped(START) + dumped(HOIST) + changed + dumped(RIGHT))
    assert [(step.number, step.name, step.changed) for step in unit.passes] == [
        (1, "HoistPass", True), (2, "InstCombinePass", True),
    ]  # fmt: skip


def test_a_module_that_begins_anew_was_made_by_no_pass() -> None:
    """The same source for another device, behind a pass of which nothing was printed."""
    region = ("Dump After Structurize control flow (structurizecfg)", "B:\n  br label %C\n")
    first, second = dumps(dumped(START, RIGHT, region, ("Dump At Start", HEAD + WRONG), HOIST))
    assert [(step.name, step.changed) for step in first.passes] == [("InstCombinePass", True)]
    assert [(step.name, step.changed) for step in second.passes] == [("HoistPass", False)]
    assert (first.module, first.unseen) == (second.module, ("structurizecfg",)) and second.unseen == ()


@pytest.mark.parametrize("processors", [("gfx906", "gfx1030"), ("", "")])
def test_a_module_that_is_compiled_twice_is_two(tmp_path: Path, processors: tuple[str, str]) -> None:
    """Without a word in between: for another processor, or again as it was. The second one's first pass was
    taken to undo what the first one's last passes had done."""
    parts = [
        (title, text + (f'attributes #9 = {{ "target-cpu"="{cpu}" }}\n' if cpu else ""))
        for cpu in processors
        for title, text in (RIGHT, HOIST)
    ]
    first, second = dumps(dumped(*parts))
    assert [step.name for step in first.passes] == [step.name for step in second.passes]
    assert second.passes[0].before is None
    ran = convcheck("refine", "--dump", ll(tmp_path, dumped(*parts), "dump.txt"))
    assert ran.code == 1 and ran.out.count("wrong: @src after HoistPass") == 2
    assert "wrong: @src after InstCombinePass" not in ran.out


def test_passes_may_come_again_in_one_run() -> None:
    """The first one changes something again, or nothing."""
    again = (RIGHT[0], HOIST[1] + "; behind\n")
    (unit,) = dumps(dumped(START, RIGHT, HOIST, again, (RIGHT[0], again[1])))
    assert [step.name for step in unit.passes] == ["InstCombinePass", "HoistPass", *["InstCombinePass"] * 2]


def test_modules_before_passes_alone_say_what_each_did(tmp_path: Path) -> None:
    before = [
        ("Dump Before InstCombinePass on src", HEAD + SRC),
        ("Dump Before HoistPass on src", RIGHT[1]),
        ("Dump Before LastPass on src", HEAD + WRONG),
    ]
    ran = convcheck("refine", "--dump", ll(tmp_path, dumped(*before), "dump.txt"))
    right, wrong = [line for line in ran.out.splitlines() if " after " in line]
    assert right.startswith("equal: @src after InstCombinePass on src (pass 1)")
    assert wrong.startswith("wrong: @src after HoistPass on src (pass 2)")
    assert "note: what LastPass did is not in the dump\n" in ran.out


@pytest.mark.parametrize("lines", [1, 3, 6])
def test_a_dump_that_was_cut_accuses_nobody(tmp_path: Path, lines: int) -> None:
    """Attributes stand behind the functions: without them no call was convergent."""
    numbered = SRC.replace("convergent", "#0") + "\nattributes #0 = { convergent }\n"
    assert convcheck("refine", "--dump", ll(tmp_path, dumped(START, ("Dump After P on src", HEAD + numbered)),
                                            "whole.txt")).code == 0  # fmt: skip
    text = dumped(START, RIGHT, ("Dump After P on src", HEAD + numbered.rstrip("\n")))
    cut = "\n".join(text.rstrip("\n").split("\n")[:-lines]) + "\n"
    ran = convcheck("refine", "--dump", ll(tmp_path, cut, "dump.txt"))
    assert ran.code == 3
    assert "note: what P did is not in the dump\n" in ran.out
    assert "after P " not in ran.out


def test_a_first_output_that_is_invalid_is_no_source(tmp_path: Path) -> None:
    """The dump does not show what the first pass was given, and what it gave breaks a rule: what comes behind
    is held against nothing, and nobody is told that the source breaks it."""
    bad = ("Dump After BadPass on src", HEAD + INVALID)
    ran = convcheck("refine", "--dump", ll(tmp_path, dumped(bad, RIGHT, HOIST), "dump.txt"))
    assert ran.code == 1
    assert "wrong: @src after HoistPass" in ran.out
    assert "note: what InstCombinePass did is not in the dump: give SRC, or -print-before-all" in ran.out


def test_behind_the_first_machine_code_there_is_no_ir(tmp_path: Path) -> None:
    machine = ("Dump After Instruction Selection (isel)", "# Machine code for function src: IsSSA\n")
    ran = convcheck("refine", "--dump", ll(tmp_path, dumped(START, RIGHT, machine), "dump.txt"))
    assert (ran.code, "note: from isel on it is machine code, which is not read" in ran.out) == (0, True)


def test_what_an_analysis_prints_between_modules_is_no_part_of_them() -> None:
    """Lines that begin as IR's do, and a blank one, come behind it."""
    facts = "Printing analysis 'Loops' for function 'src':\n  Report: none\n\nLoop in @src\n; of it\n"
    after = ("Dump After InstCombinePass on src", HEAD + SRC + facts)
    (unit,) = dumps(dumped(START, after))
    (plain,) = dumps(dumped(START, (after[0], HEAD + SRC)))
    assert [p.after for p in unit.passes] == [p.after for p in plain.passes]


def test_several_modules_in_one_dump(tmp_path: Path) -> None:
    other = dumped(START, HOIST).replace("k.cl", "other.cl")
    path = ll(tmp_path, dumped(START, RIGHT) + "1 warning generated.\n" + other, "dump.txt")
    ran = convcheck("refine", "--dump", path)
    assert (ran.code, ran.out.endswith("Verdict: wrong (1 equal, 1 wrong)\n")) == (1, True)
    ran = convcheck("refine", ll(tmp_path, SRC), "--dump", path)
    assert (ran.code, one_line(ran.err)) == (2, True)
    assert "SRC is one module, and the dump has 2: k.cl, other.cl" in ran.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (SRC, "no `*** IR Dump After PASS ***` is in it"),
        (
            dumped(("Dump After SROAPass on f", "define void @f() {\n  ret void\n}\n")),
            "-print-module-scope does",
        ),
        (dumped(("Dump After SROAPass on f", "-  %a = add\n+  %a = sub\n")), "-print-changed=quiet prints"),
        (dumped(START, ("Dump After P on f", HEAD + SRC)), "no pass of the dump changed a function"),
        (dumped(("Dump At Start", HEAD + "define hello\n"), HOIST), "expected type"),
    ],
)
def test_what_cannot_be_compared_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    ran = convcheck("refine", "--dump", ll(tmp_path, text, "dump.txt"))
    assert (ran.code in (2, 3), ran.out, one_line(ran.err)) == (True, "", True)
    assert says in ran.err


def test_what_does_not_go_with_it(tmp_path: Path) -> None:
    path = ll(tmp_path, dumped(START, RIGHT), "dump.txt")
    for more in (["--passes", "dce"], ["--opt", "opt"], ["--target-function", "@g"]):
        assert "--dump, not both" in convcheck("refine", "--dump", path, *more).err
    assert "give TGT or --dump, not both" in convcheck("refine", path, path, "--dump", path).err
    assert "Missing argument 'SRC'" in convcheck("refine").err
    own = ll(tmp_path, f"; CONVCHECK: --dump {path}\n" + SRC)
    assert "may not set --dump" in convcheck("refine", own).err


def test_output_that_llvm_cannot_read_is_unknown(tmp_path: Path) -> None:
    path = ll(
        tmp_path, dumped(START, ("Dump After BadPass on src", HEAD + "define hello\n"), RIGHT), "dump.txt"
    )
    ran = convcheck("refine", "--dump", path)
    assert (ran.code, "unknown: @src after BadPass" in ran.out, "equal: @src after" in ran.out) == (
        3,
        True,
        True,
    )


def test_functions_that_say_the_same_are_not_compared_again() -> None:
    text = (
        "define void @a() {\n  call void @b()\n  ret void\n}\n\ndefine void @b() {\n  ret void\n}\n"
        "define void @c() {\n  ret void\n}\n"
    )
    assert unchanged(text, text) == {"a", "b", "c"}
    assert unchanged(text, text.replace("@b() {\n", "@b() {\n  fence seq_cst\n")) == {"c"}
    assert unchanged(text + "@p = global ptr @c\n", text.replace("@b() {\n", "@b() {\n\n")) == frozenset()
    aliased = text + "@p = global ptr @c\n"
    assert unchanged(aliased, aliased.replace("@c() {\n", "@c() {\n\n")) == frozenset()


def test_differences_of_functions_alone_are_named() -> None:
    with pytest.raises(NotADump, match="after SROAPass no whole module"):
        dumps(dumped(("Dump After SROAPass on f", "define void @f() {\n  ret void\n}\n")))
