"""``exec-mask``: Southern Islands and later: one exec register, masks saved in registers.

After *Branch Divergence* and *Exec masks in LLVM*.

The program is structured first (:mod:`..masked_code`); irreducible control flow is refused.
``--latches separate`` makes every latch a loop of its own, as LLVM 22's AMDGPU back end does;
``--latches merged`` brings all latches of a header to one (loop-simplify before structurizing).

At a branch the saved value means "lanes parked here" (``s_and_saveexec`` then ``s_xor``), so that lanes that
end inside an arm stay off when the join does ``s_or``. The older form in *Branch Divergence* (``s_mov``,
``s_and``; ``s_not``, ``s_and``; ``s_mov``) saves all of exec and so wakes them. An arm may be jumped over if
no lane takes it ("we can introduce branches to skip the if-block entirely"; *Non-divergent branches* calls
that branch-if-none).
"""

from __future__ import annotations

from collections.abc import Sequence

from ....ir.instructions import CallSite, CondBr, Switch
from ..machine import Loop, loops_by_latch
from ..masked_code import (
    CodePlace,
    CodeRegion,
    Dialect,
    Masked,
    Masks,
    Op,
    Quads,
    Register,
    Structure,
    compared_in,
    operand,
    where,
    whole_quads,
)
from ..policy import MachineOptions, Mask

BODY = "body"
LIVE = "s[100:101]"
"""Where whole quad mode keeps the covered lanes."""


class ExecMask(Masked):
    """The lanes that run are exec; others are in saved registers."""

    name = "exec-mask"
    traceable = True
    saves = frozenset(
        (
            "s_and_saveexec_b64",
            "s_or_saveexec_b64",
        )
    )
    cared = True

    def begin(self, mask: Mask) -> None:
        self.quads = Quads(self.facts.function, self.issued.quads)
        super().begin(mask)
        if not self.issued.launching:  # whole quads are for those that the launch began with
            self.at = self.facts.derived["labels"].get(BODY, 0)

    def loops(self) -> tuple[Loop, ...]:
        return loops_by_latch(self.facts, merged=self.options.latches == "merged")

    def dialect(self, structure: Structure) -> Dialect:
        return ExecRegister(structure, self.options, self.issued.quads)

    def issues(self, block: int) -> None:
        self.did(*self.quads.around_stores(block))


class ExecRegister(Dialect):
    """Operations on exec, vcc and saved masks, which have 64 bits: a pair of scalar registers each."""

    def __init__(self, structure: Structure, options: MachineOptions, quads: bool = False) -> None:
        self.structure, self.facts, self.options = structure, structure.facts, options
        self.quads = quads

    def begins(self) -> Sequence[Op]:
        """Whole quad mode from here on; the covered lanes are kept for what is stored."""

        def wqm(m: Masks) -> None:
            m.exec = whole_quads(m.exec)

        if not self.quads:
            return ()
        return (
            Op(f"s_mov_b64 {LIVE}, exec", note="the covered lanes"),
            Op("s_wqm_b64 exec, exec", wqm, "and their quads"),
            Op(label=BODY),
        )

    def loads(self, block: int) -> Sequence[Op]:
        if self.options.spill is None or not block:
            return ()
        return (Op("scratch_load_dword", lambda m: m.accesses.append((False, block, m.exec)), "what lives"),)

    def saves(self, block: int, reduced: bool) -> Sequence[Op]:
        late = self.options.spill == "late"
        if self.options.spill is None or late != reduced or not self.facts.cfg.successors[block]:
            return ()
        return (Op("scratch_store_dword", lambda m: m.accesses.append((True, block, m.exec)), "what lives"),)

    def _older(self, region: CodeRegion) -> bool:
        """The older form suits regions that lanes leave only to the join, or by their end."""
        return self.options.exec_form == "not-and" and region.whole

    def _condition(self, block: int, lanes: int, inverted: bool) -> list[Op]:
        """vcc gets the lanes that go to block ``lanes``, or, inverted, those that do not."""

        def compare(m: Masks) -> None:
            m.vcc = m.targets.get(lanes, 0)

        def invert(m: Masks) -> None:
            m.vcc ^= m.exec

        terminator = self.facts.terminators[block]
        match terminator:
            case CondBr() if compared_in(self.facts.function, block) is not None:
                ops = [Op(do=compare)]  # the comparison writes vcc
            case CondBr(condition):
                ops = [Op(f"s_and_b64 vcc, exec, {operand(condition)}", compare)]
            case Switch(value):
                ops = [Op(f"v_cmp_eq_u32 vcc, {operand(value)}", compare, f"to %{self.facts.name(lanes)}?")]
            case _:
                ops = [Op("s_mov_b64 vcc", compare, f"who goes to %{self.facts.name(lanes)}")]
        return [*ops, Op("s_xor_b64 vcc, vcc, exec", invert)] if inverted else ops

    # -- regions -------------------------------------------------------------------------------------------

    def opens(self, region: CodeRegion, on: int, inverted: bool, register: Register) -> Sequence[Op]:
        r, s = register, pair(register)

        def save(m: Masks) -> None:
            m.saved[r] = m.exec

        def take(m: Masks) -> None:
            m.exec &= m.vcc

        def saveexec(m: Masks) -> None:
            m.saved[r], m.exec = m.exec, m.exec & m.vcc

        def rest(m: Masks) -> None:
            m.saved[r] ^= m.exec

        ops = self._condition(region.block, self.facts.cfg.successors[region.block][0], inverted)
        if self._older(region):
            return [
                *ops,
                Op(f"s_mov_b64 {s}, exec", save, "save exec"),
                Op("s_and_b64 exec, vcc, exec", take, "do the if"),
            ]
        return [
            *ops,
            Op(f"s_and_saveexec_b64 {s}, vcc", saveexec, "save exec, do the if"),
            Op(f"s_xor_b64 {s}, exec, {s}", rest, f"parked for {where(self.structure, region.waiting)}"),
        ]

    def turns(self, region: CodeRegion, register: Register) -> Sequence[Op]:
        r, s = register, pair(register)

        def invert(m: Masks) -> None:
            m.exec = ~m.exec

        def of_saved(m: Masks) -> None:
            m.exec &= m.saved[r]

        def or_saveexec(m: Masks) -> None:
            m.saved[r], m.exec = m.exec, m.exec | m.saved[r]

        def without_saved(m: Masks) -> None:
            m.exec ^= m.saved[r]

        if self._older(region):
            return [
                Op("s_not_b64 exec, exec", invert, "do the else"),
                Op(f"s_and_b64 exec, {s}, exec", of_saved, "do the else"),
            ]
        parked = f"parked for {where(self.structure, region.join)}"
        return [
            Op(f"s_or_saveexec_b64 {s}, {s}", or_saveexec, parked),
            Op(f"s_xor_b64 exec, exec, {s}", without_saved, "do the else"),
        ]

    def closes(self, region: CodeRegion, register: Register) -> Sequence[Op]:
        def restore(m: Masks) -> None:
            m.exec = m.saved[register]

        if self._older(region):
            return [Op(f"s_mov_b64 exec, {pair(register)}", restore, "restore exec")]
        return self.wakes(region.join, register)

    # -- lanes that go further, loops ----------------------------------------------------------------------

    def sends(
        self, block: int, place: CodePlace, lanes: int | None, inverted: bool, register: Register
    ) -> Sequence[Op]:
        r, s, words = register, pair(register), f"wait for {where(self.structure, place)}"

        def park_all(m: Masks) -> None:
            m.saved[r] |= m.exec

        def nobody(m: Masks) -> None:
            m.exec = 0

        def park(m: Masks) -> None:
            m.saved[r] |= m.vcc

        def stay(m: Masks) -> None:
            m.exec &= ~m.vcc

        if lanes is None:
            return [Op(f"s_or_b64 {s}, {s}, exec", park_all, words), Op("s_mov_b64 exec, 0", nobody)]
        return [
            *self._condition(block, lanes, inverted),
            Op(f"s_or_b64 {s}, {s}, vcc", park, words),
            Op("s_andn2_b64 exec, exec, vcc", stay),
        ]

    def wakes(self, place: CodePlace, register: Register) -> Sequence[Op]:
        def wake(m: Masks) -> None:
            m.exec |= m.saved[register]

        return [Op(f"s_or_b64 exec, exec, {pair(register)}", wake, "and who is parked")]

    def clears(self, place: CodePlace, register: Register) -> Sequence[Op]:
        def clear(m: Masks) -> None:
            m.saved[register] = 0

        return [Op(f"s_mov_b64 {pair(register)}, 0", clear, f"will wait for {where(self.structure, place)}")]

    def ends(self, block: int, last: bool) -> Sequence[Op]:
        def nobody(m: Masks) -> None:
            m.exec = 0

        return [] if last else [Op("s_mov_b64 exec, 0", nobody, "these lanes have ended")]

    def begins_loop(self, loop: int, label: str) -> Sequence[Op]:
        return []

    def goes_round(self, loop: int, label: str) -> Sequence[Op]:
        return [Op(f"s_cbranch_execnz {label}", jump=label, jumps=lambda m: m.exec != 0)]

    # -- branch-if-none ------------------------------------------------------------------------------------

    def skip(self, label: str, after_compare: bool) -> Sequence[Op]:
        name = "s_cbranch_vccz" if after_compare else "s_cbranch_execz"
        return [Op(f"{name} {label}", note="if no lane is on", jump=label, jumps=lambda m: not m.exec)]

    def skipped(self, blocks: Sequence[int]) -> bool:
        """Regions with calls keep their branch: a call must not happen for nobody."""
        inside = [i for b in blocks for i in self.facts.function.blocks[b].instructions]
        least = self.options.branch_if_none
        return any(isinstance(i, CallSite) for i in inside) or (least is not None and len(inside) >= least)


def pair(register: Register) -> str:
    return f"s[{2 * register}:{2 * register + 1}]"
