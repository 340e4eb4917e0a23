"""``--why``: the answers of ``convcheck run`` to questions about two dynamic instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .load import one_line
from .output import InputError

if TYPE_CHECKING:
    from ...ir.module import Module
    from ...report.parts.html import Style
    from ...sched.why.explanation import Why
    from ...semantics.machine.run import Run

Picture = Callable[["Run"], tuple[str, ...]]
HELP = 'Say why two instances are converged or not, as "%op thread 0 #2, thread 1 #1".'


def answers(run: Run, questions: Sequence[str], max_steps: int, file: str) -> list[Why]:
    """The answers. :raises InputError: for a question that cannot be read or does not fit the run"""
    if not questions:
        return []
    from ...sched.why.explanation import why
    from ...semantics.errors import UsageError

    try:
        return [why(run, question, max_steps) for question in questions]
    except UsageError as error:
        raise InputError(file, one_line(error.command_line)) from None


def text(answers: Sequence[Why], module: Module, picture: Picture, style: Style) -> str:
    """The answers for people, a blank line before each."""
    if not answers:
        return ""
    from ...report.run import why as why_words

    return "".join("\n" + why_words.text(a, module, _meeting_picture(a, picture), style) for a in answers)


def json(
    answers: Sequence[Why], questions: Sequence[str], module: Module, picture: Picture
) -> list[dict[str, Any]]:
    """The answers as data."""
    from ...report.run import why as why_json

    return [
        why_json.answer(a, module, question, _meeting_picture(a, picture))
        for a, question in zip(answers, questions, strict=True)
    ]


def _meeting_picture(answer: Why, picture: Picture) -> tuple[str, ...]:
    """The picture of the execution in which the two instances meet, if there is one."""
    from ...sched.why.explanation import Apart

    if isinstance(answer.answer, Apart) and answer.answer.choice is not None:
        meeting = answer.answer.choice.meeting
        if meeting is not None:
            return picture(meeting)
    return ()
