"""What a tool's passes did to each function with convergent operations: compared, within a budget."""

from __future__ import annotations

import json
import re
import shlex
import time
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import PurePath
from typing import TYPE_CHECKING

from ...frozen import dataclass
from ...ir import quoted, text_bytes
from ...ir.calls import callee_name, control, exec_operations, is_convergent
from ...ir.instructions import CallSite, CondBr, Switch
from ...passes import Dump, NotADump, dumps, sliced, version
from ...refine import PreparedSide, Refinement
from ...refine.sides.side import SideChain
from ...refine.verdict.compare import GROWING, compare, models_of
from ...refine.verdict.result import Model
from ...report import refine_formats as html
from ...report.checked import FINDINGS, Answer, CheckedPass
from ...report.refine import FunctionComparison, RefineAnswer, bound, issue
from ...semantics import NotModelled, UsageError
from ...semantics.machine.launch import LaunchSpec, Limits
from ..commands.refine import Neighbours, is_local, is_taken_away, walk
from ..plumbing import InputError
from ..plumbing.load import LoadedFile, one_line
from .store import FindingFolder, key_of

if TYPE_CHECKING:
    from ...ir.module import Function, Module

_SIZE = 200_000_000
"""Characters of a dump at most: what is beyond is said to be left out."""


@dataclass(frozen=True, slots=True)
class Check:
    """``tool`` whose dump it is, ``command`` how it was called, the ``budget`` in seconds for a function and
    pass, and where answers go. ``module`` is what the module is called, where LLVM's own name for it is not
    meant; after ``end``, as ``time.monotonic`` counts, nothing more is checked. ``program`` is the
    tool's own, which is asked for its version where something is wrong. With ``reuses`` the module after a
    pass, which is the one before the next, is not run twice for an input."""

    tool: str
    command: str
    budget: float
    store: FindingFolder
    module: str | None = None
    end: float = inf
    program: str | None = None
    reuses: bool = True

    def dump(self, printed: str) -> None:
        """All that a dump tells."""
        if len(printed) > _SIZE:
            self.store.skip(self.tool, f"a dump of more than {_SIZE} characters")
            return
        try:
            modules = dumps(printed)
        except NotADump as error:
            self.store.skip(self.tool, f"no dump: {error}")
            return
        for unit in modules:
            if self.module is not None:
                unit = replace(unit, module=self.module)
            try:
                for check in self._unit(unit):
                    self.store.append(check.line())
                    if time.monotonic() > self.end:
                        self.store.skip(self.tool, "no time is left for what the command did besides")
                        return
                if unit.unseen:
                    self.store.skip(self.tool, f"what {', '.join(unit.unseen)} did is not in the dump")
            except InputError as error:
                self.store.skip(self.tool, one_line(error.why))

    def _unit(self, unit: Dump) -> Iterator[CheckedPass]:
        sides, broken = SideChain(reuses=self.reuses), dict[str, frozenset[str]]()
        for neighbours in walk(unit, None, unit.module or self.tool):
            if neighbours.before is None:
                self.store.skip(self.tool, f"the module before {neighbours.step.name} is not in the dump")
                continue
            before, output = neighbours.before.module, neighbours.output
            for function in before.definitions():
                if output.unreadable is None and is_taken_away(function, output.module):
                    continue
                if function.name in neighbours.same:  # as in a module that is valid
                    broken.pop(function.name, None)
                elif converges(before, function):
                    yield self._function(unit, neighbours, neighbours.before, function, sides, broken)

    def _function(
        self,
        unit: Dump,
        neighbours: Neighbours,
        before: LoadedFile,
        function: Function,
        sides: SideChain,
        broken: dict[str, frozenset[str]],
    ) -> CheckedPass:
        """One function before and after: from the cache, or compared. ``broken`` has the rules that each
        function breaks behind the passes so far: a pass that leaves them so is not to blame."""
        step, name = neighbours.step, function.name
        texts = before.module.source.text, step.after
        key = key_of(self.tool, name, str(self.budget), *texts)
        known = self.store.previous_answer(key)
        if known is not None:
            answer, why, folder, seconds = known["answer"], known["why"], known["folder"], 0.0
            refinement = None
            rules = frozenset(known.get("rules", ()))
        else:
            begun = time.process_time()
            answer, why, refinement = self._compared(neighbours, before, name, sides)
            seconds = time.process_time() - begun
            folder, rules = None, frozenset[str]()
            if answer == "invalid-output" and refinement is not None:
                rules = frozenset(d.rule.id for d in refinement.refinement.diagnostics)
        left = bool(rules) and rules <= broken.get(name, frozenset())
        if known is None and not left:
            if answer in FINDINGS and refinement is not None:
                folder = self._finding(unit, neighbours, before, refinement, key)
            kept = {"answer": answer, "why": why, "folder": folder, "rules": sorted(rules)}
            self.store.remember(key, kept)
        if left:
            answer, folder = "unknown", None
            why = f"what the pass was given broke {', '.join(sorted(rules))} already"
        broken[name] = rules
        place = self.tool, unit.module, name, step.number, step.name
        return CheckedPass(*place, answer, why, folder, seconds, known is not None)

    def _compared(
        self, neighbours: Neighbours, before: LoadedFile, name: str, sides: SideChain
    ) -> tuple[Answer, str, FunctionComparison | None]:
        """The answer, why it is no better, and the comparison if there was one."""
        from ...parser import NotLLVM, Unsupported

        output = neighbours.output
        if output.unreadable is not None:
            return "unknown", f"its output cannot be read: {output.unreadable}", None
        target = output.module
        if name not in target.functions or target.functions[name].is_declaration:
            return "unknown", "the function is gone", None
        try:
            source = sides.source(before.module, name)
            refinement = self._refinement(source, sides.target(target, name, source))
        except (NotLLVM, Unsupported) as error:
            return "unknown", one_line(error.message), None
        except UsageError as error:
            return "unknown", one_line(error.command_line), None
        except NotModelled as error:
            return "unknown", f"not modelled: {one_line(error.feature)}", None
        comparison = FunctionComparison(name, name, before.module, target, refinement, step=neighbours.place)
        why = bound(refinement) or refinement.established
        answer: Answer = refinement.verdict
        if refinement.verdict == "unknown" and refinement.unobserved is not None:
            answer = "not-observable"
        if refinement.verdict == "wrong" and is_local(before.module.functions[name]):
            return "unknown", "the pass knows all callers of a function of its module alone", None
        if refinement.verdict == "wrong" and (late := unlowered_callee(before.module, target, name)):
            return "unknown", f"@{late}, which it calls, is not lowered yet", None
        return answer, one_line(why), comparison

    def _refinement(self, source: PreparedSide, target: PreparedSide) -> Refinement:
        """What can be said within the budget: of few inputs first, and of more while there is time."""
        limits = Limits(timeout=self.budget, cpu=True)
        models = self._models(source, target)
        return compare(source, target, LaunchSpec(limits=limits), models=models, efforts=GROWING)

    def _models(self, source: PreparedSide, target: PreparedSide) -> tuple[Model, ...] | None:
        """The models that a verdict is for; ``None``: all that leave it open who converges. AMDGPU's code
        generator makes masks, and what it has on the way there is meant for no machine where lanes meet at
        post-dominators: as ``--lowered`` does, its passes are not asked about that."""
        models = models_of(source, target)
        masks = self.tool == "llc" and (source.module.triple or "").startswith("amdgcn")
        return tuple(m for m in models if m != "ipdom") if masks and "ipdom" in models else None

    def _finding(
        self, unit: Dump, neighbours: Neighbours, before: LoadedFile, comparison: FunctionComparison, key: str
    ) -> str:
        """A finding's folder: what it takes to see it again, and a page to show."""
        step = neighbours.step
        name = re.sub(r"[^\w.-]+", "-", f"{step.name} {comparison.function}").strip("-")[:80]
        module = PurePath(unit.module).name
        spelled = quoted(text_bytes(module))
        by = "LLVM" if self.program is None else version(self.program)
        answer = RefineAnswer((comparison,), "before.ll", "after.ll")
        source, target = (
            _SOURCE.sub(lambda _: f"source_filename = {spelled}", sliced(text, comparison.function))
            for text in (before.module.source.text, step.after)
        )
        refinement = comparison.refinement
        function = shlex.quote(f"@{comparison.function}")
        reproduce = f"convcheck refine before.ll after.ll --function {function}"
        if len(refinement.models) > 1 and "ipdom" not in refinement.models:
            reproduce += f" --models {','.join(refinement.models)}"
        described = {
            "schema": "convcheck/1",
            "verdict": comparison.refinement.verdict, "function": comparison.function,
            "pass": step.name, "on": step.on, "number": step.number, "tool": self.tool, "llvm": by,
            "command": self.command, "module": module,
            "reproduce": reproduce,
        }  # fmt: skip
        files = {
            "before.ll": source,
            "after.ll": target,
            "finding.json": json.dumps(described, indent=1) + "\n",
            "page.html": html.page(answer),
            "issue.md": issue(answer, comparison, source, target, step.name, self.command, by),
        }
        return self.store.finding(f"{name}-{key[:8]}", files)


_SOURCE = re.compile(r'^source_filename = ".*"$', re.MULTILINE)


def unlowered_callee(before: Module, after: Module, name: str) -> str | None:
    """A function with branches that the function of this ``name``, to which a pass of a code generator gave
    operations on exec masks, can reach, and to which it has given none: code generators print a module
    after each function, where some are still code of threads."""

    def masked(module: Module, function: str) -> bool:
        return any(True for _ in exec_operations(module.functions[function]))

    if masked(before, name) or not masked(after, name):
        return None
    work, reached = [name], {name}
    while work:
        for instruction in after.functions[work.pop()].instructions:
            callee = callee_name(instruction) if isinstance(instruction, CallSite) else None
            if callee is None or callee in reached or callee not in after.functions:
                continue
            reached.add(callee)
            if any(isinstance(i, CondBr | Switch) for i in after.functions[callee].instructions):
                if not masked(after, callee):
                    return callee
            work.append(callee)
    return None


def converges(module: Module, function: Function) -> bool:
    """Whether a function has convergent operations or control intrinsics."""
    return any(
        isinstance(i, CallSite) and (control(i) is not None or is_convergent(module, i))
        for i in function.instructions
    )
