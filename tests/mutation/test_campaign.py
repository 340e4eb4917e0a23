"""How mutants are planted, which tests come where, and what a child's words say."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from convergence.verifier.facts import SearchBudget, closed_path_through
from tests.meta.package_modules import modules
from tests.mutation.campaign import Reaching, Recording, verdict
from tests.mutation.mutants import mutants
from tests.mutation.planting import Living
from tests.mutation.reaching import Marks

PATHS = "convergence.verifier.facts"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["test a", "test b", "passed 2"], ("survived", "", "2 tests passed")),
        (["test a", "test b", "failed"], ("killed", "b", "failed")),
        (["test a"], ("killed", "a", "ended or took too long")),
        (["passed 0"], ("unreached", "", "")),
        (["imported passed"], ("survived", "", "the files about it passed")),
        (["imported FAILED t"], ("killed", "", "FAILED t")),
    ],
)
def test_what_a_child_s_words_say(lines: list[str], said: tuple[str, str, str]) -> None:
    assert verdict(lines) == said


def test_a_mutant_lives_in_functions_that_were_imported_before() -> None:
    source = modules()[PATHS].read_text(encoding="utf-8")
    search = source.splitlines().index("def closed_path_through(")
    change = "condition is never true"
    number = next(m.number for m in mutants(source) if m.line > search and m.change == change)
    before = closed_path_through.__code__
    try:
        assert Living().plant(PATHS, number)  # that one of the two ways is missing is not noticed
        with pytest.raises((TypeError, AttributeError)):
            closed_path_through([[1], []], 0, 1, lambda _: True, SearchBudget(10))
    finally:
        closed_path_through.__code__ = before
    assert closed_path_through([[1], []], 0, 1, lambda _: True, SearchBudget(10)) is None


def test_a_mutant_outside_of_functions_is_not_planted() -> None:
    living = Living()
    assert not living.exchange(PATHS, ast.parse(modules()[PATHS].read_text(encoding="utf-8")))


def test_a_line_belongs_to_the_innermost_run() -> None:
    marks = Marks([PATHS])
    lines = modules()[PATHS].read_text(encoding="utf-8").splitlines()
    search = lines.index("def closed_path_through(")
    first = next(n for n, line in enumerate(lines, 1) if n > search and "there = shortest_path" in line)
    test = next(n for n, line in enumerate(lines, 1) if n > search and "if there is None" in line)
    runs = [marks.run_of(PATHS, n) for n in (first, first + 1, test, test + 1, test + 2)]
    assert runs[0] == runs[1] == runs[2] != runs[3] != runs[4] != runs[0]
    assert marks.run_of(PATHS, 1) is None
    assert runs[0] is not None
    marks.array[runs[0]] = 1
    assert int(marks.take(), 16) == 1 << runs[0]
    assert int(marks.take(), 16) == 0


def test_a_recording_holds_for_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = Recording(tmp_path / "lines")
    assert recording.load() == {}
    recording.begin()
    tests = [Reaching("f::a", 0.5, 0b1011), Reaching("f::b", 1.0, 1 << 90)]
    recording.add("f", "digest", tests)
    assert recording.load() == {"f": ("digest", tests)}
    monkeypatch.setattr("tests.mutation.campaign.package_digest", lambda: "another")
    assert recording.load() == {}
