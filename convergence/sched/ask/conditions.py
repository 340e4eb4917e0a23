r"""Conditions on final states, in the form that litmus tests have: ``exists (0:return=1 /\ @x=2)``.

``N:return`` is what thread N returns, ``N:@g`` what it has in its own (thread_local) variable, ``@g`` a
shared variable, ``@g[1]`` an element; each is compared by ``=`` or ``!=`` with a value or with another of
these.
``/\`` (``and``), ``\/`` (``or``), ``~`` (``not``) and parentheses join comparisons.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

from ...frozen import dataclass
from ...semantics.errors import UsageError
from ...semantics.machine.outcome import Outcome
from ...semantics.values.display import Json

Quantifier = Literal["exists", "forall", "~exists"]


@dataclass(frozen=True, slots=True)
class Constant:
    """A value: a number, ``poison`` or ``undef``."""

    value: int | float | str


@dataclass(frozen=True, slots=True)
class ReturnedValue:
    """What a thread returned."""

    thread: int


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable at the end, shared, or of one ``thread``; ``places`` lead to an element."""

    name: str
    thread: int | None = None
    places: tuple[int, ...] = ()


Term = Constant | ReturnedValue | Variable


@dataclass(frozen=True, slots=True)
class ValueComparison:
    left: Term
    equal: bool
    right: Term


@dataclass(frozen=True, slots=True)
class Not:
    part: Proposition


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Proposition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Proposition, ...]


Proposition = ValueComparison | Not | And | Or


@dataclass(frozen=True, slots=True)
class Condition:
    """``exists``: some execution ends so; ``forall``: all do; ``~exists``: none does. ``text`` as written."""

    quantifier: Quantifier
    proposition: Proposition
    text: str


class _Absent(Exception):
    """A term that this outcome has not."""


def holds(proposition: Proposition, outcome: Outcome) -> bool:
    """Whether an outcome is so. A comparison with what is not there is false, by ``=`` and by ``!=``."""
    match proposition:
        case ValueComparison(left, equal, right):
            try:
                return _same(_value(left, outcome), _value(right, outcome)) == equal
            except _Absent:
                return False
        case Not(part):
            return not holds(part, outcome)
        case And(parts):
            return all(holds(part, outcome) for part in parts)
        case Or(parts):
            return any(holds(part, outcome) for part in parts)


def _value(term: Term, outcome: Outcome) -> Json:
    match term:
        case Constant(value):
            return value
        case ReturnedValue(thread):
            if thread >= len(outcome.threads) or outcome.threads[thread].value is None:
                raise _Absent
            return outcome.threads[thread].value
        case Variable(name, thread, places):
            if thread is not None and thread >= len(outcome.threads):
                raise _Absent
            memory = outcome.memory if thread is None else outcome.threads[thread].memory
            if f"@{name}" not in memory:
                raise _Absent
            return _element(memory[f"@{name}"], places)


def _element(value: Any, places: tuple[int, ...]) -> Json:
    for place in places:
        if not isinstance(value, list) or place >= len(value):
            raise _Absent
        value = value[place]
    element: Json = value
    return element


def _same(left: Json, right: Json) -> bool:
    return left == right and isinstance(left, str) == isinstance(right, str)


# -- reading ------------------------------------------------------------------------------------------

_SPACE = re.compile(r"\s*")
_WORDS = re.compile(
    r"(?P<and>/\\|&&|and\b)|(?P<or>\\/|\|\||or\b)|(?P<unequal>!=)|(?P<equal>==?)|(?P<not>~|!|not\b)"
    r"|(?P<open>\()|(?P<close>\))"
    r"|(?P<returned>(?P<of>\d+):return\b)"
    r'|(?P<variable>(?:(?P<owner>\d+):)?@(?P<name>"[^"]+"|[-\w$.]+)(?P<places>(?:\[\d+\])*))'
    r"|(?P<number>[-+]?(?:0x[0-9a-fA-F]+|\d+\.\d*(?:e[-+]?\d+)?|\d+))|(?P<word>poison|undef|null|true|false)\b"
)
_QUANTIFIER = re.compile(r"\s*(exists|forall|~\s*exists)\b")


def read_condition(text: str) -> Condition:
    """A condition as written. Raises UsageError."""
    match = _QUANTIFIER.match(text)
    if match is None:
        raise UsageError(f"{text!r}: a condition begins with exists, forall or ~exists")
    quantifier: Quantifier = (
        "forall" if match[1] == "forall" else "exists" if match[1] == "exists" else "~exists"
    )
    return Condition(quantifier, read_state(text[match.end() :]), " ".join(text.split()))


def read_state(text: str) -> Proposition:
    """A proposition about final states. Raises UsageError."""
    return _Reader(text).all()


class _Reader:
    """Recursive descent: ``or`` binds least, then ``and``, then ``~``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = [*self._split(text)]
        self.at = 0

    def _split(self, text: str) -> Iterator[re.Match[str]]:
        at = 0
        while (at := _end(_SPACE, text, at)) < len(text):
            word = _WORDS.match(text, at)
            if word is None:
                raise UsageError(f"{text.strip()!r}: {text[at : at + 20]!r} is no part of a condition")
            yield word
            at = word.end()

    def all(self) -> Proposition:
        condition = self._or()
        if self.at < len(self.words):
            raise self._fault("the end, /\\ or \\/")
        return condition

    def _fault(self, wanted: str) -> UsageError:
        here = f"{self.words[self.at][0]!r}" if self.at < len(self.words) else "the end"
        return UsageError(f"{self.text.strip()!r}: {wanted} is expected, and not {here}")

    def _take(self, *kinds: str) -> re.Match[str] | None:
        if self.at < len(self.words) and self.words[self.at].lastgroup is not None:
            word = self.words[self.at]
            if any(word[kind] is not None for kind in kinds):
                self.at += 1
                return word
        return None

    def _joined(
        self,
        kind: str,
        part: Callable[[], Proposition],
        join: Callable[[tuple[Proposition, ...]], Proposition],
    ) -> Proposition:
        parts = [part()]
        while self._take(kind) is not None:
            parts.append(part())
        return parts[0] if len(parts) == 1 else join(tuple(parts))

    def _or(self) -> Proposition:
        return self._joined("or", self._and, Or)

    def _and(self) -> Proposition:
        return self._joined("and", self._not, And)

    def _not(self) -> Proposition:
        if self._take("not") is not None:
            return Not(self._not())
        if self._take("open") is not None:
            condition = self._or()
            if self._take("close") is None:
                raise self._fault("a closing parenthesis")
            return condition
        left = self._term()
        sign = self._take("equal", "unequal")
        if sign is None:
            raise self._fault("= or !=")
        return ValueComparison(left, sign["equal"] is not None, self._term())

    def _term(self) -> Term:
        if (word := self._take("returned")) is not None:
            return ReturnedValue(int(word["of"]))
        if (word := self._take("variable")) is not None:
            places = tuple(int(place) for place in re.findall(r"\d+", word["places"]))
            owner = None if word["owner"] is None else int(word["owner"])
            return Variable(word["name"].strip('"'), owner, places)
        if (word := self._take("number")) is not None:
            text = word["number"]
            return Constant(float(text) if "." in text else int(text, 0) if "x" in text else int(text))
        if (word := self._take("word")) is not None:
            return Constant({"true": 1, "false": 0}.get(word["word"], word["word"]))
        raise self._fault("N:return, @variable or a number")


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()
