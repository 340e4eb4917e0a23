"""A page per rule: its sentence, why it is there, what keeps and what breaks it, with pictures."""

from __future__ import annotations

import re
from pathlib import Path

from shown import ROOT, alignment, alignments, console, drawing, example, fenced, flow, output

from convergence.report.why import why
from convergence.rules import Rule

RULES = ROOT / "examples_ll" / "rules"
KINDS = {"S": "Static rules", "W": "Warnings", "D": "Dynamic rules"}
ABOUT = {
    "S": "What `convcheck verify` checks: a program that breaks one has no meaning. Each violation is "
    "reported with a witness.",
    "W": "Legal, but probably not what was meant. A warning never changes the exit code.",
    "D": "What an execution obeys. `convcheck run --trace` names the rule behind each group, and JSON "
    "answers list those that had a say.",
}
HEADINGS = {"good": "Keeps it", "bad": "Breaks it", "warns": "Is warned about"}
DYNAMIC = {
    Rule.D_THREAD: ("run", "langref/reductions.ll"),
    Rule.D_EQ: ("run", "alignments/nested.ll"),
    Rule.D_ENTRY: ("run", "langref/inlining-before.ll"),
    Rule.D_LOOP: ("run", "alignments/natural.ll"),
    Rule.D_USE: ("run", "langref/divergent-break.ll"),
    Rule.D_ANCHOR: ("enumerate", "alignments/natural-anchor.ll"),
    Rule.D_FREE: ("enumerate --uncontrolled any", "alignments/uncontrolled.ll"),
    Rule.D_CALL: ("run", "langref/inlining-before.ll"),
    Rule.D_ORDER: ("enumerate --uncontrolled any", "alignments/uncontrolled.ll"),
    Rule.D_MEM: ("enumerate", "litmus/sso-write-read.ll"),
    Rule.D_CAUSE: ("enumerate", "litmus/sso-read-write.ll"),
}
"""A command and an example that show a dynamic rule at work; D-DEP is about comparing two programs."""


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
    for kind, heading in KINDS.items():
        rows = [f"| [{r.id}]({r.id}.md) | {r.title} | {r.sentence} |" for r in Rule if r.id[0] == kind]
        table = "\n".join(["| rule | in short | sentence |", "| --- | --- | --- |", *rows])
        parts += [f"## {heading}", ABOUT[kind], table]
    return "\n\n".join(parts) + "\n"


def page(rule: Rule) -> str:
    """One rule."""
    parts = [
        f"# {rule.id}: {rule.title}",
        f"> {rule.sentence}",
        f"**Why.** {why(rule)}",
        f"**In LLVM's documents:** [{_linked(rule.link)}]({rule.link})",
    ]
    parts += _examples(rule) if rule.id[0] != "D" else _at_work(rule)
    return "\n\n".join(parts) + "\n"


def _linked(link: str) -> str:
    document, _, anchor = link.rpartition("/")[2].partition(".html#")
    return f"{re.sub(r'(?<=[a-z])(?=[A-Z])', ' ', document)}, {anchor.replace('-', ' ')}"


def _examples(rule: Rule) -> list[str]:
    """Plain examples in full, the others to open."""
    files = sorted(RULES.glob(f"{rule.id}.*.ll"), key=_order)
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


def _order(file: Path) -> tuple[bool, int, str]:
    """What keeps the rule first, then the plain ones."""
    return "good" not in file.name, file.name.count("."), file.name


def _heading(file: Path) -> str:
    return HEADINGS[file.name.split(".")[-2]]


def _example(file: Path) -> list[str]:
    """The text, the control flow with the witness, what verify says."""
    name = f"examples_ll/rules/{file.name}"
    return [
        f"`{name}`:",
        fenced(example(file.read_text(encoding="utf-8")), "llvm"),
        flow(file),
        console("verify", name),
    ]


def _at_work(rule: Rule) -> list[str]:
    if rule not in DYNAMIC:
        return ["It is about comparing two programs: `convcheck refine` uses it in the place of D-ORDER."]
    command, name = DYNAMIC[rule]
    words = command.split()
    file = f"examples_ll/{name}"
    parts = ["## At work", f"`{file}`:", fenced(example((ROOT / file).read_text(encoding="utf-8")), "llvm")]
    if words[0] == "run":
        parts.append(alignment(file))
    elif "litmus" not in file:
        svg = output(*words, "--format", "svg", file)
        parts.append(alignments(file) if len(words) == 1 else drawing(svg))
    parts.append(console(*words, file))
    return parts
