"""Tokens for uncontrolled functions, by LLVM's documented procedure; and what a transform says that it
did.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from ..frozen import dataclass
from ..ir import I1, Int, IntType, Local, Operand, Simple
from ..ir import instructions as ir
from ..ir.calls import CONTROL_BUNDLE, Control, control, is_convergent, is_convergent_function, unfit
from ..ir.cfg import Cfg, Cycle, Cycles, build_cfg, cycles, graph, is_no_ssa
from ..ir.instructions import CallSite, Instruction
from ..ir.module import Block, Function, Module, needs_module
from .rewrite import (
    Names,
    addressed_blocks,
    control_call,
    token,
    with_blocks,
    with_bundle,
    with_functions,
    with_targets,
)

# ----------------------------------------------------------------------------------------------------------
# What a transform says about what it did and what it left alone.
# ----------------------------------------------------------------------------------------------------------

Kind = Literal["changed", "kept", "refused"]
"""``changed``: what was done. ``kept``: what needed nothing. ``refused``: what cannot be done, and why."""


@dataclass(frozen=True, slots=True)
class Note:
    """One sentence about ``@function``; ``operation`` names the call (``%x`` or ``@callee#k``)."""

    kind: Kind
    function: str
    words: str
    operation: str | None = None

    def __str__(self) -> str:
        at = "" if self.operation is None else f", {self.operation}"
        return f"@{self.function}{at}: {self.words}"


@dataclass(frozen=True, slots=True)
class Transformed:
    """A module after a transform, and what there is to say about it.

    Instructions that were there before keep their spans, which are places in the text that was read.
    """

    module: Module
    notes: tuple[Note, ...]


class CannotTransform(Exception):
    """A function has something that the transform cannot take; ``words`` name it."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


# -- What cannot be inlined, by name: calls and bodies whose meaning a plain copy would not keep

_REPLACEABLE = ("weak", "linkonce", "extern_weak", "common")
_PASSED = ("byval", "inalloca", "preallocated", "swifterror", "swiftasync", "nest")
_EXCEPTIONS = (
    ir.Invoke, ir.LandingPad, ir.Resume, ir.CatchSwitch, ir.CatchPad, ir.CatchRet, ir.CleanupPad,
    ir.CleanupRet,
)  # fmt: skip
_NAMED: tuple[tuple[type[Instruction] | tuple[type[Instruction], ...], str], ...] = (
    (_EXCEPTIONS, "its exceptions are not handled here"),
    (ir.CallBr, "it has a callbr"),
    (ir.IndirectBr, "it has an indirectbr"),
    (ir.VAArg, "it reads variable arguments"),
)


def refused_call(call: CallSite, callee: Function) -> str | None:
    """Why a call cannot be replaced by a body, whatever that holds; ``None`` if it can."""
    match call:
        case ir.Invoke():
            return "the call is an invoke"
        case ir.CallBr():
            return "the call is a callbr"
        case _:
            pass
    if (part := unfit(call, callee)) is not None:
        return f"the call's {part} is not the function's, which is undefined behaviour"
    for bundle in call.bundles:
        if bundle.tag != CONTROL_BUNDLE:
            return f'the call has a bundle "{bundle.tag}"'
    return None


def refused_body(callee: Function) -> str | None:
    """Why a body cannot be copied into another function; ``None`` if it can."""
    for word in callee.words:
        if word in _REPLACEABLE:
            return f"it is {word}: another definition may take its place"
    if callee.type.variadic:
        return "it takes variable arguments"
    for parameter in callee.parameters:
        for attribute in parameter.attributes:
            if attribute.split("(")[0] in _PASSED:
                return f"its parameter %{parameter.name} is {attribute.split('(')[0]}"
    for instruction in callee.instructions:
        for kind, words in _NAMED:
            if isinstance(instruction, kind):
                return words
        if isinstance(instruction, ir.Call) and instruction.marker == "musttail":
            return "it makes a musttail call"
        if isinstance(instruction, ir.Alloca) and instruction.flags:
            return f"it has an alloca that is {instruction.flags[0]}"
    if addressed_blocks(callee):
        return "it takes the address of one of its blocks"
    return None


# ----------------------------------------------------------------------------------------------------------
# Tokens for uncontrolled functions, by LLVM's documented procedure (COS, *Inferring Tokens*).
#
# The procedure's four steps, each a function here: irreducible cycles are made reducible; ``entry`` goes to
# the start of the entry block; ``loop`` goes to the start of every loop header, with the token of the
# parent loop's header, or that of ``entry``; every uncontrolled convergent operation gets the token of the
# heart of the smallest cycle around it, or that of ``entry``.
#
# The document does not say what becomes of a function that is not convergent itself: ``entry`` may stand
# only in a convergent one (S-ENTRY-FN). Such a function gets ``anchor`` instead, which promises less:
# its threads need not be those that were called together. A caller that wants the document's procedure to
# the letter names such functions in ``convergent``; they are given the attribute first.
# ----------------------------------------------------------------------------------------------------------


# ----------------------------------------------------------------------------------------------------------
# A CFG in which unreachable blocks count, too: the static rules hold for them, so tokens must be theirs.
# ----------------------------------------------------------------------------------------------------------


def cfg_with_unreachable(function: Function) -> Cfg:
    """The CFG, with an edge from the entry to a block of each unreachable part that nothing else leads to.

    So every block is reachable, and every cycle is one of the CFG's; the entry block stays in none. What no
    thread takes is no way into a cycle (as in LLVM's ``GenericCycleInfo``), if nothing there can have a
    token: else it is one, as the rules of nesting hold there, too (S-NEST).
    """
    cfg = build_cfg(function)
    if all(cfg.reachable):
        return cfg
    roots: list[int] = []
    visited = [bool(flag) for flag in cfg.reachable]
    for block in range(len(cfg)):
        if visited[block]:
            continue
        below = _below(cfg, block)
        roots = [root for root in roots if root not in below] + [block]
        for other in below:
            visited[other] = True
    speaking = _with_tokens(function, cfg)
    edges = [
        [
            target
            for target in targets
            if cfg.reachable[block] or block in speaking or not cfg.reachable[target]
        ]
        for block, targets in enumerate(cfg.successors)
    ]
    edges[0] += roots
    return graph(cfg.names, edges, cfg.lengths)


def _with_tokens(function: Function, cfg: Cfg) -> set[int]:
    """The unreachable blocks that may have a token, as they have a call or are in a cycle, and what can be
    reached from them."""
    speaking: set[int] = set()
    for number, block in enumerate(function.blocks):
        if cfg.reachable[number] or number in speaking:
            continue
        below = _below(cfg, number)
        round_ = any(number in cfg.successors[other] for other in below)
        if round_ or any(isinstance(i, CallSite) for i in block.instructions):
            speaking |= below
    return speaking


def _below(cfg: Cfg, root: int) -> set[int]:
    """The blocks that can be reached from a block, itself too."""
    blocks, todo = {root}, [root]
    while todo:
        for target in cfg.successors[todo.pop()]:
            if target not in blocks:
                blocks.add(target)
                todo.append(target)
    return blocks


# -- Irreducible cycles made reducible: a block that dispatches becomes their only entry
# COS, *Inferring Tokens*, asks for it first; LLVM's own ``fix-irreducible`` pass does it in the same way.
# Of an irreducible cycle with the entries E1 (its header) to En, the edges from outside to any of them,
# and the edges from inside to the header, go to a new block instead. There a phi has the number of the
# entry that the edge led to, and a branch goes there. So the new block is the header of a natural loop,
# and a thread passes the same other blocks in the same order as before.
# Why values keep their dominance: each entry could be reached from outside without another block of the
# cycle, so what dominated a use in the cycle from inside still lies behind the dispatch, and what
# dominated it from outside dominated every entry. Phis of an entry get what edges from outside brought
# through a phi of the new block, which is poison for edges to other entries.


@dataclass(frozen=True, slots=True)
class DispatchBlock:
    """What was done to one cycle: ``block`` is its only entry now, ``entries`` were they (the header
    first), ``cycle`` its blocks as they were, ``split`` the new blocks on edges to ``block``."""

    block: str
    entries: tuple[str, ...]
    cycle: tuple[str, ...]
    split: tuple[str, ...] = ()

    def __str__(self) -> str:
        entries = ", ".join(f"%{name}" for name in self.entries)
        inside = " ".join(f"%{name}" for name in self.cycle)
        through = f", through {', '.join(f'%{name}' for name in self.split)}" if self.split else ""
        return (
            f"the cycle of {inside} is irreducible, with entries {entries}: edges from outside to them, and "
            f"edges back to %{self.entries[0]}, go to the new block %{self.block}{through}, which dispatches"
        )


def make_reducible(function: Function) -> tuple[Function, tuple[DispatchBlock, ...]]:
    """The function without irreducible cycles, and what was done for it, outermost cycles first.

    A cycle that was made reducible stays so when the cycles in it are: each has fewer blocks of the text.

    :raises CannotTransform: if an edge to an entry cannot be led elsewhere (an indirect branch, exceptions)
    """
    done: list[DispatchBlock] = []
    while True:
        cfg = cfg_with_unreachable(function)
        forest = cycles(cfg)
        worst = next((cycle for cycle in forest.all if not cycle.is_reducible), None)
        if worst is None:
            return function, tuple(done)
        function, dispatch = _Dispatching(function, cfg, forest, worst).finish()
        done.append(dispatch)


_MOVABLE = (ir.Br, ir.CondBr, ir.Switch, ir.CallBr)


class _Dispatching:
    """One cycle of one function on its way. ``edges`` are those led to the new block: (from, to) with
    ``from`` the block that ends in a branch to it after all, be it new."""

    def __init__(self, function: Function, cfg: Cfg, forest: Cycles, cycle: Cycle) -> None:
        self.function = function
        self.blocks = function.blocks
        self.names = Names(function)
        self.inside = frozenset(forest.blocks(cycle))
        self.entries = [cfg.names[e] for e in cycle.entries]
        self.cfg = cfg
        self.cycle = tuple(cfg.names[b] for b in sorted(self.inside))
        self.guard = self.names.new(f"{self.entries[0]}.dispatch")
        self.edges: list[tuple[str, str]] = []
        self.came_from: dict[tuple[str, str], str] = {}  # edge -> the predecessor of the text
        self.split: list[str] = []

    def finish(self) -> tuple[Function, DispatchBlock]:
        blocks: list[Block] = []
        at = {name: number for number, name in enumerate(self.cfg.names)}
        first = min(at[e] for e in self.entries)
        changed = [self._redirect(number, block) for number, block in enumerate(self.blocks)]
        guard = self._guard()
        for number, group in enumerate(changed):
            if number == first:
                blocks.append(guard)
            head, *rest = group
            blocks.append(self._entry(head) if head.name in self.entries else head)
            blocks += rest
        dispatch = DispatchBlock(self.guard, tuple(self.entries), self.cycle, tuple(self.split))
        return with_blocks(self.function, blocks), dispatch

    # -- edges ------------------------------------------------------------------------------------------

    def _redirect(self, number: int, block: Block) -> list[Block]:
        """A block whose edges to entries, as far as they are to move, lead to the new block; then the
        blocks put on these edges, where it has several or more than one way to spell one."""
        leaving = ir.successors(block.terminator)
        internal = number in self.inside
        moved = [t for t in leaving if t in self.entries and (not internal or t == self.entries[0])]
        if not moved:
            return [block]
        last = block.terminator
        if isinstance(last, ir.Invoke) and last.unwind not in moved:
            pass
        elif not isinstance(last, _MOVABLE):
            cycle = " ".join(f"%{name}" for name in self.cycle)
            raise CannotTransform(
                f"an edge to the irreducible cycle of {cycle} cannot be led elsewhere: "
                f"%{block.name} ends in {ir.opcode(last)}"
            )
        if len(moved) == 1:
            self._note(block.name, moved[0], block.name)
            target = {moved[0]: self.guard}
            extra: list[Block] = []
        else:
            target, extra = {}, []
            for entry in dict.fromkeys(moved):
                name = self.names.new(f"{block.name.strip(chr(34))}.to.{entry.strip(chr(34))}")
                target[entry] = name
                extra.append(Block(name, (ir.Br(self.guard),)))
                self.split.append(name)
                self._note(name, entry, block.name)
        ended = with_targets(last, lambda name: target.get(name, name))
        return [replace(block, instructions=(*block.instructions[:-1], ended)), *extra]

    def _note(self, source: str, entry: str, before: str) -> None:
        self.edges.append((source, entry))
        self.came_from[source, entry] = before

    # -- blocks -----------------------------------------------------------------------------------------

    def _guard(self) -> Block:
        """The phis of the entries, the selector, the branch."""
        two = len(self.entries) == 2
        kind = I1 if two else IntType(32)
        number = {name: n for n, name in enumerate(self.entries)}
        selector = self.names.new(f"{self.entries[0]}.entered".strip('"'))
        chosen = tuple((Int(kind, number[entry]), source) for source, entry in self.edges)
        self.carried: dict[tuple[str, str], Local] = {}
        phis: list[Instruction] = [ir.Phi(kind, chosen, result=selector)]
        for block in self.blocks:
            if block.name in number:
                phis += self._carrying(block)
        value = Local(kind, selector)
        way: Instruction
        if two:
            way = ir.CondBr(value, self.entries[1], self.entries[0])
        else:
            cases = tuple((Int(kind, n), name) for name, n in number.items() if n)
            way = ir.Switch(value, self.entries[0], cases)
        return Block(self.guard, (*phis, way))

    def _carrying(self, entry: Block) -> Iterable[Instruction]:
        """For each phi of an entry a phi of the new block with what the moved edges brought."""
        for phi in _phis(entry):
            assert phi.result is not None
            brought = {block: value for value, block in phi.incoming}
            name = self.names.new(f"{phi.result}.in")
            self.carried[entry.name, phi.result] = Local(phi.type, name)
            incoming: list[tuple[Operand, str]] = []
            for source, target in self.edges:
                if target == entry.name:
                    before = self.came_from[source, target]
                    if before not in brought:
                        raise CannotTransform(
                            f"%{phi.result} has no value for %{before}, from which %{entry.name} is entered"
                        )
                    incoming.append((brought[before], source))
                else:
                    incoming.append((Simple(phi.type, "poison"), source))
            yield ir.Phi(phi.type, tuple(incoming), result=name)

    def _entry(self, block: Block) -> Block:
        """An entry whose phis take what was brought through the new block from there."""
        gone = {self.came_from[edge] for edge in self.edges if edge[1] == block.name}
        instructions: list[Instruction] = []
        for instruction in block.instructions:
            if isinstance(instruction, ir.Phi):
                assert instruction.result is not None
                kept = tuple((value, b) for value, b in instruction.incoming if b not in gone)
                value = self.carried[block.name, instruction.result]
                instruction = replace(instruction, incoming=((value, self.guard), *kept))
            instructions.append(instruction)
        return replace(block, instructions=tuple(instructions))


def _phis(block: Block) -> Sequence[ir.Phi]:
    return [i for i in block.instructions if isinstance(i, ir.Phi)]


def infer(module: Module, convergent: Collection[str] = ()) -> Module:
    """The module with its uncontrolled functions controlled, by the procedure of *Inferring Tokens* in LLVM's
    *Convergent Operation Semantics*: :func:`inferred` without its notes.

    ``convergent`` names functions, without ``@``, that are made convergent first. Controlled functions are
    left as they are.

    :raises CannotTransform: if an uncontrolled function cannot be
    """
    needs_module(module, "infer")
    result = inferred(module, convergent)
    for note in result.notes:
        if note.kind == "refused":
            raise CannotTransform(str(note))
    return result.module


def inferred(module: Module, convergent: Collection[str] = ()) -> Transformed:
    """The module with its uncontrolled functions controlled.

    Functions with tokens and functions without convergent operations are left as they are, and a
    function that cannot be changed, too, with a ``refused`` note. ``convergent`` names functions that are
    given the attribute ``convergent`` first, where they have uncontrolled operations.
    """
    changed: dict[str, Function] = {}
    notes: list[Note] = []
    used: set[Control] = set()
    for function in module.definitions():
        uncontrolled, tokens = operations(module, function)
        if uncontrolled and tokens:
            words = "mixes controlled and uncontrolled convergent operations (S-MIX)"
            notes.append(Note("refused", function.name, words))
        elif tokens:
            notes.append(Note("kept", function.name, "is controlled already: left as it is"))
        elif not uncontrolled:
            notes.append(Note("kept", function.name, "has no convergent operations: left as it is"))
        else:
            try:
                marked = function.name in convergent and not is_convergent_function(module, function.name)
                original = _marked(function) if marked else function
                root = _root(module, original)
                rewritten, sentences = _controlled(module, original, root)
            except CannotTransform as refused:
                notes.append(Note("refused", function.name, refused.words))
                continue
            changed[function.name] = rewritten
            used.add(root)
            if any(control(i) is Control.LOOP for i in rewritten.instructions):
                used.add(Control.LOOP)
            if marked:
                notes.append(Note("changed", function.name, "is convergent now, so that it may have entry"))
            notes += [Note("changed", function.name, words) for words in sentences]
    return Transformed(with_functions(module, changed, sorted(used, key=list(Control).index)), tuple(notes))


def operations(module: Module, function: Function) -> tuple[int, int]:
    """How many uncontrolled convergent operations a function has, and how many controlled ones and
    control intrinsics."""
    uncontrolled = tokens = 0
    for instruction in function.instructions:
        if not isinstance(instruction, CallSite):
            continue
        if control(instruction) is not None or any(b.tag == CONTROL_BUNDLE for b in instruction.bundles):
            tokens += 1
        elif is_convergent(module, instruction):
            uncontrolled += 1
    return uncontrolled, tokens


def _marked(function: Function) -> Function:
    return replace(function, attributes=(*function.attributes, "convergent"))


def _root(module: Module, function: Function) -> Control:
    """``entry`` in a convergent function, ``anchor`` where S-ENTRY-FN forbids it."""
    words = module.resolve(function.attributes)
    return Control.ENTRY if "convergent" in words else Control.ANCHOR


def _controlled(module: Module, function: Function, root: Control) -> tuple[Function, list[str]]:
    """The four steps on one function, and what is to be said of them. Raises CannotTransform."""
    original = function
    function, dispatches = make_reducible(function)
    if dispatches and is_no_ssa(function) and not is_no_ssa(original):
        cycle = " ".join(f"%{name}" for name in dispatches[0].cycle)
        raise CannotTransform(f"unreachable blocks lead into the cycle of {cycle}: without them it can be")
    forest = cycles(cfg_with_unreachable(function))
    names = Names(function)
    first = token(names.new(root.name.lower()))
    hearts = _hearts(function, forest, names)
    blocks = []
    count = 0
    for number, block in enumerate(function.blocks):
        around = forest.innermost(number)
        by = first if around is None else hearts[around.index]
        instructions: list[Instruction] = []
        for instruction in block.instructions:
            if _is_uncontrolled(module, instruction):
                assert isinstance(instruction, CallSite)
                instruction = with_bundle(instruction, by)
                count += 1
            instructions.append(instruction)
        if number == 0:
            assert first.name is not None
            instructions.insert(0, control_call(root, first.name))
        if around is not None and around.header == number:
            above = forest.parent(around)
            parent = first if above is None else hearts[above.index]
            instructions.insert(_start(function, number), control_call(Control.LOOP, by.name, parent))
        blocks.append(replace(block, instructions=tuple(instructions)))
    return with_blocks(function, blocks), _report_lines(root, count, len(hearts), dispatches)


def _is_uncontrolled(module: Module, instruction: Instruction) -> bool:
    return (
        isinstance(instruction, CallSite)
        and control(instruction) is None
        and is_convergent(module, instruction)
        and not any(b.tag == CONTROL_BUNDLE for b in instruction.bundles)
    )


def _hearts(function: Function, forest: Cycles, names: Names) -> dict[int, Local]:
    """A token for each cycle, named for its header."""
    headers = {c.index: function.blocks[c.header].name.strip('"') for c in forest.all}
    return {index: token(names.new(f"loop.{header}")) for index, header in headers.items()}


_PADS = (ir.LandingPad, ir.CatchPad, ir.CleanupPad)


def _start(function: Function, number: int) -> int:
    """Where the start of a block is: behind its phis, and behind what exception handling has first."""
    block = function.blocks[number]
    at = 0
    while at < len(block.instructions) and isinstance(block.instructions[at], ir.Phi | ir.DebugRecord):
        at += 1
    while at and isinstance(block.instructions[at - 1], ir.DebugRecord):
        at -= 1
    if isinstance(block.instructions[at], ir.CatchSwitch):
        raise CannotTransform(f"the loop header %{block.name} is a catchswitch: nothing may stand before it")
    return at + 1 if isinstance(block.instructions[at], _PADS) else at


def _report_lines(root: Control, count: int, hearts: int, dispatches: tuple[DispatchBlock, ...]) -> list[str]:
    sentences = [str(dispatch) for dispatch in dispatches]
    loops = f", {hearts} loop header{'s' * (hearts != 1)} with a heart" if hearts else ""
    sentences.append(f"{root.name.lower()} and {count} controlled operation{'s' * (count != 1)}{loops}")
    if root is Control.ANCHOR:
        sentences.append(
            "is not convergent, so anchor stands where entry may not (S-ENTRY-FN): it promises less"
        )
    return sentences
