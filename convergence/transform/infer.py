"""Tokens for uncontrolled functions, by LLVM's documented procedure (COS, *Inferring Tokens*).

The procedure's four steps, each a function here: irreducible cycles are made reducible; ``entry`` goes to
the start of the entry block; ``loop`` goes to the start of every loop header, with the token of the parent
loop's header, or that of ``entry``; every uncontrolled convergent operation gets the token of the heart of
the smallest cycle around it, or that of ``entry``.

The document does not say what becomes of a function that is not convergent itself: ``entry`` may stand
only in a convergent one (S-ENTRY-FN). Such a function gets ``anchor`` instead, which promises less:
its threads need not be those that were called together. A caller that wants the document's procedure to
the letter names such functions in ``convergent``; they are given the attribute first.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..ir import instructions as ir
from ..ir.calls import CONTROL_BUNDLE, Control, control, is_convergent, is_convergent_function
from ..ir.cycles import Cycles, cycles
from ..ir.instructions import CallSite, Instruction
from ..ir.module import Function, Module, needs_module
from ..ir.operands import Local
from .notes import CannotTransform, Note, Transformed
from .reducible import DispatchBlock, cfg_with_unreachable, make_reducible
from .rewrite import Names, control_call, token, with_blocks, with_bundle, with_functions


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
    """The four steps on one function, and what is to be said of them."""
    function, dispatches = make_reducible(function)
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
