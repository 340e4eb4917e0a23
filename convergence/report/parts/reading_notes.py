"""What to know of how a text was read: where LLVM, and so convcheck, took it for something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ir.module import Module, Upgrade

Note = tuple[int | None, int | None, str]
"""Line and column in the user's text, if it has a place there, and the sentence."""


def notes(module: Module) -> Iterator[Note]:
    """What was read as something else."""
    if module.typed_pointer.start >= 0:
        place = (module.original or module.source).position(module.typed_pointer.start)
        yield place.line, place.column, "typed pointers are read as `ptr`, as LLVM 22 does"
    if module.upgrades:
        yield None, None, f"{_replaced(module.upgrades)}; positions are in LLVM's print of the file"


NOT_ASKED = "LLVM was not asked: convcheck's own reader took this for LLVM IR"
"""What every answer says of a module that was read without LLVM."""


def standing(module: Module) -> str | None:
    """What every answer says of how the module was read: that LLVM was not asked, or of what text positions
    are, if not of the user's."""
    if module.without_llvm:
        return NOT_ASKED
    if not module.upgrades:
        return None
    return "positions are in LLVM's print of the file, as it replaced old intrinsics"


def _replaced(upgrades: Sequence[Upgrade]) -> str:
    """What LLVM put in place of old intrinsics."""
    old = [f"@{upgrade.old}" for upgrade in upgrades]
    if len(old) > 1:
        return f"LLVM replaced old intrinsics: {', '.join(old)}"
    (upgrade,) = upgrades
    new = " and ".join(f"@{name}" for name in upgrade.new if name != upgrade.old)
    if upgrade.new == (upgrade.old,):
        return f"{old[0]} has other parameters in LLVM 22, which rewrites its calls"
    return f"LLVM replaced the old intrinsic {old[0]}{' by ' + new if new else ''}"
