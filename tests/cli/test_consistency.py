"""Every command takes the same options in the same words, exits as documented, and writes valid JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from jsonschema import Draft202012Validator

from convergence.cli import cli
from convergence.report.schemas import schema
from tests.cli.cli_harness import BAD, GOOD, ROOT, Ran, convcheck, ll

PAGE = (ROOT / "docs" / "command-line.md").read_text()
COMMANDS: dict[str, click.Command] = {}
for _name in cli.list_commands(click.Context(cli)):
    _command = cli.get_command(click.Context(cli), _name)
    assert _command is not None
    COMMANDS[_name] = _command

LAUNCH = {
    "--function", "--threads", "--subgroup-size", "--arg", "--input", "--path", "--operations",
    "--uncontrolled", "--dfs", "--no-verify", "--max-steps", "--timeout", "--all-blocks",
}  # fmt: skip
"""What every command takes that executes FILE."""
EXECUTING = ("run", "enumerate", "simulate", "explore", "refine", "uniform", "allows")
FORMS = {
    "verify": ["text", "json", "sarif", "github", "junit"],
    "run": ["text", "json", "jsonl", "svg", "github"],
    "enumerate": ["text", "json", "svg", "github"],
    "simulate": ["text", "json", "svg", "github"],
    "explore": ["html", "json"],
    "uniform": ["text", "json", "sarif", "github", "html", "svg"],
    "refine": ["text", "json", "html", "sarif", "github"],
    "infer": ["text"],
    "inline": ["text"],
    "translate": ["text"],
    "fuzz": ["text", "json"],
    "report": ["text", "json", "html", "sarif", "junit"],
    "suite": ["text", "json", "html", "sarif", "junit"],
    "drive": ["text", "json"],
    "allows": ["text", "json"],
    "litmus": ["text", "markdown", "json", "junit"],
}
RUNS_ON = "examples_ll/alignments/natural.ll"
UNDEFINED = "define i32 @f(i32 %x) {\n  %y = udiv i32 %x, 0\n  ret i32 %y\n}\n"
ENDLESS = "define void @f() {\n  br label %A\nA:\n  br label %A\n}\n"


def options(command: str) -> dict[str, click.Option]:
    """By each of its names."""
    found = [p for p in COMMANDS[command].params if isinstance(p, click.Option)]
    return {name: option for option in found for name in (*option.opts, *option.secondary_opts)}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_what_all_take(command: str) -> None:
    assert {"--color", "-q", "--quiet", "-v", "--verbose"} <= set(options(command))
    assert {"-o", "--output"} <= set(
        options(command)
    ) or command == "playground"  # it serves, and answers nothing
    assert ("--format" in options(command)) == (command in FORMS)
    for option in options(command).values():
        assert option.help and option.help.endswith("."), option.help


@pytest.mark.parametrize("command", EXECUTING)
def test_what_executes_takes_a_launch_in_the_same_words(command: str) -> None:
    assert set(options(command)) >= LAUNCH
    for name in LAUNCH:
        assert options(command)[name].help == options("run")[name].help
        assert options(command)[name].metavar == options("run")[name].metavar


@pytest.mark.parametrize("command", FORMS)
def test_the_forms_are_those_of_the_page(command: str) -> None:
    kinds = options(command)["--format"].type
    assert isinstance(kinds, click.Choice)
    assert list(kinds.choices) == FORMS[command]
    row = next(line for line in PAGE.splitlines() if line.startswith("| `--format F`"))
    said = next(part for part in row.split(";") if f"`{command}`" in part)
    assert re.findall(r"`(\w+)`", said.partition(":")[2] or said.rpartition(":")[2]) == FORMS[command]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_names_every_option(command: str) -> None:
    pages = PAGE + "".join((ROOT / "docs" / name).read_text() for name in OTHER_PAGES.get(command, ()))
    long = {name for name in options(command) if name.startswith("--")} - {"--output", "--quiet", "--verbose"}
    assert [name for name in sorted(long) if not re.search(re.escape(name) + r"(?![\w-])", pages)] == []
    assert re.search(rf"^convcheck {command} ", PAGE, re.M)


OTHER_PAGES = {
    "refine": ["refine.md"],
    "infer": ["infer-inline.md"],
    "inline": ["infer-inline.md"],
    "translate": ["spirv.md"],
    "explore": ["explore.md"],
    "fuzz": ["fuzz.md"],
    "reduce": ["fuzz.md"],
    "report": ["how-to/check-a-build.md"],
    "suite": ["how-to/check-a-build.md"],
    "playground": ["playground.md"],
    "uniform": ["uniformity.md"],
    "drive": ["how-to/try-a-driver.md"],
    "allows": ["allows.md"],
    "litmus": ["allows.md"],
}


def one(tmp_path: Path, text: str, *arguments: str) -> list[str | Path]:
    """A command on a file with ``text``."""
    return [arguments[0], ll(tmp_path, text), *arguments[1:]]


CODES = [
    (GOOD, ["verify"], 0),
    (BAD, ["verify"], 1),
    ("nonsense", ["verify"], 2),
    (GOOD, ["run", "--arg", "%x=1"], 0),
    (BAD, ["run", "--arg", "%x=1"], 1),
    (UNDEFINED, ["run", "--arg", "%x=1"], 1),
    (ENDLESS, ["run", "--max-steps", "9"], 3),
    ("nonsense", ["run"], 2),
    (GOOD, ["run", "--arg", "%y=1"], 2),
    (GOOD, ["enumerate", "--arg", "%x=1"], 0),
    (BAD, ["enumerate", "--arg", "%x=1"], 1),
    (UNDEFINED, ["enumerate", "--arg", "%x=1"], 1),
    (ENDLESS, ["enumerate", "--max-steps", "9"], 3),
    ("nonsense", ["enumerate"], 2),
    (GOOD, ["simulate", "--arg", "%x=1"], 0),
    (GOOD, ["simulate", "--threads", "2", "--policy", "independent", "--arg", "%x=1"], 1),
    (GOOD, ["simulate", "--threads", "2", "--policy", "all", "--arg", "%x=1"], 0),
    (BAD, ["simulate", "--arg", "%x=1"], 1),
    (UNDEFINED, ["simulate", "--arg", "%x=1"], 1),
    (ENDLESS, ["simulate", "--policy", "ipdom", "--max-steps", "9"], 1),
    ("nonsense", ["simulate"], 2),
    (GOOD, ["explore", "--arg", "%x=1"], 0),
    (UNDEFINED, ["explore", "--arg", "%x=1"], 1),
    (BAD, ["explore", "--arg", "%x=1"], 1),
    ("nonsense", ["explore"], 2),
    (GOOD, ["refine", "--target-function", "@f", "--function", "@f"], 0),
    (BAD, ["refine", "--passes", "gvn"], 2),
    ("nonsense", ["refine", "--passes", "gvn"], 2),
    (GOOD, ["infer"], 0),
    ("nonsense", ["infer"], 2),
    (GOOD, ["inline"], 0),
    ("nonsense", ["inline"], 2),
    (GOOD, ["translate"], 2),
    ("nonsense", ["translate"], 2),
    (GOOD, ["allows", "--arg", "%x=1", "--state", "0:return=7"], 1),
    (GOOD, ["allows", "--arg", "%x=1"], 2),
    ("nonsense", ["allows"], 2),
    (GOOD, ["litmus", "--arg", "%x=1"], 2),
    ("nonsense", ["reduce", "--passes", "gvn"], 2),
]


@pytest.mark.parametrize(
    ("text", "arguments", "code"), CODES, ids=lambda v: " ".join(v) if isinstance(v, list) else ""
)
def test_exit_codes(tmp_path: Path, text: str, arguments: list[str], code: int) -> None:
    ran = convcheck(*one(tmp_path, text, *arguments))
    assert ran.code == code, ran
    assert "Traceback" not in ran.err
    if code == 2:
        assert ran.err.startswith("convcheck: ")


@pytest.mark.parametrize(
    "command",
    [
        c
        for c in FORMS
        if "json" in FORMS[c] and c not in ("refine", "fuzz", "report", "suite", "drive", "allows", "litmus")
    ],
)
@pytest.mark.parametrize("text", [GOOD, BAD, UNDEFINED], ids=["good", "bad", "undefined"])
def test_json_is_as_its_schema_says(tmp_path: Path, command: str, text: str) -> None:
    launch = [] if command == "verify" else ["--arg", "%x=1,2", "--threads", "2"]
    ran = convcheck(*one(tmp_path, text, command, "--format", "json", *launch))
    refused = text == BAD and command != "verify"
    valid("verify" if refused else command, ran)


def test_refine_s_json_is_as_its_schema_says() -> None:
    valid("refine", convcheck("refine", ROOT / "examples_ll/transforms/hoist-add.ll", "--format", "json"))


def test_a_side_without_an_end_is_as_refine_s_schema_says(tmp_path: Path) -> None:
    """A thread that goes round is unfinished, as `enumerate` says, and the side's ending says why."""
    text = "define i32 @NAME(i32 %x) {\n  %c = icmp eq i32 %x, 3\n  br i1 %c, label %A, label %B\n"
    source = text.replace("NAME", "src") + "A:\n  br label %A\nB:\n  ret i32 0\n}\n"
    ran = convcheck(
        *one(tmp_path, source + "define i32 @tgt(i32 %x) {\n  ret i32 0\n}\n", "refine", "--format", "json")
    )
    valid("refine", ran)
    side = json.loads(ran.out)["counterexample"]["source"]
    assert (side["ending"], [t["ended"] for t in side["outcome"]["threads"]]) == ("endless", ["unfinished"])


def valid(command: str, ran: Ran) -> None:
    answer = json.loads(ran.out)
    Draft202012Validator(schema(command)).validate(answer)
    assert (answer["schema"], answer["command"]) == ("convcheck/1", command)


@pytest.mark.parametrize("command", ["verify", "run", "enumerate", "simulate", "explore", "infer", "inline"])
def test_an_answer_goes_where_it_is_sent(tmp_path: Path, command: str) -> None:
    path = tmp_path / "answer"
    plain = convcheck(command, ROOT / RUNS_ON)
    sent = convcheck(command, ROOT / RUNS_ON, "-o", path)
    assert (sent.code, sent.out) == (plain.code, "")
    assert path.read_text() == plain.out
    for nowhere in (tmp_path, tmp_path / "no" / "folder"):
        ran = convcheck(command, ROOT / RUNS_ON, "-o", nowhere)
        assert ran.code == 2
        assert ran.err.splitlines()[-1].startswith(f"convcheck: {nowhere}: cannot write: ")


@pytest.mark.parametrize("command", ["verify", "run", "enumerate", "simulate"])
def test_colour_is_asked_for_or_absent(command: str) -> None:
    bad = ROOT / ("examples_ll/rules/S-NEST.bad.ll" if command == "verify" else RUNS_ON)
    plain, painted = (convcheck(command, bad, "--color", c).out for c in ("auto", "always"))
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == plain


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("command", ["verify", "run", "explain"])
def test_a_full_disk_is_no_bug_of_ours(tmp_path: Path, command: str) -> None:
    import subprocess
    import sys

    file = "S-NEST" if command == "explain" else str(ROOT / RUNS_ON)
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "convergence", command, file], stdout=full, stderr=subprocess.PIPE,
            text=True, timeout=60, check=False, cwd=ROOT,
        )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (2, "convcheck: <stdout>: cannot write: No space left on device\n")
