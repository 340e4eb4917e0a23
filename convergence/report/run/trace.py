"""``--trace``: a line per step, or an event per line as JSON."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache, partial
from itertools import accumulate

from ...alignment.instances import StaticInstance
from ...frozen import Json
from ...ir.module import Module
from ...semantics.machine.log import Stepped, TraceEvent
from ...semantics.machine.program import name_of
from ..parts.groups import key_text, threads, value
from ..parts.printable import printable
from ..verify.text import block

LONGEST_STEP = 100  # characters of an instruction that a line shows


class TraceView:
    """Renders the trace events of one module's run."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._name = lru_cache(maxsize=None)(partial(name_of, module))
        self._instruction = lru_cache(maxsize=None)(self._spelled)
        self._ends: dict[str, list[int]] = {}
        self._block = lru_cache(maxsize=None)(self._block_of)

    def text(self, event: TraceEvent) -> str:
        """``thread 0  B  %x = add i32 %a, 1  => 5``; for a convergent operation or control intrinsic
        also its group, its key and the rule that gave the key."""
        place = f"thread {event.thread}  {block(self._block(event.site))}"
        if not isinstance(event, Stepped):
            key = key_text(event.key, self._name)
            return f"{place}  waits at {self._name(event.site)} #{event.nth}, {key}\n"
        line = f"{place}  {self._instruction(event.site)}"
        if event.value is not None:
            line += f"  => {value(event.value)}"
        if event.key is not None:
            together = f"with {threads(event.group)}, " if event.group else ""
            rule = "" if event.rule is None else f" [{event.rule.id}]"
            line += f"  #{event.nth} {together}{key_text(event.key, self._name)}{rule}"
        return line + "\n"

    def json(self, event: TraceEvent) -> dict[str, Json]:
        """The same as data."""
        stepped = isinstance(event, Stepped)
        data: dict[str, Json] = {
            "event": "step" if stepped else "wait",
            "thread": event.thread,
            "frame": event.frame,
            "function": "@" + event.site.function,
            "block": self._block(event.site),
            "instruction": self._instruction(event.site),
        }
        if isinstance(event, Stepped):
            data["result"] = None if event.result is None else "%" + event.result
            data["value"] = event.value
        if event.key is not None:
            data["nth"] = event.nth
            data["key"] = key_text(event.key, self._name)
            data["rule"] = None if event.rule is None else event.rule.id
            data["group"] = list(event.group) if isinstance(event, Stepped) else []
        return data

    def _spelled(self, site: StaticInstance) -> str:
        """The instruction as the source spells it, on one line."""
        instruction = self._module.functions[site.function].instructions[site.index]
        words = " ".join(self._module.source.excerpt(instruction.span).split())
        return printable(words if len(words) <= LONGEST_STEP else words[: LONGEST_STEP - 1] + "…")

    def _block_of(self, site: StaticInstance) -> str:
        blocks = self._module.functions[site.function].blocks
        ends = self._ends.get(site.function)
        if ends is None:
            ends = self._ends[site.function] = list(accumulate(len(block.instructions) for block in blocks))
        return blocks[bisect_right(ends, site.index)].name
