"""Modules that LLVM printed while somebody else ran it: ``-print-after-all`` or ``-print-changed``, with
``-print-module-scope``; of ``opt``, ``clang`` or ``llc``.

LLVM 22's heads are in ``llvm/lib/Passes/StandardInstrumentations.cpp`` (the new pass manager) and
``llvm/lib/IR/LegacyPassManager.cpp`` (code generators).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import field

from ..frozen import dataclass
from .pipelines import optimised

# clang takes its colours back at the beginning of the line that follows a warning.
_HEAD = re.compile(
    r"^(?:\x1b\[[\d;]*m)*(?P<asked>[;#] )?\*\*\* IR (?:"
    r"Dump At Start(?P<start>)"
    r"|Dump (?P<when>After|Before) (?P<name>.+?)(?: on (?P<on>(?:(?! \*\*\*).)+?))??"
    r"(?P<same> omitted because no change| filtered out| \(invalidated\))?"
    r"|Pass (?P<ignored>.+?) on .+? ignored"
    r"|Pass (?P<invalidated>.+?) invalidated"
    r"|Deleted After (?P<deleted>.+?) on .+?"
    r") \*\*\*:?(?: \(function: (?P<function>.+)\))?[^\n]*\n",
    re.MULTILINE,
)
_ADAPTOR = re.compile(r"PassManager<|\w+PassAdaptor")
"""What runs passes, and is none."""
_ALONE = re.compile(r"(?:\s|;[^\n]*\n)*define ")
"""How a function begins that is printed without its module."""
_MODULE = re.compile(r"; ModuleID = '(?P<id>.*)'|source_filename = ")
_OF_A_MODULE = re.compile(
    r"[;}!@$^%\s\"]|$|attributes |declare |define |uselistorder|source_filename|target |module "
)
_MACHINE_CODE = "# Machine code for function"
_DIFFERENCE = re.compile(r"(?:\x1b\[\d+m)?[-+ ]; ModuleID|^(?:\x1b\[\d+m)?[-+]", re.MULTILINE)


class NotADump(Exception):
    """A text that is no such output, or not of whole modules."""


@dataclass(frozen=True, slots=True)
class DumpedPass:
    """One pass of a dump.

    ``number`` counts the passes that the dump tells of for its module, from 1. ``name`` is LLVM's class
    (``SimplifyCFGPass``), or of a code generator's pass its argument (``structurizecfg``). ``on`` is what it
    ran on: ``f``, ``[module]``. ``before`` and ``after`` are whole modules; ``before`` is ``None`` where the
    dump does not show it. ``unseen`` are passes since ``before`` of which no whole module was printed (of a
    region's pass LLVM prints the region alone): what they changed shows with this one.
    """

    number: int
    name: str
    on: str
    before: str | None
    after: str
    unseen: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether it changed something; where that cannot be seen, it may have."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Dump:
    """What LLVM printed of one module: ``module`` is its name, ``passes`` those that ran, in order.

    ``machine_code``: the first pass whose output is machine code, behind which there is no IR. ``unseen``:
    passes behind the last module; what they did is not in the dump.
    """

    module: str
    passes: tuple[DumpedPass, ...]
    machine_code: str | None = None
    unseen: tuple[str, ...] = ()


@dataclasses.dataclass(slots=True)
class _Unit:
    """One module's dump on its way."""

    module: str
    passes: list[DumpedPass] = field(default_factory=list)
    last: str | None = None
    unseen: dict[str, None] = field(default_factory=dict)
    count: int = 0
    machine_code: str | None = None
    before: tuple[str, str] | None = None
    """The pass before which a module was printed last, and what it ran on, until one is printed after it."""

    hidden: list[str] = field(default_factory=list)
    """Passes of which nobody will see what they did."""

    def is_over(self, name: str, on: str, text: str) -> bool:
        """Whether a module after a pass, which is not the first one, is of another run of LLVM's: for another
        processor, or what the first pass made, once more."""
        first, last = self.passes[0], self.passes[-1]
        processors, known = _processors(text), _processors(last.after)
        again = (first.name, first.on, first.after) == (name, on, text) and len(self.passes) > 1
        other = bool(processors and known) and processors.isdisjoint(known)
        return again or other

    def begins(self, text: str) -> None:
        """A module as it is before all passes; of one of the same name passes may have been told of which
        nothing was printed."""
        self.ends()
        self.last = text

    def ends(self) -> None:
        """No module follows that the last passes could have made."""
        self.hidden += [*self.unseen, *([] if self.before is None else [self.before[0]])]
        self.unseen.clear()
        self.before = None

    def shows(self, name: str, on: str, text: str) -> None:
        """A module as it is before a pass. Where it is another one than the last, the pass that was to come
        before, or those of which nothing was printed, made it."""
        maker, its_place = self.before or (next(reversed(self.unseen), ""), "[module]")
        if self.last is not None and maker and (self.before is not None or text != self.last):
            self.passed(maker, its_place, text)
        self.last = text
        self.unseen.clear()
        self.before = name, on

    def passed(self, name: str, on: str, text: str) -> None:
        """A pass ran, and this is the module after it."""
        self.count += 1
        unseen = tuple(n for n in self.unseen if n != name)
        self.passes.append(DumpedPass(self.count, name, on, self.last, text, unseen))
        self.last = text
        self.unseen.clear()
        self.before = None


def dumps(printed: str) -> tuple[Dump, ...]:
    """The modules' dumps, each in the order of its passes; one where a single module was compiled.

    Raises NotADump for a text without any head, of functions alone, or of differences.
    """
    heads = list(_HEAD.finditer(printed))
    if not heads:
        raise NotADump("no `*** IR Dump After PASS ***` is in it")
    units: dict[str, _Unit] = {}
    current = units.setdefault("", _Unit(""))
    begun = [current]

    def anew(module: str) -> _Unit:
        """A unit for a module, whatever was printed of one of that name."""
        unit = units[module] = _Unit(module)
        begun.append(unit)
        return unit

    problem: NotADump | None = None
    told: tuple[str, str, bool] | None = None  # by which head a pass was told of last
    for place, head in enumerate(heads):
        if head["ignored"] is not None or head["deleted"] is not None:
            continue
        if (name := head["invalidated"]) is not None:
            if not _ADAPTOR.match(name) and (told is None or told[0] != name):
                current.unseen[name] = None
            continue
        end = heads[place + 1].start() if place + 1 < len(heads) else len(printed)
        name, on = _named(head)
        # -print-after=PASS tells once more what -print-changed does, in a comment
        again = told is not None and told[:2] == (name, on) and told[2] != (head["asked"] is not None)
        told = name, on, head["asked"] is not None
        if head["same"] in (" omitted because no change", " filtered out"):
            current.count += head["when"] == "After" and not again
            current.before = None
            continue
        text = printed[head.end() : end]
        if _MACHINE_CODE in text[:4096]:
            current.machine_code = current.machine_code or name
            continue
        if (header := _module(text)) is None:
            if _ALONE.match(text):
                raise _problem(text, name)
            if head["when"] is None or problem is None:
                problem = _problem(text, name)
            current.unseen[name] = None
            continue
        module, text = header
        if place + 1 == len(heads) and _is_cut(text):
            if head["when"] == "After":
                current.unseen[name] = None
            continue
        if module is not None and module not in units:
            if "" in units and not units[""].passes:
                units[module] = units.pop("")
                units[module].module = module
            else:
                anew(module)
        current = units[module] if module is not None else current
        told_anew = head["when"] == "After" and not again
        if current.passes and (head["when"] is None or (told_anew and current.is_over(name, on, text))):
            current = anew(current.module)
        if head["when"] is None:
            current.begins(text)
        elif head["when"] == "Before":
            current.shows(name, on, text)
        elif not (again and text == current.last):
            current.passed(name, on, text)
    if problem is not None and not any(unit.passes for unit in begun):
        raise problem
    for unit in begun:
        unit.ends()
    return tuple(
        Dump(unit.module, tuple(unit.passes), unit.machine_code, tuple(dict.fromkeys(unit.hidden)))
        for unit in begun
    )


def _processors(text: str) -> set[str]:
    """For which processors a module's functions are: attributes stand behind them."""
    start = text.find("\nattributes #")
    return set(_PROCESSOR.findall(text, start)) if start >= 0 else set()


def _is_cut(text: str) -> bool:
    """Whether a printed module has no end: what its functions name by number is to be said behind them."""
    lines = text.split("\n")
    body = (line for line in lines if line.startswith(("define ", "declare ", "  ")) and '"' not in line)
    named = {number for line in body for number in _NUMBERED.findall(line)}
    said = {number for line in lines for number in _SAID.findall(line)}
    return not named <= said or text.count("\n}\n") < len(_BEGUN.findall(text))


_PROCESSOR = re.compile(r'"target-cpu"="([^"]*)"')
_NUMBERED = re.compile(r"(?<=[ ,(\[])(#\d+|!\d+)(?![\w.])")
_SAID = re.compile(r"^(?:attributes )?(#\d+|!\d+) = ")
_BEGUN = re.compile(r"^define ", re.MULTILINE)


def _named(head: re.Match[str]) -> tuple[str, str]:
    """A pass and what it ran on. A code generator's pass has its argument in parentheses, last."""
    name = head["name"] or ""
    if head["on"] is None and (argument := re.search(r"\(([^()\s]+)\)$", name)) is not None:
        name = argument[1]
    return name, head["function"] or head["on"] or "[module]"


def _module(text: str) -> tuple[str | None, str] | None:
    """The name of a printed module, if it says it, and its text without that line and without what else was
    printed behind it; ``None`` for what is no whole module."""
    lines = text.strip("\n").split("\n")
    within = False
    for place, line in enumerate(lines):
        within = (within or line.startswith("define ")) and not line.startswith("}")
        if not within and not _OF_A_MODULE.match(line):
            del lines[place:]  # what an analysis prints, or LLVM says
            break
    while lines and not lines[-1].strip():
        lines.pop()
    head = next((match for line in lines[:4] if (match := _MODULE.match(line))), None)
    if head is None:
        return None
    if head["id"] is not None:
        lines = [line for line in lines if not line.startswith("; ModuleID = ")]
    return head["id"], "\n".join(lines).strip("\n") + "\n"


def _problem(text: str, name: str) -> NotADump:
    """Why what was printed after a pass is no whole module."""
    where = f"after {name}" if name else "at the start"
    if _DIFFERENCE.search(text):
        return NotADump(f"{where} a difference is printed: -print-changed=quiet prints modules")
    return NotADump(f"{where} no whole module is printed: -print-module-scope does that")


# -- Which functions a pass may have changed

_DEFINITION = re.compile(
    r"^define [^\n]*?@(\"[^\"\n]*\"|[-\w.$]+)\([^\n]*\{\n.*?^\}\n", re.MULTILINE | re.DOTALL
)
_NAME = re.compile(r"@(\"[^\"\n]*\"|[-\w.$]+)")


def unchanged(before: str, after: str) -> frozenset[str]:
    """The functions, named as in the text without ``@``, of which two modules as LLVM prints them say the
    same: their own text, that of all functions that they can mention, and all that is no function's text."""
    old, new = _definitions(before), _definitions(after)
    if old.pop("", None) != new.pop("", None):
        return frozenset()
    changed = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    mentions = {name: set(_NAME.findall(text)) for name, text in old.items()}
    outside = set(_NAME.findall(_DEFINITION.sub("", before)))
    if not changed.isdisjoint(outside):  # a variable or an alias may lead to it from anywhere
        return frozenset()
    grown = True
    while grown:
        reaching = {name for name, named in mentions.items() if not changed.isdisjoint(named)}
        grown = not reaching <= changed
        changed |= reaching
    return frozenset(name for name in old if name not in changed)


def sliced(text: str, name: str) -> str:
    """A module as LLVM prints it, without the definitions that a function, variables and aliases cannot
    mention; as it is where it does not define the function."""
    known = _definitions(text)
    outside = known.pop("", "")
    name = name if name in known else f'"{name}"'
    if name not in known:
        return text
    work, kept = [name, *_NAME.findall(outside)], set[str]()
    while work:
        symbol = work.pop()
        if symbol in known and symbol not in kept:
            kept.add(symbol)
            work += _NAME.findall(known[symbol])
    return _DEFINITION.sub(lambda definitions: definitions[0] if definitions[1] in kept else "", text)


def _definitions(text: str) -> dict[str, str]:
    """Each definition's text by its name, and under no name the rest."""
    parts = {definition[1]: definition[0] for definition in _DEFINITION.finditer(text)}
    parts[""] = _DEFINITION.sub("", text)
    return parts


# ----------------------------------------------------------------------------------------------------------
# Every pass that a pipeline ran, with the module after it.
# ----------------------------------------------------------------------------------------------------------

_FLAGS = ("-print-after-all", "-print-module-scope", "-opt-bisect-limit=-1")
"""LLVM's own list: the module after each pass, and the pass's name in a pipeline before it runs."""

_CHANGED_HEAD = re.compile(
    r"^(?:;? ?\*\*\* IR Dump After (?P<after>.+?) on (?P<on>.*?)(?: \(invalidated\))? \*\*\*"
    r"|BISECT: (?:NOT )?running pass \(\d+\) (?P<name>.+?) on (?P<at>.*))\n",
    re.MULTILINE,
)


_ANALYSES = ("RequireAnalysisPass<", "InvalidateAnalysisPass<", "InvalidateAllAnalysesPass")


@dataclass(frozen=True, slots=True)
class PassRun:
    """One pass that ran.

    ``number`` counts all that ran, from 1. ``name`` is its name in a pipeline (``simplifycfg``), or LLVM's
    class where LLVM gives no other. ``on`` is what it ran on: ``f``, ``[module]``, ``loop %l in function f``.
    ``text`` is the whole module after it, the same object as before if it ``changed`` nothing.
    """

    number: int
    name: str
    on: str
    text: str
    changed: bool


def passes_run(
    text: str, pipeline: str, *, opt: str | None = None, opt_args: Sequence[str] = (), timeout: float = 60
) -> tuple[PassRun, ...]:
    """The passes of a pipeline in the order in which they ran, with the module after each.

    The list is LLVM's own, whoever runs it. Analyses are no part of it.

    :raises PassFailed: as :func:`optimise.optimise`
    """
    optimisation = optimised(text, pipeline, opt=opt, opt_args=(*opt_args, *_FLAGS), timeout=timeout)
    before = optimised(text, "no-op-module", opt=opt, opt_args=opt_args, timeout=timeout).text
    return listed(optimisation.printed, before)


def listed(printed: str, before: str) -> tuple[PassRun, ...]:
    """The passes in what LLVM printed; ``before`` is the module as LLVM prints it at the start."""
    runs: list[PassRun] = []
    named: tuple[str, str] | None = None
    last = _body(before)
    heads = list(_CHANGED_HEAD.finditer(printed))
    for place, head in enumerate(heads):
        if head["name"] is not None:
            named = head["name"], head["at"]
            continue
        end = heads[place + 1].start() if place + 1 < len(heads) else len(printed)
        text = _body(printed[head.end() : end])
        changed = text != last
        text = text if changed else last
        name = named[0] if named is not None and named[1] == head["on"] else head["after"]
        if head["after"].startswith(_ANALYSES):
            continue
        runs.append(PassRun(len(runs) + 1, name, head["on"], text, changed))
        named, last = None, text
    return tuple(runs)


def _body(text: str) -> str:
    """A printed module without the name that LLVM gives it, which depends on who reads it."""
    text = text.strip("\n") + "\n"
    return text.partition("\n")[2] if text.startswith("; ModuleID") else text
