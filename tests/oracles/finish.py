"""What LLVM's parser and the other rules of its verifier insist on, repaired after random changes."""

from __future__ import annotations

from random import Random

from .model import INTEGER, NONE, Exit, Function, Kind, Spelling

ENDS = (Exit.RET, Exit.UNREACHABLE)


def shuffle(function: Function, random: Random) -> None:
    """Another text order of the blocks after the entry block."""
    order = list(range(1, len(function.blocks)))
    random.shuffle(order)
    order.insert(0, 0)
    place = {old: new for new, old in enumerate(order)}
    function.blocks[:] = [function.blocks[old] for old in order]
    for block in function.blocks:
        block.targets = [place[t] for t in block.targets]


def finish(function: Function) -> Function:
    """Repair what is no matter of the static rules: dangling names, phis, landing pads."""
    for block in function.blocks:
        if len(block.targets) == 1 and block.exit in (Exit.CONDBR, Exit.SWITCH, Exit.INVOKE, Exit.CALLBR):
            block.exit, block.last = Exit.BR, None
        if block.exit in ENDS:
            block.targets = []
        if block.exit not in (Exit.INVOKE, Exit.CALLBR):
            block.last = None
        if block.last is not None and block.last.spelling is Spelling.INTRINSIC:
            block.last.spelling = Spelling.CONVERGENT
        if block.exit is Exit.CALLBR and block.last is not None and not block.last.spelling.convergent:
            block.last.spelling = Spelling.PLAIN
    _landing_pads(function)
    names = {i.token for b in function.blocks for i in b.items if i.token is not None}
    entered = {t for b in function.blocks for t in b.targets}
    for index, block in enumerate(function.blocks):
        phis = [i for i in block.items if i.kind is Kind.PHI and index in entered]
        block.items = phis + [i for i in block.items if i.kind is not Kind.PHI]
    kept = {i.token for b in function.blocks for i in b.items if i.token is not None}
    for block in function.blocks:
        for item in block.all_items:
            if any(o not in kept and o not in (NONE, INTEGER) for o in item.operands):
                item.bundles = ()
                if item.kind is Kind.CALL:
                    item.spelling = Spelling.PLAIN
                elif item.kind is Kind.LOOP:
                    item.kind = Kind.ANCHOR
    assert kept <= names
    return function


def _landing_pads(function: Function) -> None:
    """An unwind edge goes to a block that only such edges enter: other invokes become a call and a branch."""
    while True:
        normal = {
            target
            for block in function.blocks
            for slot, target in enumerate(block.targets)
            if not (block.exit is Exit.INVOKE and slot == 1)
        }
        wrong = [b for b in function.blocks if b.exit is Exit.INVOKE and b.targets[1] in normal]
        if not wrong:
            return
        for block in wrong:
            assert block.last is not None
            block.items.append(block.last)
            block.exit, block.last = Exit.CONDBR, None
