"""A function reduced to what the static rules look at, and its text as LLVM IR.

This model shares no code with ``convergence``: it is what the brute-force oracle decides on and what the
generator makes. Every printed instruction carries the number of its function (in a value's name or as an
argument), so that a message about a module of many functions can be traced to one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    """What an item is: a control intrinsic, a call, another intrinsic that gives a token, a phi of tokens."""

    ENTRY = "entry"
    LOOP = "loop"
    ANCHOR = "anchor"
    CALL = "call"
    FOREIGN = "foreign"
    PHI = "phi"


CONTROL = (Kind.ENTRY, Kind.LOOP, Kind.ANCHOR)

NONE = "none"
"""The operand ``token none``."""
INTEGER = "integer"
"""An operand that is no token."""


class Spelling(Enum):
    """How a call is written, and whether that makes it convergent without a bundle."""

    CONVERGENT = ("call", True)
    CALL_SITE = ("call of a plain function marked convergent", True)
    INTRINSIC = ("an intrinsic that LLVM's own table calls convergent", True)
    INDIRECT_CONVERGENT = ("indirect, marked convergent", True)
    PLAIN = ("call of a plain function", False)
    INDIRECT = ("indirect call", False)
    ALIAS = ("call of a convergent function by an alias", False)

    @property
    def convergent(self) -> bool:
        return self.value[1]


@dataclass(slots=True)
class Item:
    """One instruction. ``token`` names what it defines; ``bundles`` hold its convergencectrl operands:
    names of tokens, ``NONE`` or ``INTEGER``. For a phi ``incoming`` is the operand of every edge."""

    kind: Kind
    token: str | None = None
    bundles: tuple[tuple[str, ...], ...] = ()
    spelling: Spelling = Spelling.CONVERGENT
    incoming: str = NONE

    @property
    def operands(self) -> tuple[str, ...]:
        return tuple(operand for bundle in self.bundles for operand in bundle)

    @property
    def malformed(self) -> bool:
        """Not exactly one operand, of type token, in one bundle; no bundle at all is fine."""
        return bool(self.bundles) and (list(map(len, self.bundles)) != [1] or INTEGER in self.operands)

    @property
    def uses(self) -> str | None:
        """The operand of a well-formed bundle."""
        return self.operands[0] if self.bundles and not self.malformed else None

    @property
    def convergent(self) -> bool:
        """Convergent whatever its bundles are."""
        return self.kind in CONTROL or (self.kind is Kind.CALL and self.spelling.convergent)

    def copy(self) -> Item:
        return Item(self.kind, self.token, self.bundles, self.spelling, self.incoming)


class Exit(Enum):
    """The terminators that matter."""

    RET = "ret"
    UNREACHABLE = "unreachable"
    BR = "br"
    CONDBR = "condbr"
    SWITCH = "switch"
    INVOKE = "invoke"
    CALLBR = "callbr"


@dataclass(slots=True)
class Block:
    """``items``, then an exit to ``targets`` (for an invoke: normal, unwind), with ``last`` for the call of
    an invoke or a callbr."""

    items: list[Item] = field(default_factory=list)
    exit: Exit = Exit.RET
    targets: list[int] = field(default_factory=list)
    last: Item | None = None

    @property
    def all_items(self) -> list[Item]:
        return self.items if self.last is None else [*self.items, self.last]

    def copy(self) -> Block:
        last = None if self.last is None else self.last.copy()
        return Block([i.copy() for i in self.items], self.exit, list(self.targets), last)


@dataclass(slots=True)
class Function:
    """Blocks by number; the entry block is 0."""

    blocks: list[Block]
    convergent: bool = True

    def copy(self) -> Function:
        return Function([b.copy() for b in self.blocks], self.convergent)


HEADER = """\
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare void @conv(i32) convergent
declare void @plain(i32)
declare i32 @personality(...)
define void @defined(i32 %x) convergent {
  ret void
}
@other = alias void (i32), ptr @defined
"""


def module_text(functions: list[Function]) -> str:
    """One module: function number ``k`` is ``@f<k>``, its block ``j`` is ``%b<j>``. Functions without
    blocks are left out."""
    return HEADER + "".join(function_text(f, number) for number, f in enumerate(functions) if f.blocks)


def function_text(function: Function, number: int = 0) -> str:
    """The text of one function, to be put after ``HEADER``."""
    out: list[str] = []
    unwinds = {b.targets[1] for b in function.blocks if b.exit is Exit.INVOKE}
    predecessors: dict[int, list[int]] = {}
    for index, block in enumerate(function.blocks):
        for target in block.targets:
            predecessors.setdefault(target, []).append(index)
    attribute = " convergent" if function.convergent else ""
    personality = " personality ptr @personality" if unwinds else ""
    out.append(f"define void @f{number}(i1 %c, i32 %s, ptr %p){attribute}{personality} {{")
    for index, block in enumerate(function.blocks):
        out.append(f"b{index}:")
        pad = index in unwinds
        for item in block.items:
            if pad and item.kind is not Kind.PHI:
                out.append(f"  %v{number}_{index}pad = landingpad {{{{ ptr, i32 }}}} cleanup")
                pad = False
            out.append("  " + _item_text(item, number, predecessors.get(index, [])))
        if pad:
            out.append(f"  %v{number}_{index}pad = landingpad {{{{ ptr, i32 }}}} cleanup")
        out.append("  " + _exit_text(block, number))
    out.append("}\n")
    return "\n".join(out)


def _operand(operand: str, number: int) -> str:
    if operand == NONE:
        return "token none"
    if operand == INTEGER:
        return f"i32 {number}"
    return f"token %v{number}_{operand}"


def _bundles(item: Item, number: int) -> str:
    if not item.bundles:
        return ""
    inner = ", ".join(
        '"convergencectrl"(' + ", ".join(_operand(o, number) for o in bundle) + ")" for bundle in item.bundles
    )
    return f" [ {inner} ]"


def _callee(item: Item, number: int) -> str:
    match item.spelling:
        case Spelling.CONVERGENT:
            return f"void @conv(i32 {number})"
        case Spelling.CALL_SITE:
            return f"void @plain(i32 {number}) convergent"
        case Spelling.INTRINSIC:
            return f"i32 @llvm.amdgcn.readfirstlane.i32(i32 {number})"
        case Spelling.INDIRECT_CONVERGENT:
            return f"void %p(i32 {number}) convergent"
        case Spelling.PLAIN:
            return f"void @plain(i32 {number})"
        case Spelling.INDIRECT:
            return f"void %p(i32 {number})"
        case Spelling.ALIAS:
            return f"void @other(i32 {number})"


def _item_text(item: Item, number: int, predecessors: list[int]) -> str:
    result = f"%v{number}_{item.token} = "
    match item.kind:
        case Kind.CALL:
            return f"call {_callee(item, number)}{_bundles(item, number)}"
        case Kind.FOREIGN:
            return result + "call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)"
        case Kind.PHI:
            value = _operand(item.incoming, number).removeprefix("token ")
            edges = ", ".join(f"[ {value}, %b{p} ]" for p in predecessors)
            return f"{result}phi token {edges}"
        case Kind.ENTRY | Kind.LOOP | Kind.ANCHOR:
            bundles = _bundles(item, number)
            return f"{result}call token @llvm.experimental.convergence.{item.kind.value}(){bundles}"


def _exit_text(block: Block, number: int) -> str:
    targets = [f"label %b{t}" for t in block.targets]
    match block.exit:
        case Exit.RET:
            return "ret void"
        case Exit.UNREACHABLE:
            return "unreachable"
        case Exit.BR:
            return f"br {targets[0]}"
        case Exit.CONDBR:
            return f"br i1 %c, {targets[0]}, {targets[1]}"
        case Exit.SWITCH:
            cases = " ".join(f"i32 {k}, {t}" for k, t in enumerate(targets[1:]))
            return f"switch i32 %s, {targets[0]} [ {cases} ]"
        case Exit.INVOKE:
            assert block.last is not None
            call = f"{_callee(block.last, number)}{_bundles(block.last, number)}"
            return f"invoke {call} to {targets[0]} unwind {targets[1]}"
        case Exit.CALLBR:
            assert block.last is not None
            constraint = ",".join(["!i"] * (len(targets) - 1))
            mark = " convergent" if block.last.spelling.convergent else ""
            call = f'void asm sideeffect "", "{constraint}"(){mark}{_bundles(block.last, number)}'
            return f"callbr {call} to {targets[0]} [{', '.join(targets[1:])}]"
