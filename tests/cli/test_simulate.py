"""``convcheck simulate``: the table, one machine's masks, JSON by its schema, exit codes, bad usage.

covers: report.simulate, sched.lockstep.simulate
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.report.schemas import schema
from tests.cli.cli_harness import BAD, GOOD, ROOT, convcheck, ll, one_line
from tests.sched.lockstep.test_known_answers import spin_lock

NATURAL = ROOT / "examples_ll" / "alignments" / "natural.ll"
NESTED = ROOT / "examples_ll" / "alignments" / "nested.ll"
UNCONTROLLED = ROOT / "examples_ll" / "alignments" / "uncontrolled.ll"


def as_json(*arguments: str | Path) -> tuple[int, dict[str, Any]]:
    ran = convcheck("simulate", "--format", "json", *arguments)
    assert ran.err == ""
    value: dict[str, Any] = json.loads(ran.out)
    Draft202012Validator(schema("simulate")).validate(value)
    return ran.code, value


def test_steps_of_a_run_without_an_end_are_cut_and_it_is_said(tmp_path: Path) -> None:
    """Of a run that returned all are there."""
    loop = """
    @large = global [101 x [100 x i8]] zeroinitializer
    @small = global [100 x [100 x i8]] zeroinitializer
    define i32 @f(i32 %n) {
      br label %L
    L:
      %i = phi i32 [ 0, %0 ], [ %j, %L ]
      %j = add i32 %i, 1
      %c = icmp ne i32 %j, %n
      br i1 %c, label %L, label %E
    E:
      ret i32 %j
    }"""
    file = ll(tmp_path, loop)
    arguments = (file, "--threads", "1", "--policy", "ipdom", "--engine", "native", "--max-steps", "12000")
    code, value = as_json(*arguments, "--arg", "%n=-1")
    (machine,) = value["policies"]
    assert (code, machine["ending"]) == (3, "out-of-bound")
    assert len(machine["steps"]) == 10_000 and machine["steps"][-1]["slot"] == 9_999
    assert machine["steps_left_out"] == machine["issues"] - 10_000 > 2_000
    assert machine["memory_left_out"] == ["@large"] and [*machine["outcome"]["memory"]] == ["@small"]
    code, value = as_json(*arguments, "--arg", "%n=3500")
    (machine,) = value["policies"]
    assert (code, machine["ending"], machine["steps_left_out"]) == (0, "returned", 0)
    assert len(machine["steps"]) == machine["issues"] == 10_502
    assert not machine["memory_left_out"] and [*machine["outcome"]["memory"]] == ["@large", "@small"]


def test_all_machines_in_a_table() -> None:
    ran = convcheck("simulate", NATURAL, "--policy", "all")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == convcheck("simulate", NATURAL).out
    lines = {line.split()[0]: line for line in ran.out.splitlines() if line}
    assert lines["heart"].endswith("conforms")
    assert lines["ipdom"].endswith(
        "departs: %sum.b, lane 0, second time: ran {0}; D-USE allows only {0,1}, "
        "because %heart n=2 is equal (D-LOOP)"
    )


def test_one_machine_shows_its_masks_and_groups() -> None:
    ran = convcheck("simulate", NESTED, "--policy", "heart")
    assert ran.code == 0
    assert "Thread 0: A B B C - - D\nThread 1: A B - C B C D\n" in ran.out
    rows = [line for line in ran.out.splitlines() if line.startswith("Lane ")]
    assert [set(row.split(maxsplit=2)[2]) for row in rows] == [{"#", "."}, {"#", "."}]


def test_json_of_a_machine_that_departs() -> None:
    code, value = as_json(NATURAL, "--policy", "ipdom")
    assert code == 1
    (policy,) = value["policies"]
    assert (policy["policy"], policy["conforms"], policy["ending"]) == ("ipdom", False, "returned")
    left = policy["departure"]
    assert (left["rule"], left["operation"], left["lane"]) == ("D-USE", "%sum.b", 0)
    assert (left["group"], left["legal"]) == ([0], [[0, 1]])
    (operation,) = (o for o in policy["alignment"]["operations"] if o["operation"] == "%sum.b")
    assert [g["results"] for g in operation["groups"]] == [{"0": 11, "1": 11}, {"0": 1}, {"1": 10}]
    steps = policy["steps"]
    assert [s["slot"] for s in steps] == list(range(policy["issues"]))
    assert sum(s["mask"].bit_count() for s in steps) == policy["active_lanes"]
    assert policy["lane_slots"] == 2 * policy["issues"]
    first = steps[0]
    assert (first["wave"], first["block"], first["operation"], first["mask"]) == (0, "A", "br", 3)


def test_slots_are_neither_phis_nor_control_intrinsics() -> None:
    _, value = as_json(NATURAL, "--policy", "heart")
    operations = {s["operation"] for s in value["policies"][0]["steps"]}
    assert operations == {"br", "%sum.b", "%shifted", "%sums.next", "ret"}


def test_uncontrolled_programs_have_a_named_alignment() -> None:
    code, value = as_json(UNCONTROLLED)
    assert code == 0
    named = {p["policy"]: p["uncontrolled"] for p in value["policies"]}
    assert (named["ipdom"], named["heart"], named["block-ip"]) == ("nested", "natural", "nested")
    assert all(p["conforms"] for p in value["policies"])


def test_a_hang_is_exit_code_1_with_the_waiting_lanes(tmp_path: Path) -> None:
    file = ll(tmp_path, spin_lock("A T C E"))
    code, value = as_json(file, "--policy", "ipdom", "--threads", "2")
    (policy,) = value["policies"]
    assert (code, policy["ending"], policy["conforms"]) == (1, "hang", None)
    assert policy["waiting"] == [
        {"thread": 0, "function": "@f", "block": "C", "spins": False},
        {"thread": 1, "function": "@f", "block": "T", "spins": True},
    ]
    said = convcheck("simulate", file, "--policy", "ipdom", "--threads", "2").out
    assert "hangs (thread 0 waits at %C; thread 1 goes round at %T)" in said
    assert convcheck("simulate", file, "--policy", "independent", "--threads", "2").code == 0


def test_waves_are_subgroups() -> None:
    _, value = as_json(NATURAL, "--policy", "ipdom", "--subgroup-size", "1")
    assert {s["wave"] for s in value["policies"][0]["steps"]} == {0, 1}
    assert value["policies"][0]["conforms"] is True


def test_more_than_64_lanes_are_refused(tmp_path: Path) -> None:
    file = ll(tmp_path, GOOD)
    ran = convcheck("simulate", file, "--policy", "ipdom", "--threads", "65", "--arg", "%x=1")
    assert ran.code == 3 and "at most 64 lanes" in ran.out
    ran = convcheck(
        "simulate", file, "--policy", "ipdom", "--threads", "130", "--subgroup-size", "64", "--arg", "%x=1"
    )
    assert ran.code == 0


def test_a_bound_is_named(tmp_path: Path) -> None:
    ran = convcheck("simulate", NATURAL, "--policy", "heart", "--max-steps", "3")
    assert ran.code == 3 and "--max-steps 3" in ran.out


def test_undefined_behaviour_is_exit_code_1(tmp_path: Path) -> None:
    file = ll(tmp_path, "define void @f() {\n  unreachable\n}\n")
    ran = convcheck("simulate", file, "--policy", "all")
    assert ran.code == 1 and "undefined behaviour" in ran.out


@pytest.mark.parametrize("policy", ["warp", "", "barriers"])
def test_unknown_policies(policy: str) -> None:
    ran = convcheck("simulate", NATURAL, "--policy", policy)
    assert ran.code == 2 and "unknown policy" in ran.err and "Traceback" not in ran.err


def test_broken_rules_and_bad_files(tmp_path: Path) -> None:
    assert convcheck("simulate", ll(tmp_path, BAD)).code == 1
    ran = convcheck("simulate", tmp_path / "none.ll")
    assert ran.code == 2 and one_line(ran.err)
    ran = convcheck("simulate", ll(tmp_path, GOOD, "b.ll"), "--arg", "%y=1")
    assert ran.code == 2 and one_line(ran.err)


def test_svg_has_a_cell_per_lane_and_slot() -> None:
    ran = convcheck("simulate", NATURAL, "--policy", "ipdom", "--format", "svg")
    assert ran.code == 1
    _, value = as_json(NATURAL, "--policy", "ipdom")
    (machine,) = value["policies"]
    assert ran.out.count("<title>") == machine["issues"]
    blocks = {step["block"] for step in machine["steps"]}
    assert ran.out.count('rx="2"') == machine["lane_slots"] + len(blocks)
    import xml.etree.ElementTree as ET

    assert ET.fromstring(ran.out).tag.endswith("svg")


def test_structure_and_latches_from_the_command_line_and_from_the_file(tmp_path: Path) -> None:
    def named(*words: str | Path) -> dict[str, str]:
        return {p["policy"]: p["uncontrolled"] for p in as_json(*words)[1]["policies"]}

    assert named(UNCONTROLLED)["exec-mask"] == named(UNCONTROLLED, "--structure", "nested")["mask-stack"]
    assert named(UNCONTROLLED, "--latches", "merged")["exec-mask"] == "natural"
    text = UNCONTROLLED.read_text().replace("; CONVCHECK: ", "; CONVCHECK: --structure nested ", 1)
    file = ll(tmp_path, text)
    assert named(UNCONTROLLED)["mask-stack"] == "natural" and named(file)["mask-stack"] == "nested"
    bad = convcheck("simulate", UNCONTROLLED, "--structure", "B")
    assert bad.code == 2 and "is wanted" in bad.err
    refused = convcheck("simulate", UNCONTROLLED, "--structure", "B=NONE", "--policy", "mask-stack")
    assert refused.code == 3 and "there is no block %NONE" in refused.out


CLAIM = """define void @f(i32 %a) {
A:
  %c = icmp sgt i32 %a, 0
  br i1 %c, label %t, label %e, !llvm.branch !0
t:
  br label %e
e:
  ret void
}
"""
OWN = '!0 = !{!0, !1}\n!1 = !{!"llvm.branch.non_divergent"}\n'
FLAT = '!0 = !{!"llvm.branch.non_divergent"}\n'


@pytest.mark.parametrize("form", [OWN, FLAT])
def test_a_claim_that_a_branch_does_not_diverge(tmp_path: Path, form: str) -> None:
    """Proved where the argument is one for all; broken with the lanes; kept where it happened to hold."""
    file = ll(tmp_path, CLAIM + form)

    def claim(argument: str) -> dict[str, Any]:
        words = ["--policy", "ipdom", "--threads", "3", "--arg", argument]
        (found,) = as_json(file, *words)[1]["policies"][0]["claims"]
        assert (found["function"], found["block"]) == ("@f", "A")
        return dict(found)

    assert (claim("%a=4")["proved"], claim("%a=4")["divergent"]) == (True, None)
    assert (claim("%a=4,5,6")["proved"], claim("%a=4,5,6")["divergent"]) == (False, None)
    assert claim("%a=4,-1,6")["divergent"] == {
        "slot": 1,
        "wave": 0,
        "lanes": {"0": "t", "1": "e", "2": "t"},
        "values": {"0": 1, "1": 0, "2": 1},
    }
    said = convcheck("simulate", file, "--policy", "ipdom", "--threads", "3", "--arg", "%a=4,-1,6").out
    assert (
        "ipdom: the branch of %A in @f is claimed not to diverge: broken in wave 0, slot 1: "
        "lane 0 with 1 to %t, lane 1 with 0 to %e, lane 2 with 1 to %t" in said
    )


def test_other_branch_metadata_is_no_claim(tmp_path: Path) -> None:
    file = ll(tmp_path, CLAIM + '!0 = !{!"something.else"}\n')
    assert as_json(file, "--arg", "%a=1")[1]["policies"][0]["claims"] == []


def test_a_program_without_tokens_is_compared_with_mode_maximal() -> None:
    """Any grouping is legal there; where it is not the maximal one is said beside it."""
    _, value = as_json(UNCONTROLLED)
    found = {p["policy"]: p for p in value["policies"]}
    assert found["heart"]["uncontrolled"] == "natural" and found["heart"]["maximal"] is None
    assert found["ipdom"]["conforms"] and found["ipdom"]["uncontrolled"] == "nested"
    left = found["ipdom"]["maximal"]
    assert (left["rule"], left["lane"], left["nth"], left["group"]) == ("D-FREE", 0, 2, [0])
    assert left["legal"] == [[0, 1]]
    said = convcheck("simulate", UNCONTROLLED, "--policy", "ipdom").out
    assert "ipdom: not the maximal alignment: %sum.b, lane 0, second time: ran {0}; D-FREE allows " in said
    assert "because its most recent header %B n=2 is equal (D-FREE)" in said


MACHINES = ROOT / "examples_ll" / "machines"


@pytest.mark.parametrize("transform", ["jump-threading", "loop-unswitching"])
def test_transforms_that_copy_code_beside_each_other(transform: str) -> None:
    """Where the branch diverges they cost more issues on each lock-step machine, else fewer; both conform."""
    files = [MACHINES / f"{transform}-{when}.ll" for when in ("before", "after")]

    def rows(*words: str) -> dict[str, list[int]]:
        ran = convcheck("simulate", files[0], "--beside", files[1], *words)
        assert (ran.code, ran.err) == (0, "")
        lines = [line.split() for line in ran.out.splitlines()[3:]]
        assert all(line[-2:] == ["conforms", "conforms"] for line in lines[:-2])
        return {line[0]: [int(line[1]), int(line[2])] for line in lines[:-1]}

    divergent = rows()
    same = ["--arg", "%foo=1", "--arg", "%bar=1"] if transform == "jump-threading" else ["--arg", "%which=1"]
    uniform = rows(*same)
    for policy in ("ipdom", "exec-mask", "mask-stack", "block-ip", "barrier", "heart"):
        assert divergent[policy][1] > divergent[policy][0] and uniform[policy][1] < uniform[policy][0]
    sizes = [as_json(file)[1]["code_size"] for file in files]
    assert sizes[1] >= sizes[0]
    assert [as_json(f)[1]["policies"][0]["issues"] for f in files] == divergent["ipdom"]


def test_beside_needs_a_second_good_file_and_text(tmp_path: Path) -> None:
    ran = convcheck("simulate", NATURAL, "--beside", NESTED, "--format", "json")
    assert ran.code == 2 and "in text only" in ran.err
    ran = convcheck("simulate", NATURAL, "--beside", tmp_path / "none.ll")
    assert ran.code == 2 and one_line(ran.err)
    assert convcheck("simulate", NATURAL, "--beside", ll(tmp_path, BAD)).code == 1
    ran = convcheck("simulate", NATURAL, "--policy", "ipdom", "--beside", NESTED, "--policy", "ipdom")
    assert ran.code == 1 and "departs  conforms" in ran.out  # of one machine a departure counts
