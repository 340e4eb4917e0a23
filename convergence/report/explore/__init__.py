"""The explorer's page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files

from ...alignment import ConvergedWith, DynamicInstance, Execution, StaticInstance
from ...alignment import cells as pictured
from ...frozen import Json, dataclass
from ...ir.cfg import Order
from ...ir.instructions import successors
from ...ir.module import Module
from ...rules import Rule
from ...sched.lockstep.simulate import Simulated
from ...semantics import NEVER, Clock
from ...semantics.convergence import Key, LaunchGroup, Root
from ...semantics.machine.program import Program
from ...semantics.machine.run import Group
from ..parts import markup, printable, valid_json
from ..parts.words import link_text, results, words
from ..simulate import block, operation, verdict

# ----------------------------------------------------------------------------------------------------------
# The explorer page: one self-contained HTML file, its data and what shows them.
#
# The page holds plain data and derives everything it shows: per *view* (a legal alignment, or what a
# machine did) its columns, groups, keys and slots. No request leaves it.
# ----------------------------------------------------------------------------------------------------------


DRAWN = 20_000
"""Block visits of a view that are drawn at most, over all threads: as many of each thread; and slots."""


@dataclass(frozen=True, slots=True)
class View:
    """One execution to show: ``keys`` as far as they are known, ``machine`` where a machine made it, and the
    ``program`` where that is not the one asked about: with other tokens, or none."""

    name: str
    summary: str
    execution: Execution
    groups: Sequence[Group]
    keys: Mapping[DynamicInstance, Key]
    machine: Simulated | None = None
    program: Program | None = None


def page(
    views: Sequence[View],
    program: Program,
    function: str,
    notes: Sequence[str] = (),
    all_blocks: bool = False,
    search: Order = Order.TEXT,
    clock: Clock = NEVER,
) -> str:
    """The HTML document, which holds :func:`data`. The same executions give the same text."""
    answers = data(views, program, function, notes, all_blocks, search, clock)
    text = valid_json(json.dumps(answers, separators=(",", ":"))).replace("<", "\\u003c")
    parts = {
        "@TITLE@": markup(printable(f"@{function}, {program.module.source.name.rpartition('/')[2]}")),
        "@STYLE@": asset("explore.css"),
        "@EXPLORER@": asset("explorer.html"),
        "@SCRIPT@": asset("explore.js"),
        "@DATA@": text,
    }
    marks = "@(?:TITLE|STYLE|EXPLORER|SCRIPT|DATA)@"
    return re.sub(marks, lambda mark: parts[mark[0]], asset("explore.html")) + "\n"


def data(
    views: Sequence[View],
    program: Program,
    function: str,
    notes: Sequence[str] = (),
    all_blocks: bool = False,
    search: Order = Order.TEXT,
    clock: Clock = NEVER,
) -> dict[str, Json]:
    """What the page shows, and ``explore --format json`` says.

    Of long executions the beginning is drawn (:data:`DRAWN`), and no view but the first when
    the ``clock`` has ended: both are said in the notes, and are data.
    """
    module = program.module
    sites = _Sites(program)
    drawn: list[Json] = []
    lines = list(notes)
    for number, view in enumerate(views):
        bound = clock.hit() if number > 0 else None
        if bound is not None:
            lines.append(f"not drawn ({words(bound)}): {', '.join(left.name for left in views[number:])}")
            break
        begun = _Beginning(view, DRAWN)
        if begun.note is not None:
            lines.append(begun.note)
        drawn.append(_view(begun, view.program or program, function, sites, all_blocks, search))
    source = module.source if module.source.origin is None else module.source.origin
    return {
        "source": [printable(line) for line in source.text.splitlines()],
        "sites": sites.data(),
        "cfg": _flow(module, function),
        "views": drawn,
        "undrawn": [view.name for view in views[len(drawn) :]],
        "notes": [printable(note) for note in lines],
    }


def asset(name: str) -> str:
    """The text of one of the page's parts."""
    return files(__package__).joinpath(name).read_text("utf-8").rstrip("\n")


def _flow(module: Module, function: str) -> Json:
    """The blocks of the launched function, in text order, and where each may go."""
    launched = module.functions[function]
    place = {block.name: number for number, block in enumerate(launched.blocks)}
    blocks: list[Json] = []
    for held in launched.blocks:
        where = _block_lines(module, function, held.name)
        to: list[Json] = [*dict.fromkeys(place[name] for name in successors(held.terminator))]
        blocks.append({"name": printable(held.name), "lines": None if where is None else [*where], "to": to})
    first = next((w for w in (_block_lines(module, function, b.name) for b in launched.blocks) if w), None)
    return {"function": printable(function), "line": first[0] - 1 if first else 0, "blocks": blocks}


class _Sites:
    """The static instances that views speak of, each once, with a number. A program with other tokens has the
    same operations in other places: an operation is known by its name."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._number: dict[tuple[str, str], int] = {}
        self._described: list[tuple[Program, StaticInstance]] = []

    def number(self, site: StaticInstance, program: Program) -> int:
        name = site.function, program.described(site).name
        number = self._number.setdefault(name, len(self._described))
        if number == len(self._described):
            self._described.append((program, site))
        return number

    def data(self) -> list[Json]:
        sites: list[Json] = []
        for program, site in self._described:
            described = program.described(site)
            where = lines(program.module, site)
            sites.append(
                {
                    "operation": described.name,
                    "callee": described.callee,
                    "function": site.function,
                    "at": site.index,
                    "control": described.control,
                    "line": where[0] if where else 0,
                }
            )
        return sites


def lines(module: Module, site: StaticInstance) -> tuple[int, int] | None:
    """The first and last line of an instruction; ``None`` where no text spells it."""
    span = module.functions[site.function].instructions[site.index].span
    if span.start < 0:
        return None
    return module.source.position(span.start).line, module.source.position(span.end).line


def _block_lines(module: Module, function: str, name: str) -> tuple[int, int] | None:
    for basic_block in module.functions[function].blocks:
        if basic_block.name == name and basic_block.span.start >= 0:
            source = module.source
            return source.position(basic_block.span.start).line, source.position(
                max(basic_block.span.end - 1, 0)
            ).line
    return None


class _Keys:
    """Keys as a table: each with its words, its parent's number, and the rule that made it."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._number: dict[Root, int] = {}
        self.table: list[Json] = []

    def number(self, key: Root | None) -> int:
        """The key's number, its parents' first; -1 for none."""
        links: list[Root] = []
        while key is not None and key not in self._number:
            links.append(key)
            key = None if isinstance(key, LaunchGroup) else key.parent
        last = -1 if key is None else self._number[key]
        for link in reversed(links):
            rule = Rule.D_EQ if isinstance(link, LaunchGroup) else link.rule
            self._number[link] = len(self.table)
            self.table.append([printable(link_text(link, self._program.name)), last, rule.id])
            last = self._number[link]
        return last


class _Beginning:
    """As much of a view as is drawn: the first visits of each thread, their groups, the first slots."""

    def __init__(self, view: View, most: int) -> None:
        self.view = view
        whole = view.execution
        self.visits = max(map(len, whole.visits), default=0)
        self.drawn_visits = min(self.visits, max(1, most // max(1, len(whole.visits))))
        self.slots = 0 if view.machine is None else len(view.machine.steps)
        self.drawn_slots = min(self.slots, most)
        self.execution, self.groups = whole, view.groups
        if self.drawn_visits < self.visits:
            rows = tuple(row[: self.drawn_visits] for row in whole.visits)
            there = {instance for row in rows for visit in row for instance in visit.operations}
            classes = frozenset(part for c in whole.converged.classes if (part := c & there))
            self.execution = Execution(rows, ConvergedWith(classes), whole.launch_groups)
            self.groups = [group for group in view.groups if not there.isdisjoint(group.members)]

    @property
    def note(self) -> str | None:
        """What is not drawn; ``None`` if all is."""
        left = []
        if self.drawn_visits < self.visits:
            left.append(f"the first {self.drawn_visits} of up to {self.visits} block visits of each thread")
        if self.drawn_slots < self.slots:
            left.append(f"the first {self.drawn_slots} of {self.slots} slots")
        return f"{self.view.name}: drawn are {' and '.join(left)}" if left else None


def _view(
    begun: _Beginning, program: Program, function: str, sites: _Sites, all_blocks: bool, search: Order
) -> Json:
    module, view = program.module, begun.view
    rows = pictured(begun.execution, module, function, all_blocks, search)
    used = {column: n for n, column in enumerate(sorted({c for row in rows for c in row}))}
    heads: list[Json] = [None] * len(used)
    stands: dict[DynamicInstance, int] = {}
    cells: list[Json] = []
    for row in rows:
        shown: list[Json] = []
        for column, visit in row.items():
            place = used[column]
            if heads[place] is None:
                where = _block_lines(module, visit.function, visit.block)
                heads[place] = {"block": printable(visit.block), "lines": None if where is None else [*where]}
            for instance in visit.operations:
                stands.setdefault(instance, place)
            instances: list[Json] = [[sites.number(i.site, program), i.nth] for i in visit.operations]
            shown.append([place, *instances])
        cells.append(shown)
    keys = _Keys(program)
    groups: list[Json] = [
        {
            "site": sites.number(group.site, program),
            "members": [[m.thread, m.nth] for m in group.members],
            "results": printable(results(group.results)) if group.results else "",
            "key": keys.number(view.keys.get(group.members[0])),
            "column": min((stands[m] for m in group.members if m in stands), default=len(used)),
        }
        for group in begun.groups
    ]
    return {
        "name": view.name,
        "summary": printable(view.summary),
        "threads": len(rows),
        "columns": heads,
        "rows": cells,
        "groups": groups,
        "keys": keys.table,
        "slots": None if view.machine is None else _slots(view.machine, program, begun.drawn_slots),
        "drawn": {
            "visits": [begun.drawn_visits, begun.visits],
            "slots": [begun.drawn_slots, begun.slots],
        },
    }


def _slots(simulated: Simulated, program: Program, most: int) -> list[Json]:
    """A machine's first slots: what ran, for which lanes, and which thread each lane is."""
    slots: list[Json] = []
    first, at = {}, 0
    for wave, size in simulated.lanes.items():
        first[wave] = [*range(at, at + size)]
        at += size
    for step in simulated.steps[:most]:
        where = lines(program.module, StaticInstance(step.function, step.at))
        slots.append(
            {
                "block": printable(block(program, step)),
                "operation": printable(operation(program, step)),
                "function": step.function,
                "at": step.at,
                "mask": str(step.mask),
                "lanes": list(first[step.wave]),
                "lines": None if where is None else [*where],
            }
        )
    return slots


def machine_view(simulated: Simulated) -> View | None:
    """A machine as a view; ``None`` where it refused the program."""
    if simulated.run is None or simulated.execution is None:
        return None
    return View(
        simulated.policy,
        verdict(simulated),
        simulated.execution,
        simulated.groups,
        simulated.run.keys,
        simulated,
    )
