"""``convcheck uniform`` for machines that show places: SARIF 2.1.0, and GitHub's workflow commands.

A result is a claim that a run breaks, an error at the value's place; and, where LLVM was asked, what the
rules and LLVM say otherwise, a note.
"""

from __future__ import annotations

from ...frozen import Json
from ...rules import Rule
from ...uniformity.answer import Uniformity
from ...uniformity.observe import Subject
from ..parts import formats as common
from ..parts.github import workflow_command
from ..verify.checked import VerifiedFile
from ..verify.json import dump
from ..verify.sarif import SARIF_SCHEMA, physical, uri
from . import words
from .text import span

_RULES = tuple(rule for rule in Rule if rule.id.startswith("U-"))


def _results(uniformity: Uniformity) -> list[tuple[str, Rule, Subject, str]]:
    """Level, rule, subject and message of each result."""
    sentences = []
    for checked in uniformity.checked:
        for fault in checked.faults:
            message = f"{words.fault_words(fault)}; launch: {words.launch_words(fault.witness)}"
            sentences.append(("error", _rule(uniformity, fault.subject), fault.subject, message))
    for item in uniformity.differences:
        claimant, other = ("LLVM", "the rules") if item.llvm else ("the rules", "LLVM")
        message = f"{words.subject_words(item.subject)} is uniform by {claimant}, divergent by {other}"
        sentences.append(("note", _rule(uniformity, item.subject), item.subject, message))
    return sentences


def _rule(uniformity: Uniformity, subject: Subject) -> Rule:
    """The rule that makes a subject divergent; U-DATA where none does."""
    function = uniformity.functions.get(subject.function)
    if function is None:
        return Rule.U_DATA
    what = (function.branches if subject.branch else function.values)[subject.name]
    return what.cause.rule if what.cause is not None else Rule.U_DATA


def sarif(uniformity: Uniformity, name: str) -> str:
    """One run, with the rules U-."""
    file = VerifiedFile(name, uniformity.module)
    fingerprints = common.Fingerprints()
    results: list[Json] = [
        {
            "ruleId": rule.id,
            "ruleIndex": _RULES.index(rule),
            "level": level,
            "message": {"text": message},
            "locations": [physical(file, span(uniformity, subject))],
            "partialFingerprints": fingerprints.of((name, rule.id, subject.function, subject.name)),
        }
        for level, rule, subject, message in _results(uniformity)
    ]
    rules = [common.rule(rule, "error") for rule in _RULES]
    return dump(
        {
            "$schema": SARIF_SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": common.driver(rules)},
                    "columnKind": "unicodeCodePoints",
                    "artifacts": [{"location": {"uri": uri(name)}}],
                    "results": results,
                }
            ],
        }
    )


def github(uniformity: Uniformity, name: str) -> str:
    """A workflow command for each result."""
    levels = {"error": "error", "note": "notice"}
    return "".join(
        workflow_command(
            levels[level], name, uniformity.module.source, span(uniformity, subject), rule.id, message
        )
        for level, rule, subject, message in _results(uniformity)
    )
