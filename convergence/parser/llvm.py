"""What LLVM itself is asked, through llvmlite, in a process of its own; what it calls intrinsics; and what is
no input, as exceptions that say where."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import Any

from ..frozen import dataclass
from ..packages import required_llvm
from ..source import Source, Span
from ..workers import Process, ProcessEnded, Worker

# ----------------------------------------------------------------------------------------------------------
# Everything that LLVM itself is asked, through llvmlite, in a process of its own.
#
# LLVM 22 as llvmlite ships it checks assertions and ends its process on some inputs; here that is one
# more answer. The process is started at the first question and serves until this one ends.
# ----------------------------------------------------------------------------------------------------------

WORKER = Path(__file__).with_name("llvm_worker.py")
_PLACE = re.compile(r"^[^\n]*?:(\d+):(\d+): error: ", re.MULTILINE)
_WORD = re.compile(r"[^\s()]+(?:\([^()]*\))?")


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """What LLVM's own table says of an intrinsic: its attribute words and its function type's text."""

    attributes: frozenset[str]
    type: str


@dataclass(frozen=True, slots=True)
class LLVMAnswer:
    """What LLVM says of a module that it takes.

    ``intrinsics`` are those of LLVM's module, by the names that LLVM gives them. ``missing`` are names that
    the text mentions, in a comment perhaps, and LLVM's module has not. ``verdict`` are its verifier's
    messages. ``text`` is LLVM's own print of a bitcode file.
    """

    intrinsics: Mapping[str, Intrinsic]
    missing: frozenset[str] = frozenset()
    verdict: tuple[str, ...] = ()
    text: str | None = None


def ask(text: str) -> LLVMAnswer:
    """LLVM's answer on a text; ``NotLLVM`` with its message if it takes it for none."""
    refuse_unreadable(text)
    return _worker().ask(text)


def answer_to_parse(text: str) -> LLVMAnswer:
    """The same for who parses a text, without the verifier's verdict where the answer is remembered."""
    refuse_unreadable(text)
    known = _worker().remembered.pop(text, None)
    return ask(text) if known is None else known


REMEMBERED = 4
"""Texts of which an answer is kept until they are parsed."""


def remember(text: str, reply: dict[str, Any]) -> None:
    """What another process of LLVM said of a text (:func:`convergence.workers.serving.description`), for who
    parses it next, once."""
    answers = _worker().remembered
    if len(answers) >= REMEMBERED:
        answers.clear()
    answers[text] = _answer(reply)


def llvm_verdict(text: str) -> tuple[str, ...]:
    """The messages of LLVM's own verifier; empty if it accepts the module."""
    return ask(text).verdict


def disassemble(bitcode: bytes) -> str:
    """The text that LLVM prints for a ``.bc`` file; ``NotLLVM`` with its message if it cannot read it.

    :raises MissingPackage: if LLVM cannot be asked
    """
    required_llvm("reading bitcode")
    reply = _worker().request(b"b" + bitcode)
    if "error" in reply:
        message = " ".join(reply["error"].removeprefix("LLVM bitcode parsing error").lstrip(":").split())
        raise NotLLVM(f"LLVM cannot read the bitcode: {message}")
    text: str = reply["text"]
    return text


def print_by_llvm(text: str) -> str:
    """The text that LLVM prints for what it reads; ``NotLLVM`` with its message if it cannot."""
    reply = _worker().request(b"p" + text.encode("utf-8", "surrogateescape"))
    if "error" in reply:
        raise refusal(reply["error"], text)
    printed: str = reply["text"]
    return printed


def declared(text: str) -> Mapping[str, Intrinsic]:
    """The intrinsics of LLVM's module for a few declarations; none if it cannot read them."""
    reply = _worker().request(b"a" + text.encode("utf-8", "surrogateescape"))
    return {} if "error" in reply else _answer(reply).intrinsics


def start() -> None:
    """Start the process now, so that it is ready at the first question."""
    with suppress(OSError):
        _worker().started()


@lru_cache(1_000)
def _attributes(groups: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for group in groups for word in _WORD.findall(group))


def _answer(reply: dict[str, Any]) -> LLVMAnswer:
    facts = reply["intrinsics"].items()
    known = {n: Intrinsic(_attributes(tuple(f["attributes"])), f["type"]) for n, f in facts}
    return LLVMAnswer(known, frozenset(reply["missing"]), messages(reply["verdict"]), reply.get("text"))


def refusal(message: str, text: str) -> NotLLVM:
    """LLVM's message that it cannot read a text, with its place."""
    match = _PLACE.search(message)
    if match is None:
        return NotLLVM(" ".join(message.removeprefix("LLVM IR parsing error").split()))
    rest = message[match.end() :].partition("\n")[0]
    source = Source("", text)
    line = source.line(int(match[1]))
    before = line.encode("utf-8", "surrogateescape")[: int(match[2]) - 1]
    column = len(before.decode("utf-8", "replace")) + 1
    at = source.offset(int(match[1]), column)
    end = at + max(1, len(re.match(r"[%@!#$]?[\w.]*", text[at:])[0]))  # type: ignore[index]
    return NotLLVM(rest, int(match[1]), column, Span(at, min(end, len(text))))


# -- the verifier's messages ----------------------------------------------------------------------


def messages(printed: str | None) -> tuple[str, ...]:
    """The sentences among what the verifier prints; it prints under each what it is about."""
    if printed is None:
        return ()
    first, *rest = [line for line in printed.splitlines() if line.strip()] or ["no message"]
    return (first, *(line for line in rest if _is_message(line)))


def _is_message(line: str) -> bool:
    """Whether a line of the verifier is a sentence, and not what it is about: an instruction, a block,
    a value, a cycle."""
    if not (line[0].isalpha() or line[0] in "'\"") or any(sign in line for sign in "%@="):
        return False
    return line[0].isupper() or len(line.split()) > 2


# -- the process ----------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class _LLVMWorker(Worker):
    """The process, and the last answer: the verdict is asked for after the module."""

    lock: Lock = dataclasses.field(default_factory=Lock)
    last: tuple[str, LLVMAnswer | NotLLVM] | None = None
    remembered: dict[str, LLVMAnswer] = dataclasses.field(default_factory=dict)

    def started(self) -> Process:
        """The process, running."""
        process = self.running()
        if process is None:
            process = self.start(WORKER)
        return process

    def ask(self, text: str) -> LLVMAnswer:
        if self.last is None or self.last[0] != text:
            reply = self.request(b"a" + text.encode("utf-8", "surrogateescape"))
            self.last = text, refusal(reply["error"], text) if "error" in reply else _answer(reply)
        answer = self.last[1]
        if isinstance(answer, NotLLVM):
            raise NotLLVM(answer.message, answer.line, answer.column, answer.span)
        return answer

    def request(self, request: bytes) -> dict[str, Any]:
        """One question; an end of the process is an answer with ``error``."""
        with self.lock:
            try:
                self.started()
            except OSError:  # no more processes here
                from ..workers.serving import binding
                from .llvm_worker import answer

                return answer(binding(), request)
            try:
                reply: dict[str, Any] = self.answer_to(request, _patience(len(request)))
                return reply
            except TimeoutError:
                return {"error": "LLVM gave no answer in time"}
            except ProcessEnded as end:
                return {"error": f"LLVM breaks down on it ({_ending(end.code)})"}


def _patience(size: int) -> float:
    """Seconds that LLVM is given: it reads some ten million bytes a second."""
    return 60 + size / 100_000


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


@cache
def _worker() -> _LLVMWorker:
    return _LLVMWorker()


# ----------------------------------------------------------------------------------------------------------
# What can be wrong with an input, as exceptions that say where.
# ----------------------------------------------------------------------------------------------------------


class NotLLVM(Exception):
    """The input is not LLVM IR. ``message`` is LLVM's own where it was LLVM that said so.

    ``line`` and ``column`` count from 1 and ``span`` covers the place; all three are ``None``
    where the fault has no place.
    """

    def __init__(
        self, message: str, line: int | None = None, column: int | None = None, span: Span | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.span = span


class Unsupported(Exception):
    """LLVM accepts the input but convcheck cannot read it. ``offset`` is the place in the text."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.line: int | None = None
        self.column: int | None = None

    def locate(self, source: Source) -> Unsupported:
        """The same, with line and column."""
        if self.offset is not None:
            self.line, self.column = source.position(self.offset)
        return self


# ----------------------------------------------------------------------------------------------------------
# Inputs that are refused before LLVM or the grammar see them, each with one clear line.
# ----------------------------------------------------------------------------------------------------------


DEEPEST = 1000
"""Brackets open at once that are read; compilers nest some ten. LLVM's reader recurses, too."""

_OPEN, _CLOSE = b"([{<", b")]}>"
_OTHERS = bytes(c for c in range(256) if c not in _OPEN + _CLOSE)
_STEPS = [1 if c in _OPEN else -1 for c in range(256)]
_ROUNDS = 10
_TOKEN = re.compile(r'"[^"]*+"|;[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*\*/|[(\[{<]|[)\]}>]')
_STAR = re.compile(r'"[^"]*+"|;[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*\*/|\*')


def refuse_unreadable(text: str) -> None:
    """Raise ``NotLLVM`` for a zero byte, or too deep nesting."""
    at = text.find("\0")
    if at >= 0:
        raise _refused(text, at, "a zero character: this is no text")
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise _refused(text, error.start, "a surrogate: this is no Unicode text") from None
    refuse_deep_nesting(text)


def typed_pointer(text: str) -> int | None:
    """Where the star of the first typed pointer stands: outside strings and comments there is no other."""
    if "*" not in text:
        return None
    return next((star.start() for star in _STAR.finditer(text) if star[0] == "*"), None)


def refuse_deep_nesting(text: str) -> None:
    """More than :data:`DEEPEST` brackets open at one place."""
    brackets = text.encode("utf-8", "surrogateescape").translate(None, _OTHERS)
    if len(brackets) <= DEEPEST:
        return
    # A first look at C speed: innermost pairs removed a few times, then the sum of what is left.
    # Brackets in strings and comments, and angles that are no brackets, are taken for real ones.
    for _ in range(_ROUNDS):
        for pair in (b"()", b"[]", b"{}", b"<>"):
            brackets = brackets.replace(pair, b"")
    depths = list(accumulate(map(_STEPS.__getitem__, brackets), initial=0))
    if max(depths) - min(depths) + _ROUNDS <= DEEPEST:
        return
    depth = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "([{<":
            depth += 1
            if depth > DEEPEST:
                raise _refused(text, token.start(), f"nested too deeply: more than {DEEPEST} open brackets")
        elif sign in ")]}>":
            depth = max(0, depth - 1)


def _refused(text: str, at: int, message: str) -> NotLLVM:
    line, column = Source("", text).position(at)
    return NotLLVM(message, line, column, Span(at, at + 1))
