"""What was checked while others' tools ran: a whole build's, or a whole test suite's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal
from urllib.parse import quote

from ..frozen import Json, dataclass
from .parts import PLAIN, SCHEMA, Style, dump, markup, printable
from .parts import formats as common
from .parts.formats import Case, attribute, suite
from .verify import SARIF_SCHEMA as SARIF

# ----------------------------------------------------------------------------------------------------------
# One check beside a tool that somebody else ran: a function before and after a pass, as data.
# ----------------------------------------------------------------------------------------------------------


Answer = Literal["equal", "refines", "wrong", "invalid-output", "unknown", "not-observable"]
"""``refine``'s verdicts; of ``unknown`` those apart in which nothing can be seen from outside."""
ANSWERS: tuple[Answer, ...] = ("equal", "refines", "wrong", "invalid-output", "unknown", "not-observable")
OPEN: tuple[Answer, ...] = ("unknown", "not-observable")
"""Those that leave the question open."""
FINDINGS: tuple[Answer, ...] = ("wrong", "invalid-output")


@dataclass(frozen=True, slots=True)
class CheckedPass:
    """One function before and after one pass.

    ``tool`` is the one that ran (``opt``), ``module`` what LLVM calls the module, ``step`` the pass's number.
    ``why`` is one line: what was established, or why nothing was; ``folder`` a finding's, in the results'
    own. ``seconds`` are those of the comparison, 0 where the answer was ``known`` from before.
    """

    tool: str
    module: str
    function: str
    step: int
    pass_: str
    answer: Answer
    why: str = ""
    folder: str | None = None
    seconds: float = 0.0
    known: bool = False

    def line(self) -> dict[str, Json]:
        """As a line of ``results.jsonl``."""
        return {
            "tool": self.tool, "module": self.module, "function": self.function, "number": self.step,
            "pass": self.pass_, "answer": self.answer, "why": self.why, "folder": self.folder,
            "seconds": round(self.seconds, 3), "cached": self.known,
        }  # fmt: skip


def checked_pass(line: Mapping[str, object]) -> CheckedPass:
    """A line of ``results.jsonl`` read. Raises KeyError, TypeError or ValueError for one that is none."""
    answer = next(name for name in (*ANSWERS, None) if name is None or name == line["answer"])
    if answer is None:
        raise ValueError(f"no answer: {line['answer']!r}")
    folder = line["folder"]
    return CheckedPass(
        str(line["tool"]), str(line["module"]), str(line["function"]), int(str(line["number"])),
        str(line["pass"]), answer, str(line["why"]), None if folder is None else str(folder),
        float(str(line["seconds"])), bool(line["cached"]),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SuiteCounts:
    """Of a suite: how many ``files`` are through, with how many ``commands`` of LLVM's tools; how many files
    were put to ``verify`` (``verified``), and those that LLVM does not judge as convcheck does, with why
    convcheck refuses them (``None``: it takes them)."""

    files: int = 0
    commands: int = 0
    verified: int = 0
    disagreeing: tuple[tuple[str, str | None], ...] = ()

    def with_file(self, commands: int) -> SuiteCounts:
        """One file more."""
        return replace(self, files=self.files + 1, commands=self.commands + commands)

    def with_verified(self, file: str, agree: object, why: object) -> SuiteCounts:
        """One file more that both were asked about."""
        more = () if agree else ((file, None if why is None else str(why)),)
        return replace(self, verified=self.verified + 1, disagreeing=(*self.disagreeing, *more))


@dataclass(frozen=True, slots=True)
class BuildSummary:
    """All checks of a folder, in their order; ``skipped`` says per reason how often nothing was checked;
    ``suite`` is what a suite counts besides; ``pending`` is how many modules are still to be checked."""

    checks: tuple[CheckedPass, ...]
    skipped: Mapping[str, int]
    suite: SuiteCounts = field(default_factory=SuiteCounts)
    pending: int = 0

    @property
    def counts(self) -> Mapping[Answer, int]:
        """How many checks came to each answer."""
        counts = Counter(check.answer for check in self.checks)
        return {answer: counts[answer] for answer in ANSWERS}

    @property
    def answered(self) -> int:
        """How many checks say whether threads stay together."""
        return sum(check.answer not in OPEN for check in self.checks)

    @property
    def by_pass(self) -> Sequence[tuple[str, Mapping[Answer, int]]]:
        """The same for each pass, by its name."""
        names = sorted({check.pass_ for check in self.checks})
        return [(name, BuildSummary(self._of(name), {}).counts) for name in names]

    def _of(self, name: str) -> tuple[CheckedPass, ...]:
        return tuple(check for check in self.checks if check.pass_ == name)

    @property
    def reasons(self) -> Sequence[tuple[str, int]]:
        """Why answers are unknown, the most frequent first."""
        return Counter(check.why for check in self.checks if check.answer == "unknown").most_common()

    @property
    def findings(self) -> Sequence[CheckedPass]:
        """The findings, each folder once."""
        return distinct(check for check in self.checks if check.answer in FINDINGS)


def distinct(checks: Iterable[CheckedPass]) -> Sequence[CheckedPass]:
    """Each folder's first check, and all that have none."""
    known: dict[object, CheckedPass] = {}
    for number, check in enumerate(checks):
        known.setdefault(check.folder if check.folder is not None else number, check)
    return list(known.values())


# ----------------------------------------------------------------------------------------------------------
# ``convcheck report``: what a folder of checks comes to, in each form: SARIF is 2.1.0 (OASIS).
# ----------------------------------------------------------------------------------------------------------


def text(summary: BuildSummary, style: Style = PLAIN, quiet: bool = False) -> str:
    """A table by pass, why answers are unknown, and the findings; ``quiet``: the counts alone."""
    lines = [style.strong(_sentence(summary))]
    if quiet:
        return lines[0] + "\n"
    if summary.checks:
        used = [answer for answer in ANSWERS if summary.counts[answer]]
        width = max(len(printable(name)) for name, _ in summary.by_pass)
        lines += ["", f"{'pass':<{width}}  " + "  ".join(used)]
        lines += [
            f"{printable(name):<{width}}  " + "  ".join(f"{counts[answer]:>{len(answer)}}" for answer in used)
            for name, counts in summary.by_pass
        ]
    if summary.reasons:
        lines += ["", "unknown, by reason:", *(f"  {n:>5}  {printable(why)}" for why, n in summary.reasons)]
    if summary.skipped:
        why = summary.skipped.items()
        lines += ["", "not checked, by reason:", *(f"  {n:>5}  {printable(reason)}" for reason, n in why)]
    if summary.suite.disagreeing:
        lines += ["", "verify, not as LLVM:"]
        lines += [
            f"  {printable(file)}: {printable(why) if why else 'only LLVM refuses it'}"
            for file, why in summary.suite.disagreeing
        ]
    if summary.findings:
        lines += ["", "findings:", *(f"  {printable(_finding(check))}" for check in summary.findings)]
    return "\n".join(lines) + "\n"


def _sentence(summary: BuildSummary) -> str:
    left = f"; {summary.pending} still to be checked" if summary.pending else ""
    return _suite(summary) + _checks(summary) + left


def _suite(summary: BuildSummary) -> str:
    suite = summary.suite
    if not suite.files:
        return ""
    verified = ""
    if suite.verified:
        verified = f"verify as LLVM on {suite.verified - len(suite.disagreeing)} of {suite.verified}; "
    return f"{suite.files} files, {suite.commands} commands; {verified}"


def _checks(summary: BuildSummary) -> str:
    counts = ", ".join(f"{n} {answer}" for answer, n in summary.counts.items() if n)
    checks = f"{len(summary.checks)} check{'' if len(summary.checks) == 1 else 's'}"
    if not counts:
        return "nothing was checked"
    share = ""
    if summary.suite.files:
        share = f"; {100 * summary.answered / len(summary.checks):.1f} % answered"
    return f"{checks}: {counts}{share}"


def _finding(check: CheckedPass) -> str:
    where = "" if check.folder is None else f" ({check.folder})"
    return f"{check.answer}: @{check.function} after {check.pass_} in {check.module}{where}: {check.why}"


def json(summary: BuildSummary) -> str:
    """The figures, and every check."""
    return dump(
        {
            "schema": SCHEMA,
            "command": "report",
            "checks": len(summary.checks),
            "answered": summary.answered,
            "pending": summary.pending,
            "suite": {
                "files": summary.suite.files,
                "commands": summary.suite.commands,
                "verified": summary.suite.verified,
                "disagreeing": [{"file": f, "convcheck": why} for f, why in summary.suite.disagreeing],
            },
            "answers": dict(summary.counts.items()),
            "passes": {name: dict(counts.items()) for name, counts in summary.by_pass},
            "unknown": dict(summary.reasons),
            "skipped": dict(summary.skipped),
            "findings": [check.line() for check in summary.findings],
        }
    )


_SHEET = """
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem auto;max-width:70rem;padding:0 1rem}
table{border-collapse:collapse}
th,td{text-align:left;padding:.15rem 1rem .15rem 0;border-bottom:1px solid #999}
td.number{text-align:right}
"""


def html(summary: BuildSummary, base: str = "") -> str:
    """One page; findings link to their own. ``base`` leads from where the page stands to the folder of
    results; it is empty, or ends with a slash."""
    used = [answer for answer in ANSWERS if summary.counts[answer]]
    parts = [f"<h1>convcheck: {markup(_sentence(summary))}</h1>"]
    if used:
        head = "".join(f'<th scope="col">{name}</th>' for name in ("pass", *used))
        rows = "".join(
            f"<tr><td>{markup(name)}</td>"
            + "".join(f'<td class="number">{counts[answer]}</td>' for answer in used)
            + "</tr>"
            for name, counts in summary.by_pass
        )
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
    for title, counted in (
        ("unknown, by reason", summary.reasons),
        ("not checked, by reason", tuple(summary.skipped.items())),
    ):
        if counted:
            items = "".join(f"<li>{n}: {markup(why)}</li>" for why, n in counted)
            parts.append(f"<h2>{title}</h2>\n<ul>{items}</ul>")
    if summary.findings:
        items = "".join(f"<li>{_link(check, base)}</li>" for check in summary.findings)
        parts.append(f"<h2>findings</h2>\n<ul>{items}</ul>")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>convcheck report</title>\n<style>{_SHEET}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _link(check: CheckedPass, base: str) -> str:
    words = markup(_finding(check))
    if check.folder is None:
        return words
    return f'<a href="{attribute(quote(f"{base}{check.folder}"))}/page.html">{words}</a>'


def sarif(summary: BuildSummary, base: str = "") -> str:
    """Each finding is a result about its reproducer; ``base`` as of :func:`html`."""
    fingerprints = common.Fingerprints()
    results: list[Json] = [
        {
            "partialFingerprints": fingerprints.of((check.module, _finding(check))),
            "ruleId": "REFINEMENT",
            "level": "error",
            "message": {"text": _finding(check)},
            "locations": [
                {"physicalLocation": {"artifactLocation": {"uri": quote(f"{base}{_reproducer(check)}")}}}
            ],
        }
        for check in summary.findings
    ]
    rule: Json = {"id": "REFINEMENT", "shortDescription": {"text": "A pass keeps threads together."}}
    driver = common.driver([rule])
    run: Json = {"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}
    return dump({"$schema": SARIF, "version": "2.1.0", "runs": [run]})


def _reproducer(check: CheckedPass) -> str:
    return check.module if check.folder is None else f"{check.folder}/before.ll"


def junit(summary: BuildSummary) -> str:
    """A test case a check: findings fail, what is unknown is skipped."""
    cases = []
    for check in summary.checks:
        case = Case(check.module, f"@{check.function} after {check.pass_}", seconds=check.seconds)
        if check.answer in ("wrong", "invalid-output"):
            case = case._replace(failure=(check.answer, _finding(check)))
        elif check.answer in ("unknown", "not-observable"):
            case = case._replace(skipped=check.why or check.answer)
        cases.append(case)
    return suite(cases)
