"""Whether two functions are the same text up to names: then they do the same, and nothing has to be run.

Blocks and instructions are compared in order, local names by a one-to-one correspondence, called
definitions likewise. Attributes count as sets with their groups resolved, without those that mean nothing
here; debug information does not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from enum import Enum
from typing import Any

from ...ir import (
    BlockAddress,
    Global,
    Local,
    Metadata,
    MetadataRecord,
    MetadataReference,
    MetadataTuple,
    MetadataValue,
)
from ...ir.instructions import Br, CallSite, CondBr, DebugRecord, IndirectBr, Instruction, Phi, Switch
from ...ir.module import Function, Module
from ...ir.targets import convention_of
from ...semantics.attributes import means_nothing

_UNSEEN = frozenset({"dbg", "prof", "tbaa", "srcloc", "heapallocsite", "annotation"})
"""Kinds of metadata that say nothing about what an instruction does."""
_LABELS = frozenset({"target", "then", "otherwise", "default", "normal", "unwind", "fallthrough"})


def same_text(source: Module, first: Function, target: Module, second: Function) -> bool:
    """Whether the two functions, and all that they reach, are the same up to the names of values."""
    if (source.datalayout, source.types) != (target.datalayout, target.types):
        return False
    return _TextComparison(source, target).all_same(first, second)


class _TextComparison:
    """One comparison: ``begun`` are definitions on both sides, by name, ``variables`` those that were looked
    at, with what their initializers point to."""

    def __init__(self, source: Module, target: Module) -> None:
        self.source = source
        self.target = target
        self.begun: dict[str, str] = {}
        self.variables: set[str] = set()
        self.work: list[tuple[Function, Function]] = []
        self._values: dict[str, str] = {}
        self._values_back: dict[str, str] = {}
        self._blocks: dict[str, str] = {}
        self._nodes: dict[str, str] = {}
        self._nodes_back: dict[str, str] = {}
        self._field_names: dict[type, tuple[str, ...]] = {}

    def all_same(self, first: Function, second: Function) -> bool:
        self.begun[first.name] = second.name
        self.work.append((first, second))
        while self.work:
            if not self._functions(*self.work.pop()):
                return False
        return True

    def _functions(self, first: Function, second: Function) -> bool:
        if first is second and self.source is self.target:
            return True
        self._values, self._values_back = {}, {}
        if first.is_declaration and second.is_declaration and first.name.startswith("llvm."):
            return first.name == second.name and first.type == second.type  # the rest is LLVM's own table
        if (
            first.type != second.type
            or convention_of(first.convention) != convention_of(second.convention)
            or first.is_declaration != second.is_declaration
            or not self._words(first.attributes, second.attributes, first.is_declaration)
            or not self._words(first.return_attributes, second.return_attributes)
            or len(first.blocks) != len(second.blocks)
        ):
            return False
        for a, b in zip(first.parameters, second.parameters, strict=True):
            if not self._words(a.attributes, b.attributes) or not self._bind(a.name, b.name):
                return False
        self._blocks = {a.name: b.name for a, b in zip(first.blocks, second.blocks, strict=True)}
        for block, image in zip(first.blocks, second.blocks, strict=True):
            instructions = [i for i in block.instructions if not isinstance(i, DebugRecord)]
            others = [i for i in image.instructions if not isinstance(i, DebugRecord)]
            if len(instructions) != len(others):
                return False
            for i, k in zip(instructions, others, strict=True):
                if not self._instructions(i, k):
                    return False
        return True

    def _bind(self, mine: str, theirs: str) -> bool:
        """Names correspond one to one; a name may be used (by a phi) before it is defined."""
        known = self._values.setdefault(mine, theirs)
        back = self._values_back.setdefault(theirs, mine)
        return known == theirs and back == mine

    def _instructions(self, first: Instruction, second: Instruction) -> bool:
        if type(first) is not type(second) or (first.result is None) != (second.result is None):
            return False
        if first.result is not None and not self._bind(first.result, second.result or ""):
            return False
        if not self._attachments(first, second):
            return False
        for name in self._fields(first):
            a, b = getattr(first, name), getattr(second, name)
            if isinstance(a, str) and name in _LABELS and isinstance(first, Br | CondBr | Switch | CallSite):
                same = self._blocks.get(a) == b
            elif isinstance(first, Phi) and name == "incoming":
                same = len(a) == len(b) and all(
                    self._same(v, w) and self._blocks.get(p) == q for (v, p), (w, q) in zip(a, b, strict=True)
                )
            elif isinstance(first, Switch) and name == "cases":
                same = len(a) == len(b) and all(
                    v == w and self._blocks.get(p) == q for (v, p), (w, q) in zip(a, b, strict=True)
                )
            elif isinstance(first, IndirectBr) and name == "targets":
                same = tuple(self._blocks.get(p) for p in a) == b
            elif name in ("attributes", "return_attributes"):
                same = self._words(a, b)
            else:
                same = self._same(a, b)
            if not same:
                return False
        return True

    def _same(self, a: Any, b: Any) -> bool:
        """Operands and what holds them."""
        match a:
            case Local():
                return isinstance(b, Local) and a.type == b.type and self._bind(a.name, b.name)
            case Global():
                return a == b and self._globals(a.name)
            case BlockAddress():
                return False
            case tuple():
                return isinstance(b, tuple) and len(a) == len(b) and all(map(self._same, a, b))
            case str() | bytes() | int() | float() | Enum() | None:
                return bool(a == b)
            case _ if type(a) is type(b) and hasattr(a, "__dataclass_fields__"):
                if type(a).__module__.endswith(".types"):
                    return bool(a == b)
                return all(self._same(getattr(a, n), getattr(b, n)) for n in self._fields(a))
            case _:
                return False

    def _globals(self, name: str) -> bool:
        """Whether a global means the same in both modules; definitions are compared later."""
        if self.source is self.target or self.begun.get(name) == name:
            return True
        first, second = self.source.functions.get(name), self.target.functions.get(name)
        if first is not None and second is not None:
            self.begun[name] = name
            self.work.append((first, second))
            return True
        if name in self.source.globals and name in self.target.globals:
            a, b = self.source.globals[name], self.target.globals[name]
            if name in self.variables:
                return True
            self.variables.add(name)  # it may point to itself
            mine, theirs = (replace(v, attachments=(), initializer=None) for v in (a, b))
            return mine == theirs and self._same(a.initializer, b.initializer)
        if name in self.source.aliases and name in self.target.aliases:
            alias, other = self.source.aliases[name], self.target.aliases[name]
            named = (replace(v, attachments=(), target=alias.target) for v in (alias, other))
            return len({*named}) == 1 and self._same(alias.target, other.target)
        return False

    def _fields(self, value: Any) -> tuple[str, ...]:
        kind = type(value)
        known = self._field_names.get(kind)
        if known is None:
            skipped = ("result", "attachments", "span")
            known = self._field_names[kind] = tuple(f.name for f in fields(kind) if f.name not in skipped)
        return known

    def _attachments(self, first: Instruction, second: Instruction) -> bool:
        attachments = [a for a in first.attachments if a[0] not in _UNSEEN]
        others = [a for a in second.attachments if a[0] not in _UNSEEN]
        if [kind for kind, _ in attachments] != [kind for kind, _ in others]:
            return False
        return all(self._metadata(a, b) for (_, a), (_, b) in zip(attachments, others, strict=True))

    def _metadata(self, first: Metadata, second: Metadata) -> bool:
        """Metadata by what numbers stand for in their modules, one to one: a node may hold itself."""
        work: list[tuple[Metadata | str | None, Metadata | str | None]] = [(first, second)]
        while work:
            match work.pop():
                case MetadataReference(a), MetadataReference(b):
                    if a in self._nodes or b in self._nodes_back:
                        if self._nodes.get(a) != b or self._nodes_back.get(b) != a:
                            return False
                        continue
                    self._nodes[a], self._nodes_back[b] = b, a
                    node, image = self.source.metadata.get(a), self.target.metadata.get(b)
                    if node is None or image is None or node.distinct != image.distinct:
                        return False
                    work.append((node.value, image.value))
                case MetadataTuple(mine), MetadataTuple(theirs):
                    if len(mine) != len(theirs):
                        return False
                    work += zip(mine, theirs, strict=True)
                case MetadataRecord(kind, mine_by), MetadataRecord(other, theirs_by):
                    if kind != other or [key for key, _ in mine_by] != [key for key, _ in theirs_by]:
                        return False
                    work += ((v, w) for (_, v), (_, w) in zip(mine_by, theirs_by, strict=True))
                case MetadataValue(v), MetadataValue(w):
                    if not self._same(v, w):
                        return False
                case a, b:
                    if a != b:
                        return False
        return True

    def _words(self, a: tuple[str, ...], b: tuple[str, ...], declared: bool = False) -> bool:
        """Whether attributes mean the same; those of a function that is only ``declared`` which are about
        what a body does say nothing."""
        if a == b and self.source is self.target:
            return True
        mine, theirs = _with_meaning(self.source.resolve(a)), _with_meaning(self.target.resolve(b))
        return mine == theirs or (declared and mine ^ theirs <= _OF_BODIES)


_OF_BODIES = frozenset({"mustprogress"})


def _with_meaning(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if not means_nothing(word))
