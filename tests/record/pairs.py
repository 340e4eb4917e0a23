"""Pairs of programs to refine: the refinement oracle's transforms, changes of text, and LLVM's passes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

import llvmlite.binding as llvm

from .programs import EXECUTIONS, STEPS, fuzz_launch, optimised, shown

OPEN = ("--max-launches", "4", "--max-executions", "150", *STEPS)
"""Inputs are refine's own choice."""


@dataclass(frozen=True)
class Pair:
    """``launch``: words that say what is compared; ``symbolic``: for any inputs, too."""

    id: str
    source: str
    target: str
    launch: tuple[str, ...]
    symbolic: bool = False


def pairs() -> Iterator[Pair]:
    """1,000 pairs."""
    yield from _oracle()
    yield from _changed()
    yield from _passes()


# -- the refinement oracle's transforms -------------------------------------------------------------


def _oracle() -> Iterator[Pair]:
    """600: with one launch, with open inputs, and with all tokens taken away."""
    from tests.oracles.refinement_cases import random_pairs

    for number, pair in enumerate(random_pairs(3_000_000, 600)):
        source, target = str(pair.source), str(pair.target)
        launch = pair.launches[0]
        words = ["--function", "@main", "--threads", str(len(launch)), "--subgroup-size", str(len(launch))]
        for name, column in zip("ab", zip(*launch, strict=True), strict=True):
            words += ["--arg", f"%{name}={','.join(map(str, column))}"]
        words += ["--max-executions", "500", *STEPS]
        if number % 6 == 4:
            words = ["--function", "@main", *OPEN]
        if number % 6 == 5:
            source, target = _without_tokens(source), _without_tokens(target)
            words = ["--function", "@main", *OPEN]
        yield Pair(f"oracle/{number:04}", source, target, tuple(words), number % 6 == 3)


_BUNDLE = re.compile(r' \[ "convergencectrl"\(token %([\w.]+)\) \]')
_CONTROL = re.compile(r"(?m)^  %([\w.]+) = call token @llvm\.experimental\.convergence\.(\w+)\(\).*\n")


def _without_tokens(text: str) -> str:
    """The same program, uncontrolled; a function with convergent operations is convergent."""
    text = _BUNDLE.sub("", _CONTROL.sub("", text))
    return re.sub(r"^(define [^{]*\))(?: convergent)? \{", r"\1 convergent {", text, flags=re.MULTILINE)


# -- changes of the text of fuzz's programs ---------------------------------------------------------


def _renamed(text: str, _random: Random) -> str:
    """Other names for all values and blocks."""
    text = re.sub(r"%([A-Za-z_][\w.]*)", r"%\1.other", text)
    return re.sub(r"(?m)^([A-Za-z_][\w.]*):", r"\1.other:", text)


_PURE = re.compile(r"  %([\w.]+) = (?:add|sub|mul|and|or|xor|icmp|zext|trunc|select|shl) ")


def _reordered(text: str, random: Random) -> str:
    """Neighbouring pure instructions exchanged where the second does not use the first."""
    lines = text.splitlines()
    for at in range(len(lines) - 1):
        one, two = _PURE.match(lines[at]), _PURE.match(lines[at + 1])
        if one and two and random.random() < 0.7:
            if not re.search(rf"%{re.escape(one[1])}(?![\w.])", lines[at + 1]):
                lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return "\n".join(lines) + "\n"


def _one_line(text: str, random: Random, wanted: str, change: Callable[[str], str | None]) -> str | None:
    """One line that has ``wanted`` becomes another, or goes."""
    lines = text.splitlines()
    places = [k for k, line in enumerate(lines) if line.startswith("  ") and re.search(wanted, line)]
    if not places:
        return None
    at = random.choice(places)
    changed = change(lines[at])
    lines[at : at + 1] = [] if changed is None else [changed]
    return "\n".join(lines) + "\n"


def _other_constant(text: str, random: Random) -> str | None:
    return _one_line(
        text,
        random,
        r"= (?:add|sub|mul|xor|or) i32 %[\w.]+, \d+$",
        lambda line: re.sub(r"\d+$", lambda m: str(int(m[0]) + 1), line),
    )


def _other_token(text: str, random: Random) -> str | None:
    tokens = [m[1] for m in _CONTROL.finditer(text)]
    if len(tokens) < 2:
        return None
    bundle = f' [ "convergencectrl"(token %{random.choice(tokens)}) ]'
    return _one_line(text, random, r"call (?!token).*convergencectrl", lambda line: _BUNDLE.sub(bundle, line))


def _without_heart(text: str, random: Random) -> str | None:
    """A ``loop`` goes; who used its token uses its parent's."""
    hearts = [m for m in _CONTROL.finditer(text) if m[2] == "loop"]
    if not hearts:
        return None
    heart = random.choice(hearts)
    parent = _BUNDLE.search(heart[0])
    assert parent is not None
    rest = text[: heart.start()] + text[heart.end() :]
    return re.sub(rf"token %{re.escape(heart[1])}(?![\w.])", f"token %{parent[1]}", rest)


def _without_call(text: str, random: Random) -> str | None:
    return _one_line(text, random, r"^  call void @(?!llvm)", lambda line: None)


def _called_twice(text: str, random: Random) -> str | None:
    return _one_line(text, random, r"^  call void @(?!llvm)", lambda line: f"{line}\n{line}")


def _other_way(text: str, random: Random) -> str | None:
    """A branch goes the other way."""
    return _one_line(
        text,
        random,
        r"br i1 ",
        lambda line: re.sub(r"label (%[\w.]+), label (%[\w.]+)", r"label \2, label \1", line),
    )


def _anchored(text: str, _random: Random) -> str | None:
    """The launched function's entry token becomes an anchor's."""
    changed = text.replace("convergence.entry()", "convergence.anchor()")
    declared = "declare token @llvm.experimental.convergence.anchor()\n"
    first = changed.find(declared)
    if changed == text or first < 0:
        return None
    return changed[: first + len(declared)] + changed[first + len(declared) :].replace(declared, "")


def _swapped(text: str, random: Random) -> str | None:
    """Two neighbouring instructions change places."""
    lines = text.splitlines()
    inner = [k for k, line in enumerate(lines[:-1]) if re.match(r"  (?!br |ret |switch )", line)]
    places = [k for k in inner if "call" in lines[k] and k + 1 in inner and "phi" not in lines[k + 1]]
    if not places:
        return None
    at = random.choice(places)
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return "\n".join(lines) + "\n"


CHANGES: tuple[Callable[[str, Random], str | None], ...] = (
    _renamed, _reordered, _other_constant, _other_token, _without_heart, _without_call, _called_twice,
    _other_way, _anchored, _swapped, _swapped, _without_heart,
)  # fmt: skip


def _is_llvm(text: str) -> bool:
    try:
        with llvm.parse_assembly(text) as module:
            module.verify()
    except RuntimeError:
        return False
    return True


def _changed() -> Iterator[Pair]:
    """240."""
    count = seed = 0
    while count < 240:
        seed += 1
        random = Random(f"changed {seed}")
        style = ("controlled", "controlled", "uncontrolled", "mixed", "reconvergence", "any")[seed % 6]
        source = shown(style, 7000 + seed)
        target = random.choice(CHANGES)(source, random)
        if target is None or target == source or not _is_llvm(target):
            continue
        launch = OPEN if seed % 3 else (*fuzz_launch(source, random)[2:], *EXECUTIONS, *STEPS)
        yield Pair(f"changed/{seed:04}", source, target, ("--function", "@main", *launch), count % 6 == 0)
        count += 1


# -- LLVM's passes ----------------------------------------------------------------------------------

PASSES = (
    "simplifycfg", "jump-threading", "gvn", "sink", "loop-mssa(simple-loop-unswitch<nontrivial>)",
    "default<O1>", "reg2mem", "structurizecfg", "loop-unroll", "early-cse", "loop-rotate", "simplifycfg,gvn",
    "tailcallelim", "always-inline", "instcombine", "unify-loop-exits",
)  # fmt: skip


def _passes() -> Iterator[Pair]:
    """160."""
    count = seed = 0
    while count < 160:
        seed += 1
        random = Random(f"passes {seed}")
        style = ("controlled", "uncontrolled", "mixed", "reconvergence")[seed % 4]
        source = shown(style, 9000 + seed)
        target = optimised(source, random.choice(PASSES))
        if target is None or target == optimised(source, "verify"):
            continue
        yield Pair(f"passes/{seed:04}", source, target, ("--function", "@main", *OPEN), False)
        count += 1
