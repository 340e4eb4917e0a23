"""``explain``: every rule has its reason, and examples are shown without their test lines.

covers: cli.commands.explain, rules
"""

from __future__ import annotations

import pytest

from convergence.report import explain
from convergence.report.explain import WHY
from convergence.rules import Rule


@pytest.mark.parametrize("rule", list(Rule), ids=lambda rule: rule.id)
def test_every_rule_has_a_sentence_a_reason_and_a_link(rule: Rule) -> None:
    said = explain.rule(rule, [])
    words = " ".join(said.split())
    assert said.startswith(f"{rule.id}: {rule.title}\n")
    assert rule.sentence in words
    assert WHY[rule] in words
    assert rule.link in said
    assert all(len(line) <= explain.WIDTH for line in said.splitlines() if "https:" not in line)


def test_the_list_names_every_rule_once() -> None:
    lines = explain.rules().splitlines()
    for rule in Rule:
        assert sum(line.split()[:1] == [rule.id] for line in lines) == 1


def test_an_example_is_its_program_and_what_its_commands_print() -> None:
    runs = (("convcheck run f.ll", "Thread 0: a\n\nend\n"),)
    text = "; a remark\ndefine void @f() {\n}\n"
    example = explain.Example("shows", "D-USE.shows.ll", text, runs)
    said = explain.rule(Rule.D_USE, [example])
    program = "Shows it (D-USE.shows.ll):\n\n  ; a remark\n  define void @f() {\n  }\n"
    assert said.endswith(program + "\n  $ convcheck run f.ll\n  Thread 0: a\n\n  end\n")
