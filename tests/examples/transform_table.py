"""The table of transforms in ``docs/transforms.md``, made from the files: case, verdict, why, file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .runlines import run_lines

ROOT = Path(__file__).resolve().parents[2]
SHELF = ROOT / "examples_ll" / "transforms"
PAGE = ROOT / "docs" / "transforms.md"

_VERDICT = re.compile(r"^(Equal|Refines|Wrong|Invalid)\b", re.MULTILINE)
_SECTION = re.compile(r'Convergent Operation Semantics, "([^"]+)"[,:]?\s*')
BEGIN, END = "<!-- the table begins -->", "<!-- the table ends -->"


@dataclass(frozen=True)
class Transform:
    """A file: the document's section that it argues, if any; the case and the argument in words; per RUN
    line the options of ``refine`` and the verdict that is checked."""

    name: str
    section: str
    case: str
    why: str
    verdicts: tuple[tuple[str, str], ...]


def read(file: Path) -> Transform:
    """Raises ValueError where a file does not say what it must."""
    text = file.read_text(encoding="utf-8")
    comment = []
    for line in text.splitlines():
        if not line.startswith(";") or line == ";":
            break
        comment.append(line.removeprefix(";").strip())
    words = "\n".join(comment)
    section = _SECTION.match(words)
    body = words[section.end() :] if section else words
    verdict = _VERDICT.search(body)
    if verdict is None:
        raise ValueError(f"{file.name} does not say Equal, Refines, Wrong or Invalid at the start of a line")
    case, why = body[: verdict.start()], body[verdict.start() :]
    verdicts = []
    for line in run_lines(text):
        options = re.search(r"convcheck refine %s ?(.*?) *\| FileCheck %s(?: --check-prefix=(\S+))?$", line)
        if options is None:
            raise ValueError(f"{file.name}: {line}")
        prefix = options[2] or "CHECK"
        checked = re.search(rf"^; {prefix}: {{{{\^}}}}([\w-]+):$", text, re.MULTILINE)
        if checked is None:
            raise ValueError(f"{file.name}: {prefix} checks no verdict")
        verdicts.append((options[1], checked[1]))
    case, why = (re.sub(r"\s+", " ", part).strip() for part in (case, why))
    case = case[:1].upper() + case[1:]
    return Transform(file.stem, section[1] if section else "Other cases", case, why, tuple(verdicts))


def transforms() -> list[Transform]:
    return [read(file) for file in sorted(SHELF.glob("*.ll"))]


def table() -> str:
    """The tables, one per section of LLVM's document."""
    found = transforms()
    sections = list(dict.fromkeys(t.section for t in found if t.section != "Other cases"))
    parts = []
    for section in [*sorted(sections), "Other cases"]:
        rows = "\n".join(_row(t) for t in found if t.section == section)
        parts.append(f"## {section}\n\n| case | verdict | why | file |\n| --- | --- | --- | --- |\n{rows}")
    return "\n\n".join(parts)


def _row(transform: Transform) -> str:
    verdicts = "; ".join(
        f"**{verdict}** (`{options}`)" if options else f"**{verdict}**"
        for options, verdict in transform.verdicts
    )
    words = [
        re.sub(r"([\w-]+\.ll\b|[@%]\w[\w.]*\w|[@%]\w)", r"`\1`", w).replace("|", "\\|")
        for w in (transform.case, transform.why)
    ]
    return f"| {words[0]} | {verdicts} | {words[1]} | `examples_ll/transforms/{transform.name}.ll` |"


def page(text: str) -> str:
    """The page with the table made anew."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"
