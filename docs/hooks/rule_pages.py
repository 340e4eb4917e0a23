"""A page per rule: its sentence, why it is there, what keeps and what breaks it, with pictures."""

from __future__ import annotations

import re
from pathlib import Path

from shown import ROOT, alignment, alignments, console, fenced, flow

from convergence.cli.plumbing.examples import program, recorded
from convergence.report.explain import heading, why
from convergence.rules import Rule

RULES = ROOT / "examples_ll" / "rules"
KINDS = {
    "S": "Static rules",
    "W": "Warnings",
    "D": "Dynamic rules",
    "U": "Rules of uniformity",
    "E": "Exec masks in lowered code",
    "R": "SPIR-V's constructs",
}
ABOUT = {
    "S": "What `convcheck verify` checks: a program that breaks one has no meaning. Each violation is "
    "reported with a witness.",
    "W": "Legal, but probably not what was meant. A warning never changes the exit code.",
    "D": "What an execution obeys. `convcheck run --trace` names the rule behind each group, and JSON "
    "answers list those that had a say.",
    "U": "What is divergent, by `convcheck uniform`; all else is the same in all converged threads.",
    "E": "What AMDGPU's operations on exec do, on the machine `exec-amdgcn`.",
    "R": "Which tokens SPIR-V's constructs become, and the rules of structured control flow below them.",
}


def names() -> set[str]:
    return {"rules/index.md", *(_place(rule) for rule in Rule)}


def nav() -> list[tuple[str, str]]:
    return [(rule.id, _place(rule)) for rule in Rule]


def pages() -> dict[str, str]:
    return {"rules/index.md": _index(), **{_place(rule): page(rule) for rule in Rule}}


def _place(rule: Rule) -> str:
    return f"rules/{rule.id}.md"


def _index() -> str:
    parts = [
        "# Rules",
        "Identifiers are the same in the code, in messages, in the examples' names and here. "
        "`convcheck explain RULE` says in a terminal what these pages say.",
    ]
    for kind, title in KINDS.items():
        rows = [f"| [{r.id}]({r.id}.md) | {r.title} | {r.sentence} |" for r in Rule if r.id[0] == kind]
        table = "\n".join(["| rule | in short | sentence |", "| --- | --- | --- |", *rows])
        parts += [f"## {title}", ABOUT[kind], table]
    return "\n\n".join(parts) + "\n"


def page(rule: Rule) -> str:
    """One rule."""
    parts = [
        f"# {rule.id}: {rule.title}",
        f"> {rule.sentence}",
        f"**Why.** {why(rule)}",
        f"**In {rule.authority}'s documents:** [{_linked(rule.link)}]({rule.link})",
    ]
    parts += _examples(rule) if rule.id[0] not in "DER" else _at_work(rule)
    return "\n\n".join(parts) + "\n"


def _linked(link: str) -> str:
    document, _, anchor = link.rpartition("/")[2].partition(".html")
    if not anchor:
        return document
    anchor = anchor.removeprefix("#")
    return f"{re.sub(r'(?<=[a-z])(?=[A-Z])', ' ', document)}, {anchor.replace('-', ' ')}"


def _examples(rule: Rule) -> list[str]:
    """Plain examples in full, the others to open."""
    files = sorted(_files(rule), key=_order)
    plain = [file for file in files if file.name.count(".") == 2]
    parts: list[str] = []
    for file in plain:
        parts += [f"## {_heading(file)}", *_example(file)]
    others = [file for file in files if file not in plain]
    if others:
        parts.append("## More examples")
    for file in others:
        inner = "\n\n".join(_example(file))
        indented = "\n".join(f"    {line}" if line else "" for line in inner.splitlines())
        parts.append(f'??? example "{_heading(file)}: {file.name}"\n\n{indented}')
    return parts


def _files(rule: Rule) -> list[Path]:
    """The examples of a rule, LLVM IR or SPIR-V."""
    return [*RULES.glob(f"{rule.id}.*.ll"), *RULES.glob(f"{rule.id}.*.spvasm")]


def _order(file: Path) -> tuple[bool, int, str]:
    """What keeps the rule first, then the plain ones."""
    first = {"good", "shows"} & set(file.name.split("."))
    return not first, file.name.count("."), file.name


def _heading(file: Path) -> str:
    return heading(file.name.split(".")[-2])


def _example(file: Path) -> list[str]:
    """The text, the control flow with the witness, what verify says."""
    name = f"examples_ll/rules/{file.name}"
    return [
        f"`{name}`:",
        fenced(program(file.read_text(encoding="utf-8")), "llvm"),
        flow(file),
        console("verify", name),
    ]


def _at_work(rule: Rule) -> list[str]:
    """Each example of a dynamic rule: the text, and what its commands say."""
    parts: list[str] = []
    for file in sorted(_files(rule), key=_order):
        name = f"examples_ll/rules/{file.name}"
        text = file.read_text(encoding="utf-8")
        parts += [f"## {_heading(file)}", f"`{name}`:", fenced(program(text), "llvm")]
        runs = [[name if word == "%s" else word for word in words] for words, _ in recorded(text)]
        if ["run", name] in runs:
            parts.append(alignment(name))
        if ["enumerate", "--engine", "both", name] in runs:
            parts.append(alignments(name))
        parts += [console(*words) for words in runs]
    return parts
