"""What a test file's RUN lines ask of ``opt``: pipelines, and the flags that go with them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

LEGACY = {
    "-fix-irreducible": "fix-irreducible",
    "-lowerswitch": "lower-switch",
    "-structurizecfg": "structurizecfg",
    "-unify-loop-exits": "unify-loop-exits",
}
"""Passes that tests ask for by a flag of their own, and their names in a pipeline."""

TARGET = re.compile(r"^--?(?:mtriple|march|mcpu|mattr|data-layout)=")
"""Flags that say what machine the code is for: they hold for other pipelines over the file, too."""

OF_THE_COMMAND = ("-S", "-disable-output", "-f", "-o", "-")
"""Flags about where the output goes."""

FROM_OPT = re.compile(r"^(?:--?p(?:asses)?(?:=(?P<joined>.*))?)$")
"""``-passes=X``, ``--passes=X``, ``-p X``."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One pipeline with its flags."""

    pipeline: str
    flags: tuple[str, ...]


def commands(text: str) -> list[list[str]]:
    """The words of every command in a file's RUN lines, pipes taken apart, continued lines joined."""
    whole: list[str] = []
    going_on = False
    for line in text.splitlines():
        _, colon, words = line.partition("RUN:")
        if not colon:
            continue
        words = words.strip()
        whole[len(whole) - going_on :] = [f"{whole[-1]} {words}" if going_on else words]
        if going_on := words.endswith("\\"):
            whole[-1] = whole[-1][:-1]
    result = []
    for command in whole:
        try:
            lexer = shlex.shlex(command, posix=True, punctuation_chars="|<>;&()")
            lexer.whitespace_split = True
            words_of = list(lexer)
        except ValueError:  # a quote that is never closed
            continue
        part: list[str] = []
        for word in words_of:
            if word in ("|", ";", "&&", "||"):
                result.append(part)
                part = []
            else:
                part.append(word)
        result.append(part)
    return [part for part in result if part]


def own(text: str) -> list[Asked]:
    """The pipelines that a file's RUN lines put the file itself through, each once."""
    found: dict[Asked, None] = {}
    for command in commands(text):
        if command[0] == "opt" and "%s" in command and not any("%t" in word for word in command):
            if (asked := _asked(command[1:])) is not None:
                found[asked] = None
    return list(found)


def _asked(words: list[str]) -> Asked | None:
    pipeline: list[str] = []
    flags: list[str] = []
    skip = False
    for at, word in enumerate(words):
        if skip:
            skip = False
        elif joined := FROM_OPT.match(word):
            skip = joined["joined"] is None
            pipeline.append(words[at + 1] if skip and at + 1 < len(words) else joined["joined"] or "")
        elif word in LEGACY:
            pipeline.append(LEGACY[word])
        elif re.fullmatch(r"--?O[0-3sz]", word):
            pipeline.append(f"default<{word.lstrip('-')}>")
        elif word in (">", "<", "-o") or re.fullmatch(r"[0-9&]*>+&?[0-9]*", word):
            skip = word != "2>&1"
        elif word == "%s" or word in OF_THE_COMMAND or word.startswith("-disable-verify"):
            continue
        elif word.startswith("-") and "%" not in word:
            flags.append(word)
    if not any(pipeline):
        return None
    return Asked(",".join(p for p in pipeline if p), tuple(flags))


def target(text: str) -> tuple[str, ...]:
    """The flags of the file's first command that say what machine it is for."""
    for command in commands(text):
        if flags := tuple(word for word in command if TARGET.match(word)):
            if command[0] in ("opt", "llc"):
                return flags
    return ()
