"""``--format github`` of what runs: what went wrong, where, and nothing if all is well."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.cli_harness import convcheck

SHELF = Path(__file__).resolve().parents[2] / "examples_ll"
NATURAL = str(SHELF / "alignments" / "natural.ll")
ANCHOR = str(SHELF / "alignments" / "natural-anchor.ll")
SPIN = str(SHELF / "machines" / "spin-lock.ll")


@pytest.fixture
def division(tmp_path: Path) -> str:
    path = tmp_path / "a.ll"
    path.write_text("define i32 @f(i32 %x) {\n  %a = udiv i32 1, %x\n  ret i32 %a\n}\n")
    return str(path)


@pytest.mark.parametrize("command", ["run", "enumerate", "simulate"])
def test_undefined_behaviour_is_an_error_at_its_instruction(command: str, division: str) -> None:
    ran = convcheck(command, "--format", "github", "--arg", "%x=0", division)
    assert ran.code == 1
    title = "ipdom" if command == "simulate" else "undefined-behaviour"
    assert ran.out.startswith(f"::error file={division},line=2,col=3,endColumn=22,title={title}::undefined")


@pytest.mark.parametrize("command", ["run", "enumerate"])
def test_nothing_is_said_where_all_is_well(command: str) -> None:
    ran = convcheck(command, "--format", "github", NATURAL)
    assert (ran.code, ran.out) == (0, "")


def test_a_bound_is_a_warning() -> None:
    ran = convcheck("run", "--format", "github", "--max-steps", "3", NATURAL)
    assert ran.code == 3 and ran.out.startswith("::warning file=") and "--max-steps 3 was hit" in ran.out
    cut = str(SHELF / "alignments" / "natural-anchor.ll")
    ran = convcheck("enumerate", "--format", "github", "--max-executions", "1", cut)
    assert ran.code == 3 and "title=not complete::not complete%3A" not in ran.out
    assert "::warning file=" in ran.out and "::not complete: --max-executions 1" in ran.out


def test_a_departure_is_an_error_of_one_machine_and_a_notice_of_several() -> None:
    alone = convcheck("simulate", "--format", "github", "--policy", "ipdom", NATURAL)
    assert alone.code == 1
    place = f"file={NATURAL},line=33,col=3,endColumn=77"
    assert alone.out.startswith(f"::error {place},title=ipdom::departs: %25sum.b")
    every = convcheck("simulate", "--format", "github", NATURAL)
    assert every.code == 0 and "::error" not in every.out
    assert f"::notice file={NATURAL},line=33" in every.out and "title=heart" not in every.out


def test_a_hang_is_an_error() -> None:
    ran = convcheck("simulate", "--format", "github", "--policy", "ipdom", SPIN)
    assert ran.code == 1 and "title=ipdom::hangs" in ran.out


def test_broken_rules_are_what_verify_says() -> None:
    bad = str(SHELF / "rules" / "S-NEST.bad.ll")
    for command in ("run", "enumerate", "simulate"):
        ran = convcheck(command, "--format", "github", bad)
        assert ran.code == 1
        assert ran.out == convcheck("verify", "--format", "github", bad).out


def test_a_wrong_transform_is_an_error_at_the_operation_that_departs() -> None:
    file = str(SHELF / "transforms" / "hoist-add.ll")
    ran = convcheck("refine", "--format", "github", file)
    assert ran.code == 1 and ran.out.count("\n") == 1
    assert ran.out.startswith(f"::error file={file},line=")
    assert "title=refine%3A wrong::the target does what the source cannot: " in ran.out
    line = int(ran.out.split("line=")[1].split(",")[0])
    assert "@subgroupAdd" in Path(file).read_text().splitlines()[line - 1]


def test_a_transform_that_holds_is_not_mentioned() -> None:
    before, after = (str(SHELF / "langref" / f"hoist-uniform-{side}.ll") for side in ("before", "after"))
    ran = convcheck("refine", "--format", "github", before, after)
    assert (ran.code, ran.out) == (0, "")


def test_a_target_that_breaks_a_rule_is_told_as_verify_tells_it(tmp_path: Path) -> None:
    target = tmp_path / "t.ll"
    text = Path(NATURAL).read_text().replace("i32 @subgroupAdd(i32 %x) [ \"convergencectrl\"(token %heart)",
        "i32 @subgroupAdd(i32 %x) [ \"convergencectrl\"(token %outer)")  # fmt: skip
    target.write_text(text)
    ran = convcheck("refine", "--format", "github", NATURAL, str(target))
    assert ran.code == 1
    verified = convcheck("verify", "--format", "github", str(target)).out.splitlines()
    assert ran.out.splitlines() == [line for line in verified if line.startswith("::error")]
    assert "title=S-CYCLE-USE" in ran.out


def test_an_unknown_verdict_is_a_warning() -> None:
    cut = convcheck("refine", "--format", "github", "--max-steps", "1", NATURAL, ANCHOR)
    assert cut.code == 3 and cut.out.startswith(f"::warning file={ANCHOR},title=refine%3A unknown::")
