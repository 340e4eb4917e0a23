"""``refine``'s answer as text, JSON and a page: on comparisons made by hand.

covers: report.refine, report.refine_formats
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from convergence.refine.verdict.result import OperationPlace, Refinement
from convergence.report import parts as json_report
from convergence.report import refine as refine_text
from convergence.report import refine_formats as refine_html
from convergence.report import refine_formats as refine_json
from convergence.report.parts import Style
from convergence.report.refine import RefineAnswer
from convergence.report.schemas import schema
from tests.report.refine_sample import answer, blamed, invalid, several, wrong

ALL = [answer, blamed, invalid, several]


def data(found: RefineAnswer) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(json_report.dump(refine_json.answer(found)))
    Draft202012Validator(schema("refine")).validate(value)
    return value


# -- text -----------------------------------------------------------------------------------------


def test_the_text_in_full() -> None:
    assert refine_text.text(answer()) == (
        "wrong: @src -> @tgt: the target does what the source cannot\n"
        "Established: wrong for launch 1 of 2\n"
        "Models:\n"
        "  inferred  wrong\n"
        "  ipdom     equal\n"
        "\n"
        "Launch: 2 threads\n"
        "  --threads 2\n"
        "  --arg %x=1,10\n"
        "  --arg %c=1,0\n"
        "  --input @cc=1,0/0\n"
        "\n"
        "Source           |  Target\n"
        "Thread 0: A B C  |  Thread 0: A B C\n"
        "Thread 1: A - C  |  Thread 1: A - C\n"
        "\n"
        "%s (@subgroupAdd):     |  %s (@subgroupAdd):\n"
        "  threads 0, 1 #1: 11  |    thread 0 #1: 1\n"
        "\n"
        "First difference: %s thread 0 #1: in a group of threads 0, 1 in the source, alone in the target\n"
        "  in the target thread 1 makes no 1st call of it\n"
        "\n"
        "Thread 0 returned 11  |  Thread 0 returned 1\n"
        "Thread 1 returned 0   |  Thread 1 returned 0\n"
        "Memory:               |  Memory:\n"
        "  @g = 11             |    @g = 1\n"
        "\n"
        "Difference: thread 0 returns 11 in the source, 1 in the target\n"
        "\n"
        "note: a note <b>\n"
    )


def test_the_pass_to_blame_and_who_ran_it() -> None:
    said = refine_text.text(blamed())
    blame = "sink on loop %l in function f (pass 5 of 9)"
    assert f"Blame: {blame}: wrong; 1 before it kept to the source\n" in said
    assert "Passes: simplifycfg,sink, run by llvmlite\nnote: target x\n" in said
    assert "note: said once\n" in said
    assert refine_text.text(blamed(), verbose=True).count("define i32 @src") == 1


def test_a_broken_rule_with_its_place_and_what_running_says() -> None:
    said = refine_text.text(invalid())
    assert said.startswith("invalid-output: @src -> @tgt: the target breaks a static rule\n")
    assert "Behaviour: equal: run all the same, it behaves as the source\n" in said
    assert re.search(r"^invalid\.ll:\d+:\d+: error\[S-CYCLE-USE\]: ", said, re.MULTILINE)


def test_several_functions_end_in_one_verdict() -> None:
    said = refine_text.text(several())
    assert said.endswith("\nVerdict: wrong (1 equal, 1 wrong, 1 unknown)\n")
    assert "unknown: @src -> @tgt: not established\nBound: --timeout 1\nEstablished: few\n" in said
    quiet = refine_text.text(several(), quiet=True).splitlines()
    assert [line.partition(":")[0] for line in quiet if line] == ["equal", "unknown", "wrong", "Verdict"]


def test_wide_pictures_stand_below_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refine_text, "WIDE", 20)
    said = refine_text.text(answer())
    assert "source | Thread 1: A - C\ntarget | Target\ntarget | Thread 0: A B C\n" in said


def test_colour_says_nothing_by_itself() -> None:
    dressed = refine_text.text(blamed(), Style(True))
    assert re.sub(r"\x1b\[[0-9;]*m", "", dressed) == refine_text.text(blamed())


def test_what_a_walk_did_not_find() -> None:
    assert "Blame: no pass changed anything\n" in refine_text.text(answer(walk=()))
    walk = blamed().compared[0].walk
    assert walk is not None
    assert "Blame: none: 1 pass changed something\n" in refine_text.text(answer(walk=walk[:1]))


def test_what_a_thread_did_not_execute() -> None:
    found = wrong()
    assert found.counterexample is not None and found.counterexample.departure is not None
    departure = replace(found.counterexample.departure, target=None)
    said = refine_text.departure(departure)
    assert said.startswith(
        "First difference: %s thread 0 #1 in the source: in a group of threads 0, 1, "
        "without a counterpart in the target\n"
    )


def test_the_same_threads_at_other_instances() -> None:
    found = wrong()
    assert found.counterexample is not None and found.counterexample.departure is not None
    departure = replace(found.counterexample.departure, target=OperationPlace("%s", 2, (0, 1)))
    said = refine_text.departure(departure)
    assert "in a group of threads 0, 1 on both sides, at different instances\n" in said


# -- JSON -----------------------------------------------------------------------------------------


def test_json_has_the_contract_s_keys_in_order() -> None:
    value = data(blamed())
    contract = ["schema", "command", "verdict", "pass", "models", "behaviour", "counterexample"]
    assert list(value)[: len(contract)] == contract
    assert (value["verdict"], value["pass"], value["behaviour"]) == ("wrong", "sink", None)
    assert value["models"] == {"inferred": "wrong", "ipdom": "equal"}
    example = value["counterexample"]
    assert list(example)[:4] == ["threads", "arguments", "source", "target"]
    assert example["arguments"] == {"%x": [1, 10], "%c": [1, 0]}
    assert example["source"]["alignment"]["picture"] == ["A B C", "A - C"]
    assert [thread["return"] for thread in example["target"]["outcome"]["threads"]] == [1, 0]
    assert example["departure"]["target_group"] == [0]
    assert example["inputs"] == {"@cc": [[1, 0], [0]]}
    assert value["bisect"][1] == {
        "number": 5, "of": 9, "pass": "sink", "on": "loop %l in function f", "verdict": "wrong",
    }  # fmt: skip
    assert value["pipeline"] == {"passes": "simplifycfg,sink", "by": "llvmlite", "notes": ["target x"]}


def test_json_of_several_is_of_the_worst_and_has_all() -> None:
    value = data(several())
    assert value["verdict"] == "wrong"
    assert [one["verdict"] for one in value["functions"]] == ["equal", "unknown", "wrong"]
    assert [one["bound"] for one in value["functions"]] == [None, "--timeout 1", None]


def test_json_of_an_invalid_output() -> None:
    value = data(invalid())
    assert (value["verdict"], value["behaviour"]) == ("invalid-output", "equal")
    assert value["counterexample"] is None
    assert value["diagnostics"][0]["rule"] == "S-CYCLE-USE"


@pytest.mark.parametrize("key", ["verdict", "models", "counterexample", "functions"])
def test_the_schema_refuses_an_answer_without(key: str) -> None:
    value = data(answer())
    del value[key]
    assert list(Draft202012Validator(schema("refine")).iter_errors(value))


def test_values_are_plain() -> None:
    found = wrong()
    assert found.counterexample is not None
    example = replace(found.counterexample, arguments={"v": ((1, 2), [3, "poison"])}, paths=(("A", "B"),))
    value = data(answer(replace(found, counterexample=example)))["counterexample"]
    assert value["arguments"] == {"%v": [[1, 2], [3, "poison"]]}
    assert value["paths"] == [["A", "B"]]
    said = refine_text.text(answer(replace(found, counterexample=example)))
    assert "  --arg %v=<1,2>,<3,poison>\n" in said
    assert '  --path "A B"\n' in said


# -- the page -------------------------------------------------------------------------------------

VOID = {"meta", "br", "rect", "line", "path", "circle"}


class Reader(HTMLParser):
    """A page's elements, which must nest, its ids, which must differ, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append(data)


@pytest.mark.parametrize("made", ALL)
def test_the_page_is_whole_and_needs_nothing(made: Any) -> None:
    page = refine_html.page(made())
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)
    assert reader.links == []
    assert "url(http" not in page and "@import" not in page and "<script" not in page
    assert page == refine_html.page(made())


def test_the_page_says_what_the_text_says() -> None:
    reader = Reader()
    reader.feed(refine_html.page(blamed()))
    said = " ".join(" ".join(reader.said).split())
    for words in (
        "wrong : a<b>.ll", "a note <b>", "sink on loop %l in function f (pass 5 of 9)", "--arg %x=1,10",
        "in a group of threads 0, 1 in the source", "thread 0 returns 11 in the source, 1 in the target",
        "inferred wrong ipdom equal", "@g = 11",
    ):  # fmt: skip
        assert words in said, words
    assert refine_html.page(blamed()).count("<svg ") == 2


def test_verdicts_without_a_counterexample() -> None:
    found = Refinement("refines", "all inputs tried: 3 launches", {"tokens": "refines"})
    said = refine_text.text(answer(found))
    assert said.startswith("refines: @src -> @tgt: the target does less than the source may do")
    assert "<svg" not in refine_html.page(answer(found))
