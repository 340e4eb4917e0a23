"""The names that LLVM gives intrinsics (LangRef, *Intrinsic Functions*).

A text may name an overloaded intrinsic without the suffix of its types (``llvm.amdgcn.readfirstlane``), or
by a name that LLVM has replaced since (``llvm.nvvm.barrier0``). LLVM's reader puts its own names in place of
both, and so does this, before anything looks at a name. What LLVM replaces by more than another name of the
same function is an *upgrade*: then only its own print says what it read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..ir.module import Function, Upgrade
from ..ir.operands import Global, Operand
from ..ir.types import FunctionType, Type, spelled, type_text
from .llvm import Intrinsic, declared

PREFIX = "llvm."
_KEPT = ("llvm.dbg.", "llvm.lifetime.")
"""Families that LLVM rewrites without a change of meaning: calls that debuggers read became records, and a
lifetime has lost its size. They stay as they are written."""


class IntrinsicNames:
    """The names of one module's intrinsics.

    ``table`` are those of LLVM's module, ``missing`` the names in the text that it has not. ``definitions``
    gives the text of the module's types, ``read_type`` reads one of LLVM's. ``renamed`` maps declared names
    to LLVM's, and ``upgrades`` are the declarations for which there is no such name.
    """

    def __init__(
        self,
        known: Mapping[str, Intrinsic],
        missing: frozenset[str],
        definitions: Callable[[], str],
        read_type: Callable[[str], Type],
    ) -> None:
        self.table = known
        self.missing = missing
        self.renamed: dict[str, str] = {}
        self.upgrades: list[Upgrade] = []
        self._definitions = definitions
        self._read_type = read_type
        self._called: dict[tuple[str, int], tuple[FunctionType, Operand]] = {}  # by the type's identity

    def declare(self, function: Function) -> None:
        """Takes notice of a declaration in the text."""
        name = function.name
        if name.startswith(_KEPT):
            return
        fact = self.table.get(name)
        if fact is not None:
            if not self._is(fact, function.type):
                self.upgrades.append(Upgrade(name, (name,)))
        elif name in self.missing:
            intrinsic = self._declared(name, function.type)
            same = [new for new, fact in intrinsic.items() if self._is(fact, function.type)]
            if len(intrinsic) == len(same) == 1:
                self.renamed[name] = same[0]
            else:
                self.upgrades.append(Upgrade(name, tuple(intrinsic)))

    def callee(self, operand: Operand, signature: FunctionType) -> Operand:
        """The operand that a direct call in the text names, under LLVM's name. An undeclared intrinsic may
        stand there without a suffix: then the call's type says which it is."""
        if not isinstance(operand, Global) or not operand.name.startswith(PREFIX):
            return operand
        entry = self._called.get((operand.name, id(signature)))
        if entry is None:
            name = self.renamed.get(operand.name) or self._of_call(operand.name, signature)
            called = operand if name == operand.name else Global(name, operand.type)
            entry = self._called[operand.name, id(signature)] = signature, called
        return entry[1]

    def _of_call(self, name: str, signature: FunctionType) -> str:
        """LLVM's name for what a call with this type calls. A suffix may be there and wrong."""
        if name.startswith(_KEPT):
            return name
        fact = self.table.get(name)
        if (fact is None and name not in self.missing) or (fact is not None and self._is(fact, signature)):
            return name
        intrinsic = self._declared(name, signature)
        return next(iter(intrinsic)) if len(intrinsic) == 1 else name

    def mentions(self, in_text: Mapping[str, int]) -> Mapping[str, int]:
        """What a body mentions, under LLVM's names; all that it may be where only a call's type tells."""
        counts = dict(in_text)
        for key, count in in_text.items():
            if not key.startswith("@" + PREFIX) or key[1:] not in self.missing:
                continue
            new = self.renamed.get(key[1:])
            for name in (new,) if new is not None else self._may_be(key[1:]):
                counts["@" + name] = counts.get("@" + name, 0) + count
        return counts

    def _may_be(self, name: str) -> list[str]:
        return [known for known in self.table if known.startswith(name + ".")]

    def _declared(self, name: str, type: FunctionType) -> Mapping[str, Intrinsic]:
        """The intrinsics that LLVM makes of one declaration."""
        parameters = [*map(type_text, type.parameters), *(["..."] if type.variadic else [])]
        head = f"declare {type_text(type.result)} @{spelled(name)}({', '.join(parameters)})\n"
        return declared(self._definitions() + head)

    def _is(self, fact: Intrinsic, type: FunctionType) -> bool:
        return fact.type == type_text(type) or self._read_type(fact.type) == type
