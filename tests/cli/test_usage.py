"""Usage errors, help, explain, and what happens when convcheck itself fails.

covers: cli, cli.plumbing.options
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from convergence.cli.plumbing import Exit, worst
from convergence.packages import __version__
from convergence.rules import Rule
from convergence.semantics import alternatives
from tests.cli.cli_harness import BAD, GOOD, ROOT, convcheck, ll, one_line


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify"],
        ["verify", "--no-such-flag", "a.ll"],
        ["verify", "--format", "yaml", "a.ll"],
        ["run"],
        ["run", "--threads", "none", "a.ll"],
        ["run", "--threads", "0", "a.ll"],
        ["run", "a.ll", "b.ll"],
        ["nonsense"],
        ["--nonsense"],
        ["explain", "--nonsense"],
        [],
    ],
    ids=" ".join,
)
def test_usage_errors_say_how_it_is_used(arguments: list[str]) -> None:
    ran = convcheck(*arguments)
    assert ran.code == 2
    assert "Usage: convcheck" in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], ["verify", "--help"], ["run", "-h"], ["explain", "-h"]]
)
def test_help(arguments: list[str]) -> None:
    ran = convcheck(*arguments)
    assert ran.code == 0
    assert ran.out.startswith("Usage: convcheck")
    assert all(len(line) <= 100 for line in ran.out.splitlines())


def test_help_names_every_command_and_exit_code() -> None:
    said = convcheck("--help").out
    for word in ("verify", "run", "explain", "Exit codes: 0"):
        assert word in said


def test_a_near_miss_is_corrected() -> None:
    assert "Did you mean 'verify'?" in convcheck("verfy", "a.ll").err


def test_version() -> None:
    ran = convcheck("--version")
    assert (ran.code, ran.out) == (0, f"convcheck {__version__}\n")


@pytest.mark.parametrize("word", ["S-NEST", "s-nest", "S_NEST", " s-Nest "])
def test_explain_takes_a_rule_in_any_case(word: str) -> None:
    ran = convcheck("explain", word)
    assert ran.code == 0
    assert ran.out.startswith("S-NEST: convergence regions nest\n")
    assert Rule.S_NEST.link in ran.out


@pytest.mark.parametrize(
    "rule", [rule for rule in Rule if rule.id.startswith("S-")], ids=lambda rule: rule.id
)
def test_explain_shows_both_examples_of_a_static_rule(rule: Rule) -> None:
    said = convcheck("explain", rule.id).out
    assert f"Keeps it ({rule.id}.good.ll)" in said
    assert f"Breaks it ({rule.id}.bad.ll)" in said
    assert "define " in said
    assert "RUN:" not in said
    assert "\n\n\n" not in said


def test_explain_shows_every_example_when_asked() -> None:
    short, long = convcheck("explain", "S-NEST").out, convcheck("explain", "--all", "S-NEST").out
    assert "More examples, with --all: " in short
    assert "(S-NEST.branch.bad.ll):" not in short
    assert "Breaks it (S-NEST.branch.bad.ll):" in long
    assert "More examples" not in long


@pytest.mark.parametrize(
    "rule", [rule for rule in Rule if rule.id.startswith("W-")], ids=lambda rule: rule.id
)
def test_explain_shows_what_is_warned_about(rule: Rule) -> None:
    assert f"Is warned about ({rule.id}.warns.ll)" in convcheck("explain", rule.id).out


@pytest.mark.parametrize(
    "rule", [rule for rule in Rule if rule.id.startswith("D-")], ids=lambda rule: rule.id
)
def test_explain_shows_a_dynamic_rule_at_work(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says that the commands print is what they print."""
    monkeypatch.chdir(ROOT / "examples_ll" / "rules")
    said = convcheck("explain", "--all", rule.id).out
    assert f"({rule.id}.shows.ll)" in said
    assert "RUN:" not in said
    assert "CHECK-NEXT" not in said
    commands = [line.strip().removeprefix("$ ") for line in said.splitlines() if line.startswith("  $ ")]
    assert len(commands) >= len(list(Path.cwd().glob(f"{rule.id}.*.ll")))
    for command in commands:
        ran = convcheck(*shlex.split(command)[1:])
        printed = textwrap.indent(ran.out, "  ", lambda line: bool(line.strip())).rstrip()
        assert f"  $ {command}\n{printed}\n" in said


def test_explain_alone_lists_the_rules() -> None:
    said = convcheck("explain").out
    assert all(rule.id in said for rule in Rule)


def test_explain_of_no_rule_names_near_ones() -> None:
    ran = convcheck("explain", "S-NSET")
    assert ran.code == 2
    assert "S-NEST" in ran.err
    assert convcheck("explain", "zzz").code == 2
    assert convcheck("explain", "").code == 2


def test_the_order_of_exit_codes() -> None:
    best_first = [Exit.HOLDS, Exit.UNKNOWN, Exit.FAILS, Exit.INPUT, Exit.OUR_BUG]
    for at in range(len(best_first)):
        assert worst(best_first[: at + 1]) is best_first[at]
    assert worst([]) is Exit.HOLDS


def test_our_own_bug_is_one_line_and_exit_code_4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("one\ntwo")

    monkeypatch.setattr("convergence.verifier.verify", broken)
    ran = convcheck("verify", ll(tmp_path, GOOD))
    assert ran.code == 4
    assert one_line(ran.err)
    assert "internal error: ZeroDivisionError: one." in ran.err
    assert "Traceback" in convcheck("verify", "-v", ll(tmp_path, GOOD)).err
    monkeypatch.setenv("CONVCHECK_TRACEBACK", "1")
    assert "Traceback" in convcheck("verify", ll(tmp_path, GOOD)).err


def test_interruption_is_exit_code_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("convergence.verifier.verify", interrupted)
    ran = convcheck("verify", ll(tmp_path, GOOD))
    assert ran.code == 3
    assert "convcheck: interrupted\n" in ran.err
    assert "Traceback" not in ran.err


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    many = BAD + "".join(BAD[BAD.index("define") :].replace("@f", f"@f{n}") for n in range(300))
    path = ll(tmp_path, many)
    script = f"{sys.executable} -m convergence verify {path} | head -n 1"
    ran = subprocess.run(
        script, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.stdout.count("\n") == 1
    assert ran.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", ["--help", "--version", "run --help", "explain D-LOOP", "verify FILE"])
def test_an_answer_that_cannot_be_written_is_no_bug_of_ours(tmp_path: Path, arguments: str) -> None:
    words = arguments.replace("FILE", str(ll(tmp_path, GOOD)))
    script = f"{sys.executable} -m convergence {words} > /dev/full"
    ran = subprocess.run(script, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == "convcheck: <stdout>: cannot write: No space left on device\n"


@pytest.mark.parametrize(
    ("redirection", "code", "said"),
    [
        ("verify FILE >&-", 2, "convcheck: <stdout>: cannot write: Bad file descriptor\n"),
        ("verify - <&-", 2, "convcheck: <stdin>: Bad file descriptor\n"),
        ("enumerate FILE --arg %x=1 2>&- >/dev/null", 0, ""),
    ],
)
def test_standard_streams_may_be_closed(tmp_path: Path, redirection: str, code: int, said: str) -> None:
    script = f"{sys.executable} -m convergence {redirection.replace('FILE', str(ll(tmp_path, GOOD)))}"
    ran = subprocess.run(script, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (code, said)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run --function natral", "there is no definition of @natral; did you mean @natural?"),
        ("run --function @qqqq", "there is no definition of @qqqq; there are: @natural"),
        ("uniform --function natral", "did you mean @natural?"),
        ("inline --function natral", "did you mean @natural?"),
        ("infer --mark-convergent natral", "did you mean @natural?"),
        ("refine --passes dce --function natral", "did you mean @natural?"),
        ("simulate --policy hart", "did you mean heart? There are ipdom, "),
        ("run --threads two", "'two' is not a valid integer."),
        ("run --timeout soon", "'soon' is not a valid number of seconds."),
    ],
)
def test_a_word_that_means_nothing_there_is_answered_helpfully(arguments: str, message: str) -> None:
    ran = convcheck(*arguments.split(), "examples_ll/alignments/natural.ll")
    assert ran.code == 2 and message in ran.err


def test_a_message_names_a_few_of_many() -> None:
    assert alternatives("@zz", (f"@f{n}" for n in range(20))).endswith("@f7 and 12 more")
    assert alternatives("@zz", ()) == "; there are: none"
