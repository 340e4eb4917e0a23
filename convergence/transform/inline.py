"""Controlled calls replaced by the bodies that they call, with the call's token for the callee's ``entry``.

D-ENTRY makes a callee's ``entry`` converged where the call sites' instances are, and D-USE makes those
converged where the call's token comes from converged instances: so the call's operand may stand for the
callee's ``entry``. What cannot be replaced is left as it is, and a note says why.

Which calls: controlled ones, and all calls of functions whose only tokens come from anchors, which need
nothing from their callers. Functions without convergent operations are inlined only when asked for by name.
A function that calls itself, straight or by others, is inlined one level deep, from the body that it had.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import field, replace

from ..alignment import operation_name
from ..diagnostics import Severity
from ..frozen import dataclass
from ..ir import VOID, Global, Int, Local, Operand, Simple
from ..ir import instructions as ir
from ..ir.calls import Control, callee_name, control, control_bundles, is_convergent, token_used
from ..ir.instructions import Call, CallSite, Instruction
from ..ir.module import Block, Function, Module, needs_module
from ..verifier import verify_function
from .infer import Kind, Note, Transformed, operations, refused_body, refused_call
from .rewrite import (
    Names,
    Substitution,
    renamed_by,
    with_blocks,
    with_functions,
    with_incoming,
    with_operands,
    with_targets,
)

# ----------------------------------------------------------------------------------------------------------
# A callee's body in place of a call.
#
# The result of ``entry`` in the copy becomes the token of the call's ``convergencectrl`` bundle. A callee of
# one block without ``loop`` goes between the call's neighbours; any other body gets blocks of its own, so
# that a ``loop`` stays the first convergent operation of its block (S-LOOP-FIRST), and what followed the
# call goes to a new block, to which its returns lead.
# ----------------------------------------------------------------------------------------------------------

_LEFT = frozenset(("dbg", "DIAssignID", "alias.scope", "noalias"))
"""Attachments that a copy does not take along: places and variables of the callee, and scopes of one
activation. Where there is debug information ``llvm.loop`` may hold places, too."""


@dataclasses.dataclass(slots=True)
class Splicer:
    """One caller on its way: ``names`` are its names, ``values`` stand in place of calls' results,
    ``allocas`` go to its entry block, ``moved`` maps a block to the one that now has its end."""

    names: Names
    values: Substitution = field(default_factory=lambda: Substitution({}))
    allocas: list[Instruction] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)

    def function(self, caller: Function, bodies: dict[int, Function]) -> tuple[Block, ...]:
        """The caller's blocks with the calls at some indices (in ``Function.instructions``) replaced by
        copies of bodies."""
        blocks: list[Block] = []
        index = 0
        for block in caller.blocks:
            name, kept = block.name, list[Instruction]()
            for instruction in block.instructions:
                body = bodies.get(index)
                index += 1
                if body is None:
                    kept.append(instruction)
                    continue
                assert isinstance(instruction, Call)
                copy = Copy(self, instruction, body)
                if copy.is_straight:
                    kept += copy.straight()
                    continue
                end, inner = copy.blocks()
                blocks.append(Block(name, (*kept, ir.Br(inner[0].name)), block.span))
                blocks += inner
                name, kept = end, copy.joined()
            blocks.append(Block(name, tuple(kept), block.span))
            if name != block.name:
                self.moved[block.name] = name
        return self._finished(blocks)

    def _finished(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """Phis name the blocks that now branch to them; values are substituted; allocas stand first."""
        with_phis = [with_incoming(block, renamed_by(self.moved)) for block in blocks]
        first, *rest = self.values.over(with_phis)
        at = self.values.over([Block("", tuple(self.allocas))])[0].instructions
        return (replace(first, instructions=(*at, *first.instructions)), *rest)


_TAILS = ("tail", "musttail")


class Copy:
    """One copy of a body for one call.

    ``operands`` maps what the body has from the call (parameters, the token of ``entry``) to the caller's
    operands, ``renamed`` its other values and its blocks to their names in the caller.
    """

    def __init__(self, splicer: Splicer, call: Call, body: Function) -> None:
        self.splicer, self.call, self.body = splicer, call, body
        self.location = tuple(pair for pair in call.attachments if pair[0] == "dbg")
        self.left = _LEFT | {"llvm.loop"} if self.location else _LEFT
        self.returns: list[tuple[Operand | None, str]] = []
        self.prefix = body.name.strip('"')
        self.operands: dict[str, Operand] = {}
        self.renamed: dict[str, str] = {}
        for parameter, argument in zip(body.parameters, call.arguments, strict=True):
            self.operands[parameter.name] = argument.value
        for block in body.blocks:
            self.renamed[block.name] = self._new(block.name)
            for instruction in block.instructions:
                if control(instruction) is Control.ENTRY:
                    by = token_used(call)
                    assert by is not None and instruction.result is not None
                    self.operands[instruction.result] = by
                elif instruction.result is not None:
                    self.renamed[instruction.result] = self._new(instruction.result)

    def _new(self, name: str) -> str:
        """``name.i``, as LLVM's inliner has it; for what has only a number, named for the callee."""
        bare = name.strip('"')
        return self.splicer.names.new(f"{self.prefix}.{bare}" if bare.isdigit() else f"{bare}.i")

    @property
    def is_straight(self) -> bool:
        """One block that returns, without ``loop``."""
        if len(self.body.blocks) != 1 or not isinstance(self.body.blocks[0].terminator, ir.Ret):
            return False
        return not any(control(i) is Control.LOOP for i in self.body.instructions)

    def straight(self) -> list[Instruction]:
        """The only block's instructions; the call's result is what it returns."""
        block = self.body.blocks[0]
        instructions = list(self._copied(block, is_first=True))
        last = block.terminator
        assert isinstance(last, ir.Ret)
        if last.value is not None and self.call.result is not None:
            self.splicer.values.by_name[self.call.result] = self._operand(last.value)
        return instructions

    def blocks(self) -> tuple[str, list[Block]]:
        """The name of the block after the call, and the copied blocks, the callee's entry first."""
        end = self._new("after")
        self.end = end
        copies = []
        for number, block in enumerate(self.body.blocks):
            kept = list(self._copied(block, is_first=number == 0))
            kept.append(self._ended(block))
            copied = Block(self.renamed[block.name], tuple(kept))
            copies.append(with_incoming(copied, renamed_by(self.renamed)))
        return end, copies

    def joined(self) -> list[Instruction]:
        """What the block after the call begins with: a phi where several returns bring values.

        A callee that never returns leaves it without predecessors, and its result is poison.
        """
        if self.call.result is None or self.call.type.result == VOID:
            return []
        values = [(value, block) for value, block in self.returns if value is not None]
        if len(values) == 1:
            self.splicer.values.by_name[self.call.result] = values[0][0]
            return []
        if not values:
            self.splicer.values.by_name[self.call.result] = Simple(self.call.type.result, "poison")
            return []
        return [ir.Phi(self.call.type.result, tuple(values), result=self.call.result)]

    # -- instructions -----------------------------------------------------------------------------------

    def _copied(self, block: Block, is_first: bool) -> Iterator[Instruction]:
        """A block's instructions without its terminator, ``entry``, and debug records."""
        for instruction in block.instructions[:-1]:
            if control(instruction) is Control.ENTRY or is_debug(instruction):
                continue
            copied = self._copy(instruction)
            if is_first and isinstance(copied, ir.Alloca) and _is_static(copied):
                self.splicer.allocas.append(copied)
            else:
                yield copied

    def _copy(self, instruction: Instruction) -> Instruction:
        copied = with_operands(instruction, self._local)
        if copied.result is not None:
            copied = replace(copied, result=self.renamed[copied.result])
        if isinstance(copied, Call) and copied.marker == "tail" and self.call.marker not in _TAILS:
            copied = replace(copied, marker="")  # it may now be given memory of the caller's activation
        kept = tuple(pair for pair in copied.attachments if pair[0] not in self.left)
        attachments = (*self.location, *kept)
        return replace(copied, attachments=attachments) if attachments != copied.attachments else copied

    def _ended(self, block: Block) -> Instruction:
        last = block.terminator
        if isinstance(last, ir.Ret):
            value = None if last.value is None else self._operand(last.value)
            self.returns.append((value, self.renamed[block.name]))
            return ir.Br(self.end, attachments=self.location)
        return with_targets(self._copy(last), renamed_by(self.renamed))

    def _operand(self, operand: Operand) -> Operand:
        return self._local(operand) if isinstance(operand, Local) else operand

    def _local(self, local: Local) -> Operand:
        """What a value of the body is in the caller."""
        if local.name in self.operands:
            return self.operands[local.name]
        return Local(local.type, self.renamed[local.name])


def is_debug(instruction: Instruction) -> bool:
    """A debug record, or its older form, a call of ``llvm.dbg``: true of the function that it was in."""
    if isinstance(instruction, ir.DebugRecord):
        return True
    name = callee_name(instruction) if isinstance(instruction, CallSite) else None
    return name is not None and name.startswith(("llvm.dbg.", "llvm.experimental.noalias.scope.decl"))


def _is_static(alloca: ir.Alloca) -> bool:
    return alloca.count is None or isinstance(alloca.count, Int)


LARGEST = 100_000
"""Instructions that a function may grow to."""


@dataclass(frozen=True, slots=True)
class CallSelection:
    """Which calls: in the functions ``callers``, and of the operations ``calls`` (``%x``, ``@callee`` for all
    its calls, or ``@callee#k``); ``None`` for all that :func:`inlined` takes by itself."""

    callers: Collection[str] | None = None
    calls: Collection[str] | None = None

    def names(self, function: Function, index: int) -> bool:
        """Whether the call at an index is asked for by name."""
        if self.calls is None:
            return False
        call = function.instructions[index]
        assert isinstance(call, CallSite)
        return operation_name(function, index) in self.calls or f"@{callee_name(call)}" in self.calls


def inline(module: Module, wanted: CallSelection | None = None) -> Module:
    """The module with its controlled calls of defined functions inlined, or those that are ``wanted``: the
    token of the call's bundle for the callee's ``entry``, as *Inlining* in LLVM's *Convergent Operation
    Semantics* has it. A call that cannot be inlined is kept; :func:`inlined` says why.
    """
    needs_module(module, "inline")
    value: object = wanted
    if not isinstance(value, CallSelection | None):
        raise TypeError(f"inline() takes a {__name__}.Wanted, and not {wanted!r}")
    return inlined(module, wanted).module


def inlined(module: Module, wanted: CallSelection | None = None) -> Transformed:
    """The module with calls inlined, callees before their callers, and what there is to say of each call."""
    wanted = wanted or CallSelection()
    functions = dict(module.functions)
    notes: list[Note] = []
    changed: dict[str, Function] = {}
    around = _recursive(module)
    for name in _callees_first(module):
        caller = module.functions[name]
        if wanted.callers is not None and name not in wanted.callers:
            continue
        current = replace(module, functions=functions)
        rewritten, sentences = _Caller(module, current, caller, around[name], wanted).inlined()
        notes += sentences
        if rewritten is not caller:
            functions[name] = changed[name] = rewritten
    place = {name: number for number, name in enumerate(module.functions)}
    notes.sort(key=lambda note: place[note.function])
    return Transformed(with_functions(module, changed), tuple(notes))


def call_names(module: Module, callers: Collection[str] | None = None) -> frozenset[str]:
    """What :attr:`Wanted.calls` may name: the direct calls of definitions, in some functions or in all."""
    names: set[str] = set()
    for function in module.definitions():
        if callers is not None and function.name not in callers:
            continue
        for index, instruction in enumerate(function.instructions):
            name = _called(instruction)
            if name is not None and name in module.functions and not module.functions[name].is_declaration:
                names |= {f"@{name}", operation_name(function, index)}
    return frozenset(names)


class _Caller:
    """One caller. ``current`` has callees as they are by now, ``module`` as they were; ``around`` are the
    functions that it may reach and that may reach it."""

    def __init__(
        self, module: Module, current: Module, caller: Function, around: frozenset[str], wanted: CallSelection
    ) -> None:
        self.module, self.current, self.caller = module, current, caller
        self.around, self.requested = around, wanted
        self.notes: dict[int, Note] = {}  # by the call's index

    def inlined(self) -> tuple[Function, list[Note]]:
        """The caller with its calls replaced, and a note per call, in text order."""
        bodies = {index: body for index in self._sites() if (body := self._body(index)) is not None}
        before = self._broken(self.caller) if bodies else frozenset()
        rewritten = self._spliced(bodies)
        if bodies and not self._broken(rewritten) <= before:
            rewritten, bodies = self._one_by_one(bodies, before)
        for index, body in bodies.items():
            self._say("changed", index, f"@{body.name} is inlined{self._how(body, index)}")
        rewritten = self._without_progress(rewritten, bodies.values())
        return rewritten, [self.notes[index] for index in sorted(self.notes)]

    def _sites(self) -> Iterator[int]:
        """The direct calls of defined functions that are taken, as indices into the instructions."""
        for index, instruction in enumerate(self.caller.instructions):
            if not isinstance(instruction, CallSite) or control(instruction) is not None:
                continue
            name = callee_name(instruction)
            callee = self.module.functions.get(name) if name is not None else None
            if callee is None or callee.is_declaration:
                continue
            if self.requested.calls is not None:
                if self.requested.names(self.caller, index):
                    yield index
            elif self._is_ours(instruction, callee):
                yield index

    def _is_ours(self, call: CallSite, callee: Function) -> bool:
        """A controlled call, or one of a function that has tokens; of ``entry`` too, to say why not."""
        return bool(control_bundles(call)) or operations(self.module, callee)[1] > 0

    def _body(self, index: int) -> Function | None:
        """What a call is replaced by; ``None``, with a note, where it cannot be."""
        call = self.caller.instructions[index]
        assert isinstance(call, CallSite) and isinstance(call.callee, Global)
        name = call.callee.name
        body = (self.module if name in self.around else self.current).functions[name]
        why = (
            refused_call(call, body)
            or refused_body(body)
            or self._otherwise(body)
            or self._tokens(call, body)
        )
        if why is None:
            return body
        self._say("refused", index, f"@{name} is not inlined: {why}")
        return None

    def _words(self, function: Function) -> tuple[str, ...]:
        return tuple(self.module.resolve(function.attributes))

    def _otherwise(self, body: Function) -> str | None:
        """Why what the callee's attributes say of its instructions would not hold in the caller."""
        mine, theirs = (_of_instructions(self._words(f)) for f in (self.caller, body))
        for name in sorted(mine.keys() | theirs.keys()):
            if mine.get(name) != theirs.get(name):
                return f"{name} is not the same of @{self.caller.name}"
        return None

    def _without_progress(self, rewritten: Function, bodies: Iterable[Function]) -> Function:
        """The caller with bodies in it. A loop of theirs may go round for ever if one need not make progress:
        then the caller need not either (as LLVM's inliner has it)."""
        words = self._words(self.caller)
        if "mustprogress" not in words or all("mustprogress" in self._words(body) for body in bodies):
            return rewritten
        return replace(rewritten, attributes=tuple(word for word in words if word != "mustprogress"))

    def _tokens(self, call: CallSite, body: Function) -> str | None:
        """Why the callee's convergent operations cannot stand in the caller."""
        uncontrolled, tokens = operations(self.module, body)
        bundles = control_bundles(call)
        if uncontrolled and bundles:
            return (
                "its convergent operations are uncontrolled, which a function with tokens may not have "
                "(S-MIX); infer gives it tokens"
            )
        if uncontrolled:
            return "its convergent operations are uncontrolled: there is no token to substitute"
        if tokens and not bundles and any(control(i) is Control.ENTRY for i in body.instructions):
            kind = "uncontrolled" if is_convergent(self.module, call) else "not convergent"
            return f"it has entry, and the call is {kind}, so there is no token to take its place"
        return None

    def _spliced(self, bodies: dict[int, Function]) -> Function:
        if not bodies:
            return self.caller
        names = Names(self.caller)
        return with_blocks(self.caller, Splicer(names).function(self.caller, bodies))

    def _one_by_one(
        self, bodies: dict[int, Function], before: frozenset[str]
    ) -> tuple[Function, dict[int, Function]]:
        """As many calls as keep the static rules, in text order."""
        kept: dict[int, Function] = {}
        for index, body in bodies.items():
            broken = self._broken(self._spliced({**kept, index: body})) - before
            if not broken:
                kept[index] = body
                continue
            words = f"@{body.name} is not inlined: that would break {', '.join(sorted(broken))}"
            self._say("refused", index, words)
        return self._spliced(kept), kept

    def _broken(self, function: Function) -> frozenset[str]:
        """The static rules that a function breaks."""
        functions = {**self.current.functions, function.name: function}
        diagnostics = verify_function(replace(self.current, functions=functions), function)
        return frozenset(d.rule.id for d in diagnostics if d.severity is Severity.ERROR)

    def _how(self, body: Function, index: int) -> str:
        call = self.caller.instructions[index]
        assert isinstance(call, CallSite)
        note = ""
        by = token_used(call)
        if by is not None and any(control(i) is Control.ENTRY for i in body.instructions):
            note += f", with %{by.name} for its entry"
        if body.name in self.around:
            note += ", one level deep, for it is recursive"
        return note

    def _say(self, kind: Kind, index: int, words: str) -> None:
        self.notes[index] = Note(kind, self.caller.name, words, operation_name(self.caller, index))


_OF_INSTRUCTIONS = (
    "null_pointer_is_valid", "strictfp", "denormal-fp-math", "denormal-fp-math-f32", "less-precise-fpmad",
    "no-infs-fp-math", "no-nans-fp-math", "no-signed-zeros-fp-math",
)  # fmt: skip
"""Attributes of a function that say what its instructions mean."""


def _of_instructions(words: Iterable[str]) -> dict[str, str]:
    """Those of them that a function has, by name."""
    named = ((word.strip('"').partition('"')[0], word) for word in words)
    return {name: word for name, word in named if name in _OF_INSTRUCTIONS}


# -- the call graph -------------------------------------------------------------------------------------


def _calls(module: Module) -> dict[str, tuple[str, ...]]:
    """Per definition the definitions that it calls directly."""
    defined = {f.name for f in module.definitions()}
    called = {f.name: dict.fromkeys(map(_called, f.instructions)) for f in module.definitions()}
    return {name: tuple(n for n in names if n is not None and n in defined) for name, names in called.items()}


def _called(instruction: Instruction) -> str | None:
    return callee_name(instruction) if isinstance(instruction, CallSite) else None


def _callees_first(module: Module) -> list[str]:
    """The definitions, each behind those that it calls as far as there is no recursion."""
    calls = _calls(module)
    order: list[str] = []
    names: set[str] = set()
    for root in calls:
        stack = [(root, iter(calls[root]))] if root not in names else []
        names.add(root)
        while stack:
            name, rest = stack[-1]
            below = next((n for n in rest if n not in names), None)
            if below is None:
                order.append(name)
                stack.pop()
            else:
                names.add(below)
                stack.append((below, iter(calls[below])))
    return order


def _recursive(module: Module) -> dict[str, frozenset[str]]:
    """Per definition those that it can reach by calls and that can reach it; itself only if by a call."""
    calls = _calls(module)

    def below(name: str) -> set[str]:
        names: set[str] = set()
        todo = [name]
        while todo:
            for callee in calls[todo.pop()]:
                if callee not in names:
                    names.add(callee)
                    todo.append(callee)
        return names

    reached = {name: below(name) for name in calls}
    return {name: frozenset(n for n in reached[name] if name in reached[n]) for name in calls}
