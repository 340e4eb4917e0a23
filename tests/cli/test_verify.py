"""``convcheck verify`` end to end: forms, exit codes, several files, where errors go.

covers: cli.plumbing.load, cli.plumbing
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from convergence.report.schemas import schema
from tests.cli.cli_harness import BAD, GOOD, ROOT, WARNED, convcheck, ll, one_line, process

NOT_SSA = GOOD.replace("ret i32 %s", "ret i32 %y\nunused:\n  %y = add i32 %x, 1\n  ret i32 %y")


def test_a_file_that_keeps_the_rules(tmp_path: Path) -> None:
    ran = convcheck("verify", ll(tmp_path, GOOD))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "ok: 1 function of 1 file\n"


def test_a_broken_file_is_shown_with_its_place_witness_and_llvm_s_words(tmp_path: Path) -> None:
    path = ll(tmp_path, BAD)
    ran = convcheck("verify", path)
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith(f"{path}:9:40: error[S-CYCLE-USE]: ")
    assert '[ "convergencectrl"(token %t) ]' in ran.out
    assert "= witness: B -> B (closed path)" in ran.out
    assert '= note: LLVM says: "Convergence token used by an instruction other than' in ran.out
    assert "\x1b" not in ran.out
    assert ran.out.endswith("\n\n1 error in 1 function of 1 file\n")


def test_warnings_do_not_fail(tmp_path: Path) -> None:
    path = ll(tmp_path, WARNED)
    ran = convcheck("verify", path)
    assert ran.code == 0
    assert "warning[W-UNUSED-TOKEN]" in ran.out
    assert ran.out.endswith("ok: 1 function of 1 file, 1 warning\n")
    assert convcheck("verify", "-q", path).out == ""


def test_standard_input(tmp_path: Path) -> None:
    ran = convcheck("verify", "-", stdin=BAD)
    assert ran.code == 1
    assert ran.out.startswith("<stdin>:9:40: error[S-CYCLE-USE]")


def test_json(tmp_path: Path) -> None:
    good, bad = ll(tmp_path, GOOD, "good.ll"), ll(tmp_path, BAD, "bad.ll")
    ran = convcheck("verify", "--format", "json", good, bad, tmp_path / "missing.ll")
    assert ran.code == 2
    value = json.loads(ran.out)
    Draft202012Validator(schema("verify")).validate(value)
    assert [file["file"] for file in value["files"]] == [str(good), str(bad), str(tmp_path / "missing.ll")]
    assert value["files"][0]["diagnostics"] == []
    (found,) = value["files"][1]["diagnostics"]
    assert (found["rule"], found["function"], found["line"], found["column"]) == ("S-CYCLE-USE", "@f", 9, 40)
    assert value["files"][2]["error"].endswith("No such file or directory")


def test_what_breaks_each_rule_is_as_the_schema_says() -> None:
    """S- and W- of LLVM IR, R- of SPIR-V: by `verify`, and by what answers as it does."""
    shelf = sorted(
        [*(ROOT / "examples_ll/rules").glob("*.ll"), *(ROOT / "examples_ll/rules").glob("*.spvasm")]
    )
    value = json.loads(convcheck("verify", "--format", "json", *shelf).out)
    Draft202012Validator(schema("verify")).validate(value)
    broken = {d["rule"] for file in value["files"] for d in file["diagnostics"]}
    assert {rule[0] for rule in broken} == {"S", "W", "R"}
    assert {"R-BACK", "R-HEADER", "R-EXIT", "R-SELECT", "R-SWITCH", "R-JOIN"} <= broken
    for command in ("enumerate", "uniform"):
        ran = convcheck(command, "--format", "json", ROOT / "examples_ll/rules/R-BACK.shows.spvasm")
        assert ran.code == 1
        Draft202012Validator(schema("verify")).validate(json.loads(ran.out))


def test_sarif_and_github(tmp_path: Path) -> None:
    bad = ll(tmp_path, BAD)
    assert (
        json.loads(convcheck("verify", "--format=sarif", bad).out)["runs"][0]["results"][0]["level"]
        == "error"
    )
    ran = convcheck("verify", "--format=github", bad)
    assert ran.code == 1
    assert ran.out.startswith(f"::error file={bad},line=9,col=40,endColumn=67,title=S-CYCLE-USE::")


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ("good", 0),
        ("good bad", 1),
        ("bad good", 1),
        ("bad missing good", 2),
        ("good missing", 2),
        ("warned", 0),
    ],
)
def test_the_worst_file_decides(tmp_path: Path, files: str, code: int) -> None:
    for name, text in (("good", GOOD), ("bad", BAD), ("warned", WARNED)):
        ll(tmp_path, text, name)
    assert convcheck("verify", *(tmp_path / name for name in files.split())).code == code


def test_what_llvm_refuses_for_another_reason_is_no_llvm_ir(tmp_path: Path) -> None:
    path = ll(tmp_path, NOT_SSA)
    ran = convcheck("verify", path)
    assert ran.code == 2
    assert one_line(ran.err)
    assert ran.err == f"convcheck: {path}: LLVM's verifier: Instruction does not dominate all uses!\n"


def test_a_broken_rule_counts_also_in_what_llvm_refuses_for_another_reason(tmp_path: Path) -> None:
    text = BAD.replace("ret i32 %s", "ret i32 %y\nunused:\n  %y = add i32 %x, 1\n  ret i32 %y")
    ran = convcheck("verify", ll(tmp_path, text))
    assert ran.code == 1  # a broken rule is established, whatever else LLVM refuses
    assert "error[S-CYCLE-USE]" in ran.out
    assert one_line(ran.err)


def test_debug_info_does_not_let_llvm_end_the_process(tmp_path: Path) -> None:
    """LLVM's reader verifies a module with debug info, and aborts if that fails."""
    text = BAD + '\n!llvm.module.flags = !{!0}\n!0 = !{i32 2, !"Debug Info Version", i32 3}\n'
    ran = process("verify", ll(tmp_path, text))
    assert ran.code == 1
    assert "error[S-CYCLE-USE]" in ran.out


def test_output_to_a_file(tmp_path: Path) -> None:
    target = tmp_path / "answer.txt"
    ran = convcheck("verify", "-o", target, ll(tmp_path, BAD))
    assert (ran.code, ran.out) == (1, "")
    assert "S-CYCLE-USE" in target.read_text()
    ran = convcheck("verify", "-o", tmp_path / "no" / "such", ll(tmp_path, BAD))
    assert ran.code == 2
    assert one_line(ran.err)


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {}, False),
        ([], {}, False),
    ],
)
def test_colour(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    environment: dict[str, str],
    coloured: bool,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in convcheck("verify", *arguments, ll(tmp_path, BAD)).out) is coloured


def test_bitcode(tmp_path: Path) -> None:
    from llvmlite import binding

    for name, text, code in (("good.bc", GOOD, 0), ("bad.bc", BAD, 1)):
        path = ll(tmp_path, binding.parse_assembly(text).as_bitcode(), name)
        ran = convcheck("verify", path)
        assert ran.code == code, ran
        assert ("disassembly" in ran.out) is (code == 1)


def test_a_directive_in_the_file_does_not_disturb_verify(tmp_path: Path) -> None:
    assert convcheck("verify", ll(tmp_path, '; CONVCHECK: --threads 2 --path "A B"\n' + GOOD)).code == 0


def test_the_answer_names_no_absolute_path_unless_the_user_did(tmp_path: Path) -> None:
    ll(tmp_path, BAD)
    ran = process("verify", "a.ll", cwd=tmp_path)
    assert ran.code == 1
    assert str(tmp_path) not in ran.out + ran.err


def test_warnings_one_by_one(tmp_path: Path) -> None:
    """Switched off, asked for, made errors: in text, JSON, SARIF and GitHub form, and in the exit code."""
    path = ll(tmp_path, WARNED)
    assert convcheck("verify", "-Wno-unused-token", path).out == "ok: 1 function of 1 file\n"
    failed = convcheck("verify", "-Werror=unused-token", "-q", path)
    assert failed.code == 1
    assert "error[W-UNUSED-TOKEN]" in failed.out
    assert convcheck("verify", "-Werror", "-Wno-error=unused-token", path).code == 0
    value = json.loads(convcheck("verify", "-Werror", "--format=json", path).out)
    Draft202012Validator(schema("verify")).validate(value)
    assert [d["severity"] for d in value["files"][0]["diagnostics"]] == ["error"]
    sarif = json.loads(convcheck("verify", "-Werror", "--format=sarif", path).out)
    assert [r["level"] for r in sarif["runs"][0]["results"]] == ["error"]
    assert convcheck("verify", "-Werror", "--format=github", path).out.startswith("::error ")
    assert convcheck("verify", "-Wno-all", "--format=github", path).out == ""
    wrong = convcheck("verify", "-Wunused-tokens", path)
    assert wrong.code == 2
    assert "unused-token'" in wrong.err
    assert "-Wno-unused-token" in convcheck("explain", "-q", "W-UNUSED-TOKEN").out
    assert "-Werror=NAME" in convcheck("explain").out
