"""What the page asks, without a browser; its links; and how it is served.

covers: cli.commands.playground, report.permalink
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from convergence.cli.page import answer
from convergence.report import permalink

from .cli_harness import ROOT, convcheck

NATURAL = (ROOT / "examples_ll" / "alignments" / "natural.ll").read_text()


@pytest.fixture(autouse=True)
def as_in_the_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONVCHECK_LLVM", "off")
    monkeypatch.chdir(tmp_path)


def asked(**question: object) -> Any:
    return json.loads(answer(json.dumps(question)))


def test_an_editor_is_told_what_can_be_launched() -> None:
    found = asked(ask="check", program=NATURAL)
    assert found["diagnostics"] == []
    (function,) = found["functions"]
    assert function["name"] == "natural"
    assert [(p["name"], p["bits"]) for p in function["parameters"]] == [("x", 32), ("again", 1), ("back", 1)]
    assert [(b["name"], b["to"]) for b in function["blocks"]][1] == ("B", ["B", "C"])
    assert found["launch"] == [
        "--threads", "2", "--arg", "%x=1,10", "--path", "A B B C D", "--path", "A B C B C D",
    ]  # fmt: skip


def test_an_editor_is_told_faults_with_places_and_witnesses() -> None:
    broken = NATURAL.replace("add i32", "ad i32", 1)
    (fault,) = asked(ask="check", program=broken)["diagnostics"]
    assert (fault["line"], fault["message"]) == (35, "cannot read 'ad' here")
    bad = (ROOT / "examples_ll" / "rules" / "S-CYCLE-USE.bad.ll").read_text()
    rules = asked(ask="check", program=bad)["diagnostics"]
    assert [one["rule"] for one in rules if one["witness"]] == ["S-CYCLE-USE"]


SPIRV = (ROOT / "examples_ll" / "spirv" / "loop.spvasm").read_text()


def test_spirv_is_a_program_too_and_has_both_promises() -> None:
    found = asked(ask="check", program=SPIRV)
    assert [f["name"] for f in found["functions"]] == ["main"] and found["diagnostics"] == []
    (fault,) = asked(ask="check", program=SPIRV.replace("OpGroupNonUniformIAdd", "OpNoSuchThing"))[
        "diagnostics"
    ]
    assert fault["line"] > 1
    shown = json.loads(
        asked(ask="call", program=SPIRV, command=["explore", "program.ll", "--format", "json"])["out"]
    )
    assert shown["source"] == SPIRV.splitlines()
    rows = {view["name"]: view["rows"] for view in shown["views"]}
    assert rows["SPIR-V maximal"] == rows["alignment 1"] != rows["SPIR-V base"]
    assert any("LLVM was not asked" in note for note in shown["notes"])


def test_a_call_is_the_command_line() -> None:
    found = asked(ask="call", program=NATURAL, command=["run", "program.ll"])
    ran = convcheck("run", "program.ll")
    assert (found["code"], found["out"], found["err"]) == (0, ran.out, ran.err)


TWO = """define i32 @tgt(i32 %x, i1 %c) convergent {
  %e = call token @llvm.experimental.convergence.entry()
  ret i32 %x
}
define i32 @src(i32 %x, i1 %c) convergent {
A:
  %e = call token @llvm.experimental.convergence.entry()
  br i1 %c, label %B, label %C
B:
  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %e) ]
  br label %C
C:
  %r = phi i32 [ 0, %A ], [ %s, %B ]
  ret i32 %r
}
declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent
"""


def test_what_nobody_gives_is_proposed_in_the_words_of_the_command_line() -> None:
    chosen = asked(ask="propose", program=TWO, command=["program.ll", "--arg", "%x=7"])
    assert (chosen["function"], chosen["threads"], chosen["buffers"]) == ("src", 4, {})
    assert list(chosen["arguments"]) == ["c"] and set(chosen["arguments"]["c"].split(",")) == {"0", "1"}
    nothing = asked(ask="propose", program=NATURAL, command=["program.ll"])
    assert nothing == {"function": None, "threads": None, "arguments": {}, "buffers": {}}
    assert asked(ask="propose", program="define", command=["program.ll"]) == {}
    assert asked(ask="propose", program=TWO, command=["program.ll", "--function", "@none"]) == {}


def test_a_fault_names_its_field_and_no_option() -> None:
    def fault(*words: str, program: str = TWO) -> list[Any]:
        pieces = asked(ask="call", program=program, command=["run", "program.ll", *words])["fault"]
        assert isinstance(pieces, list)
        return pieces

    assert fault() == [
        "which function is launched? Give one of @tgt, @src with ",
        {"name": "function", "key": "", "value": ""},
    ]
    text, field, *_ = fault("--function", "@src")
    assert field == {"name": "arg", "key": "%c", "value": "VALUE"} and "%c has no value" in text
    assert fault("--threads", "many")[0] == {"name": "threads", "key": "", "value": ""}
    assert fault(program=NATURAL.replace("add i32", "ad i32", 1))[0].startswith("line 35, column ")
    assert asked(ask="call", program=NATURAL, command=["run", "program.ll"])["fault"] is None


SHELVES = ROOT / "examples_ll"
OPEN = sorted(
    path
    for shelf in ("transforms", "inference", "questions")
    for path in (SHELVES / shelf).glob("*.ll")
    if "CONVCHECK:" not in path.read_text() and not path.name.endswith(".after.ll")
)


@pytest.mark.parametrize("path", OPEN[::5], ids=lambda path: path.name)
def test_an_example_that_says_no_launch_has_a_picture(path: Path) -> None:
    program = path.read_text()
    if any(one["severity"] == "error" for one in asked(ask="check", program=program)["diagnostics"]):
        pytest.skip("breaks a rule, on purpose")
    chosen = asked(ask="propose", program=program, command=["program.ll"])
    words = ["--threads", str(chosen["threads"])] if chosen["threads"] else []
    words += ["--function", chosen["function"]] if chosen["function"] else []
    for flag, values in (("--arg", chosen["arguments"]), ("--buffer", chosen["buffers"])):
        words += [word for name, text in values.items() for word in (flag, f"%{name}={text}")]
    ran = asked(ask="call", program=program, command=["run", "program.ll", *words])
    assert (ran["code"], ran["fault"]) == (0, None)
    assert ran["out"].startswith("Thread 0: ")


def test_explore_as_json_is_what_the_page_holds(tmp_path: Path) -> None:
    (tmp_path / "a.ll").write_text(NATURAL)
    whole = json.loads(convcheck("explore", "a.ll", "--format", "json").out)
    schemas = ROOT / "convergence" / "report" / "schemas"
    jsonschema.validate(whole, json.loads((schemas / "explore.schema.json").read_text()))
    names = [view["name"] for view in whole["views"]]
    assert names[:3] == ["alignment 1", "inferred", "maximal"] and "heart" in names
    assert [block["to"] for block in whole["cfg"]["blocks"]] == [[1], [1, 2], [1, 3], []]
    first = json.loads(convcheck("explore", "a.ll", "--format", "json", "--first").out)
    (view,) = first["views"]
    assert (view["name"], view["rows"]) == ("run", whole["views"][0]["rows"])


WITHOUT_LLVMLITE = """
import json, sys
sys.modules["llvmlite"] = None
from convergence.cli.page import answer
for question in json.loads(sys.argv[1]):
    print(json.loads(answer(json.dumps(question))).get("code", "answered"))
"""


def test_what_the_page_has_is_enough_for_what_it_asks(tmp_path: Path) -> None:
    """``playground/build.mjs`` leaves modules out; what is left answers every question of the page."""
    build = (ROOT / "playground" / "build.mjs").read_text(encoding="utf-8")
    written = re.search(r"^unasked = (\(.*?^\))", build, re.MULTILINE | re.DOTALL)
    assert written is not None
    package = tmp_path / "convergence"
    shutil.copytree(ROOT / "convergence", package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "examples").mkdir()  # the wheel has them
    for name in ast.literal_eval(written[1]):
        gone = package / name
        assert gone.exists(), f"{name} is left out, and is not there"
        shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    words = ("run", "run --format svg", "explore --format json", "explore --format json --first", "verify")
    questions: list[dict[str, Any]] = []
    for program in (NATURAL, SPIRV):
        questions += [{"ask": "check", "program": program}]
        questions += [{"ask": "propose", "program": program, "command": ["program.ll"]}]
        questions += [
            {"ask": "call", "program": program, "command": [command, "program.ll", *options]}
            for command, *options in map(str.split, words)
        ]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LLVMLITE, json.dumps(questions)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["answered", "answered", "0", "0", "0", "0", "0"] * 2, done.stderr


@pytest.mark.parametrize("program", ["", NATURAL, "; \ud800\n", "; é ∀ 🧵\n"])
def test_a_link_holds_what_was_put_into_it(program: str) -> None:
    made = permalink.link(program, '--path "A B"')
    page, fragment = made.split("#")
    assert page == permalink.PAGE
    assert set(fragment[2:]) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    assert (
        permalink.read(made) == permalink.read("#" + fragment) == permalink.Permalink(program, '--path "A B"')
    )


@pytest.mark.parametrize("broken", ["", "page#2=abc", "#1=nonsense", "#1=%%", permalink.link(NATURAL)[:-20]])
def test_a_damaged_link_is_said_to_be_one(broken: str) -> None:
    with pytest.raises(ValueError, match="link"):
        permalink.read(broken)


def test_the_page_is_served_for_this_machine(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("the page")
    (tmp_path / "packages.zip").write_bytes(b"")
    command = [sys.executable, "-m", "convergence", "playground", "--no-open", "--site", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            with urllib.request.urlopen(address) as page:
                assert page.read() == b"the page"
                assert page.headers["Cross-Origin-Embedder-Policy"] == "require-corp"
        finally:
            server.terminate()


def test_what_is_not_built_is_one_line(tmp_path: Path) -> None:
    ran = convcheck("playground", "--no-open", "--site", str(tmp_path))
    assert (ran.code, ran.err) == (2, f"convcheck: {tmp_path}: the page is not there\n")
