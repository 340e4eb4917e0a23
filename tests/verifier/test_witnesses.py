"""Every witness is walked again: it must be what it says, and it must break the rule.

covers: verifier.facts, verifier.wording
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from convergence.diagnostics import Diagnostic, Severity
from convergence.ir.calls import Control, control, control_bundles, token_used
from convergence.ir.cfg import Cfg, Point, build_cfg
from convergence.ir.instructions import CallSite, Instruction
from convergence.ir.module import Function, Module
from convergence.parser import parse
from convergence.rules import Rule
from convergence.verifier import verify
from tests.oracles.generate import random_functions
from tests.oracles.model import module_text

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples_ll").rglob("*.bad.ll"))
RANDOM = 3000


def well_formed(instruction: Instruction) -> bool:
    """Whether a call has one bundle with one operand; S-BUNDLE's matter otherwise, and no use."""
    bundles = control_bundles(instruction) if isinstance(instruction, CallSite) else ()
    return [len(bundle.inputs) for bundle in bundles] == [1]


class Replay:
    """One function, asked anew: what is defined and used where, by walking over its instructions."""

    def __init__(self, function: Function) -> None:
        self.cfg: Cfg = build_cfg(function)
        self.home: dict[str, Point] = {}
        self.uses: list[tuple[str, Point, bool, int]] = []
        self.ends: list[tuple[Point, int, int]] = []
        for number, block in enumerate(function.blocks):
            for position, instruction in enumerate(block.instructions):
                point = Point(number, position)
                self.ends.append((point, *instruction.span))
                kind = control(instruction)
                if kind is not None and instruction.result is not None:
                    self.home[instruction.result] = point
                token = token_used(instruction)
                if token is not None and well_formed(instruction):
                    self.uses.append((token.name, point, kind is Control.LOOP, instruction.span.start))

    def place(self, diagnostic: Diagnostic) -> Point:
        """The instruction that a diagnostic points into."""
        return next(p for p, start, end in self.ends if start <= diagnostic.span.start < end)

    def reaches(self, block: int, avoiding: int) -> bool:
        """Whether some path from the entry block leads to a block past another."""
        seen, todo = set(), [] if avoiding == 0 else [0]
        while todo:
            at = todo.pop()
            if at == block:
                return True
            if at not in seen:
                seen.add(at)
                todo.extend(b for b in self.cfg.successors[at] if b != avoiding)
        return False

    def on(self, path: list[int]) -> list[tuple[str, Point, bool, int]]:
        """The uses on a closed path of tokens that are not defined on it."""
        known = [use for use in self.uses if use[0] in self.home]
        return [use for use in known if use[1].block in path and self.home[use[0]].block not in path]


def walk(replay: Replay, diagnostic: Diagnostic) -> None:
    """Check one diagnostic's witness."""
    assert diagnostic.witness is not None
    blocks = [replay.cfg.index[name] for name in diagnostic.witness.blocks]
    here = replay.place(diagnostic)
    match diagnostic.witness.kind:
        case "instruction":
            assert blocks == [here.block]
        case "path":
            assert blocks[0] == 0
            assert blocks[-1] == here.block
            assert all(b in replay.cfg.successors[a] for a, b in pairwise(blocks))
            token = next(name for name, point, *_ in replay.uses if point == here)
            home = replay.home[token]
            assert home.block not in blocks[:-1]
            assert home.block != here.block or home.position >= here.position
        case "closed-path":
            assert all(b in replay.cfg.successors[a] for a, b in pairwise([*blocks, blocks[0]]))
            assert len(set(blocks)) == len(blocks)
            closed_path(replay, diagnostic.rule, blocks, here)
        case "region":
            region(replay, blocks, here)
        case kind:
            pytest.fail(f"a witness of kind {kind}")


def closed_path(replay: Replay, rule: Rule, blocks: list[int], here: Point) -> None:
    """The use at ``here`` breaks the rule on this closed path."""
    outside = replay.on(blocks)
    (mine,) = [use for use in outside if use[1] == here]
    match rule:
        case Rule.S_CYCLE_USE:
            assert not mine[2]
        case Rule.S_CYCLE_TWICE:
            assert any(use[0] == mine[0] and use[1] != here for use in outside)
        case Rule.S_CYCLE_TWO:
            assert any(use[0] != mine[0] for use in outside)
        case Rule.S_HEART_DOM:
            assert any(b != here.block and replay.reaches(b, avoiding=here.block) for b in blocks)
        case _:
            pytest.fail(f"{rule.id} with a closed path")


def region(replay: Replay, blocks: list[int], here: Point) -> None:
    """Some token is live in just these blocks, the use at ``here`` among them, its own definition not."""
    mine = next(name for name, point, *_ in replay.uses if point == here)
    assert here.block in blocks
    lies = []
    for token, home in replay.home.items():
        uses = [point for name, point, *_ in replay.uses if name == token]
        if token != mine and uses and blocks_of_region(replay, home, uses) == set(blocks):
            lies.append(token)
    assert lies, "no token's region has these blocks"


def blocks_of_region(replay: Replay, home: Point, uses: list[Point]) -> set[int]:
    """The blocks with a point that the definition dominates and from which a use can be reached."""
    found = set()
    for block in range(len(replay.cfg)):
        if block == home.block or not replay.reaches(block, avoiding=home.block):
            start = home.position + 1 if block == home.block else 0
            if any(u.block == block and u.position >= start for u in uses):
                found.add(block)
                continue
            seen, todo = set(), list(replay.cfg.successors[block])
            while todo:
                at = todo.pop()
                if at in seen:
                    continue
                seen.add(at)
                if any(u.block == at and (at != home.block or u.position <= home.position) for u in uses):
                    found.add(block)
                    break
                if at != home.block:
                    todo.extend(replay.cfg.successors[at])
    return found


def replay_all(module: Module) -> int:
    """Check all errors of a module; how many witnesses were walked."""
    replays: dict[str, Replay] = {}
    found = [d for d in verify(module) if d.severity is Severity.ERROR and d.function]
    for diagnostic in found:
        name = diagnostic.function
        if name not in replays:
            replays[name] = Replay(module.functions[name])
        walk(replays[name], diagnostic)
    return len(found)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples(example: Path) -> None:
    module = parse(example.read_text(encoding="utf-8"), example.name)
    assert replay_all(module) >= ("global" not in example.name)


def test_random_functions() -> None:
    walked = sum(
        replay_all(parse(module_text(random_functions(9_000_000 + at, 250)), ask_llvm=False))
        for at in range(0, RANDOM, 250)
    )
    assert walked > RANDOM / 2
